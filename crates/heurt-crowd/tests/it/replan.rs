//! Replanning: crowds share out over routes, persons alone walk as without it.

use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, Pace, SpeedLaw, Start};
use heurt_geometry::{PlanArea, Vec2, Vec3};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(v(x0, y0), v(x1, y1))
}

/// A hall from which two doors of 1 m lead to an exit: one on the straight path, one 15 m aside.
fn hall() -> Ground {
    let wall = |y0: f64, y1: f64| {
        let mut ring = rectangle(20.0, y0, 21.0, y1).outline;
        ring.reverse();
        ring
    };
    let mut area = rectangle(0.0, 0.0, 40.0, 24.0);
    // The walls begin and end at the walls of the hall: its outline has them.
    area.holes = vec![wall(5.5, 20.0)];
    let notch = |y: f64| [v(20.0, y), v(21.0, y)];
    let [low, high] = [notch(4.5), notch(21.0)];
    area.outline = vec![
        v(0.0, 0.0),
        v(20.0, 0.0),
        low[0],
        low[1],
        v(21.0, 0.0),
        v(40.0, 0.0),
        v(40.0, 24.0),
        v(21.0, 24.0),
        high[1],
        high[0],
        v(20.0, 24.0),
        v(0.0, 24.0),
    ];
    Ground::new([area]).expect("sound")
}

fn people(count: usize) -> AgentGroup {
    AgentGroup {
        name: "people".to_owned(),
        start: Start::within([rectangle(1.0, 1.0, 16.0, 12.0)], count),
        speed: SpeedLaw { mean: 1.34, deviation: 0.1, least: 1.1, most: 1.6 },
        goals: Goals::through([[rectangle(38.0, 0.0, 40.0, 10.0)]]),
        ..AgentGroup::default()
    }
}

fn crowd(ground: Ground, count: usize, replan: Option<f64>, seed: u64) -> Crowd {
    let mut settings = CrowdSettings::default();
    (settings.replan, settings.seed) = (replan, seed);
    Crowd::new(ground, settings, vec![people(count)]).expect("sound")
}

/// Runs a crowd until it has left; returns the time, the agents that passed the far door, and the hashes of all steps.
fn run(mut crowd: Crowd) -> (f64, usize, Vec<u64>) {
    let (mut far, mut hashes) = (std::collections::BTreeSet::new(), Vec::new());
    while !crowd.is_empty() && crowd.time() < 300.0 {
        crowd.step(0.05);
        far.extend(
            crowd.agents().filter(|agent| agent.position.y > 20.0 && agent.position.x > 20.0).map(|agent| agent.id),
        );
        hashes.push(crowd.state_hash());
    }
    let report = crowd.report();
    assert!(crowd.is_empty() && report.overlapping_pairs == 0, "{report:?}");
    assert!(report.worst_wall_overlap <= 1e-9, "{report:?}");
    (crowd.time(), far.len(), hashes)
}

/// The figures of docs/crowds.md: the seconds after which all have left, without and with replanning, and the persons
/// by the far door.
#[test]
fn crowds_share_out_over_two_doors() {
    for (seed, seconds, far) in [(1, [93, 60], 69), (2, [99, 73], 91), (3, [107, 83], 111)] {
        let (shortest, by_far_door, _) = run(crowd(hall(), 200, None, seed));
        assert_eq!(by_far_door, 0, "the shortest path leads through the near door");
        let (quickest, by_far_door, _) = run(crowd(hall(), 200, Some(2.0), seed));
        println!("seed {seed}: {shortest:.1} s by one door, {quickest:.1} s with {by_far_door} of 200 by the other");
        assert_eq!(by_far_door, far);
        assert_eq!([shortest, quickest].map(|time| time.round() as u32), seconds);
    }
}

#[test]
fn persons_alone_take_the_shortest_path_bit_for_bit() {
    for seed in 1..4 {
        let [without, with] = [None, Some(0.5)].map(|replan| run(crowd(hall(), 1, replan, seed)));
        assert_eq!(without, with);
    }
}

#[test]
fn detours_are_the_same_for_any_number_of_threads() {
    let runs = [1, 2, 4].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(crowd(hall(), 200, Some(1.0), 7)))
    });
    assert!(runs[0].1 > 0, "some agents take the far door");
    assert_eq!(runs[0], runs[1]);
    assert_eq!(runs[0], runs[2]);
}

#[test]
fn detours_lead_to_other_areas_of_a_goal() {
    // Two exits of one goal, the nearer one behind smoke; without queues only the path counts.
    let pace = Pace { up: 0.1, down: 0.1 };
    let corridor = Ground::new([rectangle(0.0, 0.0, 60.0, 2.0)]).expect("sound");
    let ground = corridor.with_zone(rectangle(10.0, 0.0, 20.0, 2.0).into(), pace);
    let mut settings = CrowdSettings::default();
    (settings.replan, settings.queues) = (Some(0.5), false);
    let exits = [rectangle(0.0, 0.0, 1.0, 2.0), rectangle(59.0, 0.0, 60.0, 2.0)];
    let person = AgentGroup {
        start: Start::at([v(27.0, 1.0)]),
        speed: SpeedLaw::constant(1.34),
        goals: Goals::through([exits]),
        ..people(1)
    };
    let mut crowd = Crowd::new(ground, settings, vec![person]).expect("sound");
    while !crowd.is_empty() && crowd.time() < 60.0 {
        crowd.step(0.05);
    }
    let report = crowd.report();
    // 26 m to the near exit, 10 m of which take ten times as long; 32 m to the far one.
    assert!(report.travel_time.is_some_and(|time| time.max < 27.0), "{report:?}");
}

#[test]
fn slow_ground_is_left_for_a_quicker_path() {
    // Smoke at the near door: a person alone needs 20 times as long there.
    let smoke = |share: f64| {
        let pace = Pace { up: share, down: share };
        hall().with_zone(rectangle(16.0, 0.0, 25.0, 10.0).into(), pace)
    };
    for (share, detours) in [(0.9, 0), (0.05, 1)] {
        let mut settings = CrowdSettings::default();
        settings.replan = Some(1.0);
        let person = AgentGroup { start: Start::at([v(5.0, 5.0)]), speed: SpeedLaw::constant(1.34), ..people(1) };
        let mut crowd = Crowd::new(smoke(share), settings, vec![person]).expect("sound");
        for _ in 0..30 {
            crowd.step(0.05);
        }
        let path: Vec<Vec3> = crowd.path_of(0);
        let far = path.iter().filter(|bend| bend.y > 19.0).count();
        assert_eq!(far.min(1), detours, "{share}: {path:?}");
    }
}
