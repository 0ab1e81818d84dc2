//! Single methods against exact arithmetic, against each other, and over small motions.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_query::algorithm::{
    Features, GjkDirections, MAX_EPA_CORNERS, MAX_GJK_STEPS, SeparatingPlane, Tracked, WeightRule,
    contact_by_separating_axes, depth_by_epa, distance_by_closest_features, distance_by_gjk,
    overlap_by_separating_plane, separation_in_closed_form, track_closest_features,
};
use heurt_query::{Feature, contact, distance, overlap};
use heurt_shape::{Convex, Core};
use heurt_testkit::hard::convex_pairs::{ConvexKind, convex_pair};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::convex::{gap_along, hull_distance, penetration_depth};
use heurt_testkit::test_size;
use std::collections::BTreeMap;

const HERE: Pose = Pose::IDENTITY;
const RULES: [WeightRule; 3] = [WeightRule::Fixed, WeightRule::Decreasing, WeightRule::Proportional];

fn largest(points: &[Vec3]) -> f64 {
    points.iter().fold(0.0, |most, p| f64::max(most, p.abs().max_element()))
}

/// The largest extent of both sets together.
fn size(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().chain(b).fold(0.0, |most, p| f64::max(most, (*p - a[0]).abs().max_element()))
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn track(a: &Convex, b: &Convex, pose_b: &Pose, start: Option<Features>) -> Option<Tracked> {
    track_closest_features(a, &HERE, b, pose_b, start)
}

/// How often something worked that could have.
#[derive(Debug, Default, Clone, Copy)]
struct Rate {
    of: u32,
    worked: u32,
}

impl Rate {
    fn count(&mut self, worked: bool) {
        self.of += 1;
        self.worked += u32::from(worked);
    }

    fn share(self) -> f64 {
        f64::from(self.worked) / f64::from(self.of.max(1))
    }
}

fn pairs() -> u64 {
    test_size("HEURT_METHOD_PAIRS", 6_000)
}

#[test]
fn closest_features_tell_the_distance_of_hard_pairs_or_nothing() {
    let mut random = Random::new(11);
    let mut rates: BTreeMap<ConvexKind, Rate> = BTreeMap::new();
    let (mut clear, mut steps, mut most) = (Rate::default(), 0, 0);
    let mut restarts = Rate::default();
    for number in 0..pairs() {
        let (kind, a, b) = convex_pair(&mut random);
        let exact = hull_distance(&a, &b);
        let (shape_a, shape_b) = (Convex::hull(&a).unwrap(), Convex::hull(&b).unwrap());
        let found = track(&shape_a, &shape_b, &HERE, None);
        if exact == 0.0 {
            assert!(found.is_none(), "{number} {kind:?}: apart by {found:?} where they meet");
            continue;
        }
        let ulps = 64.0 * f64::EPSILON * largest(&a).max(largest(&b));
        rates.entry(kind).or_default().count(found.is_some());
        if exact > ulps {
            clear.count(found.is_some());
        }
        let Some(Tracked { distance, steps: taken, features }) = found else { continue };
        let off = (distance.distance - exact).abs();
        assert!(off <= distance.error && distance.error <= ulps, "{number} {kind:?}: {distance:?}, exactly {exact:e}");
        let between = (distance.point_b - distance.point_a).length();
        assert!((between - exact).abs() <= ulps, "{number} {kind:?}: points {between:e} apart, exactly {exact:e}");
        let gap = gap_along(&a, &b, distance.normal.unwrap());
        assert!(gap >= exact - ulps, "{number} {kind:?}: gap {gap:e} along the normal, exactly {exact:e}");
        let again = track(&shape_a, &shape_b, &HERE, Some(features));
        restarts.count(again.is_some_and(|again| again.steps <= 3));
        steps += taken;
        most = most.max(taken);
    }
    let all = rates.values().fold(Rate::default(), |sum, r| Rate { of: sum.of + r.of, worked: sum.worked + r.worked });
    for (kind, rate) in &rates {
        println!("{kind:?}: {} of {} not proved", rate.of - rate.worked, rate.of);
    }
    println!("all: {:.4} proved, {} of {}", all.share(), all.worked, all.of);
    println!("farther apart than 64 ulp: {:.4} proved, {} of {}", clear.share(), clear.worked, clear.of);
    println!("steps: {:.2} on average, {most} at most", f64::from(steps) / f64::from(all.worked));
    assert!(all.share() > 0.8, "only {} of {} proved", all.worked, all.of);
    println!("right features kept: {} of {}", restarts.worked, restarts.of);
    assert_eq!(restarts.worked, restarts.of, "searches that begin where one ended end there");
    assert!(clear.share() > 0.97, "only {} of {} proved", clear.worked, clear.of);
    assert!(rates[&ConvexKind::Disjoint].share() > 0.95);
}

#[test]
fn planes_separate_what_is_apart_and_nothing_else() {
    for rule in RULES {
        let mut random = Random::new(12);
        let mut rates: BTreeMap<ConvexKind, Rate> = BTreeMap::new();
        let (mut all, mut clear) = (Rate::default(), Rate::default());
        let mut counts = [0u32; 6];
        for number in 0..pairs() {
            let (kind, a, b) = convex_pair(&mut random);
            let (shape_a, shape_b) = (Convex::hull(&a).unwrap(), Convex::hull(&b).unwrap());
            let found = overlap_by_separating_plane(&shape_a, &HERE, &shape_b, &HERE, rule);
            let exact = hull_distance(&a, &b);
            let is_separated = matches!(found, SeparatingPlane::Separated { .. });
            if exact > 0.0 {
                rates.entry(kind).or_default().count(is_separated);
                all.count(is_separated);
            }
            if exact > 1e-3 * size(&a, &b) {
                clear.count(is_separated);
            }
            let SeparatingPlane::Separated { normal, gap, steps } = found else { continue };
            assert!(exact > 0.0, "{number} {kind:?} {rule:?}: {found:?} where they meet");
            assert!(0.0 < gap && gap <= exact, "{number} {kind:?} {rule:?}: {found:?}, exactly {exact:e}");
            let along = gap_along(&a, &b, normal);
            assert!(gap <= along, "{number} {kind:?} {rule:?}: {found:?}, but {along:e} along it");
            counts[[1, 2, 4, 16, 64, 256].partition_point(|&most| most < steps)] += 1;
        }
        println!("{rule:?}: {:.4} separated, {} of {}", all.share(), all.worked, all.of);
        println!("  farther apart than 0.001 of the size: {:.4}, {} of {}", clear.share(), clear.worked, clear.of);
        println!("  steps up to 1, 2, 4, 16, 64, 256: {counts:?}");
        let left: Vec<String> = rates.iter().map(|(kind, rate)| format!("{kind:?} {:.2}", rate.share())).collect();
        println!("  {}", left.join(", "));
        assert!(all.share() > 0.5, "{rule:?}: only {} of {} separated", all.worked, all.of);
        assert!(clear.share() > 0.9, "{rule:?}: only {} of {} separated", clear.worked, clear.of);
    }
}

fn round_hull(random: &mut Random, corners: usize) -> Convex {
    let one = |random: &mut Random| {
        let candidate = Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0));
        candidate.normalize_or(Vec3::X)
    };
    Convex::hull(&(0..corners).map(|_| one(random)).collect::<Vec<_>>()).unwrap()
}

#[test]
fn features_of_the_step_before_are_nearly_right() {
    let mut random = Random::new(13);
    for corners in [8, 32, 200, 1000] {
        let (mut tracked, mut afresh, mut count, mut lost) = (0u32, 0u32, 0u32, 0u32);
        for _ in 0..20 {
            let (a, b) = (round_hull(&mut random, corners), round_hull(&mut random, corners));
            let mut features = None;
            for step in 0..100 {
                let turn = Quat::from_scaled_axis(Vec3::new(0.3, 0.5, 1.0) * 0.01 * f64::from(step));
                let place = Vec3::new(2.2, 0.002 * f64::from(step), 0.1);
                let pose = Pose::from_quaternion(turn.to_array(), place).unwrap();
                let fresh = track(&a, &b, &pose, None);
                let found = track(&a, &b, &pose, features);
                let Some(found) = found else {
                    lost += 1;
                    continue;
                };
                let exact = distance(&a, &HERE, &b, &pose);
                assert!((found.distance.distance - exact.distance).abs() <= found.distance.error + exact.error);
                if features.is_some() {
                    tracked += found.steps;
                    afresh += fresh.map_or(0, |fresh| fresh.steps);
                    count += 1;
                }
                features = Some(found.features);
            }
        }
        let mean = f64::from(tracked) / f64::from(count);
        println!(
            "{corners} corners: {mean:.2} steps tracked, {:.2} afresh, {lost} lost",
            f64::from(afresh) / f64::from(count)
        );
        assert!(mean < 3.0, "{corners} corners: {mean} steps");
        assert!(lost * 50 < count, "{corners} corners: {lost} lost of {count}");
    }
}

#[test]
fn every_pair_of_features_is_found_by_hand() {
    let cube = Convex::cuboid(Vec3::ONE).unwrap();
    let point = Convex::point();
    let found = track(&point, &cube, &at(4.0, 0.25, 0.5), None).unwrap();
    assert_eq!(found.distance.distance, 3.0);
    assert!(matches!(found.features, Features { a: Feature::Corner(0), b: Feature::Face(_) }));
    assert_eq!(found.distance.normal, Some(Vec3::X));
    let found = track(&cube, &point, &at(4.0, 5.0, 0.5), None).unwrap();
    assert_eq!(found.distance.distance, 5.0);
    assert!(matches!(found.features, Features { a: Feature::Edge(..), b: Feature::Corner(0) }));
    let found = track(&cube, &point, &at(3.0, 3.0, 2.0), None).unwrap();
    assert_eq!(found.distance.distance, 3.0);
    assert!(matches!(found.features, Features { a: Feature::Corner(_), b: Feature::Corner(0) }));
    let bar = Convex::segment([Vec3::NEG_Z, Vec3::Z]).unwrap();
    let lying = Convex::segment([Vec3::NEG_Y, Vec3::Y]).unwrap();
    let found = track(&bar, &lying, &at(2.5, 0.0, 0.0), None).unwrap();
    assert_eq!(found.distance.distance, 2.5);
    assert!(matches!(found.features, Features { a: Feature::Edge(0, 1), b: Feature::Edge(0, 1) }));
    let pill = Convex::capsule(0.5, 1.0).unwrap();
    assert_eq!(distance_by_closest_features(&pill, &HERE, &pill, &at(3.0, 0.0, 0.5)).unwrap().distance, 2.0);
    let square = Convex::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE.with_z(0.0)]).unwrap();
    assert_eq!(distance_by_closest_features(&square, &HERE, &square, &at(0.25, 0.25, 2.0)).unwrap().distance, 2.0);
    assert_eq!(distance_by_closest_features(&square, &HERE, &square, &at(3.0, 0.25, 0.0)).unwrap().distance, 2.0);
}

#[test]
fn what_a_method_cannot_tell_it_does_not() {
    let cube = Convex::cuboid(Vec3::ONE).unwrap();
    let cylinder = Convex::cylinder(1.0, 1.0).unwrap();
    let floor = Convex::half_space(Vec3::Z, 0.0).unwrap();
    assert_eq!(distance_by_closest_features(&cube, &HERE, &cylinder, &at(5.0, 0.0, 0.0)), None);
    assert_eq!(distance_by_closest_features(&floor, &HERE, &cube, &at(0.0, 0.0, 5.0)), None);
    for step in 0..=200 {
        let found = distance_by_closest_features(&cube, &HERE, &cube, &at(0.01 * f64::from(step), 0.3, 0.1));
        assert_eq!(found, None, "overlapping or touching");
    }
    for rule in RULES {
        let prove = |a: &Convex, b: &Convex, pose_b: &Pose| overlap_by_separating_plane(a, &HERE, b, pose_b, rule);
        assert_eq!(prove(&cube, &cube, &at(2.0, 0.0, 0.0)), SeparatingPlane::Unproven, "they touch");
        assert_eq!(prove(&cube, &cube, &HERE), SeparatingPlane::Unproven);
        assert_eq!(prove(&floor, &cube, &at(0.0, 0.0, 0.5)), SeparatingPlane::Unproven);
        let SeparatingPlane::Separated { normal, gap, .. } = prove(&floor, &cube, &at(0.0, 0.0, 3.0)) else { panic!() };
        assert!(normal == Vec3::Z && (1.99..2.0).contains(&gap), "{gap}");
        let SeparatingPlane::Separated { gap, .. } = prove(&cylinder, &cube, &at(2.5, 2.5, 0.0)) else { panic!() };
        assert!(gap > 0.0 && gap < 1.2);
        let rounded = |margin: f64| cube.clone().with_margin(margin).unwrap();
        assert!(matches!(prove(&rounded(0.5), &rounded(0.25), &at(3.2, 0.5, 0.1)), SeparatingPlane::Separated { .. }));
        assert_eq!(prove(&rounded(0.5), &rounded(0.25), &at(2.7, 0.5, 0.1)), SeparatingPlane::Unproven);
    }
}

#[test]
fn features_that_a_shape_does_not_have_are_passed_over() {
    let cube = Convex::cuboid(Vec3::ONE).unwrap();
    let pose = at(3.5, 0.1, 0.2);
    let right = track(&cube, &cube, &pose, None).unwrap().distance.distance;
    assert!((right - 1.5).abs() < 1e-15);
    let some = [
        Feature::Corner(0),
        Feature::Corner(99),
        Feature::Edge(0, 1),
        Feature::Edge(7, 0),
        Feature::Edge(5, 99),
        Feature::Face(2),
        Feature::Face(99),
        Feature::Curved,
    ];
    for a in some {
        for b in some {
            let found = track(&cube, &cube, &pose, Some(Features { a, b })).unwrap();
            assert!((found.distance.distance - right).abs() < 1e-14, "from {a:?}, {b:?}");
        }
    }
}

/// The expanding polytope and all separating axes are as deep, pair by pair; where they overlap, both answer.
#[test]
fn separating_axes_are_as_deep_as_the_polytope() {
    let mut random = Random::new(12);
    let mut deep = 0;
    for round in 0..pairs() {
        let (kind, a, b) = convex_pair(&mut random);
        let (Ok(x), Ok(y)) = (Convex::hull(&a), Convex::hull(&b)) else { continue };
        let meets = overlap(&x, &HERE, &y, &HERE).is_some();
        let axes = contact_by_separating_axes(&x, &HERE, &y, &HERE);
        let what = format!("round {round}, {kind:?}");
        let Some(axes) = axes else {
            // Touching may be told either way.
            let touches =
                !meets || contact(&x, &HERE, &y, &HERE, 0.0).is_none_or(|found| -found.separation <= found.error);
            assert!(touches, "{what}: {a:?} {b:?}");
            continue;
        };
        // What is apart is so along an axis, unless that is told by roundings.
        let ulp = f64::EPSILON * largest(&a).max(largest(&b));
        let is_near = || distance(&x, &HERE, &y, &HERE).distance <= 4096.0 * ulp;
        // Polygons that roundings make solid have no normals along their plane.
        let is_flat = kind == ConvexKind::Coplanar;
        assert!(meets || is_near() || is_flat, "{what}: {axes:?} {a:?} {b:?}");
        let Some(polytope) = contact(&x, &HERE, &y, &HERE, 0.0) else { continue };
        let room = axes.error + polytope.error;
        assert!((axes.separation - polytope.separation).abs() <= room, "{what}: {axes:?} {polytope:?}");
        assert!(axes.normal.is_normalized() && !axes.points.is_empty(), "{what}");
        deep += 1;
    }
    assert!(deep > pairs() / 4, "{deep}");
}

/// In a plane or on a line directions within it may be all that keeps sets apart.
#[test]
fn separating_axes_tell_the_depth_of_sets_of_any_dimension() {
    let cube = Convex::cuboid(Vec3::ONE).unwrap();
    let found = contact_by_separating_axes(&Convex::point(), &at(0.0, 0.0, 0.75), &cube, &HERE).unwrap();
    assert!((found.separation + 0.25).abs() <= found.error && found.normal == -Vec3::Z, "{found:?}");
    let rod = Convex::segment([Vec3::new(-9.0, 0.0, 0.5), Vec3::new(9.0, 0.25, 0.5)]).unwrap();
    let found = contact_by_separating_axes(&cube, &HERE, &rod, &HERE).unwrap();
    assert!((found.separation + 0.5).abs() <= found.error && found.normal == Vec3::Z, "{found:?}");
    let line = Convex::segment([Vec3::ZERO, Vec3::X]).unwrap();
    let square = Convex::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::ONE.with_z(0.0)]).unwrap();
    let flat = [Convex::point(), line, square];
    for a in &flat {
        for b in &flat {
            let found = contact_by_separating_axes(a, &HERE, b, &HERE).unwrap();
            assert!(-found.separation <= found.error, "in one plane they are not deep: {found:?}");
            for away in [Vec3::X * 1.25, Vec3::Y * -1.25, Vec3::Z * 0.25, Vec3::new(1.0, 1.0, 1e-9) * 1.125] {
                let pose = Pose::from_translation(away).unwrap();
                assert_eq!(contact_by_separating_axes(a, &HERE, b, &pose), None, "{away}");
                assert_eq!(contact_by_separating_axes(b, &pose, a, &HERE), None, "{away}");
            }
        }
    }
}

/// Each alone: the bounds hold the exact value however hard the pair is, and neither search comes near its last step.
#[test]
fn the_simplex_and_the_polytope_alone_bound_the_exact_answer() {
    let mut random = Random::new(13);
    let (mut most, mut rates) = ([0; 3], [Rate::default(); 3]);
    for round in 0..pairs() / 2 {
        let (kind, a, b) = convex_pair(&mut random);
        let (Ok(x), Ok(y)) = (Convex::hull(&a), Convex::hull(&b)) else { continue };
        let what = format!("round {round}, {kind:?}");
        let ulps = 64.0 * f64::EPSILON * largest(&a).max(largest(&b)) + f64::from_bits(64);
        let found = distance_by_gjk(&x, &HERE, &y, &HERE, GjkDirections::Plain).unwrap();
        let exact = hull_distance(&a, &b);
        assert!(found.at_least <= exact && exact <= found.at_most, "{what}: {exact:e} {found:?}");
        for directions in [GjkDirections::Nesterov, GjkDirections::Secants] {
            let other = distance_by_gjk(&x, &HERE, &y, &HERE, directions).unwrap();
            let is_right = other.at_least <= exact && exact <= other.at_most && other.steps <= MAX_GJK_STEPS;
            assert!(is_right, "{what}, {directions:?}: {exact:e} {other:?}");
        }
        assert!((found.point_b - found.point_a).length() <= found.at_most, "{what}: {found:?}");
        if let Some(normal) = found.normal {
            assert!(gap_along(&a, &b, normal) >= found.at_least - ulps, "{what}: {found:?}");
        }
        rates[0].count(found.at_most - found.at_least <= ulps);
        most[0] = most[0].max(found.steps);
        let Some(deep) = depth_by_epa(&x, &HERE, &y, &HERE) else {
            rates[1].count(exact > 0.0);
            continue;
        };
        let depth = penetration_depth(&a, &b);
        assert!(deep.at_least <= depth && depth <= deep.at_most, "{what}: {depth:e} {deep:?}");
        rates[1].count(exact == 0.0);
        let is_tight = deep.at_most - deep.at_least <= ulps;
        rates[2].count(is_tight);
        let most = &mut most[if is_tight { 1 } else { 2 }];
        *most = (*most).max(deep.steps);
    }
    println!(
        "{most:?} steps at most (simplex, polytope, polytope lost); both ends within 64 ulp, overlap told, depths within 64 ulp: {rates:?}"
    );
    assert!(most[0] < MAX_GJK_STEPS / 2 && most[1].max(most[2]) < 8 * MAX_EPA_CORNERS, "{most:?}");
    assert!(rates.iter().all(|rate| rate.share() > 0.8), "{rates:?}");
}

#[test]
fn the_simplex_and_the_polytope_alone_count_margins_and_curved_faces() {
    let (ball, cone) = (Convex::sphere(0.5).unwrap(), Convex::cone(1.0, 1.0).unwrap());
    let cube = Convex::cuboid(Vec3::ONE).unwrap().with_margin(0.25).unwrap();
    let floor = Convex::half_space(Vec3::Z, 0.0).unwrap();
    let found = distance_by_gjk(&ball, &at(0.0, 0.0, 4.0), &cube, &HERE, GjkDirections::Plain).unwrap();
    assert!(found.at_least <= 2.25 && found.at_most >= 2.25 && found.at_most - found.at_least < 1e-13, "{found:?}");
    assert!(found.point_a.abs_diff_eq(Vec3::Z * 3.5, 1e-13) && found.point_b.z == 1.25, "{found:?}");
    let found = distance_by_gjk(&ball, &at(0.0, 0.0, 1.5), &cube, &HERE, GjkDirections::Plain).unwrap();
    assert!(found.at_least == 0.0 && found.normal.is_none() && found.point_a == found.point_b, "{found:?}");
    assert_eq!(depth_by_epa(&ball, &at(0.0, 0.0, 1.5), &cube, &HERE), None, "the cores are apart");
    let found = depth_by_epa(&cone, &HERE, &cube, &at(0.0, 0.0, 1.5)).unwrap();
    assert!(found.at_least <= 0.75 && found.at_most >= 0.75 && found.normal == Vec3::Z, "{found:?}");
    assert_eq!(distance_by_gjk(&floor, &HERE, &cube, &HERE, GjkDirections::Plain), None);
    assert_eq!(depth_by_epa(&cube, &HERE, &floor, &HERE), None);
}

/// Apart, touching and deep, turned and along the axes; the formulas against what the verbs prove, and both ways round.
#[test]
fn formulas_agree_with_what_is_proved() {
    let mut random = Random::new(77);
    let mut tested = 0;
    for round in 0..4000 {
        let mut size = || random.between(0.1, 1.0);
        let flat = [
            Convex::sphere(size()),
            Convex::capsule(size(), size()),
            Convex::segment([Vec3::new(size(), 0.2, -size()), Vec3::new(-size(), size(), 0.1)]),
            Convex::triangle([
                Vec3::new(size(), 0.2, -size()),
                Vec3::new(-size(), size(), 0.1),
                Vec3::new(0.1, -size(), size()),
            ]),
            Convex::cuboid(Vec3::new(size(), size(), size())).and_then(|shape| shape.with_margin(0.125)),
            Convex::cuboid(Vec3::new(size(), size(), size())),
            Convex::cylinder(size(), size()),
            Convex::cone(size(), size()),
            Convex::half_space(Vec3::new(size(), -size(), size()), size()),
        ]
        .map(Result::unwrap);
        let pose = |random: &mut Random| {
            let turned = random.pose(1.2);
            // Parallel edges and faces, and places on a lattice: ties everywhere.
            if random.one_in(3) {
                at((turned.translation() * 4.0).round().x / 4.0, 0.25 * f64::from(round % 9), 0.5)
            } else {
                turned
            }
        };
        let (p, q) = (pose(&mut random), pose(&mut random));
        for a in &flat {
            for b in &flat {
                let Some(found) = separation_in_closed_form(a, &p, b, &q) else { continue };
                let other = separation_in_closed_form(b, &q, a, &p).unwrap();
                let Some(expected) = contact(a, &p, b, &q, f64::INFINITY) else { panic!("{round}: {a:?} {b:?}") };
                let room = expected.error + 1e-14 * (4.0 + p.max_translation() + q.max_translation());
                let what = || format!("{round}: {found:?} {expected:?}\n{a:?} {p:?}\n{b:?} {q:?}");
                assert!(
                    found.separation == expected.separation || (found.separation - expected.separation).abs() <= room,
                    "{}",
                    what()
                );
                assert!(
                    found.separation == other.separation || (found.separation - other.separation).abs() <= room,
                    "{}",
                    what()
                );
                if let Some([on_a, on_b]) = found.points {
                    assert!(((on_b - on_a).length() - found.separation.abs()).abs() <= 4.0 * room, "{}", what());
                }
                tested += 1;
            }
        }
    }
    assert!(tested > 100_000, "{tested}");
}

/// So many pairs of edges that only those are tried whose arcs of normals cross: against the expanding polytope.
#[test]
fn pruned_axes_tell_the_depth_of_hulls_of_many_corners() {
    let mut random = Random::new(78);
    let mut deep = 0;
    for round in 0..60 {
        let stretch = [Vec3::ONE, Vec3::new(1.0, 0.2, 0.05), Vec3::new(1.0, 1.0, 0.01)][round % 3];
        let cloud =
            |random: &mut Random| -> Vec<Vec3> { (0..90).map(|_| random.vector(1.0).normalize() * stretch).collect() };
        let [a, b] = [cloud(&mut random), cloud(&mut random)].map(|points| Convex::hull(&points).unwrap());
        let edges = |shape: &Convex| match shape.core() {
            Core::Hull(hull) => hull.edges().len(),
            _ => 0,
        };
        assert!(edges(&a) * edges(&b) > 20_000, "all pairs would be tried");
        let (p, q) = (random.pose(0.3), random.pose(0.3));
        let Some(found) = contact_by_separating_axes(&a, &p, &b, &q) else { continue };
        let expected = contact(&a, &p, &b, &q, f64::INFINITY).unwrap();
        assert!(
            (found.separation - expected.separation).abs() <= found.error + expected.error,
            "{round}: {found:?} {expected:?}"
        );
        deep += 1;
    }
    assert!(deep > 30, "{deep}");
}
