//! Repaired copies of broken solids are solids again, with the volume of the original, and nothing gets worse.

use crate::damage::{
    damaged, jittered, solids, turned, with_doubled_vertices, with_duplicates, with_needles, with_t_vertices, without,
    without_face,
};
use crate::lawful::{lawful, repaired, restored, volume};
use crate::shapes::{Random, cube, cuboid, mesh, moebius, open_box, sphere, torus, unshared};
use heurt_geometry::Vec3;
use heurt_mesh::repair::{HoleReason, Left, Outcome, RepairError, Step};
use heurt_mesh::{RepairOptions, SolidifyError, TriMesh, generate, measures, repair};
#[test]
fn sound_solids_stay_as_they_are_bit_for_bit() {
    for (name, solid) in solids() {
        let result = lawful(name, &solid);
        assert_eq!(result.mesh, solid, "{name}");
        assert!(result.report.steps.iter().all(|step| step.outcome == Outcome::Unchanged), "{name}");
    }
    let unshared = unshared(&cube());
    assert_eq!(repaired(&unshared).mesh, unshared, "vertices at one place count as one already");
}

#[test]
fn jittered_seams_close() {
    let mut random = Random::new(1);
    for (name, solid) in solids() {
        let ulp = solid.bounds().max.abs().max_element() * 2f64.powi(-23);
        let bound = 4.0 * ulp * measures(&solid).area / volume(&solid);
        let result = restored(name, &solid, &jittered(&solid, &mut random), bound);
        assert_eq!(result.mesh.vertices().len(), solid.vertices().len(), "{name}");
    }
}

#[test]
fn dropped_flat_faces_come_back_exactly() {
    for (name, solid) in solids() {
        // Faces of one triangle are flat as well; those with holes are one region.
        let count = solid.triangles().len();
        for triangle in (0..count).step_by(count / 4) {
            let broken = without_face(&solid, triangle as u32);
            let result = restored(&format!("{name}, face of {triangle}"), &solid, &broken, 1e-13);
            assert!(result.mesh.triangles().len() <= count, "{name}");
        }
    }
}

#[test]
fn an_annulus_is_one_region_and_a_nest_of_squares_is_two() {
    let washer = generate::washer(3.0, 1.0, 0.5, 16).unwrap();
    let ends_dropped = without(&washer, |triangle| {
        let [a, b, c] = washer.corners(triangle);
        a.z == b.z && b.z == c.z
    });
    let result = restored("washer without its rings", &washer, &ends_dropped, 1e-13);
    assert_eq!(result.report.before.faults.holes, 4);
    // A box with a bowl in its top, and in the bowl a pillar as high as the box; all tops are missing.
    let pillar = cuboid([1.0, 1.0, 1.0], [2.0, 2.0, 3.0]);
    let bowl = cuboid([-1.0, -1.0, 1.0], [4.0, 4.0, 3.0]).reversed();
    let outer = cuboid([-2.0, -2.0, 0.0], [5.0, 5.0, 3.0]);
    let floorless = |mesh: &TriMesh, z: f64| without(mesh, |t| mesh.corners(t).iter().all(|p| p.z == z));
    let parts = [floorless(&outer, 3.0), floorless(&bowl, 3.0), floorless(&floorless(&pillar, 3.0), 1.0)];
    let all = TriMesh::merged(&parts).unwrap();
    // The floor of the bowl lacks the square under the pillar.
    let floor_cut = without(&all, |t| all.corners(t).iter().all(|p| p.z == 1.0));
    let result = lawful("bowl with a pillar", &floor_cut);
    assert!(result.report.is_solid(), "{:#?}", result.report);
    assert_eq!(volume(&result.mesh), 147.0 - 50.0 + 2.0);
}

#[test]
fn holes_in_curved_surfaces_close_near_what_was_there() {
    let ball = sphere(8);
    for (triangle, name) in [(3, "near a pole"), (90, "in the middle")] {
        let corners = ball.triangles()[triangle];
        let broken = without(&ball, |other| ball.triangles()[other as usize].iter().any(|v| corners.contains(v)));
        let result = restored(name, &ball, &broken, 0.03);
        assert_eq!(result.report.before.faults.holes, 1);
    }
}

#[test]
fn a_long_hole_is_closed_by_ears() {
    let tube = generate::cylinder(1.0, 2.0, 600).unwrap();
    // The top edge goes up and down, so that the hole is not planar.
    let (mut vertices, triangles) = tube.into_parts();
    for (number, vertex) in vertices.iter_mut().filter(|vertex| vertex.z > 0.5).enumerate() {
        vertex.z += 0.01 * (number % 5) as f64;
    }
    let wavy = TriMesh::new(vertices, triangles).unwrap();
    let is_top = |t: u32| wavy.corners(t).iter().all(|p| p.z > 0.5);
    let result = lawful("wavy tube", &without(&wavy, is_top));
    assert!(result.report.is_solid(), "{:#?}", result.report.holes);
}

#[test]
fn turned_triangles_and_shells_are_turned_back() {
    let mut random = Random::new(2);
    for (name, solid) in solids() {
        let scattered = turned(&solid, |_| random.next() < 0.4);
        // Which side of the wall of a cavity most triangles face is left to chance.
        if name != "cavity" {
            restored(name, &solid, &scattered, 1e-15);
        }
        restored(name, &solid, &solid.clone().reversed(), 1e-15);
    }
    let two = TriMesh::merged([&cube(), &cuboid([5.0; 3], [6.0; 3]).reversed()]).unwrap();
    let result = lawful("one of two inside out", &two);
    assert_eq!((volume(&result.mesh), result.report.steps[Step::Orient as usize].change.triangles_turned), (2.0, 12));
}

#[test]
fn a_tube_of_two_walls_gets_its_rings_back_whichever_side_they_face() {
    let washer = generate::washer(3.0, 1.0, 0.5, 16).unwrap();
    let is_ring = |triangle: u32| {
        let [a, b, c] = washer.corners(triangle);
        a.z == b.z && b.z == c.z
    };
    let walls = without(&washer, is_ring);
    let is_inner = |triangle: u32| walls.corners(triangle).iter().all(|p| p.x.hypot(p.y) < 1.0);
    restored("inner wall turned", &washer, &turned(&walls, is_inner), 1e-13);
    restored("outer wall turned", &washer, &turned(&walls, |triangle| !is_inner(triangle)), 1e-13);
}

#[test]
fn fins_and_walls_without_thickness_go() {
    let (mut vertices, mut triangles) = cube().into_parts();
    // A triangle that hangs on an edge of the cube, and one that hangs on that one.
    let first = vertices.len() as u32;
    vertices.extend([[2.0, 0.5, 0.0], [3.0, 0.5, 0.5]].map(Vec3::from_array));
    triangles.extend([[1, 3, first], [3, first + 1, first]]);
    let result = restored("fin", &cube(), &TriMesh::new(vertices, triangles).unwrap(), 0.0);
    assert_eq!(result.report.steps[Step::Components as usize].change.triangles_removed, 2);
    // Two cubes with one common wall instead of two.
    let both = TriMesh::merged([&cube(), &cuboid([1.0, 0.0, 0.0], [2.0, 1.0, 1.0])]).unwrap();
    let is_second_wall = |triangle: u32| triangle >= 12 && both.corners(triangle).iter().all(|p| p.x == 1.0);
    let result = lawful("common wall", &without(&both, is_second_wall));
    assert!(result.report.is_solid(), "{:#?}", result.report);
    assert_eq!(volume(&result.mesh), 2.0);
}

#[test]
fn a_solid_drawn_from_both_sides_keeps_one() {
    let twice = TriMesh::merged([&torus(7, 5), &torus(7, 5).reversed()]).unwrap();
    restored("torus", &torus(7, 5), &twice, 1e-14);
    // So does a sheet.
    let sheet = TriMesh::merged([&open_box(), &open_box().reversed(), &cuboid([5.0; 3], [6.0; 3])]).unwrap();
    lawful("sheet", &sheet);
    let result = repair(&sheet, &RepairOptions::default().with(Step::Fill, false)).unwrap();
    assert_eq!((result.report.after.triangles, result.report.after.area), (22, 11.0));
}

#[test]
fn t_vertices_close_without_moving_anything() {
    for (name, solid) in solids() {
        for every in [1, 3] {
            let result = restored(name, &solid, &with_t_vertices(&solid, every), 1e-6);
            assert!(result.report.steps[Step::Seams as usize].change.triangles_added > 0, "{name}");
        }
    }
    // Halves of whole numbers are exact.
    let broken = with_t_vertices(&cube(), 1);
    assert_eq!(volume(&restored("cube", &cube(), &broken, 0.0).mesh), 1.0);
}

#[test]
fn duplicates_needles_and_doubled_vertices_go() {
    for (name, solid) in solids() {
        restored(name, &solid, &with_duplicates(&solid, 3), 1e-15);
        restored(name, &solid, &with_doubled_vertices(&solid), 1e-15);
        let needles = with_needles(&solid, 2);
        if needles.triangles().len() > solid.triangles().len() {
            let result = restored(name, &solid, &needles, 1e-13);
            assert_eq!(result.report.after.faults.degenerate_faces, 0, "{name}");
        }
    }
}

#[test]
fn needles_of_needles_go_without_a_gap() {
    // A tetrahedron with the edge from 0 to 8. One face uses the whole edge, the other one its eight pieces; between
    // them needles divide the edge in halves, the halves in halves, and so on.
    let on_edge = (0..=8).map(|x| [f64::from(x), 0.0, 0.0]);
    let points: Vec<[f64; 3]> = on_edge.chain([[4.0, 5.0, 0.0], [4.0, 2.0, 5.0]]).collect();
    let (apex, top) = (9, 10);
    let mut triangles: Vec<[u32; 3]> = vec![[0, 8, top], [8, apex, top], [apex, 0, top]];
    triangles.extend((0..8).map(|k| [k + 1, k, apex]));
    for (a, b) in [(0, 8), (0, 4), (4, 8), (0, 2), (2, 4), (4, 6), (6, 8)] {
        triangles.push([b, a, (a + b) / 2]);
    }
    let broken = mesh(&points, &triangles);
    let result = lawful("nested needles", &broken);
    assert!(result.report.is_solid(), "{:#?}", result.report);
    assert_eq!((result.mesh.triangles().len(), volume(&result.mesh)), (18, 8.0 * 5.0 * 5.0 / 6.0));
}

#[test]
fn a_triangle_and_its_back_stay_once_if_they_close_a_surface() {
    let (vertices, mut triangles) = cube().into_parts();
    // The back of a face of the cube: without both there would be a hole.
    let [a, b, c] = triangles[5];
    triangles.push([c, b, a]);
    let result = restored("back", &cube(), &TriMesh::new(vertices, triangles).unwrap(), 0.0);
    assert_eq!(result.report.steps[Step::Fill as usize].outcome, Outcome::Unchanged);
}

#[test]
fn jittered_copies_of_faces_become_one() {
    let mut random = Random::new(6);
    for (name, solid) in solids() {
        let broken = jittered(&with_duplicates(&solid, 2), &mut random);
        restored(name, &solid, &broken, 1e-5);
    }
}

#[test]
fn solids_that_touch_come_apart() {
    let gap = 8.0 * 2.0 * 2f64.powi(-23);
    let edge = TriMesh::merged([&cube(), &cuboid([1.0, 1.0, 0.0], [2.0, 2.0, 1.0])]).unwrap();
    let corner = TriMesh::merged([&cube(), &cuboid([1.0; 3], [2.0; 3])]).unwrap();
    for (name, touching, doubled) in [("edge", edge, 2), ("corner", corner, 1)] {
        let result = lawful(name, &touching);
        let report = &result.report;
        assert_eq!(report.after.faults.total(), 0, "{name}: {report:#?}");
        assert_eq!(report.steps[Step::Split as usize].change.vertices_doubled, doubled, "{name}");
        let lost = 2.0 - volume(&result.mesh);
        assert!(lost > 0.0 && lost < 6.0 * gap, "{name}: {lost}");
        assert!(lost <= report.steps[Step::Split as usize].change.volume_bound, "{name}");
        assert_eq!(measures(&result.mesh).components, 2, "{name}");
    }
}

#[test]
fn stray_pieces_go_and_tiny_ones_on_request() {
    let sheet = mesh(&[[9.0, 0.0, 0.0], [10.0, 0.0, 0.0], [9.0, 1.0, 0.0]], &[[0, 1, 2]]);
    let crumb = cuboid([5.0; 3], [5.01; 3]);
    let all = TriMesh::merged([&cube(), &sheet, &crumb]).unwrap();
    let (mut vertices, triangles) = all.into_parts();
    vertices.push(Vec3::splat(-7.0));
    let broken = TriMesh::new(vertices, triangles).unwrap();
    let result = restored("stray", &TriMesh::merged([&cube(), &crumb]).unwrap(), &broken, 1e-15);
    assert_eq!(result.report.steps[Step::Components as usize].change.vertices_dropped, 4);
    let options = RepairOptions { tiny: 0.1, ..RepairOptions::default() };
    assert_eq!(volume(&repair(&broken, &options).unwrap().mesh), 1.0);
    // A sheet alone is not stray.
    assert_eq!(repaired(&sheet).mesh, sheet);
    // A wall of a box whose corners do not meet is no stray sheet.
    let (mut vertices, mut triangles) = open_box().into_parts();
    let first = vertices.len() as u32;
    vertices.extend([[0.1, 0.1, 1.0], [0.9, 0.1, 1.0], [0.5, 0.9, 1.0]].map(Vec3::from_array));
    triangles.push([first, first + 1, first + 2]);
    let only = RepairOptions::default().only(&[Step::Components]);
    let lid = TriMesh::new(vertices, triangles).unwrap();
    assert_eq!(repair(&lid, &only).unwrap().mesh, lid);
}

#[test]
fn a_hole_that_cannot_be_filled_is_named() {
    // A rod stands in the only hole of a box.
    let rod = cuboid([0.4, 0.4, 0.5], [0.6, 0.6, 2.0]);
    let result = lawful("rod", &TriMesh::merged([&open_box(), &rod]).unwrap());
    let [hole] = result.report.holes.as_slice() else { panic!("{:#?}", result.report) };
    assert_eq!((hole.reason, hole.vertices.len(), hole.length), (HoleReason::Intersects, 4, 4.0));
    assert_eq!(hole.centre, Vec3::new(0.5, 0.5, 1.0));
    assert!(!result.report.is_solid());
    assert!(hole.to_string().contains("around [0.500000, 0.500000, 1.000000]"), "{hole}");
    // The back of a triangle alone would be its duplicate.
    let one = lawful("triangle", &mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]));
    assert_eq!(one.report.holes[0].reason, HoleReason::Rim);
    let options = RepairOptions { max_hole_edges: 3, ..RepairOptions::default() };
    let limited = repair(&open_box(), &options).unwrap();
    assert_eq!(limited.report.holes[0].reason, HoleReason::TooManyEdges { limit: 3 });
    let skipped = repair(&open_box(), &RepairOptions::default().with(Step::Fill, false)).unwrap();
    assert_eq!(skipped.report.holes[0].reason, HoleReason::SwitchedOff);
}

#[test]
fn what_is_no_solid_is_left_as_good_as_it_was() {
    let strip = lawful("moebius", &moebius(9));
    assert!(!strip.report.is_solid());
    let crossing = TriMesh::merged([&cube(), &cuboid([0.5; 3], [1.5; 3])]).unwrap();
    let result = lawful("crossing cubes", &crossing);
    assert_eq!(result.mesh, crossing);
    assert!(!result.report.is_solid() && result.report.after.faults.self_intersections > 0);
    let nothing = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[[0, 1, 2], [0, 0, 1]]);
    assert!(!lawful("degenerate", &nothing).report.is_solid());
}

#[test]
fn everything_at_once() {
    let mut random = Random::new(5);
    for (name, solid) in solids() {
        let broken = with_t_vertices(&without_face(&solid, 0), 5);
        let turned_share = if name == "cavity" { 0.0 } else { 0.3 };
        let broken = with_duplicates(&turned(&broken, |_| random.next() < turned_share), 11);
        restored(name, &solid, &with_doubled_vertices(&broken), 1e-6);
    }
}

#[test]
fn damage_of_several_kinds_is_repaired() {
    let mut solids = solids();
    solids.push(("plate", generate::plate([1.0, 0.6, 0.1], [3, 2], 0.1, 12).unwrap()));
    solids.push(("bumpy", generate::bumpy_sphere(1.0, 0.2, 5.0, 8).unwrap()));
    for seed in 0..12 {
        let (name, solid) = &solids[seed as usize % solids.len()];
        let (broken, kinds) = damaged(solid, *name != "cavity", &mut Random::new(seed));
        let scale = solid.bounds().min.abs().max(solid.bounds().max.abs()).max_element();
        // Two ulp of an f32 for each of: the damage, the weld, the needles that are flattened.
        let bound = 6.0 * scale * 2f64.powi(-23) * measures(solid).area / volume(solid) + 1e-12;
        restored(&format!("{name} {seed}: {kinds:?}"), solid, &broken, bound);
    }
}

#[test]
fn random_damage_never_makes_anything_worse() {
    let mut random = Random::new(7);
    for round in 0..60 {
        let (name, solid) = match round % 3 {
            0 => ("torus", torus(7, 5)),
            1 => ("cube", cube()),
            _ => ("sphere", sphere(4)),
        };
        let (vertices, triangles) = solid.into_parts();
        let count = vertices.len() as u32;
        let damaged = triangles.into_iter().filter_map(|mut corners| match random.below(12) {
            0 => None,
            1 => {
                corners[random.below(3) as usize] = random.below(count);
                Some(corners)
            }
            2 => Some([corners[0], corners[2], corners[1]]),
            _ => Some(corners),
        });
        let damaged: Vec<[u32; 3]> = damaged.collect();
        lawful(&format!("{name} {round}"), &TriMesh::new(vertices, damaged).unwrap());
    }
}

#[test]
fn soups_on_a_grid_end_and_settle() {
    let mut random = Random::new(9);
    for round in 0..40 {
        let points: Vec<Vec3> = (0..10).map(|_| random.grid_point(3)).collect();
        let triangles = (0..14).map(|_| [0; 3].map(|_| random.below(10))).collect();
        let soup = TriMesh::new(points, triangles).unwrap();
        lawful(&format!("soup {round}"), &soup);
    }
}

#[test]
fn bad_options_are_refused_with_their_value() {
    let with = |options: RepairOptions| repair(&cube(), &options).unwrap_err();
    let options = RepairOptions::default;
    assert_eq!(
        with(RepairOptions { tolerance: Some(-1.0), ..options() }),
        RepairError::Weld(SolidifyError::BadTolerance { tolerance: -1.0 })
    );
    assert_eq!(with(RepairOptions { gap: Some(0.0), ..options() }), RepairError::BadGap { gap: 0.0 });
    assert_eq!(with(RepairOptions { tiny: f64::INFINITY, ..options() }), RepairError::BadTiny { tiny: f64::INFINITY });
    assert_eq!(with(RepairOptions { max_hole_edges: 2, ..options() }), RepairError::BadHoleLimit { max: 2 });
    // A box 0.01 thick, with an open end, welded within 0.1.
    let thin = TriMesh::new(open_box().vertices().iter().map(|v| *v * Vec3::new(1.0, 0.01, 1.0)).collect(), {
        open_box().triangles().to_vec()
    });
    let error = repair(&thin.unwrap(), &RepairOptions { tolerance: Some(0.1), ..options() }).unwrap_err();
    assert!(matches!(error, RepairError::Weld(SolidifyError::ToleranceTooLarge { feature: 0.01, .. })), "{error}");
    assert!(with(RepairOptions { gap: Some(f64::NAN), ..options() }).to_string().contains("NaN"));
}

#[test]
fn extreme_coordinates_end_without_a_panic() {
    let mut random = Random::new(8);
    for scale in [1e300, 1e150, 1e-150, 1e-300, 5e-324] {
        for (name, solid) in [("open box", open_box()), ("torus", torus(6, 4)), ("needles", with_needles(&cube(), 2))] {
            let vertices = solid.vertices().iter().map(|&vertex| vertex * scale).collect();
            let huge = TriMesh::new(vertices, solid.triangles().to_vec()).unwrap();
            let result = repaired(&without(&huge, |triangle| triangle % 5 == 1));
            assert!(result.mesh.vertices().iter().all(|vertex| vertex.is_finite()), "{name} {scale}");
        }
    }
    // Coordinates of all sizes in one mesh.
    for _ in 0..30 {
        let mut coordinate = || (random.next() - 0.5) * 10f64.powi((random.next() * 600.0 - 300.0) as i32);
        let points = (0..8).map(|_| Vec3::new(coordinate(), coordinate(), coordinate())).collect();
        let triangles = (0..12).map(|_| [0; 3].map(|_| random.below(8))).collect();
        let result = repaired(&TriMesh::new(points, triangles).unwrap());
        assert!(result.mesh.vertices().iter().all(|vertex| vertex.is_finite()));
    }
}

#[test]
fn thousands_of_holes_are_filled_one_by_one() {
    let ball = generate::uv_sphere(1.0, 120).unwrap();
    // Every eleventh triangle is missing; neighbours never are.
    let broken = without(&ball, |triangle| triangle % 11 == 0);
    let result = repaired(&broken);
    let filled = result.report.steps[Step::Fill as usize].change.holes_filled;
    assert!(result.report.is_solid() && filled > 1000, "{filled}");
    assert!((volume(&result.mesh) - volume(&ball)).abs() < 1e-9);
}

#[test]
fn open_edges_on_one_line_are_split_within_a_budget() {
    // Triangles over 0 to k on one line, for each k: every vertex lies on all longer edges.
    let count = 60;
    let mut points = vec![[0.0; 3]];
    let mut triangles = Vec::new();
    for k in 1..=count {
        let angle = f64::from(k) * 1e-3;
        points.extend([[f64::from(k), 0.0, 0.0], [0.5, angle.cos(), angle.sin()]]);
        triangles.push([0, 2 * k - 1, 2 * k]);
    }
    let options = RepairOptions { steps: vec![Step::Seams], ..RepairOptions::default() };
    let repaired = repair(&mesh(&points, &triangles), &options).unwrap();
    // All splits would make 1,770 triangles in the first pass.
    let made: usize = repaired.report.steps[Step::Seams as usize].change.triangles_added;
    assert!(repaired.mesh.triangles().len() < 1500 && made < 1500, "{made}");
}

#[test]
fn triangles_that_share_one_line_end_within_the_work_of_a_repair() {
    // Fans of triangles, each with one edge on the x axis.
    let fan = |count: u32, ends: &dyn Fn(f64) -> [f64; 2]| {
        let mut points = Vec::new();
        for k in 0..count {
            let [a, b] = ends(f64::from(k));
            let angle = f64::from(k) * 0.02;
            points.extend([[a, 0.0, 0.0], [b, 0.0, 0.0], [0.5 * (a + b), angle.cos(), angle.sin()]]);
        }
        mesh(&points, &(0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect::<Vec<_>>())
    };
    for (name, ends) in [
        ("nested", &(|k| [0.0, k + 1.0]) as &dyn Fn(f64) -> [f64; 2]),
        ("consecutive", &|k| [k, k + 1.0]),
        ("overlapping", &|k| [k, k + 10.5]),
        ("centred", &|k| [-k - 1.0, k + 1.0]),
    ] {
        let broken = fan(300, ends);
        let report = repaired(&broken).report;
        assert!(report.after.triangles <= 4 * 300, "{name}: {}", report.after.triangles);
        assert!(report.after.open_length <= report.before.open_length, "{name}");
        assert_eq!(report.holes.len(), report.after.faults.holes, "{name}: each hole is named with a reason");
        assert_eq!(report.is_spent, report.left().contains(&Left::Work), "{name}");
        assert!(!(report.is_spent && report.settled), "{name}");
    }
}

#[test]
fn a_slit_of_collinear_corners_is_left_and_named() {
    // Triangles on both sides of the x axis, with staggered corners on it: no filling of the slit has an area.
    for count in [100u32, 300] {
        let mut points = Vec::new();
        points.extend((0..=count).map(|k| [f64::from(k), 0.0, 0.0]));
        points.extend((0..count).map(|k| [f64::from(k) + 0.5, 0.0, 0.0]));
        points.extend([[0.0, 1.0, 1.0], [0.0, -1.0, 1.0]]);
        let (upper, lower) = (2 * count + 1, 2 * count + 2);
        let mut triangles: Vec<[u32; 3]> = (0..count).map(|k| [k, k + 1, upper]).collect();
        triangles.extend([[0, upper, lower], [upper, count, lower]]);
        let along: Vec<u32> = std::iter::once(0).chain(count + 1..2 * count + 1).chain([count]).collect();
        triangles.extend(along.windows(2).map(|pair| [pair[1], pair[0], lower]));
        let options = RepairOptions::default().only(&[Step::Fill]);
        let report = repair(&mesh(&points, &triangles), &options).unwrap().report;
        let [slit] = report.holes.as_slice() else { panic!("{:?}", report.holes) };
        assert_eq!((slit.vertices.len(), slit.reason), (2 * count as usize + 1, HoleReason::NoTriangulation));
    }
}
