//! Scenes of crowds: keys, faults with their lines, trajectories.

use heurt_crowd::SteeringModel;
use heurt_crowd::steer::{CollisionFreeSpeed, PassingSide};
use heurt_io::{TrajectoryFile, TrajectoryStep};
use heurt_scene::describe::LocatedFault;
use heurt_scene::{
    CrowdScene, DiskFiles, SceneFiles, scene_of_scenario, trajectories_in_plan, trajectory_header, trajectory_step,
};
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
        (format!("[crowd]\n{ROOM}\nmodel = \"flock\""), 3, "one of anticipation, boids"),
        (format!("[crowd]\n{ROOM}\nmodel = \"bubbles\"\nhorizon = 2"), 4, "crowd.horizon: 2 cannot be used"),
        (format!("[crowd]\n{ROOM}\npanic = 0.5"), 3, "crowd.panic: 0.5 cannot be used"),
        (format!("[crowd]\n{ROOM}\ntime_gap = 0"), 3, "crowd.time_gap"),
        (format!("[crowd]\n{ROOM}\ntime_gap = 2000"), 3, "give more than 0 s, at most 1,000 s"),
        (format!("[crowd]\n{ROOM}\nreplan = 0"), 3, "crowd.replan"),
        (format!("[crowd]\n{ROOM}\nexit_flow = 2000"), 3, "give more than 0 persons a metre and second, at most 1,000"),
        (format!("[crowd]\n{ROOM}\nside = \"up\""), 3, "crowd.side"),
        (format!("[crowd]\n{ROOM}\nstrength = 3"), 3, "the model orca has no such parameter"),
        (format!("[crowd]\n{ROOM}\n{AGENTS}knows = [-1]"), 8, "agents[0].knows[0]"),
        ("[crowd]\nmodel = \"orca\"".to_owned(), 1, "crowd.environment: missing"),
        ("[crowd]\nenvironment = \"hall.dwg\"".to_owned(), 2, "give a plan"),
        ("[crowd]\nenvironment = \"no-such.wkt\"".to_owned(), 2, "no-such.wkt"),
        ("[crowd]\nenvironment = \"POLYGON((0 0, 9 9, 9 0, 0 9, 0 0))\"".to_owned(), 2, "(4.5, 4.5)"),
        ("[crowd]\nenvironment = \"POLYGON((0 0, 9 0, 9 9))\"".to_owned(), 2, "(9, 9)"),
        (format!("[world]\nstep = 2\n[crowd]\n{ROOM}"), 2, "world.step: 2 cannot be used"),
        (format!("[world]\ngravity = [0, 0, 0]\n[crowd]\n{ROOM}"), 2, "world.gravity: unknown field"),
        (format!("[crowd]\n{ROOM}\n[[body]]\nname = \"box\""), 3, "not available: bodies"),
        (format!("[crowd]\n{ROOM}\n{AGENTS}outline = [[0, 0]]"), 8, "the outline has 1 corners: give 3 to 256"),
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
        (14, "agents[2].goals[0]: group `c`: goal 0, around (20.5, 0.5), has no place"),
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
    let mut steps: Vec<TrajectoryStep> = vec![trajectory_step(&crowd, 0)];
    let mut present = vec![crowd.agents().len()];
    for step in 1..=400 {
        if crowd.is_empty() {
            break;
        }
        crowd.step(0.05);
        present.push(crowd.agents().len() + crowd.departed().len());
        steps.push(trajectory_step(&crowd, step));
    }
    assert!(crowd.is_empty());
    assert_eq!(steps.iter().map(|step| step.rows.len()).collect::<Vec<_>>(), present);
    assert!(steps.iter().all(|step| step.rows.is_sorted_by(|a, b| a.agent < b.agent)), "each agent once a step");
    for agent in 0..5 {
        let last = steps.iter().flat_map(|step| &step.rows).rfind(|row| row.agent == agent).expect("rows");
        let x = last.position.x;
        assert!((9.0..9.2).contains(&x), "agent {agent} leaves as it reaches the exit: {x}");
    }
    let header = trajectory_header(&crowd, 0.05);
    assert_eq!((header.frame_rate, header.groups.len()), (Some(20.0), crowd.names().len()));
    assert!(header.walkable[0].starts_with("POLYGON (("), "{:?}", header.walkable);
    let file = TrajectoryFile { header, steps, ..TrajectoryFile::default() };
    let plan = trajectories_in_plan(&file, None).expect("sound");
    assert_eq!((plan.frames().len(), plan.walks().len()), (present.len(), present[0]));
}

#[test]
fn keys_of_gaps_sides_and_bonds_reach_the_crowd() {
    let scene = |crowd: &str, agents: &str| read(&format!("[crowd]\n{ROOM}\n{crowd}\n{AGENTS}{agents}"));
    let settings = scene("time_gap = 0.8\nside = \"left\"", "").expect("sound").settings;
    assert_eq!((settings.time_gap, settings.side), (Some(0.8), Some(PassingSide::Left)));
    let settings = scene("replan = 2\nexit_flow = 1.33", "").expect("sound").settings;
    assert_eq!((settings.replan, settings.exit_flow), (Some(2.0), Some(1.33)));
    // A model with a time gap of its own takes the key.
    let settings =
        scene("model = \"collision-free-speed\"\ntime_gap = 0.8\nwall_range = 0.1", "").expect("sound").settings;
    let wanted = CollisionFreeSpeed { time_gap: 0.8, wall_range: 0.1, ..CollisionFreeSpeed::default() };
    assert_eq!((settings.model, settings.time_gap), (SteeringModel::CollisionFreeSpeed(wanted), None));
    let built = scene("", "together = \"family\"\nknows = [0]\nfollow = 0.5").expect("sound").build();
    assert!(built.is_ok(), "{built:?}");
    for (agents, reason) in [("follow = 2", "agents[0].follow"), ("knows = [9]", "agents[0].knows")] {
        let faults = scene("", agents).expect("read").build().expect_err("faulty");
        assert!(faults[0].reason.contains(reason) && faults[0].line > 0, "{faults:?}");
    }
}

#[test]
fn scenes_have_floors_zones_and_every_model() {
    let house = "GEOMETRYCOLLECTION Z(POLYGON Z((0 0 0, 6 0 0, 6 2 0, 0 2 0, 0 0 0)),
        POLYGON Z((6 0 0, 11 0 3, 11 2 3, 6 2 0, 6 0 0)), POLYGON Z((11 0 3, 20 0 3, 20 2 3, 11 2 3, 11 0 3)))";
    let scene = |crowd: &str, zone: &str| {
        let text = format!(
            "[crowd]\nenvironment = \"\"\"{house}\"\"\"\n{crowd}\n{zone}\n[[agents]]\nname = \"a\"\nplaces = [[18, 1, 3]]\n\
             radius = 0.2\nspeed = 1.0\ngoals = [\"POLYGON((0 0, 1 0, 1 2, 0 2, 0 0))\"]"
        );
        let scene = read(&text).unwrap_or_else(|fault| panic!("{fault:?}"));
        let mut crowd = scene.build().unwrap_or_else(|faults| panic!("{faults:?}"));
        let first = trajectory_step(&crowd, 0).rows[0].position;
        assert_eq!(first.to_array(), [18.0, 1.0, 3.0]);
        while !crowd.is_empty() && crowd.time() < 120.0 {
            crowd.step(0.05);
        }
        crowd.report().travel_time.expect("it arrived").max
    };
    // 12 m on the level, 5 m on the stair.
    for (crowd, zone, seconds) in [
        ("stairs = { up = 0.2, down = 0.5 }", "", 12.0 + 10.0),
        ("stairs = 1", "", 17.0),
        ("stairs = 1", "[[zones]]\narea = \"POLYGON((1 0, 6 0, 6 2, 1 2, 1 0))\"\nspeed = 0.5", 17.0 + 5.0),
    ] {
        let time = scene(crowd, zone);
        assert!((time - seconds).abs() < 0.3, "{crowd} {zone}: {time} s for {seconds} s");
    }
    for model in SteeringModel::NAMES {
        assert!(scene(&format!("stairs = 1\nmodel = \"{model}\""), "") < 20.0, "{model}");
    }
    let bad = read(&format!("[crowd]\n{ROOM}\nmodel = \"boids\"\nhorizon = 2")).expect_err("no such parameter");
    assert!(bad.reason.contains("the model boids has no such parameter"), "{}", bad.reason);
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
fn zones_may_be_flows() {
    let zone =
        |keys: &str| format!("[crowd]\n{ROOM}\n[[zones]]\narea = \"POLYGON((2 0, 8 0, 8 5, 2 5, 2 0))\"\n{keys}\n");
    let flowing = |keys: &str| {
        let crowd = read(&(zone(keys) + AGENTS)).expect("readable").build().expect("sound");
        crowd.agents().filter(|agent| agent.is_in_flow).map(|agent| agent.position.x).collect::<Vec<f64>>()
    };
    let places = flowing("flow = true");
    assert!(!places.is_empty() && places.iter().all(|x| (2.0..=4.0).contains(x)), "{places:?}");
    assert_eq!(flowing("flow = true\nspeed = 0.5"), places);
    assert_eq!((flowing("flow = false\nspeed = 0.5"), flowing("speed = 0.5")), (Vec::new(), Vec::new()));
    // Half the pace and a flow of five: a person is no faster than half its speed.
    let text = zone("flow = true\nspeed = 0.5") + AGENTS;
    let mut crowd = read(&text).expect("readable").build().expect("sound");
    crowd.step(0.05);
    let is_slow = |speed: f64, own: f64| speed > 0.3 * own && speed <= 0.5 * own;
    assert!(crowd.agents().filter(|agent| agent.is_in_flow).all(|a| is_slow(a.velocity.length(), a.speed)));
    for (keys, line, part) in [
        ("flow = 1", 5, "zones[0].flow"),
        ("flow = false", 3, "zones[0].speed: missing"),
        ("flwo = true", 5, "zones[0].flwo: unknown field"),
        ("flow = true\nspeed = 0", 6, "zones[0].speed"),
    ] {
        let fault = refused(&zone(keys));
        assert!(fault.line == line && fault.reason.contains(part), "{keys}: {fault:?}");
    }
    let far = zone("flow = true").replace("(2 0, 8 0, 8 5, 2 5, 2 0)", "(20 0, 28 0, 28 5, 20 0)");
    let fault = refused(&far);
    assert!(fault.line == 4 && fault.reason.contains("it covers no floor"), "{fault:?}");
}

/// A map with a street to the north and a footbridge over it, with paths of 70 m at both ends.
fn bridge_map() -> String {
    let nodes = [[-80.0, 0.0], [-10.0, 0.0], [10.0, 0.0], [80.0, 0.0], [0.0, -90.0], [0.0, 90.0]];
    let degrees = |[x, y]: [f64; 2]| (50.0 + y / 111_229.0, 10.0 + x / 71_696.0);
    let [(south, west), (north, east)] = [[-100.0; 2], [100.0; 2]].map(degrees);
    let mut text = format!("<osm><bounds minlat='{south}' minlon='{west}' maxlat='{north}' maxlon='{east}'/>");
    for (number, &node) in nodes.iter().enumerate() {
        let (lat, lon) = degrees(node);
        text += &format!("<node id='{}' lat='{lat}' lon='{lon}'/>", number + 1);
    }
    for (id, [a, b], tags) in [
        (1, [1, 2], "<tag k='highway' v='footway'/>"),
        (2, [2, 3], "<tag k='highway' v='footway'/><tag k='layer' v='1'/>"),
        (3, [3, 4], "<tag k='highway' v='footway'/>"),
        (4, [5, 6], "<tag k='highway' v='residential'/>"),
    ] {
        text += &format!("<way id='{id}'><nd ref='{a}'/><nd ref='{b}'/>{tags}</way>");
    }
    text + "</osm>"
}

/// A file by its name, in memory.
struct Held(&'static str, String);

impl SceneFiles for Held {
    fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        assert!(path.ends_with(self.0), "{}", path.display());
        Ok(self.1.as_bytes().to_vec())
    }
}

#[test]
fn people_cross_roads_by_bridges_if_they_keep_off_them() {
    let run = |roads: &str, east: &str| {
        let text = format!(
            "[crowd]\nenvironment = \"town.osm\"\nroads = \"{roads}\"\n[[agents]]\nname = \"east\"\nplaces = [[-60, 30]]\n\
             speed = 1.5\ngoals = [\"{east}\"]"
        );
        let scene = CrowdScene::read(&text, Path::new("."), &Held("town.osm", bridge_map())).expect("readable");
        assert!(scene.notes.is_empty() && scene.roads.len() == 1, "{:?}", scene.notes);
        let mut crowd = scene.build().unwrap_or_else(|faults| panic!("{faults:?}"));
        let (mut high, mut seconds) = (0.0_f64, None);
        while crowd.time() < 400.0 && !crowd.is_empty() {
            crowd.step(0.1);
            high = crowd.agents().map(|agent| agent.height).fold(high, f64::max);
            seconds = Some(crowd.time());
        }
        assert!(crowd.is_empty() && crowd.report().worst_wall_overlap <= 1e-9);
        (high, seconds)
    };
    let goal = "POLYGON((58 28, 62 28, 62 32, 58 32, 58 28))";
    let (high, over) = run("crossings", goal);
    assert!((high - 5.0).abs() < 1e-9, "over the bridge: {high} m");
    let (low, under) = run("walk", goal);
    assert!(low == 0.0 && under < over, "straight over the street: {low} m");
    let fault = refused(&format!("[crowd]\n{ROOM}\nroads = \"no\""));
    assert!(fault.line == 3 && fault.reason.contains("crossings"), "{fault:?}");
}

#[test]
fn ages_give_speeds_by_the_curve_of_weidmann() {
    let speeds = |age: &str| {
        let text = format!(
            "[crowd]\nenvironment = \"POLYGON((0 0, 60 0, 60 50, 0 50, 0 0))\"\n[[agents]]\nname = \"old\"\ncount = 400\n\
             start = \"POLYGON((0 0, 60 0, 60 50, 0 50, 0 0))\"\nage = {age}\n[[agents]]\nname = \"any\"\nspeed = 1.1\n\
             places = []"
        );
        let crowd = read(&text).expect("readable").build().expect("sound");
        crowd.agents().map(|agent| agent.speed).collect::<Vec<f64>>()
    };
    assert!(speeds("40").iter().all(|&speed| speed == 1.48));
    assert!(speeds("55").iter().all(|&speed| (speed - 1.35).abs() < 1e-12));
    let drawn = speeds("{ mean = 45, deviation = 10, least = 30, most = 60 }");
    let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
    // The curve is nearly straight there: its mean is near the speed of the mean age, 1.445 m/s.
    assert!((mean - 1.44).abs() < 0.01 && drawn.iter().all(|speed| (1.29..=1.54).contains(speed)), "{mean}");
    let different = drawn.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert_eq!((different, drawn == speeds("{ mean = 45, deviation = 10, least = 30, most = 60 }")), (399, true));
    for (age, part) in [
        ("12", "reaches from 20 to 70 years"),
        ("{ mean = 30, least = 10 }", "agents[0].age: 10 cannot be used"),
        ("30\nspeed = 1.2", "the group has an age, too"),
    ] {
        let text = format!("[crowd]\n{ROOM}\n[[agents]]\nname = \"a\"\nplaces = []\nage = {age}");
        assert!(refused(&text).reason.contains(part), "{age}: {:?}", refused(&text));
    }
}

#[test]
fn meshes_are_environments() {
    // A hall, a ramp of 1 in 5 and a gallery.
    let mut text = String::new();
    for [x, y, z] in
        [[0, 0, 0], [10, 0, 0], [10, 6, 0], [0, 6, 0], [20, 0, 2], [20, 2, 2], [10, 2, 0], [30, 0, 2], [30, 2, 2]]
    {
        text += &format!("v {x} {y} {z}\n");
    }
    text += "f 1 2 7\nf 1 7 4\nf 7 3 4\nf 2 5 6 7\nf 5 8 9 6\n";
    let scene = "[crowd]\nenvironment = \"hall.obj\"\n[[agents]]\nname = \"a\"\nplaces = [[1, 5]]\nspeed = 1.2\n\
                 goals = [\"POLYGON Z((29 0 2, 30 0 2, 30 2 2, 29 2 2, 29 0 2))\"]";
    let scene = CrowdScene::read(scene, Path::new("."), &Held("hall.obj", text)).expect("readable");
    let mut crowd = scene.build().expect("sound");
    assert_eq!(crowd.ground().area(), 100.0);
    while crowd.time() < 60.0 && !crowd.is_empty() {
        crowd.step(0.05);
    }
    assert_eq!(crowd.report().arrived, 1);
}

#[test]
fn areas_in_degrees_are_on_the_map() {
    let map = "<osm><bounds minlat='60.000' minlon='24.000' maxlat='60.001' maxlon='24.002'/>\
               <node id='1' lat='60.0005' lon='24.000'/></osm>";
    let fault = |area: &str| {
        let agents = format!("[[agents]]\nname = \"a\"\nstart = \"lonlat:POLYGON(({area}))\"");
        let scene = format!("[crowd]\nenvironment = \"town.osm\"\n{agents}");
        CrowdScene::read(&scene, Path::new("."), &Held("town.osm", map.to_owned())).err()
    };
    assert_eq!(fault("24 60, 24.001 60, 24.001 60.0005, 24 60"), None);
    for (area, part) in [
        (
            "24 60, 184.001 60, 24.001 60.0005, 24 60",
            "the corner (184.001, 60) is not on the Earth: give the longitude",
        ),
        ("60 124, 60 24.1, 60.1 24.1, 60 124", "the corner (60, 124) is not on the Earth"),
        // Longitude and latitude exchanged.
        (
            "60 24, 60.001 24.001, 60 24.001, 60 24",
            "km from the middle of the map, 24.00100° E 60.00050° N: give at most 100",
        ),
        ("24 60, 24.001 61, 24.001 60.0005, 24 60", "the corner 24.00100° E 61.00000° N is 111.3"),
    ] {
        let fault = fault(area).expect("faulty");
        assert!(
            fault.line == 5 && fault.reason.starts_with("agents[0].start") && fault.reason.contains(part),
            "{fault:?}"
        );
    }
}

/// Each shipped scene, with its first seeds: `HEURT_SEEDS=10 cargo test --release -p heurt-scene shipped` takes ten.
#[test]
fn shipped_scenes_run_without_overlaps_for_their_seeds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/crowd");
    let all = std::env::var("HEURT_SEEDS").ok().map(|count| count.parse::<u64>().expect("a number of seeds"));
    let scenes = [
        ("circle", 3),
        ("city", 1),
        ("columns", 2),
        ("corridor", 3),
        ("counterflow", 3),
        ("detour", 3),
        ("evacuation", 1),
        ("maze", 3),
        ("rings", 2),
        ("slugs", 3),
        ("snake", 2),
        ("station", 1),
        ("traffic", 1),
    ];
    // Others stay: cars on rounds, and people at rest.
    let leaving = |name: &str, count: usize| match name {
        "columns" => 400,
        "rings" => 240,
        "snake" => 2,
        _ => count,
    };
    let files = std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").file_name());
    let mut names: Vec<String> =
        files.filter_map(|name| Some(name.to_str()?.strip_suffix(".toml")?.to_owned())).collect();
    names.sort();
    // Agents that fly are in `space`, agents on curved ground in `surface`.
    names.retain(|name| !["sphere", "planet", "knot", "blob"].contains(&name.as_str()));
    assert_eq!(names, scenes.map(|(name, _)| name), "each scene is in this test");
    for (name, seeds) in scenes {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("a scene");
        for seed in 1..=all.unwrap_or(seeds) {
            let mut scene = CrowdScene::read(&text, &folder, &DiskFiles).expect("readable");
            scene.settings.seed = seed;
            let (step, seconds, count) = (scene.step, scene.seconds, scene.count_agents());
            let mut crowd = scene.build().expect("sound");
            assert_eq!(crowd.agents().len(), count);
            while crowd.arrived() < leaving(name, count) && crowd.time() < seconds {
                crowd.step(step);
            }
            let report = crowd.report();
            println!("{name}, seed {seed}: {:.1} s", crowd.time());
            // The figures of docs/crowds.md.
            if name == "detour" && seed <= 3 {
                assert_eq!(crowd.time().round(), [60.0, 73.0, 83.0][seed as usize - 1]);
            }
            assert_eq!(report.arrived, leaving(name, count), "{name}, seed {seed}: {report:?}");
            assert_eq!(report.overlapping_pairs, 0, "{name}, seed {seed}: {report:?}");
            let worst = report.worst_overlap.max(report.worst_wall_overlap);
            assert!(worst <= 1e-9, "{name}, seed {seed}: {report:?}");
        }
    }
}

#[test]
fn scenarios_become_scenes() {
    use heurt_geometry::{PlanArea, Vec2};
    use heurt_io::{PlanFormat, ScenarioArea, ScenarioCount, ScenarioJourney, ScenarioPlan, ScenarioStart, read_plan};
    let rectangle = |x: f64, y: f64, width: f64| PlanArea::rectangle(Vec2::new(x, y), Vec2::new(x + width, y + 2.0));
    let area = |id: &str, x: f64, y: f64| ScenarioArea {
        id: id.to_owned(),
        area: rectangle(x, y, 2.0),
        waiting_time: 0.0,
        speed_factor: 0.5,
    };
    let start = |id: &str, y: f64, count, journeys: &[(&str, f64)]| ScenarioStart {
        id: id.to_owned(),
        area: rectangle(0.0, y, 4.0),
        count,
        radius: [0.2, 0.0],
        speed: [1.3, 0.1],
        flow: (y > 5.0).then_some([2.0, 12.0]),
        journeys: journeys.iter().map(|&(id, weight)| (id.to_owned(), weight)).collect(),
    };
    let journey = |id: &str, stages: &[&str]| ScenarioJourney {
        id: id.to_owned(),
        stages: stages.iter().map(|&stage| stage.to_owned()).collect(),
    };
    let hall = "POLYGON ((0 0, 20 0, 20 10, 0 10, 0 0))";
    let scenario = ScenarioPlan {
        plan: read_plan(hall.as_bytes(), PlanFormat::Wkt).expect("a plan"),
        exits: vec![area("south", 18.0, 0.0), area("north \"a\"", 18.0, 8.0)],
        starts: vec![
            start("low", 0.0, ScenarioCount::Number(7), &[("a", 3.0), ("b", 1.0)]),
            start("high", 8.0, ScenarioCount::Percentage(50.0), &[]),
        ],
        checkpoints: vec![ScenarioArea { waiting_time: 4.0, ..area("gate", 10.0, 4.0) }],
        zones: vec![area("mud", 6.0, 0.0)],
        obstacles: vec![area("pillar", 10.0, 0.0)],
        journeys: vec![journey("a", &["gate", "south"]), journey("b", &["north \"a\""])],
        model: Some("CollisionFreeSpeedModel".to_owned()),
        step: Some(0.05),
        seconds: Some(120.0),
        seed: Some(42),
    };
    let found = scene_of_scenario(&scenario, None).expect("a scene");
    assert!(
        found.notes.iter().any(|note| note.contains("`gate`: agents do not wait there for 4 s")),
        "{:?}",
        found.notes
    );
    assert!(found.notes.iter().any(|note| note.contains("run as `collision-free-speed`")), "{:?}", found.notes);
    let scene = read(&found.scene).unwrap_or_else(|fault| panic!("{fault:?} in {}", found.scene));
    assert_eq!((scene.step, scene.seconds, scene.settings.seed), (0.05, 120.0, 42));
    let mut crowd = scene.build().expect("sound");
    assert_eq!(crowd.names(), ["low, a", "low, b", "high"]);
    // 7 agents by 3 to 1, and half of what fills half of 8 m².
    let counts = [0, 1, 2].map(|group| crowd.agents().filter(|agent| agent.group == group).count());
    assert_eq!((counts, crowd.ground().area()), ([5, 2, 15], 196.0));
    while !crowd.is_empty() && crowd.time() < 120.0 {
        crowd.step(0.05);
    }
    assert_eq!(crowd.report().arrived, 22);
    let replaced = |scenario: ScenarioPlan| scene_of_scenario(&scenario, None).expect("a scene").notes;
    let notes = replaced(ScenarioPlan {
        step: Some(0.0),
        seconds: Some(-1.0),
        seed: Some(1 << 32),
        model: None,
        starts: vec![
            ScenarioStart {
                flow: Some([1.0 / 3.0, 0.0]),
                speed: [1.3, -0.1],
                ..start("low", 0.0, ScenarioCount::Percentage(120.0), &[("a", -3.0)])
            },
            start("high", 8.0, ScenarioCount::Percentage(10.0), &[]),
        ],
        ..scenario.clone()
    });
    for note in [
        "dt 0: replaced by 0.05",
        "max_simulation_time -1: replaced by 300",
        "baseSeed 4294967296: replaced by 0, its lower 32 bits",
        "no model of JuPedSim is given: run as `orca`",
        "start `low`: percentage 120: replaced by 100",
        "start `low`: a deviation of -0.1 m/s is replaced by 0",
        "start `low`: agents of the flow wait there, and set off from 0 s to 0.333333 s",
        "start `low`: the flow ends before it begins, both times are exchanged",
        "start `low`, journey `a`: the weight -3 is replaced by 0",
        "start `low`: no journey has a weight, agents choose among all exits",
    ] {
        assert!(notes.iter().any(|found| found == note), "{note}: {notes:#?}");
    }
    let long = replaced(ScenarioPlan { step: Some(2.5), ..scenario.clone() });
    assert!(long.contains(&"dt 2.5: replaced by 1".to_owned()), "{long:?}");
    let named = scene_of_scenario(&scenario, Some("plan.wkt")).expect("a scene");
    assert!(named.scene.contains("environment = \"plan.wkt\"") && named.plan == found.plan);
    let everything =
        ScenarioArea { area: PlanArea::rectangle(Vec2::splat(-1.0), Vec2::splat(30.0)), ..area("all", 0.0, 0.0) };
    assert!(scene_of_scenario(&ScenarioPlan { obstacles: vec![everything], ..scenario }, None).is_err());
}
