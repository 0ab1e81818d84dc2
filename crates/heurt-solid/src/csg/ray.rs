//! Ray classification against a tree by sets of intervals (Roth 1982), and the first hit with its normal.
//!
//! In: a prepared tree and a ray. Out: the intervals of the ray inside, and the first point with its unit normal.
//! Method: a ray is pulled back into the frame of each leaf, where its parameter stays the same. Operations of nodes
//! are operations on the sets. Each end of an interval carries its leaf, whose normal at the hit is mapped forward and
//! turned against the ray. Nodes whose boxes the ray misses have the empty set.
//! Guarantees: regularised; parameters carry the rounding of the leaves.
//! Cost: O(n) leaves at most, and the number of intervals.

use super::leaf::EVERYWHERE;
use super::traversal::{TreeRules, evaluate};
use super::{CsgNode, CsgQuery};
use crate::interval_set::IntervalSet;
use heurt_geometry::{Aabb, Vec3, robust_normalize};
use heurt_query::Ray;

/// The first point of a solid on a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CsgHit {
    /// The parameter, a multiple of the direction; 0 if the ray starts inside.
    pub t: f64,
    /// The point in the world.
    pub point: Vec3,
    /// The unit normal against the ray; opposite to its direction if it starts inside.
    pub normal: Vec3,
    /// The leaf as a position among the nodes; `None` if the ray starts inside.
    pub leaf: Option<u32>,
}

impl CsgQuery {
    /// Computes the intervals of the ray inside the solid.
    ///
    /// ```
    /// use heurt_geometry::Vec3;
    /// use heurt_query::Ray;
    /// use heurt_shape::Convex;
    /// use heurt_solid::{Csg, csg::CsgQuery};
    /// let shell = Csg::shape(Convex::sphere(2.0)?).difference(Csg::shape(Convex::sphere(1.0)?));
    /// let along = Ray::new(Vec3::X * -5.0, Vec3::X, f64::INFINITY)?;
    /// let inside = CsgQuery::new(&shell).ray_intervals(&along);
    /// assert_eq!(inside.intervals().collect::<Vec<_>>(), [[3.0, 4.0], [6.0, 7.0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ray_intervals(&self, ray: &Ray) -> IntervalSet {
        let everything = IntervalSet::from_intervals(&[[0.0, ray.max_t]], u32::MAX);
        let mut rules = RayRules { query: self, ray, everything };
        evaluate(&self.tree.nodes, &mut rules).unwrap_or_default()
    }

    /// Finds the first point of the solid on the ray.
    pub fn first_hit(&self, ray: &Ray) -> Option<CsgHit> {
        let inside = self.ray_intervals(ray);
        let first = inside.ends().first()?;
        let against = -robust_normalize(ray.direction).unwrap_or(Vec3::ZERO);
        let node = self.tree.nodes.get(first.leaf as usize).filter(|_| first.t > 0.0);
        let (leaf, normal) = match node.map(|sized| &sized.node) {
            Some(CsgNode::Leaf(leaf)) => {
                let map = &self.prepared[first.leaf as usize].map;
                let local = [map.pulled_back(ray.origin), map.pulled_back_direction(ray.direction)];
                let normal = leaf.normal(local[0], local[1], first.t).map(|normal| map.image_of_normal(normal));
                (Some(first.leaf), normal.and_then(robust_normalize).unwrap_or(against))
            }
            _ => (None, against),
        };
        let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        Some(CsgHit { t: first.t, point: ray.origin + ray.direction * first.t, normal, leaf })
    }
}

struct RayRules<'a> {
    query: &'a CsgQuery,
    ray: &'a Ray,
    everything: IntervalSet,
}

/// Reports whether a ray may meet a closed box. The slack of 8 ulp covers the rounding of both bounds of a slab.
fn may_meet(bounds: &Aabb, ray: &Ray) -> bool {
    let (mut from, mut to) = (0.0_f64, ray.max_t);
    for axis in 0..3 {
        let (origin, slope) = (ray.origin[axis], ray.direction[axis]);
        if slope == 0.0 {
            if origin < bounds.min[axis] || origin > bounds.max[axis] {
                return false;
            }
            continue;
        }
        let bound = |x: f64, sign: f64| {
            let t = (x - origin) / slope;
            t + sign * 8.0 * f64::EPSILON * t.abs()
        };
        let (a, b) =
            if slope > 0.0 { (bounds.min[axis], bounds.max[axis]) } else { (bounds.max[axis], bounds.min[axis]) };
        // NaN, from an overflow, is ignored by both functions.
        (from, to) = (from.max(bound(a, -1.0)), to.min(bound(b, 1.0)));
    }
    from <= to
}

impl TreeRules for RayRules<'_> {
    type Value = IntervalSet;

    fn decide(&mut self, index: usize) -> Option<IntervalSet> {
        let node = &self.query.prepared[index];
        if node.bounds.is_empty() || node.bounds != EVERYWHERE && !may_meet(&node.bounds, self.ray) {
            return Some(IntervalSet::default());
        }
        match &self.query.tree.nodes[index].node {
            CsgNode::Empty => Some(IntervalSet::default()),
            CsgNode::Everything => Some(self.everything.clone()),
            CsgNode::Leaf(leaf) => {
                let origin = node.map.pulled_back(self.ray.origin);
                let direction = node.map.pulled_back_direction(self.ray.direction);
                Some(leaf.ray_intervals(origin, direction, self.ray.max_t, index as u32))
            }
            _ => None,
        }
    }

    fn ends(&self, node: &CsgNode, first: &IntervalSet) -> bool {
        first.is_empty() && !matches!(node, CsgNode::Union)
    }

    fn combine(&self, node: &CsgNode, first: IntervalSet, second: IntervalSet) -> IntervalSet {
        match node {
            CsgNode::Union => first.union(&second),
            CsgNode::Difference => first.difference(&second),
            _ => first.intersection(&second),
        }
    }

    fn complement(&self, value: IntervalSet) -> IntervalSet {
        self.everything.difference(&value)
    }
}
