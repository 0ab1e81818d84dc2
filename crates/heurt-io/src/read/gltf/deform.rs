//! Deformations of a glTF mesh: morph targets with their weights, then the joints of a skin.
//!
//! In: positions, displacements of morph targets, joints and weights of vertices. Out: the positions as the format
//! defines them for a file at rest: position + Σ weight · displacement, then Σ weight · joint map.
//! Guarantees: a target or an attribute of another number of elements than the positions is an error. Joint weights are
//! divided by their sum, which a file rounds; a vertex whose weights sum to 0 follows its first joint, with a warning.
//! Cost: O(vertices · targets with a weight).

use super::Budget;
use super::accessor;
use super::buffers::Buffers;
use super::schema::{Document, Mesh, Primitive};
use super::skin::AffineMap;
use crate::{Place, ReadError};
use heurt_geometry::Vec3;

/// Vertices that no joint holds.
const WEIGHTLESS: &str = "sums of joint weights that are 0 (the first joint is used)";

/// A deformation of a mesh, comparable: the numbers of its lists in a [`Deformations`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct DeformationKey {
    /// The weights of a node; `None` for those of the mesh.
    pub(super) weights: Option<u32>,
    pub(super) skin: Option<u32>,
}

/// A change of the positions of a mesh.
#[derive(Clone, Copy)]
pub(super) struct Deformation<'a> {
    /// A weight for each morph target.
    pub(super) weights: &'a [f64],
    /// A map for each joint; `None` for a mesh without a skin.
    pub(super) joints: Option<&'a [AffineMap]>,
}

/// The accessors on which the positions of a primitive depend.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct PositionSource {
    pub(super) position: u32,
    targets: Vec<Option<u32>>,
    joint_sets: [[Option<u32>; 2]; 2],
}

impl PositionSource {
    /// Returns the accessors of a primitive with positions.
    pub(super) fn of(primitive: &Primitive, position: u32, deformation: &Deformation<'_>) -> Self {
        let is_moved = deformation.weights.iter().any(|&weight| weight != 0.0);
        let targets =
            if is_moved { primitive.targets.iter().map(|target| target.position).collect() } else { Vec::new() };
        let joint_sets = deformation.joints.map_or_else(Default::default, |_| primitive.attributes.joint_sets());
        Self { position, targets, joint_sets }
    }

    /// Reports whether the positions are those of the accessor.
    #[cfg(feature = "draco")]
    pub(super) fn is_plain(&self) -> bool {
        self.targets.is_empty() && self.joint_sets == [[None; 2]; 2]
    }
}

/// Returns the weights of the morph targets of a mesh as bits; empty if it has no targets.
pub(super) fn weight_bits(mesh: &Mesh) -> Vec<u64> {
    let targets = mesh.primitives.iter().map(|primitive| primitive.targets.len()).max().unwrap_or(0);
    mesh.weights.iter().take(targets).map(|weight| weight.to_bits()).collect()
}

impl Deformation<'_> {
    /// Reads the positions of a primitive, deformed; `item` names the primitive.
    pub(super) fn positions(
        &self,
        (document, buffers, budget): (&Document<'_>, &mut Buffers<'_>, &mut Budget),
        primitive: &Primitive,
        position: u32,
        item: &impl Fn() -> String,
    ) -> Result<Vec<Vec3>, ReadError> {
        let mut points = accessor::positions(document, buffers, budget, position)?;
        for (number, (target, &weight)) in primitive.targets.iter().zip(self.weights).enumerate() {
            let Some(target) = target.position.filter(|_| weight != 0.0) else { continue };
            let accessor = accessor::find(document, target)?;
            let place = || Place::Item(format!("{}.targets[{number}]", item()));
            check_count(accessor.count, points.len(), place)?;
            if accessor.buffer_view.is_none() && accessor.sparse.is_none() {
                // An accessor without data is zero.
                continue;
            }
            let displacements = accessor::positions(document, buffers, budget, target)?;
            points.iter_mut().zip(displacements).for_each(|(point, by)| *point += by * weight);
        }
        if let Some(joints) = self.joints {
            follow_joints((document, buffers, budget), primitive, joints, &mut points, item)?;
        }
        Ok(points)
    }

    /// Reports whether the joints turn all faces inside out.
    pub(super) fn mirrors(&self) -> bool {
        self.joints.is_some_and(|joints| !joints.is_empty() && joints.iter().all(AffineMap::mirrors))
    }
}

/// Moves points by the joints of their vertices.
fn follow_joints(
    (document, buffers, budget): (&Document<'_>, &mut Buffers<'_>, &mut Budget),
    primitive: &Primitive,
    maps: &[AffineMap],
    points: &mut [Vec3],
    item: &impl Fn() -> String,
) -> Result<(), ReadError> {
    let mut sets = Vec::new();
    for (set, accessors) in primitive.attributes.joint_sets().into_iter().enumerate() {
        let place = || Place::Item(format!("{}.attributes", item()));
        let [joints, weights] = match accessors {
            [Some(joints), Some(weights)] => [joints, weights],
            [None, None] if set > 0 => break,
            _ => {
                let expected = format!("attributes JOINTS_{set} and WEIGHTS_{set} for a node with a skin");
                return Err(ReadError::syntax(place(), b"", expected));
            }
        };
        let joints = accessor::vectors::<4>(document, buffers, budget, joints)?;
        let weights = accessor::vectors::<4>(document, buffers, budget, weights)?;
        check_count(joints.len() as u64, points.len(), place)?;
        check_count(weights.len() as u64, points.len(), place)?;
        sets.push((joints, weights));
    }
    for (vertex, point) in points.iter_mut().enumerate() {
        let place = || Place::Item(format!("{}.attributes, vertex {vertex}", item()));
        let influences = || sets.iter().flat_map(|(joints, weights)| joints[vertex].into_iter().zip(weights[vertex]));
        let map = |joint: f64| {
            maps.get(joint as usize).ok_or_else(|| ReadError::OutOfRange {
                place: place(),
                what: "joints of the skin",
                needed: joint as u64 + 1,
                available: maps.len() as u64,
            })
        };
        let sum: f64 = influences().map(|(_, weight)| weight).sum();
        let first = influences().next().map_or(0.0, |(joint, _)| joint);
        if sum <= 0.0 {
            let error = |place| ReadError::syntax(place, sum.to_string().as_bytes(), "weights with a sum above 0");
            buffers.warnings.ignore(WEIGHTLESS, place, b"", error)?;
            *point = map(first)?.place(*point);
            continue;
        }
        let mut moved = Vec3::ZERO;
        for (joint, weight) in influences().filter(|&(_, weight)| weight != 0.0) {
            moved += map(joint)?.place(*point) * (weight / sum);
        }
        *point = moved;
    }
    Ok(())
}

/// Checks that there are as many elements as positions.
fn check_count(found: u64, points: usize, place: impl FnOnce() -> Place) -> Result<(), ReadError> {
    if found == points as u64 {
        return Ok(());
    }
    let (found, expected) = (format!("{found} elements"), format!("{points}, one for each position"));
    Err(ReadError::syntax(place(), found.as_bytes(), expected))
}
