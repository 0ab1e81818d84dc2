//! The last complete state of a world, for threads at their own rate: a haptic device queries a thousand times a second
//! while the world steps sixty times.
//!
//! In: a world, after each step. Out: a [`WorldView`], which stays as it is as long as it is held.
//! Method: views are exchanged by one atomic pointer. A view that no thread holds any more is updated and published
//! again, so that nothing is built again: the tree has fat boxes, and bodies at rest cost a comparison.
//! Meshes of soft bodies that were shown go back to the world, to be deformed next.
//! Guarantees: lock-free; a reader never sees half a step, never waits for the world, and the world never waits for a
//! reader.
//! Cost: O(bodies) for a step with readers.

use crate::body::{Body, BodyId, Kind};
use crate::state::bodies::{Bodies, bounds_of_body};
use crate::state::view::WorldView;
use arc_swap::ArcSwap;
use heurt_broad::{BroadPhaseKind, Filter, Move};
use heurt_shape::{MeshShape, Shape};
use std::sync::Arc;

/// Access of other threads to the world as it was after its last step.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::Convex;
/// use heurt_world::{Body, QueryFilter, Settings, World};
/// let mut world = World::new(Settings::default())?;
/// let ball = Body { velocity: Vec3::X, ..Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY) };
/// world.insert(ball)?;
/// let reader = world.reader();
/// let hand = std::thread::spawn(move || {
///     loop {
///         let view = reader.latest();
///         let tip = Pose::from_translation(Vec3::X).unwrap();
///         if !view.overlaps(&Convex::point(), &tip, QueryFilter::ALL).unwrap().is_empty() {
///             break view.time();
///         }
///     }
/// });
/// while world.time() < 1.0 {
///     world.step(0.125)?;
/// }
/// assert!(hand.join().unwrap() >= 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Reader {
    latest: Arc<ArcSwap<WorldView>>,
}

impl Reader {
    /// Returns the bodies as they were after the last step, without waiting. Bodies inserted, removed or placed since
    /// show after the next step.
    pub fn latest(&self) -> Arc<WorldView> {
        self.latest.load_full()
    }
}

/// Views kept for reuse; further ones are left to their holders.
const KEPT: usize = 4;

#[derive(Debug)]
pub(crate) struct Publisher {
    latest: Arc<ArcSwap<WorldView>>,
    shown: Vec<Arc<WorldView>>,
    /// Meshes of soft bodies that are no longer shown.
    meshes: Vec<(BodyId, Arc<MeshShape>)>,
}

impl Publisher {
    /// Publishes the state of `now`.
    pub(crate) fn new(now: &WorldView, margin: f64) -> Self {
        let mut view = WorldView::empty(BroadPhaseKind::Tree);
        view.follow(now, margin, &mut Vec::new());
        Self { latest: Arc::new(ArcSwap::from_pointee(view)), shown: Vec::new(), meshes: Vec::new() }
    }

    /// Returns access to what is published.
    pub(crate) fn reader(&self) -> Reader {
        Reader { latest: Arc::clone(&self.latest) }
    }

    /// Publishes the state of `now`, which follows from the states published before.
    pub(crate) fn publish(&mut self, now: &WorldView, margin: f64) {
        let unused = self.shown.iter_mut().position(|view| Arc::get_mut(view).is_some());
        let mut view = match unused {
            Some(place) => self.shown.swap_remove(place),
            None => Arc::new(WorldView::empty(BroadPhaseKind::Tree)),
        };
        let next = Arc::get_mut(&mut view).expect("nobody else has it");
        self.meshes.clear();
        next.follow(now, margin, &mut self.meshes);
        self.shown.truncate(KEPT - 1);
        self.shown.push(self.latest.swap(view));
    }

    /// Publishes a state that does not follow from the states published before.
    pub(crate) fn publish_unrelated(&mut self, now: &WorldView, margin: f64) {
        self.forget();
        self.publish(now, margin);
        self.forget();
    }

    fn forget(&mut self) {
        self.shown.clear();
        self.meshes.clear();
    }

    /// Replaces the meshes of soft bodies that readers hold by meshes that no thread holds; called before they are
    /// deformed.
    pub(crate) fn take_back_meshes(&mut self, bodies: &mut Bodies) {
        for (id, mut free) in self.meshes.drain(..) {
            if let Some(Body { shape: Shape::Mesh(mesh), .. }) = bodies.get_mut(id)
                && Arc::get_mut(mesh).is_none()
                && Arc::get_mut(&mut free).is_some()
            {
                *mesh = free;
            }
        }
    }

    /// The views that are published or kept.
    pub(crate) fn views(&self) -> impl Iterator<Item = Arc<WorldView>> {
        std::iter::once(self.latest.load_full()).chain(self.shown.iter().cloned())
    }
}

impl WorldView {
    /// Updates the view to the state of `now`.
    fn follow(&mut self, now: &Self, margin: f64, meshes: &mut Vec<(BodyId, Arc<MeshShape>)>) {
        (self.step, self.time) = (now.step, now.time);
        self.bodies.resize(now.bodies.slots().len());
        let mut moves = Vec::new();
        for (index, (mine, theirs)) in self.bodies.slots_mut().iter_mut().zip(now.bodies.slots()).enumerate() {
            let id = index as u32;
            let is_same = mine.generation == theirs.generation;
            mine.generation = theirs.generation;
            let has_moved = match (&mut mine.body, &theirs.body) {
                (Some(mine), Some(body)) if is_same => {
                    let name = BodyId { index: id, generation: theirs.generation };
                    take_over(mine, body, |mesh| meshes.push((name, mesh)))
                }
                (mine, body) => {
                    if mine.is_some() {
                        self.boxes.remove(id).expect("it was put in");
                    }
                    mine.clone_from(body);
                    if let Some(body) = mine {
                        let bounds = bounds_of_body(body, margin);
                        self.boxes.insert(id, &bounds, alone(body)).expect("the world took the same");
                    }
                    false
                }
            };
            if let Some(body) = mine.body.as_ref().filter(|_| has_moved) {
                moves.push(Move { id, bounds: bounds_of_body(body, margin) });
                self.boxes.set_filter(id, alone(body)).expect("it was put in");
            }
        }
        self.boxes.update(&moves).expect("the world took the same");
        self.boxes.step();
    }
}

/// A body that is queried, but makes no pairs.
fn alone(body: &Body) -> Filter {
    Filter { mask: 0, ..body.filter() }
}

/// Updates the copy of a body, and reports whether anything changed. The former mesh of a soft body is kept for
/// reuse.
fn take_over(mine: &mut Body, theirs: &Body, free: impl FnOnce(Arc<MeshShape>)) -> bool {
    let is_soft = matches!(theirs.kind, Kind::Soft(_));
    let is_as_it_was = mine.pose == theirs.pose && mine.group == theirs.group && mine.mask == theirs.mask;
    (mine.velocity, mine.angular_velocity) = (theirs.velocity, theirs.angular_velocity);
    if is_as_it_was && !is_soft {
        return false;
    }
    (mine.pose, mine.group, mine.mask) = (theirs.pose, theirs.group, theirs.mask);
    if is_soft && let Shape::Mesh(shown) = std::mem::replace(&mut mine.shape, theirs.shape.clone()) {
        free(shown);
    }
    true
}
