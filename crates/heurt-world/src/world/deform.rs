//! Deformation of soft bodies by vertices that a caller computes (S2 §1: no assumption on the deformation).
//!
//! In: places of the vertices of a body, in the frame of its mesh.
//! Method: the next step moves each vertex straight from where it is to its place, so that continuous detection finds
//! what it meets in between. Then the vertices stay. With a response, what no response moves is met at the end of a
//! step.
//! Guarantees: a step that fails leaves motions and places as they were. Cost: linear in the vertices of the body.

use super::World;
use crate::body::deformation::Deformation;
use crate::body::{BodyId, Kind};
use crate::error::WorldError;
use crate::step::step_plan::check_vertices;
use heurt_geometry::Vec3;
use heurt_shape::{MeshShape, Shape};
use std::sync::Arc;

impl World {
    /// Moves all vertices of a soft body to `vertices` in the next step: in metres, in the frame of its mesh, as many
    /// as it has and in their order. Each vertex moves straight, and stays there after the step. A script of the body
    /// ends. If there are several calls before a step, the last one counts.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_mesh::TriMesh;
    /// use heurt_shape::{Convex, MeshShape};
    /// use heurt_world::{Body, Detection, Settings, World};
    /// let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    /// let sheet = MeshShape::new(TriMesh::new(corners.clone(), vec![[0, 1, 2]])?)?;
    /// let mut world = World::new(Settings { detection: Detection::Continuous, ..Settings::default() })?;
    /// let sheet = world.insert(Body::soft(sheet, Pose::IDENTITY))?;
    /// let above = Pose::from_translation(Vec3::new(0.2, 0.2, 1.0))?;
    /// let ball = world.insert(Body::fixed(Convex::sphere(0.1)?, above))?;
    /// let lifted: Vec<Vec3> = corners.iter().map(|v| *v + Vec3::Z * 2.0).collect();
    /// world.deform(sheet, &lifted)?;
    /// world.step(1.0)?;
    /// // The sheet passes the ball in half of the step.
    /// assert_eq!(world.events().begun, [[sheet, ball]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`], [`WorldError::NotDeformable`], [`WorldError::VertexCount`], [`WorldError::Deform`],
    /// [`WorldError::Collapsed`]; nothing changes then.
    pub fn deform(&mut self, id: BodyId, vertices: &[Vec3]) -> Result<(), WorldError> {
        let (mesh, _) = self.soft_body(id)?;
        let count = mesh.mesh().vertices().len();
        if vertices.len() != count {
            return Err(WorldError::VertexCount { id, given: vertices.len(), count });
        }
        self.set_target(id, vertices.to_vec())
    }

    /// Moves some vertices of a soft body in the next step: vertex `moved[k]` to `places[k]`, as [`World::deform`].
    /// All other vertices go where an earlier call before the step puts them, else they stay.
    ///
    /// # Errors
    /// As [`World::deform`]; [`WorldError::NoVertex`].
    pub fn deform_moved(&mut self, id: BodyId, moved: &[u32], places: &[Vec3]) -> Result<(), WorldError> {
        if moved.len() != places.len() {
            return Err(WorldError::VertexCount { id, given: places.len(), count: moved.len() });
        }
        let (mesh, deformation) = self.soft_body(id)?;
        let vertices = deformation.target().map_or(mesh.mesh().vertices(), |target| target.as_slice());
        let (mut vertices, count) = (vertices.to_vec(), vertices.len());
        for (&vertex, place) in moved.iter().zip(places) {
            *vertices.get_mut(vertex as usize).ok_or(WorldError::NoVertex { id, vertex, count })? = *place;
        }
        self.set_target(id, vertices)
    }

    fn soft_body(&self, id: BodyId) -> Result<(&MeshShape, &Deformation), WorldError> {
        let body = self.body(id).ok_or(WorldError::NoSuchBody { id })?;
        match (&body.kind, &body.shape) {
            (Kind::Soft(deformation), Shape::Mesh(mesh)) => Ok((mesh, deformation)),
            _ => Err(WorldError::NotDeformable { id }),
        }
    }

    fn set_target(&mut self, id: BodyId, target: Vec<Vec3>) -> Result<(), WorldError> {
        let (mesh, deformation) = self.soft_body(id)?;
        check_vertices(id, mesh, &target)?;
        let deformation = Arc::new(deformation.with_target(target));
        self.disturb(id);
        if let Some(body) = self.view.bodies.get_mut(id) {
            body.kind = Kind::Soft(deformation);
        }
        Ok(())
    }

    /// Makes the motions of the step from the targets of soft bodies; returns the motions that they replace.
    pub(super) fn begin_deformations(&mut self, dt: f64) -> Vec<(usize, Arc<Deformation>)> {
        let time = self.view.time;
        let mut before = Vec::new();
        for (place, slot) in self.view.bodies.slots_mut().iter_mut().enumerate() {
            let Some(body) = &mut slot.body else { continue };
            let (Kind::Soft(deformation), Shape::Mesh(mesh)) = (&mut body.kind, &body.shape) else { continue };
            let Some(step) = deformation.toward_target(mesh.mesh().vertices(), [time, time + dt]) else { continue };
            before.push((place, std::mem::replace(deformation, Arc::new(step))));
        }
        before
    }

    /// Puts the motions of soft bodies back after a step that failed.
    pub(super) fn put_deformations_back(&mut self, before: Vec<(usize, Arc<Deformation>)>) {
        for (place, deformation) in before {
            if let Some(body) = &mut self.view.bodies.slots_mut()[place].body {
                body.kind = Kind::Soft(deformation);
            }
        }
    }
}
