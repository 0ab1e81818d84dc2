//! `closest`, `ray` and `winding_number` agree with brute force over all triangles and with exact integers, on points and
//! rays at random and on, along and through every feature.

use crate::forms::closest_within;
use heurt_bvh::Builder;
use heurt_geometry::{Pose, Triangle, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{
    Location, Ray, RayError, closest, has_inner_faces, overlap, ray, ray_all, solid_angle_winding, winding_number,
};
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;

fn shapes() -> Vec<MeshShape> {
    let open = {
        let (vertices, triangles) = generate::bumpy_sphere(1.0, 0.2, 4.0, 12).unwrap().into_parts();
        TriMesh::new(vertices, triangles[..80].to_vec()).unwrap()
    };
    let cube = generate::cuboid([1.0, 0.75, 0.5]).unwrap();
    let doubled = TriMesh::merged([&cube, &generate::cuboid([0.5; 3]).unwrap()]).unwrap();
    let hollow = TriMesh::merged([&cube, &generate::cuboid([0.25; 3]).unwrap().reversed()]).unwrap();
    let torus = generate::supertoroid(1.0, 0.4, 0.8, 1.2, 24).unwrap();
    [cube, torus, open, doubled, hollow].map(|m| MeshShape::new(m).unwrap()).into()
}

fn pose(random: &mut Random, round: u64) -> Pose {
    let offset = if round.is_multiple_of(5) { 1e6 } else { 1.0 };
    let mut number = || random.between(-1.0, 1.0);
    let q = if round.is_multiple_of(3) { [0.0, 0.0, 0.0, 1.0] } else { [number(), number(), number(), number()] };
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    Pose::from_quaternion(q.map(|x| x / norm), Vec3::new(number(), number(), number()) * offset).unwrap()
}

/// A point near the mesh: anywhere, on a corner, an edge or a face, or level with a corner.
fn probe(random: &mut Random, triangles: &[Triangle], about: Vec3) -> Vec3 {
    let t = triangles[random.whole(0, triangles.len() as i64 - 1) as usize];
    let mut anywhere = || Vec3::new(random.between(-1.5, 1.5), random.between(-1.5, 1.5), random.between(-1.5, 1.5));
    let free = about + anywhere();
    match random.whole(0, 4) {
        0 => t[0],
        1 => (t[0] + t[1]) * 0.5,
        2 => (t[0] + t[1] + t[2]) / 3.0,
        3 => Vec3::new(free.x, t[0].y, t[0].z),
        _ => free,
    }
}

/// The squared distance to a triangle by golden-section over its two parameters would be slow; dense subdivision bounds it.
fn distance_to_triangle(p: Vec3, t: &Triangle) -> f64 {
    let foot = |a: Vec3, b: Vec3| {
        let s = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        a + (b - a) * if s.is_finite() { s } else { 0.0 }
    };
    let edges = [foot(t[0], t[1]), foot(t[1], t[2]), foot(t[2], t[0])];
    let mut best = edges.iter().map(|q| (*q - p).length()).fold(f64::INFINITY, f64::min);
    let n = (t[1] - t[0]).cross(t[2] - t[0]).normalize_or_zero();
    let q = p - n * n.dot(p - t[0]);
    let inside = (0..3).all(|k| n.dot((t[(k + 1) % 3] - t[k]).cross(q - t[k])) >= 0.0);
    if n != Vec3::ZERO && inside {
        best = best.min((q - p).length());
    }
    best
}

#[test]
fn winding_numbers_are_exact() {
    let shapes = shapes();
    let mut random = Random::new(31);
    let mut on_boundary = 0;
    for round in 0..120 {
        let shape = &shapes[[0, 1, 3, 4][random.whole(0, 3) as usize]];
        let pose = pose(&mut random, round);
        let triangles = oracle::placed(shape.mesh(), &pose);
        let point = probe(&mut random, &triangles, pose.translation());
        let truth = oracle::winding(&triangles, point);
        match winding_number(shape, &pose, point) {
            Location::Boundary { triangle } => {
                assert_eq!(truth, None, "round {round}");
                assert!(oracle::triangles_intersect(&triangles[triangle as usize], &[point; 3]));
                on_boundary += 1;
            }
            Location::Winding(winding) => {
                assert_eq!(truth, Some(winding), "round {round}");
                let angle = solid_angle_winding(shape, &pose, point);
                let near = triangles.iter().map(|t| distance_to_triangle(point, t)).fold(f64::INFINITY, f64::min);
                assert!(near < 1e-6 || (angle - f64::from(winding)).abs() < 1e-6, "round {round}: {angle} {winding}");
            }
        }
    }
    assert!(on_boundary > 10);
}

#[test]
fn closest_points_agree_with_brute_force() {
    let shapes = shapes();
    let mut random = Random::new(41);
    for round in 0..400 {
        let shape = &shapes[random.whole(0, shapes.len() as i64 - 1) as usize];
        let pose = pose(&mut random, round);
        let triangles = oracle::placed(shape.mesh(), &pose);
        let point = probe(&mut random, &triangles, pose.translation());
        let found = closest(shape, &pose, point);
        let distances: Vec<f64> = triangles.iter().map(|t| distance_to_triangle(point, t)).collect();
        let best = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = point.abs().max_element().max(pose.translation().abs().max_element() + 2.0);
        assert!(found.error <= 64.0 * f64::EPSILON * largest);
        let room = 2.0 * found.error + 1e-15;
        assert!((found.point - point).length() - found.distance <= room);
        if found.inside == Some(true) && has_inner_faces(shape) {
            // Faces inside are no boundary (tests/it/solid_boundary.rs).
            assert!(found.distance >= best - room, "round {round}: {} is below {best}", found.distance);
            assert!(distances[found.primitive as usize] <= found.distance + room);
            continue;
        }
        assert!((found.distance - best).abs() <= room, "round {round}: {} is not {best}", found.distance);
        assert!(distances[found.primitive as usize] <= best + room);
        assert_eq!(found.inside.is_some(), shape.is_solid());
        if let (Some(inside), Some(signed)) = (found.inside, found.signed_distance) {
            let truth = oracle::winding(&triangles, point).is_none_or(|w| w != 0);
            assert_eq!(inside, truth, "round {round}");
            assert_eq!(signed, if inside { -found.distance } else { found.distance });
        }
        assert_eq!(
            closest_within(shape, &pose, point, found.distance + room).map(|c| c.primitive),
            Some(found.primitive)
        );
        assert!(found.distance < 0.01 || closest_within(shape, &pose, point, found.distance * 0.9).is_none());
    }
}

#[test]
fn closest_keeps_its_accuracy_at_any_scale() {
    for scale in [1e-300, 1e-170, 1e-80, 1e-9, 1e-3, 1e6, 1e9, 1e80, 1e170, 1e300] {
        let shape = MeshShape::new(generate::cuboid([1.0; 3]).unwrap().scaled(scale).unwrap()).unwrap();
        let found = closest(&shape, &Pose::IDENTITY, Vec3::new(0.25, 0.5, 3.0) * scale);
        assert!((found.distance - 2.0 * scale).abs() <= found.error, "{scale}: {found:?}");
        assert!(((found.point - Vec3::new(0.25, 0.5, 1.0) * scale) / scale).length() <= found.error / scale);
        let inner = closest(&shape, &Pose::IDENTITY, Vec3::new(0.0, 0.0, 0.75) * scale);
        assert_eq!(inner.inside, Some(true));
    }
}

#[test]
fn rays_never_leak_and_alternate() {
    let shapes = shapes();
    let mut random = Random::new(51);
    let mut leaks_possible = 0;
    for round in 0..2000 {
        let shape = &shapes[[0, 1, 4][random.whole(0, 2) as usize]];
        let pose = pose(&mut random, round);
        let triangles = oracle::placed(shape.mesh(), &pose);
        // From outside through a corner, an edge or a face.
        let target = probe(&mut random, &triangles, pose.translation());
        let far = pose.translation()
            + Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)).normalize()
                * 20.0;
        let through = Ray::new(far, target - far, f64::INFINITY).unwrap();
        let first = ray(shape, &pose, &through);
        // Through an inner point, so the surface is met before it; a ray to the boundary may graze past it by rounding.
        let depth = triangles.iter().map(|t| distance_to_triangle(target, t)).fold(f64::INFINITY, f64::min);
        let reaches = depth > 1e-6 && matches!(winding_number(shape, &pose, target), Location::Winding(w) if w != 0);
        if reaches {
            leaks_possible += 1;
            let first = first.unwrap_or_else(|| panic!("round {round}: the ray leaked"));
            assert!(first.t <= 1.0 + 1e-6, "round {round}: {}", first.t);
        }
        let all = ray_all(shape, &pose, &through).hits;
        assert_eq!(first.map(|h| h.t), all.first().map(|h| h.hit.t), "round {round}");
        if let Some(hit) = first {
            let near = distance_to_triangle(hit.point, &triangles[hit.primitive as usize]);
            assert!(near <= 1e-7 + 1e-12 * hit.point.abs().max_element(), "round {round}: {near}");
            let half = Ray { max_t: hit.t * 0.999, ..through };
            assert!(ray(shape, &pose, &half).is_none());
        }
    }
    assert!(leaks_possible > 40);
}

#[test]
fn rays_from_inside_through_corners_and_edges_do_not_leak() {
    // Corners and edges are hit exactly, since origin and direction are whole numbers.
    let shape = MeshShape::new(generate::cuboid([4.0, 2.0, 1.0]).unwrap()).unwrap().with_solid(false).unwrap();
    for x in -4i8..=4 {
        for y in -4i8..=4 {
            for z in -4i8..=4 {
                let direction = Vec3::new(x.into(), y.into(), z.into());
                if direction != Vec3::ZERO {
                    let through = Ray::new(Vec3::ZERO, direction, f64::INFINITY).unwrap();
                    let distances: Vec<f64> =
                        ray_all(&shape, &Pose::IDENTITY, &through).hits.iter().map(|h| h.hit.t).collect();
                    assert!(!distances.is_empty() && distances.iter().all(|d| *d == distances[0]), "{direction}");
                }
            }
        }
    }
}

#[test]
fn rays_start_inside_on_and_beside() {
    let cube = MeshShape::new(generate::cuboid([1.0; 3]).unwrap()).unwrap();
    let along = |origin: Vec3, direction: Vec3| {
        ray(&cube, &Pose::IDENTITY, &Ray::new(origin, direction, f64::INFINITY).unwrap())
    };
    assert_eq!(along(Vec3::ZERO, Vec3::X * 4.0).map(|h| h.t), Some(0.0));
    assert_eq!(along(Vec3::X, Vec3::X).map(|h| h.t), Some(0.0));
    let hit = along(Vec3::new(-3.0, 0.25, 0.5), Vec3::X * 4.0).unwrap();
    assert_eq!((hit.t, hit.point, hit.normal), (0.5, Vec3::new(-1.0, 0.25, 0.5), -Vec3::X));
    assert_eq!(along(Vec3::new(-3.0, 1.0 + 1e-9, 0.0), Vec3::X), None);
    let surface = cube.clone().with_solid(false).unwrap();
    let ray_out = Ray::new(Vec3::ZERO, Vec3::X * 1e-200, f64::INFINITY).unwrap();
    assert!(ray(&surface, &Pose::IDENTITY, &ray_out).is_some());
    // Through the very corner.
    assert!(along(Vec3::splat(-3.0), Vec3::ONE).is_some());
}

#[test]
fn rays_that_are_none_are_named() {
    let direction = Vec3::new(0.0, f64::NAN, 0.0);
    assert!(matches!(Ray::new(Vec3::ZERO, direction, 1.0), Err(RayError::Direction { .. })));
    assert!(matches!(Ray::new(Vec3::ZERO, Vec3::ZERO, 1.0), Err(RayError::Direction { .. })));
    assert!(matches!(Ray::new(Vec3::INFINITY, Vec3::X, 1.0), Err(RayError::Origin { .. })));
    assert!(matches!(Ray::new(Vec3::ZERO, Vec3::X, -1.0), Err(RayError::MaxT { .. })));
    let text = Ray::new(Vec3::ZERO, Vec3::ZERO, 1.0).unwrap_err().to_string();
    assert!(text.contains("[0, 0, 0]") && text.contains("give"), "{text}");
}

#[test]
fn tiny_and_huge_solids_have_an_inside() {
    for scale in [1.0, 1e-300, 1e-200, 1.57e-162, 1e-150, 1e150, 1e200, 1e300] {
        let cube = MeshShape::new(generate::cuboid([1.0; 3]).unwrap().scaled(scale).unwrap()).unwrap();
        let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z) * scale;
        let inner = at(0.1, 0.2, 0.3);
        assert_eq!(winding_number(&cube, &Pose::IDENTITY, inner), Location::Winding(1), "{scale:e}");
        let found = closest(&cube, &Pose::IDENTITY, inner);
        assert!(
            found.inside == Some(true) && (found.distance - 0.7 * scale).abs() <= found.error,
            "{scale:e}: {found:?}"
        );
        let cast = |from: Vec3| ray(&cube, &Pose::IDENTITY, &Ray::new(from, Vec3::X, f64::INFINITY).unwrap());
        assert_eq!(cast(inner).map(|hit| hit.t), Some(0.0));
        for far in [1.5, 3.0, 1e3, 1e12, 1e40, 1e60, 1e100].into_iter().filter(|far| far * scale < 1e305) {
            let hit = cast(at(-far, 0.2, 0.3)).unwrap_or_else(|| panic!("{scale:e} from {far}"));
            assert!((hit.t - (far - 1.0) * scale).abs() <= 2.0 * hit.error, "{scale:e} from {far}: {hit:?}");
        }
        assert!(cast(at(-3.0, 1.2, 0.3)).is_none());
        // Corner to corner, deep enough.
        let beside = Pose::from_translation(at(1.5, 1.5, 1.5)).unwrap();
        assert!(overlap(&cube, &Pose::IDENTITY, &cube, &beside).is_some(), "{scale:e}");
        let separated = Pose::from_translation(at(2.5, 0.0, 0.0)).unwrap();
        assert!(overlap(&cube, &Pose::IDENTITY, &cube, &separated).is_none(), "{scale:e}");
    }
}

#[test]
fn far_from_the_origin_a_ray_still_starts_inside() {
    // Where a metre has few digits left, the placed solid is another one, but all verbs see the same.
    let mut random = Random::new(31);
    let mesh = generate::icosphere(1.0, 1).unwrap();
    let shape = MeshShape::new(mesh).unwrap();
    let (mut inner, mut outer) = (0, 0);
    for round in 0..2000 {
        let far = 10f64.powi(7 + round % 8);
        let q = [0.0; 4].map(|_: f64| random.between(-1.0, 1.0));
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut vector = |reach: f64| Vec3::from_array([0.0; 3].map(|_: f64| random.between(-reach, reach)));
        let place = vector(far);
        let pose = Pose::from_quaternion(q.map(|x| x / norm), place).unwrap();
        let point = pose.place(vector(1.0));
        let found = closest(&shape, &pose, point);
        let hit = ray(&shape, &pose, &Ray::new(point, vector(1.0), f64::INFINITY).unwrap());
        let starts_inside = hit.is_some_and(|hit| hit.t == 0.0);
        assert_eq!(found.inside, Some(starts_inside), "round {round}: {found:?} {hit:?}");
        inner += usize::from(starts_inside);
        outer += usize::from(!starts_inside);
    }
    assert!(inner > 300 && outer > 300);
}

#[test]
fn on_the_boundary_the_lowest_triangle_counts() {
    let mesh = generate::cuboid([1.0; 3]).unwrap();
    for builder in [Builder::BinnedSah, Builder::Median, Builder::Morton] {
        let shape = MeshShape::with_builder(mesh.clone(), builder).unwrap();
        for vertex in 0..mesh.vertices().len() as u32 {
            let lowest = mesh.triangles().iter().position(|triangle| triangle.contains(&vertex)).unwrap() as u32;
            let corner = mesh.vertices()[vertex as usize];
            assert_eq!(closest(&shape, &Pose::IDENTITY, corner).primitive, lowest);
            let hit = ray(&shape, &Pose::IDENTITY, &Ray::new(corner, Vec3::X, 9.0).unwrap()).unwrap();
            assert_eq!((hit.primitive, hit.t), (lowest, 0.0));
        }
        // From inside, the triangle through which the ray would leave, however short it is.
        let [long, short] = [9.0, 0.1].map(|end| {
            ray(&shape, &Pose::IDENTITY, &Ray::new(Vec3::new(0.1, 0.2, 0.3), -Vec3::Y, end).unwrap()).unwrap()
        });
        assert_eq!((long.primitive, long.t), (short.primitive, 0.0));
    }
}
