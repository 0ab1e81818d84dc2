//! The cost model finds constants again that times were made of, and never a negative one.

use heurt_bvh::{CostModel, Work};

fn work(volumes: u64, primitives: u64, updates: u64) -> Work {
    Work { volumes, primitives, updates }
}

#[test]
fn constants_are_found_again() {
    let truth = CostModel { per_volume: 7.5, per_primitive: 2.25, per_update: 180.0 };
    let samples: Vec<(Work, f64)> =
        (1..50u64).map(|k| work(40 * k % 997, k * k % 311, 1)).map(|work| (work, truth.predict(&work))).collect();
    let found = CostModel::fit(&samples);
    for (found, truth) in [
        (found.per_volume, truth.per_volume),
        (found.per_primitive, truth.per_primitive),
        (found.per_update, truth.per_update),
    ] {
        assert!((found - truth).abs() < 1e-6 * truth, "{found} instead of {truth}");
    }
}

#[test]
fn what_would_be_negative_is_zero_and_nothing_gives_nothing() {
    // More primitives go with less time: no cost explains that, so they cost nothing.
    let samples: Vec<(Work, f64)> = (1..30u64).map(|k| (work(100 + k, 60 - k, 1), 1000.0 + 20.0 * k as f64)).collect();
    let found = CostModel::fit(&samples);
    assert!(found.per_volume >= 0.0 && found.per_primitive >= 0.0 && found.per_update >= 0.0, "{found:?}");
    assert!(samples.iter().all(|(work, time)| (found.predict(work) / time - 1.0).abs() < 0.2));
    assert_eq!(CostModel::fit(&[]), CostModel::default());
    assert_eq!(CostModel::fit(&[(work(0, 0, 0), 5.0)]), CostModel::default());
}
