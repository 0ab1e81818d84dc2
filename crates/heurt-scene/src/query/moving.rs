//! Answers for moving shapes: the first contact.

use super::answer::{Body, FeatureJson, named};
use super::request::{Method, Moving};
use crate::describe::display::point_row;
use crate::describe::fields::FieldError;
use crate::describe::shape_store::ShapeStore;
use heurt_bvh::Work;
use heurt_geometry::{DisplayNumber, Motion, Pose, Vec3};
use heurt_query::algorithm::{Passing, cast_by_separating_axes};
use heurt_query::ccd::{CcdOptions, MovingPrimitives};
use heurt_query::{Budget, CastError, CastLimit, CastOptions, Feature};
use heurt_shape::{Convex, Core};

/// Finds the first contact of two moving shapes.
pub(super) fn cast(
    bodies: &[Moving; 2],
    options: &CastOptions,
    method: Method,
    store: &ShapeStore,
    work: &mut Work,
) -> Result<Body, FieldError> {
    let [a, b] = [store.ready(&bodies[0].placed)?, store.ready(&bodies[1].placed)?];
    let named = named(method, &["gjk", "sat"], &a, &b)?;
    let [motion_a, motion_b] = [&bodies[0].motion, &bodies[1].motion];
    let late = |error| FieldError::refused("max_time", DisplayNumber(options.max_time).to_string(), error);
    let refused = |error| match error {
        CastError::TurningHalfSpaces => FieldError::not_available("op", error.to_string()),
        CastError::Tolerance(value) => FieldError::refused("tolerance", DisplayNumber(value).to_string(), error),
        CastError::TooFar { shape, what, value: extent, .. } => {
            let (motion, side) = (&bodies[usize::from(shape == 'B')].motion, shape.to_ascii_lowercase());
            // The larger of a rate and a time is reported as the cause.
            let rate = |field: &str, rate: Vec3| match rate.length() < options.max_time {
                true => late(error.clone()),
                false => {
                    FieldError::refused(&format!("{field}_{side}"), format!("{:?}", rate.to_array()), error.clone())
                }
            };
            let length = |field: &str, what: &str| {
                FieldError::refused(field, format!("{what} of {} m", DisplayNumber(extent)), error.clone())
            };
            match what {
                CastLimit::Flight => rate("velocity", motion.velocity()),
                CastLimit::Turn => rate("angular_velocity", motion.angular_velocity()),
                CastLimit::Start => length(&format!("pose_{side}"), "a translation"),
                CastLimit::Pivot | CastLimit::Reach => length(&side.to_string(), "a reach"),
            }
        }
        _ => late(error),
    };
    if let Some(("sat", [(convex_a, pose_a), (convex_b, pose_b)])) = named {
        work.primitives += 1;
        let found = cast_by_separating_axes(convex_a, pose_a, motion_a, convex_b, pose_b, motion_b, options);
        let cause =
            "it is for polyhedra that do not turn, and one is curved, rounded or flat, or turns: leave the method out";
        let found = found.map_err(refused)?.ok_or_else(|| FieldError::refused("method", "sat", cause))?;
        return Ok(found.map_or(Body::NoImpact { time: None }, |passing| {
            let placed = [(convex_a, pose_a, motion_a), (convex_b, pose_b, motion_b)];
            passed(&passing, placed)
        }));
    }
    let ((shape_a, pose_a), (shape_b, pose_b)) = (a.described(), b.described());
    let no_limit = Budget::default();
    let found = heurt_query::cast_with(shape_a, pose_a, motion_a, shape_b, pose_b, motion_b, options, &no_limit);
    let answer = found.map_err(refused)?;
    *work += answer.work;
    Ok(answer.complete().flatten().map_or(Body::NoImpact { time: None }, |found| impact(&found, None, None)))
}

/// Returns the answer of a first contact and, if the method computes them, of its end and the features in contact.
fn impact(found: &heurt_query::Impact, time_last: Option<Option<f64>>, features: Option<[FeatureJson; 2]>) -> Body {
    Body::Impact {
        time: found.time,
        time_upper: found.time_upper,
        time_last,
        point: point_row(found.point),
        normal: found.normal.map(point_row),
        features,
    }
}

/// Returns the answer for polyhedra that pass each other, with the corners of the features in contact at that time.
fn passed(passing: &Passing, placed: [(&Convex, &Pose, &Motion); 2]) -> Body {
    let time = passing.impact.time;
    let described = |feature: Feature, (convex, pose, motion): (&Convex, &Pose, &Motion)| {
        let kind = match feature {
            Feature::Corner(_) => "corner",
            Feature::Edge(..) => "edge",
            Feature::Face(_) | Feature::Curved => "face",
        };
        let Core::Hull(hull) = convex.core() else { return FeatureJson { kind, corners: vec![] } };
        let there = motion.pose_at(pose, time).unwrap_or(*pose);
        let corner = |name: u32| point_row(there.place(hull.corners()[name as usize]));
        FeatureJson { kind, corners: feature.corners_of(hull).into_iter().map(corner).collect() }
    };
    let features = passing.features.map(|[a, b]| [described(a, placed[0]), described(b, placed[1])]);
    impact(&passing.impact, Some(Some(passing.last).filter(|last| last.is_finite())), features)
}

/// Finds the first contact of a moving vertex and triangle, or of two moving edges.
pub(super) fn ccd(
    are_edges: bool,
    moving: &MovingPrimitives,
    options: &CcdOptions,
    work: &mut Work,
) -> Result<Body, FieldError> {
    work.primitives += 1;
    let find = if are_edges { heurt_query::ccd::edge_edge } else { heurt_query::ccd::vertex_face };
    let found = find(moving, options).map_err(|error| FieldError::refused("t0", "these points", error))?;
    Ok(found.map_or(Body::Miss { hit: false }, |found| Body::Touch {
        hit: true,
        time: found.time,
        time_upper: found.time_upper,
    }))
}
