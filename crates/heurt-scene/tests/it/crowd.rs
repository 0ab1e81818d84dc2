//! Scenes of crowds: keys, faults with their lines, trajectories.

use heurt_scene::describe::LocatedFault;
use heurt_scene::{CrowdScene, DiskFiles, SceneFiles, write_trajectory_header, write_trajectory_rows};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

const ROOM: &str = "environment = \"POLYGON((0 0, 10 0, 10 5, 0 5, 0 0))\"";
const AGENTS: &str = "[[agents]]\nname = \"people\"\ncount = 5\nstart = \"POLYGON((0 0, 4 0, 4 5, 0 5, 0 0))\"\n\
                      goals = [\"POLYGON((9 0, 10 0, 10 5, 9 5, 9 0))\"]\n";

fn read(text: &str) -> Result<CrowdScene, LocatedFault> {
    CrowdScene::read(text, Path::new("."), &DiskFiles)
}

/// Returns the fault of a scene that cannot be read.
fn refused(text: &str) -> LocatedFault {
    read(text).expect_err("faulty")
}

#[test]
fn scenes_of_crowds_are_known_by_their_tables() {
    assert!(CrowdScene::is_crowd(&format!("[crowd]\n{ROOM}")) && CrowdScene::is_crowd(AGENTS));
    assert!(!CrowdScene::is_crowd("[[body]]\nname = \"crowd\"") && !CrowdScene::is_crowd("[crowd"));
}

#[test]
fn faults_of_keys_name_line_and_value() {
    let cases = [
        (format!("[crowd]\n{ROOM}\nmodle = \"orca\""), 3, "crowd.modle: unknown field"),
        (format!("[crowd]\n{ROOM}\nmodel = \"rules\""), 3, "not available: the model rules"),
        (format!("[crowd]\n{ROOM}\nmodel = \"bubbles\"\nhorizon = 2"), 4, "crowd.horizon: 2 cannot be used"),
        (format!("[crowd]\n{ROOM}\npanic = 0.5"), 3, "crowd.panic: 0.5 cannot be used"),
        ("[crowd]\nmodel = \"orca\"".to_owned(), 1, "crowd.environment: missing"),
        ("[crowd]\nenvironment = \"hall.dwg\"".to_owned(), 2, "give a plan"),
        ("[crowd]\nenvironment = \"no-such.wkt\"".to_owned(), 2, "no-such.wkt"),
        ("[crowd]\nenvironment = \"POLYGON((0 0, 9 9, 9 0, 0 9, 0 0))\"".to_owned(), 2, "(4.5, 4.5)"),
        ("[crowd]\nenvironment = \"POLYGON((0 0, 9 0, 9 9))\"".to_owned(), 2, "(9, 9)"),
        (format!("[world]\nstep = 2\n[crowd]\n{ROOM}"), 2, "world.step: 2 cannot be used"),
        (format!("[world]\ngravity = [0, 0, 0]\n[crowd]\n{ROOM}"), 2, "world.gravity: unknown field"),
        (format!("[crowd]\n{ROOM}\n[[body]]\nname = \"box\""), 3, "not available: bodies"),
        (format!("[crowd]\n{ROOM}\n{AGENTS}outline = [[0, 0]]"), 8, "not available: agents other than discs"),
        (format!("[crowd]\n{ROOM}\n{AGENTS}places = [[1, 1]]"), 6, "agents[0].start cannot be used"),
        (format!("[crowd]\n{ROOM}\n{AGENTS}{AGENTS}"), 9, "agents[1].name"),
        (format!("[crowd]\n{ROOM}\n[[agents]]\nname = \"a\""), 3, "agents[0].start: missing"),
        (format!("[crowd]\n{ROOM}\n{AGENTS}speed = {{ mean = 1, least = 3, most = 2 }}"), 8, "speed.least"),
        (
            format!("[crowd]\n{ROOM}\n[[agents]]\nname = \"a\"\nstart = \"lonlat:POLYGON((0 0, 1 0, 1 1, 0 0))\""),
            5,
            "no map",
        ),
    ];
    for (text, line, reason) in cases {
        let fault = refused(&text);
        assert!(fault.line == line && fault.reason.contains(reason), "{text}\n{fault:?}");
    }
}

#[test]
fn faults_of_agents_name_line_group_and_place() {
    let text = format!(
        "[crowd]\n{ROOM}\n[[agents]]\nname = \"a\"\nplaces = [[5, 2], [11, 2],\n  [9.9, 2]]\n[[agents]]\nname = \"b\"\n\
         start = \"POLYGON((0 0, 1 0, 1 1, 0 1, 0 0))\"\ncount = 100\n[[agents]]\nname = \"c\"\nplaces = [[2, 2]]\n\
         goals = [\"POLYGON((20 0, 21 0, 21 1, 20 1, 20 0))\"]"
    );
    let faults = read(&text).expect("readable").build().expect_err("faulty");
    let found: Vec<(usize, &str)> = faults.iter().map(|fault| (fault.line, fault.reason.as_str())).collect();
    let expected = [
        (5, "agents[0].places[1]: group `a`: agent 1 at (11, 2) is not on the floor"),
        (6, "agents[0].places[2]: group `a`: agent 2 at (9.9, 2) is 0.100 m from a wall"),
        (9, "agents[1].start: group `b`: only"),
        (14, "agents[2].goals[0]: group `c`: goal 0, around (20.50, 0.50), has no place"),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for ((line, reason), (known, start)) in found.into_iter().zip(expected) {
        assert!(line == known && reason.starts_with(start), "line {line}: {reason}");
    }
    let (crowd, _, left_out) = read(&text).expect("readable").build_without_faulty();
    assert_eq!(crowd.agents().len() + left_out, 104);
}

#[test]
fn trajectories_have_a_row_for_each_agent_until_it_leaves() {
    let mut crowd = read(&format!("[crowd]\n{ROOM}\n{AGENTS}")).expect("readable").build().expect("sound");
    let mut bytes = Vec::new();
    write_trajectory_header(&mut bytes).expect("written");
    write_trajectory_rows(&mut bytes, 0, &crowd).expect("written");
    let mut present = vec![crowd.agents().len()];
    for step in 1..=400 {
        if crowd.is_empty() {
            break;
        }
        crowd.step(0.05);
        present.push(crowd.agents().len() + crowd.departed().len());
        write_trajectory_rows(&mut bytes, step, &crowd).expect("written");
    }
    assert!(crowd.is_empty());
    let text = String::from_utf8(bytes).expect("text");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("step,time,agent,group,x,y,z,vx,vy,vz"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), present.iter().sum::<usize>());
    let keys: BTreeSet<(u64, u32)> =
        rows.iter().map(|row| (row[0].parse().expect("a step"), row[2].parse().expect("a number"))).collect();
    assert_eq!(keys.len(), rows.len(), "each agent once a step");
    for agent in 0..5 {
        let last = rows.iter().rfind(|row| row[2].parse() == Ok(agent)).expect("rows");
        let x: f64 = last[4].parse().expect("a number");
        assert!((9.0..9.2).contains(&x), "agent {agent} leaves as it reaches the exit: {x}");
    }
}

#[test]
fn environments_come_through_the_files_of_the_scene() {
    struct Plans;
    impl SceneFiles for Plans {
        fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
            assert_eq!(path, Path::new("plans/hall.wkt"));
            Ok(b"GEOMETRYCOLLECTION (POLYGON ((0 0, 3 0, 3 2, 0 2, 0 0)), POLYGON ((3 0, 5 0, 5 2, 3 2, 3 0)))"
                .to_vec())
        }
    }
    let text = "[crowd]\nenvironment = \"hall.wkt\"";
    let scene = CrowdScene::read(text, Path::new("plans"), &Plans).expect("readable");
    let crowd = scene.build().expect("sound");
    assert_eq!((crowd.ground().area(), crowd.agents().len()), (10.0, 0));
}

#[test]
fn shipped_scenes_empty_without_overlaps_for_ten_seeds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/crowd");
    for name in ["circle", "corridor", "maze"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a scene");
        for seed in 1..=10 {
            let mut scene = CrowdScene::read(&text, &folder, &DiskFiles).expect("readable");
            scene.settings.seed = seed;
            let (step, seconds, count) = (scene.step, scene.seconds, scene.count_agents());
            let mut crowd = scene.build().expect("sound");
            assert_eq!(crowd.agents().len(), count);
            while !crowd.is_empty() && crowd.time() < seconds {
                crowd.step(step);
            }
            let report = crowd.report();
            assert_eq!((report.arrived, report.overlapping_pairs), (count, 0), "{name}, seed {seed}: {report:?}");
            let worst = report.worst_overlap.max(report.worst_wall_overlap);
            assert!(worst <= 1e-9, "{name}, seed {seed}: {report:?}");
        }
    }
}
