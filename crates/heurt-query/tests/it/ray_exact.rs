//! Which triangles a ray meets is exact, and distances to needles keep their bound.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Ray, closest, ray, ray_all};
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::triangle as oracle;

#[test]
fn the_line_past_an_edge_is_told_from_the_one_through_it() {
    // The ray along (3, 7, 0) meets the edge at x = 3, y = 7 in no rounding's sight: one bit in the direction tells.
    let wedge = [Vec3::new(3.0, 7.0, -1.0), Vec3::new(3.0, 7.0, 1.0), Vec3::new(9.0, 7.0, 0.0)];
    let shape = MeshShape::new(TriMesh::new(wedge.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
    let along = |x: f64| {
        let towards = Ray::new(Vec3::ZERO, Vec3::new(x, 7.0, 0.0), f64::INFINITY).unwrap();
        ray(&shape, &Pose::IDENTITY, &towards).map(|hit| hit.t)
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
        let hits = ray_all(&hollow, &Pose::IDENTITY, &out).hits;
        assert!(!hits.is_empty() && (hits[0].hit.t - 1.0).abs() < 1e-12, "{vertex}: {hits:?}");
        let far = Vec3::from_array([0.0; 3].map(|_: f64| random.between(-1.0, 1.0))).normalize() * 1e5;
        let pose = Pose::from_translation(far).unwrap();
        let back = Ray::new(Vec3::ZERO, pose.place(*vertex * 0.5), f64::INFINITY).unwrap();
        assert!(ray(&shape, &pose, &back).is_some_and(|hit| hit.t < 1.0), "{vertex} from {far}");
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

#[test]
fn distances_along_rays_keep_their_bound() {
    // Whole numbers: the true parameter is a quotient of two integers. Half of the rays graze: the plane rises by one part in
    // a thousand along them.
    let mut random = Random::new(5);
    let (mut hits, mut grazing) = (0, 0);
    for _ in 0..120_000 {
        let mut whole = |reach: i64| [0; 3].map(|_: i32| random.whole(-reach, reach));
        let (a, mut b, c, mut d) = (whole(1000), whole(1000), whole(1000), whole(1000));
        if a[0] % 2 == 0 {
            b[2] = a[2] + random.whole(-1, 1);
            d[2] = random.whole(-1, 1);
        }
        let minus = |x: [i64; 3], y: [i64; 3]| [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
        let cross = |x: [i64; 3], y: [i64; 3]| {
            [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
        };
        let dot = |x: [i64; 3], y: [i64; 3]| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        // The origin lies some steps before the middle, so that most rays hit.
        let origin = [0, 1, 2].map(|k| (a[k] + b[k] + c[k]) / 3 - 3 * d[k]);
        let normal = cross(minus(b, a), minus(c, a));
        let (over, under) = (dot(normal, minus(a, origin)), dot(normal, d));
        let point = |p: [i64; 3]| Vec3::from_array(p.map(|x| x as f64));
        let Ok(along) = Ray::new(point(origin), point(d), f64::INFINITY) else { continue };
        let mesh = TriMesh::new(vec![point(a), point(b), point(c)], vec![[0, 1, 2]]).unwrap();
        let Some(hit) = ray(&MeshShape::new(mesh).unwrap(), &Pose::IDENTITY, &along) else { continue };
        if under == 0 {
            // Seen edge-on.
            continue;
        }
        // Both integers are below 2^53, so that the quotient is rounded once.
        let truth = over as f64 / under as f64;
        let off = (hit.t - truth).abs();
        assert!(
            off <= hit.error + truth.abs() * f64::EPSILON,
            "{off:e} > {:e}: {a:?} {b:?} {c:?} {origin:?} {d:?}",
            hit.error
        );
        // Whole coordinates of at most 7,000.
        let last_place = 2f64.powi(12) * f64::EPSILON;
        assert!(hit.error * point(d).length() <= 64.0 * last_place, "{:e} for {d:?}", hit.error);
        hits += 1;
        // What a quotient of rounded numbers would be off by, in units of the last place.
        let sizes = [minus(b, a), minus(c, a), d].map(|v| (dot(v, v) as f64).sqrt());
        grazing += usize::from(sizes[0] * sizes[1] * sizes[2] > 1e3 * (under as f64).abs());
    }
    assert!(hits > 30_000 && grazing > 60, "{hits} hits, {grazing} of them grazing");
}

#[test]
fn grazing_rays_keep_their_bound() {
    let single = |t: [Vec3; 3]| MeshShape::new(TriMesh::new(t.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
    let mut random = Random::new(2718);
    // Along this one, everything that is rounded looks like zero.
    let mut cases = vec![(
        Vec3::ZERO,
        Vec3::new(-1.2109742449992245, -1.6093198476333797, -0.8814446168033093),
        [
            Vec3::new(-1.2109742449992245, -1.60931984763338, -0.8814446168033093),
            Vec3::new(0.5200276287284173, 0.9451454391605267, 0.37851800385064915),
            Vec3::new(1.0104945513271322, 0.5147889819811532, 0.7355193442424918),
        ],
    )];
    for _ in 0..60_000 {
        let mut vector = |reach: f64| Vec3::from_array([0.0; 3].map(|_: f64| random.between(-reach, reach)));
        let (a, one, mut other, up) = (vector(2.0), vector(1.0), vector(1.0), vector(1.0));
        let thin = if random.one_in(3) { 10f64.powf(random.between(-14.0, 0.0)) } else { 1.0 };
        other = one * random.between(-0.5, 1.5) + other * thin;
        let share = |random: &mut Random| if random.one_in(6) { 0.0 } else { random.between(0.0, 0.5) };
        let aim = a + one * share(&mut random) + other * share(&mut random);
        let flat = 10f64.powf(random.between(-17.0, 0.0));
        let direction = one * random.between(-1.0, 1.0) + other.normalize() * random.between(-1.0, 1.0) + up * flat;
        let scale = 10f64.powf(random.between(-3.0, 3.0));
        cases.push((aim - direction * random.between(0.01, 3.0), direction * scale, [a, a + one, a + other]));
    }
    let (mut hits, mut grazing) = (0, 0);
    for (origin, direction, t) in cases {
        let Ok(along) = Ray::new(origin, direction, f64::INFINITY) else { continue };
        let Some(hit) = ray(&single(t), &Pose::IDENTITY, &along) else { continue };
        let normal = (t[1] - t[0]).cross(t[2] - t[0]);
        let slope = (normal.dot(direction) / (normal.length() * direction.length())).abs();
        let largest = t.iter().fold(origin.abs().max_element(), |m, p| m.max(p.abs().max_element()));
        let last_place = largest.next_up() - largest;
        assert!(hit.error * direction.length() <= 64.0 * last_place, "{:e}: {origin} {direction} {t:?}", hit.error);
        assert!(
            oracle::meets_plane_near(origin, direction, &t, hit.t, hit.error) || slope == 0.0,
            "{hit:?}: {origin} {direction} {t:?}"
        );
        hits += 1;
        grazing += usize::from(slope < 1e-9);
    }
    assert!(hits > 30_000 && grazing > 5_000, "{hits} hits, {grazing} of them grazing");
}

#[test]
fn flat_shapes_are_hit_edge_on() {
    let shape = |points: &[[f64; 3]], triangles: &[[u32; 3]]| {
        let points = points.iter().map(|p| Vec3::from_array(*p)).collect();
        MeshShape::new(TriMesh::new(points, triangles.to_vec()).unwrap()).unwrap()
    };
    let along = |shape: &MeshShape, origin: [f64; 3], direction: [f64; 3]| {
        let along = Ray::new(Vec3::from_array(origin), Vec3::from_array(direction), f64::INFINITY).unwrap();
        ray(shape, &Pose::IDENTITY, &along).map(|hit| (hit.t, hit.primitive))
    };
    // In the plane z = x: beside, through an edge and out of a corner, along an edge, from within, from behind.
    let sheet = shape(&[[0.0, 0.0, 0.0], [4.0, 0.0, 4.0], [0.0, 4.0, 0.0]], &[[0, 1, 2]]);
    assert_eq!(along(&sheet, [-2.0, 1.0, -2.0], [1.0, 0.0, 1.0]), Some((2.0, 0)));
    assert_eq!(along(&sheet, [-2.0, 0.0, -2.0], [0.5, 0.0, 0.5]), Some((4.0, 0)));
    assert_eq!(along(&sheet, [-2.0, 5.0, -2.0], [1.0, 0.0, 1.0]), None);
    assert_eq!(along(&sheet, [-2.0, 4.0, -2.0], [1.0, 0.0, 1.0]), Some((2.0, 0)));
    assert_eq!(along(&sheet, [1.0, 1.0, 1.0], [1.0, 0.0, 1.0]), Some((0.0, 0)));
    assert_eq!(along(&sheet, [9.0, 1.0, 9.0], [1.0, 0.0, 1.0]), None);
    assert_eq!(along(&sheet, [-2.0, 1.0, -2.0], [1.0, 0.0, 1f64.next_up()]), None);
    // A segment along the ray, across it, and beside it; a point on it.
    let segment = shape(&[[1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[[0, 1, 2]]);
    assert_eq!(along(&segment, [0.0; 3], [2.0, 0.0, 0.0]), Some((0.5, 0)));
    assert_eq!(along(&segment, [2.5, 0.0, -1.0], [0.0, 0.0, 1.0]), Some((1.0, 0)));
    assert_eq!(along(&segment, [3.5, 0.0, -1.0], [0.0, 0.0, 1.0]), None);
    assert_eq!(along(&segment, [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]), None);
    let point = shape(&[[1.0, 2.0, 3.0]], &[[0, 0, 0]]);
    assert_eq!(along(&point, [0.0; 3], [1.0, 2.0, 3.0]), Some((1.0, 0)));
    assert_eq!(along(&point, [0.0; 3], [1.0, 2.0, 3.0f64.next_up()]), None);
    // The first sheet of two counts, the lower of two at the same place.
    let crossed = shape(
        &[[0.0, -1.0, 0.0], [4.0, 1.0, 0.0], [4.0, -1.0, 0.0], [0.0, 0.0, -1.0], [4.0, 0.0, 1.0], [0.0, 0.0, 1.0]],
        &[[0, 1, 2], [3, 4, 5]],
    );
    assert_eq!(along(&crossed, [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), Some((1.0, 1)));
}
