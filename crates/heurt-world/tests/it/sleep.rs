//! Sleep in worlds with `soft-step`: what falls asleep, what wakes it, and that records and snapshots hold.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::{Convex, Shape};
use heurt_world::{Body, BodyId, Mass, Response, Settings, World};

const DT: f64 = 1.0 / 60.0;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn cube(pose: Pose) -> Body {
    let shape: Shape = Convex::cuboid(Vec3::splat(0.5)).unwrap().into();
    let mass = Mass::of_total(&shape, 1.0).unwrap();
    Body { restitution: 0.0, ..Body::dynamic(shape, pose, mass) }
}

/// A plate of 20 m, whose top is at height 0.
fn floor() -> Body {
    Body { restitution: 0.0, ..Body::fixed(Convex::cuboid(Vec3::new(10.0, 10.0, 0.5)).unwrap(), at(0.0, 0.0, -0.5)) }
}

fn world_of(bodies: impl IntoIterator<Item = Body>) -> (World, Vec<BodyId>) {
    let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
    let ids = bodies.into_iter().map(|body| world.insert(body).unwrap()).collect();
    (world, ids)
}

/// A tower of three cubes on the floor, which sleeps, and a cube next to it that sleeps on its own.
fn sleepers() -> (World, Vec<BodyId>) {
    let tower = [0.5, 1.5, 2.5].map(|z| cube(at(0.0, 0.0, z)));
    let (mut world, ids) = world_of([floor()].into_iter().chain(tower).chain([cube(at(3.0, 0.0, 0.5))]));
    take_steps(&mut world, 90);
    assert_eq!(asleep(&world, &ids), [false, true, true, true, true]);
    (world, ids)
}

fn take_steps(world: &mut World, count: usize) {
    (0..count).for_each(|_| _ = world.step(DT).unwrap());
}

fn asleep(world: &World, ids: &[BodyId]) -> Vec<bool> {
    ids.iter().map(|&id| world.is_asleep(id)).collect()
}

fn height(world: &World, id: BodyId) -> f64 {
    world.body(id).unwrap().pose.translation().z
}

#[test]
fn bodies_that_sleep_do_not_move_and_keep_their_contacts() {
    let (mut world, ids) = sleepers();
    let before: Vec<Pose> = ids.iter().map(|&id| world.body(id).unwrap().pose).collect();
    let (contacts, solved) = (world.contacts().to_vec(), world.solved_contacts().to_vec());
    let report = world.step(DT).unwrap();
    assert_eq!((report.response.asleep, report.moved), (4, 0));
    assert_eq!(before, ids.iter().map(|&id| world.body(id).unwrap().pose).collect::<Vec<_>>());
    assert_eq!(contacts, world.contacts());
    assert_eq!(solved, world.solved_contacts());
    assert!(world.events().begun.is_empty() && world.events().ended.is_empty());
    // The floor carries three cubes.
    let carried: f64 = solved.iter().filter(|contact| contact.b == ids[1]).map(|contact| contact.impulse()).sum();
    assert!((carried - 3.0 * 9.81 * DT).abs() < 1e-3, "{carried}");
}

#[test]
fn an_impact_wakes_the_island_that_it_meets_and_no_other() {
    let (mut world, ids) = sleepers();
    let stone = world.insert(Body { velocity: Vec3::X * 4.0, ..cube(at(-2.5, 0.0, 2.6)) }).unwrap();
    let mut was_disturbed = false;
    for _ in 0..30 {
        world.step(DT).unwrap();
        let all = asleep(&world, &ids);
        assert!(all[4], "the cube that stands alone sleeps on");
        was_disturbed |= all[1..4] == [false; 3];
    }
    assert!(was_disturbed);
    assert!(world.body(ids[3]).unwrap().pose.translation().x > 0.05, "the stone pushes the top");
    assert!(!world.is_asleep(stone));
}

#[test]
fn pushes_and_changes_wake() {
    let push: [fn(&mut World, BodyId); 4] = [
        |world, id| world.apply_impulse(id, Vec3::X, None).unwrap(),
        |world, id| world.apply_force(id, Vec3::X * 60.0, None).unwrap(),
        |world, id| world.apply_torque(id, Vec3::Z * 60.0).unwrap(),
        |world, id| world.wake(id).unwrap(),
    ];
    for (number, push) in push.into_iter().enumerate() {
        let (mut world, ids) = sleepers();
        push(&mut world, ids[1]);
        assert!(!world.is_asleep(ids[1]), "{number}");
        world.step(DT).unwrap();
        assert_eq!(asleep(&world, &ids), [false, false, false, false, true], "{number}");
    }
}

#[test]
fn what_loses_its_support_falls() {
    for by_removal in [true, false] {
        let (mut world, ids) = sleepers();
        if by_removal {
            world.remove(ids[0]).unwrap();
        } else {
            world.set_state(ids[0], at(0.0, 0.0, -20.0), Vec3::ZERO, Vec3::ZERO).unwrap();
        }
        take_steps(&mut world, 30);
        // Half a second of free fall is 1.23 m.
        for (&id, start) in ids[1..].iter().zip([0.5, 1.5, 2.5, 0.5]) {
            assert!(height(&world, id) < start - 1.2 && !world.is_asleep(id), "{by_removal}: {}", height(&world, id));
        }
    }
    // The cube in the middle of the tower disappears.
    let (mut world, ids) = sleepers();
    world.remove(ids[2]).unwrap();
    take_steps(&mut world, 120);
    assert!((height(&world, ids[3]) - 1.5).abs() < 0.01);
    assert_eq!(asleep(&world, &[ids[1], ids[3], ids[4]]), [true; 3]);
}

#[test]
fn a_change_wakes_what_it_touches_and_not_all_bodies_on_the_same_floor() {
    let (mut world, ids) = sleepers();
    world.remove(ids[4]).unwrap();
    world.step(DT).unwrap();
    assert_eq!(asleep(&world, &ids[1..4]), [true; 3]);
    world.set_state(ids[3], at(0.0, 5.0, 0.5), Vec3::ZERO, Vec3::ZERO).unwrap();
    world.step(DT).unwrap();
    assert_eq!(asleep(&world, &ids[1..4]), [false; 3]);
}

#[test]
fn a_wall_that_is_placed_into_a_sleeper_pushes_it() {
    let (mut world, ids) = sleepers();
    let wall = world.insert(Body::fixed(Convex::cuboid(Vec3::splat(0.5)).unwrap(), at(9.0, 0.0, 0.6))).unwrap();
    take_steps(&mut world, 2);
    assert!(world.is_asleep(ids[4]));
    world.set_state(wall, at(3.9, 0.0, 0.6), Vec3::ZERO, Vec3::ZERO).unwrap();
    take_steps(&mut world, 30);
    assert!(world.body(ids[4]).unwrap().pose.translation().x < 2.95);
}

#[test]
fn what_stands_on_a_body_that_moves_stays_awake() {
    let belt = Body::kinematic(Convex::cuboid(Vec3::new(5.0, 1.0, 0.1)).unwrap(), at(0.0, 0.0, -0.1));
    let (mut world, ids) = world_of([Body { velocity: Vec3::X * 0.01, ..belt }, cube(at(0.0, 0.0, 0.5))]);
    take_steps(&mut world, 120);
    assert!(!world.is_asleep(ids[1]));
    assert!((world.body(ids[1]).unwrap().pose.translation().x - 0.02).abs() < 1e-4);
    // A lift at rest lets it sleep, and wakes it as it starts.
    let lift = world.body(ids[0]).unwrap().pose;
    world.set_state(ids[0], lift, Vec3::ZERO, Vec3::ZERO).unwrap();
    take_steps(&mut world, 90);
    assert!(world.is_asleep(ids[1]));
    world.set_state(ids[0], lift, Vec3::Z, Vec3::ZERO).unwrap();
    take_steps(&mut world, 60);
    assert!((height(&world, ids[1]) - 1.5).abs() < 0.02, "{}", height(&world, ids[1]));
}

#[test]
fn nothing_sleeps_in_flight_nor_against_the_setting() {
    let space = Settings { response: Response::SoftStep, gravity: Vec3::ZERO, ..Settings::default() };
    let mut world = World::new(space).unwrap();
    let drifting = world.insert(Body { velocity: Vec3::X * 1e-3, ..cube(Pose::IDENTITY) }).unwrap();
    take_steps(&mut world, 120);
    assert!(!world.is_asleep(drifting));
    assert!((world.body(drifting).unwrap().pose.translation().x - 2e-3).abs() < 1e-12);

    let mut world = World::new(Settings { sleep: false, gravity: Vec3::Z * -9.81, ..space }).unwrap();
    world.insert(floor()).unwrap();
    let resting = world.insert(cube(at(0.0, 0.0, 0.5))).unwrap();
    take_steps(&mut world, 120);
    assert!(!world.is_asleep(resting));
}

#[test]
fn a_snapshot_holds_who_sleeps() {
    let (mut world, ids) = sleepers();
    let before = world.snapshot();
    world.apply_impulse(ids[2], Vec3::new(2.0, 0.3, 0.0), None).unwrap();
    let run = |world: &mut World| {
        take_steps(world, 40);
        (world.state_hash(), asleep(world, &ids))
    };
    let first = run(&mut world);
    world.restore(&before).unwrap();
    assert_eq!(asleep(&world, &ids), [false, true, true, true, true]);
    world.apply_impulse(ids[2], Vec3::new(2.0, 0.3, 0.0), None).unwrap();
    assert_eq!(run(&mut world), first);
}

#[test]
fn a_world_at_rest_keeps_its_contacts_until_something_moves() {
    let (mut world, ids) = sleepers();
    let pusher =
        Body { restitution: 0.0, ..Body::kinematic(Convex::cuboid(Vec3::splat(0.5)).unwrap(), at(5.0, 0.0, 0.55)) };
    let pusher = world.insert(pusher).unwrap();
    take_steps(&mut world, 2);
    let (contacts, solved) = (world.contacts().to_vec(), world.solved_contacts().to_vec());
    let (time, steps) = (world.time(), world.steps());
    let report = world.step(DT).unwrap();
    assert_eq!((report.moved, report.touching, report.response.asleep), (0, contacts.len(), 4));
    assert_eq!((world.contacts(), world.solved_contacts()), (&contacts[..], &solved[..]));
    assert_eq!((world.time(), world.steps()), (time + DT, steps + 1));
    // A body that begins to move, and one that arrives.
    let pose = world.body(pusher).unwrap().pose;
    world.set_state(pusher, pose, -Vec3::X, Vec3::ZERO).unwrap();
    take_steps(&mut world, 90);
    assert!(world.body(ids[4]).unwrap().pose.translation().x < 2.6);
    let visitor = world.insert(cube(at(-5.0, 0.0, 5.0))).unwrap();
    take_steps(&mut world, 120);
    assert!(height(&world, visitor) < 0.51);
}

/// A ball of 1 kg without loss of energy at its surface.
fn ball(radius: f64, restitution: f64, pose: Pose, velocity: Vec3) -> Body {
    let shape: Shape = Convex::sphere(radius).unwrap().into();
    let mass = Mass::of_total(&shape, 1.0).unwrap();
    Body { velocity, restitution, friction: 0.0, ..Body::dynamic(shape, pose, mass) }
}

#[test]
fn bodies_that_touch_in_space_keep_their_momentum() {
    for response in [Response::SoftStep, Response::Auto] {
        let mut world = World::new(Settings { response, gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
        let first = world.insert(ball(0.5, 0.0, Pose::IDENTITY, Vec3::X * 0.02)).unwrap();
        let second = world.insert(ball(0.5, 0.0, at(1.005, 0.0, 0.0), Vec3::ZERO)).unwrap();
        for _ in 0..300 {
            world.step(DT).unwrap();
            assert_eq!(asleep(&world, &[first, second]), [false; 2], "{response:?}");
        }
        let momentum: Vec3 = world.bodies().map(|(_, body)| body.velocity).sum();
        assert!((momentum - Vec3::X * 0.02).length() < 1e-12, "{response:?}: {momentum}");
    }
}

#[test]
fn a_body_at_rest_that_is_struck_does_not_fall_asleep_in_that_step() {
    for response in [Response::SoftStep, Response::Auto] {
        let mut world = World::new(Settings { response, ..Settings::default() }).unwrap();
        world.insert(Body { friction: 0.0, ..floor() }).unwrap();
        // The ball is struck at each of the steps around which it falls asleep.
        for late in 0..12 {
            let y = f64::from(late);
            world.insert(ball(0.1, 0.0, at(0.0, y, 0.1), Vec3::ZERO)).unwrap();
            let start = -0.2 - 0.1 * (25.0 + f64::from(late)) / 60.0;
            world.insert(ball(0.1, 0.0, at(start, y, 0.1), Vec3::X * 0.1)).unwrap();
        }
        for _ in 0..50 {
            world.step(DT).unwrap();
        }
        let momentum: f64 = world.bodies().map(|(_, body)| body.velocity.x).sum();
        assert!((momentum - 1.2).abs() < 1e-6, "{response:?}: {momentum}");
    }
}
