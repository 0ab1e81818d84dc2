//! Self-collision of a robot arm: 8,000 random configurations, 15 pairs of links each, 120,000 exact tests.
//! `cargo run --release -p heurt --example robot_arm`

use heurt::geometry::SplitMix64;
use heurt::mesh::generate;
use heurt::prelude::*;
use heurt::query::Batch;
use heurt::shape::ShapeRef;
use std::time::Instant;

const CONFIGURATIONS: usize = 8000;

/// The distance from each joint to the next, in metres, and the axis about which the joint turns.
const JOINTS: [(f64, Vec3); 7] = [
    (0.34, Vec3::Z),
    (0.20, Vec3::Y),
    (0.20, Vec3::Z),
    (0.20, Vec3::Y),
    (0.20, Vec3::Z),
    (0.20, Vec3::Y),
    (0.15, Vec3::Z),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Each link is the convex hull of a cylinder with a ball at both joints: about 150 corners.
    let links = JOINTS.iter().map(|&(length, _)| link(length)).collect::<Result<Vec<_>, _>>()?;
    let corners: usize = links.iter().map(|link| link.1).sum();
    // Neighbours always touch at their joint.
    let tested_pairs = (0..7).flat_map(|a| (a + 2..7).map(move |b| [a, b]));
    let arm = Batch::new(links.iter().map(|link| ShapeRef::from(&link.0)), tested_pairs)?;
    let mut poses = Vec::with_capacity(7 * CONFIGURATIONS);
    let mut random = SplitMix64::new(34);
    for _ in 0..CONFIGURATIONS {
        poses.extend(placed([(); 7].map(|()| random.between(-2.6, 2.6)))?);
    }
    let started = Instant::now();
    let hits = arm.overlaps(&poses)?;
    let taken = started.elapsed();
    let colliding = hits.chunks(arm.pairs()).filter(|row| row.contains(&true)).count();
    println!("{} links, {corners} corners, {} pairs of links", links.len(), arm.pairs());
    println!("{colliding} of {CONFIGURATIONS} configurations collide");
    println!("{} tests in {:.1} ms", hits.len(), 1e3 * taken.as_secs_f64());
    Ok(())
}

/// A link along z from its joint to the next, and how many corners its hull has.
fn link(length: f64) -> Result<(Convex, usize), Box<dyn std::error::Error>> {
    let ball = generate::icosphere(0.075, 2)?;
    let lower = ball.vertices().iter().copied();
    let upper = ball.vertices().iter().map(|&vertex| vertex + Vec3::new(0.0, 0.0, length));
    let points: Vec<Vec3> = lower.chain(upper).collect();
    let corners = heurt::mesh::convex_hull(&points)?.vertices().len();
    Ok((Convex::hull(&points)?, corners))
}

/// The poses of the links for the angles of their joints.
fn placed(angles: [f64; 7]) -> Result<[Pose; 7], PoseError> {
    let (mut foot, mut turn) = (Vec3::ZERO, Quat::IDENTITY);
    let mut poses = [Pose::IDENTITY; 7];
    for ((pose, angle), (length, axis)) in poses.iter_mut().zip(angles).zip(JOINTS) {
        turn = (turn * Quat::from_axis_angle(axis, angle)).normalize();
        *pose = Pose::from_quaternion(turn.to_array(), foot)?;
        foot += turn * Vec3::new(0.0, 0.0, length);
    }
    Ok(poses)
}
