//! Boxes in `f32`, eight side by side, and the one test that every kind makes of them.
//!
//! In: boxes in `f64`. Out: which of eight may overlap another. Method: a [`Frame`] takes its origin off and rounds to
//! the nearest `f32`. Both never put two numbers in the wrong order, so that boxes that overlap in `f64` overlap in
//! `f32` too, at any offset and any size, with no outward rounding. The converse does not hold: pairs are judged by `f64`.
//! Guarantees: the same bits with and without AVX2.

use heurt_bvh::simd::{Isa, Lanes, LanesFor, Point, WideIsa};
use heurt_bvh::volume::WideAabb;
use heurt_bvh::{Aabb32, RayQuery};
use heurt_geometry::{Aabb, Vec3};

use super::Ray;

/// Eight boxes.
pub(super) type Eight = WideAabb<8>;

/// Eight boxes that nothing is kept in.
pub(super) const VACANT: Eight = WideAabb { min: [[f32::INFINITY; 8]; 3], max: [[f32::NEG_INFINITY; 8]; 3] };

/// Beyond this, in metres from the origin of the frame, a box counts as unbounded.
pub(super) const FAR: f32 = 1e15;

/// Coordinates this many times the mean size leave `f32` too few digits: a new frame is due.
const BLURRED: f32 = 1e5;

/// The map from `f64` to `f32`: x ↦ f32(x − origin), which keeps order.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Frame {
    pub origin: Vec3,
}

impl Frame {
    /// In the middle of the finite boxes that are not vast.
    pub fn amid<'a>(boxes: impl Iterator<Item = &'a Aabb>) -> Self {
        let tame = |bounds: &&Aabb| {
            let far = f64::from(FAR);
            bounds.min.cmpgt(Vec3::splat(-far)).all() && bounds.max.cmplt(Vec3::splat(far)).all()
        };
        let all = boxes.filter(tame).fold(Aabb::EMPTY, |all, bounds| all.union(*bounds));
        Self { origin: if all.is_empty() { Vec3::ZERO } else { all.centre() } }
    }

    #[inline(always)]
    pub fn local(&self, bounds: &Aabb) -> Aabb32 {
        let (min, max) = (bounds.min - self.origin, bounds.max - self.origin);
        Aabb32 { min: [min.x as f32, min.y as f32, min.z as f32], max: [max.x as f32, max.y as f32, max.z as f32] }
    }

    /// Tells whether boxes of mean size `size`, within `reach` of the origin, call for another frame.
    pub fn is_blurred<'a>(&self, reach: f32, size: f32, boxes: impl Iterator<Item = &'a Aabb>) -> bool {
        // Only a frame that lies elsewhere would help.
        let moved = || (Self::amid(boxes).origin - self.origin).abs().max_element();
        reach > BLURRED * size && moved() > f64::from(reach) * 0.5
    }

    /// The ray for boxes whose coordinates are at most `reach`; it errs towards meeting them.
    pub fn ray(&self, ray: &Ray, reach: f32) -> RayQuery {
        let scale = ray.direction.abs().max_element();
        let origin = ray.origin - self.origin;
        // Roundings of boxes to f32, and of the exact answer in f64.
        let slack =
            f64::from(reach).max(ray.origin.abs().max_element()).max(origin.abs().max_element()) * 2.0f64.powi(-22);
        RayQuery::new(origin.to_array(), (ray.direction / scale).to_array(), slack + f64::MIN_POSITIVE, ray.end * scale)
    }
}

/// Tells whether the coordinates of a box are all within [`FAR`].
#[inline(always)]
pub(super) fn is_near(bounds: &Aabb32) -> bool {
    (0..3).all(|k| bounds.min[k] > -FAR && bounds.max[k] < FAR)
}

/// Bit i tells whether box i of eight overlaps `other`. Vacant lanes may be told to.
#[inline(always)]
pub(super) fn overlaps<I: LanesFor<8>>(_isa: I, eight: &Eight, other: &Aabb32) -> u32 {
    let apart = |k: usize| {
        let above = I::F::load(&eight.min[k]).gt(I::F::splat(other.max[k]));
        above.or(I::F::splat(other.min[k]).gt(I::F::load(&eight.max[k])))
    };
    !apart(0).or(apart(1)).or(apart(2)).bits() & 0xff
}

/// Reads one box of eight.
#[inline(always)]
pub(super) fn lane(eight: &Eight, at: usize) -> Aabb32 {
    let at = at & 7;
    Aabb32 {
        min: [eight.min[0][at], eight.min[1][at], eight.min[2][at]],
        max: [eight.max[0][at], eight.max[1][at], eight.max[2][at]],
    }
}

/// Writes one box of eight.
#[inline(always)]
pub(super) fn set_lane(eight: &mut Eight, at: usize, bounds: &Aabb32) {
    let at = at & 7;
    for k in 0..3 {
        eight.min[k][at] = bounds.min[k];
        eight.max[k][at] = bounds.max[k];
    }
}

/// A box as two corners, each in four lanes of which the last is 0: all axes of one box at once.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(32))]
pub(super) struct Corners {
    min: [f32; 4],
    max: [f32; 4],
}

impl Corners {
    pub const EMPTY: Self = Self {
        min: [f32::INFINITY, f32::INFINITY, f32::INFINITY, 0.0],
        max: [f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0],
    };

    #[inline(always)]
    pub fn of(bounds: &Aabb32) -> Self {
        let four = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        Self { min: four(bounds.min), max: four(bounds.max) }
    }

    /// [`Frame::local`].
    #[inline(always)]
    pub fn local<I: Isa>(_isa: I, frame: &Frame, bounds: &Aabb) -> Self {
        let origin = I::Point::load(&frame.origin.to_array());
        let of = |corner: Vec3| I::Point::load(&corner.to_array()).sub(origin).narrow();
        Self { min: of(bounds.min), max: of(bounds.max) }
    }

    #[inline(always)]
    pub fn bounds(&self) -> Aabb32 {
        let ([a, b, c, _], [d, e, f, _]) = (self.min, self.max);
        Aabb32 { min: [a, b, c], max: [d, e, f] }
    }

    /// Tells whether it holds `inner`.
    #[inline(always)]
    pub fn holds<I: WideIsa>(&self, _isa: I, inner: &Self) -> bool {
        let below = four::<I>(&self.min).gt(four::<I>(&inner.min));
        below.or(four::<I>(&inner.max).gt(four::<I>(&self.max))).bits() == 0
    }

    /// Tells whether both overlap.
    #[inline(always)]
    pub fn overlaps<I: WideIsa>(&self, _isa: I, other: &Self) -> bool {
        let above = four::<I>(&self.min).gt(four::<I>(&other.max));
        above.or(four::<I>(&other.min).gt(four::<I>(&self.max))).bits() == 0
    }

    /// Tells whether both overlap by more than a touch. As the map to `f32` keeps order, they then overlap in `f64` too.
    #[inline(always)]
    pub fn surely_overlaps<I: WideIsa>(&self, _isa: I, other: &Self) -> bool {
        let below = four::<I>(&other.max).gt(four::<I>(&self.min));
        below.and(four::<I>(&self.max).gt(four::<I>(&other.min))).bits() == 7
    }
}

#[inline(always)]
fn four<I: WideIsa>(corner: &[f32; 4]) -> <I as LanesFor<4>>::F {
    <I as LanesFor<4>>::F::load(corner)
}

/// Tells whether `outer` holds `inner`.
#[inline(always)]
pub(super) fn holds(outer: &Aabb32, inner: &Aabb32) -> bool {
    (outer.min[0] <= inner.min[0])
        & (outer.min[1] <= inner.min[1])
        & (outer.min[2] <= inner.min[2])
        & (inner.max[0] <= outer.max[0])
        & (inner.max[1] <= outer.max[1])
        & (inner.max[2] <= outer.max[2])
}

/// Tells whether two boxes overlap.
#[inline(always)]
pub(super) fn overlap32(a: &Aabb32, b: &Aabb32) -> bool {
    let on = |k: usize| (a.min[k] <= b.max[k]) & (b.min[k] <= a.max[k]);
    on(0) & on(1) & on(2)
}

/// Tells whether two boxes overlap by more than a touch. As the map to `f32` keeps order, they then overlap in `f64` too.
#[inline(always)]
pub(super) fn surely_overlap(a: &Aabb32, b: &Aabb32) -> bool {
    let on = |k: usize| (a.min[k] < b.max[k]) & (b.min[k] < a.max[k]);
    on(0) & on(1) & on(2)
}
