//! All verbs, for every pair of kinds of shapes: the same named the other way round, the same when both are moved together, and a margin that
//! ends just where the separation is.

use crate::kinds::shapes;
use heurt_geometry::Pose;
use heurt_query::{contact, distance, overlap};
use heurt_shape::{Shape, ShapeRef};
use heurt_testkit::number::random::Random;
use heurt_testkit::test_size;

/// What verbs tell of a pair: whether it overlaps, its distance, its separation and the bound of that, with the errors told.
#[derive(Debug, Clone, Copy)]
struct Measures {
    overlaps: bool,
    values: [f64; 3],
    errors: [f64; 3],
}

fn measures(a: &Shape, p: &Pose, b: &Shape, q: &Pose) -> Measures {
    let (gap, found) = (distance(a, p, b, q), contact(a, p, b, q, f64::INFINITY));
    let (separation, bound, error) = found
        .map_or((f64::INFINITY, f64::INFINITY, 0.0), |found| (found.separation, found.separation_bound, found.error));
    Measures {
        overlaps: overlap(a, p, b, q).is_some(),
        values: [gap.distance, separation, bound],
        errors: [gap.error, error, error],
    }
}

/// `HEURT_INVARIANCE_ROUNDS=40 cargo test --release -p heurt-query --test it invariance::` runs twenty times as many.
#[test]
fn verbs_tell_the_same_swapped_and_moved_together() {
    let mut random = Random::new(91);
    let all = shapes(&mut random);
    let (mut pairs, mut overlapping, mut faults) = (0, 0, Vec::new());
    let rounds = test_size("HEURT_INVARIANCE_ROUNDS", 2) as usize;
    for (i, (name_a, a)) in all.iter().enumerate() {
        for (name_b, b) in &all[i..] {
            let is_among = |names: &[&str]| names.contains(name_a) || names.contains(name_b);
            // A curved depth is proved as well as it could be from where the search came, to 1e-9.
            let is_curved = is_among(&["cylinder", "cone", "ellipsoid", "superellipsoid", "supertoroid"]);
            for round in 0..if is_among(&["supertoroid"]) { rounds.div_ceil(6) } else { rounds } {
                let (p, q) = (random.pose(0.5), random.pose(0.5));
                let whole = random.pose(2.0);
                let (moved_p, moved_q) = (whole.compose(&p), whole.compose(&q));
                let here = measures(a, &p, b, &q);
                let reach = ShapeRef::from(a).max_coordinate() + ShapeRef::from(b).max_coordinate();
                let room = 1e-12
                    * (reach
                        + p.max_translation()
                            .max(q.max_translation())
                            .max(moved_p.max_translation())
                            .max(moved_q.max_translation()));
                for (how, there) in [("swapped", measures(b, &q, a, &p)), ("moved", measures(a, &moved_p, b, &moved_q))]
                {
                    let is_same = |k: usize| {
                        let proof =
                            if k > 0 && is_curved { here.errors[k].max(there.errors[k]).min(1e-9) } else { 0.0 };
                        let room = room + proof;
                        here.values[k] == there.values[k] || (here.values[k] - there.values[k]).abs() <= room
                    };
                    if here.overlaps != there.overlaps || !(0..3).all(is_same) {
                        faults.push(format!("{name_a}, {name_b}, {round}, {how}: {here:?} {there:?}"));
                    }
                }
                (pairs, overlapping) = (pairs + 1, overlapping + usize::from(here.overlaps));
                // A margin ends where the separation is, but for what is told of its error.
                let [separation, error] = [here.values[1], here.errors[1]];
                if separation.is_finite() && error < 1e-9 {
                    let at = |margin: f64| contact(a, &p, b, &q, margin).is_some();
                    let more = 2.0 * error + room;
                    if !at(separation + more) || at(separation - more) {
                        faults.push(format!("{name_a}, {name_b}, {round}: the margin does not end at {separation}"));
                    }
                }
            }
        }
    }
    println!("{pairs} pairs, {overlapping} overlap");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
