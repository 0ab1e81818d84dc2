//! Solids made of shells that overlap, nest or share walls: closest points, rays and measures go to the boundary of the
//! set of points with a winding number other than 0.

use crate::forms::{closest_within, counted};
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate, measures};
use heurt_query::{
    Closest, Location, Ray, RayCrossing, RayOptions, closest, has_inner_faces, ray, ray_all, ray_with, solid_measures,
    winding_number,
};
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::box_union::{BoxUnion, SignedBox};

const HERE: Pose = Pose::IDENTITY;

fn shape(mesh: TriMesh) -> MeshShape {
    MeshShape::new(mesh).unwrap()
}

fn block(low: [f64; 3], high: [f64; 3]) -> SignedBox {
    SignedBox { low: Vec3::from_array(low), high: Vec3::from_array(high), inside_out: false }
}

/// Several meshes as one.
fn together(meshes: &[TriMesh]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for mesh in meshes {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(mesh.vertices());
        triangles.extend(mesh.triangles().iter().map(|t| t.map(|corner| corner + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Boxes with corners on a coarse grid, so that many share walls, edges and corners; some inside out.
fn random_boxes(random: &mut Random, count: usize, inside_out: bool) -> BoxUnion {
    let one = |random: &mut Random| {
        let low = [0; 3].map(|_: i64| random.whole(-3, 1));
        let high = [0, 1, 2].map(|k| low[k] + random.whole(1, 5));
        let [low, high] = [low, high].map(|corner| Vec3::from_array(corner.map(|x| x as f64 / 8.0)));
        SignedBox { low, high, inside_out: inside_out && random.one_in(4) }
    };
    BoxUnion::new((0..count).map(|_| one(random)).collect())
}

/// A point in one of the boxes, on the grid of their faces or off it.
fn point_in(boxes: &BoxUnion, random: &mut Random, on_grid: bool) -> Vec3 {
    let one = boxes.boxes()[random.whole(0, boxes.boxes().len() as i64 - 1) as usize];
    let at = |axis: usize, random: &mut Random| {
        let (low, high) = (one.low[axis], one.high[axis]);
        if on_grid {
            random.whole((low * 16.0) as i64, (high * 16.0) as i64) as f64 / 16.0
        } else {
            random.between(low, high)
        }
    };
    Vec3::new(at(0, random), at(1, random), at(2, random))
}

fn is_within_error(found: &Closest, expected: f64, what: &str) {
    let signed = found.signed_distance.unwrap();
    let room = found.error + 4.0 * f64::EPSILON;
    assert!((signed - expected).abs() <= room, "{what}: {signed} within {} but {expected}", found.error);
    assert!(found.error < 1e-13, "{what}: an error of {}", found.error);
}

#[test]
fn merged_boxes_are_as_deep_as_the_distance_to_the_outside_of_both() {
    // Report 14.
    let both = BoxUnion::new(vec![block([0.0; 3], [1.0; 3]), block([0.5, 0.25, 0.25], [1.5, 1.25, 1.25])]);
    let solid = shape(both.mesh());
    for (point, expected) in [
        ([0.75, 0.75, 0.75], -0.125f64.sqrt()),
        ([0.25, 0.5, 0.5], -0.25),
        ([0.75, 0.5, 0.5], -0.125f64.sqrt()),
        ([1.25, 0.75, 0.75], -0.25),
        ([0.625, 0.875, 0.875], -0.03125f64.sqrt()),
        ([0.5, 0.5, 0.5], -0.5),
        ([1.0, 0.5, 0.75], -0.25),
    ] {
        let point = Vec3::from_array(point);
        let found = closest(&solid, &HERE, point);
        is_within_error(&found, expected, &format!("{point}"));
        assert_eq!(found.inside, Some(true));
        assert!(((found.point - point).length() - found.distance).abs() < 1e-14, "{found:?}");
        assert!(closest_within(&solid, &HERE, point, -0.5 * expected).is_none());
    }
}

#[test]
fn unions_of_boxes_agree_with_brute_force() {
    let mut random = Random::new(41);
    let (mut deep, mut on_inner_faces) = (0, 0);
    for round in 0..60 {
        let boxes = random_boxes(&mut random, 2 + round % 5, round % 3 == 0);
        let solid = shape(boxes.mesh());
        let pose = if round % 2 == 0 { HERE } else { random.pose(2.0) };
        for sample in 0..25 {
            let point =
                if sample % 5 == 0 { random.vector(1.0) } else { point_in(&boxes, &mut random, sample % 2 == 0) };
            if pose != HERE && sample % 2 == 0 {
                // Where a placed point lies that was on a face, rounding decides.
                continue;
            }
            let expected = boxes.signed_distance(point);
            if round % 3 == 0 && expected.abs() == 0.0 {
                continue;
            }
            let found = closest(&solid, &pose, pose.place(point));
            let what = format!("round {round}, {point}");
            let is_on_face = matches!(winding_number(&solid, &pose, pose.place(point)), Location::Boundary { .. });
            // A face with the outside on both sides belongs to the shape.
            if expected > 0.0 && (is_on_face || round % 3 == 0) {
                continue;
            }
            is_within_error(&found, expected, &what);
            assert_eq!(found.inside, Some(expected <= 0.0), "{what}");
            deep += usize::from(expected < 0.0);
            on_inner_faces += usize::from(expected < 0.0 && is_on_face);
        }
    }
    assert!(deep > 300 && on_inner_faces > 20, "{deep} inside, {on_inner_faces} of them on a face");
}

/// Checks without an oracle that nothing of the outside is nearer than reported, and that there is some at that
/// distance.
fn is_sound(solid: &MeshShape, point: Vec3, random: &mut Random, what: &str) {
    let found = closest(solid, &HERE, point);
    let is_outside = |at: Vec3| winding_number(solid, &HERE, at) == Location::Winding(0);
    if found.inside == Some(false) {
        return;
    }
    assert!(found.error < 1e-12, "{what}: {found:?}");
    for _ in 0..60 {
        let direction = random.vector(1.0).normalize_or(Vec3::X);
        let near = point + direction * ((found.distance - found.error) * random.unit().cbrt() * (1.0 - 1e-12));
        assert!(!is_outside(near), "{what}: {near} is outside, nearer than {}", found.distance);
    }
    // Around the foot there is some of the outside.
    let size = 1e-9;
    let near_foot = (0..400).any(|_| is_outside(found.point + random.vector(size)));
    assert!(near_foot, "{what}: nothing outside around {found:?}");
}

#[test]
fn unions_of_curved_shells_in_general_position_are_sound() {
    let mut random = Random::new(42);
    for round in 0..12 {
        let parts: Vec<TriMesh> = (0..2 + round % 3)
            .map(|k| {
                let mesh = match (round + k) % 4 {
                    0 => generate::icosphere(0.5, 1).unwrap(),
                    1 => generate::torus(0.5, 0.2, 12, 8).unwrap(),
                    2 => generate::cuboid([0.5, 0.3, 0.2]).unwrap(),
                    _ => generate::tetrahedron(0.7).unwrap(),
                };
                mesh.transformed(&random.pose(0.3)).unwrap()
            })
            .collect();
        let solid = shape(together(&parts));
        for _ in 0..12 {
            let point = random.vector(0.6);
            is_sound(&solid, point, &mut random, &format!("round {round}, {point}"));
        }
    }
}

#[test]
fn shells_that_nest_or_repeat_count_once_and_cavities_stay() {
    let outer = block([-1.0; 3], [1.0; 3]);
    let inner = block([-0.5; 3], [0.5; 3]);
    let hollow = SignedBox { inside_out: true, ..inner };
    let neighbour = block([1.0, -1.0, -1.0], [2.0, 1.0, 1.0]);
    let point = Vec3::new(0.25, 0.0, 0.0);
    for (boxes, expected, volume) in [
        (vec![outer, inner], -0.75, 8.0),
        (vec![outer, hollow], 0.25, 7.0),
        (vec![outer, outer], -0.75, 8.0),
        (vec![outer, inner, inner], -0.75, 8.0),
        // Through the shared wall it does not lead outside.
        (vec![outer, neighbour], -1.0, 12.0),
        // All faces point into the solid: the volume is negative, as it is of a plain mesh.
        (vec![SignedBox { inside_out: true, ..outer }], -0.75, -8.0),
        (vec![outer, outer].into_iter().map(|b| SignedBox { inside_out: true, ..b }).collect(), -0.75, -8.0),
    ] {
        let union = BoxUnion::new(boxes);
        let solid = shape(union.mesh());
        assert_eq!(union.signed_distance(point), expected);
        is_within_error(&closest(&solid, &HERE, point), expected, &format!("{union:?}"));
        let measured = solid_measures(&solid).unwrap();
        assert!((measured.volume - volume).abs() <= measured.volume_error, "{measured:?} but {volume}");
        assert!(measured.volume_error < 1e-11);
    }
}

#[test]
fn measures_of_unions_count_what_is_shared_once() {
    let mut random = Random::new(43);
    for round in 0..40 {
        let boxes = random_boxes(&mut random, 1 + round % 5, round % 3 == 0);
        let solid = shape(boxes.mesh());
        let measured = solid_measures(&solid).unwrap();
        let [volume, area] = boxes.volume_and_area();
        let is_inward = boxes.boxes().iter().all(|one| one.inside_out);
        let volume = if is_inward { -volume } else { volume };
        assert!((measured.volume - volume).abs() <= measured.volume_error, "round {round}: {measured:?} but {volume}");
        assert!((measured.area - area).abs() <= measured.area_error, "round {round}: {measured:?} but {area}");
        assert!(measured.volume_error < 1e-12 && measured.area_error < 1e-11, "round {round}: {measured:?}");
    }
    // A single shell is measured as ever.
    let ring = generate::torus(1.0, 0.3, 24, 12).unwrap();
    let (plain, solid) = (measures(&ring), solid_measures(&shape(ring)).unwrap());
    assert!((plain.volume.unwrap() - solid.volume).abs() <= solid.volume_error);
    assert!((plain.area - solid.area).abs() <= solid.area_error);
    assert!((plain.centroid.unwrap() - solid.centroid.unwrap()).length() < 1e-14);
    let [one, other] = [plain.inertia.unwrap(), solid.inertia.unwrap()];
    assert!((one - other).to_cols_array().iter().all(|x| x.abs() < 1e-13), "{one} {other}");
    assert_eq!(solid_measures(&shape(generate::cuboid([1.0; 3]).unwrap()).with_solid(false).unwrap()), None);
}

#[test]
fn rays_pass_faces_inside_a_solid() {
    let mut random = Random::new(44);
    let mut joined = 0;
    for round in 0..80 {
        let boxes = random_boxes(&mut random, 1 + round % 6, round % 4 == 0);
        let solid = shape(boxes.mesh());
        let origin = random.vector(1.2);
        let direction = point_in(&boxes, &mut random, false) - origin;
        let expected = boxes.intervals(origin, direction);
        let along = Ray::new(origin, direction, f64::INFINITY).unwrap();
        let found = ray_all(&solid, &HERE, &along);
        assert_eq!(found.intervals.len(), expected.len(), "round {round}: {found:?} but {expected:?}");
        for (span, expected) in found.intervals.iter().zip(&expected) {
            for k in 0..2 {
                assert!((span[k] - expected[k]).abs() < 1e-12, "round {round}: {span:?} but {expected:?}");
            }
        }
        let count = |crossing| found.hits.iter().filter(|passage| passage.crossing == crossing).count();
        let starts_inside = expected.first().is_some_and(|span| span[0] == 0.0);
        let [enter, exit] = [RayCrossing::Enter, RayCrossing::Exit].map(count);
        assert_eq!((enter + usize::from(starts_inside), exit), (expected.len(), expected.len()), "round {round}");
        joined += usize::from(found.hits.len() > enter + exit);
        let first = ray(&solid, &HERE, &along);
        assert_eq!(first.map(|hit| hit.t == 0.0), expected.first().map(|span| span[0] == 0.0), "round {round}");
        if let (Some(first), true) = (first, starts_inside) {
            // The triangle through which it leaves.
            let exit = found.hits.iter().find(|passage| passage.crossing == RayCrossing::Exit).unwrap();
            assert_eq!(first.primitive, exit.hit.primitive, "round {round}");
        }
    }
    assert!(joined > 20, "{joined} rays passed faces inside");
}

#[test]
fn what_is_inside_follows_a_deformation() {
    let boxes = BoxUnion::new(vec![block([0.0; 3], [1.0; 3]), block([0.5, 0.25, 0.25], [1.5, 1.25, 1.25])]);
    let mut solid = shape(boxes.mesh());
    let point = Vec3::new(0.75, 0.5, 0.5);
    assert!((closest(&solid, &HERE, point).distance - 0.125f64.sqrt()).abs() < 1e-15);
    // The second box goes away.
    let moved: Vec<Vec3> =
        solid.mesh().vertices().iter().enumerate().map(|(k, v)| if k < 8 { *v } else { *v + Vec3::X * 8.0 }).collect();
    solid.deform(&moved).unwrap();
    assert_eq!(closest(&solid, &HERE, point).distance, 0.25);
    assert!((solid_measures(&solid).unwrap().volume - 2.0).abs() < 1e-14);
}

#[test]
fn hostile_shells_end_and_keep_their_error() {
    // All through each other, and needles, and all corners of each other on their faces.
    let mut random = Random::new(45);
    let many: Vec<TriMesh> =
        (0..24).map(|_| generate::tetrahedron(1.0).unwrap().transformed(&random.pose(0.1)).unwrap()).collect();
    let needles: Vec<TriMesh> = (0..12)
        .map(|k| {
            generate::cuboid([1.0, 1e-7, 1e-9 * f64::from(k + 1)]).unwrap().transformed(&random.pose(0.01)).unwrap()
        })
        .collect();
    let turned: Vec<TriMesh> = (0..8)
        .map(|k| {
            let pose = Pose::from_quaternion(
                [0.0, 0.0, f64::from(k).sin(), f64::from(k).cos()],
                Vec3::Z * (f64::from(k) * 1e-15),
            );
            generate::cuboid([1.0, 1.0, 0.5]).unwrap().transformed(&pose.unwrap()).unwrap()
        })
        .collect();
    for (name, parts) in [("many", many), ("needles", needles), ("turned", turned)] {
        let solid = shape(together(&parts));
        for _ in 0..10 {
            let point = random.vector(0.3);
            let found = closest(&solid, &HERE, point);
            if found.inside != Some(true) {
                continue;
            }
            let outside = |at: Vec3| winding_number(&solid, &HERE, at) == Location::Winding(0);
            for _ in 0..30 {
                let near = random.vector(1.0).normalize_or(Vec3::X) * ((found.distance - found.error).max(0.0) * 0.999);
                assert!(!outside(point + near), "{name}: {found:?} {near}");
            }
        }
        let measured = solid_measures(&solid).unwrap();
        assert!(measured.volume.is_finite() && measured.volume_error.is_finite(), "{name}: {measured:?}");
    }
}

/// A cube of side 2, an edge of it cut in two on one side, with triangles without area that close the gap.
fn cube_with_flat_triangles(inside_out: bool) -> TriMesh {
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let (mut vertices, mut triangles) = (cube.vertices().to_vec(), cube.triangles().to_vec());
    let [a, b, c] = triangles.swap_remove(0);
    let middle = vertices.len() as u32;
    vertices.push((vertices[a as usize] + vertices[b as usize]) * 0.5);
    vertices.push((vertices[a as usize] + vertices[middle as usize]) * 0.5);
    let quarter = middle + 1;
    triangles.extend([[a, quarter, c], [quarter, middle, c], [middle, b, c], [a, middle, quarter], [a, b, middle]]);
    if inside_out {
        triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn triangles_without_area_change_nothing_about_a_simple_solid() {
    for inside_out in [false, true] {
        let flat = cube_with_flat_triangles(inside_out);
        let mut collapsed = flat.triangles().to_vec();
        collapsed.extend([[0, 0, collapsed[0][0]], [1, 1, 1]]);
        let edge = collapsed[0];
        collapsed.push([edge[0], edge[1], edge[1]]);
        let collapsed = TriMesh::new(flat.vertices().to_vec(), collapsed).unwrap();
        for mesh in [flat, collapsed] {
            let plain = measures(&mesh);
            let solid = shape(mesh);
            assert!(!has_inner_faces(&solid), "inside out: {inside_out}");
            let measured = solid_measures(&solid).unwrap();
            let expected = if inside_out { -8.0 } else { 8.0 };
            assert!((measured.volume - expected).abs() <= measured.volume_error, "{measured:?}");
            assert!((plain.volume.unwrap() - expected).abs() < 1e-12);
            assert!((measured.area - 24.0).abs() <= measured.area_error && measured.area_error < 1e-12);
            let [one, other] = [plain.inertia.unwrap(), measured.inertia.unwrap()];
            assert!((one - other).to_cols_array().iter().all(|x| x.abs() < 1e-12), "{one} {other}");
            assert!((plain.centroid.unwrap() - measured.centroid.unwrap()).length() < 1e-14);
            let found = closest(&solid, &HERE, Vec3::new(0.25, 0.125, 0.75));
            is_within_error(&found, -0.25, "a cube");
        }
    }
}

#[test]
fn a_hair_inside_a_solid_is_no_boundary() {
    // Two triangles without area, back to back.
    let cube = generate::cuboid([1.0; 3]).unwrap();
    let (mut vertices, mut triangles) = (cube.vertices().to_vec(), cube.triangles().to_vec());
    vertices.extend([0.0, 0.25, 0.5].map(|x| Vec3::new(x, 0.0, 0.0)));
    triangles.extend([[8, 9, 10], [10, 9, 8]]);
    let solid = shape(TriMesh::new(vertices, triangles).unwrap());
    is_within_error(&closest(&solid, &HERE, Vec3::new(0.25, 0.0, 0.125)), -0.75, "beside the hair");
}

#[test]
fn surfaces_that_pass_through_themselves_are_measured_on_both_sides() {
    // A prism over an eight: one half of it is inside out.
    let eight = [[-1.0, -1.0], [1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]];
    let at = |z: f64| eight.map(|[x, y]| Vec3::new(x, y, z));
    let mut vertices: Vec<Vec3> = at(0.0).into_iter().chain(at(1.0)).collect();
    vertices.extend([Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0)]);
    let mut triangles = Vec::new();
    for k in 0..4 {
        let next = (k + 1) % 4;
        triangles.extend([[k, next, 4 + next], [k, 4 + next, 4 + k], [next, k, 8], [4 + k, 4 + next, 9]]);
    }
    let solid = shape(TriMesh::new(vertices, triangles).unwrap());
    let measured = solid_measures(&solid).unwrap();
    assert!(has_inner_faces(&solid));
    assert!((measured.volume - 2.0).abs() <= measured.volume_error && measured.volume_error < 1e-12, "{measured:?}");
}

#[test]
fn a_ray_that_leaves_many_plates_costs_no_more_than_in_proportion() {
    // Each overlaps with the next; the ray goes through their faces, or along the diagonals of these.
    let plates = |count: u32| {
        let one = |k: u32| block([f64::from(k), -1.0, -1.0], [f64::from(k) + 1.5, 1.0, 1.0]);
        shape(BoxUnion::new((0..count).map(one).collect()).mesh())
    };
    for aside in [Vec3::new(0.0, 0.125, 0.25), Vec3::ZERO] {
        let work_of = |count: u32| {
            let along = Ray::new(aside + Vec3::X * 1.25, Vec3::X, f64::INFINITY).unwrap();
            let solid = plates(count);
            let (hit, work) = counted(ray_with(&solid, &HERE, &along, &RayOptions::default()));
            // The last two triangles of the mesh that face along x are those of the exit.
            let exit = hit.unwrap().primitive;
            let corners = solid.mesh().corners(exit);
            assert!(corners.iter().all(|corner| corner.x == f64::from(count) + 0.5), "{corners:?}");
            work.primitives + work.volumes
        };
        let (few, many) = (work_of(200), work_of(800));
        assert!(many < 6 * few, "{few} for 200 plates, {many} for 800");
    }
    // The first exit is found without a look at what is behind it.
    let behind: Vec<SignedBox> =
        (0..400).map(|k| block([f64::from(3 * k), 0.0, 0.0], [f64::from(3 * k) + 1.0, 1.0, 1.0])).collect();
    let inner = block([0.0, 0.0, 0.0], [0.5, 1.0, 1.0]);
    let solid = shape(BoxUnion::new(behind.into_iter().chain([inner]).collect()).mesh());
    let along = Ray::new(Vec3::new(0.25, 0.375, 0.25), Vec3::X, f64::INFINITY).unwrap();
    let exit = ray(&solid, &HERE, &along).unwrap().primitive;
    assert!(solid.mesh().corners(exit).iter().all(|corner| corner.x == 1.0));
}

#[test]
fn far_from_the_origin_the_error_covers_what_is_rounded_there() {
    let mut random = Random::new(46);
    let mut deep = 0;
    for round in 0..40 {
        let boxes = random_boxes(&mut random, 3, false);
        let solid = shape(boxes.mesh());
        let mut pose = random.pose(1.0);
        let far = random.vector(1.0).normalize_or(Vec3::X) * [1e3, 1e6, 1e9][round % 3];
        pose = Pose::from_matrix(*pose.rotation(), far).unwrap();
        let point = pose.place(point_in(&boxes, &mut random, false));
        let found = closest(&solid, &pose, point);
        if found.inside != Some(true) || found.distance <= found.error {
            continue;
        }
        deep += 1;
        assert!(found.error < 1e-13 * far.length(), "round {round}: {found:?}");
        let out = (found.point - point).normalize_or(Vec3::X);
        let at = |reach: f64| winding_number(&solid, &pose, point + out * reach);
        // What the point itself rounds.
        let ulp = 4.0 * f64::EPSILON * far.length();
        assert_ne!(at((found.distance - found.error - ulp).max(0.0)), Location::Winding(0), "round {round}: {found:?}");
        assert_eq!(at(found.distance + found.error + ulp), Location::Winding(0), "round {round}: {found:?}");
    }
    assert!(deep > 15, "{deep} points inside");
}
