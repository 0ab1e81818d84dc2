//! Flow of persons over a measurement line.
//!
//! In: trajectories, a line. Out: the crossings, from them the N–t diagram and flows.
//! Method: between two positions a person walks straight. It crosses the line when it comes from strictly one side to
//! strictly the opposite side, through the segment, ends included. Sides are exact (`orient2d`).
//! A walk that ends on the line crosses it in its last position: agents leave a crowd at the border of their goal.
//! Guarantees: a person that touches the line and turns back does not cross it. A person that rests on the line crosses
//! once, in the frame in which it leaves the line.
//! Differs from PedPy 1.5.1: PedPy misses a crossing in the last recorded step of a person. We count it. PedPy counts
//! persons that start on the line or turn back there. We do not. A gap in the record of a person is a straight step.
//! Cost: O(rows log rows).

use super::trajectory::{Trajectories, TrajectoryPoint, Walk};
use heurt_geometry::{Sign, Vec2, orient2d};

/// A crossing of the line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineCrossing {
    /// The person.
    pub id: u32,
    /// The first frame in which the person is strictly on the far side, or its last frame if it ends on the line.
    pub frame: usize,
    /// The time at the line, in seconds, interpolated between two frames.
    pub time: f64,
    /// True if the person comes from the left of the line, seen from its first end to its second.
    pub is_rightward: bool,
}

/// The crossings of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Crossings {
    length: f64,
    frames: usize,
    list: Vec<LineCrossing>,
}

impl Crossings {
    /// Finds all crossings of a line, which has two different ends, in metres.
    ///
    /// ```
    /// use heurt_crowd::measure::{Crossings, Trajectories};
    /// use heurt_geometry::Vec2;
    /// let row = |id: u32, k: u32| (id, f64::from(k), Vec2::new(f64::from(k) - 0.5 * f64::from(id), 0.5));
    /// let queue = (0..4).flat_map(|id| (0..6).map(move |k| row(id, k)));
    /// let door = [Vec2::new(2.25, 0.0), Vec2::new(2.25, 1.0)];
    /// let crossings = Crossings::new(&Trajectories::from_rows(queue)?, door);
    /// assert_eq!(crossings.numbers_by_frame(), [0, 0, 0, 2, 4, 4]);
    /// assert_eq!(crossings.mean_flow(), Some(2.0));
    /// # Ok::<(), heurt_crowd::measure::TrajectoryError>(())
    /// ```
    pub fn new(trajectories: &Trajectories, line: [Vec2; 2]) -> Self {
        let mut list = Vec::new();
        for walk in trajectories.walks() {
            add_crossings(&walk, line, &mut list);
        }
        list.sort_by(|a, b| a.time.total_cmp(&b.time).then(a.id.cmp(&b.id)));
        Self { length: line[0].distance(line[1]), frames: trajectories.frames().len(), list }
    }

    /// Returns the crossings, in order of time, then of person.
    pub fn list(&self) -> &[LineCrossing] {
        &self.list
    }

    /// Keeps only the first crossing of each person, as PedPy does.
    pub fn first_of_each(mut self) -> Self {
        let mut seen = std::collections::BTreeSet::new();
        self.list.retain(|crossing| seen.insert(crossing.id));
        self
    }

    /// Keeps only crossings of one direction.
    pub fn in_direction(mut self, is_rightward: bool) -> Self {
        self.list.retain(|crossing| crossing.is_rightward == is_rightward);
        self
    }

    /// Returns the N–t diagram: the number of crossings up to each frame, inclusive.
    pub fn numbers_by_frame(&self) -> Vec<usize> {
        let mut numbers = vec![0; self.frames];
        self.list.iter().for_each(|crossing| numbers[crossing.frame] += 1);
        let mut sum = 0;
        for number in &mut numbers {
            sum += *number;
            *number = sum;
        }
        numbers
    }

    /// Computes the flow from the first crossing to the last, in persons a second: (N − 1) / (time between them);
    /// `None` if they are at one time or fewer than two.
    pub fn mean_flow(&self) -> Option<f64> {
        let (first, last) = (self.list.first()?.time, self.list.last()?.time);
        (last > first).then(|| (self.list.len() - 1) as f64 / (last - first))
    }

    /// Computes the flow in the time from `from` to before `to`, in persons a second: crossings divided by the time.
    pub fn flow_between(&self, from: f64, to: f64) -> f64 {
        let before = |time: f64| self.list.partition_point(|crossing| crossing.time < time);
        before(to).saturating_sub(before(from)) as f64 / (to - from)
    }

    /// Computes the specific flow of a flow: persons a second and metre of the line.
    pub fn specific_flow(&self, flow: f64) -> f64 {
        flow / self.length
    }
}

/// Adds the crossings of a person.
fn add_crossings(walk: &Walk, [a, b]: [Vec2; 2], list: &mut Vec<LineCrossing>) {
    let mut before: Option<(Sign, TrajectoryPoint)> = None;
    // The last position on the line since the last strict side.
    let mut on_line: Option<TrajectoryPoint> = None;
    let mut add = |frame: usize, time: f64, from: Sign| {
        list.push(LineCrossing { id: walk.id, frame, time, is_rightward: from == Sign::Positive });
    };
    for &point in &walk.points {
        let side = orient2d(a, b, point.position);
        if side.is_zero() {
            on_line = Some(point);
            continue;
        }
        if let Some((last, from)) = before.filter(|&(last, _)| last != side) {
            let crossed = match on_line {
                Some(at) => is_between(at.position, [a, b]).then_some(at.time),
                None => crossing_time(from, point, [a, b]),
            };
            if let Some(time) = crossed {
                add(point.frame, time, last);
            }
        }
        (before, on_line) = (Some((side, point)), None);
    }
    if let (Some((last, _)), Some(end)) = (before, on_line)
        && is_between(end.position, [a, b])
    {
        add(end.frame, end.time, last);
    }
}

/// Reports whether a point of a line is between two points of it.
fn is_between(point: Vec2, [a, b]: [Vec2; 2]) -> bool {
    (point.cmpge(a.min(b)) & point.cmple(a.max(b))).all()
}

/// Computes when a straight step meets a segment whose line it crosses; `None` if it passes an end.
fn crossing_time(from: TrajectoryPoint, to: TrajectoryPoint, [a, b]: [Vec2; 2]) -> Option<f64> {
    let (p, q) = (from.position, to.position);
    let ends = [orient2d(p, q, a), orient2d(p, q, b)];
    if ends[0] == ends[1] {
        return None;
    }
    let height = |point: Vec2| (b - a).perp_dot(point - a).abs();
    let share = height(p) / (height(p) + height(q));
    Some(if share.is_nan() { to.time } else { from.time + (to.time - from.time) * share })
}
