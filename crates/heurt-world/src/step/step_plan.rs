//! Plan of a step, computed before it changes a body: motions of bodies, and their boxes, which the broad
//! phase takes.
//!
//! Method: bodies are taken some at a time, so that nothing as large as they are is held next to them. A fault in any
//! puts all boxes back. Flights are worked out once more where bodies move; only in continuous detection those are kept
//! that pairs are queried.

use crate::body::{Body, Kind};
use crate::step::narrow::Detection;
use crate::step::step_motion::{MAX_TURN, MotionSegment, StepMotion, StepMotionError, flight};
use crate::world::{World, WorldError, grown};
use heurt_broad::Move;
use heurt_geometry::{Aabb, Motion, Pose, Vec3};
use heurt_shape::ShapeRef;
use rayon::prelude::*;
use std::ops::Range;

/// The largest coordinate of an origin, and of a vertex of a soft body, in metres: squares of what is beyond are beyond
/// the range of numbers.
pub const FARTHEST: f64 = 1e150;

/// The plan of a step; its memory is reused.
#[derive(Debug, Default)]
pub(crate) struct StepPlan {
    /// Boxes of some bodies, to be given to the broad phase.
    moves: Vec<Move>,
    /// The next vertices of soft bodies, in their frames, by place and in order.
    deformed: Vec<(u32, Vec<Vec3>)>,
    pub flights: StepMotions,
}

impl StepPlan {
    /// The next vertices of a soft body.
    pub(crate) fn vertices(&self, place: usize) -> Option<&[Vec3]> {
        let at = self.deformed.binary_search_by_key(&place, |(place, _)| *place as usize).ok()?;
        Some(&self.deformed[at].1)
    }

    /// Lets go of what is only of this step.
    pub(crate) fn clear(&mut self) {
        self.deformed.clear();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.moves.capacity() * size_of::<Move>()
            + self.deformed.capacity() * size_of::<(u32, Vec<Vec3>)>()
            + self.flights.bytes()
    }
}

/// How those fly, in continuous detection, whose boxes meet others. Flights are large and soon worked out: those of
/// others are not kept.
#[derive(Debug, Default)]
pub(crate) struct StepMotions {
    /// Which flight is whose, by place.
    of: Vec<u32>,
    places: Vec<u32>,
    flights: Vec<StepMotion>,
}

/// The motions of bodies whose motions are not kept.
const NO_FLIGHT: u32 = u32::MAX;

impl StepMotions {
    pub(crate) fn get(&self, place: usize) -> Option<&StepMotion> {
        self.flights.get(*self.of.get(place)? as usize)
    }

    /// The motion of a body whose box meets another one.
    pub(crate) fn of(&self, place: u32) -> &StepMotion {
        &self.flights[self.of[place as usize] as usize]
    }

    fn bytes(&self) -> usize {
        let legs = self.flights.iter().filter(|flight| flight.legs.spilled()).map(|flight| flight.legs.capacity());
        (self.of.capacity() + self.places.capacity()) * size_of::<u32>()
            + self.flights.capacity() * size_of::<StepMotion>()
            + legs.sum::<usize>() * size_of::<MotionSegment>()
    }
}

/// The motion of a body at rest.
const NOT_MOVED: Move = Move { id: u32::MAX, bounds: Aabb { min: Vec3::ZERO, max: Vec3::ZERO } };

/// Bodies whose boxes are worked out before the broad phase takes them.
pub(crate) const AT_ONCE: usize = 512;

/// How bodies flew, and for how long.
pub(crate) type MovedBodies<'a> = (&'a StepMotions, f64);

impl World {
    /// Computes the motion of each body and moves its box; returns how many boxes changed. Bodies stay where they
    /// were. Flights are worked out once more where bodies move: to keep them until all are known to be within range
    /// would take more than bodies do.
    pub(crate) fn move_boxes(&mut self, plan: &mut StepPlan, dt: f64) -> Result<usize, WorldError> {
        let (count, mut moved) = (self.now.slots.len(), 0);
        plan.deformed.clear();
        for from in (0..count).step_by(AT_ONCE) {
            let some = self.plan_some(plan, from..count.min(from + AT_ONCE), dt);
            let done = some.and_then(|()| Ok(self.now.boxes.update(&plan.moves)?));
            if let Err(error) = done {
                self.put_boxes_back()?;
                return Err(error);
            }
            moved += plan.moves.len();
        }
        Ok(moved)
    }

    /// Computes the motions of the bodies at some places.
    fn plan_some(&self, plan: &mut StepPlan, places: Range<usize>, dt: f64) -> Result<(), WorldError> {
        let StepPlan { moves, deformed, .. } = plan;
        moves.clear();
        moves.reserve_exact(places.len());
        moves.resize(places.len(), NOT_MOVED);
        let told = moves.par_iter_mut().zip(places).with_min_len(64).filter_map(|(moved, place)| {
            let vertices = self.plan_one(place as u32, dt, moved).transpose()?;
            Some(vertices.map(|vertices| (place as u32, vertices)))
        });
        let told: Vec<Result<(u32, Vec<Vec3>), WorldError>> = told.collect();
        // If there are several faults, the fault of the first body is reported, in any order of finding.
        for vertices in told {
            deformed.push(vertices?);
        }
        moves.retain(|moved| moved.id != NOT_MOVED.id);
        Ok(())
    }

    /// Computes the motion of a body: its box, and the vertices of a soft one.
    fn plan_one(&self, index: u32, dt: f64, moved: &mut Move) -> Result<Option<Vec<Vec3>>, WorldError> {
        let Some((id, body)) = self.now.at(index) else { return Ok(None) };
        if matches!(body.kind, Kind::Static) {
            return Ok(None);
        }
        let refuse = |source| WorldError::Flight { id, source };
        let flight = flight(body, self.settings.gravity, self.now.time, dt).map_err(refuse)?;
        if !is_near(&flight.end.translation()) {
            return Err(refuse(StepMotionError::Far));
        }
        let vertices = match &body.kind {
            Kind::Soft(deformation) => Some(deformation.vertices(self.now.time + dt)),
            _ => None,
        };
        if let Some(vertex) = vertices.iter().flatten().position(|v| !is_near(v)) {
            return Err(WorldError::Deform { id, vertex });
        }
        let shape = ShapeRef::from(&body.shape);
        let mut bounds = match &vertices {
            Some(vertices) => Aabb::from_points(vertices.iter().map(|v| flight.end.place(*v))),
            None => shape.bounds_at(&flight.end),
        };
        if self.settings.detection == Detection::Continuous {
            for (number, leg) in flight.legs.iter().enumerate() {
                let next = flight.legs.get(number + 1);
                let (until, end) = next.map_or((dt, &flight.end), |next| (next.begun, &next.pose));
                if leg.motion.angular_velocity().length() * (until - leg.begun) > MAX_TURN {
                    return Err(refuse(StepMotionError::Turns));
                }
                bounds = bounds.union(swept(shape, [&leg.pose, end], &leg.motion, until - leg.begun));
            }
        }
        *moved = Move { id: index, bounds: grown(&bounds, self.settings.margin) };
        Ok(vertices)
    }

    /// How a body flies whose flight is known to be within range.
    pub(crate) fn flight_of(&self, body: &Body, dt: f64) -> StepMotion {
        flight(body, self.settings.gravity, self.now.time, dt).expect("it was worked out before")
    }

    /// Keeps the flights that pairs may be queried, before bodies move.
    pub(crate) fn keep_flights(&self, flights: &mut StepMotions, dt: f64) {
        let StepMotions { of, places, flights } = flights;
        of.clear();
        if self.settings.detection != Detection::Continuous {
            return;
        }
        of.resize(self.now.slots.len(), NO_FLIGHT);
        self.now.boxes.pairs().iter().for_each(|pair| [pair.a, pair.b].into_iter().for_each(|at| of[at as usize] = 0));
        places.clear();
        for (place, number) in of.iter_mut().enumerate().filter(|(_, number)| **number != NO_FLIGHT) {
            *number = places.len() as u32;
            places.push(place as u32);
        }
        let fly = |place: &u32| {
            let body = self.now.at(*place).map(|(_, body)| body);
            body.map_or_else(|| StepMotion::still(Pose::IDENTITY), |body| self.flight_of(body, dt))
        };
        places.par_iter().with_min_len(64).map(fly).collect_into_vec(flights);
    }
}

/// Reports whether squares of the coordinates are numbers.
pub(crate) fn is_near(v: &Vec3) -> bool {
    v.is_finite() && v.abs().max_element() <= FARTHEST
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
