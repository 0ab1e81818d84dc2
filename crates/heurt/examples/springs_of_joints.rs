//! A weight on a spring, a motor that holds a position, and an arm in the cone of its shoulder.
//!
//! `cargo run --release -p heurt --example springs_of_joints`

use heurt::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings = Settings { response: Response::Auto, ..Settings::default() };
    let mut world = World::new(settings)?;
    let cube: Shape = Convex::cuboid(Vec3::splat(0.05))?.into();
    let insert = |world: &mut World, x: f64| -> Result<_, Box<dyn std::error::Error>> {
        let mass = Mass::of_total(&cube, 2.0)?;
        Ok(world.insert(Body::dynamic(cube.clone(), Pose::from_translation(Vec3::X * x)?, mass))?)
    };

    // The weight sinks by m·g/k = 9.81 cm.
    let weight = insert(&mut world, 0.0)?;
    let spring = JointSpring { stiffness: 200.0, damping: 40.0, rest: None };
    let up = JointDesign { axis: -Vec3::Z, ..JointDesign::new(JointKind::Slider, weight) };
    world.insert_joint(&JointDesign { spring: Some(spring), ..up })?;

    // The motor lifts a weight by 0.5 m, less m·g/k = 9.81 mm.
    let lifted = insert(&mut world, 1.0)?;
    let motor = PositionMotor { position: 0.5, stiffness: 2000.0, damping: 200.0, max_force: 60.0 };
    let up = JointDesign { axis: -Vec3::Z, ..JointDesign::new(JointKind::Slider, lifted) };
    world.insert_joint(&JointDesign { position_motor: Some(motor), anchor: Vec3::X, ..up })?;

    // The arm points along x and falls until it is 0.5 rad below.
    let arm = insert(&mut world, 3.0)?;
    let shoulder = JointDesign { anchor: Vec3::X * 2.5, axis: Vec3::X, ..JointDesign::new(JointKind::Ball, arm) };
    world.insert_joint(&JointDesign { cone: Some(0.5), twist: Some([-0.1, 0.1]), ..shoulder })?;

    for _ in 0..600 {
        world.step(1.0 / 60.0)?;
    }
    let place = |id| world.body(id).map_or(Vec3::ZERO, |body| body.pose.translation());
    println!("the weight is at {:.4} m, the motor at {:.4} m", place(weight).z, place(lifted).z);
    let below = place(arm) - Vec3::X * 2.5;
    println!("the arm is {:.4} rad below level", f64::atan2(-below.z, below.x));
    Ok(())
}
