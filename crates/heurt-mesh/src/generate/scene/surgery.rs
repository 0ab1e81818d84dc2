//! Operating field of S2 §7: soft bodies pressed onto organs, and a moving instrument.
//!
//! In: a refinement and the number of soft bodies. Out: rigid organs at rest, an instrument with its pose at each step,
//! soft bodies with their vertices at each step. Metres, seconds, z up.
//! Method: S2 §7 gives counts and a picture: a deforming sphere of 512 faces pressed onto a rectum, rigid objects of
//! 3,592 faces in all, one of which, with 64 faces, moves. Shapes and motions here are ours. Organs are stacks of rings
//! around a bent axis. The sphere is flattened, widened and rippled while it slides along the rectum; up to four of
//! them side by side squeeze each other. The instrument moves to and fro between the first sphere and the uterus. One
//! round of the motion takes [`Surgery::ROUND`] steps and ends at its start.
//! Guarantees: with refinement 1 the faces are those of S2, with refinement n exactly n² times as many of the same
//! shapes (10 for the hundredfold); organs share no point with each other; in most steps the soft bodies meet organs,
//! instrument and each other. Closed, welded, the same bits on every machine.
//! Not guaranteed: physics. There are no reaction forces; bodies enter each other by a few millimetres.

use super::assembly::Assembly;
use crate::TriMesh;
use crate::generate::circle::direction;
use crate::generate::error::Limits;
use crate::generate::surface::{Station, lofted};
use crate::generate::{GenerateError, octasphere};
use heurt_geometry::{Pose, Vec3};
use std::f64::consts::TAU;

/// Radius of a soft body at rest, in metres.
const RADIUS: f64 = 0.03;
/// Distance of the centres of neighbouring soft bodies, in metres: less than two radii.
const SPACING: f64 = 0.058;
/// Height of the rectum's back, on which soft bodies lie, in metres.
const BACK: f64 = 0.02;
/// The point at which the instrument touches the uterus, in metres.
const UTERUS_TOP: Vec3 = Vec3::new(0.005, 0.1, 0.063);
/// Limit of soft bodies: more do not fit between the organs.
const MAX_SOFT: u32 = 4;

/// Organs, instrument and soft bodies.
#[derive(Debug, Clone)]
pub struct Surgery {
    organs: Assembly,
    instrument: TriMesh,
    soft: Vec<TriMesh>,
    /// The vertices of a soft body on the unit sphere.
    directions: Vec<Vec3>,
}

impl Surgery {
    /// Steps until the motion repeats.
    pub const ROUND: u32 = 200;
    /// Seconds a step.
    pub const STEP: f64 = 0.02;

    /// Makes a field with `refinement`² times the faces of S2 and `soft` soft bodies, 1 to 4.
    ///
    /// Without refinement: organs 3,528 faces, instrument 64, each soft body 512.
    ///
    /// # Errors
    /// [`GenerateError`] for a refinement of 0 or too high, and for a number of soft bodies out of range.
    pub fn new(refinement: u32, soft: u32) -> Result<Self, GenerateError> {
        let limits = Limits("surgery");
        limits.at_least("refinement", refinement, 1)?;
        limits.within("soft", soft.into(), 1.0, MAX_SOFT.into())?;
        // The largest mesh, the rectum, has 1,600 faces.
        limits.triangles(1600u64.saturating_mul(u64::from(refinement).pow(2)))?;
        let ball = octasphere(1.0, 8 * refinement)?;
        let mut field = Self {
            organs: organs(refinement)?,
            instrument: instrument(refinement)?,
            soft: Vec::new(),
            directions: ball.vertices().to_vec(),
        };
        // The number of bodies decides the position of the first one.
        let triangles = ball.triangles();
        for body in 0..soft {
            field.soft.push(TriMesh::new(field.placed(body, soft, 0), triangles.to_vec())?);
        }
        Ok(field)
    }

    /// Returns the organs: named parts at rest, placed in the world; none of them interferes with another.
    pub fn organs(&self) -> &Assembly {
        &self.organs
    }

    /// Returns the instrument, its tip at the origin, its shaft along z.
    pub fn instrument(&self) -> &TriMesh {
        &self.instrument
    }

    /// Returns the pose of the instrument at `step`.
    pub fn instrument_pose(&self, step: u32) -> Pose {
        let (cos, _) = turn(step, 1);
        let share = 0.5 - 0.5 * cos;
        let soft = squeezed(0, self.soft.len() as u32, step);
        let soft_top = soft.centre + Vec3::Z * (soft.half.z - 0.004);
        let tip = soft_top + (UTERUS_TOP - soft_top) * share;
        // The instrument leans by up to 0.4 rad, so that it is never parallel to an axis.
        let half_angle = 0.5 * (0.25 + 0.15 * cos);
        let (sin, cos) = (libm::sin(half_angle), libm::cos(half_angle));
        Pose::from_quaternion([0.8 * sin, 0.6 * sin, 0.0, cos], tip).expect("a unit quaternion and finite numbers")
    }

    /// Returns the soft bodies, in the world, at step 0.
    pub fn soft(&self) -> &[TriMesh] {
        &self.soft
    }

    /// Computes the vertices of soft body `body` at `step`, in the world, in the order of its mesh; none for a body
    /// that does not exist.
    pub fn deformed(&self, body: usize, step: u32) -> Vec<Vec3> {
        if body < self.soft.len() { self.placed(body as u32, self.soft.len() as u32, step) } else { Vec::new() }
    }

    fn placed(&self, body: u32, count: u32, step: u32) -> Vec<Vec3> {
        let Squeezed { centre, half } = squeezed(body, count, step);
        let wave = angle(step, 4) + phase(body);
        let place = |d: &Vec3| {
            let ripple = 0.02 * libm::sin(7.0 * d.x + 5.0 * d.y + wave) + 0.015 * libm::sin(9.0 * d.z - wave);
            centre + *d * half * (1.0 + ripple)
        };
        self.directions.iter().map(place).collect()
    }
}

/// Returns soft body `body` of `count` without its ripples.
fn squeezed(body: u32, count: u32, step: u32) -> Squeezed {
    let phase = phase(body);
    let (_, slide) = turn(step, 1);
    let squeeze = 0.06 + 0.06 * libm::sin(angle(step, 2) + phase);
    let (height, width) = (RADIUS * (1.0 - squeeze), RADIUS / libm::sqrt(1.0 - squeeze));
    let depth = 0.004 + 0.003 * libm::sin(angle(step, 3) + phase);
    let centre = rest(body, count) + Vec3::new(0.015 * slide, 0.0, height - depth);
    Squeezed { centre, half: Vec3::new(width, width, height) }
}

/// An ellipsoid along the axes of the world.
struct Squeezed {
    centre: Vec3,
    half: Vec3,
}

/// Returns the lowest point of soft body `body` of `count` when it just touches a flat back.
fn rest(body: u32, count: u32) -> Vec3 {
    let columns = if count > 1 { 2 } else { 1 };
    let column = f64::from(body % columns) - 0.5 * f64::from(columns - 1);
    Vec3::new(column * SPACING, f64::from(body / columns) * SPACING, BACK)
}

/// Returns the phase of a soft body relative to the first one, in radians.
fn phase(body: u32) -> f64 {
    0.7 * f64::from(body)
}

/// Returns the angle of a motion with `times` turns a round, in radians.
fn angle(step: u32, times: u32) -> f64 {
    TAU * f64::from(step % Surgery::ROUND * times % Surgery::ROUND) / f64::from(Surgery::ROUND)
}

/// Returns cosine and sine of [`angle`].
fn turn(step: u32, times: u32) -> (f64, f64) {
    direction(u64::from(step % Surgery::ROUND * times), Surgery::ROUND.into())
}

/// A ring's centre across the axis, its half widths and its height.
type Profile = ([f64; 2], [f64; 2], f64);

/// Makes a closed surface of 2 · `around` · `rings` faces around the z axis. `profile` takes the share of the height,
/// in (0, 1) for rings, 0 and 1 for the poles.
fn stack(around: u32, rings: u32, profile: impl Fn(f64) -> Profile) -> Result<TriMesh, GenerateError> {
    let station = |ring: u32| {
        let ([x, y], [rx, ry], z) = profile(f64::from(ring) / f64::from(rings + 1));
        if ring == 0 || ring == rings + 1 {
            return Station::Apex(Vec3::new(x, y, z));
        }
        let point = |index: u32| {
            let (cos, sin) = direction(index.into(), around.into());
            Vec3::new(x + rx * cos, y + ry * sin, z)
        };
        Station::Ring((0..around).map(point).collect())
    };
    lofted((0..=rings + 1).map(station), false)
}

/// Returns the profile of an ellipsoid.
fn ellipsoid(radii: [f64; 3]) -> impl Fn(f64) -> Profile {
    move |share| {
        let (sin, cos) = (libm::sin(0.5 * TAU * share), libm::cos(0.5 * TAU * share));
        ([0.0; 2], [radii[0] * sin, radii[1] * sin], -radii[2] * cos)
    }
}

/// Returns the profile of a tube of rounded ends along z with waves in its width, its axis bent along y.
fn rectum(share: f64) -> Profile {
    let height = 0.18 * (share - 0.5);
    let end = libm::sqrt(1.0 - libm::pow((2.0 * share - 1.0).abs(), 8.0));
    let radius = BACK * end * (1.0 - 0.04 + 0.04 * libm::cos(6.0 * TAU * share));
    ([0.0, 0.008 * libm::sin(TAU * share)], [radius, radius], height)
}

/// Returns the profile of a bowl with a thick wall, open upward: outside from its bottom to the rim, inside back to the
/// bottom.
fn bowl(share: f64) -> Profile {
    let thickness = 0.008;
    let (down, inset) = if share <= 0.5 { (1.0 - 2.0 * share, 0.0) } else { (2.0 * share - 1.0, thickness) };
    let (sin, cos) = (libm::sin(0.25 * TAU * down), libm::cos(0.25 * TAU * down));
    ([0.0; 2], [(0.15 - inset) * cos, (0.14 - inset) * cos], -(0.11 - inset) * sin)
}

/// Returns the profile of an egg with a waist.
fn uterus(share: f64) -> Profile {
    let (_, [x, y], z) = ellipsoid([0.026, 0.02, 0.036])(share);
    let waist = 1.0 - 0.15 * libm::sin(0.5 * TAU * share) * libm::cos(0.75 * TAU * share);
    ([0.0; 2], [x * waist, y * waist], z)
}

/// Makes the six organs: 3,528 faces times the square of `n`.
fn organs(n: u32) -> Result<Assembly, GenerateError> {
    let mut field = Assembly::empty();
    let mut add = |name: &str, mesh: TriMesh, turn: [f64; 4], place: [f64; 3]| {
        let pose = Pose::from_quaternion(turn, place.into()).expect("unit quaternions and finite numbers");
        let mesh = field.mesh(mesh);
        field.part(name, mesh, pose);
    };
    let upright = [0.0, 0.0, 0.0, 1.0];
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let along_x = [0.0, half, 0.0, half];
    add("rectum", stack(20 * n, 40 * n, rectum)?, along_x, [0.0; 3]);
    add("uterus", stack(18 * n, 18 * n, uterus)?, upright, [0.0, 0.1, 0.03]);
    add("bladder", stack(16 * n, 16 * n, ellipsoid([0.026, 0.024, 0.04]))?, along_x, [0.0, -0.075, 0.01]);
    let ovary = stack(8 * n, 8 * n, ellipsoid([0.011, 0.009, 0.015]))?;
    add("left ovary", ovary.clone(), [0.6, 0.0, 0.0, 0.8], [-0.062, 0.09, 0.03]);
    add("right ovary", ovary, [-0.6, 0.0, 0.0, 0.8], [0.062, 0.09, 0.03]);
    add("cavity wall", stack(16 * n, 16 * n, bowl)?, upright, [0.0, 0.02, 0.04]);
    Ok(field)
}

/// Makes a probe of 64 faces times the square of `n`: 5 cm long, 8 mm thick, with rounded ends.
fn instrument(n: u32) -> Result<TriMesh, GenerateError> {
    stack(8 * n, 4 * n, |share| {
        let radius = 0.004 * libm::sqrt(1.0 - libm::pow((2.0 * share - 1.0).abs(), 6.0));
        ([0.0; 2], [radius, radius], 0.05 * share)
    })
}
