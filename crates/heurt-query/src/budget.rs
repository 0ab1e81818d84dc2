//! Questions that must end in time: `overlap`, `distance`, contacts and `cast` within a budget of work, or until a clock says so.
//!
//! In: placed shapes, a [`Budget`]. Out: the answer, or what is known so far: whether they overlap stays open, a distance is bounded from
//! below, of a contact there are fewer points ([`contact_within_budget`]), of shapes that move it is known how long they do not touch
//! ([`cast_within_budget`]).
//! Method: S4 §1.1 (time-critical methods). The trees of two meshes are walked least gap first, so that what is left when the budget is
//! spent bounds the distance: the gap of the volumes to be opened next. Where the surfaces are apart, a point of each part tells whether
//! one solid lies in the other, as `overlap` does.
//! Guarantees: conservative: a distance is never told too large, an overlap neither claimed nor denied without proof. With a budget of
//! work the same answer on any machine.
//! Not bounded: what comes after the walk for a distance, a point of each part and, of a complete answer, the nearest points once more;
//! distances of other shapes than two meshes, which are answered whole, or, where nothing may be spent, not at all, and what rests on them:
//! overlaps of shapes with margins. Overlaps of compounds end between parts.

use crate::algo::placed::{Leaves, PairWalk, Placed, place, walk_own_trees};
use crate::algo::triangle_distance::nearest_points;
pub use crate::cast::cast_within_budget;
pub use crate::contact::contact_within_budget;
use crate::distance::{Distance, distance_counted, distance_within_counted};
use crate::overlap::{Side, Witness, overlap_asked, point_inside};
use heurt_bvh::relative::{Composed, RelativePose};
use heurt_bvh::simd::{Avx2, LanesFor, WideIsa};
use heurt_bvh::volume::Against;
use heurt_bvh::walk::{PairVisitor, walk_pair_best_first};
use heurt_bvh::{Leaf, Work};
use heurt_geometry::{Pose, triangles_intersect};
use heurt_shape::{MeshShape, ShapeRef};
use std::cell::Cell;
use std::ops::ControlFlow;

/// How much a question may cost.
#[derive(Clone, Copy, Default)]
pub struct Budget<'a> {
    /// Volumes and pairs of primitives that may be tested; `None` for as many as it takes.
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
    pub(crate) fn is_spent(&self, done: &Work) -> bool {
        self.work.is_some_and(|most| done.volumes + done.primitives >= most) || self.is_over.is_some_and(|over| over())
    }
}

/// What is left of a budget to the searches of one question, and whether one of them was cut short.
#[derive(Default)]
pub(crate) struct Spending<'b> {
    budget: Option<&'b Budget<'b>>,
    done: Cell<Work>,
    is_cut: Cell<bool>,
}

impl<'b> Spending<'b> {
    pub(crate) fn of(budget: &'b Budget<'b>) -> Self {
        Self { budget: Some(budget), ..Self::default() }
    }

    /// Whether nothing more may be done, after what a search that goes on has `done`: then it is cut short.
    #[inline(always)]
    pub(crate) fn ends(&self, done: &Work) -> bool {
        self.budget.is_some_and(|budget| self.ends_within(budget, *done))
    }

    /// What is over stays so: nobody asks twice.
    fn ends_within(&self, budget: &Budget<'_>, done: Work) -> bool {
        if !self.is_cut.get() {
            let mut all = self.done.get();
            all += done;
            self.is_cut.set(budget.is_spent(&all));
        }
        self.is_cut.get()
    }

    /// Counts what a search has done that is over.
    pub(crate) fn add(&self, done: Work) {
        let mut all = self.done.get();
        all += done;
        self.done.set(all);
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

/// Tells whether two placed shapes share a point, with a witness; [`Within::Cut`] where the budget ends first: looked at while surfaces of
/// meshes are compared, and between connected parts and parts of compounds.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_mesh::generate::octasphere;
/// use heurt_query::budget::{Budget, Within, distance_within_budget, overlap_within_budget};
/// use heurt_shape::MeshShape;
/// let ball = MeshShape::new(octasphere(1.0, 40)?)?;
/// let [near, apart] = [1.2, 1.42].map(|x| Pose::from_translation(Vec3::new(x, x, 0.0)).unwrap());
/// let a_little = Budget { work: Some(20), ..Budget::default() };
/// let found = overlap_within_budget(&ball, &Pose::IDENTITY, &ball, &near, &a_little).0;
/// assert_eq!(found, Within::Cut(()));
/// let found = distance_within_budget(&ball, &Pose::IDENTITY, &ball, &apart, &a_little).0;
/// assert!(matches!(found, Within::Cut(at_least) if at_least < 0.01));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn overlap_within_budget<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    budget: &Budget<'_>,
) -> (Within<Option<Witness>, ()>, Work) {
    let (a, b) = (a.into(), b.into());
    let (ShapeRef::Mesh(mesh_a), ShapeRef::Mesh(mesh_b)) = (a, b) else {
        if budget.is_spent(&Work::default()) {
            return (Within::Cut(()), Work::default());
        }
        let spending = Spending::of(budget);
        let (found, work) = overlap_asked((a, pose_a), (b, pose_b), &spending);
        return (if spending.is_cut() && found.is_none() { Within::Cut(()) } else { Within::Complete(found) }, work);
    };
    let (search, mut work) = Search::run((mesh_a, pose_a), (mesh_b, pose_b), 0.0, budget);
    let found = match (search.meeting, search.left) {
        (Some([a, b]), _) => Within::Complete(Some(Witness::Primitives { a, b })),
        (None, Some(_)) => Within::Cut(()),
        (None, None) => {
            let spending = Spending::of(budget);
            let side = contained((mesh_a, pose_a), (mesh_b, pose_b), &mut work, &spending);
            match side {
                None if spending.is_cut() => Within::Cut(()),
                side => Within::Complete(side.map(Witness::Contained)),
            }
        }
    };
    (found, work)
}

/// Finds how far two placed shapes are apart; [`Within::Cut`] with a lower bound in metres where the budget ends first.
pub fn distance_within_budget<'a>(
    a: impl Into<ShapeRef<'a>>,
    pose_a: &Pose,
    b: impl Into<ShapeRef<'a>>,
    pose_b: &Pose,
    budget: &Budget<'_>,
) -> (Within<Distance, f64>, Work) {
    let (a, b) = (a.into(), b.into());
    let (ShapeRef::Mesh(mesh_a), ShapeRef::Mesh(mesh_b)) = (a, b) else {
        if budget.is_spent(&Work::default()) {
            return (Within::Cut(0.0), Work::default());
        }
        let (found, work) = distance_counted(a, pose_a, b, pose_b);
        return (Within::Complete(found), work);
    };
    let (on_a, on_b) = ((mesh_a, pose_a), (mesh_b, pose_b));
    let (search, mut work) = Search::run(on_a, on_b, f64::INFINITY, budget);
    if let (None, Some(left)) = (search.meeting, search.left) {
        // Surfaces that are apart say nothing of what is inside.
        let is_apart = left > 0.0 && contained(on_a, on_b, &mut work, &Spending::default()).is_none();
        return (Within::Cut(if is_apart { left } else { 0.0 }), work);
    }
    // The walk found what is nearest: the same once more with witnesses, within that distance, is next to nothing.
    let (found, done) = distance_within_counted(a, pose_a, b, pose_b, search.nearest * (1.0 + 4.0 * ROOM));
    work += done;
    let found = found.unwrap_or_else(|| {
        let (found, done) = distance_counted(a, pose_a, b, pose_b);
        work += done;
        found
    });
    (Within::Complete(found), work)
}

type OnPose<'a> = (&'a MeshShape, &'a Pose);

/// Which of two meshes whose surfaces do not meet lies in the other solid, at least a part of it.
fn contained(
    (a, pose_a): OnPose<'_>,
    (b, pose_b): OnPose<'_>,
    work: &mut Work,
    spending: &Spending<'_>,
) -> Option<Side> {
    if point_inside(a, pose_a, b, pose_b, work, spending).is_some() {
        return Some(Side::A);
    }
    point_inside(b, pose_b, a, pose_a, work, spending).map(|_| Side::B)
}

/// The nearest pair of triangles, as far as the budget goes.
struct Search<'a> {
    budget: &'a Budget<'a>,
    /// The least distance of two triangles so far, and the most that is of interest; in metres.
    nearest: f64,
    most: f64,
    /// Triangles that intersect.
    meeting: Option<[u32; 2]>,
    /// Where the walk was cut short: no two triangles that it did not compare are nearer, in metres.
    left: Option<f64>,
}

impl<'a> Search<'a> {
    fn run(a: OnPose<'_>, b: OnPose<'_>, most: f64, budget: &'a Budget<'a>) -> (Self, Work) {
        let mut search = Self { budget, nearest: f64::INFINITY, most, meeting: None, left: None };
        if budget.is_spent(&Work::default()) {
            search.left = Some(0.0);
            return (search, Work::default());
        }
        let composed = Composed::new(a.0.tree().frame(), a.1, b.0.tree().frame(), b.1);
        let work = walk_own_trees(a.0, a.1, b.0, b.1, &composed, &mut search);
        (search, work)
    }
}

impl PairWalk for Search<'_> {
    #[inline(never)]
    fn walk<A, B, const W: usize>(&mut self, a: &Placed<'_, A, W>, b: &Placed<'_, B, W>, composed: &Composed) -> Work
    where
        A: Against<B>,
        B: Against<A, Relation = A::Relation>,
        Avx2: LanesFor<W>,
    {
        let (frame_a, frame_b) = (a.tree.frame(), b.tree.frame());
        let relative = RelativePose::of(composed, frame_a, frame_b);
        // Rotations that are not quite such stretch lengths.
        let units = 2.0 * frame_a.inverse_scale() * (1.0 + 8.0 * composed.defect);
        let mut nearing = Nearing { a: Leaves::of(a), b: Leaves::of(b), search: self, units, cutoff: 0.0, apart: 0.0 };
        nearing.shorten();
        walk_pair_best_first(a.tree, b.tree, &relative, &mut nearing)
    }
}

/// Compares triangles, one pair after the other: what bounds time best is simple.
struct Nearing<'s, 'b, 'm> {
    a: Leaves<'m>,
    b: Leaves<'m>,
    search: &'s mut Search<'b>,
    /// Units of gaps in a metre.
    units: f64,
    cutoff: f32,
    /// What was not compared yet is so far apart, in metres.
    apart: f64,
}

/// What roundings of gaps and distances come to, at most, relative to them.
const ROOM: f64 = 1e-6;

impl Nearing<'_, '_, '_> {
    /// Follows the least distance.
    fn shorten(&mut self) {
        let reach = self.search.nearest.min(self.search.most);
        self.cutoff = (reach * self.units * (1.0 + ROOM)) as f32 + 1e-37;
    }
}

impl PairVisitor for Nearing<'_, '_, '_> {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    fn goes_on(&mut self, bound: f32, done: &Work) -> bool {
        // Gaps of volumes within others are no smaller, though they may be bounded less closely.
        let metres = f64::from(bound) / self.units * (1.0 - ROOM);
        self.apart = self.apart.max(metres);
        let goes_on = !self.search.budget.is_spent(done);
        if !goes_on {
            self.search.left = Some(self.apart.min(self.search.nearest));
        }
        goes_on
    }

    fn leaves<I: WideIsa>(&mut self, _isa: I, leaf_a: Leaf, leaf_b: Leaf) -> ControlFlow<()> {
        for &i in self.a.triangles(leaf_a) {
            for &j in self.b.triangles(leaf_b) {
                let (x, y) = (place(self.a.shape, self.a.pose, i), place(self.b.shape, self.b.pose, j));
                if triangles_intersect(&x, &y) {
                    self.search.meeting = Some([i, j]);
                    return ControlFlow::Break(());
                }
                let distance = nearest_points(&x, &y).distance_sq.sqrt() * (1.0 - ROOM);
                if distance < self.search.nearest {
                    self.search.nearest = distance;
                    self.shorten();
                }
            }
        }
        ControlFlow::Continue(())
    }
}
