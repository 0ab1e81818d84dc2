//! A placed shape and the choice of its trees, as a request names them.

use super::shape_cache::SharedShape;
use heurt_bvh::VolumeKind;
use heurt_geometry::Pose;
use heurt_shape::Degree;
use std::sync::Arc;

/// A shape and its pose.
#[derive(Debug, Clone)]
pub struct Placed {
    pub field: &'static str,
    pub shape: Arc<SharedShape>,
    pub pose: Pose,
}

/// The choice of trees. By default the trees that every shape has; else those of a file of `heurt tune`, in which
/// fields given next to it replace the values of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trees {
    pub file: Option<String>,
    pub volume: Option<VolumeKind>,
    pub degree: Option<Degree>,
}
