//! Plan of a step, computed before it changes a body: motions of bodies, and their boxes, which the broad
//! phase takes.
//!
//! Method: the plan takes `AT_ONCE` bodies at a time, so that bodies take far more memory than their plan. A fault of
//! any body puts all boxes back. Motions are computed again when bodies move. Continuous detection keeps the motions of
//! bodies whose boxes meet others.

use crate::body::{Body, BodyId, Kind};
use crate::error::{StepMotionError, WorldError};
use crate::settings::{Detection, Settings, check_translation, grown, is_near};
use crate::state::bodies::{Bodies, Slot};
use crate::state::view::{AT_ONCE, WorldView};
use crate::step::paths::StepPaths;
use crate::step::step_motion::{MAX_TURN, MotionSegment, StepMotion, compute_motion, recompute_motion};
use heurt_broad::Move;
use heurt_geometry::{Aabb, Motion, Pose, Vec3};
use heurt_shape::{MeshShape, Shape, ShapeRef};
use rayon::prelude::*;
use std::sync::Arc;

/// The plan of a step; its memory is reused.
#[derive(Debug, Default)]
pub(crate) struct StepPlan {
    /// Boxes of some bodies, to be given to the broad phase.
    moves: Vec<Move>,
    /// The next vertices of soft bodies, in their frames, by place and in order.
    deformed: Vec<(u32, Vec<Vec3>)>,
    pub motions: StepMotions,
    /// The paths of bodies, if they are recorded.
    pub paths: Option<StepPaths>,
}

impl StepPlan {
    /// The next vertices of a soft body.
    pub(crate) fn vertices(&self, place: usize) -> Option<&[Vec3]> {
        let at = self.deformed.binary_search_by_key(&place, |(place, _)| *place as usize).ok()?;
        Some(&self.deformed[at].1)
    }

    /// Drops the vertices, which only this step needs.
    pub(crate) fn clear(&mut self) {
        self.deformed.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.moves.capacity() * size_of::<Move>()
            + self.deformed.capacity() * size_of::<(u32, Vec<Vec3>)>()
            + self.motions.bytes()
            + self.paths.as_ref().map_or(0, StepPaths::bytes)
    }
}

/// The motions of bodies whose boxes meet others, in continuous detection. Motions are large and computed fast: the
/// motions of further bodies are not kept.
#[derive(Debug, Default)]
pub(crate) struct StepMotions {
    /// The index of the motion of each body, by place; [`NO_FLIGHT`] if it is not kept.
    of: Vec<u32>,
    places: Vec<u32>,
    motions: Vec<StepMotion>,
}

/// The index of a body whose motion is not kept.
const NO_FLIGHT: u32 = u32::MAX;

impl StepMotions {
    pub(crate) fn get(&self, place: usize) -> Option<&StepMotion> {
        self.motions.get(*self.of.get(place)? as usize)
    }

    /// The motion of a body whose box meets another one.
    pub(crate) fn of(&self, place: u32) -> &StepMotion {
        &self.motions[self.of[place as usize] as usize]
    }

    fn bytes(&self) -> usize {
        let segments =
            self.motions.iter().filter(|flight| flight.segments.spilled()).map(|flight| flight.segments.capacity());
        (self.of.capacity() + self.places.capacity()) * size_of::<u32>()
            + self.motions.capacity() * size_of::<StepMotion>()
            + segments.sum::<usize>() * size_of::<MotionSegment>()
    }
}

/// The motion of a body at rest.
const NOT_MOVED: Move = Move { id: u32::MAX, bounds: Aabb { min: Vec3::ZERO, max: Vec3::ZERO } };

/// Computes the motion of each body and moves its box; returns how many boxes changed. Bodies stay where they were.
/// Motions are computed again when bodies move: to keep them until all are known to be within range would take more
/// memory than bodies do.
pub(crate) fn move_boxes(
    view: &mut WorldView,
    settings: &Settings,
    dt: f64,
    plan: &mut StepPlan,
) -> Result<usize, WorldError> {
    move_boxes_by(view, settings, dt, plan, MotionSource::Free)
}

/// [`move_boxes`] along the motions that the plan keeps of all bodies.
pub(crate) fn move_boxes_along(
    view: &mut WorldView,
    settings: &Settings,
    dt: f64,
    plan: &mut StepPlan,
) -> Result<usize, WorldError> {
    move_boxes_by(view, settings, dt, plan, MotionSource::Kept)
}

/// Moves the boxes of the bodies at some places along the motions that the plan keeps of all; bodies stay where they
/// were.
pub(crate) fn move_boxes_of(
    view: &mut WorldView,
    settings: &Settings,
    dt: f64,
    plan: &mut StepPlan,
    places: &[u32],
) -> Result<(), WorldError> {
    plan.deformed.clear();
    for some in places.chunks(AT_ONCE) {
        let places = some.par_iter().map(|place| *place as usize);
        let some = plan.compute(&view.bodies, settings, [view.time, dt], places, MotionSource::Kept);
        let done = some.and_then(|()| Ok(view.boxes.update(&plan.moves)?));
        if let Err(error) = done {
            view.put_boxes_back(settings)?;
            return Err(error);
        }
    }
    Ok(())
}

/// The source of the motions of bodies.
#[derive(Clone, Copy, PartialEq)]
enum MotionSource {
    /// Bodies fly freely.
    Free,
    /// The plan keeps them.
    Kept,
}

fn move_boxes_by(
    view: &mut WorldView,
    settings: &Settings,
    dt: f64,
    plan: &mut StepPlan,
    source: MotionSource,
) -> Result<usize, WorldError> {
    let (count, mut moved) = (view.bodies.slots().len(), 0);
    plan.deformed.clear();
    for from in (0..count).step_by(AT_ONCE) {
        let places = (from..count.min(from + AT_ONCE)).into_par_iter();
        let some = plan.compute(&view.bodies, settings, [view.time, dt], places, source);
        let done = some.and_then(|()| Ok(view.boxes.update(&plan.moves)?));
        if let Err(error) = done {
            view.put_boxes_back(settings)?;
            return Err(error);
        }
        moved += plan.moves.len();
        if let Some(paths) = &mut plan.paths {
            paths.add_searched(&plan.moves);
        }
    }
    Ok(moved)
}

/// Moves the boxes of bodies to new poses; bodies stay where they were.
pub(crate) fn move_boxes_to(
    view: &mut WorldView,
    poses: &[(BodyId, Pose)],
    settings: &Settings,
) -> Result<(), WorldError> {
    for some in poses.chunks(AT_ONCE) {
        let moves = compute_boxes_at(&view.bodies, some, settings.margin);
        let done = moves.and_then(|moves| Ok(view.boxes.update(&moves)?));
        if let Err(error) = done {
            view.put_boxes_back(settings)?;
            return Err(error);
        }
    }
    Ok(())
}

/// Computes the boxes of bodies at new poses.
fn compute_boxes_at(bodies: &Bodies, poses: &[(BodyId, Pose)], margin: f64) -> Result<Vec<Move>, WorldError> {
    let go = |&(id, pose): &(BodyId, Pose)| {
        let body = bodies.get(id).ok_or(WorldError::NoSuchBody { id })?;
        check_translation(&pose)?;
        Ok(Move { id: id.index, bounds: grown(&body.shape.bounds_at(&pose), margin) })
    };
    let moves: Vec<Result<Move, WorldError>> = poses.par_iter().with_min_len(64).map(go).collect();
    moves.into_iter().collect()
}

impl StepPlan {
    /// Computes the motions of the bodies at some places, in a step that begins at `time`.
    fn compute(
        &mut self,
        bodies: &Bodies,
        settings: &Settings,
        [time, dt]: [f64; 2],
        places: impl IndexedParallelIterator<Item = usize>,
        source: MotionSource,
    ) -> Result<(), WorldError> {
        let Self { moves, deformed, motions, .. } = self;
        moves.clear();
        moves.reserve_exact(places.len());
        moves.resize(places.len(), NOT_MOVED);
        let planned = moves.par_iter_mut().zip(places).with_min_len(64).filter_map(|(moved, place)| {
            let kept = if source == MotionSource::Kept { motions.get(place) } else { None };
            let vertices = plan_body(bodies, settings, place as u32, [time, dt], kept, moved).transpose()?;
            Some(vertices.map(|vertices| (place as u32, vertices)))
        });
        let planned: Vec<Result<(u32, Vec<Vec3>), WorldError>> = planned.collect();
        // If there are several faults, the fault of the first body is reported, in any order of finding.
        for vertices in planned {
            deformed.push(vertices?);
        }
        moves.retain(|moved| moved.id != NOT_MOVED.id);
        Ok(())
    }

    /// Keeps the motions of all bodies, by place.
    pub(crate) fn keep_all_motions(&mut self, motions: Vec<StepMotion>) {
        let StepMotions { of, places, motions: kept } = &mut self.motions;
        of.clear();
        of.extend(0..motions.len() as u32);
        places.clear();
        *kept = motions;
    }

    /// Moves the vertices of a soft body to a time of a step of `dt` seconds that begins at `time`.
    pub(crate) fn deform_until(&self, place: usize, body: &mut Body, time: f64, [until, dt]: [f64; 2]) {
        let Kind::Soft(deformation) = &body.kind else { return };
        let early = (until < dt).then(|| deformation.vertices(time + until));
        let vertices = early.as_deref().or_else(|| self.vertices(place));
        if let (Some(vertices), Shape::Mesh(mesh)) = (vertices, &mut body.shape) {
            // Vertices within range at both ends of a step may leave it between them: they stay where they were.
            let _ = Arc::make_mut(mesh).deform(vertices);
        }
    }

    /// Keeps the motions that pairs may be queried, before bodies move.
    pub(crate) fn keep_motions(&mut self, view: &WorldView, settings: &Settings, dt: f64) {
        let StepMotions { of, places, motions: kept } = &mut self.motions;
        of.clear();
        if settings.detection != Detection::Continuous {
            return;
        }
        of.resize(view.bodies.slots().len(), NO_FLIGHT);
        view.boxes.pairs().iter().for_each(|pair| [pair.a, pair.b].into_iter().for_each(|at| of[at as usize] = 0));
        places.clear();
        for (place, number) in of.iter_mut().enumerate().filter(|(_, number)| **number != NO_FLIGHT) {
            *number = places.len() as u32;
            places.push(place as u32);
        }
        let fly = |place: &u32| match view.bodies.at(*place) {
            Some((_, body)) => recompute_motion(body, settings.gravity, view.time, dt),
            None => StepMotion::still(Pose::IDENTITY),
        };
        places.par_iter().with_min_len(64).map(fly).collect_into_vec(kept);
    }

    /// Moves the bodies, and the vertices of soft ones.
    pub(crate) fn apply(&self, view: &mut WorldView, gravity: Vec3, dt: f64) {
        let time = view.time;
        let move_one = |(place, slot): (usize, &mut Slot)| {
            let Some(body) = slot.body.as_mut().filter(|body| !matches!(body.kind, Kind::Static)) else { return };
            let end = match self.motions.get(place) {
                Some(flight) => flight.state_at_end(),
                None => recompute_motion(body, gravity, time, dt).state_at_end(),
            };
            (body.pose, body.velocity, body.angular_velocity) = end;
            let vertices = if body.is_soft() { self.vertices(place) } else { None };
            if let (Some(vertices), Shape::Mesh(mesh)) = (vertices, &mut body.shape) {
                // As many as before and within range, as a mesh requires.
                Arc::make_mut(mesh).deform(vertices).expect("vertices were checked");
            }
        };
        view.bodies.slots_mut().par_iter_mut().enumerate().with_min_len(64).for_each(move_one);
        view.step += 1;
        view.time += dt;
    }
}

/// Computes the vertices of a soft body at a time; `None` for other bodies.
pub(crate) fn vertices_at(id: BodyId, body: &Body, time: f64) -> Result<Option<Vec<Vec3>>, WorldError> {
    let (Kind::Soft(deformation), Shape::Mesh(mesh)) = (&body.kind, &body.shape) else { return Ok(None) };
    let vertices = deformation.vertices(time);
    check_vertices(id, mesh, &vertices)?;
    Ok(Some(vertices))
}

/// Refuses vertices that a mesh does not take.
pub(crate) fn check_vertices(id: BodyId, mesh: &MeshShape, vertices: &[Vec3]) -> Result<(), WorldError> {
    if let Some(vertex) = vertices.iter().position(|v| !is_near(v)) {
        return Err(WorldError::Deform { id, vertex });
    }
    if mesh.collapses(vertices) { Err(WorldError::Collapsed { id }) } else { Ok(()) }
}

/// Computes the motion of a body: its box, and the vertices of a soft one.
fn plan_body(
    bodies: &Bodies,
    settings: &Settings,
    index: u32,
    [time, dt]: [f64; 2],
    kept: Option<&StepMotion>,
    moved: &mut Move,
) -> Result<Option<Vec<Vec3>>, WorldError> {
    let Some((id, body)) = bodies.at(index) else { return Ok(None) };
    if matches!(body.kind, Kind::Static) {
        return Ok(None);
    }
    let refuse = |source| WorldError::Flight { id, source };
    let computed;
    let flight = match kept {
        Some(kept) => kept,
        None => {
            computed = compute_motion(body, settings.gravity, time, dt).map_err(refuse)?;
            &computed
        }
    };
    if !is_near(&flight.end.translation()) {
        return Err(refuse(StepMotionError::Far));
    }
    let vertices = vertices_at(id, body, time + dt)?;
    let shape = ShapeRef::from(&body.shape);
    let mut bounds = match &vertices {
        Some(vertices) => Aabb::from_points(vertices.iter().map(|v| flight.end.place(*v))),
        None => shape.bounds_at(&flight.end),
    };
    if settings.detection == Detection::Continuous {
        for (number, segment) in flight.segments.iter().enumerate() {
            let next = flight.segments.get(number + 1);
            let (until, end) = next.map_or((dt, &flight.end), |next| (next.begun, &next.pose));
            if segment.motion.angular_velocity().length() * (until - segment.begun) > MAX_TURN {
                return Err(refuse(StepMotionError::Turns));
            }
            bounds = bounds.union(swept(shape, [&segment.pose, end], &segment.motion, until - segment.begun));
        }
    }
    *moved = Move { id: index, bounds: grown(&bounds, settings.margin_of(&bounds)) };
    Ok(vertices)
}

/// A box around the region swept by a shape between two poses: paths bend, and poses in between are rounded.
pub(crate) fn swept(shape: ShapeRef<'_>, [start, end]: [&Pose; 2], motion: &Motion, dt: f64) -> Aabb {
    let ends = shape.bounds_at(start).union(shape.bounds_at(end));
    let pivot = start.place(motion.pivot());
    let from_axis = (ends.min - pivot).abs().max((ends.max - pivot).abs()).length();
    let farthest = ends.min.abs().max(ends.max.abs()).max_element() + start.max_translation() + motion.pivot().length();
    let turned = 1.0 + motion.angular_velocity().length() * dt;
    let room = 256.0 * f64::EPSILON * (farthest + motion.velocity().length() * dt) * turned;
    let by = motion.bend(from_axis, dt) + room;
    Aabb { min: ends.min - by, max: ends.max + by }
}
