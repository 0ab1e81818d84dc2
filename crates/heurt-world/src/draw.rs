//! Drawing of worlds: boxes of bodies, paths of bodies in a step, contacts with their normals and impulses, joints.
//!
//! In: a [`World`] after a step, or a [`WorldView`]. Out: items of a [`DrawSink`] in the world frame, in metres.
//! Method: a contact point has the meaning of its kind (S1): colliding, resting or separating. From it runs the normal,
//! towards B, and the impulse on B. The length of a normal is a quarter of the smaller body's largest half extent. An
//! impulse is drawn relative to the largest one of the step, which is twice as long as its normal.
//! Guarantees: bodies come by their places, contacts by the places of their bodies: the same in every run. Infinite
//! items are left out, as the box of a half-space. Cost: O(bodies + contact points).

use crate::contact::ContactMotion;
use crate::response::joints::joint_frame;
use crate::state::view::WorldView;
use crate::{BodyId, World};
use heurt_geometry::{Draw, DrawSink, Meaning, Vec3};
use heurt_rigid::{ContactState, JointFrame, JointKind};
use heurt_shape::{Shape, ShapeRef};
use std::collections::BTreeSet;

/// The length of a normal, as a share of the largest half extent of the smaller body.
const NORMAL_SHARE: f64 = 0.25;

/// The size of unbounded bodies in drawings, in metres: their normals are 1 m long.
const UNBOUNDED_HALF_EXTENT: f64 = 4.0;

/// The length of the largest impulse, as a multiple of its normal.
const LARGEST_IMPULSE: f64 = 2.0;

impl WorldView {
    /// Returns the structure of the broad phase, to be drawn as it is since the last step.
    pub fn broad_phase_structure(&self) -> &dyn Draw {
        &*self.boxes
    }

    /// Returns the length of normals between two bodies, in metres.
    fn normal_length(&self, bodies: [BodyId; 2]) -> f64 {
        NORMAL_SHARE * self.least_half_extent(bodies)
    }

    /// Returns the largest half extent of the smaller body, in metres; 4 m if neither is bounded.
    fn least_half_extent(&self, bodies: [BodyId; 2]) -> f64 {
        let sizes = bodies.map(|id| {
            let body = self.body(id)?;
            let size = ShapeRef::from(&body.shape).bounds_at(&body.pose).half_extents().max_element();
            Some(size).filter(|size| size.is_finite())
        });
        sizes.into_iter().flatten().reduce(f64::min).unwrap_or(UNBOUNDED_HALF_EXTENT)
    }
}

impl Draw for WorldView {
    /// Draws the box of each bounded body, as [`Meaning::Bounds`].
    ///
    /// ```
    /// use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Pose, Triangle, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Settings, World};
    /// struct Boxes(Vec<Aabb>);
    /// impl DrawSink for Boxes {
    ///     fn draw_point(&mut self, _: Vec3, _: Meaning) {}
    ///     fn draw_line(&mut self, _: [Vec3; 2], _: Meaning) {}
    ///     fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
    ///     fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
    ///     fn draw_box(&mut self, bounds: &Aabb, _: Meaning) {
    ///         self.0.push(*bounds);
    ///     }
    /// }
    /// let mut world = World::new(Settings::default())?;
    /// world.insert(Body::fixed(Convex::half_space(Vec3::ONE.normalize(), 0.0)?, Pose::IDENTITY))?;
    /// world.insert(Body::fixed(Convex::sphere(0.5)?, Pose::from_translation(Vec3::Z)?))?;
    /// let mut boxes = Boxes(Vec::new());
    /// world.view().draw(&mut boxes);
    /// assert_eq!(boxes.0.len(), 1, "the half-space has no box");
    /// assert!(boxes.0[0].contains(Vec3::new(0.0, 0.0, 1.5)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn draw(&self, sink: &mut dyn DrawSink) {
        for (_, body) in self.bodies() {
            let bounds = ShapeRef::from(&body.shape).bounds_at(&body.pose);
            if bounds.min.is_finite() && bounds.max.is_finite() {
                sink.draw_box(&bounds, Meaning::Bounds);
            }
        }
    }
}

impl World {
    /// Draws the triangles of meshes that intersect another body as the step ends, each once. Cost: a search over both
    /// meshes of each pair in contact.
    pub fn draw_intersecting_faces(&self, sink: &mut dyn DrawSink) {
        let mut faces: BTreeSet<(BodyId, u32)> = BTreeSet::new();
        let is_mesh = |id: BodyId| self.body(id).is_some_and(|body| matches!(body.shape, Shape::Mesh(_)));
        for touch in self.contacts().iter().filter(|touch| is_mesh(touch.a) || is_mesh(touch.b)) {
            for [a, b] in self.intersecting_faces(touch) {
                faces.extend([(touch.a, a), (touch.b, b)].into_iter().filter(|(id, _)| is_mesh(*id)));
            }
        }
        for (id, face) in faces {
            if let Some(body) = self.body(id)
                && let Shape::Mesh(mesh) = &body.shape
            {
                let corners = mesh.mesh().corners(face).map(|corner| body.pose.place(corner));
                sink.draw_triangle(corners, Meaning::Intersecting);
            }
        }
    }

    /// Draws the contacts of the last step, then the impulses that solved them.
    pub fn draw_contacts(&self, sink: &mut dyn DrawSink) {
        for touch in self.contacts() {
            let length = self.view().normal_length([touch.a, touch.b]);
            for motion in self.contact_motions(touch) {
                draw_contact(sink, &motion, length);
            }
        }
        let impulses = || {
            self.solved_contacts().iter().flat_map(|solved| {
                let bodies = [solved.a, solved.b];
                solved.points.iter().map(move |point| {
                    (bodies, point.motion.point, point.motion.normal * point.impulse + point.friction_impulse)
                })
            })
        };
        let largest = impulses().map(|(_, _, impulse)| impulse.length()).fold(0.0, f64::max);
        if !(largest > 0.0 && largest.is_finite()) {
            return;
        }
        for (bodies, point, impulse) in impulses().filter(|(_, _, impulse)| *impulse != Vec3::ZERO) {
            let length = LARGEST_IMPULSE * self.view().normal_length(bodies);
            draw_line(sink, point, impulse / largest * length, Meaning::Impulse);
        }
    }
}

impl World {
    /// Draws the recorded paths of the last step ([`World::paths`]) as [`Meaning::Swept`]: the box that each body
    /// swept, and the line of its origin from the start to the end. Infinite boxes are left out.
    ///
    /// ```
    /// use heurt_geometry::{Aabb, DrawSink, Meaning, Pose, Triangle, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_world::{Body, Detection, Settings, World};
    /// struct Boxes(Vec<Aabb>);
    /// impl DrawSink for Boxes {
    ///     fn draw_point(&mut self, _: Vec3, _: Meaning) {}
    ///     fn draw_line(&mut self, _: [Vec3; 2], _: Meaning) {}
    ///     fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
    ///     fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
    ///     fn draw_box(&mut self, bounds: &Aabb, _: Meaning) {
    ///         self.0.push(*bounds);
    ///     }
    /// }
    /// let mut world = World::new(Settings { detection: Detection::Continuous, ..Settings::default() })?;
    /// world.record_paths(true);
    /// let ball = Body::kinematic(Convex::sphere(0.5)?, Pose::IDENTITY);
    /// world.insert(Body { velocity: Vec3::X * 100.0, ..ball })?;
    /// world.step(0.1)?;
    /// let mut boxes = Boxes(Vec::new());
    /// world.draw_paths(&mut boxes);
    /// assert!(boxes.0[0].contains(Vec3::ZERO) && boxes.0[0].contains(Vec3::X * 10.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw_paths(&self, sink: &mut dyn DrawSink) {
        for path in self.paths() {
            if path.swept.min.is_finite() && path.swept.max.is_finite() {
                sink.draw_box(&path.swept, Meaning::Swept);
            }
            if path.ends[0] != path.ends[1] {
                draw_line(sink, path.ends[0], path.ends[1] - path.ends[0], Meaning::Swept);
            }
        }
    }

    /// Draws each joint as [`Meaning::Note`]: its anchors on both bodies, lines from the centres of mass to them, and
    /// the line between them, whose length is the error of the joint, or the length of a distance joint. The axis of a
    /// hinge or a slider is a line through the anchor on A, as long as the largest extent of A.
    pub fn draw_joints(&self, sink: &mut dyn DrawSink) {
        for (_, joint) in self.joints() {
            let Some(a) = self.body(joint.a).map(joint_frame) else { continue };
            let b = joint.b.and_then(|id| self.body(id)).map(joint_frame);
            let frames = [&a, b.as_ref().unwrap_or(&JointFrame::WORLD)];
            let anchors = joint.joint.anchors(frames);
            if !anchors.iter().all(|anchor| anchor.is_finite()) {
                continue;
            }
            draw_line(sink, a.centre, anchors[0] - a.centre, Meaning::Note);
            draw_line(sink, anchors[0], anchors[1] - anchors[0], Meaning::Note);
            if let Some(b) = &b {
                draw_line(sink, b.centre, anchors[1] - b.centre, Meaning::Note);
            }
            anchors.iter().for_each(|anchor| sink.draw_point(*anchor, Meaning::Note));
            if matches!(joint.joint.kind(), JointKind::Hinge | JointKind::Slider) {
                let half = joint.joint.axis(frames) * self.view().least_half_extent([joint.a; 2]);
                draw_line(sink, anchors[0] - half, half * 2.0, Meaning::Note);
            }
        }
    }
}

impl Draw for World {
    /// Draws the boxes of the bodies, then the contacts, then the joints.
    fn draw(&self, sink: &mut dyn DrawSink) {
        self.view().draw(sink);
        self.draw_contacts(sink);
        self.draw_joints(sink);
    }
}

/// Draws the point of a contact, and its normal with a length in metres.
fn draw_contact(sink: &mut dyn DrawSink, motion: &ContactMotion, length: f64) {
    let meaning = match motion.approach {
        ContactState::Colliding => Meaning::Colliding,
        ContactState::Resting => Meaning::Resting,
        ContactState::Separating => Meaning::Separating,
    };
    if motion.point.is_finite() {
        sink.draw_point(motion.point, meaning);
        draw_line(sink, motion.point, motion.normal * length, Meaning::Normal);
    }
}

/// Draws a finite line from a point along a path.
fn draw_line(sink: &mut dyn DrawSink, from: Vec3, path: Vec3, meaning: Meaning) {
    let ends = [from, from + path];
    if ends.iter().all(|end| end.is_finite()) {
        sink.draw_line(ends, meaning);
    }
}
