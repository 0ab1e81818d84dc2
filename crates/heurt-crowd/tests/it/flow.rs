//! Flows: persons in flow zones against closed forms, and their passage to and from individuals.

use heurt_crowd::measure::{WEIDMANN_JAM_DENSITY, weidmann_flow, weidmann_speed};
use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SocialTraits, SpeedLaw, Start};
use heurt_geometry::{PlanArea, Vec2};
use std::slice::from_ref;

pub(crate) fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(Vec2::new(x0, y0), Vec2::new(x1, y1))
}

pub(crate) fn people(name: &str, start: Start, goal: PlanArea) -> AgentGroup {
    AgentGroup {
        name: name.to_owned(),
        start,
        speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
        goals: Goals::through([[goal]]),
        ..AgentGroup::default()
    }
}

pub(crate) fn ground(floors: &[PlanArea], flows: &[PlanArea]) -> Ground {
    let ground = Ground::new(floors.iter().cloned()).expect("sound");
    flows.iter().fold(ground, |ground, zone| ground.with_flow([zone.clone()]))
}

pub(crate) fn crowd(ground: Ground, seed: u64, groups: Vec<AgentGroup>) -> Crowd {
    let mut settings = CrowdSettings::default();
    settings.seed = seed;
    Crowd::new(ground, settings, groups).expect("sound")
}

/// Takes steps until all have left, and checks in each that no person is lost and no individual overlaps.
pub(crate) fn run(crowd: &mut Crowd, most: f64, mut visit: impl FnMut(&Crowd)) {
    let count = crowd.agents().len() + crowd.arrived();
    while !crowd.is_empty() && crowd.time() < most {
        crowd.step(0.05);
        assert_eq!(crowd.agents().len() + crowd.arrived(), count, "at {} s", crowd.time());
        visit(crowd);
    }
    let report = crowd.report();
    assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{report:?}");
    assert_eq!(report.overlapping_pairs, 0);
}

/// Runs until all have arrived.
pub(crate) fn run_to_the_end(crowd: &mut Crowd, most: f64) {
    run(crowd, most, |_| {});
    assert!(crowd.is_empty(), "{} are present after {most} s", crowd.agents().len());
}

/// Searches the largest flow of the diagram.
fn largest_flow() -> f64 {
    (1..5400).map(|k| weidmann_flow(1e-3 * f64::from(k))).fold(0.0, f64::max)
}

/// A room of 8 × 5 m, a door of a width in a wall of 0.2 m, a corridor 20 m long and 5 m wide.
fn room(door: f64) -> [PlanArea; 3] {
    [
        rectangle(0.0, 0.0, 8.0, 5.0),
        rectangle(8.0, 2.5 - 0.5 * door, 8.2, 2.5 + 0.5 * door),
        rectangle(8.2, 0.0, 28.0, 5.0),
    ]
}

#[test]
fn a_room_empties_at_the_flow_of_its_door() {
    let count = 100;
    // The seconds are those of docs/crowds.md.
    for (door, seed, seconds) in [(1.0, 1, 80.80), (1.0, 2, 80.80), (0.6, 3, 134.70), (1.4, 4, 57.75)] {
        let floors = room(door);
        let start = Start::within([floors[0].clone()], count);
        let group = people("room", start, rectangle(27.0, 0.0, 28.0, 5.0));
        let mut crowd = crowd(ground(&floors, &floors[..1]), seed, vec![group]);
        assert!(crowd.agents().all(|person| person.is_in_flow));
        let mut passed: Vec<f64> = Vec::new();
        run(&mut crowd, 300.0, |crowd| {
            let inside = crowd.agents().filter(|person| person.is_in_flow).count();
            passed.resize(count - inside, crowd.time());
        });
        assert!(crowd.is_empty() && passed.len() == count);
        // The closed form: N persons take N / (q w) from the first on.
        let (flow, time) = (door * largest_flow(), passed[count - 1] - passed[0]);
        let wanted = (count - 1) as f64 / flow;
        assert!(time >= wanted - 0.1, "door {door} m: {time} s, not less than {wanted}");
        assert!((time - seconds).abs() < 0.005, "door {door} m: {time} s for {wanted} s");
        // Nor is there a burst: any ten seconds have at most the flow of ten seconds and one person.
        for (place, first) in passed.iter().enumerate() {
            let within = passed[place..].iter().take_while(|time| *time - first < 10.0).count();
            assert!(within as f64 <= 10.0 * flow + 2.0, "door {door} m: {within} in ten seconds");
        }
    }
}

/// Two rooms with doors of two widths in a row, the second room of a length, then a corridor of individuals.
fn two_rooms([first, second]: [f64; 2], length: f64, seed: u64) -> Crowd {
    let door = |x: f64, width: f64| rectangle(x, 2.5 - 0.5 * width, x + 0.2, 2.5 + 0.5 * width);
    let end = 8.2 + length;
    let floors = [
        rectangle(0.0, 0.0, 8.0, 5.0),
        door(8.0, first),
        rectangle(8.2, 0.0, end, 5.0),
        door(end, second),
        rectangle(end + 0.2, 0.0, 40.0, 5.0),
    ];
    // The first zone has its door, so that the zones touch.
    let flows = [rectangle(0.0, 0.0, 8.2, 5.0), floors[2].clone()];
    let group = people("room", Start::within([floors[0].clone()], 120), rectangle(39.0, 0.0, 40.0, 5.0));
    crowd(ground(&floors, &flows), seed, vec![group])
}

#[test]
fn the_smaller_of_two_openings_counts() {
    // In the last case the second room is full, so that the first door lets no more pass than the second.
    for (doors, length, seed) in
        [([1.2, 0.8], 6.0, 1), ([0.8, 1.2], 6.0, 2), ([1.0, 1.0], 6.0, 3), ([1.4, 0.5], 1.5, 4)]
    {
        let mut crowd = two_rooms(doors, length, seed);
        let (mut most, mut out) = (0, vec![0_usize]);
        run(&mut crowd, 600.0, |crowd| {
            let inside = crowd.agents().filter(|person| person.is_in_flow && person.position.x > 8.2).count();
            most = most.max(inside);
            out.push(120 - crowd.agents().filter(|person| person.is_in_flow).count());
        });
        assert!(crowd.is_empty());
        let capacity = WEIDMANN_JAM_DENSITY * 5.0 * length;
        assert!(most as f64 <= capacity, "{most} persons in a reservoir for {capacity}");
        assert!(length > 2.0 || most as f64 > 0.7 * capacity, "{most} persons in a reservoir for {capacity}");
        // From the twentieth to the hundredth person: a steady flow.
        let step_of = |count: usize| out.iter().position(|&passed| passed >= count).expect("all pass") as f64;
        let time = 0.05 * (step_of(100) - step_of(20));
        let passed = time * largest_flow() * f64::min(doors[0], doors[1]);
        println!("doors {doors:?}: {passed:.2} persons by the closed form in the time of 80, most {most}");
        assert!((passed - 80.0).abs() <= 1.0, "doors {doors:?} m: {passed} persons for 80");
    }
}

#[test]
fn a_person_alone_walks_at_its_own_speed() {
    for (speed, length) in [(1.34, 80.0), (0.7, 35.0)] {
        let floor = rectangle(0.0, 0.0, length + 2.0, 4.0);
        let mut group =
            people("one", Start::at([Vec2::new(1.0, 2.0)]), rectangle(length + 1.0, 0.0, length + 2.0, 4.0));
        group.speed = SpeedLaw::constant(speed);
        let mut crowd = crowd(ground(from_ref(&floor), from_ref(&floor)), 1, vec![group]);
        run_to_the_end(&mut crowd, 200.0);
        let time = crowd.report().travel_time.expect("it arrived").max;
        assert!((time - length / speed).abs() <= 0.05 + 1e-9, "{time} s for {} s", length / speed);
    }
}

#[test]
fn a_dense_flow_walks_at_the_speed_of_the_diagram() {
    // A corridor that is a flow: 60 persons on 40 m² far from its end, all with one speed.
    let floor = rectangle(0.0, 0.0, 40.0, 2.0);
    let mut group = people("all", Start::within([rectangle(0.0, 0.0, 20.0, 2.0)], 60), rectangle(39.0, 0.0, 40.0, 2.0));
    group.speed = SpeedLaw::constant(1.2);
    let mut crowd = crowd(ground(from_ref(&floor), from_ref(&floor)), 5, vec![group]);
    crowd.step(0.05);
    let wanted = 1.2 * weidmann_speed(59.0 / 80.0) / 1.34;
    for person in crowd.agents() {
        assert!((person.velocity.length() - wanted).abs() < 1e-9, "{person:?} for {wanted} m/s");
    }
    run_to_the_end(&mut crowd, 120.0);
}

/// A hall of individuals, a long flow, and a hall of individuals again; crowds from both sides.
fn two_halls(seed: u64) -> Crowd {
    let floors = [rectangle(0.0, 0.0, 12.0, 10.0), rectangle(12.0, 3.0, 52.0, 7.0), rectangle(52.0, 0.0, 64.0, 10.0)];
    let west = people("west", Start::within([floors[0].clone()], 60), rectangle(63.0, 0.0, 64.0, 10.0));
    let east = people("east", Start::within([floors[2].clone()], 20), rectangle(0.0, 0.0, 1.0, 10.0));
    crowd(ground(&floors, &[rectangle(14.0, 3.0, 50.0, 7.0)]), seed, vec![west, east])
}

#[test]
fn crowds_walk_through_a_flow_and_out_again() {
    for seed in 1..=6 {
        let mut crowd = two_halls(seed);
        let mut most = 0;
        run(&mut crowd, 240.0, |crowd| most = most.max(crowd.agents().filter(|person| person.is_in_flow).count()));
        let report = crowd.report();
        assert!(crowd.is_empty(), "seed {seed}: {report:?}");
        assert!(most > 40, "{most} in the flow");
    }
}

#[test]
fn flows_do_not_depend_on_threads() {
    let track = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut crowd = two_halls(7);
            let mut hashes = Vec::new();
            while crowd.time() < 60.0 {
                crowd.step(0.05);
                hashes.push(crowd.state_hash());
            }
            hashes
        })
    };
    let alone = track(1);
    assert!(alone.windows(2).all(|pair| pair[0] != pair[1]), "the crowd moves");
    assert_eq!((&alone, &alone), (&track(2), &track(4)));
}

#[test]
fn a_full_flow_keeps_individuals_outside() {
    // The flow of 3 × 2 m has room for 32 persons; its exit is 0.5 m wide.
    let floors = [rectangle(0.0, 0.0, 20.0, 2.0), rectangle(20.0, 0.75, 20.2, 1.25), rectangle(20.2, 0.0, 30.0, 2.0)];
    let group = people("all", Start::within([rectangle(0.0, 0.0, 14.0, 2.0)], 70), rectangle(29.0, 0.0, 30.0, 2.0));
    let mut crowd = crowd(ground(&floors, &[rectangle(17.0, 0.0, 20.0, 2.0)]), 1, vec![group]);
    let mut most = 0;
    run(&mut crowd, 300.0, |crowd| most = most.max(crowd.agents().filter(|person| person.is_in_flow).count()));
    assert!(crowd.is_empty(), "{:?}", crowd.report());
    let room = (WEIDMANN_JAM_DENSITY * 6.0) as usize;
    assert!(most <= room && most > room / 2, "{most} persons for {room}");
}

#[test]
fn overfull_flows_empty() {
    // Small persons at 6 /m²: above the largest density, at which the diagram has no speed.
    let floors = [rectangle(0.0, 0.0, 3.0, 2.0), rectangle(3.0, 0.5, 12.0, 1.5)];
    let mut group = people("small", Start::within([floors[0].clone()], 36), rectangle(11.0, 0.0, 12.0, 2.0));
    group.radius = 0.12;
    let mut crowd = crowd(ground(&floors, &floors[..1]), 2, vec![group]);
    run_to_the_end(&mut crowd, 120.0);
    assert_eq!(crowd.report().stalled, 0, "persons that wait for tokens are in a queue");
}

#[test]
fn parties_and_late_starters_keep_together() {
    let floors = [rectangle(0.0, 0.0, 40.0, 4.0)];
    let together = SocialTraits { together: Some("family".to_owned()), ..SocialTraits::default() };
    let goal = rectangle(39.0, 0.0, 40.0, 4.0);
    let member = |name: &str, x: f64, speed: f64, reaction: f64| AgentGroup {
        speed: SpeedLaw::constant(speed),
        reaction: SpeedLaw::constant(reaction),
        social: together.clone(),
        ..people(name, Start::at([Vec2::new(x, 2.0)]), goal.clone())
    };
    let groups = vec![member("adult", 3.0, 1.5, 0.0), member("child", 2.0, 0.8, 4.0)];
    let mut crowd = crowd(ground(&floors, &[rectangle(0.0, 0.0, 20.0, 4.0)]), 1, groups);
    run(&mut crowd, 120.0, |crowd| {
        let places: Vec<f64> = crowd.agents().map(|person| person.position.x).collect();
        assert!(places.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 4.0), "{places:?}");
        if crowd.time() < 4.0 {
            assert_eq!(places[1], 2.0, "it has not reacted");
        }
    });
    let times = crowd.report().travel_time.expect("both arrive");
    assert!(crowd.is_empty() && (times.max - (4.0 + 37.0 / 0.8)).abs() < 1.0, "{times:?}");
    assert_eq!(crowd.report().stalled, 0);
}

#[test]
fn persons_that_begin_at_their_goal_in_a_flow_leave_once() {
    let hall = [rectangle(0.0, 0.0, 20.0, 4.0)];
    let group = people("here", Start::at([Vec2::new(2.0, 2.0), Vec2::new(3.0, 2.0)]), rectangle(0.0, 0.0, 5.0, 4.0));
    let crowd = crowd(ground(&hall, &hall), 1, vec![group]);
    assert_eq!((crowd.agents().len(), crowd.departed().len(), crowd.report().arrived), (0, 2, 2));
}
