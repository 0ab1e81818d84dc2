//! Limit of pairs: a test whether bodies are so crowded that their pairs would take memory out of proportion.
//!
//! In: where boxes are to be. Out: the pairs, or a refusal that leaves all as it was.
//! Method: boxes of one order of size whose middles lie within half of it overlap for sure. How many such pairs there
//! are is bounded by counts in a small table of hashes first, and only where that is too many counted; so no list of
//! pairs is made that is refused. The broad phase counts the pairs that pass this test.
//! Cost: linear in the bodies; nothing where they are few.

use crate::body::BodyId;
use crate::error::WorldError;
use crate::settings::Settings;
use crate::state::view::WorldView;
use heurt_broad::{BroadPhase, Filter, Pair};
use heurt_geometry::Aabb;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Pairs that any world may have.
const ALWAYS: usize = 1 << 20;
/// Pairs a body that a large world may have; in a heap there are four to eight.
const EACH: usize = 64;
/// Places of the table, in bits.
const TABLE_BITS: u32 = 16;

/// The common properties of boxes that provably overlap: filters, and order of size and cell along each axis.
type CrowdCell = [u64; 7];

/// Finds the pairs of boxes as they are now, of `bodies` bodies. If there are too many, boxes go back to the poses of
/// the bodies.
pub(crate) fn find_pairs(view: &mut WorldView, bodies: usize, settings: &Settings) -> Result<(), WorldError> {
    let most = ALWAYS.max(EACH * bodies);
    let sure = find_crowd(&*view.boxes, view.bodies.slots().len(), bodies, most);
    let (pairs, busiest) = match sure {
        Some(Crowd { pairs, busiest }) => (pairs, busiest),
        None => {
            view.boxes.step();
            let pairs = view.boxes.pairs();
            if pairs.len() <= most {
                return Ok(());
            }
            (pairs.len(), busiest(pairs))
        }
    };
    view.put_boxes_back(settings)?;
    if sure.is_none() {
        view.boxes.step();
    }
    // Pairs have bodies.
    let id = view.bodies.at(busiest).map_or(BodyId { index: busiest, generation: 0 }, |(id, _)| id);
    Err(WorldError::Crowded { id, pairs, bodies, most })
}

/// Finds the pairs of boxes that provably overlap, if they are more than `most`.
fn find_crowd(boxes: &dyn BroadPhase, places: usize, bodies: usize, most: usize) -> Option<Crowd> {
    if bodies * bodies.saturating_sub(1) / 2 <= most {
        return None;
    }
    let cells = || {
        (0..places as u32).filter_map(|place| {
            let (bounds, filter) = boxes.proxy(place)?;
            Some((cell(&bounds, &filter)?, place))
        })
    };
    let mut table = vec![0u32; 1 << TABLE_BITS];
    let mut bound = 0;
    for (cell, _) in cells() {
        let mixed = cell.iter().fold(0u64, |mixed, part| (mixed.rotate_left(5) ^ part).wrapping_mul(MIXER));
        let count = &mut table[(mixed >> (u64::BITS - TABLE_BITS)) as usize];
        bound += *count as usize;
        *count += 1;
    }
    if bound <= most {
        return None;
    }
    let mut cells: Vec<(CrowdCell, u32)> = cells().collect();
    cells.sort_unstable();
    let alike = || cells.chunk_by(|a, b| a.0 == b.0);
    let pairs = alike().map(|alike| alike.len() * (alike.len() - 1) / 2).sum();
    let fullest = alike().max_by_key(|alike| (alike.len(), Reverse(alike[0].1)))?;
    (pairs > most).then_some(Crowd { pairs, busiest: fullest[fullest.len() / 2].1 })
}

/// Pairs that are too many.
#[derive(Clone, Copy)]
struct Crowd {
    pairs: usize,
    /// The place of one that is in many of them.
    busiest: u32,
}

/// The middle one of the bodies in most pairs: likely one of many alike.
fn busiest(pairs: &[Pair]) -> u32 {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    pairs.iter().flat_map(|pair| [pair.a, pair.b]).for_each(|place| *counts.entry(place).or_default() += 1);
    let most = counts.values().copied().max();
    let places: Vec<u32> =
        counts.into_iter().filter(|(_, count)| Some(*count) == most).map(|(place, _)| place).collect();
    places.get(places.len() / 2).copied().unwrap_or(0)
}

/// An odd number whose bits are as good as random: 2⁶⁴ by the golden ratio.
const MIXER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The exponent of 2 to the power of 1 - e is this number minus the exponent of 2 to the power of e, both with their
/// bias.
const LAST_ORDER: u64 = 2 * 1023 + 1;

/// The cell of a box; `None` if it has no middle, or does not meet boxes of its filter.
fn cell(bounds: &Aabb, filter: &Filter) -> Option<CrowdCell> {
    if !filter.meets(filter) {
        return None;
    }
    let mut cell = [0; 7];
    cell[6] = u64::from(filter.group) << 32 | u64::from(filter.mask);
    for k in 0..3 {
        let (size, middle) = (bounds.max[k] - bounds.min[k], 0.5 * (bounds.max[k] + bounds.min[k]));
        if !(size.is_finite() && middle.is_finite()) {
            return None;
        }
        let order = size.to_bits() >> 52;
        // Cells are half as long as the power of two that the size is not below, except the cell around zero, which is
        // twice so: in each, middles are nearer than that power.
        let cells = if (2..=LAST_ORDER).contains(&order) { f64::from_bits((LAST_ORDER - order) << 52) } else { 0.0 };
        // A box of nearly no size meets only boxes at its place; both zeros are one.
        let place = if cells > 0.0 { (middle * cells) as i64 as u64 } else { (middle + 0.0).to_bits() };
        (cell[2 * k], cell[2 * k + 1]) = (order, place);
    }
    Some(cell)
}
