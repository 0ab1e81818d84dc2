//! Trees: membership against a recursive oracle, rays, simplification, balance, bounds.

use crate::trees;
use heurt_geometry::{Pose, Vec3};
use heurt_query::Ray;
use heurt_shape::Convex;
use heurt_solid::{Csg, CsgError, CsgNode, CsgQuery, HalfSpace, Quadric};
use heurt_testkit::number::random::Random;

/// Evaluates every leaf by a tree of that leaf alone; no boxes of inner nodes, no early exit.
fn oracle(tree: &Csg, point: Vec3) -> bool {
    let nodes: Vec<&CsgNode> = tree.nodes().collect();
    fn value(nodes: &[&CsgNode], end: &mut usize, point: Vec3) -> bool {
        *end -= 1;
        let node = nodes[*end];
        match node {
            CsgNode::Empty => false,
            CsgNode::Everything => true,
            CsgNode::Leaf(heurt_solid::CsgLeaf::Region(region)) => region.contains(point),
            CsgNode::Leaf(heurt_solid::CsgLeaf::Shape(shape)) => heurt_query::contains(shape, &Pose::IDENTITY, point),
            CsgNode::Transform(map) => value(nodes, end, map.pulled_back(point)),
            CsgNode::Complement => !value(nodes, end, point),
            CsgNode::Union | CsgNode::Intersection | CsgNode::Difference => {
                let b = value(nodes, end, point);
                let a = value(nodes, end, point);
                match node {
                    CsgNode::Union => a || b,
                    CsgNode::Intersection => a && b,
                    _ => a && !b,
                }
            }
        }
    }
    value(&nodes, &mut nodes.len(), point)
}

#[test]
fn membership_agrees_with_the_oracle_before_and_after_changes() {
    let (mut random, mut inside) = (Random::new(11), 0);
    for _ in 0..300 {
        let leaves = random.whole(1, 12);
        let tree = trees::tree(&mut random, leaves, &trees::any_leaf);
        let (simple, balanced) = (tree.simplified(), tree.balanced());
        assert!(simple.node_count() <= tree.node_count());
        assert_eq!(
            balanced.nodes().filter(|n| matches!(n, CsgNode::Leaf(_))).count(),
            tree.nodes().filter(|n| matches!(n, CsgNode::Leaf(_))).count()
        );
        let queries = [CsgQuery::new(&tree), CsgQuery::new(&simple), CsgQuery::new(&balanced)];
        for _ in 0..50 {
            let point = random.vector(4.0);
            let expected = oracle(&tree, point);
            inside += usize::from(expected);
            for (k, query) in queries.iter().enumerate() {
                assert_eq!(query.contains(point), expected, "{k} {tree:?}");
            }
        }
    }
    assert!((2000..13000).contains(&inside), "{inside}");
}

#[test]
fn rays_agree_with_membership() {
    let mut random = Random::new(12);
    for _ in 0..200 {
        let leaves = random.whole(1, 10);
        let tree = trees::tree(&mut random, leaves, &trees::any_leaf);
        let query = CsgQuery::new(&tree);
        for _ in 0..10 {
            let ray = Ray::new(random.vector(5.0), random.vector(1.0), 10.0).unwrap();
            let found = query.ray_intervals(&ray);
            for k in 0..60 {
                let t = (k as f64 + 0.37) / 6.0;
                let is_near_end = found.ends().iter().any(|end| (end.t - t).abs() < 1e-6);
                let inside = found.intervals().any(|[from, to]| from <= t && t <= to);
                // A sample within rounding of a boundary that is no end would need a tangent ray.
                assert!(
                    is_near_end || inside == query.contains(ray.origin + ray.direction * t),
                    "{tree:?} {ray:?} {t}"
                );
            }
            if let Some(hit) = query.first_hit(&ray) {
                assert_eq!(hit.t, found.ends()[0].t);
                assert!((hit.normal.length() - 1.0).abs() < 1e-9 && hit.normal.dot(ray.direction) <= 0.0);
                let inward = hit.point - hit.normal * 1e-6;
                assert!(hit.t == 0.0 || query.contains(inward) || query.contains(hit.point + ray.direction * 1e-6));
            }
        }
    }
}

#[test]
fn boundaries_are_inside() {
    let cube = Csg::shape(Convex::cuboid(Vec3::ONE).unwrap());
    let inner = Csg::shape(Convex::cuboid(Vec3::splat(0.5)).unwrap());
    let hollow = cube.clone().difference(inner.clone());
    for (point, expected) in [(Vec3::X, true), (Vec3::X * 0.5, true), (Vec3::X * 0.49, false), (Vec3::X * 1.01, false)]
    {
        assert_eq!(hollow.contains(point), expected, "{point}");
    }
    // Points that are not finite are in no set, not even in a complement.
    assert!(!inner.complement().contains(Vec3::NAN));
    let half = Csg::half_space(HalfSpace::new(Vec3::X, 0.0).unwrap());
    assert!(half.clone().contains(Vec3::Y) && half.complement().contains(Vec3::Y));
}

#[test]
fn laws_simplify() {
    let a = Csg::shape(Convex::sphere(1.0).unwrap());
    let far = a.clone().transformed(Pose::from_translation(Vec3::X * 9.0).unwrap().into());
    let size = |tree: Csg| tree.simplified().node_count();
    let is_empty = |tree: Csg| matches!(tree.simplified().nodes().last(), Some(CsgNode::Empty));
    assert_eq!(size(a.clone().union(a.clone())), 1);
    assert_eq!(size(a.clone().intersection(Csg::everything())), 1);
    assert_eq!(size(a.clone().difference(far.clone())), 1);
    assert_eq!(size(a.clone().complement().complement()), 1);
    assert!(is_empty(a.clone().intersection(far.clone())) && is_empty(a.clone().difference(a.clone())));
    assert!(is_empty(a.clone().union(Csg::everything()).complement()));
    assert_eq!(size(Csg::everything().difference(a.clone()).complement()), 1);
    assert_eq!(size(far.transformed(heurt_solid::Affine::IDENTITY)), 2);
}

#[test]
fn bounds_hold_and_refuse() {
    let mut random = Random::new(13);
    for _ in 0..100 {
        let tree = trees::tree(&mut random, 6, &trees::any_leaf).intersection(trees::frame());
        let bounds = tree.bounds().unwrap();
        let query = CsgQuery::new(&tree);
        for _ in 0..100 {
            let point = random.vector(9.0);
            assert!(!query.contains(point) || bounds.contains(point));
        }
    }
    assert_eq!(Csg::everything().bounds().unwrap_err(), CsgError::Unbounded);
    assert!(Csg::empty().bounds().unwrap().is_empty());
    let tube = Csg::quadric(Quadric::cylinder(1.0).unwrap());
    assert_eq!(tube.bounds().unwrap_err(), CsgError::Unbounded);
}

/// S3 slide 16: x² + y² ≤ r², 0 ≤ z ≤ h. Along z a ray through the disc is inside for the length h. A grid of n × n rays
/// over the square of the disc counts a cell by its centre, so only cells that the circle meets count wrongly: their area
/// is at most the perimeter 2πr times the diagonal √2 · 2r/n of a cell, twice.
#[test]
fn the_cylinder_of_slide_16_has_its_volume() {
    let (r, h, n) = (1.5, 2.0, 400);
    let half_space = |normal: Vec3, offset: f64| Csg::half_space(HalfSpace::new(normal, offset).unwrap());
    let open = Csg::quadric(Quadric::cylinder(r).unwrap()).intersection(half_space(-Vec3::Z, 0.0));
    assert_eq!(open.bounds().unwrap_err(), CsgError::Unbounded, "without its lid");
    let solid = open.intersection(half_space(Vec3::Z, -h));
    let bounds = solid.bounds().unwrap();
    assert!(bounds.min.z >= -0.01 && bounds.max.z <= h + 0.01);
    let (query, edge) = (CsgQuery::new(&solid), 2.0 * r / n as f64);
    let mut volume = 0.0;
    for k in 0..n * n {
        let at = |k: usize| (k as f64 + 0.5) * edge - r;
        let ray = Ray::new(Vec3::new(at(k % n), at(k / n), -1.0), Vec3::Z, f64::INFINITY).unwrap();
        volume += query.ray_intervals(&ray).length() * edge * edge;
    }
    let exact = std::f64::consts::PI * r * r * h;
    let bound = 2.0 * std::f64::consts::TAU * r * 2f64.sqrt() * edge * h;
    assert!((volume - exact).abs() <= bound, "{volume} {exact} {bound}");
    assert!((volume - exact).abs() < 2e-3, "far better in fact: {}", volume - exact);
}

#[test]
fn deep_chains_do_not_recurse() {
    let ball = Csg::shape(Convex::sphere(0.4).unwrap());
    let step = |k: usize| Pose::from_translation(Vec3::X * (k % 100) as f64).unwrap();
    let mut tree = Csg::union_of((0..20_000).map(|k| ball.clone().transformed(step(k).into())));
    assert!(tree.contains(Vec3::X * 99.0) && !tree.contains(Vec3::X * 0.5));
    let balanced = tree.balanced();
    assert!(balanced.depth() < 20 && balanced.contains(Vec3::X * 99.0));
    for _ in 0..20_001 {
        tree = tree.complement();
    }
    assert!(!tree.contains(Vec3::X * 99.0) && tree.simplified().depth() <= 20_002);
}
