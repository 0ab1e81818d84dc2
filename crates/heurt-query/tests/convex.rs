//! Convex shapes against exact arithmetic: hard pairs of hulls, swapped and moved.

use heurt_geometry::{Pose, Vec3};
use heurt_query::{contact, distance, overlap};
use heurt_shape::Convex;
use heurt_testkit::convex_oracle::{gap_along, hull_distance, hulls_meet, penetration_depth};
use heurt_testkit::convex_pairs::{ConvexKind, convex_pair};
use heurt_testkit::random::Random;

const HERE: Pose = Pose::IDENTITY;

fn largest(points: &[Vec3]) -> f64 {
    points.iter().fold(0.0, |most, p| f64::max(most, p.abs().max_element()))
}

/// What is wrong with the answers about a pair, if anything.
fn faults(a: &[Vec3], b: &[Vec3]) -> Vec<String> {
    let mut faults = Vec::new();
    let (shape_a, shape_b) = (Convex::hull(a).unwrap(), Convex::hull(b).unwrap());
    // Denormal numbers are rounded to the least of them.
    let ulps = 64.0 * f64::EPSILON * largest(a).max(largest(b)) + f64::from_bits(16);
    let exact = hull_distance(a, b);
    // What is apart by less than half of the least number is apart.
    let exact = if exact == 0.0 && a.len() * b.len() <= 16 && !hulls_meet(a, b) { f64::from_bits(1) } else { exact };
    let found = distance(&shape_a, &HERE, &shape_b, &HERE);
    let overlaps = overlap(&shape_a, &HERE, &shape_b, &HERE).is_some();
    if overlaps != (exact == 0.0) {
        faults.push(format!("overlap {overlaps} at an exact distance of {exact:e}"));
    }
    if (found.distance == 0.0) != (exact == 0.0) {
        faults.push(format!("distance {:e}, exactly {exact:e}", found.distance));
    }
    let off = (found.distance - exact).abs();
    if off > found.error || found.error > ulps {
        faults.push(format!("distance {:e} off by {off:e}, error {:e}, 64 ulp {ulps:e}", found.distance, found.error));
    }
    let apart = (found.point_b - found.point_a).length();
    if (apart - found.distance).abs() > ulps {
        faults.push(format!("points {apart:e} apart at a distance of {:e}", found.distance));
    }
    if let Some(normal) = found.normal.filter(|_| exact > 0.0) {
        let gap = gap_along(a, b, normal);
        if gap < exact - ulps {
            faults.push(format!("gap {gap:e} along the normal at a distance of {exact:e}"));
        }
    }
    let touch = contact(&shape_a, &HERE, &shape_b, &HERE, f64::INFINITY).unwrap();
    let depth = if exact > 0.0 { -exact } else { penetration_depth(a, b) };
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
    faults
}

#[test]
fn hard_pairs_of_hulls_are_answered_within_their_error() {
    let count: u64 = std::env::var("HEURT_CONVEX_PAIRS").ok().and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let mut random = Random::new(4);
    let mut wrong = Vec::new();
    for number in 0..count {
        let (kind, a, b): (ConvexKind, _, _) = convex_pair(&mut random);
        for fault in faults(&a, &b) {
            wrong.push(format!("{number} {kind:?}: {fault}"));
        }
    }
    assert!(wrong.is_empty(), "{} faults, the first:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn debug_one() {
    let only: u64 = std::env::var("ONLY").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut random = Random::new(4);
    for number in 0..=only {
        let (kind, a, b): (ConvexKind, _, _) = convex_pair(&mut random);
        if number == only {
            println!("{kind:?} {} {}", a.len(), b.len());
            println!("{a:?}\n{b:?}");
            for fault in faults(&a, &b) {
                println!("{fault}");
            }
        }
    }
}
