//! A passive ragdoll of eleven bodies and ten joints, dropped from 0.6 m: it gains no energy, and comes to rest.

use crate::support::at;
use heurt_geometry::{Pose, Quat, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, Detection, JointDesign, JointId, JointKind, Mass, Response, Settings, World};
use std::f64::consts::FRAC_PI_2;

const DT: f64 = 1.0 / 60.0;
const HEIGHT: f64 = 0.6;

struct Ragdoll {
    world: World,
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
}

impl Ragdoll {
    fn standing(response: Response) -> Self {
        let settings = Settings { response, detection: Detection::Continuous, sleep: true, ..Settings::default() };
        let mut world = World::new(settings).unwrap();
        let floor = Convex::cuboid(Vec3::new(5.0, 5.0, 0.5)).unwrap();
        world.insert(Body { friction: 0.5, restitution: 0.0, ..Body::fixed(floor, at(0.0, 0.0, -0.5)) }).unwrap();
        let mut doll = Self { world, bodies: Vec::new(), joints: Vec::new() };
        for side in [0.1, -0.1] {
            let shin = doll.limb(Vec3::new(side, 0.0, 0.21), 0.16, 0.05, 4.0, false);
            let thigh = doll.limb(Vec3::new(side, 0.0, 0.66), 0.15, 0.07, 8.0, false);
            doll.join(JointKind::Hinge, shin, thigh, Vec3::new(side, 0.0, 0.43), Vec3::X);
        }
        let pelvis =
            doll.insert(Convex::cuboid(Vec3::new(0.16, 0.1, 0.08)).unwrap(), at(0.0, 0.0, HEIGHT + 0.98), 12.0);
        let chest = doll.insert(Convex::cuboid(Vec3::new(0.18, 0.11, 0.2)).unwrap(), at(0.0, 0.0, HEIGHT + 1.28), 20.0);
        let head = doll.insert(Convex::sphere(0.11).unwrap(), at(0.0, 0.0, HEIGHT + 1.62), 5.0);
        for (number, side) in [0.1, -0.1].into_iter().enumerate() {
            doll.join(JointKind::Ball, doll.bodies[2 * number + 1], pelvis, Vec3::new(side, 0.0, 0.89), Vec3::Z);
            let sign = side.signum();
            let arm = doll.limb(Vec3::new(sign * 0.37, 0.0, 1.42), 0.11, 0.045, 2.0, true);
            let forearm = doll.limb(Vec3::new(sign * 0.69, 0.0, 1.42), 0.1, 0.04, 1.5, true);
            doll.join(JointKind::Ball, arm, chest, Vec3::new(sign * 0.2, 0.0, 1.42), Vec3::Z);
            doll.join(JointKind::Hinge, forearm, arm, Vec3::new(sign * 0.54, 0.0, 1.42), Vec3::Z);
        }
        doll.join(JointKind::Ball, chest, pelvis, Vec3::Z * 1.07, Vec3::Z);
        doll.join(JointKind::Ball, head, chest, Vec3::Z * 1.5, Vec3::Z);
        doll
    }

    fn insert(&mut self, shape: Convex, pose: Pose, mass: f64) -> BodyId {
        let shape = Shape::from(shape);
        let mass = Mass::of_total(&shape, mass).unwrap();
        let body = Body { friction: 0.5, restitution: 0.0, ..Body::dynamic(shape, pose, mass) };
        let id = self.world.insert(body).unwrap();
        self.bodies.push(id);
        id
    }

    /// Inserts a capsule that stands, or that lies along x.
    fn limb(&mut self, place: Vec3, half_height: f64, radius: f64, mass: f64, lies: bool) -> BodyId {
        let turn = if lies { Quat::from_rotation_y(FRAC_PI_2) } else { Quat::IDENTITY };
        let pose = Pose::from_quaternion(turn.to_array(), place + Vec3::Z * HEIGHT).unwrap();
        self.insert(Convex::capsule(radius, half_height).unwrap(), pose, mass)
    }

    fn join(&mut self, kind: JointKind, a: BodyId, b: BodyId, place: Vec3, axis: Vec3) {
        let anchor = place + Vec3::Z * HEIGHT;
        let design = JointDesign { anchor, axis, b: Some(b), ..JointDesign::new(kind, a) };
        self.joints.push(self.world.insert_joint(&design).unwrap());
    }
}

/// Lets a ragdoll fall for some seconds. Returns the number of bodies asleep. Joints may open by a millimetre; of
/// thrown ragdolls, whose limbs are caught between others, by seven.
fn fall(response: Response, spin: Vec3, seconds: f64) -> u32 {
    let most_opening = if spin == Vec3::ZERO { 1e-3 } else { 7e-3 };
    let mut doll = Ragdoll::standing(response);
    for id in doll.bodies.clone() {
        let place = doll.world.body(id).unwrap().pose.translation() - Vec3::Z * 1.5;
        doll.world.set_velocity(id, spin.cross(place), spin).unwrap();
    }
    let energy = |world: &World| world.energy().kinetic + world.energy().potential;
    let mut before = energy(&doll.world);
    let (scale, mut asleep) = (before, 0);
    for step in 0..(seconds / DT) as u32 {
        asleep = doll.world.step(DT).unwrap().response.asleep;
        let gain = energy(&doll.world) - before;
        assert!(gain < 1e-3 * scale, "{response:?}, spin {spin}, step {step}: {gain} J of {scale} J");
        before += gain;
        assert!(before < scale * (1.0 + 1e-3), "{response:?}, spin {spin}, step {step}: {before} J of {scale} J");
        let openings = doll.joints.iter().map(|joint| doll.world.joint_opening(*joint).unwrap_or(0.0));
        let opening = openings.fold(0.0, f64::max);
        assert!(opening < most_opening, "{response:?}, spin {spin}, step {step}: opened by {opening} m");
    }
    asleep
}

#[test]
fn a_ragdoll_gains_no_energy_and_falls_asleep() {
    for response in [Response::Auto, Response::SoftStep] {
        assert_eq!(fall(response, Vec3::ZERO, 10.0), 11, "{response:?}");
    }
}

#[test]
fn thrown_ragdolls_of_soft_steps_gain_no_energy() {
    for spin in [Vec3::new(0.0, 2.0, 0.0), Vec3::new(2.0, -1.3, 1.6), Vec3::new(-0.5, -0.2, 1.9), Vec3::X * 4.0] {
        fall(Response::SoftStep, spin, 4.0);
    }
}
