//! Levels of a map of OpenStreetMap: roads and paths above or below the ground as floors with heights.
//!
//! In: [`OsmSpan`]s, lines and areas of a level, and the ground around them. Out: decks, ramps, roads on them, and
//! the parts of the ground under ramps, which are cut out.
//! Method: a level is [`STOREY`] metres high. Spans of a level that overlap are one deck, and so a bridge in several
//! pieces is. Decks of a level above the ground are raised if something passes under them (`osm_decks`); else they are
//! a part of the ground. A straight ramp (`osm_ramps`) leads along the straightest road or path of the ground that
//! joins an end of a span and has room. If a span ends at a span of a deck nearer to the ground, a ramp leads along
//! the latter.
//! Guarantees: floors over each other leave 2 m between them; what has no ramp is left out and noted.
//! Not guaranteed: ramps where they are built.
//! Cost: the cost of the unions, O(n log n + k) for k pairs of edges whose ranges of x overlap, and for each end of a
//! span at most [`MAX_LINES`] searches for a ramp.

use super::fault::{PlanItem, PlanNotes, PlanWarningKind};
use super::osm_boxes::BoxGrid;
use super::osm_decks::{OsmDeck, OsmDecks};
use super::osm_map::{OsmMap, OsmWay};
use super::osm_ramps::{OsmHurdles, OsmRamp, RampEnds, SLOPES};
use super::union::{GridAreas, GridRing, PlanGrid, intersect, subtract, unite};
use crate::LonLat;
use heurt_geometry::{FloorArea, Vec2};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The height of a level, in metres: 4.5 m clear height of roads, and a deck.
pub(super) const STOREY: f64 = 5.0;
/// The highest and lowest level: as `layer` has it.
pub(super) const MAX_LEVEL: f64 = 5.0;
/// The most points of a road or path that give a ramp its direction.
const MAX_POINTS: usize = 256;
/// The most roads and paths at the end of a span that are tried for a ramp, in the order of the map.
const MAX_LINES: usize = 8;
/// A road or path that is not on the ground.
pub(super) struct OsmSpan {
    pub(super) id: i64,
    /// The level: above 0 over the ground, below 0 under it.
    pub(super) level: i32,
    /// Its points, in metres; of an area, its closed outline.
    pub(super) line: Vec<Vec2>,
    /// The nodes of its points.
    pub(super) nodes: Vec<i64>,
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
    pub(super) rings: Vec<GridRing>,
    pub(super) bounds: [Vec2; 2],
    pub(super) is_building: bool,
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
    pub(super) ramps: Vec<(GridRing, [Vec2; 2])>,
    pub(super) places: BoxGrid,
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

pub(super) fn bounds_of(grid: &PlanGrid, rings: &[GridRing]) -> [Vec2; 2] {
    let corners = rings.iter().flatten().map(|corner| grid.metres_of(corner));
    corners.fold([Vec2::INFINITY, Vec2::NEG_INFINITY], |[low, high], p| [low.min(p), high.max(p)])
}

pub(super) fn are_near(a: [Vec2; 2], b: [Vec2; 2]) -> bool {
    a[0].cmple(b[1]).all() && b[0].cmple(a[1]).all()
}

/// The ramps of a deck, as far as they are found.
#[derive(Default)]
struct DeckRamps {
    /// Ramps that begin on the deck; whether cars drive on each.
    ramps: Vec<(OsmRamp, bool)>,
    /// Parts without clearance, under or over ramps of other decks.
    cuts: Vec<GridRing>,
    is_reached: bool,
}

/// The end of a span at a span of another deck, which is nearer to the ground.
struct OsmJoint {
    node: i64,
    span: usize,
    onto: usize,
    ends: RampEnds,
}

impl OsmSite<'_> {
    fn metres(&self, node: i64) -> Option<Vec2> {
        self.map.node(node).map(|at| at.to_metres(self.origin))
    }

    pub(super) fn line_of(&self, way: &OsmWay) -> Vec<Vec2> {
        way.nodes.iter().filter_map(|&node| self.metres(node)).collect()
    }

    /// Lists the lines of the ground that begin at each node at which a span ends.
    fn approaches(&self, spans: &[OsmSpan], deck_of: &[Option<usize>]) -> HashMap<i64, Vec<Vec<Vec2>>> {
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
        for (span, _) in spans.iter().zip(deck_of).filter(|(_, deck)| deck.is_none()) {
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
        let OsmDecks { decks, deck_of } = decks;
        let approaches = self.approaches(spans, deck_of);
        let deck_places = BoxGrid::new(decks.iter().map(|deck| deck.bounds));
        let obstacle_places = BoxGrid::new(obstacles.iter().map(|obstacle| obstacle.bounds));
        let hurdles = OsmHurdles { decks, deck_places, obstacles, obstacle_places, map: self.bounds };
        let mut found: Vec<DeckRamps> = decks.iter().map(|_| DeckRamps::default()).collect();
        for (deck, found) in found.iter_mut().enumerate() {
            for (end, node, span) in self.ends_of(&decks[deck], spans) {
                let lines = approaches.get(&node).map(Vec::as_slice).unwrap_or_default();
                let ends = RampEnds { deck, width: spans[span].width, foot: None };
                let lines = straightest(lines, end, &spans[span]);
                match lines.iter().find_map(|line| hurdles.ramp(grid, line, &ends, &floors)) {
                    Some(ramp) => {
                        floors.reserve(grid, &ramp);
                        floors.cuts.push(grid.add_ring(&ramp.cut()));
                        found.add(ramp, spans[span].is_drive);
                    }
                    None if lines.is_empty() => {}
                    None => self.note(PlanWarningKind::NoRamp, spans[span].id, end, node, notes),
                }
            }
        }
        self.join(grid, spans, (&hurdles, joints_of(spans, decks, deck_of)), (&mut found, &mut floors), notes);
        for (deck, found) in decks.iter().zip(&found) {
            if found.is_reached {
                floors.add(grid, deck, spans, found, self.bounds);
                continue;
            }
            for span in deck.spans.iter().map(|&span| &spans[span]) {
                let node = span.ends.map_or(i64::MIN, |ends| ends[0]);
                let at = span.line.first().copied().unwrap_or_default();
                self.note(PlanWarningKind::CrossesLevels, span.id, at, node, notes);
            }
        }
        floors
    }

    /// Finds ramps between decks of different levels, from decks that ramps reach to further ones.
    fn join(
        &self,
        grid: &mut PlanGrid,
        spans: &[OsmSpan],
        (hurdles, mut joints): (&OsmHurdles<'_>, Vec<OsmJoint>),
        (found, floors): (&mut [DeckRamps], &mut OsmFloors),
        notes: &mut PlanNotes,
    ) {
        loop {
            let count = joints.len();
            joints.retain(|joint| {
                let OsmJoint { ends, node, .. } = joint;
                let Some((foot, _)) =
                    ends.foot.filter(|(foot, _)| found[*foot].is_reached || found[ends.deck].is_reached)
                else {
                    return true;
                };
                let (span, end) = (&spans[joint.span], self.metres(*node).unwrap_or_default());
                let lines = lines_from(*node, &spans[joint.onto]);
                let lines = straightest(&lines, end, span);
                match lines.iter().find_map(|line| hurdles.ramp(grid, line, ends, floors)) {
                    Some(ramp) => {
                        floors.reserve(grid, &ramp);
                        found[foot].cuts.push(grid.add_ring(&ramp.cut()));
                        found[foot].is_reached = true;
                        found[ends.deck].add(ramp, span.is_drive);
                    }
                    None => self.note(PlanWarningKind::NoRamp, span.id, end, *node, notes),
                }
                false
            });
            if joints.len() == count {
                return;
            }
        }
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
}

/// Lists the ends of spans at spans of decks nearer to the ground, each once.
fn joints_of(spans: &[OsmSpan], decks: &[OsmDeck], deck_of: &[Option<usize>]) -> Vec<OsmJoint> {
    let mut at_node: HashMap<i64, Vec<usize>> = HashMap::new();
    for node in spans.iter().flat_map(|span| span.ends.into_iter().flatten()) {
        at_node.entry(node).or_default();
    }
    for (number, span) in spans.iter().enumerate().filter(|(number, _)| deck_of[*number].is_some()) {
        for node in span.ends.iter().flat_map(|_| &span.nodes) {
            if let Some(known) = at_node.get_mut(node).filter(|known| known.len() < MAX_LINES) {
                known.push(number);
            }
        }
    }
    let is_nearer = |one: f64, two: f64| one * two > 0.0 && one.abs() < two.abs();
    let (mut joints, mut known) = (Vec::new(), HashSet::new());
    for (span, deck) in deck_of.iter().enumerate().filter_map(|(span, deck)| Some((span, (*deck)?))) {
        for node in spans[span].ends.into_iter().flatten() {
            for &onto in at_node.get(&node).into_iter().flatten() {
                let Some(foot) = deck_of[onto].filter(|&foot| is_nearer(decks[foot].height, decks[deck].height)) else {
                    continue;
                };
                if known.insert((deck, node)) {
                    let ends = RampEnds { deck, width: spans[span].width, foot: Some((foot, spans[onto].width)) };
                    joints.push(OsmJoint { node, span, onto, ends });
                }
            }
        }
    }
    joints
}

/// Returns the parts of a span from a node on, in both directions.
fn lines_from(node: i64, span: &OsmSpan) -> Vec<Vec<Vec2>> {
    let Some(place) = span.nodes.iter().position(|&other| other == node) else { return Vec::new() };
    let (before, after) = (span.line[..=place].iter().rev().copied(), span.line[place..].iter().copied());
    let lines = [cut_off(before), cut_off(after)];
    lines.into_iter().filter(|line| line.len() > 1).collect()
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

impl DeckRamps {
    /// Adds a ramp that begins on the deck.
    fn add(&mut self, ramp: OsmRamp, is_drive: bool) {
        self.ramps.push((ramp, is_drive));
        self.is_reached = true;
    }
}

impl OsmFloors {
    /// Keeps the place of a ramp.
    fn reserve(&mut self, grid: &PlanGrid, ramp: &OsmRamp) {
        let whole = ramp.with_landing(grid);
        let bounds = bounds_of(grid, std::slice::from_ref(&whole));
        self.ramps.push((whole, bounds));
        self.places.push(bounds);
    }

    /// Adds a deck less its ramps, and its ramps.
    fn add(
        &mut self,
        grid: &mut PlanGrid,
        deck: &OsmDeck,
        spans: &[OsmSpan],
        DeckRamps { ramps, cuts, .. }: &DeckRamps,
        map: [Vec2; 2],
    ) {
        let [low, high] = map;
        let map = [grid.round_ring(&[low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)])];
        let mut less: Vec<GridRing> = ramps.iter().map(|(ramp, _)| grid.add_ring(&ramp.corners)).collect();
        less.extend(cuts.iter().cloned());
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
