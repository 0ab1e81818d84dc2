//! Classes, verdicts, limits and places of what `check` reports, and how nearly convex a mesh is.

use crate::shapes::{Random, cube, cuboid, mesh, moebius, open_box, sphere, torus, unshared};
use heurt_geometry::{Aabb, ConvexHull, Quat, Triangle, Vec3};
use heurt_mesh::{CheckOptions, Class, Fault, Report, SEAM, TriMesh, check, check_with, generate};

fn merged(meshes: &[TriMesh]) -> TriMesh {
    TriMesh::merged(meshes).unwrap()
}

fn moved(mesh: &TriMesh, mut move_vertex: impl FnMut(Vec3) -> Vec3) -> TriMesh {
    let vertices = mesh.vertices().iter().map(|&vertex| move_vertex(vertex)).collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
}

fn in_f32(mesh: &TriMesh) -> TriMesh {
    moved(mesh, |vertex| vertex.map(|x| f64::from(x as f32)))
}

fn turned(mesh: &TriMesh, random: &mut Random) -> TriMesh {
    let axis = Vec3::new(random.next() - 0.5, random.next() - 0.5, random.next() - 0.5).normalize();
    let rotation = Quat::from_axis_angle(axis, 6.0 * random.next());
    moved(mesh, |vertex| rotation * vertex)
}

/// A cube without the first triangle of its bottom, and one triangle inside out.
fn broken() -> TriMesh {
    let (vertices, mut triangles) = cube().into_parts();
    triangles[0].swap(1, 2);
    triangles.remove(8);
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn classes_in_words() {
    let turned_face = {
        let (vertices, mut triangles) = cube().into_parts();
        triangles[3].swap(0, 1);
        TriMesh::new(vertices, triangles).unwrap()
    };
    let crossing = merged(&[cube(), cuboid([0.5; 3], [1.5; 3])]);
    for (mesh, class, word) in [
        (open_box(), Class::Open, "open"),
        (moebius(9), Class::Open, "open"),
        (turned_face, Class::Inconsistent, "inconsistent"),
        (crossing.clone(), Class::SelfIntersecting, "self-intersecting"),
        (torus(9, 6), Class::Solid, "solid"),
        (cube(), Class::Convex, "convex"),
    ] {
        let report = check(&mesh);
        assert_eq!((report.class, report.class.to_string().as_str()), (class, word));
        assert_eq!(report.class.is_closed(), report.closed);
        assert!(!class.explanation().is_empty() && !class.explanation().contains('\n'));
    }
    let options = CheckOptions { self_intersections: false, ..CheckOptions::default() };
    assert_eq!(check_with(&crossing, &options).class, Class::Solid, "intersections were not searched for");
}

#[test]
fn verdicts_name_the_most_frequent_reasons() {
    let verdict = |mesh: &TriMesh| check(mesh).verdict().to_string();
    assert_eq!(verdict(&cube()), "prints as it is");
    assert_eq!(verdict(&torus(9, 6)), "prints as it is");
    let open = open_box();
    let side = moved(&open, |vertex| Vec3::new(vertex.z, vertex.x, vertex.y));
    assert_eq!(verdict(&side), "fails: 1 hole");
    assert_eq!(check(&side).printable().unwrap_err().to_string(), "1 hole");
    assert_eq!(verdict(&cube().reversed()), "slicers mend 1 inward-shell");
    let crossing = merged(&[cube(), moved(&cube(), |vertex| vertex + Vec3::splat(0.3))]);
    let count = check(&crossing).count("self-intersection");
    assert_eq!(verdict(&crossing), format!("slicers mend {count} self-intersections"));
    assert_eq!(verdict(&mesh(&[[0.0; 3]], &[[0, 0, 0]])), "fails: it bounds no volume");
    let options = CheckOptions { self_intersections: false, ..CheckOptions::default() };
    assert_eq!(check_with(&crossing, &options).printable(), Ok(()), "slicers mend what was not searched for");
    let options = CheckOptions { max_self_intersections: 3, ..CheckOptions::default() };
    assert_eq!(check_with(&crossing, &options).verdict().to_string(), "slicers mend more than 3 self-intersections");
}

#[test]
fn lists_are_limited_and_counts_are_not() {
    // Many of every kind that can be many.
    let mut parts: Vec<TriMesh> = (0..30).map(|i| moved(&broken(), |v| v + Vec3::X * 3.0 * f64::from(i))).collect();
    parts.extend((0..30).map(|i| moved(&cube().reversed(), |v| v + Vec3::new(3.0 * f64::from(i), 5.0, 0.0))));
    parts.push(merged(&[unshared(&cube()), cube(), cube()]));
    parts.extend((0..12).map(|i| cuboid([f64::from(i) * 0.1 + 20.0, 20.0, 20.0], [30.0 + f64::from(i); 3])));
    let (mut vertices, mut triangles) = merged(&parts).into_parts();
    vertices.extend((0..25).map(|i| Vec3::splat(100.0 + f64::from(i))));
    triangles.extend((0..25).map(|i| [i, i, i + 1]));
    let all = TriMesh::new(vertices, triangles).unwrap();
    let options = |max_faults| CheckOptions { max_faults, ..CheckOptions::default() };
    let full = check_with(&all, &options(usize::MAX));
    assert!(full.complete && full.counts.len() >= 7, "{:?}", full.counts);
    assert_eq!(full.counts.iter().map(|count| count.count).sum::<usize>(), full.faults.len());
    for limit in [0, 1, 7, 1000] {
        let report = check_with(&all, &options(limit));
        let mut expected = Vec::new();
        for kind in full.faults.chunk_by(|a, b| a.kind() == b.kind()) {
            expected.extend(kind.iter().take(limit).cloned());
        }
        assert_eq!(report.faults, expected);
        for (limited, full) in report.counts.iter().zip(&full.counts) {
            assert_eq!((limited.kind, limited.count), (full.kind, full.count));
            assert_eq!((limited.listed, limited.has_more), (full.count.min(limit), false));
        }
        assert_eq!((report.counts.len(), report.class), (full.counts.len(), full.class));
        assert_eq!(report.complete, full.counts.iter().all(|count| count.count <= limit));
    }
    let short = check_with(&all, &CheckOptions { max_self_intersections: 5, ..options(3) });
    let pairs = short.counts.iter().find(|count| count.kind == "self-intersection").unwrap();
    assert_eq!((pairs.count, pairs.listed, pairs.has_more, short.complete), (5, 3, true, false));
}

/// The place of the only fault of a kind.
fn place_of(mesh: &TriMesh, report: &Report, kind: &str) -> (Vec3, Aabb) {
    let fault = report.faults.iter().find(|fault| fault.kind() == kind).unwrap();
    let place = fault.place(mesh);
    assert_eq!(place.centre, place.bounds.centre());
    (place.centre, place.bounds)
}

#[test]
fn faults_have_places() {
    let open = open_box();
    let (centre, bounds) = place_of(&open, &check(&open), "hole");
    assert_eq!((centre, bounds.min, bounds.max), (Vec3::new(0.5, 0.5, 1.0), Vec3::Z, Vec3::ONE));
    let touching = merged(&[cube(), cuboid([1.0; 3], [2.0; 3])]);
    assert_eq!(place_of(&touching, &check(&touching), "non-manifold-vertex").0, Vec3::ONE);
    let sharing = merged(&[cube(), cuboid([1.0, 1.0, 0.0], [2.0, 2.0, 1.0])]);
    assert_eq!(place_of(&sharing, &check(&sharing), "non-manifold-edge").0, Vec3::new(1.0, 1.0, 0.5));
    let inward = merged(&[cube(), cuboid([4.0; 3], [6.0; 3]).reversed()]);
    let report = check(&inward);
    assert_eq!(place_of(&inward, &report, "inward-shell").0, Vec3::splat(5.0));
    assert_eq!(report.faults[0].triangles(), (12..24).collect::<Vec<u32>>());
    // A big triangle through the middle of another: the place is where they meet, not where they are.
    let crossing = mesh(
        &[
            [-100.0, -100.0, 0.0],
            [100.0, -100.0, 0.0],
            [0.0, 100.0, 0.0],
            [3.0, 4.0, -1.0],
            [3.0, 4.0, 1.0],
            [3.0, 5.0, 0.0],
        ],
        &[[0, 1, 2], [3, 4, 5]],
    );
    let (centre, bounds) = place_of(&crossing, &check(&crossing), "self-intersection");
    assert!((centre - Vec3::new(3.0, 4.5, 0.0)).length() < 1e-9 && bounds.half_extents().length() < 0.51, "{bounds:?}");
}

#[test]
fn every_fault_lists_its_elements() {
    let mut random = Random::new(3);
    let points: Vec<Vec3> = (0..60).map(|_| random.grid_point(4)).collect();
    let triangles = (0..200).map(|_| [0; 3].map(|_: i32| random.below(60))).collect();
    let soup = TriMesh::new(points, triangles).unwrap();
    for fault in check(&soup).faults {
        let (triangles, vertices) = (fault.triangles(), fault.vertices());
        assert!(!triangles.is_empty() || !vertices.is_empty(), "{fault}");
        assert!(triangles.iter().all(|&triangle| (triangle as usize) < soup.triangles().len()));
        let bounds = fault.place(&soup).bounds;
        assert!(!bounds.is_empty(), "{fault}");
        assert!(vertices.iter().all(|&vertex| bounds.contains(soup.vertices()[vertex as usize])), "{fault}");
        if let Fault::Hole { vertices, triangles, length, is_loop, .. } = &fault {
            assert_eq!(triangles.len(), vertices.len() - usize::from(!is_loop));
            assert!(*length > 0.0);
        }
    }
}

#[test]
fn borders_are_planar_within_roundings() {
    let planar = |height: f64| {
        let lifted = moved(&open_box(), |v| if v == Vec3::ONE { v + Vec3::Z * height } else { v });
        let report = check(&lifted);
        let [Fault::Hole { is_planar, length, .. }] = report.faults[..] else { panic!("{:?}", report.faults) };
        assert!((length - 4.0).abs() <= 3.0 * height);
        is_planar
    };
    assert!(planar(0.0) && planar(1e-7) && !planar(1e-5) && !planar(0.3));
}

/// Distances of points: the farthest of the mesh from the boundary of its hull, and of the hull from the mesh, by
/// samples.
fn sampled_deviation(mesh: &TriMesh) -> f64 {
    let hull = ConvexHull::new(mesh.vertices()).unwrap();
    let at = |corners: &[u32; 3]| corners.map(|vertex| mesh.vertices()[vertex as usize]);
    let faces: Vec<Triangle> = hull.triangles().iter().map(at).collect();
    let surface: Vec<Triangle> = mesh.triangles().iter().map(at).collect();
    let one_sided = |from: &[Triangle], to: &[Triangle]| {
        let mut farthest: f64 = 0.0;
        for [a, b, c] in from {
            for (u, v) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5), (1.0 / 3.0, 1.0 / 3.0), (0.2, 0.7)] {
                let point = *a + (*b - *a) * u + (*c - *a) * v;
                farthest = farthest.max(to.iter().map(|face| distance(face, point)).fold(f64::INFINITY, f64::min));
            }
        }
        farthest
    };
    one_sided(&surface, &faces).max(one_sided(&faces, &surface))
}

/// Distance of a point from a triangle, by its plane or its sides.
fn distance(&[a, b, c]: &Triangle, point: Vec3) -> f64 {
    let side = |p: Vec3, q: Vec3| {
        let share = ((point - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        point.distance(p + (q - p) * share)
    };
    let normal = (b - a).cross(c - a).normalize();
    let inside = [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| (q - p).cross(point - p).dot(normal) >= 0.0);
    let sides = side(a, b).min(side(b, c)).min(side(c, a));
    if inside { sides.min((point - a).dot(normal).abs()) } else { sides }
}

#[test]
fn turned_and_rounded_convex_bodies_are_convex() {
    let bodies = [
        ("cuboid", generate::cuboid([0.5, 0.8, 0.3]).unwrap()),
        ("plate", generate::cuboid([5.0, 4.0, 0.05]).unwrap()),
        ("rod", generate::cuboid([9.0, 0.1, 0.1]).unwrap()),
        ("dodecahedron", generate::dodecahedron(1.0).unwrap()),
        ("icosahedron", generate::icosahedron(1.0).unwrap()),
        ("cylinder", generate::cylinder(0.5, 1.0, 24).unwrap()),
        ("cone", generate::cone(0.5, 1.0, 24).unwrap()),
        ("sphere", generate::uv_sphere(1.0, 16).unwrap()),
    ];
    for (name, body) in bodies {
        for seed in 0..8 {
            let mut random = Random::new(seed);
            let body = if seed == 0 { body.clone() } else { turned(&body, &mut random) };
            let size = body.vertices().iter().map(|vertex| vertex.abs().max_element()).fold(0.0, f64::max);
            let exact = check(&body);
            assert_eq!(exact.class, Class::Convex, "{name}, seed {seed} {:?} {:?}", exact.deviation, exact.counts);
            assert!(exact.deviation.unwrap() < 1e-11 * size, "{name}, seed {seed}: {:?}", exact.deviation);
            let rounded = check(&in_f32(&body));
            assert_eq!(rounded.class, Class::Convex, "{name}, seed {seed}: {:?}", rounded.deviation);
            assert!(rounded.deviation.unwrap() <= SEAM * size);
            let offset = moved(&in_f32(&body), |vertex| (vertex + Vec3::splat(100.0)).map(|x| f64::from(x as f32)));
            assert_eq!(check(&offset).class, Class::Convex, "{name}, seed {seed}");
        }
    }
}

#[test]
fn the_deviation_is_a_bound_and_not_a_wide_one() {
    let mut seen = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let depth = 10f64.powf(-6.0 + 4.5 * random.next());
        let body = match seed % 4 {
            0 => sphere(6),
            1 => generate::cylinder(0.5, 0.5, 12).unwrap(),
            2 => turned(&generate::subdivided(&cube(), 2).unwrap(), &mut random),
            _ => generate::subdivided(&generate::cuboid([1.0, 0.8, 0.04]).unwrap(), 2).unwrap(),
        };
        let noisy = moved(&body, |vertex| vertex + Vec3::new(random.next(), random.next(), random.next()) * depth);
        let report = check(&noisy);
        let sampled = sampled_deviation(&noisy);
        match report.deviation {
            Some(bound) => {
                assert!(bound >= sampled * (1.0 - 1e-9), "seed {seed}: {bound:e} is less than {sampled:e}");
                let wide = if report.class == Class::Convex { 1e-6 } else { 20.0 * sampled };
                assert!(bound <= wide.max(1e-6), "seed {seed}: {bound:e} instead of {sampled:e}");
                seen += 1;
            }
            None => assert!(sampled > 1e-4, "seed {seed}: {sampled:e}"),
        }
    }
    assert!(seen > 30, "{seen}");
    // The middle of the top pressed in by a known depth.
    for depth in [1e-9, 1e-6, 1e-3] {
        let mut dented = generate::subdivided(&cube(), 2).unwrap();
        let middle = dented.vertices().iter().position(|&v| v == Vec3::new(0.5, 0.5, 1.0)).unwrap();
        let (mut vertices, triangles) = dented.into_parts();
        vertices[middle].z -= depth;
        dented = TriMesh::new(vertices, triangles).unwrap();
        let report = check(&dented);
        let bound = report.deviation.unwrap();
        assert!(bound >= depth * (1.0 - 1e-6) && bound < 2.5 * depth + 1e-14, "{depth:e}: {bound:e}");
        assert_eq!(report.class == Class::Convex, depth < SEAM);
    }
}

#[test]
fn what_is_far_from_convex_has_no_deviation() {
    let l_prism = merged(&[cuboid([0.0; 3], [2.0, 1.0, 1.0]), cuboid([0.0, 0.0, 1.0], [1.0, 1.0, 2.0])]);
    for (name, mesh) in [
        ("torus", torus(30, 20)),
        ("two cubes", merged(&[cube(), cuboid([2.0; 3], [3.0; 3])])),
        ("the same cube twice", merged(&[cube(), cube()])),
        ("a cavity", merged(&[cuboid([-1.0; 3], [2.0; 3]), cube().reversed()])),
        ("inside out", cube().reversed()),
        ("open", open_box()),
        ("flat", mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2], [0, 2, 1]])),
        ("gear", generate::gear(12, 1.0, 0.35, 0.0, 2.0, 4.0, 8).unwrap()),
        ("L", l_prism),
    ] {
        let report = check(&mesh);
        assert_eq!(report.deviation, None, "{name}");
        assert_ne!(report.class, Class::Convex, "{name}");
    }
}

#[test]
fn the_search_for_the_deviation_ends_at_its_limit() {
    let ball = in_f32(&generate::uv_sphere(1.0, 64).unwrap());
    let whole = check(&ball);
    assert!(whole.is_convexity_known && whole.class == Class::Convex);
    let options = CheckOptions { max_convexity_steps: 1000, ..CheckOptions::default() };
    let limited = check_with(&ball, &options);
    assert!(!limited.is_convexity_known && limited.class == Class::Solid && limited.deviation.is_none());
    // Exact convexity needs no search.
    let exact = check_with(&generate::cuboid([1.0, 2.0, 3.0]).unwrap(), &options);
    assert!(exact.is_convexity_known && exact.class == Class::Convex);
}
