//! Deep heaps and piles with `soft-step`: they come to rest, stand and fall asleep.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_testkit::number::random::Random;
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

/// A pile of cubes of 20 cm, 1 kg each, that fall onto a floor.
struct Pile {
    counts: [u32; 3],
    spacing: Vec3,
    /// Whether they are turned at random, and walls hold them.
    is_boxed: bool,
}

impl Pile {
    fn build(&self) -> (World, Vec<BodyId>) {
        let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
        let material = |body: Body| Body { friction: 0.6, restitution: 0.0, ..body };
        let half = self.spacing * Vec3::new(0.5 * f64::from(self.counts[0]), 0.5 * f64::from(self.counts[1]), 0.0);
        let walls = [(Vec3::X, half.x), (-Vec3::X, half.x), (Vec3::Y, half.y), (-Vec3::Y, half.y)];
        let walls = walls.into_iter().map(|(normal, distance)| (normal, -distance - 0.02)).filter(|_| self.is_boxed);
        for (normal, offset) in walls.chain([(Vec3::Z, 0.0)]) {
            let plane = Convex::half_space(normal, offset).unwrap();
            world.insert(material(Body::fixed(plane, Pose::IDENTITY))).unwrap();
        }
        let cube: Shape = Convex::cuboid(Vec3::splat(0.1)).unwrap().into();
        let mass = Mass::of_total(&cube, 1.0).unwrap();
        let mut random = Random::new(7);
        let [columns, rows, layers] = self.counts;
        let mut ids = Vec::new();
        for k in 0..columns * rows * layers {
            let (column, row, layer) = (k % columns, k / columns % rows, k / columns / rows);
            let number = Vec3::new(f64::from(column) + 0.5, f64::from(row) + 0.5, f64::from(layer));
            let shift = Vec3::new(0.03 * f64::from(layer % 3), 0.05 * f64::from(layer % 2), 0.0);
            let (turn, shift) = if self.is_boxed { (random.vector(2.0), Vec3::ZERO) } else { (Vec3::ZERO, shift) };
            let lowest = if self.is_boxed { 0.2 } else { 0.11 };
            let place = number * self.spacing - half + shift + Vec3::Z * lowest;
            let pose = Pose::from_quaternion(Quat::from_scaled_axis(turn).to_array(), place).unwrap();
            ids.push(world.insert(material(Body::dynamic(cube.clone(), pose, mass))).unwrap());
        }
        (world, ids)
    }

    /// Takes steps until all bodies sleep; returns the deepest overlap and the mean of all overlaps.
    fn sleep_within(&self, seconds: f64) -> (f64, f64) {
        let (mut world, ids) = self.build();
        let is_asleep = |world: &World| ids.iter().all(|id| world.is_asleep(*id));
        while world.time() < seconds && !is_asleep(&world) {
            world.step(DT).unwrap();
        }
        let awake = ids.iter().filter(|id| !world.is_asleep(**id)).count();
        assert_eq!(awake, 0, "awake after {seconds} s");
        let touches = world.contacts().iter().flat_map(|touch| &touch.contact);
        let overlaps: Vec<f64> = touches.map(|found| -found.separation).filter(|depth| *depth > 0.0).collect();
        let (deepest, sum) =
            overlaps.iter().fold((0.0, 0.0), |(deepest, sum), depth| (depth.max(deepest), sum + depth));
        let mean = sum / overlaps.len() as f64;
        println!("all asleep after {:.1} s, deepest overlap {deepest:.4} m, mean {mean:.5} m", world.time());
        (deepest, mean)
    }
}

/// Boxes turned at random touch at corners and edges, and many of the four points of their manifolds are open.
#[test]
fn a_thousand_cubes_in_a_box_sleep_within_fifteen_seconds() {
    let pile = Pile { counts: [10, 10, 10], spacing: Vec3::splat(0.36), is_boxed: true };
    let (deepest, mean) = pile.sleep_within(15.0);
    assert!(deepest < 0.02 && mean < 2e-3, "{deepest} {mean}");
}

/// `cargo test --release -p heurt-world --test it deep_heaps:: -- --ignored`
#[test]
#[ignore = "minutes"]
fn ten_thousand_cubes_fall_and_sleep_within_fifteen_seconds() {
    let pile = Pile { counts: [50, 10, 20], spacing: Vec3::new(0.24, 0.23, 0.24), is_boxed: false };
    let (deepest, mean) = pile.sleep_within(15.0);
    assert!(deepest < 0.03 && mean < 2e-3, "{deepest} {mean}");
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

/// `cargo test --release -p heurt-world --test it deep_heaps:: -- --ignored`
#[test]
#[ignore = "a minute in release builds"]
fn five_thousand_cubes_sleep_within_four_seconds() {
    let (deepest, moved) = come_to_rest(pyramid(24), 2.0);
    assert!(deepest > -2e-3 && moved < 0.1, "pyramid: {deepest} {moved}");
    let (deepest, moved) = come_to_rest(wall(100), 4.5);
    assert!(deepest > -1e-2 && moved < 0.2, "wall: {deepest} {moved}");
}
