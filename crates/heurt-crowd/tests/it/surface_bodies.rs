//! Tests of agents with outlines on curved ground; overlaps are sought again by brute force.

use heurt_crowd::surface::{
    SurfaceCrowd, SurfaceFault, SurfaceGoals, SurfaceGround, SurfaceGroup, SurfaceSettings, SurfaceStart, faces_near,
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
            let normal = corners.iter().zip(next).map(|(a, b)| (*a - place).cross(*b - place)).sum::<Vec3>().normalize();
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
            let far = |shown: &Shown| shown.corners.iter().map(|c| c.distance(shown.place)).fold(shown.radius, f64::max);
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
