//! A placed shape and the choice of its trees, as a request names them.

use super::shape_cache::SharedShape;
use heurt::bvh::VolumeKind;
use heurt::geometry::Pose;
use heurt::shape::Degree;
use std::sync::Arc;

/// A shape and its pose.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    pub(crate) field: &'static str,
    pub(crate) shape: Arc<SharedShape>,
    pub(crate) pose: Pose,
}

/// The choice of trees. By default the trees that every shape has; else those of a file of `heurt tune`, in which
/// fields given next to it replace the values of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Trees {
    pub(crate) file: Option<String>,
    pub(crate) volume: Option<VolumeKind>,
    pub(crate) degree: Option<Degree>,
}
