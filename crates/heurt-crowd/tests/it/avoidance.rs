//! Models of avoidance by velocities, rules and energies against closed forms.

use heurt_crowd::steer::{
    AgentView, Boids, Bubbles, GroupAvoidance, HalfPlane, LeastEffort, NearAgent, NearWall, Orca, PassingSide,
    RuleBase, Situation, SteeringPolicy, VelocityObstacles, WallBubble, situation,
};
use heurt_geometry::{SplitMix64, Vec2};

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

fn near(position: Vec2, velocity: Vec2, radius: f64) -> NearAgent {
    NearAgent { position, velocity, radius, group: 1, heading: Vec2::ZERO, yielding: 0.0 }
}

/// An agent at the origin that walks to the east at 1 m/s.
fn walker(radius: f64, agents: &[NearAgent]) -> AgentView<'_> {
    AgentView {
        position: Vec2::ZERO,
        velocity: v(1.0, 0.0),
        radius,
        group: 0,
        preferred: v(1.0, 0.0),
        limit: 2.0,
        step: 0.05,
        agents,
        walls: &[],
        edges: &[],
    }
}

#[test]
fn obstacles_are_left_by_their_border() {
    let root = 15.0_f64.sqrt();
    let agents = [near(v(4.0, 0.0), v(-1.0, 0.0), 0.5)];
    let view = walker(0.5, &agents);
    // The cone has a half angle of sine 1/4. Its apex is v_B = (−1, 0), or the mean of both velocities, rest.
    let cases = [
        (VelocityObstacles { horizon: 5.0, ..VelocityObstacles::plain() }, v(0.875, -root / 8.0)),
        (VelocityObstacles { horizon: 5.0, ..VelocityObstacles::reciprocal() }, v(15.0 / 16.0, -root / 16.0)),
    ];
    for (model, border) in cases {
        let chosen = model.choose(&view);
        assert!((chosen - border).length() < 2e-6, "{chosen} for {border}");
        assert_eq!(model.collision_time(&view, chosen, &agents[0]), f64::INFINITY);
        assert!(model.collision_time(&view, view.preferred, &agents[0]) < 5.0);
        // The neighbour, in a mirror, chooses its own right.
        let back = [near(Vec2::ZERO, v(1.0, 0.0), 0.5)];
        let (position, velocity) = (v(4.0, 0.0), v(-1.0, 0.0));
        let mirrored = AgentView { position, velocity, preferred: velocity, ..walker(0.5, &back) };
        assert!((model.choose(&mirrored) + chosen).length() < 1e-9);
    }
}

#[test]
fn obstacles_cost_least() {
    let mut random = SplitMix64::new(4);
    let mut drawn = |most: f64| v(random.between(-most, most), random.between(-most, most));
    for number in 0..400 {
        let agents: Vec<NearAgent> = (0..1 + number % 4)
            .map(|_| near(drawn(3.0), drawn(1.3), 0.2))
            .filter(|a| a.position.length() > 0.5)
            .collect();
        for model in [VelocityObstacles::plain(), VelocityObstacles::reciprocal()] {
            let view = AgentView { velocity: drawn(1.0), ..walker(0.2, &agents) };
            let chosen = model.choose(&view);
            let sampled = (0..10_000).map(|k| {
                let angle = std::f64::consts::TAU * f64::from(k % 200) / 200.0;
                v(libm::cos(angle), libm::sin(angle)) * (2.0 * f64::from(k / 200) / 50.0)
            });
            let least = sampled.map(|velocity| model.cost(&view, velocity)).fold(f64::INFINITY, f64::min);
            assert!(chosen.length() <= 2.0 + 1e-12 && chosen.is_finite());
            // A step of the polar grid is up to 0.7 m/s.
            assert!(model.cost(&view, chosen) <= least + 0.7, "{number}: {chosen}");
        }
    }
}

#[test]
fn least_effort_has_the_least_energy() {
    let model = LeastEffort::default();
    assert!((model.best_speed() - 1.330_353).abs() < 1e-6, "{}", model.best_speed());
    // On a free path 2 √(e_s e_w) joules for a metre.
    let best = model.least(&[], 2.0, Vec2::X).expect("free");
    assert!((model.energy(best, Vec2::X) - 2.0 * (2.23_f64 * 1.26).sqrt()).abs() < 1e-12);
    let mut random = SplitMix64::new(5);
    let mut found = 0;
    for _ in 0..300 {
        let mut plane = || {
            let angle = random.between(0.0, std::f64::consts::TAU);
            HalfPlane { normal: v(libm::cos(angle), libm::sin(angle)), least: random.between(-0.8, 0.4) }
        };
        let planes = [plane(), plane(), plane()];
        let is_in = |velocity: Vec2, slack: f64| planes.iter().all(|p| velocity.dot(p.normal) >= p.least - slack);
        let least = model.least(&planes, 2.0, Vec2::X);
        let energy = least.map_or(f64::INFINITY, |velocity| model.energy(velocity, Vec2::X));
        assert!(least.is_none_or(|velocity| is_in(velocity, 1e-9) && velocity.length() < 2.0 + 1e-9));
        for k in 0..1600 {
            let velocity = v(f64::from(k % 40), f64::from(k / 40)) * 0.1 - v(1.95, 1.95);
            if velocity.length() <= 2.0 && is_in(velocity, 0.0) {
                assert!(energy <= model.energy(velocity, Vec2::X) + 1e-9, "{planes:?} {velocity} {least:?}");
            }
        }
        found += usize::from(least.is_some());
    }
    assert!(found > 150, "{found}");
}

#[test]
fn rules_answer_four_situations() {
    let model = RuleBase::default();
    let answer = |model: RuleBase, position: Vec2, velocity: Vec2| {
        let agents = [near(position, velocity, 0.2)];
        (situation(Vec2::ZERO, Vec2::X, &agents[0]), model.choose(&walker(0.2, &agents)))
    };
    // Head-on: a side-step to the right, or to the left in other countries, with the same speed.
    let (kind, chosen) = answer(model, v(2.0, 0.0), v(-1.0, 0.0));
    assert!(kind == Situation::HeadOn && chosen.y < -0.2 && (chosen.length() - 1.0).abs() < 1e-5, "{chosen}");
    let left = RuleBase { side: PassingSide::Left, ..model };
    assert!((answer(left, v(2.0, 0.0), v(-1.0, 0.0)).1 - v(chosen.x, -chosen.y)).length() < 1e-12);
    // Behind a slow agent: overtakes on the left.
    let (kind, chosen) = answer(model, v(1.0, 0.0), v(0.3, 0.0));
    assert!(kind == Situation::FromBehind && chosen.y > 0.2, "{chosen}");
    // From the right: brakes on its path. From the left: keeps its velocity.
    let (kind, chosen) = answer(model, v(1.5, -1.5), v(0.0, 1.0));
    assert!(kind == Situation::FromRight && chosen.y == 0.0 && chosen.x > 0.1 && chosen.x < 0.8, "{chosen}");
    let (kind, chosen) = answer(model, v(1.5, 1.5), v(0.0, -1.0));
    assert!(kind == Situation::FromLeft && chosen == v(1.0, 0.0), "{chosen}");
    assert_eq!(answer(model, v(1.0, 0.0), Vec2::ZERO).0, Situation::HeadOn);
    assert_eq!(answer(model, v(-1.0, 0.0), v(-1.0, 0.0)).1, v(1.0, 0.0), "no collision");
}

#[test]
fn boids_keep_to_their_group() {
    let model = Boids::default();
    let chosen = |group| model.choose(&walker(0.2, &[NearAgent { group, ..near(v(0.0, 2.0), v(1.0, 0.4), 0.2) }]));
    // Half of 0.4 m/s, and a tenth of 2 m, as an acceleration over one step.
    assert!((chosen(0) - v(1.0, 0.05 * (0.5 * 0.4 + 0.1 * 2.0))).length() < 1e-12, "{}", chosen(0));
    assert_eq!(chosen(1), v(1.0, 0.0));
    let close = model.choose(&walker(0.2, &[near(v(0.0, 0.4), v(1.0, 0.0), 0.2)]));
    assert!((close - v(1.0, -0.05 * model.separation)).length() < 1e-12, "{close}");
}

#[test]
fn ellipses_have_sums_of_distances() {
    let model = Bubbles { wall_shape: WallBubble::Ellipse, ..Bubbles::default() };
    let chosen = |below: f64| {
        let walls = [NearWall::new([v(-1.0, -below), v(1.0, -below)], Vec2::ZERO)];
        model.choose(&AgentView { walls: &walls, ..walker(0.2, &[]) })
    };
    // The border: |p − a| + |p − b| = |ab| + 2e with e = 0.25 + 0.2 m, the half axis √(e(|ab| + e)).
    let axis = (0.45_f64 * 2.45).sqrt();
    assert!(chosen(axis - 1e-3).y > 0.0 && chosen(axis + 1e-3).y == 0.0, "{}", chosen(axis - 1e-3));
    let depth = 0.25 - ((1.0 + 0.8 * 0.8_f64).sqrt() - 1.0 - 0.2);
    assert!((chosen(0.8) - v(1.0, 0.05 * 30.0 * depth * depth)).length() < 1e-12, "{}", chosen(0.8));
}

#[test]
fn groups_are_avoided_as_one() {
    let rules = GroupAvoidance::default();
    let place = |k: u32| v(3.0, -0.5 + 0.5 * f64::from(k));
    let trio: Vec<NearAgent> = (0..3).map(|k| near(place(k), v(-1.0, 0.0), 0.2)).collect();
    let merged = rules.merge(&walker(0.2, &trio));
    assert_eq!(
        merged[..],
        [NearAgent {
            position: v(3.0, 0.0),
            velocity: v(-1.0, 0.0),
            radius: 0.7,
            group: 1,
            heading: Vec2::ZERO,
            yielding: 0.0
        }]
    );
    // Not the own group, a pair, agents that walk elsewhere, and not from inside.
    assert_eq!(rules.merge(&AgentView { group: 1, ..walker(0.2, &trio) })[..].len(), 3);
    assert_eq!(rules.merge(&walker(0.2, &trio[..2])).len(), 2);
    let mut others = trio.clone();
    others[1].velocity = v(1.0, 0.0);
    assert_eq!(rules.merge(&walker(0.2, &others)).len(), 3);
    assert_eq!(rules.merge(&AgentView { position: v(3.3, 0.25), ..walker(0.2, &trio) }).len(), 3);
    // Gaps of 0.4 m that an agent of 0.2 m fits; the group changes its velocity more than its members do.
    let wide: Vec<NearAgent> = [-0.55_f64, 0.0, 0.55].map(|y| near(v(2.0 + y.abs(), y), v(-1.0, 0.0), 0.15)).to_vec();
    let orca = Orca { groups: Some(rules), ..Orca::default() };
    let agent = AgentView { preferred: v(1.0, 0.1), ..walker(0.1, &wide) };
    let (grouped, single) = (orca.choose(&agent), Orca::default().choose(&agent));
    let change = |velocity: Vec2| velocity.distance(agent.preferred);
    assert!(change(grouped) > change(single), "{grouped} {single}");
}

/// A ramp and the ground that it is cut out of have walls of different lengths that end at the foot of the ramp.
#[test]
fn walls_that_end_together_are_walked_round() {
    let (foot, position) = (v(1.5, -54.0), v(1.7, -54.21));
    let walls = [[v(1.5, -37.6), foot], [foot, v(1.5, -14.0)]].map(|segment| NearWall::new(segment, position));
    let preferred = v(-1.3, 0.0);
    for walls in [&walls[..], &walls[..1], &walls[1..]] {
        let view = AgentView { position, preferred, velocity: Vec2::ZERO, walls, ..walker(0.2, &[]) };
        let chosen = Orca::default().choose(&view);
        assert!((chosen - preferred).length() < 1e-9, "below the foot the agent is free: {chosen}");
    }
}
