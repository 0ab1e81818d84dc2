//! When a soft body and another one come to touch within a step: its vertices go straight from where they are to where
//! they will be.
//!
//! In: bodies, their flights, what they sweep ([`SweptSurfaces`]). Out: the first [`Impact`], in seconds from the start
//! of the step.
//! Method: surfaces of meshes and polyhedra as moving meshes (`heurt_query::ccd`), margins as separations that are
//! kept; half-spaces by the heights of the vertices, which are linear in time. Turning bodies move along arcs, which
//! queries have room for: from the time that they report on, `soft_advance` follows the arcs themselves. It also takes
//! solids with curved faces (cylinders, cones, ellipsoids, superquadrics) and half-spaces that turn.
//! Guarantees: nothing that comes to touch is missed, no time is late; at that time bodies are within a millionth of
//! the larger size.
//! Cost: linear in the vertices of both, then by the features that come near.

use crate::body::Body;
use crate::step::impact::{SearchEnd, Side, poll_rarely, rigid_impact};
use crate::step::pairs::UndecidedPair;
use crate::step::soft_advance::soft_advance;
use crate::step::step_motion::{StepMotion, pieces};
use crate::step::swept::{Surface, SweptSurfaces};
use heurt_geometry::{Pose, Vec3};
use heurt_query::budget::{Budget, Budgeted};
use heurt_query::ccd::{CcdOptions, FeaturePair, MeshImpact, first_impact, first_impact_with};
use heurt_query::{Impact, separation};
use heurt_shape::{Convex, Core, Shape};
use std::borrow::Cow;

/// Finds when two bodies come to touch that are disjoint as the step of `dt` begins; until time is over.
pub(crate) fn find_impact(
    [a, b]: [Side<'_>; 2],
    dt: f64,
    until: SearchEnd<'_>,
) -> Result<Option<Impact>, UndecidedPair> {
    if a.body.is_soft() || b.body.is_soft() {
        return soft_impact(a, b, dt, until);
    }
    rigid_impact(a, b, [0.0, dt], None, until)
}

/// Finds when two bodies come to touch that are disjoint as the step of `dt` begins, one of them soft; until time is
/// over.
pub(crate) fn soft_impact(
    a: Side<'_>,
    b: Side<'_>,
    dt: f64,
    until: SearchEnd<'_>,
) -> Result<Option<Impact>, UndecidedPair> {
    for piece in pieces([a.flight, b.flight], dt) {
        if until.is_some_and(|goes_on| !goes_on()) {
            return Err(UndecidedPair::Interrupted);
        }
        if let Some(impact) = impact_in([a, b], piece, dt, until)? {
            let (time, time_upper) = (impact.time, impact.time_upper.next_up().min(dt));
            let time = if time > 0.0 { time.next_down() } else { time };
            return Ok(Some(Impact { time, time_upper, ..impact }));
        }
    }
    Ok(None)
}

/// The first impact in a piece of the step, in seconds from the start of the step.
fn impact_in(
    [a, b]: [Side<'_>; 2],
    piece: [f64; 2],
    dt: f64,
    until: SearchEnd<'_>,
) -> Result<Option<Impact>, UndecidedPair> {
    // Rigid bodies with surfaces of triangles, and half-spaces that keep their direction.
    let planes = [a, b].map(|side| half_space(side.body).map(|plane| plane.in_world(side.flight, piece[0])));
    let in_seconds = |impact: Impact| {
        let [time, time_upper] = [impact.time, impact.time_upper].map(|share| piece[0] + share * (piece[1] - piece[0]));
        Impact { time, time_upper, ..impact }
    };
    match planes {
        [Some(None), _] | [_, Some(None)] => advance([a, b], piece, dt, until),
        [None, Some(Some(plane))] => Ok(fall(&*swept_in_piece(&a, piece, dt)?, plane, piece)?.map(in_seconds)),
        [Some(Some(plane)), _] => {
            Ok(fall(&*swept_in_piece(&b, piece, dt)?, plane, piece)?.map(|impact| swapped(in_seconds(impact))))
        }
        [None, None] => {
            let curved = |side: &Side<'_>| !side.body.is_soft() && side.swept.is_none();
            if curved(&a) || curved(&b) {
                return advance([a, b], piece, dt, until);
            }
            let found = first_impact_of(&*swept_in_piece(&a, piece, dt)?, &*swept_in_piece(&b, piece, dt)?, until)?
                .map(in_seconds);
            let flies_in_arcs = |side: &Side<'_>| {
                let (_, motion) = side.flight.at(piece[0]);
                !side.body.is_soft() && (motion.turns() || motion.acceleration() != Vec3::ZERO)
            };
            match found {
                Some(near) if flies_in_arcs(&a) || flies_in_arcs(&b) => {
                    advance([a, b], [near.time, piece[1]], dt, until)
                }
                found => Ok(found),
            }
        }
    }
}

/// Conservative advancement of two bodies, one of them soft, from a time on.
fn advance(
    [a, b]: [Side<'_>; 2],
    piece: [f64; 2],
    dt: f64,
    until: SearchEnd<'_>,
) -> Result<Option<Impact>, UndecidedPair> {
    if a.body.is_soft() {
        soft_advance([a, b], piece, dt, until)
    } else {
        Ok(soft_advance([b, a], piece, dt, until)?.map(swapped))
    }
}

/// The impact as seen from body B.
fn swapped(impact: Impact) -> Impact {
    let primitives = impact.primitives.map(|[on_b, on_a]| [on_a, on_b]);
    Impact { normal: impact.normal.map(|normal| -normal), primitives, ..impact }
}

/// Returns the surfaces that a body sweeps in a piece of the step.
fn swept_in_piece<'a>(side: &Side<'a>, piece: [f64; 2], dt: f64) -> Result<Cow<'a, SweptSurfaces>, UndecidedPair> {
    let swept = side.swept.ok_or(UndecidedPair::Unable)?;
    if piece == [0.0, dt] {
        return Ok(Cow::Borrowed(swept));
    }
    let mut over = swept.clone();
    if side.body.is_soft() {
        let whole = &swept.surfaces()[0].mesh;
        let at = |time: f64| -> Vec<Vec3> {
            whole.start().iter().zip(whole.end()).map(|(start, end)| start.lerp(*end, time / dt)).collect()
        };
        over.deform(&at(piece[0]), &at(piece[1]))?;
    } else {
        let (pose, motion) = side.flight.at(piece[0]);
        over.fly(&pose, &motion, piece[1] - piece[0])?;
    }
    Ok(Cow::Owned(over))
}

/// Finds the first impact of two swept surfaces; times are shares of the piece.
fn first_impact_of(
    a: &SweptSurfaces,
    b: &SweptSurfaces,
    until: SearchEnd<'_>,
) -> Result<Option<Impact>, UndecidedPair> {
    let over = until.map(|goes_on| poll_rarely(goes_on));
    let budget = over.as_ref().map(|over| Budget { work: None, is_over: Some(over) });
    let mut first: Option<(MeshImpact, &Surface, &Surface)> = None;
    for on_a in a.surfaces() {
        for on_b in b.surfaces() {
            let both = [on_a.bounds(), on_b.bounds()];
            let farthest = both.iter().fold(0.0, |most: f64, b| most.max(b.min.abs().max(b.max.abs()).max_element()));
            let size = both.iter().fold(0.0, |most: f64, b| most.max((b.max - b.min).max_element()));
            // Poses of parts are composed, which is rounded.
            let room = 64.0 * f64::EPSILON * farthest;
            let options = CcdOptions {
                min_separation: on_a.margin + on_b.margin + room,
                tolerance: (1e-6 * size).max(room).max(f64::MIN_POSITIVE),
                max_time: first.map_or(1.0, |first| first.0.time.max(f64::MIN_POSITIVE)),
            };
            let found = match &budget {
                None => first_impact(&on_a.mesh, &on_b.mesh, &options).map(Budgeted::Complete),
                Some(budget) => {
                    first_impact_with(&on_a.mesh, &on_b.mesh, &options, budget).map(|answer| answer.outcome)
                }
            };
            let Budgeted::Complete(found) = found.map_err(|_| UndecidedPair::Unable)? else {
                return Err(UndecidedPair::Interrupted);
            };
            if let Some(found) = found.filter(|found| first.is_none_or(|first| found.time < first.0.time)) {
                first = Some((found, on_a, on_b));
            }
        }
    }
    Ok(first.map(|(impact, on_a, on_b)| impact_of(&impact, on_a, on_b)))
}

/// Computes the place where two features meet, and its normal.
fn impact_of(impact: &MeshImpact, on_a: &Surface, on_b: &Surface) -> Impact {
    let (a, b): (Vec<u32>, Vec<u32>) = match impact.meeting {
        FeaturePair::VertexFace { vertex, face } => (vec![vertex], on_b.mesh.triangles()[face as usize].to_vec()),
        FeaturePair::FaceVertex { face, vertex } => (on_a.mesh.triangles()[face as usize].to_vec(), vec![vertex]),
        FeaturePair::EdgeEdge { a, b } => (a.to_vec(), b.to_vec()),
    };
    let hull = |surface: &Surface, names: &[u32]| -> Option<Convex> {
        let at = |&name: &u32| surface.mesh.start()[name as usize].lerp(surface.mesh.end()[name as usize], impact.time);
        Convex::hull(&names.iter().map(at).collect::<Vec<_>>()).ok()
    };
    let of_mesh = |surface: &Surface, names: &[u32]| {
        let has_all = |triangle: &[u32; 3]| names.iter().all(|name| triangle.contains(name));
        surface.mesh.triangles().iter().position(has_all).map_or(0, |number| number as u32)
    };
    let gap = hull(on_a, &a).zip(hull(on_b, &b)).map(|(a, b)| separation(&a, &Pose::IDENTITY, &b, &Pose::IDENTITY));
    let normal = gap.filter(|gap| gap.separation > 0.0).map(|gap| gap.normal);
    Impact {
        time: impact.time,
        time_upper: impact.time_upper,
        point: gap.map_or(Vec3::ZERO, |gap| gap.point_a.midpoint(gap.point_b)),
        normal,
        primitives: Some([of_mesh(on_a, &a), of_mesh(on_b, &b)]),
    }
}

/// All p with `normal` · p ≤ `offset`, the normal a unit vector.
#[derive(Clone, Copy)]
struct Plane {
    normal: Vec3,
    offset: f64,
    /// How fast the offset grows.
    rise: f64,
}

fn half_space(body: &Body) -> Option<Plane> {
    let Shape::Convex(convex) = &body.shape else { return None };
    let Core::HalfSpace { normal, offset } = *convex.core() else { return None };
    let length = normal.length();
    Some(Plane { normal: normal / length, offset: offset / length + convex.margin(), rise: 0.0 })
}

impl Plane {
    /// Its place at a time of its flight; `None` if it turns or speeds up from then on.
    fn in_world(self, flight: &StepMotion, time: f64) -> Option<Self> {
        let (pose, motion) = flight.at(time);
        if motion.turns() || motion.acceleration() != Vec3::ZERO {
            return None;
        }
        let normal = *pose.rotation() * self.normal;
        Some(Self { normal, offset: self.offset + normal.dot(pose.translation()), rise: normal.dot(motion.velocity()) })
    }
}

/// When the first vertex of A comes down to a half-space; times as shares of the piece.
fn fall(a: &SweptSurfaces, plane: Plane, piece: [f64; 2]) -> Result<Option<Impact>, UndecidedPair> {
    let duration = piece[1] - piece[0];
    let mut first: Option<(Impact, &Surface, u32)> = None;
    for surface in a.surfaces() {
        let room = surface.margin + surface.mesh.deviation();
        for (number, (start, end)) in surface.mesh.start().iter().zip(surface.mesh.end()).enumerate() {
            let [begins, ends] = [(start, 0.0), (end, duration)]
                .map(|(vertex, time)| plane.normal.dot(*vertex) - plane.offset - plane.rise * time - room);
            let largest =
                start.abs().max(end.abs()).max_element() + plane.offset.abs() + (plane.rise * duration).abs() + room;
            let rounding = 16.0 * f64::EPSILON * largest;
            if !(begins.is_finite() && ends.is_finite()) {
                return Err(UndecidedPair::Unable);
            }
            if ends > rounding {
                continue;
            }
            let share = |height: f64| if height > 0.0 { (height / (begins - ends)).clamp(0.0, 1.0) } else { 0.0 };
            let time = share(begins - rounding) * (1.0 - 4.0 * f64::EPSILON);
            if first.as_ref().is_some_and(|(first, ..)| first.time <= time) {
                continue;
            }
            let point = start.lerp(*end, time) - plane.normal * surface.margin;
            let time_upper = (share(begins + rounding) * (1.0 + 4.0 * f64::EPSILON)).min(1.0);
            let impact = Impact { time, time_upper, point, normal: Some(-plane.normal), primitives: None };
            first = Some((impact, surface, number as u32));
        }
    }
    Ok(first.map(|(impact, surface, vertex)| {
        let has = |triangle: &[u32; 3]| triangle.contains(&vertex);
        let triangle = surface.mesh.triangles().iter().position(has).map_or(0, |triangle| triangle as u32);
        Impact { primitives: Some([triangle, 0]), ..impact }
    }))
}
