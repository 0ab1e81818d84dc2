//! Cache of a pair of shapes between two queries.
//!
//! In: the same pair, moved a little. Out: the same answers, faster: the search begins where the last one ended.
//! Guarantees: yes and no are the same with it and without it; contacts to the bit, and so are distances of meshes, of
//! hulls against meshes, and of shapes with margins; other distances within their errors. It can be dropped, cleared
//! or given to another pair at any time.
//! Cost: between small steps, one pass over the corners of each convex shape, and a further search if rounding could
//! decide (shapes with margins that only just touch, distances near the limit); for other disjoint shapes,
//! nothing or the triangles around the nearest ones (`coherence/clearance`), else the volumes nearer than the pair that
//! was nearest is now. Memory: up to 4 KiB for meshes.

use crate::answer::budget::{Answer, Budgeted, DistanceBounds, WorkMeter};
use crate::answer::contact::Contact;
use crate::answer::distance::{BudgetedDistance, Distance};
use crate::answer::options::{ContactOptions, DistanceOptions, limit};
use crate::answer::placed::{Placed, PlacedShape};
use crate::coherence::clearance::{CachedPair, ClearanceCache};
use crate::contact::manifold_metered;
use crate::convex::contact::convex_manifold_warm;
use crate::convex::contact_cache::ContactCache;
use crate::convex::distance::convex_distance_warm;
use crate::convex::gjk::SimplexCache;
use crate::convex::overlap::convex_overlap_warm;
use crate::convex::pair::ConvexPair;
use crate::distance::{distance_counted, distance_metered};
use crate::overlap::overlap_metered;
use heurt_bvh::Work;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;

/// The cache of a pair of shapes between two queries.
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
            // Without a count, which takes as long to return as a share of the search.
            (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
                convex_distance_warm(ConvexPair { a, pose_a, b, pose_b }, f64::INFINITY, &mut self.carriers)
            }
            (a, b) => self.distance_by_front(Placed::new(a, pose_a), Placed::new(b, pose_b), f64::INFINITY).0,
        };
        found.expect("without a limit there is a distance")
    }

    /// [`crate::distance_with`], remembering where it was; within a budget only convex shapes are remembered.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_query::{DistanceOptions, PairCache};
    /// use heurt_shape::MeshShape;
    /// let ball = MeshShape::new(heurt_mesh::generate::icosphere(1.0, 3)?)?;
    /// let (mut cache, near) = (PairCache::default(), DistanceOptions { max_distance: 1.0, ..Default::default() });
    /// for step in 0..5 {
    ///     let gap = 0.75 + 0.1 * f64::from(step);
    ///     let at = Pose::from_translation(Vec3::X * (2.0 + gap))?;
    ///     let found = cache.distance_with(&ball, &Pose::IDENTITY, &ball, &at, &near).complete().flatten();
    ///     assert_eq!(found.is_some(), step < 3, "a gap of {gap} m");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance_with<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
        options: &DistanceOptions<'_>,
    ) -> Answer<Option<Distance>, DistanceBounds> {
        let (a, b) = (PlacedShape::new(a.into(), pose_a), PlacedShape::new(b.into(), pose_b));
        let meter = WorkMeter::of(&options.budget);
        if meter.is_exhausted() {
            return Answer { outcome: Budgeted::Partial(DistanceBounds::UNKNOWN), work: Work::default() };
        }
        let max = limit(options.max_distance);
        if max < 0.0 {
            return Answer { outcome: Budgeted::Complete(None), work: Work::default() };
        }
        if meter.is_limited() {
            let outcome = self.distance_metered(a, b, max, &meter);
            return Answer { outcome, work: meter.done() };
        }
        let (found, work) = match (a.shape, b.shape) {
            (ShapeRef::Convex(of_a), ShapeRef::Convex(of_b)) => {
                let pair = ConvexPair::new(a.with(of_a), b.with(of_b));
                let found = convex_distance_warm(pair, max, &mut self.carriers);
                (found, Work { primitives: 1, ..Work::default() })
            }
            _ => self.distance_by_front(a, b, max),
        };
        Answer { outcome: Budgeted::Complete(found), work }
    }

    /// The distance of shapes that are not both convex; not inlined, so that the path of convex shapes has a small
    /// stack frame.
    #[inline(never)]
    fn distance_by_front(&mut self, a: PlacedShape<'_>, b: PlacedShape<'_>, max: f64) -> (Option<Distance>, Work) {
        match CachedPair::new(a, b) {
            Some(pair) => self.front.distance(&pair, max),
            None => distance_counted(a, b, max),
        }
    }

    /// The distance if it is not above `max` metres, as long as there is something to spend; what was there before is
    /// remembered of convex shapes.
    pub(crate) fn distance_metered(
        &mut self,
        a: PlacedShape<'_>,
        b: PlacedShape<'_>,
        max: f64,
        meter: &WorkMeter<'_>,
    ) -> BudgetedDistance {
        let (ShapeRef::Convex(of_a), ShapeRef::Convex(of_b)) = (a.shape, b.shape) else {
            return distance_metered(a, b, max, meter);
        };
        meter.add_pair();
        let pair = ConvexPair::new(a.with(of_a), b.with(of_b));
        Budgeted::Complete(convex_distance_warm(pair, max, &mut self.carriers))
    }

    /// [`Self::overlaps`], as long as there is something to spend; what was there before is remembered of convex
    /// shapes.
    pub(crate) fn overlaps_metered(&mut self, a: PlacedShape<'_>, b: PlacedShape<'_>, meter: &WorkMeter<'_>) -> bool {
        let (ShapeRef::Convex(of_a), ShapeRef::Convex(of_b)) = (a.shape, b.shape) else {
            return overlap_metered(a, b, meter).is_some();
        };
        meter.add_pair();
        convex_overlap_warm(ConvexPair::new(a.with(of_a), b.with(of_b)), &mut self.carriers)
    }

    /// [`contact_manifold`](crate::contact_manifold), remembering what touched: the same bits as without memory.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_query::{PairCache, contact_manifold};
    /// use heurt_shape::Convex;
    /// let (die, table) = (Convex::cuboid(Vec3::splat(0.5))?, Convex::half_space(Vec3::Z, 0.0)?);
    /// let mut cache = PairCache::default();
    /// for step in 0..3 {
    ///     let at = Pose::from_translation(Vec3::new(0.01 * f64::from(step), 0.0, 0.499))?;
    ///     let found = cache.contact_manifold(&die, &at, &table, &Pose::IDENTITY, 0.0);
    ///     assert_eq!(found, contact_manifold(&die, &at, &table, &Pose::IDENTITY, 0.0));
    ///     assert_eq!(found.expect("a millimetre deep").points.len(), 4);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact_manifold<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
        max_distance: f64,
    ) -> Option<Contact> {
        self.contact_metered(
            Placed::new(a.into(), pose_a),
            Placed::new(b.into(), pose_b),
            max_distance,
            &WorkMeter::default(),
        )
    }

    /// [`contact_manifold_with`](crate::contact_manifold_with), remembering what touched. The budget also ends the
    /// search for how far two shapes are from touching.
    pub fn contact_manifold_with<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
        options: &ContactOptions<'_>,
    ) -> Answer<Option<Contact>, Option<Contact>> {
        let meter = WorkMeter::of(&options.budget);
        let found = match meter.is_exhausted() {
            true => None,
            false => self.contact_metered(
                Placed::new(a.into(), pose_a),
                Placed::new(b.into(), pose_b),
                options.max_distance,
                &meter,
            ),
        };
        Answer::of_search(found, &meter)
    }

    /// [`PairCache::contact_manifold`], as long as there is something to spend; a contact of convex shapes is not cut.
    fn contact_metered(
        &mut self,
        a: PlacedShape<'_>,
        b: PlacedShape<'_>,
        margin: f64,
        meter: &WorkMeter<'_>,
    ) -> Option<Contact> {
        let margin = limit(margin);
        match (a.shape, b.shape) {
            (ShapeRef::Convex(of_a), ShapeRef::Convex(of_b)) => {
                meter.add_pair();
                let pair = ConvexPair::new(a.with(of_a), b.with(of_b));
                convex_manifold_warm(pair, margin, &mut self.contact)
            }
            _ => self.contact_by_front(a, b, margin, meter),
        }
    }

    /// The contact of shapes that are not both convex.
    #[inline(never)]
    fn contact_by_front(
        &mut self,
        a: PlacedShape<'_>,
        b: PlacedShape<'_>,
        margin: f64,
        meter: &WorkMeter<'_>,
    ) -> Option<Contact> {
        let find = || manifold_metered(a, b, margin, meter);
        match CachedPair::new(a, b) {
            Some(pair) => self.front.contact(&pair, margin, meter, find),
            None => find(),
        }
    }

    /// Reports whether [`overlap()`](crate::overlap()) finds a witness, remembering what separated them.
    pub fn overlaps<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
    ) -> bool {
        match (a.into(), b.into()) {
            (a @ ShapeRef::Convex(_), b @ ShapeRef::Convex(_)) => {
                self.overlaps_metered(Placed::new(a, pose_a), Placed::new(b, pose_b), &WorkMeter::default())
            }
            (a, b) => self.overlaps_by_front(Placed::new(a, pose_a), Placed::new(b, pose_b)),
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
