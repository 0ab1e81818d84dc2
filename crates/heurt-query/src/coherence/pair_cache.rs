//! What a pair of shapes remembers between two queries.
//!
//! In: the same pair, moved a little. Out: the same answers, faster: the search begins where the last one ended.
//! Guarantees: yes and no are the same with it and without it; contacts to the bit, and so are distances of meshes, of
//! hulls against meshes, and of those within margins; other distances within their errors. It can be dropped, cleared
//! or given to another pair at any time.
//! Cost: between small steps, one look at the corners of each convex shape, and a search more where roundings could
//! decide (shapes with margins that only just touch, distances about the limit); of other shapes that are disjoint,
//! nothing or the triangles about the nearest ones (`coherence/clearance`), else the volumes nearer than what was
//! nearest is now. Of meshes it takes up to 4 KiB.

use crate::answer::budget::{Budget, Budgeted, WorkMeter};
use crate::answer::contact::Contact;
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::answer::placed::PlacedShape;
use crate::coherence::clearance::{CachedPair, ClearanceCache};
use crate::contact::manifold_metered;
use crate::convex::contact::convex_contact_warm;
use crate::convex::contact_cache::ContactCache;
use crate::convex::distance::convex_distance_warm;
use crate::convex::gjk::SimplexCache;
use crate::convex::overlap::convex_overlap_warm;
use crate::convex::pair::ConvexPair;
use crate::distance::{distance_metered, distance_within_counted};
use crate::overlap::overlap_metered;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;

/// What a pair of shapes remembers between two queries.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::PairCache;
/// use heurt_shape::Convex;
/// let (ball, slab) = (Convex::sphere(0.5)?, Convex::cuboid(Vec3::new(2.0, 2.0, 0.25))?);
/// let mut cache = PairCache::default();
/// for step in 0..10 {
///     let above = Pose::from_translation(Vec3::new(0.1 * f64::from(step), 0.0, 1.0))?;
///     assert_eq!(cache.distance(&ball, &above, &slab, &Pose::IDENTITY).distance, 0.25);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct PairCache {
    carriers: SimplexCache,
    contact: ContactCache,
    front: ClearanceCache,
}

impl PairCache {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// [`crate::distance()`], remembering where it was.
    pub fn distance<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
    ) -> Distance {
        let found = match (a.into(), b.into()) {
            // Without a count, which takes as long to hand over as a part of the search.
            (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
                convex_distance_warm(ConvexPair { a, pose_a, b, pose_b }, f64::INFINITY, &mut self.carriers)
            }
            (a, b) => self.distance_by_front((a, pose_a), (b, pose_b), f64::INFINITY).0,
        };
        found.expect("without a limit there is a distance")
    }

    /// [`crate::distance_within_counted()`], remembering where it was.
    pub fn distance_within_counted<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
        max: f64,
    ) -> (Option<Distance>, Work) {
        // A limit that is not a number is none.
        let max = max.min(f64::INFINITY);
        if max < 0.0 {
            return (None, Work::default());
        }
        match (a.into(), b.into()) {
            (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
                let found = convex_distance_warm(ConvexPair { a, pose_a, b, pose_b }, max, &mut self.carriers);
                (found, Work { primitives: 1, ..Work::default() })
            }
            (a, b) => self.distance_by_front((a, pose_a), (b, pose_b), max),
        }
    }

    /// The distance of shapes that are not both convex. Apart, so that convex ones do not wait for the room that it
    /// takes.
    #[inline(never)]
    fn distance_by_front(&mut self, a: PlacedShape<'_>, b: PlacedShape<'_>, max: f64) -> (Option<Distance>, Work) {
        match CachedPair::new(a, b) {
            Some(pair) => self.front.distance(&pair, max),
            None => distance_within_counted(a.0, a.1, b.0, b.1, max),
        }
    }

    /// The distance if it is not above `max` metres, as long as there is something to spend; what was there before is
    /// remembered of convex shapes.
    pub(crate) fn distance_metered(
        &mut self,
        (a, pose_a): (ShapeRef<'_>, &Pose),
        (b, pose_b): (ShapeRef<'_>, &Pose),
        max: f64,
        spending: &WorkMeter<'_>,
    ) -> BudgetedDistance {
        let (ShapeRef::Convex(a), ShapeRef::Convex(b)) = (a, b) else {
            return distance_metered((a, pose_a), (b, pose_b), max, spending);
        };
        spending.add_pair();
        Budgeted::Complete(convex_distance_warm(ConvexPair { a, pose_a, b, pose_b }, max, &mut self.carriers))
    }

    /// [`Self::overlaps`], as long as there is something to spend; what was there before is remembered of convex
    /// shapes.
    pub(crate) fn overlaps_asked(
        &mut self,
        (a, pose_a): (ShapeRef<'_>, &Pose),
        (b, pose_b): (ShapeRef<'_>, &Pose),
        spending: &WorkMeter<'_>,
    ) -> bool {
        let (ShapeRef::Convex(a), ShapeRef::Convex(b)) = (a, b) else {
            return overlap_metered((a, pose_a), (b, pose_b), spending).is_some();
        };
        spending.add_pair();
        convex_overlap_warm(ConvexPair { a, pose_a, b, pose_b }, &mut self.carriers)
    }

    /// [`contact_manifold`](crate::contact::contact_manifold), remembering what touched: the same bits as without
    /// memory.
    pub fn contact<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
        max_distance: f64,
    ) -> Option<Contact> {
        self.contact_metered((a.into(), pose_a), (b.into(), pose_b), max_distance, &WorkMeter::default())
    }

    /// [`PairCache::contact`], until the budget ends: see
    /// [`contact_manifold_within_budget`](crate::budget::contact_manifold_within_budget). What finds out how far two
    /// shapes are from touching is cut, too.
    pub fn contact_manifold_within_budget<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
        max_distance: f64,
        budget: &Budget<'_>,
    ) -> Budgeted<Option<Contact>, Option<Contact>> {
        let spending = WorkMeter::of(budget);
        if spending.is_exhausted() {
            return Budgeted::Cut(None);
        }
        let told = self.contact_metered((a.into(), pose_a), (b.into(), pose_b), max_distance, &spending);
        if spending.was_interrupted() { Budgeted::Cut(told) } else { Budgeted::Complete(told) }
    }

    /// [`PairCache::contact`], as long as there is something to spend; that of convex shapes is not cut.
    fn contact_metered(
        &mut self,
        a: PlacedShape<'_>,
        b: PlacedShape<'_>,
        margin: f64,
        spending: &WorkMeter<'_>,
    ) -> Option<Contact> {
        // A limit that is not a number is none.
        let margin = margin.min(f64::INFINITY);
        match (a, b) {
            ((ShapeRef::Convex(a), pose_a), (ShapeRef::Convex(b), pose_b)) => {
                convex_contact_warm(ConvexPair { a, pose_a, b, pose_b }, margin, &mut self.contact)
            }
            (a, b) => self.contact_by_front(a, b, margin, spending),
        }
    }

    /// The contact of shapes that are not both convex.
    #[inline(never)]
    fn contact_by_front(
        &mut self,
        a: PlacedShape<'_>,
        b: PlacedShape<'_>,
        margin: f64,
        spending: &WorkMeter<'_>,
    ) -> Option<Contact> {
        let ask = || manifold_metered(a, b, margin, spending);
        match CachedPair::new(a, b) {
            Some(pair) => self.front.contact(&pair, margin, spending, ask),
            None => ask(),
        }
    }

    /// Whether [`overlap()`](crate::overlap()) finds a witness, remembering what told them apart.
    pub fn overlaps<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
    ) -> bool {
        match (a.into(), b.into()) {
            (a @ ShapeRef::Convex(_), b @ ShapeRef::Convex(_)) => {
                self.overlaps_asked((a, pose_a), (b, pose_b), &WorkMeter::default())
            }
            (a, b) => self.overlaps_by_front((a, pose_a), (b, pose_b)),
        }
    }

    /// Whether shapes overlap that are not both convex.
    #[inline(never)]
    fn overlaps_by_front(&mut self, a: PlacedShape<'_>, b: PlacedShape<'_>) -> bool {
        match CachedPair::new(a, b) {
            Some(pair) => self.front.overlaps(&pair),
            None => overlap_metered(a, b, &WorkMeter::default()).is_some(),
        }
    }
}
