//! Classification of contacts: colliding, resting or separating, and the pair of features that touch.
//!
//! In: the gap velocity ḋ = n·(v_b − v_a) of a contact, the free acceleration along its normal, the step. Out:
//! [`ContactState`], [`ContactKind`].
//! Method: S1 (types of collision; points of contact). S1 writes N for the outward normal of the
//! second body, N = −n, and N·(v_a − v_b); the sign of ḋ is the same. A contact rests if the free acceleration of a
//! step explains ḋ: |ḋ| ≤ dt·|n·(a_b − a_a)| + rounding, a of the contact points. Two bodies that fall together have a
//! relative acceleration of 0, and collide at any speed of approach above rounding and above what a solver leaves.
//! Guarantees: each pair of numbers has one state.
//! Cost: constant.

use crate::body::RigidBody;
use heurt_geometry::Vec3;

/// The relative motion of two bodies in contact, before any response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactState {
    /// They come nearer.
    Colliding,
    /// They do neither, or by no more than the effect of their free accelerations in a step.
    Resting,
    /// They separate.
    Separating,
}

/// Rounding error of a difference of speeds, as a share of the speeds: sixteen operations with a safety factor of 4.
const SPEED_ROUNDING: f64 = 64.0 * f64::EPSILON;
/// Share of the speed that a free acceleration gives a body in a step, up to which a speed is what a solver leaves:
/// cards that lean on each other at rest have speeds of 1e-12 of it.
const SOLVED_SHARE: f64 = 1e-9;

impl ContactState {
    /// Classifies a contact by its gap velocity (m/s), the relative free acceleration along the normal n·(a_b − a_a)
    /// (m/s²), the step (s), and the rounding error of the gap velocity (m/s). The state is `Resting` if a number is
    /// NaN.
    ///
    /// ```
    /// use heurt_rigid::ContactState;
    /// // A box on the floor after one step of gravity, and a box that falls on the floor.
    /// assert_eq!(ContactState::classify(-0.1635, -9.81, 1.0 / 60.0, 1e-12), ContactState::Resting);
    /// assert_eq!(ContactState::classify(-0.3, -9.81, 1.0 / 60.0, 1e-12), ContactState::Colliding);
    /// // Two bodies that fall together.
    /// assert_eq!(ContactState::classify(-0.15, 0.0, 1.0 / 60.0, 1e-12), ContactState::Colliding);
    /// ```
    pub fn classify(gap_velocity: f64, relative_acceleration: f64, dt: f64, rounding: f64) -> Self {
        let slow = dt * relative_acceleration.abs() + rounding;
        match gap_velocity {
            v if v < -slow => Self::Colliding,
            v if v > slow => Self::Separating,
            _ => Self::Resting,
        }
    }

    /// Classifies a contact of two bodies with the normal from A to B and the offsets of the contact point from both
    /// centres of mass. The rounding error comes from the speeds, and from the speed that free accelerations give
    /// in a step.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_rigid::{ContactState, RigidBody};
    /// let gravity = Vec3::Z * -9.81;
    /// let ball = |speed| RigidBody { velocity: Vec3::Z * speed, acceleration: gravity, ..RigidBody::FIXED };
    /// let arms = [Vec3::Z * 0.5, Vec3::Z * -0.5];
    /// let state = ContactState::of_bodies([&ball(-1.0), &ball(-1.15)], Vec3::Z, arms, 1.0 / 60.0);
    /// assert_eq!(state.name(), "colliding");
    /// ```
    pub fn of_bodies([a, b]: [&RigidBody; 2], normal: Vec3, arms: [Vec3; 2], dt: f64) -> Self {
        let velocities = [a.velocity_at(arms[0]), b.velocity_at(arms[1])];
        let acceleration = normal.dot(b.acceleration_at(arms[1]) - a.acceleration_at(arms[0]));
        let speeds =
            |body: &RigidBody, arm: Vec3| body.velocity.length() + body.angular_velocity.length() * arm.length();
        let rounding = SPEED_ROUNDING * (speeds(a, arms[0]) + speeds(b, arms[1]))
            + Self::solver_rounding([a.acceleration, b.acceleration], dt);
        Self::classify(normal.dot(velocities[1] - velocities[0]), acceleration, dt, rounding)
    }

    /// Bounds the speed that a solver leaves between bodies at rest with free accelerations (m/s²), in m/s.
    pub fn solver_rounding(accelerations: [Vec3; 2], dt: f64) -> f64 {
        SOLVED_SHARE * dt * accelerations.map(Vec3::length).into_iter().fold(0.0, f64::max)
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Colliding => "colliding",
            Self::Resting => "resting",
            Self::Separating => "separating",
        }
    }
}

/// A feature of the surface of a polyhedron.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FeatureKind {
    /// A corner.
    Vertex,
    /// A segment between two faces.
    Edge,
    /// A flat polygon.
    Face,
}

/// The pair of features that touch at a contact point, A's first.
///
/// S1 restricts points of contact to vertex–face and edge–edge. All further pairs are limits, or sets of several such
/// points: face–face and edge–face contacts are reduced to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactKind {
    /// A vertex of A on a face of B (P₀ and P₂ of S1); the normal rotates with B.
    VertexFace,
    /// A vertex of B on a face of A; the normal rotates with A.
    FaceVertex,
    /// Two edges that cross (P₁ and P₃ of S1); the normal is along their cross product.
    EdgeEdge,
    /// Two parallel edges, an edge on a face, or two faces: a line or a polygon of contact, to be reduced to points.
    Extended,
    /// A vertex on a vertex or on an edge: the features do not define the normal.
    Degenerate,
}

impl ContactKind {
    /// Names the kind of contact of two features; `parallel` reports whether two edges are parallel.
    ///
    /// ```
    /// use heurt_rigid::{ContactKind, FeatureKind};
    /// let corner_on_table = ContactKind::of_features([FeatureKind::Vertex, FeatureKind::Face], false);
    /// assert_eq!(corner_on_table.name(), "vertex-face");
    /// ```
    pub fn of_features(features: [FeatureKind; 2], parallel: bool) -> Self {
        use FeatureKind::{Edge, Face, Vertex};
        match features {
            [Vertex, Face] => Self::VertexFace,
            [Face, Vertex] => Self::FaceVertex,
            [Edge, Edge] if !parallel => Self::EdgeEdge,
            [Edge | Face, Edge | Face] => Self::Extended,
            [Vertex, Vertex | Edge] | [Edge, Vertex] => Self::Degenerate,
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::VertexFace => "vertex-face",
            Self::FaceVertex => "face-vertex",
            Self::EdgeEdge => "edge-edge",
            Self::Extended => "extended",
            Self::Degenerate => "degenerate",
        }
    }
}
