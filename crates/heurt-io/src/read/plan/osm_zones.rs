//! Zones of a map of OpenStreetMap: the ground to walk on, and the carriageways.
//!
//! In: an [`OsmMap`]. Out: a [`Plan`] in metres around the middle of the bounds.
//! Method: the ground is the rectangle of the bounds less buildings, water and barriers.
//! - Buildings: areas with `building`, but roofs, parts underground, and parts that begin 2.2 m or a storey above the
//!   ground. Passages through buildings are cut out of them.
//! - Water: areas with `natural=water`, `waterway=riverbank` or `dock`, `landuse=basin` or `reservoir`, and strips
//!   along rivers and canals. Bridges are cut out of them.
//! - Barriers: walls, fences, hedges and rails, as strips or areas. Gates are cut out of them.
//!
//! Carriageways are strips along roads for motor vehicles, as far as they run on areas to walk on. Crossings are strips
//! along paths with `footway=crossing`, and 4 m of the road around nodes with `highway=crossing`.
//! Bridges and tunnels are floors of `osm_levels`; a bridge that no road or path passes under is a part of the ground.
//! Guarantees: zones of a plane are disjoint inside and lie within the bounds. Not guaranteed: coastlines; tunnels of
//! cars. Both are left out. Cost: the cost of the unions.

use super::fault::{PlanError, PlanItem, PlanNotes, PlanWarningKind};
use super::osm_levels::{MAX_LEVEL, OsmFloors, OsmSite, OsmSpan, obstacles_of};
use super::osm_map::{OsmMap, OsmRelation, OsmTags, OsmWay};
use super::osm_rings::join;
use super::osm_strips::{square, strip};
use super::union::{GridAreas, GridRing, PlanGrid, even_odd, intersect, subtract, unite};
use super::{Plan, note_slivers};
use crate::LonLat;
use heurt_geometry::{FloorArea, Vec2};

/// The largest extent of a map, in kilometres: the projection is wrong by less than 0.2 m at its border.
const MAX_EXTENT_KM: u32 = 100;
/// The largest latitude of bounds, in degrees: metres east become degrees of any size at the poles.
const MAX_LATITUDE: f64 = 85.0;
/// The largest coordinate of the projection, in metres: the cube of a whole turn of longitude.
const REACH: f64 = 1e10;
/// The height in metres under which people do not pass: the clear height of paths in building rules.
const CLEAR_HEIGHT: f64 = 2.2;
/// The width of a lane, in metres.
const LANE: f64 = 3.0;
/// The width of a passage or a foot bridge without a tag, in metres.
const PATH: f64 = 3.0;
/// The width of a river or canal without a tag, in metres.
const RIVER: f64 = 6.0;
/// The side of the square that a gate cuts out of a barrier, in metres: a wide door, or a narrow drive.
const GATE: f64 = 2.0;
/// The length of road that belongs to the crossing at a node, in metres: as wide as zebra crossings are.
const CROSSING: f64 = 4.0;
/// The widths that a tag may give, in metres.
const WIDTHS: std::ops::RangeInclusive<f64> = 0.1..=200.0;

/// Rings of the layers of a map, on the grid.
#[derive(Default)]
struct OsmLayers {
    buildings: Vec<GridRing>,
    passages: Vec<GridRing>,
    water: Vec<GridRing>,
    bridges: Vec<GridRing>,
    barriers: Vec<GridRing>,
    gates: Vec<GridRing>,
    roads: Vec<GridRing>,
    crossings: Vec<GridRing>,
}

/// The layer that an area belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OsmLayer {
    Building,
    Water,
    Barrier,
    Road,
}

/// The work on a map.
struct OsmZones<'m> {
    map: &'m OsmMap,
    origin: LonLat,
    grid: PlanGrid,
    layers: OsmLayers,
    notes: PlanNotes,
    /// Roads and paths that are not on the ground, and what a bridge on the ground cuts out of water.
    spans: Vec<OsmSpan>,
    /// Roads and paths of the ground.
    paths: Vec<&'m OsmWay>,
    /// The last `way` that was noted for missing nodes: each counts once.
    last_incomplete: Option<i64>,
    /// Corners that relations may still have: a `way` may be in several relations, but not in all.
    corners_left: usize,
}

/// How many relations a `way` may be in on average; in real maps one in a hundred is in more than two.
const SHARES_OF_WAY: usize = 8;

/// Computes the plan of a map.
pub(super) fn plan(map: &OsmMap) -> Result<Plan, PlanError> {
    let (origin, [low, high]) = frame(map)?;
    let mut zones = OsmZones {
        map,
        origin,
        grid: PlanGrid::new(REACH),
        layers: OsmLayers::default(),
        notes: PlanNotes::default(),
        spans: Vec::new(),
        paths: Vec::new(),
        last_incomplete: None,
        corners_left: SHARES_OF_WAY * map.ways.iter().map(|way| way.nodes.len()).sum::<usize>(),
    };
    zones.sort_into_layers();
    zones.into_plan([low, high])
}

/// Finds the origin of a map and its corners in metres.
fn frame(map: &OsmMap) -> Result<(LonLat, [Vec2; 2]), PlanError> {
    let Some([low, high]) = map.bounds.or_else(|| map.node_bounds()) else {
        return Err(PlanError::Empty { what: "node", remedy: "give a map with nodes and `way`s" });
    };
    let origin = LonLat { lon: 0.5 * (low.lon + high.lon), lat: 0.5 * (low.lat + high.lat) };
    let [south, north] = [low.lat, high.lat].map(|lat| LonLat { lat, ..origin }.to_metres(origin).y);
    let [west, east] = [low.lon, high.lon].map(|lon| LonLat { lon, ..origin }.to_metres(origin).x);
    let limit = f64::from(MAX_EXTENT_KM) * 1e3;
    let is_in = (0.0..limit).contains(&(east - west)) && (0.0..limit).contains(&(north - south));
    let is_far_from_poles = low.lat.abs().max(high.lat.abs()) <= MAX_LATITUDE;
    let corners = [Vec2::new(west, south), Vec2::new(east, north)];
    match is_in && is_far_from_poles {
        true if (corners[1] - corners[0]).min_element() < super::MIN_EXTENT => {
            Err(PlanError::TooSmall { width: east - west, height: north - south, at: corners[0] })
        }
        true => Ok((origin, corners)),
        false => Err(PlanError::TooWide { low, high, limit: MAX_EXTENT_KM }),
    }
}

impl<'m> OsmZones<'m> {
    /// Makes the floors of all levels.
    fn into_plan(self, corners: [Vec2; 2]) -> Result<Plan, PlanError> {
        let [low, high] = corners;
        let Self { map, origin, mut grid, mut layers, mut notes, spans, paths, .. } = self;
        let site = OsmSite { map, origin, bounds: corners, paths: &paths };
        let decks = site.decks(&grid, &spans);
        for (span, _) in spans.iter().zip(&decks.deck_of).filter(|(_, deck)| deck.is_none()) {
            layers.bridges.extend(span.rings.iter().cloned());
            if span.is_drive {
                layers.roads.extend(span.rings.iter().cloned());
            }
        }
        let bounds = [grid.add_ring(&[low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)])];
        let (mut closed, mut obstacles) = (Vec::new(), Vec::new());
        for (kept, cut) in
            [(&layers.buildings, &layers.passages), (&layers.water, &layers.bridges), (&layers.barriers, &layers.gates)]
        {
            let areas = subtract(kept, cut);
            let is_building = std::ptr::eq(kept, &layers.buildings);
            obstacles_of(&grid, &areas, is_building, &mut obstacles);
            closed.extend(areas.into_iter().flatten());
        }
        let OsmFloors { walk: floors, drive: ways, cuts, .. } =
            site.build(&mut grid, &spans, &decks, &obstacles, &mut notes);
        closed.extend(cuts);
        let walk = subtract(&bounds, &closed);
        let ground: Vec<_> = walk.iter().flatten().cloned().collect();
        let roads: Vec<_> = unite(&layers.roads).into_iter().flatten().collect();
        let crossings: Vec<_> = unite(&layers.crossings).into_iter().flatten().collect();
        let mut finished = |areas: &GridAreas, floors: Vec<FloorArea>| {
            let (areas, thin) = grid.finish(areas);
            note_slivers(&thin, &mut notes);
            areas.into_iter().map(FloorArea::from).chain(floors).collect::<Vec<_>>()
        };
        let walk = finished(&walk, floors);
        let drive = finished(&intersect(&roads, &ground), ways);
        let crossings = finished(&intersect(&crossings, &ground), Vec::new());
        if walk.is_empty() {
            return Err(PlanError::Empty { what: "ground to walk on", remedy: "give a map with free ground" });
        }
        Ok(Plan { walk, drive, crossings, origin: Some(origin), warnings: notes.finish() })
    }

    /// Sorts everything into layers.
    fn sort_into_layers(&mut self) {
        let map = self.map;
        for way in &map.ways {
            self.add_way(way);
        }
        for relation in &map.relations {
            self.add_relation(relation);
        }
        for &gate in &map.gates {
            if let Some(at) = map.node(gate) {
                let ring = self.grid.round_ring(&square(at.to_metres(self.origin), GATE));
                self.layers.gates.push(ring);
            }
        }
    }

    fn add_way(&mut self, way: &'m OsmWay) {
        let tags = &way.tags;
        if let Some(layer) = area_layer(tags, way.is_closed()) {
            if way.is_closed() {
                self.add_area(layer, way.id, &[&way.nodes]);
            } else {
                self.note(PlanWarningKind::UnclosedArea, way.id, &way.nodes);
            }
        }
        if tags.get("natural") == "coastline" {
            self.note(PlanWarningKind::Coastline, way.id, &way.nodes);
        }
        self.add_barrier(way);
        if matches!(tags.get("waterway"), "river" | "canal") && !is_underground(tags) && !is_area(tags) {
            self.add_strip(way, width(tags, RIVER), |layers| &mut layers.water);
        }
        self.add_road(way);
    }

    fn add_barrier(&mut self, way: &OsmWay) {
        let is_area = way.is_closed() && is_area(&way.tags);
        if let (Some(default), false, false) = (barrier_width(&way.tags), is_area, is_underground(&way.tags)) {
            self.add_strip(way, width(&way.tags, default), |layers| &mut layers.barriers);
        }
    }

    /// Adds a road or path: its carriageway, and what it cuts through.
    fn add_road(&mut self, way: &'m OsmWay) {
        let tags = &way.tags;
        if !tags.has("highway") {
            return;
        }
        let carriageway = carriageway_width(tags);
        let full_width = carriageway.unwrap_or(width(tags, PATH));
        let is_area = is_area(tags) && way.is_closed();
        match level_of(tags) {
            Some(0) if is_area => {}
            Some(0) => {
                self.paths.push(way);
                if tags.get("tunnel") == "building_passage" {
                    self.add_strip(way, full_width, |layers| &mut layers.passages);
                }
                if let Some(width) = carriageway {
                    self.add_strip(way, width, |layers| &mut layers.roads);
                    self.add_crossings(way, width);
                }
                if ["footway", "path", "cycleway"].iter().any(|key| tags.get(key) == "crossing") {
                    self.add_strip(way, full_width, |layers| &mut layers.crossings);
                }
            }
            // People do not walk in tunnels of cars.
            Some(level) if level > 0 || carriageway.is_none() => self.add_span(way, level, full_width),
            _ => self.note(PlanWarningKind::CrossesLevels, way.id, &way.nodes),
        }
    }

    /// Adds a road or path of another level, without missing nodes.
    fn add_span(&mut self, way: &OsmWay, level: i32, width: f64) {
        let line: Vec<_> = way.nodes.iter().filter_map(|&node| self.metres(node)).collect();
        let [Some(&first), Some(&last)] = [way.nodes.first(), way.nodes.last()] else { return };
        if line.len() < way.nodes.len() || line.len() < 2 {
            self.note(PlanWarningKind::MissingNodes, way.id, &way.nodes);
            return;
        }
        let is_area = is_area(&way.tags) && way.is_closed();
        let rings = match is_area {
            true => even_odd(&[self.grid.add_ring(&line)]).into_iter().flatten().collect(),
            false => strip(&line, width).iter().map(|ring| self.grid.round_ring(ring)).collect(),
        };
        let is_drive = carriageway_width(&way.tags).is_some();
        let ends = (!is_area).then_some([first, last]);
        let nodes = way.nodes.clone();
        self.spans.push(OsmSpan { id: way.id, level, line, nodes, ends, rings, width, is_drive });
    }

    /// Adds the crossings at nodes of a road: a rectangle across it.
    fn add_crossings(&mut self, way: &OsmWay, width: f64) {
        for (place, node) in way.nodes.iter().enumerate() {
            if self.map.crossings.binary_search(node).is_err() {
                continue;
            }
            let near = [place.saturating_sub(1), place, (place + 1).min(way.nodes.len() - 1)];
            let [Some(before), Some(at), Some(after)] = near.map(|place| self.metres(way.nodes[place])) else {
                continue;
            };
            let Some(along) = (after - before).try_normalize() else { continue };
            let [along, across] = [along * (0.5 * CROSSING), along.perp() * (0.5 * width + 0.1)];
            let ring = [at - along - across, at + along - across, at + along + across, at - along + across];
            self.layers.crossings.push(self.grid.round_ring(&ring));
        }
    }

    fn add_relation(&mut self, relation: &OsmRelation) {
        if relation.tags.has("highway") && level_of(&relation.tags) != Some(0) {
            let nodes = relation.ways.iter().find_map(|&way| self.map.way(way)).map(|way| way.nodes.as_slice());
            self.note(PlanWarningKind::CrossesLevels, relation.id, nodes.unwrap_or_default());
            return;
        }
        let Some(layer) = area_layer(&relation.tags, true) else { return };
        let map = self.map;
        let mut members = relation.ways.clone();
        members.sort_unstable();
        members.dedup();
        let pieces: Vec<&[i64]> =
            members.iter().filter_map(|&id| map.way(id)).map(|way| way.nodes.as_slice()).collect();
        let Some(left) = self.corners_left.checked_sub(pieces.iter().map(|piece| piece.len()).sum()) else {
            self.note(PlanWarningKind::UnclosedRelation, relation.id, &[]);
            return;
        };
        self.corners_left = left;
        let rings = join(&pieces);
        for node in &rings.open {
            self.note(PlanWarningKind::UnclosedRelation, relation.id, &[*node]);
        }
        if pieces.is_empty() {
            self.note(PlanWarningKind::UnclosedRelation, relation.id, &[]);
        }
        let closed: Vec<&[i64]> = rings.closed.iter().map(Vec::as_slice).collect();
        self.add_area(layer, relation.id, &closed);
    }

    /// Adds the points inside an odd number of rings to a layer.
    fn add_area(&mut self, layer: OsmLayer, id: i64, rings: &[&[i64]]) {
        let mut whole = Vec::new();
        for ring in rings {
            let corners: Vec<_> = ring.iter().map_while(|&node| self.metres(node)).collect();
            if corners.len() < ring.len() {
                self.note(PlanWarningKind::MissingNodes, id, ring);
                continue;
            }
            whole.push(self.grid.add_ring(&corners));
        }
        let rings = even_odd(&whole).into_iter().flatten();
        match layer {
            OsmLayer::Building => self.layers.buildings.extend(rings),
            OsmLayer::Water => self.layers.water.extend(rings),
            OsmLayer::Barrier => self.layers.barriers.extend(rings),
            OsmLayer::Road => self.layers.roads.extend(rings),
        }
    }

    /// Adds a strip along a `way`, cut where nodes are missing.
    fn add_strip(&mut self, way: &OsmWay, width: f64, layer: fn(&mut OsmLayers) -> &mut Vec<GridRing>) {
        let points: Vec<_> = way.nodes.iter().map(|&node| self.metres(node)).collect();
        if points.iter().any(Option::is_none) {
            self.note(PlanWarningKind::MissingNodes, way.id, &way.nodes);
        }
        for piece in points.split(Option::is_none) {
            let line: Vec<_> = piece.iter().flatten().copied().collect();
            for ring in strip(&line, width) {
                let ring = self.grid.round_ring(&ring);
                layer(&mut self.layers).push(ring);
            }
        }
    }

    fn metres(&self, node: i64) -> Option<Vec2> {
        self.map.node(node).map(|at| at.to_metres(self.origin))
    }

    /// Notes an item, at its first known node.
    fn note(&mut self, kind: PlanWarningKind, id: i64, nodes: &[i64]) {
        if kind == PlanWarningKind::MissingNodes && self.last_incomplete.replace(id) == Some(id) {
            return;
        }
        let lon_lat = nodes.iter().find_map(|&node| self.map.node(node));
        let at = lon_lat.map(|at| at.to_metres(self.origin));
        self.notes.add(kind, PlanItem { id, at, lon_lat });
    }
}

/// Returns the layer of an area with these tags. Roads are areas only if they are closed.
fn area_layer(tags: &OsmTags, is_closed: bool) -> Option<OsmLayer> {
    if is_underground(tags) {
        return None;
    }
    let is_water = tags.get("natural") == "water"
        || matches!(tags.get("waterway"), "riverbank" | "dock")
        || matches!(tags.get("landuse"), "basin" | "reservoir");
    let is_obstacle = tags.has("building") && !matches!(tags.get("building"), "roof" | "carport" | "canopy");
    let is_raised = tags.number("min_height").is_some_and(|height| height >= CLEAR_HEIGHT)
        || tags.number("building:min_level").is_some_and(|level| level >= 1.0);
    if is_obstacle && !is_raised {
        Some(OsmLayer::Building)
    } else if is_water {
        Some(OsmLayer::Water)
    } else if is_closed && is_area(tags) && barrier_width(tags).is_some() {
        Some(OsmLayer::Barrier)
    } else if is_closed && is_area(tags) && carriageway_width(tags).is_some() && level_of(tags) == Some(0) {
        Some(OsmLayer::Road)
    } else {
        None
    }
}

/// Returns the level of a road or path, 0 for the ground; `None` beyond the levels that are read.
fn level_of(tags: &OsmTags) -> Option<i32> {
    let is_tunnel = tags.has("tunnel") && tags.get("tunnel") != "building_passage";
    let is_below = is_tunnel || tags.get("location") == "underground";
    let layer = tags.number("layer").unwrap_or(0.0);
    let level = match (is_below, tags.has("bridge")) {
        (true, _) if layer >= 0.0 => -1.0,
        (false, true) if layer == 0.0 => 1.0,
        // A bridge under a higher one is on the ground.
        (false, true) => layer.max(0.0),
        _ => libm::rint(layer),
    };
    (level.abs() <= MAX_LEVEL).then_some(level as i32)
}

fn is_area(tags: &OsmTags) -> bool {
    tags.get("area") == "yes" || tags.get("type") == "multipolygon"
}

fn is_underground(tags: &OsmTags) -> bool {
    tags.get("location") == "underground"
        || tags.number("layer").is_some_and(|level| level < 0.0)
        || matches!(tags.get("tunnel"), "yes" | "culvert" | "flooded")
}

/// Returns the width in a tag, or the default, in metres.
fn width(tags: &OsmTags, default: f64) -> f64 {
    tags.number("width").filter(|width| WIDTHS.contains(width)).unwrap_or(default)
}

/// Returns the default width of a barrier that people do not cross, in metres.
fn barrier_width(tags: &OsmTags) -> Option<f64> {
    match tags.get("barrier") {
        "wall" | "fence" | "guard_rail" | "handrail" | "cable_barrier" | "chain" => Some(0.2),
        "retaining_wall" | "jersey_barrier" => Some(0.4),
        "hedge" => Some(0.5),
        "city_wall" | "ditch" => Some(1.0),
        _ => None,
    }
}

/// Returns the width of a road for motor vehicles, in metres: by its tag, its lanes, or its class.
fn carriageway_width(tags: &OsmTags) -> Option<f64> {
    let default = match tags.get("highway") {
        "motorway" => 11.0,
        "trunk" | "primary" => 9.0,
        "secondary" => 7.0,
        "tertiary" => 6.5,
        "unclassified" | "road" => 6.0,
        "residential" => 5.5,
        "motorway_link" | "trunk_link" | "primary_link" | "secondary_link" | "tertiary_link" => 4.0,
        "service" | "busway" => 3.5,
        _ => return None,
    };
    let is_closed = matches!(tags.get("motor_vehicle"), "no") || matches!(tags.get("access"), "no");
    let lanes = tags.number("lanes").map(|lanes| lanes * LANE).filter(|width| WIDTHS.contains(width));
    (!is_closed).then(|| width(tags, lanes.unwrap_or(default)))
}
