//! Which triangles a ray meets is exact, and distances to needles keep their bound.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Ray, closest, ray, ray_all};
use heurt_shape::MeshShape;
use heurt_testkit::random::Random;

#[test]
fn the_line_past_an_edge_is_told_from_the_one_through_it() {
    // The ray along (3, 7, 0) meets the edge at x = 3, y = 7 in no rounding's sight: one bit in the direction tells.
    let wedge = [Vec3::new(3.0, 7.0, -1.0), Vec3::new(3.0, 7.0, 1.0), Vec3::new(9.0, 7.0, 0.0)];
    let shape = MeshShape::new(TriMesh::new(wedge.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
    let along = |x: f64| {
        let towards = Ray::new(Vec3::ZERO, Vec3::new(x, 7.0, 0.0), f64::INFINITY).unwrap();
        ray(&shape, &Pose::IDENTITY, &towards).map(|hit| hit.distance)
    };
    assert_eq!(along(3.0), Some(1.0));
    assert!(along(3f64.next_up()).is_some());
    assert_eq!(along(3f64.next_down()), None);
}

#[test]
fn no_ray_leaks_through_a_corner() {
    // Rays aimed at corners from the centre and from afar: rounding leaves them beside, never between the triangles.
    let mut random = Random::new(71);
    let mesh = generate::icosphere(1.0, 2).unwrap();
    let shape = MeshShape::new(mesh.clone()).unwrap();
    let hollow = shape.clone().with_solid(false).unwrap();
    for vertex in mesh.vertices() {
        let inner = Vec3::from_array([0.0; 3].map(|_: f64| random.between(-0.3, 0.3)));
        let out = Ray::new(inner, *vertex - inner, f64::INFINITY).unwrap();
        let hits = ray_all(&hollow, &Pose::IDENTITY, &out);
        assert!(!hits.is_empty() && (hits[0].distance - 1.0).abs() < 1e-12, "{vertex}: {hits:?}");
        let far = Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1.0, 1.0))).normalize() * 1e5;
        let pose = Pose::from_translation(far).unwrap();
        let back = Ray::new(Vec3::ZERO, pose.place(*vertex * 0.5), f64::INFINITY).unwrap();
        assert!(ray(&shape, &pose, &back).is_some_and(|hit| hit.distance < 1.0), "{vertex} from {far}");
    }
}

#[test]
fn distances_to_needles_keep_their_bound() {
    // A needle in a plane whose unit normal (2, −1, 2)/3 is known: the height over its inside is known too.
    let (along, across) = (Vec3::new(1.0, 2.0, 0.0), Vec3::new(-4.0, 2.0, 5.0));
    let normal = Vec3::new(2.0, -1.0, 2.0);
    for thin in [2f64.powi(-4), 2f64.powi(-12), 2f64.powi(-20), 2f64.powi(-28)] {
        let start = Vec3::new(0.25, -0.5, 0.125);
        let needle = [start, start + along * 2.0 - across * thin, start + along * 2.0 + across * thin];
        let shape = MeshShape::new(TriMesh::new(needle.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
        for height in [2f64.powi(-10), 0.125, 1.0] {
            let point = start + along + normal * height;
            let found = closest(&shape, &Pose::IDENTITY, point);
            let room = found.error.min(64.0 * f64::EPSILON * 4.0);
            assert!((found.distance - 3.0 * height).abs() <= room, "{thin} {height}: {}", found.distance);
        }
    }
}
