//! Contacts of flush faces: the same points in any orientation and position as for the axis-aligned twin.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Contact, contact, overlap};
use heurt_shape::{Compound, Convex, MeshShape, Shape};
use heurt_testkit::number::random::Random;

/// The same solid as a mesh, a hull and a compound of one or two parts.
struct Solid {
    mesh: TriMesh,
    parts: Vec<TriMesh>,
}

impl Solid {
    fn convex(mesh: TriMesh) -> Self {
        Self { parts: vec![mesh.clone()], mesh }
    }

    /// The solid in all kinds, with whether its faces are single facets.
    fn kinds(&self) -> Vec<(&'static str, Shape)> {
        let hull = |mesh: &TriMesh| Convex::hull(mesh.vertices()).unwrap();
        let at = Pose::IDENTITY;
        let mut kinds: Vec<(&'static str, Shape)> = vec![("mesh", MeshShape::new(self.mesh.clone()).unwrap().into())];
        if self.parts.len() == 1 {
            kinds.push(("hull", hull(&self.mesh).into()));
        }
        let parts: Vec<_> = self.parts.iter().map(|part| (Shape::from(hull(part)), at)).collect();
        kinds.push(("compound", Compound::new(parts).unwrap().into()));
        kinds
    }
}

fn moved(mesh: &TriMesh, shift: Vec3) -> TriMesh {
    TriMesh::new(mesh.vertices().iter().map(|&v| v + shift).collect(), mesh.triangles().to_vec()).unwrap()
}

fn cuboid(half: [f64; 3], at: [f64; 3]) -> TriMesh {
    moved(&generate::cuboid(half).unwrap(), Vec3::from_array(at))
}

/// A box turned by a quarter of a right angle and stretched: its corners are dyadic.
fn diamond(at: [f64; 3]) -> TriMesh {
    let corners = [[0.75, 0.0], [0.0, 0.75], [-0.75, 0.0], [0.0, -0.75]];
    let vertices: Vec<Vec3> = [-0.25, 0.25]
        .iter()
        .flat_map(|&z| corners.map(|[x, y]| Vec3::new(x, y, z)))
        .map(|v| v + Vec3::from_array(at))
        .collect();
    let triangles = vec![
        [0, 2, 1],
        [0, 3, 2],
        [4, 5, 6],
        [4, 6, 7],
        [0, 1, 5],
        [0, 5, 4],
        [1, 2, 6],
        [1, 6, 5],
        [2, 3, 7],
        [2, 7, 6],
        [3, 0, 4],
        [3, 4, 7],
    ];
    TriMesh::new(vertices, triangles).unwrap()
}

/// The corners of an L.
const ELL: [[f64; 2]; 6] = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.0], [0.0, 0.0], [0.0, 0.5], [-0.5, 0.5]];

/// An L-shaped prism between z = -1/4 and 1/4, moved.
fn ell(at: [f64; 3]) -> Solid {
    let vertices: Vec<Vec3> =
        [-0.25, 0.25].iter().flat_map(|&z| ELL.map(|[x, y]| Vec3::new(x, y, z) + Vec3::from_array(at))).collect();
    let mut triangles = Vec::new();
    for [a, b, c] in [[0, 1, 3], [1, 2, 3], [0, 3, 5], [3, 4, 5]] {
        triangles.push([a, c, b]);
        triangles.push([a + 6, b + 6, c + 6]);
    }
    for k in 0..6 {
        let n = (k + 1) % 6;
        triangles.push([k, n, n + 6]);
        triangles.push([k, n + 6, k + 6]);
    }
    let [x, y, z] = at;
    Solid {
        mesh: TriMesh::new(vertices, triangles).unwrap(),
        parts: vec![cuboid([0.5, 0.25, 0.25], [x, y - 0.25, z]), cuboid([0.25, 0.25, 0.25], [x - 0.25, y + 0.25, z])],
    }
}

/// Pairs of solids whose faces are flush at z = 0, A below, with the corners of the polygon that the faces share.
fn pairs() -> Vec<(&'static str, Solid, Solid, Vec<[f64; 2]>)> {
    let square = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let below = |half: f64| Solid::convex(cuboid([half, half, 0.25], [0.0, 0.0, -0.25]));
    let above = |half: f64, x: f64, y: f64| Solid::convex(cuboid([half, half, 0.25], [x, y, 0.25]));
    vec![
        ("the same face", below(0.5), above(0.5, 0.0, 0.0), square.to_vec()),
        ("a small box on a large one", below(2.0), above(0.5, 0.0, 0.0), square.to_vec()),
        ("a large box on a small one", below(0.5), above(2.0, 0.0, 0.0), square.to_vec()),
        (
            "a corner over a corner",
            below(0.5),
            above(0.5, 0.25, 0.5),
            vec![[-0.25, 0.0], [0.5, 0.0], [0.5, 0.5], [-0.25, 0.5]],
        ),
        (
            "one side in common",
            below(0.5),
            above(0.25, 0.25, 0.0),
            vec![[0.0, -0.25], [0.5, -0.25], [0.5, 0.25], [0.0, 0.25]],
        ),
        (
            "a diamond on a square",
            below(0.5),
            Solid::convex(diamond([0.0, 0.0, 0.25])),
            vec![
                [-0.5, -0.25],
                [-0.25, -0.5],
                [0.25, -0.5],
                [0.5, -0.25],
                [0.5, 0.25],
                [0.25, 0.5],
                [-0.25, 0.5],
                [-0.5, 0.25],
            ],
        ),
        ("an L on a square", below(0.5), ell([0.0, 0.0, 0.25]), ELL.to_vec()),
    ]
}

fn pushed(pose: &Pose, local: Vec3) -> Pose {
    pose.compose(&Pose::from_translation(local).unwrap())
}

/// Checks that the points are the given ones, once each, at a separation of `gap`, with the normal of the face.
fn has_points(found: &Contact, pose: &Pose, points: &[Vec3], gap: f64, margin: f64, what: &str) {
    let size = 1.0 + pose.translation().abs().max_element();
    let tolerance = 1e-11 * size;
    for point in &found.points {
        assert!((point.separation - gap).abs() <= tolerance, "{what}: {point:?}");
        assert!(point.separation <= margin, "{what}: {point:?} is beyond the margin of {margin}");
        assert!((point.normal - *pose.rotation() * Vec3::Z).length() < 1e-9, "{what}: {point:?}");
    }
    assert!((found.normal - *pose.rotation() * Vec3::Z).length() < 1e-9, "{what}: {found:?}");
    for point in points {
        let placed = pose.place(*point);
        let count = found.points.iter().filter(|point| (point.point - placed).length() <= tolerance).count();
        assert_eq!(count, 1, "{what}: {point} of {:#?}", found.points);
    }
    assert_eq!(found.points.len(), points.len(), "{what}: {:#?}", found.points);
}

/// Gaps between the faces, and margins.
const GAPS: [(f64, f64); 6] = [(0.0, 0.0), (0.0, 1e-6), (0.0, 0.25), (0.125, 0.125), (0.125, 0.25), (-0.125, 0.0)];

#[test]
fn flush_faces_have_all_corners_of_what_they_share_in_any_orientation_and_position() {
    let mut random = Random::new(11);
    let (mut touching, mut all) = (0, 0);
    for (name, a, b, corners) in pairs() {
        for (kind_a, shape_a) in a.kinds() {
            for (kind_b, shape_b) in b.kinds() {
                for (gap, margin) in GAPS {
                    let over = |pose: &Pose| pushed(pose, Vec3::Z * gap);
                    let here = Pose::IDENTITY;
                    let twin = contact(&shape_a, &here, &shape_b, &over(&here), margin).expect("they are in reach");
                    let points: Vec<Vec3> = twin.points.iter().map(|point| point.point).collect();
                    let what = format!("{name}: {kind_a} {kind_b} {gap} {margin}");
                    // Parts of a compound have corners where they join.
                    if kind_b != "compound" || b.parts.len() == 1 {
                        let corners: Vec<Vec3> = corners.iter().map(|&[x, y]| Vec3::new(x, y, 0.5 * gap)).collect();
                        has_points(&twin, &here, &corners, gap, margin, &what);
                    }
                    for round in 0..3 {
                        let pose = random.pose([0.0, 1.0, 1e3][round % 3]);
                        let what = format!("{what}, round {round}");
                        let Some(found) = contact(&shape_a, &pose, &shape_b, &over(&pose), margin) else {
                            let is_disjoint = overlap(&shape_a, &pose, &shape_b, &over(&pose)).is_none();
                            assert!(is_disjoint && gap == margin, "{what}");
                            continue;
                        };
                        all += 1;
                        touching += usize::from(gap == 0.0 && margin == 0.0);
                        has_points(&found, &pose, &points, gap, margin, &what);
                    }
                }
            }
        }
    }
    assert!(touching > 30 && all > 600, "{touching} of {all}");
}

#[test]
fn flush_faces_of_turned_vertices_have_all_corners_of_what_they_share() {
    let mut random = Random::new(12);
    let mut all = 0;
    for (name, a, b, corners) in pairs() {
        for round in 0..3 {
            let pose = random.pose([0.0, 1.0, 1e3][round % 3]);
            let turned = |solid: &Solid| {
                let placed = |mesh: &TriMesh| mesh.transformed(&pose).unwrap();
                Solid { mesh: placed(&solid.mesh), parts: solid.parts.iter().map(placed).collect() }
            };
            let (turned_a, turned_b) = (turned(&a), turned(&b));
            for (kind_a, shape_a) in turned_a.kinds() {
                for (kind_b, shape_b) in turned_b.kinds() {
                    let what = format!("{name}: {kind_a} {kind_b}, round {round}");
                    if kind_b == "compound" && b.parts.len() > 1 {
                        continue;
                    }
                    for margin in [0.0, 1e-6, 0.25] {
                        let here = Pose::IDENTITY;
                        let Some(found) = contact(&shape_a, &here, &shape_b, &here, margin) else {
                            assert!(margin == 0.0 && overlap(&shape_a, &here, &shape_b, &here).is_none(), "{what}");
                            continue;
                        };
                        all += 1;
                        let corners: Vec<Vec3> = corners.iter().map(|&[x, y]| Vec3::new(x, y, 0.0)).collect();
                        has_points(&found, &pose, &corners, 0.0, margin, &what);
                    }
                }
            }
        }
    }
    assert!(all > 200, "{all}");
}

#[test]
fn the_shared_face_of_two_boxes_off_the_planes_of_coordinates_has_its_four_corners() {
    // Report 11: points that round to 1e-16 above 0 were dropped.
    let cube = |x: f64| MeshShape::new(cuboid([0.5; 3], [x, 0.5, 0.5])).unwrap();
    let moved = Pose::from_translation(Vec3::X).unwrap();
    for (b, pose) in [(cube(1.5), Pose::IDENTITY), (cube(0.5), moved)] {
        let found = contact(&cube(0.5), &Pose::IDENTITY, &b, &pose, 0.0).unwrap();
        assert_eq!(found.normal, Vec3::X);
        for (y, z) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
            let corner = Vec3::new(1.0, y, z);
            let at = |point: &&heurt_query::ContactPoint| (point.point - corner).length() < 1e-12;
            let point = found.points.iter().find(at).unwrap_or_else(|| panic!("{corner}: {:?}", found.points));
            assert!(point.separation <= 0.0 && point.separation > -1e-12, "{point:?}");
        }
        assert_eq!(found.points.len(), 4);
    }
}

#[test]
fn faces_inside_a_solid_of_overlapping_shells_have_no_contact_points() {
    // Two boxes that share a slab, one on top of the other; a small box comes down on the upper one, deeper than the
    // slab is thick.
    let shells = |low: f64| {
        let (one, other) = (cuboid([1.0, 1.0, 0.5], [0.0, 0.0, -0.5]), cuboid([1.0, 1.0, 0.5], [0.0, 0.0, -1.0 + low]));
        let first = one.vertices().len() as u32;
        let vertices = [one.vertices(), other.vertices()].concat();
        let triangles = one.triangles().iter().copied().chain(other.triangles().iter().map(|t| t.map(|v| v + first)));
        MeshShape::new(TriMesh::new(vertices, triangles.collect()).unwrap()).unwrap()
    };
    let solid = shells(0.375);
    let small = MeshShape::new(cuboid([0.25; 3], [0.0, 0.0, 0.25])).unwrap();
    let (here, down) = (Pose::IDENTITY, Pose::from_translation(Vec3::Z * -0.25).unwrap());
    let found = contact(&solid, &here, &small, &down, 0.0).unwrap();
    assert!((found.separation + 0.25).abs() < 1e-12 && found.normal == Vec3::Z, "{found:?}");
    assert_eq!(found.points.len(), 4, "{:#?}", found.points);
    for point in &found.points {
        // The middle between the top at 0 and the lower face of the small box at −0.25.
        assert!((point.point.z + 0.125).abs() < 1e-9 && (point.separation + 0.25).abs() < 1e-9, "{point:?}");
    }
}

#[test]
fn a_face_inside_a_solid_has_no_contacts_however_far_away() {
    // The top of the second block is a millimetre inside the first, and within the margin of what lies on it.
    let (first, second) = (cuboid([1.0, 1.0, 0.5], [0.0; 3]), cuboid([0.5, 0.5, 0.25], [0.0, 0.0, 0.249]));
    let count = first.vertices().len() as u32;
    let vertices = first.vertices().iter().chain(second.vertices()).copied().collect();
    let inner = second.triangles().iter().map(|t| t.map(|corner| corner + count));
    let triangles = first.triangles().iter().copied().chain(inner).collect();
    let solid = MeshShape::new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
    let lid = MeshShape::new(cuboid([0.75, 0.75, 0.5], [0.0, 0.0, 1.0])).unwrap();
    for far in [0.0, 1e6] {
        let pose = Pose::from_translation(Vec3::splat(far)).unwrap();
        let found = contact(&solid, &pose, &lid, &pose, 0.01).unwrap();
        assert_eq!(found.points.len(), 4, "{far}: {:?}", found.points);
        assert!(found.points.iter().all(|point| point.separation.abs() < 1e-6), "{far}: {:?}", found.points);
    }
}

#[test]
fn discs_cut_into_fans_are_near_each_other_at_their_rims() {
    // Prisms over regular polygons, each end a fan around a vertex in the middle.
    let prism = |sides: u32, low: f64, high: f64| {
        let ring = |z: f64| {
            (0..sides).map(move |k| {
                let angle = f64::from(k) * std::f64::consts::TAU / f64::from(sides);
                Vec3::new(angle.cos(), angle.sin(), z)
            })
        };
        let vertices: Vec<Vec3> =
            ring(low).chain(ring(high)).chain([Vec3::new(0.0, 0.0, low), Vec3::new(0.0, 0.0, high)]).collect();
        let of_side = |k: u32| {
            let (next, up, up_next) = ((k + 1) % sides, sides + k, sides + (k + 1) % sides);
            [[k, next, up_next], [k, up_next, up], [next, k, 2 * sides], [up, up_next, 2 * sides + 1]]
        };
        MeshShape::new(TriMesh::new(vertices, (0..sides).flat_map(of_side).collect()).unwrap()).unwrap()
    };
    for sides in [12, 32] {
        let gap = 1.0 / 1024.0;
        let [below, above] = [prism(sides, -1.0, 0.0), prism(sides, gap, 1.0)];
        let found = contact(&below, &Pose::IDENTITY, &above, &Pose::IDENTITY, 2.0 * gap).unwrap();
        assert!(found.points.len() >= 3, "{sides}: {:?}", found.points);
        for point in &found.points {
            assert!(point.normal.z > 0.999_999 && (point.separation - gap).abs() < 1e-12, "{sides}: {point:?}");
            let radius = point.point.truncate().length();
            assert!((radius - 1.0).abs() < 1e-6, "{sides}: a point in the middle of the face: {point:?}");
        }
    }
}
