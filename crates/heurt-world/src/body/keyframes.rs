//! A path through poses at given times.

use heurt_geometry::{DisplayNumber, Motion, Pose};
use thiserror::Error;

/// Poses at times; between two keys the origin moves straight, and the shape turns at a constant rate by the smaller
/// angle. Before the first and after the last key it stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframes {
    keys: Vec<(f64, Pose)>,
    /// From each key to the next.
    segments: Vec<Motion>,
}

/// Reasons why keys make no script and no deformation.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum KeyframesError {
    /// No key.
    #[error("a script without keys: give at least one")]
    Empty,
    /// A time that is not finite, or not after the time before.
    #[error("key {key} is at {} s: times must be finite and grow from key to key", DisplayNumber(*time))]
    Time {
        /// The index of the key.
        key: usize,
        /// Its time.
        time: f64,
    },
    /// Poses that are too far from each other for the time between them.
    #[error("key {key} is too far from the one before it: choose other units")]
    Segment {
        /// The index of the key.
        key: usize,
    },
    /// A key of a deformation with another number of vertices.
    #[error("key {key} has {given} vertices, the first one {count}: give as many in each")]
    Vertices {
        /// The index of the key.
        key: usize,
        /// Its number of vertices.
        given: usize,
        /// The number of vertices of the first key.
        count: usize,
    },
}

/// Refuses times that do not grow, and none at all.
pub(crate) fn check_times(times: impl Iterator<Item = f64>) -> Result<(), KeyframesError> {
    let mut last = None;
    for (key, time) in times.enumerate() {
        if !time.is_finite() || last.is_some_and(|last| time <= last) {
            return Err(KeyframesError::Time { key, time });
        }
        last = Some(time);
    }
    last.map_or(Err(KeyframesError::Empty), |_| Ok(()))
}

/// The last key that is not after `time`, of keys in order.
pub(crate) fn before<T>(keys: &[(f64, T)], time: f64) -> Option<usize> {
    keys.partition_point(|(key, _)| *key <= time).checked_sub(1)
}

impl Keyframes {
    /// Makes a path of poses in order of their times, in seconds.
    ///
    /// # Errors
    /// [`KeyframesError`].
    pub fn new(keys: Vec<(f64, Pose)>) -> Result<Self, KeyframesError> {
        check_times(keys.iter().map(|(time, _)| *time))?;
        let segment = |(key, pair): (usize, &[(f64, Pose)])| {
            let [(from, start), (to, end)] = [&pair[0], &pair[1]];
            Motion::between(start, end, to - from).map_err(|_| KeyframesError::Segment { key: key + 1 })
        };
        let segments = keys.windows(2).enumerate().map(segment).collect::<Result<_, _>>()?;
        Ok(Self { keys, segments })
    }

    /// Computes the pose at `time`.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_world::Keyframes;
    /// let at = |x: f64| Pose::from_translation(Vec3::X * x);
    /// let slide = Keyframes::new(vec![(1.0, at(0.0)?), (3.0, at(4.0)?)])?;
    /// let places = [0.0, 2.0, 9.0].map(|time| slide.pose_at(time).translation().x);
    /// assert_eq!(places, [0.0, 2.0, 4.0], "it waits before the first key and after the last");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pose_at(&self, time: f64) -> Pose {
        let Some(before) = before(&self.keys, time) else { return self.keys[0].1 };
        let (begun, pose) = self.keys[before];
        let segment = self.segments.get(before).filter(|_| time > begun);
        segment.and_then(|segment| segment.pose_at(&pose, time - begun).ok()).unwrap_or(pose)
    }

    /// Returns the motion from `time` on, until the next key.
    pub fn motion_at(&self, time: f64) -> Motion {
        let segment = before(&self.keys, time).and_then(|before| self.segments.get(before));
        segment.copied().unwrap_or(Motion::STILL)
    }

    /// Lists the times of keys between two times, both left out.
    pub fn keys_between(&self, from: f64, to: f64) -> impl Iterator<Item = f64> {
        self.keys.iter().map(|(time, _)| *time).filter(move |time| from < *time && *time < to)
    }

    /// Returns the time of the last key, in seconds.
    pub fn end(&self) -> f64 {
        self.keys.last().map_or(0.0, |(time, _)| *time)
    }
}
