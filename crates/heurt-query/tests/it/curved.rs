//! Curved shapes that nearly touch, touch and barely overlap: what is told of them holds together and is proved.

use heurt_geometry::{Pose, Vec3};
use heurt_query::{distance, overlap, separation};
use heurt_shape::{Convex, ShapeRef};
use heurt_testkit::number::random::Random;

/// One shape of each kind, about as large as 1; the curved ones first.
fn shapes() -> Vec<(&'static str, Convex)> {
    let slanted = [Vec3::new(-0.4, 0.0, 0.1), Vec3::new(0.5, 0.2, -0.3), Vec3::new(0.0, 0.6, 0.2)];
    let flat = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5], [0.0, 0.7]].map(|[x, y]| Vec3::new(x, y, 0.0));
    vec![
        ("cylinder", Convex::cylinder(0.4, 0.5).unwrap()),
        ("rounded cylinder", Convex::cylinder(0.3, 0.4).unwrap().with_margin(0.1).unwrap()),
        ("cone", Convex::cone(0.5, 0.5).unwrap()),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(0.6, 0.4, 0.3)).unwrap()),
        ("superellipsoid", Convex::superellipsoid(Vec3::new(0.5, 0.4, 0.6), 0.5, 1.5).unwrap()),
        ("point", Convex::point()),
        ("segment", Convex::segment([slanted[0], slanted[1]]).unwrap()),
        ("triangle", Convex::triangle(slanted).unwrap()),
        ("box", Convex::cuboid(Vec3::new(0.5, 0.3, 0.4)).unwrap()),
        ("rounded box", Convex::cuboid(Vec3::new(0.4, 0.2, 0.3)).unwrap().with_margin(0.1).unwrap()),
        ("capsule", Convex::capsule(0.3, 0.4).unwrap()),
        ("flat", Convex::hull(&flat).unwrap()),
    ]
}

const CURVED: usize = 5;

/// Where one of the shapes stands: a quaternion and a shift.
fn placed([x, y, z, w, i, j, k]: [f64; 7]) -> Pose {
    let norm = (x * x + y * y + z * z + w * w).sqrt();
    Pose::from_quaternion([x, y, z, w].map(|part| part / norm), Vec3::new(i, j, k)).unwrap()
}

fn moved(pose: &Pose, shift: Vec3) -> Pose {
    Pose::from_matrix(*pose.rotation(), pose.translation() + shift).unwrap()
}

fn reach(shape: &Convex, pose: &Pose, along: Vec3) -> f64 {
    along.dot(pose.place(shape.support(pose.rotation().transpose() * along).unwrap()))
}

/// How far they are apart along a direction.
fn gap_along(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose, normal: Vec3) -> f64 {
    -reach(a, pose_a, normal) - reach(b, pose_b, -normal)
}

const GAPS: [f64; 10] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12];
/// 16 ulp of the coordinates here, which are below 4.
const ULPS: f64 = 16.0 * 4.0 * f64::EPSILON;

/// What came of gaps of all widths.
#[derive(Default, Debug)]
struct Tally {
    tested: u32,
    /// The largest error told of each width.
    worst: [f64; GAPS.len()],
    /// How many errors are above 1e-12.
    loose: [u32; GAPS.len()],
    faults: Vec<String>,
}

/// Asks about one pair with gaps of all widths, if it is known well where they touch.
fn check_gaps(what: &str, (a, p): (&Convex, &Pose), (b, q): (&Convex, &Pose), tally: &mut Tally) {
    let start = separation(a, p, b, q);
    if start.separation <= 0.0 || start.error > 1e-13 {
        return;
    }
    tally.tested += 1;
    for (k, gap) in GAPS.into_iter().enumerate() {
        let at = moved(q, start.normal * (gap - start.separation));
        let found = distance(a, p, b, &at);
        let between = (found.point_b - found.point_a).length();
        tally.worst[k] = tally.worst[k].max(found.error);
        tally.loose[k] += u32::from(found.error > 1e-12);
        let mut fault = |text: String| tally.faults.push(format!("{what}, {gap:e} apart: {text}"));
        if (between - found.distance).abs() > found.error + ULPS {
            fault(format!("points at a distance of {between:e}: {found:?}"));
        }
        // The points that were nearest are points still; another way may be shorter.
        let at_most = (start.point_b + start.normal * (gap - start.separation) - start.point_a).length();
        if found.distance > at_most + found.error + ULPS || found.distance < gap - found.error - start.error - ULPS {
            fault(format!("at most {at_most:e}: {found:?}"));
        }
        if let Some(normal) = found.normal {
            let along = gap_along(a, p, b, &at, normal);
            if along < found.distance - found.error - ULPS {
                fault(format!("{along:e} along the normal: {found:?}"));
            }
        }
        if overlap(a, p, b, &at).is_some() != (found.distance == 0.0) {
            fault(format!("overlap is another matter: {found:?}"));
        }
    }
}

/// The pairs of which points were told that are farther apart than was said, a line each: a name, a quaternion and a shift, twice.
const LOST: &str = include_str!("curved_pairs.txt");

#[test]
fn points_of_curved_shapes_that_nearly_touch_are_as_far_apart_as_is_told() {
    let all = shapes();
    let named = |name: &str| &all.iter().find(|(other, _)| other.replace(' ', "-") == name).unwrap().1;
    let mut tally = Tally::default();
    for line in LOST.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let place = |from: usize| placed([0, 1, 2, 3, 4, 5, 6].map(|k| words[from + k].parse().unwrap()));
        check_gaps(line, (named(words[0]), &place(1)), (named(words[8]), &place(9)), &mut tally);
    }
    assert_eq!(tally.tested, 22);
    let mut random = Random::new(404);
    for round in 0..2400 {
        let (x, y) = (round % CURVED, round / CURVED % all.len());
        let ((name_a, a), (name_b, b)) = if random.one_in(2) { (&all[x], &all[y]) } else { (&all[y], &all[x]) };
        let (p, direction) = (random.pose(0.5), random.vector(1.0).normalize_or(Vec3::X));
        let q = moved(&random.pose(0.0), p.translation() + direction * random.between(0.8, 1.6));
        check_gaps(&format!("round {round}: {name_a}, {name_b}"), (a, &p), (b, &q), &mut tally);
    }
    println!("{} tested, worst {:?}, loose {:?}", tally.tested, tally.worst, tally.loose);
    let Tally { faults, .. } = &tally;
    assert!(faults.is_empty(), "{} faults, the first:\n{}", faults.len(), faults[..faults.len().min(20)].join("\n"));
    assert!(tally.tested > 1500 && tally.worst.iter().all(|worst| *worst <= 1e-13), "{:?}", tally.worst);
}

/// A pair that once was told to overlap though a direction proves that it does not.
fn pair_reported_as_disjoint() -> [(Convex, Pose); 2] {
    let cone = [0.03168299013628349, 0.6723524111505262, 0.34300305608042336, 0.6552002189221153];
    let capsule = [-0.6988005596536343, -0.3439208255734056, 0.6252402181333607, 0.04970828093207561];
    let at = |[x, y, z, w]: [f64; 4], [i, j, k]: [f64; 3]| placed([x, y, z, w, i, j, k]);
    [
        (Convex::cone(0.5, 0.5).unwrap(), at(cone, [0.7192638706229508, 0.16135133110555383, -0.8313378014741399])),
        (
            Convex::capsule(0.3, 0.4).unwrap(),
            at(capsule, [0.8957203700929408, 0.18640442551863756, -1.4994941924664085]),
        ),
    ]
}

#[test]
fn curved_shapes_overlap_or_not_beyond_sixteen_ulps() {
    let [(a, p), (b, q)] = pair_reported_as_disjoint();
    assert!(overlap(&a, &p, &b, &q).is_none(), "{:?}", distance(&a, &p, &b, &q));
    let (all, mut random, mut tested, mut faults) = (shapes(), Random::new(406), 0, Vec::new());
    for round in 0..1200 {
        let (x, y) = (round % CURVED, round / CURVED % all.len());
        let ((name_a, a), (name_b, b)) = if random.one_in(2) { (&all[x], &all[y]) } else { (&all[y], &all[x]) };
        let (p, direction) = (random.pose(0.5), random.vector(1.0).normalize_or(Vec3::X));
        let q = moved(&random.pose(0.0), p.translation() + direction * random.between(0.4, 1.4));
        let start = separation(a, &p, b, &q);
        if start.error > 2e-14 {
            continue;
        }
        tested += 1;
        for gap in [1e-6, 1e-9, 1e-11, 1e-12, 1e-13] {
            for sign in [1.0, -1.0] {
                let at = moved(&q, start.normal * (sign * gap - start.separation));
                let overlaps = overlap(a, &p, b, &at).is_some();
                let found = distance(a, &p, b, &at);
                let reported = found.normal.unwrap_or(start.normal);
                let along = gap_along(a, &p, b, &at, if overlaps { start.normal } else { reported });
                // What overlaps along one way may be apart along another, past the tip of a cone for one.
                if overlaps && along > ULPS || !overlaps && along < -ULPS {
                    faults.push(format!(
                        "{round}: {name_a}, {name_b}: {overlaps} at {:e}, proved {along:e}, {found:?}",
                        sign * gap
                    ));
                }
            }
        }
    }
    println!("{tested} tested, {} faults", faults.len());
    assert!(faults.is_empty(), "{} of {tested}:\n{}", faults.len(), faults[..faults.len().min(12)].join("\n"));
    assert!(tested > 500, "{tested}");
}

#[test]
fn the_way_out_of_curved_shapes_leads_out() {
    let (all, mut random, mut tested, mut loose) = (shapes(), Random::new(407), 0u32, 0u32);
    for round in 0..4800 {
        let (x, y) = (round % CURVED, round / CURVED % all.len());
        let ((name_a, a), (name_b, b)) = if random.one_in(2) { (&all[x], &all[y]) } else { (&all[y], &all[x]) };
        let (p, direction) = (random.pose(0.5), random.vector(1.0).normalize_or(Vec3::X));
        let q = moved(&random.pose(0.0), p.translation() + direction * random.between(0.1, 1.1));
        let found = separation(a, &p, b, &q);
        let what = format!("{round}: {name_a}, {name_b}: {found:?}");
        if found.separation > 0.0 {
            continue;
        }
        tested += 1;
        loose += u32::from(found.error > 1e-9);
        assert!(found.separation <= found.separation_bound && found.separation_bound <= 0.0, "{what}");
        assert!(found.separation_bound - found.separation <= found.error + 1e-15, "{what}");
        let out = moved(&q, found.normal * -found.separation);
        let along = gap_along(a, &p, b, &out, found.normal);
        assert!(along >= -ULPS, "{what}: still {along:e} along the normal");
        let beyond = moved(&q, found.normal * (ULPS - found.separation));
        assert!(overlap(a, &p, b, &beyond).is_none(), "{what}: {:?}", distance(a, &p, b, &beyond));
    }
    println!("{tested} overlap, of {loose} the depth is known worse than to 1e-9");
    assert!(tested > 1500 && 200 * loose < tested, "{loose} of {tested}");
}

/// On a common axis all ways across are as good, and no polytope has facets enough; near it a point still has a formula.
#[test]
fn depths_on_a_common_axis_are_known_to_some_ulp() {
    let mut random = Random::new(77);
    let (mut worst, mut tested) = (0.0, 0);
    for round in 0..200 {
        let [r, h, s, k] = [0; 4].map(|_| random.between(0.2, 1.5));
        let whole = if round % 3 == 0 { Pose::IDENTITY } else { random.pose(2.0) };
        let along = random.between(-0.3, 0.3) * h;
        let off = [0.0, 0.0, 1e-13, 1e-9, 1e-5, 1e-2][round % 6] * r;
        let cone = Convex::cone(r, h).unwrap();
        let slope = (r * r + 4.0 * h * h).sqrt();
        // From the side, from below.
        let in_cone = |rho: f64, z: f64| ((r * (h - z) - 2.0 * h * rho) / slope).min(h + z);
        let ball = Convex::sphere(s).unwrap();
        let lower = |half: f64| Convex::cylinder(s, half).unwrap();
        let spheroid = Convex::ellipsoid(Vec3::new(s, s, k)).unwrap();
        let cases: [(&str, Convex, Convex, f64, Option<f64>); 5] = [
            ("point, cone", cone.clone(), Convex::point(), off, Some(in_cone(off, along))),
            ("ball, cone", cone.clone(), ball, off, Some(in_cone(off, along) + s)),
            ("cylinders", Convex::cylinder(r, h).unwrap(), lower(k), 0.0, Some((r + s).min(h + k - along.abs()))),
            ("cone, cylinder", cone.clone(), lower(k), 0.0, None),
            ("cone, spheroid", cone, spheroid, 0.0, None),
        ];
        for (name, a, b, off, expected) in cases {
            let at = Pose::from_translation(Vec3::new(off, 0.0, along)).unwrap();
            let (p, q) = (whole, whole.compose(&at));
            for (swapped, found) in [separation(&a, &p, &b, &q), separation(&b, &q, &a, &p)].into_iter().enumerate() {
                let largest = ShapeRef::from(&a).max_coordinate()
                    + ShapeRef::from(&b).max_coordinate()
                    + p.max_translation()
                    + q.max_translation();
                let what = format!("{round}, {name}, {swapped}: {found:?}");
                assert!(found.error <= 64.0 * f64::EPSILON * largest, "{what}");
                if let Some(expected) = expected {
                    assert!(
                        (found.separation + expected).abs() <= found.error + 8.0 * f64::EPSILON * largest,
                        "{what}, {expected}"
                    );
                }
                worst = f64::max(worst, found.error / (f64::EPSILON * largest));
                tested += 1;
            }
        }
    }
    println!("{tested} tested, the worst error is {worst} ulp");
}

/// A polytope leaves open by up to a hundredth how deep ellipsoids are in each other that are nearly as deep all round. What is told is a minimum
/// of their overlap nevertheless, to some ulp and the same wherever they stand.
#[test]
fn depths_of_ellipsoids_are_minima_of_their_overlap() {
    let mut random = Random::new(91);
    let (mut tested, mut loose, mut elsewhere) = (0, 0, 0);
    for _ in 0..1500 {
        let [a, b] =
            [0; 2].map(|_| Convex::ellipsoid(Vec3::from_array([0; 3].map(|_| random.between(0.3, 1.5)))).unwrap());
        let (p, q) = (random.pose(0.0), random.pose(0.5));
        let found = separation(&a, &p, &b, &q);
        if found.separation > 0.0 {
            continue;
        }
        tested += 1;
        loose += u32::from(found.error > 1e-6);
        let depth = -found.separation;
        let around = (0..200).map(|step| found.normal + random.vector(0.1f64.powi(step % 8)));
        let least =
            around.map(|direction| -gap_along(&a, &p, &b, &q, direction.normalize())).fold(f64::INFINITY, f64::min);
        // What is known to 1e-12 is good enough, and not looked at again.
        let room = if found.error < 1e-12 { found.error } else { 4.0 * ULPS };
        assert!(least >= depth - room, "{least:e} beside {found:?}");
        let whole = random.pose(1.0);
        let there = separation(&a, &whole.compose(&p), &b, &whole.compose(&q));
        for other in [separation(&b, &q, &a, &p), there] {
            let off = (other.separation - found.separation).abs();
            assert!(off <= other.error + found.error, "{other:?} {found:?}");
            elsewhere += u32::from(off > 1e-12);
        }
    }
    println!(
        "{tested} overlap, of {loose} the depth is known worse than to 1e-6; {elsewhere} times another minimum was reported"
    );
    assert!(tested > 1000 && loose > 10 && 500 * elsewhere < tested, "{tested}, {loose}, {elsewhere}");
}
