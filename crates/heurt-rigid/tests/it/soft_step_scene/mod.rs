//! A tiny world for tests of the soft step: boxes and spheres on a plane, with the simplest detection that is right.
//!
//! In: bodies, joints, and the pairs that can touch. Out: manifolds with warm impulses, step by step.
//! Method: corners of a box against a plane; face contact of two boxes along a given axis of A; closed forms of
//! spheres.

use heurt_geometry::{Mat3, Vec3};
use heurt_rigid::soft_step::{SoftStep, SoftStepSettings, StepBody, StepJoint, StepManifold, StepPoint};
use heurt_rigid::{Joint, JointError, JointFrame};

/// Distance within which contacts are made, in metres.
pub const MARGIN: f64 = 0.02;
/// Steps of a second.
pub const RATE: f64 = 60.0;
/// Gravity, in m/s².
pub const GRAVITY: f64 = 9.81;

/// How the bodies of a pair touch.
#[derive(Debug, Clone, Copy)]
pub enum Touch {
    /// A is a half-space below the plane through its centre, with the z axis of A as normal. B is a box.
    PlaneBox {
        /// Half extents of B.
        half: Vec3,
    },
    /// A is a half-space, B is a sphere.
    PlaneSphere {
        /// Radius of B.
        radius: f64,
    },
    /// Both are spheres.
    Spheres {
        /// Radii of A and B.
        radii: [f64; 2],
    },
    /// Box B lies on box A, face to face: the lower corners of B against the upper face of A, which is larger.
    BoxOnBox {
        /// Half extents of A and B.
        halves: [Vec3; 2],
    },
    /// Box B lies on two boxes, half on A: the lower face of B clipped to the upper face of A along the x axis of A.
    HalfBoxOnBox {
        /// Half extents of A and B.
        halves: [Vec3; 2],
    },
}

/// A pair that can touch.
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub bodies: [u32; 2],
    pub touch: Touch,
    pub friction: f64,
    pub restitution: f64,
}

/// Bodies, pairs and a solver.
pub struct Scene {
    pub solver: SoftStep,
    pub bodies: Vec<StepBody>,
    pub pairs: Vec<Pair>,
    /// Warm impulses of each pair, by corner.
    warm: Vec<[(f64, Vec3); 8]>,
    pub manifolds: Vec<StepManifold>,
    pub joints: Vec<StepJoint>,
}

/// Returns the frame of a body, as a joint needs it.
pub fn frame(body: &StepBody) -> JointFrame {
    JointFrame {
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
        ..JointFrame::at_rest(body.centre, Mat3::from_quat(body.rotation))
    }
}

/// Returns a movable box of a mass at a place, under gravity.
pub fn cuboid(centre: Vec3, half: Vec3, mass: f64) -> StepBody {
    let square = half * half * 4.0;
    let inertia = Vec3::new(square.y + square.z, square.z + square.x, square.x + square.y) * (mass / 12.0);
    let mut body = StepBody::movable(centre, mass, Mat3::from_diagonal(inertia));
    body.acceleration = Vec3::new(0.0, 0.0, -GRAVITY);
    body
}

/// Returns a movable solid sphere of a mass at a place, under gravity.
pub fn ball(centre: Vec3, radius: f64, mass: f64) -> StepBody {
    let inertia = Vec3::splat(0.4 * mass * radius * radius);
    let mut body = StepBody::movable(centre, mass, Mat3::from_diagonal(inertia));
    body.acceleration = Vec3::new(0.0, 0.0, -GRAVITY);
    body
}

impl Scene {
    pub fn new(settings: SoftStepSettings) -> Self {
        Self {
            solver: SoftStep::new(settings),
            bodies: Vec::new(),
            pairs: Vec::new(),
            warm: Vec::new(),
            manifolds: Vec::new(),
            joints: Vec::new(),
        }
    }

    pub fn add_body(&mut self, body: StepBody) -> u32 {
        self.bodies.push(body);
        self.bodies.len() as u32 - 1
    }

    pub fn add_pair(&mut self, bodies: [u32; 2], touch: Touch, friction: f64, restitution: f64) {
        self.pairs.push(Pair { bodies, touch, friction, restitution });
        self.warm.push([(0.0, Vec3::ZERO); 8]);
    }

    /// Adds a joint of two bodies as they are.
    pub fn join(&mut self, bodies: [u32; 2], make: impl Fn([&JointFrame; 2]) -> Result<Joint, JointError>) {
        let frames = self.frames(bodies);
        let joint = make([&frames[0], &frames[1]]).expect("a valid joint");
        self.joints.push(StepJoint::new(bodies, joint));
    }

    fn frames(&self, bodies: [u32; 2]) -> [JointFrame; 2] {
        bodies.map(|body| frame(&self.bodies[body as usize]))
    }

    /// Returns the coordinate of a joint.
    pub fn coordinate(&self, joint: usize) -> f64 {
        let joint = &self.joints[joint];
        let [a, b] = self.frames(joint.bodies);
        joint.joint.coordinate([&a, &b])
    }

    /// Returns the largest error of an equation of a joint, in metres or radians.
    pub fn error(&self, joint: usize) -> f64 {
        let joint = &self.joints[joint];
        let [a, b] = self.frames(joint.bodies);
        let rows = joint.joint.position_rows([0, 1], [&a, &b]);
        rows.iter().map(|row| row.error.abs()).fold(0.0, f64::max)
    }

    /// Returns the largest error of all joints.
    pub fn largest_error(&self) -> f64 {
        (0..self.joints.len()).map(|joint| self.error(joint)).fold(0.0, f64::max)
    }

    /// Returns the kinetic energy and the potential energy in the gravity of the scene, in J.
    pub fn energy(&self) -> f64 {
        let energy = |body: &StepBody| {
            let mass = 1.0 / body.inverse_mass;
            let rate = body.rotation.conjugate() * body.angular_velocity;
            let kinetic = mass * body.velocity.length_squared() + rate.dot(body.inertia * rate);
            0.5 * kinetic + mass * GRAVITY * body.centre.z
        };
        self.bodies.iter().filter(|body| body.inverse_mass > 0.0).map(energy).sum()
    }

    /// Detects contacts and steps by 1/60 s.
    pub fn step(&mut self) {
        self.manifolds.clear();
        let mut keys: Vec<(usize, Vec<usize>)> = Vec::new();
        for (index, pair) in self.pairs.iter().enumerate() {
            let [a, b] = pair.bodies.map(|body| &self.bodies[body as usize]);
            let (normal, found) = find_points(a, b, &pair.touch);
            if found.is_empty() {
                continue;
            }
            let points = found.iter().map(|&(key, place, separation)| StepPoint {
                anchors: [place - a.centre, place - b.centre],
                separation,
                warm_normal: self.warm[index][key].0,
                warm_tangent: self.warm[index][key].1,
                ..StepPoint::default()
            });
            self.manifolds.push(StepManifold {
                bodies: pair.bodies,
                normal,
                points: points.collect(),
                is_round: matches!(pair.touch, Touch::PlaneSphere { .. } | Touch::Spheres { .. }),
                friction: pair.friction,
                restitution: pair.restitution,
            });
            keys.push((index, found.iter().map(|f| f.0).collect()));
        }
        let Self { solver, bodies, manifolds, joints, .. } = self;
        solver.step_with_joints(bodies, manifolds, joints, 1.0 / RATE).expect("a valid scene");
        self.warm.iter_mut().for_each(|warm| *warm = [(0.0, Vec3::ZERO); 8]);
        for ((index, keys), manifold) in keys.iter().zip(&self.manifolds) {
            for (key, point) in keys.iter().zip(&manifold.points) {
                self.warm[*index][*key] = (point.warm_normal, point.warm_tangent);
            }
        }
    }

    pub fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds * RATE).round() as usize {
            self.step();
        }
    }
}

/// Finds the normal and the points: key, place, separation.
fn find_points(a: &StepBody, b: &StepBody, touch: &Touch) -> (Vec3, Vec<(usize, Vec3, f64)>) {
    let up = a.rotation * Vec3::Z;
    match *touch {
        Touch::PlaneBox { half } => (up, corners_above(b, half, a.centre, up, reach(a, b, up))),
        Touch::BoxOnBox { halves } => {
            (up, corners_above(b, halves[1], a.centre + up * halves[0].z, up, reach(a, b, up)))
        }
        Touch::HalfBoxOnBox { halves } => {
            let reach = reach(a, b, up);
            let top = a.centre + up * halves[0].z;
            // In the axes of A: the range of x that both boxes share.
            let offset = a.rotation.conjugate() * (b.centre - a.centre);
            let range = [offset.x - halves[1].x, offset.x + halves[1].x].map(|x| x.clamp(-halves[0].x, halves[0].x));
            let mut found = Vec::new();
            for key in 0..4 {
                let x = range[key & 1] - offset.x;
                let y = if key & 2 == 0 { -halves[1].y } else { halves[1].y };
                let corner = b.centre + b.rotation * Vec3::new(x, y, -halves[1].z);
                let height = up.dot(corner - top);
                if height < reach {
                    found.push((key, corner - up * (0.5 * height), height));
                }
            }
            (up, found)
        }
        Touch::PlaneSphere { radius } => {
            let height = up.dot(b.centre - a.centre) - radius;
            let place = b.centre - up * (radius + 0.5 * height);
            (up, if height < reach(a, b, up) { vec![(0, place, height)] } else { Vec::new() })
        }
        Touch::Spheres { radii } => {
            let offset = b.centre - a.centre;
            let distance = offset.length();
            let normal = offset / distance;
            let gap = distance - radii[0] - radii[1];
            let place = a.centre + normal * (radii[0] + 0.5 * gap);
            (normal, if gap < MARGIN { vec![(0, place, gap)] } else { Vec::new() })
        }
    }
}

/// Returns the distance within which contacts are made: bodies that approach need a point before they touch.
fn reach(a: &StepBody, b: &StepBody, normal: Vec3) -> f64 {
    MARGIN - normal.dot(b.velocity - a.velocity).min(0.0) / RATE
}

/// Returns the corners of a box that are close to a plane.
fn corners_above(body: &StepBody, half: Vec3, origin: Vec3, up: Vec3, reach: f64) -> Vec<(usize, Vec3, f64)> {
    let mut found = Vec::new();
    for key in 0..8 {
        let sign = |bit: usize| if key & bit == 0 { -1.0 } else { 1.0 };
        let corner = body.centre + body.rotation * (half * Vec3::new(sign(1), sign(2), sign(4)));
        let height = up.dot(corner - origin);
        if height < reach {
            found.push((key, corner - up * (0.5 * height), height));
        }
    }
    found
}

/// Expects the same bits after 20 steps of a scene with and without parallel sweeps, on 1, 2 and 4 threads; returns them.
pub fn expect_equal_bits(make: impl Fn(SoftStepSettings) -> Scene + Sync, bits: fn(&Scene) -> Vec<u64>) -> Vec<u64> {
    let run = |parallel: bool| {
        let mut scene = make(SoftStepSettings { parallel, ..SoftStepSettings::default() });
        for _ in 0..20 {
            scene.step();
        }
        bits(&scene)
    };
    let serial = run(false);
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        assert!(pool.install(|| run(true)) == serial, "{threads} threads");
    }
    serial
}
