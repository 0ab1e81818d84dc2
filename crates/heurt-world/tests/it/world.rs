//! The world step by step: the pairs that touch are found as by a test of every pair, for each broad phase and number
//! of threads.

use crate::support::{crowd, mass};
use heurt_geometry::{Mat3, Motion, Pose, Vec3};
use heurt_mesh::generate::{Cloth, bumpy_sphere, octasphere};
use heurt_query::{CastOptions, Ray, overlap};
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_testkit::number::random::Random;
use heurt_world::{
    Body, BodyId, BroadPhaseKind, Deformation, Detection, Keyframes, KeyframesError, Kind, Mass, QueryFilter, Settings,
    StepOptions, World, WorldError,
};
use std::sync::atomic::{AtomicU32, Ordering};

const DT: f64 = 1.0 / 60.0;

fn settings(broad_phase: BroadPhaseKind, detection: Detection) -> Settings {
    Settings { broad_phase, detection, ..Settings::default() }
}

fn meets(a: &Body, b: &Body) -> bool {
    let moves = |body: &Body| !matches!(body.kind, Kind::Static);
    (moves(a) || moves(b)) && a.group & b.mask != 0 && b.group & a.mask != 0
}

fn all_pairs(world: &World) -> Vec<[BodyId; 2]> {
    let bodies: Vec<_> = world.bodies().collect();
    let mut found = Vec::new();
    for (number, (a, body_a)) in bodies.iter().enumerate() {
        for (b, body_b) in &bodies[number + 1..] {
            let touch = || overlap(&body_a.shape, &body_a.pose, &body_b.shape, &body_b.pose).is_some();
            if meets(body_a, body_b) && touch() {
                found.push([*a, *b]);
            }
        }
    }
    found
}

fn touching(world: &World) -> Vec<[BodyId; 2]> {
    world.contacts().iter().filter(|touch| touch.contact.is_some()).map(|touch| [touch.a, touch.b]).collect()
}

#[test]
fn touches_are_those_of_all_pairs_and_events_tell_what_changed() {
    let mut world = crowd(Settings::default(), 40, 1);
    let (mut before, mut seen) = (Vec::new(), 0);
    for step in 0..60 {
        let report = world.step(DT).unwrap();
        let now = all_pairs(&world);
        assert_eq!(touching(&world), now, "step {step}");
        assert_eq!(report.touching, now.len());
        let events = world.events();
        assert_eq!(events.begun, now.iter().copied().filter(|pair| !before.contains(pair)).collect::<Vec<_>>());
        assert_eq!(events.ended, before.iter().copied().filter(|pair| !now.contains(pair)).collect::<Vec<_>>());
        assert_eq!(events.persisting + events.begun.len(), now.len());
        (before, seen) = (now, seen + report.touching);
    }
    assert!(seen > 500, "{seen} touches");
}

#[test]
fn every_broad_phase_and_any_number_of_threads_give_the_same_hashes() {
    let hashes = |kind, detection, threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = crowd(settings(kind, detection), 24, 3);
            (0..12).map(|_| world.step(DT).map(|_| world.state_hash()).unwrap()).collect::<Vec<u64>>()
        })
    };
    for detection in [Detection::Discrete, Detection::Continuous] {
        let expected = hashes(BroadPhaseKind::BruteForce, detection, 1);
        assert!(expected.windows(2).all(|pair| pair[0] != pair[1]));
        for threads in [2, 4] {
            assert_eq!(hashes(BroadPhaseKind::Tree, detection, threads), expected, "{threads} threads");
        }
        for kind in BroadPhaseKind::ALL {
            assert_eq!(hashes(kind, detection, 2), expected, "{kind:?}");
        }
    }
}

#[test]
fn bodies_fly_as_physics_says() {
    let mut world = World::new(Settings::default()).unwrap();
    let book: Shape = Convex::cuboid(Vec3::new(0.1, 0.2, 0.4)).unwrap().into();
    let start = Pose::from_translation(Vec3::new(1.0, 2.0, 3.0)).unwrap();
    let thrown = Body {
        velocity: Vec3::new(1.0, 0.0, 5.0),
        angular_velocity: Vec3::new(0.1, 4.0, 0.1),
        ..Body::dynamic(book.clone(), start, mass(&book))
    };
    let id = world.insert(thrown).unwrap();
    let (energy, [momentum, spin]) = (world.energy(), world.momentum());
    let steps = 240;
    let mut turned: f64 = 1.0;
    for _ in 0..steps {
        world.step(DT).unwrap();
        turned = turned.min(world.body(id).unwrap().pose.rotation().y_axis.y);
    }
    let time = f64::from(steps) * DT;
    let body = world.body(id).unwrap();
    let gravity = world.settings().gravity;
    let expected = start.translation() + Vec3::new(1.0, 0.0, 5.0) * time + gravity * (0.5 * time * time);
    assert!((body.pose.translation() - expected).length() < 1e-9, "{} and {expected}", body.pose.translation());
    let now = world.energy();
    let total = |e: heurt_world::Energy| e.kinetic + e.potential;
    assert!((total(now) / total(energy) - 1.0).abs() < 1e-4, "{now:?}, {energy:?}");
    let Kind::Dynamic(mass) = &body.kind else { panic!("it is dynamic") };
    assert!((world.momentum()[0] - momentum - gravity * mass.mass * time).length() < 1e-9);
    // About the centre of mass spin is kept: take off what the centre has.
    let about = |centre: Vec3, [p, l]: [Vec3; 2]| l - centre.cross(p);
    let (first, last) =
        (about(start.translation(), [momentum, spin]), about(body.pose.translation(), world.momentum()));
    assert!((first - last).length() < 1e-9 * first.length(), "{first} and {last}");
    assert!(turned < -0.5, "about the middle axis it flips over");
}

#[test]
fn an_off_centre_mass_swings_about_its_centre() {
    let mut world = World::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    let mass = Mass::new(2.0, Vec3::X, Mat3::IDENTITY).unwrap();
    let body = Body::dynamic(Convex::sphere(0.1).unwrap(), Pose::IDENTITY, mass);
    let id = world.insert(Body { angular_velocity: Vec3::Z, ..body }).unwrap();
    let centre = |world: &World| world.body(id).unwrap().centre_of_mass();
    assert_eq!(world.momentum()[0], Vec3::Y * 2.0);
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    assert!((centre(&world) - Vec3::new(1.0, 2.0, 0.0)).length() < 1e-12);
    assert!((world.momentum()[0] - Vec3::Y * 2.0).length() < 1e-12);
}

#[test]
fn a_bullet_is_seen_on_its_way() {
    let shot = |detection| {
        let mut world = World::new(settings(BroadPhaseKind::Tree, detection)).unwrap();
        let plate = Convex::cuboid(Vec3::new(1.0, 1.0, 0.001)).unwrap();
        let bullet = Body::kinematic(Convex::sphere(0.005).unwrap(), Pose::from_translation(Vec3::Z).unwrap());
        let plate = world.insert(Body::fixed(plate, Pose::IDENTITY)).unwrap();
        let bullet = world.insert(Body { velocity: Vec3::Z * -900.0, ..bullet }).unwrap();
        world.step(DT).unwrap();
        (world, [plate, bullet])
    };
    assert!(shot(Detection::Discrete).0.contacts().is_empty());
    let (mut world, pair) = shot(Detection::Continuous);
    let [touch] = world.contacts() else { panic!("{:?}", world.contacts()) };
    assert_eq!(([touch.a, touch.b], &touch.contact), (pair, &None));
    let impact = touch.impact.unwrap();
    assert!((impact.time - 0.994 / 900.0).abs() < 1e-7, "{impact:?}");
    assert_eq!((&*world.events().begun, &*world.events().ended), (&[pair][..], &[pair][..]));
    world.step(DT).unwrap();
    assert!(world.contacts().is_empty() && world.events().begun.is_empty() && world.events().ended.is_empty());
}

/// A ball that a plate of a millimetre is in the way of, at 200 m/s.
fn ball_and_plate(settings: Settings, height: f64) -> (World, [BodyId; 2]) {
    let mut world = World::new(settings).unwrap();
    let plate = Convex::cuboid(Vec3::new(1.0, 1.0, 0.001)).unwrap();
    let plate = world.insert(Body::fixed(plate, Pose::IDENTITY)).unwrap();
    let ball = Body::kinematic(Convex::sphere(0.01).unwrap(), Pose::from_translation(Vec3::Z * height).unwrap());
    let ball = world.insert(ball).unwrap();
    (world, [plate, ball])
}

fn continuous() -> Settings {
    settings(BroadPhaseKind::Tree, Detection::Continuous)
}

#[test]
fn a_body_that_was_put_elsewhere_is_seen_on_its_way() {
    let (mut world, [_, ball]) = ball_and_plate(continuous(), 0.005);
    world.step(DT).unwrap();
    assert_eq!(world.contacts().len(), 1);
    world.set_state(ball, Pose::from_translation(Vec3::Z).unwrap(), Vec3::Z * -200.0, Vec3::ZERO).unwrap();
    world.step(DT).unwrap();
    let [touch] = world.contacts() else { panic!("{:?}", world.contacts()) };
    assert!(touch.impact.is_some() && touch.contact.is_none());
}

#[test]
fn a_body_within_the_margin_is_seen_on_its_way() {
    let (mut world, [_, ball]) = ball_and_plate(Settings { margin: 0.1, ..continuous() }, 0.05);
    world.step(DT).unwrap();
    assert!(world.contacts()[0].contact.as_ref().is_some_and(|contact| contact.separation > 0.0));
    let pose = world.body(ball).unwrap().pose;
    world.set_state(ball, pose, Vec3::ZERO, Vec3::ZERO).unwrap();
    world.step(DT).unwrap();
    let body = world.remove(ball).unwrap();
    world.insert(Body { velocity: Vec3::Z * -200.0, ..body }).unwrap();
    world.step(DT).unwrap();
    assert!(world.contacts().iter().any(|touch| touch.impact.is_some()), "{:?}", world.contacts());
}

#[test]
fn who_leaves_the_margin_through_the_other_ends_once() {
    let key = |time: f64, z: f64| (time, Pose::from_translation(Vec3::Z * z).unwrap());
    let script = Keyframes::new(vec![key(0.0, 0.05), key(0.21, 0.05), key(0.29, -5.0)]).unwrap();
    let mut world = World::new(Settings { margin: 0.1, ..continuous() }).unwrap();
    let plate = Convex::cuboid(Vec3::new(1.0, 1.0, 0.001)).unwrap();
    let plate = world.insert(Body::fixed(plate, Pose::IDENTITY)).unwrap();
    let ball = world.insert(Body::scripted(Convex::sphere(0.01).unwrap(), script)).unwrap();
    let pair = [plate, ball];
    let mut events_seen = Vec::new();
    for _ in 0..4 {
        world.step(0.1).unwrap();
        events_seen.push((world.events().begun.clone(), world.events().ended.clone()));
        if events_seen.len() == 3 {
            assert!(world.contacts()[0].impact.is_some() && world.contacts()[0].contact.is_none(), "it goes through");
        }
    }
    assert_eq!(events_seen, [(vec![pair], vec![]), (vec![], vec![]), (vec![], vec![pair]), (vec![], vec![])]);
}

#[test]
fn keys_within_a_step_are_gone_by() {
    let key = |time: f64, x: f64| (time, Pose::from_translation(Vec3::X * x).unwrap());
    let script = Keyframes::new(vec![key(0.0, 0.0), key(0.008, 1.0), key(0.016, 0.0), key(1.0, 0.0)]).unwrap();
    let mut world = World::new(continuous()).unwrap();
    let post = Pose::from_translation(Vec3::X * 0.5).unwrap();
    world.insert(Body::fixed(Convex::sphere(0.1).unwrap(), post)).unwrap();
    world.insert(Body::scripted(Convex::sphere(0.1).unwrap(), script)).unwrap();
    world.step(0.016).unwrap();
    let [touch] = world.contacts() else { panic!("{:?}", world.contacts()) };
    let time = touch.impact.unwrap().time;
    assert!((time - 0.008 * 0.3).abs() < 1e-6, "{time}");
}

#[test]
fn a_snapshot_remembers_who_overlaps_and_names_stay_apart() {
    let (mut world, [plate, ball]) = ball_and_plate(continuous(), 0.005);
    world.step(DT).unwrap();
    world.remove(ball).unwrap();
    let pose = Pose::from_translation(Vec3::Z).unwrap();
    let shot = Body { velocity: Vec3::Z * -200.0, ..Body::kinematic(Convex::sphere(0.01).unwrap(), pose) };
    let bullet = world.insert(shot.clone()).unwrap();
    let snapshot = world.snapshot();
    let late = world.insert(shot.clone()).unwrap();
    world.restore(&snapshot).unwrap();
    assert!(world.body(late).is_none());
    let other = world.insert(Body { group: 2, mask: 2, ..shot }).unwrap();
    assert!(other != late && other.index() == late.index(), "the same place, another name");
    world.step(DT).unwrap();
    let touches: Vec<_> = world.contacts().iter().map(|touch| (touch.a, touch.b, touch.impact.is_some())).collect();
    assert_eq!(touches, [(plate, bullet, true)]);
    assert_eq!(world.events().ended, [[plate, ball], [plate, bullet]]);
}

#[test]
fn the_first_fault_is_told_whatever_the_threads() {
    let mut world = World::new(Settings::default()).unwrap();
    let fast = Body { velocity: Vec3::X * 1e200, ..Body::kinematic(Convex::sphere(0.5).unwrap(), Pose::IDENTITY) };
    let ids: Vec<BodyId> = (0..300).map(|_| world.insert(fast.clone()).unwrap()).collect();
    for _ in 0..20 {
        assert!(matches!(world.step(DT), Err(WorldError::Flight { id, .. }) if id == ids[0]));
    }
    let sheet = Cloth::new(6, 1).unwrap().sheet().clone();
    let wave = Deformation::wave(&sheet, 1e307, 1.0);
    let soft = Body { kind: Kind::Soft(wave.into()), ..Body::fixed(MeshShape::new(sheet).unwrap(), Pose::IDENTITY) };
    let mut world = World::new(Settings::default()).unwrap();
    world.insert(soft).unwrap();
    assert!(matches!(world.step(DT), Err(WorldError::Deform { .. })));
    assert_eq!(world.steps(), 0);
}

#[test]
fn bodies_come_and_go() {
    let mut world = World::new(Settings::default()).unwrap();
    let ball = || Body::kinematic(Convex::sphere(0.5).unwrap(), Pose::IDENTITY);
    let [a, b] = [world.insert(ball()).unwrap(), world.insert(ball()).unwrap()];
    world.step(DT).unwrap();
    assert_eq!(world.events().begun, [[a, b]]);
    world.remove(b).unwrap();
    assert_eq!(world.remove(b).unwrap_err(), WorldError::NoSuchBody { id: b });
    let c = world.insert(ball()).unwrap();
    assert_eq!((c.index(), c == b), (b.index(), false), "the place is used again");
    assert!(world.body(b).is_none() && world.body(c).is_some() && world.len() == 2);
    world.step(DT).unwrap();
    assert_eq!((&*world.events().begun, &*world.events().ended), (&[[a, c]][..], &[[a, b]][..]));
    world.set_filter(c, 2, 2).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.events().ended, [[a, c]]);
    world.set_filter(c, 1, 1).unwrap();
    world.set_state(c, Pose::from_translation(Vec3::X * 9.0).unwrap(), Vec3::ZERO, Vec3::ZERO).unwrap();
    world.step(DT).unwrap();
    assert!(world.contacts().is_empty());
    for id in [a, c] {
        world.remove(id).unwrap();
    }
    world.step(DT).unwrap();
    assert!(world.is_empty());
}

#[test]
fn a_snapshot_leads_to_the_same_states_again() {
    let mut world = crowd(settings(BroadPhaseKind::SweepAndPrune, Detection::Continuous), 30, 4);
    for _ in 0..10 {
        world.step(DT).unwrap();
    }
    let (snapshot, hash) = (world.snapshot(), world.state_hash());
    let go = |world: &mut World| {
        (0..20)
            .map(|_| {
                world.step(DT).map(|report| (report.touching, world.state_hash(), world.events().clone())).unwrap()
            })
            .collect::<Vec<_>>()
    };
    let first = go(&mut world);
    world.restore(&snapshot).unwrap();
    assert_eq!(world.state_hash(), hash);
    assert_eq!(go(&mut world), first);
}

#[test]
fn a_deadline_leaves_pairs_unproven_and_says_so() {
    let mut world = crowd(Settings::default(), 40, 5);
    world.step(DT).unwrap();
    let before = touching(&world);
    assert!(!before.is_empty());
    let clock = || 1.0;
    // Time is over at once.
    let report = world.step_with(DT, &StepOptions { clock: Some(&clock), deadline: Some(0.0) }).unwrap();
    assert_eq!((report.touching, report.unproven), (0, report.pairs));
    let possible = world.unproven().to_vec();
    assert!(all_pairs(&world).iter().all(|pair| possible.contains(pair)), "nobody else can touch");
    assert!(world.events().ended.iter().all(|pair| !possible.contains(pair)), "nothing is known of them");
    // Those that go on touching are no news, those that parted meanwhile are.
    let report = world.step_with(DT, &StepOptions { clock: Some(&clock), deadline: Some(1.0) }).unwrap();
    let events = world.events();
    assert!(events.begun.iter().all(|pair| !before.contains(pair)));
    assert!(before.iter().all(|pair| touching(&world).contains(pair) || events.ended.contains(pair)));
    assert_eq!(report.unproven, 0);
    assert_eq!(touching(&world), all_pairs(&world));
}

/// Time that ends while two meshes are compared leaves what was found by then.
#[test]
fn a_deadline_cuts_a_single_pair_short() {
    let ball = Shape::from(MeshShape::new(octasphere(1.0, 60).unwrap()).unwrap());
    let mut world = World::new(Settings::default()).unwrap();
    for x in [0.0, 1.1] {
        let at = |y: f64| Pose::from_translation(Vec3::new(x, y, 0.0)).unwrap();
        world.insert(Body::fixed(ball.clone(), at(0.0))).unwrap();
        world.insert(Body::kinematic(ball.clone(), at(0.4))).unwrap();
    }
    let (mut some, mut cut) = (0, 0);
    for ticks in [3, 5, 9, 17, 33, 65, 129, 257, 1 << 20] {
        let ticking = AtomicU32::new(0);
        let clock = || f64::from(ticking.fetch_add(1, Ordering::Relaxed));
        let report =
            world.step_with(DT, &StepOptions { clock: Some(&clock), deadline: Some(f64::from(ticks)) }).unwrap();
        assert_eq!(report.unproven, world.unproven().len());
        let known = touching(&world);
        for pair in all_pairs(&world) {
            assert!(known.contains(&pair) || world.unproven().contains(&pair), "{pair:?} after {ticks} ticks");
        }
        cut += usize::from(report.unproven > 0);
        some += usize::from(known.iter().any(|pair| world.unproven().contains(pair)));
        assert!(ticks < 1 << 20 || report.unproven == 0);
    }
    assert!(cut > 2 && some > 0, "{cut} steps were cut, {some} with contacts of pairs that were");
}

/// Time that ends while the way of two bodies is searched leaves them unproven, never free, and soon.
#[test]
fn a_deadline_reaches_into_the_way_of_a_pair() {
    let star = Shape::from(MeshShape::new(bumpy_sphere(1.0, 0.2, 9.0, 60).unwrap()).unwrap());
    let spinning = |x: f64, speed: f64| {
        let pose = Pose::from_translation(Vec3::new(x, 0.1, 0.0)).unwrap();
        let (velocity, angular_velocity) = (Vec3::new(speed, 0.0, 60.0 * x.signum()), Vec3::new(9.0, 40.0, 3.0));
        Body { velocity, angular_velocity, ..Body::kinematic(star.clone(), pose) }
    };
    // They pass through each other, or past.
    for speed in [400.0, 30.0] {
        let begin = || {
            let mut world = World::new(settings(BroadPhaseKind::Tree, Detection::Continuous)).unwrap();
            world.insert(spinning(-1.9, speed)).unwrap();
            world.insert(spinning(1.9, -speed)).unwrap();
            world
        };
        let mut world = begin();
        assert_eq!(world.step(DT).unwrap().unproven, 0);
        let whole = world.contacts().to_vec();
        let (mut cut, mut ticks, mut is_whole) = (0, 2, false);
        while !is_whole {
            let (mut world, ticking) = (begin(), AtomicU32::new(0));
            let clock = || f64::from(ticking.fetch_add(1, Ordering::Relaxed));
            let options = StepOptions { clock: Some(&clock), deadline: Some(f64::from(ticks)) };
            let report = world.step_with(DT, &options).unwrap();
            let looks = ticking.load(Ordering::Relaxed);
            assert!(looks < ticks + 40, "{looks} looks at a clock that ends after {ticks}");
            assert_eq!((report.pairs, report.cut), (1, report.unproven));
            assert!(report.cut == 1 || world.contacts() == whole, "after {ticks} looks");
            assert!(report.cut == 0 || world.unproven().len() == 1);
            cut += report.cut;
            ticks += 1 + ticks / 3;
            is_whole = report.cut == 0;
        }
        assert!(cut > 6, "{cut} steps of {speed} m/s were cut");
    }
}

#[test]
fn scripts_and_waves_move_bodies() {
    let key = |time: f64, x: f64| (time, Pose::from_translation(Vec3::X * x).unwrap());
    let script = Keyframes::new(vec![key(0.0, 0.0), key(1.0, 2.0), key(3.0, 2.0)]).unwrap();
    assert_eq!(script.pose_at(-1.0), script.pose_at(0.0));
    assert_eq!(script.pose_at(9.0).translation(), Vec3::X * 2.0);
    assert_eq!(Keyframes::new(vec![]), Err(KeyframesError::Empty));
    assert!(matches!(Keyframes::new(vec![key(1.0, 0.0), key(1.0, 0.0)]), Err(KeyframesError::Time { key: 1, .. })));
    let mut world = World::new(Settings::default()).unwrap();
    let box_ = world.insert(Body::scripted(Convex::sphere(0.1).unwrap(), script)).unwrap();
    let sheet = Cloth::new(12, 1).unwrap().sheet().clone();
    let (wave, mesh) = (Deformation::wave(&sheet, 0.1, 0.5), MeshShape::new(sheet).unwrap());
    let soft = Body {
        kind: Kind::Soft(wave.into()),
        ..Body::fixed(mesh, Pose::from_translation(Vec3::new(0.5, -0.5, 0.0)).unwrap())
    };
    let cloth = world.insert(soft).unwrap();
    let (mut met, mut heights) = (0, Vec::new());
    for step in 1..=90 {
        met += world.step(DT).unwrap().touching;
        assert_eq!(touching(&world), all_pairs(&world), "step {step}");
        let Shape::Mesh(mesh) = &world.body(cloth).unwrap().shape else { panic!("a mesh") };
        heights.push(mesh.bounds().max.z);
    }
    assert!(met > 10 && heights.iter().all(|z| (0.05..=0.1).contains(z)), "{met} touches, {heights:?}");
    let body = world.body(box_).unwrap();
    assert_eq!((body.pose.translation(), body.velocity), (Vec3::X * 2.0, Vec3::ZERO));
}

#[test]
fn the_whole_world_is_asked_as_body_by_body() {
    let mut world = crowd(Settings::default(), 40, 6);
    let mut random = Random::new(7);
    for _ in 0..20 {
        world.step(DT).unwrap();
        let ray = Ray::new(random.vector(3.0), random.vector(1.0), f64::INFINITY).unwrap();
        let first = world.bodies().filter_map(|(_, body)| heurt_query::ray(&body.shape, &body.pose, &ray));
        let first = first.map(|hit| hit.t).min_by(f64::total_cmp);
        assert_eq!(world.view().ray(&ray, QueryFilter::ALL).unwrap().map(|met| met.hit.t), first);
        let point = random.vector(2.0);
        let near = world.bodies().map(|(_, body)| heurt_query::closest(&body.shape, &body.pose, point).distance);
        let near = near.min_by(f64::total_cmp);
        assert_eq!(
            world.view().closest(point, f64::INFINITY, QueryFilter::ALL).unwrap().map(|met| met.hit.distance),
            near
        );
        let (probe, pose) = (Convex::sphere(0.4).unwrap(), random.pose(1.5));
        let met = world.bodies().filter(|(_, body)| overlap(&probe, &pose, &body.shape, &body.pose).is_some());
        assert_eq!(
            world.view().overlaps(&probe, &pose, QueryFilter::ALL).unwrap(),
            met.map(|(id, _)| id).collect::<Vec<_>>()
        );
        let (motion, options) = (Motion::linear(random.vector(3.0)).unwrap(), CastOptions::default());
        let impact = |(_, body): (BodyId, &Body)| {
            heurt_query::cast(&probe, &pose, &motion, &body.shape, &body.pose, &Motion::STILL, &options).unwrap()
        };
        let [time, upper] = world
            .bodies()
            .filter_map(impact)
            .fold([f64::INFINITY; 2], |[time, upper], hit| [time.min(hit.time), upper.min(hit.time_upper)]);
        match world.view().cast(&probe, &pose, &motion, &options, QueryFilter::ALL).unwrap() {
            Some(met) => assert!(met.hit.time <= upper && time <= met.hit.time_upper, "{met:?}, {time} to {upper}"),
            None => assert_eq!(time, f64::INFINITY),
        }
    }
}

#[test]
fn faults_leave_the_world_as_it_was() {
    let mut world = crowd(Settings::default(), 10, 8);
    world.step(DT).unwrap();
    let hash = world.state_hash();
    let ball = || Body::kinematic(Convex::sphere(0.5).unwrap(), Pose::IDENTITY);
    for body in [
        Body { velocity: Vec3::splat(f64::NAN), ..ball() },
        Body { angular_velocity: Vec3::splat(f64::INFINITY), ..ball() },
        Body { restitution: 1.5, ..ball() },
        Body { friction: -1.0, ..ball() },
    ] {
        assert!(matches!(world.insert(body), Err(WorldError::Number { .. })));
    }
    let sound = mass(&Convex::sphere(0.5).unwrap().into());
    for (mass, words) in [
        (Mass { mass: f64::NAN, ..sound }, "mass is NaN"),
        (Mass { inertia: -sound.inertia, ..sound }, "is that of no body"),
        (Mass { centre: Vec3::splat(f64::INFINITY), ..sound }, "the centre of mass"),
    ] {
        let refused = world.insert(Body { kind: Kind::Dynamic(mass.into()), ..ball() }).unwrap_err();
        assert!(matches!(refused, WorldError::Mass(_)) && refused.to_string().contains(words), "{refused}");
    }
    assert!(matches!(world.step(0.0), Err(WorldError::Number { field: "dt", .. })));
    assert!(matches!(world.step(f64::NAN), Err(WorldError::Number { field: "dt", .. })));
    assert_eq!(world.state_hash(), hash);
    let fast = world.insert(Body { velocity: Vec3::X * 1e200, ..ball() }).unwrap();
    let hash = world.state_hash();
    assert!(matches!(world.step(DT), Err(WorldError::Flight { id, .. }) if id == fast));
    assert_eq!(world.state_hash(), hash);
    let away = Pose::from_translation(Vec3::Y * -2e150).unwrap();
    let refused = world.insert(Body { pose: away, ..ball() }).unwrap_err();
    assert_eq!(refused.to_string(), "translation is -2e150: give numbers within ±1e150");
    assert_eq!(world.set_state(fast, away, Vec3::ZERO, Vec3::ZERO), Err(refused));
    assert_eq!(world.state_hash(), hash);
    world.remove(fast).unwrap();
    world.step(DT).unwrap();
    assert!(matches!(World::new(Settings { margin: -1.0, ..Settings::default() }), Err(WorldError::Number { .. })));
    let sphere: Shape = Convex::sphere(1.0).unwrap().into();
    assert!(Mass::of_density(&sphere, 0.0).is_err() && Mass::of_total(&sphere, f64::NAN).is_err());
    assert!(Mass::new(1.0, Vec3::ZERO, Mat3::from_diagonal(Vec3::new(1.0, -1.0, 1.0))).is_err());
    assert!(Mass::of_density(&Convex::half_space(Vec3::Z, 0.0).unwrap().into(), 1.0).is_err());
    for scale in [1e120, 1e-120, f64::INFINITY, f64::NAN] {
        assert!(Mass::new(1.0, Vec3::ZERO, Mat3::from_diagonal(Vec3::splat(scale))).is_err(), "{scale} has no inverse");
    }
    assert!(Mass::of_density(&sphere, 1e200).is_err());
    for (x, y, z, is_of_a_body) in
        [(1.0, 1.0, 1.0, true), (1.0, 2.0, 3.0, true), (1e-9, 2.0, 2.0, true), (1.0, 1.0, 2.001, false)]
    {
        let mut random = Random::new(7);
        for _ in 0..50 {
            let turn = *random.pose(0.0).rotation();
            let inertia = turn * Mat3::from_diagonal(Vec3::new(x, y, z)) * turn.transpose();
            let made = Mass::new(1.0, Vec3::ZERO, (inertia + inertia.transpose()) * 0.5);
            assert_eq!(made.is_ok(), is_of_a_body, "{x} {y} {z}: {made:?}");
        }
    }
    let vast: Shape = Convex::sphere(1e300).unwrap().into();
    assert!(Mass::of_total(&vast, 1.0).unwrap_err().to_string().starts_with("the inertia of the shape at this mass"));
    let lost = Mass::new(1.0, Vec3::new(0.0, f64::NAN, 0.0), Mat3::IDENTITY).unwrap_err();
    assert_eq!(lost.to_string(), "the centre of mass [0.0, NaN, 0.0] is not finite: give three finite numbers");
    let huge = Mass::of_density(&sphere, -1e300).unwrap_err();
    assert_eq!(huge.to_string(), "density is -1e300: give a finite number above 0");
    let nowhere = world.view().closest(Vec3::ZERO, f64::NAN, QueryFilter::ALL).unwrap_err();
    assert_eq!(nowhere.to_string(), "max_distance is NaN: give a distance, which may be infinite");
    assert!(world.view().closest(Vec3::ZERO, -1.0, QueryFilter::ALL).unwrap().is_none(), "nothing is so near");
}

/// Many go, come and are put elsewhere between two steps, in places used again: touches are found as by a test of
/// all pairs, and a snapshot that is taken meanwhile leads to the same as the world itself.
#[test]
fn what_goes_between_two_steps_is_forgotten_by_the_next() {
    for detection in [Detection::Discrete, Detection::Continuous] {
        let mut world = crowd(settings(BroadPhaseKind::Tree, detection), 40, 9);
        let mut random = Random::new(10);
        let mut before: Vec<[BodyId; 2]> = Vec::new();
        for step in 0..30 {
            let ids: Vec<BodyId> = world.bodies().skip(1).map(|(id, _)| id).collect();
            for id in ids {
                match random.whole(0, 5) {
                    0 => {
                        let body = world.remove(id).unwrap();
                        let moved = Body { pose: random.pose(1.5), ..body };
                        let new = world.insert(moved).unwrap();
                        assert!(new.index() == id.index() && new != id);
                    }
                    1 => world.set_state(id, random.pose(1.5), random.vector(2.0), random.vector(3.0)).unwrap(),
                    _ => {}
                }
            }
            let snapshot = world.snapshot();
            let error_of = |world: &mut World| {
                let report = world.step(DT).unwrap();
                let touches: Vec<_> = world.contacts().iter().map(|touch| (touch.a, touch.b)).collect();
                (report.pairs, touches, world.events().clone(), world.unproven().to_vec(), world.state_hash())
            };
            let first = error_of(&mut world);
            world.restore(&snapshot).unwrap();
            assert_eq!(error_of(&mut world), first, "step {step}");
            let now = all_pairs(&world);
            assert_eq!(touching(&world), now, "step {step}");
            let ended = before.iter().filter(|pair| !now.contains(pair));
            assert!(ended.into_iter().all(|pair| world.events().ended.contains(pair)), "step {step}");
            before = now;
        }
    }
}

#[test]
fn a_keyed_deformation_goes_straight_from_key_to_key() {
    let places = |z: f64| vec![Vec3::Z * z, Vec3::X + Vec3::Z * z, Vec3::Y];
    let keyed = Deformation::keyed(vec![(1.0, places(0.0)), (2.0, places(4.0)), (2.5, places(5.0))]).unwrap();
    for (time, z) in [(0.0, 0.0), (1.0, 0.0), (1.25, 1.0), (2.0, 4.0), (2.25, 4.5), (2.5, 5.0), (9.0, 5.0)] {
        assert_eq!(keyed.vertices(time), places(z), "at {time} s");
    }
    assert_eq!(Deformation::keyed(vec![]), Err(KeyframesError::Empty));
    let twice = vec![(1.0, places(0.0)), (1.0, places(1.0))];
    assert_eq!(Deformation::keyed(twice), Err(KeyframesError::Time { key: 1, time: 1.0 }));
    let fewer = vec![(1.0, places(0.0)), (2.0, vec![Vec3::ZERO])];
    assert_eq!(Deformation::keyed(fewer), Err(KeyframesError::Vertices { key: 1, given: 1, count: 3 }));
}
