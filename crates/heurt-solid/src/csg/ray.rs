//! Ray classification against a tree by sets of intervals (Roth 1982), and the first hit with its normal.
//!
//! In: a prepared tree and a ray. Out: the intervals of the ray inside, and the first point with its unit normal.
//! Method: a ray is pulled back into the frame of each leaf, where its parameter stays the same. Operations of nodes
//! are operations on the sets. Each end of an interval carries its leaf, whose normal at the hit is mapped forward and
//! turned against the ray. Nodes whose boxes the ray misses have the empty set.
//! Coincident faces: an end carries a bound of its rounding: the error of the hit in the leaf, the rounding of the
//! composed map, and [`GIVEN_ROUNDING`] of the coordinates, each over the cosine of the angle of incidence. Ends that
//! agree within the sum of their bounds are one end, which has the parameter and the normal of the leaf that comes
//! first in the tree.
//! Guarantees: regularised; parameters carry the rounding of the leaves. Slivers between coincident faces are dropped.
//! Cost: O(n) leaves at most, and the number of intervals.

use super::leaf::{EVERYWHERE, LeafEnd, error_along};
use super::traversal::{TreeRules, evaluate};
use super::{CsgLeaf, CsgNode, CsgQuery};
use crate::interval_set::{IntervalEnd, IntervalSet};
use heurt_geometry::{Aabb, Vec3, robust_normalize};
use heurt_query::Ray;
use smallvec::SmallVec;

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
        self.classified(ray).0
    }

    /// Finds the first point of the solid on the ray.
    pub fn first_hit(&self, ray: &Ray) -> Option<CsgHit> {
        let (inside, normals) = self.classified(ray);
        let first = inside.ends().first()?;
        let against = -robust_normalize(ray.direction).unwrap_or(Vec3::ZERO);
        let point = ray.origin + ray.direction * first.t;
        let Some(node) = self.prepared.get(first.leaf as usize).filter(|_| first.t > 0.0) else {
            return Some(CsgHit { t: first.t, point, normal: against, leaf: None });
        };
        let found = normals.iter().find(|found| found.leaf == first.leaf && found.t == first.t);
        let normal =
            found.and_then(|found| robust_normalize(node.map.image_of_normal(found.normal))).unwrap_or(against);
        let normal = if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        Some(CsgHit { t: first.t, point, normal, leaf: Some(first.leaf) })
    }

    /// Returns the intervals inside, and the normals of the leaves at all of their ends.
    fn classified(&self, ray: &Ray) -> (IntervalSet, SmallVec<[EndNormal; 8]>) {
        let everything = IntervalSet::from_intervals(&[[0.0, ray.max_t]], u32::MAX);
        let mut rules = RayRules { query: self, ray, everything, normals: SmallVec::new() };
        let inside = evaluate(&self.tree.nodes, &mut rules).unwrap_or_default();
        (inside, rules.normals)
    }
}

/// The normal of a leaf at an end of an interval, in the frame of the leaf.
struct EndNormal {
    leaf: u32,
    t: f64,
    normal: Vec3,
}

struct RayRules<'a> {
    query: &'a CsgQuery,
    ray: &'a Ray,
    everything: IntervalSet,
    normals: SmallVec<[EndNormal; 8]>,
}

/// Rounding of the numbers of a leaf and of its map as they are given, in ε of the coordinates of a point: a size, a
/// translation and a factor, each to half an ulp, and their sum. Faces that coincide in decimals agree within it.
const GIVEN_ROUNDING: f64 = 4.0 * f64::EPSILON;

impl RayRules<'_> {
    /// Computes the intervals of the ray inside a leaf.
    fn leaf_set(&mut self, leaf: &CsgLeaf, index: usize) -> IntervalSet {
        let (map, ray) = (&self.query.prepared[index].map, self.ray);
        let (origin, direction) = (map.pulled_back(ray.origin), map.pulled_back_direction(ray.direction));
        let number = index as u32;
        let ends = leaf.ray_ends(origin, direction, ray.max_t);
        let mut end = |LeafEnd { t, mut error, normal }: LeafEnd| {
            if let Some(normal) = normal {
                let rounding = map.rounding_of_pulled_back(ray.origin.abs() + ray.direction.abs() * t)
                    + (origin + direction * t).abs() * GIVEN_ROUNDING;
                error += error_along(direction, normal, normal.abs().dot(rounding));
                self.normals.push(EndNormal { leaf: number, t, normal });
            }
            IntervalEnd { t, leaf: number, error }
        };
        IntervalSet::from_ends(ends.into_iter().map(|interval| interval.map(&mut end)))
    }
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
            CsgNode::Leaf(leaf) => Some(self.leaf_set(leaf, index)),
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
