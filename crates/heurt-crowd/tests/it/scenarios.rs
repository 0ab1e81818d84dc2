//! Whole crowds: nobody overlaps, nobody is lost, everybody arrives.

use heurt_crowd::{AgentGroup, Crowd, CrowdFault, CrowdSettings, Goals, Ground, SpeedLaw, Start, SteeringModel};
use heurt_geometry::{PlanArea, SplitMix64, Vec2};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(v(x0, y0), v(x1, y1))
}

fn group(name: &str, start: Start, goals: Goals) -> AgentGroup {
    AgentGroup {
        name: name.to_owned(),
        start,
        speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
        goals,
        ..AgentGroup::default()
    }
}

fn settings(model: &str, seed: u64) -> CrowdSettings {
    let mut settings = CrowdSettings::default();
    settings.model = SteeringModel::from_name(model).expect("a model");
    settings.seed = seed;
    settings
}

/// Runs a crowd until it has left; checks what holds in every run.
fn run(mut crowd: Crowd, step: f64, most: f64, what: &str) -> Crowd {
    while !crowd.is_empty() && crowd.time() < most {
        crowd.step(step);
        for agent in crowd.agents() {
            assert!(agent.position.is_finite() && agent.velocity.is_finite(), "{what}: {agent:?}");
        }
    }
    let report = crowd.report();
    println!("{what}: {:.2} s {report:?}", crowd.time());
    assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{what}: {report:?}");
    assert!(crowd.agents().all(|agent| crowd.ground().contains(agent.position.extend(agent.height))), "{what}");
    assert!(crowd.environment().clone().validate().is_empty(), "{what}: registration");
    crowd
}

fn circle(model: &str, count: usize, seed: u64) -> Crowd {
    let radius = 0.3 * count as f64 / std::f64::consts::PI + 4.0;
    let place = |k: usize| {
        let angle = std::f64::consts::TAU * k as f64 / count as f64;
        v(angle.cos(), angle.sin()) * radius
    };
    let ground = Ground::new([rectangle(-radius - 5.0, -radius - 5.0, radius + 5.0, radius + 5.0)]).expect("sound");
    let group = AgentGroup {
        speed: SpeedLaw::constant(1.34),
        ..group("ring", Start::at((0..count).map(place)), Goals::Antipode)
    };
    Crowd::new(ground, settings(model, seed), vec![group]).expect("sound")
}

#[test]
fn circles_empty_with_every_model() {
    for model in SteeringModel::NAMES {
        let crowd = run(circle(model, 60, 1), 0.05, 200.0, &format!("circle {model}"));
        assert!(crowd.is_empty(), "{model}");
    }
}

/// Two groups that meet in a corridor.
fn counter_flow(model: &str, count: usize, seed: u64) -> Crowd {
    let ground = Ground::new([rectangle(0.0, 0.0, 40.0, 4.0)]).expect("sound");
    let [west, east] = [rectangle(0.0, 0.0, 12.0, 4.0), rectangle(28.0, 0.0, 40.0, 4.0)];
    let [west_end, east_end] = [rectangle(0.0, 0.0, 1.0, 4.0), rectangle(39.0, 0.0, 40.0, 4.0)];
    let groups = vec![
        group("east", Start::within([west], count), Goals::through([[east_end]])),
        group("west", Start::within([east], count), Goals::through([[west_end]])),
    ];
    Crowd::new(ground, settings(model, seed), groups).expect("sound")
}

/// Two groups that meet in a corridor 3 m wide.
fn narrow_flow(model: &str, count: usize, seed: u64) -> Crowd {
    let ground = Ground::new(vec![rectangle(0.0, 0.0, 30.0, 3.0)]).expect("sound");
    let area = |x0: f64, x1: f64| rectangle(x0, 0.0, x1, 3.0);
    let groups = vec![
        group("east", Start::within([area(0.0, 8.0)], count), Goals::through([[area(29.0, 30.0)]])),
        group("west", Start::within([area(22.0, 30.0)], count), Goals::through([[area(0.0, 1.0)]])),
    ];
    Crowd::new(ground, settings(model, seed), groups).expect("sound")
}

#[test]
fn counter_flows_empty_with_every_model() {
    for model in SteeringModel::NAMES {
        for seed in 1..=3 {
            let crowd = run(counter_flow(model, 30, seed), 0.05, 300.0, &format!("counter-flow {model} {seed}"));
            assert!(crowd.is_empty(), "{model} {seed}");
        }
    }
}

#[test]
fn rooms_empty_through_a_door() {
    let room = PlanArea {
        outline: [[0.0, 0.0], [8.0, 0.0], [8.0, 2.0], [12.0, 2.0], [12.0, 3.0], [8.0, 3.0], [8.0, 5.0], [0.0, 5.0]]
            .map(Vec2::from_array)
            .to_vec(),
        holes: vec![],
    };
    for model in SteeringModel::NAMES {
        let ground = Ground::new([room.clone()]).expect("sound");
        let exit = rectangle(11.0, 2.0, 12.0, 3.0);
        let start = Start::within([rectangle(0.0, 0.0, 8.0, 5.0)], 100);
        let people = group("people", start, Goals::through([[exit]]));
        let crowd = Crowd::new(ground, settings(model, 2), vec![people]).expect("sound");
        let crowd = run(crowd, 0.05, 400.0, &format!("door {model}"));
        assert!(crowd.is_empty(), "{model}");
    }
}

#[test]
fn doors_are_passed_at_full_speed() {
    // A door of 1 m in a wall of 0.1 m, from straight ahead and from the side.
    let post = |y0: f64, y1: f64| [[4.95, y0], [5.05, y0], [5.05, y1], [4.95, y1]].map(Vec2::from_array).to_vec();
    let room = PlanArea { holes: vec![post(0.5, 4.5), post(5.5, 9.5)], ..rectangle(0.0, 0.0, 10.0, 10.0) };
    for model in SteeringModel::NAMES {
        for y in [5.0, 3.0, 1.0] {
            let ground = Ground::new(vec![room.clone()]).expect("sound");
            let exit = Goals::through([[rectangle(9.0, 4.5, 10.0, 5.5)]]);
            let one = AgentGroup { speed: SpeedLaw::constant(1.34), ..group("one", Start::at([v(1.0, y)]), exit) };
            let crowd = Crowd::new(ground, settings(model, 1), vec![one]).expect("sound");
            let crowd = run(crowd, 0.05, 60.0, &format!("single door {model} {y}"));
            // The path is at most 8 m and the height long; half a second to start.
            let straight = (v(1.0, y).distance(v(5.0, 4.7)) + 4.0) / 1.34;
            assert!(crowd.is_empty() && crowd.time() < 1.15 * straight + 0.5, "{model} {y}: {}", crowd.time());
        }
    }
}

/// A hall with 25 pillars of three to five corners, some of them turned inwards; at least 0.9 m between two.
fn hall_of_pillars(random: &mut SplitMix64) -> PlanArea {
    let mut pillar = |number: usize| {
        let middle = v(3.0 + 2.2 * (number % 5) as f64, 1.5 + 2.2 * (number / 5) as f64);
        let (corners, turned) = (3 + number % 3, random.between(0.0, std::f64::consts::TAU));
        let corner = |k: usize| {
            let angle = turned + std::f64::consts::TAU * k as f64 / corners as f64;
            middle + v(angle.cos(), angle.sin()) * random.between(0.1, 0.65)
        };
        (0..corners).map(corner).collect::<Vec<Vec2>>()
    };
    PlanArea { holes: (0..25).map(&mut pillar).collect(), ..rectangle(0.0, 0.0, 16.0, 12.0) }
}

#[test]
fn corners_hold_up_no_agent() {
    let mut random = SplitMix64::new(9);
    for scene in 0..12 {
        let hall = hall_of_pillars(&mut random);
        let place = v(0.5, random.between(0.5, 11.5));
        for model in SteeringModel::NAMES {
            let ground = Ground::new([hall.clone()]).expect("sound");
            let exit = Goals::through([[rectangle(15.0, 0.0, 16.0, 12.0)]]);
            let one = AgentGroup { speed: SpeedLaw::constant(1.34), ..group("one", Start::at([place]), exit) };
            let crowd = Crowd::new(ground, settings(model, 1), vec![one]).expect("sound");
            let crowd = run(crowd, 0.05, 60.0, &format!("pillars {model} {scene}"));
            // 14.5 m ahead; models of forces have half a second to start, and pushes.
            let forces = matches!(model, "anticipation" | "boids" | "bubbles" | "social-force");
            let most = if forces { 1.15 } else { 1.02 } * 14.5 / 1.34;
            assert!(crowd.is_empty() && crowd.time() < most, "{model} {scene}: {}", crowd.time());
        }
    }
}

#[test]
fn narrow_corridors_empty_with_every_model() {
    for model in SteeringModel::NAMES {
        for seed in 1..=3 {
            let crowd = run(narrow_flow(model, 15, seed), 0.05, 200.0, &format!("narrow {model} {seed}"));
            assert!(crowd.is_empty(), "{model} {seed}");
        }
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut crowd = counter_flow("orca", 60, 1);
            (0..200).for_each(|_| crowd.step(0.05));
            crowd.state_hash()
        })
    };
    assert_eq!([hash(1), hash(2)], [hash(4); 2]);
}

/// Two rooms with a wall of 0.1 m between them, and a gap in it.
fn two_rooms() -> PlanArea {
    let hole = [[9.95, 0.5], [10.05, 0.5], [10.05, 9.5], [9.95, 9.5]].map(Vec2::from_array).to_vec();
    PlanArea { holes: vec![hole], ..rectangle(0.0, 0.0, 20.0, 10.0) }
}

#[test]
fn the_same_bits_on_both_sides_of_a_wall() {
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let start = |x: f64| Start::within([rectangle(x, 0.0, x + 10.0, 10.0)], 150);
            let goal = |x: f64| Goals::through([[rectangle(x, 4.0, x + 1.0, 6.0)]]);
            let groups = vec![group("left", start(0.0), goal(19.0)), group("right", start(10.0), goal(0.0))];
            let ground = Ground::new([two_rooms()]).expect("sound");
            let mut crowd = Crowd::new(ground, settings("orca", 1), groups).expect("sound");
            (0..60).for_each(|_| crowd.step(0.05));
            let report = crowd.report();
            assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{report:?}");
            assert!(report.reregistered_share > 0.0 && report.reregistered_share < 0.1, "{report:?}");
            crowd.state_hash()
        })
    };
    assert_eq!([hash(1), hash(3)], [hash(8); 2]);
}

#[test]
fn slanted_goals_are_reached() {
    let outline = [[30.0, 0.7], [34.0, 1.1], [33.3, 3.4], [29.1, 3.1]].map(Vec2::from_array).to_vec();
    let goal = PlanArea { outline, holes: vec![] };
    let mut random = SplitMix64::new(3);
    for _ in 0..100 {
        let ground = Ground::new([rectangle(0.0, 0.0, 40.0, 4.0)]).expect("sound");
        let place = v(random.between(20.0, 39.0), random.between(0.3, 3.7));
        let one = group("one", Start::at([place]), Goals::through([[goal.clone()]]));
        let mut crowd = Crowd::new(ground, CrowdSettings::default(), vec![one]).expect("sound");
        (0..600).for_each(|_| crowd.step(0.05));
        assert!(crowd.is_empty(), "from {place}: {:?}", crowd.agents().next());
    }
}

#[test]
fn goals_count_in_the_part_of_the_floor_of_the_agent() {
    let ground = || Ground::new([rectangle(0.0, 0.0, 5.0, 5.0), rectangle(6.0, 0.0, 11.0, 5.0)]).expect("sound");
    let [a, b] = [rectangle(4.0, 0.0, 5.0, 5.0), rectangle(6.0, 0.0, 7.0, 5.0)];
    let places = || Start::at([v(9.0, 2.0)]);
    let goals = Goals::through([vec![a.clone(), b.clone()], vec![b]]);
    let mut crowd = Crowd::new(ground(), CrowdSettings::default(), vec![group("b", places(), goals)]).expect("sound");
    (0..200).for_each(|_| crowd.step(0.05));
    assert!(crowd.is_empty(), "{:?}", crowd.agents().next());
    for goals in [Goals::through([[a]]), Goals::Antipode] {
        let start = Start::at([v(9.0, 2.0), v(1.5, 3.0)]);
        let faults =
            Crowd::new(ground(), CrowdSettings::default(), vec![group("c", start, goals)]).expect_err("faulty");
        assert!(matches!(faults[..], [CrowdFault::Unreachable { .. }]), "{faults:?}");
    }
}

#[test]
fn who_begins_at_the_exit_is_gone_at_once() {
    let ground = Ground::new([rectangle(0.0, 0.0, 5.0, 5.0)]).expect("sound");
    let goals = Goals::through([[rectangle(0.0, 0.0, 2.0, 5.0)]]);
    let people = group("people", Start::at([v(1.0, 1.0), v(4.0, 1.0)]), goals);
    let crowd = Crowd::new(ground, CrowdSettings::default(), vec![people]).expect("sound");
    assert_eq!((crowd.agents().len(), crowd.departed().len(), crowd.report().arrived), (1, 1, 1));
}

#[test]
fn faults_name_group_and_place() {
    let ground = || Ground::new([rectangle(0.0, 0.0, 10.0, 10.0)]).expect("sound");
    let places = vec![v(-1.0, 5.0), v(0.1, 5.0), v(5.0, 5.0), v(5.1, 5.0)];
    let exit = Goals::through([[rectangle(20.0, 0.0, 21.0, 1.0)]]);
    let groups = || {
        vec![
            group("a", Start::at(places.clone()), Goals::None),
            group("b", Start::within([rectangle(0.0, 0.0, 1.0, 1.0)], 50), Goals::None),
            group("c", Start::at([v(8.0, 8.0)]), exit.clone()),
            AgentGroup { radius: 6.0, ..group("d", Start::at([]), Goals::None) },
        ]
    };
    let faults = Crowd::new(ground(), CrowdSettings::default(), groups()).expect_err("faulty");
    let kinds = |fault: &CrowdFault| match fault {
        CrowdFault::Outside { .. } => "outside",
        CrowdFault::InWall { .. } => "wall",
        CrowdFault::OverEachOther { .. } => "over",
        CrowdFault::NoRoom { .. } => "room",
        CrowdFault::GoalInObstacle { .. } => "goal",
        CrowdFault::TooLarge { .. } => "large",
        _ => "another",
    };
    let found: Vec<&str> = faults.iter().map(kinds).collect();
    assert_eq!(found, ["outside", "wall", "over", "room", "goal", "large"], "{faults:#?}");
    let (crowd, _, left_out) = Crowd::without_faulty(ground(), CrowdSettings::default(), groups());
    assert_eq!(crowd.agents().len() + left_out, 55);
}

#[test]
fn paces_hold_on_the_path_to_each_goal() {
    let goals = Goals::through([[rectangle(9.0, 0.0, 11.0, 4.0)], [rectangle(19.0, 0.0, 21.0, 4.0)]]);
    let walker = |paces: &[f64]| AgentGroup {
        speed: SpeedLaw::constant(1.2),
        paces: paces.to_vec(),
        ..group("walker", Start::at([v(1.0, 2.0)]), goals.clone())
    };
    let hall = || Ground::new([rectangle(0.0, 0.0, 21.0, 4.0)]).expect("sound");
    let mut crowd = Crowd::new(hall(), CrowdSettings::default(), vec![walker(&[0.5, 1.5])]).expect("sound");
    let mut largest = [0.0_f64; 2];
    while !crowd.is_empty() && crowd.time() < 60.0 {
        crowd.step(0.05);
        for agent in crowd.agents() {
            // It is at its first goal on the border of it.
            let leg = usize::from(agent.position.x > 9.0);
            largest[leg] = largest[leg].max(agent.velocity.length());
        }
    }
    assert_eq!(crowd.report().arrived, 1);
    assert!((largest[0] - 0.6).abs() < 1e-9 && (largest[1] - 1.8).abs() < 1e-9, "{largest:?}");
    for (paces, message) in [
        (&[0.0][..], "its pace is 0: give more than 0"),
        (&[f64::NAN], "its pace is NaN: give more than 0"),
        (&[1.0, 100.0], "its pace is 100: give more than 0, and no speed above 100 m/s"),
        (&[1.0, 1.0, 1.0], "its number of paces is 3: give one for each set of goals"),
    ] {
        let faults = Crowd::new(hall(), CrowdSettings::default(), vec![walker(paces)]).expect_err("a fault");
        assert!(faults[0].to_string().contains(message), "{faults:?}");
    }
}
