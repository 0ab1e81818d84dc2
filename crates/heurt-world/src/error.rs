//! Reasons why a world refuses a change: numbers out of range, bodies that are not there, pairs that are too many.

use crate::body::BodyId;
use crate::body::mass::MassFault;
use crate::response::joints::JointId;
use heurt_broad::BroadPhaseError;
use heurt_geometry::{DisplayNumber, MotionError, PoseError};
use heurt_rigid::{FlightError, JointError, StepError};
use thiserror::Error;

/// Reasons why the world refuses a change.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A body that is not there: removed, or of another world.
    #[error("body {} of generation {} is not in the world: it was removed, or never was there", id.index, id.generation)]
    NoSuchBody {
        /// The name that was given.
        id: BodyId,
    },
    /// A number that no body and no world has.
    #[error("{field} is {}: give {legal}", DisplayNumber(*value))]
    Number {
        /// The name of the number.
        field: &'static str,
        /// The value given.
        value: f64,
        /// The legal values.
        legal: &'static str,
    },
    /// A soft body that is no mesh.
    #[error("a soft body must be a mesh of as many vertices as its deformation")]
    NotSoft,
    /// Mass, centre or inertia that no body has.
    #[error(transparent)]
    Mass(#[from] MassFault),
    /// A body that moves out of the range of numbers in this step.
    #[error("body {} moves beyond the range of numbers", id.index)]
    Flight {
        /// The body.
        id: BodyId,
        /// The reason.
        source: StepMotionError,
    },
    /// Vertices for a body that has none to move.
    #[error("body {} is not soft: only soft bodies take vertices", id.index)]
    NotDeformable {
        /// The body.
        id: BodyId,
    },
    /// Another number of vertices than the body has.
    #[error("{given} places are given for {count} vertices of body {}: give one for each, in the same order", id.index)]
    VertexCount {
        /// The body.
        id: BodyId,
        /// The number of places.
        given: usize,
        /// The number of vertices to move.
        count: usize,
    },
    /// A vertex that the body does not have.
    #[error("body {} has no vertex {vertex}: it has {count}", id.index)]
    NoVertex {
        /// The body.
        id: BodyId,
        /// The number of the vertex.
        vertex: u32,
        /// The number of its vertices.
        count: usize,
    },
    /// A soft body that would have no surface.
    #[error("with the vertices given no triangle of body {} has an area: it collapses to a line or a point", id.index)]
    Collapsed {
        /// The body.
        id: BodyId,
    },
    /// A soft body whose vertices leave the range of numbers.
    #[error("vertex {vertex} of body {} moves beyond 1e150 m, or is no number", id.index)]
    Deform {
        /// The body.
        id: BodyId,
        /// The vertex that goes too far.
        vertex: usize,
    },
    /// Too many bodies in one place: their pairs would take memory and time out of proportion.
    #[error(
        "at least {pairs} pairs of boxes overlap among {bodies} bodies, many of them around body {}; a world of {bodies} bodies takes {most} \
         pairs: separate the bodies, or exclude pairs by groups and masks", id.index
    )]
    Crowded {
        /// A body whose box overlaps many others.
        id: BodyId,
        /// Pairs that overlap, at least.
        pairs: usize,
        /// Bodies that there are.
        bodies: usize,
        /// Pairs that are taken: a million, or 64 a body.
        most: usize,
    },
    /// A joint that is not there: removed, broken, or of another world.
    #[error("joint {} is not in the world: it was removed, it broke, or it never was there", id.index)]
    NoSuchJoint {
        /// The name that was given.
        id: JointId,
    },
    /// A joint with numbers or bodies that no joint has.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// A force or an impulse on a body that none moves.
    #[error("body {} is not dynamic: no force and no impulse moves it", id.index)]
    NotDynamic {
        /// The body.
        id: BodyId,
    },
    /// A body with numbers that the soft response refuses.
    #[error(transparent)]
    Soft(StepError),
    /// Springs that are too stiff for the length of the step.
    #[error(
        "springs of this stiffness need {sub_steps:.0} sub-steps in a step, and take at most {most}: take shorter steps, \
         or a smaller penalty_stiffness"
    )]
    TooStiff {
        /// Sub-steps for which the springs are stable.
        sub_steps: f64,
        /// The most that a step takes.
        most: f64,
    },
    /// A joint in a world whose response has none.
    #[error("response = \"penalty\" has no joints: choose impulse-lcp, soft-step or auto")]
    NoJoints,
    /// A box that is too large or no box, or too many bodies.
    #[error(transparent)]
    Broad(#[from] BroadPhaseError),
}

/// A body that leaves the range of numbers.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepMotionError {
    /// It is too fast.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// It is nowhere.
    #[error(transparent)]
    Pose(#[from] PoseError),
    /// Its forces or its spin are beyond the range of numbers.
    #[error(transparent)]
    Free(#[from] FlightError),
    /// It is too far away.
    #[error("it is beyond 1e150 m: choose other units")]
    Far,
    /// It turns too fast for bounds of its contacts.
    #[error("it turns by more than 1e9 rad in a step, too far for continuous detection: take shorter steps")]
    Turns,
}
