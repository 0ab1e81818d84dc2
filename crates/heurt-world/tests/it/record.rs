//! Records of worlds that bodies come to and go from: replayed they lead to the same states, and may be cut off anywhere.

use crate::support::{mass, shapes};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::Cloth;
use heurt_shape::{Convex, MeshShape};
use heurt_testkit::number::random::Random;
use heurt_world::{
    Body, BodyId, BroadPhaseKind, Deformation, Detection, JointDesign, JointKind, Keyframes, Kind, Mass, Motor,
    Recorder, ReplayError, Response, Settings, WorldError, replay,
};

const DT: f64 = 1.0 / 60.0;

/// Bodies of all kinds, by number; where they stand and how they move is for others to say.
fn models() -> Vec<Body> {
    let mut models = Vec::new();
    for shape in shapes() {
        models.push(Body::fixed(shape.clone(), Pose::IDENTITY));
        models.push(Body::kinematic(shape.clone(), Pose::IDENTITY));
        models.push(Body::dynamic(shape.clone(), Pose::IDENTITY, mass(&shape)));
    }
    let sheet = Cloth::new(6, 1).unwrap().sheet().clone();
    let wave = Kind::Soft(Deformation::wave(&sheet, 0.2, 0.3).into());
    models.push(Body { kind: wave, ..Body::fixed(MeshShape::new(sheet).unwrap(), Pose::IDENTITY) });
    let keys = [0.0, 0.1, 0.4].map(|time| (time, Pose::from_translation(Vec3::X * time).unwrap()));
    models.push(Body::scripted(Convex::sphere(0.2).unwrap(), Keyframes::new(keys.to_vec()).unwrap()));
    models
}

/// A world in which much happens, its record in pieces, and the hash after each step.
fn eventful(settings: Settings, steps: usize, seed: u64) -> (Recorder, Vec<String>, Vec<u64>) {
    let (mut random, models) = (Random::new(seed), models());
    let mut recorder = Recorder::new(settings).unwrap();
    let mut ids: Vec<BodyId> = Vec::new();
    let (mut pieces, mut hashes) = (Vec::new(), Vec::new());
    for _ in 0..steps {
        for _ in 0..random.whole(1, 3) {
            let model = random.whole(0, models.len() as i64 - 1) as usize;
            let body = Body { pose: random.pose(1.2), velocity: random.vector(2.0), ..models[model].clone() };
            let body = Body { angular_velocity: random.vector(3.0), group: random.bits() as u32 | 1, ..body };
            ids.push(recorder.insert(model as u64, body).unwrap());
        }
        if ids.len() > 3 {
            let [placed, filtered, gone] = [0; 3].map(|_| random.whole(0, ids.len() as i64 - 1) as usize);
            recorder.set_state(ids[placed], random.pose(1.2), random.vector(2.0), random.vector(2.0)).unwrap();
            recorder.set_filter(ids[filtered], random.bits() as u32, u32::MAX).unwrap();
            let id = ids.swap_remove(gone);
            recorder.remove(id).unwrap();
            // What is refused is not recorded.
            assert_eq!(recorder.remove(id).unwrap_err(), WorldError::NoSuchBody { id });
            assert!(recorder.set_state(id, Pose::IDENTITY, Vec3::ZERO, Vec3::ZERO).is_err());
        }
        assert!(recorder.step(f64::NAN).is_err());
        recorder.step(DT).unwrap();
        pieces.push(recorder.take());
        hashes.push(recorder.world().state_hash());
    }
    (recorder, pieces, hashes)
}

fn replayed(text: &str) -> heurt_world::Replayed {
    let models = models();
    replay(text, |model| models.get(model as usize).cloned()).unwrap()
}

#[test]
fn a_replay_leads_to_the_same_states() {
    let gravity = Vec3::new(0.1, -0.0, -9.81);
    for (seed, detection) in [(1, Detection::Discrete), (2, Detection::Continuous)] {
        for (broad_phase, margin) in [(BroadPhaseKind::Tree, 0.0), (BroadPhaseKind::SweepAndPrune, 0.1)] {
            let settings = Settings { gravity, broad_phase, detection, margin, ..Settings::default() };
            let (recorder, pieces, _) = eventful(settings, 40, seed);
            let again = replayed(&pieces.concat());
            assert_eq!((again.steps, again.differs), (40, None));
            assert_eq!(again.world.settings(), &settings);
            assert_eq!(again.world.state_hash(), recorder.world().state_hash());
            assert_eq!(again.world.events(), recorder.world().events());
            assert!(again.world.len() > 10 && !again.world.contacts().is_empty());
        }
    }
}

#[test]
fn a_record_may_be_cut_off_anywhere() {
    let (_, pieces, hashes) = eventful(Settings::default(), 6, 3);
    let text = pieces.concat();
    let ends: Vec<usize> = (1..=pieces.len()).map(|count| pieces[..count].concat().len()).collect();
    let settings = text.match_indices('\n').nth(1).unwrap().0 + 1;
    for end in (settings..=text.len()).filter(|end| end % 61 == 0 || ends.contains(end)) {
        let again = replayed(&text[..end]);
        let whole = ends.iter().filter(|at| **at <= end).count();
        assert_eq!((again.steps, again.differs), (whole as u64, None), "{end} bytes");
        assert!(whole == 0 || again.world.state_hash() == hashes[whole - 1], "{end} bytes");
    }
}

#[test]
fn the_first_step_that_differs_is_told() {
    let (_, pieces, hashes) = eventful(Settings::default(), 8, 4);
    let text = pieces.concat();
    let forged = text.replace(&format!("{:016x}", hashes[4]), "00000000000000aa");
    let differs = replayed(&forged).differs.unwrap();
    assert_eq!((differs.step, differs.recorded, differs.found), (5, 0xaa, hashes[4]));
    // The same bodies, but one is of another size: told at the latest when it touches.
    let mut models = models();
    models.iter_mut().for_each(|model| model.shape = Convex::sphere(0.01).unwrap().into());
    models.iter_mut().for_each(|model| model.kind = Kind::Kinematic(None));
    assert!(replay(&text, |model| models.get(model as usize).cloned()).unwrap().differs.is_some());
}

#[test]
fn what_is_no_record_is_refused_with_its_line() {
    let (_, pieces, _) = eventful(Settings::default(), 3, 5);
    let text = pieces.concat();
    let models = models();
    let refused = |text: &str| replay(text, |model| models.get(model as usize).cloned()).unwrap_err();
    for text in ["", "{}\n", "heurt world record 2\n", "heurt world record 1"] {
        assert_eq!(refused(text), ReplayError::NotARecord, "{text}");
    }
    assert!(matches!(refused("heurt world record 1\n"), ReplayError::Line { line: 2, .. }));
    let nobody = replay(&text, |_| None).unwrap_err();
    assert!(matches!(nobody, ReplayError::NoModel { line: 3, .. }), "{nobody}");
    let first = text.lines().nth(2).unwrap();
    for (from, to, line) in [
        ("\nworld ", "\nword ", 2),
        (" tree ", " bush ", 2),
        (" discrete ", " discreet ", 2),
        ("insert ", "invert ", 3),
        (first, &format!("{first} 1"), 3),
        (first, "remove 0", 3),
        (first, "place 0 0 1 2 3", 3),
        (first, "remove 4294967296 0", 3),
        (first, "", 3),
    ] {
        match refused(&text.replacen(from, to, 1)) {
            ReplayError::Line { line: found, .. } => assert_eq!(found, line, "{from} {to}"),
            other => panic!("{from} {to}: {other}"),
        }
    }
    let gone = text.replacen(first, "remove 9 9", 1);
    assert!(matches!(refused(&gone), ReplayError::World { line: 3, source: WorldError::NoSuchBody { .. } }));
    let step = text.lines().position(|line| line.starts_with("step ")).unwrap();
    let still = text.replacen("step 0.0", "step -0.0", 1);
    assert!(matches!(refused(&still), ReplayError::World { line, .. } if line == step + 1));
}

#[test]
fn forces_impulses_and_joints_are_replayed() {
    let settings = Settings { response: Response::ImpulseLcp, ..Settings::default() };
    let ball = || {
        let shape = Convex::sphere(0.2).unwrap();
        let mass = Mass::of_total(&shape.clone().into(), 1.0).unwrap();
        Body::dynamic(shape, Pose::from_translation(Vec3::Z).unwrap(), mass)
    };
    let floor = || Body::fixed(Convex::half_space(Vec3::Z, 0.0).unwrap(), Pose::IDENTITY);
    let mut recorder = Recorder::new(settings).unwrap();
    recorder.insert(0, floor()).unwrap();
    let id = recorder.insert(1, ball()).unwrap();
    let design = JointDesign {
        anchor: Vec3::new(0.3, 0.0, 1.5),
        limits: Some([-1.0, 1.0]),
        motor: Some(Motor { velocity: 0.5, max_force: 2.0 }),
        break_at: Some(1e6),
        axis: Vec3::Y,
        ..JointDesign::new(JointKind::Hinge, id)
    };
    let joint = recorder.insert_joint(&design).unwrap();
    for k in 0..40 {
        match k {
            3 => recorder.apply_force(id, Vec3::X, Some(Vec3::Z)).unwrap(),
            5 => recorder.apply_torque(id, Vec3::Y).unwrap(),
            7 => recorder.apply_impulse(id, Vec3::X * 0.1, None).unwrap(),
            9 => recorder.apply_angular_impulse(id, Vec3::Z * 0.01).unwrap(),
            20 => drop(recorder.remove_joint(joint).unwrap()),
            _ => {}
        }
        recorder.step(1.0 / 60.0).unwrap();
    }
    let text = recorder.take();
    let again = replay(&text, |model| Some(if model == 0 { floor() } else { ball() })).unwrap();
    assert_eq!((again.steps, again.differs), (40, None));
    assert_eq!(again.world.state_hash(), recorder.world().state_hash());
}
