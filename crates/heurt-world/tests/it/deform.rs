//! Soft bodies whose vertices a caller computes: moves within a step, errors, snapshots and records.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::Cloth;
use heurt_shape::{Convex, MeshShape, Shape};
use heurt_world::{
    Body, BodyId, Deformation, Detection, Kind, Mass, Recorder, Response, Settings, World, WorldError, replay,
};

const DT: f64 = 1.0 / 60.0;

fn sheet() -> MeshShape {
    MeshShape::new(Cloth::new(6, 1).unwrap().sheet().clone()).unwrap()
}

fn vertices(world: &World, id: BodyId) -> Vec<Vec3> {
    let Shape::Mesh(mesh) = &world.body(id).unwrap().shape else { panic!("it is a mesh") };
    mesh.mesh().vertices().to_vec()
}

fn lifted(vertices: &[Vec3], by: f64) -> Vec<Vec3> {
    vertices.iter().map(|v| *v + Vec3::Z * by).collect()
}

fn world_of(detection: Detection, response: Response) -> World {
    World::new(Settings { gravity: Vec3::ZERO, detection, response, ..Settings::default() }).unwrap()
}

fn take_steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step(DT).unwrap();
    }
}

#[test]
fn vertices_go_straight_to_their_places_in_one_step_and_stay() {
    for response in [Response::None, Response::SoftStep, Response::ImpulseLcp, Response::Auto] {
        let mut world = world_of(Detection::Continuous, response);
        let cloth = world.insert(Body::soft(sheet(), Pose::IDENTITY)).unwrap();
        let start = vertices(&world, cloth);
        let middle = start.iter().sum::<Vec3>() / start.len() as f64;
        let ball = Pose::from_translation(middle + Vec3::Z).unwrap();
        let ball = world.insert(Body::kinematic(Convex::sphere(0.1).unwrap(), ball)).unwrap();
        world.step(DT).unwrap();
        assert_eq!(vertices(&world, cloth), start, "{response:?}");
        world.deform(cloth, &lifted(&start, 2.0)).unwrap();
        assert_eq!(vertices(&world, cloth), start, "nothing moves before the step");
        world.step(DT).unwrap();
        assert_eq!(vertices(&world, cloth), lifted(&start, 2.0), "{response:?}");
        // With a response, bodies that it does not move meet at the ends of steps.
        if response == Response::None {
            assert_eq!(world.events().begun, [[cloth, ball]], "it passed through the ball");
            let impact = world.contacts().iter().find_map(|touch| touch.impact).unwrap();
            // The sheet is 0.9 m below the ball and moves by 2 m in the step.
            let early = 0.45 * DT - impact.time;
            assert!((0.0..1e-7).contains(&early), "{}", impact.time);
        }
        world.step(DT).unwrap();
        assert_eq!(vertices(&world, cloth), lifted(&start, 2.0));
        assert!(world.contacts().is_empty());
    }
}

#[test]
fn some_vertices_move_and_the_last_call_counts() {
    let mut world = world_of(Detection::Discrete, Response::None);
    let cloth = world.insert(Body::soft(sheet(), Pose::IDENTITY)).unwrap();
    let start = vertices(&world, cloth);
    world.deform(cloth, &lifted(&start, 9.0)).unwrap();
    world.deform(cloth, &lifted(&start, 1.0)).unwrap();
    world.deform_moved(cloth, &[3, 5, 3], &[Vec3::X * 7.0, Vec3::Y * 5.0, Vec3::X * 8.0]).unwrap();
    world.step(DT).unwrap();
    let mut end = lifted(&start, 1.0);
    (end[3], end[5]) = (Vec3::X * 8.0, Vec3::Y * 5.0);
    assert_eq!(vertices(&world, cloth), end);
    world.deform_moved(cloth, &[0], &[Vec3::NEG_ONE]).unwrap();
    world.step(DT).unwrap();
    end[0] = Vec3::NEG_ONE;
    assert_eq!(vertices(&world, cloth), end);
}

#[test]
fn a_script_ends_with_the_first_call() {
    let mut world = world_of(Detection::Continuous, Response::None);
    let mesh = sheet();
    let wave = Deformation::wave(mesh.mesh(), 0.3, 0.1);
    let cloth = Body { kind: Kind::Soft(wave.into()), ..Body::fixed(mesh, Pose::IDENTITY) };
    let cloth = world.insert(cloth).unwrap();
    take_steps(&mut world, 3);
    let flat = lifted(&vertices(&world, cloth), 0.5);
    world.deform(cloth, &flat).unwrap();
    take_steps(&mut world, 3);
    assert_eq!(vertices(&world, cloth), flat);
}

#[test]
fn refused_vertices_change_nothing() {
    let mut world = world_of(Detection::Continuous, Response::None);
    let cloth = world.insert(Body::soft(sheet(), Pose::IDENTITY)).unwrap();
    let ball = world.insert(Body::fixed(Convex::sphere(0.1).unwrap(), Pose::IDENTITY)).unwrap();
    let start = vertices(&world, cloth);
    let count = start.len();
    let mut bad = start.clone();
    for wrong in [f64::NAN, f64::INFINITY, 2e150] {
        bad[4].y = wrong;
        assert_eq!(world.deform(cloth, &bad), Err(WorldError::Deform { id: cloth, vertex: 4 }));
    }
    let fewer = WorldError::VertexCount { id: cloth, given: count - 1, count };
    assert_eq!(world.deform(cloth, &start[1..]), Err(fewer));
    assert_eq!(world.deform(ball, &start), Err(WorldError::NotDeformable { id: ball }));
    let point = vec![Vec3::ONE; count];
    assert_eq!(world.deform(cloth, &point), Err(WorldError::Collapsed { id: cloth }));
    let beyond = world.deform_moved(cloth, &[count as u32], &[Vec3::ZERO]);
    assert_eq!(beyond, Err(WorldError::NoVertex { id: cloth, vertex: count as u32, count }));
    let unpaired = world.deform_moved(cloth, &[1, 2], &[Vec3::ZERO]);
    assert_eq!(unpaired, Err(WorldError::VertexCount { id: cloth, given: 1, count: 2 }));
    world.step(DT).unwrap();
    assert_eq!(vertices(&world, cloth), start);
    world.remove(cloth).unwrap();
    assert_eq!(world.deform(cloth, &start), Err(WorldError::NoSuchBody { id: cloth }));
}

#[test]
fn a_script_that_collapses_a_body_is_an_error_and_no_panic() {
    let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    for response in [Response::None, Response::SoftStep, Response::ImpulseLcp] {
        let mut world = world_of(Detection::Continuous, response);
        let mesh = MeshShape::new(TriMesh::new(corners.clone(), vec![[0, 1, 2]]).unwrap()).unwrap();
        let keys = Deformation::keyed(vec![(0.0, corners.clone()), (1.0, vec![Vec3::ZERO; 3])]).unwrap();
        let cloth = Body { kind: Kind::Soft(keys.into()), ..Body::fixed(mesh, Pose::IDENTITY) };
        let cloth = world.insert(cloth).unwrap();
        world.step(0.5).unwrap();
        let before = world.state_hash();
        assert_eq!(world.step(0.5), Err(WorldError::Collapsed { id: cloth }), "{response:?}");
        assert_eq!(world.state_hash(), before);
    }
}

#[test]
fn a_failed_step_keeps_the_places_for_the_next_one() {
    let mut world = world_of(Detection::Continuous, Response::None);
    let cloth = world.insert(Body::soft(sheet(), Pose::IDENTITY)).unwrap();
    let runaway = Body { velocity: Vec3::X * 1e150, ..Body::kinematic(Convex::point(), Pose::IDENTITY) };
    let runaway = world.insert(runaway).unwrap();
    let start = vertices(&world, cloth);
    world.deform(cloth, &lifted(&start, 1.0)).unwrap();
    assert!(world.step(1e3).is_err());
    assert_eq!(vertices(&world, cloth), start);
    world.remove(runaway).unwrap();
    world.step(DT).unwrap();
    assert_eq!(vertices(&world, cloth), lifted(&start, 1.0));
}

#[test]
fn snapshots_hold_the_places_of_the_next_step() {
    let mut world = world_of(Detection::Continuous, Response::None);
    let cloth = world.insert(Body::soft(sheet(), Pose::IDENTITY)).unwrap();
    world.deform(cloth, &lifted(&vertices(&world, cloth), 1.0)).unwrap();
    let before = world.snapshot();
    world.step(DT).unwrap();
    let after = world.state_hash();
    world.step(DT).unwrap();
    world.restore(&before).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.state_hash(), after);
}

#[test]
fn a_record_holds_deformations() {
    let settings = Settings { detection: Detection::Continuous, ..Settings::default() };
    let body = Body::soft(sheet(), Pose::IDENTITY);
    let mut recorder = Recorder::new(settings).unwrap();
    let cloth = recorder.insert(1, body.clone()).unwrap();
    let start = vertices(recorder.world(), cloth);
    let mut text = String::new();
    for step in 0..6 {
        recorder.deform(cloth, &lifted(&start, 0.1 * f64::from(step))).unwrap();
        recorder.deform_moved(cloth, &[2, 0], &[Vec3::ONE, Vec3::splat(1.0 / 3.0)]).unwrap();
        assert!(recorder.deform(cloth, &start[1..]).is_err());
        assert!(recorder.deform_moved(cloth, &[u32::MAX], &[Vec3::ZERO]).is_err());
        recorder.step(DT).unwrap();
        text += &recorder.take();
    }
    let again = replay(&text, |_| Some(body.clone())).unwrap();
    assert_eq!((again.steps, again.differs), (6, None));
    assert_eq!(again.world.state_hash(), recorder.world().state_hash());
}

#[test]
fn a_lifted_cloth_wakes_the_box_that_sleeps_on_it() {
    let mut world = World::new(Settings { response: Response::SoftStep, ..Settings::default() }).unwrap();
    let cloth = world.insert(Body::soft(sheet(), Pose::IDENTITY)).unwrap();
    let start = vertices(&world, cloth);
    let middle = start.iter().sum::<Vec3>() / start.len() as f64;
    let cube = Convex::cuboid(Vec3::splat(0.1)).unwrap();
    let mass = Mass::of_total(&cube.clone().into(), 1.0).unwrap();
    let at = Pose::from_translation(middle + Vec3::Z * 0.1).unwrap();
    let cube = world.insert(Body::dynamic(cube, at, mass)).unwrap();
    take_steps(&mut world, 120);
    for step in 1..=60 {
        world.deform(cloth, &lifted(&start, 0.005 * f64::from(step))).unwrap();
        world.step(DT).unwrap();
    }
    let height = world.body(cube).unwrap().pose.translation().z - middle.z;
    assert!(height > 0.35, "the cloth carries the cube: {height}");
}

#[test]
fn vertices_that_fly_off_end_the_step_with_every_response() {
    for response in [Response::None, Response::SoftStep, Response::ImpulseLcp, Response::Auto] {
        let mut world = world_of(Detection::Continuous, response);
        let triangle = TriMesh::new(vec![Vec3::ZERO, Vec3::X, Vec3::Y], vec![[0, 1, 2]]).unwrap();
        let cloth = world.insert(Body::soft(MeshShape::new(triangle).unwrap(), Pose::IDENTITY)).unwrap();
        let ball = Convex::sphere(0.1).unwrap();
        let mass = Mass::of_total(&ball.clone().into(), 1.0).unwrap();
        let pose = Pose::from_translation(Vec3::new(0.3, 0.3, 1.0)).unwrap();
        world.insert(Body::dynamic(ball, pose, mass)).unwrap();
        world.step(0.1).unwrap();
        let far = [Vec3::Z * 1e150, Vec3::X * -1e150, Vec3::Y * 1e150];
        world.deform(cloth, &far).unwrap();
        eprintln!("{response:?}");
        world.step(0.1).unwrap();
        assert_eq!(vertices(&world, cloth), far, "{response:?}");
    }
}
