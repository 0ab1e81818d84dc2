//! Bounding volumes: what a tree knows of its primitives.
//!
//! In: boxes of primitives in the tree's local frame. Out: volumes that hold them, one by one and `W` side by side, and
//! lower bounds of the gap to whatever is asked against them.
//! A volume is written once, over [`Lanes`](crate::simd::Lanes); a tree of any width and any instruction set uses it.

mod aabb;

pub use aabb::{Aabb32, PointQuery, RayQuery, WideAabb};

use crate::relative::View;
use crate::simd::{LanesFor, WideIsa};
use std::fmt::Debug;

/// A convex volume in the local frame of a tree.
pub trait BoundingVolume: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// `W` volumes in struct-of-arrays form.
    type Wide<const W: usize>: Copy + Debug + Send + Sync;
    /// A number that tells kinds apart in files.
    const KIND: u32;

    /// The volume of the box `box_`, in which the volume's primitives are known to lie.
    fn from_box(box_: &Aabb32) -> Self;
    /// A box that holds the volume.
    fn to_box(&self) -> Aabb32;
    /// The smallest volume found that holds all lanes that have a child, of which there is at least one.
    fn merged_lanes<const W: usize>(lanes: &Self::Wide<W>) -> Self;
    /// Tells whether every point of `other` lies inside (used by `validate`).
    fn holds(&self, other: &Self) -> bool;
    /// For each lane its surface, or something that grows as it does; the larger of two volumes is opened first. Not the
    /// length: a long thin volume can be opened down to its leaves without becoming shorter.
    fn areas<const W: usize, I: LanesFor<W>>(isa: I, lanes: &Self::Wide<W>) -> I::F;
    /// Lanes that no query meets.
    fn empty_lanes<const W: usize>() -> Self::Wide<W>;
    /// Puts `self` into `lane`.
    fn store<const W: usize>(&self, lanes: &mut Self::Wide<W>, lane: usize);
    /// Takes `lane` out.
    fn load<const W: usize>(lanes: &Self::Wide<W>, lane: usize) -> Self;
    /// The numbers of a volume, for files.
    fn to_numbers(&self) -> Vec<f32>;
    /// A volume from the numbers of a file; `None` when there are too few.
    fn from_numbers(numbers: &[f32]) -> Option<Self>;
    /// How many numbers a volume has.
    const NUMBERS: usize;
}

/// Something that is asked against `W` volumes at once.
pub trait Query<V: BoundingVolume> {
    /// For each lane a number that is never above the true one for any primitive inside: a gap, a squared distance, the
    /// parameter of a ray. The walk drops lanes whose number is above the visitor's cutoff; `NaN` keeps a lane.
    fn bound<const W: usize, I: LanesFor<W>>(&self, isa: I, volumes: &V::Wide<W>) -> I::F;
}

/// A volume of one tree asked against the volumes of another.
pub trait Against<U: BoundingVolume>: BoundingVolume {
    /// For each lane a number that is never above the gap between `self` and the lane, in *doubled* local units of
    /// `self`'s tree; not positive where they may meet. Looks no closer once every lane is above `cutoff`.
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        isa: I,
        view: View<'_>,
        volumes: &U::Wide<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F;
}
