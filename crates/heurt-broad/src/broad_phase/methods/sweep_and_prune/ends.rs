//! What is sorted: the boxes themselves, or cubes that hold the object however it turns.
//!
//! In: boxes as they are given. Out: boxes that hold them. Method: S0 §6.1.2, "dynamic boxes" and "fixed-size cubes". A
//! broad phase sees no shapes. The first box of an object tells the radius: its half diagonal, since the ball round the
//! box holds the object in any orientation about the centre of the box. Where a later box shows that the object is
//! larger or turns around another point, the radius grows once to hold it. Unbounded boxes stay as they are.

use crate::broad_phase::ProxyId;
use crate::broad_phase::common::proxies::{Proxies, make_room};
use heurt_geometry::{Aabb, Vec3};
use std::fmt::Debug;

/// A choice of what is sorted.
pub(crate) trait Ends: Debug + Default + Send + Sync {
    /// Whether boxes are larger than those given, so that pairs have to be judged.
    const ARE_LARGER: bool;
    /// Takes the box that `id` has now.
    fn take(&mut self, proxies: &Proxies, id: ProxyId);
    /// The box to sort.
    fn of(&self, proxies: &Proxies, id: ProxyId) -> Aabb;
    /// Memory on the heap.
    fn bytes(&self) -> usize;
}

/// The boxes as they are.
#[derive(Debug, Default)]
pub(crate) struct Boxes;

impl Ends for Boxes {
    const ARE_LARGER: bool = false;

    fn take(&mut self, _proxies: &Proxies, _id: ProxyId) {}

    #[inline(always)]
    fn of(&self, proxies: &Proxies, id: ProxyId) -> Aabb {
        proxies.record(id).bounds
    }

    fn bytes(&self) -> usize {
        0
    }
}

/// A cube for each object, of which only the centre moves: half its edge is kept.
#[derive(Debug, Default)]
pub(crate) struct Cubes {
    radii: Vec<f64>,
}

impl Ends for Cubes {
    const ARE_LARGER: bool = true;

    fn take(&mut self, proxies: &Proxies, id: ProxyId) {
        make_room(&mut self.radii, proxies.end());
        self.radii.resize(proxies.end(), 0.0);
        let (half, at) = (proxies.record(id).bounds.half_extents(), id as usize);
        let is_new = !proxies.record(id).has(crate::broad_phase::common::proxies::KNOWN);
        let needed = if is_new { half.length() } else { half.max_element() };
        self.radii[at] = if is_new { needed } else { self.radii[at].max(needed) };
    }

    #[inline(always)]
    fn of(&self, proxies: &Proxies, id: ProxyId) -> Aabb {
        let (bounds, radius) = (proxies.record(id).bounds, self.radii[id as usize]);
        let centre = bounds.centre();
        let is_bounded = radius.is_finite() && centre.is_finite();
        let reach = if is_bounded { Vec3::splat(radius) } else { Vec3::ZERO };
        // The box counts where rounding, or an infinite bound, leaves it outside.
        let (low, high) = if is_bounded { (centre - reach, centre + reach) } else { (bounds.min, bounds.max) };
        Aabb { min: low.min(bounds.min), max: high.max(bounds.max) }
    }

    fn bytes(&self) -> usize {
        self.radii.capacity() * size_of::<f64>()
    }
}
