//! `contact_manifold` of hulls that are tipped against each other: faces instead of edge–edge axes, against a slow
//! clip of the two faces.

use heurt_geometry::{Pose, Quat, SplitMix64, Vec3};
use heurt_query::{Contact, ContactPoint, Feature, PairCache, contact, contact_manifold, overlap};
use heurt_shape::{Convex, Core, Hull};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, TAU};

const HERE: Pose = Pose::IDENTITY;

/// The kept points are as deep as the deepest up to a millionth of the extent of the manifold, here at most 3 m.
const AS_DEEP: f64 = 3e-6;

fn cube() -> Convex {
    Convex::cuboid(Vec3::splat(0.5)).unwrap()
}

fn hull_of(shape: &Convex) -> &Hull {
    match shape.core() {
        Core::Hull(hull) => hull,
        _ => unreachable!("every shape here is a hull"),
    }
}

fn prism(sides: usize, radius: f64, half_height: f64) -> Convex {
    let corner = |k: usize, z: f64| {
        let angle = TAU * k as f64 / sides as f64;
        Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    let corners: Vec<Vec3> = (0..sides).flat_map(|k| [corner(k, half_height), corner(k, -half_height)]).collect();
    Convex::hull(&corners).unwrap()
}

fn pose(turn: Quat, at: Vec3) -> Pose {
    Pose::from_quaternion(turn.to_array(), at).unwrap()
}

fn unit_vector(random: &mut SplitMix64) -> Vec3 {
    loop {
        let candidate = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        if candidate.length() > 0.1 && candidate.length() < 1.0 {
            return candidate.normalize();
        }
    }
}

fn random_pose(random: &mut SplitMix64, reach: f64) -> Pose {
    let turn = Quat::from_axis_angle(unit_vector(random), random.between(0.0, 3.0));
    pose(turn, unit_vector(random) * reach)
}

/// A rotation by `tilt` around a random axis in the plane of the upper face, after a twist around its normal.
fn tipped(random: &mut SplitMix64, tilt: f64, twist: f64) -> Quat {
    let angle = random.between(0.0, TAU);
    let axis = Vec3::new(angle.cos(), angle.sin(), 0.0);
    Quat::from_axis_angle(axis, tilt) * Quat::from_axis_angle(Vec3::Z, random.between(-twist, twist))
}

/// The corners of the common part of two faces, each with its height: the slow way.
struct FaceClip {
    /// Middle between both faces, and the height.
    points: Vec<(Vec3, f64)>,
}

fn face_towards(shape: &Convex, at: &Pose, towards: Vec3) -> (Vec3, Vec<Vec3>) {
    let hull = hull_of(shape);
    let cosine = |normal: Vec3| (*at.rotation() * normal).dot(towards);
    let best = hull.facets().iter().max_by(|x, y| cosine(x.normal).total_cmp(&cosine(y.normal))).unwrap();
    let corners = best.corners.iter().map(|&corner| at.place(hull.corners()[corner as usize])).collect();
    (*at.rotation() * best.normal, corners)
}

fn off(one: Vec3, other: Vec3) -> f64 {
    (one - other).length()
}

/// Whether the normal is that of a face of A, or against that of a face of B; `None` if of neither.
fn is_normal_of_a(a: (&Convex, &Pose), b: (&Convex, &Pose), normal: Vec3) -> Option<bool> {
    let of_a = off(face_towards(a.0, a.1, normal).0, normal);
    let of_b = off(face_towards(b.0, b.1, -normal).0, -normal);
    (of_a.min(of_b) <= 1e-9).then_some(of_a <= of_b)
}

impl FaceClip {
    fn new(a: (&Convex, &Pose), b: (&Convex, &Pose), normal: Vec3) -> Option<Self> {
        let of_a = is_normal_of_a(a, b, normal)?;
        let (reference, incident, up) = if of_a { (a, b, normal) } else { (b, a, -normal) };
        let (_, below) = face_towards(reference.0, reference.1, up);
        let (slope, above) = face_towards(incident.0, incident.1, -up);
        // Along `up`, from the plane of the reference face to that of the incident face.
        let on_incident = above[0];
        let lift = |place: Vec3| up * (slope.dot(on_incident - place) / slope.dot(up));
        let drop = |place: Vec3| place - up * up.dot(place - below[0]);
        let above: Vec<Vec3> = above.into_iter().map(drop).collect();
        let is_in = |polygon: &[Vec3], turn: f64, place: Vec3| {
            (0..polygon.len()).all(|k| {
                let along = polygon[(k + 1) % polygon.len()] - polygon[k];
                turn * up.dot(along.cross(place - polygon[k])) >= -1e-12 * along.length()
            })
        };
        let mut feet: Vec<Vec3> = Vec::new();
        feet.extend(above.iter().filter(|place| is_in(&below, 1.0, **place)));
        feet.extend(below.iter().filter(|place| is_in(&above, -1.0, **place)));
        for i in 0..below.len() {
            for j in 0..above.len() {
                let (p, q) = (below[i], above[j]);
                let (u, v) = (below[(i + 1) % below.len()] - p, above[(j + 1) % above.len()] - q);
                let sine = up.dot(u.cross(v));
                let (s, t) = (up.dot((q - p).cross(v)) / sine, up.dot((q - p).cross(u)) / sine);
                if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
                    feet.push(p + u * s);
                }
            }
        }
        let mut points: Vec<(Vec3, f64)> = Vec::new();
        for foot in feet {
            if points.iter().all(|(known, _)| off(drop(*known), foot) > 1e-9) {
                points.push((foot + lift(foot) * 0.5, lift(foot).dot(up)));
            }
        }
        Some(Self { points })
    }

    fn within(&self, margin: f64) -> usize {
        self.points.iter().filter(|(_, height)| *height <= margin).count()
    }

    /// Whether a height is so near the limit that rounding decides.
    fn is_close_to(&self, margin: f64) -> bool {
        self.points.iter().any(|(_, height)| (height - margin).abs() < 1e-9)
    }
}

/// Area of a convex polygon of points in any order, seen along a normal.
fn area(places: impl Iterator<Item = Vec3>, normal: Vec3) -> f64 {
    let places: Vec<Vec3> = places.collect();
    let middle = places.iter().fold(Vec3::ZERO, |sum, place| sum + *place) / places.len() as f64;
    let aside = normal.any_orthonormal_vector();
    let angle = |place: &Vec3| {
        let out = *place - middle;
        out.dot(normal.cross(aside)).atan2(out.dot(aside))
    };
    let mut places = places;
    places.sort_by(|x, y| angle(x).total_cmp(&angle(y)));
    let count = places.len();
    (0..count).map(|k| normal.dot((places[k] - middle).cross(places[(k + 1) % count] - middle)) / 2.0).sum()
}

/// What every manifold of two hulls keeps: existence, distance and bound of `contact`; the separating translation.
fn is_sound(found: &Option<Contact>, a: (&Convex, &Pose), b: (&Convex, &Pose), margin: f64, what: &str) {
    let certified = contact(a.0, a.1, b.0, b.1, margin);
    assert_eq!(found.is_some(), certified.is_some(), "{what}: existence");
    let (Some(found), Some(certified)) = (found, certified) else { return };
    assert!((found.normal.length() - 1.0).abs() < 1e-12 && !found.points.is_empty(), "{what}: {found:?}");
    assert!(found.points.len() <= 4, "{what}: {} points", found.points.len());
    assert_eq!(found.separation_bound, certified.separation_bound, "{what}");
    let low = found.points.iter().map(|point| point.separation).fold(f64::INFINITY, f64::min);
    for point in &found.points {
        assert!(point.point.is_finite() && point.normal == found.normal, "{what}: {point:?}");
        assert!(point.separation >= found.separation - 1e-9, "{what}: {point:?} of {found:?}");
        assert!(point.separation <= margin.max(found.separation), "{what}: {point:?}");
    }
    if certified.separation > 0.0 {
        assert_eq!(found.separation, certified.separation, "{what}");
        return;
    }
    assert!(found.separation <= certified.separation + 1e-12, "{what}: {found:?} {certified:?}");
    let rounded = 4.0 * f64::EPSILON * found.separation.abs();
    assert!(found.separation_bound - found.separation <= found.error + rounded, "{what}: {found:?}");
    let is_replaced = found.normal != certified.normal;
    assert!(!is_replaced || low <= certified.separation + AS_DEEP, "{what}: not as deep as the shapes, {found:?}");
    let away = b.1.shifted(found.normal * -found.separation).unwrap();
    assert!(overlap(a.0, a.1, b.0, &away).is_none(), "{what}: still overlapping, {found:?}");
}

/// The points are those of the slow clip within the margin: all of them, or four.
fn is_clip(found: &Contact, a: (&Convex, &Pose), b: (&Convex, &Pose), margin: f64, what: &str) {
    let clip = FaceClip::new(a, b, found.normal).unwrap_or_else(|| panic!("{what}: no face normal, {found:?}"));
    for point in &found.points {
        let near = clip.points.iter().find(|(place, _)| off(*place, point.point) < 1e-8);
        let (_, height) = near.unwrap_or_else(|| panic!("{what}: {point:?} is no corner of {:?}", clip.points));
        assert!((height - point.separation).abs() < 1e-8, "{what}: {point:?}, height {height}");
    }
    if clip.is_close_to(margin) {
        return;
    }
    assert_eq!(found.points.len(), clip.within(margin).min(4), "{what}: {found:?}\n{:?}", clip.points);
    let depth = |heights: &mut dyn Iterator<Item = f64>| heights.fold(f64::INFINITY, f64::min);
    let deepest = depth(&mut clip.points.iter().map(|(_, height)| *height));
    let kept = depth(&mut found.points.iter().map(|point| point.separation));
    assert!(kept <= deepest + AS_DEEP, "{what}: {kept}, the deepest is {deepest}");
    if clip.within(margin) == clip.points.len() {
        let whole = area(clip.points.iter().map(|(place, _)| *place), found.normal);
        let held = area(found.points.iter().map(|point| point.point), found.normal);
        assert!(held >= 0.5 * whole, "{what}: {held} of {whole}");
    }
}

#[test]
fn two_boxes_tipped_by_a_twentieth_touch_in_four_points() {
    let (cube, mut random) = (cube(), SplitMix64::new(36));
    for round in 0..20_000 {
        let turn = tipped(&mut random, 0.05, 3.2);
        let [x, y] = [0, 1].map(|_| random.between(-0.05, 0.05));
        let at = pose(turn, Vec3::new(x, y, 1.0 + random.between(-0.06, 0.06)));
        let found = contact_manifold(&cube, &HERE, &cube, &at, 0.1);
        let what = format!("round {round}");
        is_sound(&found, (&cube, &HERE), (&cube, &at), 0.1, &what);
        let found = found.unwrap();
        assert_eq!(found.points.len(), 4, "{what}: {found:?}");
        is_clip(&found, (&cube, &HERE), (&cube, &at), 0.1, &what);
    }
}

#[test]
fn a_manifold_survives_any_small_tilt() {
    let (cube, mut random, mut four) = (cube(), SplitMix64::new(37), 0);
    for round in 0..40_000 {
        let tilt = random.between(0.0, 0.08);
        let turn = tipped(&mut random, tilt, [0.0, 0.1, 0.8, 3.2][round % 4]);
        let reach = [0.0, 0.1, 0.3, 0.5][round / 4 % 4];
        let [x, y] = [0, 1].map(|_| random.between(-reach, reach));
        let at = pose(turn, Vec3::new(x, y, 1.0 + random.between(-0.06, 0.06)));
        let margin = [0.1, 0.02, 0.0][round % 3];
        let found = contact_manifold(&cube, &HERE, &cube, &at, margin);
        let what = format!("round {round}, tilt {tilt}, margin {margin}");
        is_sound(&found, (&cube, &HERE), (&cube, &at), margin, &what);
        let Some(found) = found else { continue };
        if margin == 0.1 {
            is_clip(&found, (&cube, &HERE), (&cube, &at), margin, &what);
            four += usize::from(found.points.len() == 4);
        }
    }
    assert!(four > 12_500, "{four} of 13,334");
}

/// The points by features, in an order that does not depend on the order of the points.
fn sorted(found: &Contact) -> Vec<ContactPoint> {
    let mut points = found.points.to_vec();
    points.sort_by_key(|point| point.features);
    points
}

fn are_alike(found: &Contact, other: &Contact, place: impl Fn(Vec3) -> Vec3, turn: impl Fn(Vec3) -> Vec3, what: &str) {
    assert!(off(turn(found.normal), other.normal) < 1e-9, "{what}: {found:?}\n{other:?}");
    assert!((found.separation - other.separation).abs() < 1e-9, "{what}: {found:?}\n{other:?}");
    let (points, others) = (sorted(found), sorted(other));
    assert_eq!(points.len(), others.len(), "{what}: {found:?}\n{other:?}");
    for (x, y) in points.iter().zip(&others) {
        assert_eq!(x.features, y.features, "{what}: {found:?}\n{other:?}");
        assert!(off(place(x.point), y.point) < 1e-8, "{what}: {x:?} {y:?}");
        assert!((x.separation - y.separation).abs() < 1e-8, "{what}: {x:?} {y:?}");
    }
}

#[test]
fn swapped_and_moved_together_the_manifold_is_the_same() {
    let mut random = SplitMix64::new(38);
    let shapes = [cube(), Convex::cuboid(Vec3::new(0.6, 0.4, 0.5)).unwrap(), prism(24, 0.6, 0.5)];
    for round in 0..6_000 {
        let (a, b) = (&shapes[round % 3], &shapes[round / 3 % 3]);
        let tilt = random.between(0.001, 0.08);
        let turn = tipped(&mut random, tilt, 3.2);
        let [x, y] = [0, 1].map(|_| random.between(-0.2, 0.2));
        let at = pose(turn, Vec3::new(x, y, 1.0 + random.between(-0.06, 0.06)));
        let Some(found) = contact_manifold(a, &HERE, b, &at, 0.1) else { continue };
        let what = format!("round {round}");
        let swapped = contact_manifold(b, &at, a, &HERE, 0.1).unwrap().swapped();
        are_alike(&found, &swapped, |place| place, |direction| direction, &format!("{what}, swapped"));
        let moved = random_pose(&mut random, 2.0);
        let other = contact_manifold(a, &moved, b, &moved.compose(&at), 0.1).unwrap();
        are_alike(&found, &other, |place| moved.place(place), |direction| *moved.rotation() * direction, &what);
    }
}

#[test]
fn ridges_that_cross_keep_their_single_point() {
    let bar = Convex::cuboid(Vec3::new(2.0, 0.5, 0.5)).unwrap();
    let ridge = Quat::from_axis_angle(Vec3::X, FRAC_PI_4);
    let below = pose(ridge, Vec3::ZERO);
    let mut random = SplitMix64::new(39);
    for round in 0..2_000 {
        let across = Quat::from_axis_angle(Vec3::Z, FRAC_PI_2 + random.between(-0.7, 0.7));
        let gap = random.between(-0.05, 0.05);
        let at = pose(across * ridge, Vec3::Z * (2.0 * 0.5f64.sqrt() + gap));
        let found = contact_manifold(&bar, &below, &bar, &at, 0.1).unwrap();
        assert_eq!(found.points.len(), 1, "round {round}: {found:?}");
        assert!(off(found.normal, Vec3::Z) < 1e-9 && (found.separation - gap).abs() < 1e-9, "round {round}: {found:?}");
        assert!(matches!(found.points[0].features, [Feature::Edge(..), Feature::Edge(..)]), "{found:?}");
    }
}

#[test]
fn a_box_on_its_corner_touches_in_one_point() {
    let cube = cube();
    let on_corner = Quat::from_rotation_arc(Vec3::ONE.normalize(), Vec3::NEG_Z);
    let mut random = SplitMix64::new(40);
    for round in 0..500 {
        let twist = Quat::from_axis_angle(Vec3::Z, random.between(0.0, TAU));
        let [x, y] = [0, 1].map(|_| random.between(-0.3, 0.3));
        let gap = random.between(-0.05, 0.05);
        let at = pose(twist * on_corner, Vec3::new(x, y, 0.5 + 0.75f64.sqrt() + gap));
        let found = contact_manifold(&cube, &HERE, &cube, &at, 0.06).unwrap();
        assert_eq!(found.points.len(), 1, "round {round}: {found:?}");
        assert!(off(found.normal, Vec3::Z) < 1e-9 && (found.separation - gap).abs() < 1e-9, "round {round}: {found:?}");
    }
}

#[test]
fn contacts_of_curved_shapes_are_those_of_contact() {
    let curved = [
        Convex::sphere(0.4).unwrap(),
        Convex::capsule(0.2, 0.4).unwrap(),
        Convex::cylinder(0.4, 0.5).unwrap(),
        Convex::cone(0.4, 0.5).unwrap(),
    ];
    let (cube, mut random, mut met) = (cube(), SplitMix64::new(41), 0);
    for round in 0..8_000 {
        let (a, b) = (&curved[round % 4], if round % 3 == 0 { &curved[round / 4 % 4] } else { &cube });
        let (p, q) = match round % 2 {
            0 => (random_pose(&mut random, 0.4), random_pose(&mut random, 0.4)),
            _ => {
                let tilt = random.between(0.0, 0.08);
                (HERE, pose(tipped(&mut random, tilt, 3.2), Vec3::Z * random.between(0.7, 1.1)))
            }
        };
        let found = contact_manifold(a, &p, b, &q, 0.05);
        assert_eq!(found, contact(a, &p, b, &q, 0.05), "round {round}");
        met += usize::from(found.is_some());
    }
    assert!(met > 4_000, "{met}");
}

#[test]
fn a_box_on_a_half_space_has_all_corners_within_the_margin() {
    let floor = Convex::half_space(Vec3::Z, 0.0).unwrap();
    let mut random = SplitMix64::new(42);
    for (shape, least) in [(cube(), 4), (prism(24, 0.5, 0.5), 4)] {
        for round in 0..2_000 {
            let tilt = random.between(0.0, 0.05);
            let turn = tipped(&mut random, tilt, 3.2);
            let at = pose(turn, Vec3::Z * (0.5 + random.between(-0.06, 0.06)));
            let Some(found) = contact_manifold(&shape, &at, &floor, &HERE, 0.1) else { panic!("within the margin") };
            assert_eq!(found.points.len(), least, "round {round}: {found:?}");
            assert!(found.points.iter().all(|point| point.normal == Vec3::NEG_Z), "round {round}: {found:?}");
            for point in &found.points {
                let Feature::Corner(corner) = point.features[0] else { panic!("{point:?}") };
                let height = at.place(hull_of(&shape).corners()[corner as usize]).z;
                assert!((height - point.separation).abs() < 1e-9, "round {round}: {point:?}, height {height}");
            }
        }
    }
}

#[test]
fn a_long_box_across_another_touches_in_the_corners_of_the_crossing() {
    let beam = Convex::cuboid(Vec3::new(2.0, 0.1, 0.1)).unwrap();
    let mut random = SplitMix64::new(43);
    for round in 0..4_000 {
        let tilt = random.between(0.0, 0.05);
        let turn = tipped(&mut random, tilt, 0.5) * Quat::from_axis_angle(Vec3::Z, FRAC_PI_2);
        let [x, y] = [0, 1].map(|_| random.between(-0.1, 0.1));
        let at = pose(turn, Vec3::new(x, y, 0.2 + random.between(-0.012, 0.012)));
        let found = contact_manifold(&beam, &HERE, &beam, &at, 0.05);
        let what = format!("round {round}, tilt {tilt}");
        is_sound(&found, (&beam, &HERE), (&beam, &at), 0.05, &what);
        let found = found.unwrap();
        is_clip(&found, (&beam, &HERE), (&beam, &at), 0.05, &what);
        assert_eq!(found.points.len(), 4, "{what}: {found:?}");
        let are_edges = |point: &ContactPoint| matches!(point.features, [Feature::Edge(..), Feature::Edge(..)]);
        assert!(found.points.iter().all(are_edges), "{what}: {found:?}");
    }
}

#[test]
fn hulls_of_many_facets_touch_in_four_points_that_do_not_jitter() {
    let (a, b) = (prism(24, 0.6, 0.5), prism(20, 0.5, 0.5));
    assert!(hull_of(&a).facets().len() > 20 && hull_of(&b).facets().len() > 20);
    let mut random = SplitMix64::new(44);
    for round in 0..3_000 {
        let tilt = random.between(0.0, 0.06);
        let turn = tipped(&mut random, tilt, 3.2);
        let [x, y] = [0, 1].map(|_| random.between(-0.2, 0.2));
        let place = Vec3::new(x, y, 1.0 + random.between(-0.04, 0.04));
        let at = pose(turn, place);
        let found = contact_manifold(&a, &HERE, &b, &at, 0.1);
        let what = format!("round {round}, tilt {tilt}");
        is_sound(&found, (&a, &HERE), (&b, &at), 0.1, &what);
        let found = found.unwrap();
        is_clip(&found, (&a, &HERE), (&b, &at), 0.1, &what);
        let names = |found: &Contact| sorted(found).iter().map(|point| point.features).collect::<Vec<_>>();
        let jitter = pose(turn, place + unit_vector(&mut random) * 1e-10);
        let next = contact_manifold(&a, &HERE, &b, &jitter, 0.1).unwrap();
        assert_eq!(names(&found), names(&next), "{what}");
    }
    // Flat on each other, where all corners are equally deep.
    let flat = |shift: Vec3| contact_manifold(&a, &HERE, &b, &pose(Quat::IDENTITY, shift), 0.1).unwrap();
    let first = sorted(&flat(Vec3::Z * 0.99)).iter().map(|point| point.features).collect::<Vec<_>>();
    assert_eq!(first.len(), 4);
    for round in 0..200 {
        let turn = tipped(&mut random, 1e-7, 0.0);
        let at = pose(turn, Vec3::Z * 0.99 + unit_vector(&mut random) * 1e-7);
        let found = contact_manifold(&a, &HERE, &b, &at, 0.1).unwrap();
        let names = sorted(&found).iter().map(|point| point.features).collect::<Vec<_>>();
        assert_eq!(names, first, "round {round}");
    }
}

#[test]
fn features_stay_while_a_box_rocks_whichever_face_cuts() {
    let cube = cube();
    for twist in [0.0, 0.1] {
        let (mut names, mut of_a) = (None, [0, 0]);
        for step in -40..=40 {
            let tilt = Quat::from_axis_angle(Vec3::new(-0.6, 0.8, 0.0), step as f64 * 1.25e-3);
            let turn = tilt * Quat::from_axis_angle(Vec3::Z, twist);
            let at = pose(turn, Vec3::new(0.45, 0.4, 0.99));
            let found = contact_manifold(&cube, &HERE, &cube, &at, 0.1).unwrap();
            let now: Vec<_> = sorted(&found).iter().map(|point| point.features).collect();
            assert_eq!(now.len(), 4);
            of_a[usize::from(off(found.normal, Vec3::Z) < 1e-9)] += 1;
            assert_eq!(*names.get_or_insert_with(|| now.clone()), now, "twist {twist}, step {step}");
        }
        assert!(of_a.iter().all(|count| *count > 10), "both faces cut: {of_a:?}");
    }
}

#[test]
fn random_hulls_exist_as_contact_says_with_honest_points() {
    let mut random = SplitMix64::new(45);
    let mut cloud = |count: usize, scale: Vec3| {
        let points: Vec<Vec3> = (0..count).map(|_| unit_vector(&mut random) * scale).collect();
        Convex::hull(&points).unwrap()
    };
    let shapes = [
        cube(),
        Convex::cuboid(Vec3::new(0.5, 0.5, 0.02)).unwrap(),
        Convex::cuboid(Vec3::new(1.5, 0.1, 0.1)).unwrap(),
        cloud(8, Vec3::splat(0.6)),
        cloud(40, Vec3::splat(0.6)),
        cloud(12, Vec3::new(0.8, 0.6, 0.1)),
        Convex::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap(),
        Convex::triangle([Vec3::ZERO, Vec3::X, Vec3::Y]).unwrap(),
        cube().with_margin(0.05).unwrap(),
    ];
    let (mut cache, mut snapped) = (PairCache::default(), 0);
    for round in 0..30_000 {
        let (a, b) = (&shapes[round % 9], &shapes[round / 9 % 9]);
        let (p, q) = (random_pose(&mut random, 0.2), random_pose(&mut random, 0.7));
        let margin = [0.0, 0.05, 0.3][round % 3];
        let found = contact_manifold(a, &p, b, &q, margin);
        let what = format!("round {round}");
        is_sound(&found, (a, &p), (b, &q), margin, &what);
        assert_eq!(cache.contact_manifold(a, &p, b, &q, margin), found, "{what}: with a cache");
        let certified = contact(a, &p, b, &q, margin);
        snapped += usize::from(found.zip(certified).is_some_and(|(x, y)| x.normal != y.normal));
    }
    assert!(snapped > 100, "{snapped}");
}
