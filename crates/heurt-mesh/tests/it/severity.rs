//! Severity of faults, as two slicers treated meshes with one fault each (docs/my-printed-part.md).

use crate::shapes::{cube, mesh, moebius};
use heurt_geometry::Vec3;
use heurt_mesh::{CheckOptions, Fault, SEVERITY_RULES, Severity, TriMesh, check_with, generate};

/// A cube of 20 units with 16 × 16 squares a side, of which two triangles each.
fn fine_cube() -> TriMesh {
    let (mut vertices, mut triangles): (Vec<Vec3>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
    let mut at = std::collections::BTreeMap::new();
    let mut number = |place: [i32; 3]| {
        *at.entry(place).or_insert_with(|| {
            vertices.push(Vec3::from_array(place.map(|x| 1.25 * f64::from(x))));
            vertices.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        for (level, is_turned) in [(0, true), (16, false)] {
            for u in 0..16 {
                for v in 0..16 {
                    let [a, b, c, d] = [[u, v], [u + 1, v], [u + 1, v + 1], [u, v + 1]].map(|[u, v]| {
                        let mut place = [level; 3];
                        (place[(axis + 1) % 3], place[(axis + 2) % 3]) = (u, v);
                        number(place)
                    });
                    let corners = [[a, b, c], [a, c, d]];
                    triangles.extend(corners.map(|[a, b, c]| if is_turned { [a, c, b] } else { [a, b, c] }));
                }
            }
        }
    }
    TriMesh::new(vertices, triangles).unwrap()
}

fn merged(meshes: &[TriMesh]) -> TriMesh {
    TriMesh::merged(meshes).unwrap()
}

fn moved(mesh: &TriMesh, place: impl Fn(Vec3) -> Vec3) -> TriMesh {
    TriMesh::new(mesh.vertices().iter().copied().map(place).collect(), mesh.triangles().to_vec()).unwrap()
}

/// The mesh without the triangles whose centres a test takes.
fn without(mesh: &TriMesh, is_gone: impl Fn(Vec3) -> bool) -> TriMesh {
    let centre = |[a, b, c]: [u32; 3]| {
        let at = |vertex: u32| mesh.vertices()[vertex as usize];
        (at(a) + at(b) + at(c)) / 3.0
    };
    let kept = mesh.triangles().iter().copied().filter(|corners| !is_gone(centre(*corners))).collect();
    TriMesh::new(mesh.vertices().to_vec(), kept).unwrap()
}

fn with(mesh: &TriMesh, more: &[[u32; 3]]) -> TriMesh {
    TriMesh::new(mesh.vertices().to_vec(), mesh.triangles().iter().chain(more).copied().collect()).unwrap()
}

fn severity(mesh: &TriMesh) -> Severity {
    let options = CheckOptions { slicer_gap: 2.0, ..CheckOptions::default() };
    let report = check_with(mesh, &options);
    assert_eq!(report.severities.len(), report.faults.len());
    for count in &report.counts {
        let listed = report.faults.iter().zip(&report.severities).filter(|(fault, _)| fault.kind() == count.kind);
        assert_eq!(listed.map(|(_, severity)| *severity).max(), Some(count.severity));
    }
    report.verdict().severity
}

#[test]
fn holes_fail_where_layers_stay_open() {
    let cube = fine_cube();
    assert_eq!(severity(&cube), Severity::PrintsAsItIs);
    let on_side = |radius: f64| move |centre: Vec3| (centre - Vec3::new(20.0, 10.0, 10.0)).length() < radius;
    for (radius, expected) in [
        (0.7, Severity::SlicersMend),
        (1.2, Severity::Fails),
        (2.0, Severity::Fails),
        (4.0, Severity::Fails),
        (8.0, Severity::Fails),
    ] {
        assert_eq!(severity(&without(&cube, on_side(radius))), expected, "{radius}");
    }
    assert_eq!(severity(&without(&cube, |centre| centre.x > 19.9)), Severity::Fails, "a side");
    assert_eq!(severity(&without(&cube, |centre| centre.z > 19.9)), Severity::SlicersMend, "the top");
    assert_eq!(severity(&without(&cube, |centre| centre.z < 0.1)), Severity::SlicersMend, "the bottom");
}

#[test]
fn a_crack_is_mended_up_to_its_width() {
    let cube = fine_cube();
    for (width, expected) in [(0.01, Severity::SlicersMend), (0.9, Severity::SlicersMend), (3.0, Severity::Fails)] {
        // One side is a sheet of its own.
        let side = moved(&without(&cube, |centre| centre.x < 19.9), |place| place + Vec3::X * width);
        let rest = without(&cube, |centre| centre.x > 19.9);
        assert_eq!(severity(&merged(&[rest, side])), expected, "{width}");
    }
}

#[test]
fn repeated_turned_and_inner_triangles_are_mended() {
    let cube = fine_cube();
    let [a, b, c] = cube.triangles()[100];
    assert_eq!(severity(&with(&cube, &[[a, b, c]])), Severity::SlicersMend, "a duplicate");
    assert_eq!(severity(&with(&cube, &[[a, c, b]])), Severity::SlicersMend, "a back");
    let turned = |every: usize| {
        let triangles = cube.triangles().iter().enumerate();
        let turned = triangles.map(|(at, &[a, b, c])| if at % every == 0 { [a, c, b] } else { [a, b, c] });
        TriMesh::new(cube.vertices().to_vec(), turned.collect()).unwrap()
    };
    assert_eq!(severity(&turned(7)), Severity::SlicersMend, "some are turned");
    assert_eq!(severity(&turned(1)), Severity::SlicersMend, "all are turned");
    let other = moved(&cube, |place| place + Vec3::new(10.3, 5.2, 5.1));
    assert_eq!(severity(&merged(&[cube.clone(), other])), Severity::SlicersMend, "bodies that overlap");
    let touching = moved(&cube, |place| place + Vec3::new(20.0, 20.0, 0.0));
    assert_eq!(severity(&merged(&[cube, touching])), Severity::PrintsAsItIs, "bodies that touch in an edge");
}

#[test]
fn a_fin_is_mended_and_a_sheet_fails() {
    let cube = cube();
    let corners: Vec<u32> = (0..8).filter(|&vertex| cube.vertices()[vertex as usize].z > 0.0).collect();
    let edge = cube.triangles().iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let edge = edge.into_iter().find(|ends| ends.iter().all(|end| corners.contains(end))).unwrap();
    let (mut vertices, mut triangles) = cube.clone().into_parts();
    vertices.push(Vec3::new(0.0, 0.0, 9.0));
    triangles.push([edge[0], edge[1], 8]);
    assert_eq!(severity(&TriMesh::new(vertices, triangles).unwrap()), Severity::SlicersMend, "a fin");
    let sheet = mesh(&[[0.0; 3], [9.0, 0.0, 0.0], [9.0, 0.0, 9.0]], &[[0, 1, 2]]);
    assert_eq!(severity(&sheet), Severity::Fails);
    assert_eq!(severity(&moved(&sheet, |place| Vec3::new(place.x, place.z, 0.0))), Severity::Fails, "a level sheet");
    assert_eq!(severity(&with(&sheet, &[[0, 2, 1]])), Severity::Fails, "a sheet and its back");
    assert_eq!(severity(&with(&sheet, &[[0, 1, 2]])), Severity::Fails, "a sheet and its copy");
    let options = CheckOptions { slicer_gap: 0.01, ..CheckOptions::default() };
    let report = check_with(&moebius(9), &options);
    assert!(report.count("inconsistent-orientation") > 0);
    let twist = report.faults.iter().zip(&report.severities);
    let mut twist = twist.filter(|(fault, _)| matches!(fault, Fault::InconsistentOrientation { .. }));
    assert!(twist.all(|(_, severity)| *severity == Severity::Fails));
}

#[test]
fn loose_triangles_bound_nothing_and_a_shell_that_crosses_itself_does() {
    let cube = fine_cube();
    let loose = |shrink: f64| {
        let corners = (0..cube.triangles().len() as u32).map(|triangle| cube.corners(triangle));
        let vertices: Vec<Vec3> = corners
            .flat_map(|corners| {
                let middle = corners.iter().map(|corner| *corner / 3.0).sum::<Vec3>();
                corners.map(|corner| middle + shrink * (corner - middle))
            })
            .collect();
        let triangles = (0..vertices.len() as u32 / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
        TriMesh::new(vertices, triangles).unwrap()
    };
    let options = CheckOptions::default();
    assert!(check_with(&loose(0.6), &options).printable().is_err(), "a cube of loose triangles");
    let line = mesh(&[[0.0, 0.0, 0.0], [20.0, 0.0, 0.0], [40.0, 0.0, 0.0]], &[[0, 1, 2]]);
    assert!(check_with(&line, &options).printable().is_err(), "a triangle without area");
    let fan: Vec<[f64; 3]> = (0..100).map(|k| f64::from(k) * 0.06).map(|turn| [turn.cos(), turn.sin(), 0.5]).collect();
    let fan = mesh(
        &[&[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]], fan.as_slice()].concat(),
        &(2..102).map(|k| [0, 1, k]).collect::<Vec<_>>(),
    );
    assert!(check_with(&fan, &options).printable().is_err(), "triangles on one edge");
    // A bow tie as a column: the signed volumes of both halves cancel.
    let tie = [[0.0, 0.0], [20.0, 20.0], [20.0, 0.0], [0.0, 20.0]];
    let vertices: Vec<[f64; 3]> = [0.0, 20.0].iter().flat_map(|&z| tie.map(|[x, y]| [x, y, z])).collect();
    let sides = (0..4).flat_map(|i| {
        let j = (i + 1) % 4;
        [[i, j, 4 + j], [i, 4 + j, 4 + i]]
    });
    let triangles: Vec<[u32; 3]> = sides.chain([[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7]]).collect();
    assert!(check_with(&mesh(&vertices, &triangles), &options).printable().is_ok(), "a column over a bow tie");
}

#[test]
fn every_kind_has_a_rule_and_the_names_are_different() {
    let ball = generate::icosphere(1.0, 1).unwrap();
    assert!(check_with(&ball, &CheckOptions::default()).counts.is_empty());
    for kind in [
        "degenerate-face",
        "duplicate-face",
        "isolated-vertex",
        "non-manifold-edge",
        "non-manifold-vertex",
        "inconsistent-orientation",
        "hole",
        "inward-shell",
        "self-intersection",
    ] {
        let rules: Vec<_> = SEVERITY_RULES.iter().filter(|rule| rule.kind == kind).collect();
        assert!(!rules.is_empty() && rules.iter().all(|rule| !rule.reason.is_empty()), "{kind}");
        assert_eq!(rules.len() > 1, rules.iter().all(|rule| !rule.when.is_empty()), "{kind}");
    }
    assert!(Severity::PrintsAsItIs < Severity::SlicersMend && Severity::SlicersMend < Severity::Fails);
    let names = [Severity::PrintsAsItIs, Severity::SlicersMend, Severity::Fails].map(Severity::name);
    assert_eq!(names, ["prints-as-it-is", "slicers-mend-it", "fails"]);
}
