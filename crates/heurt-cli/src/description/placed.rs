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

/// Which trees are walked: those that every shape has where nothing is chosen, else those of a file written by
/// `heurt tune`, in which what is named next to it takes the place of what stands there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Trees {
    pub(crate) file: Option<String>,
    pub(crate) volume: Option<VolumeKind>,
    pub(crate) degree: Option<Degree>,
}
