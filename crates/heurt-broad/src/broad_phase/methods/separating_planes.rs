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
use heurt_geometry::{Aabb, DrawSink, Meaning, Vec3};

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

/// Returns the distance of two boxes along the plane `p` that separates them; infinite if none does.
fn gap_along(a: &[f64; 6], b: &[f64; 6], p: u8) -> f64 {
    let at = usize::from(p);
    match p {
        NONE.. => f64::INFINITY,
        _ if p & 1 == 0 => a[at] - b[at ^ 1],
        _ => b[at ^ 1] - a[at],
    }
}

/// Draws the rectangle in the middle between two boxes across an axis, as large as the box of both.
fn draw_plane(sink: &mut dyn DrawSink, a: &[f64; 6], b: &[f64; 6], axis: usize) {
    let (low, high) = if a[2 * axis] > b[2 * axis + 1] { (b, a) } else { (a, b) };
    let middle = 0.5 * low[2 * axis + 1] + 0.5 * high[2 * axis];
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let range = |k: usize| [a[2 * k].min(b[2 * k]), a[2 * k + 1].max(b[2 * k + 1])];
    let ([u0, u1], [v0, v1]) = (range(u), range(v));
    let corners = [[u0, v0], [u1, v0], [u1, v1], [u0, v1]].map(|[x, y]| {
        let mut corner = Vec3::splat(middle);
        (corner[u], corner[v]) = (x, y);
        corner
    });
    if corners.iter().all(|corner| corner.is_finite()) {
        (0..4).for_each(|k| sink.draw_line([corners[k], corners[(k + 1) % 4]], Meaning::Separation));
    }
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

    fn draw(&self, _proxies: &Proxies, sink: &mut dyn DrawSink) {
        let n = self.ends.len();
        // Nearest separated box by object, with the distance along its plane.
        let mut nearest = vec![(f64::INFINITY, NONE, 0); n];
        let mut row = self.planes.as_slice();
        for i in 0..n {
            let Some((planes, rest)) = row.split_at_checked(n - i - 1) else { break };
            row = rest;
            for (&plane, j) in planes.iter().zip(i + 1..) {
                let gap = gap_along(&self.ends[i], &self.ends[j], plane);
                for (own, other) in [(i, j), (j, i)] {
                    if gap < nearest[own].0 {
                        nearest[own] = (gap, plane, other);
                    }
                }
            }
        }
        for (own, &(_, plane, other)) in nearest.iter().enumerate().filter(|(_, (_, plane, _))| *plane != NONE) {
            // Each pair once, if both are nearest to each other.
            if nearest[other].2 != own || nearest[other].1 == NONE || own < other {
                draw_plane(sink, &self.ends[own], &self.ends[other], usize::from(plane / 2));
            }
        }
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
