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
        radius: 0.2,
        speed: SpeedLaw::constant(1.34),
        goals: Goals::through([exits]),
        reaction: SpeedLaw::constant(0.0),
        social: SocialTraits::default(),
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
