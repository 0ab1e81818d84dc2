//! All verbs and single methods at the ends of the range of numbers, and of hulls that are points, segments and polygons.

use crate::forms::{distance_in_budget, distance_within, outcome};
use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
use heurt_query::{
    Batch, Budget, CastOptions, Contact, ContactOptions, Distance, OverlapOptions, PairCache, Ray,
    algorithm::{
        GjkDirections, WeightRule, contact_by_separating_axes, depth_by_epa, distance_by_closest_features,
        distance_by_gjk, overlap_by_separating_plane, passage_by_separating_axes, separation_in_closed_form,
    },
    cast, closest, contact, contact_manifold_with, contains, distance, overlap, overlap_with, pairs, ray,
};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::fmt::Debug;
use std::sync::Arc;

const HERE: Pose = Pose::IDENTITY;

/// Why a shape cannot be made.
type Refusal = Box<dyn std::error::Error>;

fn convex(name: &str, size: f64) -> Result<Convex, Refusal> {
    let [p, q, r] = [Vec3::new(0.5, 0.1, -0.3), Vec3::new(-0.4, 0.5, 0.2), Vec3::new(0.1, -0.6, 0.3)].map(|p| p * size);
    let mut random = Random::new(7);
    Ok(match name {
        "point" => Convex::point(),
        "segment" => Convex::segment([p, q])?,
        "triangle" => Convex::triangle([p, q, r])?,
        "sphere" => Convex::sphere(0.5 * size)?,
        "capsule" => Convex::capsule(0.3 * size, 0.5 * size)?,
        "box" => Convex::cuboid(Vec3::new(0.5, 0.4, 0.3) * size)?,
        "rounded box" => Convex::cuboid(Vec3::new(0.4, 0.3, 0.3) * size)?.with_margin(0.1 * size)?,
        "hull" => Convex::hull(&(0..24).map(|_| random.vector(0.7) * size).collect::<Vec<_>>())?,
        "cylinder" => Convex::cylinder(0.4 * size, 0.5 * size)?,
        "cone" => Convex::cone(0.5 * size, 0.5 * size)?,
        "ellipsoid" => Convex::ellipsoid(Vec3::new(0.6, 0.4, 0.3) * size)?,
        "superellipsoid" => Convex::superellipsoid(Vec3::new(0.5, 0.4, 0.3) * size, 0.5, 1.5)?,
        _ => Convex::half_space(Vec3::new(0.2, -0.3, 1.0), 0.1 * size)?,
    })
}

const CONVEX: [&str; 13] = [
    "point",
    "segment",
    "triangle",
    "sphere",
    "capsule",
    "box",
    "rounded box",
    "hull",
    "cylinder",
    "cone",
    "ellipsoid",
    "superellipsoid",
    "half-space",
];
const OTHERS: [&str; 7] = ["mesh", "sheet", "rounded mesh", "compound", "star", "supertoroid", "rounded supertoroid"];

fn other(name: &str, size: f64) -> Result<Shape, Refusal> {
    let mesh = |mesh: TriMesh| -> Result<Arc<MeshShape>, Refusal> { Ok(Arc::new(MeshShape::new(mesh.scaled(size)?)?)) };
    let ring = || -> Result<SuperquadricShape, Refusal> {
        Ok(Superquadric::Toroid(Supertoroid::new(0.5 * size, 0.2 * size, 0.8, 1.2)?).into())
    };
    Ok(match name {
        "mesh" => Shape::Mesh(mesh(generate::torus(0.5, 0.2, 8, 6)?)?),
        "sheet" => {
            let heights = vec![vec![0.0, 0.2, 0.1], vec![0.1, 0.0, -0.2], vec![0.0, 0.1, 0.3]];
            Shape::Mesh(mesh(generate::height_field([-0.5, -0.5], [0.5, 0.5], &heights)?)?)
        }
        "rounded mesh" => RoundedMesh::new(mesh(generate::torus(0.5, 0.2, 8, 6)?)?, 0.05 * size)?.into(),
        "compound" => {
            let part = |name: &str, x: f64| -> Result<(Shape, Pose), Refusal> {
                Ok((convex(name, 0.6 * size)?.into(), Pose::from_translation(Vec3::X * (x * size))?))
            };
            Compound::new([part("box", 0.0)?, part("sphere", 0.4)?, part("capsule", -0.3)?])?.into()
        }
        "star" => {
            Superquadric::Ellipsoid(Superellipsoid::new([0.6, 0.5, 0.4].map(|radius| radius * size), 3.0, 2.5)?).into()
        }
        "supertoroid" => ring()?.into(),
        _ => ring()?.with_margin(0.1 * size)?.into(),
    })
}

/// All kinds about so large, as far as they can be made.
fn shapes(size: f64) -> Vec<(&'static str, Shape)> {
    let of_convex = CONVEX.into_iter().filter_map(|name| Some((name, convex(name, size).ok()?.into())));
    let of_others = OTHERS.into_iter().filter_map(|name| Some((name, other(name, size).ok()?)));
    of_convex.chain(of_others).collect()
}

/// Faults, and what is asked just now, which is told where an answer panics.
#[derive(Default)]
struct QueryChecks {
    what: String,
    count: usize,
    faults: Vec<String>,
}

impl QueryChecks {
    /// No number of an answer may be none.
    fn record<T: Debug>(&mut self, verb: &str, answer: T) -> T {
        self.count += 1;
        let shown = format!("{answer:?}");
        self.check(!shown.contains("NaN"), || format!("{verb}: {shown}"));
        answer
    }

    fn check(&mut self, holds: bool, fault: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(format!("{}: {}", self.what, fault()));
        }
    }
}

impl Drop for QueryChecks {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("that was {}", self.what);
        }
    }
}

impl QueryChecks {
    fn end(self) {
        println!("{} answers", self.count);
        let first = self.faults[..self.faults.len().min(40)].join("\n");
        assert!(self.faults.is_empty(), "{} faults:\n{first}", self.faults.len());
    }
}

fn is_exact_superquadric(shape: &Shape) -> bool {
    matches!(shape, Shape::Superquadric(_))
}

/// Contacts of superquadrics take their time: they are asked within a budget alone.
fn contact_of(a: &Shape, p: &Pose, b: &Shape, q: &Pose) -> Option<Contact> {
    let is_tested = !is_exact_superquadric(a) && !is_exact_superquadric(b);
    is_tested.then(|| contact(a, p, b, q, f64::INFINITY)).flatten()
}

/// Asks all that there is to ask about two shapes of such a size.
fn check_all(
    checks: &mut QueryChecks,
    (a, p): (&Shape, &Pose),
    (b, q): (&Shape, &Pose),
    size: f64,
) -> (Distance, Option<Contact>) {
    let overlaps = checks.record("overlap", overlap(a, p, b, q)).is_some();
    let gap = checks.record("distance", distance(a, p, b, q));
    checks.check(overlaps == (gap.distance == 0.0), || format!("overlap {overlaps}, {gap:?}"));
    checks.check(gap.point_a.is_finite() && gap.point_b.is_finite(), || format!("{gap:?}"));
    let within = checks.record("distance_within", distance_within(a, p, b, q, gap.distance * 0.5));
    checks.check(within.is_some() == overlaps, || format!("within half: {within:?}"));
    let touch = checks.record("contact", contact_of(a, p, b, q));
    if let Some(touch) = &touch {
        checks.check((touch.separation <= 0.0) == overlaps, || format!("overlap {overlaps}, {touch:?}"));
    }
    checks.record("pairs", pairs(a, p, b, q).len());
    let mut cache = PairCache::default();
    for _ in 0..2 {
        let found = checks.record("cached distance", cache.distance(a, p, b, q));
        let room = gap.error + found.error;
        checks.check((found.distance - gap.distance).abs() <= room, || format!("{found:?} kept, {gap:?}"));
        checks.check(cache.overlaps(a, p, b, q) == overlaps, || "overlap kept".to_owned());
        checks.record(
            "cached contact",
            cache.contact_manifold_with(a, p, b, q, &ContactOptions { max_distance: size, budget: budget() }).outcome,
        );
    }
    checks.record(
        "budget",
        outcome(contact_manifold_with(a, p, b, q, &ContactOptions { max_distance: size, budget: budget() })),
    );
    checks.record("budget", outcome(overlap_with(a, p, b, q, &OverlapOptions { budget: budget() })));
    checks.record("budget", distance_in_budget(a, p, b, q, &budget()));
    let options = CastOptions::default();
    if let Ok(motion) = Motion::screw(Vec3::new(-5.0, 0.1, 0.2) * size, Vec3::new(0.1, 0.2, -0.1)) {
        let _ = checks.record("cast", cast(a, p, &Motion::STILL, b, q, &motion, &options));
    }
    if let (Shape::Convex(a), Shape::Convex(b)) = (a, b) {
        check_methods(checks, (a, p), (b, q), size);
    }
    (gap, touch)
}

fn budget() -> Budget<'static> {
    Budget { work: Some(300), ..Budget::default() }
}

fn check_methods(checks: &mut QueryChecks, (a, p): (&Convex, &Pose), (b, q): (&Convex, &Pose), size: f64) {
    if let Some(found) = checks.record("closed form", separation_in_closed_form(a, p, b, q)) {
        let known = heurt_query::separation(a, p, b, q);
        let largest = a.core().max_coordinate()
            + b.core().max_coordinate()
            + a.margin()
            + b.margin()
            + p.max_translation()
            + q.max_translation();
        let room = known.error + 64.0 * f64::EPSILON * largest;
        let is_same = found.separation == known.separation || (found.separation - known.separation).abs() <= room;
        checks.check(is_same, || format!("{found:?}, {known:?}"));
    }
    for directions in [GjkDirections::Plain, GjkDirections::Nesterov, GjkDirections::Secants] {
        checks.record("gjk", distance_by_gjk(a, p, b, q, directions));
    }
    checks.record("epa", depth_by_epa(a, p, b, q));
    checks.record("closest features", distance_by_closest_features(a, p, b, q));
    checks.record("separating axes", contact_by_separating_axes(a, p, b, q));
    for rule in [WeightRule::Fixed, WeightRule::Decreasing, WeightRule::Proportional] {
        checks.record("separating plane", overlap_by_separating_plane(a, p, b, q, rule));
    }
    checks.record("passage", passage_by_separating_axes(a, p, b, q, Vec3::new(-5.0, 0.1, 0.2) * size));
}

/// Points and rays about a shape of such a size.
fn check_one(checks: &mut QueryChecks, (a, p): (&Shape, &Pose), size: f64) {
    for place in [Vec3::ZERO, Vec3::new(0.05, 0.1, 0.02), Vec3::new(3.0, -2.0, 1.0)] {
        let point = place * size;
        let found = checks.record("closest", closest(a, p, point));
        checks.record("contains", contains(a, p, point));
        checks.check(found.point.is_finite(), || format!("closest {found:?}"));
        for direction in [Vec3::X, Vec3::new(-3.0, 2.0, -1.0) * size, Vec3::splat(1e-300)] {
            let along = Ray::new(point, direction, f64::INFINITY).unwrap();
            // How many lengths of 1e-300 m it takes may be no number, and then the place is none.
            if let Some(hit) = ray(a, p, &along).filter(|hit| hit.t.is_finite()) {
                checks.record("ray", hit);
            }
        }
    }
}

/// A tenth of the largest and ten times the least that exact superquadrics may be.
const SUPERQUADRICS: [f64; 2] = [1e89, 1e-89];

#[test]
fn all_sizes_are_answered_as_one_metre_is() {
    let mut checks = QueryChecks::default();
    let unit = shapes(1.0);
    assert_eq!(unit.len(), CONVEX.len() + OTHERS.len());
    // The last two are what exact superquadrics may measure: they are asked with all others there.
    for size in [1e300, 1e154, 1e-154, 1e-300, SUPERQUADRICS[0], SUPERQUADRICS[1]] {
        let sized = shapes(size);
        let are_superquadrics = SUPERQUADRICS.contains(&size);
        // Exact superquadrics alone have narrower limits.
        let is_made = |name: &str| sized.iter().any(|(made, _)| *made == name);
        let may_lack = |shape: &Shape| is_exact_superquadric(shape) && !are_superquadrics;
        assert!(unit.iter().all(|(name, shape)| is_made(name) || may_lack(shape)), "{size:e}");
        for (i, (name_a, a)) in sized.iter().enumerate() {
            checks.what = format!("{name_a} of {size:e}");
            check_one(&mut checks, (a, &HERE), size);
            for (name_b, b) in &sized[i..] {
                let [of_a, of_b] = [a, b].map(is_exact_superquadric);
                if of_a && of_b && name_a != name_b || are_superquadrics && !of_a && !of_b {
                    continue;
                }
                for &x in if are_superquadrics { &[0.4][..] } else { &[4.0, 0.4] } {
                    let turned = Pose::from_quaternion([0.0, 0.6, 0.0, 0.8], Vec3::new(x, 0.1, 0.2) * size).unwrap();
                    let of_metre = Pose::from_quaternion([0.0, 0.6, 0.0, 0.8], Vec3::new(x, 0.1, 0.2)).unwrap();
                    checks.what = format!("{name_a} and {name_b} of {size:e} at {x}");
                    let (gap, touch) = check_all(&mut checks, (a, &HERE), (b, &turned), size);
                    let of_unit = |name: &str| &unit.iter().find(|(n, _)| *n == name).unwrap().1;
                    let known = distance(of_unit(name_a), &HERE, of_unit(name_b), &of_metre);
                    let room = gap.error / size + known.error + 1e-12;
                    checks
                        .check((gap.distance / size - known.distance).abs() <= room, || format!("{gap:?}, {known:?}"));
                    let known = contact_of(of_unit(name_a), &HERE, of_unit(name_b), &of_metre);
                    if let (Some(touch), Some(known)) = (&touch, &known) {
                        let room = touch.error / size + known.error + 1e-12;
                        let off = (touch.separation / size - known.separation).abs();
                        let is_same = off <= room || touch.separation == known.separation;
                        checks.check(is_same, || format!("{touch:?}, {known:?}"));
                    }
                    checks.check(touch.is_some() == known.is_some(), || format!("{touch:?}, {known:?}"));
                }
            }
        }
    }
    checks.end();
}

/// Sizes that are as unlike as they may be, and shapes of a metre where coordinates end.
#[test]
fn unlike_sizes_and_far_places_are_answered_without_a_gap() {
    let mut checks = QueryChecks::default();
    let [large, unit, small] = [1e300, 1.0, 1e-300].map(shapes);
    let places = [Vec3::ZERO, Vec3::X * 1e300, Vec3::new(-1e300, 1e154, 3.0), Vec3::Y * 1e-300, Vec3::splat(1e154)];
    let sets = [(&large, &small, 1e300), (&large, &unit, 1e300), (&unit, &small, 1.0), (&unit, &unit, 1.0)];
    for (of_a, of_b, size) in sets {
        for (i, (name_a, a)) in of_a.iter().enumerate() {
            for (j, (name_b, b)) in of_b.iter().enumerate() {
                // One pair in three: every kind comes together with a third of the others.
                if is_exact_superquadric(a) && is_exact_superquadric(b) || (i + j) % 3 > 0 {
                    continue;
                }
                let place = places[(i + j) / 3 % places.len()];
                checks.what = format!("{name_a} of {size:e} and {name_b} at {place}");
                let q = Pose::from_translation(place).unwrap();
                check_unlike(&mut checks, (a, &HERE), (b, &q));
                if i == 0 {
                    check_one(&mut checks, (b, &q), size);
                }
            }
        }
    }
    checks.end();
}

/// Where roundings may tell otherwise of the one that is far or small, answers need not agree, but must be numbers.
fn check_unlike(checks: &mut QueryChecks, (a, p): (&Shape, &Pose), (b, q): (&Shape, &Pose)) {
    checks.record("overlap", overlap(a, p, b, q));
    let gap = checks.record("distance", distance(a, p, b, q));
    checks.check(gap.point_a.is_finite() && gap.point_b.is_finite(), || format!("{gap:?}"));
    checks.record("distance_within", distance_within(a, p, b, q, 1.0));
    checks.record("contact", contact_of(a, p, b, q));
    checks.record(
        "budget",
        outcome(contact_manifold_with(a, p, b, q, &ContactOptions { max_distance: 1.0, budget: budget() })),
    );
    let mut cache = PairCache::default();
    for _ in 0..2 {
        checks.record("cached distance", cache.distance(a, p, b, q));
        checks.record(
            "cached contact",
            cache.contact_manifold_with(a, p, b, q, &ContactOptions { max_distance: 1.0, budget: budget() }).outcome,
        );
        checks.record("cached overlap", cache.overlaps(a, p, b, q));
    }
    let motion = Motion::linear(Vec3::new(1e100, 0.0, -1.0)).unwrap();
    let _ = checks.record("cast", cast(a, p, &Motion::STILL, b, q, &motion, &CastOptions::default()));
    if let (Shape::Convex(a), Shape::Convex(b)) = (a, b) {
        check_methods(checks, (a, p), (b, q), 1.0);
    }
}

#[test]
fn batches_of_any_size_answer_as_single_questions_do() {
    for size in [1e300, 1e154, 1e-154, 1e-300] {
        let all = shapes(size);
        let count = all.len() as u32;
        let pairs: Vec<[u32; 2]> = (0..count).flat_map(|i| (0..i).map(move |j| [j, i])).collect();
        let is_tested = |[i, j]: &[u32; 2]| ![i, j].into_iter().all(|&k| is_exact_superquadric(&all[k as usize].1));
        let pairs: Vec<[u32; 2]> = pairs.into_iter().filter(is_tested).collect();
        let batch = Batch::new(all.iter().map(|(_, shape)| shape), pairs.iter().copied()).unwrap();
        let mut random = Random::new(3);
        let place = |random: &mut Random| Pose::from_translation(random.vector(0.8) * size).unwrap();
        let poses: Vec<Pose> = (0..2 * count).map(|_| place(&mut random)).collect();
        let (overlaps, distances) = (batch.overlaps(&poses).unwrap(), batch.distances(&poses, size).unwrap());
        for (row, poses) in poses.chunks(all.len()).enumerate() {
            for (k, &[i, j]) in pairs.iter().enumerate() {
                let [i, j] = [i as usize, j as usize];
                let what = format!("{} and {} of {size:e}", all[i].0, all[j].0);
                let (a, b) = (&all[i].1, &all[j].1);
                let number = row * pairs.len() + k;
                assert_eq!(overlaps[number], overlap(a, &poses[i], b, &poses[j]).is_some(), "{what}");
                let expected = distance_within(a, &poses[i], b, &poses[j], size);
                let found = distances[number];
                assert_eq!(found.is_some(), expected.is_some(), "{what}");
                if let (Some(found), Some(expected)) = (found, expected) {
                    let off = (found.distance - expected.distance).abs();
                    assert!(off <= found.error + expected.error, "{what}: {found:?} {expected:?}");
                }
            }
        }
    }
}

/// What a cloud of points is: the same set, by name, from many points and from as few as it takes.
fn flat_hulls() -> Vec<(&'static str, Convex, Convex)> {
    let [o, x, y] = [Vec3::new(0.125, -0.0625, 0.25), Vec3::new(0.5, 0.25, -0.125), Vec3::new(-0.25, 0.5, 0.375)];
    let on_line = |k: i32| o + x * (f64::from(k) / 8.0);
    let on_plane = |i: i32, j: i32| o + x * (f64::from(i) / 4.0) + y * (f64::from(j) / 4.0);
    let grid = || (-4..=4).flat_map(|i| (-4..=4).map(move |j| (i, j)));
    let square: Vec<Vec3> = grid().map(|(i, j)| on_plane(i, j)).collect();
    let triangle: Vec<Vec3> = grid().filter(|(i, j)| i + j <= 0).map(|(i, j)| on_plane(i, j)).collect();
    let corners = [on_plane(-4, -4), on_plane(4, -4), on_plane(-4, 4), on_plane(4, 4)];
    let hull = |points: &[Vec3]| Convex::hull(points).unwrap();
    vec![
        ("one point", hull(&[o; 6]), hull(&[o])),
        ("points on a line", hull(&[-8, 3, 8, 0, 8, -5].map(on_line)), Convex::segment([-8, 8].map(on_line)).unwrap()),
        ("points of a triangle", hull(&triangle), Convex::triangle([corners[0], corners[1], corners[2]]).unwrap()),
        ("points of a parallelogram", hull(&square), hull(&corners)),
    ]
}

/// Coincident, collinear and coplanar points are a point, a segment and a polygon to every verb, with a margin and without.
#[test]
fn hulls_without_a_volume_are_what_they_span() {
    let (mut checks, mut random, all) = (QueryChecks::default(), Random::new(21), shapes(1.0));
    let mut meeting = 0;
    for (name, many, few) in flat_hulls() {
        for margin in [0.0, 0.15] {
            let [many, few] = [&many, &few].map(|hull| Shape::from(hull.clone().with_margin(margin).unwrap()));
            for (with, b) in &all {
                for round in 0..4 {
                    let reach = if round % 2 == 0 { 0.3 } else { 1.0 };
                    let (p, q) = (random.pose(reach), random.pose(reach));
                    checks.what = format!("{name} within {margin} and {with}, {round}");
                    meeting += usize::from(are_the_same(&mut checks, [&many, &few], &p, (b, &q)));
                }
            }
            for _ in 0..40 {
                let (p, point, direction) = (random.pose(1.0), random.vector(1.0), random.vector(1.0));
                let [found, known] = [&many, &few].map(|hull| closest(hull, &p, point));
                let room = found.error + known.error + 1e-14;
                checks.check((found.distance - known.distance).abs() <= room, || format!("{found:?}, {known:?}"));
                checks.check(found.inside == known.inside, || format!("{found:?}, {known:?}"));
                let along = Ray::new(p.place(Vec3::new(0.125, -0.0625, 0.25)) - direction, direction, 2.0).unwrap();
                let [found, known] = [&many, &few].map(|hull| checks.record("ray", ray(hull, &p, &along)));
                let is_same = match (found, known) {
                    (Some(found), Some(known)) => (found.t - known.t).abs() <= found.error + known.error + 1e-14,
                    // A ray hits what has no area by chance.
                    (found, known) => found.is_none() == known.is_none() || margin == 0.0,
                };
                checks.check(is_same, || format!("{found:?}, {known:?}"));
            }
        }
    }
    println!("{meeting} meet");
    assert!(meeting > 150, "{meeting}");
    checks.end();
}

/// Asks about the same set given in two ways; whether it meets the other shape.
fn are_the_same(checks: &mut QueryChecks, [many, few]: [&Shape; 2], p: &Pose, (b, q): (&Shape, &Pose)) -> bool {
    let meets = overlap(few, p, b, q).is_some();
    let overlaps = overlap(many, p, b, q).is_some();
    checks.check(overlaps == meets, || format!("overlap {overlaps}, of few points {meets}"));
    let [found, known] = [many, few].map(|hull| checks.record("distance", distance(hull, p, b, q)));
    let room = found.error + known.error + 1e-14;
    checks.check((found.distance - known.distance).abs() <= room, || format!("{found:?}, of few points {known:?}"));
    let limit = known.distance * 0.75;
    let within = distance_within(many, p, b, q, limit).is_some();
    checks.check(within == meets, || format!("within {limit}: {within}"));
    let mut cache = PairCache::default();
    for _ in 0..2 {
        let kept = cache.distance(many, p, b, q);
        let room = kept.error + known.error + 1e-14;
        checks.check((kept.distance - known.distance).abs() <= room, || format!("{kept:?}, of few points {known:?}"));
    }
    if let [Some(found), Some(known)] = [many, few].map(|hull| checks.record("contact", contact_of(hull, p, b, q))) {
        let room = found.error + known.error + 1e-14;
        let off = (found.separation - known.separation).abs();
        checks.check(off <= room, || format!("{found:?}, of few points {known:?}"));
        let is_past = found.separation_bound < known.separation - room;
        checks.check(!is_past, || format!("{found:?} is deeper at least than {known:?}"));
        if found.separation <= 0.0 {
            let away = Pose::from_translation(found.normal * -found.separation).unwrap().compose(q);
            let still = overlap(many, p, b, &away).is_some();
            checks.check(!still, || format!("still overlapping after {found:?}"));
        }
    }
    let motion = Motion::screw(p.translation() - q.translation(), Vec3::new(0.3, -0.2, 0.1)).unwrap();
    let casts = [many, few].map(|hull| {
        let found = cast(hull, p, &Motion::STILL, b, q, &motion, &CastOptions::default());
        found.map_err(|error| error.to_string())
    });
    if let [Ok(found), Ok(known)] = &casts {
        let is_same = match (found, known) {
            (Some(found), Some(known)) => (found.time - known.time).abs() <= 1e-3,
            // What has no volume may pass by others within the tolerance.
            (found, known) => found.is_none() == known.is_none(),
        };
        checks.check(is_same, || format!("{found:?}, of few points {known:?}"));
    }
    checks.check(casts[0].is_ok() == casts[1].is_ok(), || format!("{casts:?}"));
    if let (Shape::Convex(a), Shape::Convex(b)) = (many, b) {
        check_methods(checks, (a, p), (b, q), 1.0);
    }
    meets
}

/// What overlaps in a set as thin as 1e-12 does so in a point of both.
#[test]
fn common_points_of_thin_hulls_are_in_both() {
    let thin = [
        [-0.7559990433013044, 0.08608337381607267, 4.850913815955416e-13],
        [0.6463566115929109, 0.19234573771893015, 4.1205883779308916e-13],
        [-0.04469446756415563, 0.5182483794697306, 1.9452219698969618e-13],
        [-0.3618911598718344, -0.7038480139435204, 3.021599211695232e-13],
        [0.9864192430845207, -0.8262732609184538, -1.9379113556257897e-13],
    ];
    let thin = Convex::hull(&thin.map(Vec3::from_array)).unwrap();
    let point = Vec3::new(0.8448201753505116, 0.6035540423291244, -0.32337162604394715);
    let rows = [
        [0.7265252700735426, 0.23505172016213427, -0.6456870145770222],
        [0.668267189445538, -0.022981811947711872, 0.7435662713102049],
        [0.1599374735799191, -0.9717111325740904, -0.17377421953917938],
    ];
    let p = Pose::from_matrix(heurt_geometry::Mat3::from_cols_array_2d(&rows).transpose(), Vec3::ZERO).unwrap();
    let turned = heurt_geometry::Mat3::from_cols_array_2d(&[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
    let q =
        Pose::from_matrix(turned, Vec3::new(0.2504366887572173, -0.8145363829442804, -0.20297017724290717)).unwrap();
    let found = distance(&thin, &p, &Convex::hull(&[point]).unwrap(), &q);
    assert_eq!(found.distance, 0.0);
    assert!((found.point_b - q.place(point)).length() < 1e-12, "{found:?}, {}", q.place(point));
}

/// A gap of a part in 1e50 of the coordinates is told as one of some ulp, along a way that parts them as well as any.
#[test]
fn parallel_plates_of_1e50_metres_are_apart_within_some_ulp() {
    let corners = [[1e50, 0.0], [0.0, 1e50], [-1e50, -1e50], [1e49, 1e49]].map(|[x, y]| Vec3::new(x, y, 0.0));
    let plate = Convex::hull(&corners).unwrap();
    let above = Pose::from_translation(Vec3::new(3.0, 5.0, 1.0)).unwrap();
    let found = distance(&plate, &HERE, &plate, &above);
    assert!(found.distance > 0.0 && found.error <= 64.0 * f64::EPSILON * 1e50, "{found:?}");
    assert!(found.normal.unwrap().z.abs() > 0.999_999, "{found:?}");
}
