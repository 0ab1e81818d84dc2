//! Many queries in one call: the same shapes in many configurations, for planners, samplers and learners.
//!
//! In: shapes, the pairs of them that matter, and the poses of all shapes in each configuration. Out: one answer for
//! each configuration and pair, row by row.
//! Method: runs of [`RUN`] configurations in a row go to the threads of the current `rayon` pool; within a run each
//! pair remembers where it was ([`PairCache`]), so that a trajectory is sampled faster than poses at random.
//! Guarantees: yes and no are those of the single verbs, numbers agree within their errors; the same bits for any
//! number of threads.

use crate::answer::contact::Contact;
use crate::answer::distance::Distance;
use crate::answer::options::DistanceOptions;
use crate::answer::placed::{Placed, PlacedShape};
use crate::coherence::pair_cache::PairCache;
use crate::contact::contact;
use heurt_geometry::Pose;
use heurt_shape::ShapeRef;
use rayon::prelude::*;
use thiserror::Error;

/// Configurations that one thread takes in a row.
const RUN: usize = 32;

/// Shapes and the pairs of them that are queried.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_query::Batch;
/// use heurt_shape::Convex;
/// let (ball, slab) = (Convex::sphere(0.5)?, Convex::cuboid(Vec3::new(2.0, 2.0, 0.25))?);
/// let arm = Batch::new([&ball, &slab], [[0, 1]])?;
/// // Two configurations of two shapes each.
/// let above = |z: f64| Pose::from_translation(Vec3::Z * z);
/// let poses = [above(1.0)?, Pose::IDENTITY, above(0.6)?, Pose::IDENTITY];
/// assert_eq!(arm.overlaps(&poses)?, [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Batch<'a> {
    shapes: Vec<ShapeRef<'a>>,
    pairs: Vec<[u32; 2]>,
}

/// Faults of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BatchError {
    /// A pair names a shape that is not there.
    #[error("pair {pair} names shape {shape}, but there are {shapes} shapes: name those from 0 to one less")]
    NoSuchShape {
        /// The pair by its place.
        pair: usize,
        /// The shape it names.
        shape: u32,
        /// How many there are.
        shapes: usize,
    },
    /// Poses that do not fill whole configurations.
    #[error("{poses} poses for {shapes} shapes: give one for each shape in every configuration")]
    Ragged {
        /// How many poses were given.
        poses: usize,
        /// How many shapes there are.
        shapes: usize,
    },
}

impl<'a> Batch<'a> {
    /// The shapes by number, and the pairs of them that are queried, A first.
    ///
    /// # Errors
    /// [`BatchError::NoSuchShape`].
    pub fn new<S: Into<ShapeRef<'a>>>(
        shapes: impl IntoIterator<Item = S>,
        pairs: impl IntoIterator<Item = [u32; 2]>,
    ) -> Result<Self, BatchError> {
        let shapes: Vec<ShapeRef<'a>> = shapes.into_iter().map(Into::into).collect();
        let pairs: Vec<[u32; 2]> = pairs.into_iter().collect();
        for (pair, names) in pairs.iter().enumerate() {
            if let Some(&shape) = names.iter().find(|&&shape| shape as usize >= shapes.len()) {
                return Err(BatchError::NoSuchShape { pair, shape, shapes: shapes.len() });
            }
        }
        Ok(Self { shapes, pairs })
    }

    /// How many pairs are queried: the length of a row of answers.
    pub fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Whether they overlap: for each configuration, all pairs. `poses` are those of all shapes, configuration by
    /// configuration.
    ///
    /// # Errors
    /// [`BatchError::Ragged`].
    pub fn overlaps(&self, poses: &[Pose]) -> Result<Vec<bool>, BatchError> {
        self.each(poses, |cache, a, b| cache.overlaps(a.shape, a.pose, b.shape, b.pose))
    }

    /// The first pair that overlaps in each configuration; `None` where none does. Looks no further in a configuration.
    ///
    /// # Errors
    /// [`BatchError::Ragged`].
    pub fn first_overlaps(&self, poses: &[Pose]) -> Result<Vec<Option<u32>>, BatchError> {
        self.rows(poses, |caches, row| {
            let overlaps = |([a, b], cache): ([PlacedShape<'_>; 2], &mut PairCache)| {
                cache.overlaps(a.shape, a.pose, b.shape, b.pose)
            };
            let found = self.placed_pairs(row).zip(caches).position(overlaps);
            [found.map(|pair| pair as u32)]
        })
    }

    /// Finds how far they are disjoint, if that is at most `max_distance` metres: for each configuration, all pairs.
    ///
    /// # Errors
    /// [`BatchError::Ragged`].
    pub fn distances(&self, poses: &[Pose], max_distance: f64) -> Result<Vec<Option<Distance>>, BatchError> {
        self.each(poses, |cache, a, b| {
            let options = DistanceOptions { max_distance, ..DistanceOptions::default() };
            cache.distance_with(a.shape, a.pose, b.shape, b.pose, &options).complete().flatten()
        })
    }

    /// Finds how they touch, with certified bounds of the depth ([`contact`](crate::contact())), if they are not
    /// farther from each other than `max_distance` metres: for each configuration, all pairs.
    ///
    /// # Errors
    /// [`BatchError::Ragged`].
    pub fn contacts(&self, poses: &[Pose], max_distance: f64) -> Result<Vec<Option<Contact>>, BatchError> {
        self.each(poses, |_, a, b| contact(a.shape, a.pose, b.shape, b.pose, max_distance))
    }

    /// Finds how they touch as a simulation step needs it ([`contact_manifold`](crate::contact_manifold)), if they are
    /// not farther from each other than `max_distance` metres: for each configuration, all pairs.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_query::Batch;
    /// use heurt_shape::Convex;
    /// let (die, table) = (Convex::cuboid(Vec3::splat(0.5))?, Convex::half_space(Vec3::Z, 0.0)?);
    /// let batch = Batch::new([&die, &table], [[0, 1]])?;
    /// let at = |z: f64| Pose::from_translation(Vec3::Z * z);
    /// let found = batch.contact_manifolds(&[at(0.49)?, Pose::IDENTITY, at(0.6)?, Pose::IDENTITY], 0.0)?;
    /// assert_eq!(found[0].as_ref().map(|contact| contact.points.len()), Some(4));
    /// assert_eq!(found[1], None, "ten centimetres above");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Ragged`].
    pub fn contact_manifolds(&self, poses: &[Pose], max_distance: f64) -> Result<Vec<Option<Contact>>, BatchError> {
        self.each(poses, |cache, a, b| cache.contact_manifold(a.shape, a.pose, b.shape, b.pose, max_distance))
    }

    /// One answer for each configuration and pair.
    fn each<T: Send>(
        &self,
        poses: &[Pose],
        find: impl Fn(&mut PairCache, PlacedShape<'_>, PlacedShape<'_>) -> T + Sync,
    ) -> Result<Vec<T>, BatchError> {
        self.rows(poses, |caches, row| {
            let placed = self.placed_pairs(row).zip(caches);
            placed.map(|([a, b], cache)| find(cache, a, b)).collect::<Vec<T>>()
        })
    }

    /// The answers for each configuration in turn, with what each pair remembers of the ones before in its run.
    fn rows<T: Send, R: IntoIterator<Item = T>>(
        &self,
        poses: &[Pose],
        answer: impl Fn(&mut [PairCache], &[Pose]) -> R + Sync,
    ) -> Result<Vec<T>, BatchError> {
        let shapes = self.shapes.len();
        if shapes == 0 || !poses.len().is_multiple_of(shapes) {
            let is_empty = poses.is_empty();
            return if is_empty { Ok(Vec::new()) } else { Err(BatchError::Ragged { poses: poses.len(), shapes }) };
        }
        let runs = poses.par_chunks(RUN * shapes).map(|run| {
            let mut caches = vec![PairCache::default(); self.pairs.len()];
            run.chunks(shapes).flat_map(|row| answer(&mut caches, row)).collect::<Vec<T>>()
        });
        Ok(runs.collect::<Vec<_>>().into_iter().flatten().collect())
    }

    /// The pairs, as they are placed in a configuration.
    fn placed_pairs<'p>(&'p self, row: &'p [Pose]) -> impl Iterator<Item = [PlacedShape<'p>; 2]> {
        let placed = |shape: u32| Placed::new(self.shapes[shape as usize], &row[shape as usize]);
        self.pairs.iter().map(move |pair| pair.map(placed))
    }
}
