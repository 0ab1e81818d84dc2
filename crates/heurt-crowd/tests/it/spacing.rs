//! Gaps ahead: the collision-free speed model, and the time gap of all models, against closed forms.

use heurt_crowd::measure::weidmann_speed;
use heurt_crowd::steer::{
    AgentView, CollisionFreeSpeed, NearAgent, NearWall, SteeringPolicy, gap_ahead, keep_time_gap,
};
use heurt_crowd::{AgentGroup, Crowd, CrowdSettings, Goals, Ground, SpeedLaw, Start, SteeringModel};
use heurt_geometry::{PlanArea, SplitMix64, Vec2};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

fn near(position: Vec2, radius: f64) -> NearAgent {
    NearAgent { position, velocity: Vec2::ZERO, radius, group: 0, heading: Vec2::ZERO, yielding: 0.0 }
}

/// An agent at the origin that walks to the east at 1.34 m/s.
fn walker<'a>(agents: &'a [NearAgent], walls: &'a [NearWall]) -> AgentView<'a> {
    let (position, velocity) = (Vec2::ZERO, v(1.34, 0.0));
    AgentView {
        position,
        velocity,
        radius: 0.2,
        group: 0,
        preferred: velocity,
        limit: 1.742,
        step: 0.05,
        agents,
        walls,
        edges: &[],
    }
}

#[test]
fn gaps_are_those_of_all_places_of_the_swath() {
    let mut random = SplitMix64::new(11);
    let mut hits = 0;
    for _ in 0..2000 {
        let mut drawn = || near(v(random.between(-3.0, 3.0), random.between(-1.0, 1.0)), random.between(0.05, 0.4));
        let agents = [drawn(), drawn(), drawn()];
        let angle = random.between(-3.0, 3.0);
        let direction = v(libm::cos(angle), libm::sin(angle));
        // An agent is in the swath if its centre comes within both radii on the ray, and lies ahead.
        let gap = |agent: &NearAgent| {
            let along = agent.position.dot(direction);
            let sum = agent.radius + 0.2;
            let is_met = along > 0.0 && (agent.position - direction * along).length() <= sum;
            if is_met { (agent.position.length() - sum).max(0.0) } else { f64::INFINITY }
        };
        let expected = agents.iter().map(gap).fold(f64::INFINITY, f64::min);
        let found = gap_ahead(&walker(&agents, &[]), direction);
        assert!(found == expected || (found - expected).abs() < 1e-12, "{agents:?} {direction}: {found} {expected}");
        hits += usize::from(expected < f64::INFINITY);
        // A wall before all of them hides them.
        let wall = NearWall::new(
            [direction * 1e-6 - direction.perp() * 9.0, direction * 1e-6 + direction.perp() * 9.0],
            Vec2::ZERO,
        );
        assert_eq!(gap_ahead(&walker(&agents, &[wall]), direction), f64::INFINITY);
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn speeds_are_gaps_over_the_time_gap() {
    let model = CollisionFreeSpeed::default();
    assert_eq!(model.choose(&walker(&[], &[])), v(1.34, 0.0), "a free agent has its own speed");
    for (spacing, time_gap) in [(0.5, 1.0), (0.9, 1.0), (1.6, 1.0), (1.2, 0.5), (2.5, 1.0)] {
        let speed = f64::min(1.34, (spacing - 0.4) / time_gap);
        // The one behind pushes, too; an agent that is pushed more than pulled turns back.
        let agents = [near(v(spacing, 0.0), 0.2), near(v(-spacing - 0.5, 0.0), 0.2)];
        let chosen = CollisionFreeSpeed { time_gap, ..model }.choose(&walker(&agents, &[]));
        let push = 8.0 * (libm::exp(-(spacing - 0.4) / 0.1) - libm::exp(-(spacing + 0.1) / 0.1));
        let expected = if push < 1.0 { speed } else { -f64::min(1.34, (spacing + 0.1) / time_gap) };
        assert!((chosen - v(expected, 0.0)).length() < 1e-12, "{spacing} m, {time_gap} s: {chosen}");
        let kept = keep_time_gap(&walker(&agents, &[]), v(1.34, 0.0), time_gap);
        assert!((kept - v(speed, 0.0)).length() < 1e-12, "{spacing} m, {time_gap} s: {kept}");
    }
}

#[test]
fn directions_are_sums_of_exponentials() {
    let model = CollisionFreeSpeed { reach: 9.0, ..CollisionFreeSpeed::default() };
    let agents = [near(v(0.5, 0.3), 0.25), near(v(-0.1, -0.6), 0.2)];
    let place = Vec2::ZERO;
    let walls = [NearWall::new([v(-2.0, -0.23), v(2.0, -0.23)], place)];
    let mut sum = v(1.0, 0.0) + v(0.0, 5.0 * libm::exp(-0.03 / 0.02));
    sum -= agents[0].position.normalize() * 8.0 * libm::exp(-(agents[0].position.length() - 0.45) / 0.1);
    // The second agent is behind the wall.
    let direction = model.direction(&walker(&agents, &walls));
    assert!((direction - sum.normalize()).length() < 1e-12, "{direction}");
    let cut = [[-2.0, -0.5], [-0.5, 0.1], [0.1, 2.0]].map(|[a, b]| NearWall::new([v(a, -0.23), v(b, -0.23)], place));
    assert!((model.direction(&walker(&agents, &cut)) - direction).length() < 1e-12);
    let rests = AgentView { preferred: Vec2::ZERO, ..walker(&agents, &walls) };
    assert_eq!(model.choose(&rests), Vec2::ZERO, "no agent is pushed off its place");
}

/// A platoon in a corridor behind a leader with the speed of its spacing.
fn platoon(model: &str, time_gap: Option<f64>, spacing: f64, speed: f64) -> Crowd {
    let ground = Ground::new([PlanArea::rectangle(Vec2::ZERO, v(60.0, 1.0))]).expect("sound");
    let end = PlanArea::rectangle(v(59.0, 0.0), v(60.0, 1.0));
    let group = |name: &str, places: Vec<Vec2>, speed: f64| AgentGroup {
        name: name.to_owned(),
        start: Start::at(places),
        speed: SpeedLaw::constant(speed),
        goals: Goals::through([[end.clone()]]),
        ..AgentGroup::default()
    };
    let behind = (1..8).map(|k| v(12.0 - spacing * f64::from(k), 0.5)).collect();
    let groups = vec![group("leader", vec![v(12.0, 0.5)], speed), group("behind", behind, 1.34)];
    let mut settings = CrowdSettings::default();
    settings.model = SteeringModel::from_name(model).expect("a model");
    settings.time_gap = time_gap;
    Crowd::new(ground, settings, groups).expect("sound")
}

#[test]
fn single_files_keep_the_speed_of_their_spacing() {
    // Half-planes of `orca` slow the first steps, by less than 5 mm.
    let cases = [("collision-free-speed", None, 1e-9), ("orca", Some(1.0), 5e-3), ("least-effort", Some(1.0), 5e-3)];
    for (model, time_gap, tolerance) in cases {
        for spacing in [0.9, 1.2, 1.5] {
            let speed = spacing - 0.4;
            let mut crowd = platoon(model, time_gap, spacing, speed);
            for _ in 0..200 {
                crowd.step(0.05);
            }
            let places: Vec<f64> = crowd.agents().map(|agent| agent.position.x).collect();
            assert_eq!(places.len(), 8);
            for (k, agent) in crowd.agents().enumerate() {
                let at = 12.0 + 10.0 * speed - spacing * k as f64;
                assert!(
                    (agent.position.x - at).abs() < tolerance,
                    "{model} {spacing} m, {k}: {} for {at}",
                    agent.position
                );
                assert!(
                    (agent.velocity.length() - speed).abs() < tolerance,
                    "{model} {spacing} m, {k}: {}",
                    agent.velocity
                );
            }
        }
    }
}

/// Measures density and speed in the middle of a corridor of 24 × 4 m from 3 to 8 s, over two seeds.
fn density_and_speed(model: SteeringModel, time_gap: Option<f64>, density: f64) -> (f64, f64) {
    let rectangle = |x0: f64, y0: f64, x1: f64, y1: f64| PlanArea::rectangle(v(x0, y0), v(x1, y1));
    let field = rectangle(8.0, 0.0, 16.0, 4.0);
    let (mut count, mut speeds, mut frames) = (0.0, 0.0, 0.0);
    for seed in [1, 2] {
        let group = AgentGroup {
            name: "all".to_owned(),
            start: Start::within([rectangle(0.0, 0.0, 24.0, 4.0)], (96.0 * density) as usize),
            speed: SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.6, most: 1.8 },
            goals: Goals::through([[rectangle(24.0, 0.0, 25.0, 4.0)]]),
            ..AgentGroup::default()
        };
        let mut settings = CrowdSettings::default();
        (settings.model, settings.time_gap, settings.seed) = (model, time_gap, seed);
        let ground = Ground::new([rectangle(0.0, 0.0, 25.0, 4.0)]).expect("sound");
        let mut crowd = Crowd::new(ground, settings, vec![group]).expect("sound");
        while crowd.time() < 8.0 {
            crowd.step(0.05);
            if crowd.time() > 3.0 {
                let inside: Vec<f64> =
                    crowd.agents().filter(|a| field.contains(a.position)).map(|a| a.velocity.length()).collect();
                (count, speeds) = (count + inside.len() as f64, speeds + inside.iter().sum::<f64>());
                frames += 1.0;
            }
        }
    }
    (count / frames / field.area(), speeds / count)
}

#[test]
fn speeds_follow_the_diagram_of_weidmann() {
    let short = CollisionFreeSpeed { time_gap: 0.6, ..CollisionFreeSpeed::default() };
    let cases = [
        ("collision-free-speed", SteeringModel::CollisionFreeSpeed(short), None),
        ("orca", SteeringModel::from_name("orca").expect("a model"), Some(0.8)),
    ];
    for (name, model, time_gap) in cases {
        for wanted in [1.0, 1.6, 3.0] {
            let (density, speed) = density_and_speed(model, time_gap, wanted);
            let curve = weidmann_speed(density);
            let band = if density < 2.0 { 0.15 * curve } else { 0.15 };
            println!("{name} {density:.2} /m²: {speed:.2} m/s, {curve:.2}");
            assert!((speed - curve).abs() <= band, "{name} {density:.2} /m²: {speed:.3} m/s for {curve:.3}");
        }
    }
    // Without a time gap `orca` has its free speed at 3 /m².
    assert!(density_and_speed(SteeringModel::from_name("orca").expect("a model"), None, 3.0).1 > 1.0);
}
