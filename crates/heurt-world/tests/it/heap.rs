//! Many convex bodies on given poses: contacts as of single pairs, the same with whatever pairs remember and for any number of threads, the
//! nearest first where time is short, and what a body takes of memory.

use heurt_geometry::{Pose, Vec3};
use heurt_query::contact::contact_manifold;
use heurt_shape::{Convex, Shape};
use heurt_testkit::number::random::Random;
use heurt_world::{Body, BodyId, Mass, Settings, StepOptions, World, WorldError};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

fn mass() -> Mass {
    Mass::of_density(&Convex::sphere(0.1).unwrap().into(), 1.0).unwrap()
}

fn shape(random: &mut Random) -> Shape {
    let half = Vec3::new(random.between(0.2, 0.5), random.between(0.2, 0.5), random.between(0.2, 0.5));
    let points: Vec<Vec3> = (0..random.whole(8, 24)).map(|_| random.vector(1.0).normalize_or(Vec3::X) * half).collect();
    match random.whole(0, 5) {
        0 => Convex::sphere(half.x).unwrap().into(),
        1 => Convex::capsule(0.5 * half.x, half.y).unwrap().into(),
        2 | 3 => Convex::cuboid(half).unwrap().into(),
        _ => Convex::hull(&points).unwrap().into(),
    }
}

/// Parts in a cube of that edge, and their poses over some frames, in which they tumble.
fn tumbling(count: usize, room: f64, frames: usize) -> (Vec<Shape>, Vec<Vec<Pose>>) {
    let mut random = Random::new(11);
    let shapes = (0..count).map(|_| shape(&mut random)).collect();
    let starts: Vec<[Vec3; 3]> =
        (0..count).map(|_| [random.vector(0.5 * room), random.vector(0.02), random.vector(0.03)]).collect();
    let at = |frame: usize| {
        let pose = |[start, velocity, turn]: &[Vec3; 3]| {
            let turned = *turn * frame as f64;
            let quaternion = heurt_geometry::Quat::from_scaled_axis(turned).to_array();
            Pose::from_quaternion(quaternion, *start + *velocity * frame as f64).unwrap()
        };
        starts.iter().map(pose).collect()
    };
    (shapes, (0..frames).map(at).collect())
}

fn world(shapes: &[Shape], poses: &[Pose], margin: f64) -> (World, Vec<BodyId>) {
    let mut world = World::new(Settings { margin, ..Settings::default() }).unwrap();
    let bodies = shapes.iter().zip(poses);
    let ids = bodies.map(|(shape, pose)| world.insert(Body::dynamic(shape.clone(), *pose, mass())).unwrap()).collect();
    (world, ids)
}

fn named(ids: &[BodyId], poses: &[Pose]) -> Vec<(BodyId, Pose)> {
    ids.iter().copied().zip(poses.iter().copied()).collect()
}

#[test]
fn contacts_are_those_of_the_pairs_whatever_is_remembered() {
    let (shapes, frames) = tumbling(60, 2.0, 25);
    for margin in [0.0, 0.02] {
        let (mut world, ids) = world(&shapes, &frames[0], margin);
        let mut seen = 0;
        for poses in &frames {
            let report = world.detect(&named(&ids, poses)).unwrap();
            let mut touches = world.contacts().iter();
            let mut points = 0;
            for a in 0..shapes.len() {
                for b in a + 1..shapes.len() {
                    let found = contact_manifold(&shapes[a], &poses[a], &shapes[b], &poses[b], margin);
                    let Some(expected) = found else { continue };
                    let reported = touches.next().unwrap();
                    assert_eq!((reported.a, reported.b, reported.contact.as_ref()), (ids[a], ids[b], Some(&expected)));
                    points += expected.points.len();
                }
            }
            assert!(touches.next().is_none());
            assert_eq!((report.touching, report.points), (world.contacts().len(), points));
            assert_eq!(world.events().begun.len() + world.events().persisting, report.touching);
            seen += report.touching;
        }
        assert!(seen > 2000, "{seen}");
    }
}

#[test]
fn a_heap_is_the_same_for_any_number_of_threads() {
    let (shapes, frames) = tumbling(300, 4.0, 10);
    let hashes = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut world, ids) = world(&shapes, &frames[0], 0.01);
            let contacts_of = |poses: &Vec<Pose>| {
                world.detect(&named(&ids, poses)).unwrap();
                (world.state_hash(), world.events().clone())
            };
            frames.iter().map(contacts_of).collect::<Vec<_>>()
        })
    });
    assert!(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

#[test]
fn who_is_not_there_is_refused_and_nothing_moves() {
    let (shapes, frames) = tumbling(10, 1.0, 2);
    let (mut world, ids) = world(&shapes, &frames[0], 0.0);
    world.detect(&named(&ids, &frames[0])).unwrap();
    let gone = ids[4];
    let mut other = World::new(Settings::default()).unwrap();
    assert!(matches!(other.detect(&[(gone, Pose::IDENTITY)]), Err(WorldError::NoSuchBody { id }) if id == gone));
    world.remove(gone).unwrap();
    world.insert(Body::dynamic(shapes[4].clone(), frames[0][4], mass())).unwrap();
    let before = world.state_hash();
    assert!(matches!(world.detect(&named(&ids, &frames[1])), Err(WorldError::NoSuchBody { id }) if id == gone));
    let far = [(ids[1], frames[1][1]), (ids[2], Pose::from_translation(Vec3::X * 1e151).unwrap())];
    let refused = world.detect(&far).unwrap_err();
    assert_eq!(refused.to_string(), "translation is 1e151: give numbers within ±1e150");
    for (place, (_, body)) in world.bodies().enumerate() {
        assert_eq!(body.pose, frames[0][place]);
    }
    assert_eq!(world.state_hash(), before);
}

/// Three hundred pairs of balls, each a little deeper than the one before, far from each other; time is over after one look at the clock.
#[test]
fn where_time_is_short_the_nearest_pairs_come_first() {
    let ball = Convex::sphere(0.5).unwrap();
    let mut world = World::new(Settings::default()).unwrap();
    for k in 0..300 {
        let shuffled = f64::from(k * 7 % 300);
        for side in [0.0, 1.0 - 0.001 * shuffled] {
            let pose = Pose::from_translation(Vec3::new(side, 3.0 * f64::from(k), 0.0)).unwrap();
            world.insert(Body::dynamic(ball.clone(), pose, mass())).unwrap();
        }
    }
    let looks = AtomicU64::new(0);
    let clock = || looks.fetch_add(1, Relaxed) as f64;
    let poses: Vec<(BodyId, Pose)> = world.bodies().map(|(id, body)| (id, body.pose)).collect();
    // Looks at the beginning, twice between the stages, twice while pairs are ranked, before each block of pairs.
    let report = world.detect_with(&poses, &StepOptions { clock: Some(&clock), deadline: Some(6.5) }).unwrap();
    assert!(report.unproven > 0 && report.touching > 0 && report.pairs == 300, "{report:?}");
    let depth = |a: BodyId| (a.index() / 2 * 7 % 300) as f64;
    let least = world.contacts().iter().map(|touch| depth(touch.a)).fold(f64::INFINITY, f64::min);
    let most = world.unproven().iter().map(|pair| depth(pair[0])).fold(0.0, f64::max);
    assert!(least > most, "{least} was looked at, {most} was not");
    // Those that overlap come first from now on, and all are told in the end.
    let report = world.detect(&poses).unwrap();
    assert_eq!((report.unproven, report.touching), (0, 300));
}

/// A clock that goes on with each look at it: what follows the last pair takes some looks as well.
#[test]
fn steps_under_a_deadline_end_before_it() {
    let ball = Convex::sphere(0.5).unwrap();
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    for k in 0..600 {
        let pose = Pose::from_translation(Vec3::new(0.9 * f64::from(k % 2), 3.0 * f64::from(k / 2), 0.0)).unwrap();
        world.insert(Body::dynamic(ball.clone(), pose, mass())).unwrap();
    }
    let looks = AtomicU64::new(0);
    let clock = || looks.fetch_add(1, Relaxed) as f64;
    let options = StepOptions { clock: Some(&clock), deadline: Some(14.0) };
    for step in 0..10 {
        let report = world.step_with(0.01, &options).unwrap();
        let took: f64 = report.seconds.iter().sum();
        assert!(report.touching > 0 && report.cut > 0 && report.pairs == 300, "{report:?}");
        // The first step knows nothing of those before.
        assert!(step == 0 || took <= 14.0, "step {step} took {took}: {report:?}");
        let all: Vec<[BodyId; 2]> = world.unproven().to_vec();
        assert!(all.is_sorted() && all.len() == report.cut && all.len() + report.touching == 300);
        assert!(world.contacts().is_sorted_by_key(|touch| (touch.a, touch.b)));
    }
}

/// Apart from each other there are no pairs; what pairs take is told beside it.
#[test]
fn a_body_takes_some_hundred_bytes_beyond_its_shape() {
    let (shapes, mut frames) = tumbling(5000, 14.0, 5);
    let (mut heap, ids) = world(&shapes, &frames[0], 0.0);
    for poses in &frames {
        heap.detect(&named(&ids, poses)).unwrap();
    }
    for poses in &mut frames {
        for pose in poses {
            *pose = Pose::from_translation(pose.translation() * 20.0).unwrap();
        }
    }
    let (mut scattered, ids) = world(&shapes, &frames[0], 0.0);
    for poses in &frames {
        scattered.detect(&named(&ids, poses)).unwrap();
    }
    let (few, many) = (scattered.broad_phase().pairs, heap.broad_phase().pairs);
    let (bytes, with_pairs) = (scattered.bytes(), heap.bytes());
    let each = (bytes.bodies + bytes.broad_phase) / scattered.len();
    println!("{bytes:?} of {few} pairs, {with_pairs:?} of {many}: {each} bytes a body");
    assert!(100 * few < many && each < 512, "{each} bytes a body: {bytes:?}");
    let of_pairs = (with_pairs.broad_phase - bytes.broad_phase + with_pairs.pairs) / many;
    assert!(of_pairs < 1024, "{of_pairs} bytes a pair: {with_pairs:?}");
    assert_eq!(bytes.all(), bytes.bodies + bytes.broad_phase + bytes.pairs + bytes.results);
    // Where bodies fly, what becomes of some of them is worked out at a time.
    scattered.step(0.01).unwrap();
    let bytes = scattered.bytes();
    let each = bytes.all() / scattered.len();
    println!("{each} bytes a body that flies: {bytes:?}");
    assert!(bytes.plans > 0 && each < 512, "{each} bytes a body: {bytes:?}");
}
