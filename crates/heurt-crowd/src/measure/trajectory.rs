//! Trajectories: where each person was, frame by frame.
//!
//! In: rows (person, time, position), or a crowd after each step. Out: [`Trajectories`], and the walk of each person.
//! Method: rows of equal time are a frame. Frames ascend in time. Persons of a frame ascend in number.
//! Guarantees: times and positions are finite. No person is twice in a frame. Rows in any order give the same result.
//! Not guaranteed: that frames are evenly spaced, or that a person is in all frames between its first and last.
//! Cost: O(rows log rows).

use crate::{AgentState, Crowd, HEADROOM};
use heurt_geometry::{ShortNumber, ShortPlace, Vec2, Vec3};
use std::collections::BTreeSet;
use thiserror::Error;

/// Persons at one time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TrajectoryFrame {
    /// The time, in seconds.
    pub time: f64,
    /// The number and position of each person, in metres, by ascending number.
    pub agents: Vec<(u32, Vec2)>,
}

/// Positions of persons over time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trajectories {
    frames: Vec<TrajectoryFrame>,
    /// A gap in the record of a person is the end of a walk: it was on another storey.
    ends_at_gaps: bool,
}

/// Reasons why rows are no trajectories.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// A time or coordinate is NaN or infinite.
    #[error("person {id} is at {} at {} s: give finite numbers", ShortPlace(*position), ShortNumber(*time))]
    NotFinite {
        /// The person.
        id: u32,
        /// The time, in seconds.
        time: f64,
        /// The position, in metres.
        position: Vec2,
    },
    /// A person is twice in a frame.
    #[error("person {id} has two positions at {} s: remove one of them", ShortNumber(*time))]
    Twice {
        /// The person.
        id: u32,
        /// The time, in seconds.
        time: f64,
    },
    /// Persons are on storeys over each other.
    #[error(
        "persons are on storeys over each other, at heights from {} m to {} m: give the heights of one",
        ShortNumber(*low), ShortNumber(*high)
    )]
    Storeys {
        /// The lowest height, in metres.
        low: f64,
        /// The largest height, in metres.
        high: f64,
    },
    /// No person is at the heights that were given.
    #[error(
        "no person is at heights from {} m to {} m: give heights between {} m and {} m",
        ShortNumber(*least), ShortNumber(*most), ShortNumber(*low), ShortNumber(*high)
    )]
    NobodyThere {
        /// The lower height that was given, in metres.
        least: f64,
        /// The upper height that was given, in metres.
        most: f64,
        /// The lowest height of a person, in metres.
        low: f64,
        /// The largest height of a person, in metres.
        high: f64,
    },
    /// A frame is not later than the frame before it.
    #[error("a frame of {time} s comes after one of {last} s: add frames in order of time")]
    NotLater {
        /// The time of the frame, in seconds.
        time: f64,
        /// The time of the last frame, in seconds.
        last: f64,
    },
}

/// A position of a person.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrajectoryPoint {
    /// The number of the frame, from 0.
    pub frame: usize,
    /// The time, in seconds.
    pub time: f64,
    /// The position, in metres.
    pub position: Vec2,
}

/// The walk of a person: its positions in order of time.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    /// The person.
    pub id: u32,
    /// The positions; at least one.
    pub points: Vec<TrajectoryPoint>,
}

impl Trajectories {
    /// Returns trajectories without frames, to be filled by [`push`](Self::push).
    pub fn new() -> Self {
        Self::default()
    }

    /// Collects rows of person, time in seconds, and position in metres. Rows may come in any order.
    ///
    /// ```
    /// use heurt_crowd::measure::Trajectories;
    /// use heurt_geometry::Vec2;
    /// let rows = [(7, 0.5, Vec2::new(0.6, 0.0)), (7, 0.0, Vec2::ZERO), (3, 0.5, Vec2::new(2.0, 1.0))];
    /// let trajectories = Trajectories::from_rows(rows)?;
    /// assert_eq!(trajectories.frames().len(), 2);
    /// assert_eq!(trajectories.frames()[1].agents[0].0, 3);
    /// assert_eq!(trajectories.walks()[1].distance(), 0.6);
    /// # Ok::<(), heurt_crowd::measure::TrajectoryError>(())
    /// ```
    ///
    /// # Errors
    /// [`TrajectoryError`] with the first fault in order of time and person.
    pub fn from_rows(rows: impl IntoIterator<Item = (u32, f64, Vec2)>) -> Result<Self, TrajectoryError> {
        // −0 becomes 0.
        let mut rows: Vec<_> = rows.into_iter().map(|(id, time, position)| (id, time + 0.0, position)).collect();
        rows.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let mut trajectories = Self::default();
        for frame in rows.chunk_by(|a, b| a.1 == b.1) {
            trajectories.push_frame(frame[0].1, frame.iter().map(|&(id, _, position)| (id, position)))?;
        }
        Ok(trajectories)
    }

    /// Collects rows of person, time in seconds, and position in metres with its height, of one storey. With `heights`,
    /// rows of other heights are left out; a person may leave the storey and come back. Frames are those from the first
    /// person there to the last, also if it is empty in between.
    ///
    /// ```
    /// use heurt_crowd::measure::Trajectories;
    /// use heurt_geometry::Vec3;
    /// let rows = [(1, 0.0, Vec3::new(2.0, 1.0, 0.0)), (2, 0.0, Vec3::new(2.0, 1.0, 3.5))];
    /// assert!(Trajectories::of_storey(rows, None).is_err(), "they are over each other");
    /// let upper = Trajectories::of_storey(rows, Some([3.0, 4.0]))?;
    /// assert_eq!(upper.frames()[0].agents[0].0, 2);
    /// # Ok::<(), heurt_crowd::measure::TrajectoryError>(())
    /// ```
    ///
    /// # Errors
    /// [`TrajectoryError`]; among them [`TrajectoryError::Storeys`] if the heights of the rows differ by
    /// [`HEADROOM`](crate::HEADROOM) or more and no heights are given, and [`TrajectoryError::NobodyThere`].
    pub fn of_storey(
        rows: impl IntoIterator<Item = (u32, f64, Vec3)>,
        heights: Option<[f64; 2]>,
    ) -> Result<Self, TrajectoryError> {
        let rows: Vec<(u32, f64, Vec3)> = rows.into_iter().collect();
        let all = rows.iter().map(|(.., place)| place.z);
        let (low, high) = (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max));
        if heights.is_none() && high - low >= HEADROOM {
            return Err(TrajectoryError::Storeys { low, high });
        }
        let in_plan = rows.iter().map(|&(id, time, place)| (id, time, place.truncate()));
        let mut trajectories = Self::from_rows(in_plan)?;
        let Some([least, most]) = heights else { return Ok(trajectories) };
        let is_there = |(.., place): &&(u32, f64, Vec3)| (least..=most).contains(&place.z);
        // −0 becomes 0, as in frames.
        let there: BTreeSet<(u64, u32)> =
            rows.iter().filter(is_there).map(|&(id, time, _)| ((time + 0.0).to_bits(), id)).collect();
        if there.is_empty() {
            return Err(TrajectoryError::NobodyThere { least, most, low, high });
        }
        for frame in &mut trajectories.frames {
            frame.agents.retain(|&(id, _)| there.contains(&(frame.time.to_bits(), id)));
        }
        // Frames in between without anybody stay: the storey is empty then.
        let is_empty = |frame: &TrajectoryFrame| frame.agents.is_empty();
        let last = trajectories.frames.iter().rposition(|frame| !is_empty(frame)).map_or(0, |last| last + 1);
        trajectories.frames.truncate(last);
        let first = trajectories.frames.iter().position(|frame| !is_empty(frame)).unwrap_or(0);
        trajectories.frames.drain(..first);
        trajectories.ends_at_gaps = true;
        Ok(trajectories)
    }

    /// Adds a frame: the persons at `time` seconds.
    ///
    /// # Errors
    /// [`TrajectoryError`]; the frame is not added.
    pub fn push_frame(
        &mut self,
        time: f64,
        agents: impl IntoIterator<Item = (u32, Vec2)>,
    ) -> Result<(), TrajectoryError> {
        let mut agents: Vec<(u32, Vec2)> = agents.into_iter().collect();
        agents.sort_by_key(|&(id, _)| id);
        let is_finite = |position: Vec2| time.is_finite() && position.is_finite();
        if let Some(&(id, position)) = agents.iter().find(|&&(_, position)| !is_finite(position)) {
            return Err(TrajectoryError::NotFinite { id, time, position });
        }
        if let Some(pair) = agents.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(TrajectoryError::Twice { id: pair[0].0, time });
        }
        let last = self.frames.last().map_or(f64::NEG_INFINITY, |frame| frame.time);
        if time.is_nan() || time <= last {
            return Err(TrajectoryError::NotLater { time, last });
        }
        self.frames.push(TrajectoryFrame { time, agents });
        Ok(())
    }

    /// Adds the present state of a crowd, to be called after each step. Agents that left at the end of the last step
    /// are in this frame for the last time.
    ///
    /// # Errors
    /// [`TrajectoryError::NotLater`] if the crowd has not moved on since the last frame.
    pub fn push(&mut self, crowd: &Crowd) -> Result<(), TrajectoryError> {
        let place = |agent: AgentState| (agent.id, agent.position);
        self.push_frame(crowd.time(), crowd.agents().chain(crowd.departed()).map(place))
    }

    /// Returns the frames, in order of time.
    pub fn frames(&self) -> &[TrajectoryFrame] {
        &self.frames
    }

    /// Returns the walks of all persons, by ascending number. A person that left the storey and came back has several
    /// walks, in order of time ([`of_storey`](Self::of_storey) with heights).
    pub fn walks(&self) -> Vec<Walk> {
        let mut points: Vec<(u32, TrajectoryPoint)> = Vec::new();
        for (number, frame) in self.frames.iter().enumerate() {
            let point = |position| TrajectoryPoint { frame: number, time: frame.time, position };
            points.extend(frame.agents.iter().map(|&(id, position)| (id, point(position))));
        }
        // Stable: points of a person stay in order of time.
        points.sort_by_key(|&(id, _)| id);
        let walk = |points: &[(u32, TrajectoryPoint)]| Walk {
            id: points[0].0,
            points: points.iter().map(|&(_, point)| point).collect(),
        };
        let goes_on = |a: &(u32, TrajectoryPoint), b: &(u32, TrajectoryPoint)| {
            a.0 == b.0 && (!self.ends_at_gaps || b.1.frame == a.1.frame + 1)
        };
        points.chunk_by(goes_on).map(walk).collect()
    }
}

impl TrajectoryFrame {
    /// Returns the position of a person, in metres; `None` if it is not in this frame.
    pub fn position_of(&self, id: u32) -> Option<Vec2> {
        self.agents.binary_search_by_key(&id, |&(id, _)| id).ok().map(|place| self.agents[place].1)
    }
}

impl Walk {
    /// Returns the time from the first position to the last, in seconds: the travel time.
    pub fn duration(&self) -> f64 {
        self.points.last().map_or(0.0, |last| last.time - self.points[0].time)
    }

    /// Computes the distance walked, in metres: the sum of all straight steps between frames.
    pub fn distance(&self) -> f64 {
        self.points.windows(2).map(|pair| pair[0].position.distance(pair[1].position)).sum()
    }

    /// Returns the offset from the first position to the last, in metres.
    pub fn displacement(&self) -> Vec2 {
        self.points.last().map_or(Vec2::ZERO, |last| last.position - self.points[0].position)
    }
}
