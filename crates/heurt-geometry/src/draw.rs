//! Drawing interface of data structures: points, lines, triangles, boxes and text, each with its meaning.
//!
//! In: a structure that implements [`Draw`]. Out: calls of a [`DrawSink`], which is a picture, a live page, a file or a
//! counter. A structure names what an item means ([`Meaning`]); the sink chooses its colour.
//! Method: all coordinates are in the frame of the structure, in metres. [`PlacedSink`] moves them into the world.
//! Guarantees: a structure draws the same items in the same order in every run.

use crate::{Aabb, Pose, Triangle, Vec3};

/// Meaning of a drawn item, from which a view chooses its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Meaning {
    /// Surface of a body.
    Surface,
    /// Edge of a mesh.
    Edge,
    /// Contact of bodies that come nearer.
    Colliding,
    /// Contact of bodies that rest on each other.
    Resting,
    /// Contact of bodies that separate.
    Separating,
    /// Triangle that intersects another one.
    Intersecting,
    /// Normal of a contact.
    Normal,
    /// Impulse or force.
    Impulse,
    /// Bounding volume of a tree, by its depth: 0 is the root.
    Volume(u32),
    /// Box, cell or interval of a broad phase.
    BroadPhase,
    /// Volume swept within a step.
    Swept,
    /// Plane or axis that separates two bodies.
    Separation,
    /// Cell of a map.
    Cell,
    /// Fault of a mesh.
    Fault,
    /// Box of a body.
    Bounds,
    /// Cell of a map by its level: 0 is the coarsest.
    Level(u32),
    /// Cell that an agent is in.
    Present,
    /// Cells next to the cell of an agent: agents in them are its neighbours.
    Ring,
    /// Velocity of an agent.
    Velocity,
    /// Path of an agent.
    Path,
    /// Distance up to which an agent keeps others off.
    Reach,
    /// Explanation without a meaning of its own.
    Note,
}

/// Receiver of drawn items.
///
/// ```
/// use heurt_geometry::{Aabb, DrawSink, Meaning, Triangle, Vec3};
///
/// #[derive(Default)]
/// struct Lines(usize);
/// impl DrawSink for Lines {
///     fn draw_point(&mut self, _: Vec3, _: Meaning) {}
///     fn draw_line(&mut self, _: [Vec3; 2], _: Meaning) {
///         self.0 += 1;
///     }
///     fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
///     fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
/// }
/// let mut lines = Lines::default();
/// lines.draw_box(&Aabb::from_points([Vec3::ZERO, Vec3::ONE]), Meaning::Volume(0));
/// assert_eq!(lines.0, 12, "a sink without boxes of its own receives their edges");
/// ```
pub trait DrawSink {
    /// Draws a point.
    fn draw_point(&mut self, at: Vec3, meaning: Meaning);

    /// Draws a line between two points.
    fn draw_line(&mut self, ends: [Vec3; 2], meaning: Meaning);

    /// Draws a triangle, counter-clockwise seen from outside.
    fn draw_triangle(&mut self, corners: Triangle, meaning: Meaning);

    /// Draws a line of text at a point.
    fn draw_text(&mut self, at: Vec3, text: &str, meaning: Meaning);

    /// Draws the edges of a box; nothing for an empty box.
    fn draw_box(&mut self, bounds: &Aabb, meaning: Meaning) {
        if bounds.is_empty() {
            return;
        }
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| corner_of(bounds.min, bounds.max, k));
        draw_edges(self, corners, meaning);
    }

    /// Draws the edges of a box around the origin of `pose`, along its axes, with these half extents.
    fn draw_oriented_box(&mut self, pose: &Pose, half: Vec3, meaning: Meaning) {
        let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| pose.place(corner_of(-half, half, k)));
        draw_edges(self, corners, meaning);
    }
}

/// A structure that can be drawn.
pub trait Draw {
    /// Draws the structure in its own frame.
    fn draw(&self, sink: &mut dyn DrawSink);
}

/// The corner of a box of which bit k chooses the greater coordinate along axis k.
fn corner_of(min: Vec3, max: Vec3, bits: usize) -> Vec3 {
    let choose = |axis: usize| if bits >> axis & 1 == 0 { min[axis] } else { max[axis] };
    Vec3::new(choose(0), choose(1), choose(2))
}

/// Draws the twelve edges of a box by its corners: two corners of an edge differ in one bit.
fn draw_edges(sink: &mut (impl DrawSink + ?Sized), corners: [Vec3; 8], meaning: Meaning) {
    for low in 0..8 {
        for axis in 0..3 {
            if low >> axis & 1 == 0 {
                sink.draw_line([corners[low], corners[low | 1 << axis]], meaning);
            }
        }
    }
}

/// A sink that places all items by a pose before it passes them on.
pub struct PlacedSink<'a> {
    /// The pose of the frame in which items arrive.
    pub pose: Pose,
    /// The receiver of the placed items.
    pub sink: &'a mut dyn DrawSink,
}

impl DrawSink for PlacedSink<'_> {
    fn draw_point(&mut self, at: Vec3, meaning: Meaning) {
        self.sink.draw_point(self.pose.place(at), meaning);
    }

    fn draw_line(&mut self, ends: [Vec3; 2], meaning: Meaning) {
        self.sink.draw_line(ends.map(|end| self.pose.place(end)), meaning);
    }

    fn draw_triangle(&mut self, corners: Triangle, meaning: Meaning) {
        self.sink.draw_triangle(corners.map(|corner| self.pose.place(corner)), meaning);
    }

    fn draw_text(&mut self, at: Vec3, text: &str, meaning: Meaning) {
        self.sink.draw_text(self.pose.place(at), text, meaning);
    }
}
