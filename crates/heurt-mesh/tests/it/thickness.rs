//! Wall thickness of plates, tubes, spheres and wedges whose thickness is known.

use crate::shapes::{cube, cuboid, mesh, open_box};
use heurt_geometry::Vec3;
use heurt_mesh::{
    Thickness, ThicknessError, ThicknessMethod, ThicknessOptions, ThicknessSamples, TriMesh, generate, wall_thickness,
};

const BOTH: [ThicknessMethod; 2] = [ThicknessMethod::Ball, ThicknessMethod::Ray];

fn measured(mesh: &TriMesh, method: ThicknessMethod, samples: ThicknessSamples) -> Thickness {
    wall_thickness(mesh, &ThicknessOptions { method, samples }).unwrap()
}

fn by_area(mesh: &TriMesh, method: ThicknessMethod, count: usize) -> Thickness {
    measured(mesh, method, ThicknessSamples::ByArea(count))
}

fn is_near(x: f64, y: f64, share: f64) -> bool {
    (x - y).abs() <= share * y
}

#[test]
fn a_plate_is_as_thick_as_it_is() {
    let plate = cuboid([0.0; 3], [4.0, 3.0, 0.125]);
    for method in BOTH {
        let thickness = by_area(&plate, method, 2000);
        assert_eq!((thickness.samples.len(), thickness.method), (2000, method));
        let least = thickness.minimum().unwrap();
        assert!(is_near(least.thickness, 0.125, 1e-9), "{method}: {least:?}");
        // Both large faces, 24 of 25.75, have this thickness; across the narrow sides it is 3 and 4.
        assert!(is_near(thickness.percentile(0.9).unwrap(), 0.125, 1e-9), "{method}");
        assert!(thickness.percentile(0.96).unwrap() > 2.9, "{method}");
        assert!(is_near(thickness.share_below(0.2), 24.0 / 25.75, 0.01), "{method}: {}", thickness.share_below(0.2));
        assert_eq!((thickness.share_below(0.124), thickness.share_below(5.0)), (0.0, 1.0));
        let opposite = plate.corners(least.opposite.unwrap());
        assert!((opposite[0].z - least.point.z).abs() > 0.12, "{method}: the other side");
    }
}

#[test]
fn the_wall_of_a_tube_and_of_a_hollow_ball() {
    let tube = generate::washer(4.0, 3.0, 10.0, 64).unwrap();
    let outer = generate::icosphere(1.0, 3).unwrap();
    let shell = TriMesh::merged([&outer, &outer.scaled(0.8).unwrap().reversed()]).unwrap();
    for method in BOTH {
        let wall = by_area(&tube, method, 3000);
        // Facets are nearer to each other than the circles by at most 2 (1 − cos(π / 64)).
        assert!(is_near(wall.percentile(0.4).unwrap(), 0.5, 0.01), "{method}: {:?}", wall.percentile(0.4));
        assert!(is_near(wall.minimum().unwrap().thickness, 0.5, 0.02), "{method}: {:?}", wall.minimum());
        let wall = by_area(&shell, method, 3000);
        for share in [0.0, 0.5, 1.0] {
            assert!(
                is_near(wall.percentile(share).unwrap(), 0.2, 0.03),
                "{method} {share}: {:?}",
                wall.percentile(share)
            );
        }
    }
}

/// A plate of 20 × 20 × 2 with a fin of 1 × 6 at its foot, whose end is shifted along x.
fn plate_with_fin(lean: f64) -> TriMesh {
    let square = |x: f64, y: f64| [[-x, -y], [x, -y], [x, y], [-x, y]];
    let ring = |corners: [[f64; 2]; 4], shift: f64, z: f64| corners.map(|[x, y]| [x + shift, y, z]);
    let rings = [
        ring(square(10.0, 10.0), 0.0, 0.0),
        ring(square(10.0, 10.0), 0.0, 2.0),
        ring(square(0.5, 3.0), 0.0, 2.0),
        ring(square(0.5, 3.0), lean, 5.0),
    ];
    let band = |low: u32| {
        (0..4).flat_map(move |k| {
            let (a, b) = (4 * low + k, 4 * low + (k + 1) % 4);
            [[a, b, b + 4], [a, b + 4, a + 4]]
        })
    };
    let ends = [[0, 2, 1], [0, 3, 2], [12, 13, 14], [12, 14, 15]];
    let triangles: Vec<[u32; 3]> = (0..3).flat_map(band).chain(ends).collect();
    mesh(&rings.concat(), &triangles)
}

#[test]
fn the_foot_of_a_fin_has_a_thickness() {
    for lean in [0.0, 2.0, 5.0, -8.0, 20.0] {
        let part = plate_with_fin(lean);
        for method in BOTH {
            let thickness = by_area(&part, method, 500);
            // The faces of the fin have a distance of the sine of its angle.
            let wall = 3.0 / f64::hypot(3.0, lean);
            let at_foot = thickness.samples.iter().filter(|sample| sample.weight == 0.0 && sample.point.z == 2.0);
            assert_eq!(at_foot.clone().count(), 8, "{method}, {lean}: four corners and four edges");
            assert!(at_foot.clone().all(|sample| sample.thickness > 0.5 * wall), "{method}, {lean}");
        }
    }
}

#[test]
fn a_ball_and_a_cube_measure_their_diameters() {
    let ball = generate::icosphere(1.0, 4).unwrap();
    for method in BOTH {
        let thickness = by_area(&ball, method, 1000);
        assert!(is_near(thickness.minimum().unwrap().thickness, 2.0, 0.05), "{method}: {:?}", thickness.minimum());
        assert!(is_near(thickness.percentile(1.0).unwrap(), 2.0, 0.05), "{method}");
        // Edges of a cube do not count as thin.
        let thickness = by_area(&cube(), method, 1000);
        assert!(is_near(thickness.minimum().unwrap().thickness, 1.0, 1e-9), "{method}: {:?}", thickness.minimum());
    }
}

#[test]
fn balls_follow_a_wedge_and_rays_overestimate_it() {
    // A wedge of 30°: at distance s from its edge the ball that touches both sides has the radius s tan 15°.
    let tan = (30f64).to_radians().tan();
    let points = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 0.0, 4.0 * tan]];
    let far = points.map(|[x, _, z]| [x, 9.0, z]);
    let wedge = mesh(
        &[points[0], points[1], points[2], far[0], far[1], far[2]],
        &[[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]],
    );
    let [ball, ray] = BOTH.map(|method| by_area(&wedge, method, 4000));
    let on_floor = |thickness: &Thickness| -> Vec<(f64, f64)> {
        let floor = thickness.samples.iter().filter(|sample| sample.point.z == 0.0 && sample.point.x < 3.0);
        floor.map(|sample| (sample.point.x, sample.thickness)).collect()
    };
    for (x, thickness) in on_floor(&ball) {
        assert!(is_near(thickness, 2.0 * x * 15f64.to_radians().tan(), 1e-6), "{x}: {thickness}");
    }
    for (x, thickness) in on_floor(&ray) {
        assert!(is_near(thickness, x * tan, 1e-9), "{x}: {thickness}");
    }
    assert!(on_floor(&ball).len() > 500);
}

#[test]
fn every_triangle_gets_a_value_if_asked_for() {
    let gear = generate::gear(12, 1.0, 0.35, 0.0, 2.0, 4.0, 8).unwrap();
    let thickness = measured(&gear, ThicknessMethod::Ball, ThicknessSamples::PerTriangle);
    let per_triangle = thickness.per_triangle(&gear);
    assert!(per_triangle.iter().all(|value| value.is_some_and(|value| value > 0.0 && value.is_finite())));
    let least = thickness.minimum().unwrap();
    assert_eq!(per_triangle[least.triangle as usize], Some(least.thickness));
    assert!(thickness.samples.is_sorted_by(|a, b| a.thickness <= b.thickness));
    // A ball at a place is never larger than the solid is long there.
    let rays = measured(&gear, ThicknessMethod::Ray, ThicknessSamples::PerTriangle).per_triangle(&gear);
    let pairs = per_triangle.iter().zip(&rays);
    assert!(pairs.filter(|(ball, ray)| ball.unwrap() > ray.unwrap() * (1.0 + 1e-9)).count() * 4 < rays.len());
}

#[test]
fn thickness_scales_and_does_not_depend_on_the_place() {
    let bracket = generate::cuboid([1.0, 0.7, 0.1]).unwrap();
    let moved = TriMesh::new(
        bracket.vertices().iter().map(|&v| v * 1024.0 + Vec3::splat(65536.0)).collect(),
        bracket.triangles().to_vec(),
    );
    let (one, other) =
        (by_area(&bracket, ThicknessMethod::Ball, 300), by_area(&moved.unwrap(), ThicknessMethod::Ball, 300));
    for (a, b) in one.samples.iter().zip(&other.samples) {
        assert!(is_near(b.thickness, a.thickness * 1024.0, 1e-8), "{a:?} {b:?}");
    }
    assert_eq!(by_area(&bracket, ThicknessMethod::Ball, 300), one);
}

#[test]
fn open_meshes_and_bad_counts_are_refused() {
    let options = ThicknessOptions::default();
    assert_eq!(wall_thickness(&open_box(), &options).unwrap_err(), ThicknessError::Open { edges: 4 });
    for count in [0, usize::MAX] {
        let options = ThicknessOptions { samples: ThicknessSamples::ByArea(count), ..options };
        assert_eq!(wall_thickness(&cube(), &options).unwrap_err(), ThicknessError::BadSampleCount { count });
    }
    // A pillow has no thickness at all.
    let pillow = mesh(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2], [0, 2, 1]]);
    for method in BOTH {
        let thickness = by_area(&pillow, method, 10);
        assert!(thickness.minimum().is_none_or(|sample| sample.thickness == 0.0 || sample.thickness.is_infinite()));
    }
}

#[test]
fn extreme_coordinates_are_measured_or_refused() {
    for scale in [1e300, 1e150, 1e-150, 1e-300, 5e-324] {
        let vertices = cuboid([0.0; 3], [4.0, 3.0, 0.5]).vertices().iter().map(|&v| v * scale).collect();
        let plate = TriMesh::new(vertices, cuboid([0.0; 3], [1.0; 3]).triangles().to_vec()).unwrap();
        for method in BOTH {
            let options = ThicknessOptions { method, samples: ThicknessSamples::ByArea(20) };
            if let Ok(thickness) = wall_thickness(&plate, &options) {
                assert!(thickness.samples.iter().all(|sample| !sample.thickness.is_nan()), "{method} {scale}");
            }
        }
    }
}

#[test]
fn meshes_that_are_inside_out_are_refused() {
    let plate = generate::cuboid([1.0, 1.0, 0.05]).unwrap();
    let other = TriMesh::new(
        plate.vertices().iter().map(|&vertex| vertex + Vec3::new(5.0, 0.0, 0.0)).collect(),
        plate.triangles().to_vec(),
    )
    .unwrap();
    let options = ThicknessOptions::default();
    let inside_out = plate.clone().reversed();
    for method in [ThicknessMethod::Ball, ThicknessMethod::Ray] {
        let options = ThicknessOptions { method, ..options };
        let error = wall_thickness(&inside_out, &options).unwrap_err();
        assert_eq!(error, ThicknessError::InsideOut { shells: 1, triangle: 0 });
        // One of two bodies.
        let error = wall_thickness(&TriMesh::merged([&other, &inside_out]).unwrap(), &options).unwrap_err();
        assert_eq!(error, ThicknessError::InsideOut { shells: 1, triangle: 12 });
        assert!(error.to_string().contains("solidify it first"), "{error}");
    }
    // Solidified, it has the thickness of the plate; a cavity is not inside out.
    let solid = heurt_mesh::solidify(inside_out, heurt_mesh::Weld::Auto).unwrap().mesh;
    assert!((wall_thickness(&solid, &options).unwrap().minimum().unwrap().thickness - 0.1).abs() < 1e-9);
    let hollow = TriMesh::merged([&generate::cuboid([2.0; 3]).unwrap(), &plate.reversed()]).unwrap();
    assert!((wall_thickness(&hollow, &options).unwrap().minimum().unwrap().thickness - 1.0).abs() < 1e-9);
}

/// A plate of 10 units with a conical dent whose tip is 0.2 units from the lower side.
fn dented() -> TriMesh {
    let (mut vertices, mut triangles) = cuboid([-50.0, -50.0, 0.0], [50.0, 50.0, 10.0]).into_parts();
    let is_top = |vertices: &[Vec3], corners: &[u32; 3]| corners.iter().all(|&v| vertices[v as usize].z == 10.0);
    triangles.retain(|corners| !is_top(&vertices, corners));
    let corner =
        |vertices: &[Vec3], x: f64, y: f64| vertices.iter().position(|v| *v == Vec3::new(x, y, 10.0)).unwrap() as u32;
    let outer = [(50.0, 50.0), (-50.0, 50.0), (-50.0, -50.0), (50.0, -50.0)].map(|(x, y)| corner(&vertices, x, y));
    let first = vertices.len() as u32;
    // A rim of four quarters of six corners each, counterclockwise from the first outer corner.
    for k in 0..24 {
        let angle = std::f64::consts::TAU * (f64::from(k) / 24.0 + 0.125);
        vertices.push(Vec3::new(5.0 * angle.cos(), 5.0 * angle.sin(), 10.0));
    }
    let tip = vertices.len() as u32;
    vertices.push(Vec3::new(0.0, 0.0, 0.2));
    for k in 0..24 {
        let [a, b] = [first + k, first + (k + 1) % 24];
        triangles.push([a, b, tip]);
        triangles.push([outer[k as usize / 6], b, a]);
    }
    for quarter in 0..4 {
        let rim = first + (6 * quarter + 6) % 24;
        triangles.push([outer[quarter as usize], outer[(quarter as usize + 1) % 4], rim]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn the_tip_of_a_dent_is_the_thinnest_place() {
    let plate = dented();
    for method in BOTH {
        let thickness = by_area(&plate, method, 2000);
        let least = thickness.minimum().unwrap();
        assert!(is_near(least.thickness, 0.2, 1e-9), "{method}: {least:?}");
        assert_eq!((least.point, least.weight), (Vec3::new(0.0, 0.0, 0.2), 0.0), "{method}");
        // It has no area.
        assert!(thickness.percentile(0.05).unwrap() > 1.0, "{method}");
    }
}

#[test]
fn samples_next_to_a_sharp_edge_are_left_out() {
    // A prism with edges of 60°: balls at a distance s from an edge are 2 s tan 30° thick, which is more than s.
    let high = 0.75f64.sqrt();
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.0, high]];
    let far = points.map(|[x, _, z]| [x, 9.0, z]);
    let prism = mesh(
        &[points[0], points[1], points[2], far[0], far[1], far[2]],
        &[[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]],
    );
    let thickness = by_area(&prism, ThicknessMethod::Ball, 3000);
    assert!(thickness.left_out > 2000, "{}", thickness.left_out);
    assert_eq!(thickness.samples.len() + thickness.left_out, 3000);
    // Only the ends are left, which are 9 away from each other.
    assert!(thickness.minimum().is_none_or(|least| least.thickness > 8.9), "{:?}", thickness.minimum());
    let cube = by_area(&cube(), ThicknessMethod::Ball, 300);
    assert_eq!(cube.left_out, 0, "right angles are no sharp edges");
}
