//! Scenes of agents that fly: boxes, volumes from files, faults with their lines.

use heurt_crowd::space::SpaceCrowd;
use heurt_io::GridCells;
use heurt_mesh::Cell;
use heurt_scene::describe::LocatedFault;
use heurt_scene::{
    CrowdReportJson, CrowdRunFacts, DiskFiles, SceneFiles, SpaceScene, space_trajectory_header, space_trajectory_step,
};
use std::io;
use std::path::Path;

const BOX: &str = r#"
[crowd]
environment = { low = [-8, -8, -8], high = [8, 8, 8], cell = 8 }
[[agents]]
name = "flyers"
count = 40
start = { sphere = [0, 0, 0], radius = 6 }
goals = "antipode"
"#;

/// Eight cubes of 8 m as a file of volumes.
struct Cubes;

impl SceneFiles for Cubes {
    fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        if path.extension().is_none_or(|extension| extension != "vtu") {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is none"));
        }
        let axis = [-8.0, 0.0, 8.0];
        let corner = |k: usize| heurt_geometry::Vec3::new(axis[k % 3], axis[k / 3 % 3], axis[k / 9]);
        let cube = |k: usize| {
            let first = (k % 2 + 3 * (k / 2 % 2) + 9 * (k / 4)) as u32;
            Cell::Hexahedron([0, 1, 4, 3, 9, 10, 13, 12].map(|offset| first + offset))
        };
        let (vertices, cells): (Vec<_>, Vec<_>) = ((0..27).map(corner).collect(), (0..8).map(cube).collect());
        let mut bytes = Vec::new();
        heurt_io::write_vtu(&vertices, GridCells::Volumes(&cells), &[], &mut bytes).map_err(io::Error::other)?;
        Ok(bytes)
    }
}

fn build(text: &str, files: &dyn SceneFiles) -> (SpaceCrowd, Vec<LocatedFault>, usize) {
    SpaceScene::read(text, Path::new("."), files).expect("readable").build_without_faulty()
}

#[test]
fn agents_of_a_box_arrive_and_are_written() {
    assert!(SpaceScene::is_space(BOX) && !SpaceScene::is_space("[crowd]\nenvironment = \"hall.wkt\""));
    let (mut crowd, faults, left_out) = build(BOX, &DiskFiles);
    assert!(faults.is_empty() && left_out == 0 && crowd.agents().len() == 40, "{faults:?}");
    assert_eq!(space_trajectory_header(&crowd, 0.05).groups, ["flyers"]);
    let (mut rows, mut number) = (0, 0);
    while !crowd.is_empty() && crowd.time() < 60.0 {
        let step = space_trajectory_step(&crowd, number);
        assert!(step.rows.is_sorted_by_key(|row| row.agent));
        rows += step.rows.len();
        if number == 0 {
            assert!(step.rows.iter().all(|row| (row.position.length() - 6.0).abs() < 1e-9));
        }
        crowd.step(0.05);
        number += 1;
    }
    assert!(rows > 40 * 60, "{rows} rows");
    let facts = CrowdRunFacts { steps: number, left_out, origin: None, step_seconds: [0.0; 4] };
    let report = serde_json::to_value(CrowdReportJson::of_space(&crowd, &facts)).expect("JSON");
    assert_eq!((&report["arrived"], &report["overlap"]["pairs"]), (&40.into(), &0.into()));
}

#[test]
fn volumes_of_a_file_are_a_room() {
    let text = BOX.replace("{ low = [-8, -8, -8], high = [8, 8, 8], cell = 8 }", "\"cubes.vtu\"");
    assert!(SpaceScene::is_space(&text));
    let run = |text: &str| {
        let (mut crowd, faults, _) = build(text, &Cubes);
        assert!(faults.is_empty(), "{faults:?}");
        (0..60).for_each(|_| crowd.step(0.05));
        crowd
    };
    let [cubes, room] = [run(&text), run(BOX)];
    for (a, b) in cubes.agents().zip(room.agents()) {
        assert!(a.position.distance(b.position) < 1e-6, "{a:?} and {b:?}");
    }
    let missing = SpaceScene::read(&text.replace(".vtu", ".msh"), Path::new("."), &Cubes).expect_err("no file");
    assert!(missing.line == 3 && missing.reason.contains("there is none"), "{missing:?}");
}

#[test]
fn flocks_fly_on_and_the_rest_rests() {
    let text = r#"
        [crowd]
        environment = { low = [0, 0, 0], high = [30, 20, 20], cell = 10 }
        model = "boids"
        reach = 5
        [[agents]]
        name = "birds"
        places = [[5, 5, 5], [6, 5, 5], [5, 6, 6]]
        [[agents]]
        name = "balloons"
        model = "bubbles"
        places = [[20, 10, 10]]
    "#;
    let (mut crowd, faults, _) = build(text, &DiskFiles);
    assert!(faults.is_empty(), "{faults:?}");
    (0..100).for_each(|_| crowd.step(0.05));
    let speeds: Vec<f64> = crowd.agents().map(|agent| agent.velocity.length()).collect();
    assert!(speeds[..3].iter().all(|&speed| speed > 0.3) && speeds[3] == 0.0, "{speeds:?}");
}

#[test]
fn faults_have_their_lines() {
    let refused = |from: &str, to: &str| {
        let text = BOX.replace(from, to);
        assert_ne!(text, BOX);
        SpaceScene::read(&text, Path::new("."), &DiskFiles).expect_err(to)
    };
    let cases = [
        ("cell = 8", "cell = 0", 3, "crowd.environment.cell"),
        ("cell = 8", "cell = 0.001", 3, "crowd.environment"),
        ("low = [-8, -8, -8]", "low = [9, -8, -8]", 3, "crowd.environment"),
        ("low = [-8, -8, -8], ", "", 3, "crowd.environment.low: missing"),
        ("goals = \"antipode\"", "goals = \"home\"", 8, "agents[0].goals"),
        ("goals = \"antipode\"", "model = \"orca\"", 8, "agents[0].model"),
        ("goals = \"antipode\"", "model = \"boids\"\nstiffness = 3", 9, "flocks have no such parameter"),
        ("count = 40", "count = 1000000", 6, "at most 20000"),
        ("start = { sphere = [0, 0, 0], radius = 6 }", "", 4, "agents[0].start: missing"),
        ("radius = 6", "radius = 6, width = 3", 7, "agents[0].start.width: unknown"),
        ("[[agents]]", "panic = 20\n[[agents]]", 4, "crowd.panic"),
        ("[[agents]]", "queues = true\n[[agents]]", 4, "crowd.queues: unknown"),
    ];
    for (from, to, line, part) in cases {
        let fault = refused(from, to);
        assert!(fault.line == line && fault.reason.contains(part), "{to}: {fault:?}");
    }
    // Faults of agents: all of them, and the rest is kept.
    let (crowd, faults, left_out) = build(&BOX.replace("radius = 6", "radius = 7.9"), &DiskFiles);
    assert!(left_out > 0 && faults.len() == left_out && crowd.agents().len() == 40 - left_out);
    assert!(faults[0].line == 7 && faults[0].reason.starts_with("agents[0].start"), "{faults:?}");
    let places = "places = [[1, 1, 1], [1.1, 1, 1], [20, 0, 0]]";
    let text = BOX.replace("count = 40\nstart = { sphere = [0, 0, 0], radius = 6 }\ngoals = \"antipode\"", places);
    let (crowd, faults, left_out) = build(&text, &DiskFiles);
    assert_eq!((crowd.agents().len(), left_out, faults.len()), (1, 2, 2), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.reason.starts_with("agents[0].places[1]")), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.reason.starts_with("agents[0].places[2]")), "{faults:?}");
}

#[test]
fn the_shipped_sphere_runs_without_overlaps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/crowd");
    let text = std::fs::read_to_string(folder.join("sphere.toml")).expect("a scene");
    let scene = SpaceScene::read(&text, &folder, &DiskFiles).expect("readable");
    let (step, seconds, count) = (scene.step, scene.seconds, scene.count_agents());
    let (mut crowd, faults, _) = scene.build_without_faulty();
    assert!(faults.is_empty() && count == 500, "{faults:?}");
    while !crowd.is_empty() && crowd.time() < seconds {
        crowd.step(step);
    }
    let report = crowd.report();
    assert_eq!((report.arrived, report.overlapping_pairs, report.worst_overlap), (500, 0, 0.0), "{report:?}");
}
