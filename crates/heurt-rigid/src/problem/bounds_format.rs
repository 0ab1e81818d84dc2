//! File format of the bounds of a row: two numbers, `null` for an infinite one.
//!
//! In: bounds. Out: a pair of optional numbers, because JSON has no infinity.
//! Guarantees: finite bounds keep their bits. Cost: constant.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes bounds; −∞ below and +∞ above become `null`.
pub(super) fn serialize<S: Serializer>(bounds: &[f64; 2], serializer: S) -> Result<S::Ok, S::Error> {
    let [low, high] = *bounds;
    let pair = [Some(low).filter(|low| *low != f64::NEG_INFINITY), Some(high).filter(|high| *high != f64::INFINITY)];
    pair.serialize(serializer)
}

/// Reads bounds.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; 2], D::Error> {
    let [low, high] = <[Option<f64>; 2]>::deserialize(deserializer)?;
    Ok([low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)])
}
