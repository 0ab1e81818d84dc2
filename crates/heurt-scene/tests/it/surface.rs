//! Scenes of agents on curved ground: shapes, meshes from files, faults with their lines.

use heurt_mesh::generate;
use heurt_scene::{
    CrowdReportJson, CrowdRunFacts, DiskFiles, SceneFiles, SurfaceScene, surface_outline_rows,
    surface_trajectory_header, surface_trajectory_step,
};
use std::io;
use std::path::Path;

const PLANET: &str = r#"
[crowd]
environment = { shape = "sphere", radius = 8, levels = 3 }
buildings = [{ at = [8, 0, 0], radius = 2 }]
[[agents]]
name = "north"
count = 30
goals = [[0, 0, 8]]
"#;

/// A cube of 4 m as a file.
struct Cube;

impl SceneFiles for Cube {
    fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        if path.extension().is_none_or(|extension| extension != "obj") {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is none"));
        }
        let cube = generate::cuboid([2.0; 3]).map_err(io::Error::other)?;
        let vertices = cube.vertices().iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z));
        let faces = cube.triangles().iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
        Ok(vertices.chain(faces).collect::<String>().into_bytes())
    }
}

#[test]
fn agents_of_a_planet_arrive_and_are_written() {
    assert!(SurfaceScene::is_surface(PLANET));
    assert!(!SurfaceScene::is_surface("[crowd]\nenvironment = { low = [0, 0, 0], high = [1, 1, 1], cell = 1 }"));
    let scene = SurfaceScene::read(PLANET, Path::new("."), &DiskFiles).expect("readable");
    let (mut crowd, faults, left_out) = scene.build_without_faulty();
    assert!(faults.is_empty() && left_out == 0 && scene.count_agents() == 30, "{faults:?}");
    assert_eq!(surface_trajectory_header(&crowd, 0.05).groups, ["north"]);
    let mut number = 0;
    while !crowd.is_empty() && crowd.time() < 60.0 {
        let step = surface_trajectory_step(&crowd, number);
        assert!(step.rows.is_sorted_by_key(|row| row.agent));
        // Points of the surface: no further from the middle than its vertices, and than its faces no nearer.
        assert!(step.rows.iter().all(|row| (7.9..8.0 + 1e-9).contains(&row.position.length())));
        crowd.step(scene.step);
        number += 1;
    }
    let facts = CrowdRunFacts { steps: number, left_out: 0, origin: None, step_seconds: [0.0; 4] };
    let report = serde_json::to_value(CrowdReportJson::of_surface(&crowd, &facts)).expect("JSON");
    assert_eq!((&report["arrived"], &report["overlap"]["worst_relative"]), (&30.into(), &0.0.into()), "{report}");
}

#[test]
fn a_mesh_is_read_from_its_file() {
    let text = r#"
        [crowd]
        environment = { mesh = "cube.obj" }
        [[agents]]
        name = "across"
        places = [[-2, 0, 0], [-2, 1, 0]]
        speed = 1
        goals = [[2, 0, 0]]
    "#;
    let scene = SurfaceScene::read(text, Path::new("."), &Cube).expect("readable");
    let (mut crowd, faults, _) = scene.build_without_faulty();
    assert!(faults.is_empty(), "{faults:?}");
    while !crowd.is_empty() && crowd.time() < 60.0 {
        crowd.step(scene.step);
    }
    let report = crowd.report();
    // Over half a side, a side and half a side, from the second place 1 m less; 0.5 m before the goal; and half a
    // second to take up the speed.
    let times = report.travel_time.expect("arrived");
    assert!(report.arrived == 2 && (times.min - 7.0).abs() < 0.1 && (times.max - 8.0).abs() < 0.1, "{report:?}");
    let missing = SurfaceScene::read(&text.replace(".obj", ".ply"), Path::new("."), &Cube).expect_err("no file");
    assert!(missing.line == 3 && missing.reason.contains("cube.ply"), "{missing:?}");
}

#[test]
fn faults_of_surface_scenes_name_their_lines() {
    let fault = |from: &str, to: &str| {
        let text = PLANET.replace(from, to);
        assert_ne!(text, PLANET);
        match SurfaceScene::read(&text, Path::new("."), &DiskFiles) {
            Err(fault) => fault,
            Ok(scene) => scene.build_without_faulty().1.first().expect(to).clone(),
        }
    };
    for (from, to, line, part) in [
        ("\"sphere\"", "\"ball\"", 3, "crowd.environment.shape"),
        ("radius = 8,", "", 3, "crowd.environment.radius"),
        ("levels = 3", "levels = 30", 3, "crowd.environment"),
        ("at = [8, 0, 0]", "at = [0, 0, 0]", 4, "crowd.buildings[0]"),
        ("radius = 2", "radius = 20", 3, "the buildings take all of the 1280 faces"),
        ("goals = [[0, 0, 8]]", "goals = [[0, 0, 9]]", 8, "agents[0].goals[0]"),
        ("goals = [[0, 0, 8]]", "goals = [[8, 0, 0]]", 8, "is in a building"),
        ("count = 30", "count = 30000", 7, "find a place on"),
        ("count = 30", "places = [[0, 8, 0], [0, 8, 0.1]]", 7, "overlaps agent 0"),
        ("count = 30", "places = [[0, 4, 0]]", 7, "from the surface"),
        ("count = 30", "doors = 3", 7, "doors"),
    ] {
        let found = fault(from, to);
        assert!(found.line == line && found.reason.contains(part), "{to}: {found:?}");
    }
}

#[test]
fn shipped_surfaces_run_without_overlaps_for_ten_seeds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/crowd");
    for name in ["blob", "planet", "knot"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a scene");
        // A quarter of the people, which take most of the time; docs/crowds.md has whole runs.
        let fewer = [("count = 120", "count = 30"), ("count = 100", "count = 25"), ("count = 60", "count = 15")];
        let text = fewer.iter().fold(text, |text, (many, few)| text.replace(many, few));
        let scene = SurfaceScene::read(&text, &folder, &DiskFiles).expect("readable");
        let (count, paths) = (scene.count_agents(), scene.find_paths());
        assert!((82..=107).contains(&count), "{count}");
        for seed in 1..=10 {
            let (mut crowd, faults, left_out) = scene.build_on_paths(&paths, seed);
            assert!(faults.is_empty() && left_out == 0, "{faults:?}");
            let slugs = (0..count as u32).filter(|&agent| crowd.sections_of(agent).len() == 1).count();
            assert_eq!((slugs, crowd.report().agents), (12, count));
            // The first seconds, in which all agents are there, in long steps; of one scene all of it, in its own.
            let is_whole = name == "blob" && seed == 1;
            let (step, seconds) = if is_whole { (scene.step, scene.seconds) } else { (2.0 * scene.step, 2.0) };
            while !crowd.is_empty() && crowd.time() < seconds {
                crowd.step(step);
            }
            let report = crowd.report();
            assert!(!is_whole || report.arrived == count, "{name}, seed {seed}: {report:?}");
            let overlaps = (report.overlapping_pairs, report.worst_overlap, report.worst_wall_overlap);
            assert_eq!(overlaps, (0, 0.0, 0.0), "{name}, seed {seed}: {report:?}");
        }
    }
}

/// Files of a car: a box of which the walls reach below the ground.
struct Car;

impl SceneFiles for Car {
    fn read(&self, _: &Path, _: u64) -> io::Result<Vec<u8>> {
        let hull = generate::cuboid([1.0, 0.5, 0.4]).map_err(io::Error::other)?;
        let vertices = hull.vertices().iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z));
        let faces = hull.triangles().iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
        Ok(vertices.chain(faces).collect::<String>().into_bytes())
    }
}

#[test]
fn forms_of_agents_are_read_as_on_floors_and_meshes_are_cut_by_the_ground() {
    let body = |keys: &str| PLANET.replace("count = 30", &format!("count = 2\n{keys}"));
    let outline = "[[-0.4, -0.3], [0.4, -0.3], [0.4, 0.3], [-0.4, 0.3]]";
    for (keys, sections, is_cut) in [
        (format!("outline = {outline}"), 1, false),
        (format!("body = \"deforming\"\noutline = {outline}"), 1, false),
        (
            "sections = [[[0, -0.2], [0.8, 0], [0, 0.2]], [[-0.9, -0.2], [-0.1, -0.2], [-0.1, 0.2], [-0.9, 0.2]]]"
                .into(),
            2,
            false,
        ),
        ("mesh = \"car.obj\"".into(), 1, true),
    ] {
        let scene = SurfaceScene::read(&body(&keys), Path::new("."), &Car).expect("readable");
        let (mut crowd, faults, _) = scene.build_without_faulty();
        assert!(faults.is_empty(), "{keys}: {faults:?}");
        (0..20).for_each(|_| crowd.step(0.05));
        for agent in 0..2 {
            assert_eq!((crowd.sections_of(agent).len(), crowd.has_cut(agent)), (sections, is_cut), "{keys}");
        }
        let rows = surface_outline_rows(&crowd, 3);
        let corners: usize = (0..2).flat_map(|agent| crowd.sections_of(agent)).map(<[_]>::len).sum();
        assert_eq!((rows.lines().count(), rows.starts_with("3,0,0,0,")), (corners, true), "{rows}");
    }
}
