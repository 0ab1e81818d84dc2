//! Boxes to sort: the given boxes, or cubes that hold the object in any orientation.
//!
//! In: the given boxes. Out: boxes that hold them. Method: S0 §6.1.2, "dynamic boxes" and "fixed-size cubes". A broad
//! phase has no shapes. The first box of an object determines the radius: its half diagonal, since the ball round the
//! box holds the object in any orientation around the centre of the box. If a later box shows that the object is larger
//! or rotates around another point, the radius grows once to hold it. Unbounded boxes stay unchanged.

use crate::broad_phase::ProxyId;
use crate::broad_phase::common::proxies::{Proxies, make_room};
use heurt_geometry::{Aabb, Vec3};
use std::fmt::Debug;

/// A choice of the boxes to sort.
pub(crate) trait Ends: Debug + Default + Send + Sync {
    /// Whether boxes are larger than the given boxes, so that pairs have to be tested.
    const ARE_LARGER: bool;
    /// Updates from the present box of `id`.
    fn take(&mut self, proxies: &Proxies, id: ProxyId);
    /// Returns the box to sort.
    fn of(&self, proxies: &Proxies, id: ProxyId) -> Aabb;
    /// Returns the memory on the heap, in bytes.
    fn bytes(&self) -> usize;
}

/// The given boxes.
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

/// A cube for each object, of which only the centre moves: half its edge is stored.
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
        // Includes the box if rounding, or an infinite bound, leaves it outside.
        let (low, high) = if is_bounded { (centre - reach, centre + reach) } else { (bounds.min, bounds.max) };
        Aabb { min: low.min(bounds.min), max: high.max(bounds.max) }
    }

    fn bytes(&self) -> usize {
        self.radii.capacity() * size_of::<f64>()
    }
}
