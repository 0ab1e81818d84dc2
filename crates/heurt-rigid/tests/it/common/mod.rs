//! Bodies, contacts and random islands that several tests share.

use heurt_geometry::{Mat3, Quat, SplitMix64, Vec3};
use heurt_rigid::{ContactProblem, ContactSolver, ImpulseLcp, Level, PointContact, RigidBody, Solution, SolveOptions};

/// A body of a mass whose inertia is the same around all axes.
pub fn ball(mass: f64, velocity: Vec3) -> RigidBody {
    RigidBody { inverse_mass: 1.0 / mass, inverse_inertia: Mat3::IDENTITY * (2.5 / mass), velocity, ..RigidBody::FIXED }
}

/// A rotated box of a mass and half sizes.
pub fn solid_box(mass: f64, half: Vec3, rotation: Quat) -> RigidBody {
    let square = half * half;
    let inertia = Vec3::new(square.y + square.z, square.x + square.z, square.x + square.y) * (mass / 3.0);
    let axes = Mat3::from_quat(rotation);
    let inverse_inertia = axes * Mat3::from_diagonal(inertia.recip()) * axes.transpose();
    RigidBody { inverse_mass: 1.0 / mass, inverse_inertia, ..RigidBody::FIXED }
}

pub fn random_rotation(random: &mut SplitMix64) -> Quat {
    let v = random.vector(-1.0, 1.0);
    Quat::from_xyzw(v.x, v.y, v.z, random.between(0.1, 1.0)).normalize()
}

pub fn random_unit(random: &mut SplitMix64) -> Vec3 {
    loop {
        let v = random.vector(-1.0, 1.0);
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

/// A random island: bodies with random masses and inertias, contacts in random places, some with a fixed body.
pub fn random_island(random: &mut SplitMix64, bodies: usize, contacts: usize, friction: f64) -> ContactProblem {
    let mut problem = ContactProblem { bodies: vec![RigidBody::FIXED], ..ContactProblem::default() };
    for _ in 0..bodies {
        let rotation = random_rotation(random);
        let mut body = solid_box(random.between(0.2, 3.0), random.vector(0.2, 1.0), rotation);
        body.velocity = random.vector(-1.0, 1.0);
        body.angular_velocity = random.vector(-1.0, 1.0);
        body.acceleration = random.vector(-10.0, 10.0);
        problem.bodies.push(body);
    }
    for _ in 0..contacts {
        let a = random.below(bodies + 1);
        let b = (a + 1 + random.below(bodies)) % (bodies + 1);
        problem.contacts.push(PointContact {
            bodies: [a as u32, b as u32],
            normal: random_unit(random),
            arms: [random.vector(-1.0, 1.0), random.vector(-1.0, 1.0)],
            friction: friction * random.unit(),
            ..PointContact::default()
        });
    }
    problem
}

pub fn solve(problem: &ContactProblem, level: Level) -> Solution {
    ImpulseLcp::default().solve(problem, level, &SolveOptions::default()).unwrap()
}

/// Cube of side 2 and mass 1 on a floor with its four lower corners.
pub fn cube_on_four_corners() -> ContactProblem {
    let mut cube = solid_box(1.0, Vec3::ONE, Quat::IDENTITY);
    cube.acceleration = Vec3::Z * -9.81;
    let corner = |x: f64, y: f64| PointContact {
        bodies: [0, 1],
        normal: Vec3::Z,
        arms: [Vec3::new(x, y, 0.0), Vec3::new(x, y, -1.0)],
        ..PointContact::default()
    };
    let contacts = vec![corner(1.0, 1.0), corner(1.0, -1.0), corner(-1.0, 1.0), corner(-1.0, -1.0)];
    ContactProblem { bodies: vec![RigidBody::FIXED, cube], contacts, rows: vec![] }
}

/// Boxes of side 1 and mass 1 on top of each other, four contacts each.
pub fn stack(count: usize, friction: f64) -> ContactProblem {
    let mut problem = ContactProblem { bodies: vec![RigidBody::FIXED], ..ContactProblem::default() };
    for level in 0..count {
        let mut body = solid_box(1.0, Vec3::splat(0.5), Quat::IDENTITY);
        body.acceleration = Vec3::Z * -9.81;
        problem.bodies.push(body);
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)] {
            let below = Vec3::new(x, y, if level == 0 { 0.0 } else { 0.5 });
            problem.contacts.push(PointContact {
                bodies: [level as u32, level as u32 + 1],
                normal: Vec3::Z,
                arms: [below, Vec3::new(x, y, -0.5)],
                friction,
                ..PointContact::default()
            });
        }
    }
    problem
}
