//! Floors over each other: stairs, bridges, storeys, and what they must not mix.

use heurt_crowd::{
    AgentGroup, Crowd, CrowdFault, CrowdSettings, Goals, Ground, GroundError, Navigation, Pace, SpeedLaw, Start,
};
use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(v(x0, y0), v(x1, y1))
}

fn level(area: PlanArea, height: f64) -> FloorArea {
    FloorArea::level(area, height)
}

/// A rectangle that rises along x from one height to another.
fn rising([x0, y0, x1, y1]: [f64; 4], from: f64, to: f64) -> FloorArea {
    let slope = v((to - from) / (x1 - x0), 0.0);
    FloorArea { area: rectangle(x0, y0, x1, y1), at: Vec3::new(x0, y0, from), slope }
}

fn walkers(start: Start, goals: Goals) -> AgentGroup {
    AgentGroup { name: "walkers".to_owned(), start, speed: SpeedLaw::constant(1.34), goals, ..AgentGroup::default() }
}

fn crowd(ground: Ground, groups: Vec<AgentGroup>) -> Crowd {
    Crowd::new(ground, CrowdSettings::default(), groups).unwrap_or_else(|faults| panic!("{faults:?}"))
}

/// Runs until all have left, and checks what holds in every run.
fn run(mut crowd: Crowd, most: f64) -> Crowd {
    while !crowd.is_empty() && crowd.time() < most {
        crowd.step(0.05);
        for agent in crowd.agents() {
            let floor = &crowd.ground().floors()[agent.floor as usize];
            let off = (floor.height_at(agent.position) - agent.height).abs();
            assert!(off < 1e-9 && crowd.ground().contains(agent.position.extend(agent.height)), "{agent:?}");
        }
    }
    let report = crowd.report();
    assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{report:?}");
    assert!(crowd.environment().clone().validate().is_empty(), "registration");
    assert!(crowd.is_empty(), "{} left after {} s", crowd.agents().len(), crowd.time());
    crowd
}

#[test]
fn floors_that_overlap_at_one_height_are_trimmed() {
    // A stair that begins 1 mm before the edge of its floor, and a room 1 cm higher that shares a metre with it.
    let stair = rising([9.999, 0.0, 15.0, 2.0], 0.0, 3.0);
    let room = level(rectangle(-5.0, 0.0, 1.0, 2.0), 0.01);
    let ground = Ground::new([rectangle(0.0, 0.0, 10.0, 2.0).into(), stair, room]).expect("sound");
    assert!((ground.area() - (10.0 * 2.0 + 5.0 * 2.0 + 5.0 * 2.0)).abs() < 1e-2, "{}", ground.area());
    let exit = level(rectangle(14.0, 0.0, 15.0, 2.0), 2.7);
    run(crowd(ground, vec![walkers(Start::Places(vec![v(-4.0, 1.0).extend(0.01)]), Goals::through([[exit]]))]), 60.0);
    // A floor wholly in another one is none.
    let mat = level(rectangle(2.0, 0.5, 3.0, 1.5), 0.01);
    let ground = Ground::new([rectangle(0.0, 0.0, 10.0, 2.0).into(), mat]).expect("sound");
    assert_eq!((ground.floors().len(), ground.walls().len(), ground.area()), (1, 4, 20.0));
    // A step of 6 cm is none to walk over, and no room to stand in.
    let step = level(rectangle(2.0, 0.5, 3.0, 1.5), 0.06);
    let fault = Ground::new([rectangle(0.0, 0.0, 10.0, 2.0).into(), step]).expect_err("no room");
    assert!(matches!(fault, GroundError::NoHeadroom { .. }), "{fault}");
}

#[test]
fn floors_that_nearly_meet_are_named_by_their_place() {
    // Gaps and overlaps of a millimetre along an edge with a step of a millimetre, 500 m from (0, 0).
    let mut refused = 0;
    for gap in [-0.001, -0.0005, 0.0, 0.0004, 0.0005, 0.0008, 0.001, 0.0012] {
        for step in [0.0004, 0.0007, 0.001, 0.0015] {
            let corners = [
                [510.0, 0.0],
                [510.0 + gap, 1.0],
                [510.0 + gap + step, 1.0],
                [510.0 + gap + step, 2.0],
                [515.0, 2.0],
                [515.0, 0.0],
            ];
            let area = PlanArea { outline: corners.map(Vec2::from_array).to_vec(), holes: Vec::new() };
            let second = FloorArea { area, at: Vec3::new(510.0, 0.0, 0.0), slope: v(0.001, 0.0) };
            if let Err(fault) = Ground::new([rectangle(500.0, 0.0, 510.0, 2.0).into(), second]) {
                refused += 1;
                assert!(fault.to_string().contains("(51") || fault.to_string().contains("(50"), "{fault}");
                assert!(!fault.to_string().contains("(0, 0)"), "{fault}");
            }
        }
    }
    assert!(refused > 0, "some cannot be joined");
}

#[test]
fn agents_climb_stairs_at_their_pace() {
    let ground = || {
        let stair = rising([10.0, 0.0, 15.0, 2.0], 0.0, 3.0);
        Ground::new([rectangle(0.0, 0.0, 10.0, 2.0).into(), stair, level(rectangle(15.0, 0.0, 25.0, 2.0), 3.0)])
            .expect("sound")
    };
    let up = || (v(1.0, 1.0).extend(0.0), level(rectangle(24.0, 0.0, 25.0, 2.0), 3.0));
    let down = || (v(24.0, 1.0).extend(3.0), level(rectangle(0.0, 0.0, 1.0, 2.0), 0.0));
    for ((place, exit), pace, ground) in [
        (up(), Pace::STAIRS.up, ground()),
        (down(), Pace::STAIRS.down, ground()),
        (up(), 0.5, ground().with_stairs(Pace { up: 0.5, down: 0.75 })),
        (down(), 0.25, ground().with_zone(rising([10.0, 0.0, 15.0, 2.0], 0.0, 3.0), Pace { up: 0.1, down: 0.25 })),
    ] {
        let group = walkers(Start::Places(vec![place]), Goals::through([[exit]]));
        let crowd = run(crowd(ground, vec![group]), 120.0);
        let time = crowd.report().travel_time.expect("it arrived").median;
        let expected = (23.0 - 5.0) / 1.34 + 5.0 / (1.34 * pace);
        assert!((time - expected).abs() < 0.2, "{time} s for {expected} s");
    }
}

#[test]
fn paths_take_the_nearer_stair() {
    // Two storeys over each other; a stair at each end of the hall beside it.
    let hall = |z: f64| level(rectangle(0.0, 0.0, 30.0, 4.0), z);
    let floors = [
        hall(0.0),
        level(rectangle(0.0, 4.0, 5.0, 6.0), 0.0),
        rising([5.0, 4.0, 10.0, 6.0], 0.0, 3.0),
        level(rectangle(10.0, 4.0, 12.0, 6.0), 3.0),
        level(rectangle(25.0, 4.0, 27.0, 6.0), 0.0),
        rising([20.0, 4.0, 25.0, 6.0], 3.0, 0.0),
        level(rectangle(18.0, 4.0, 20.0, 6.0), 3.0),
        hall(3.0),
    ];
    let ground = Ground::new(floors).expect("sound");
    let navigation = Navigation::new(&ground, 0.0).expect("points fit");
    let paths = navigation.paths_to_point(v(15.0, 1.0).extend(3.0)).expect("inside");
    let distance = |from: Vec3| paths.heading(from).expect("a path").distance;
    // Round the foot of a stair and its head: corners (5, 4) and (10, 4), or (25, 4) and (20, 4).
    let along =
        |x: f64, foot: f64, head: f64| v(x, 1.0).distance(v(foot, 4.0)) + 5.0 + v(head, 4.0).distance(v(15.0, 1.0));
    for (x, known) in [(2.0, along(2.0, 5.0, 10.0)), (28.0, along(28.0, 25.0, 20.0)), (14.0, along(14.0, 5.0, 10.0))] {
        let found = distance(v(x, 1.0).extend(0.0));
        assert!((found - known).abs() < 1e-9, "from {x}: {found} for {known}");
    }
    assert!((distance(v(13.0, 1.0).extend(3.0)) - 2.0).abs() < 1e-12, "on the floor of the goal");
    // An agent at the goal's place one storey below has a walk before it.
    assert!(distance(v(15.0, 1.0).extend(0.0)) > 15.0);
}

#[test]
fn agents_over_each_other_are_nothing_to_each_other() {
    // A bridge over a path that crosses it, 3 m above.
    let ground = || {
        Ground::new([
            level(rectangle(0.0, 0.0, 6.0, 2.0), 0.0),
            rising([6.0, 0.0, 12.0, 2.0], 0.0, 3.0),
            level(rectangle(12.0, 0.0, 18.0, 2.0), 3.0),
            rising([18.0, 0.0, 24.0, 2.0], 3.0, 0.0),
            level(rectangle(24.0, 0.0, 30.0, 2.0), 0.0),
            level(rectangle(13.0, -10.0, 17.0, 12.0), 0.0),
        ])
        .expect("sound")
    };
    let over = || {
        let goal = level(rectangle(29.0, 0.0, 30.0, 2.0), 0.0);
        walkers(Start::at([v(1.0, 1.0)]), Goals::through([[goal]]))
    };
    let mut under = walkers(
        Start::within([rectangle(13.0, -10.0, 17.0, 2.0)], 60),
        Goals::through([[rectangle(13.0, 11.0, 17.0, 12.0)]]),
    );
    under.name = "under".to_owned();
    let alone = run(crowd(ground(), vec![over()]), 120.0).report().travel_time.expect("arrived").max;
    let crowd = run(crowd(ground(), vec![over(), under]), 120.0);
    assert_eq!(crowd.report().travel_time.expect("arrived").max, alone, "to the bit");
}

/// A house of three storeys over each other: rooms of 20 × 10 m, a well of stairs with two flights a storey, one exit.
fn house() -> Vec<FloorArea> {
    let mut floors = Vec::new();
    for storey in 0..3 {
        let z = 3.0 * f64::from(storey);
        floors.push(level(rectangle(0.0, 0.0, 20.0, 10.0), z));
        // The landing before the flights.
        floors.push(level(rectangle(20.0, 0.0, 22.0, 4.0), z));
        if storey < 2 {
            floors.push(rising([22.0, 0.0, 25.0, 1.9], z, z + 1.5));
            floors.push(level(rectangle(25.0, 0.0, 27.0, 4.0), z + 1.5));
            floors.push(rising([22.0, 2.1, 25.0, 4.0], z + 3.0, z + 1.5));
        }
    }
    floors.push(level(rectangle(-2.0, 4.0, 0.0, 6.0), 0.0));
    floors
}

#[test]
fn houses_empty_over_their_stairs() {
    let groups = |seed: u64| {
        let storey = |storey: usize| {
            let mut group = walkers(
                Start::within([level(rectangle(0.0, 0.0, 20.0, 10.0), 3.0 * storey as f64)], 40),
                Goals::through([[rectangle(-2.0, 4.0, -1.0, 6.0)]]),
            );
            group.name = format!("storey {storey} {seed}");
            group
        };
        (0..3).map(storey).collect::<Vec<_>>()
    };
    let ground = Ground::new(house()).expect("sound");
    for seed in 1..=2 {
        let mut settings = CrowdSettings::default();
        settings.seed = seed;
        let crowd = Crowd::new(ground.clone(), settings, groups(seed)).expect("sound");
        assert_eq!(crowd.agents().filter(|agent| agent.height == 6.0).count(), 40);
        let crowd = run(crowd, 400.0);
        assert_eq!(crowd.report().arrived, 120);
    }
    // The same bits for any number of threads.
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut crowd = crowd(ground.clone(), groups(1));
            (0..400).for_each(|_| crowd.step(0.05));
            crowd.state_hash()
        })
    };
    assert!(hash(1) == hash(2) && hash(1) == hash(4));
}

#[test]
fn floors_that_cannot_be_are_named() {
    let low = || level(rectangle(0.0, 0.0, 10.0, 4.0), 0.0);
    let refuse = |floors: Vec<FloorArea>| Ground::new(floors).expect_err("unsound").to_string();
    let ceiling = refuse(vec![low(), level(rectangle(8.0, 0.0, 12.0, 4.0), 1.9)]);
    assert!(ceiling.contains("0.00 m and 1.90 m") && ceiling.contains("(8, "), "{ceiling}");
    let under = refuse(vec![level(rectangle(0.0, 0.0, 20.0, 4.0), 0.0), rising([10.0, 1.0, 16.0, 3.0], 0.0, 3.0)]);
    assert!(under.contains("cut the lower one out"), "{under}");
    let steep = refuse(vec![low(), rising([10.0, 0.0, 12.0, 4.0], 0.0, 3.0)]);
    assert!(steep.contains("1.50 m a metre"), "{steep}");
    let three =
        refuse(vec![low(), rising([10.0, 0.0, 20.0, 4.0], 0.0, 3.0), rising([10.0, 0.0, 20.0, 4.0], 0.0, -3.0)]);
    assert!(three.contains("three floors meet") || three.contains("lie over each other"), "{three}");
    assert!(matches!(Ground::new(Vec::<FloorArea>::new()), Err(GroundError::Empty)));
    // A storey without a stair.
    let ground = Ground::new([low(), level(rectangle(0.0, 0.0, 10.0, 4.0), 3.0)]).expect("sound");
    let exit = level(rectangle(9.0, 0.0, 10.0, 4.0), 3.0);
    let faults =
        Crowd::new(ground, CrowdSettings::default(), vec![walkers(Start::at([v(2.0, 2.0)]), Goals::through([[exit]]))]);
    let faults = faults.expect_err("no stair");
    assert!(matches!(&faults[..], [CrowdFault::Unreachable { near, .. }] if near.z == 3.0), "{faults:?}");
}

#[test]
fn walls_of_high_slopes_count_in_long_steps() {
    // A ramp that rises by more than the headroom: a step crosses it from side to side.
    let ground = Ground::new([rising([0.0, 0.0, 4.0, 4.0], 0.0, 2.4)]).expect("sound");
    let goal = rising([0.3, 0.4, 1.2, 0.9], 0.18, 0.72);
    let mut fast = walkers(Start::Places(vec![v(3.7, 3.2).extend(2.22)]), Goals::through([[goal]]));
    (fast.radius, fast.speed) = (0.25, SpeedLaw::constant(20.0));
    let mut crowd = crowd(ground, vec![fast]);
    for _ in 0..5 {
        crowd.step(1.0);
        for agent in crowd.agents().chain(crowd.departed()) {
            let place = agent.position;
            assert!(place.min_element() >= 0.25 - 1e-6 && place.max_element() <= 3.75 + 1e-6, "{place}");
        }
    }
    assert_eq!(crowd.report().worst_wall_overlap, 0.0);
}

#[test]
fn stairs_over_a_cut_floor_are_free() {
    // The lower floor is cut out where less than 2 m are free above it.
    let floors = [
        level(rectangle(0.0, 0.0, 10.0, 2.0), 0.0),
        rising([10.0, 0.0, 15.0, 2.0], 0.0, 3.0),
        level(rectangle(15.0, 0.0, 22.0, 2.0), 3.0),
        level(rectangle(13.34, -5.0, 25.0, 7.0), 0.0),
    ];
    for (place, exit) in [
        (v(1.0, 1.0).extend(0.0), level(rectangle(21.0, 0.0, 22.0, 2.0), 3.0)),
        (v(21.0, 1.0).extend(3.0), level(rectangle(0.0, 0.0, 1.0, 2.0), 0.0)),
    ] {
        let ground = Ground::new(floors.clone()).expect("sound");
        let mut below = walkers(Start::within([rectangle(13.34, 0.0, 16.0, 2.0)], 8), Goals::None);
        below.name = "below".to_owned();
        let group = walkers(Start::Places(vec![place]), Goals::through([[exit]]));
        let mut crowd = crowd(ground, vec![group, below]);
        while crowd.agents().len() > 8 && crowd.time() < 60.0 {
            crowd.step(0.05);
        }
        let report = crowd.report();
        assert_eq!((report.arrived, report.overlapping_pairs), (1, 0), "{report:?}");
        assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{report:?}");
    }
}

#[test]
fn goals_reach_as_far_as_their_height() {
    // The goal at height 0 covers the stair in plan, up to 3 m.
    let floors = || [rectangle(0.0, 0.0, 10.0, 2.0).into(), rising([10.0, 0.0, 15.0, 2.0], 0.0, 3.0)];
    let goal = rectangle(0.0, 0.0, 15.0, 2.0);
    let ground = Ground::new(floors()).expect("sound");
    let group = walkers(Start::Places(vec![v(14.5, 1.0).extend(2.7)]), Goals::through([[goal.clone()]]));
    let crowd = run(crowd(ground, vec![group]), 60.0);
    assert!(crowd.report().travel_time.is_some_and(|times| times.max > 1.0), "it walks down to 1 m");
    let ground = Ground::new(floors()).expect("sound");
    let starts = walkers(Start::within([goal], 60), Goals::None);
    let crowd = Crowd::new(ground, CrowdSettings::default(), vec![starts]).expect("room for all");
    assert!(crowd.agents().all(|agent| agent.height <= 1.0 + 1e-9));
    assert!(!crowd.ground().meets(&level(rectangle(0.0, 0.0, 5.0, 2.0), 5.0)));
}

#[test]
fn thin_goals_are_not_jumped_over() {
    let ground = Ground::new([rectangle(0.0, 0.0, 20.0, 4.0)]).expect("sound");
    let group = walkers(
        Start::within([rectangle(1.0, 1.0, 4.0, 3.0)], 5),
        Goals::through([[rectangle(15.0, 0.0, 15.01, 4.0)]]),
    );
    let mut settings = CrowdSettings::default();
    settings.model = heurt_crowd::SteeringModel::from_name("rvo").expect("a model");
    let mut crowd = Crowd::new(ground, settings, vec![group]).expect("sound");
    while !crowd.is_empty() && crowd.time() < 30.0 {
        crowd.step(0.2);
    }
    assert!(crowd.is_empty(), "{} left", crowd.agents().len());
}

#[test]
fn floors_of_a_thousand_kilometres_are_made_from_end_to_end() {
    // Seen from the middle, all corners lie in two directions.
    for [along, across] in [[Vec2::X, Vec2::Y], [Vec2::Y, -Vec2::X]] {
        let corner = |x: f64, y: f64| along * x + across * y;
        let outline = vec![corner(0.0, 0.0), corner(1e6, 0.0), corner(1e6, 5.0), corner(0.0, 5.0)];
        let ground = Ground::new([PlanArea { outline, holes: Vec::new() }]).expect("sound");
        assert_eq!((ground.area(), ground.walls().len()), (5e6, 4));
        assert!(ground.contains(corner(123_456.789, 2.5).extend(0.0)));
        assert_eq!(ground.distance_to_wall(corner(5e5, 1.0).extend(0.0)), 1.0);
    }
}
