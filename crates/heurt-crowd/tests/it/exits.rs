//! Exits with a largest flow.

use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SocialTraits, SpeedLaw, Start};
use heurt_geometry::{PlanArea, Vec2};

fn rectangle(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(Vec2::new(x0, y0), Vec2::new(x1, y1))
}

/// Runs 60 persons out of a hall; returns the times at which they leave.
fn times(hall: PlanArea, exits: Vec<PlanArea>, exit_flow: Option<f64>) -> Vec<f64> {
    let mut settings = CrowdSettings::default();
    settings.exit_flow = exit_flow;
    let people = AgentGroup {
        name: "people".to_owned(),
        start: Start::within([rectangle(0.0, 0.0, 9.0, 10.0)], 60),
        speed: SpeedLaw::constant(1.34),
        goals: Goals::through([exits]),
        ..AgentGroup::default()
    };
    let mut crowd = Crowd::new(Ground::new([hall]).expect("sound"), settings, vec![people]).expect("sound");
    let mut times = Vec::new();
    while !crowd.is_empty() && crowd.time() < 200.0 {
        crowd.step(0.05);
        times.extend(crowd.departed().map(|_| crowd.time()));
    }
    let report = crowd.report();
    assert_eq!((report.arrived, report.overlapping_pairs), (60, 0), "{report:?}");
    times
}

/// A hall of 10 × 10 m with doors of 1 m in its right wall, each with its exit.
fn doors(heights: &[f64]) -> (PlanArea, Vec<PlanArea>) {
    let mut outline = vec![Vec2::new(0.0, 0.0), Vec2::new(10.0, 0.0)];
    for &y in heights {
        outline.extend([[10.0, y], [11.0, y], [11.0, y + 1.0], [10.0, y + 1.0]].map(Vec2::from_array));
    }
    outline.extend([Vec2::new(10.0, 10.0), Vec2::new(0.0, 10.0)]);
    let exits = heights.iter().map(|&y| rectangle(10.0, y, 11.0, y + 1.0)).collect();
    (PlanArea { outline, holes: Vec::new() }, exits)
}

#[test]
fn exits_let_out_no_more_than_their_flow() {
    let (hall, exits) = doors(&[4.0]);
    let free = times(hall.clone(), exits.clone(), None);
    assert!(free[59] < 40.0, "{} s without a limit", free[59]);
    for flow in [0.5, 1.33] {
        let times = times(hall.clone(), exits.clone(), Some(flow));
        // A door of 1 m: the nth person after the first leaves n / flow seconds later, or after, within a step.
        for (n, time) in times.iter().enumerate() {
            assert!(time - times[0] >= (n as f64 - 1.0) / flow - 0.05, "person {n} after {time} s");
        }
    }
}

#[test]
fn wide_exits_with_a_queue_have_their_flow() {
    for flow in [0.1, 0.3] {
        let (hall, exit) = (rectangle(0.0, 0.0, 14.0, 10.0), rectangle(11.0, 0.0, 14.0, 10.0));
        let times = times(hall, vec![exit], Some(flow));
        // 10 m wide. One person may leave at once.
        let queue = 59.0 / (10.0 * flow);
        let between = times[59] - times[0];
        assert!((queue - 1.0 / (10.0 * flow) - 0.05..queue + 1.0).contains(&between), "{between} s for {queue} s");
    }
}

#[test]
fn two_exits_let_out_twice_as_many() {
    let [one, two] = [&[4.0][..], &[2.0, 7.0]].map(|heights| {
        let (hall, exits) = doors(heights);
        times(hall, exits, Some(0.5))[59]
    });
    assert!((0.45..0.6).contains(&(two / one)), "{two} s by two doors, {one} s by one");
}

#[test]
fn agents_leave_at_the_exit_that_they_are_in() {
    // The path to exit A leads through exit B: each lets out its own.
    let hall = rectangle(0.0, 0.0, 30.0, 4.0);
    let [b, a] = [rectangle(10.0, 0.0, 12.0, 4.0), rectangle(28.0, 0.0, 30.0, 4.0)];
    let mut settings = CrowdSettings::default();
    (settings.exit_flow, settings.queues) = (Some(0.1), false);
    let person = |k: u32| AgentGroup {
        name: format!("person {k}"),
        start: Start::at([Vec2::new(2.0 + f64::from(k), 2.0)]),
        speed: SpeedLaw::constant(1.34),
        goals: Goals::through([[b.clone(), a.clone()]]),
        social: SocialTraits { knows: vec![1], ..SocialTraits::default() },
        ..AgentGroup::default()
    };
    let mut crowd =
        Crowd::new(Ground::new([hall]).expect("sound"), settings, (0..6).map(person).collect()).expect("sound");
    let mut times = Vec::new();
    while !crowd.is_empty() && crowd.time() < 60.0 {
        crowd.step(0.05);
        times.extend(crowd.departed().filter(|agent| agent.position.x < 13.0).map(|_| crowd.time()));
    }
    // Exit B has two entries of 4 m less a radius at both walls, and counts the width of a person more: 7.6 m.
    assert!(times.len() >= 3, "{times:?}");
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 1.0 / 0.76 - 0.06), "{times:?}");
}

#[test]
fn settings_that_are_none_are_faults() {
    use heurt_crowd::CrowdFault;
    let change = [
        |settings: &mut CrowdSettings| settings.replan = Some(f64::NAN),
        |settings: &mut CrowdSettings| settings.replan = Some(0.0),
        |settings: &mut CrowdSettings| settings.exit_flow = Some(0.0),
        |settings: &mut CrowdSettings| settings.exit_flow = Some(-1.0),
        |settings: &mut CrowdSettings| settings.time_gap = Some(f64::INFINITY),
        |settings: &mut CrowdSettings| settings.panic = f64::NAN,
    ];
    for change in change {
        let mut settings = CrowdSettings::default();
        change(&mut settings);
        let ground = Ground::new([rectangle(0.0, 0.0, 4.0, 4.0)]).expect("sound");
        let faults = Crowd::new(ground, settings, Vec::new()).expect_err("no setting");
        assert!(matches!(faults[..], [CrowdFault::BadSetting { .. }]), "{faults:?}");
    }
}

#[test]
fn persons_who_wait_to_be_let_out_are_in_no_jam() {
    // A person in the exit has 20 s to wait until the next one may leave.
    let (hall, exit) = (rectangle(0.0, 0.0, 10.0, 1.0), rectangle(7.0, 0.0, 10.0, 1.0));
    let mut settings = CrowdSettings::default();
    settings.exit_flow = Some(0.05);
    let people = AgentGroup {
        name: "people".to_owned(),
        start: Start::at([Vec2::new(5.0, 0.5), Vec2::new(6.0, 0.5)]),
        speed: SpeedLaw::constant(1.34),
        goals: Goals::through([[exit]]),
        ..AgentGroup::default()
    };
    let mut crowd = Crowd::new(Ground::new([hall]).expect("sound"), settings, vec![people]).expect("sound");
    while !crowd.is_empty() && crowd.time() < 60.0 {
        crowd.step(0.05);
        // It stands in the area, and does not look for other directions.
        if (5.0..15.0).contains(&crowd.time()) {
            let places: Vec<Vec2> = crowd.agents().map(|agent| agent.position).collect();
            assert!(matches!(places[..], [place] if place.distance(Vec2::new(8.5, 0.5)) < 0.1), "{places:?}");
        }
    }
    let report = crowd.report();
    assert_eq!((report.arrived, report.stalled), (2, 0), "{report:?}");
}
