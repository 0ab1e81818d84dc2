//! Tests of agents that fly.

use heurt_crowd::space::{
    SpaceCrowd, SpaceFault, SpaceGoals, SpaceGroup, SpaceModel, SpaceRoom, SpaceSettings, VelocityHalfSpace,
    admissible_velocity_in_space, coulomb_energy, rank_correlation, spread_on_sphere, survey_cells,
};
use heurt_crowd::steer::{Boids, Bubbles};
use heurt_crowd::{CrowdReport, SpeedLaw};
use heurt_geometry::{Aabb, SplitMix64, Vec3};
use heurt_map::{Map3, grid_positions};

/// The least energies of N charges on the unit sphere (VALUES).
const LEAST_ENERGIES: [(usize, f64); 9] = [
    (2, 0.5),
    (3, 1.732050808),
    (4, 3.674234614),
    (5, 6.474691495),
    (6, 9.985281374),
    (8, 19.675287861),
    (12, 49.165253058),
    (20, 150.881568334),
    (32, 412.261274651),
];

const SPEEDS: SpeedLaw = SpeedLaw { mean: 1.5, deviation: 0.3, least: 0.7, most: 2.3 };

fn cube(half: f64, cell: f64) -> SpaceRoom {
    SpaceRoom::of_cubes([Vec3::splat(-half), Vec3::splat(half)], cell).expect("a room")
}

fn make(room: SpaceRoom, settings: SpaceSettings, groups: Vec<SpaceGroup>) -> SpaceCrowd {
    SpaceCrowd::new(room, settings, groups).expect("a crowd without faults")
}

fn on_sphere(count: usize, radius: f64) -> Vec<Vec3> {
    spread_on_sphere(count, 1).into_iter().map(|place| radius * place).collect()
}

/// A group that goes nowhere by itself.
fn at_rest(places: Vec<Vec3>, radius: f64) -> SpaceGroup {
    SpaceGroup { goals: SpaceGoals::None, ..SpaceGroup::to_antipodes("rest", places, radius, SpeedLaw::constant(3.0)) }
}

#[test]
fn charges_on_the_sphere_reach_the_known_energies() {
    for (count, least) in LEAST_ENERGIES {
        // A single start of each seed: none ends in a local minimum.
        for seed in 1..=8 {
            let points = spread_on_sphere(count, seed);
            let energy = coulomb_energy(&points);
            assert!((energy - least).abs() < 1e-8, "{count} charges, seed {seed}: {energy}");
            assert!(points.iter().all(|point| (point.length() - 1.0).abs() < 1e-15));
        }
    }
    assert!(spread_on_sphere(0, 1).is_empty());
    assert_eq!(spread_on_sphere(1, 1).len(), 1);
}

#[test]
fn energy_is_the_sum_over_all_pairs() {
    let mut random = SplitMix64::new(3);
    for count in [2, 3, 7, 16, 61] {
        let points: Vec<Vec3> = (0..count).map(|_| random.vector(-1.0, 1.0)).collect();
        let mut sum = 0.0;
        for a in 0..count {
            for b in 0..a {
                sum += 1.0 / points[a].distance(points[b]);
            }
        }
        assert!((coulomb_energy(&points) - sum).abs() < 1e-12 * sum, "{count} points");
    }
}

#[test]
fn many_charges_come_near_the_energy_of_a_lattice() {
    // N²/2 − 0.5523 N^1.5 is the energy of large equilibria to 1e-4 of its second term (Erber and Hockney 1991).
    let energy = coulomb_energy(&spread_on_sphere(700, 1));
    let lattice = 0.5 * 700.0_f64.powi(2) - 0.5523 * 700.0_f64.powf(1.5);
    assert!((energy / lattice - 1.0).abs() < 1e-4, "{energy} and {lattice}");
}

/// Projects onto convex sets by Dykstra's algorithm, slowly.
fn project_slowly(spaces: &[VelocityHalfSpace], limit: f64, preferred: Vec3) -> Vec3 {
    let mut velocity = preferred;
    let mut parts = vec![Vec3::ZERO; spaces.len() + 1];
    for _ in 0..20_000 {
        for (number, part) in parts.iter_mut().enumerate() {
            let from = velocity + *part;
            velocity = match spaces.get(number) {
                Some(space) => from + space.normal * (space.least - from.dot(space.normal)).max(0.0),
                None => from.clamp_length_max(limit),
            };
            *part = from - velocity;
        }
    }
    velocity
}

#[test]
fn velocities_are_the_nearest_in_all_half_spaces() {
    let mut random = SplitMix64::new(5);
    for case in 0..60 {
        let count = random.below(9);
        let mut spaces: Vec<VelocityHalfSpace> = (0..count)
            .map(|_| VelocityHalfSpace {
                normal: random.vector(-1.0, 1.0).normalize(),
                least: random.between(-1.0, 0.0),
            })
            .collect();
        if case % 3 == 0 && count > 1 {
            // Opposite and equal borders, through rest.
            spaces[0].least = 0.0;
            spaces.push(VelocityHalfSpace { normal: -spaces[0].normal, least: 0.0 });
            spaces.push(spaces[1]);
        }
        let preferred = random.vector(-3.0, 3.0);
        let found = admissible_velocity_in_space(&spaces, 1.5, preferred);
        let slow = project_slowly(&spaces, 1.5, preferred);
        assert!(found.distance(slow) < 1e-4, "case {case}: {found} and {slow}");
        assert!(found.length() <= 1.5 * (1.0 + 1e-12));
        for space in &spaces {
            assert!(found.dot(space.normal) >= space.least - 1e-12, "case {case}");
        }
    }
}

#[test]
fn agents_without_neighbours_take_up_their_speed_and_arrive() {
    // They pass the centre one after another.
    let places = vec![Vec3::new(9.0, 0.0, 0.0), Vec3::new(0.0, 6.0, 0.0), Vec3::new(-9.0, -6.0, 0.0)];
    let group = SpaceGroup {
        model: SpaceModel::Bubbles(Bubbles { reach: 0.2, ..Bubbles::default() }),
        ..SpaceGroup::to_antipodes("three", places.clone(), 0.1, SpeedLaw::constant(2.0))
    };
    let mut crowd = make(cube(12.0, 8.0), SpaceSettings::default(), vec![group]);
    let step = 1.0 / 60.0;
    for number in 1..=30 {
        crowd.step(step);
        let speed = crowd.agents().next().expect("an agent").velocity.length();
        let known = 2.0 * (1.0 - (1.0 - step / 0.5).powi(number));
        assert!((speed - known).abs() < 1e-12, "{speed} and {known}");
    }
    let mut left = 0;
    while !crowd.is_empty() && crowd.time() < 20.0 {
        crowd.step(step);
        for agent in crowd.departed() {
            // The distance less the radius, and half a second to take up the speed.
            let known = (2.0 * places[agent.id as usize].length() - 0.1) / 2.0 + 0.5;
            assert!((crowd.time() - known).abs() < 2.0 * step, "{} and {known}", crowd.time());
            left += 1;
        }
    }
    assert_eq!(left, 3);
}

#[test]
fn a_pair_head_on_finds_a_way_round() {
    let places = vec![Vec3::new(-5.0, 0.0, 0.0), Vec3::new(5.0, 0.0, 0.0)];
    let group = SpaceGroup::to_antipodes("pair", places, 0.2, SpeedLaw::constant(1.5));
    let mut crowd = make(cube(8.0, 8.0), SpaceSettings::default(), vec![group]);
    while !crowd.is_empty() && crowd.time() < 60.0 {
        crowd.step(1.0 / 60.0);
    }
    assert_eq!((crowd.report().arrived, crowd.report().worst_overlap), (2, 0.0));
}

#[test]
fn bubbles_and_flocks_push_by_their_formulas() {
    let (step, places) = (0.01, vec![Vec3::ZERO, Vec3::new(0.3, 0.2, 0.6)]);
    let (distance, away) = (places[1].length(), -places[1].normalize());
    // k(R − d)² with d from the centre to the border; both agents rest.
    let mut crowd = make(cube(8.0, 4.0), SpaceSettings::default(), vec![at_rest(places.clone(), 0.1)]);
    crowd.step(step);
    let velocity = crowd.agents().next().expect("an agent").velocity;
    let known = away * (30.0 * (0.8_f64 - (distance - 0.1)).powi(2) * step);
    assert!(velocity.distance(known) < 1e-14, "{velocity} and {known}");
    // Separation away from the neighbour, cohesion towards it.
    let boids = Boids::default();
    let flock = SpaceGroup { model: SpaceModel::Boids(boids), ..at_rest(places, 0.1) };
    let mut crowd = make(cube(8.0, 4.0), SpaceSettings::default(), vec![flock]);
    crowd.step(step);
    let velocity = crowd.agents().next().expect("an agent").velocity;
    let push = boids.separation * (1.0 - (distance - 0.2) / boids.range);
    let known = away * ((push - boids.cohesion * distance) * step);
    assert!(velocity.distance(known) < 1e-14, "{velocity} and {known}");
}

/// Lets agents cross a sphere; returns the report, and speeds, times of arrival and times in the centre.
fn cross(count: usize, step: f64) -> (CrowdReport, [Vec<f64>; 3], SpaceCrowd) {
    let group = SpaceGroup::to_antipodes("flyers", on_sphere(count, 20.0), 0.2, SPEEDS);
    let mut crowd = make(cube(24.0, 8.0), SpaceSettings::default(), vec![group]);
    let (mut inside, mut left) = (vec![0.0; count], [const { Vec::new() }; 3]);
    while !crowd.is_empty() && crowd.time() < 90.0 {
        crowd.step(step);
        for agent in crowd.agents().filter(|agent| agent.position.length() < 5.0) {
            inside[agent.id as usize] = crowd.time();
        }
        for agent in crowd.departed() {
            left[0].push(agent.speed);
            left[1].push(-crowd.time());
            left[2].push(-inside[agent.id as usize]);
        }
    }
    (crowd.report(), left, crowd)
}

#[test]
fn the_fastest_of_500_leave_the_centre_first() {
    let (report, [speeds, arrivals, centre], crowd) = cross(500, 1.0 / 30.0);
    assert_eq!((report.arrived, report.overlapping_pairs, report.worst_overlap), (500, 0, 0.0));
    let of_arrival = rank_correlation(&speeds, &arrivals).expect("different speeds");
    let of_centre = rank_correlation(&speeds, &centre).expect("different speeds");
    assert!(of_arrival > 0.8 && of_centre > 0.8, "arrival {of_arrival}, centre {of_centre}");
    let counts = crowd.environment().counts();
    assert!(counts.refined > 50 && counts.coarsened > 50, "{counts:?}");
    let faults = crowd.environment().clone().validate();
    assert!(faults.is_empty(), "{faults:?}");
    // Nobody is left: cells are coarse again.
    assert_eq!(survey_cells(crowd.environment()).darts.mean(), 24.0);
}

#[test]
fn lists_have_every_agent_within_reach() {
    for sees_next_cells_only in [false, true] {
        let mut settings = SpaceSettings::default();
        settings.density.most = 3;
        settings.density.least = 1;
        settings.sees_next_cells_only = sees_next_cells_only;
        let group = SpaceGroup::to_antipodes("flyers", on_sphere(150, 6.0), 0.1, SPEEDS);
        let mut crowd = make(cube(8.0, 8.0), settings, vec![group]);
        // Cells of 1 m for bubbles that reach 0.9 m; else of 0.5 m for agents of 0.2 m.
        assert_eq!(crowd.finest_level(), if sees_next_cells_only { 4 } else { 3 });
        let mut missed = 0;
        for _ in 0..240 {
            crowd.step(1.0 / 30.0);
            let environment = crowd.environment();
            let place = |entity| {
                let point = environment.points(entity).expect("an entity").next().expect("a point");
                (point, environment.particle(point).expect("a particle").position)
            };
            for entity in environment.entities() {
                let (point, here) = place(entity);
                let listed: Vec<_> = environment.surroundings(point).expect("lists").all().collect();
                let near = environment.entities().filter(|&other| here.distance(place(other).1) < 0.9);
                missed += near.filter(|other| !listed.contains(other)).count();
            }
        }
        assert_eq!(missed > 0, sees_next_cells_only, "{missed} missed");
        assert_eq!(crowd.report().worst_overlap, 0.0);
    }
}

#[test]
fn nobody_overlaps_however_hostile_the_crowd() {
    let lattice: Vec<Vec3> = (0..125)
        .map(|k| 0.41 * Vec3::new(f64::from(k % 5) - 2.0, f64::from(k / 5 % 5) - 2.0, f64::from(k / 25) - 2.0))
        .collect();
    let stiff = Bubbles { stiffness: 1e9, relaxation: 1e-6, ..Bubbles::default() };
    let models =
        [SpaceModel::Bubbles(Bubbles::default()), SpaceModel::Bubbles(stiff), SpaceModel::Boids(Boids::default())];
    for (number, model) in models.into_iter().enumerate() {
        for (goals, speed) in [(SpaceGoals::Antipode, 100.0), (SpaceGoals::FlyOn, 3.0)] {
            for step in [1.0 / 60.0, 1.0, 1e6] {
                let law = SpeedLaw { mean: speed, deviation: speed, least: 0.0, most: 2.0 * speed };
                let group = SpaceGroup { goals, model, ..SpaceGroup::to_antipodes("dense", lattice.clone(), 0.2, law) };
                let mut crowd = make(cube(1.2, 0.8), SpaceSettings::default(), vec![group]);
                for _ in 0..40 {
                    crowd.step(step);
                    for agent in crowd.agents() {
                        assert!(agent.position.abs().max_element() <= 1.0 + 1e-12, "model {number}, step {step}");
                    }
                }
                let report = crowd.report();
                assert_eq!(
                    (report.worst_overlap, report.worst_wall_overlap),
                    (0.0, 0.0),
                    "model {number}, step {step}"
                );
            }
        }
    }
}

#[test]
fn no_step_is_taken_for_no_duration() {
    let mut crowd = make(cube(4.0, 4.0), SpaceSettings::default(), vec![at_rest(vec![Vec3::ZERO], 0.1)]);
    let before = crowd.state_hash();
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        crowd.step(step);
    }
    assert_eq!((crowd.state_hash(), crowd.time()), (before, 0.0));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let hash_with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let group = SpaceGroup::to_antipodes("flyers", on_sphere(400, 8.0), 0.2, SPEEDS);
            let flock = SpaceGroup {
                goals: SpaceGoals::FlyOn,
                model: SpaceModel::Boids(Boids::default()),
                ..SpaceGroup::to_antipodes("flock", on_sphere(100, 3.0), 0.1, SPEEDS)
            };
            let mut crowd = make(cube(12.0, 8.0), SpaceSettings::default(), vec![group, flock]);
            (0..200).for_each(|_| crowd.step(1.0 / 30.0));
            crowd.state_hash()
        })
    };
    let one = hash_with(1);
    assert_eq!([hash_with(2), hash_with(4)], [one, one]);
}

#[test]
fn flocks_become_of_one_direction() {
    let flock = SpaceGroup {
        goals: SpaceGoals::FlyOn,
        model: SpaceModel::Boids(Boids { alignment: 2.0, reach: 8.0, ..Boids::default() }),
        ..SpaceGroup::to_antipodes("flock", on_sphere(60, 2.0), 0.1, SpeedLaw::constant(1.5))
    };
    let mut crowd = make(cube(40.0, 8.0), SpaceSettings::default(), vec![flock]);
    let order = |crowd: &SpaceCrowd| {
        let sum = crowd.agents().fold(Vec3::ZERO, |sum, agent| sum + agent.velocity.normalize_or_zero());
        sum.length() / crowd.agents().len() as f64
    };
    (0..10).for_each(|_| crowd.step(1.0 / 60.0));
    let first = order(&crowd);
    (0..600).for_each(|_| crowd.step(1.0 / 60.0));
    let last = order(&crowd);
    assert!(first < 0.4 && last > 0.95, "{first} and {last}");
}

#[test]
fn agents_in_volumes_do_what_they_do_in_a_box() {
    let (low, high) = (Vec3::splat(-8.0), Vec3::splat(8.0));
    let map = Map3::hexahedral_grid([4, 4, 4]).expect("a grid");
    let volumes = SpaceRoom::of_volumes(map, grid_positions(&Aabb { min: low, max: high }, [4, 4, 4])).expect("a room");
    let places = on_sphere(60, 6.0);
    let runs = [volumes, cube(8.0, 4.0)].map(|room| {
        let group = SpaceGroup::to_antipodes("flyers", places.clone(), 0.2, SPEEDS);
        let mut crowd = make(room, SpaceSettings::default(), vec![group]);
        (0..300).for_each(|_| crowd.step(1.0 / 60.0));
        crowd
    });
    // Sums over neighbours have another order.
    for (a, b) in runs[0].agents().zip(runs[1].agents()) {
        assert!(a.id == b.id && a.position.distance(b.position) < 1e-6, "{a:?} and {b:?}");
    }
    assert_eq!(runs[0].report().worst_overlap, 0.0);
}

#[test]
fn faults_are_found_with_their_places() {
    let good = vec![Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)];
    let group = |places: Vec<Vec3>| SpaceGroup::to_antipodes("g", places, 0.2, SpeedLaw::constant(1.0));
    let with = |place: Vec3| at_rest([good.clone(), vec![place]].concat(), 0.2);
    let faults = |group: SpaceGroup| {
        let (crowd, faults, left_out) =
            SpaceCrowd::without_faulty(cube(4.0, 4.0), SpaceSettings::default(), vec![group]);
        (crowd.agents().len(), faults, left_out)
    };
    for place in [Vec3::new(3.9, 0.0, 0.0), Vec3::splat(9.0), Vec3::new(f64::NAN, 0.0, 0.0)] {
        let (count, found, left_out) = faults(with(place));
        assert_eq!((count, left_out), (2, 1));
        assert!(matches!(found[..], [SpaceFault::Outside { agent: 2, .. }]), "{found:?}");
    }
    let (count, found, _) = faults(with(Vec3::new(1.3, 0.0, 0.0)));
    assert!(count == 2 && matches!(found[..], [SpaceFault::OverEachOther { agent: 2, other: 1, .. }]), "{found:?}");
    let (_, found, _) = faults(group(vec![Vec3::ZERO, Vec3::ZERO, Vec3::new(-3.0, 0.0, 0.0)]));
    assert!(matches!(found[..], [SpaceFault::OverEachOther { .. }]), "{found:?}");
    let (_, found, _) = faults(group(vec![Vec3::X * 3.0, Vec3::X * 2.0, Vec3::X * -2.5, Vec3::X * 3.7]));
    assert!(matches!(found[..], [SpaceFault::GoalOutside { .. }, ..] | []), "{found:?}");
    let (count, found, _) = faults(SpaceGroup { radius: 1.5, ..at_rest(good.clone(), 0.2) });
    assert!(count == 0 && matches!(found[..], [SpaceFault::TooLarge { .. }]), "{found:?}");
    for speed in [-1.0, f64::NAN, 1e4] {
        let (_, found, _) = faults(SpaceGroup { speed: SpeedLaw::constant(speed), ..at_rest(good.clone(), 0.2) });
        assert!(matches!(found[..], [SpaceFault::BadNumber { what: "speed", .. }]), "{found:?}");
    }
    assert!(SpaceRoom::of_cubes([Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0)], 1.0).is_err());
    assert!(SpaceRoom::of_cubes([Vec3::ZERO, Vec3::ONE], f64::NAN).is_err());
    assert!(SpaceRoom::of_cubes([Vec3::ZERO, Vec3::splat(1e5)], 1e-3).is_err());
}

#[test]
fn bubbles_are_stable_up_to_the_longest_step() {
    for (reach, stiffness, damping) in [(0.8, 30.0, 1.0), (0.8, 180.0, 12.0), (2.0, 5.0, 0.0), (0.5, 0.0, 3.0)] {
        let bubbles = Bubbles { reach, stiffness, damping, ..Bubbles::default() };
        let longest = bubbles.longest_stable_step();
        for share in [0.99, 1.01] {
            // The distance of two agents at the bottom of their bubbles, by symplectic Euler.
            let (step, mut offset, mut rate) = (share * longest, 1e-3, 1e-3);
            for _ in 0..4000 {
                rate -= step * (4.0 * stiffness * reach * offset + 2.0 * damping * rate);
                offset += step * rate;
            }
            let is_bounded = f64::abs(rate) < 1.0;
            assert_eq!(is_bounded, share < 1.0, "{bubbles:?}: {rate} m/s after steps of {step} s");
        }
    }
}

#[test]
fn equal_numbers_share_their_rank() {
    // Σd² = 0.25 + 0.25 with ties: from the definition of Pearson's coefficient of ranks 0.5 0.5 2 and 0 1 2.
    let known = 1.5 / (1.5_f64 * 2.0).sqrt();
    let found = rank_correlation(&[1.0, 1.0, 3.0], &[4.0, 5.0, 6.0]).expect("different numbers");
    assert!((found - known).abs() < 1e-15, "{found}");
    assert_eq!(rank_correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
    assert_eq!(rank_correlation(&[1.0], &[1.0]), None);
}
