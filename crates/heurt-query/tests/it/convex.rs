//! Convex shapes against exact arithmetic: hard pairs of hulls, swapped and moved.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate;
use heurt_query::{PairCache, contact, distance, overlap, separation};
use heurt_shape::{Convex, Core, MeshShape};
use heurt_testkit::hard::convex_pairs::{ConvexKind, convex_pair};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::certificate::ConvexCertificate;
use heurt_testkit::oracle::convex::{gap_along, hull_distance, hulls_meet, penetration_depth};
use heurt_testkit::test_size;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const HERE: Pose = Pose::IDENTITY;

fn largest(points: &[Vec3]) -> f64 {
    points.iter().fold(0.0, |most, p| f64::max(most, p.abs().max_element()))
}

/// How many pairs the oracle is asked about though the certificate has told of them.
const SAMPLE: u64 = 50;

/// What is known of a pair for certain.
struct Truth<'a> {
    a: &'a [Vec3],
    b: &'a [Vec3],
    certificate: Option<ConvexCertificate>,
    /// Whether the oracle is asked in any case.
    tests_both: bool,
    /// How often it was asked for want of a certificate.
    exact_tests: u64,
    faults: Vec<String>,
}

impl<'a> Truth<'a> {
    fn new(a: &'a [Vec3], b: &'a [Vec3], tests_both: bool) -> Self {
        Self { a, b, certificate: ConvexCertificate::new(a, b), tests_both, exact_tests: 0, faults: Vec::new() }
    }

    /// What is certified, else what the oracle says; both where they are to be compared.
    fn value(
        &mut self,
        what: &str,
        certified: impl Fn(&ConvexCertificate) -> Option<f64>,
        exact: impl Fn(&[Vec3], &[Vec3]) -> f64,
    ) -> f64 {
        let certified = self.certificate.as_ref().and_then(certified);
        if let Some(certified) = certified.filter(|_| !self.tests_both) {
            return certified;
        }
        self.exact_tests += 1;
        let exact = exact(self.a, self.b);
        let room = 4.0 * f64::EPSILON * exact.abs() + 2f64.powi(-70) * largest(self.a).max(largest(self.b));
        if let Some(certified) = certified
            && ((certified - exact).abs() > room || (certified == 0.0) != (exact == 0.0))
        {
            self.faults.push(format!("certified {what} {certified:e}, exactly {exact:e}"));
        }
        exact
    }

    fn distance(&mut self, normal: Option<Vec3>, overlaps: bool) -> f64 {
        let (a, b) = (self.a, self.b);
        let exact = self.value("distance", |certificate| certificate.distance(normal), hull_distance);
        // What is apart by less than half of the least number is apart: asked exactly of few points, and of all where it is doubted.
        let is_tested = a.len() * b.len() <= 16 && self.exact_tests > 0 || !overlaps;
        if exact == 0.0 && is_tested && !hulls_meet(a, b) { f64::from_bits(1) } else { exact }
    }

    fn depth(&mut self) -> f64 {
        self.value("depth", ConvexCertificate::depth, penetration_depth)
    }

    fn gap(&mut self, normal: Vec3) -> f64 {
        self.value("gap", |certificate| certificate.gap_along(normal), |a, b| gap_along(a, b, normal))
    }
}

/// What is wrong with the answers about a pair, if anything, and how often the oracle was asked.
fn faults(a: &[Vec3], b: &[Vec3], tests_both: bool) -> (Vec<String>, u64) {
    let mut faults = Vec::new();
    let (shape_a, shape_b) = (Convex::hull(a).unwrap(), Convex::hull(b).unwrap());
    // Denormal numbers are rounded to the least of them.
    let ulps = 64.0 * f64::EPSILON * largest(a).max(largest(b)) + f64::from_bits(64);
    let mut truth = Truth::new(a, b, tests_both);
    let found = distance(&shape_a, &HERE, &shape_b, &HERE);
    let overlaps = overlap(&shape_a, &HERE, &shape_b, &HERE).is_some();
    let exact = truth.distance(found.normal, overlaps);
    if overlaps != (exact == 0.0) {
        faults.push(format!("overlap {overlaps} at an exact distance of {exact:e}"));
    }
    let mut cache = PairCache::default();
    let nearby = Pose::from_translation(Vec3::X * (1e-6 * largest(b))).unwrap();
    cache.distance(&shape_a, &HERE, &shape_b, &nearby);
    let again = cache.distance(&shape_a, &HERE, &shape_b, &HERE);
    for (how, found) in [("distance", found), ("distance after another", again)] {
        if (found.distance == 0.0) != (exact == 0.0) {
            faults.push(format!("{how} {:e}, exactly {exact:e}", found.distance));
        }
        let off = (found.distance - exact).abs();
        if off > found.error || found.error > ulps {
            faults.push(format!("{how} {:e} off by {off:e}, error {:e}, 64 ulp {ulps:e}", found.distance, found.error));
        }
        let between = (found.point_b - found.point_a).length();
        if (between - found.distance).abs() > ulps + 2.0 * f64::MIN_POSITIVE {
            faults.push(format!("points at {between:e}, with a {how} of {:e}", found.distance));
        }
        if let Some(normal) = found.normal.filter(|_| exact > f64::MIN_POSITIVE) {
            let gap = truth.gap(normal);
            if gap < exact - ulps {
                faults.push(format!("gap {gap:e} along the normal at a {how} of {exact:e}"));
            }
        }
    }
    let touch = contact(&shape_a, &HERE, &shape_b, &HERE, f64::INFINITY).unwrap();
    let depth = if exact > 0.0 { -exact } else { truth.depth() };
    let off = (touch.separation + depth).abs();
    if off > touch.error || touch.error > ulps {
        faults.push(format!(
            "separation {:e} off by {off:e}, error {:e}, 64 ulp {ulps:e}",
            touch.separation, touch.error
        ));
    }
    if (touch.separation <= 0.0) != (exact == 0.0) {
        faults.push(format!("separation {:e} at an exact distance of {exact:e}", touch.separation));
    }
    if touch.separation_bound < touch.separation - touch.error * (1.0 + 1e-9)
        || touch.separation_bound > -depth + touch.error
    {
        let bound = touch.separation_bound;
        faults.push(format!("bound {bound:e} of a separation of {:e}, exactly {:e}", touch.separation, -depth));
    }
    if (touch.normal.length() - 1.0).abs() > 1e-12 {
        faults.push(format!("normal {}", touch.normal));
    }
    if exact == 0.0 {
        let away = Pose::from_translation(touch.normal * -touch.separation).unwrap();
        if overlap(&shape_a, &HERE, &shape_b, &away).is_some() {
            faults.push(format!("still overlapping after {:e} along {}", touch.separation, touch.normal));
        }
    }
    faults.append(&mut truth.faults);
    (faults, truth.exact_tests)
}

/// Says which pair it was where an answer panics.
struct BatchGuard(u64, u64);

impl Drop for BatchGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("that was pair {}.{}", self.0, self.1);
        }
    }
}

/// Pairs drawn from one seed.
const BATCH: u64 = 1000;

/// `HEURT_CONVEX_PAIRS=10000000 cargo test --release -p heurt-query --test it convex::hard_pairs` tests about ten
/// million.
#[test]
fn hard_pairs_of_hulls_are_answered_within_their_error() {
    let count = test_size("HEURT_CONVEX_PAIRS", 24_000);
    let (next, wrong, left) = (AtomicU64::new(0), Mutex::new(Vec::new()), AtomicU64::new(0));
    let work = || {
        while let Some(batch) = Some(next.fetch_add(1, Relaxed)).filter(|batch| batch * BATCH < count) {
            let mut random = Random::new(batch);
            for number in 0..BATCH.min(count - batch * BATCH) {
                let (kind, a, b): (ConvexKind, _, _) = convex_pair(&mut random);
                let is_sample = number % SAMPLE == batch % SAMPLE;
                let guard = BatchGuard(batch, number);
                let (found, exact_tests) = faults(&a, &b, is_sample);
                drop(guard);
                left.fetch_add(u64::from(exact_tests > 0 && !is_sample), Relaxed);
                if found.is_empty() {
                    continue;
                }
                wrong.lock().unwrap().extend(found.iter().map(|fault| format!("{batch}.{number} {kind:?}: {fault}")));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let (wrong, left) = (wrong.into_inner().unwrap(), left.into_inner());
    println!("{left} of {count} pairs are left to the oracle, and one in {SAMPLE} of the others");
    assert!(wrong.is_empty(), "{} faults, the first:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// The one that a small hull touches is a thousand times as far from the origin as the other is large: rounded edges and normals
/// turn directions.
#[test]
fn unequal_hulls_far_away_are_as_deep_as_told_within_their_error() {
    for (batch, number) in [(1530, 184), (2664, 735), (7729, 129), (8503, 736)] {
        let mut random = Random::new(batch);
        let (kind, a, b) = (0..=number).map(|_| convex_pair(&mut random)).last().unwrap();
        let (found, _) = faults(&a, &b, true);
        assert!(found.is_empty(), "{batch}.{number} {kind:?}: {found:?}");
    }
}

/// Balls, needles, plates and blades of many corners, turned, apart, touching and ever deeper in each other: searched from a tetrahedron
/// that need not hold the origin, and where that proves nothing from one that does.
#[test]
fn hulls_of_many_corners_are_answered_within_their_error() {
    let stretches = [Vec3::ONE, Vec3::new(1.0, 1e-3, 1e-3), Vec3::new(1.0, 1.0, 1e-4), Vec3::new(1.0, 0.1, 1e-5)];
    let depths = [-1e-2, -1e-9, 0.0, 1e-13, 3e-9, 1e-8, 3e-8, 1e-5, 1e-2, 0.3];
    let (mut random, mut wrong, mut overlapping) = (Random::new(1604), Vec::new(), 0);
    for round in 0..160usize {
        let (stretch_a, stretch_b) = (stretches[round % 4], stretches[round / 4 % 4]);
        let (counts, depth) = ([[12, 20], [24, 40], [40, 40]][round % 3], depths[round % 10]);
        let scale = [1.0, 1e-120, 1e120, 1e-3][round / 40];
        let mut cloud = |count: usize, stretch: Vec3| -> Vec<Vec3> {
            let pose = random.pose(0.0);
            (0..count).map(|_| pose.place(random.vector(1.0).normalize_or(Vec3::X) * stretch)).collect()
        };
        let (a, b) = (cloud(counts[0], stretch_a), cloud(counts[1], stretch_b));
        // Deeper by as much as that in A, on the shortest way out.
        let separated = separation(&Convex::hull(&a).unwrap(), &HERE, &Convex::hull(&b).unwrap(), &HERE);
        let shift = separated.normal * (-separated.separation - depth);
        let [a, b] = [a, b.iter().map(|&corner| corner + shift).collect()]
            .map(|set: Vec<Vec3>| set.iter().map(|&corner| corner * scale).collect::<Vec<_>>());
        let (found, _) = faults(&a, &b, false);
        wrong.extend(found.into_iter().map(|fault| format!("round {round}, {depth:e} deep, times {scale:e}: {fault}")));
        overlapping +=
            usize::from(overlap(&Convex::hull(&a).unwrap(), &HERE, &Convex::hull(&b).unwrap(), &HERE).is_some());
    }
    assert!(wrong.is_empty(), "{} faults, the first:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    assert!(overlapping > 80, "{overlapping}");
}

/// More corners than the oracle has time for: both bounds meet, the way out leads out, and no shorter way along any of many directions does.
#[test]
fn hulls_of_very_many_corners_come_out_on_the_way_that_is_told() {
    let mut random = Random::new(1605);
    for round in 0..200usize {
        let stretch = [Vec3::ONE, Vec3::new(1.0, 0.3, 0.1), Vec3::new(1.0, 1e-2, 1e-2)][round % 3];
        let mut hull = |count: usize| {
            let corner = |_| random.vector(1.0).normalize_or(Vec3::X) * stretch;
            Convex::hull(&(0..count).map(corner).collect::<Vec<_>>()).unwrap()
        };
        let (a, b) = (hull([64, 120, 300][round / 3 % 3]), hull([300, 64][round % 2]));
        let (p, q) = (random.pose(0.0), random.pose([0.02, 0.3, 1.5][round / 5 % 3]));
        let found = separation(&a, &p, &b, &q);
        assert_eq!(found.separation <= 0.0, overlap(&a, &p, &b, &q).is_some(), "{round}: {found:?}");
        if found.separation > 0.0 {
            continue;
        }
        assert!(found.separation_bound - found.separation <= 1e-13, "{round}: {found:?}");
        let parts = |direction: Vec3| {
            let away = Pose::from_translation(direction).unwrap().compose(&q);
            overlap(&a, &p, &b, &away).is_none()
        };
        assert!(parts(found.normal * (-found.separation)), "{round}: {found:?}");
        for _ in 0..60 {
            let direction = (found.normal + random.vector(0.5)).normalize_or(found.normal);
            assert!(!parts(direction * (-found.separation * (1.0 - 1e-9) - 1e-13)), "{round}: {direction} {found:?}");
        }
    }
}

/// A facet of the polytope without area was divided by.
#[test]
fn polygons_in_one_plane_that_touch_are_told_a_depth() {
    let a = [
        Vec3::new(12491.712719505882, 29865.958425960325, 19604.500927902867),
        Vec3::new(51104.18098833898, -1393.7538044079893, 3898.7392633760974),
        Vec3::new(126354.64341562593, -54668.57838246799, -49965.68679553975),
        Vec3::new(15765.667834089854, 26039.119041674054, 21850.658142918084),
        Vec3::new(71060.1556248579, -14314.729670396973, -14057.514326310833),
        Vec3::new(91016.13026137679, -27235.705536385954, -32013.767915997756),
        Vec3::new(108685.38683850138, -40952.141959426976, -40989.727355768744),
    ];
    let b = [
        Vec3::new(58951.57222171164, -3629.6720745901866, -11815.691821440545),
        Vec3::new(-33968.14678269987, 63361.58892651084, 51024.69367724629),
        Vec3::new(62225.52733629561, -7456.511458876462, -9569.534606425332),
        Vec3::new(41282.31564458707, 10086.764348450833, -2839.73238166955),
        Vec3::new(36708.879525798395, 8495.843234346754, 15120.855918162302),
        Vec3::new(15765.667834089854, 26039.119041674054, 21850.658142918084),
        Vec3::new(108685.38683850138, -40952.141959426976, -40989.727355768744),
    ];
    let (found, _) = faults(&a, &b, true);
    assert!(found.is_empty(), "{found:?}");
}

/// One shape of each kind, about as large as 1.
fn shapes() -> Vec<(&'static str, Convex)> {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y * 0.7, Vec3::new(0.1, 0.2, 0.8), Vec3::splat(0.5)];
    vec![
        ("point", Convex::point()),
        ("sphere", Convex::sphere(0.4).unwrap()),
        ("segment", Convex::segment([Vec3::X * -0.5, Vec3::new(0.5, 0.2, 0.0)]).unwrap()),
        ("capsule", Convex::capsule(0.3, 0.5).unwrap()),
        ("triangle", Convex::triangle([Vec3::ZERO, Vec3::X, Vec3::Y]).unwrap()),
        ("box", Convex::cuboid(Vec3::new(0.5, 0.3, 0.2)).unwrap()),
        ("rounded box", Convex::cuboid(Vec3::new(0.5, 0.3, 0.2)).unwrap().with_margin(0.1).unwrap()),
        ("hull", Convex::hull(&corners).unwrap()),
        ("cylinder", Convex::cylinder(0.4, 0.5).unwrap()),
        ("cone", Convex::cone(0.4, 0.5).unwrap()),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(0.6, 0.4, 0.3)).unwrap()),
        ("superellipsoid", Convex::superellipsoid(Vec3::new(0.5, 0.4, 0.3), 0.5, 1.5).unwrap()),
    ]
}

#[test]
fn answers_are_the_same_from_either_side_and_wherever_the_scene_stands() {
    let mut random = Random::new(5);
    let (mut loose, mut tested) = (0, 0);
    for (name_a, a) in &shapes() {
        for (name_b, b) in &shapes() {
            for _ in 0..40 {
                let (p, q, whole) = (random.pose(0.5), random.pose(0.8), random.pose(3.0));
                let what = format!("{name_a}, {name_b}");
                let found = contact(a, &p, b, &q, f64::INFINITY).unwrap();
                let swapped = contact(b, &q, a, &p, f64::INFINITY).unwrap();
                let moved = contact(a, &whole.compose(&p), b, &whole.compose(&q), f64::INFINITY).unwrap();
                // Of curved shapes a depth is told within its error, which the contact tells.
                for other in [&swapped, &moved] {
                    let room = 1e-12 * 4.0 + found.error + other.error;
                    let off = (found.separation - other.separation).abs();
                    assert!(off <= room, "{what}: {} and {}", found.separation, other.separation);
                }
                // The depth of curved shapes is bounded from below as well as a polytope can, which is not always well.
                let is_curved = [a, b].iter().any(|shape| matches!(shape.core(), Core::Round(_)));
                let is_loose = found.error > 1e-9;
                assert!(is_curved || !is_loose, "{what}: error {:e} at {}", found.error, found.separation);
                loose += usize::from(is_loose);
                tested += usize::from(is_curved && found.separation < 0.0);
                assert_eq!(overlap(a, &p, b, &q).is_some(), found.separation <= 0.0, "{what}: {}", found.separation);
                let gap = distance(a, &p, b, &q);
                assert!((gap.distance - found.separation.max(0.0)).abs() <= gap.error + found.error, "{what}");
                let between = (gap.point_b - gap.point_a).length();
                assert!(
                    (between - gap.distance).abs() <= gap.error + 1e-12,
                    "{what}: points {between}, distance {}",
                    gap.distance
                );
                assert!(!found.points.is_empty() && found.points.len() <= 32, "{what}");
                for point in &found.points {
                    assert!(
                        point.separation >= found.separation - 1e-9 && point.point.is_finite(),
                        "{what}: {point:?} of {found:?}"
                    );
                }
                if found.separation <= 0.0 {
                    let away = Pose::from_translation(found.normal * -found.separation).unwrap().compose(&q);
                    let left = contact(a, &p, b, &away, f64::INFINITY).unwrap();
                    assert!(left.separation > -1e-9, "{what}: {} is left of {}", left.separation, found.separation);
                }
            }
        }
    }
    println!("{loose} of {tested} curved depths have an error above 1e-9");
    assert!(20 * loose < tested, "{loose} of {tested} curved depths have an error above 1e-9");
}

#[test]
fn round_shapes_have_the_distances_that_formulas_give() {
    let mut random = Random::new(6);
    let (ball, small) = (Convex::sphere(0.5).unwrap(), Convex::sphere(0.25).unwrap());
    let pill = Convex::capsule(0.25, 1.0).unwrap();
    let half_space = Convex::half_space(Vec3::new(0.0, 0.0, 2.0), 1.0).unwrap();
    for _ in 0..1000 {
        let (p, q) = (random.pose(2.0), random.pose(2.0));
        let centres = q.translation() - p.translation();
        let found = contact(&ball, &p, &small, &q, f64::INFINITY).unwrap();
        assert!((found.separation - (centres.length() - 0.75)).abs() <= found.error);
        assert!((found.normal - centres.normalize()).length() < 1e-9);
        let is_proved = if found.separation > 0.0 {
            found.separation_bound <= found.separation
        } else {
            found.separation_bound >= centres.length() - 0.75
        };
        assert!(is_proved, "{} bounds {}", found.separation_bound, found.separation);
        let axis = *p.rotation() * Vec3::Z;
        let along = centres.dot(axis).clamp(-1.0, 1.0);
        let found = contact(&pill, &p, &small, &q, f64::INFINITY).unwrap();
        assert!((found.separation - ((centres - axis * along).length() - 0.5)).abs() <= found.error);
        let height = axis.dot(centres) - 0.5 - 0.25;
        let found = contact(&half_space, &p, &small, &q, f64::INFINITY).unwrap();
        assert!((found.separation - height).abs() <= found.error, "{} {height}", found.separation);
    }
}

#[test]
fn meshes_and_convex_shapes_are_as_far_apart_as_their_triangles() {
    let mut random = Random::new(8);
    let mesh = MeshShape::new(generate::supertoroid(1.0, 0.4, 0.7, 1.3, 12).unwrap()).unwrap();
    let triangles: Vec<Convex> = (0..mesh.mesh().triangles().len() as u32)
        .map(|triangle| Convex::triangle(mesh.mesh().corners(triangle)).unwrap())
        .collect();
    let mut all = shapes();
    all.push(("half-space", Convex::half_space(Vec3::new(0.0, 0.6, 0.8), -1.0).unwrap()));
    for (name, shape) in &all {
        for _ in 0..12 {
            let (p, q) = (random.pose(0.5), random.pose(1.5));
            let of_triangles = triangles.iter().map(|triangle| distance(triangle, &p, shape, &q));
            let nearest = of_triangles.min_by(|x, y| x.distance.total_cmp(&y.distance)).unwrap();
            let least = nearest.distance;
            let overlaps = overlap(&mesh, &p, shape, &q).is_some();
            let found = distance(&mesh, &p, shape, &q);
            assert!(found.error < 1e-9, "{name}: {:e}", found.error);
            assert_eq!(overlaps, found.distance == 0.0, "{name}: {}", found.distance);
            if least == 0.0 || !overlaps {
                assert!(
                    (found.distance - least).abs() <= found.error + nearest.error,
                    "{name}: {} and {least}",
                    found.distance
                );
                assert_eq!(overlaps, least == 0.0, "{name}: {least}");
            }
            let swapped = distance(shape, &q, &mesh, &p);
            assert_eq!((swapped.distance, swapped.point_a), (found.distance, found.point_b), "{name}");
        }
    }
    // Wholly inside the tube.
    let inside = Pose::from_translation(Vec3::new(1.0, 0.0, 0.0)).unwrap();
    for shape in [Convex::point(), Convex::ellipsoid(Vec3::splat(0.05)).unwrap(), Convex::sphere(0.01).unwrap()] {
        assert!(overlap(&mesh, &HERE, &shape, &inside).is_some());
        assert_eq!(distance(&mesh, &HERE, &shape, &inside).distance, 0.0);
    }
}

#[test]
fn what_is_flat_or_huge_or_tiny_is_answered_too() {
    let at = |x: f64| Pose::from_translation(Vec3::new(x, 0.0, 0.0)).unwrap();
    for size in [1e-300, 1e-150, 1e150, 1e300] {
        let cube = Convex::cuboid(Vec3::splat(size)).unwrap();
        let ball = Convex::sphere(size).unwrap();
        for shape in [&cube, &ball] {
            let found = distance(shape, &HERE, shape, &at(3.0 * size));
            assert!((found.distance - size).abs() <= found.error && found.error < 1e-13 * size, "{size:e}: {found:?}");
            let found = contact(shape, &HERE, shape, &at(1.5 * size), 0.0).unwrap();
            assert!((found.separation + 0.5 * size).abs() <= found.error, "{size:e}: {found:?}");
        }
    }
    let flat = Convex::cuboid(Vec3::new(1.0, 1.0, 0.0)).unwrap();
    assert!(overlap(&flat, &HERE, &flat, &at(2.0)).is_some(), "edges touch");
    assert_eq!(distance(&flat, &HERE, &flat, &at(3.0)).distance, 1.0);
    assert!(contact(&flat, &HERE, &flat, &at(0.5), 0.0).unwrap().separation > -1e-14, "flat in one plane");
    let none = Convex::cylinder(0.0, 0.0).unwrap();
    assert_eq!(distance(&none, &HERE, &Convex::sphere(0.0).unwrap(), &at(2.0)).distance, 2.0);
    assert!(Convex::sphere(-1.0).is_err() && Convex::cuboid(Vec3::NAN).is_err() && Convex::hull(&[]).is_err());
    assert!(Convex::half_space(Vec3::ZERO, 1.0).is_err() && Convex::sphere(1e308).is_err());
    assert!(Convex::superellipsoid(Vec3::ONE, 2.5, 1.0).is_err());
}

/// Corners a few ulp apart are a plateau on which a search from corner to corner would stay.
#[test]
fn hulls_with_twin_corners_answer_as_their_surfaces_do() {
    let mut random = Random::new(91);
    let prism = |sides: u32, height: f64| {
        let corner = |k: u32| {
            let angle = std::f64::consts::TAU * f64::from(k) / f64::from(sides);
            [(1.0, 0.5), (1.0, -0.5), (1.0 + 2e-16, 0.5), (1.0, -0.5 - 1e-16)]
                .map(|(stretch, z)| Vec3::new(angle.cos() * stretch, angle.sin() * stretch, height * z))
        };
        Convex::hull(&(0..sides).flat_map(corner).collect::<Vec<_>>()).unwrap()
    };
    let (a, b) = (prism(160, 1.0), prism(137, 3.0));
    let surface = |shape: &Convex| match shape.core() {
        Core::Hull(hull) => {
            assert!(hull.corners().len() > 256);
            hull.surface().clone()
        }
        _ => unreachable!(),
    };
    let (mesh_a, mesh_b) = (surface(&a), surface(&b));
    let mut met = 0;
    for round in 0..1500 {
        let (p, q) = (random.pose(0.0), random.pose(2.5));
        let meets = overlap(&a, &p, &b, &q).is_some();
        assert_eq!(meets, overlap(&mesh_a, &p, &mesh_b, &q).is_some(), "{round}");
        let (found, expected) = (distance(&a, &p, &b, &q), distance(&mesh_a, &p, &mesh_b, &q));
        assert!((found.distance - expected.distance).abs() <= found.error + expected.error, "{round}: {found:?}");
        if meets {
            let found = separation(&a, &p, &b, &q);
            assert!(found.separation_bound - found.separation <= 1e-13, "{round}: {found:?}");
            let away = Pose::from_translation(found.normal * -found.separation).unwrap().compose(&q);
            assert!(overlap(&a, &p, &b, &away).is_none(), "{round}: {found:?}");
        }
        met += usize::from(meets);
    }
    assert!(met > 300 && met < 1300, "{met}");
}

/// Planes beyond the range of numbers are refused; places far apart on a plane are not.
#[test]
fn half_spaces_far_away_are_refused_or_answered() {
    assert!(Convex::half_space(Vec3::X * 1e-320, 1.0).is_err());
    assert!(Convex::half_space(Vec3::X * 1e-200, 1e200).is_err());
    let floor = Convex::half_space(Vec3::Z, 0.0).unwrap();
    let ball = Convex::sphere(1.0).unwrap();
    let [left, right] = [-1.7e308, 1.7e308].map(|x| Pose::from_translation(Vec3::new(x, 0.0, 3.0)).unwrap());
    let found = distance(&floor, &left, &ball, &right);
    assert_eq!(found.distance, 0.0);
    // Far out coordinates are far apart.
    assert!(separation(&floor, &left, &ball, &right).separation <= -1.0);
}

/// A corner of a triangle opposite to the side of a cone: the points of the cone found one after the other are nearly in one
/// plane with it, which once was taken for a tetrahedron about the origin.
#[test]
fn a_corner_beside_a_cone_is_not_in_it() {
    let corners = [
        Vec3::new(0.17423829615966305, -0.6502661738920958, 0.09999999999999999),
        Vec3::new(0.33660254037844384, -0.5830127018922194, 0.09999999999999999),
        Vec3::new(0.29999999999999993, -0.5196152422706632, 0.17320508075688776),
    ];
    let (triangle, cone) =
        (Convex::triangle(corners).unwrap(), Convex::cone(0.3584950223090052, 0.3584950223090052).unwrap());
    // A polyhedron about the cone tells overlaps that are none, exactly.
    let corner = |k: u32| {
        let (sine, cosine) = (f64::from(k) * std::f64::consts::TAU / 64.0).sin_cos();
        let radius = 0.3584950223090052 * 1.01;
        Vec3::new(radius * cosine, radius * sine, -0.3584950223090052)
    };
    let about: Vec<Vec3> = (0..64).map(corner).chain([Vec3::Z * 0.3584950223090052]).collect();
    let about = Convex::hull(&about).unwrap();
    let columns = |rows: [[f64; 3]; 4]| {
        let [x, y, z, shift] = rows.map(Vec3::from_array);
        Pose::from_matrix(heurt_geometry::Mat3::from_cols(x, y, z), shift).unwrap()
    };
    let reported = (
        columns([
            [-0.7730520777306584, -0.1636818712518549, -0.6128611018328738],
            [-0.43164026073784784, -0.5722440107346323, 0.6972972662276153],
            [-0.46484101629102825, 0.8035826262443921, 0.3717227358821225],
            [-0.14992645228344192, -0.3666558022508939, -0.3785649690865177],
        ]),
        columns([
            [-0.12003571518647926, 0.9322942694776297, 0.3412020254612259],
            [-0.22057250462346994, -0.3601417048980914, 0.9064467566256857],
            [0.9679561959529983, 0.03354619937144526, 0.24886834918070944],
            [0.9048941339753651, -0.09271001731676382, -0.9742737401879726],
        ]),
    );
    let mut random = Random::new(86);
    let others = std::iter::repeat_with(|| (random.pose(0.5), random.pose(1.5))).take(20_000);
    for (pose_a, pose_b) in std::iter::once(reported).chain(others) {
        let found = distance(&triangle, &pose_a, &cone, &pose_b);
        let Some(normal) = found.normal else {
            assert!(overlap(&triangle, &pose_a, &about, &pose_b).is_some(), "{pose_a:?} {pose_b:?}");
            continue;
        };
        let reach = |shape: &Convex, pose: &Pose, along: Vec3| {
            along.dot(pose.place(shape.support(pose.rotation().transpose() * along).unwrap()))
        };
        let gap = -reach(&triangle, &pose_a, normal) - reach(&cone, &pose_b, -normal);
        assert!((gap - found.distance).abs() <= found.error + 1e-15, "{found:?}");
    }
}

/// Depths of hulls of few and of many corners, relatively to themselves, against the exact one.
#[test]
fn depths_are_right_to_a_billionth_of_themselves() {
    let (mut random, mut tested, mut worst) = (Random::new(2026), 0, 0.0f64);
    for round in 0..90 {
        let count = [8, 32, 64][round % 3];
        let cloud = |random: &mut Random, shift: Vec3| -> Vec<Vec3> {
            (0..count).map(|_| random.vector(1.0).normalize_or(Vec3::X) + shift).collect()
        };
        let offset = random.vector(1.0).normalize_or(Vec3::X) * random.between(0.5, 1.9);
        let (a, b) = (cloud(&mut random, Vec3::ZERO), cloud(&mut random, offset));
        let exact = penetration_depth(&a, &b);
        let found = separation(&Convex::hull(&a).unwrap(), &HERE, &Convex::hull(&b).unwrap(), &HERE);
        if exact <= 1e-3 {
            continue;
        }
        tested += 1;
        worst = worst.max((-found.separation - exact).abs() / exact);
    }
    println!("{tested} depths, off by {worst:.1e} of themselves at most");
    assert!(tested > 50 && worst < 1e-9, "{tested}, {worst:e}");
}
