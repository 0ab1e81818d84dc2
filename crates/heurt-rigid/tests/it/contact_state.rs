//! Kinds of contact: states by velocity and acceleration, the points P₀…P₃ of S1, energy sums.

use heurt_geometry::{Mat3, SplitMix64, Vec3};
use heurt_rigid::{
    ContactKind, ContactState, FeatureKind, RigidBody, kinetic_energy, total_angular_momentum, total_momentum,
};

const STEP: f64 = 1.0 / 60.0;

fn falling(velocity: Vec3) -> RigidBody {
    RigidBody { inverse_mass: 1.0, velocity, acceleration: Vec3::Z * -9.81, ..RigidBody::FIXED }
}

#[test]
fn a_speed_that_gravity_explains_rests() {
    let floor = RigidBody::FIXED;
    let arms = [Vec3::ZERO, Vec3::Z * -0.5];
    let state = |speed: f64| ContactState::of_bodies([&floor, &falling(Vec3::Z * speed)], Vec3::Z, arms, STEP);
    assert_eq!(state(-9.81 * STEP), ContactState::Resting);
    assert_eq!(state(0.0), ContactState::Resting);
    assert_eq!(state(9.81 * STEP), ContactState::Resting);
    assert_eq!(state(-9.81 * STEP * 1.001), ContactState::Colliding);
    assert_eq!(state(9.81 * STEP * 1.001), ContactState::Separating);
    // On a slope of 60° half the acceleration is along the normal.
    let normal = Vec3::new(0.75_f64.sqrt(), 0.0, 0.5);
    let slope = |speed: f64| ContactState::of_bodies([&floor, &falling(normal * speed)], normal, arms, STEP);
    assert_eq!(slope(-9.81 * STEP * 0.49), ContactState::Resting);
    assert_eq!(slope(-9.81 * STEP * 0.51), ContactState::Colliding);
}

#[test]
fn bodies_that_fall_together_and_close_collide() {
    let bodies = [falling(Vec3::Z * -3.0), falling(Vec3::Z * -3.15)];
    let arms = [Vec3::Z * 0.5, Vec3::Z * -0.5];
    let state = |bodies: &[RigidBody; 2]| ContactState::of_bodies([&bodies[0], &bodies[1]], Vec3::Z, arms, STEP);
    assert_eq!(state(&bodies), ContactState::Colliding);
    assert_eq!(state(&[bodies[0], bodies[0]]), ContactState::Resting);
    assert_eq!(state(&[bodies[1], bodies[0]]), ContactState::Separating);
    let slow = [falling(Vec3::Z * -3.0), falling(Vec3::Z * -(3.0 + 1e-9))];
    assert_eq!(state(&slow), ContactState::Colliding);
    // A solver leaves as much between bodies that lean on each other at rest.
    let still = [falling(Vec3::ZERO), falling(Vec3::Z * -1e-11)];
    assert_eq!(state(&still), ContactState::Resting);
}

#[test]
fn a_turning_body_accelerates_its_contact_point() {
    // The centripetal acceleration ω²r of the contact point, 25 · 0.5, lifts it from the floor.
    let wheel = RigidBody { angular_velocity: Vec3::Y * 5.0, ..RigidBody::FIXED };
    let state = |speed: f64| {
        let body = RigidBody { velocity: Vec3::Z * speed, ..wheel };
        ContactState::of_bodies([&RigidBody::FIXED, &body], Vec3::Z, [Vec3::ZERO, Vec3::Z * -0.5], STEP)
    };
    assert_eq!(state(-12.5 * STEP * 0.99), ContactState::Resting);
    assert_eq!(state(-12.5 * STEP * 1.01), ContactState::Colliding);
}

#[test]
fn swapped_bodies_have_the_same_state() {
    let mut random = SplitMix64::new(2);
    let mut counts = [0; 3];
    for _ in 0..1000 {
        let mut body = || RigidBody {
            velocity: random.vector(-0.2, 0.2),
            angular_velocity: random.vector(-1.0, 1.0),
            acceleration: random.vector(-10.0, 10.0),
            ..RigidBody::FIXED
        };
        let (a, b) = (body(), body());
        let normal = random.vector(-1.0, 1.0).normalize();
        let arms = [random.vector(-1.0, 1.0), random.vector(-1.0, 1.0)];
        let state = ContactState::of_bodies([&a, &b], normal, arms, STEP);
        assert_eq!(state, ContactState::of_bodies([&b, &a], -normal, [arms[1], arms[0]], STEP));
        counts[state as usize] += 1;
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

/// A point of contact of S1's figure: the features of A and B, S1's normal N (outward from B), velocities of the points
/// of A and of B.
struct FigurePoint {
    name: &'static str,
    features: [FeatureKind; 2],
    kind: &'static str,
    outward_of_b: Vec3,
}

/// S1 names P₀ and P₂ as vertex–face and P₁ and P₃ as edge–edge. The figure itself is not in the text: the normals are
/// chosen here, up for the table below A, and diagonal for edges.
fn figure() -> [FigurePoint; 4] {
    let slanted = Vec3::new(1.0, 0.0, 1.0).normalize();
    let (vertex_face, edge_edge) = ([FeatureKind::Vertex, FeatureKind::Face], [FeatureKind::Edge, FeatureKind::Edge]);
    let point = |name, features, kind, outward_of_b| FigurePoint { name, features, kind, outward_of_b };
    [
        point("P0", vertex_face, "vertex-face", Vec3::Z),
        point("P1", edge_edge, "edge-edge", slanted),
        point("P2", vertex_face, "vertex-face", Vec3::Z),
        point("P3", edge_edge, "edge-edge", -slanted),
    ]
}

#[test]
fn the_points_of_the_course_are_classified_by_name() {
    for point in figure() {
        assert_eq!(ContactKind::of_features(point.features, false).name(), point.kind, "{}", point.name);
        let outward = point.outward_of_b;
        let sideways = outward.any_orthonormal_vector();
        // S1: N·V_A < 0 colliding, N·V_A = 0 (at rest or sliding) resting, N·V_A > 0 separating.
        let cases = [
            (-outward + sideways, "colliding"),
            (Vec3::ZERO, "resting"),
            (sideways, "resting"),
            (outward + sideways, "separating"),
        ];
        for (velocity, state) in cases {
            let a = RigidBody { velocity, ..RigidBody::FIXED };
            // The normal of this crate runs from A to B: −N.
            let found = ContactState::of_bodies([&a, &RigidBody::FIXED], -outward, [Vec3::ZERO; 2], STEP);
            assert_eq!(found.name(), state, "{}: {velocity}", point.name);
        }
    }
}

#[test]
fn pairs_beyond_those_of_the_course_have_names() {
    use FeatureKind::{Edge, Face, Vertex};
    let name = |a, b, parallel| ContactKind::of_features([a, b], parallel).name();
    assert_eq!(name(Face, Vertex, false), "face-vertex");
    assert_eq!(name(Edge, Edge, true), "extended");
    assert_eq!([name(Face, Face, false), name(Edge, Face, false), name(Face, Edge, false)], ["extended"; 3]);
    assert_eq!([name(Vertex, Vertex, false), name(Vertex, Edge, false), name(Edge, Vertex, false)], ["degenerate"; 3]);
}

#[test]
fn numbers_that_are_none_rest() {
    for numbers in [[f64::NAN, 0.0, 0.1, 0.0], [1.0, f64::NAN, 0.1, 0.0], [1.0, 1.0, f64::NAN, 0.0]] {
        let [speed, acceleration, dt, rounding] = numbers;
        assert_eq!(ContactState::classify(speed, acceleration, dt, rounding), ContactState::Resting);
    }
}

#[test]
fn sums_of_point_masses_are_those_of_a_rigid_body() {
    // Eight masses of 1 kg at the corners of a box that rotates: the sums over the masses are the oracle.
    let half = Vec3::new(1.0, 2.0, 3.0);
    let squares = half * half * 8.0;
    let moments = Vec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y);
    let body = RigidBody {
        inverse_mass: 1.0 / 8.0,
        inverse_inertia: Mat3::from_diagonal(moments.recip()),
        velocity: Vec3::new(1.0, -2.0, 0.5),
        angular_velocity: Vec3::new(0.3, 0.7, -1.1),
        ..RigidBody::FIXED
    };
    let centre = Vec3::new(4.0, 5.0, 6.0);
    let corners = (0..8).map(|k| half * Vec3::from_array([1, 2, 4].map(|bit| if k & bit == 0 { -1.0 } else { 1.0 })));
    let (mut energy, mut momentum, mut angular) = (0.0, Vec3::ZERO, Vec3::ZERO);
    for corner in corners {
        let velocity = body.velocity_at(corner);
        energy += 0.5 * velocity.length_squared();
        momentum += velocity;
        angular += (centre + corner).cross(velocity);
    }
    let bodies = [body, RigidBody { velocity: Vec3::X, ..RigidBody::FIXED }];
    assert!((kinetic_energy(&bodies) - energy).abs() < 1e-11);
    assert!((total_momentum(&bodies) - momentum).length() < 1e-12);
    assert!((total_angular_momentum(&bodies, &[centre, Vec3::ONE]) - angular).length() < 1e-10);
}

#[test]
fn locked_axes_carry_no_energy() {
    let locked = RigidBody {
        inverse_inertia: Mat3::from_diagonal(Vec3::new(0.0, 0.0, 0.5)),
        angular_velocity: Vec3::new(0.0, 0.0, 3.0),
        ..RigidBody::FIXED
    };
    assert_eq!(locked.kinetic_energy(), 9.0);
    let broken = RigidBody { inverse_inertia: Mat3::IDENTITY * f64::NAN, ..locked };
    assert_eq!(broken.kinetic_energy(), 0.0);
}
