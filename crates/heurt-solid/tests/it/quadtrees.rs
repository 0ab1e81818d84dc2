//! Quadtrees of polygons against all segments and winding numbers; set operations, codes, measures and moves against
//! dense grids.

use heurt_geometry::{Sign, Vec2, orient2d};
use heurt_solid::{
    Axis, CellClass, CodeError, FillRule, LevelCount, LinearQuadtree, Node, Quadtree, QuadtreeCell, QuadtreeError,
    QuadtreeRoot, segment_meets_box,
};
use heurt_testkit::number::random::Random;

/// Oracle: a segment meets a box if an end lies in it or the segment crosses one of its edges.
fn meets_by_edges(segment: [Vec2; 2], [min, max]: [Vec2; 2]) -> bool {
    let is_in = |p: Vec2| min.cmple(p).all() && p.cmple(max).all();
    let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
    let [a, b] = segment;
    let crosses = |c: Vec2, d: Vec2| {
        let sides = [orient2d(a, b, c), orient2d(a, b, d), orient2d(c, d, a), orient2d(c, d, b)];
        let boxes_meet = a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all();
        boxes_meet && sides[0].times(sides[1]) != Sign::Positive && sides[2].times(sides[3]) != Sign::Positive
    };
    is_in(a) || is_in(b) || (0..4).any(|k| crosses(corners[k], corners[(k + 1) % 4]))
}

fn segments(loops: &[Vec<Vec2>]) -> Vec<[Vec2; 2]> {
    let of = |points: &Vec<Vec2>| (0..points.len()).map(|k| [points[k], points[(k + 1) % points.len()]]).collect();
    loops.iter().flat_map::<Vec<_>, _>(of).collect()
}

/// Winding number by crossings of a ray (Sunday), for a point on no segment.
fn winding(p: Vec2, segments: &[[Vec2; 2]]) -> i32 {
    let of = |&[a, b]: &[Vec2; 2]| match (a.y <= p.y, b.y <= p.y, orient2d(a, b, p)) {
        (true, false, Sign::Positive) => 1,
        (false, true, Sign::Negative) => -1,
        _ => 0,
    };
    segments.iter().map(of).sum()
}

fn check_leaves(loops: &[Vec<Vec2>], rule: FillRule, quadtree: &Quadtree) {
    let segments = segments(loops);
    for (cell, leaf) in quadtree.leaves() {
        let bounds @ [min, max] = quadtree.root().bounds(&cell);
        let meets = segments.iter().any(|&segment| meets_by_edges(segment, bounds));
        assert_eq!(meets, leaf == Node::MixedLeaf, "{cell:?}");
        if !meets {
            let winding = winding(0.5 * min + 0.5 * max, &segments);
            let is_inside = if rule == FillRule::EvenOdd { winding % 2 != 0 } else { winding != 0 };
            assert_eq!(is_inside, leaf == Node::Full, "{cell:?}");
        }
    }
}

fn random_loops(random: &mut Random, is_whole: bool, scale: f64) -> Vec<Vec<Vec2>> {
    let count = random.whole(0, 4);
    let point = |random: &mut Random| {
        let at = if is_whole {
            [0; 2].map(|_| random.whole(-4, 4) as f64)
        } else {
            [0; 2].map(|_| random.between(-4.0, 4.0))
        };
        Vec2::from(at) * scale
    };
    (0..count).map(|_| (0..random.whole(0, 8)).map(|_| point(random)).collect()).collect()
}

#[test]
fn segments_and_boxes_agree_with_the_edges_of_the_box() {
    let mut random = Random::new(40);
    for round in 0..200_000 {
        let is_whole = round % 2 == 0;
        let mut point = |reach: i64| {
            let at = [0.0; 2].map(|_: f64| {
                if is_whole { random.whole(-reach, reach) as f64 } else { random.between(-1.0, 1.0) * reach as f64 }
            });
            Vec2::from(at)
        };
        let (a, b) = (point(2), point(2));
        let (segment, bounds) = ([point(4), point(4)], [a.min(b), a.max(b)]);
        assert_eq!(segment_meets_box(segment, bounds), meets_by_edges(segment, bounds), "{segment:?} {bounds:?}");
    }
}

#[test]
fn leaves_agree_with_all_segments() {
    let mut random = Random::new(41);
    let (mut full, mut mixed) = (0, 0);
    for round in 0..600 {
        let scale = [1.0, 2f64.powi(-980), 1e150, 1e-7][round % 4];
        let loops = random_loops(&mut random, round % 3 == 0, scale);
        let rule = if round % 2 == 0 { FillRule::EvenOdd } else { FillRule::NonZero };
        let depth = random.whole(0, 5) as u8;
        let quadtree = match Quadtree::of_polygon(&loops, rule, depth) {
            Ok(quadtree) => quadtree,
            Err(error) => {
                // A root around one point has an edge of 1 m.
                let is_point = loops.iter().flatten().all(|point| point == loops.iter().flatten().next().unwrap());
                assert!(is_point && matches!(error, QuadtreeError::Resolution { .. }), "{error}");
                continue;
            }
        };
        check_leaves(&loops, rule, &quadtree);
        let measures = quadtree.measures();
        (full, mixed) = (full + measures.full_cells, mixed + measures.mixed_cells);
        // A root that cuts the polygon, with lines through its points.
        let root = QuadtreeRoot::new(Vec2::new(-2.0, -1.0) * scale, 4.0 * scale, depth).unwrap();
        check_leaves(&loops, rule, &Quadtree::of_polygon_within(&loops, rule, root).unwrap());
    }
    assert!(full > 1000 && mixed > 1000, "{full} {mixed}");
}

#[test]
fn both_rules_differ_where_loops_overlap() {
    let square = |min: f64, max: f64| [[min, min], [max, min], [max, max], [min, max]].map(Vec2::from).to_vec();
    let loops = [square(0.0, 2.0), square(1.0, 3.0)];
    let root = QuadtreeRoot::new(Vec2::splat(-0.5), 4.0, 7).unwrap();
    let area = |rule| Quadtree::of_polygon_within(&loops, rule, root).unwrap().measures().area;
    let ([odd, odd_most], [nonzero, nonzero_most]) = (area(FillRule::EvenOdd), area(FillRule::NonZero));
    assert!(odd < 6.0 && 6.0 < odd_most && nonzero < 7.0 && 7.0 < nonzero_most, "{odd} {nonzero}");
    assert_eq!(odd_most - odd, nonzero_most - nonzero, "the same cells are mixed");
    assert!((0.8..1.0).contains(&(nonzero - odd)), "the common square is a hole by the even-odd rule");
}

/// A dense grid of deepest cells, x fastest.
#[derive(Clone, PartialEq, Debug)]
struct Dense {
    depth: u8,
    cells: Vec<Node>,
}

impl Dense {
    fn random(random: &mut Random, depth: u8, is_mixed_allowed: bool) -> Self {
        let size = 1i64 << depth;
        let mut cells = vec![Node::Empty; (size * size) as usize];
        for _ in 0..random.whole(0, 8) {
            let leaf = [Node::Full, Node::Empty, if is_mixed_allowed { Node::MixedLeaf } else { Node::Full }]
                [random.whole(0, 2) as usize];
            let ends = [[0; 2]; 2].map(|ends: [i64; 2]| ends.map(|_| random.whole(0, size)));
            for k in 0..size * size {
                let at = [k % size, k / size];
                if (0..2).all(|k| (ends[k][0].min(ends[k][1])..ends[k][0].max(ends[k][1])).contains(&at[k])) {
                    cells[k as usize] = leaf;
                }
            }
        }
        Self { depth, cells }
    }

    fn at(&self, x: i64, y: i64) -> Node {
        let size = 1i64 << self.depth;
        if (0..size).contains(&x) && (0..size).contains(&y) { self.cells[(x + size * y) as usize] } else { Node::Empty }
    }

    fn root(&self) -> QuadtreeRoot {
        QuadtreeRoot::new(Vec2::new(-1.0, 0.5), 4.0, self.depth).unwrap()
    }

    fn quadtree(&self) -> Quadtree {
        Quadtree::from_cells(self.root(), |cell: &QuadtreeCell| {
            let size = 1i64 << (self.depth - cell.level);
            let [x, y] = cell.min.map(i64::from);
            let first = self.at(x, y);
            let is_one = (0..size * size).all(|k| self.at(x + k % size, y + k / size) == first);
            match first {
                Node::Full if is_one => CellClass::Full,
                Node::Empty if is_one => CellClass::Empty,
                _ => CellClass::Mixed,
            }
        })
        .unwrap()
    }

    fn combine(&self, b: &Self, operation: impl Fn(bool, bool) -> bool) -> Self {
        let values = |leaf: Node| match leaf {
            Node::Full => vec![true],
            Node::Empty => vec![false],
            _ => vec![false, true],
        };
        let cells = self.cells.iter().zip(&b.cells).map(|(&a, &b)| {
            let results: Vec<bool> = values(a)
                .iter()
                .flat_map(|&a| values(b).into_iter().map(move |b| (a, b)))
                .map(|(a, b)| operation(a, b))
                .collect();
            match (results.contains(&true), results.contains(&false)) {
                (true, false) => Node::Full,
                (false, true) => Node::Empty,
                _ => Node::MixedLeaf,
            }
        });
        Self { depth: self.depth, cells: cells.collect() }
    }

    fn moved(&self, source: impl Fn(i64, i64) -> [i64; 2]) -> Self {
        let size = 1i64 << self.depth;
        let cells = (0..size * size).map(|k| source(k % size, k / size)).map(|[x, y]| self.at(x, y)).collect();
        Self { depth: self.depth, cells }
    }
}

#[test]
fn operations_measures_and_moves_agree_with_dense_grids() {
    let mut random = Random::new(42);
    for round in 0..300 {
        let depth = (round % 6) as u8;
        let (a, b) = (Dense::random(&mut random, depth, round % 2 == 0), Dense::random(&mut random, depth, true));
        let (x, y) = (a.quadtree(), b.quadtree());
        assert_eq!(x.union(&y).unwrap(), a.combine(&b, |a, b| a || b).quadtree());
        assert_eq!(x.intersection(&y).unwrap(), a.combine(&b, |a, b| a && b).quadtree());
        assert_eq!(x.difference(&y).unwrap(), a.combine(&b, |a, b| a && !b).quadtree());
        assert_eq!(x.xor(&y).unwrap(), a.combine(&b, |a, b| a != b).quadtree());
        assert_eq!(x.complement(), a.combine(&b, |a, _| !a).quadtree());
        let last = (1i64 << depth) - 1;
        assert_eq!(x.turned(1), a.moved(|x, y| [y, last - x]).quadtree());
        assert_eq!(x.turned(-3), x.turned(1));
        assert_eq!(x.mirrored(Axis::X), a.moved(|x, y| [last - x, y]).quadtree());
        assert_eq!(x.mirrored(Axis::Y), a.moved(|x, y| [x, last - y]).quadtree());
        assert_eq!(x.mirrored(Axis::Z), x);
        let (measures, count) = (x.measures(), |leaf| a.cells.iter().filter(|&&cell| cell == leaf).count() as u64);
        assert_eq!((measures.full_cells, measures.mixed_cells), (count(Node::Full), count(Node::MixedLeaf)));
        let is_full = |x: i64, y: i64| a.at(x, y) == Node::Full;
        let (mut edges, mut corners) = (0, 0);
        for (x, y) in (0..=last + 1).flat_map(|y| (0..=last + 1).map(move |x| (x, y))) {
            let [a, b, c, d] = [is_full(x, y), is_full(x - 1, y), is_full(x, y - 1), is_full(x - 1, y - 1)];
            edges += u64::from(a != b) + u64::from(a != c);
            corners += u64::from(a == d && b == c && a != b);
        }
        assert_eq!((measures.boundary_edges, measures.alternating_corners), (edges, corners));
        assert_eq!(LevelCount::sum(&measures.levels).total() as usize, x.nodes().len());
        // Codes.
        assert_eq!(Quadtree::from_depth_first_code(x.root(), &x.to_depth_first_code()).unwrap(), x);
        let lower = x.lower();
        let linear = LinearQuadtree::from_quadtree(&lower).unwrap();
        assert_eq!(linear.to_quadtree().unwrap(), lower);
        assert_eq!(LinearQuadtree::parse(x.root(), &linear.to_string()).unwrap(), linear);
        assert_eq!(LinearQuadtree::from_quadtree(&x).is_err(), measures.mixed_cells > 0);
        let cell = QuadtreeCell { min: [0; 2].map(|_| random.whole(0, last) as u32), level: depth };
        assert_eq!(linear.contains(&cell), is_full(cell.min[0].into(), cell.min[1].into()));
        assert_eq!(x.upper().measures().full_cells, measures.full_cells + measures.mixed_cells);
    }
}

#[test]
fn bad_roots_polygons_and_codes_are_refused() {
    let new = |at: f64, edge, depth| QuadtreeRoot::new(Vec2::new(at, 0.0), edge, depth);
    assert!(matches!(new(0.0, 1.0, 32), Err(QuadtreeError::Depth { depth: 32 })));
    for (at, edge) in [(f64::NAN, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, f64::INFINITY), (f64::MAX, f64::MAX)] {
        assert!(matches!(new(at, edge, 1), Err(QuadtreeError::Root { .. })), "{at} {edge}");
    }
    assert!(matches!(new(1e12, 1.0, 31), Err(QuadtreeError::Resolution { .. })));
    assert!(new(0.0, 1.0, 31).is_ok());
    let triangle = |x: f64| vec![vec![Vec2::ZERO, Vec2::X, Vec2::new(x, 1.0)]];
    let of = |x, depth| Quadtree::of_polygon(&triangle(x), FillRule::NonZero, depth);
    assert!(matches!(of(f64::NAN, 3), Err(QuadtreeError::NotFinite { number: 0, point: 2, .. })));
    assert!(matches!(of(0.0, 32), Err(QuadtreeError::Depth { .. })));
    assert!(matches!(of(1.7e308, 3), Err(QuadtreeError::Root { .. })));
    let far = vec![vec![Vec2::splat(1e9), Vec2::splat(1e9 + 1.0)]];
    assert!(matches!(Quadtree::of_polygon(&far, FillRule::NonZero, 30), Err(QuadtreeError::Resolution { .. })));
    let root = new(0.0, 1.0, 2).unwrap();
    assert_eq!(Quadtree::of_polygon(&[], FillRule::EvenOdd, 4).unwrap().nodes(), [Node::Empty]);
    assert!(matches!(
        Quadtree::full(root).union(&Quadtree::full(new(0.0, 1.0, 3).unwrap())),
        Err(QuadtreeError::RootsDiffer { .. })
    ));
    assert!(matches!(Quadtree::from_depth_first_code(root, "(RR"), Err(CodeError::UnexpectedEnd { .. })));
    assert!(matches!(LinearQuadtree::parse(root, "{4X}"), Err(CodeError::UnknownCharacter { position: 1, .. })));
    assert!(matches!(LinearQuadtree::parse(root, "{1X, 0X}"), Err(CodeError::NotAscending { position: 5 })));
    assert_eq!(LinearQuadtree::parse(root, "{0X, 1X, 2X, 30, 31, 32, 33}").unwrap().to_string(), "{X}");
    let deep = QuadtreeRoot::new(Vec2::ZERO, 1.0, 31).unwrap();
    assert!(matches!(Quadtree::from_cells(deep, |_| CellClass::Mixed), Err(QuadtreeError::Nodes(_))));
    assert_eq!(Quadtree::full(deep).measures().full_cells, 1 << 62);
}
