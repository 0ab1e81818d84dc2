//! Brute-force broad phase with a cached separating plane for each pair.
//!
//! In: objects. Out: their pairs. Method: S0 §6.1.3 on boxes: six planes may separate two boxes. The plane of the
//! previous step is tested first, and one comparison of two numbers mostly suffices. One byte a pair; a stale byte is
//! only a worse guess, so no order has to be maintained when objects come and go.
//! Cost: n²/2 comparisons and n²/2 bytes, which is why ids end at [`Method::END`]. Sources of S0: Q-COLLIDE.

use crate::broad_phase::common::engine::Method;
use crate::broad_phase::common::pair_list::PairBook;
use crate::broad_phase::common::proxies::{PRESENT, Proxies, ProxyRecord, STATIC};
use crate::broad_phase::{BroadPhaseKind, Fault, Pair, ProxyId, StepWork};
use heurt_geometry::Aabb;

/// Cached planes: for each moving object, in turn, a plane for each later object, static ones last.
#[derive(Debug, Default)]
pub(crate) struct SeparatingPlanes {
    planes: Vec<u8>,
    order: Vec<ProxyId>,
    ends: Vec<[f64; 6]>,
}

/// No plane separates them.
const NONE: u8 = 6;

/// Returns the coordinates of a box, least and greatest by axis, so that the plane p compares `a[p]` with `b[p ^ 1]`
/// ([`is_parted`]).
fn ends_of(bounds: &Aabb) -> [f64; 6] {
    let (low, high) = (bounds.min, bounds.max);
    [low.x, high.x, low.y, high.y, low.z, high.z]
}

/// Reports whether plane `p` of six separates a from b: an even plane if a starts above the end of b, an odd plane if
/// it ends below.
#[inline(always)]
fn is_parted(a: &[f64; 6], b: &[f64; 6], p: u8) -> bool {
    let p = usize::from(p);
    p < 6 && if p & 1 == 0 { a[p] > b[p ^ 1] } else { a[p] < b[p ^ 1] }
}

impl Method for SeparatingPlanes {
    const KIND: Option<BroadPhaseKind> = Some(BroadPhaseKind::SeparatingPlanes);
    /// Limits the planes to 512 MiB.
    const END: ProxyId = 1 << 15;

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        self.order.clear();
        self.order.extend(proxies.ids().filter(|&id| !proxies.record(id).has(STATIC)));
        let moving = self.order.len();
        self.order.extend(proxies.ids().filter(|&id| proxies.record(id).has(STATIC)));
        self.ends.clear();
        self.ends.extend(self.order.iter().map(|&id| ends_of(&proxies.record(id).bounds)));
        let n = self.order.len();
        let pairs = (moving * (2 * n).saturating_sub(moving + 1)) / 2;
        self.planes.resize(pairs, NONE);
        let records: &[ProxyRecord] = proxies.records();
        let mut rows = self.planes.as_mut_slice();
        for i in 0..moving {
            let (row, rest) = rows.split_at_mut(n - i - 1);
            rows = rest;
            let a = &self.ends[i];
            for ((plane, b), &other) in row.iter_mut().zip(&self.ends[i + 1..]).zip(&self.order[i + 1..]) {
                if is_parted(a, b, *plane) {
                    continue;
                }
                work.box_tests += 1;
                *plane = (0..6).find(|&p| is_parted(a, b, p)).unwrap_or(NONE);
                let id = self.order[i];
                if *plane == NONE && records[id as usize].meets(&records[other as usize]) {
                    book.found.push(Pair::new(id, other));
                }
            }
        }
        book.replace(proxies.end());
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        for (at, (&id, ends)) in self.order.iter().zip(&self.ends).enumerate() {
            let record = proxies.record(id);
            if !record.has(PRESENT) || *ends != ends_of(&record.bounds) {
                faults.push(Fault::Structure { at: at as u32, what: "the ends are not those of the box" });
            }
        }
    }

    fn bytes(&self) -> usize {
        self.planes.capacity() + self.order.capacity() * 4 + self.ends.capacity() * size_of::<[f64; 6]>()
    }
}
