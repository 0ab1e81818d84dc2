//! What a pair of shapes remembers between two questions.
//!
//! In: the same pair, moved a little. Out: the same answers, sooner: the search begins where the last one ended.
//! Guarantees: yes and no are the same with it and without it, numbers agree within their errors. It can be dropped, cleared or
//! given to another pair at any time.
//! Cost: between small steps, one look at the corners of each shape.

use crate::algo::convex_pair::ConvexPair;
use crate::algo::gjk::Carriers;
use crate::distance::convex_convex::convex_distance_since;
use crate::distance::{Distance, distance};
use crate::overlap::convex_convex::convex_overlap_since;
use crate::overlap::overlap;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;

/// What a pair of shapes remembers between two questions.
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
#[derive(Debug, Clone, Copy, Default)]
pub struct PairCache {
    carriers: Carriers,
}

impl PairCache {
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// [`distance()`], remembering where it was.
    pub fn distance<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
    ) -> Distance {
        match (a.into(), b.into()) {
            (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
                let pair = ConvexPair { a, pose_a, b, pose_b };
                let found = convex_distance_since(pair, f64::INFINITY, &mut self.carriers);
                found.expect("without a limit there is a distance")
            }
            (a, b) => distance(a, pose_a, b, pose_b),
        }
    }

    /// Whether [`overlap()`] finds a witness, remembering what told them apart.
    pub fn overlaps<'a>(
        &mut self,
        a: impl Into<ShapeRef<'a>>,
        pose_a: &Pose,
        b: impl Into<ShapeRef<'a>>,
        pose_b: &Pose,
    ) -> bool {
        match (a.into(), b.into()) {
            (ShapeRef::Convex(a), ShapeRef::Convex(b)) => {
                convex_overlap_since(ConvexPair { a, pose_a, b, pose_b }, &mut self.carriers)
            }
            (a, b) => overlap(a, pose_a, b, pose_b).is_some(),
        }
    }
}
