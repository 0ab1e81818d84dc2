//! Skins of glTF: the affine maps by which vertices follow the joints of a skeleton.
//!
//! In: a skin, that is nodes and the inverse of the place that each has when the mesh is bound to it. Out: for each
//! joint the map from the mesh to the scene: place of the node · inverse bind matrix.
//! Method: the places of all nodes are computed once, from the roots down and without recursion. The place of the node
//! that has the mesh does not count, as the format defines.
//! Guarantees: a joint that is no node, that lies on a cycle, or whose place is invalid makes the skin an error.
//! Cost: O(nodes) once, O(joints) a skin.

use super::Budget;
use super::accessor;
use super::buffers::Buffers;
use super::frame::local_map;
use super::schema::Document;
use crate::{Place, ReadError};
use heurt_geometry::{Mat3, Vec3};
use std::collections::BTreeMap;

/// Words of an affine map of twelve `f64`.
const MAP: u64 = 24;

/// A map p ↦ linear · p + translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AffineMap {
    linear: Mat3,
    translation: Vec3,
}

impl AffineMap {
    const IDENTITY: Self = Self { linear: Mat3::IDENTITY, translation: Vec3::ZERO };

    /// Returns the image of a point.
    pub(super) fn place(&self, point: Vec3) -> Vec3 {
        self.linear * point + self.translation
    }

    /// Reports whether the map turns faces inside out.
    pub(super) fn mirrors(&self) -> bool {
        self.linear.determinant() < 0.0
    }

    /// Returns the map that applies `first`, then this one.
    fn after(&self, first: &Self) -> Self {
        Self { linear: self.linear * first.linear, translation: self.place(first.translation) }
    }
}

/// The skins of a document, each computed once.
#[derive(Default)]
pub(super) struct Skins {
    /// The place of each node in the scene; `None` for nodes without one. Empty until a skin is used.
    places: Vec<Option<AffineMap>>,
    maps: BTreeMap<u32, Result<Vec<AffineMap>, ReadError>>,
}

impl Skins {
    /// Returns the map of each joint of skin `index`.
    pub(super) fn maps(
        &mut self,
        document: &Document<'_>,
        buffers: &mut Buffers<'_>,
        budget: &mut Budget,
        index: u32,
    ) -> Result<&[AffineMap], ReadError> {
        if !self.maps.contains_key(&index) {
            let maps = self.compute(document, buffers, budget, index);
            self.maps.insert(index, maps);
        }
        match self.maps.get(&index) {
            Some(Ok(maps)) => Ok(maps),
            Some(Err(error)) => Err(error.clone()),
            None => Ok(&[]),
        }
    }

    fn compute(
        &mut self,
        document: &Document<'_>,
        buffers: &mut Buffers<'_>,
        budget: &mut Budget,
        index: u32,
    ) -> Result<Vec<AffineMap>, ReadError> {
        let place = || Place::Item(format!("skins[{index}]"));
        let Some(skin) = document.skins.get(index as usize) else {
            let (needed, available) = (u64::from(index) + 1, document.skins.len() as u64);
            return Err(ReadError::OutOfRange { place: place(), what: "skins", needed, available });
        };
        if self.places.is_empty() {
            budget.take(MAP.saturating_mul(document.nodes.len() as u64), place)?;
            self.places = places(document);
        }
        budget.take(MAP.saturating_mul(skin.joints.len() as u64), place)?;
        let inverses = match skin.inverse_bind_matrices {
            Some(matrices) => Some(inverse_bind_maps(document, buffers, budget, matrices, skin.joints.len())?),
            None => None,
        };
        let mut maps = Vec::with_capacity(skin.joints.len());
        for (number, &joint) in skin.joints.iter().enumerate() {
            let Some(placed) = self.places.get(joint as usize).copied().flatten() else {
                let place = Place::Item(format!("skins[{index}].joints[{number}]"));
                return Err(ReadError::Missing { place, what: "node with a valid place", name: joint.to_string() });
            };
            let inverse = inverses.as_ref().and_then(|inverses| inverses.get(number)).unwrap_or(&AffineMap::IDENTITY);
            maps.push(placed.after(inverse));
        }
        Ok(maps)
    }
}

/// Returns the place of each node in the scene; `None` for nodes on or below a cycle, or below an invalid place.
fn places(document: &Document<'_>) -> Vec<Option<AffineMap>> {
    let count = document.nodes.len();
    let mut is_child = vec![false; count];
    for &child in document.nodes.iter().flat_map(|node| &node.children) {
        if let Some(is_child) = is_child.get_mut(child as usize) {
            *is_child = true;
        }
    }
    let mut places: Vec<Option<AffineMap>> = vec![None; count];
    let roots = (0..count as u32).filter(|&node| !is_child[node as usize]);
    let mut open: Vec<(u32, AffineMap)> = roots.map(|root| (root, AffineMap::IDENTITY)).collect();
    while let Some((index, parent)) = open.pop() {
        let Some(node) = document.nodes.get(index as usize) else { continue };
        // A node that is reached twice keeps its first place: the walk of the scene refuses such a hierarchy.
        if places[index as usize].is_some() {
            continue;
        }
        let Ok((linear, translation)) = local_map(node, index) else { continue };
        let place = parent.after(&AffineMap { linear, translation });
        places[index as usize] = Some(place);
        open.extend(node.children.iter().map(|&child| (child, place)));
    }
    places
}

/// Reads the inverse bind matrices of `joints` joints.
fn inverse_bind_maps(
    document: &Document<'_>,
    buffers: &mut Buffers<'_>,
    budget: &mut Budget,
    index: u32,
    joints: usize,
) -> Result<Vec<AffineMap>, ReadError> {
    let matrices = accessor::vectors::<16>(document, buffers, budget, index)?;
    if matrices.len() < joints {
        let (needed, available) = (joints as u64, matrices.len() as u64);
        let place = Place::Item(format!("accessors[{index}]"));
        return Err(ReadError::OutOfRange { place, what: "matrices, one for each joint", needed, available });
    }
    let map = |(number, matrix): (usize, &[f64; 16])| {
        let last = [matrix[3], matrix[7], matrix[11], matrix[15]];
        if last != [0.0, 0.0, 0.0, 1.0] {
            let place = Place::Item(format!("accessors[{index}], element {number}"));
            return Err(ReadError::syntax(place, format!("{last:?}").as_bytes(), "a last row of 0 0 0 1"));
        }
        let column = |at: usize| Vec3::new(matrix[at], matrix[at + 1], matrix[at + 2]);
        Ok(AffineMap { linear: Mat3::from_cols(column(0), column(4), column(8)), translation: column(12) })
    };
    matrices.iter().take(joints).enumerate().map(map).collect()
}
