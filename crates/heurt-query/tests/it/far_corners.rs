//! Shapes of which one corner is far from all others: however far, answers are within their `error` of exact arithmetic.

use heurt_geometry::{Pose, Triangle, Vec3};
use heurt_mesh::TriMesh;
use heurt_query::contact::contact_manifold;
use heurt_query::{PairCache, closest, contact, distance, overlap};
use heurt_shape::{Convex, MeshShape, RoundedMesh, Shape};
use heurt_testkit::number::dyadic::Dyadic;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::convex::penetration_depth;
use heurt_testkit::oracle::triangle as oracle;

const HERE: Pose = Pose::IDENTITY;
const FAR: [f64; 9] = [1e3, 1e8, 1e15, 1e20, 1e60, 1e120, 1e160, 1e250, 1e300];
const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// A tetrahedron of about a metre but for one corner.
fn spike(random: &mut Random, far: f64) -> [Vec3; 4] {
    let mut corners: [Vec3; 4] = std::array::from_fn(|_| random.vector(1.0));
    // Now and then along an axis, in a plane of the others, or with a corner at the origin.
    corners[3] = match random.whole(0, 3) {
        0 => Vec3::Z * far,
        1 => corners[1] * far,
        _ => random.vector(1.0) * far,
    };
    if random.whole(0, 2) == 0 {
        (corners[0], corners[1], corners[2]) = (Vec3::ZERO, Vec3::X, Vec3::Y);
    }
    corners.rotate_left(random.whole(0, 3) as usize);
    corners
}

fn triangles_of(corners: &[Vec3; 4]) -> Vec<Triangle> {
    FACES.iter().map(|face| face.map(|corner| corners[corner as usize])).collect()
}

fn exact(a: &[Triangle], b: &[Triangle]) -> f64 {
    let each = a.iter().flat_map(|x| b.iter().map(|y| oracle::triangle_distance(x, y)));
    each.fold(f64::INFINITY, f64::min)
}

fn largest(corners: &[Vec3]) -> f64 {
    corners.iter().fold(0.0, |most, corner| f64::max(most, corner.abs().max_element()))
}

/// Faults of answers about shapes of which the largest coordinate is `most`.
struct Checked {
    what: String,
    most: f64,
    tested: usize,
    faults: Vec<String>,
}

impl Checked {
    fn new() -> Self {
        Self { what: String::new(), most: 0.0, tested: 0, faults: Vec::new() }
    }

    /// An answer is within its error of the truth, and that is small.
    fn value(&mut self, verb: &str, reported: f64, error: f64, truth: f64) {
        self.tested += 1;
        // The oracle rounds, too.
        let is_right = (reported - truth).abs() <= error * (1.0 + 1e-9) + truth.abs() * 4.0 * f64::EPSILON;
        let is_bounded = error <= 64.0 * f64::EPSILON * self.most + f64::from_bits(64);
        if !is_right || !is_bounded {
            let most = self.most;
            let fault = format!("{verb} {reported:e} ± {error:e} where it is {truth:e}, largest {most:e}");
            self.faults.push(format!("{}: {fault}", self.what));
        }
    }

    fn normal(&mut self, normal: Option<Vec3>) {
        let is_unit = normal.is_some_and(|normal| (normal.length() - 1.0).abs() <= 1e-12);
        if !is_unit {
            self.faults.push(format!("{}: normal {normal:?}", self.what));
        }
    }

    /// All that tells how far two shapes are apart whose distance is known; overlaps are told exactly.
    fn pair(&mut self, a: &Shape, b: &Shape, truth: f64) {
        for (a, b) in [(a, b), (b, a)] {
            let found = distance(a, &HERE, b, &HERE);
            self.value("distance", found.distance, found.error, truth);
            let mut cache = PairCache::default();
            for _ in 0..2 {
                let found = cache.distance(a, &HERE, b, &HERE);
                self.value("cached distance", found.distance, found.error, truth);
            }
            // Whether margins only just touch is told as roundings of the largest coordinate have it.
            if found.distance > 0.0 {
                self.normal(found.normal);
                let found = contact(a, &HERE, b, &HERE, f64::INFINITY).unwrap();
                self.value("contact", found.separation, found.error, truth);
                self.normal(Some(found.normal));
            }
        }
    }

    fn end(self) {
        println!("{} answers", self.tested);
        let first = self.faults[..self.faults.len().min(40)].join("\n");
        assert!(self.faults.is_empty(), "{} faults:\n{first}", self.faults.len());
    }
}

/// The solid as a mesh and, where it has a volume, as a hull.
fn shapes_of(corners: &[Vec3; 4]) -> Vec<(&'static str, Shape)> {
    let Ok(mesh) = TriMesh::new(corners.to_vec(), FACES.to_vec()) else { return Vec::new() };
    let mesh = ("mesh", Shape::Mesh(MeshShape::new(mesh).unwrap().into()));
    let hull = Convex::hull(corners).ok().map(|hull| ("hull", hull.into()));
    [mesh].into_iter().chain(hull).collect()
}

#[test]
fn distances_from_a_solid_with_a_far_corner_are_within_their_error() {
    let (mut random, mut checked) = (Random::new(5), Checked::new());
    for far in FAR {
        for round in 0..36 {
            let corners = spike(&mut random, far);
            let triangles = triangles_of(&corners);
            let other = [0; 3].map(|_| random.vector(1.5));
            let radius = random.between(0.01, 0.3);
            checked.most = largest(&corners).max(largest(&other));
            let sheet = TriMesh::new(other.to_vec(), vec![[0, 1, 2]]).unwrap();
            let others = [
                ("point", Shape::from(Convex::hull(&other[..1]).unwrap()), [other[0]; 3]),
                ("segment", Convex::segment([other[0], other[1]]).unwrap().into(), [other[0], other[1], other[1]]),
                ("triangle", Convex::triangle(other).unwrap().into(), other),
                ("sheet", Shape::Mesh(MeshShape::new(sheet).unwrap().into()), other),
            ];
            for (name, shape) in &shapes_of(&corners) {
                checked.what = format!("{name}, {far:e} {round}");
                let found = closest(shape, &HERE, other[0]);
                checked.value("closest", found.distance, found.error, exact(&triangles, &[[other[0]; 3]]));
                for (kind, with, corners) in &others {
                    checked.what = format!("{name} and {kind}, {far:e} {round}");
                    let meets = overlap(shape, &HERE, with, &HERE).is_some();
                    let truth = if meets { 0.0 } else { exact(&triangles, &[*corners]) };
                    checked.pair(shape, with, truth);
                    if let (Shape::Convex(core), true) = (with, truth > 2.0 * radius) {
                        checked.what = format!("{name} and rounded {kind}, {far:e} {round}");
                        let rounded = Shape::from(core.as_ref().clone().with_margin(radius).unwrap());
                        checked.pair(shape, &rounded, truth - radius);
                    }
                }
            }
        }
    }
    checked.end();
}

/// What lies as low as told, and what is told to be higher by roundings of its far coordinates.
#[test]
fn the_lowest_corner_over_a_half_space_is_told_within_its_error() {
    let (mut random, mut checked) = (Random::new(3), Checked::new());
    let half_space = Shape::from(Convex::half_space(Vec3::new(3.0, 4.0, 0.0), -5.0).unwrap());
    for far in [1e3, 1e15, 1e19, 1e30, 1e120, 1e300] {
        for round in 0..60 {
            let k = (random.between(0.1, 1.0) * far).round();
            let corners = [0; 3].map(|_| random.vector(1.0) + Vec3::new(3.0, 4.0, 0.0));
            let mut corners = [corners[0], corners[1], corners[2], Vec3::new(4.0 * k, -3.0 * k, 0.0)];
            corners.rotate_left(random.whole(0, 3) as usize);
            let height = |corner: &Vec3| {
                let [x, y] = [corner.x, corner.y].map(Dyadic::of);
                &(&(&x * &Dyadic::of(3.0)) + &(&y * &Dyadic::of(4.0))) + &Dyadic::of(5.0)
            };
            let lowest = corners.iter().map(height).reduce(|x, y| if x < y { x } else { y }).unwrap();
            let truth = lowest.or_zero().rounded() / 5.0;
            checked.most = largest(&corners);
            for (name, shape) in &shapes_of(&corners) {
                checked.what = format!("{name} over a half-space, {far:e} {round}");
                checked.pair(shape, &half_space, truth);
            }
        }
    }
    checked.end();
}

#[test]
fn two_solids_with_far_corners_are_within_their_error() {
    let (mut random, mut checked) = (Random::new(9), Checked::new());
    for far in FAR {
        for round in 0..40 {
            let a = spike(&mut random, far);
            let off = random.vector(3.0);
            let b = spike(&mut random, if round % 2 == 0 { far } else { 1.0 }).map(|corner| corner + off);
            checked.most = largest(&a).max(largest(&b));
            for (name_a, shape_a) in &shapes_of(&a) {
                for (name_b, shape_b) in &shapes_of(&b) {
                    checked.what = format!("{name_a} and {name_b}, {far:e} {round}");
                    let meets = overlap(shape_a, &HERE, shape_b, &HERE).is_some();
                    let truth = if meets { 0.0 } else { exact(&triangles_of(&a), &triangles_of(&b)) };
                    checked.pair(shape_a, shape_b, truth);
                }
            }
            let depth = penetration_depth(&a, &b);
            if depth > 0.0
                && let (Ok(hull_a), Ok(hull_b)) = (Convex::hull(&a), Convex::hull(&b))
            {
                checked.what = format!("hulls, {far:e} {round}");
                let found = contact(&hull_a, &HERE, &hull_b, &HERE, 0.0).unwrap();
                checked.value("depth", -found.separation, found.error, depth);
            }
        }
    }
    checked.end();
}

/// Where squares of lengths lose their digits: the second answer of a cache, errors of margins, points, normals.
#[test]
fn lengths_whose_squares_are_out_of_range_are_as_any() {
    for size in [1e-160, 1e-155, 1.0, 1e155, 1e250] {
        let mesh = |corners: &[Vec3], faces: &[[u32; 3]]| {
            let corners = corners.iter().map(|&corner| corner * size).collect();
            MeshShape::new(TriMesh::new(corners, faces.to_vec()).unwrap()).unwrap()
        };
        let at = |z: f64| Pose::from_translation(Vec3::Z * (z * size)).unwrap();
        let needle = Shape::Mesh(mesh(&[Vec3::Z * 0.1, Vec3::ZERO, Vec3::ZERO], &[[0, 2, 1]]).into());
        let corners = [Vec3::ZERO, Vec3::X * -0.2, Vec3::Y * 2.0, Vec3::Z * 0.2].map(|corner| corner * size);
        let hull = Shape::from(Convex::hull(&corners).unwrap());
        let (p, q) = (at(0.2), at(-0.0717));
        let plain = distance(&needle, &p, &hull, &q);
        let mut cache = PairCache::default();
        for _ in 0..3 {
            assert_eq!(cache.distance(&needle, &p, &hull, &q), plain, "{size:e}");
        }
        let ball = Shape::from(Convex::capsule(0.4 * size, 0.0).unwrap());
        let point = Shape::from(Convex::cuboid(Vec3::ZERO).unwrap());
        let found = distance(&ball, &HERE, &point, &at(2.0));
        assert!((found.distance / size - 1.6).abs() < 1e-14 && found.error / size < 1e-13, "{size:e}: {found:?}");
        let speck = mesh(&[Vec3::ZERO; 3], &[[0, 1, 2]]);
        let speck = Shape::from(RoundedMesh::new(speck.into(), 0.5 * size).unwrap());
        let found = closest(&speck, &at(1.0), Vec3::ZERO);
        assert!((found.point / size - Vec3::Z * 0.5).length() < 1e-14, "{size:e}: {found:?}");
        let found = contact(&needle, &p, &hull, &q, f64::INFINITY).unwrap();
        assert!(found.points.iter().all(|point| (point.normal.length() - 1.0).abs() < 1e-12), "{size:e}: {found:?}");
    }
}

/// A bound of a contact leaves out what the error leaves open; a point in a thin capsule is as far from its surface as is told; what only
/// touches does so in a point of both.
#[test]
fn what_is_told_beside_a_distance_is_within_its_error_too() {
    let o = Vec3::ZERO;
    let sheet = MeshShape::new(TriMesh::new(vec![o, Vec3::Z, Vec3::Y * 7e119], vec![[0, 1, 2]]).unwrap()).unwrap();
    let (sheet, point) = (Shape::Mesh(sheet.into()), Shape::from(Convex::point()));
    let beside = Pose::from_translation(Vec3::new(0.0, -0.005, 0.02)).unwrap();
    let mut cache = PairCache::default();
    for found in [
        contact(&point, &HERE, &sheet, &beside, 1.0),
        cache.contact_manifold(&point, &HERE, &sheet, &beside, 1.0),
        contact_manifold(&point, &HERE, &sheet, &beside, 1.0),
    ] {
        assert!(found.unwrap().separation_bound <= 0.02);
    }
    let capsule = Convex::capsule(8e3, 7e13).unwrap();
    let query_point = Vec3::new(300.0, 5000.0, 0.0);
    let found = closest(&capsule, &HERE, query_point);
    assert!(((found.point - query_point).length() - found.distance).abs() <= found.error, "{found:?}");
    let segment = Convex::segment([o, Vec3::new(0.0, 8e8, 7e8)]).unwrap();
    let triangle = Convex::triangle([Vec3::new(1.0, 8e8, 7e8), o, Vec3::Z]).unwrap();
    let found = distance(&segment, &HERE, &triangle, &HERE);
    assert!(found.distance == 0.0 && found.point_a.length() < 1e-6, "{found:?}");
}
