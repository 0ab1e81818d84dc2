//! Answers about things that move: when do they touch?

use super::answer::{Body, named, rows};
use super::fields::FieldError;
use super::request::{Method, Moving};
use super::store::Store;
use heurt::bvh::Work;
use heurt::query::ccd::{CcdOptions, MovingPrimitives};
use heurt::query::method::{Passing, cast_by_separating_axes};
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
    let named = named(method, &["gjk", "sat"], &a, &b)?;
    let [motion_a, motion_b] = [&bodies[0].motion, &bodies[1].motion];
    let refused = |error| match error {
        CastError::TurningHalfSpaces => FieldError::not_available(error.to_string()),
        CastError::Tolerance(value) => FieldError::refused("tolerance", value.to_string(), error),
        _ => FieldError::refused("max_time", options.max_time.to_string(), error),
    };
    if let Some(("sat", [(convex_a, pose_a), (convex_b, pose_b)])) = named {
        work.primitives += 1;
        let told = cast_by_separating_axes(convex_a, pose_a, motion_a, convex_b, pose_b, motion_b, options);
        let cause =
            "it is for polyhedra that do not turn, and one is curved, rounded or flat, or turns: leave the method out";
        let told = told.map_err(refused)?.ok_or_else(|| FieldError::refused("method", "sat", cause))?;
        let last = |passing: Passing| Some(passing.last).filter(|last| last.is_finite());
        return Ok(impact(told.map(|passing| (passing.impact, Some(last(passing))))));
    }
    let ((shape_a, pose_a), (shape_b, pose_b)) = (a.described(), b.described());
    let found = query::cast_counted(shape_a, pose_a, motion_a, shape_b, pose_b, motion_b, options);
    let (found, done) = found.map_err(refused)?;
    *work += done;
    Ok(impact(found.map(|found| (found, None))))
}

/// What is told of a first contact, and, where the method knows it, of the end.
fn impact(found: Option<(query::Impact, Option<Option<f64>>)>) -> Body {
    found.map_or(Body::NoImpact { time: None }, |(found, time_last)| Body::Impact {
        time: found.time,
        time_upper: found.time_upper,
        time_last,
        point: rows::point(found.point),
        normal: found.normal.map(rows::point),
    })
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
