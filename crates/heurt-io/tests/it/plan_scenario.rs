//! Scenarios of JuPedSim: archives of a plan and its agents.

use crate::archive::{Member, archive};
use heurt_io::{ScenarioCount, read_scenario_zip};

const WKT: &str = "POLYGON((0 0, 10 0, 10 5, 0 5, 0 0))";
const JSON: &str = r#"{
  "project_version": "2.0",
  "config": {"simulation_settings": {"simulationParams": {"max_simulation_time": 300, "dt": 0.05,
    "model_type": "CollisionFreeSpeedModel", "mass": 80}, "baseSeed": 420}, "ui_state": {}},
  "exits": {"e": {"type": "polygon", "coordinates": [[9, 1], [10, 1], [10, 2], [9, 2], [9, 1]]}},
  "distributions": {"d": {"coordinates": [[0, 0], [2, 0], [2, 2], [0, 2], [0, 0]], "parameters": {"number": 9,
    "radius": 0.25, "radius_distribution": "gaussian", "radius_std": 0.05, "v0": 1.2, "v0_std": 9, "percentage": null,
    "distribution_mode": "by_number", "use_flow_spawning": true, "flow_start_time": 1, "flow_end_time": 10},
    "journey_weights": [{"journey_id": "j", "weight": 100}]},
    "f": {"coordinates": [[3, 0], [4, 0], [4, 1]], "parameters": {"distribution_mode": "fill_area", "percentage": 80}}},
  "checkpoints": {"c": {"coordinates": [[5, 1], [6, 1], [6, 2]], "waiting_time": 3}},
  "zones": {"z": {"coordinates": [[5, 3], [6, 3], [6, 4]], "speed_factor": 0.5}},
  "obstacles": {"o": {"height": 2}},
  "journeys_v2": [{"id": "j", "name": "Route", "sequence": ["c", "e"]}], "journeys": [], "transitions": []
}"#;

fn pack(json: &str) -> Vec<u8> {
    archive(&[Member::new("config.json", json), Member::new("geometry.wkt", WKT)])
}

#[test]
fn a_scenario_is_read_from_its_archive() {
    let scenario = read_scenario_zip(&pack(JSON)).unwrap();
    assert_eq!(scenario.plan.walk[0].area.area(), 50.0);
    assert_eq!((scenario.exits[0].id.as_str(), scenario.exits[0].area.area()), ("e", 1.0));
    let [d, f] = scenario.starts.as_slice() else { panic!("{:?}", scenario.starts) };
    assert_eq!((d.count, d.radius, d.speed), (ScenarioCount::Number(9), [0.25, 0.05], [1.2, 0.0]));
    assert_eq!((d.flow, d.journeys.as_slice()), (Some([1.0, 10.0]), [("j".to_owned(), 100.0)].as_slice()));
    assert_eq!((f.count, f.radius, f.flow), (ScenarioCount::Percentage(80.0), [0.2, 0.0], None));
    assert_eq!((scenario.checkpoints[0].waiting_time, scenario.zones[0].speed_factor), (3.0, 0.5));
    assert_eq!(scenario.journeys[0].stages, ["c", "e"]);
    assert!(scenario.obstacles.is_empty());
    assert_eq!((scenario.step, scenario.seconds, scenario.seed), (Some(0.05), Some(300.0), Some(420)));
    assert_eq!(scenario.model.as_deref(), Some("CollisionFreeSpeedModel"));
    let full = read_scenario_zip(&pack(&JSON.replace("\"fill_area\", \"percentage\": 80", "\"until_full\""))).unwrap();
    assert_eq!(full.starts[1].count, ScenarioCount::Percentage(100.0));
}

#[test]
fn faults_of_a_scenario_name_their_place() {
    let with = |from: &str, to: &str| read_scenario_zip(&pack(&JSON.replace(from, to))).unwrap_err().to_string();
    for (message, part) in [
        (with("[9, 1], [10, 1], [10, 2], ", ""), "exits, `e`: found 2 corners, expected at least 3 corners"),
        (with("[10, 2], [9, 2], [9, 1]", "[9, 2], [10, 2]"), "exits, `e`: found polygon 1, outer ring: crosses itself"),
        (with("[10, 2]", "[10]"), "exits, `e`: found one coordinate, expected two"),
        (with("\"number\": 9", "\"number\": -9"), "distributions, `d`: found -9, expected a whole number of agents"),
        (with("\"number\": 9", "\"number\": 9.5"), "distributions, `d`: found 9.5, expected a whole number of agents"),
        (
            with(", \"percentage\": 80", ""),
            "distributions, `f`: found `fill_area`, expected by_number, until_full, or a",
        ),
        (with("\"flow_start_time\": 1, ", ""), "distributions, `d`: found a flow without its times"),
        (with("\"journey_id\": \"j\"", "\"journey_id\": \"k\""), "distributions, `d`: `k` names no journey"),
        (with("\"c\", \"e\"", "\"c\", \"x\""), "journeys_v2, `j`: `x` names no exit or checkpoint"),
        (with("0.05,", "1e999,"), "`config.json`, line 3, column "),
        (with("\"exits\": {", "\"exits\": ["), "`config.json`, line 5, column "),
        (read_scenario_zip(b"PK").unwrap_err().to_string(), "expected a whole ZIP archive"),
        (read_scenario_zip(&archive(&[Member::new("a.wkt", WKT)])).unwrap_err().to_string(), "found 0 files .json"),
    ] {
        assert!(message.contains(part), "{message}");
    }
    let whole = pack(JSON);
    (0..whole.len()).for_each(|length| assert!(read_scenario_zip(&whole[..length]).is_err()));
}
