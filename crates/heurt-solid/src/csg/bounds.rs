//! Proved bounding boxes of the nodes of a tree.
//!
//! In: a tree. Out: a box for each node, in the frame of its parent's operand and in the world.
//! Method: the box of a union is the union of the boxes, of an intersection the intersection, of a difference the box
//! of the first operand, of a complement everything. Maps take boxes forward by interval arithmetic.
//! Guarantees: each box contains its set. Boxes may be infinite.

use super::leaf::EVERYWHERE;
use super::simplify::SimplifiedTree;
use super::{Csg, CsgError, CsgNode};
use heurt_geometry::Aabb;

/// Returns the intersection of two boxes.
pub(super) fn common_box(a: &Aabb, b: &Aabb) -> Aabb {
    Aabb { min: a.min.max(b.min), max: a.max.min(b.max) }
}

/// Reports whether the interiors of two boxes are disjoint, so that their sets share no volume.
pub(super) fn are_disjoint(a: &Aabb, b: &Aabb) -> bool {
    a.is_empty() || b.is_empty() || a.max.cmple(b.min).any() || b.max.cmple(a.min).any()
}

/// Returns the box of a node from the boxes of its operands.
pub(super) fn box_of(node: &CsgNode, operands: &[Aabb]) -> Aabb {
    match (node, operands) {
        (CsgNode::Leaf(leaf), _) => leaf.bounds(),
        (CsgNode::Union, [a, b]) => a.union(*b),
        (CsgNode::Intersection, [a, b]) => common_box(a, b),
        (CsgNode::Difference, [a, _]) => *a,
        (CsgNode::Transform(map), [a]) => map.image_of_box(a),
        (CsgNode::Empty, _) => Aabb::EMPTY,
        _ => EVERYWHERE,
    }
}

impl Csg {
    /// Returns a box that is proved to contain the solid. Half-spaces that are intersected count together.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_solid::{Csg, HalfSpace, Quadric};
    /// let tube = Csg::quadric(Quadric::cylinder(0.5)?);
    /// let above = tube.intersection(Csg::half_space(HalfSpace::new(-Vec3::Z, 0.0)?));
    /// assert!(above.bounds().is_err(), "no lid");
    /// let can = above.intersection(Csg::half_space(HalfSpace::new(Vec3::Z, -2.0)?));
    /// assert!(can.bounds()?.max.abs_diff_eq(Vec3::new(0.5, 0.5, 2.0), 0.01));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CsgError::Unbounded`] if no finite box is proved. The empty set has the empty box.
    pub fn bounds(&self) -> Result<Aabb, CsgError> {
        let SimplifiedTree { tree, bounds, .. } = self.simplified_with_bounds();
        match tree.root() {
            CsgNode::Empty => Ok(Aabb::EMPTY),
            _ if bounds.is_empty() => Ok(Aabb::EMPTY),
            _ if bounds.min.is_finite() && bounds.max.is_finite() => Ok(bounds),
            _ => Err(CsgError::Unbounded),
        }
    }
}
