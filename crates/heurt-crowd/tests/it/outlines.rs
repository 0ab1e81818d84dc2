//! Agents with outlines: no overlaps, edges registered as by brute force, turns, threads, faults.

use heurt_crowd::steer::{NearEdge, Orca};
use heurt_crowd::{
    AgentForm, AgentGroup, Crowd, CrowdFault, CrowdSettings, Goals, Ground, Outline, OutlineError, SpeedLaw, Start,
    SteeringModel,
};
use heurt_geometry::{FloorArea, PlanArea, Vec2, Vec3};
use heurt_map::CombinatorialMap;
use std::f64::consts::TAU;

fn v(x: f64, y: f64) -> Vec2 {
    Vec2::new(x, y)
}

fn outline(corners: &[[f64; 2]]) -> Outline {
    Outline::new(corners.iter().map(|&corner| Vec2::from_array(corner)).collect()).expect("sound")
}

fn rectangle(length: f64, width: f64) -> Outline {
    let (x, y) = (0.5 * length, 0.5 * width);
    outline(&[[-x, -y], [x, -y], [x, y], [-x, y]])
}

fn bodies(name: &str, form: AgentForm, start: Start, speed: f64, goals: Goals) -> AgentGroup {
    AgentGroup {
        name: name.to_owned(),
        start,
        radius: form.clearance().unwrap_or(0.2),
        form,
        speed: SpeedLaw::constant(speed),
        goals,
        ..AgentGroup::default()
    }
}

fn area(x0: f64, y0: f64, x1: f64, y1: f64) -> PlanArea {
    PlanArea::rectangle(v(x0, y0), v(x1, y1))
}

fn crowd(areas: Vec<PlanArea>, settings: CrowdSettings, groups: Vec<AgentGroup>) -> Crowd {
    Crowd::new(Ground::new(areas).expect("sound"), settings, groups).expect("sound")
}

fn settings(model: &str, seed: u64) -> CrowdSettings {
    let mut settings = CrowdSettings::default();
    settings.model = SteeringModel::from_name(model).expect("a model");
    settings.seed = seed;
    settings
}

/// Cars that drive across a stream of people.
fn crossing(model: &str, seed: u64) -> Crowd {
    let people = |name: &str, from: PlanArea, to: PlanArea| {
        bodies(name, AgentForm::Disc, Start::within([from], 40), 1.34, Goals::through([[to]]))
    };
    let places = (0..4).map(|k| v(12.0 + 4.0 * f64::from(k), if k % 2 == 0 { 4.0 } else { 16.0 }));
    let to_and_fro = Goals::Rounds(vec![
        vec![FloorArea::from(area(8.0, 17.0, 28.0, 19.0))],
        vec![FloorArea::from(area(8.0, 1.0, 28.0, 3.0))],
    ]);
    let cars = bodies("cars", AgentForm::Rigid(rectangle(3.0, 1.5)), Start::at(places), 2.0, to_and_fro);
    let groups = vec![
        people("east", area(0.0, 0.0, 8.0, 20.0), area(35.0, 0.0, 36.0, 20.0)),
        people("west", area(28.0, 0.0, 36.0, 20.0), area(0.0, 0.0, 1.0, 20.0)),
        cars,
    ];
    crowd(vec![area(0.0, 0.0, 36.0, 20.0)], settings(model, seed), groups)
}

#[test]
fn a_vehicle_drives_to_its_goal_and_turns_towards_it() {
    let form = AgentForm::Rigid(rectangle(4.5, 1.8));
    let car = bodies("car", form, Start::at([v(5.0, 5.0)]), 3.0, Goals::through([[area(30.0, 25.0, 34.0, 29.0)]]));
    let mut crowd = crowd(vec![area(0.0, 0.0, 40.0, 30.0)], CrowdSettings::default(), vec![car]);
    // It begins towards the nearest point of its goal.
    let corners: Vec<Vec2> = crowd.sections_of(0).next().expect("an outline").to_vec();
    let heading = (corners[1] - corners[0]).normalize();
    assert!((heading - (v(30.0, 25.0) - v(5.0, 5.0)).normalize()).length() < 1e-12, "{heading}");
    while !crowd.is_empty() && crowd.time() < 60.0 {
        crowd.step(0.05);
    }
    let report = crowd.report();
    let time = report.travel_time.expect("it arrived").median;
    // The nearest corner of the goal is 25 m east and 20 m north.
    assert!((time - v(25.0, 20.0).length() / 3.0).abs() < 0.5, "{time}");
    let left = |crowd: &Crowd| (crowd.environment().entities().count(), crowd.sections_of(0).count());
    assert_eq!(left(&crowd), (0, 1), "its last place");
    crowd.step(0.05);
    assert_eq!(left(&crowd), (0, 0));
}

#[test]
fn vehicles_among_people_overlap_nobody_under_every_model() {
    for name in SteeringModel::NAMES {
        let mut crowd = crossing(name, 1);
        for _ in 0..700 {
            crowd.step(0.05);
        }
        let report = crowd.report();
        assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{name}: {report:?}");
        println!("{name}: {} arrived, {:e}", report.arrived, report.worst_overlap);
        // The overlaps of the report by another way: every corner, every centre.
        let agents: Vec<_> = crowd.agents().collect();
        for car in agents.iter().filter(|agent| agent.group == 2) {
            let corners = crowd.sections_of(car.id).next().expect("an outline");
            for disc in agents.iter().filter(|agent| agent.group < 2) {
                let inside = (0..4).all(|k| {
                    let (a, b) = (corners[k], corners[(k + 1) % 4]);
                    (b - a).normalize().perp_dot(disc.position - a) > -disc.radius + 1e-9
                });
                // Beyond a corner the disc may reach over both lines and not meet the corner.
                let near = corners.iter().any(|corner| corner.distance(disc.position) < disc.radius - 1e-9);
                let over_edge = (0..4).any(|k| {
                    let (a, b) = (corners[k], corners[(k + 1) % 4]);
                    let foot = (disc.position - a).dot(b - a) / (b - a).length_squared();
                    (0.0..=1.0).contains(&foot)
                });
                assert!(!(near || inside && over_edge), "{name}: {car:?} {disc:?}");
            }
        }
    }
}

#[test]
fn edges_are_registered_as_brute_force_has_them() {
    let mut crowd = crossing("bubbles", 2);
    for step in 0..200 {
        crowd.step(0.05);
        if step % 20 != 0 {
            continue;
        }
        let environment = crowd.environment();
        assert_eq!(environment.clone().validate(), [], "the four properties of the registration");
        // The cells that an edge meets, by its distance from all cells.
        for entity in environment.entities() {
            let points: Vec<_> = environment.points(entity).expect("registered").collect();
            let [a, b] = points.as_slice() else { continue };
            let [a, b] = [a, b].map(|&point| environment.particle(point).expect("registered").position);
            let cells = environment.cells_of(entity).expect("registered");
            for k in 0..=40 {
                let place = a.lerp(b, f64::from(k) / 40.0);
                let inside = |cell: u32| {
                    let (map, positions) = (environment.map().map(), environment.geometry().positions());
                    let dart = environment.dart(cell).expect("a cell");
                    let corner = |dart| positions[map.id(heurt_map::Orbit::Vertex, dart) as usize];
                    let corners: Vec<Vec2> = map.face_darts(dart).map(corner).collect();
                    (0..corners.len()).all(|k| {
                        let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
                        (b - a).perp_dot(place - a) >= -1e-9 * (b - a).length()
                    })
                };
                assert!(cells.iter().any(|&cell| inside(cell)), "step {step}: {place} is in no cell of its edge");
            }
        }
        assert!(environment.counts().refined > 0);
    }
}

#[test]
fn outlines_are_where_their_registered_corners_are() {
    let mut crowd = crossing("orca", 3);
    for _ in 0..300 {
        crowd.step(0.05);
    }
    let environment = crowd.environment();
    let mut registered: Vec<Vec2> = environment
        .entities()
        .filter(|&entity| environment.points(entity).is_ok_and(|points| points.len() == 2))
        .flat_map(|entity| environment.points(entity).expect("registered").collect::<Vec<_>>())
        .map(|point| environment.particle(point).expect("registered").position)
        .collect();
    registered.dedup();
    for agent in crowd.agents().filter(|agent| agent.group == 2) {
        for corner in crowd.sections_of(agent.id).flatten() {
            assert!(registered.iter().any(|place| place.distance(*corner) < 1e-9), "{corner}");
        }
    }
}

#[test]
fn bodies_do_not_depend_on_threads() {
    let wagon = |at: f64| outline(&[[at - 1.0, -0.6], [at + 1.0, -0.6], [at + 1.0, 0.6], [at - 1.0, 0.6]]);
    let hash = |threads: usize, model: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let goal = Goals::through([[area(0.0, 0.0, 4.0, 20.0)]]);
            let train = AgentForm::Articulated(vec![wagon(0.0), wagon(-2.2), wagon(-4.4)]);
            let slugs = Start::at([v(30.0, 6.0), v(30.0, 10.0)]);
            let groups = vec![
                bodies("people", AgentForm::Disc, Start::within([area(2.0, 2.0, 22.0, 18.0)], 60), 1.34, goal.clone()),
                bodies("train", train, Start::at([v(28.0, 15.0)]), 2.0, goal.clone()),
                bodies("slugs", slug(), slugs, 1.5, goal),
            ];
            let mut crowd = crowd(vec![area(0.0, 0.0, 36.0, 20.0)], settings(model, 5), groups);
            (0..200).for_each(|_| crowd.step(0.05));
            crowd.state_hash()
        })
    };
    for model in ["orca", "bubbles"] {
        let one = hash(1, model);
        assert_eq!([hash(2, model), hash(4, model)], [one; 2], "{model}");
    }
}

#[test]
fn a_concave_body_takes_a_person_at_rest_between_its_prongs() {
    // A fork of two prongs, and a person that never moves: without `push` it drives on until the person touches the end
    // of the notch; with `push` it keeps off.
    let fork = outline(&[
        [-0.25, -1.0],
        [2.25, -1.0],
        [2.25, -0.6],
        [0.25, -0.6],
        [0.25, 0.6],
        [2.25, 0.6],
        [2.25, 1.0],
        [-0.25, 1.0],
    ]);
    let run = |push: bool| {
        let mut settings = settings("orca", 1);
        settings.push = push;
        let goal = Goals::through([[area(28.0, 0.0, 30.0, 10.0)]]);
        let groups = vec![
            bodies("fork", AgentForm::Rigid(fork.clone()), Start::at([v(4.0, 5.0)]), 1.5, goal),
            bodies("post", AgentForm::Disc, Start::at([v(7.5, 5.0)]), 0.0, Goals::None),
        ];
        let mut crowd = crowd(vec![area(0.0, 0.0, 30.0, 10.0)], settings, groups);
        let mut nearest = f64::INFINITY;
        for _ in 0..800 {
            crowd.step(0.05);
            let at = |id: u32| crowd.agents().find(|agent| agent.id == id).map(|agent| agent.position);
            if let Some((fork, post)) = at(0).zip(at(1)) {
                nearest = nearest.min(fork.distance(post));
            }
        }
        let report = crowd.report();
        assert!(report.worst_overlap <= 1e-9, "{report:?}");
        nearest
    };
    // Round its own place the notch reaches 0.25 m forward: the person touches its end.
    let (keeps_off, takes_in) = (run(true), run(false));
    assert!((takes_in - 0.45).abs() < 1e-6 && keeps_off > takes_in + 0.05, "{keeps_off} {takes_in}");
}

#[test]
fn a_train_follows_its_head_through_a_crowd_at_rest() {
    let wagon = |k: u32| {
        let at = -3.2 * f64::from(k);
        outline(&[[at - 1.5, -0.8], [at + 1.5, -0.8], [at + 1.5, 0.8], [at - 1.5, 0.8]])
    };
    let train = AgentForm::Articulated((0..5).map(wagon).collect());
    let through = Goals::through([[area(38.0, 10.0, 42.0, 14.0)], [area(56.0, 22.0, 60.0, 28.0)]]);
    let groups = vec![
        bodies("train", train, Start::at([v(16.0, 12.0)]), 2.0, through),
        bodies("people", AgentForm::Disc, Start::within([area(24.0, 6.0, 40.0, 20.0)], 150), 1.34, Goals::None),
    ];
    let mut crowd = crowd(vec![area(0.0, 0.0, 60.0, 30.0)], settings("bubbles", 1), groups);
    let mut widest = 0.0_f64;
    while crowd.time() < 120.0 && crowd.agents().any(|agent| agent.group == 0) {
        crowd.step(0.05);
        let sections: Vec<Vec<Vec2>> = crowd.sections_of(0).map(<[Vec2]>::to_vec).collect();
        for pair in sections.windows(2) {
            // The hinge is 0.1 m behind the one and before its follower: corners 0 and 3 are at the rear, 1 and 2 at the front.
            let rear = pair[0][0].midpoint(pair[0][3]);
            let front = pair[1][1].midpoint(pair[1][2]);
            assert!(rear.distance(front) < 0.2 + 1e-9, "the hinge holds: {}", rear.distance(front));
            widest = widest.max((pair[0][1] - pair[0][0]).angle_to(pair[1][1] - pair[1][0]).abs());
        }
    }
    let report = crowd.report();
    assert_eq!(report.arrived, 1, "{report:?}");
    assert!(report.worst_overlap <= 1e-9, "{report:?}");
    assert!(widest > 0.1, "it bends: {widest}");
}

#[test]
fn an_edge_ahead_opens_the_way_for_a_fast_body() {
    // A tram of 2.4 m drives at 5 m/s through a crowd at rest: 10 s if nobody is in its way.
    let time = |model: &str, anticipation: f64| {
        let mut settings = settings(model, 4);
        settings.anticipation = anticipation;
        let form = AgentForm::Rigid(rectangle(6.0, 2.4));
        let goal = Goals::through([[area(56.0, 0.0, 60.0, 24.0)]]);
        let groups = vec![
            bodies("tram", form, Start::at([v(6.0, 12.0)]), 5.0, goal),
            bodies("people", AgentForm::Disc, Start::within([area(24.0, 4.0, 38.0, 20.0)], 250), 1.34, Goals::None),
        ];
        let mut crowd = crowd(vec![area(0.0, 0.0, 60.0, 24.0)], settings, groups);
        while crowd.time() < 40.0 && crowd.agents().any(|agent| agent.group == 0) {
            crowd.step(0.05);
        }
        assert!(crowd.report().worst_overlap <= 1e-9);
        crowd.time()
    };
    for model in ["bubbles", "orca"] {
        let (with, without) = (time(model, 2.0), time(model, 0.0));
        assert!(with < 11.5 && without > 18.0, "{model}: {with} s with, {without} s without");
    }
}

#[test]
fn rounds_go_on_and_begin_at_the_nearest_area() {
    // Twelve areas on a circle, three cars between them.
    let at = |k: f64| Vec2::from_angle(TAU * k / 12.0) * 12.0;
    let goals = (0..12).map(|k| {
        let middle = at(f64::from(k));
        vec![FloorArea::from(PlanArea::rectangle(middle - 1.5, middle + 1.5))]
    });
    let places = [0.0, 4.0, 8.0].map(at);
    let form = AgentForm::Rigid(rectangle(2.0, 1.0));
    let cars = bodies("cars", form, Start::at(places), 3.0, Goals::Rounds(goals.collect()));
    let mut crowd = crowd(vec![area(-20.0, -20.0, 20.0, 20.0)], CrowdSettings::default(), vec![cars]);
    let mut turned = [0.0; 3];
    let mut before: Vec<Vec2> = crowd.agents().map(|agent| agent.position).collect();
    for _ in 0..1200 {
        crowd.step(0.05);
        for (k, agent) in crowd.agents().enumerate() {
            turned[k] += before[k].angle_to(agent.position);
            before[k] = agent.position;
        }
    }
    // 60 s at 3 m/s on a dodecagon of 12 m.
    assert!(turned.iter().all(|&angle| angle > 1.9 * TAU && angle < 2.8 * TAU), "{turned:?}");
    assert_eq!(crowd.agents().len(), 3);
}

#[test]
fn ellipses_of_edges_are_those_of_s4() {
    let segment = [v(-1.0, 0.0), v(1.0, 0.0)];
    for (place, distance) in [(v(0.0, 0.75), 0.25), (v(3.0, 0.0), 2.0), (v(0.5, 0.0), 0.0)] {
        assert!((NearEdge::ellipse(segment, place).0 - distance).abs() < 1e-12);
    }
    let (value, gradient) = NearEdge::ellipse(segment, v(0.3, 0.9));
    let step = 1e-6;
    for (axis, slope) in [(Vec2::X, gradient.x), (Vec2::Y, gradient.y)] {
        let next = NearEdge::ellipse(segment, v(0.3, 0.9) + axis * step).0;
        assert!(((next - value) / step - slope).abs() < 1e-5);
    }
}

#[test]
fn a_person_does_all_to_avoid_a_body_under_orca() {
    // A wide body comes at 1 m/s from 3 m ahead; horizon 2 s. Its front is a wall in its frame: n · (v − w) ≥ −g / τ.
    let edge = NearEdge {
        segment: [v(3.0, -4.0), v(3.0, 4.0)],
        nearest: v(3.0, 0.0),
        velocity: v(-1.0, 0.0),
        share: 1.0,
        is_ahead: false,
    };
    let view = heurt_crowd::steer::AgentView {
        position: Vec2::ZERO,
        velocity: v(1.0, 0.0),
        radius: 0.2,
        group: 0,
        preferred: v(1.0, 0.0),
        limit: 2.0,
        step: 0.05,
        agents: &[],
        walls: &[],
        edges: &[edge],
    };
    let orca = Orca { horizon: 2.0, ..Orca::default() };
    let chosen = SteeringModel::Orca(orca).policy().choose(&view);
    assert!((chosen - v(0.4, 0.0)).length() < 1e-9, "1 − … = 2.8 / 2 − 1: {chosen}");
    let half = [NearEdge { share: 0.5, ..edge }];
    let chosen = SteeringModel::Orca(orca).policy().choose(&heurt_crowd::steer::AgentView { edges: &half, ..view });
    assert!((chosen - v(0.7, 0.0)).length() < 1e-9, "half of the change: {chosen}");
}

#[test]
fn footprints_of_meshes() {
    // A wedge on wheels: its outline from above is the hull of its floor and its roof.
    let corners =
        [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [3.0, 0.5, 1.0]].map(Vec3::from_array);
    let triangles = [[0, 2, 1], [0, 3, 2], [1, 2, 4], [0, 1, 4], [2, 3, 4]];
    let footprint = Outline::footprint(&corners, &triangles).expect("one part");
    assert_eq!(footprint.bounds(), [v(0.0, 0.0), v(3.0, 1.0)]);
    assert_eq!(footprint.corners().len(), 5);
    let apart = Outline::footprint(&corners, &[[0, 1, 3]]).map(|outline| outline.corners().len());
    assert_eq!(apart, Ok(3));
    assert_eq!(Outline::footprint(&corners, &[]), Err(OutlineError::Pieces { count: 0 }));
    let far = [v(10.0, 0.0), v(11.0, 0.0), v(10.0, 1.0)].map(|p| p.extend(0.0));
    let two: Vec<Vec3> = corners.iter().copied().chain(far).collect();
    assert_eq!(Outline::footprint(&two, &[[0, 1, 2], [5, 6, 7]]), Err(OutlineError::Pieces { count: 2 }));
}

#[test]
fn faults_of_outlines_are_named() {
    let new = |corners: &[[f64; 2]]| Outline::new(corners.iter().map(|&corner| Vec2::from_array(corner)).collect());
    assert_eq!(new(&[[0.0, 0.0], [1.0, 0.0]]), Err(OutlineError::Corners { count: 2 }));
    let nan = new(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]);
    assert!(matches!(nan, Err(OutlineError::BadCorner { corner: 1, .. })));
    assert!(matches!(new(&[[0.0, 0.0], [1e-4, 0.0], [0.0, 1.0]]), Err(OutlineError::ShortEdge { corner: 0, .. })));
    // A spike of no width, and a corner on an edge.
    let spike = new(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]);
    assert!(matches!(spike, Err(OutlineError::Crossing { .. })), "{spike:?}");
    let touching = new(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0], [0.0, 2.0]]);
    assert!(matches!(touching, Err(OutlineError::Crossing { .. })), "{touching:?}");
    let faults = |group: AgentGroup, areas: Vec<PlanArea>| {
        Crowd::new(Ground::new(areas).expect("sound"), CrowdSettings::default(), vec![group]).expect_err("a fault")
    };
    let hall = || vec![area(0.0, 0.0, 20.0, 6.0)];
    let to = || Goals::through([[area(18.0, 0.0, 20.0, 6.0)]]);
    let off = AgentForm::Rigid(outline(&[[1.0, 0.0], [2.0, 0.0], [2.0, 1.0]]));
    let found = faults(bodies("off", off, Start::at([v(5.0, 3.0)]), 1.0, to()), hall());
    assert!(matches!(found[0], CrowdFault::NoOrigin { .. }), "{found:?}");
    let car = || AgentForm::Rigid(rectangle(4.0, 1.8));
    let found = faults(bodies("in wall", car(), Start::at([v(1.0, 3.0)]), 1.0, to()), hall());
    assert!(matches!(found[0], CrowdFault::OutlineInWall { agent: 0, .. }), "{found:?}");
    let found = faults(bodies("over", car(), Start::at([v(5.0, 3.0), v(8.0, 3.0)]), 1.0, to()), hall());
    assert!(matches!(found[0], CrowdFault::OverEachOther { agent: 1, other: 0, .. }), "{found:?}");
    // Wider than any passage: nowhere on the floor, and behind a door.
    let lorry = AgentForm::Rigid(rectangle(5.0, 7.0));
    let found = faults(bodies("wide", lorry, Start::at([v(5.0, 3.0)]), 1.0, to()), hall());
    assert!(found.iter().any(|fault| matches!(fault, CrowdFault::TooLarge { .. })), "{found:?}");
    let rooms = vec![area(0.0, 0.0, 10.0, 6.0), area(10.0, 2.5, 11.0, 3.5), area(11.0, 0.0, 21.0, 6.0)];
    let found = faults(bodies("behind", car(), Start::at([v(5.0, 3.0)]), 1.0, to()), rooms);
    assert!(matches!(found[0], CrowdFault::Unreachable { .. }), "{found:?}");
    let mut ground = Ground::new(hall()).expect("sound");
    ground.add_flow([area(8.0, 0.0, 12.0, 6.0)]);
    let group = bodies("flow", car(), Start::at([v(5.0, 3.0)]), 1.0, to());
    let found = Crowd::new(ground, CrowdSettings::default(), vec![group]).expect_err("a fault");
    assert!(matches!(found[0], CrowdFault::OutlineInFlow { .. }), "{found:?}");
}

#[test]
fn people_on_the_storey_above_are_nothing_to_a_body() {
    // Two storeys over each other: people above see nothing of a cart below.
    let floor = |height: f64| FloorArea::level(area(0.0, 0.0, 30.0, 8.0), height);
    let cart = bodies("cart", AgentForm::Rigid(rectangle(2.0, 1.0)), Start::at([v(3.0, 4.0)]), 1.0, {
        Goals::through([[FloorArea::level(area(27.0, 0.0, 30.0, 8.0), 0.0)]])
    });
    let above = AgentGroup {
        start: Start::Places((0..8).map(|k| Vec3::new(15.0, f64::from(k) + 0.5, 4.0)).collect()),
        ..bodies("above", AgentForm::Disc, Start::at([]), 0.0, Goals::None)
    };
    let ground = Ground::new([floor(0.0), floor(4.0)]).expect("sound");
    let mut crowd = Crowd::new(ground, CrowdSettings::default(), vec![cart, above]).expect("sound");
    while crowd.time() < 60.0 && crowd.agents().any(|agent| agent.group == 0) {
        crowd.step(0.05);
    }
    let time = crowd.report().travel_time.expect("it arrived").median;
    assert!((time - 24.0).abs() < 0.2, "{time}: nobody was in its way");
}

/// A slug of 2.4 m × 1.2 m with twelve corners.
fn slug() -> AgentForm {
    let corner = |k: u32| Vec2::from_angle(TAU * f64::from(k) / 12.0) * v(1.2, 0.6);
    AgentForm::Deforming(Outline::new((0..12).map(corner).collect()).expect("sound"))
}

fn area_of(corners: &[Vec2]) -> f64 {
    (0..corners.len()).map(|k| 0.5 * corners[k].perp_dot(corners[(k + 1) % corners.len()])).sum()
}

#[test]
fn a_slug_squeezes_through_a_door_and_takes_its_shape_again() {
    // A door of 1.1 m for a body of 1.2 m: a rigid one stays outside.
    let rooms = || vec![area(0.0, 0.0, 10.0, 6.0), area(10.0, 2.45, 10.4, 3.55), area(10.4, 0.0, 20.4, 6.0)];
    let run = |form: AgentForm| {
        let goal = Goals::through([[area(18.0, 2.0, 20.4, 4.0)]]);
        let group = AgentGroup { radius: 0.4, ..bodies("slug", form, Start::at([v(4.0, 3.0)]), 1.0, goal) };
        let mut crowd = crowd(rooms(), settings("bubbles", 1), vec![group]);
        let rest = area_of(crowd.sections_of(0).next().expect("an outline"));
        let (mut widths, mut areas) = (Vec::new(), Vec::new());
        while crowd.time() < 60.0 && !crowd.is_empty() {
            if let Some(corners) = crowd.sections_of(0).next() {
                let ys: Vec<f64> = corners.iter().map(|corner| corner.y).collect();
                widths.push(ys.iter().fold(f64::MIN, |a, &b| a.max(b)) - ys.iter().fold(f64::MAX, |a, &b| a.min(b)));
                areas.push(area_of(corners) / rest);
            }
            crowd.step(0.05);
        }
        (crowd.report(), widths, areas)
    };
    let (report, widths, areas) = run(slug());
    assert_eq!(report.arrived, 1, "{report:?}");
    assert!(report.worst_wall_overlap <= 1e-9, "{report:?}");
    assert!(areas.iter().all(|&share| share > 0.7 && share < 1.2), "{areas:?}");
    let least = widths.iter().fold(f64::MAX, |a, &b| a.min(b));
    assert!(least < 1.12 && (widths[widths.len() - 1] - 1.2).abs() < 0.02, "{least} {:?}", widths.last());
    let AgentForm::Deforming(outline) = slug() else { panic!("a slug deforms") };
    let (report, ..) = run(AgentForm::Rigid(outline));
    assert_eq!(report.arrived, 0, "a rigid one stays outside");
}

#[test]
fn slugs_among_people_overlap_nobody() {
    let places = (0..5).map(|k| v(6.0, 3.0 + 3.5 * f64::from(k)));
    let goal = Goals::through([[area(32.0, 0.0, 36.0, 20.0)]]);
    let people = Start::within([area(12.0, 1.0, 28.0, 19.0)], 120);
    for model in ["bubbles", "orca"] {
        let groups = vec![
            bodies("slugs", slug(), Start::at(places.clone()), 1.2, goal.clone()),
            bodies("people", AgentForm::Disc, people.clone(), 1.34, Goals::through([[area(0.0, 0.0, 2.0, 20.0)]])),
        ];
        let mut crowd = crowd(vec![area(0.0, 0.0, 36.0, 20.0)], settings(model, 1), groups);
        (0..1000).for_each(|_| crowd.step(0.05));
        let report = crowd.report();
        assert!(report.worst_overlap <= 1e-9 && report.worst_wall_overlap <= 1e-9, "{model}: {report:?}");
        assert!(report.arrived >= 120, "{model}: {report:?}");
    }
}

#[test]
fn bodies_that_wait_stand_still_and_those_without_speed_stay() {
    let goal = || Goals::through([[area(27.0, 0.0, 30.0, 10.0)]]);
    let car = || AgentForm::Rigid(rectangle(3.0, 1.5));
    let waiting = AgentGroup {
        reaction: SpeedLaw::constant(5.0),
        ..bodies("waiting", car(), Start::at([v(4.0, 3.0)]), 2.0, goal())
    };
    let groups = vec![waiting, bodies("parked", car(), Start::at([v(10.0, 7.0)]), 0.0, goal())];
    let mut crowd = crowd(vec![area(0.0, 0.0, 30.0, 10.0)], settings("bubbles", 1), groups);
    (0..99).for_each(|_| crowd.step(0.05));
    assert!(crowd.agents().all(|agent| agent.velocity == Vec2::ZERO));
    (0..400).for_each(|_| crowd.step(0.05));
    assert_eq!(crowd.report().arrived, 1);
    assert_eq!(crowd.agents().next().map(|agent| agent.position), Some(v(10.0, 7.0)));
}

#[test]
fn a_pillar_in_an_outline_is_a_fault() {
    let hole = area(4.9, 2.9, 5.1, 3.1).outline;
    let hall = PlanArea { holes: vec![hole], ..area(0.0, 0.0, 20.0, 6.0) };
    let car = bodies("car", AgentForm::Rigid(rectangle(3.0, 1.5)), Start::at([v(5.0, 3.2)]), 1.0, Goals::None);
    let found =
        Crowd::new(Ground::new([hall]).expect("sound"), CrowdSettings::default(), vec![car]).expect_err("a fault");
    assert!(matches!(found[0], CrowdFault::Outside { .. } | CrowdFault::OutlineInWall { .. }), "{found:?}");
    let hole = area(6.0, 2.9, 6.2, 3.1).outline;
    let hall = PlanArea { holes: vec![hole], ..area(0.0, 0.0, 20.0, 6.0) };
    let car = bodies("car", AgentForm::Rigid(rectangle(3.0, 1.5)), Start::at([v(5.0, 3.0)]), 1.0, Goals::None);
    let found =
        Crowd::new(Ground::new([hall]).expect("sound"), CrowdSettings::default(), vec![car]).expect_err("a fault");
    assert!(matches!(found[0], CrowdFault::OutlineInWall { .. }), "{found:?}");
}

#[test]
fn tours_visit_as_many_places_as_they_say() {
    let sites = [
        area(1.0, 1.0, 3.0, 3.0),
        area(17.0, 1.0, 19.0, 3.0),
        area(17.0, 17.0, 19.0, 19.0),
        area(1.0, 17.0, 3.0, 19.0),
    ];
    let goals = Goals::Tour(sites.iter().map(|site| vec![FloorArea::from(site.clone())]).collect(), 3);
    let people = bodies("people", AgentForm::Disc, Start::within([area(6.0, 6.0, 14.0, 14.0)], 30), 2.0, goals);
    let mut crowd = crowd(vec![area(0.0, 0.0, 20.0, 20.0)], CrowdSettings::default(), vec![people]);
    let mut visited: Vec<Vec<usize>> = vec![Vec::new(); 30];
    while !crowd.is_empty() && crowd.time() < 200.0 {
        crowd.step(0.05);
        for agent in crowd.agents().chain(crowd.departed()) {
            let here = sites.iter().position(|site| site.contains(agent.position));
            let list = &mut visited[agent.id as usize];
            if let Some(here) = here.filter(|here| list.last() != Some(here)) {
                list.push(here);
            }
        }
    }
    assert_eq!(crowd.report().arrived, 30);
    // Paths between places may cross others.
    assert!(visited.iter().all(|list| list.len() >= 3), "{visited:?}");
    let firsts: std::collections::BTreeSet<usize> = visited.iter().map(|list| list[0]).collect();
    assert_eq!(firsts.len(), 4, "drawn at random");
}

#[test]
fn paths_keep_to_ways_and_lead_back_to_them() {
    // A ring road round a square; the straight line would cross it.
    let ring = PlanArea { holes: vec![area(6.0, 6.0, 34.0, 34.0).outline], ..area(0.0, 0.0, 40.0, 40.0) };
    let form = AgentForm::Rigid(rectangle(3.0, 1.5));
    for (start, least) in [(v(3.0, 3.0), 60.0), (v(10.0, 20.0), 40.0)] {
        let goal = Goals::through([[area(35.0, 35.0, 39.0, 39.0)]]);
        let car = AgentGroup {
            ways: vec![ring.clone().into()],
            ..bodies("car", form.clone(), Start::at([start]), 4.0, goal)
        };
        let mut crowd = crowd(vec![area(0.0, 0.0, 40.0, 40.0)], CrowdSettings::default(), vec![car]);
        let (mut length, mut before, mut off) = (0.0, start, 0);
        while !crowd.is_empty() && crowd.time() < 60.0 {
            crowd.step(0.05);
            for agent in crowd.agents() {
                length += agent.position.distance(before);
                before = agent.position;
                off += u32::from(!ring.contains(agent.position));
            }
        }
        assert_eq!(crowd.report().arrived, 1);
        assert!(length > least, "{length}");
        // From off the road it takes the shortest way to it: 4 m and the width of a lane.
        assert!(off < 40, "{off} steps off the road");
    }
}
