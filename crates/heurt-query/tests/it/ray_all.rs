//! All hits of a ray and the intervals inside, for every kind of shape: against which points of the ray the shape
//! contains.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
use heurt_query::{Ray, RayCrossing, RayHits, contains, ray, ray_all};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, Solidity, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::sync::Arc;

const SAMPLES: u32 = 60;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vec3::new(x, y, z)).unwrap()
}

fn mesh(mesh: TriMesh) -> Arc<MeshShape> {
    Arc::new(MeshShape::new(mesh).unwrap())
}

/// Shapes of about two metres, with how many rays are shot at them.
fn shapes() -> Vec<(&'static str, Shape, usize)> {
    let ring = || generate::torus(0.7, 0.3, 16, 10).unwrap();
    let ball = Convex::sphere(0.6).unwrap();
    let hull = Convex::hull(generate::icosahedron(0.9).unwrap().vertices()).unwrap();
    let parts = [
        (Shape::from(ball.clone()), at(-0.3, 0.0, 0.0)),
        (ball.clone().into(), at(0.4, 0.0, 0.0)),
        (Shape::Mesh(mesh(ring())), at(0.0, 0.0, 0.2)),
    ];
    let toroid = Superquadric::Toroid(Supertoroid::new(0.7, 0.3, 1.0, 0.6).unwrap());
    let star = Superquadric::Ellipsoid(Superellipsoid::new([1.0, 0.9, 0.8], 2.5, 2.5).unwrap());
    let rounded = |of: Superquadric| Shape::from(SuperquadricShape::from(of).with_margin(0.1).unwrap());
    vec![
        ("sphere", ball.into(), 60),
        ("box", Convex::cuboid(Vec3::new(0.9, 0.5, 0.3)).unwrap().into(), 60),
        ("hull", hull.clone().into(), 60),
        ("rounded hull", hull.with_margin(0.2).unwrap().into(), 60),
        ("capsule", Convex::capsule(0.3, 0.5).unwrap().into(), 60),
        ("cylinder", Convex::cylinder(0.5, 0.6).unwrap().into(), 60),
        ("cone", Convex::cone(0.6, 0.7).unwrap().into(), 60),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(0.9, 0.5, 0.3)).unwrap().into(), 60),
        ("half-space", Convex::half_space(Vec3::new(0.3, -0.5, 1.0), 0.1).unwrap().into(), 60),
        ("rounded half-space", Convex::half_space(Vec3::Z, 0.1).unwrap().with_margin(0.3).unwrap().into(), 60),
        ("ring", Shape::Mesh(mesh(ring())), 60),
        ("surface", MeshShape::new(ring()).unwrap().with_solid(false).unwrap().into(), 30),
        ("rounded ring", Shape::Rounded(Arc::new(RoundedMesh::new(mesh(ring()), 0.1).unwrap())), 30),
        ("compound", Compound::new(parts).unwrap().into(), 60),
        ("toroid", toroid.into(), 40),
        ("star", star.into(), 40),
        ("rounded toroid", rounded(toroid), 6),
    ]
}

fn crossings(found: &RayHits, crossing: RayCrossing) -> Vec<f64> {
    found.hits.iter().filter(|passage| passage.crossing == crossing).map(|passage| passage.hit.t).collect()
}

/// What holds of every answer; samples of the ray are in the shape where an interval says so.
fn agrees(shape: &Shape, pose: &Pose, along: &Ray, found: &RayHits, is_solid: bool, what: &str) {
    let RayHits { hits, intervals } = found;
    assert!(hits.windows(2).all(|pair| pair[0].hit.t <= pair[1].hit.t), "{what}: {found:?}");
    assert!(intervals.iter().all(|span| span[0] < span[1]), "{what}: {found:?}");
    assert!(intervals.windows(2).all(|pair| pair[0][1] < pair[1][0]), "{what}: {found:?}");
    for passage in hits {
        let hit = &passage.hit;
        assert!(hit.t >= 0.0 && hit.t <= along.max_t, "{what}: {passage:?}");
        assert!((hit.point - (along.origin + along.direction * hit.t)).length() < 1e-9, "{what}: {passage:?}");
        let slope = hit.normal.dot(along.direction);
        match passage.crossing {
            RayCrossing::Enter => assert!(slope <= 1e-6, "{what}: {passage:?}"),
            RayCrossing::Exit => assert!(slope >= -1e-6, "{what}: {passage:?}"),
            RayCrossing::Touch => {}
        }
    }
    // Each interval begins with an entry and ends with an exit, except those that the ends of the ray cut off.
    let starts: Vec<f64> = intervals.iter().map(|span| span[0]).filter(|start| *start > 0.0).collect();
    let ends: Vec<f64> = intervals.iter().map(|span| span[1]).filter(|end| *end < along.max_t).collect();
    for (expected, crossing) in [(starts, RayCrossing::Enter), (ends, RayCrossing::Exit)] {
        let found_at = crossings(found, crossing);
        let found_at: Vec<f64> = found_at.into_iter().filter(|at| *at > 0.0 || crossing == RayCrossing::Exit).collect();
        assert_eq!(found_at.len(), expected.len(), "{what}: {crossing:?} of {found:?}");
        assert!(found_at.iter().zip(&expected).all(|(x, y)| (x - y).abs() < 1e-9), "{what}: {crossing:?} of {found:?}");
    }
    if !is_solid {
        assert!(intervals.is_empty(), "{what}: {found:?}");
        return;
    }
    let end = along.max_t.min(4.0);
    for k in 0..SAMPLES {
        let t = end * (f64::from(k) + 0.37) / f64::from(SAMPLES);
        if intervals.iter().flatten().any(|end| (end - t).abs() < 1e-6) {
            continue;
        }
        let inside = contains(shape, pose, along.origin + along.direction * t);
        let found_at = intervals.iter().any(|span| span[0] <= t && t <= span[1]);
        assert_eq!(inside, found_at, "{what}: at {t} of {found:?}");
    }
}

#[test]
fn intervals_are_where_the_shape_contains_the_ray() {
    let mut random = Random::new(61);
    for (name, shape, rays) in shapes() {
        let mut spans = 0;
        for round in 0..rays {
            let pose = if round % 3 == 0 { Pose::IDENTITY } else { random.pose(0.5) };
            let origin = random.vector(1.5);
            let direction = pose.place(random.vector(0.5)) - origin;
            let max_t = [f64::INFINITY, 1.0, 0.6][round % 3];
            let along = Ray::new(origin, direction, max_t).unwrap();
            let found = ray_all(&shape, &pose, &along);
            let what = format!("{name}, round {round}");
            agrees(&shape, &pose, &along, &found, name != "surface", &what);
            let first = ray(&shape, &pose, &along);
            let starts_inside = found.intervals.first().is_some_and(|span| span[0] == 0.0);
            match (first, found.hits.first()) {
                (Some(first), _) if starts_inside => assert_eq!(first.t, 0.0, "{what}"),
                (Some(first), Some(hit)) => {
                    assert!((first.t - hit.hit.t).abs() < 1e-9, "{what}: {first:?} {hit:?}");
                }
                (first, hit) => assert!(first.is_none() && hit.is_none(), "{what}: {first:?} {hit:?}"),
            }
            spans += found.intervals.len();
        }
        assert!(spans * 3 > rays || name == "surface", "{name}: {spans} intervals of {rays} rays");
    }
}

#[test]
fn hits_of_a_box_by_hand() {
    let cube = MeshShape::new(generate::cuboid([1.0; 3]).unwrap()).unwrap();
    let along = |origin: [f64; 3], direction: [f64; 3], max: f64| {
        let ray = Ray::new(Vec3::from_array(origin), Vec3::from_array(direction), max).unwrap();
        ray_all(&cube, &Pose::IDENTITY, &ray)
    };
    let through = along([-3.0, 0.25, 0.5], [2.0, 0.0, 0.0], f64::INFINITY);
    assert_eq!(through.intervals, [[1.0, 2.0]]);
    assert_eq!(
        (crossings(&through, RayCrossing::Enter), crossings(&through, RayCrossing::Exit)),
        (vec![1.0], vec![2.0])
    );
    // Through an edge of two triangles: one of them is the entry.
    let diagonal = along([-3.0, 0.0, 0.0], [1.0, 0.0, 0.0], f64::INFINITY);
    assert_eq!(diagonal.intervals, [[2.0, 4.0]]);
    assert_eq!(crossings(&diagonal, RayCrossing::Enter), [2.0]);
    // From the boundary inwards, outwards, and along an edge.
    assert_eq!(along([-1.0, 0.25, 0.5], [1.0, 0.0, 0.0], f64::INFINITY).intervals, [[0.0, 2.0]]);
    let away = along([1.0, 0.25, 0.5], [1.0, 0.0, 0.0], f64::INFINITY);
    assert!(away.intervals.is_empty() && away.hits.len() == 1 && away.hits[0].crossing == RayCrossing::Touch);
    assert_eq!(along([-3.0, 1.0, 1.0], [1.0, 0.0, 0.0], f64::INFINITY).intervals, [[2.0, 4.0]], "edges are inside");
    // Past a corner, and an end inside.
    let corner = along([0.0, 2.0, 1.0], [1.0, -1.0, 0.0], f64::INFINITY);
    assert!(
        corner.intervals.is_empty() && corner.hits.iter().all(|hit| hit.crossing == RayCrossing::Touch),
        "{corner:?}"
    );
    assert_eq!(along([-3.0, 0.25, 0.5], [1.0, 0.0, 0.0], 3.0).intervals, [[2.0, 3.0]]);
    assert_eq!(
        ray_all(&cube, &Pose::IDENTITY, &Ray { origin: Vec3::ZERO, direction: Vec3::ZERO, max_t: 1.0 }),
        RayHits::default()
    );
}

#[test]
fn a_solid_by_winding_number_begins_and_ends_in_the_air_of_its_holes() {
    // A box without its top.
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let corner = |triangle: &[u32; 3], k: usize| cube.vertices()[triangle[k] as usize].z;
    let sides: Vec<[u32; 3]> =
        cube.triangles().iter().filter(|t| (0..3).any(|k| corner(t, k) < 0.0)).copied().collect();
    assert_eq!(sides.len(), 10);
    let open = TriMesh::new(cube.vertices().to_vec(), sides).unwrap();
    let solid: Shape = MeshShape::new(open).unwrap().with_solidity(Solidity::Winding).unwrap().into();
    let mut random = Random::new(62);
    let mut through_the_hole = 0;
    for round in 0..60 {
        let origin = Vec3::new(random.between(-0.8, 0.8), random.between(-0.8, 0.8), 3.0);
        let direction = Vec3::new(random.between(-0.1, 0.1), random.between(-0.1, 0.1), -1.0);
        let along = Ray::new(origin, direction, f64::INFINITY).unwrap();
        let found = ray_all(&solid, &Pose::IDENTITY, &along);
        let [span] = found.intervals[..] else { panic!("round {round}: {found:?}") };
        let depth = |t: f64| (origin + direction * t).z;
        if depth(span[1]) < -0.999 {
            // Seen from the plane of the hole, that is half of all directions.
            assert!((depth(span[0]) - 1.0).abs() < 1e-9, "round {round}: {found:?}");
            through_the_hole += 1;
        }
    }
    assert!(through_the_hole > 30, "{through_the_hole}");
}
