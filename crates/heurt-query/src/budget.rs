//! Questions that must end in time: `overlap`, `distance`, contacts and `cast` within a budget of work, or until a clock says so.
//!
//! In: placed shapes, a [`Budget`]. Out: the answer, or what is known so far: whether they overlap stays open, a distance is bounded from
//! both sides ([`Bounds`]), of a contact there are fewer points ([`contact_within_budget`]), of shapes that move, and of meshes that
//! deform, it is known how long they do not touch ([`cast_within_budget`], [`crate::ccd::first_impact_within`]).
//! Method: S4 §1.1 (time-critical methods). What is nearest is looked at first, or the nearest of what is left is known, so that what is
//! left when the budget is spent bounds the distance. The trees of two meshes are walked least gap first; where the surfaces are apart, a
//! point of each part tells whether one solid lies in the other, as `overlap` does. A superquadric has bounds of its own, patch by patch.
//! Guarantees: conservative: a distance is never told too large, an overlap neither claimed nor denied without proof. A complete answer
//! is that of the verb without a budget. With a budget of work the same answer on any machine.
//! Not bounded: one step of the search: a node of a tree, the triangles of two leaves, two convex shapes, two patches of
//! superquadrics, of the depth of meshes one box of translations with the overlaps that it asks for. Not cut: of meshes a
//! point of each part, where the walk was cut short of a distance; the points of a distance that is known; the first
//! translation out of each other and its proof, where the depth is asked of shapes of which surfaces alone do not tell it, or one of which is
//! a half-space.
//! Neither cut nor counted: what a mesh is made ready with at the first question about its depth, up to seconds:
//! [`convex_pieces`](crate::convex_pieces()), asked beforehand, does it.

pub use crate::cast::cast_within_budget;
pub use crate::contact::contact_within_budget;
use crate::distance::{Distance, distance_asked};
use crate::overlap::{Witness, overlap_asked};
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;
use std::cell::Cell;

/// How much a question may cost.
#[derive(Clone, Copy, Default)]
pub struct Budget<'a> {
    /// Units of work; `None` for as many as it takes. A unit is a volume of a tree that is tested, or a pair of primitives
    /// (triangles, convex shapes, patches of superquadrics, features of meshes that deform) that is: once for each time at
    /// which it is asked where shapes move. Each is counted once.
    pub work: Option<u64>,
    /// Tells whether time is over; `None` where there is enough.
    pub is_over: Option<&'a dyn Fn() -> bool>,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("work", &self.work).field("is_over", &self.is_over.is_some()).finish()
    }
}

impl Budget<'_> {
    fn is_spent(&self, done: &Work) -> bool {
        self.work.is_some_and(|most| done.volumes + done.primitives >= most) || self.is_over.is_some_and(|over| over())
    }
}

/// The account of one question: what its searches have done, what is left to them of a budget, and whether one of them was cut short.
///
/// Who does work adds it here, once, when it is done; whoever asked others does not add theirs.
#[derive(Default)]
pub(crate) struct Spending<'b> {
    budget: Option<&'b Budget<'b>>,
    done: Cell<Work>,
    is_cut: Cell<bool>,
}

impl<'b> Spending<'b> {
    pub(crate) fn of(budget: &'b Budget<'b>) -> Self {
        let is_limited = budget.work.is_some() || budget.is_over.is_some();
        Self { budget: is_limited.then_some(budget), ..Self::default() }
    }

    /// Whether it may end at all before the answer is whole.
    pub(crate) fn is_limited(&self) -> bool {
        self.budget.is_some()
    }

    /// Whether nothing more may be done: then what is asked is cut short.
    #[inline(always)]
    pub(crate) fn ends(&self) -> bool {
        self.ends_after(&Work::default())
    }

    /// [`Self::ends`], after what a search that goes on has `done`.
    #[inline(always)]
    pub(crate) fn ends_after(&self, done: &Work) -> bool {
        self.budget.is_some_and(|budget| self.ends_within(budget, *done))
    }

    /// What is over stays so: nobody asks twice.
    fn ends_within(&self, budget: &Budget<'_>, done: Work) -> bool {
        if !self.is_cut.get() {
            self.is_cut.set(budget.is_spent(&(self.done.get() + done)));
        }
        self.is_cut.get()
    }

    /// Counts what a search has done that is over.
    #[inline(always)]
    pub(crate) fn add(&self, done: Work) {
        self.done.set(self.done.get() + done);
    }

    /// Counts a pair of primitives that was tested.
    #[inline(always)]
    pub(crate) fn add_pair(&self) {
        self.add(Work { primitives: 1, ..Work::default() });
    }

    pub(crate) fn done(&self) -> Work {
        self.done.get()
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut.get()
    }
}

/// An answer, or as much of one as the budget gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Within<T, B> {
    /// The answer.
    Complete(T),
    /// What is known without it.
    Cut(B),
}

/// Between which a distance is, in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// They are not nearer; 0 where nothing is known.
    pub at_least: f64,
    /// They are not farther apart; infinite where nothing is known.
    pub at_most: f64,
}

impl Bounds {
    pub(crate) const UNKNOWN: Self = Self { at_least: 0.0, at_most: f64::INFINITY };
}

/// Tells whether two placed shapes share a point, with a witness; [`Within::Cut`] where the budget ends first.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::octasphere;
/// use heurt_query::budget::{Bounds, Budget, Within, distance_within_budget, overlap_within_budget};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(octasphere(1.0, 40)?)?;
/// let [near, apart] = [1.2, 1.42].map(|x| Pose::from_translation(Vec3::new(x, x, 0.0)).unwrap());
/// let a_little = Budget { work: Some(20), ..Budget::default() };
/// let found = overlap_within_budget(&ball, &Pose::IDENTITY, &ball, &near, &a_little).0;
/// assert_eq!(found, Within::Cut(()));
/// let found = distance_within_budget(&ball, &Pose::IDENTITY, &ball, &apart, &a_little).0;
/// assert!(matches!(found, Within::Cut(Bounds { at_least, .. }) if at_least < 0.01));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap_within_budget<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    budget: &Budget<'_>,
) -> (Within<Option<Witness>, ()>, Work) {
    let spending = Spending::of(budget);
    let found = overlap_asked((a.into(), pose_a), (b.into(), pose_b), &spending);
    let told = if spending.is_cut() && found.is_none() { Within::Cut(()) } else { Within::Complete(found) };
    (told, spending.done())
}

/// Finds how far two placed shapes are apart; [`Within::Cut`] with bounds of the distance where the budget ends first.
pub fn distance_within_budget<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    budget: &Budget<'_>,
) -> (Within<Distance, Bounds>, Work) {
    let spending = Spending::of(budget);
    let told = match distance_asked((a.into(), pose_a), (b.into(), pose_b), f64::INFINITY, &spending) {
        Within::Complete(found) => Within::Complete(found.expect("without a limit there is a distance")),
        Within::Cut(bounds) => Within::Cut(bounds),
    };
    (told, spending.done())
}
