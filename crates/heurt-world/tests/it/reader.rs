//! What other threads see of a world is its state after the last step, whole.

use crate::support::crowd;
use heurt_geometry::{Pose, StateHash, Vec3};
use heurt_mesh::generate::{Cloth, icosphere};
use heurt_query::contact::contact_manifold;
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_testkit::number::random::Random;
use heurt_world::{Body, BodyId, Deformation, Detection, Kind, QueryFilter, Settings, World, WorldError, WorldView};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const DT: f64 = 1.0 / 60.0;

fn state(view: &WorldView) -> u64 {
    let hash = StateHash::new().bits(view.steps()).number(view.time());
    let all = view.bodies().fold(hash, |hash, (id, body)| {
        let hash = hash.bits(id.index() as u64).pose(&body.pose).vector(body.velocity).vector(body.angular_velocity);
        let hash = hash.bits(u64::from(body.group)).bits(u64::from(body.mask));
        match &body.shape {
            Shape::Mesh(mesh) => mesh.mesh().vertices().iter().copied().fold(hash, StateHash::vector),
            _ => hash,
        }
    });
    all.finish()
}

fn cloth(z: f64) -> Body {
    let sheet = Cloth::new(12, 1).unwrap().sheet().clone();
    let wave = Deformation::wave(&sheet, 0.1, 0.5);
    let pose = Pose::from_translation(Vec3::Z * z).unwrap();
    Body { kind: Kind::Soft(wave.into()), ..Body::fixed(MeshShape::new(sheet).unwrap(), pose) }
}

/// Asks both for what a shape touches.
fn touched(view: &WorldView, probe: &Shape, pose: &Pose) -> Vec<(BodyId, usize)> {
    let mut found = view.contact_manifolds(probe, pose, 0.0, QueryFilter::ALL).unwrap();
    found.sort_by_key(|met| met.body);
    found.into_iter().map(|met| (met.body, met.hit.points.len())).collect()
}

#[test]
fn readers_see_what_the_world_shows_after_each_step() {
    for detection in [Detection::Discrete, Detection::Continuous] {
        let mut world = crowd(Settings { detection, margin: 0.01, ..Settings::default() }, 20, 5);
        let soft = world.insert(cloth(0.2)).unwrap();
        let (reader, mut random) = (world.reader(), Random::new(8));
        assert_eq!(state(&reader.latest()), state(world.view()));
        let mut held = Vec::new();
        for step in 0..40 {
            let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).filter(|id| *id != soft).collect();
            let chosen = ids[random.whole(0, ids.len() as i64 - 1) as usize];
            match step % 5 {
                0 => drop(world.remove(chosen).unwrap()),
                1 => drop(world.insert(Body::kinematic(Convex::sphere(0.2).unwrap(), random.pose(1.0))).unwrap()),
                2 => world.set_state(chosen, random.pose(1.0), Vec3::X, Vec3::Y).unwrap(),
                3 => world.set_filter(chosen, 4, 5).unwrap(),
                _ => {}
            }
            world.step(DT).unwrap();
            let seen = reader.latest();
            assert_eq!(state(&seen), state(world.view()), "step {step}");
            let (probe, pose) = (Convex::sphere(0.5).unwrap().into(), random.pose(1.0));
            assert_eq!(touched(&seen, &probe, &pose), touched(world.view(), &probe, &pose));
            if step % 3 == 0 {
                held.push((state(&seen), seen));
            }
        }
        assert!(held.iter().all(|(then, view)| *then == state(view)), "what is held stays as it is");
    }
}

#[test]
fn a_restored_world_is_shown_as_it_then_is() {
    let mut world = crowd(Settings::default(), 10, 6);
    world.insert(cloth(0.0)).unwrap();
    let (reader, start) = (world.reader(), world.snapshot());
    let mut states = Vec::new();
    for _ in 0..8 {
        world.step(DT).unwrap();
        states.push(state(&reader.latest()));
    }
    world.insert(Body::kinematic(Convex::sphere(0.2).unwrap(), Pose::IDENTITY)).unwrap();
    world.step(DT).unwrap();
    world.restore(&start).unwrap();
    assert_eq!(reader.latest().steps(), 0);
    for expected in states {
        world.step(DT).unwrap();
        assert_eq!(state(&reader.latest()), expected);
    }
}

#[test]
fn soft_bodies_fly_the_same_with_and_without_readers() {
    let hashes = |is_read: bool| -> Vec<u64> {
        let mut world = crowd(Settings::default(), 6, 7);
        world.insert(cloth(0.1)).unwrap();
        let _reader = is_read.then(|| world.reader());
        let step = |_| {
            world.step(DT).unwrap();
            world.state_hash()
        };
        (0..20).map(step).collect()
    };
    assert_eq!(hashes(true), hashes(false));
}

#[test]
fn another_cloth_in_the_place_of_one_is_itself() {
    let run = |is_read: bool| {
        let mut world = crowd(Settings::default(), 2, 7);
        let _reader = is_read.then(|| world.reader());
        let mut states = Vec::new();
        for pieces in [12, 8, 12] {
            let sheet = Cloth::new(pieces, 1).unwrap().sheet().clone();
            let wave = Deformation::wave(&sheet, 0.1, 0.5);
            let mesh = MeshShape::new(sheet).unwrap();
            let id = world.insert(Body { kind: Kind::Soft(wave.into()), ..Body::fixed(mesh, Pose::IDENTITY) }).unwrap();
            for _ in 0..6 {
                world.step(DT).unwrap();
                states.push(state(world.view()));
            }
            world.remove(id).unwrap();
        }
        states
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn names_from_before_a_restored_state_name_nobody() {
    let mut world = World::new(Settings::default()).unwrap();
    let ball = || Body::kinematic(Convex::sphere(0.2).unwrap(), Pose::IDENTITY);
    let first = world.insert(ball()).unwrap();
    let start = world.snapshot();
    world.remove(first).unwrap();
    let second = world.insert(ball()).unwrap();
    world.restore(&start).unwrap();
    assert!(world.body(first).is_some() && world.body(second).is_none());
    world.remove(first).unwrap();
    let third = world.insert(ball()).unwrap();
    assert!(third != second && world.body(second).is_none());
}

#[test]
fn threads_see_whole_states_in_order() {
    let mut world = crowd(Settings::default(), 12, 9);
    world.insert(cloth(0.1)).unwrap();
    let (reader, is_over) = (world.reader(), Arc::new(AtomicBool::new(false)));
    let watch = |reader: heurt_world::Reader, is_over: Arc<AtomicBool>| {
        std::thread::spawn(move || {
            let mut seen: Vec<(u64, u64)> = Vec::new();
            while !is_over.load(Ordering::Acquire) {
                let view = reader.latest();
                if seen.last().is_none_or(|last| last.0 != view.steps()) {
                    seen.push((view.steps(), state(&view)));
                }
            }
            seen
        })
    };
    let watchers: Vec<_> = (0..2).map(|_| watch(reader.clone(), Arc::clone(&is_over))).collect();
    let mut shown = vec![state(world.view())];
    for _ in 0..300 {
        world.step(DT / 10.0).unwrap();
        shown.push(state(world.view()));
    }
    is_over.store(true, Ordering::Release);
    for watcher in watchers {
        let seen = watcher.join().unwrap();
        assert!(seen.windows(2).all(|two| two[0].0 < two[1].0), "time goes on");
        assert!(seen.iter().all(|(step, state)| shown[*step as usize] == *state), "no state is half seen");
    }
}

#[test]
fn contacts_of_a_tool_are_those_of_every_body_and_bad_questions_are_refused() {
    let mut world = crowd(Settings::default(), 24, 10);
    world.step(DT).unwrap();
    let tool = MeshShape::new(icosphere(0.6, 2).unwrap()).unwrap();
    let mut random = Random::new(3);
    let mut count = 0;
    for _ in 0..30 {
        let (pose, mask) = (random.pose(1.5), random.whole(1, 7) as u32);
        for margin in [0.0, 0.05] {
            let found = world.view().contact_manifolds(&tool, &pose, margin, QueryFilter::from_groups(mask)).unwrap();
            let matching = world.bodies().filter(|(_, body)| body.group & mask != 0);
            let expected: Vec<BodyId> = matching
                .filter(|(_, body)| contact_manifold(&tool, &pose, &body.shape, &body.pose, margin).is_some())
                .map(|(id, _)| id)
                .collect();
            assert_eq!(found.iter().map(|met| met.body).collect::<Vec<_>>(), expected);
            count += found.len();
        }
    }
    assert!(count > 50, "{count}");
    for margin in [-1.0, f64::NAN, f64::INFINITY] {
        let refused = world.view().contact_manifolds(&tool, &Pose::IDENTITY, margin, QueryFilter::ALL);
        assert!(matches!(refused, Err(WorldError::Number { field: "max_distance", .. })));
    }
}
