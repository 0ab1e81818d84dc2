//! Instances of a node by `EXT_mesh_gpu_instancing`.
//!
//! In: accessors of translations, rotations and scales, each of one element an instance. Out: the frame of each
//! instance in the root's frame. A missing attribute is the identity; attributes of other names are skipped.
//! Guarantees: the accessors have equal numbers of elements, or the node is rejected; elements count as unpacked.

use super::Budget;
use super::accessor;
use super::buffers::Buffers;
use super::frame::frame_of_instance;
use super::schema::{Document, InstanceAttributes};
use crate::read::placement::Frame;
use crate::{Place, ReadError};
use heurt_geometry::Vec3;

/// Translations, rotations and scales of the instances of a node.
pub(super) struct Instances {
    count: usize,
    translations: Option<Vec<[f64; 3]>>,
    rotations: Option<Vec<[f64; 4]>>,
    scales: Option<Vec<[f64; 3]>>,
}

impl Instances {
    /// Reads the attributes of the instances of node `index`.
    pub(super) fn read(
        document: &Document<'_>,
        buffers: &mut Buffers<'_>,
        budget: &mut Budget,
        attributes: &InstanceAttributes,
        index: u32,
    ) -> Result<Self, ReadError> {
        let mut vectors = |accessor: Option<u32>| {
            accessor.map(|accessor| accessor::vectors::<3>(document, buffers, budget, accessor)).transpose()
        };
        let translations = vectors(attributes.translation)?;
        let scales = vectors(attributes.scale)?;
        let rotations = match attributes.rotation {
            Some(accessor) => Some(accessor::vectors::<4>(document, buffers, budget, accessor)?),
            None => None,
        };
        let counts =
            [translations.as_ref().map(Vec::len), rotations.as_ref().map(Vec::len), scales.as_ref().map(Vec::len)];
        let place = || Place::Item(format!("nodes[{index}].extensions.EXT_mesh_gpu_instancing"));
        let Some(count) = counts.into_iter().flatten().next() else {
            return Err(ReadError::syntax(place(), b"", "an attribute TRANSLATION, ROTATION or SCALE"));
        };
        if let Some(other) = counts.into_iter().flatten().find(|&other| other != count) {
            let found = format!("attributes of {count} and {other} elements");
            return Err(ReadError::syntax(place(), found.as_bytes(), "equally many elements in all of them"));
        }
        Ok(Self { count, translations, rotations, scales })
    }

    /// Returns the number of instances.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns the frame of an instance, below the frame of node `index`.
    pub(super) fn frame(&self, parent: &Frame, instance: usize, index: u32) -> Result<Frame, ReadError> {
        let vector = |list: &Option<Vec<[f64; 3]>>, default| {
            list.as_ref().and_then(|list| list.get(instance)).map_or(default, |&vector| Vec3::from_array(vector))
        };
        let translation = vector(&self.translations, Vec3::ZERO);
        let scale = vector(&self.scales, Vec3::ONE);
        let rotation = self.rotations.as_ref().and_then(|list| list.get(instance));
        let place = || Place::Item(format!("nodes[{index}], instance {instance}"));
        frame_of_instance(parent, [translation, scale], *rotation.unwrap_or(&[0.0, 0.0, 0.0, 1.0]), place)
    }
}
