//! Surface patches: closed sets, bounds, seams, and the errors of their data.

use heurt_geometry::Vec3;
use heurt_mesh::{Topology, measures};
use heurt_solid::{PatchError, PatchSet, SurfacePatch};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

const QUARTER: [f64; 6] = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];

fn quadratic(point: impl Fn(usize, usize) -> [f64; 3]) -> SurfacePatch {
    let weight = [1.0, FRAC_1_SQRT_2, 1.0];
    let points = (0..3).map(|i| (0..3).map(|j| Vec3::from(point(i, j))).collect()).collect();
    let weights = (0..3).map(|i| (0..3).map(|j| weight[i] * weight[j]).collect()).collect();
    SurfacePatch::new([2, 2], [QUARTER.to_vec(), QUARTER.to_vec()], points, weights).expect("legal")
}

/// Eight octants of a sphere of radius 1. Every mirror image is reversed along u, so that normals point outward.
fn sphere() -> PatchSet {
    let (ring, profile) = ([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
    let octant = |signs: [f64; 3]| {
        let is_mirrored = signs.iter().product::<f64>() < 0.0;
        quadratic(|i, j| {
            let [x, y] = ring[if is_mirrored { 2 - i } else { i }];
            let [rho, z] = profile[j];
            [signs[0] * rho * x, signs[1] * rho * y, signs[2] * z]
        })
    };
    let sign = |bit: usize| if bit == 0 { 1.0 } else { -1.0 };
    PatchSet::new((0..8).map(|k| octant([sign(k & 1), sign(k >> 1 & 1), sign(k >> 2)])).collect()).expect("eight")
}

/// Sixteen quarters of quarters of a torus around z, its radii 2 and 0.5.
fn torus() -> PatchSet {
    let corner = |quarter: usize, [x, y]: [f64; 2]| match quarter {
        0 => [x, y],
        1 => [-y, x],
        2 => [-x, -y],
        _ => [y, -x],
    };
    let arc = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let patch = |a: usize, b: usize| {
        quadratic(|i, j| {
            let ([x, y], [rho, z]) = (corner(a, arc[i]), corner(b, arc[j]));
            let radius = 2.0 + 0.5 * rho;
            [radius * x, radius * y, 0.5 * z]
        })
    };
    PatchSet::new((0..16).map(|k| patch(k / 4, k % 4)).collect()).expect("sixteen")
}

#[test]
fn a_sphere_of_eight_patches_converges_to_its_volume() {
    let exact = 4.0 / 3.0 * PI;
    let mut errors = Vec::new();
    for tolerance in [1e-1, 1e-2, 1e-3, 1e-4] {
        let found = sphere().tessellate(tolerance).expect("legal");
        assert!(found.deviation <= tolerance);
        let topology = Topology::new(&found.mesh);
        assert!(topology.is_closed() && topology.is_manifold() && topology.is_oriented());
        let measured = measures(&found.mesh);
        assert_eq!((measured.components, measured.genus), (1, Some(0)));
        let mut worst: f64 = 0.0;
        for index in 0..found.mesh.triangles().len() as u32 {
            let [a, b, c] = found.mesh.corners(index);
            for point in [a, b, c, (a + b) * 0.5, (b + c) * 0.5, (c + a) * 0.5, (a + b + c) / 3.0] {
                worst = worst.max((point.length() - 1.0).abs());
                assert!(worst <= found.deviation, "{point} of {tolerance}");
            }
        }
        let error = exact - measured.volume.expect("closed");
        println!("bound {:e}, largest sample {worst:e}", found.deviation);
        println!(
            "tolerance {tolerance}: {:?} segments, {} triangles, volume error {error:e}",
            found.segments,
            found.mesh.triangles().len()
        );
        assert!(error > 0.0 && error <= measured.area * tolerance);
        errors.push((error, found.mesh.triangles().len() as f64));
    }
    for pair in errors.windows(2) {
        let refined = pair[1].1 / pair[0].1;
        let ratio = pair[0].0 / pair[1].0;
        assert!((0.6..1.7).contains(&(ratio / refined)), "the error is inverse to the triangles: {errors:?}");
    }
}

#[test]
fn a_torus_of_sixteen_patches_converges_to_its_volume() {
    let exact = 2.0 * PI * PI * 2.0 * 0.25;
    for tolerance in [1e-1, 1e-2, 1e-3] {
        let found = torus().tessellate(tolerance).expect("legal");
        let measured = measures(&found.mesh);
        assert_eq!((measured.components, measured.genus), (1, Some(1)), "{tolerance}");
        let volume = measured.volume.expect("closed");
        println!(
            "tolerance {tolerance}: {} triangles, volume error {:e}",
            found.mesh.triangles().len(),
            exact - volume
        );
        assert!((volume - exact).abs() <= measured.area * tolerance);
        for index in 0..found.mesh.triangles().len() as u32 {
            let [a, b, c] = found.mesh.corners(index);
            let middle = (a + b + c) / 3.0;
            let distance = (middle.x.hypot(middle.y) - 2.0).hypot(middle.z) - 0.5;
            assert!(distance.abs() <= found.deviation);
        }
    }
}

/// A wavy bicubic B-spline patch with inner knots, its control points from a sine without symmetry.
fn spline(rows: usize, columns: usize) -> SurfacePatch {
    let knots = |count: usize| {
        let inner = (1..count - 3).map(|k| k as f64);
        [0.0; 4].into_iter().chain(inner).chain([(count - 3) as f64; 4]).collect::<Vec<f64>>()
    };
    let point = |i: usize, j: usize| Vec3::new(i as f64, j as f64, ((i * 7 + j * 3) as f64).sin());
    let points: Vec<Vec<Vec3>> = (0..rows).map(|i| (0..columns).map(|j| point(i, j)).collect()).collect();
    let weights = (0..rows).map(|i| (0..columns).map(|j| 1.0 + 0.3 * ((i + 2 * j) as f64).cos()).collect()).collect();
    SurfacePatch::new([3, 3], [knots(rows), knots(columns)], points, weights).expect("legal")
}

/// Finds the parameters of the vertices along a line of `pieces` pieces: each piece has a power of two of segments.
fn parameters(pieces: usize, vertex: impl Fn(usize) -> Vec3, at: impl Fn(f64) -> Vec3) -> Vec<f64> {
    let mut found = vec![0.0];
    for piece in 0..pieces {
        let next = vertex(found.len());
        let is_step = |n: &u32| (at(piece as f64 + 1.0 / f64::from(*n)) - next).length() < 1e-12;
        let number = (0..10).map(|level| 1 << level).find(is_step).expect("a power of two");
        found.extend((1..=number).map(|step| piece as f64 + f64::from(step) / f64::from(number)));
    }
    found
}

#[test]
fn the_grid_of_a_spline_is_its_surface_within_the_bound() {
    let patch = spline(7, 6);
    let set = PatchSet::new(vec![patch.clone()]).expect("one");
    for tolerance in [0.1, 0.01] {
        let found = set.tessellate(tolerance).expect("legal");
        let at = |u: f64, v: f64| patch.point_at(u, v).expect("inside");
        let vertices = found.mesh.vertices();
        let along_v = parameters(3, |k| vertices[k], |v| at(0.0, v));
        let along_u = parameters(4, |k| vertices[k * along_v.len()], |u| at(u, 0.0));
        assert_eq!(vertices.len(), along_u.len() * along_v.len());
        assert_eq!(found.mesh.triangles().len(), 2 * (along_u.len() - 1) * (along_v.len() - 1));
        let mut worst: f64 = 0.0;
        let mut squares = along_u.windows(2).flat_map(|u| along_v.windows(2).map(move |v| [u[0], u[1], v[0], v[1]]));
        squares.by_ref().for_each(|[u, end_u, v, end_v]| {
            let corner = [at(u, v), at(end_u, v), at(end_u, end_v)];
            for [a, b, c] in [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0], [0.3, 0.3, 0.4], [0.2, 0.6, 0.2]] {
                let flat = corner[0] * a + corner[1] * b + corner[2] * c;
                worst = worst.max((at(u + (b + c) * (end_u - u), v + c * (end_v - v)) - flat).length());
            }
        });
        println!("tolerance {tolerance}: {:?} segments, bound {}, sample {worst}", found.segments, found.deviation);
        assert!(worst <= found.deviation && found.deviation <= 4.0 * worst);
        // Vertices by de Casteljau agree with de Boor.
        for (&u, row) in along_u.iter().zip(vertices.chunks(along_v.len())) {
            for (&v, vertex) in along_v.iter().zip(row) {
                assert!((*vertex - at(u, v)).length() < 1e-12, "{u}, {v}");
            }
        }
    }
}

/// Two patches with one border in opposite directions.
#[test]
fn a_border_in_opposite_directions_has_the_same_vertices() {
    let first = spline(7, 6);
    let border = |points: &[Vec<Vec3>]| points.iter().map(|row| row[0]).collect::<Vec<_>>();
    // The mirror image at y = 0, reversed along u.
    let mirror = |p: &Vec3| Vec3::new(p.x, -p.y, p.z);
    let points: Vec<Vec<Vec3>> = first.points().iter().rev().map(|row| row.iter().map(mirror).collect()).collect();
    let weights = first.weights().iter().rev().cloned().collect();
    let knots = [first.knots(0), first.knots(1)].map(<[f64]>::to_vec);
    let second = SurfacePatch::new([3, 3], knots, points, weights).expect("legal");
    assert_eq!(border(first.points()), border(second.points()).into_iter().rev().collect::<Vec<_>>());
    let alone = PatchSet::new(vec![first.clone()]).expect("one").tessellate(0.05).expect("legal").mesh;
    let shared = alone.vertices().iter().filter(|vertex| vertex.y == 0.0).count();
    let found = PatchSet::new(vec![first, second]).expect("two").tessellate(0.05).expect("legal");
    let topology = Topology::new(&found.mesh);
    assert!(shared > 8);
    assert_eq!(found.mesh.vertices().len(), 2 * alone.vertices().len() - shared);
    assert!(topology.is_oriented() && topology.is_manifold());
}

/// A quarter of a cylinder of radius 1 and height 2 around z.
fn quarter_cylinder() -> SurfacePatch {
    let row = |[x, y]: [f64; 2]| vec![Vec3::new(x, y, 0.0), Vec3::new(x, y, 2.0)];
    let weights = [1.0, FRAC_1_SQRT_2, 1.0].map(|weight| vec![weight; 2]).to_vec();
    let points = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(row).to_vec();
    SurfacePatch::new([2, 1], [QUARTER.to_vec(), vec![0.0, 0.0, 1.0, 1.0]], points, weights).expect("legal")
}

#[test]
fn a_ruled_patch_has_one_segment_along_its_lines() {
    for (tolerance, segments) in [(1e-2, 8), (1e-3, 32), (1e-4, 64), (1e-6, 1024)] {
        let found = PatchSet::new(vec![quarter_cylinder()]).expect("one").tessellate(tolerance).expect("legal");
        assert_eq!(found.segments, [1, segments], "{tolerance}");
        assert_eq!(found.mesh.triangles().len(), 2 * segments as usize);
        // The height of the largest arc over its chord.
        let mut arcs: Vec<Vec3> = found.mesh.vertices().iter().copied().filter(|point| point.z == 0.0).collect();
        arcs.sort_by(|a, b| b.x.total_cmp(&a.x));
        let height = |pair: &[Vec3]| 1.0 - ((pair[0] + pair[1]) * 0.5).length();
        let exact = arcs.windows(2).map(height).fold(0.0, f64::max);
        println!("tolerance {tolerance:e}: bound {:e}, exact {exact:e}", found.deviation);
        assert!(exact <= found.deviation && found.deviation <= 1.2 * exact, "{tolerance}: {exact:e}, {found:?}");
    }
}

/// A closed cylinder: four quarters, and eight quarters of discs with a border that is one point.
fn cylinder() -> PatchSet {
    let turned = |quarter: usize, p: Vec3| match quarter {
        0 => p,
        1 => Vec3::new(-p.y, p.x, p.z),
        2 => Vec3::new(-p.x, -p.y, p.z),
        _ => Vec3::new(p.y, -p.x, p.z),
    };
    let all = (0..4).flat_map(|quarter| {
        let side = quarter_cylinder();
        let moved = |patch: &SurfacePatch, place: &dyn Fn([Vec3; 2]) -> [Vec3; 2]| {
            let rows = patch.points().iter().map(|row| place([row[0], row[1]]).map(|p| turned(quarter, p)).to_vec());
            let knots = [0, 1].map(|axis| patch.knots(axis).to_vec());
            SurfacePatch::new([2, 1], knots, rows.collect(), patch.weights().to_vec()).expect("legal")
        };
        let [floor, roof] = [Vec3::ZERO, Vec3::new(0.0, 0.0, 2.0)];
        [moved(&side, &|row| row), moved(&side, &|row| [floor, row[0]]), moved(&side, &|row| [row[1], roof])]
    });
    PatchSet::new(all.collect()).expect("twelve")
}

#[test]
fn a_cylinder_is_closed_with_few_triangles() {
    for (tolerance, segments) in [(0.5, 1), (1e-2, 8), (1e-3, 32), (1e-5, 256)] {
        let found = cylinder().tessellate(tolerance).expect("legal");
        let topology = Topology::new(&found.mesh);
        assert!(topology.is_closed() && topology.is_manifold() && topology.is_oriented(), "{tolerance}");
        println!("tolerance {tolerance}: {:?} segments, {} triangles", found.segments, found.mesh.triangles().len());
        let measured = measures(&found.mesh);
        assert_eq!((measured.components, measured.genus), (1, Some(0)));
        assert!((2.0 * PI - measured.volume.expect("closed")).abs() <= measured.area * found.deviation);
        assert_eq!(
            (found.segments, found.mesh.triangles().len()),
            ([1, segments], 16 * segments as usize),
            "{tolerance}"
        );
    }
}

/// A cube whose top is a biquadratic patch with straight borders: the sides are flat, and are divided like the top.
#[test]
fn a_flat_patch_takes_the_segments_of_its_neighbour() {
    let middle = |i: usize, j: usize| if (i, j) == (1, 1) { 3.0 } else { 1.0 };
    let top = (0..3).map(|i| (0..3).map(|j| Vec3::new(0.5 * i as f64, 0.5 * j as f64, middle(i, j))).collect());
    let corner = |k: usize| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64);
    // Rows along u, points along v: S_u × S_v is outward.
    let flat = [[0, 1, 2, 3], [0, 4, 1, 5], [0, 2, 4, 6], [1, 5, 3, 7], [2, 3, 6, 7]];
    let sides = flat.map(|[a, b, c, d]| vec![vec![corner(a), corner(b)], vec![corner(c), corner(d)]]);
    let patches = sides.into_iter().chain([top.collect()]).map(|rows| SurfacePatch::bezier(rows).expect("legal"));
    let found = PatchSet::new(patches.collect()).expect("six").tessellate(1e-2).expect("legal");
    let topology = Topology::new(&found.mesh);
    println!("{:?} segments, {} triangles", found.segments, found.mesh.triangles().len());
    assert!(topology.is_closed() && topology.is_manifold() && topology.is_oriented());
    assert_eq!(found.segments[0], 1, "upright lines have one segment");
    assert!(found.segments[1] > 4);
}

#[test]
fn bounds_hold_at_every_scale() {
    for scale in [1e-300, 1e-160, 1e-60, 1e50] {
        let patch = quarter_cylinder();
        let rows = patch.points().iter().map(|row| row.iter().map(|point| *point * scale).collect()).collect();
        let knots = [0, 1].map(|axis| patch.knots(axis).to_vec());
        let scaled = SurfacePatch::new([2, 1], knots, rows, patch.weights().to_vec()).expect("legal");
        let found = PatchSet::new(vec![scaled]).expect("one").tessellate(1e-3 * scale).expect("legal");
        assert_eq!(found.segments, [1, 32], "{scale:e}");
    }
}

#[test]
fn documents_survive_writing_and_reading() {
    for set in [sphere(), torus(), PatchSet::new(vec![spline(5, 8)]).expect("one")] {
        assert_eq!(PatchSet::from_json(&set.to_json()).expect("written"), set);
    }
}

#[test]
fn faults_of_data_are_errors() {
    let flat = |knots: [Vec<f64>; 2], weight: f64, x: f64| {
        let points = vec![vec![Vec3::ZERO, Vec3::Y], vec![Vec3::new(x, 0.0, 0.0), Vec3::new(1.0, 1.0, 0.0)]];
        SurfacePatch::new([1, 1], knots, points, vec![vec![1.0, 1.0], vec![1.0, weight]])
    };
    let knots = || [vec![0.0, 0.0, 1.0, 1.0], vec![0.0, 0.0, 1.0, 1.0]];
    assert!(flat(knots(), 1.0, 1.0).is_ok());
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(flat(knots(), weight, 1.0), Err(PatchError::Value { item: "weight", row: 1, column: 1, .. })));
    }
    assert!(matches!(flat(knots(), 1.0, f64::NAN), Err(PatchError::Value { item: "control point", .. })));
    let with_u = |u: Vec<f64>| flat([u, knots()[1].clone()], 1.0, 1.0).expect_err("faulty knots");
    assert!(matches!(
        with_u(vec![0.0, 0.0, 1.0]),
        PatchError::Count { axis: 'u', expected: 2, found: 2, .. } | PatchError::Count { .. }
    ));
    assert!(matches!(with_u(vec![0.0, 0.0, -1.0, 1.0]), PatchError::Knot { index: 2, .. }));
    assert!(matches!(with_u(vec![0.0, 0.5, 1.0, 1.0]), PatchError::Multiplicity { times: 1, .. }));
    assert!(matches!(with_u(vec![0.0; 4]), PatchError::Multiplicity { times: 4, .. }));
    for text in ["", "{}", r#"{"patches": [], "more": 1}"#, "[1"] {
        assert!(matches!(PatchSet::from_json(text), Err(PatchError::Document { .. })), "{text}");
    }
    assert_eq!(PatchSet::from_json(r#"{"patches": []}"#), Err(PatchError::NoPatches));
    let empty = r#"{"patches": [{"points": []}]}"#;
    assert!(matches!(PatchSet::from_json(empty), Err(PatchError::Patch { patch: 0, .. })));
    let huge = r#"{"patches": [{"degree": [99999999999, 1], "points": [[[0,0,0],[1,1,1]],[[0,0,0],[1,1,1]]]}]}"#;
    assert!(matches!(PatchSet::from_json(huge), Err(PatchError::Patch { .. })));
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-17] {
        assert!(matches!(sphere().tessellate(tolerance), Err(PatchError::Tolerance { .. })), "{tolerance}");
    }
    assert!(matches!(sphere().tessellate(1e-12), Err(PatchError::TooManyTriangles { .. })));
}
