//! Answers as data: read as they were written; rays are checked.

use heurt_geometry::{Motion, Pose, Vec3};
use heurt_mesh::generate::icosphere;
use heurt_query::{CastOptions, Ray, cast, closest, contact, distance, overlap, ray_all};
use heurt_shape::{Convex, MeshShape};
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;

fn check<T: Serialize + DeserializeOwned + PartialEq + Debug>(answer: T) {
    let text = serde_json::to_string(&answer).unwrap();
    assert_eq!(serde_json::from_str::<T>(&text).unwrap(), answer, "{text}");
}

#[test]
fn answers_are_read_as_they_were_written() {
    let ball = MeshShape::new(icosphere(1.0, 2).unwrap()).unwrap();
    let die = Convex::cuboid(Vec3::splat(0.5)).unwrap();
    let at = |x: f64| Pose::from_translation(Vec3::X * x).unwrap();
    check(overlap(&ball, &at(0.0), &die, &at(1.25)));
    check(overlap(&ball, &at(0.0), &die, &at(0.0)));
    check(distance(&ball, &at(0.0), &die, &at(2.5)));
    check(contact(&ball, &at(0.0), &die, &at(1.25), 0.0));
    check(closest(&ball, &at(0.0), Vec3::X * 0.5));
    let along = Ray::new(Vec3::X * -3.0, Vec3::X, 10.0).unwrap();
    check(along);
    check(ray_all(&ball, &at(0.0), &along));
    let thrown = Motion::linear(Vec3::X * -2.0).unwrap();
    check(cast(&ball, &at(0.0), &Motion::STILL, &die, &at(3.0), &thrown, &CastOptions::default()).unwrap());
}

#[test]
fn a_ray_without_a_direction_is_refused() {
    let text = r#"{"origin":[0,0,0],"direction":[0,0,0],"max_t":1.0}"#;
    let error = serde_json::from_str::<Ray>(text).unwrap_err();
    assert!(error.to_string().contains("direction"), "{error}");
}
