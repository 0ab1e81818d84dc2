//! Set operations of random octrees against dense grids; laws of sets; canonical form.

use crate::grid::Grid;
use heurt_solid::{CellClass, Node, NodeLimit, Octree, OctreeError, OctreeRoot, SetError};
use heurt_testkit::number::random::Random;

fn pairs(seed: u64, is_mixed_allowed: bool) -> impl Iterator<Item = (Grid, Grid)> {
    let mut random = Random::new(seed);
    (0..200).map(move |round| {
        let depth = (round % 5) as u8;
        let mut grid = || Grid::random(&mut random, depth, is_mixed_allowed);
        (grid(), grid())
    })
}

#[test]
fn operations_agree_with_dense_grids() {
    for is_mixed_allowed in [false, true] {
        for (a, b) in pairs(1, is_mixed_allowed) {
            let (x, y) = (a.octree(), b.octree());
            assert_eq!(Grid::of(&x), a);
            // Equality with a rebuilt octree covers values and canonical form.
            assert_eq!(x.union(&y).unwrap(), a.combine(&b, |a, b| a || b).octree());
            assert_eq!(x.intersection(&y).unwrap(), a.combine(&b, |a, b| a && b).octree());
            assert_eq!(x.difference(&y).unwrap(), a.combine(&b, |a, b| a && !b).octree());
            assert_eq!(x.xor(&y).unwrap(), a.combine(&b, |a, b| a != b).octree());
            assert_eq!(x.complement(), a.combine(&b, |a, _| !a).octree());
            assert_eq!(x == y, a == b);
        }
    }
}

#[test]
fn laws_of_sets_hold() {
    for (a, b) in pairs(2, false) {
        let (a, b) = (a.octree(), b.octree());
        let (union, intersection) = (a.union(&b).unwrap(), a.intersection(&b).unwrap());
        assert_eq!(union.complement(), a.complement().intersection(&b.complement()).unwrap(), "De Morgan");
        assert_eq!(intersection.complement(), a.complement().union(&b.complement()).unwrap(), "De Morgan");
        let cells = |octree: &Octree| octree.measures().full_cells;
        assert_eq!(cells(&union) + cells(&intersection), cells(&a) + cells(&b), "inclusion and exclusion");
        assert_eq!(a.union(&a).unwrap(), a);
        assert_eq!(a.intersection(&a).unwrap(), a);
        assert_eq!(a.xor(&a).unwrap(), Octree::empty(a.root()));
        assert_eq!(a.xor(&b).unwrap(), union.difference(&intersection).unwrap());
        assert_eq!(a.complement().complement(), a);
        assert_eq!(a.union(&a.complement()).unwrap(), Octree::full(a.root()));
        assert_eq!(a.union(&b).unwrap(), b.union(&a).unwrap());
    }
}

#[test]
fn bounds_of_mixed_octrees_settle_to_canonical_octrees() {
    for (a, _) in pairs(3, true) {
        let octree = a.octree();
        let settled = |to: Node| {
            let cells = a.cells.iter().map(|&leaf| if leaf == Node::MixedLeaf { to } else { leaf }).collect();
            Grid { depth: a.depth, cells }.octree()
        };
        assert_eq!(octree.lower(), settled(Node::Empty));
        assert_eq!(octree.upper(), settled(Node::Full));
        assert_eq!(octree.has_mixed_leaves(), a.count(Node::MixedLeaf) > 0);
    }
}

#[test]
fn different_roots_are_refused() {
    let root = |edge, depth| OctreeRoot::new([0.0; 3].into(), edge, depth).unwrap();
    let a = Octree::full(root(1.0, 3));
    for b in [root(2.0, 3), root(1.0, 4)] {
        let error = a.union(&Octree::full(b)).unwrap_err();
        assert!(matches!(error, SetError::RootsDiffer { .. }) && error.to_string().contains("one root"), "{error}");
    }
}

#[test]
fn bad_roots_are_refused() {
    let new = |at: f64, edge, depth| OctreeRoot::new([at, 0.0, 0.0].into(), edge, depth);
    assert!(matches!(new(0.0, 1.0, 22), Err(OctreeError::Depth { depth: 22 })));
    for (at, edge) in [(f64::NAN, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, f64::INFINITY), (f64::MAX, f64::MAX)] {
        assert!(matches!(new(at, edge, 1), Err(OctreeError::Root { .. })), "{at} {edge}");
    }
    assert!(matches!(new(1e12, 1.0, 21), Err(OctreeError::Resolution { .. })));
    assert!(matches!(new(0.0, f64::MIN_POSITIVE, 21), Err(OctreeError::Resolution { .. })));
    assert!(new(0.0, 1.0, 21).is_ok());
}

#[test]
fn octrees_beyond_the_limit_are_refused() {
    let root = OctreeRoot::new([0.0; 3].into(), 1.0, 21).unwrap();
    assert_eq!(Octree::from_cells(root, |_| CellClass::Mixed), Err(OctreeError::Nodes(NodeLimit)));
}
