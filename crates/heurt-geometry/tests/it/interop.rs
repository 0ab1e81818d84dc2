//! Poses from and to the types of other crates: the same numbers, checked on the way in.

use glam::{DAffine3, DMat4};
use heurt_geometry::{Pose, PoseError, Quat, Vec3};

/// Turned about two axes, and moved.
fn pose() -> Pose {
    let rotation = Quat::from_rotation_z(0.5) * Quat::from_rotation_x(1.0);
    Pose::try_from((rotation, Vec3::new(1.0, -2.0, 3.0))).unwrap()
}

#[test]
fn transforms_of_glam_come_back_bit_for_bit() {
    let pose = pose();
    assert_eq!(Pose::try_from(DAffine3::from(pose)), Ok(pose));
    assert_eq!(Pose::try_from(DMat4::from(pose)), Ok(pose));
    let point = Vec3::new(0.1, 0.2, 0.3);
    assert!(DMat4::from(pose).transform_point3(point).abs_diff_eq(pose.place(point), 1e-15));
}

#[test]
fn transforms_that_are_no_poses_are_refused() {
    let is_refused = |found: Result<Pose, PoseError>| matches!(found, Err(PoseError::NotRotation { .. }));
    assert!(is_refused(DAffine3::from_scale(Vec3::splat(2.0)).try_into()));
    assert!(is_refused(DAffine3::from_scale(Vec3::new(1.0, 1.0, -1.0)).try_into()), "a mirror");
    assert!(is_refused(DMat4::from_cols_array(&[2.0; 16]).try_into()));
    let nowhere = DAffine3::from_translation(Vec3::NAN);
    assert!(matches!(Pose::try_from(nowhere), Err(PoseError::NotFinite { .. })));
}

#[cfg(feature = "mint")]
#[test]
fn matrices_of_mint_come_back_bit_for_bit() {
    let pose = pose();
    let matrix = mint::ColumnMatrix4::<f64>::from(pose);
    assert_eq!((matrix.w.x, matrix.w.w), (1.0, 1.0));
    assert_eq!(Pose::try_from(matrix), Ok(pose));
    assert!(Pose::try_from(mint::ColumnMatrix4 { x: matrix.y, y: matrix.x, ..matrix }).is_err(), "a mirror");
    let vector = Vec3::new(1.0, 2.0, 3.0);
    assert_eq!(Vec3::from(mint::Vector3::from(vector)), vector);
    let half = 0.25f64;
    let turn = mint::Quaternion { s: half.cos(), v: [0.0, 0.0, half.sin()].into() };
    let turned = Pose::try_from((turn, mint::Vector3::from([0.0; 3]))).unwrap();
    assert!(turned.place(Vec3::X).abs_diff_eq(Vec3::new(0.5f64.cos(), 0.5f64.sin(), 0.0), 1e-15));
}

#[cfg(feature = "nalgebra")]
#[test]
fn isometries_of_nalgebra_place_points_alike() {
    use nalgebra::{Isometry3, IsometryMatrix3, Point3, Vector3};
    let (pose, point) = (pose(), Vec3::new(0.1, 0.2, 0.3));
    let exact = IsometryMatrix3::from(pose);
    assert_eq!(Pose::try_from(exact), Ok(pose));
    let rounded = Isometry3::from(pose);
    let placed = rounded * Point3::from(point.to_array());
    assert!(Vec3::from_array(placed.coords.into()).abs_diff_eq(pose.place(point), 1e-14));
    assert!(Pose::try_from(rounded).unwrap().place(point).abs_diff_eq(pose.place(point), 1e-14));
    assert!(Pose::try_from(Isometry3::translation(f64::NAN, 0.0, 0.0)).is_err());
    assert_eq!(Vec3::from_array(Vector3::new(1.0, 2.0, 3.0).into()), Vec3::new(1.0, 2.0, 3.0));
}

#[cfg(feature = "serde")]
#[test]
fn poses_are_read_as_they_were_written_and_checked() {
    let pose = pose();
    let text = serde_json::to_string(&pose).unwrap();
    assert_eq!(serde_json::from_str::<Pose>(&text).unwrap(), pose);
    let error = serde_json::from_str::<Pose>(&text.replacen("[", "[2", 1)).unwrap_err();
    assert!(error.to_string().contains("rotation"), "{error}");
}
