//! Boxes in `f32`, eight side by side, and the overlap test used by every kind of broad phase.
//!
//! In: boxes in `f64`. Out: mask of the eight boxes that may overlap another box. Method: a [`Frame`] subtracts its
//! origin and rounds to the nearest `f32`. Both operations are monotone, so boxes that overlap in `f64` overlap in
//! `f32` too, at any offset and any size, with no outward rounding. The converse does not hold: pairs are decided in
//! `f64`.
//! Guarantees: the same bits with and without AVX2.

use heurt_bvh::simd::{Halves, Lanes, LanesFor, Point, WideIsa};
use heurt_bvh::volume::WideAabb;
use heurt_bvh::{Aabb32, RayQuery};
use heurt_geometry::{Aabb, Vec3};

use crate::broad_phase::Ray;

/// Eight boxes.
pub(crate) type Eight = WideAabb<8>;

/// Eight empty boxes.
pub(crate) const VACANT: Eight = WideAabb { min: [[f32::INFINITY; 8]; 3], max: [[f32::NEG_INFINITY; 8]; 3] };

/// Beyond this, in metres from the origin of the frame, a box counts as unbounded.
pub(crate) const FAR: f32 = 1e15;

/// Coordinates beyond this multiple of the mean size are too coarse in `f32`: a new frame is needed.
const BLURRED: f32 = 1e5;

/// The monotone map from `f64` to `f32`: x ↦ f32(x − origin).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Frame {
    pub origin: Vec3,
}

impl Frame {
    /// Creates a frame in the middle of the finite boxes that are not vast.
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

    /// Returns the box of local coordinates in the world, rounded.
    pub fn world(&self, bounds: &Aabb32) -> Aabb {
        let [min, max] = [bounds.min, bounds.max].map(|corner| Vec3::from_array(corner.map(f64::from)));
        Aabb { min: min + self.origin, max: max + self.origin }
    }

    /// Reports whether boxes of mean size `size`, within `reach` of the origin, need another frame.
    pub fn is_blurred<'a>(&self, reach: f32, size: f32, boxes: impl Iterator<Item = &'a Aabb>) -> bool {
        // A new frame helps only if its origin differs.
        let moved = || (Self::amid(boxes).origin - self.origin).abs().max_element();
        reach > BLURRED * size && moved() > f64::from(reach) * 0.5
    }

    /// Creates the ray for boxes whose coordinates are at most `reach`; it errs towards meeting them.
    pub fn ray(&self, ray: &Ray, reach: f32) -> RayQuery {
        let scale = ray.direction.abs().max_element();
        let origin = ray.origin - self.origin;
        // Roundings of boxes to `f32`, and of the exact test in `f64`.
        let slack =
            f64::from(reach).max(ray.origin.abs().max_element()).max(origin.abs().max_element()) * 2.0f64.powi(-22);
        RayQuery::new(
            origin.to_array(),
            (ray.direction / scale).to_array(),
            slack + f64::MIN_POSITIVE,
            ray.max_t * scale,
        )
    }
}

/// Reports whether the coordinates of a box are all within [`FAR`].
#[inline(always)]
pub(crate) fn is_near(bounds: &Aabb32) -> bool {
    (0..3).all(|k| bounds.min[k] > -FAR && bounds.max[k] < FAR)
}

/// Returns a mask: bit i is set if box i of eight overlaps `other`. Bits of vacant lanes may be set.
#[inline(always)]
pub(crate) fn overlaps<I: LanesFor<8>>(_isa: I, eight: &Eight, other: &Aabb32) -> u32 {
    let separated = |k: usize| {
        let above = I::F::load(&eight.min[k]).gt(I::F::splat(other.max[k]));
        above.or(I::F::splat(other.min[k]).gt(I::F::load(&eight.max[k])))
    };
    !separated(0).or(separated(1)).or(separated(2)).bits() & 0xff
}

/// Reads one box of eight.
#[inline(always)]
pub(crate) fn lane(eight: &Eight, at: usize) -> Aabb32 {
    let at = at & 7;
    Aabb32 {
        min: [eight.min[0][at], eight.min[1][at], eight.min[2][at]],
        max: [eight.max[0][at], eight.max[1][at], eight.max[2][at]],
    }
}

/// Writes one box of eight.
#[inline(always)]
pub(crate) fn set_lane(eight: &mut Eight, at: usize, bounds: &Aabb32) {
    let at = at & 7;
    for k in 0..3 {
        eight.min[k][at] = bounds.min[k];
        eight.max[k][at] = bounds.max[k];
    }
}

/// A box in one register: its lesser corner and a 0, its greater corner negated and a 0. So all six comparisons of two
/// boxes are one.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Corners([f32; 8]);

/// The lanes of coordinates, as bits.
const COORDINATES: u32 = 0x77;

impl Corners {
    pub const EMPTY: Self = {
        let far = f32::INFINITY;
        Self([far, far, far, 0.0, far, far, far, 0.0])
    };

    #[inline(always)]
    pub fn of(bounds: &Aabb32) -> Self {
        let ([a, b, c], [d, e, f]) = (bounds.min, bounds.max);
        Self([a, b, c, 0.0, -d, -e, -f, 0.0])
    }

    /// Computes [`Frame::local`].
    #[inline(always)]
    pub fn local<I: WideIsa>(_isa: I, frame: &Frame, bounds: &Aabb) -> Self {
        let origin = I::Point::load(&frame.origin.to_array());
        let min = I::Point::load(&bounds.min.to_array()).sub(origin).narrow();
        let turned = origin.sub(I::Point::load(&bounds.max.to_array())).narrow();
        let half = |four: &[f32; 4]| <I as LanesFor<4>>::F::load(four);
        Self(<I as LanesFor<8>>::F::join(half(&min), half(&turned)).to_array())
    }

    #[inline(always)]
    pub fn bounds(&self) -> Aabb32 {
        let [a, b, c, _, d, e, f, _] = self.0;
        Aabb32 { min: [a, b, c], max: [-d, -e, -f] }
    }

    #[inline(always)]
    fn lanes<I: WideIsa>(&self) -> <I as LanesFor<8>>::F {
        <I as LanesFor<8>>::F::load(&self.0)
    }

    /// Returns upper limits for the lanes of another box: both overlap if no lane is above.
    #[inline(always)]
    fn bar<I: WideIsa>(&self) -> <I as LanesFor<8>>::F {
        const OTHER_CORNER: u64 = u64::from_le_bytes([4, 5, 6, 7, 0, 1, 2, 3]);
        self.lanes::<I>().picked(OTHER_CORNER).xor(<I as LanesFor<8>>::F::splat(-0.0))
    }

    /// Reports whether it holds `inner`.
    #[inline(always)]
    pub fn holds<I: WideIsa>(&self, _isa: I, inner: &Self) -> bool {
        self.lanes::<I>().gt(inner.lanes::<I>()).bits() == 0
    }

    /// Reports whether both overlap.
    #[inline(always)]
    pub fn overlaps<I: WideIsa>(&self, _isa: I, other: &Self) -> bool {
        self.lanes::<I>().gt(other.bar::<I>()).bits() == 0
    }

    /// Returns the absolute change of each coordinate from `before`. `NaN` if a coordinate is and stays infinite.
    #[inline(always)]
    pub fn change<I: WideIsa>(&self, _isa: I, before: &Self) -> <I as LanesFor<8>>::F {
        self.lanes::<I>().sub(before.lanes::<I>()).abs()
    }

    /// Returns the relative placement of both boxes.
    #[inline(always)]
    pub fn standing<I: WideIsa>(&self, _isa: I, other: &Self) -> Standing {
        let zero = <I as LanesFor<8>>::F::splat(0.0);
        let beyond = self.lanes::<I>().sub(other.bar::<I>());
        let [a, b, c, _, d, e, f, _] = beyond.to_array();
        let [one, two] = [[a, b, c], [d, e, f]].map(|[x, y, z]| greater(greater(x, y), z));
        let are_numbers = beyond.eq(beyond).bits() & COORDINATES == COORDINATES;
        Standing {
            may_overlap: beyond.gt(zero).bits() == 0,
            overlap: zero.gt(beyond).bits() == COORDINATES,
            gap: if are_numbers { greater(one, two).abs() } else { f32::NAN },
        }
    }
}

/// Relative placement of two boxes, in `f32`. The map to `f32` is monotone, so its proofs also hold in `f64`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing {
    /// Whether they are not provably disjoint.
    pub may_overlap: bool,
    /// Whether they provably overlap, by more than a touch.
    pub overlap: bool,
    /// Distance or overlap, in metres. `NaN` if some coordinates are too large to compute it.
    pub gap: f32,
}

#[inline(always)]
fn greater(x: f32, y: f32) -> f32 {
    if x > y { x } else { y }
}

/// Returns the magnitude of the greatest difference, or `NaN` if any is `NaN`.
#[inline(always)]
fn gap(differences: [f32; 6]) -> f32 {
    let most = differences.iter().fold(f32::NEG_INFINITY, |most, &x| if x > most { x } else { most });
    if differences.iter().any(|x| x.is_nan()) { f32::NAN } else { most.abs() }
}

/// Returns [`Standing::gap`] of two boxes.
#[inline(always)]
pub(crate) fn gap32(a: &Aabb32, b: &Aabb32) -> f32 {
    let one = |k: usize| a.min[k] - b.max[k];
    let two = |k: usize| b.min[k] - a.max[k];
    gap([one(0), one(1), one(2), two(0), two(1), two(2)])
}

/// Returns the maximum absolute change of a coordinate from `before` to `now`. Coordinates that stay infinite do not
/// count.
#[inline(always)]
pub(crate) fn change32(now: &Aabb32, before: &Aabb32) -> f32 {
    let of = |now: &[f32; 3], before: &[f32; 3]| {
        let [x, y, z]: [f32; 3] = std::array::from_fn(|k| (now[k] - before[k]).abs());
        x.max(y).max(z).max(0.0)
    };
    of(&now.min, &before.min).max(of(&now.max, &before.max))
}

/// Reports whether `outer` holds `inner`.
#[inline(always)]
pub(crate) fn holds(outer: &Aabb32, inner: &Aabb32) -> bool {
    (outer.min[0] <= inner.min[0])
        & (outer.min[1] <= inner.min[1])
        & (outer.min[2] <= inner.min[2])
        & (inner.max[0] <= outer.max[0])
        & (inner.max[1] <= outer.max[1])
        & (inner.max[2] <= outer.max[2])
}

/// Reports whether two boxes overlap.
#[inline(always)]
pub(crate) fn overlap32(a: &Aabb32, b: &Aabb32) -> bool {
    let on = |k: usize| (a.min[k] <= b.max[k]) & (b.min[k] <= a.max[k]);
    on(0) & on(1) & on(2)
}

/// Reports whether two boxes overlap by more than a touch. The map to `f32` is monotone, so they then overlap in `f64`
/// too.
#[inline(always)]
pub(crate) fn surely_overlap(a: &Aabb32, b: &Aabb32) -> bool {
    let on = |k: usize| (a.min[k] < b.max[k]) & (b.min[k] < a.max[k]);
    on(0) & on(1) & on(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_bvh::simd::{Baseline, Kernel, dispatch};

    struct Stand(Corners, Corners);

    impl Kernel for Stand {
        type Output = (Standing, bool, bool);

        fn run<I: WideIsa + LanesFor<8>>(self, isa: I) -> Self::Output {
            let Self(a, b) = self;
            (a.standing(isa, &b), a.overlaps(isa, &b), a.holds(isa, &b))
        }
    }

    #[test]
    fn boxes_in_one_register_stand_as_their_corners_do() {
        let ends = [f32::NEG_INFINITY, -3e38, -1.0, -0.5, -1e-40, -0.0, 0.0, 1e-40, 0.5, 1.0, 3e38, f32::INFINITY];
        let mut state = 1u64;
        let mut any = |_: usize| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            ends[(state >> 33) as usize % ends.len()]
        };
        let mut seen = [0; 4];
        for _ in 0..200_000 {
            let [a, b] = [(); 2].map(|()| {
                let (one, two): ([f32; 3], [f32; 3]) = (std::array::from_fn(&mut any), std::array::from_fn(&mut any));
                Aabb32 {
                    min: std::array::from_fn(|k| one[k].min(two[k])),
                    max: std::array::from_fn(|k| one[k].max(two[k])),
                }
            });
            let (x, y) = (Corners::of(&a), Corners::of(&b));
            assert_eq!(x.bounds(), a);
            for (standing, overlaps, contains) in [dispatch::<8, _>(Stand(x, y)), Stand(x, y).run(Baseline)] {
                let is_number = !gap32(&a, &b).is_nan();
                // `NaN` proves nothing: neither disjoint nor overlapping.
                assert!(standing.may_overlap == overlap32(&a, &b), "{a:?} {b:?}");
                assert!(standing.overlap == surely_overlap(&a, &b) || !is_number, "{a:?} {b:?}");
                assert!(!standing.overlap || surely_overlap(&a, &b), "{a:?} {b:?}");
                assert_eq!(standing.gap.to_bits(), gap32(&a, &b).to_bits(), "{a:?} {b:?}");
                assert_eq!((overlaps, contains), (overlap32(&a, &b), holds(&a, &b)), "{a:?} {b:?}");
                seen[usize::from(overlaps)] += 1;
                seen[2 + usize::from(is_number)] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 1000), "{seen:?}");
    }
}
