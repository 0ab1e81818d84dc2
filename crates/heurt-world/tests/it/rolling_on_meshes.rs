//! Round bodies that slide onto level floors of many triangles and end up rolling: the speed follows from the balance
//! of angular momentum, v₀ / (1 + I / (m r²)), and no edge within the floor is felt.

use crate::support::{FLOORS, flat_floor};
use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::generate;
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_world::{Body, BodyId, Kind, Mass, Response, Settings, World};
use std::f64::consts::FRAC_PI_2;

const RADIUS: f64 = 0.2;
const SPEED: f64 = 2.0;
/// Speed up or down in m/s. The side of the superellipsoid is nearly flat: it rocks by 0.01 m/s, on a half-space, too.
const BUMPS: f64 = 0.01;

/// Shapes of revolution of the same radius around z, and the share of the speed that a solid of them keeps.
fn shapes() -> Vec<(&'static str, Shape)> {
    let long = Vec3::new(RADIUS, RADIUS, 0.3);
    vec![
        ("sphere", Convex::sphere(RADIUS).unwrap().into()),
        ("cylinder", Convex::cylinder(RADIUS, 0.25).unwrap().into()),
        ("disc", Convex::cylinder(RADIUS, 0.05).unwrap().into()),
        ("capsule", Convex::capsule(RADIUS, 0.2).unwrap().into()),
        ("ellipsoid", Convex::ellipsoid(long).unwrap().into()),
        ("superellipsoid", Convex::superellipsoid(long, 0.7, 1.0).unwrap().into()),
    ]
}

/// Lets all shapes slide along x over a floor, their axes along y.
fn slide_over(floor: &Shape, response: Response) -> (World, Vec<BodyId>) {
    let mut world = World::new(Settings { response, ..Settings::default() }).unwrap();
    world.insert(Body { restitution: 0.0, friction: 0.5, ..Body::fixed(floor.clone(), Pose::IDENTITY) }).unwrap();
    let lying = Quat::from_rotation_x(FRAC_PI_2);
    let ids = shapes().into_iter().enumerate().map(|(number, (_, shape))| {
        let place = Vec3::new(-2.513, 0.83 * number as f64 - 2.04, RADIUS);
        let pose = Pose::from_quaternion(lying.to_array(), place).unwrap();
        let mass = Mass::of_total(&shape, 1.0).unwrap();
        let velocity = Vec3::X * SPEED;
        world.insert(Body { restitution: 0.0, friction: 0.5, velocity, ..Body::dynamic(shape, pose, mass) }).unwrap()
    });
    let ids = ids.collect();
    (world, ids)
}

#[test]
fn what_slides_ends_up_rolling_over_many_triangles_without_bumps() {
    for floor_name in FLOORS {
        for response in [Response::ImpulseLcp, Response::SoftStep, Response::Auto] {
            let (mut world, ids) = slide_over(&flat_floor(floor_name), response);
            let (mut rises, mut least) = (vec![0.0f64; ids.len()], vec![f64::INFINITY; ids.len()]);
            for _ in 0..90 {
                world.step(1.0 / 60.0).unwrap();
                for (number, id) in ids.iter().enumerate() {
                    let velocity = world.body(*id).unwrap().velocity;
                    rises[number] = rises[number].max(velocity.z.abs());
                    least[number] = least[number].min(velocity.x);
                }
            }
            for (number, ((name, _), id)) in shapes().into_iter().zip(&ids).enumerate() {
                let body = world.body(*id).unwrap();
                let Kind::Dynamic(mass) = &body.kind else { unreachable!() };
                let rolling = SPEED / (1.0 + mass.inertia.z_axis.z / (mass.mass * RADIUS * RADIUS));
                let (slowest, rise, height) = (least[number], rises[number], body.pose.translation().z);
                let what = format!(
                    "{name} on {floor_name}, {response:?}: {} of {rolling} m/s, at least {slowest}, height {height}, \
                     up or down by {rise} m/s",
                    body.velocity
                );
                println!("{what}");
                assert!((body.velocity.x - rolling).abs() < 1e-3 * rolling, "{what}");
                let slowed = if response == Response::SoftStep { 2e-3 } else { 1e-3 };
                let sunk = if name == "superellipsoid" { 1e-3 } else { 2e-4 };
                assert!(slowest > rolling * (1.0 - slowed) && (height - RADIUS).abs() < sunk, "{what}");
                assert!(rise < BUMPS, "{what}");
            }
        }
    }
}

#[test]
fn what_slides_flat_over_many_triangles_slows_down_evenly() {
    let cube = MeshShape::new(generate::cuboid([0.15; 3]).unwrap()).unwrap();
    let shapes: [(&str, Shape, f64); 5] = [
        ("box", Convex::cuboid(Vec3::splat(0.15)).unwrap().into(), 0.15),
        ("rounded box", Convex::cuboid(Vec3::splat(0.1)).unwrap().with_margin(0.05).unwrap().into(), 0.15),
        ("cylinder", Convex::cylinder(0.15, 0.1).unwrap().into(), 0.1),
        ("cone", Convex::cone(0.15, 0.1).unwrap().into(), 0.1),
        ("mesh", cube.into(), 0.15),
    ];
    for floor_name in FLOORS {
        for response in [Response::ImpulseLcp, Response::SoftStep, Response::Auto] {
            let mut world = World::new(Settings { response, ..Settings::default() }).unwrap();
            let floor = flat_floor(floor_name);
            world.insert(Body { restitution: 0.0, friction: 0.25, ..Body::fixed(floor, Pose::IDENTITY) }).unwrap();
            let ids: Vec<BodyId> = shapes
                .iter()
                .enumerate()
                .map(|(number, (_, shape, height))| {
                    let pose = Pose::from_translation(Vec3::new(-2.513, 0.83 * number as f64 - 1.84, *height)).unwrap();
                    let mass = Mass::of_total(shape, 1.0).unwrap();
                    let velocity = Vec3::new(3.0, 0.4, 0.0);
                    let body = Body::dynamic(shape.clone(), pose, mass);
                    world.insert(Body { restitution: 0.0, friction: 0.25, velocity, ..body }).unwrap()
                })
                .collect();
            let mut worst = vec![[0.0f64; 3]; ids.len()];
            for step in 1..=60 {
                world.step(1.0 / 60.0).unwrap();
                let speed = Vec3::new(3.0, 0.4, 0.0).length() - 0.25 * 9.81 * f64::from(step) / 60.0;
                for (number, id) in ids.iter().enumerate() {
                    let body = world.body(*id).unwrap();
                    let [slowed, rises, turns] = &mut worst[number];
                    *slowed = slowed.max((body.velocity.reject_from(Vec3::Z).length() - speed).abs());
                    *rises = rises.max((body.pose.translation().z - shapes[number].2).abs());
                    *turns = turns.max(body.angular_velocity.length());
                }
            }
            // Soft steps settle by 0.1 mm, and a cone rocks meanwhile.
            let bounds = if response == Response::SoftStep { [1e-4, 2e-4, 1e-3] } else { [1e-9; 3] };
            for ((name, ..), worst) in shapes.iter().zip(worst) {
                let is_even = worst.iter().zip(bounds).all(|(found, bound)| *found < bound);
                assert!(is_even, "{name} on {floor_name}, {response:?}: speed, height, turn {worst:?}");
            }
        }
    }
}
