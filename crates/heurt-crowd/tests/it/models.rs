//! Models against closed forms.

use heurt_crowd::SteeringModel;
use heurt_crowd::steer::{
    AgentView, Anticipation, Bubbles, NearAgent, NearWall, Orca, PushingWall, SocialForce, SteeringPolicy,
    collision_of_discs, collision_with_wall, nearest_velocity, orca_half_plane, pushing_walls, wall_half_plane,
};
use heurt_geometry::Vec2;

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

/// Radius and horizon, velocity of A at the origin, place and velocity of B, change of the relative velocity, velocity
/// chosen; the closed form of the truncated cone, with which `pyrvo` 0.4.3 agrees to 1e-8.
type Case = (f64, f64, Vec2, Vec2, Vec2, Vec2, Vec2);

#[test]
fn orca_chooses_the_published_velocities() {
    let root = 15.0_f64.sqrt();
    let cases: [Case; 4] = [
        (0.5, 2.0, v(1.0, 0.0), v(4.0, 0.0), v(-1.0, 0.0), v(-0.125, -root / 8.0), v(15.0 / 16.0, -root / 16.0)),
        (0.5, 2.0, v(1.0, 0.0), v(3.0, 0.2), v(-1.0, 0.0), v(-0.144858, -0.518394), v(0.927571, -0.259197)),
        (0.5, 5.0, v(1.0, 0.0), v(4.0, 0.5), v(-1.0, 0.0), v(-0.031750, -0.249984), v(0.984125, -0.124992)),
        (0.25, 3.0, v(1.3, 0.0), v(2.0, 2.0), v(0.0, -1.3), v(0.185565, -0.266815), v(1.392783, -0.133408)),
    ];
    for (radius, horizon, velocity, position, other, change, chosen) in cases {
        let other = NearAgent { position, velocity: other, radius, group: 1, heading: Vec2::ZERO, yielding: 0.0 };
        let plane = orca_half_plane(Vec2::ZERO, velocity, radius, &other, horizon, 0.1);
        let found = nearest_velocity(&[plane], 0, 2.0, velocity);
        assert!((found - chosen).length() < 2e-6, "{found} for {chosen}");
        assert!((2.0 * (found - velocity) - change).length() < 4e-6, "{found}");
    }
}

#[test]
fn social_force_has_its_published_strength() {
    assert!((SocialForce::default().force(0.2) - 164.170).abs() < 5e-4);
}

/// An agent of 0.2 m that walks at 1.34 m/s to the east.
fn walker(walls: &[NearWall]) -> AgentView<'_> {
    AgentView {
        position: Vec2::ZERO,
        velocity: v(1.34, 0.0),
        radius: 0.2,
        group: 0,
        preferred: v(1.34, 0.0),
        limit: 1.742,
        step: 0.05,
        agents: &[],
        walls,
        edges: &[],
    }
}

/// Cuts a wall into equal pieces, as a place sees them.
fn cut(a: Vec2, b: Vec2, pieces: u32, place: Vec2) -> Vec<NearWall> {
    let at = |k: u32| a + (b - a) * (f64::from(k) / f64::from(pieces));
    (0..pieces).map(|k| NearWall::new([at(k), at(k + 1)], place)).collect()
}

/// Sums the pushes of walls.
fn push_at(walls: &[NearWall], place: Vec2, law: impl Fn(f64) -> f64) -> Vec2 {
    let push = |wall: &PushingWall| wall.away * (wall.share * law(wall.distance));
    pushing_walls(walls, place, &law).iter().map(push).fold(Vec2::ZERO, |sum, push| sum + push)
}

#[test]
fn walls_push_alike_in_any_number_of_pieces() {
    let law = |distance: f64| SocialForce::default().force(distance - 0.2);
    let force = |pieces: u32, place: Vec2| push_at(&cut(v(-3.5, -0.3), v(3.5, -0.3), pieces, place), place, law);
    // Also next to the joints, at them, and at the end of the wall.
    for x in [0.0, 0.4, 0.5, 0.5 + 1e-9, 0.07, 1.3, 3.4, 3.5, 3.6] {
        for y in [-0.1, 0.0, 0.4, 1.5] {
            let whole = force(1, v(x, y));
            for pieces in [2, 7, 100] {
                let cut = force(pieces, v(x, y));
                // A nanometre from a joint the distances of both pieces are equal in rounding.
                let tolerance = if x == 0.5 + 1e-9 { 1e-8 } else { 1e-12 };
                assert!((cut - whole).length() <= tolerance * whole.length(), "{x} {y} {pieces}: {cut} for {whole}");
            }
        }
    }
    // The force of its distance: 0.3 m, less the radius.
    let force = force(7, Vec2::ZERO);
    assert!((force - v(0.0, SocialForce::default().force(0.1))).length() < 1e-9, "{force}");
    for model in [&SocialForce::default() as &dyn SteeringPolicy, &Bubbles::default()] {
        let chosen = |pieces| {
            let walls = cut(v(-3.5, -0.3), v(3.5, -0.3), pieces, Vec2::ZERO);
            model.choose(&walker(&walls))
        };
        assert!(chosen(1).y > 0.01 && [2, 7, 100].iter().all(|&n| (chosen(n) - chosen(1)).length() < 1e-12));
    }
}

#[test]
fn both_sides_of_a_corridor_push() {
    let push = |y: f64| {
        let place = v(0.3, y);
        let walls = [cut(v(-5.0, 0.0), v(5.0, 0.0), 3, place), cut(v(5.0, 1.5), v(-5.0, 1.5), 4, place)].concat();
        push_at(&walls, place, |distance| 1.0 / distance)
    };
    assert!(push(0.75).length() < 1e-12);
    assert!((push(0.5) - v(0.0, 2.0 - 1.0)).length() < 1e-12, "{}", push(0.5));
}

#[test]
fn pushes_are_continuous_at_corners() {
    let law = |distance: f64| SocialForce::default().force(distance);
    let bend = |degrees: f64| v(libm::cos(degrees.to_radians()), libm::sin(degrees.to_radians())) * 2.0;
    // Inner and outer corners: walks along the first wall, on its floor.
    for degrees in [90.0, 45.0, 1.0, -1.0, -45.0, -90.0] {
        let push = |place: Vec2| {
            let walls =
                [[v(-2.0, 0.0), Vec2::ZERO], [Vec2::ZERO, bend(degrees)]].map(|wall| NearWall::new(wall, place));
            push_at(&walls, place, law)
        };
        let to = if degrees > 0.0 { -0.1 } else { 0.5 };
        let mut last = push(v(-0.8, 0.25));
        for k in 1..=100_000 {
            let next = push(v(-0.8 + 1e-5 * f64::from(k) * (to + 0.8), 0.25));
            assert!((next - last).length() < 0.1, "{degrees} {k}: {last} {next}");
            last = next;
        }
    }
    // Two equal pushes at a right angle, and a bend of hardly any angle.
    let corner = [[v(-2.0, 0.0), Vec2::ZERO], [Vec2::ZERO, v(0.0, 2.0)]];
    let place = v(-0.3, 0.3);
    let push = push_at(&corner.map(|wall| NearWall::new(wall, place)), place, law);
    assert!((push - v(-1.0, 1.0) * (law(0.3) * 2.0 / 3.0)).length() < 1e-9 * law(0.3), "{push}");
    let place = v(0.0, 0.3);
    let bent = [[v(-2.0, 0.0), Vec2::ZERO], [Vec2::ZERO, bend(0.01)]].map(|wall| NearWall::new(wall, place));
    assert!((push_at(&bent, place, law) - v(0.0, law(0.3))).length() < 1e-3 * law(0.3));
}

#[test]
fn walls_never_make_numbers_that_are_none() {
    let place = v(0.5, 0.0);
    for [a, b] in [[v(0.0, 0.0), v(1.0, 0.0)], [place, v(1.0, 0.0)], [place, place], [v(0.6, 0.0), v(2.0, 0.0)]] {
        let walls = [NearWall::new([a, b], place)];
        for name in SteeringModel::NAMES {
            let model = SteeringModel::from_name(name).expect("a model");
            for velocity in [Vec2::ZERO, v(1.0, 0.0)] {
                let near = |position| NearAgent {
                    position,
                    velocity,
                    radius: 0.2,
                    group: 1,
                    heading: Vec2::ZERO,
                    yielding: 0.0,
                };
                let agents = [near(place), near(place), near(v(0.9, 0.0)), near(v(0.8, 0.1))];
                let view = AgentView { position: place, velocity, agents: &agents, ..walker(&walls) };
                for preferred in [Vec2::ZERO, v(1.34, 0.0)] {
                    let chosen = model.policy().choose(&AgentView { preferred, ..view });
                    assert!(chosen.is_finite() && chosen.length() < 1.75, "{name} {a} {b}: {chosen}");
                }
            }
        }
    }
}

/// Reports whether a disc at the origin with a velocity meets a segment within a time, in small steps.
fn meets([a, b]: [Vec2; 2], radius: f64, velocity: Vec2, horizon: f64) -> bool {
    (0..=400).any(|k| {
        let place = velocity * (horizon * f64::from(k) / 400.0);
        NearWall::new([a, b], place).nearest.distance(place) < radius - 1e-9
    })
}

#[test]
fn half_planes_of_walls_keep_clear() {
    let mut random = heurt_geometry::SplitMix64::new(1);
    let mut drawn = || v(random.between(-2.0, 2.0), random.between(-2.0, 2.0));
    let mut bites = 0;
    for _ in 0..2000 {
        let (segment, preferred, tried) = ([drawn(), drawn()], drawn(), drawn());
        let wall = NearWall::new(segment, Vec2::ZERO);
        if wall.nearest.length() <= 0.2 {
            continue;
        }
        let plane = wall_half_plane(Vec2::ZERO, 0.2, &wall, &[wall], 1.0, preferred).expect("clear of the wall");
        assert!(plane.least <= 1e-12, "rest is allowed");
        let inside = |velocity: Vec2| velocity.dot(plane.normal) >= plane.least;
        assert!(!inside(tried) || !meets(segment, 0.2, tried, 1.0), "{segment:?} {preferred} {tried}");
        // The preferred velocity is allowed if and only if it meets no wall.
        let depth = plane.least - preferred.dot(plane.normal);
        let is_hit = meets(segment, 0.2, preferred, 1.0);
        assert!(is_hit == (depth > 0.0) || depth.abs() < 2e-3, "{segment:?} {preferred} {depth}");
        bites += usize::from(is_hit);
    }
    assert!(bites > 300, "{bites}");
}

#[test]
fn orca_leaves_walls_alike_in_any_number_of_pieces() {
    let mut random = heurt_geometry::SplitMix64::new(7);
    for _ in 0..500 {
        let preferred = v(random.between(-1.3, 1.3), random.between(-1.3, 0.5));
        let shift = random.between(-0.5, 0.5);
        let below = random.between(-0.5, -0.2);
        let chosen = |pieces| {
            let walls = cut(v(-3.5 + shift, below), v(3.5 + shift, below), pieces, Vec2::ZERO);
            Orca::default().choose(&AgentView { preferred, ..walker(&walls) })
        };
        let whole = chosen(1);
        assert!((whole - v(preferred.x, preferred.y.max((0.2 + below) / 0.3))).length() < 1e-9, "{whole}");
        for pieces in [2, 7, 20] {
            assert!((chosen(pieces) - whole).length() < 1e-9, "{pieces} {shift} {below}: {} {whole}", chosen(pieces));
        }
    }
}

#[test]
fn anticipation_is_the_gradient_of_its_energy() {
    let model = Anticipation::default();
    assert!((model.energy(1.0) - 1.5 * libm::exp(-1.0 / 3.0)).abs() < 1e-12);
    let mut random = heurt_geometry::SplitMix64::new(2);
    let mut drawn = || v(random.between(-4.0, 4.0), random.between(-4.0, 4.0));
    let mut hits = 0;
    for _ in 0..2000 {
        let (offset, velocity, end) = (drawn(), drawn(), drawn());
        let of_disc = |x: Vec2| collision_of_discs(x, velocity, 0.5);
        let of_wall = |x: Vec2| collision_with_wall(x, velocity, 0.3, &NearWall::new([Vec2::ZERO, end], x));
        for collision in [&of_disc as &dyn Fn(Vec2) -> _, &of_wall] {
            let Some(hit) = collision(offset).filter(|hit| hit.time > 0.1 && hit.approach > 0.5) else { continue };
            let slope = |side: Vec2| {
                let energy = |x: Vec2| collision(x).map(|hit| model.energy(hit.time));
                Some((energy(offset - side * 1e-6)? - energy(offset + side * 1e-6)?) / 2e-6)
            };
            let (Some(x), Some(y)) = (slope(Vec2::X), slope(Vec2::Y)) else { continue };
            let exact = model.acceleration(&hit);
            assert!((v(x, y) - exact).length() < 1e-5 * (1.0 + exact.length()), "{x} {y} for {exact}");
            hits += 1;
        }
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn anticipation_sees_what_is_in_front() {
    let model = Anticipation::default();
    let chosen = |position: Vec2, velocity: Vec2| {
        let agents = [NearAgent { position, velocity, radius: 0.2, group: 1, heading: Vec2::ZERO, yielding: 0.0 }];
        model.choose(&AgentView { agents: &agents, ..walker(&[]) })
    };
    // An agent from the left is avoided to the right; agents behind or beyond the horizon have no effect.
    assert!(chosen(v(3.0, 0.2), v(-1.0, 0.0)).y < -0.01);
    assert_eq!(chosen(v(-1.0, 0.1), v(3.0, 0.0)), v(1.34, 0.0));
    assert_eq!(chosen(v(9.5, 0.1), v(-0.5, 0.0)), v(1.34, 0.0));
    let wall = |pieces| {
        let walls = cut(v(1.0, -0.7), v(1.0, 0.9), pieces, Vec2::ZERO);
        model.choose(&walker(&walls))
    };
    assert!(wall(1).x < 1.2 && (wall(7) - wall(1)).length() < 1e-12);
}
