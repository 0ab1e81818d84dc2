//! `closest` and `ray` of convex shapes against formulas, brute force over their points and each other.

use crate::forms::closest_within;
use heurt_geometry::{Pose, Vec3};
use heurt_query::{Ray, closest, distance, overlap, ray};
use heurt_shape::{Convex, Core, Round};
use heurt_testkit::hard::tessellate::tessellated;
use heurt_testkit::number::random::Random;

const HERE: Pose = Pose::IDENTITY;

/// One shape of each kind, about as large as `s`.
fn shapes(s: f64) -> Vec<(&'static str, Convex)> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 0.7, Vec3::new(0.1, 0.2, 0.8), Vec3::splat(0.5)].map(|c| c * s);
    let cuboid = Convex::cuboid(Vec3::new(0.5, 0.3, 0.2) * s).unwrap();
    let cylinder = Convex::cylinder(0.4 * s, 0.5 * s).unwrap();
    let cone = Convex::cone(0.4 * s, 0.5 * s).unwrap();
    let ellipsoid = Convex::ellipsoid(Vec3::new(0.6, 0.4, 0.3) * s).unwrap();
    let pillow = Convex::superellipsoid(Vec3::new(0.5, 0.4, 0.3) * s, 0.5, 1.5).unwrap();
    let grown = |shape: &Convex| shape.clone().with_margin(0.1 * s).unwrap();
    vec![
        ("sphere", Convex::sphere(0.4 * s).unwrap()),
        ("capsule", Convex::capsule(0.3 * s, 0.5 * s).unwrap()),
        ("rounded triangle", grown(&Convex::triangle([Vec3::ZERO, Vec3::X * s, Vec3::Y * s]).unwrap())),
        ("rounded box", grown(&cuboid)),
        ("box", cuboid),
        ("rounded hull", grown(&Convex::hull(&corners).unwrap())),
        ("rounded cylinder", grown(&cylinder)),
        ("cylinder", cylinder),
        ("rounded cone", grown(&cone)),
        ("cone", cone),
        ("rounded ellipsoid", grown(&ellipsoid)),
        ("ellipsoid", ellipsoid),
        ("rounded pillow", grown(&pillow)),
        ("pillow", pillow),
    ]
}

/// The signed distance from many directions: along each, the plane that bounds the shape. Exact in the limit, from below
/// outside and from above inside.
fn by_planes(shape: &Convex, pose: &Pose, point: Vec3, directions: &[Vec3]) -> f64 {
    let height = |local: &Vec3| {
        let farthest = pose.place(shape.support(*local).unwrap());
        (*pose.rotation() * *local).dot(point - farthest)
    };
    directions.iter().map(height).fold(f64::NEG_INFINITY, f64::max)
}

fn directions() -> Vec<Vec3> {
    tessellated(|direction| direction, 24).vertices().to_vec()
}

#[test]
fn closest_points_are_those_of_all_planes() {
    let (mut random, all) = (Random::new(21), directions());
    let mut worst = 0.0f64;
    for (name, shape) in &shapes(1.0) {
        for round in 0..60 {
            let pose = random.pose(0.5);
            let point = pose.translation() + random.vector(if round % 3 == 0 { 0.3 } else { 1.2 });
            let found = closest(shape, &pose, point);
            let signed = found.signed_distance.unwrap();
            let what = format!("{name} {round}: {found:?}");
            // Directions of a fan of 24 pieces are off by at most 0.04, so that heights are, by that share of the way.
            let bound = by_planes(shape, &pose, point, &all);
            if found.distance > 1e-3 {
                let direction = (found.point - point).normalize() * signed.signum();
                let local = pose.rotation().transpose() * -direction;
                let proved = by_planes(shape, &pose, point, &[local]);
                assert!((proved - signed).abs() <= found.error + 1e-13, "{what}: {proved}");
                assert!(bound <= signed + found.error + 1e-13, "{what}: {bound}");
            }
            worst = worst.max(found.error);
            assert!(signed <= bound + 0.05, "{what}: {bound}");
            assert_eq!(found.inside, Some(signed <= 0.0), "{what}");
            assert_eq!(found.distance, signed.abs(), "{what}");
            assert!(((found.point - point).length() - found.distance).abs() <= found.error + 1e-12, "{what}");
            let on_boundary = closest(shape, &pose, found.point);
            assert!(on_boundary.distance <= 2.0 * on_boundary.error + found.error + 1e-12, "{what}: {on_boundary:?}");
            let gap = distance(shape, &pose, &Convex::point(), &Pose::from_translation(point).unwrap());
            assert!((gap.distance - signed.max(0.0)).abs() <= found.error + gap.error, "{what}: {gap:?}");
            assert!(closest_within(shape, &pose, point, found.distance).is_some());
            assert!(found.distance == 0.0 || closest_within(shape, &pose, point, found.distance * 0.99).is_none());
        }
    }
    println!("largest error {worst:e}");
}

#[test]
fn points_on_axes_and_in_the_middle_have_a_nearest_place() {
    for scale in [1e-6, 1.0, 1e6] {
        let room = 1e-14 * scale;
        let check = |what: &str, shape: &Convex, point: Vec3, signed: f64| {
            let found = closest(shape, &HERE, point * scale);
            let expected = signed * scale;
            assert!((found.signed_distance.unwrap() - expected).abs() <= room.min(found.error), "{what}: {found:?}");
            assert!(((found.point - point * scale).length() - found.distance).abs() <= room, "{what}: {found:?}");
            assert!(closest(shape, &HERE, found.point).distance <= room, "{what}: {found:?}");
        };
        let sphere = Convex::sphere(0.5 * scale).unwrap();
        check("centre of a sphere", &sphere, Vec3::ZERO, -0.5);
        check("on a sphere", &sphere, Vec3::X * 0.5, 0.0);
        let capsule = Convex::capsule(0.25 * scale, 0.5 * scale).unwrap();
        check("axis of a capsule", &capsule, Vec3::Z * 0.25, -0.25);
        check("end of the axis of a capsule", &capsule, Vec3::Z * 0.5, -0.25);
        check("beyond a capsule", &capsule, Vec3::Z * 2.0, 1.25);
        let cylinder = Convex::cylinder(0.5 * scale, 1.0 * scale).unwrap();
        check("axis of a cylinder", &cylinder, Vec3::ZERO, -0.5);
        check("axis of a cylinder, near its end", &cylinder, Vec3::Z * 0.75, -0.25);
        check("medial surface of a cylinder", &cylinder, Vec3::new(0.25, 0.0, 0.75), -0.25);
        check("rim of a cylinder", &cylinder, Vec3::new(0.5, 0.0, 1.0), 0.0);
        check("above the rim", &cylinder, Vec3::new(0.8, 0.0, 1.4), 0.5);
        let cone = Convex::cone(0.75 * scale, 0.5 * scale).unwrap();
        check("apex of a cone", &cone, Vec3::Z * 0.5, 0.0);
        check("above the apex", &cone, Vec3::Z * 1.5, 1.0);
        check("below a cone", &cone, Vec3::Z * -1.5, 1.0);
        // The slant is 3 to 4 to 5: from (0, -0.25) it is 0.45 away.
        check("axis of a cone", &cone, Vec3::Z * -0.25, -0.25);
        let ellipsoid = Convex::ellipsoid(Vec3::new(1.0, 0.5, 0.75) * scale).unwrap();
        check("middle of an ellipsoid", &ellipsoid, Vec3::ZERO, -0.5);
        check("axis of an ellipsoid", &ellipsoid, Vec3::X * 2.0, 1.0);
        check("tip of an ellipsoid", &ellipsoid, Vec3::X, 0.0);
        let ball = Convex::ellipsoid(Vec3::splat(0.5 * scale)).unwrap();
        check("middle of a ball", &ball, Vec3::ZERO, -0.5);
        check("in a ball", &ball, Vec3::new(0.15, 0.2, 0.0), -0.25);
        let rounded = Convex::cuboid(Vec3::splat(0.5 * scale)).unwrap().with_margin(0.25 * scale).unwrap();
        check("middle of a rounded box", &rounded, Vec3::ZERO, -0.75);
        check("in the margin over a face", &rounded, Vec3::Z * 0.625, -0.125);
        check("on a face of the core", &rounded, Vec3::new(0.1, 0.2, 0.5), -0.25);
        check("on a corner of the core", &rounded, Vec3::splat(0.5), -0.25);
        let half_space = Convex::half_space(Vec3::Z * 2.0, scale).unwrap().with_margin(0.25 * scale).unwrap();
        check("above a half-space", &half_space, Vec3::new(7.0, 3.0, 1.0), 0.25);
        check("in a half-space", &half_space, Vec3::new(7.0, 3.0, -1.0), -1.75);
    }
}

#[test]
fn the_inside_of_an_ellipsoid_is_as_deep_as_its_surface_is_near() {
    let mut random = Random::new(22);
    for round in 0..300 {
        let radii = Vec3::from_array([0.0; 3].map(|_: f64| libm::exp(random.between(-4.0, 1.0))));
        let shape = Convex::ellipsoid(radii).unwrap();
        let mut point = random.vector(1.0) * radii;
        // On planes of symmetry two places may be nearest.
        for axis in 0..3 {
            point[axis] *= [0.0, 1e-9, 1.0][random.whole(0, 2) as usize];
        }
        let found = closest(&shape, &HERE, point);
        let surface = |u: Vec3| (radii * u.normalize() - point).length();
        let mut best = (f64::INFINITY, Vec3::X);
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
        for u in axes.chain((0..4000).map(|_| random.vector(1.0).normalize_or(Vec3::X))) {
            best = if surface(u) < best.0 { (surface(u), u) } else { best };
        }
        let mut step = 0.1;
        while step > 1e-9 {
            let near: Vec<Vec3> = (0..40).map(|_| (best.1 + random.vector(step)).normalize()).collect();
            let next = near.into_iter().min_by(|x, y| surface(*x).total_cmp(&surface(*y))).unwrap();
            if surface(next) < best.0 { best = (surface(next), next) } else { step *= 0.8 }
        }
        assert!(found.distance <= best.0 + 1e-14, "{round} {radii} {point}: {found:?} {best:?}");
        // No point of the surface is nearer than rounding: none that was found, and by the planes across them none at all.
        let level = (found.point / radii).length();
        assert!((level - 1.0).abs() < 1e-13, "{round} {radii} {point}: {level}");
    }
}

#[test]
fn flat_shapes_are_all_boundary() {
    let disc = Convex::cylinder(1.0, 0.0).unwrap();
    let lens = Convex::ellipsoid(Vec3::new(1.0, 1.0, 0.0)).unwrap();
    let needle = Convex::ellipsoid(Vec3::new(1.0, 0.0, 0.0)).unwrap();
    for (shape, point, distance) in [
        (&disc, Vec3::new(0.25, 0.5, -0.5), 0.5),
        (&disc, Vec3::new(4.0, 0.0, 4.0), 5.0),
        (&lens, Vec3::new(0.25, 0.5, -0.5), 0.5),
        (&lens, Vec3::new(0.0, 4.0, 4.0), 5.0),
        (&lens, Vec3::ZERO, 0.0),
        (&needle, Vec3::new(4.0, 4.0, 0.0), 5.0),
        (&needle, Vec3::new(-0.5, 0.0, 0.5), 0.5),
        (&Convex::point(), Vec3::new(0.0, 3.0, 4.0), 5.0),
        (&Convex::ellipsoid(Vec3::ZERO).unwrap(), Vec3::new(0.0, 3.0, 4.0), 5.0),
        (&Convex::cylinder(0.0, 0.0).unwrap(), Vec3::new(0.0, 3.0, 4.0), 5.0),
    ] {
        let found = closest(shape, &HERE, point);
        assert_eq!((found.inside, found.signed_distance), (None, None), "{shape:?}");
        assert!((found.distance - distance).abs() <= found.error, "{shape:?}: {found:?}");
    }
    // A ray through a disc.
    let hit = ray(&disc, &HERE, &Ray::new(Vec3::new(0.5, 0.0, 2.0), -Vec3::Z, 9.0).unwrap()).unwrap();
    assert!((hit.t - 2.0).abs() <= hit.error && hit.error < 1e-13, "{hit:?}");
    assert!(ray(&disc, &HERE, &Ray::new(Vec3::new(1.5, 0.0, 2.0), -Vec3::Z, 9.0).unwrap()).is_none());
}

/// The first parameter where the signed distance along a ray is not above `level`, by ever finer steps.
fn first_below(shape: &Convex, pose: &Pose, along: &Ray, level: f64) -> Option<f64> {
    let at = |t: f64| closest(shape, pose, along.origin + along.direction * t).signed_distance.unwrap() - level;
    // The distance along a line is convex: its least value by golden sections, then the zero before it.
    let (mut low, mut high) = (0.0, along.max_t);
    for _ in 0..90 {
        let (x, y) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
        if at(x) <= at(y) { high = y } else { low = x }
    }
    if at(low) > 0.0 {
        return None;
    }
    let (mut before, mut after) = (0.0, low);
    for _ in 0..60 {
        let middle = 0.5 * (before + after);
        if at(middle) > 0.0 { before = middle } else { after = middle }
    }
    Some(after)
}

#[test]
fn rays_meet_where_the_distance_ends() {
    let mut random = Random::new(23);
    let (mut hits, mut misses) = (0, 0);
    for (name, shape) in &shapes(1.0) {
        for round in 0..40 {
            let pose = random.pose(0.5);
            let origin = pose.translation() + random.vector(2.0);
            let towards = pose.translation() + random.vector(0.5) - origin;
            let along = Ray::new(origin, towards * random.between(0.2, 3.0), 8.0).unwrap();
            let what = format!("{name} {round}");
            let Some(hit) = ray(shape, &pose, &along) else {
                assert!(first_below(shape, &pose, &along, -1e-9).is_none(), "{what}: {along:?}");
                misses += 1;
                continue;
            };
            hits += 1;
            let here = closest(shape, &pose, origin);
            if here.inside == Some(true) {
                assert_eq!(hit.t, 0.0, "{what}");
                continue;
            }
            let first = first_below(shape, &pose, &along, 1e-9).expect("it comes as near as that");
            assert!(first <= hit.t + hit.error + 1e-12, "{what}: {hit:?} {first}");
            if let Some(deeper) = first_below(shape, &pose, &along, -1e-9) {
                assert!(hit.t <= deeper + hit.error + 1e-12, "{what}: {hit:?} {deeper}");
            }
            assert!(closest(shape, &pose, hit.point).distance <= 1e-12, "{what}: {hit:?}");
            assert!(
                (hit.normal.length() - 1.0).abs() < 1e-12 && hit.normal.dot(along.direction) <= 1e-9,
                "{what}: {hit:?}"
            );
            assert_eq!(hit.primitive, 0);
        }
    }
    assert!(hits > 100 && misses > 20, "{hits} {misses}");
}

/// Where a ray enters {p : p·p = 1} after the axes are scaled, by the formula for quadratic equations.
fn into_ball(origin: Vec3, direction: Vec3) -> Option<f64> {
    let (a, b, c) = (direction.length_squared(), origin.dot(direction), origin.length_squared() - 1.0);
    let discriminant = b * b - a * c;
    (discriminant >= 0.0).then(|| (-b - discriminant.sqrt()) / a).filter(|t| *t >= 0.0)
}

#[test]
fn rays_meet_quadrics_where_formulas_say() {
    let mut random = Random::new(24);
    let mut worst = 0.0f64;
    for scale in [1e-6, 1.0, 1e6] {
        for _ in 0..150 {
            let radii = Vec3::new(0.5, 1.0, 1.5);
            let (origin, direction) = (random.vector(4.0), random.vector(1.0));
            let along = Ray::new(origin * scale, direction * scale, f64::INFINITY).unwrap();
            for (shape, radii) in [
                (Convex::ellipsoid(radii * scale).unwrap(), radii),
                (Convex::sphere(0.75 * scale).unwrap(), Vec3::splat(0.75)),
                (Convex::superellipsoid(radii * scale, 1.0, 1.0).unwrap(), radii),
            ] {
                if (origin / radii).length() < 1.0 {
                    continue;
                }
                let expected = into_ball(origin / radii, direction / radii);
                let found = ray(&shape, &HERE, &along);
                assert_eq!(found.is_some(), expected.is_some(), "{shape:?} {along:?}");
                if let (Some(found), Some(expected)) = (found, expected) {
                    let off = (found.t - expected).abs();
                    assert!(off <= found.error + 1e-13, "{found:?} {expected}");
                    worst = worst.max(off);
                }
            }
        }
    }
    println!("farthest off {worst:e}");
}

#[test]
fn rays_along_axes_and_tangents_hit_or_miss_by_a_few_ulp() {
    for scale in [1e-6, 1.0, 1e6] {
        let check = |what: &str, shape: &Convex, from: Vec3, to: Vec3, expected: Option<f64>| {
            let hit = ray(shape, &HERE, &Ray::new(from * scale, to * scale, f64::INFINITY).unwrap());
            assert_eq!(hit.is_some(), expected.is_some(), "{what}: {hit:?}");
            if let (Some(hit), Some(expected)) = (hit, expected) {
                assert!((hit.t - expected).abs() <= hit.error + 1e-15, "{what}: {hit:?}");
            }
        };
        let sphere = Convex::sphere(scale).unwrap();
        check("through the middle", &sphere, Vec3::X * 4.0, -Vec3::X, Some(3.0));
        check("away", &sphere, Vec3::X * 4.0, Vec3::X, None);
        check("beside", &sphere, Vec3::new(4.0, 1.0 + 1e-13, 0.0), -Vec3::X, None);
        check("grazing", &sphere, Vec3::new(4.0, 1.0 - 1e-13, 0.0), -Vec3::X, Some(4.0 - 4.5e-7));
        let cylinder = Convex::cylinder(scale, scale).unwrap();
        check("along the axis", &cylinder, Vec3::Z * 3.0, -Vec3::Z, Some(2.0));
        check("along the side", &cylinder, Vec3::new(1.0 - 1e-13, 0.0, 3.0), -Vec3::Z, Some(2.0));
        check("along the side, out", &cylinder, Vec3::new(1.0 + 1e-13, 0.0, 3.0), -Vec3::Z, None);
        check("over the top", &cylinder, Vec3::new(5.0, 0.0, 1.0 + 1e-13), -Vec3::X, None);
        check("under the top", &cylinder, Vec3::new(5.0, 0.0, 1.0 - 1e-13), -Vec3::X, Some(4.0));
        let cone = Convex::cone(scale, scale).unwrap();
        check("down on the apex", &cone, Vec3::Z * 3.0, -Vec3::Z, Some(2.0));
        check("up to the base", &cone, Vec3::new(0.5, 0.0, -3.0), Vec3::Z, Some(2.0));
        check("past the apex", &cone, Vec3::new(3.0, 0.0, 1.0 + 1e-13), -Vec3::X, None);
        let capsule = Convex::capsule(scale, scale).unwrap();
        check("along the axis", &capsule, Vec3::Z * 5.0, -Vec3::Z, Some(3.0));
        check("beside", &capsule, Vec3::new(1.0 + 1e-13, 0.0, 5.0), -Vec3::Z, None);
        check("on a cap", &capsule, Vec3::new(5.0, 0.0, 1.5), -Vec3::X, Some(5.0 - 0.75f64.sqrt()));
        let half_space = Convex::half_space(Vec3::Z, scale).unwrap();
        check("down", &half_space, Vec3::Z * 3.0, -Vec3::Z, Some(2.0));
        check("level", &half_space, Vec3::Z * 3.0, Vec3::X, None);
        check("up", &half_space, Vec3::Z * 3.0, Vec3::Z, None);
        check("inside", &half_space, -Vec3::Z, Vec3::Z, Some(0.0));
        let rounded = Convex::cuboid(Vec3::splat(scale)).unwrap().with_margin(0.5 * scale).unwrap();
        check("on a face", &rounded, Vec3::new(0.25, 0.5, 4.0), -Vec3::Z, Some(2.5));
        check("on a rounded edge", &rounded, Vec3::new(1.3, 0.0, 4.0), -Vec3::Z, Some(3.0 - 0.4));
        check("past a rounded corner", &rounded, Vec3::new(1.36, 1.36, 4.0), -Vec3::Z, None);
    }
}

#[test]
fn rays_end_where_they_are_told() {
    let sphere = Convex::sphere(1.0).unwrap();
    let along = |max: f64| Ray::new(Vec3::X * 4.0, Vec3::X * -2.0, max).unwrap();
    assert!(ray(&sphere, &HERE, &along(1.4999)).is_none());
    let hit = ray(&sphere, &HERE, &along(1.5)).unwrap();
    assert!((hit.t - 1.5).abs() <= hit.error && hit.t <= 1.5, "{hit:?}");
    assert!((hit.normal - Vec3::X).length() < 1e-12);
    let inside = ray(&sphere, &HERE, &Ray::new(Vec3::ZERO, Vec3::Y, 1.0).unwrap()).unwrap();
    assert_eq!((inside.t, inside.normal, inside.error), (0.0, -Vec3::Y, 0.0));
    let on_it = ray(&sphere, &HERE, &Ray::new(Vec3::X, Vec3::X, 1.0).unwrap()).unwrap();
    assert_eq!((on_it.t, on_it.normal), (0.0, Vec3::X));
}

#[test]
fn huge_and_tiny_shapes_are_asked_too() {
    for size in [1e-300, 1e-150, 1e150, 1e300] {
        for (name, shape) in &shapes(size) {
            let point = Vec3::new(3.0, 0.5, 0.25) * size;
            let found = closest(shape, &HERE, point);
            let gap = distance(shape, &HERE, &Convex::point(), &Pose::from_translation(point).unwrap());
            let off = (found.distance - gap.distance).abs();
            assert!(off <= found.error + gap.error && found.error < 1e-10 * size, "{name} {size:e}: {found:?}");
            let middle =
                if matches!(shape.core(), Core::Round(Round::Cone { .. })) { Vec3::Z * -0.2 } else { Vec3::ZERO };
            let along = Ray::new(point, middle * size - point, 2.0).unwrap();
            let hit = ray(shape, &HERE, &along).unwrap_or_else(|| panic!("{name} {size:e}"));
            assert!(hit.error < 1e-10 * size.max(1.0) && hit.t < 1.0, "{name} {size:e}: {hit:?}");
            assert!(
                overlap(
                    shape,
                    &HERE,
                    &Convex::sphere(1e-9 * size).unwrap(),
                    &Pose::from_translation(hit.point).unwrap()
                )
                .is_some()
            );
        }
    }
}
