//! Deep heaps with `soft-step`: they come to rest, stand and fall asleep.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, Mass, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;

/// A world with cubes of 1 m on a floor, without gaps between neighbours and layers.
fn world_of(centres: impl IntoIterator<Item = [f64; 3]>) -> (World, Vec<BodyId>) {
    let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
    let material = |body: Body| Body { friction: 0.6, restitution: 0.0, ..body };
    world.insert(material(Body::fixed(Convex::half_space(Vec3::Z, 0.0).unwrap(), Pose::IDENTITY))).unwrap();
    let cube: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
    let mass = Mass::of_total(&cube, 1.0).unwrap();
    let insert = |centre: [f64; 3]| {
        let pose = Pose::from_translation(Vec3::from_array(centre)).unwrap();
        world.insert(material(Body::dynamic(cube.clone(), pose, mass))).unwrap()
    };
    let ids = centres.into_iter().map(insert).collect();
    (world, ids)
}

fn pyramid(layers: i32) -> Vec<[f64; 3]> {
    let mut centres = Vec::new();
    for layer in 0..layers {
        let count = layers - layer;
        let at = |k: i32| f64::from(k) - 0.5 * f64::from(count - 1);
        centres.extend((0..count * count).map(|k| [at(k / count), at(k % count), 0.5 + f64::from(layer)]));
    }
    centres
}

fn wall(rows: i32) -> Vec<[f64; 3]> {
    let mut centres = Vec::new();
    for row in 0..rows {
        let count = rows - row;
        centres.extend((0..count).map(|k| [f64::from(k) - 0.5 * f64::from(count - 1), 0.0, 0.5 + f64::from(row)]));
    }
    centres
}

/// Takes steps for `seconds`; returns the deepest overlap and the largest displacement along x and y of the bodies.
fn come_to_rest(centres: Vec<[f64; 3]>, seconds: f64) -> (f64, f64) {
    let (mut world, ids) = world_of(centres.iter().copied());
    for _ in 0..(seconds / DT) as usize {
        world.step(DT).unwrap();
    }
    assert!(
        ids.iter().all(|id| world.is_asleep(*id)),
        "{} awake",
        ids.iter().filter(|id| !world.is_asleep(**id)).count()
    );
    let deepest =
        world.contacts().iter().flat_map(|touch| &touch.contact).map(|found| found.separation).fold(0.0, f64::min);
    let moved = ids.iter().zip(&centres).map(|(id, centre)| {
        let offset = world.body(*id).unwrap().pose.translation() - Vec3::from_array(*centre);
        offset.truncate().length()
    });
    (deepest, moved.fold(0.0, f64::max))
}

#[test]
fn a_pyramid_of_twelve_layers_sleeps_within_a_second_and_a_half() {
    let (deepest, moved) = come_to_rest(pyramid(12), 1.5);
    assert!(deepest > -1e-3 && moved < 0.01, "{deepest} {moved}");
}

#[test]
fn a_wall_of_thirty_rows_sleeps_within_three_seconds() {
    let (deepest, moved) = come_to_rest(wall(30), 3.0);
    assert!(deepest > -4e-3 && moved < 0.05, "{deepest} {moved}");
}

/// `cargo test --release -p heurt-world --test deep_heaps -- --ignored`
#[test]
#[ignore = "a minute in release builds"]
fn five_thousand_cubes_sleep_within_four_seconds() {
    let (deepest, moved) = come_to_rest(pyramid(24), 2.0);
    assert!(deepest > -2e-3 && moved < 0.1, "pyramid: {deepest} {moved}");
    let (deepest, moved) = come_to_rest(wall(100), 4.5);
    assert!(deepest > -1e-2 && moved < 0.2, "wall: {deepest} {moved}");
}
