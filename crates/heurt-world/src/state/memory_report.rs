//! The bytes that a world holds, by purpose. Shapes are shared and not counted.
//!
//! Counted: reserved memory, used or free. Not counted: the overhead of the allocator; masses, scripts and
//! deformations, which bodies share as they share shapes.

use crate::state::view::WorldView;
use crate::world::World;

/// Bytes of a [`World`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorldBytes {
    /// Bodies: pose, velocities, mass, filters, the handle of the shape.
    pub bodies: usize,
    /// Boxes, their tree, and the pairs among them.
    pub broad_phase: usize,
    /// Caches of pairs whose boxes meet.
    pub pairs: usize,
    /// Results of the last step: contacts, events.
    pub told: usize,
    /// Copies of the bodies and their boxes for readers on other threads, without the meshes of soft ones; none without
    /// readers.
    pub views: usize,
    /// Plans of a step: boxes of some bodies at a time and, in continuous detection, the motions of bodies whose boxes
    /// meet others. Kept for the next step.
    pub plans: usize,
    /// Surfaces swept by soft bodies and bodies near them, in continuous detection.
    pub ways: usize,
}

impl WorldBytes {
    /// Returns the sum.
    pub fn all(&self) -> usize {
        self.bodies + self.broad_phase + self.pairs + self.told + self.plans + self.views + self.ways
    }
}

fn of<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

fn bytes_of(view: &WorldView) -> usize {
    of(&view.slots) + view.boxes.stats().bytes
}

impl World {
    /// Counts the bytes that the world holds.
    pub fn bytes(&self) -> WorldBytes {
        let points = |touch: &crate::BodyContact| {
            let contact = touch.contact.as_ref().filter(|contact| contact.points.spilled());
            contact.map_or(0, |contact| contact.points.capacity() * size_of::<heurt_query::ContactPoint>())
        };
        let told = of(&self.touches) + self.touches.iter().map(points).sum::<usize>();
        let events = of(&self.events.begun) + of(&self.events.ended) + of(&self.resting);
        let unproven = of(&self.unproven) + of(&self.cut);
        WorldBytes {
            bodies: of(&self.now.slots) + self.free_bytes(),
            broad_phase: self.now.boxes.stats().bytes,
            pairs: of(&self.states) + of(&self.states_before) + of(&self.forgotten),
            told: told
                + events
                + unproven
                + self.shares.iter().map(|share| share.bytes()).sum::<usize>()
                + of(&self.shares),
            plans: self.plan.bytes(),
            views: self.publisher.iter().flat_map(|publisher| publisher.views()).map(|view| bytes_of(&view)).sum(),
            ways: of(&self.ways) + self.ways.iter().flatten().map(|way| way.bytes()).sum::<usize>(),
        }
    }
}
