//! Primitive source of a tree: points, and primitives that span some of them.
//!
//! In: `f64` points and the corners of each primitive. Out: boxes in the local frame of a tree, rounded outward.
//! Method: points are converted once; a box is then one `max` per corner over eight lanes (least corner negated).
//! Rounding to nearest is monotone, so the box of rounded corners, pushed out by more than an ulp, holds the exact one.

use crate::frame::tree_frame::TreeFrame;
use crate::simd::{Halves, Kernel, Lanes, LanesFor, Point, WideIsa, dispatch};
use crate::tree::bvh::BvhError;
use heurt_geometry::{Aabb, Vec3};
use rayon::prelude::*;

/// Primitives spanned by shared points: triangles, tetrahedra, segments, boxes by two corners.
pub trait PrimitiveSource: Sync {
    /// Returns the number of primitives.
    fn len(&self) -> usize;
    /// Returns the points that primitives refer to.
    fn points(&self) -> &[Vec3];
    /// Returns the points of `primitive`, at least one.
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32>;

    /// Prefetches the data that [`PrimitiveSource::corners`] will read.
    #[inline(always)]
    fn prefetch<I: WideIsa>(&self, _isa: I, _primitive: u32) {}

    /// Reports whether there is no primitive.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the exact box of `primitive`.
    fn bounds(&self, primitive: u32) -> Aabb {
        Aabb::from_points(self.corners(primitive).into_iter().map(|point| self.points()[point as usize]))
    }
}

/// Boxes as primitives: each is spanned by its two extreme corners.
#[derive(Debug, Clone)]
pub struct Boxes(Vec<Vec3>);

impl Boxes {
    /// Creates a source from non-empty boxes.
    pub fn new(boxes: impl IntoIterator<Item = Aabb>) -> Self {
        Self(boxes.into_iter().flat_map(|b| [b.min, b.max]).collect())
    }
}

impl PrimitiveSource for Boxes {
    fn len(&self) -> usize {
        self.0.len() / 2
    }
    fn points(&self) -> &[Vec3] {
        &self.0
    }
    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        [2 * primitive, 2 * primitive + 1]
    }
}

/// The points of a source in the local frame of a tree, rounded to nearest.
pub(crate) struct LocalPoints(Vec<[f32; 4]>);

/// Boxes are pushed out by this share of a coordinate, a little more than an ulp,
const OUTWARD: f32 = 1.25 / (1u32 << 23) as f32;
/// and by this much near zero.
const OUTWARD_AT_LEAST: f32 = 1e-30;

impl LocalPoints {
    /// Converts the points of `source`, with a frame around the points that primitives use.
    pub fn new(source: &impl PrimitiveSource, parallel: bool) -> Result<(TreeFrame, Self), BvhError> {
        let points = source.points();
        let bounds = check_points(points)?;
        let parallel = parallel && points.len() > 65_536;
        let frame = TreeFrame::around(&bounds);
        let local = Self::convert(&frame, points, parallel);
        if local.fills_frame(source) {
            return Ok((frame, local));
        }
        let frame = TreeFrame::around(&bounds_of_used(source));
        let local = Self::convert(&frame, points, parallel);
        Ok((frame, local))
    }

    /// Converts `points` for a given frame.
    fn convert(frame: &TreeFrame, points: &[Vec3], parallel: bool) -> Self {
        let (centre, inverse) = (frame.centre(), frame.inverse_scale());
        let convert = |p: &Vec3| {
            let local = (*p - centre) * inverse;
            [local.x as f32, local.y as f32, local.z as f32, 0.0]
        };
        Self(if parallel { points.par_iter().map(convert).collect() } else { points.iter().map(convert).collect() })
    }

    /// Reports whether the points that primitives use fill the frame; unused points may have enlarged it. Mostly
    /// returns early.
    fn fills_frame(&self, source: &impl PrimitiveSource) -> bool {
        let Some(first) = source.corners(0).into_iter().next().map(|corner| self.0[corner as usize]) else {
            return true;
        };
        let is_far = |corner: u32| self.0[corner as usize].iter().zip(&first).any(|(x, y)| (x - y).abs() > 0.0625);
        (0..source.len() as u32).any(|primitive| source.corners(primitive).into_iter().any(is_far))
    }

    /// Returns the box of `primitives`: least corner negated, number lane zero; every lane pushed out.
    #[inline(always)]
    pub fn box_of<I: WideIsa>(
        &self,
        _isa: I,
        source: &impl PrimitiveSource,
        primitives: &[u32],
    ) -> <I as LanesFor<8>>::F {
        type F<I> = <I as LanesFor<8>>::F;
        let signs = F::<I>::each_twice(-1.0, 1.0);
        let mut box_ = F::<I>::splat(f32::NEG_INFINITY);
        for &primitive in primitives {
            for corner in source.corners(primitive) {
                let point = <I as LanesFor<4>>::F::load(&self.0[corner as usize]);
                box_ = F::<I>::twice(point).mul(signs).max(box_);
            }
        }
        pushed_out(box_)
    }
}

/// The box of `f64` points that are read once and need no table.
pub(crate) struct Extent<I: WideIsa> {
    low: I::Point,
    high: I::Point,
}

impl<I: WideIsa> Extent<I> {
    #[inline(always)]
    pub fn none(_isa: I) -> Self {
        Self { low: I::Point::splat(f64::INFINITY), high: I::Point::splat(f64::NEG_INFINITY) }
    }

    /// Extends the box to a point.
    #[inline(always)]
    pub fn grow(&mut self, point: &Vec3) {
        let point = I::Point::load(point.as_ref());
        self.low = point.min(self.low);
        self.high = point.max(self.high);
    }

    /// Returns the box in the local frame `frame`, as [`LocalPoints::box_of`] returns it.
    #[inline(always)]
    pub fn in_frame(self, frame: &TreeFrame) -> <I as LanesFor<8>>::F {
        let (centre, inverse) = (I::Point::load(frame.centre().as_ref()), I::Point::splat(frame.inverse_scale()));
        let (low, high) = (centre.sub(self.low).mul(inverse).narrow(), self.high.sub(centre).mul(inverse).narrow());
        let half = <I as LanesFor<4>>::F::load;
        pushed_out(<I as LanesFor<8>>::F::join(half(&low), half(&high)))
    }
}

/// Returns the box with every lane pushed out by more than rounding to nearest can have removed.
#[inline(always)]
fn pushed_out<F: Lanes<8>>(box_: F) -> F {
    box_.add(box_.abs().mul(F::splat(OUTWARD)).add(F::splat(OUTWARD_AT_LEAST)))
}

/// Rejects a point, of index `point`, that no tree can hold.
///
/// # Errors
/// [`BvhError::NotFinite`], and [`BvhError::TooFar`] beyond ±2^1019.
pub fn check_point(place: Vec3, point: usize) -> Result<(), BvhError> {
    match (place.is_finite(), (place * ROOM).is_finite()) {
        (true, true) => Ok(()),
        (true, false) => Err(BvhError::TooFar { point }),
        (false, _) => Err(BvhError::NotFinite { point }),
    }
}

/// Coordinates beyond 2^1019 become infinite.
const ROOM: f64 = 32.0;

/// Checks boxes of interest, which may be empty or unbounded.
///
/// # Errors
/// [`BvhError::BadBox`] for the first one with a corner that is NaN.
pub fn check_boxes(boxes: &[Aabb]) -> Result<(), BvhError> {
    let bad = boxes.iter().position(|bounds| bounds.min.is_nan() || bounds.max.is_nan());
    bad.map_or(Ok(()), |place| Err(BvhError::BadBox { place }))
}

/// Checks that points are finite and within range, and returns the box of all of them.
pub(crate) fn check_points(points: &[Vec3]) -> Result<Aabb, BvhError> {
    let InReach { all, bounds } = dispatch(LookAt(points));
    // A sum can overflow although all points are valid; then each point is checked.
    if !all {
        points.iter().enumerate().try_for_each(|(point, &place)| check_point(place, point))?;
    }
    Ok(bounds)
}

/// Checks whether all points are within range, and computes their box.
struct LookAt<'a>(&'a [Vec3]);

struct InReach {
    all: bool,
    /// Box of the points; if a point is `NaN`, of other points.
    bounds: Aabb,
}

impl Kernel for LookAt<'_> {
    type Output = InReach;

    /// A point that is not finite, or too far and made infinite, stays so in a sum. Several sums at a time keep the
    /// adders busy.
    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> InReach {
        const AT_ONCE: usize = 4;
        let room = I::Point::splat(ROOM);
        let mut sums = [I::Point::splat(0.0); AT_ONCE];
        let mut lows = [I::Point::splat(f64::INFINITY); AT_ONCE];
        let mut highs = [I::Point::splat(f64::NEG_INFINITY); AT_ONCE];
        let (chunks, rest) = self.0.as_chunks::<AT_ONCE>();
        for chunk in chunks {
            let mut k = 0;
            while k < AT_ONCE {
                let point = I::Point::load(chunk[k].as_ref());
                sums[k] = sums[k].sub(point.mul(room));
                (lows[k], highs[k]) = (point.min(lows[k]), point.max(highs[k]));
                k += 1;
            }
        }
        for point in rest {
            let point = I::Point::load(point.as_ref());
            sums[0] = sums[0].sub(point.mul(room));
            (lows[0], highs[0]) = (point.min(lows[0]), point.max(highs[0]));
        }
        let mut k = 0;
        let mut all = true;
        while k < AT_ONCE {
            let [x, y, z, _] = sums[k].narrow();
            all &= x.is_finite() & y.is_finite() & z.is_finite();
            (lows[0], highs[0]) = (lows[k].min(lows[0]), highs[k].max(highs[0]));
            k += 1;
        }
        let bounds = Aabb { min: lows[0].to_array().into(), max: highs[0].to_array().into() };
        InReach { all, bounds }
    }
}

/// Returns the box of the points that primitives use.
pub(crate) fn bounds_of_used(source: &impl PrimitiveSource) -> Aabb {
    (0..source.len() as u32).fold(Aabb::EMPTY, |all, primitive| all.union(source.bounds(primitive)))
}
