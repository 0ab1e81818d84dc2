//! Contact problems as text: bits that survive, solves of written problems, keys of hostile files.

use heurt_rigid::{ImpulseLcp, Level, RigidBody, SolveOptions, StatedProblem};
use heurt_scene::{DiskFiles, ProblemTextError, Scene, ShapeStore, parse_problem, problem_text};
use heurt_world::{ProblemOrigin, World};
use std::path::Path;

const STACK: &str = r#"
    [world]
    response = "impulse-lcp"
    [[body]]
    name = "floor"
    kind = "static"
    shape = { type = "half_space", normal = [0, 0, 1], offset = 0 }
    [[body]]
    name = "box"
    shape = { type = "box", half = [0.5, 0.5, 0.5] }
    pose = [0, 0, 0.5]
    linear_velocity = [3, 0, 0]
    count = 2
    spacing = [0, 0, 1]
    [[body]]
    name = "door"
    shape = { type = "box", half = [0.5, 0.05, 0.5] }
    pose = [5, 0, 2]
    [[joint]]
    kind = "hinge"
    a = "door"
    anchor = [5, 0, 2.5]
    axis = [0, 1, 0]
"#;

fn world_of(text: &str) -> (World, Vec<String>) {
    let store = ShapeStore::new(DiskFiles, 1, None).expect("a thread");
    let scene = Scene::read(text, Path::new("."), &store).expect("a scene");
    let (world, names) = scene.build().expect("a world");
    (world, names.bodies)
}

fn stated(world: &World, names: &[String]) -> StatedProblem {
    let problem = world.contact_problem(1.0 / 60.0).expect("a step");
    problem.with_names(|id| names[id.index()].clone())
}

/// Steps a scene, writes, reads and solves the problem of each step, and returns the largest difference between the
/// velocities of the solution and those of the world, in m/s and rad/s.
fn solve_each_step(text: &str) -> f64 {
    let (mut world, names) = world_of(text);
    world.keep_problem(true);
    let mut worst = 0.0f64;
    for step in 0..30 {
        world.step(1.0 / 60.0).expect("a step");
        let written = stated(&world, &names);
        let text = problem_text(&written).expect("text");
        let read = parse_problem(text.as_bytes()).expect("a problem");
        assert_eq!(read, written, "step {step}");
        assert_eq!(problem_text(&read).expect("text"), text);
        assert_eq!(world.contact_problem(1.0).expect("a step").origin, ProblemOrigin::Solved);
        let solved = read.solve(&ImpulseLcp::default(), &SolveOptions::default()).expect("solved");
        assert!(solved.solution.residual <= 1e-10, "{step}: {}", solved.solution.residual);
        // A step of these scenes is one piece, and no force acts beyond those of the problem.
        for (body, name) in solved.bodies.iter().zip(&read.names).filter(|(body, _)| body.is_movable()) {
            let place = names.iter().position(|known| known == name).expect("a body");
            let (_, known) = world.bodies().nth(place).expect("a body");
            let error = body.velocity - known.velocity_at(known.centre_of_mass());
            worst = worst.max(error.length()).max((body.angular_velocity - known.angular_velocity).length());
        }
    }
    worst
}

#[test]
fn a_written_problem_of_a_step_gives_its_velocities() {
    let one_island = STACK.split("[[joint]]").next().expect("text").replace("[5, 0, 2]", "[5, 0, 20]");
    let worst = solve_each_step(&one_island);
    assert!(worst < 1e-12, "an island alone: {worst}");
    // Two islands in one problem: another method finds impulses that are as exact, and almost the same.
    let worst = solve_each_step(STACK);
    assert!(worst < 1e-9, "{worst}");
}

#[test]
fn other_responses_have_the_problem_of_their_contacts() {
    for response in ["soft-step", "auto", "none"] {
        let text = STACK.replace("impulse-lcp", response);
        let text = if response == "none" { text.split("[[joint]]").next().expect("text").to_owned() } else { text };
        let (mut world, names) = world_of(&text);
        for _ in 0..10 {
            world.step(1.0 / 60.0).expect("a step");
        }
        let problem = world.contact_problem(1.0 / 60.0).expect("a step");
        assert_eq!(problem.origin, ProblemOrigin::Contacts, "{response}");
        let written = stated(&world, &names);
        assert_eq!(written.level, Level::Step { dt: 1.0 / 60.0 });
        let read = parse_problem(problem_text(&written).expect("text").as_bytes()).expect("a problem");
        assert_eq!(read, written, "{response}");
        assert_eq!(read.problem.rows.is_empty(), response == "none");
    }
    let (world, _) = world_of(STACK);
    assert!(world.contact_problem(0.0).is_err() && world.contact_problem(f64::NAN).is_err());
}

#[test]
fn the_impact_of_a_bounce_is_the_last_problem_of_its_step() {
    let text = STACK.replace("pose = [0, 0, 0.5]", "pose = [0, 0, 1.5]").replace("count = 2", "count = 1");
    let text = text.split("[[joint]]").next().expect("text").to_owned() + "gravity_scale = 0";
    let (mut world, names) = world_of(&text);
    world.keep_problem(true);
    let is_impact = |world: &World| stated(world, &names).level == Level::Impact;
    let met = (0..60).find(|_| {
        world.step(1.0 / 60.0).expect("a step");
        is_impact(&world)
    });
    assert!(met.is_some(), "the box falls by 1 m");
    let solved = stated(&world, &names).solve(&ImpulseLcp::default(), &SolveOptions::default()).expect("solved");
    assert!(solved.solution.energy[1] <= solved.solution.energy[0]);
    world.step(1.0 / 60.0).expect("a step");
    assert!(!is_impact(&world), "it flies");
}

/// The key and the message of the error of a text.
fn fault(text: &str) -> (String, String) {
    let error = parse_problem(text.as_bytes()).expect_err(text);
    (error.key().to_owned(), error.to_string())
}

const BALL: &str = r#"{"level":"step","dt":0.01,"names":["floor","ball"],
"bodies":[{"inverse_mass":0},{"inverse_mass":1,"inverse_inertia":[1,0,0,0,1,0,0,0,1],"velocity":[0,0,-1]}],
"contacts":[{"bodies":[0,1],"normal":[0,0,1],"arms":[[0,0,0],[0,0,-1]],"gap":0.5,"friction":0.5}],
"rows":[{"bodies":[0,1],"linear":[1,0,0],"bounds":[null,2]}]}"#;

#[test]
fn hostile_files_name_the_key() {
    let stated = parse_problem(BALL.as_bytes()).expect("a problem");
    assert_eq!(stated.problem.rows[0].bounds, [f64::NEG_INFINITY, 2.0]);
    assert_eq!(stated.problem.bodies[0], RigidBody::FIXED);
    for (from, to, key, part) in [
        (r#""step""#, r#""jump""#, "level", "one of impact, force, step"),
        (r#""dt":0.01,"#, "", "dt", "missing"),
        ("0.01", "-0.01", "dt", "a number above 0"),
        (r#""step""#, r#""impact""#, "dt", "leave it out"),
        (r#"["floor","#, "[", "names", "there are 2 bodies"),
        (r#""inverse_mass":1"#, r#""inverse_mass":-1"#, "bodies[1].inverse_mass", "at least 0"),
        (r#""inverse_mass":1"#, r#""inverse_mass":null"#, "bodies[1].inverse_mass", "null is not a finite number"),
        (r#""inverse_mass":1,"#, "", "bodies[1].inverse_mass", "missing"),
        (r#""inverse_mass":1,"#, r#""mass":1,"#, "bodies[1].mass", "unknown field"),
        ("[1,0,0,0,1,0,0,0,1]", "[1,0,0,0,-1,0,0,0,1]", "bodies[1].inverse_inertia", "inertia"),
        ("[1,0,0,0,1,0,0,0,1]", "[1]", "bodies[1].inverse_inertia", "a list of 9 numbers"),
        ("[0,0,-1]}],", r#"[0,"a",-1]}],"#, "bodies[1].velocity[1]", "a finite number"),
        ("[0,1],\"normal\"", "[0,2],\"normal\"", "contacts[0].bodies", "there are 2 bodies"),
        ("[0,1],\"normal\"", "[1,1],\"normal\"", "contacts[0].bodies", "with itself"),
        ("[0,1],\"normal\"", "[0,-1],\"normal\"", "contacts[0].bodies", "two bodies"),
        ("[0,1],\"normal\"", "[0,1,1],\"normal\"", "contacts[0].bodies", "two bodies"),
        ("\"normal\":[0,0,1]", "\"normal\":[0,0,2]", "contacts[0].normal", "length"),
        ("[[0,0,0],", "[", "contacts[0].arms", "two vectors"),
        ("\"gap\":0.5", "\"gap\":null", "contacts[0].gap", "a finite number"),
        ("\"friction\":0.5", "\"friction\":-0.5", "contacts[0].friction", "at least 0"),
        ("\"friction\":0.5", "\"restitution\":1.5", "contacts[0].restitution", "1.5"),
        ("[0,1],\"linear\"", "[0,9],\"linear\"", "rows[0].bodies", "there are 2 bodies"),
        ("[null,2]", "[3,2]", "rows[0].bounds", "3 and 2"),
        ("[null,2]", "[null]", "rows[0].bounds", "two numbers"),
        ("\"gap\":0.5", "\"gap\":0.5,\"gap\":1", "contacts[0].gap", "more than once"),
    ] {
        assert!(BALL.contains(from), "{from}");
        let (found, message) = fault(&BALL.replacen(from, to, 1));
        assert_eq!(found, key, "{message}");
        assert!(message.contains(part) && message.contains(key), "{key}: {message}");
    }
    // NaN and infinity are no JSON, nor is a file that is cut; the message has the line.
    for text in [BALL.replace("0.5", "NaN"), BALL.replace("0.5", "1e999"), String::new()] {
        assert!(matches!(parse_problem(text.as_bytes()), Err(ProblemTextError::NoJson { .. })), "{text}");
        assert!(fault(&text).1.contains("line"), "{text}");
    }
    for end in 0..BALL.len() {
        assert!(matches!(parse_problem(&BALL.as_bytes()[..end]), Err(ProblemTextError::NoJson { .. })), "{end}");
    }
    assert_eq!(fault("[]").0, "problem");
    assert!(parse_problem(b"\xff\xfe{").is_err() && parse_problem("[".repeat(1 << 16).as_bytes()).is_err());
}

#[test]
fn numbers_beyond_range_are_errors_of_the_solve() {
    let text = BALL.replace("[0,0,-1]}],", "[0,0,-1e300]}],").replace("0.5", "1e300");
    let stated = parse_problem(text.as_bytes()).expect("finite numbers");
    assert!(stated.solve(&ImpulseLcp::default(), &SolveOptions::default()).is_err());
    let empty = parse_problem(br#"{"level":"force","bodies":[]}"#).expect("nothing");
    let solved = empty.solve(&ImpulseLcp::default(), &SolveOptions::default()).expect("solved");
    assert_eq!((solved.solution.residual, solved.bodies.len()), (0.0, 0));
}
