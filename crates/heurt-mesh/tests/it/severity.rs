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
fn holes_are_level_as_the_mesh_is_placed() {
    let open_above = without(&fine_cube(), |centre| centre.z > 19.9);
    let severity = |up: Option<Vec3>| {
        let options = CheckOptions { slicer_gap: 2.0, up, ..CheckOptions::default() };
        check_with(&open_above, &options).verdict().severity
    };
    assert_eq!(severity(Some(Vec3::Z)), Severity::SlicersMend);
    assert_eq!(severity(Some(-7.0 * Vec3::Z)), Severity::SlicersMend, "upside down");
    assert_eq!(severity(Some(Vec3::X)), Severity::Fails, "on its side");
    assert_eq!(severity(Some(Vec3::new(0.0, 0.6, 0.8))), Severity::Fails, "aslant");
    assert_eq!(severity(None), Severity::Fails, "in several poses");
    assert_eq!(severity(Some(Vec3::ZERO)), Severity::Fails, "no direction is no pose");
    assert_eq!(severity(Some(Vec3::splat(f64::NAN))), Severity::Fails, "nor is a number that is none");
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

/// A drum of radius 20 and length 20 along x, of `count` sectors, with a hole in its end; the hole has a radius by
/// sector.
fn drum(count: u32, radius: impl Fn(u32) -> f64) -> TriMesh {
    let mut vertices = vec![Vec3::ZERO];
    for (x, radius) in [(0.0, &(|_| 20.0) as &dyn Fn(u32) -> f64), (20.0, &|_| 20.0), (20.0, &radius)] {
        vertices.extend((0..count).map(|k| {
            let turn = std::f64::consts::TAU * f64::from(k) / f64::from(count);
            Vec3::new(x, radius(k) * turn.cos(), radius(k) * turn.sin())
        }));
    }
    let sector = |k: u32| {
        let [a, b] = [1 + k, 1 + (k + 1) % count];
        let quads = [[a, b, count + b, count + a], [count + a, count + b, 2 * count + b, 2 * count + a]];
        let sides = quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
        std::iter::once([0, b, a]).chain(sides)
    };
    TriMesh::new(vertices, (0..count).flat_map(sector).collect()).unwrap()
}

#[test]
fn teeth_around_a_hole_are_no_slit() {
    for (name, radius, teeth, expected) in [
        ("a round hole", 4.0, 0.0, Severity::Fails),
        ("low teeth", 4.0, 0.1, Severity::Fails),
        ("high teeth", 4.0, 1.5, Severity::Fails),
        ("arms from the middle", 3.0, 2.9, Severity::SlicersMend),
        ("a small hole with teeth", 0.4, 0.3, Severity::SlicersMend),
    ] {
        for count in [40, 400, 4000] {
            let saw = drum(count, |k| if k % 2 == 0 { radius } else { radius - teeth });
            assert_eq!(severity(&saw), expected, "{name}, {count} edges");
        }
    }
}

#[test]
fn a_slit_may_have_teeth_and_arms() {
    // Narrow arms from the middle outward: each sector in which the hole is wide has two neighbours in which it is not.
    let arms =
        |count: u32, arms: u32, reach: f64| drum(count, move |k| if k % (count / arms) == 0 { reach } else { 0.05 });
    assert_eq!(severity(&arms(600, 1, 9.0)), Severity::SlicersMend, "one arm");
    assert_eq!(severity(&arms(600, 3, 9.0)), Severity::SlicersMend, "three arms");
    assert_eq!(severity(&arms(600, 3, 19.0)), Severity::SlicersMend, "three long arms");
    // Teeth on a crack around one side of a cube.
    let cube = fine_cube();
    let toothed = |width: f64| {
        let side = moved(&without(&cube, |centre| centre.x < 19.9), |place| {
            let is_tooth = (place.y / 1.25 + place.z / 1.25).round() % 2.0 == 0.0;
            place + Vec3::X * if is_tooth { width } else { 0.1 * width }
        });
        merged(&[without(&cube, |centre| centre.x > 19.9), side])
    };
    assert_eq!(severity(&toothed(0.8)), Severity::SlicersMend);
    assert_eq!(severity(&toothed(6.0)), Severity::Fails);
}

#[test]
fn many_open_edges_on_a_short_way_are_no_quadratic_work() {
    // In a ball of 2 around a place on the border lie thousands of edges, and none is opposite.
    let options = CheckOptions { slicer_gap: 2.0, self_intersections: false, ..CheckOptions::default() };
    for teeth in [0.0, 0.3] {
        let dense = drum(20_000, |k| 1.8 - teeth * f64::from(k % 2));
        assert_eq!(check_with(&dense, &options).verdict().severity, Severity::Fails, "{teeth}");
    }
    // Beyond the limits of work a border counts as wide: here long slivers that cross in one place.
    let turn = |k: u32| f64::from(k) * 2.399_963;
    let ends = (0..6000).flat_map(|k| {
        let along = Vec3::new(turn(k).cos(), turn(k).sin(), (f64::from(k) / 6000.0 - 0.5) * 0.2);
        [-2.0 * along, 2.0 * along, 2.0 * along + Vec3::Z * 0.01]
    });
    let slivers = TriMesh::new(ends.collect(), (0..6000).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect()).unwrap();
    let wide = check_with(&merged(&[fine_cube(), slivers]), &options);
    assert_eq!(wide.verdict().severity, Severity::Fails);
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
fn a_face_that_is_listed_often_counts_once() {
    let cube = fine_cube();
    let [a, b, c] = cube.triangles()[100];
    let often = |mesh: &TriMesh, count: usize| with(mesh, &vec![[a, b, c]; count]);
    for count in [1, 2, 999, 5000] {
        let report = check_with(&often(&cube, count), &CheckOptions { slicer_gap: 2.0, ..CheckOptions::default() });
        assert_eq!(report.count("duplicate-face"), count);
        assert_eq!(report.verdict().severity, Severity::SlicersMend, "{count}: {}", report.verdict());
    }
    // All faces often, and one face as often from both sides.
    let all: Vec<[u32; 3]> = cube.triangles().repeat(3);
    assert_eq!(severity(&with(&cube, &all)), Severity::SlicersMend, "all four times");
    let sides = [[a, b, c], [a, c, b]].repeat(400);
    assert_eq!(severity(&with(&cube, &sides)), Severity::SlicersMend, "both sides");
    // A repeat hides no hole.
    let open = without(&cube, |centre| centre.x > 19.9);
    assert_eq!(severity(&with(&open, open.triangles())), Severity::Fails, "an open cube and its copy");
    let border: Vec<[u32; 3]> = without(&open, |centre| centre.x < 18.0).triangles().repeat(3);
    assert_eq!(severity(&with(&open, &border)), Severity::Fails, "an open cube with a copied border");
    let sheet = without(&cube, |centre| centre.x < 19.9);
    assert_eq!(severity(&with(&sheet, sheet.triangles())), Severity::Fails, "a sheet and its copy");
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
