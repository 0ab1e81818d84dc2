//! Broad phase: the pairs of moving objects that may touch, because their boxes overlap and their filters meet.
//!
//! In: axis-aligned boxes with ids, groups and masks, given again as objects move. Out: after each step all pairs,
//! sorted, and those begun and ended since the step before; boxes in a region, boxes along a ray.
//! Method: S0 §2.6 and §6.1 behind one trait, [`BroadPhase`], and one enumeration, [`BroadPhaseKind`].
//! Guarantees: every kind returns the same pairs in the same order as [`BroadPhaseKind::BruteForce`] on the given
//! boxes; touching counts. Enlarged boxes (fat boxes, cubes, `f32`) are internal. Infinite boxes are boxes. An error
//! leaves the state unchanged. Work a step is bounded by the square of the objects for every kind.
//! Not guaranteed: times. `docs/broad-phase.md` states which kind is right when, with measurements.

pub(crate) mod api;
pub(crate) mod common;
pub(crate) mod methods;

pub use api::error::BroadPhaseError;
pub use api::kind::BroadPhaseKind;
pub use api::types::{
    BroadPhaseStats, Fault, Filter, MAX_PROXIES, Mobility, Move, Pair, PairChanges, ProxyId, Ray, RayHit, StepWork,
};
use heurt_geometry::{Aabb, Draw};
pub use methods::partition::over_partition;
use std::fmt::Debug;

/// The objects of a world and the pairs among them that may touch.
///
/// Changes are collected by `insert`, `update`, `set_filter` and `remove`, and take effect on the pairs with `step`.
/// Queries (`query_box`, `query_ray`, `proxy`) see every change at once.
///
/// ```
/// use heurt_broad::{BroadPhaseKind, Filter, Move, Pair, Ray};
/// use heurt_geometry::{Aabb, Vec3};
///
/// let cube = |x: f64| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 1.0) };
/// let floor = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::new(f64::INFINITY, f64::INFINITY, -0.5) };
///
/// let mut world = BroadPhaseKind::Tree.create();
/// world.insert(0, &floor, Filter::STATIC)?;
/// world.insert(1, &cube(0.0), Filter::MOVING)?;
/// world.insert(2, &cube(1.5), Filter::MOVING)?;
/// assert!(world.step().begun.is_empty());
///
/// world.update(&[Move { id: 2, bounds: cube(1.0) }])?; // now they touch
/// let changes = world.step();
/// assert_eq!(changes.begun, [Pair { a: 1, b: 2 }]);
/// assert!(changes.ended.is_empty());
/// assert_eq!(world.pairs(), [Pair { a: 1, b: 2 }]);
///
/// let mut hits = Vec::new();
/// let down = Ray { origin: Vec3::new(0.5, 0.5, 3.0), direction: -Vec3::Z, max_t: f64::INFINITY };
/// world.query_ray(&down, u32::MAX, &mut hits)?;
/// assert_eq!((hits[0].id, hits[0].t), (1, 2.0));
/// assert_eq!((hits[1].id, hits[1].t), (0, 3.5));
/// # Ok::<(), heurt_broad::BroadPhaseError>(())
/// ```
///
/// It draws what its structure holds since the last step, in the world frame in metres, with [`Meaning::BroadPhase`] if
/// nothing else is stated. Infinite boxes are left out.
///
/// | kind | drawn |
/// |---|---|
/// | brute force | the boxes |
/// | sweep and prune | the sorted boxes, and their intervals along three edges of the box of all of them |
/// | separating planes | for each moving object the plane to the nearest separated object ([`Meaning::Separation`]) |
/// | tree | the boxes of the nodes and the fat boxes |
/// | grid, hash | the cells that hold objects, and the boxes that are too large for a cell |
/// | partition | the partition at height 0 with the floor plans, and the boxes outside |
///
/// [`Meaning::BroadPhase`]: heurt_geometry::Meaning::BroadPhase
/// [`Meaning::Separation`]: heurt_geometry::Meaning::Separation
pub trait BroadPhase: Draw + Debug + Send + Sync {
    /// Returns its kind; `None` over a partition ([`over_partition`]).
    fn kind(&self) -> Option<BroadPhaseKind>;

    /// Inserts an object under a free id. An id that is removed and inserted again between two steps counts as the same
    /// object: pairs that exist before and after are neither ended nor begun.
    ///
    /// # Errors
    /// [`BroadPhaseError::Taken`], [`BroadPhaseError::IdTooLarge`], [`BroadPhaseError::BadBox`].
    fn insert(&mut self, id: ProxyId, bounds: &Aabb, filter: Filter) -> Result<(), BroadPhaseError>;

    /// Removes an object; its pairs end with the next step.
    ///
    /// # Errors
    /// [`BroadPhaseError::Unknown`].
    fn remove(&mut self, id: ProxyId) -> Result<(), BroadPhaseError>;

    /// Changes the filter of an object.
    ///
    /// # Errors
    /// [`BroadPhaseError::Unknown`].
    fn set_filter(&mut self, id: ProxyId, filter: Filter) -> Result<(), BroadPhaseError>;

    /// Updates the boxes of objects, all or none. If an object occurs twice, the later box counts; an unchanged box
    /// costs almost nothing.
    ///
    /// # Errors
    /// [`BroadPhaseError::Unknown`], [`BroadPhaseError::BadBox`], for the first rejected move.
    fn update(&mut self, moves: &[Move]) -> Result<(), BroadPhaseError>;

    /// Updates the pairs and returns the changes.
    fn step(&mut self) -> PairChanges<'_>;

    /// Returns all pairs after the last step, sorted. Pairs of an object removed since then are included.
    fn pairs(&self) -> &[Pair];

    /// Returns box and filter of an object; `None` if it does not exist.
    fn proxy(&self, id: ProxyId) -> Option<(Aabb, Filter)>;

    /// Writes to `found` all objects whose boxes overlap `region` and whose groups meet `mask`, sorted. An empty region
    /// finds none.
    ///
    /// # Errors
    /// [`BroadPhaseError::BadRegion`]; `found` is then as it was.
    fn query_box(&self, region: &Aabb, mask: u32, found: &mut Vec<ProxyId>) -> Result<(), BroadPhaseError>;

    /// Writes to `found` all objects whose boxes the ray meets ([`Ray::entry`]) and whose groups meet `mask`, by entry,
    /// then id.
    ///
    /// # Errors
    /// [`BroadPhaseError::BadRay`]; `found` is then as it was.
    fn query_ray(&self, ray: &Ray, mask: u32, found: &mut Vec<RayHit>) -> Result<(), BroadPhaseError>;

    /// Lists every fault: wrong and missing pairs, and damage to the structure. A correct state gives an empty list.
    /// Slow. Between a change and the next step nothing is compared.
    fn validate(&self) -> Vec<Fault>;

    /// Returns counts, memory, and the work of the last step.
    fn stats(&self) -> BroadPhaseStats;
}
