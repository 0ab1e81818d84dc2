//! The bytes that a world holds, by purpose. Shapes are shared and not counted.
//!
//! Counted: reserved memory, used or free. Not counted: the overhead of the allocator; masses, scripts and
//! deformations, which bodies share as they share shapes.

/// Bytes of a [`World`](crate::World).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorldBytes {
    /// Bodies: pose, velocities, mass, filters, the handle of the shape.
    pub bodies: usize,
    /// Boxes, their tree, and the pairs among them.
    pub broad_phase: usize,
    /// Caches of pairs whose boxes meet.
    pub pairs: usize,
    /// Results of the last step: contacts, events.
    pub results: usize,
    /// Copies of the bodies and their boxes for readers on other threads, without the meshes of soft ones; none without
    /// readers.
    pub views: usize,
    /// Plans of a step: boxes of some bodies at a time and, in continuous detection, the motions of bodies whose boxes
    /// meet others. Kept for the next step.
    pub plans: usize,
    /// Surfaces swept by soft bodies and bodies near them, in continuous detection.
    pub swept: usize,
    /// Joints, and the memory of the solver of soft steps, which is kept for the next step.
    pub response: usize,
}

impl WorldBytes {
    /// Returns the sum.
    pub fn all(&self) -> usize {
        self.bodies
            + self.broad_phase
            + self.pairs
            + self.results
            + self.plans
            + self.views
            + self.swept
            + self.response
    }
}

/// Returns the bytes that a list reserves.
pub(crate) fn bytes_of_list<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}
