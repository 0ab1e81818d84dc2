//! Every fault is found, named and only there; the class is right.

use crate::shapes::{Random, cube, cuboid, mesh, moebius, open_box, sphere, tetrahedron, torus, unshared};
use heurt_geometry::Vec3;
use heurt_mesh::{CheckOptions, Class, Fault, Report, Topology, TriMesh, check, check_with, generate, is_boundary};

/// How many faults there are of each kind, in the order of the report.
fn kinds(report: &Report) -> Vec<(&'static str, usize)> {
    let kinds: Vec<&str> = report.faults.iter().map(Fault::kind).collect();
    kinds.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
}

fn with_triangles(mesh: &TriMesh, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> TriMesh {
    let (mut vertices, mut all) = mesh.clone().into_parts();
    vertices.extend(points.iter().map(|&point| Vec3::from_array(point)));
    all.extend(triangles);
    TriMesh::new(vertices, all).unwrap()
}

fn merged(meshes: &[TriMesh]) -> TriMesh {
    TriMesh::merged(meshes).unwrap()
}

#[test]
fn sound_meshes_have_no_fault() {
    for (name, mesh, class) in [
        ("tetrahedron", tetrahedron(), Class::Convex),
        ("cube", cube(), Class::Convex),
        ("unshared cube", unshared(&cube()), Class::Convex),
        ("torus", torus(9, 6), Class::Solid),
        ("two cubes apart", merged(&[cube(), cuboid([2.0; 3], [3.0; 3])]), Class::Solid),
        ("box with a cavity", merged(&[cuboid([-1.0; 3], [2.0; 3]), cube().reversed()]), Class::Solid),
        ("generated gear", generate::gear(12, 1.0, 0.35, 0.0, 2.0, 4.0, 8).unwrap(), Class::Solid),
        ("icosahedron", generate::icosahedron(1.0).unwrap(), Class::Convex),
    ] {
        let report = check(&mesh);
        assert_eq!(report.faults, [], "{name}");
        assert_eq!(report.class, class, "{name}");
        assert!(report.closed && report.manifold && report.oriented && report.complete, "{name}");
    }
}

#[test]
fn an_open_box_has_one_hole() {
    let report = check(&open_box());
    let hole = Fault::Hole {
        vertices: vec![4, 6, 7, 5],
        triangles: vec![0, 6, 3, 5],
        is_loop: true,
        length: 4.0,
        is_planar: true,
    };
    assert_eq!(report.faults, [hole]);
    assert_eq!((report.class, report.closed, report.manifold, report.oriented), (Class::Open, false, true, true));
}

#[test]
fn a_moebius_strip_has_one_border_and_disagrees_once() {
    let report = check(&moebius(9));
    assert_eq!(kinds(&report), [("inconsistent-orientation", 1), ("hole", 1)]);
    assert!(
        matches!(&report.faults[1], Fault::Hole { vertices, is_loop: true, is_planar: false, .. } if vertices.len() == 18)
    );
    assert!(report.manifold && !report.oriented && !report.closed);
}

#[test]
fn cubes_that_share_an_edge_or_a_corner() {
    let edge = check(&merged(&[cube(), cuboid([1.0, 1.0, 0.0], [2.0, 2.0, 1.0])]));
    assert_eq!(kinds(&edge), [("non-manifold-edge", 1)]);
    assert!(matches!(&edge.faults[0], Fault::NonManifoldEdge { vertices: [3, 7], triangles } if triangles.len() == 4));
    assert_eq!((edge.class, edge.closed, edge.manifold), (Class::Solid, true, false));
    let corner = check(&merged(&[cube(), cuboid([1.0; 3], [2.0; 3])]));
    assert!(
        matches!(&corner.faults[..], [Fault::NonManifoldVertex { vertex: 7, fans: 2, triangles }] if triangles.len() > 5)
    );
    assert_eq!((corner.class, corner.closed, corner.manifold), (Class::Solid, true, false));
}

#[test]
fn cubes_that_share_a_face_meet_in_duplicates() {
    let report = check(&merged(&[cube(), cuboid([1.0, 0.0, 0.0], [2.0, 1.0, 1.0])]));
    // The common square is cut along one diagonal from both sides, or along both.
    assert!(report.closed && !report.manifold);
    assert!(report.faults.iter().any(|fault| {
        matches!(fault, Fault::DuplicateFace { opposite: true, .. } | Fault::SelfIntersection { .. })
    }));
    assert_eq!(report.faults.iter().filter(|fault| matches!(fault, Fault::NonManifoldEdge { .. })).count() / 4, 1);
}

#[test]
fn duplicate_faces_are_paired_with_the_first() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [5.0, 5.0, 5.0], [6.0, 5.0, 5.0], [5.0, 6.0, 5.0]];
    let report = check(&mesh(&points, &[[0, 1, 2], [3, 4, 5], [1, 2, 0], [0, 2, 1]]));
    let duplicates: Vec<&Fault> = report.faults.iter().filter(|fault| fault.kind() == "duplicate-face").collect();
    assert_eq!(
        duplicates,
        [
            &Fault::DuplicateFace { first: 0, second: 2, opposite: false },
            &Fault::DuplicateFace { first: 0, second: 3, opposite: true },
        ]
    );
    assert!(!report.faults.iter().any(|fault| fault.kind() == "self-intersection"));
}

#[test]
fn degenerate_faces_and_isolated_vertices_are_found_exactly() {
    let extra = [
        [3.0, 0.0, 0.0],
        [3.1, 0.1, 0.1],
        [3.3, 0.3, 0.3],
        [9.0, 9.0, 9.0],
        [4.0, 0.0, 0.0],
        [5.0, 1.0, 1.0],
        [6.0, 2.0, 2.0],
    ];
    let report = check(&with_triangles(&cube(), &extra, &[[8, 9, 10], [0, 0, 1], [12, 13, 14]]));
    let found: Vec<&Fault> = report
        .faults
        .iter()
        .filter(|f| matches!(f, Fault::DegenerateFace { .. } | Fault::IsolatedVertex { .. }))
        .collect();
    // 3.1, 0.1 and 3.3, 0.3 are rounded: that triangle is thin but has an area.
    assert_eq!(
        found,
        [
            &Fault::DegenerateFace { triangle: 13 },
            &Fault::DegenerateFace { triangle: 14 },
            &Fault::IsolatedVertex { vertex: 11 },
        ]
    );
    assert_ne!(report.class, Class::Convex);
}

#[test]
fn a_turned_face_disagrees_along_its_edges() {
    let (vertices, mut triangles) = cube().into_parts();
    triangles[3].swap(0, 1);
    let report = check(&TriMesh::new(vertices, triangles).unwrap());
    assert_eq!(kinds(&report), [("inconsistent-orientation", 3)]);
    assert!(report.manifold && !report.oriented && !report.closed);
    assert_eq!(report.class, Class::Inconsistent);
}

#[test]
fn a_bow_tie_of_holes_is_two_holes() {
    // Two triangles joined at a corner only: each has its own border.
    let points = [[0.0; 3], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]];
    let report = check(&mesh(&points, &[[0, 2, 1], [0, 3, 4]]));
    assert_eq!(report.faults[0], Fault::NonManifoldVertex { vertex: 0, fans: 2, triangles: vec![0, 1] });
    let borders: Vec<Vec<u32>> = report.faults[1..].iter().map(Fault::vertices).collect();
    assert_eq!(borders, [[0, 2, 1], [0, 3, 4]]);
    assert!(report.faults[1..].iter().all(|fault| matches!(fault, Fault::Hole { is_loop: true, .. })));
}

#[test]
fn borders_end_at_edges_of_three_triangles() {
    // Three pages on one spine: each page's border runs from one end of the spine to the other.
    let points = [[0.0; 3], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]];
    let report = check(&mesh(&points, &[[0, 1, 2], [0, 1, 3], [1, 0, 4]]));
    assert_eq!(report.faults[0], Fault::NonManifoldEdge { vertices: [0, 1], triangles: vec![0, 1, 2] });
    let borders: Vec<Vec<u32>> = report.faults[1..].iter().map(Fault::vertices).collect();
    assert_eq!(borders, [[1, 2, 0], [1, 3, 0], [0, 4, 1]]);
    assert!(report.faults[1..].iter().all(|fault| matches!(fault, Fault::Hole { is_loop: false, .. })));
    let triangles: Vec<Vec<u32>> = report.faults[1..].iter().map(Fault::triangles).collect();
    assert_eq!(triangles, [[0, 0], [1, 1], [2, 2]]);
}

#[test]
fn inward_shells_are_faults_unless_they_are_cavities() {
    let inward = |mesh: &TriMesh| -> Vec<(u32, f64)> {
        let faults = check(mesh).faults;
        faults
            .iter()
            .filter_map(|f| {
                if let Fault::InwardShell { triangle, volume, .. } = f { Some((*triangle, *volume)) } else { None }
            })
            .collect()
    };
    let outer = cuboid([-4.0; 3], [5.0; 3]);
    let wall = cuboid([-2.0; 3], [3.0; 3]);
    assert_eq!(inward(&cube().reversed()), [(0, -1.0)]);
    assert_eq!(inward(&merged(&[cube(), cuboid([2.0; 3], [4.0; 3]).reversed()])), [(12, -8.0)]);
    assert_eq!(inward(&merged(&[outer.clone(), wall.clone().reversed()])), [], "a cavity");
    assert_eq!(inward(&merged(&[outer.clone(), wall.clone().reversed(), cube()])), [], "a part in a cavity");
    assert_eq!(inward(&merged(&[outer.clone(), wall.clone().reversed(), cube().reversed()])), [(24, -1.0)]);
    assert_eq!(inward(&merged(&[outer.reversed(), wall])), [(0, -729.0)]);
    // In the hole of a torus: inside its box, outside its body.
    let hub = sphere(5).scaled(0.5).unwrap().reversed();
    assert_eq!(inward(&merged(&[torus(16, 8), hub])).len(), 1);
}

#[test]
fn an_inward_shell_far_away_and_tiny_is_still_told() {
    let far = cuboid([1e6; 3], [1e6 + 0.5; 3]).reversed();
    let report = check(&merged(&[cube(), far]));
    let triangles: Vec<u32> = (12..24).collect();
    assert_eq!(report.faults, [Fault::InwardShell { triangle: 12, volume: -0.125, triangles }]);
}

#[test]
fn convexity_is_exact() {
    let dented = |depth: f64| {
        let (mut vertices, triangles) = sphere(6).into_parts();
        vertices[20] *= 1.0 - depth;
        check(&TriMesh::new(vertices, triangles).unwrap()).class
    };
    assert_eq!(dented(0.4), Class::Solid);
    // A cube whose top is split at its middle: flat, one ulp up, one ulp down.
    let roof = |height: f64| {
        let (mut vertices, triangles) = cube().into_parts();
        let mut kept: Vec<[u32; 3]> =
            triangles.into_iter().filter(|t| !t.iter().all(|&v| vertices[v as usize].z == 1.0)).collect();
        vertices.push(Vec3::new(0.5, 0.5, height));
        kept.extend([[4, 5, 8], [5, 7, 8], [7, 6, 8], [6, 4, 8]]);
        check(&TriMesh::new(vertices, kept).unwrap()).deviation
    };
    assert_eq!(roof(1.0), Some(0.0));
    assert_eq!(roof(1.0f64.next_up()), Some(0.0));
    assert!(roof(1.0f64.next_down()).is_some_and(|deviation| deviation > 0.0 && deviation < 1e-14));
}

#[test]
fn a_pentagram_bipyramid_bends_inward_everywhere_and_is_not_convex() {
    let angle = |i: u32| std::f64::consts::TAU * f64::from(2 * i) / 5.0;
    let mut points: Vec<[f64; 3]> = (0..5).map(|i| [angle(i).cos(), angle(i).sin(), 0.0]).collect();
    points.extend([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]);
    let triangles: Vec<[u32; 3]> = (0..5).flat_map(|i| [[i, (i + 1) % 5, 5], [(i + 1) % 5, i, 6]]).collect();
    let options = CheckOptions { self_intersections: false, ..Default::default() };
    let report = check_with(&mesh(&points, &triangles), &options);
    assert!(report.closed && report.manifold && report.oriented && !report.complete);
    assert_eq!(report.class, Class::Solid);
    assert!(check(&mesh(&points, &triangles)).faults.iter().any(|fault| fault.kind() == "self-intersection"));
}

#[test]
fn flat_and_paper_thin_bodies_are_decided() {
    let pillow = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2], [0, 2, 1]]);
    assert_eq!(check(&pillow).class, Class::Solid, "no volume");
    // Tetrahedra one step of the number line high: no number lies strictly between base and apex.
    for (base, apex) in [(1.0, 1f64.next_up()), (0.0, f64::from_bits(1))] {
        let points = [[0.0, 0.0, base], [1.0, 0.0, base], [0.0, 1.0, base], [0.25, 0.25, apex]];
        let thin = mesh(&points, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]);
        assert_eq!(check(&thin).class, Class::Convex, "from {base} to {apex:e}");
        assert_eq!(check(&thin.reversed()).class, Class::Solid);
    }
}

#[test]
fn random_hull_like_bodies_agree_with_brute_force() {
    // An icosahedron with two vertices moved: convex exactly if no vertex is above any face.
    let mut seen = [0, 0];
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let (mut vertices, triangles) = generate::icosahedron(1.0).unwrap().into_parts();
        for _ in 0..2 {
            let vertex = random.below(vertices.len() as u32) as usize;
            vertices[vertex] *= 0.2 + 2.3 * random.next();
        }
        let mesh = TriMesh::new(vertices, triangles).unwrap();
        let above = |corners: &[u32; 3]| {
            let [a, b, c] = corners.map(|v| mesh.vertices()[v as usize]);
            mesh.vertices().iter().any(|&v| heurt_geometry::orient3d(a, b, c, v) == heurt_geometry::Sign::Positive)
        };
        let convex = !mesh.triangles().iter().any(above);
        assert_eq!(check(&mesh).class == Class::Convex, convex, "seed {seed}");
        seen[usize::from(convex)] += 1;
    }
    assert!(seen[0] > 3 && seen[1] > 3, "{seen:?}");
}

#[test]
fn faults_say_what_to_do_and_do_not_depend_on_the_threads() {
    let mut random = Random::new(3);
    let points: Vec<Vec3> = (0..60).map(|_| random.grid_point(4)).collect();
    let triangles = (0..200).map(|_| [0; 3].map(|_: i32| random.below(60))).collect();
    let soup = TriMesh::new(points, triangles).unwrap();
    let report = check(&soup);
    assert!(report.faults.len() > 200);
    for fault in &report.faults {
        let text = fault.to_string();
        assert!(text.contains(": ") && text.len() < 160, "{text}");
    }
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(single.install(|| check(&soup)), report);
}

#[test]
fn soups_of_extreme_numbers_are_answered() {
    let numbers =
        [0.0, -0.0, 1.0, -1.0, 1e-320, 1e-200, -1e150, 1e300, f64::MAX, -f64::MAX, f64::MIN_POSITIVE, 1.0 + 1e-15];
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let mut number = |_: i32| numbers[random.below(numbers.len() as u32) as usize];
        let points: Vec<Vec3> = (0..12).map(|_| Vec3::from_array([0; 3].map(&mut number))).collect();
        let triangles = (0..20).map(|_| [0; 3].map(|_: i32| random.below(12))).collect();
        let soup = TriMesh::new(points, triangles).unwrap();
        let report = check(&soup);
        assert_eq!(report.closed, heurt_mesh::is_closed(&soup));
        assert_eq!(report, check(&soup));
        let found = heurt_mesh::measures(&soup);
        assert!(found.components >= 1 && found.area >= 0.0);
        for tolerance in [0.0, 1e-320, 1e-9, 1e300] {
            assert!(heurt_mesh::weld(&soup, tolerance).unwrap().mesh.triangles().len() == 20);
        }
        assert!(heurt_mesh::feature_edges(&soup, 0.1).is_ok());
        let polygon: Vec<u32> = (0..12).collect();
        assert_eq!(TriMesh::from_polygons(soup.vertices().to_vec(), [polygon]).unwrap().mesh.triangles().len(), 10);
    }
}

#[test]
fn collapsed_triangles_alone_are_a_soup() {
    let point = mesh(&[[2.0; 3], [2.0; 3], [1.0; 3]], &[[0, 0, 0], [0, 1, 2], [2, 2, 0]]);
    let report = check(&point);
    assert_eq!((report.class, report.closed), (Class::Open, true), "no edge is open, but nothing is bounded");
    let with_cube = with_triangles(&cube(), &[], &[[0, 0, 0]]);
    assert_eq!(check(&with_cube).class, Class::Convex, "next to edges they change nothing");
}

#[test]
fn each_fault_of_incidence_alone_makes_no_boundary() {
    let bounds = |mesh: &TriMesh| is_boundary(&Topology::new(mesh));
    let moved = |mesh: &TriMesh, by: [f64; 3]| {
        let vertices = mesh.vertices().iter().map(|vertex| *vertex + Vec3::from_array(by)).collect();
        TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
    };
    let with_first = |turned: [u32; 3]| {
        let (vertices, mut triangles) = cube().into_parts();
        triangles[0] = turned;
        TriMesh::new(vertices, triangles).unwrap()
    };
    let [a, b, c] = cube().triangles()[0];
    for (name, mesh) in [
        ("cube", cube()),
        ("two cubes", merged(&[cube(), moved(&cube(), [9.0, 0.0, 0.0])])),
        ("inside out", cube().reversed()),
        ("crossing cubes", merged(&[cube(), moved(&cube(), [0.3, 0.3, 0.3])])),
    ] {
        assert!(bounds(&mesh), "{name}");
    }
    let one = TriMesh::new(cube().vertices().to_vec(), vec![[a, b, c]]).unwrap();
    let sliver = with_triangles(&cube(), &[], &[[a, b, b], [b, a, a]]);
    for (name, mesh) in [
        ("open", open_box()),
        ("one triangle", one),
        ("one triangle turned", with_first([a, c, b])),
        ("Möbius strip", moebius(8)),
        ("a triangle twice", with_triangles(&cube(), &[], &[[a, b, c]])),
        (
            "both sides of a triangle",
            with_triangles(&cube(), &[[7.0; 3], [8.0, 7.0, 7.0], [7.0, 8.0, 7.0]], &[[8, 9, 10], [8, 10, 9]]),
        ),
        ("triangles without area", sliver),
        ("the cube twice", merged(&[cube(), cube()])),
    ] {
        assert!(!bounds(&mesh), "{name}");
    }
}
