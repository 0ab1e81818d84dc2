//! Bounding volumes of the primitives of a tree.
//!
//! In: points of primitives in the tree's local frame. Out: volumes that hold them, one by one and `W` side by side,
//! and lower bounds of the gap to the object that is tested against them.
//! Method: S0 §4.5.4 to §4.5.9. A volume is written once, over [`Lanes`]; a tree of any width and any
//! instruction set uses it.
//! Guarantees: a volume holds every point it was fitted to, and no gap is above the true one; the error bounds are
//! those of [`crate::frame::relative`], scaled as each volume states.

mod aabb;
mod aabb_slab;
mod kdop;
mod kind;
mod obb;
mod obb_axes;
pub(crate) mod point_cloud;
mod rss;
mod sphere;
pub(crate) mod time_bounds;

pub use aabb::{Aabb32, PointQuery, RayQuery, WideAabb};
pub use aabb_slab::{AabbSlab, WideAabbSlab};
pub use kdop::{
    Corners, CornersAndEdges, DirectionSet, Edges, KDop, KDop14, KDop18, KDop26, KDopPairConstants, WideKDop,
};
pub use kind::VolumeKind;
pub use obb::{Obb, WideObb};
pub use obb_axes::{BoxAxes, eigenvectors};
pub use point_cloud::PointCloud;
pub use rss::{Rss, WideRss};
pub use sphere::{Sphere, WideSphere};
pub(crate) use time_bounds::contact_time_bounds;
pub use time_bounds::{BoxVolume, time_to_close};

use crate::draw::Outline;
use crate::frame::relative::{QueryView, RelativePose};
use crate::simd::{Lanes, LanesFor, WideIsa};
use heurt_geometry::Vec3;
use std::fmt::Debug;

/// Method by which the volumes of a tree are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fitting {
    /// The box of the primitives determines the volume.
    Boxes,
    /// Leaves from points; other volumes merged from their children, which loses nothing.
    Merged,
    /// All volumes from points, since merging is looser.
    Points,
}

impl Fitting {
    /// Reports whether boxes determine the volumes. Conditions evaluate it in a `const` block, so that only the code of
    /// one case is compiled.
    pub(crate) const fn is_of_boxes(self) -> bool {
        matches!(self, Self::Boxes)
    }
}

/// A convex volume in the local frame of a tree.
pub trait BoundingVolume: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// `W` volumes in struct-of-arrays form.
    type Wide<const W: usize>: Copy + Debug + Send + Sync;
    /// Identifier of the kind of volume in files.
    const KIND: u32;
    /// Method by which a tree makes its volumes.
    const FITTING: Fitting;

    /// Returns the volume of the box `box_`; an initial guess unless [`BoundingVolume::FITTING`] is [`Fitting::Boxes`].
    fn from_box(box_: &Aabb32) -> Self;
    /// Returns a small volume around all points of `cloud`.
    fn around(cloud: &PointCloud<'_>) -> Self;
    /// Returns the new volume of a leaf whose points have moved to `cloud`.
    #[inline(always)]
    fn moved(&self, cloud: &PointCloud<'_>) -> Self {
        let _ = self;
        Self::around(cloud)
    }
    /// Returns a volume that holds all lanes with a child, the first `count` lanes, at least one; `before` is the
    /// previous volume.
    fn merged_lanes<const W: usize>(lanes: &Self::Wide<W>, count: usize, before: &Self) -> Self;
    /// Returns a box that holds the volume.
    fn to_box(&self) -> Aabb32;
    /// Reports whether `point` lies inside (used by `validate`).
    fn holds(&self, point: Vec3) -> bool;
    /// Returns for each lane its surface, or a monotone function of it; the larger of two volumes is opened first. The
    /// length is unsuitable: a long thin volume can be opened down to its leaves without becoming shorter.
    fn areas<const W: usize, I: LanesFor<W>>(isa: I, lanes: &Self::Wide<W>) -> I::F;
    /// Returns lanes that no query meets.
    fn empty_lanes<const W: usize>() -> Self::Wide<W>;
    /// Stores `self` into `lane`.
    fn store<const W: usize>(&self, lanes: &mut Self::Wide<W>, lane: usize);
    /// Loads `lane`.
    fn load<const W: usize>(lanes: &Self::Wide<W>, lane: usize) -> Self;
    /// Returns the numbers of a volume, for files.
    fn to_numbers(&self) -> Vec<f32>;
    /// Creates a volume from the numbers of a file; returns `None` if there are too few.
    fn from_numbers(numbers: &[f32]) -> Option<Self>;
    /// Number of numbers of a volume.
    const NUMBERS: usize;
    /// Draws the outline of the volume; its box, if it has no outline of its own.
    fn draw_outline(&self, outline: &mut Outline<'_>) {
        outline.draw_box(&self.to_box());
    }
}

/// A query that is tested against `W` volumes at once.
pub trait Query<V: BoundingVolume> {
    /// Computes for each lane a lower bound, over all primitives inside, of a gap, a squared distance, or the parameter
    /// of a ray. The walk drops lanes whose bound is above the visitor's cutoff; `NaN` keeps a lane.
    fn lower_bound<const W: usize, I: LanesFor<W>>(&self, isa: I, volumes: &V::Wide<W>) -> I::F;
}

/// A volume of one tree that is tested against the volumes of another tree.
pub trait PairGap<U: BoundingVolume>: BoundingVolume {
    /// Constants computed once for a pair of trees, in addition to their placements; `()` for most volumes.
    type PairConstants: Copy + Default;
    /// Whether a test of eight lanes needs more than 16 registers: see
    /// [`Isa::enter_wide`](crate::simd::Isa::enter_wide).
    const NEEDS_WIDE_REGISTERS: bool = false;
    /// Whether shapes walk trees of these volumes, of degree 8, unless another kind of tree is chosen. The walk is then
    /// compiled for this pair of volumes; other pairs share one.
    const IS_WALKED_BY_DEFAULT: bool = false;

    /// Computes the constants.
    #[inline(always)]
    fn pair_constants<I: WideIsa>(isa: I, pose: &RelativePose) -> Self::PairConstants {
        let _ = (isa, pose);
        Self::PairConstants::default()
    }

    /// Adds one more direction for the gap, from tree A to tree B, along A's axes and of unit length up to rounding.
    /// Volumes that bound gaps in any direction ignore it.
    #[inline(always)]
    fn set_hint_axis<I: WideIsa>(isa: I, relation: &mut Self::PairConstants, pose: &RelativePose, direction: [f32; 3]) {
        let _ = (isa, relation, pose, direction);
    }

    /// Returns for each lane a lower bound of the gap between `self` and the lane, in *doubled* local units of `self`'s
    /// tree; not positive if they may meet. Stops early once every lane is above `cutoff`.
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        isa: I,
        view: QueryView<'_>,
        relation: &Self::PairConstants,
        volumes: &U::Wide<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F;

    /// Returns for each lane of `query` in the mask `which` the mask of the lanes of `volumes` whose [`PairGap::gap`]
    /// is not above `cutoff`.
    #[inline(always)]
    fn overlap_masks<const W: usize, I: WideIsa + LanesFor<W>>(
        isa: I,
        view: QueryView<'_>,
        relation: &Self::PairConstants,
        (query, which): (&Self::Wide<W>, u32),
        volumes: &U::Wide<W>,
        cutoff: f32,
    ) -> [u32; W] {
        each_by_itself::<Self, U, I, W>(isa, view, relation, (query, which), volumes, cutoff)
    }
}

/// Computes [`PairGap::overlap_masks`], one volume after another.
#[inline(always)]
fn each_by_itself<V: PairGap<U>, U: BoundingVolume, I: WideIsa + LanesFor<W>, const W: usize>(
    isa: I,
    view: QueryView<'_>,
    relation: &V::PairConstants,
    (query, which): (&V::Wide<W>, u32),
    volumes: &U::Wide<W>,
    cutoff: f32,
) -> [u32; W] {
    for_each_lane(
        which,
        #[inline(always)]
        |lane| {
            let query = V::load(query, lane);
            not_above(query.gap::<W, I>(isa, view, relation, volumes, cutoff), cutoff)
        },
    )
}

/// Returns the results of `of` for each lane in the mask `which`, and zeros.
#[inline(always)]
fn for_each_lane<const W: usize>(which: u32, mut of: impl FnMut(usize) -> u32) -> [u32; W] {
    let mut out = [0; W];
    let mut rest = which;
    while rest != 0 {
        let lane = rest.trailing_zeros() as usize % W;
        rest &= rest - 1;
        out[lane] = of(lane);
    }
    out
}

/// Returns the mask of the lanes that are not above `cutoff`.
#[inline(always)]
pub(crate) fn not_above<F: Lanes<W>, const W: usize>(gaps: F, cutoff: f32) -> u32 {
    !gaps.gt(F::splat(cutoff)).bits() & ((1u32 << W) - 1)
}

/// One more direction along which the gaps of boxes are evaluated, the same for all pairs of two trees.
#[derive(Debug, Clone, Copy, Default)]
pub struct HintAxis {
    /// The direction from A to B along the axes of A and of B, not longer than 1.
    of_a: [f32; 3],
    of_b: [f32; 3],
    is_aimed: bool,
}

impl HintAxis {
    /// Creates a hint axis from a direction from A to B, along A's axes and of unit length up to rounding.
    fn new(pose: &RelativePose, direction: [f32; 3]) -> Self {
        // Scaled so that its length is at most 1 for any rounding.
        let [x, y, z] = direction.map(|along| along * (1.0 - 1e-5));
        let r = &pose.b_in_a.rotation;
        let of_b = [0, 1, 2].map(|j| r[0][j] * x + r[1][j] * y + r[2][j] * z);
        Self { of_a: [x, y, z], of_b, is_aimed: true }
    }

    /// Returns the direction from the tree of the query volume to the tree of the children, along the axes of the
    /// former.
    #[inline(always)]
    fn from(&self, view: &QueryView<'_>) -> Option<[f32; 3]> {
        let [x, y, z] = self.of_b;
        let direction = if view.is_from_b { [-x, -y, -z] } else { self.of_a };
        self.is_aimed.then_some(direction)
    }
}

/// `W` numbers under the instruction set `I`.
type Wide<const W: usize, I> = <I as LanesFor<W>>::F;

/// Coordinate of lanes without a child: far from everything on every axis, small enough that products do not overflow.
const NOWHERE: f32 = 1e15;

/// Three numbers of one lane.
#[inline(always)]
fn lane_of<const W: usize>(lanes: &[[f32; W]; 3], lane: usize) -> [f32; 3] {
    [lanes[0][lane], lanes[1][lane], lanes[2][lane]]
}

/// Puts three numbers into one lane.
#[inline(always)]
fn set_lane<const W: usize>(lanes: &mut [[f32; W]; 3], lane: usize, numbers: [f32; 3]) {
    let mut k = 0;
    while k < 3 {
        lanes[k][lane] = numbers[k];
        k += 1;
    }
}

/// Reads three lanes.
#[inline(always)]
fn load3<F: Lanes<W>, const W: usize>(lanes: &[[f32; W]; 3]) -> [F; 3] {
    [F::load(&lanes[0]), F::load(&lanes[1]), F::load(&lanes[2])]
}

/// Returns the dot products of the lanes' vectors with `b`.
#[inline(always)]
fn along<F: Lanes<W>, const W: usize, const N: usize>(a: &[F; 3], b: &[f32; N]) -> F {
    const { assert!(N >= 3) };
    a[0].mul(F::splat(b[0])).add(a[1].mul(F::splat(b[1]))).add(a[2].mul(F::splat(b[2])))
}

/// Returns the magnitudes.
#[inline(always)]
fn abs3<F: Lanes<W>, const W: usize>(a: &[F; 3]) -> [F; 3] {
    [a[0].abs(), a[1].abs(), a[2].abs()]
}

/// Reports whether every lane is above `cutoff`.
#[inline(always)]
fn all_above<F: Lanes<W>, const W: usize>(gap: F, cutoff: f32) -> bool {
    not_above(gap, cutoff) == 0
}

/// Returns the dot product of two vectors of three `f32`.
#[inline(always)]
pub(crate) fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the three numbers in `f64`.
#[inline(always)]
fn wide_vec(a: [f32; 3]) -> Vec3 {
    Vec3::new(f64::from(a[0]), f64::from(a[1]), f64::from(a[2]))
}
