//! Exact superellipsoids and supertoroids against formulas and many points of their surfaces.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
use heurt_query::{Side, Witness, closest, contains, distance, overlap};
use heurt_shape::{Compound, Convex, MeshShape, Shape, ShapeRef, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;

const HERE: Pose = Pose::IDENTITY;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn direction(random: &mut Random) -> Vec3 {
    random.vector(1.0).normalize()
}

fn toroid(r0: f64, r1: f64, n1: f64, n2: f64) -> SuperquadricShape {
    Superquadric::Toroid(Supertoroid::new(r0, r1, n1, n2).unwrap()).into()
}

fn ellipsoid(radii: [f64; 3], n1: f64, n2: f64) -> SuperquadricShape {
    Superquadric::Ellipsoid(Superellipsoid::new(radii, n1, n2).unwrap()).into()
}

fn meets<'a>(a: &'a SuperquadricShape, p: &Pose, b: impl Into<ShapeRef<'a>>, q: &Pose) -> bool {
    overlap(a, p, b, q).is_some()
}

fn tessellated(shape: &Superquadric, segments: u32) -> MeshShape {
    let mesh = match shape {
        Superquadric::Toroid(toroid) => toroid.mesh(segments),
        Superquadric::Ellipsoid(ellipsoid) => ellipsoid.mesh(segments),
    };
    MeshShape::new(mesh.unwrap()).unwrap()
}

fn shapes() -> Vec<SuperquadricShape> {
    vec![
        toroid(1.0, 0.4, 1.0, 1.0),
        toroid(1.0, 0.4, 0.3, 1.7),
        toroid(1.0, 0.6, 2.0, 3.0),
        toroid(1.0, 0.3, 3.0, 0.5),
        ellipsoid([1.0, 0.7, 0.5], 3.0, 3.0),
        ellipsoid([1.0, 0.7, 0.5], 2.5, 0.4),
        ellipsoid([1.0, 0.7, 0.5], 0.2, 4.0),
        ellipsoid([1.0, 0.7, 0.5], 1.0, 1.0),
        ellipsoid([1.0, 0.7, 0.5], 2.0, 2.0),
    ]
}

/// Many points of the surface.
fn surface(shape: &Superquadric, count: u32) -> Vec<Vec3> {
    let angle = |k: u32| f64::from(k) / f64::from(count) * std::f64::consts::TAU;
    let point = |i: u32, j: u32| match shape {
        Superquadric::Toroid(toroid) => toroid.point(angle(i), angle(j)),
        Superquadric::Ellipsoid(ellipsoid) => ellipsoid.point((angle(i) - std::f64::consts::PI) / 2.0, angle(j)),
    };
    (0..=count).flat_map(|i| (0..count).map(move |j| point(i, j))).collect()
}

#[test]
fn patches_lie_in_their_hulls_and_cover_the_surface() {
    for shape in shapes().iter().map(|shape| *shape.surface()) {
        let mut patches = shape.patches();
        for _ in 0..5 {
            patches = patches.iter().flat_map(|patch| patch.halves(&shape)).collect();
        }
        // Every place of a patch, found by cutting on, lies in its hull.
        let mut random = Random::new(41);
        for patch in patches.iter().step_by(7) {
            let hull = Convex::hull(&patch.hull(&shape)).unwrap();
            let mut inner = *patch;
            for _ in 0..10 {
                let place = inner.middle(&shape);
                let off = distance(&hull, &HERE, &Convex::point(), &Pose::from_translation(place).unwrap()).distance;
                assert!(off <= 1e-14, "{shape:?} {patch:?}: {off:e}");
                inner = inner.halves(&shape)[random.whole(0, 1) as usize];
            }
        }
        let hulls: Vec<Convex> = patches.iter().map(|patch| Convex::hull(&patch.hull(&shape)).unwrap()).collect();
        for place in surface(&shape, 12) {
            let near = |hull: &Convex| {
                let bounds = hull.bounds();
                (bounds.min - 1e-9).cmple(place).all() && place.cmple(bounds.max + 1e-9).all()
            };
            assert!(hulls.iter().any(near), "{shape:?}: {place} is in no hull");
        }
    }
}

#[test]
fn a_torus_is_where_its_formula_says() {
    let (torus, mut random) = (toroid(1.0, 0.4, 1.0, 1.0), Random::new(42));
    let exact = |p: Vec3| ((p.x * p.x + p.y * p.y).sqrt() - 1.0).hypot(p.z) - 0.4;
    let mut worst = 0.0f64;
    for _ in 0..30 {
        let p = random.pose(1.0);
        let local = random.vector(1.6);
        let point = p.place(local);
        let found = closest(&torus, &p, point);
        let off = (found.signed_distance.unwrap() - exact(local)).abs();
        assert!(off <= found.error && found.error < 1e-12, "{found:?} {}", exact(local));
        assert_eq!(found.inside, Some(exact(local) <= 0.0));
        assert!(((found.point - point).length() - found.distance).abs() < 1e-13);
        worst = worst.max(found.error);
        let ball = Convex::sphere(0.2).unwrap();
        let gap = distance(&torus, &p, &ball, &Pose::from_translation(point).unwrap());
        let expected = (exact(local) - 0.2).max(0.0);
        assert!((gap.distance - expected).abs() <= gap.error, "{gap:?} {expected}");
        assert_eq!(meets(&torus, &p, &ball, &Pose::from_translation(point).unwrap()), expected == 0.0);
    }
    // Where a whole circle is nearest, the bounds stay apart, and are told.
    let found = closest(&torus, &HERE, Vec3::Z * 0.5);
    let off = (found.distance - (1.25f64.sqrt() - 0.4)).abs();
    assert!(off <= found.error && found.error < 1e-4, "{found:?}");
    println!("errors up to {worst:e}, on the axis {:e}", found.error);
}

#[test]
fn no_point_of_the_surface_is_nearer() {
    let mut random = Random::new(43);
    for shape in shapes() {
        let points = surface(shape.surface(), 160);
        let mesh = tessellated(shape.surface(), 96);
        for _ in 0..6 {
            let local = random.vector(1.5);
            let found = closest(&shape, &HERE, local);
            let least = points.iter().map(|place| (*place - local).length()).fold(f64::INFINITY, f64::min);
            assert!(found.distance - found.error <= least, "{shape:?} {local}: {found:?} {least}");
            assert!(least <= found.distance + 0.06, "{shape:?} {local}: {found:?} {least}");
            assert!(found.error < 1e-6, "{shape:?} {local}: {found:?}");
            let tessellated = closest(&mesh, &HERE, local).distance;
            assert!((found.distance - tessellated).abs() < 0.03, "{shape:?} {local}: {found:?} {tessellated}");
            assert_eq!(found.inside, Some(contains(&shape, &HERE, local)));
        }
    }
}

#[test]
fn meshes_meet_it_or_are_as_far_as_its_tessellation() {
    let mut random = Random::new(44);
    let cube = MeshShape::new(generate::cuboid([0.2, 0.15, 0.1]).unwrap()).unwrap();
    let (mut meet, mut disjoint) = (0, 0);
    for shape in [toroid(1.0, 0.4, 0.3, 1.7), ellipsoid([1.0, 0.7, 0.5], 3.0, 3.0)] {
        let mesh = tessellated(shape.surface(), 128);
        for _ in 0..8 {
            let (p, q) = (random.pose(0.2), random.pose(0.7));
            let found = distance(&shape, &p, &cube, &q);
            assert_eq!(meets(&shape, &p, &cube, &q), found.distance == 0.0);
            let tessellated = distance(&mesh, &p, &cube, &q).distance;
            assert!((found.distance - tessellated).abs() < 0.02, "{shape:?}: {found:?} {tessellated}");
            assert!(found.error < 1e-6, "{shape:?}: {found:?}");
            if found.distance > 0.0 { disjoint += 1 } else { meet += 1 }
        }
    }
    assert!(meet > 2 && disjoint > 2, "{meet} {disjoint}");
}

#[test]
fn containment_and_touching_are_overlap() {
    let torus = toroid(2.0, 0.5, 1.0, 1.0);
    let holds = |shape: &Convex, x: f64| meets(&torus, &HERE, shape, &at(x, 0.0, 0.0));
    let small = Convex::sphere(0.1).unwrap();
    assert!(holds(&small, 2.0), "within the tube");
    assert!(!holds(&small, 0.0), "in the hole");
    assert!(holds(&Convex::sphere(9.0).unwrap(), 0.5), "the torus within a ball");
    assert!(holds(&Convex::point(), 2.5) && !holds(&Convex::point(), 2.5 + 1e-13), "on the rim");
    assert!(holds(&small, 2.6 - 1e-12) && !holds(&small, 2.6 + 1e-12), "a ball on the rim");
    let half_space = Convex::half_space(Vec3::Z, -0.5).unwrap();
    assert!(meets(&torus, &HERE, &half_space, &at(0.0, 0.0, 1e-13)), "lying on a plane");
    assert!(!meets(&torus, &HERE, &half_space, &at(0.0, 0.0, -1e-14)), "above a plane");
    // One part far off, though nearer to the surface, and one within.
    let parts = [(small.clone().into(), at(2.0, 0.0, 0.0)), (small.into(), at(2.7, 0.0, 0.0))];
    let parts = Compound::new(parts).unwrap();
    let found = distance(&torus, &HERE, &parts, &HERE);
    assert_eq!(found.distance, 0.0);
    let triangle = Convex::triangle([Vec3::ZERO, Vec3::X * 9.0, Vec3::new(9.0, 0.0, 1.0)]).unwrap();
    assert!(meets(&torus, &HERE, &triangle, &HERE), "a triangle through the tube");
    // Meshes tell which triangle, or that it lies within.
    let ball = MeshShape::new(generate::icosphere(4.0, 2).unwrap()).unwrap();
    assert_eq!(overlap(&torus, &HERE, &ball, &HERE), Some(Witness::Contained(Side::A)));
    assert_eq!(overlap(&ball, &HERE, &torus, &HERE), Some(Witness::Contained(Side::B)));
    let Some(Witness::Primitives { a: 0, b }) = overlap(&torus, &HERE, &ball, &at(3.0, 0.0, 0.0)) else { panic!() };
    let corners = Convex::triangle(ball.mesh().corners(b)).unwrap();
    assert!(meets(&torus, &HERE, &corners, &at(3.0, 0.0, 0.0)), "{b}");
}

#[test]
fn two_of_them_are_as_far_as_formulas_and_tessellations_say() {
    let mut random = Random::new(45);
    // Balls, which know their distance.
    let (small, large) = (ellipsoid([0.5; 3], 1.0, 1.0), ellipsoid([1.5; 3], 1.0, 1.0));
    for gap in [1.0, 1e-3, 1e-9, -1e-12, -1e-3, -0.9, -1.7] {
        for _ in 0..3 {
            let (p, turned) = (random.pose(1.0), random.pose(0.0));
            let from_a_to_b = direction(&mut random);
            let q = Pose::from_translation(p.translation() + from_a_to_b * (2.0 + gap)).unwrap().compose(&turned);
            let found = distance(&small, &p, &large, &q);
            assert!((found.distance - gap.max(0.0)).abs() <= found.error + 1e-14, "{gap:e}: {found:?}");
            assert!(found.error < 1e-8, "{gap:e}: {found:?}");
            assert_eq!(meets(&small, &p, &large, &q), gap < 0.0, "{gap:e}");
        }
    }
    let (mut disjoint, mut overlapping) = (0, 0);
    let shapes = shapes();
    for (k, a) in shapes.iter().enumerate() {
        let b = &shapes[(k + 3) % shapes.len()];
        let meshes = [tessellated(a.surface(), 96), tessellated(b.surface(), 96)];
        for _ in 0..2 {
            let (p, q) = (random.pose(0.2), random.pose(1.6));
            let found = distance(a, &p, b, &q);
            let of_meshes = distance(&meshes[0], &p, &meshes[1], &q).distance;
            assert!((found.distance - of_meshes).abs() < 0.03, "{a:?} {b:?}: {found:?} {of_meshes}");
            assert!(found.error < 1e-6, "{a:?} {b:?}: {found:?}");
            assert!(((found.point_a - found.point_b).length() - found.distance).abs() < 1e-13);
            let back = distance(b, &q, a, &p);
            assert!((found.distance - back.distance).abs() <= found.error + back.error, "{found:?} {back:?}");
            assert_eq!(meets(a, &p, b, &q), found.distance == 0.0);
            if found.distance > 0.0 { disjoint += 1 } else { overlapping += 1 }
        }
    }
    assert!(disjoint > 3 && overlapping > 3, "{disjoint} {overlapping}");
}

#[test]
fn a_margin_makes_a_torus_a_thicker_one() {
    let mut random = Random::new(46);
    let thin = toroid(1.0, 0.1, 1.0, 1.0).with_margin(0.3).unwrap();
    let exact = |p: Vec3| ((p.x * p.x + p.y * p.y).sqrt() - 1.0).hypot(p.z) - 0.4;
    let cube = MeshShape::new(generate::cuboid([0.2, 0.15, 0.1]).unwrap()).unwrap();
    let thick = toroid(1.0, 0.4, 1.0, 1.0);
    for _ in 0..12 {
        let (p, q) = (random.pose(0.5), random.pose(1.0));
        let local = random.vector(1.6);
        let point = p.place(local);
        let found = closest(&thin, &p, point);
        assert!((found.signed_distance.unwrap() - exact(local)).abs() <= found.error + 1e-14, "{found:?}");
        assert_eq!(contains(&thin, &p, point), exact(local) <= 0.0);
        let (x, y) = (distance(&thin, &p, &cube, &q), distance(&thick, &p, &cube, &q));
        assert!((x.distance - y.distance).abs() <= x.error + y.error, "{x:?} {y:?}");
        let (x, y) = (distance(&thin, &p, &thick, &q), distance(&thick, &p, &thick, &q));
        assert!((x.distance - y.distance).abs() <= x.error + y.error, "{x:?} {y:?}");
    }
    let as_part = Compound::new([(Shape::from(thin), at(0.0, 0.0, 2.0))]).unwrap();
    assert!((distance(&as_part, &HERE, &Convex::point(), &at(1.0, 0.0, 0.0)).distance - 1.6).abs() < 1e-12);
}
