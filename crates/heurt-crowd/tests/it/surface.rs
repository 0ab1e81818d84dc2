//! Tests of agents on curved ground.

use heurt_crowd::SpeedLaw;
use heurt_crowd::space::SpaceModel;
use heurt_crowd::steer::Bubbles;
use heurt_crowd::surface::{
    SurfaceCrowd, SurfaceFault, SurfaceGoals, SurfaceGround, SurfaceGroundFault, SurfaceGroup, SurfaceSettings,
    SurfaceStart, faces_near,
};
use heurt_geometry::{SplitMix64, Vec3};
use heurt_map::geodesic::{GeodesicGoal, GeodesicSurface};
use heurt_mesh::{TriMesh, generate};

const SPEEDS: SpeedLaw = SpeedLaw { mean: 1.3, deviation: 0.2, least: 0.8, most: 1.8 };

fn ground(mesh: &TriMesh, buildings: &[u32]) -> SurfaceGround {
    SurfaceGround::new(mesh, buildings).expect("ground without faults")
}

fn make<'g>(ground: &'g SurfaceGround, groups: Vec<SurfaceGroup>) -> SurfaceCrowd<'g> {
    SurfaceCrowd::new(ground, SurfaceSettings::default(), groups).expect("a crowd without faults")
}

/// A square of `count` by `count` squares of two triangles each, in the plane z = 0.
fn square(side: f64, count: u32) -> TriMesh {
    let at = |k: u32| side * f64::from(k) / f64::from(count);
    let corners = (0..(count + 1) * (count + 1)).map(|k| Vec3::new(at(k % (count + 1)), at(k / (count + 1)), 0.0));
    let mut faces = Vec::new();
    for (x, y) in (0..count * count).map(|k| (k % count, k / count)) {
        let a = y * (count + 1) + x;
        let [b, c, d] = [a + 1, a + count + 2, a + count + 1];
        faces.extend([[a, b, c], [a, c, d]]);
    }
    TriMesh::new(corners.collect(), faces).expect("a mesh")
}

/// One agent that has its speed at once.
fn lone(from: Vec3, targets: Vec<Vec3>, radius: f64, speed: f64, step: f64) -> SurfaceGroup {
    let model = SpaceModel::Bubbles(Bubbles { relaxation: step, ..Bubbles::default() });
    let start = SurfaceStart::Places(vec![from]);
    SurfaceGroup {
        model,
        within: 1e-3,
        ..SurfaceGroup::through("one", start, radius, SpeedLaw::constant(speed), targets)
    }
}

/// Lets one agent walk; returns the time of its arrival. It is always on a free face and on the surface.
fn walk(ground: &SurfaceGround, group: SurfaceGroup, step: f64) -> f64 {
    let mut crowd = make(ground, vec![group]);
    while !crowd.is_empty() && crowd.time() < 1000.0 {
        crowd.step(step);
        for agent in crowd.agents() {
            assert!(ground.is_free(agent.face), "{agent:?}");
            assert!(agent.velocity.dot(agent.normal).abs() < 1e-9 * (1.0 + agent.velocity.length()));
        }
    }
    assert_eq!((crowd.report().arrived, crowd.report().worst_wall_overlap), (1, 0.0));
    crowd.time()
}

/// The exact length of the shortest path round faces.
fn shortest(mesh: &TriMesh, buildings: &[u32], [from, to]: [Vec3; 2]) -> f64 {
    let surface = GeodesicSurface::with_obstacles(mesh, buildings).expect("a surface");
    let face_of = |place: Vec3| {
        let is_at = |face: &u32| surface.is_free(*face) && mesh.corners(*face).contains(&place);
        (0..mesh.triangles().len() as u32).find(is_at).expect("a corner")
    };
    let field = surface.field(&GeodesicGoal { points: vec![(face_of(to), to)], ..GeodesicGoal::default() });
    field.expect("paths").distance_at(face_of(from), from).expect("a path")
}

/// Checks all pairs; returns the deepest overlap as a share of the smaller diameter.
fn deepest(crowd: &SurfaceCrowd<'_>) -> f64 {
    let agents: Vec<_> = crowd.agents().collect();
    let mut worst: f64 = 0.0;
    for (place, a) in agents.iter().enumerate() {
        for b in &agents[..place] {
            let depth = a.radius + b.radius - a.position.distance(b.position);
            worst = worst.max(depth / (2.0 * a.radius.min(b.radius)));
        }
    }
    worst
}

#[test]
fn an_agent_alone_walks_half_round_a_sphere() {
    let (radius, step, speed) = (10.0, 0.1, 1.3);
    let mesh = generate::icosphere(radius, 4).expect("a sphere");
    let from = mesh.vertices()[0];
    let to = -from;
    let known = shortest(&mesh, &[], [from, to]);
    assert!((known / (std::f64::consts::PI * radius) - 1.0).abs() < 5e-3, "{known}");
    for radius in [0.0, 0.2] {
        let time = walk(&ground(&mesh, &[]), lone(from, vec![to], radius, speed, step), step);
        assert!((time - known / speed).abs() < 2.0 * step, "{time} and {}", known / speed);
    }
}

#[test]
fn from_corner_to_corner_of_a_cube_is_root_five() {
    let mesh = generate::cuboid([0.5; 3]).expect("a cube");
    let ground = ground(&mesh, &[]);
    for step in [0.01, 1.0 / 64.0] {
        let group = lone(Vec3::splat(-0.5), vec![Vec3::splat(0.5)], 1e-6, 0.5, step);
        let time = walk(&ground, group, step);
        assert!((time - 5f64.sqrt() / 0.5).abs() < 2.0 * step, "{time}");
    }
}

#[test]
fn a_round_trip_over_a_cube_has_the_length_of_its_pieces() {
    let mesh = generate::cuboid([0.5; 3]).expect("a cube");
    // From the middle of a side to the middles of two more: 1 each.
    let targets = vec![Vec3::new(0.0, 0.5, 0.0), Vec3::new(-0.5, 0.0, 0.0)];
    let step = 1.0 / 64.0;
    let time = walk(&ground(&mesh, &[]), lone(Vec3::new(0.5, 0.0, 0.0), targets, 0.01, 0.5, step), step);
    assert!((time - 4.0).abs() < 4.0 * step, "{time}");
}

#[test]
fn on_a_plane_agents_walk_straight_and_push_as_in_the_plane() {
    let mesh = square(10.0, 7);
    let ground = ground(&mesh, &[]);
    let (from, to, step) = (Vec3::new(1.3, 2.1, 0.0), Vec3::new(8.2, 7.7, 0.0), 0.1);
    let mut crowd = make(&ground, vec![lone(from, vec![to], 0.2, 1.5, step)]);
    let direction = (to - from).normalize();
    for number in 1..=50 {
        crowd.step(step);
        let known = from + direction * (1.5 * step * f64::from(number));
        let at = crowd.agents().next().expect("an agent").position;
        assert!(at.distance(known) < 1e-12, "{at} and {known}");
    }
    // k(R − d)² with d from the centre to the border; both agents rest.
    let places = vec![Vec3::new(5.0, 5.0, 0.0), Vec3::new(5.3, 5.4, 0.0)];
    let rest = SurfaceGroup {
        goals: SurfaceGoals::None,
        ..SurfaceGroup::through("rest", SurfaceStart::Places(places.clone()), 0.1, SpeedLaw::constant(3.0), vec![])
    };
    let mut crowd = make(&ground, vec![rest]);
    crowd.step(0.01);
    let away = (places[0] - places[1]).normalize();
    let known = away * (30.0 * (0.8_f64 - (0.5 - 0.1)).powi(2) * 0.01);
    let velocity = crowd.agents().next().expect("an agent").velocity;
    assert!(velocity.distance(known) < 1e-13, "{velocity} and {known}");
}

#[test]
fn round_a_building_agents_take_the_shortest_way() {
    // A building of 4 m by 4 m in the middle of a square.
    let mesh = square(12.0, 12);
    let is_in = |face: &u32| {
        let middle = mesh.corners(*face).iter().fold(Vec3::ZERO, |sum, corner| sum + *corner) / 3.0;
        (4.0..8.0).contains(&middle.x) && (4.0..8.0).contains(&middle.y)
    };
    let buildings: Vec<u32> = (0..mesh.triangles().len() as u32).filter(is_in).collect();
    let ground = ground(&mesh, &buildings);
    assert_eq!(ground.walls().len(), 4 * 12 + 4 * 4);
    let (from, to, step) = (Vec3::new(2.0, 5.0, 0.0), Vec3::new(10.0, 5.0, 0.0), 0.05);
    let known = 2.0 * Vec3::new(2.0, 1.0, 0.0).length() + 4.0;
    assert!((shortest(&mesh, &buildings, [from, to]) - known).abs() < 1e-12);
    let time = walk(&ground, lone(from, vec![to], 1e-3, 1.0, step), step);
    assert!((time - known).abs() < 0.02 * known, "{time} and {known}");
    // A disc goes along a path 0.2 m further out.
    let time = walk(&ground, lone(from, vec![to], 0.2, 1.0, step), step);
    let known = 2.0 * Vec3::new(2.0, 1.2, 0.0).length() + 4.0;
    assert!((time - known).abs() < 0.1 * known, "{time} and {known}");
}

#[test]
fn buildings_on_a_planet_are_never_entered() {
    let mesh = generate::icosphere(10.0, 4).expect("a sphere");
    let mut buildings = Vec::new();
    for place in [Vec3::new(0.0, 0.0, 10.0), Vec3::new(10.0, 0.0, 0.0), Vec3::new(0.0, -10.0, 0.0)] {
        buildings.extend(faces_near(&mesh, place, 3.0));
    }
    let ground = ground(&mesh, &buildings);
    let group =
        |name: &str, target: Vec3| SurfaceGroup::through(name, SurfaceStart::Anywhere(25), 0.2, SPEEDS, vec![target]);
    let targets = [Vec3::new(-10.0, 0.0, 0.0), Vec3::new(0.0, 7.07, 7.07)];
    let mut crowd = make(&ground, vec![group("west", targets[0]), group("north", targets[1])]);
    while !crowd.is_empty() && crowd.time() < 120.0 {
        crowd.step(0.05);
        assert!(crowd.agents().all(|agent| ground.is_free(agent.face)));
        assert!(deepest(&crowd) <= 0.0, "{}", deepest(&crowd));
    }
    let report = crowd.report();
    assert_eq!((report.arrived, report.worst_overlap, report.worst_wall_overlap), (50, 0.0, 0.0), "{report:?}");
}

fn knot() -> TriMesh {
    generate::torus_knot([2, 3], 12.0, 5.0, 2.0, 200, 16).expect("a knot")
}

#[test]
fn sixty_agents_cross_on_a_torus_knot_without_overlaps() {
    let mesh = knot();
    let ground = ground(&mesh, &[]);
    let mut random = SplitMix64::new(9);
    let group = |number: usize| {
        let mut target = || mesh.vertices()[random.below(mesh.vertices().len())];
        let targets = if number.is_multiple_of(2) { vec![target()] } else { vec![target(), target()] };
        SurfaceGroup::through(&format!("group {number}"), SurfaceStart::Anywhere(10), 0.2, SPEEDS, targets)
    };
    let mut crowd = make(&ground, (0..6).map(group).collect());
    while !crowd.is_empty() && crowd.time() < 300.0 {
        crowd.step(0.05);
        assert!(deepest(&crowd) <= 0.0, "{}", deepest(&crowd));
    }
    let report = crowd.report();
    assert_eq!((report.agents, report.arrived, report.worst_overlap), (60, 60, 0.0), "{report:?}");
}

#[test]
fn nobody_overlaps_on_creases_however_hostile_the_crowd() {
    let mesh = generate::cuboid([1.5; 3]).expect("a cube");
    let buildings = faces_near(&mesh, mesh.corners(0).iter().fold(Vec3::ZERO, |sum, p| sum + *p) / 3.0, 1e-9);
    for buildings in [vec![], buildings] {
        let ground = ground(&mesh, &buildings);
        let stiff = Bubbles { stiffness: 1e9, relaxation: 1e-6, ..Bubbles::default() };
        for (model, step) in [(Bubbles::default(), 0.05), (stiff, 0.05), (stiff, 1.0), (Bubbles::default(), 1e6)] {
            let law = SpeedLaw { mean: 5.0, deviation: 5.0, least: 0.0, most: 10.0 };
            let free = (0..12).rfind(|&face| ground.is_free(face)).expect("a free face");
            let target = mesh.corners(free).iter().fold(Vec3::ZERO, |sum, p| sum + *p) / 3.0;
            let group = SurfaceGroup {
                goals: SurfaceGoals::Rounds(vec![target]),
                model: SpaceModel::Bubbles(model),
                ..SurfaceGroup::through("dense", SurfaceStart::Anywhere(40), 0.2, law, vec![])
            };
            let mut crowd = make(&ground, vec![group]);
            for _ in 0..60 {
                crowd.step(step);
                assert!(deepest(&crowd) <= 0.0, "{}", deepest(&crowd));
                assert!(crowd.agents().all(|agent| ground.is_free(agent.face)));
            }
            let report = crowd.report();
            assert_eq!((report.worst_overlap, report.worst_wall_overlap), (0.0, 0.0), "{report:?}");
            let faults = crowd.environment().clone().validate();
            assert!(faults.is_empty(), "{faults:?}");
        }
    }
}

#[test]
fn cells_follow_the_density_of_agents() {
    let mesh = square(24.0, 2);
    let ground = ground(&mesh, &[]);
    let group =
        SurfaceGroup::through("all", SurfaceStart::Anywhere(150), 0.2, SPEEDS, vec![Vec3::new(12.0, 12.0, 0.0)]);
    let mut crowd = make(&ground, vec![group]);
    assert!(crowd.finest_level() >= 2, "{}", crowd.finest_level());
    while !crowd.is_empty() && crowd.time() < 120.0 {
        crowd.step(0.05);
    }
    let (report, counts) = (crowd.report(), crowd.environment().counts());
    assert!(counts.refined > 10 && counts.coarsened > 10, "{counts:?}");
    assert_eq!((report.arrived, report.worst_overlap), (150, 0.0), "{report:?}");
}

#[test]
fn any_number_of_threads_moves_agents_on_a_surface_alike() {
    let mesh = knot();
    let ground = ground(&mesh, &faces_near(&mesh, mesh.vertices()[40], 1.2));
    let hash_with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let target = vec![mesh.vertices()[1500], mesh.vertices()[300]];
            let group = SurfaceGroup {
                goals: SurfaceGoals::Rounds(target),
                ..SurfaceGroup::through("round", SurfaceStart::Anywhere(200), 0.2, SPEEDS, vec![])
            };
            let mut crowd = make(&ground, vec![group]);
            (0..150).for_each(|_| crowd.step(0.05));
            assert_eq!(crowd.report().worst_overlap, 0.0);
            crowd.state_hash()
        })
    };
    let one = hash_with(1);
    assert_eq!([hash_with(2), hash_with(4)], [one, one]);
}

#[test]
fn faults_of_ground_have_their_places() {
    let (corners, mut faces) = square(2.0, 1).into_parts();
    faces.push([0, 3, 1]);
    let mesh = TriMesh::new(corners.clone(), faces).expect("a mesh");
    let faults = SurfaceGround::new(&mesh, &[7]).expect_err("faults");
    assert_eq!(faults[0], SurfaceGroundFault::NoFace { face: 7, faces: 3 });
    assert_eq!(faults[1], SurfaceGroundFault::BadEdge { place: Vec3::new(1.0, 1.0, 0.0), faces: 3 });
    let turned = TriMesh::new(corners.clone(), vec![[0, 1, 3], [0, 3, 2].map(|k| [0, 2, 3, 1][k])]).expect("a mesh");
    assert!(SurfaceGround::new(&turned, &[]).is_err());
    let thin = TriMesh::new(vec![Vec3::ZERO, Vec3::X, 3.0 * Vec3::X, Vec3::Y], vec![[0, 1, 2], [0, 1, 3]]);
    let faults = SurfaceGround::new(&thin.expect("a mesh"), &[]).expect_err("faults");
    let place = Vec3::new(4.0 / 3.0, 0.0, 0.0);
    assert_eq!(faults[0], SurfaceGroundFault::ThinFace { face: 0, place, height: 0.0 });
    let sound = square(2.0, 1);
    assert_eq!(
        SurfaceGround::new(&sound, &[0, 1]).expect_err("none free"),
        [SurfaceGroundFault::NothingFree { faces: 2 }]
    );
}

#[test]
fn faults_of_groups_have_their_places() {
    let mesh = square(10.0, 10);
    // A building from side to side parts the square.
    let is_in = |face: &u32| {
        let middle = mesh.corners(*face).iter().fold(Vec3::ZERO, |sum, corner| sum + *corner) / 3.0;
        (4.0..6.0).contains(&middle.x)
    };
    let buildings: Vec<u32> = (0..mesh.triangles().len() as u32).filter(is_in).collect();
    let ground = ground(&mesh, &buildings);
    let (here, there) = (Vec3::new(2.0, 5.0, 0.0), Vec3::new(8.0, 5.0, 0.0));
    let group = |places: Vec<Vec3>, target: Vec3| {
        SurfaceGroup::through("a", SurfaceStart::Places(places), 0.2, SpeedLaw::constant(1.0), vec![target])
    };
    let first = |group: SurfaceGroup| {
        SurfaceCrowd::new(&ground, SurfaceSettings::default(), vec![group]).expect_err("faults")[0].clone()
    };
    let high = here + 3.0 * Vec3::Z;
    assert!(matches!(first(group(vec![high], here)), SurfaceFault::OffSurface { place, distance, .. }
        if place == high && distance == 3.0));
    let inside = Vec3::new(5.0, 5.0, 0.0);
    assert!(matches!(first(group(vec![inside], here)), SurfaceFault::InBuilding { place, .. } if place == inside));
    assert!(matches!(first(group(vec![here], inside)), SurfaceFault::InBuilding { what: "target", .. }));
    let near = Vec3::new(3.9, 5.0, 0.0);
    assert!(matches!(first(group(vec![near], here)), SurfaceFault::AtWall { place, .. } if place == near));
    assert!(matches!(first(group(vec![here], there)), SurfaceFault::NoWay { target, .. } if target == there));
    let close = here + 0.3 * Vec3::X;
    let fault = first(group(vec![here, close], Vec3::ONE - Vec3::Z));
    assert!(
        matches!(fault, SurfaceFault::OverEachOther { number: 1, other: 0, depth, .. } if (depth - 0.1).abs() < 1e-12)
    );
    let crowded =
        SurfaceGroup { start: SurfaceStart::Anywhere(5000), goals: SurfaceGoals::None, ..group(vec![], here) };
    assert!(matches!(first(crowded), SurfaceFault::NoRoom { count: 5000, found, .. } if found > 50));
    let bad = SurfaceGroup { radius: f64::NAN, ..group(vec![here], here) };
    assert!(matches!(first(bad), SurfaceFault::BadNumber { what: "radius", .. }));
    let bad = SurfaceGroup { within: 0.0, ..group(vec![here], here) };
    assert!(matches!(first(bad), SurfaceFault::BadNumber { what: "distance to goals", .. }));
}

#[test]
fn between_two_ways_of_one_length_nobody_goes_to_and_fro_for_good() {
    let mesh = generate::icosphere(20.0, 4).expect("a sphere");
    let mut buildings = Vec::new();
    for (place, radius) in [
        (Vec3::new(20.0, 0.0, 0.0), 4.0),
        (Vec3::new(-20.0, 0.0, 0.0), 4.0),
        (Vec3::new(0.0, 20.0, 0.0), 3.0),
        (Vec3::new(0.0, -20.0, 0.0), 3.0),
        (Vec3::splat(11.5), 3.0),
        (Vec3::splat(-11.5), 3.0),
    ] {
        buildings.extend(faces_near(&mesh, place, radius));
    }
    let ground = ground(&mesh, &buildings);
    let law = SpeedLaw { mean: 1.34, deviation: 0.26, least: 0.9, most: 1.8 };
    let group = |name: &str, count: usize, targets: Vec<Vec3>| {
        SurfaceGroup::through(name, SurfaceStart::Anywhere(count), 0.2, law, targets)
    };
    // The last two targets are antipodes: all ways between them have nearly one length.
    let there = vec![Vec3::new(14.1, -14.1, 0.0), Vec3::new(-14.1, 14.1, 0.0)];
    let poles = [vec![20.0 * Vec3::Z], vec![-20.0 * Vec3::Z]];
    let [north, south] = poles;
    let groups = vec![group("north", 120, north), group("south", 120, south), group("round", 60, there)];
    let mut crowd = make(&ground, groups);
    while !crowd.is_empty() && crowd.time() < 150.0 {
        crowd.step(0.05);
    }
    let report = crowd.report();
    assert_eq!((report.arrived, report.worst_overlap, report.worst_wall_overlap), (300, 0.0, 0.0), "{report:?}");
}
