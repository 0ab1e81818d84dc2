//! Readers of plans: floors and streets, as polygons with holes.
//!
//! In: the bytes of a text of polygons (WKT), a map of OpenStreetMap (XML or PBF), a drawing (SVG), or a mesh (OBJ).
//! Out: a [`Plan`]: the areas to walk in, the areas of cars, in metres, x to the east and y to the north; and what was
//! left out.
//! Method: a parser each; `union` makes disjoint areas of their polygons. Guarantees: no reader panics or recurses
//! without bound; memory is bounded by the size of the file; the same bytes give the same plan. Errors name the ring,
//! the line or the byte, the coordinates and the remedy.
//! Cost: O(n log n) for n corners of a usual plan; O(n²) where many edges lie over each other in the direction of y.

mod fault;
mod mesh;
mod osm_boxes;
mod osm_decks;
mod osm_levels;
mod osm_map;
mod osm_pbf;
mod osm_ramps;
mod osm_rings;
mod osm_strips;
mod osm_xml;
mod osm_zones;
mod projection;
mod rings;
mod roads;
mod scenario;
mod svg;
mod union;
mod wkt;

pub use fault::{PlanError, PlanItem, PlanWarning, PlanWarningKind, RingName};
pub use projection::LonLat;
pub use scenario::{ScenarioArea, ScenarioCount, ScenarioJourney, ScenarioPlan, ScenarioStart, read_scenario_zip};
pub use wkt::{parse_wkt_areas, parse_wkt_line, parse_wkt_points};

use crate::read::xml::decoded;
use fault::PlanNotes;
use heurt_geometry::{FLAT_WITHIN, FloorArea, PlanArea, Vec2};
use union::PlanGrid;

/// A plan smaller than this in both directions is an error, in metres: less than a person's foot, and 5 km in degrees.
const MIN_EXTENT: f64 = 0.05;

/// A format of plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanFormat {
    /// Well-known text: POLYGON, MULTIPOLYGON, GEOMETRYCOLLECTION, in metres.
    Wkt,
    /// OpenStreetMap as XML.
    Osm,
    /// OpenStreetMap as protocol buffers.
    OsmPbf,
    /// Scalable vector graphics: polygons, rectangles and straight paths.
    Svg,
    /// Wavefront OBJ: a mesh whose faces are floors, in metres, z up.
    Obj,
}

impl PlanFormat {
    /// Finds the format by the end of a file name or path, in upper or lower case.
    ///
    /// ```
    /// use heurt_io::PlanFormat;
    /// assert_eq!(PlanFormat::from_extension("maps/hall.osm.pbf"), Some(PlanFormat::OsmPbf));
    /// assert_eq!(PlanFormat::from_extension("WKT"), Some(PlanFormat::Wkt));
    /// assert_eq!(PlanFormat::from_extension("hall.dxf"), None);
    /// ```
    pub fn from_extension(path: &str) -> Option<Self> {
        let extension = path.rsplit(['.', '/', '\\']).next()?.to_ascii_lowercase();
        match extension.as_str() {
            "wkt" => Some(Self::Wkt),
            "osm" => Some(Self::Osm),
            "pbf" => Some(Self::OsmPbf),
            "svg" => Some(Self::Svg),
            "obj" => Some(Self::Obj),
            _ => None,
        }
    }
}

/// A plan: the areas to walk in and the areas of cars, in metres.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// The areas to walk in. Areas of one plane are pairwise disjoint inside and may touch in single points; areas of
    /// different planes may lie over each other.
    pub walk: Vec<FloorArea>,
    /// The carriageways of a map, pairwise disjoint inside; they are part of the areas to walk in. Empty if the
    /// file is no map.
    pub drive: Vec<FloorArea>,
    /// The places of a map where people cross carriageways.
    pub crossings: Vec<FloorArea>,
    /// The point (0, 0) of a map: the middle of its bounds.
    pub origin: Option<LonLat>,
    /// Contents that were left out, or read with a loss.
    pub warnings: Vec<PlanWarning>,
}

/// Reads a plan of floors or streets.
///
/// ```
/// use heurt_io::{PlanFormat, read_plan};
/// let rooms = "GEOMETRYCOLLECTION (POLYGON ((0 0, 3 0, 3 2, 0 2, 0 0)), POLYGON ((3 0, 5 0, 5 2, 3 2, 3 0)))";
/// let plan = read_plan(rooms.as_bytes(), PlanFormat::Wkt)?;
/// assert_eq!((plan.walk.len(), plan.walk[0].area.area()), (1, 10.0), "rooms that share an edge are one area");
/// # Ok::<(), heurt_io::PlanError>(())
/// ```
///
/// # Errors
/// [`PlanError`] names the ring, the line or the byte, the value found there, and the remedy.
pub fn read_plan(bytes: &[u8], format: PlanFormat) -> Result<Plan, PlanError> {
    match format {
        PlanFormat::Wkt => read_wkt(bytes),
        PlanFormat::Osm => osm_zones::plan(&osm_xml::read(&decoded(bytes), bytes.len())?),
        PlanFormat::OsmPbf => osm_zones::plan(&osm_pbf::read(bytes)?),
        PlanFormat::Svg => svg::read(&decoded(bytes)),
        PlanFormat::Obj => mesh::read_obj(bytes),
    }
}

/// Reads the polygons of a text and unites them.
fn read_wkt(bytes: &[u8]) -> Result<Plan, PlanError> {
    let mut contents = wkt::parse(&decoded(bytes))?;
    let loose = contents.points.iter().chain(contents.lines.iter().filter_map(|line| line.first()));
    for &at in loose {
        contents.notes.add(PlanWarningKind::NoArea, PlanItem { id: 0, at: Some(at), lon_lat: None });
    }
    if contents.areas.is_empty() {
        return Err(wkt::no_polygon());
    }
    let floors = contents.areas.into_iter().map(|floor| vec![floor]).collect();
    let walk = unite_planes(planes_of(floors), contents.has_touching_holes, &mut contents.notes)?;
    Ok(Plan { walk, warnings: contents.notes.finish(), ..Plan::default() })
}

/// Joins sets of areas, each of one plane, whose planes are one up to the flatness of each, in order of the first.
fn planes_of(floors: Vec<Vec<FloorArea>>) -> Vec<Vec<FloorArea>> {
    let mut planes: Vec<Vec<FloorArea>> = Vec::new();
    for floor in floors {
        let is_same = |plane: &&mut Vec<FloorArea>| {
            let (first, own) = (&plane[0], &floor[0]);
            let off = |corner: &Vec2| (first.height_at(*corner) - own.height_at(*corner)).abs();
            floor.iter().flat_map(|part| &part.area.outline).all(|corner| off(corner) <= FLAT_WITHIN)
        };
        match planes.iter_mut().find(is_same) {
            Some(plane) => plane.extend(floor),
            None => planes.push(floor),
        }
    }
    planes
}

/// Unites the areas of each plane. A plan that is too small for a person is an error, a plane that is too thin is
/// noted.
fn unite_planes(
    planes: Vec<Vec<FloorArea>>,
    has_touching_holes: bool,
    notes: &mut PlanNotes,
) -> Result<Vec<FloorArea>, PlanError> {
    let corners = || planes.iter().flatten().flat_map(|floor| &floor.area.outline);
    let Some(&at) = corners().next() else { return Err(wkt::no_polygon()) };
    let [low, high] = corners().fold([at, at], |[low, high], &corner| [low.min(corner), high.max(corner)]);
    if (high - low).max_element() < MIN_EXTENT {
        return Err(PlanError::TooSmall { width: high.x - low.x, height: high.y - low.y, at });
    }
    let mut walk = Vec::new();
    for plane in planes {
        let (floor, areas) = (plane[0].clone(), plane.into_iter().map(|floor| floor.area).collect());
        let areas = united(areas, has_touching_holes, notes);
        walk.extend(areas.into_iter().map(|area| floor.with_area(area)));
    }
    match walk.is_empty() {
        true => Err(PlanError::Empty { what: "area to walk in", remedy: "give areas wider than a millimetre" }),
        false => Ok(walk),
    }
}

/// Unites checked polygons; a single polygon whose holes do not touch stays as it is, if it is no sliver.
fn united(mut areas: Vec<PlanArea>, has_touching_holes: bool, notes: &mut PlanNotes) -> Vec<PlanArea> {
    areas.iter_mut().for_each(orient);
    if areas.len() == 1 && !has_touching_holes {
        if union::mean_width(&areas[0]) < union::MIN_WIDTH {
            note_slivers(&[areas[0].outline[0]], notes);
            areas.clear();
        }
        return areas;
    }
    let reach = areas.iter().flat_map(|area| &area.outline).map(|corner| corner.abs().max_element());
    let mut grid = PlanGrid::new(reach.fold(0.0, f64::max));
    let mut rings = Vec::new();
    for area in &areas {
        let outline = [grid.add_ring(&area.outline)];
        let holes: Vec<_> = area.holes.iter().map(|hole| grid.add_ring(hole)).collect();
        match holes.is_empty() {
            true => rings.extend(outline),
            false => rings.extend(union::subtract(&outline, &holes).into_iter().flatten()),
        }
    }
    let (walk, thin) = grid.finish(&union::unite(&rings));
    note_slivers(&thin, notes);
    walk
}

fn note_slivers(thin: &[Vec2], notes: &mut PlanNotes) {
    for &at in thin {
        notes.add(PlanWarningKind::Slivers, PlanItem { id: 0, at: Some(at), lon_lat: None });
    }
}

/// Turns the outline counter-clockwise and the holes clockwise; the first corner stays first.
fn orient(area: &mut PlanArea) {
    let doubled = |ring: &[Vec2]| -> f64 {
        let from = ring[0];
        ring.windows(2).map(|pair| (pair[0] - from).perp_dot(pair[1] - from)).sum()
    };
    let turn = |ring: &mut Vec<Vec2>| ring[1..].reverse();
    if doubled(&area.outline) < 0.0 {
        turn(&mut area.outline);
    }
    area.holes.iter_mut().filter(|hole| doubled(hole) > 0.0).for_each(turn);
}
