//! Levels of a map of OpenStreetMap: roads and paths above or below the ground as floors with heights.
//!
//! In: [`OsmSpan`]s, lines and areas of a level, and the ground around them. Out: decks, ramps, roads on them, and
//! the parts of the ground under ramps, which are cut out.
//! Method: a level is [`STOREY`] metres high. Spans of a level that overlap are one deck, and so a bridge in several
//! pieces is. A deck above the ground is raised if a road or path passes under one of its spans; without one it is a
//! part of the ground. A straight ramp leads along the straightest road or path of the ground that joins an end of a
//! span and has room: 1 in 8, else 1 in 4, else 1 in 2. It has room if it meets no obstacle, no ramp and no deck at
//! its height.
//! Guarantees: floors over each other leave 2 m between them; what has no ramp is left out and noted.
//! Not guaranteed: ramps where they are built; decks that join a level besides the ground.
//! Cost: the cost of the unions, O(n log n + k) for k pairs of edges whose ranges of x overlap, and for each end of a
//! span at most [`MAX_LINES`] × 3 overlays with each obstacle, deck and ramp near it.

use super::fault::{PlanItem, PlanNotes, PlanWarningKind};
use super::osm_boxes::BoxGrid;
use super::osm_map::{OsmMap, OsmWay};
use super::rings::for_each_crossing;
use super::union::{GridAreas, GridRing, PlanGrid, intersect, subtract, unite};
use crate::LonLat;
use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The height of a level, in metres: 4.5 m clear height of roads, and a deck.
pub(super) const STOREY: f64 = 5.0;
/// The highest and lowest level: as `layer` has it.
pub(super) const MAX_LEVEL: f64 = 5.0;
/// The height under a ramp from which the ground stays, in metres: people need 2 m, and 5 cm are for rounding.
const CLEARANCE: f64 = 2.05;
/// Slopes of ramps, the first that has room counts: a ramp, a steep ramp, a stair.
const SLOPES: [f64; 3] = [0.125, 0.25, 0.5];
/// The free ground beyond the foot of a ramp, in metres.
const LANDING: f64 = 1.0;
/// The most points of a road or path that give a ramp its direction.
const MAX_POINTS: usize = 256;
/// The most roads and paths at the end of a span that are tried for a ramp, in the order of the map.
const MAX_LINES: usize = 8;
/// The free width at each side of a ramp, in metres: corners within a millimetre of each other are joined.
const MARGIN: f64 = 5e-4;
/// Parts of this size that two areas share are rounding, in square metres.
const ROUNDING: f64 = 1e-3;

/// A road or path that is not on the ground.
pub(super) struct OsmSpan {
    pub(super) id: i64,
    /// The level: above 0 over the ground, below 0 under it.
    pub(super) level: i32,
    /// Its points, in metres; of an area, its closed outline.
    pub(super) line: Vec<Vec2>,
    /// The first and the last node of a line.
    pub(super) ends: Option<[i64; 2]>,
    /// The strip or area, on the grid.
    pub(super) rings: Vec<GridRing>,
    /// The width of a line, in metres.
    pub(super) width: f64,
    /// It is a road for motor vehicles.
    pub(super) is_drive: bool,
}

/// An area that is closed for people of the ground.
pub(super) struct OsmObstacle {
    rings: Vec<GridRing>,
    bounds: [Vec2; 2],
    is_building: bool,
}

/// Floors of all levels besides the ground.
#[derive(Default)]
pub(super) struct OsmFloors {
    /// Decks and ramps.
    pub(super) walk: Vec<FloorArea>,
    /// Roads on them.
    pub(super) drive: Vec<FloorArea>,
    /// Parts of the ground under and over ramps.
    pub(super) cuts: Vec<GridRing>,
    /// The outlines of accepted ramps, with their landings.
    ramps: Vec<(GridRing, [Vec2; 2])>,
    places: BoxGrid,
}

/// Spans of a level that overlap.
struct OsmDeck {
    height: f64,
    rings: Vec<GridRing>,
    bounds: [Vec2; 2],
    spans: Vec<usize>,
}

/// The decks that are floors of their own: all below the ground, and above it those over a road or path.
pub(super) struct OsmDecks {
    decks: Vec<OsmDeck>,
    /// For each span, whether it is a part of one of them.
    pub(super) are_apart: Vec<bool>,
}

/// Obstacles of ramps other than ramps, by place.
struct OsmHurdles<'d> {
    decks: &'d [OsmDeck],
    deck_places: BoxGrid,
    obstacles: &'d [OsmObstacle],
    obstacle_places: BoxGrid,
}

/// A ramp: its corners from the deck to its foot and back, and its direction.
struct OsmRamp {
    corners: [Vec2; 4],
    along: Vec2,
    height: f64,
    length: f64,
}

/// The surroundings of decks.
pub(super) struct OsmSite<'m> {
    pub(super) map: &'m OsmMap,
    pub(super) origin: LonLat,
    /// The corners of the map, in metres.
    pub(super) bounds: [Vec2; 2],
    /// Roads and paths of the ground.
    pub(super) paths: &'m [&'m OsmWay],
}

/// Lists closed areas, each with its box.
pub(super) fn obstacles_of(grid: &PlanGrid, areas: &GridAreas, is_building: bool, list: &mut Vec<OsmObstacle>) {
    for rings in areas {
        list.push(OsmObstacle { rings: rings.clone(), bounds: bounds_of(grid, rings), is_building });
    }
}

fn bounds_of(grid: &PlanGrid, rings: &[GridRing]) -> [Vec2; 2] {
    let corners = rings.iter().flatten().map(|corner| grid.metres_of(corner));
    corners.fold([Vec2::INFINITY, Vec2::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
}

fn are_near(a: [Vec2; 2], b: [Vec2; 2]) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// Computes the area that two sets of rings share, in square metres.
fn shared(grid: &PlanGrid, one: &[GridRing], two: &[GridRing]) -> f64 {
    grid.finish(&intersect(one, two)).0.iter().map(PlanArea::area).sum()
}

impl OsmSite<'_> {
    fn metres(&self, node: i64) -> Option<Vec2> {
        self.map.node(node).map(|at| at.to_metres(self.origin))
    }

    fn line_of(&self, way: &OsmWay) -> Vec<Vec2> {
        way.nodes.iter().filter_map(|&node| self.metres(node)).collect()
    }

    /// Unites spans to decks, and keeps the decks that are floors of their own.
    pub(super) fn decks(&self, grid: &PlanGrid, spans: &[OsmSpan]) -> OsmDecks {
        let is_crossed = self.are_crossed(spans);
        let (mut decks, mut are_apart) = (decks_of(grid, spans), vec![false; spans.len()]);
        decks.retain(|deck| deck.height < 0.0 || deck.spans.iter().any(|&span| is_crossed[span]));
        for &span in decks.iter().flat_map(|deck| &deck.spans) {
            are_apart[span] = true;
        }
        OsmDecks { decks, are_apart }
    }

    /// Reports for each span whether a road or path of a lower level, not below the ground, passes under it.
    fn are_crossed(&self, spans: &[OsmSpan]) -> Vec<bool> {
        let mut are = vec![false; spans.len()];
        if spans.is_empty() {
            return are;
        }
        let mut lines: Vec<Vec<Vec2>> = spans.iter().map(|span| span.line.clone()).collect();
        lines.extend(self.paths.iter().map(|way| self.line_of(way)));
        let level = |line: usize| spans.get(line).map_or(0, |span| span.level);
        // Zero has one sign.
        let bits = |at: Vec2| [at.x + 0.0, at.y + 0.0].map(f64::to_bits);
        let mut corners: HashSet<(usize, [u64; 2])> = HashSet::new();
        for (number, span) in spans.iter().enumerate() {
            corners.extend(span.line.iter().map(|&at| (number, bits(at))));
        }
        for_each_crossing(&lines, |a, b, at| {
            for [over, under] in [[a, b], [b, a]] {
                let is_over = level(over) > level(under) && level(under) >= 0;
                // A point of the upper line that both have is a junction.
                if is_over && !corners.contains(&(over, bits(at))) {
                    are[over] = true;
                }
            }
        });
        are
    }

    /// Lists the lines of the ground that begin at each node at which a span ends.
    fn approaches(&self, spans: &[OsmSpan], are_apart: &[bool]) -> HashMap<i64, Vec<Vec<Vec2>>> {
        let ends = spans.iter().flat_map(|span| span.ends.into_iter().flatten());
        let mut lines: HashMap<i64, Vec<Vec<Vec2>>> = ends.map(|node| (node, Vec::new())).collect();
        for way in self.paths {
            for (place, node) in way.nodes.iter().enumerate() {
                let Some(known) = lines.get_mut(node).filter(|known| known.len() < MAX_LINES) else { continue };
                let before = way.nodes[..=place].iter().rev().filter_map(|&node| self.metres(node));
                let after = way.nodes[place..].iter().filter_map(|&node| self.metres(node));
                for line in [cut_off(before), cut_off(after)] {
                    if line.len() > 1 {
                        known.push(line);
                    }
                }
            }
        }
        // Spans that lie on the ground lead there as paths do.
        for (span, _) in spans.iter().zip(are_apart).filter(|(_, is_apart)| !**is_apart) {
            let Some([first, last]) = span.ends else { continue };
            for (node, line) in
                [(first, cut_off(span.line.iter().copied())), (last, cut_off(span.line.iter().rev().copied()))]
            {
                if let Some(known) = lines.get_mut(&node).filter(|known| line.len() > 1 && known.len() < MAX_LINES) {
                    known.push(line);
                }
            }
        }
        lines
    }

    /// Makes floors of decks. Spans that lie on the ground are left to the caller.
    pub(super) fn build(
        &self,
        grid: &mut PlanGrid,
        spans: &[OsmSpan],
        decks: &OsmDecks,
        obstacles: &[OsmObstacle],
        notes: &mut PlanNotes,
    ) -> OsmFloors {
        let mut floors = OsmFloors::default();
        let OsmDecks { decks, are_apart } = decks;
        let approaches = self.approaches(spans, are_apart);
        let deck_places = BoxGrid::new(decks.iter().map(|deck| deck.bounds));
        let obstacle_places = BoxGrid::new(obstacles.iter().map(|obstacle| obstacle.bounds));
        let hurdles = OsmHurdles { decks, deck_places, obstacles, obstacle_places };
        for (number, deck) in decks.iter().enumerate() {
            let mut ramps: Vec<(OsmRamp, bool)> = Vec::new();
            for (end, node, span) in self.ends_of(deck, spans) {
                let lines = approaches.get(&node).map(Vec::as_slice).unwrap_or_default();
                let found = straightest(lines, end, &spans[span])
                    .into_iter()
                    .find_map(|line| self.ramp(grid, line, spans[span].width, number, &hurdles, &floors));
                match found {
                    Some(ramp) => {
                        floors.reserve(grid, &ramp);
                        ramps.push((ramp, spans[span].is_drive));
                    }
                    None if lines.is_empty() => {}
                    None => self.note(PlanWarningKind::NoRamp, spans[span].id, end, node, notes),
                }
            }
            if ramps.is_empty() {
                for span in deck.spans.iter().map(|&span| &spans[span]) {
                    let node = span.ends.map_or(i64::MIN, |ends| ends[0]);
                    let at = span.line.first().copied().unwrap_or_default();
                    self.note(PlanWarningKind::CrossesLevels, span.id, at, node, notes);
                }
            } else {
                floors.add(grid, deck, spans, &ramps, self.bounds);
            }
        }
        floors
    }

    fn note(&self, kind: PlanWarningKind, id: i64, at: Vec2, node: i64, notes: &mut PlanNotes) {
        notes.add(kind, PlanItem { id, at: Some(at), lon_lat: self.map.node(node) });
    }

    /// Lists the ends of a deck's spans, each node once.
    fn ends_of(&self, deck: &OsmDeck, spans: &[OsmSpan]) -> Vec<(Vec2, i64, usize)> {
        let mut ends = BTreeMap::new();
        for &span in &deck.spans {
            for node in spans[span].ends.into_iter().flatten() {
                if let Some(at) = self.metres(node) {
                    ends.entry(node).or_insert((at, node, span));
                }
            }
        }
        ends.into_values().collect()
    }

    /// Finds a ramp from the first point of a line along it.
    fn ramp(
        &self,
        grid: &PlanGrid,
        line: &[Vec2],
        width: f64,
        number: usize,
        hurdles: &OsmHurdles<'_>,
        floors: &OsmFloors,
    ) -> Option<OsmRamp> {
        let height = hurdles.decks[number].height;
        let ramps = SLOPES.iter().filter_map(|slope| OsmRamp::along(line, width, height, height.abs() / slope));
        ramps.into_iter().find(|ramp| {
            let whole = grid.round_ring(&ramp.part(0.0, ramp.length + LANDING));
            let low = grid.round_ring(&ramp.part(ramp.covered_from(), ramp.length + LANDING));
            let bounds = bounds_of(grid, std::slice::from_ref(&whole));
            let meets = |ring: &GridRing, rings: &[GridRing], around: [Vec2; 2], most: f64| {
                are_near(bounds, around) && shared(grid, std::slice::from_ref(ring), rings) > most
            };
            let is_inside = bounds[0].cmpge(self.bounds[0]).all() && bounds[1].cmple(self.bounds[1]).all();
            let is_blocked = |place: usize| {
                let obstacle = &hurdles.obstacles[place];
                let ring = if obstacle.is_building && height > 0.0 { &whole } else { &low };
                meets(ring, &obstacle.rings, obstacle.bounds, ROUNDING)
            };
            let is_crossed = |place: usize| {
                let deck = &hurdles.decks[place];
                match place == number {
                    // The round end of the own deck.
                    true => meets(&whole, &deck.rings, deck.bounds, width * width),
                    false => is_level(deck.height, height) && meets(&whole, &deck.rings, deck.bounds, ROUNDING),
                }
            };
            let is_taken = |place: usize| {
                let (ring, around) = &floors.ramps[place];
                meets(&whole, std::slice::from_ref(ring), *around, ROUNDING)
            };
            is_inside
                && !hurdles.obstacle_places.any_near(bounds, is_blocked)
                && !hurdles.deck_places.any_near(bounds, is_crossed)
                && !floors.places.any_near(bounds, is_taken)
        })
    }
}

/// Reports whether a deck is within reach of a ramp between the ground and a height.
fn is_level(deck: f64, height: f64) -> bool {
    (height.min(0.0) - CLEARANCE..=height.max(0.0) + CLEARANCE).contains(&deck)
}

/// Collects points until the line is as long as the longest ramp.
fn cut_off(points: impl Iterator<Item = Vec2>) -> Vec<Vec2> {
    let reach = MAX_LEVEL * STOREY / SLOPES[0];
    let (mut line, mut length) = (Vec::new(), 0.0);
    for point in points.take(MAX_POINTS) {
        length += line.last().map_or(0.0, |last: &Vec2| last.distance(point));
        if line.last() != Some(&point) {
            line.push(point);
        }
        if length > reach {
            break;
        }
    }
    line
}

/// Sorts lines that begin at the end of a span: the straightest continuation first.
fn straightest<'a>(lines: &'a [Vec<Vec2>], end: Vec2, span: &OsmSpan) -> Vec<&'a [Vec2]> {
    let is_first = span.line.first() == Some(&end);
    let before = if is_first { span.line.get(1) } else { span.line.iter().rev().nth(1) };
    let ahead = before.map_or(Vec2::ZERO, |&before| (end - before).normalize_or_zero());
    let turn = |line: &&[Vec2]| -(line[1] - line[0]).normalize_or_zero().dot(ahead);
    let mut lines: Vec<&[Vec2]> = lines.iter().map(Vec::as_slice).collect();
    lines.sort_by(|a, b| turn(a).total_cmp(&turn(b)));
    lines
}

/// Unites the spans of each level.
fn decks_of(grid: &PlanGrid, spans: &[OsmSpan]) -> Vec<OsmDeck> {
    let mut levels: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (number, span) in spans.iter().enumerate() {
        levels.entry(span.level).or_default().push(number);
    }
    let mut decks = Vec::new();
    for (level, members) in levels {
        let rings: Vec<GridRing> = members.iter().flat_map(|&span| spans[span].rings.iter().cloned()).collect();
        let first = decks.len();
        for rings in unite(&rings) {
            let bounds = bounds_of(grid, &rings);
            decks.push(OsmDeck { height: f64::from(level) * STOREY, rings, bounds, spans: Vec::new() });
        }
        for span in members {
            // A span's first ring is whole in its deck.
            let Some(ring) = spans[span].rings.first() else { continue };
            let around = bounds_of(grid, std::slice::from_ref(ring));
            let holds = |deck: &OsmDeck| {
                are_near(deck.bounds, around) && shared(grid, std::slice::from_ref(ring), &deck.rings) > 0.0
            };
            if let Some(deck) = decks[first..].iter_mut().find(|deck| holds(deck)) {
                deck.spans.push(span);
            }
        }
    }
    decks
}

impl OsmRamp {
    /// Makes a straight ramp of a length in the direction of a line.
    fn along(line: &[Vec2], width: f64, height: f64, length: f64) -> Option<Self> {
        let (begin, mut left) = (*line.first()?, length);
        let mut to = *line.last()?;
        for pair in line.windows(2) {
            let step = pair[0].distance(pair[1]);
            if step >= left {
                to = pair[0].lerp(pair[1], left / step);
                break;
            }
            left -= step;
        }
        let along = (to - begin).try_normalize()?;
        let side = along.perp() * (0.5 * width);
        let foot = begin + along * length;
        Some(Self { corners: [begin - side, foot - side, foot + side, begin + side], along, height, length })
    }

    /// Returns the part between two distances from the deck.
    fn part(&self, from: f64, to: f64) -> [Vec2; 4] {
        let [right, .., left] = self.corners;
        [right + self.along * from, right + self.along * to, left + self.along * to, left + self.along * from]
    }

    /// Returns the distance from the deck where the ground has no more clearance.
    fn covered_from(&self) -> f64 {
        self.length * (1.0 - CLEARANCE / self.height.abs()).max(0.0)
    }

    /// Returns the ramp as a floor.
    fn floor(&self) -> FloorArea {
        let slope = -self.along * (self.height / self.length);
        let area = PlanArea { outline: self.corners.to_vec(), holes: Vec::new() };
        FloorArea { area, at: Vec3::new(self.corners[1].x, self.corners[1].y, 0.0), slope }
    }
}

impl OsmFloors {
    /// Keeps the place of a ramp, and cuts it out of the ground.
    fn reserve(&mut self, grid: &mut PlanGrid, ramp: &OsmRamp) {
        let whole = grid.round_ring(&ramp.part(0.0, ramp.length + LANDING));
        let bounds = bounds_of(grid, std::slice::from_ref(&whole));
        self.ramps.push((whole, bounds));
        self.places.push(bounds);
        let [_, right, left, _] = ramp.corners;
        let [high_right, .., high_left] = ramp.part(ramp.covered_from(), ramp.length);
        // Wider than the ramp, so that no sliver of rounding joins the ground under the deck to the foot.
        let margin = ramp.along.perp() * MARGIN;
        self.cuts.push(grid.add_ring(&[high_right - margin, right - margin, left + margin, high_left + margin]));
    }

    /// Adds a deck less its ramps, and its ramps.
    fn add(
        &mut self,
        grid: &mut PlanGrid,
        deck: &OsmDeck,
        spans: &[OsmSpan],
        ramps: &[(OsmRamp, bool)],
        map: [Vec2; 2],
    ) {
        let [low, high] = map;
        let map = [grid.round_ring(&[low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)])];
        let less: Vec<GridRing> = ramps.iter().map(|(ramp, _)| grid.add_ring(&ramp.corners)).collect();
        let deck_rings: Vec<GridRing> = intersect(&deck.rings, &map).into_iter().flatten().collect();
        let level = subtract(&deck_rings, &less);
        let roads: Vec<GridRing> = deck
            .spans
            .iter()
            .filter(|&&span| spans[span].is_drive)
            .flat_map(|&span| spans[span].rings.iter().cloned())
            .collect();
        let level_rings: Vec<GridRing> = level.iter().flatten().cloned().collect();
        let roads = unite(&roads).into_iter().flatten().collect::<Vec<_>>();
        let flat = |areas: &GridAreas| {
            let areas = grid.finish(areas).0.into_iter();
            areas.map(|area| FloorArea::level(area, deck.height)).collect::<Vec<_>>()
        };
        self.walk.extend(flat(&level));
        self.drive.extend(flat(&intersect(&roads, &level_rings)));
        self.walk.extend(ramps.iter().map(|(ramp, _)| ramp.floor()));
        self.drive.extend(ramps.iter().filter(|(_, is_drive)| *is_drive).map(|(ramp, _)| ramp.floor()));
    }
}
