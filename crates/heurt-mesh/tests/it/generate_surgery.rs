//! The operating field of S2 §7: counts, closedness, and that its bodies do meet.

use crate::generate_support::{audit, distance_range};
use heurt_geometry::{Aabb, Triangle, triangles_intersect};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{GenerateError, Surgery, octasphere};

fn triangles(mesh: &TriMesh) -> Vec<Triangle> {
    (0..mesh.triangles().len() as u32).map(|index| mesh.corners(index)).collect()
}

/// Counts intersecting pairs, boxes first.
fn meeting(a: &[Triangle], b: &[Triangle]) -> usize {
    let boxes: Vec<Aabb> = b.iter().map(|t| Aabb::from_points(*t)).collect();
    let all = boxes.iter().fold(Aabb::EMPTY, |all, one| all.union(*one));
    let near = a.iter().map(|t| (t, Aabb::from_points(*t))).filter(|(_, bounds)| bounds.overlaps(&all));
    near.map(|(x, bounds)| {
        let close = |index: &usize| boxes[*index].overlaps(&bounds);
        (0..b.len()).filter(close).filter(|&index| triangles_intersect(x, &b[index])).count()
    })
    .sum()
}

fn organs(field: &Surgery) -> Vec<Vec<Triangle>> {
    let assembly = field.organs();
    let placed = assembly.parts.iter().map(|part| assembly.meshes[part.mesh].transformed(&part.pose).unwrap());
    placed.map(|mesh| triangles(&mesh)).collect()
}

fn instrument(field: &Surgery, step: u32) -> Vec<Triangle> {
    triangles(&field.instrument().transformed(&field.instrument_pose(step)).unwrap())
}

fn soft(field: &Surgery, body: usize, step: u32) -> Vec<Triangle> {
    let moved = TriMesh::new(field.deformed(body, step), field.soft()[body].triangles().to_vec()).unwrap();
    triangles(&moved)
}

#[test]
fn octaspheres_have_eight_times_the_square_and_lie_on_the_sphere() {
    for pieces in [1, 2, 3, 8, 80] {
        let mesh = octasphere(2.0, pieces).unwrap();
        assert_eq!(mesh.triangles().len() as u32, 8 * pieces * pieces);
        assert_eq!(audit(&mesh), Ok(2), "{pieces} pieces");
        let (least, most) = distance_range(&mesh);
        assert!(least > 2.0 - 1e-12 && most < 2.0 + 1e-12);
    }
    assert!(matches!(octasphere(f64::NAN, 8), Err(GenerateError::Parameter { parameter: "radius", .. })));
    assert!(matches!(octasphere(1.0, 0), Err(GenerateError::Parameter { parameter: "pieces", .. })));
    assert!(matches!(octasphere(1.0, u32::MAX), Err(GenerateError::TooManyTriangles { .. })));
}

#[test]
fn the_faces_are_those_of_the_source_and_refine_by_the_square() {
    for refinement in [1, 2, 10] {
        let field = Surgery::new(refinement, 4).unwrap();
        let square = (refinement * refinement) as usize;
        assert_eq!(field.organs().triangles(), (3592 - 64) * square);
        assert_eq!(field.instrument().triangles().len(), 64 * square);
        assert_eq!(field.soft().len(), 4);
        for body in field.soft() {
            assert_eq!(body.triangles().len(), 512 * square);
        }
    }
}

#[test]
fn all_meshes_are_closed_and_stay_so() {
    for refinement in [1, 3] {
        let field = Surgery::new(refinement, 2).unwrap();
        for (index, mesh) in field.organs().meshes.iter().enumerate() {
            assert_eq!(audit(mesh), Ok(2), "organ {index}");
        }
        assert_eq!(audit(field.instrument()), Ok(2));
        for step in (0..Surgery::ROUND).step_by(7) {
            for (body, mesh) in field.soft().iter().enumerate() {
                let moved = TriMesh::new(field.deformed(body, step), mesh.triangles().to_vec()).unwrap();
                assert_eq!(audit(&moved), Ok(2), "step {step}");
            }
        }
    }
}

#[test]
fn organs_share_no_point() {
    for refinement in [1, 2] {
        let organs = organs(&Surgery::new(refinement, 1).unwrap());
        for i in 0..organs.len() {
            for j in 0..i {
                assert_eq!(meeting(&organs[i], &organs[j]), 0, "organs {j} and {i}");
            }
        }
    }
}

#[test]
fn most_steps_have_contacts() {
    let field = Surgery::new(1, 4).unwrap();
    let organs = organs(&field);
    let steps: Vec<u32> = (0..Surgery::ROUND).step_by(10).collect();
    let (mut on_organs, mut of_instrument, mut mutual) = (0, 0, 0);
    for &step in &steps {
        let bodies: Vec<_> = (0..4).map(|body| soft(&field, body, step)).collect();
        let shaft = instrument(&field, step);
        let touches = |one: &[Triangle], many: &[Vec<Triangle>]| many.iter().any(|other| meeting(one, other) > 0);
        on_organs += usize::from(touches(&bodies[0], &organs));
        of_instrument += usize::from(touches(&shaft, &bodies) || touches(&shaft, &organs));
        mutual += usize::from((0..4).all(|body| meeting(&bodies[body], &bodies[(body + 1) % 4]) > 0 || body % 2 == 1));
    }
    assert!(on_organs * 10 >= steps.len() * 8, "{on_organs} of {}", steps.len());
    assert!(of_instrument * 2 >= steps.len(), "{of_instrument} of {}", steps.len());
    assert!(mutual * 10 >= steps.len() * 8, "{mutual} of {}", steps.len());
}

#[test]
fn the_motion_is_round_and_the_same_each_time() {
    let (field, again) = (Surgery::new(1, 3).unwrap(), Surgery::new(1, 3).unwrap());
    for step in [0, 1, 99, 199] {
        assert_eq!(field.instrument_pose(step), again.instrument_pose(step + Surgery::ROUND));
        for body in 0..3 {
            assert_eq!(field.deformed(body, step), again.deformed(body, step + Surgery::ROUND));
        }
    }
    assert_eq!(field.deformed(1, 0), field.soft()[1].vertices());
    assert_ne!(field.deformed(0, 1), field.deformed(0, 0));
    assert!(field.deformed(3, 0).is_empty());
    let most = (1..=Surgery::ROUND).flat_map(|step| {
        let (now, before) = (field.deformed(0, step), field.deformed(0, step - 1));
        now.into_iter().zip(before).map(|(x, y)| x.distance(y)).collect::<Vec<_>>()
    });
    assert!(most.fold(0.0, f64::max) < 0.002, "no jump");
}

#[test]
fn bad_numbers_are_refused_by_name() {
    assert!(matches!(Surgery::new(0, 1), Err(GenerateError::Parameter { parameter: "refinement", .. })));
    assert!(matches!(Surgery::new(u32::MAX, 1), Err(GenerateError::TooManyTriangles { .. })));
    assert!(matches!(Surgery::new(1, 0), Err(GenerateError::Parameter { parameter: "soft", .. })));
    assert!(matches!(Surgery::new(1, 5), Err(GenerateError::Parameter { parameter: "soft", .. })));
}
