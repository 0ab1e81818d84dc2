//! Sweep: all pairs by one sort along x, for the start of sorted lists and for `validate`.
//!
//! In: the objects. Out: their pairs, sorted. Method: boxes are sorted by their start along x; each box is compared
//! with the boxes that start before it ends. Cost: O(n log n + pairs that overlap along x).

use crate::broad_phase::common::proxies::Proxies;
use crate::broad_phase::{Pair, ProxyId};

/// Finds all pairs of the present objects.
pub(crate) fn sweep_pairs(proxies: &Proxies) -> Vec<Pair> {
    let mut order: Vec<ProxyId> = proxies.ids().collect();
    order.sort_by(|&i, &j| proxies.record(i).bounds.min.x.total_cmp(&proxies.record(j).bounds.min.x));
    let mut pairs = vec![];
    for (place, &i) in order.iter().enumerate() {
        let one = proxies.record(i);
        let rest = order[place + 1..].iter().take_while(|&&j| proxies.record(j).bounds.min.x <= one.bounds.max.x);
        pairs.extend(rest.filter(|&&j| one.pairs_with(proxies.record(j))).map(|&j| Pair::new(i, j)));
    }
    pairs.sort_unstable();
    pairs
}
