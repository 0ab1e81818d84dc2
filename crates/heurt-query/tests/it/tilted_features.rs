//! `contact_manifold` of shapes that are tilted over a floor or over each other: all of the feature within the margin,
//! each point with its own gap, against places computed by hand.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::{TriMesh, generate};
use heurt_query::{Contact, contact_manifold};
use heurt_shape::{Compound, Convex, MeshShape, Shape};
use std::f64::consts::{FRAC_PI_2, TAU};

const HERE: Pose = Pose::IDENTITY;

/// A shape, the rotation that lays it on a side, and the ends or corners of that side, relative to its origin.
struct Lying {
    name: &'static str,
    shape: Shape,
    rotation: Quat,
    /// In the frame after the rotation; each with the radius of the ball around it.
    corners: Vec<(Vec3, f64)>,
}

fn lying(name: &'static str, shape: Convex, rotation: Quat, corners: &[Vec3], radius: f64) -> Lying {
    let corners = corners.iter().map(|corner| (*corner, radius)).collect();
    Lying { name, shape: shape.into(), rotation, corners }
}

fn rectangle(x: f64, y: f64, z: f64) -> [Vec3; 4] {
    [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| Vec3::new(x, y, z))
}

/// Shapes with a straight or flat side, laid along x.
fn shapes() -> Vec<Lying> {
    let along_x = Quat::from_rotation_y(FRAC_PI_2);
    let ends = |z: f64| [Vec3::new(-0.5, 0.0, z), Vec3::new(0.5, 0.0, z)];
    let box_half = Vec3::new(0.5, 0.1, 0.05);
    let corner = |k: u32| {
        let (sine, cosine) = (TAU * (f64::from(k) + 0.5) / 8.0).sin_cos();
        [-0.5, 0.5].map(|x| Vec3::new(x, 0.1 * cosine, 0.1 * sine))
    };
    let prism: Vec<Vec3> = (0..8).flat_map(corner).collect();
    let (lowest, aside) = (-0.1 * (TAU / 16.0).cos(), 0.1 * (TAU / 16.0).sin());
    // Laid on its side, the cone turns its generator down.
    let half_angle = 0.2f64.atan();
    let cone_turn = Quat::from_rotation_y(FRAC_PI_2 + half_angle);
    let generator = [Vec3::new(0.1, 0.0, -0.25), Vec3::new(0.0, 0.0, 0.25)].map(|place| cone_turn * place);
    let solid = |half: Vec3| MeshShape::new(generate::cuboid(half.to_array()).unwrap()).unwrap();
    let rounded = Convex::cuboid(box_half).unwrap().with_margin(0.03).unwrap();
    let mesh = Lying {
        name: "mesh",
        shape: solid(box_half).into(),
        rotation: Quat::IDENTITY,
        corners: rectangle(0.5, 0.1, -0.05).map(|corner| (corner, 0.0)).into(),
    };
    let rod: Shape = Convex::capsule(0.02, 0.5).unwrap().into();
    let pair = [-1.0, 1.0].map(|side| (rod.clone(), Pose::from_translation(Vec3::Y * side * 0.2).unwrap()));
    let compound = Lying {
        name: "compound",
        shape: Compound::new(pair).unwrap().into(),
        rotation: along_x,
        corners: rectangle(0.5, 0.2, 0.0).map(|corner| (corner, 0.02)).into(),
    };
    vec![
        lying("capsule", Convex::capsule(0.02, 0.5).unwrap(), along_x, &ends(0.0), 0.02),
        lying("cylinder", Convex::cylinder(0.02, 0.5).unwrap(), along_x, &ends(-0.02), 0.0),
        lying(
            "rounded cylinder",
            Convex::cylinder(0.02, 0.5).unwrap().with_margin(0.01).unwrap(),
            along_x,
            &ends(-0.02),
            0.01,
        ),
        lying("cone", Convex::cone(0.1, 0.25).unwrap(), cone_turn, &generator, 0.0),
        lying("box", Convex::cuboid(box_half).unwrap(), Quat::IDENTITY, &rectangle(0.5, 0.1, -0.05), 0.0),
        lying("rounded box", rounded, Quat::IDENTITY, &rectangle(0.5, 0.1, -0.05), 0.03),
        lying("prism", Convex::hull(&prism).unwrap(), Quat::IDENTITY, &rectangle(0.5, aside, lowest), 0.0),
        mesh,
        compound,
    ]
}

fn sheet(cells: usize) -> TriMesh {
    let side = 4.0 / cells as f64;
    generate::height_field([-2.0, -2.0], [side, side], &vec![vec![0.0; cells + 1]; cells + 1]).unwrap()
}

/// Floors with their top at height 0.
fn floors() -> Vec<(&'static str, Shape, Pose)> {
    let below = Pose::from_translation(Vec3::Z * -0.01).unwrap();
    let half = Vec3::new(2.0, 2.0, 0.01);
    let solid = MeshShape::new(generate::cuboid(half.to_array()).unwrap()).unwrap();
    let plate: Shape = Convex::cuboid(half).unwrap().into();
    vec![
        ("half-space", Convex::half_space(Vec3::Z, 0.0).unwrap().into(), HERE),
        ("plate", plate.clone(), below),
        (
            "rounded plate",
            Convex::cuboid(half).unwrap().with_margin(0.02).unwrap().into(),
            Pose::from_translation(Vec3::Z * -0.03).unwrap(),
        ),
        ("compound", Compound::new([(plate, below)]).unwrap().into(), HERE),
        ("two triangles", MeshShape::new(sheet(1)).unwrap().into(), HERE),
        ("grid", MeshShape::new(sheet(9)).unwrap().into(), HERE),
        ("solid", solid.into(), below),
    ]
}

fn distance_to_segment(place: Vec3, from: Vec3, to: Vec3) -> f64 {
    let share = ((place - from).dot(to - from) / (to - from).length_squared()).clamp(0.0, 1.0);
    place.distance(from + (to - from) * share)
}

/// Each point is on the level floor and on the lowest feature, with the gap between them, and the feature is covered. A
/// mesh may have vertices of further sides within the margin, and the normal of its own face, `slack` radians off, may
/// stand for the normal of the floor: both faces are looked over. Gaps are up to 1 cm.
fn is_whole(found: &Contact, lowered: &[Vec3], (has_all_vertices, slack): (bool, f64), what: &str) {
    let error = 1e-8 + 0.01 * slack;
    for point in &found.points {
        assert!(point.normal.distance(Vec3::Z) < 1e-9 + 1.001 * slack, "{what}: {point:?}");
        let (on_floor, above) = [-0.5, 0.5].map(|half| point.point + Vec3::Z * half * point.separation).into();
        assert!(on_floor.z.abs() < 1e-9 + 0.01 * slack, "{what}: {point:?}");
        let off = match lowered {
            [from, to] => distance_to_segment(above, *from, *to),
            corners => {
                let up = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
                up.dot(above - corners[0]).abs()
            }
        };
        assert!(off < error || has_all_vertices, "{what}: {off} off the feature, {point:?} of {lowered:?}");
    }
    for corner in lowered {
        let near = found.points.iter().any(|point| {
            (point.separation - corner.z).abs() < error
                && point.point.distance(*corner - Vec3::Z * 0.5 * corner.z) < error
        });
        assert!(near, "{what}: {corner} is not among {:?}", found.points);
    }
}

#[test]
fn what_is_tilted_over_a_floor_has_all_points_of_its_side_within_the_margin() {
    for lying in shapes() {
        for (floor_name, floor, at) in floors() {
            for tilt in [0.0f64, 1e-6, 0.001, 0.01, 0.03, 0.1, 0.25] {
                // At more, the upper side of the mesh is within the margin, too, and four points of each normal are
                // kept.
                if lying.name == "mesh" && tilt > 0.03 {
                    continue;
                }
                for gap in [0.005, -0.002] {
                    let turn = Quat::from_rotation_z(0.7) * Quat::from_rotation_y(tilt);
                    let low = lying.corners.iter().map(|(corner, radius)| (turn * *corner).z - radius);
                    let height = gap - low.fold(f64::INFINITY, f64::min);
                    let origin = Vec3::new(0.11, -0.07, height);
                    let pose = Pose::from_quaternion((turn * lying.rotation).to_array(), origin).unwrap();
                    let lowered: Vec<Vec3> = lying
                        .corners
                        .iter()
                        .map(|(corner, radius)| origin + turn * *corner - Vec3::Z * *radius)
                        .collect();
                    let margin = lowered.iter().map(|corner| corner.z).fold(0.0, f64::max) + 1e-3;
                    let what = format!("{} over {floor_name}, tilt {tilt}, gap {gap}", lying.name);
                    let found = contact_manifold(&floor, &at, &lying.shape, &pose, margin).expect(&what);
                    let has_all_vertices = lying.name == "mesh";
                    let slack = if lying.name == "mesh" { tilt } else { 0.0 };
                    let allowed = (has_all_vertices, slack);
                    is_whole(&found, &lowered, allowed, &what);
                    let found = contact_manifold(&lying.shape, &pose, &floor, &at, margin).expect(&what).swapped();
                    is_whole(&found, &lowered, allowed, &format!("{what}, swapped"));
                }
            }
        }
    }
}

#[test]
fn what_is_beyond_the_margin_is_left_out() {
    for lying in shapes() {
        for (floor_name, floor, at) in floors() {
            let turn = Quat::from_rotation_y(0.1);
            let low = lying.corners.iter().map(|(corner, radius)| (turn * *corner).z - radius);
            let origin = Vec3::Z * (0.005 - low.fold(f64::INFINITY, f64::min));
            let pose = Pose::from_quaternion((turn * lying.rotation).to_array(), origin).unwrap();
            let found = contact_manifold(&floor, &at, &lying.shape, &pose, 0.01).unwrap();
            let what = format!("{} over {floor_name}: {found:?}", lying.name);
            assert!(found.points.iter().all(|point| point.separation <= 0.01 + 1e-12), "{what}");
            let least = found.points.iter().map(|point| point.separation).fold(f64::INFINITY, f64::min);
            assert!((least - 0.005).abs() < 1e-9, "{what}");
        }
    }
}

#[test]
fn a_disc_tilted_over_a_floor_has_its_lowest_point_and_the_rim_within_the_margin() {
    let disc = Convex::cylinder(0.3, 0.02).unwrap();
    for (floor_name, floor, at) in floors() {
        for tilt in [0.001, 0.01, 0.05, 0.2] {
            let turn = Quat::from_rotation_y(tilt);
            let height = 0.005 + 0.3 * tilt.sin() + 0.02 * tilt.cos();
            let origin = Vec3::new(0.04, 0.03, height);
            let pose = Pose::from_quaternion(turn.to_array(), origin).unwrap();
            let found = contact_manifold(&floor, &at, &disc, &pose, 0.005 + 0.6 * tilt.sin() + 1e-3).unwrap();
            let what = format!("{floor_name}, tilt {tilt}: {found:?}");
            let lowest = pose.place(Vec3::new(0.3, 0.0, -0.02));
            let highest = pose.place(Vec3::new(-0.3, 0.0, -0.02));
            for (corner, within) in [(lowest, 1e-8), (highest, 0.03)] {
                let gaps = found.points.iter().map(|point| (point.point - corner).reject_from(Vec3::Z).length());
                assert!(gaps.fold(f64::INFINITY, f64::min) < within, "{what}");
            }
            for point in &found.points {
                let above = pose.rotation().transpose() * (point.point + Vec3::Z * 0.5 * point.separation - origin);
                assert!((above.z + 0.02).abs() < 1e-8 && above.reject_from(Vec3::Z).length() < 0.3 + 1e-8, "{what}");
            }
        }
    }
}

#[test]
fn a_rod_that_tips_over_the_border_of_a_plate_touches_the_border_and_within_it() {
    let plate = Convex::cuboid(Vec3::new(1.0, 1.0, 0.01)).unwrap();
    let below = Pose::from_translation(Vec3::Z * -0.01).unwrap();
    for rod in [Convex::capsule(0.02, 0.5).unwrap(), Convex::cylinder(0.02, 0.5).unwrap()] {
        for tilt in [0.01, 0.05, 0.1, 0.2] {
            // The outer end hangs lower than the border.
            let turn = Quat::from_rotation_z(0.3) * Quat::from_rotation_y(FRAC_PI_2 + tilt);
            let on_border = Vec3::new(1.0, 0.1, 0.02 / tilt.cos() + 0.003);
            let pose = Pose::from_quaternion(turn.to_array(), on_border).unwrap();
            let found = contact_manifold(&plate, &below, &rod, &pose, 0.6 * tilt.sin() + 0.004).unwrap();
            let inner = found.points.iter().max_by(|p, q| p.separation.total_cmp(&q.separation)).unwrap();
            let outer = found.points.iter().min_by(|p, q| p.separation.total_cmp(&q.separation)).unwrap();
            let what = format!("tilt {tilt}: {found:?}");
            assert!((outer.point.x - 1.0).abs() < 1e-2 && (outer.separation - found.separation).abs() < 1e-8, "{what}");
            let end = pose.place(Vec3::Z * -0.5);
            assert!((inner.point - end).reject_from(Vec3::Z).length() < 0.1 * end.z + 0.02, "{what}");
            assert!((inner.separation - (end.z - 0.02)).abs() < 0.05 * end.z, "{what}");
        }
    }
}

#[test]
fn rods_above_each_other_touch_along_what_they_share() {
    let rod = Convex::capsule(0.02, 0.5).unwrap();
    let along_x = Quat::from_rotation_y(FRAC_PI_2);
    let lower = Pose::from_quaternion(along_x.to_array(), Vec3::ZERO).unwrap();
    for tilt in [0.0f64, 0.001, 0.03, 0.1] {
        let turn = Quat::from_rotation_y(FRAC_PI_2 + tilt);
        // Its right end, at x = 0.3, is 5 mm over the lower rod.
        let centre = Vec3::new(0.3 - 0.5 * tilt.cos(), 0.0, 0.045 + 0.5 * tilt.sin());
        let upper = Pose::from_quaternion(turn.to_array(), centre).unwrap();
        let found = contact_manifold(&rod, &lower, &rod, &upper, 0.2).unwrap();
        let what = format!("tilt {tilt}: {found:?}");
        assert_eq!(found.points.len(), 2, "{what}");
        let ends = [-0.5, 0.3].map(|x| (x, 0.005 + (0.3 - x) * tilt.tan()));
        for (x, gap) in ends {
            let near = found.points.iter().any(|point| {
                (point.point.x - x).abs() < 0.05 * tilt + 1e-9 && (point.separation - gap).abs() < 0.02 * tilt + 1e-9
            });
            assert!(near, "{what}: {x} {gap}");
        }
    }
}
