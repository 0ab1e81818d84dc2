//! A way through keyed poses.

use crate::world::shown;
use heurt_geometry::{Motion, Pose};
use thiserror::Error;

/// Poses at times; between two of them the origin goes straight, and the shape turns at a constant rate by the shorter way.
/// Before the first and after the last it stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    keys: Vec<(f64, Pose)>,
    /// From each key to the next.
    legs: Vec<Motion>,
}

/// Why keys make no script.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// No key.
    #[error("a script without keys: give at least one")]
    Empty,
    /// A time that is none or not after the one before.
    #[error("key {key} is at {} s: times must be finite and grow from key to key", shown(*time))]
    Time {
        /// Which key.
        key: usize,
        /// Its time.
        time: f64,
    },
    /// Poses that are too far apart for the time between them.
    #[error("key {key} is too far from the one before it: choose other units")]
    Leg {
        /// Which key.
        key: usize,
    },
}

impl Script {
    /// From poses in order of their times, in seconds.
    ///
    /// # Errors
    /// [`ScriptError`].
    pub fn new(keys: Vec<(f64, Pose)>) -> Result<Self, ScriptError> {
        if keys.is_empty() {
            return Err(ScriptError::Empty);
        }
        for (key, (time, _)) in keys.iter().enumerate() {
            let is_after = key == 0 || *time > keys[key - 1].0;
            if !(time.is_finite() && is_after) {
                return Err(ScriptError::Time { key, time: *time });
            }
        }
        let leg = |(key, pair): (usize, &[(f64, Pose)])| {
            let [(from, start), (to, end)] = [&pair[0], &pair[1]];
            Motion::between(start, end, to - from).map_err(|_| ScriptError::Leg { key: key + 1 })
        };
        let legs = keys.windows(2).enumerate().map(leg).collect::<Result<_, _>>()?;
        Ok(Self { keys, legs })
    }

    /// The pose at `time`.
    pub fn pose_at(&self, time: f64) -> Pose {
        let after = self.keys.partition_point(|(key, _)| *key <= time);
        let Some(before) = after.checked_sub(1) else { return self.keys[0].1 };
        let (begun, pose) = self.keys[before];
        let leg = self.legs.get(before).filter(|_| time > begun);
        leg.and_then(|leg| leg.pose_at(&pose, time - begun).ok()).unwrap_or(pose)
    }

    /// What the shape does from `time` on, until the next key.
    pub fn motion_at(&self, time: f64) -> Motion {
        let after = self.keys.partition_point(|(key, _)| *key <= time);
        let leg = after.checked_sub(1).and_then(|before| self.legs.get(before));
        leg.copied().unwrap_or(Motion::STILL)
    }

    /// The times of keys between two times, both left out.
    pub fn keys_between(&self, from: f64, to: f64) -> impl Iterator<Item = f64> {
        self.keys.iter().map(|(time, _)| *time).filter(move |time| from < *time && *time < to)
    }

    /// When the last key is, in seconds.
    pub fn end(&self) -> f64 {
        self.keys.last().map_or(0.0, |(time, _)| *time)
    }
}
