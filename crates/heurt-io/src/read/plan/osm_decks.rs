//! Decks: spans of a level that overlap, and which of them lie over a road or path.
//!
//! In: [`OsmSpan`]s. Out: [`OsmDecks`], with the pieces of each by place.
//! Method: spans of a level are united; the deck of a span holds a point a millimetre inside of its first ring,
//! found in slabs of edges. A deck above the ground is raised if a road or path passes under one of its spans without
//! a common node. At an end from which no other span goes on, a span only touches what is there.
//! Guarantees: no deck is searched for each of its pieces.
//! Cost: the cost of the unions, and for each span the edges in one of [`SLABS`] slabs of the decks near it.

use super::osm_boxes::BoxGrid;
use super::osm_levels::{OsmSite, OsmSpan, STOREY, are_near, bounds_of};
use super::rings::for_each_crossing;
use super::union::{GridRing, PlanGrid, unite};
use heurt_geometry::Vec2;
use i_overlay::i_float::int::point::IntPoint;
use std::collections::{BTreeMap, HashMap, HashSet};

/// The most slabs of the edges of a deck: a deck of a hundred thousand edges has some hundred in each.
const SLABS: usize = 256;
/// The distance of a point from the edge of its ring, in metres: the least width of an area.
const INSIDE: f64 = 1e-3;

/// Spans of a level that overlap.
pub(super) struct OsmDeck {
    pub(super) height: f64,
    pub(super) rings: Vec<GridRing>,
    pub(super) spans: Vec<usize>,
    pub(super) bounds: [Vec2; 2],
    /// The rings of its spans.
    pieces: Vec<(GridRing, [Vec2; 2])>,
    places: BoxGrid,
}

/// The decks that are floors of their own: all below the ground, and above it those over a road or path.
pub(super) struct OsmDecks {
    pub(super) decks: Vec<OsmDeck>,
    /// For each span, the number of its deck if it is one of them.
    pub(super) deck_of: Vec<Option<usize>>,
}

/// The edges of a deck by slabs across its longer side.
struct EdgeSlabs {
    is_by_x: bool,
    low: i64,
    width: i64,
    slabs: Vec<Vec<[IntPoint<i64>; 2]>>,
}

impl OsmDeck {
    /// Adds a span.
    fn add(&mut self, grid: &PlanGrid, number: usize, span: &OsmSpan) {
        self.spans.push(number);
        for ring in &span.rings {
            let bounds = bounds_of(grid, std::slice::from_ref(ring));
            self.pieces.push((ring.clone(), bounds));
            self.places.push(bounds);
        }
    }

    /// Lists rings whose union is the deck in a box.
    pub(super) fn rings_near(&self, bounds: [Vec2; 2]) -> Vec<GridRing> {
        let mut near = Vec::new();
        self.places.any_near(bounds, |piece| {
            near.push(piece);
            false
        });
        near.sort_unstable();
        near.dedup();
        let pieces = near.into_iter().map(|piece| &self.pieces[piece]);
        pieces.filter(|(_, around)| are_near(*around, bounds)).map(|(ring, _)| ring.clone()).collect()
    }
}

impl OsmSite<'_> {
    /// Unites spans to decks, and keeps the decks that are floors of their own.
    pub(super) fn decks(&self, grid: &PlanGrid, spans: &[OsmSpan]) -> OsmDecks {
        let is_crossed = self.are_crossed(spans);
        let (mut decks, mut deck_of) = (decks_of(grid, spans), vec![None; spans.len()]);
        decks.retain(|deck| deck.height < 0.0 || deck.spans.iter().any(|&span| is_crossed[span]));
        for (number, deck) in decks.iter().enumerate() {
            for &span in &deck.spans {
                deck_of[span] = Some(number);
            }
        }
        OsmDecks { decks, deck_of }
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
        let nodes = SpanNodes::new(spans, self.paths.iter().map(|way| way.nodes.as_slice()));
        for_each_crossing(&lines, |a, b, at| {
            for [over, under] in [[a, b], [b, a]] {
                let is_over = level(over) > level(under) && level(under) >= 0;
                if is_over && nodes.pass(spans, [over, under], at) {
                    are[over] = true;
                }
            }
        });
        are
    }
}

/// The nodes of spans, by place, and the lines that have them.
struct SpanNodes {
    by_place: HashMap<[u64; 2], Vec<i64>>,
    /// Lines and their nodes, as far as a span has them.
    of_line: HashSet<(usize, i64)>,
    /// The number of spans of a level at a node.
    counts: HashMap<(i32, i64), usize>,
}

impl SpanNodes {
    fn new<'w>(spans: &[OsmSpan], paths: impl Iterator<Item = &'w [i64]>) -> Self {
        let (mut by_place, mut counts) = (HashMap::<_, Vec<i64>>::new(), HashMap::new());
        let (mut of_line, mut known) = (HashSet::new(), HashSet::new());
        for (number, span) in spans.iter().enumerate() {
            for (&node, &at) in span.nodes.iter().zip(&span.line) {
                if known.insert(node) {
                    by_place.entry(bits(at)).or_default().push(node);
                }
                if of_line.insert((number, node)) {
                    *counts.entry((span.level, node)).or_default() += 1;
                }
            }
        }
        for (number, nodes) in paths.enumerate() {
            let shared = nodes.iter().filter(|node| known.contains(node));
            of_line.extend(shared.map(|&node| (spans.len() + number, node)));
        }
        Self { by_place, of_line, counts }
    }

    /// Reports whether a span passes over a line where they meet: they have no common node there, and the span goes on.
    fn pass(&self, spans: &[OsmSpan], [over, under]: [usize; 2], at: Vec2) -> bool {
        let span = &spans[over];
        let nodes = self.by_place.get(&bits(at)).map(Vec::as_slice).unwrap_or_default();
        !nodes.iter().filter(|&&node| self.of_line.contains(&(over, node))).any(|node| {
            let is_last = span.ends.is_some_and(|ends| ends[0] != ends[1] && ends.contains(node));
            let is_free = is_last && self.counts.get(&(span.level, *node)) == Some(&1);
            is_free || self.of_line.contains(&(under, *node))
        })
    }
}

/// Returns the bits of a place. Zero has one sign.
fn bits(at: Vec2) -> [u64; 2] {
    [at.x + 0.0, at.y + 0.0].map(f64::to_bits)
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
        let mut own: Vec<OsmDeck> = Vec::new();
        for rings in unite(&rings) {
            let (bounds, places) = (bounds_of(grid, &rings), BoxGrid::default());
            let height = f64::from(level) * STOREY;
            own.push(OsmDeck { height, rings, bounds, spans: Vec::new(), pieces: Vec::new(), places });
        }
        let near = BoxGrid::new(own.iter().map(|deck| deck.bounds));
        let slabs: Vec<EdgeSlabs> = own.iter().map(|deck| EdgeSlabs::new(&deck.rings)).collect();
        for span in members {
            // A span's first ring is whole in its deck.
            let Some(ring) = spans[span].rings.first() else { continue };
            let found = inner_points(grid, ring).find_map(|(at, point)| {
                let mut found = None;
                near.any_near([at; 2], |deck| {
                    found = slabs[deck].contains(point).then_some(deck);
                    found.is_some()
                });
                found
            });
            if let Some(deck) = found {
                own[deck].add(grid, span, &spans[span]);
            }
        }
        decks.extend(own);
    }
    decks
}

/// Lists a point next to each edge of a counter-clockwise ring, inside of it where it is wide enough.
fn inner_points(grid: &PlanGrid, ring: &GridRing) -> impl Iterator<Item = (Vec2, IntPoint<i64>)> {
    let next = ring.iter().cycle().skip(1);
    ring.iter().zip(next).map(|(a, b)| {
        let [a, b] = [a, b].map(|corner| grid.metres_of(corner));
        let at = 0.5 * (a + b) + (b - a).perp().normalize_or_zero() * INSIDE;
        (at, grid.round(at))
    })
}

impl EdgeSlabs {
    fn new(rings: &[GridRing]) -> Self {
        let corners = || rings.iter().flatten();
        let range = |of: fn(&IntPoint<i64>) -> i64| {
            corners().map(of).fold([i64::MAX, i64::MIN], |[low, high], x| [low.min(x), high.max(x)])
        };
        let [across, up] = [range(|corner| corner.x), range(|corner| corner.y)];
        let size = |[low, high]: [i64; 2]| high.saturating_sub(low).max(0);
        let is_by_x = size(across) >= size(up);
        let [low, _] = if is_by_x { across } else { up };
        let count = corners().count().clamp(1, SLABS);
        let width = size(across).max(size(up)) / count as i64 + 1;
        let mut slabs = Self { is_by_x, low, width, slabs: vec![Vec::new(); count] };
        for ring in rings {
            for (&a, &b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
                let [from, to] = [slabs.turned(a).0, slabs.turned(b).0].map(|x| (x - low) / width);
                for slab in from.min(to)..=from.max(to) {
                    slabs.slabs[slab as usize].push([a, b]);
                }
            }
        }
        slabs
    }

    /// Returns the coordinate along the slabs' row, and the coordinate along a slab.
    fn turned(&self, point: IntPoint<i64>) -> (i64, i64) {
        if self.is_by_x { (point.x, point.y) } else { (point.y, point.x) }
    }

    /// Reports whether a point is inside an odd number of rings.
    fn contains(&self, point: IntPoint<i64>) -> bool {
        let (x, y) = self.turned(point);
        let slab = usize::try_from((x - self.low).div_euclid(self.width)).ok().and_then(|slab| self.slabs.get(slab));
        let is_above = |&&[a, b]: &&[IntPoint<i64>; 2]| {
            let ((ax, ay), (bx, by)) = (self.turned(a), self.turned(b));
            let turn = i128::from(bx - ax) * i128::from(y - ay) - i128::from(by - ay) * i128::from(x - ax);
            (ax > x) != (bx > x) && (turn < 0) == (bx > ax)
        };
        slab.is_some_and(|edges| edges.iter().filter(is_above).count() % 2 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::{OsmSpan, decks_of};
    use crate::read::plan::osm_levels::bounds_of;
    use crate::read::plan::osm_strips::strip;
    use crate::read::plan::union::PlanGrid;
    use heurt_geometry::Vec2;

    /// A bridge to the north-east that bends every 10 m, in a piece each.
    fn pieces(grid: &PlanGrid, count: usize) -> Vec<OsmSpan> {
        let span = |number: usize| {
            let line = [number, number + 1]
                .map(|place| Vec2::new(8.0, 6.0) * place as f64 + Vec2::Y * (3 * (place % 2)) as f64)
                .to_vec();
            let rings = strip(&line, 4.0).iter().map(|ring| grid.round_ring(ring)).collect();
            let ends = [number as i64, number as i64 + 1];
            let (id, nodes) = (number as i64, ends.to_vec());
            OsmSpan { id, level: 1, line, nodes, ends: Some(ends), rings, width: 4.0, is_drive: false }
        };
        (0..count).map(span).collect()
    }

    #[test]
    fn a_ramp_reads_the_pieces_near_it() {
        let grid = PlanGrid::new(1e5);
        let spans = pieces(&grid, 2_000);
        let decks = decks_of(&grid, &spans);
        assert_eq!((decks.len(), decks[0].spans.len()), (1, 2_000));
        let near = decks[0].rings_near(bounds_of(&grid, &spans[1_000].rings[..1]));
        assert!((3..20).contains(&near.len()), "{}", near.len());
    }

    #[test]
    fn a_point_reads_the_edges_of_its_slab() {
        let grid = PlanGrid::new(1e5);
        let spans = pieces(&grid, 2_000);
        let slabs = super::EdgeSlabs::new(&decks_of(&grid, &spans)[0].rings);
        let most = slabs.slabs.iter().map(Vec::len).max().unwrap();
        let count: usize = decks_of(&grid, &spans)[0].rings.iter().map(Vec::len).sum();
        assert!(count > 4_000 && most < 64, "{most} of {count}");
        let at = |x: f64, y: f64| slabs.contains(grid.round_ring(&[Vec2::new(x, y)])[0]);
        assert!(at(8_000.0, 6_000.0) && !at(8_000.0, 6_005.0) && !at(-10.0, 0.0) && !at(16_010.0, 12_000.0));
    }
}
