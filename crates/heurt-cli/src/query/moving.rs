//! Answers about things that move: when do they touch?

use super::answer::{Body, named, rows};
use super::fields::FieldError;
use super::request::{Method, Moving};
use super::store::Store;
use heurt::bvh::Work;
use heurt::query::ccd::{CcdOptions, MovingPrimitives};
use heurt::query::{self, CastError, CastOptions};

/// When two shapes that move touch first.
pub(super) fn cast(
    bodies: &[Moving; 2],
    options: &CastOptions,
    method: Method,
    store: &Store,
    work: &mut Work,
) -> Result<Body, FieldError> {
    let [a, b] = [store.ready(&bodies[0].placed)?, store.ready(&bodies[1].placed)?];
    named(method, &["gjk"], &a, &b)?;
    let ((shape_a, pose_a), (shape_b, pose_b)) = (a.described(), b.described());
    let [motion_a, motion_b] = [&bodies[0].motion, &bodies[1].motion];
    let found = query::cast_counted(shape_a, pose_a, motion_a, shape_b, pose_b, motion_b, options);
    let (found, done) = found.map_err(|error| match error {
        CastError::TurningHalfSpaces => FieldError::not_available(error.to_string()),
        CastError::Tolerance(value) => FieldError::refused("tolerance", value.to_string(), error),
        _ => FieldError::refused("max_time", options.max_time.to_string(), error),
    })?;
    *work += done;
    Ok(found.map_or(Body::NoImpact { time: None }, |found| Body::Impact {
        time: found.time,
        time_upper: found.time_upper,
        point: found.point.to_array(),
        normal: found.normal.map(rows::point),
    }))
}

/// When a moving vertex and triangle, or two moving edges, touch first.
pub(super) fn ccd(
    are_edges: bool,
    moving: &MovingPrimitives,
    options: &CcdOptions,
    work: &mut Work,
) -> Result<Body, FieldError> {
    work.primitives += 1;
    let ask = if are_edges { query::ccd::edge_edge } else { query::ccd::vertex_face };
    let found = ask(moving, options).map_err(|error| FieldError::refused("t0", "these points", error))?;
    Ok(found.map_or(Body::Miss { hit: false }, |found| Body::Touch {
        hit: true,
        time: found.time,
        time_upper: found.time_upper,
    }))
}
