//! Poses as data: `{ "rotation": [9 numbers by columns], "translation": [3 numbers] }`, checked when they are read.

use crate::{Mat3, Pose, Vec3};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// The data of a pose.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Pose", deny_unknown_fields)]
struct PoseData {
    rotation: Mat3,
    translation: Vec3,
}

impl Serialize for Pose {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        PoseData { rotation: *self.rotation(), translation: self.translation() }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Pose {
    /// Refuses what [`Pose::from_matrix`] refuses.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let PoseData { rotation, translation } = PoseData::deserialize(from)?;
        Self::from_matrix(rotation, translation).map_err(D::Error::custom)
    }
}
