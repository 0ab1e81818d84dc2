//! Tests of agents with outlines on curved ground; overlaps are sought again by brute force.

use heurt_crowd::space::SpaceModel;
use heurt_crowd::steer::Bubbles;
use heurt_crowd::surface::{
    SurfaceCage, SurfaceCrowd, SurfaceFault, SurfaceGoals, SurfaceGround, SurfaceGroup, SurfaceSettings, SurfaceStart,
    faces_near,
};
use heurt_crowd::{AgentForm, Outline, SpeedLaw};
use heurt_geometry::{Vec2, Vec3};
use heurt_mesh::{TriMesh, generate};
use std::f64::consts::TAU;

const SPEEDS: SpeedLaw = SpeedLaw { mean: 1.3, deviation: 0.2, least: 0.8, most: 1.8 };

fn ground(mesh: &TriMesh, buildings: &[u32]) -> SurfaceGround {
    SurfaceGround::new(mesh, buildings).expect("ground without faults")
}

fn outline(corners: &[[f64; 2]]) -> Outline {
    Outline::new(corners.iter().map(|&corner| Vec2::from_array(corner)).collect()).expect("an outline")
}

fn box_of(from: f64, to: f64, half: f64) -> Outline {
    outline(&[[from, -half], [to, -half], [to, half], [from, half]])
}

fn slug(long: f64, wide: f64) -> Outline {
    let corner = |k: u32| {
        let angle = TAU * f64::from(k) / 12.0;
        [0.5 * long * angle.cos(), 0.5 * wide * angle.sin()]
    };
    outline(&(0..12).map(corner).collect::<Vec<_>>())
}

fn bodies(name: &str, form: AgentForm, start: SurfaceStart, targets: Vec<Vec3>) -> SurfaceGroup {
    let radius = form.clearance().expect("an outline");
    SurfaceGroup { form, ..SurfaceGroup::through(name, start, radius, SPEEDS, targets) }
}

/// An agent for the search by brute force: a disc without corners.
struct Shown {
    id: u32,
    place: Vec3,
    normal: Vec3,
    radius: f64,
    corners: Vec<Vec3>,
}

fn shown(crowd: &SurfaceCrowd<'_>) -> Vec<Shown> {
    let mut all = Vec::new();
    for agent in crowd.agents() {
        let (id, place, normal, radius) = (agent.id, agent.position, agent.normal, agent.radius);
        let sections: Vec<&[Vec3]> = crowd.sections_of(id).collect();
        if sections.is_empty() {
            all.push(Shown { id, place, normal, radius, corners: Vec::new() });
        }
        for corners in sections {
            let corners = corners.to_vec();
            let place = corners.iter().sum::<Vec3>() / corners.len() as f64;
            let next = corners.iter().cycle().skip(1);
            let normal =
                corners.iter().zip(next).map(|(a, b)| (*a - place).cross(*b - place)).sum::<Vec3>().normalize();
            all.push(Shown { id, place, normal, radius: 0.0, corners });
        }
    }
    all
}

/// How often a polygon winds round a point, in plan along a normal: by angles.
fn winds(corners: &[Vec3], point: Vec3, normal: Vec3) -> bool {
    let flat = |place: Vec3| place - point - normal * normal.dot(place - point);
    let angle = |k: usize| {
        let [a, b] = [flat(corners[k]), flat(corners[(k + 1) % corners.len()])];
        normal.dot(a.cross(b)).atan2(a.dot(b))
    };
    (0..corners.len()).map(angle).sum::<f64>().abs() > 0.5 * TAU
}

/// Reports whether two chords cross, seen along a normal.
fn cross([a, b]: [Vec3; 2], [c, d]: [Vec3; 2], normal: Vec3) -> bool {
    let side = |p: Vec3, q: Vec3, r: Vec3| normal.dot((q - p).cross(r - p));
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

fn distance([a, b]: [Vec3; 2], point: Vec3) -> f64 {
    let share = ((point - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
    point.distance(a.lerp(b, share))
}

fn edges(corners: &[Vec3]) -> Vec<[Vec3; 2]> {
    (0..corners.len()).map(|k| [corners[k], corners[(k + 1) % corners.len()]]).collect()
}

/// Finds two agents that overlap, over all pairs, and bodies over walls.
fn overlap(crowd: &SurfaceCrowd<'_>) -> Option<[u32; 2]> {
    let all = shown(crowd);
    for (place, a) in all.iter().enumerate() {
        for b in &all[..place] {
            let far =
                |shown: &Shown| shown.corners.iter().map(|c| c.distance(shown.place)).fold(shown.radius, f64::max);
            let is_near = a.place.distance(b.place) < far(a) + far(b);
            if a.id == b.id || !is_near || a.normal.dot(b.normal) < 0.0 {
                continue;
            }
            let normal = (a.normal + b.normal).normalize();
            let is_bad = match (a.corners.is_empty(), b.corners.is_empty()) {
                (true, true) => a.place.distance(b.place) < a.radius + b.radius,
                (false, false) => {
                    edges(&a.corners).iter().any(|x| edges(&b.corners).iter().any(|y| cross(*x, *y, normal)))
                        || winds(&a.corners, b.corners[0], normal)
                        || winds(&b.corners, a.corners[0], normal)
                }
                (is_disc, _) => {
                    let (disc, body) = if is_disc { (a, b) } else { (b, a) };
                    let near = |edge: &[Vec3; 2]| distance(*edge, disc.place) < disc.radius - 1e-9;
                    edges(&body.corners).iter().any(near) || winds(&body.corners, disc.place, normal)
                }
            };
            if is_bad {
                return Some([a.id, b.id]);
            }
        }
        for wall in crowd.ground().walls() {
            let is_near = wall.iter().any(|end| end.distance(a.place) < 3.0);
            let is_bad = match a.corners.is_empty() {
                true => distance(*wall, a.place) < a.radius - 1e-9,
                false => edges(&a.corners).iter().any(|edge| cross(*edge, *wall, a.normal)),
            };
            if is_near && is_bad {
                return Some([a.id, a.id]);
            }
        }
    }
    None
}

fn run(crowd: &mut SurfaceCrowd<'_>, seconds: f64) {
    assert_eq!(overlap(crowd), None, "at first");
    let mut number = 0;
    while !crowd.is_empty() && crowd.time() < seconds {
        crowd.step(0.05);
        number += 1;
        if number % 5 == 0 {
            assert_eq!(overlap(crowd), None, "{} s", crowd.time());
        }
    }
    let report = crowd.report();
    println!("{:.2} s {report:?}", crowd.time());
    assert_eq!((report.overlapping_pairs, report.worst_overlap), (0, 0.0), "{report:?}");
    assert_eq!(report.worst_wall_overlap, 0.0, "{report:?}");
}

#[test]
fn slugs_cars_and_people_cross_a_planet_without_overlaps() {
    let mesh = generate::icosphere(10.0, 4).expect("a sphere");
    let buildings = faces_near(&mesh, Vec3::new(10.0, 0.0, 0.0), 2.5);
    let ground = ground(&mesh, &buildings);
    let pole = |sign: f64| vec![Vec3::new(0.0, 0.0, 10.0 * sign)];
    let any = SurfaceStart::Anywhere;
    let groups = vec![
        bodies("slugs", AgentForm::Deforming(slug(1.8, 0.9)), any(6), pole(1.0)),
        bodies("carts", AgentForm::Rigid(box_of(-0.6, 0.8, 0.35)), any(6), pole(-1.0)),
        SurfaceGroup::through("people", any(40), 0.2, SPEEDS, pole(1.0)),
    ];
    let mut crowd = SurfaceCrowd::new(&ground, SurfaceSettings::default(), groups).expect("sound");
    run(&mut crowd, 100.0);
    assert_eq!(crowd.report().arrived, 52, "{:?}", crowd.report());
}

/// A square of `count` by `count` squares of two triangles each, in the plane z = 0.
fn square(side: f64, count: u32) -> TriMesh {
    let at = |k: u32| side * f64::from(k) / f64::from(count);
    let corners = (0..(count + 1) * (count + 1)).map(|k| Vec3::new(at(k % (count + 1)), at(k / (count + 1)), 0.0));
    let faces = (0..count * count).flat_map(|k| {
        let a = k / count * (count + 1) + k % count;
        let [b, c, d] = [a + 1, a + count + 2, a + count + 1];
        [[a, b, c], [a, c, d]]
    });
    TriMesh::new(corners.collect(), faces.collect()).expect("a mesh")
}

fn make<'g>(ground: &'g SurfaceGround, groups: Vec<SurfaceGroup>) -> SurfaceCrowd<'g> {
    SurfaceCrowd::new(ground, SurfaceSettings::default(), groups).expect("a crowd without faults")
}

#[test]
fn on_a_plane_a_body_keeps_its_shape_and_drives_to_its_goal() {
    let mesh = square(20.0, 15);
    let ground = ground(&mesh, &[]);
    let start = SurfaceStart::Places(vec![Vec3::new(3.0, 3.0, 0.0)]);
    let rest = [[-0.4, -0.3], [0.5, -0.2], [0.5, 0.2], [-0.4, 0.3]];
    let group = bodies("pram", AgentForm::Rigid(outline(&rest)), start, vec![Vec3::new(16.0, 9.0, 0.0)]);
    let mut crowd = make(&ground, vec![group]);
    while !crowd.is_empty() && crowd.time() < 30.0 {
        crowd.step(0.05);
        for corners in crowd.sections_of(0) {
            // Edges of 0.5 m at most: three of them are divided into two each.
            let whole = [0, 2, 3, 5].map(|corner| corners[corner]);
            assert_eq!(corners.len(), 7);
            for k in 0..4 {
                let length = Vec2::from_array(rest[k]).distance(Vec2::from_array(rest[(k + 1) % 4]));
                assert!((whole[k].distance(whole[(k + 1) % 4]) - length).abs() < 1e-12, "{whole:?}");
            }
            assert!(corners.iter().all(|corner| corner.z.abs() < 1e-12), "{corners:?}");
        }
    }
    assert_eq!(crowd.report().arrived, 1, "{:?}", crowd.report());
}

#[test]
fn a_slug_squeezes_through_a_gap_that_a_rigid_body_of_its_shape_does_not_pass() {
    // A wall from side to side with a gap of 1.1 m.
    let mesh = square(11.0, 50);
    let middle = |face: u32| mesh.corners(face).iter().sum::<Vec3>() / 3.0;
    let is_wall = |face: &u32| {
        let place = middle(*face);
        (5.28..5.72).contains(&place.x) && !(4.95..6.05).contains(&place.y)
    };
    let buildings: Vec<u32> = (0..mesh.triangles().len() as u32).filter(is_wall).collect();
    let ground = ground(&mesh, &buildings);
    let cross = |form: AgentForm, seconds: f64| {
        let start = SurfaceStart::Places(vec![Vec3::new(2.5, 5.5, 0.0)]);
        let group = SurfaceGroup { radius: 0.4, ..bodies("one", form, start, vec![Vec3::new(9.0, 5.5, 0.0)]) };
        let mut crowd = make(&ground, vec![group]);
        run(&mut crowd, seconds);
        crowd.report().arrived
    };
    assert_eq!(cross(AgentForm::Deforming(slug(2.4, 1.2)), 60.0), 1);
    assert_eq!(cross(AgentForm::Rigid(slug(2.4, 1.2)), 20.0), 0);
}

#[test]
fn snakes_follow_their_heads_through_people_on_a_torus_knot() {
    let mesh = generate::torus_knot([2, 3], 12.0, 5.0, 2.0, 200, 16).expect("a knot");
    let ground = ground(&mesh, &faces_near(&mesh, mesh.vertices()[40], 1.2));
    let sections: Vec<Outline> =
        (0..4).map(|k| box_of(-0.4 - 0.8 * f64::from(k), 0.4 - 0.8 * f64::from(k), 0.2)).collect();
    let targets = vec![mesh.vertices()[1500], mesh.vertices()[300]];
    let groups = vec![
        bodies("snakes", AgentForm::Articulated(sections), SurfaceStart::Anywhere(4), targets.clone()),
        SurfaceGroup::through("people", SurfaceStart::Anywhere(40), 0.2, SPEEDS, targets),
    ];
    let mut crowd = make(&ground, groups);
    let hinges = |crowd: &SurfaceCrowd<'_>| {
        let snakes = crowd.agents().filter(|agent| agent.group == 0).map(|agent| agent.id);
        for snake in snakes {
            let sections: Vec<&[Vec3]> = crowd.sections_of(snake).collect();
            assert_eq!(sections.len(), 4);
            for pair in sections.windows(2) {
                let middle = |a: Vec3, b: Vec3| 0.5 * (a + b);
                // Edges of 0.8 m are divided in two: corners 0 and 5 are at the rear, 2 and 3 in front.
                let [rear, front] = [middle(pair[0][0], pair[0][5]), middle(pair[1][2], pair[1][3])];
                // Both are below the hinge by the sagitta of a chord of 0.4 m over a ridge of the tube: 22.5°.
                let sagitta = 0.2 * (TAU / 32.0).sin();
                assert!(rear.distance(front) < sagitta, "{rear} {front}");
            }
        }
    };
    for _ in 0..6 {
        let seconds = crowd.time() + 5.0;
        run(&mut crowd, seconds);
        hinges(&crowd);
    }
}

#[test]
fn bodies_never_overlap_however_hostile_the_crowd() {
    let mesh = generate::torus(6.0, 2.5, 40, 20).expect("a torus");
    let ground = ground(&mesh, &faces_near(&mesh, Vec3::new(8.5, 0.0, 0.0), 1.5));
    let stiff = Bubbles { stiffness: 1e9, relaxation: 1e-6, ..Bubbles::default() };
    for (model, step) in [(stiff, 0.05), (stiff, 1.0), (Bubbles::default(), 1e6)] {
        let law = SpeedLaw { mean: 5.0, deviation: 5.0, least: 0.0, most: 10.0 };
        let target = vec![Vec3::new(-8.5, 0.0, 0.0), Vec3::new(0.0, 6.0, 2.5)];
        let hostile = |group: SurfaceGroup| SurfaceGroup {
            goals: SurfaceGoals::Rounds(target.clone()),
            model: SpaceModel::Bubbles(model),
            speed: law,
            ..group
        };
        let any = SurfaceStart::Anywhere;
        let groups = vec![
            hostile(bodies("slugs", AgentForm::Deforming(slug(1.6, 0.8)), any(8), vec![])),
            hostile(bodies(
                "carts",
                AgentForm::Rigid(outline(&[[-0.6, -0.4], [0.6, -0.4], [0.0, 0.0], [0.6, 0.4], [-0.6, 0.4]])),
                any(8),
                vec![],
            )),
            hostile(bodies(
                "trains",
                AgentForm::Articulated(vec![box_of(-0.5, 0.5, 0.3), box_of(-1.6, -0.6, 0.3)]),
                any(4),
                vec![],
            )),
            hostile(SurfaceGroup::through("people", any(60), 0.2, law, vec![])),
        ];
        let mut crowd = make(&ground, groups);
        for _ in 0..25 {
            crowd.step(step);
            assert_eq!(overlap(&crowd), None, "{step} s, {} s", crowd.time());
        }
        let report = crowd.report();
        assert_eq!((report.worst_overlap, report.worst_wall_overlap), (0.0, 0.0), "{report:?}");
        let faults = crowd.environment().clone().validate();
        assert!(faults.is_empty(), "{faults:?}");
    }
}

#[test]
fn any_number_of_threads_moves_bodies_on_a_surface_alike() {
    let mesh = generate::icosphere(6.0, 3).expect("a sphere");
    let ground = ground(&mesh, &faces_near(&mesh, Vec3::new(6.0, 0.0, 0.0), 1.0));
    let hash_with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let target = vec![Vec3::new(0.0, 0.0, 6.0), Vec3::new(0.0, 0.0, -6.0)];
            let round = |group: SurfaceGroup| SurfaceGroup { goals: SurfaceGoals::Rounds(target.clone()), ..group };
            let groups = vec![
                round(bodies("slugs", AgentForm::Deforming(slug(1.6, 0.8)), SurfaceStart::Anywhere(12), vec![])),
                round(SurfaceGroup::through("people", SurfaceStart::Anywhere(60), 0.2, SPEEDS, vec![])),
            ];
            let mut crowd = make(&ground, groups);
            (0..60).for_each(|_| crowd.step(0.05));
            assert_eq!(crowd.report().worst_overlap, 0.0);
            crowd.state_hash()
        })
    };
    let one = hash_with(1);
    assert_eq!([hash_with(2), hash_with(4)], [one, one]);
}

#[test]
fn a_cage_is_cut_by_the_ground_and_has_a_footprint_where_it_is_not() {
    let mesh = generate::icosphere(4.0, 4).expect("a planet");
    let ground = ground(&mesh, &[]);
    let place = ground.corners_of(7).iter().sum::<Vec3>() / 3.0;
    // A roof of 2 m by 1 m at 0.3 m: the ground falls by 0.13 m at its ends, and the walls reach 0.4 m below.
    let hull = generate::cuboid([1.0, 0.5, 0.35]).expect("a box");
    let raised = |by: f64| hull.vertices().iter().map(|&corner| corner + by * Vec3::Z).collect::<Vec<_>>();
    let cut = ground.cut_of_cage(&SurfaceCage::new(raised(-0.05), hull.triangles().to_vec()), (7, place), Vec3::X);
    let cut = cut.expect("the walls reach the ground");
    // Along the ground, atan of half of the extent, on a ball of 4 m; across, the same.
    let along = |half: f64, radius: f64| radius * (half / radius).asin();
    let [low, high] = cut.bounds();
    assert!((high.x - along(1.0, 3.98)).abs() < 0.02 && (low.x + along(1.0, 3.98)).abs() < 0.02, "{low} {high}");
    assert!((cut.width() - 2.0 * along(0.5, 3.98)).abs() < 0.05, "{low} {high}");
    // Laid on the ground, its corners are those of the cut: as far as the walls from the middle.
    let group = |by: f64| {
        let corners = raised(by);
        let form = AgentForm::Rigid(Outline::footprint(&corners, hull.triangles()).expect("a footprint"));
        let start = SurfaceStart::Places(vec![place]);
        let group = bodies("hull", form, start, vec![Vec3::new(0.0, 0.0, -4.0)]);
        SurfaceGroup { cage: Some(SurfaceCage::new(corners, hull.triangles().to_vec())), ..group }
    };
    let crowd = make(&ground, vec![group(-0.05)]);
    assert!(crowd.has_cut(0));
    let farthest = crowd.sections_of(0).flatten().map(|corner| corner.distance(place)).fold(0.0, f64::max);
    assert!((1.1..1.15).contains(&farthest), "{farthest}");
    // All of it above the ground, and all of it below.
    for by in [0.8, -2.0] {
        let crowd = make(&ground, vec![group(by)]);
        assert!(!crowd.has_cut(0) && crowd.sections_of(0).len() == 1, "{by}");
    }
}

#[test]
fn faults_of_bodies_have_their_places() {
    let mesh = generate::torus(6.0, 1.0, 60, 20).expect("a torus");
    let ground = ground(&mesh, &faces_near(&mesh, Vec3::new(-7.0, 0.0, 0.0), 1.0));
    let first = |group: SurfaceGroup| {
        SurfaceCrowd::new(&ground, SurfaceSettings::default(), vec![group]).expect_err("faults")[0].clone()
    };
    let here = Vec3::new(7.0, 0.0, 0.0);
    let at = |form: AgentForm, places: Vec<Vec3>| SurfaceGroup {
        goals: SurfaceGoals::None,
        ..bodies("a", form, SurfaceStart::Places(places), vec![])
    };
    let car = || AgentForm::Rigid(box_of(-1.5, 1.5, 0.9));
    let fault = first(at(car(), vec![here]));
    assert!(
        matches!(fault, SurfaceFault::TooCurved { place, degrees, .. } if place.distance(here) < 0.1 && degrees > 45.0),
        "{fault}"
    );
    // Nowhere on the ring is it flat enough.
    let fault = first(SurfaceGroup { start: SurfaceStart::Anywhere(3), ..at(car(), vec![]) });
    assert!(matches!(fault, SurfaceFault::TooCurved { .. }), "{fault}");
    let pram = || AgentForm::Rigid(box_of(-0.4, 0.4, 0.3));
    let fault = first(at(pram(), vec![here, here + 0.3 * Vec3::Y]));
    assert!(matches!(fault, SurfaceFault::OverEachOther { number: 1, other: 0, depth, .. } if depth > 0.1), "{fault}");
    let wall = ground.walls()[0];
    let fault = first(at(pram(), vec![0.5 * (wall[0] + wall[1])]));
    assert!(matches!(fault, SurfaceFault::OverWall { .. } | SurfaceFault::InBuilding { .. }), "{fault}");
}

#[test]
fn paths_avoid_gaps_that_are_too_narrow_for_an_agent() {
    // A wall from side to side with a gap of 0.5 m on the straight path, and one of 1.5 m aside.
    let mesh = square(10.0, 40);
    let is_wall = |widest: f64, face: &u32| {
        let place = mesh.corners(*face).iter().sum::<Vec3>() / 3.0;
        let is_gap = (4.75..5.25).contains(&place.y) || (8.0..widest).contains(&place.y);
        (4.75..5.25).contains(&place.x) && !is_gap
    };
    let with_gap = |widest: f64| {
        let faces = 0..mesh.triangles().len() as u32;
        ground(&mesh, &faces.filter(|face| is_wall(widest, face)).collect::<Vec<u32>>())
    };
    let start = SurfaceStart::Places(vec![Vec3::new(2.0, 5.0, 0.0)]);
    let group = SurfaceGroup::through("one", start, 0.4, SPEEDS, vec![Vec3::new(8.0, 5.0, 0.0)]);
    let arrives = |ground: &SurfaceGround| {
        let mut crowd = make(ground, vec![group.clone()]);
        run(&mut crowd, 20.0);
        crowd.report().arrived == 1
    };
    assert!(!arrives(&with_gap(9.5)), "it sticks");
    let wide = with_gap(9.5).with_clearances([0.4]).expect("paths");
    assert!(arrives(&wide));
    // No gap is wide enough.
    let narrow = with_gap(8.0).with_clearances([0.4]).expect("paths");
    let faults = SurfaceCrowd::new(&narrow, SurfaceSettings::default(), vec![group.clone()]).expect_err("too large");
    assert!(matches!(faults[0], SurfaceFault::NoWay { place, .. } if place == Vec3::new(2.0, 5.0, 0.0)), "{faults:?}");
}

#[test]
fn a_crowd_at_rest_parts_before_a_tram_that_is_seen_ahead() {
    let mesh = square(20.0, 15);
    let ground = ground(&mesh, &[]);
    let start = SurfaceStart::Places(vec![Vec3::new(3.0, 10.0, 0.0)]);
    let tram = SurfaceGroup {
        speed: SpeedLaw::constant(2.0),
        ..bodies("tram", AgentForm::Rigid(box_of(-2.0, 2.0, 0.9)), start, vec![Vec3::new(17.0, 10.0, 0.0)])
    };
    let places = (0..120).map(|k| Vec3::new(6.0 + 0.8 * f64::from(k / 12), 6.0 + 0.7 * f64::from(k % 12), 0.0));
    let people = SurfaceGroup {
        goals: SurfaceGoals::None,
        ..SurfaceGroup::through("people", SurfaceStart::Places(places.collect()), 0.2, SPEEDS, Vec::new())
    };
    let mut arrive = |anticipation: f64| {
        let mut settings = SurfaceSettings::default();
        settings.anticipation = anticipation;
        let groups = vec![tram.clone(), people.clone()];
        let mut crowd = SurfaceCrowd::new(&ground, settings, groups).expect("a crowd without faults");
        crowd.step(0.05);
        let path = crowd.path_ahead_of(0).to_vec();
        let length: f64 = path.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
        assert!((length - 2.0 * anticipation).abs() < 1e-9, "{path:?}");
        while crowd.report().arrived == 0 && crowd.time() < 60.0 {
            crowd.step(0.05);
        }
        let report = crowd.report();
        assert_eq!((report.overlapping_pairs, report.worst_overlap), (0, 0.0), "{report:?}");
        crowd.time()
    };
    let [with, without] = [2.0, 0.0].map(&mut arrive);
    println!("{with:.2} s with two seconds ahead, {without:.2} s without");
    assert!(with < 0.7 * without, "{with} {without}");
    assert!(crowd_of_discs_has_no_path(&ground));
}

fn crowd_of_discs_has_no_path(ground: &SurfaceGround) -> bool {
    let goal = vec![Vec3::new(17.0, 10.0, 0.0)];
    let mut crowd = make(ground, vec![SurfaceGroup::through("people", SurfaceStart::Anywhere(3), 0.2, SPEEDS, goal)]);
    crowd.step(0.05);
    (0..4).all(|id| crowd.path_ahead_of(id).is_empty())
}
