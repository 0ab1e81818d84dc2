//! Side, parties, followers, knowledge of exits.

use heurt_crowd::steer::{AgentView, Heuristics, NearAgent, NearWall, PassingSide, step_aside};
use heurt_crowd::{
    AgentGroup, Crowd, CrowdFault, CrowdSettings, Goals, Ground, SocialTraits, SpeedLaw, Start, SteeringModel,
};
use heurt_geometry::{PlanArea, SplitMix64, Vec2};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(v(x0, y0), v(x1, y1))
}

fn group(name: &str, start: Start, speed: f64, goals: Vec<PlanArea>, social: SocialTraits) -> AgentGroup {
    AgentGroup {
        name: name.to_owned(),
        start,
        speed: SpeedLaw::constant(speed),
        goals: Goals::through([goals]),
        social,
        ..AgentGroup::default()
    }
}

fn crowd(areas: Vec<PlanArea>, settings: CrowdSettings, groups: Vec<AgentGroup>) -> Crowd {
    Crowd::new(Ground::new(areas).expect("sound"), settings, groups).expect("sound")
}

fn settings(model: &str, side: Option<PassingSide>) -> CrowdSettings {
    let mut settings = CrowdSettings::default();
    settings.model = SteeringModel::from_name(model).expect("a model");
    settings.side = side;
    settings
}

/// Runs until all have left; returns the times of leaving by group.
fn departures(crowd: &mut Crowd, most: f64) -> Vec<(u32, f64, Vec2)> {
    let mut left = Vec::new();
    while !crowd.is_empty() && crowd.time() < most {
        crowd.step(0.05);
        let time = crowd.time();
        left.extend(crowd.departed().map(|agent| (agent.group, time, agent.position)));
    }
    let report = crowd.report();
    assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{report:?}");
    left
}

#[test]
fn turns_to_a_side_are_mirrored() {
    let mut random = SplitMix64::new(3);
    let mut turns = 0;
    for _ in 0..500 {
        let mut drawn = |most: f64| v(random.between(-most, most), random.between(-most, most));
        let agents: Vec<NearAgent> = (0..4)
            .map(|k| NearAgent {
                position: drawn(4.0),
                velocity: drawn(1.0),
                radius: 0.2,
                group: 1,
                heading: drawn(1.0).normalize_or_zero(),
                yielding: 0.2 * f64::from(k),
            })
            .collect();
        let flip = |a: Vec2| v(a.x, -a.y);
        let mirrored: Vec<NearAgent> =
            agents.iter().map(|a| NearAgent { position: flip(a.position), heading: flip(a.heading), ..*a }).collect();
        let view = |agents| AgentView {
            position: Vec2::ZERO,
            velocity: Vec2::X,
            radius: 0.2,
            group: 0,
            preferred: v(1.3, 0.0),
            limit: 1.7,
            step: 0.05,
            agents,
            walls: &[],
            edges: &[],
        };
        let (right, share) = step_aside(&view(&agents), PassingSide::Right);
        let (left, other) = step_aside(&view(&mirrored), PassingSide::Left);
        assert!(share == other && (0.0..=1.0).contains(&share) && (flip(left) - right).length() < 1e-12);
        assert!((right.length() - 1.3).abs() < 1e-12 && right.y <= 0.0 && right.x >= 1.3 * 0.2588);
        turns += usize::from(share > 0.0);
    }
    assert!(turns > 200, "{turns}");
}

#[test]
fn detours_are_the_least_of_all_directions() {
    let model = Heuristics::default();
    let mut random = SplitMix64::new(8);
    let mut detours = 0;
    for _ in 0..500 {
        let mut drawn = |most: f64| v(random.between(-most, most), random.between(-most, most));
        let agents: Vec<NearAgent> = (0..6)
            .map(|_| NearAgent {
                position: drawn(3.0),
                velocity: drawn(1.0),
                radius: 0.2,
                group: 1,
                heading: Vec2::ZERO,
                yielding: 0.0,
            })
            .filter(|agent| agent.position.length() > 0.5)
            .collect();
        let walls = [NearWall::new([v(1.5, -0.8) + drawn(0.5), v(1.5, 0.8) + drawn(0.5)], Vec2::ZERO)];
        let view = AgentView {
            position: Vec2::ZERO,
            velocity: Vec2::X,
            radius: 0.2,
            group: 0,
            preferred: Vec2::X,
            limit: 1.7,
            step: 0.05,
            agents: &agents,
            walls: &walls,
            edges: &[],
        };
        let found = model.direction(&view, Vec2::X, 1.0);
        let cost = |direction: Vec2| (direction * model.free_distance(&view, direction) - v(4.0, 0.0)).length_squared();
        let tried = (-10..=10).map(|k| {
            let angle = f64::from(k) * 7.5_f64.to_radians();
            cost(v(libm::cos(angle), libm::sin(angle)))
        });
        let least = tried.fold(f64::INFINITY, f64::min);
        assert!((cost(found) - least).abs() < 1e-9, "{found}: {} for {least}", cost(found));
        detours += usize::from(found != Vec2::X);
    }
    assert!(detours > 100, "{detours}");
}

/// Twenty against twenty through a corridor 1.5 m wide between two rooms.
fn counter_flow(model: &str, side: Option<PassingSide>) -> Crowd {
    let areas = vec![rectangle(0.0, 0.0, 6.0, 6.0), rectangle(6.0, 2.25, 12.0, 3.75), rectangle(12.0, 0.0, 18.0, 6.0)];
    let [west, east] = [rectangle(0.0, 0.0, 3.0, 6.0), rectangle(15.0, 0.0, 18.0, 6.0)];
    let [first, last] = [rectangle(0.0, 0.0, 1.0, 6.0), rectangle(17.0, 0.0, 18.0, 6.0)];
    let groups = vec![
        group("east", Start::within([west], 20), 1.3, vec![last], SocialTraits::default()),
        group("west", Start::within([east], 20), 1.3, vec![first], SocialTraits::default()),
    ];
    crowd(areas, settings(model, side), groups)
}

#[test]
fn counter_flows_pass_on_one_side() {
    let cases = [("orca", Some(PassingSide::Right)), ("orca", Some(PassingSide::Left)), ("heuristics", None)];
    for (model, side) in cases {
        let mut crowd = counter_flow(model, side);
        let left = departures(&mut crowd, 100.0);
        assert_eq!(left.len(), 40, "{model} {side:?}");
    }
}

#[test]
fn parties_leave_together() {
    let areas = vec![rectangle(0.0, 0.0, 20.0, 4.0)];
    let exit = rectangle(19.0, 0.0, 20.0, 4.0);
    let times = |word: Option<&str>| {
        let social = SocialTraits { together: word.map(str::to_owned), ..SocialTraits::default() };
        let fast = Start::at([v(3.0, 1.0), v(3.0, 2.0), v(3.0, 3.0), v(4.0, 2.0)]);
        let groups = vec![
            group("fast", fast, 1.25, vec![exit.clone()], social.clone()),
            group("slow", Start::at([v(1.0, 2.0)]), 0.5, vec![exit.clone()], social),
        ];
        let left = departures(&mut crowd(areas.clone(), settings("orca", None), groups), 100.0);
        assert_eq!(left.len(), 5);
        left.iter().map(|(_, time, _)| *time).collect::<Vec<f64>>()
    };
    let (alone, together) = (times(None), times(Some("family")));
    // 18 m at 0.5 m/s, and 15 m at 1.25 m/s.
    assert!((alone[4] - 36.0).abs() < 0.2 && (alone[0] - 12.0).abs() < 0.2, "{alone:?}");
    assert!((together[4] - 36.0).abs() < 0.2, "{together:?}");
    assert!(together[0] > 36.0 - 2.0 / 0.5 - 0.5, "{together:?}");
}

#[test]
fn exits_are_those_known_or_followed() {
    let areas = vec![rectangle(0.0, 0.0, 10.0, 6.0)];
    let exits = vec![rectangle(0.0, 0.0, 0.5, 6.0), rectangle(9.5, 0.0, 10.0, 6.0)];
    let by_right = |social: SocialTraits, queues: bool, bound: usize| {
        let places = |x: f64, count: usize| Start::at((0..count).map(move |k| v(x, 0.7 + 0.8 * k as f64)));
        let groups = vec![
            group("all", places(4.0, 2), 1.0, exits.clone(), social),
            group("bound", places(6.0, bound), 1.0, vec![exits[1].clone()], SocialTraits::default()),
        ];
        let mut settings = settings("orca", None);
        settings.queues = queues;
        let left = departures(&mut crowd(areas.clone(), settings, groups), 100.0);
        assert_eq!(left.len(), 2 + bound);
        left.iter().filter(|(group, _, place)| *group == 0 && place.x > 5.0).count()
    };
    for queues in [true, false] {
        assert_eq!(by_right(SocialTraits::default(), queues, 6), 0, "the left exit is nearer");
        let knows = |knows: Vec<u32>, follow: f64| SocialTraits { knows, follow, ..SocialTraits::default() };
        assert_eq!(by_right(knows(vec![1], 0.0), queues, 0), 2);
        assert_eq!(by_right(knows(vec![0, 1], 0.0), queues, 6), 0);
        assert_eq!(by_right(knows(vec![], 1.0), queues, 6), 2, "others are followed");
        assert_eq!(by_right(knows(vec![], 1.0), queues, 0), 0, "there is no person to follow");
        assert_eq!(by_right(knows(vec![0], 1.0), queues, 6), 2, "the exit is learned from others");
    }
}

#[test]
fn faulty_traits_are_named() {
    let social = SocialTraits { knows: vec![2], follow: 1.5, ..SocialTraits::default() };
    let place = Start::at([v(1.0, 1.0)]);
    let group = group("one", place, 1.0, vec![rectangle(4.0, 0.0, 5.0, 2.0)], social);
    let ground = Ground::new([rectangle(0.0, 0.0, 5.0, 2.0)]).expect("sound");
    let faults = Crowd::new(ground, CrowdSettings::default(), vec![group]).expect_err("faulty");
    let named = |fault: &CrowdFault| match fault {
        CrowdFault::BadNumber { what, .. } => *what,
        _ => "",
    };
    assert_eq!(faults.iter().map(named).collect::<Vec<_>>(), ["follow", "knows"]);
}

#[test]
fn bits_do_not_depend_on_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let areas = vec![rectangle(0.0, 0.0, 30.0, 20.0)];
            let exits = vec![rectangle(0.0, 0.0, 1.0, 20.0), rectangle(29.0, 0.0, 30.0, 20.0)];
            let middle = |x: f64| Start::within([rectangle(x, 1.0, x + 8.0, 19.0)], 150);
            let follows = SocialTraits { follow: 0.7, ..SocialTraits::default() };
            let family = SocialTraits { together: Some("all".to_owned()), knows: vec![1], follow: 0.0 };
            let groups = vec![
                group("a", middle(4.0), 1.3, exits.clone(), follows),
                group("b", middle(14.0), 1.1, exits, family),
            ];
            let mut settings = settings("heuristics", None);
            settings.time_gap = Some(0.5);
            let mut crowd = crowd(areas, settings, groups);
            (0..60).for_each(|_| crowd.step(0.05));
            crowd.state_hash()
        })
    };
    let hash = run(1);
    assert_eq!([run(2), run(4)], [hash, hash]);
}

#[test]
fn slow_persons_pass_narrow_doors_under_social_forces() {
    let areas = vec![rectangle(0.0, 0.0, 5.0, 4.0), rectangle(5.0, 1.6, 5.3, 2.4), rectangle(5.3, 0.0, 10.0, 4.0)];
    let goal = vec![rectangle(9.0, 0.0, 10.0, 4.0)];
    let person = group("slow", Start::at([v(1.0, 2.0)]), 0.3, goal, SocialTraits::default());
    let left = departures(&mut crowd(areas, settings("social-force", None), vec![person]), 60.0);
    // 8 m at 0.3 m/s; the walls of a door of 0.8 m would hold the person back with more than its 48 N.
    assert!(left.len() == 1 && left[0].1 < 28.0, "{left:?}");
}

#[test]
fn members_that_wait_are_not_jammed() {
    let together = SocialTraits { together: Some("pair".to_owned()), ..SocialTraits::default() };
    let exit = vec![rectangle(58.0, 0.0, 60.0, 4.0)];
    let fast = group("fast", Start::at([v(25.0, 2.0)]), 1.3, exit.clone(), together.clone());
    let slow = group("slow", Start::at([v(5.0, 2.0)]), 0.6, exit, together);
    let mut crowd = crowd(vec![rectangle(0.0, 0.0, 60.0, 4.0)], settings("orca", None), vec![fast, slow]);
    while !crowd.is_empty() && crowd.time() < 200.0 {
        crowd.step(0.05);
        // Nothing is in its way: it waits in place, and then leaves straight.
        let sideways = crowd.agents().find(|agent| agent.id == 0).map_or(0.0, |agent| (agent.position.y - 2.0).abs());
        assert!(sideways < 0.2, "{sideways} m off at {} s", crowd.time());
    }
    assert!(crowd.is_empty());
    assert_eq!(crowd.report().stalled, 0);
}

#[test]
fn known_areas_without_a_path_are_faults() {
    let goals = vec![rectangle(9.0, 0.0, 10.0, 4.0), rectangle(20.0, 0.0, 21.0, 4.0)];
    let knows = |knows: Vec<u32>| SocialTraits { knows, ..SocialTraits::default() };
    let hall = || Ground::new([rectangle(0.0, 0.0, 10.0, 4.0)]).expect("sound");
    let made = |social| {
        let guest = group("guest", Start::at([v(1.0, 2.0)]), 1.3, goals.clone(), social);
        Crowd::new(hall(), CrowdSettings::default(), vec![guest])
    };
    assert!(made(knows(vec![0])).is_ok());
    let faults = made(knows(vec![1])).expect_err("the area is outside");
    assert!(matches!(&faults[0], CrowdFault::GoalInObstacle { near, .. } if near.x == 20.5), "{faults:?}");
}

#[test]
fn time_gaps_count_beyond_the_reach_of_a_model() {
    // In single file, one every 2.4 m, with 2 s: (2.4 − 0.4) / 2 = 1 m/s.
    let places = (0..8).map(|k| v(2.0 + 2.4 * f64::from(k), 1.0));
    let goal = vec![rectangle(99.0, 0.0, 100.0, 2.0)];
    for model in ["social-force", "bubbles", "orca", "collision-free-speed"] {
        let mut settings = settings(model, None);
        match &mut settings.model {
            SteeringModel::CollisionFreeSpeed(model) => model.time_gap = 2.0,
            _ => settings.time_gap = Some(2.0),
        }
        let file = group("file", Start::at(places.clone()), 1.3, goal.clone(), SocialTraits::default());
        let mut crowd = crowd(vec![rectangle(0.0, 0.0, 100.0, 2.0)], settings, vec![file]);
        crowd.step(0.05);
        for agent in crowd.agents().take(7) {
            let speed = agent.velocity.length();
            assert!(speed <= 1.0 + 1e-6, "{model}: agent {} walks at {speed} m/s", agent.id);
        }
    }
}

#[test]
fn a_member_without_speed_holds_no_party_up() {
    let exit = || vec![rectangle(19.0, 0.0, 20.0, 4.0)];
    fn family() -> SocialTraits {
        SocialTraits { together: Some("family".to_owned()), ..SocialTraits::default() }
    }
    let groups = |slow: f64, social: fn() -> SocialTraits| {
        let father = group("father", Start::at([v(2.0, 1.0)]), 1.3, exit(), family());
        vec![father, group("child", Start::at([v(2.0, 2.0)]), slow, exit(), social())]
    };
    let make =
        |groups| Crowd::new(Ground::new([rectangle(0.0, 0.0, 20.0, 4.0)]).unwrap(), CrowdSettings::default(), groups);
    let faults = make(groups(0.0, family)).unwrap_err();
    let shown: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let expected =
        "group `child`: its speed is 0: give more than 0 m/s: those who stay together walk at the pace of the slowest";
    assert_eq!(shown, [expected]);
    assert!(make(groups(0.1, family)).is_ok());
    // Without the word it stands alone; a party that rests as a whole is meant to.
    assert!(make(groups(0.0, SocialTraits::default)).is_ok());
    assert!(make(groups(0.0, family).split_off(1)).is_ok());
}
