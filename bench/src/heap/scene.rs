//! A heap of convex parts that tumble: rapier's own dynamics drop them into a box and then turn the box, and the poses of consecutive
//! steps are kept. The same for all contestants, in `f32`, which rapier computes with.
//!
//! Out: parts (boxes, hulls of 8 to 32 points, a tenth each of spheres and capsules) of 0.4 to 1.4 m; a fixed box about them of a floor and
//! four walls, three parts of its width high; frames of 1/60 s. Gravity tilts by up to 0.8 rad instead of the box.

use heurt_geometry::Vec3;
use heurt_testkit::number::random::Random;
use rapier3d::prelude::*;

/// A part, in its own frame.
#[derive(Debug, Clone)]
pub enum Part {
    Cuboid([f32; 3]),
    Hull(Vec<[f32; 3]>),
    Ball(f32),
    /// Radius, and half the length of the segment along z.
    Capsule(f32, f32),
}

/// A rotation (x, y, z, w) and a translation.
pub type Placed = ([f32; 4], [f32; 3]);

/// Parts, the fixed boxes about them, and where parts are in each frame.
pub struct Heap {
    pub parts: Vec<Part>,
    /// Half edges and centre.
    pub walls: Vec<([f32; 3], [f32; 3])>,
    pub frames: Vec<Vec<Placed>>,
    /// Mean speed over the frames, in m/s.
    pub speed: f32,
}

/// Steps before the box turns, steps that it turns, and steps that are kept.
const DROPPED: usize = 240;
const TURNED: usize = 90;
const KEPT: usize = 90;
const DT: f32 = 1.0 / 60.0;

fn part(random: &mut Random) -> Part {
    let size = |random: &mut Random| random.between(0.2, 0.5) as f32;
    match random.whole(0, 9) {
        0 => Part::Ball(size(random)),
        1 => Part::Capsule(0.6 * size(random), 0.7 * size(random)),
        2..=5 => Part::Cuboid([size(random), size(random), size(random)]),
        _ => {
            let corners = random.whole(8, 32);
            let half = Vec3::new(random.between(0.3, 0.55), random.between(0.3, 0.55), random.between(0.3, 0.55));
            let point = |random: &mut Random| {
                let v = random.vector(1.0).normalize_or(Vec3::X) * half;
                v.to_array().map(|x| x as f32)
            };
            Part::Hull((0..corners).map(|_| point(random)).collect())
        }
    }
}

impl Part {
    pub fn collider(&self) -> ColliderBuilder {
        match self {
            Self::Cuboid([x, y, z]) => ColliderBuilder::cuboid(*x, *y, *z),
            Self::Hull(points) => {
                let points: Vec<Vector> = points.iter().map(|&p| Vector::from_array(p)).collect();
                ColliderBuilder::convex_hull(&points).expect("points on an ellipsoid")
            }
            Self::Ball(radius) => ColliderBuilder::ball(*radius),
            Self::Capsule(radius, half) => ColliderBuilder::capsule_z(*half, *radius),
        }
    }
}

/// Floor and walls about a square.
fn walls(half: f32, height: f32) -> Vec<([f32; 3], [f32; 3])> {
    let thick = 2.0;
    let (outer, up) = (half + thick, 0.5 * height);
    vec![
        ([outer, outer, thick], [0.0, 0.0, -thick]),
        ([thick, outer, up], [outer, 0.0, up]),
        ([thick, outer, up], [-outer, 0.0, up]),
        ([outer, thick, up], [0.0, outer, up]),
        ([outer, thick, up], [0.0, -outer, up]),
    ]
}

impl Heap {
    /// Drops `count` parts and lets them tumble.
    pub fn new(count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let parts: Vec<Part> = (0..count).map(|_| part(&mut random)).collect();
        let a_side = ((count as f64).cbrt() * 0.95).ceil().max(2.0) as usize;
        const SPACING: f32 = 1.15;
        let half = 0.5 * SPACING * a_side as f32;
        let walls = walls(half, 3.0 * half * 2.0);
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        for (half, centre) in &walls {
            let [x, y, z] = *half;
            colliders.insert(ColliderBuilder::cuboid(x, y, z).translation(Vector::from_array(*centre)));
        }
        let mut handles = vec![];
        for (number, part) in parts.iter().enumerate() {
            let (i, j, k) = (number % a_side, number / a_side % a_side, number / (a_side * a_side));
            let jitter = random.vector(0.1);
            let at = Vector::new(
                (i as f32 + 0.5) * SPACING - half + jitter.x as f32,
                (j as f32 + 0.5) * SPACING - half + jitter.y as f32,
                (k as f32 + 0.6) * SPACING + jitter.z as f32,
            );
            let spin = random.vector(3.0).to_array().map(|x| x as f32);
            let body = RigidBodyBuilder::dynamic().translation(at).angvel(Vector::from_array(spin)).can_sleep(false);
            let body = bodies.insert(body);
            colliders.insert_with_parent(part.collider().density(1000.0), body, &mut bodies);
            handles.push(body);
        }
        let (frames, speed) = play(&mut bodies, &mut colliders, &handles);
        Self { parts, walls, frames, speed }
    }
}

/// Runs rapier's dynamics and keeps the last poses.
fn play(
    bodies: &mut RigidBodySet,
    colliders: &mut ColliderSet,
    handles: &[RigidBodyHandle],
) -> (Vec<Vec<Placed>>, f32) {
    let (mut pipeline, mut islands, mut ccd) = (PhysicsPipeline::new(), IslandManager::new(), CCDSolver::new());
    let (mut broad, mut narrow) = (BroadPhaseBvh::new(), NarrowPhase::new());
    let (mut joints, mut links, mut soft) = (ImpulseJointSet::new(), MultibodyJointSet::new(), SoftBodySet::new());
    let parameters = IntegrationParameters { dt: DT, ..IntegrationParameters::default() };
    let (mut frames, mut speed) = (vec![], 0.0);
    for step in 0..DROPPED + TURNED + KEPT {
        let tilt = 0.8 * (step.saturating_sub(DROPPED) as f32 / TURNED as f32).min(1.0);
        let gravity = Vector::new(9.81 * tilt.sin(), 0.0, -9.81 * tilt.cos());
        pipeline.step(
            gravity,
            &parameters,
            &mut islands,
            &mut broad,
            &mut narrow,
            bodies,
            colliders,
            &mut joints,
            &mut links,
            &mut soft,
            &mut ccd,
            &(),
            &(),
        );
        if step < DROPPED + TURNED {
            continue;
        }
        frames.push(handles.iter().map(|&handle| placed(bodies[handle].position())).collect());
        speed += handles.iter().map(|&handle| bodies[handle].linvel().length()).sum::<f32>() / handles.len() as f32;
    }
    (frames, speed / KEPT as f32)
}

fn placed(pose: &Pose) -> Placed {
    (pose.rotation.to_array(), pose.translation.to_array())
}
