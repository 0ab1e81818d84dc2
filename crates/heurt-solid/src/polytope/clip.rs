//! Intersection of a polytope with a half-space, by the double description method.
//!
//! In: a polytope and an oriented plane. Out: the polytope on the inner side, `None` if it is empty.
//! Method: vertices are classified by exact signs. Vertices inside and on the plane stay. Each edge from a vertex
//! inside to a vertex outside gives a new vertex, the common point of the plane and of two planes that meet along the
//! edge. The new vertex lies on the planes that both ends share and on the clipping plane, and on no other: a plane
//! that contains an inner point of an edge and excludes neither end contains the edge.
//! Guarantees: exact in every dimension. A plane that cuts nothing off is not stored.

use super::{ExactPlane, Polytope, PolytopeCorner, PolytopeVertex};
use heurt_geometry::Sign;
use std::sync::Arc;

/// Returns the common elements of two ascending lists.
pub(super) fn shared_planes(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut i, mut j, mut shared) = (0, 0, Vec::new());
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                shared.push(*x);
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    shared
}

impl Polytope {
    /// Computes the intersection with the half-space of `plane`; `None` if it is empty. The result may be flat.
    #[must_use]
    pub fn clipped(&self, plane: &Arc<ExactPlane>) -> Option<Self> {
        let sides: Vec<Sign> = self.corners.iter().map(|corner| plane.side(&corner.vertex)).collect();
        if !sides.contains(&Sign::Positive) {
            return Some(self.clone());
        }
        if sides.iter().all(|&side| side == Sign::Positive) {
            return None;
        }
        let number = self.planes.len() as u32;
        let mut planes = self.planes.clone();
        planes.push(Arc::clone(plane));
        let mut corners = Vec::with_capacity(self.corners.len());
        for (corner, &side) in self.corners.iter().zip(&sides) {
            if side != Sign::Positive {
                let mut kept = corner.clone();
                if side == Sign::Zero {
                    kept.tight.push(number);
                }
                corners.push(kept);
            }
        }
        for inside in (0..sides.len()).filter(|&index| sides[index] == Sign::Negative) {
            for outside in (0..sides.len()).filter(|&index| sides[index] == Sign::Positive) {
                if let Some(mut shared) = self.edge(inside, outside)
                    && let Some(vertex) = self.vertex_on_edge(&shared, plane)
                {
                    shared.push(number);
                    corners.push(PolytopeCorner { vertex: Arc::new(vertex), tight: shared });
                }
            }
        }
        Some(Self { planes, corners }.compacted())
    }

    /// Returns the planes that two adjacent vertices share; `None` if the vertices are not adjacent.
    pub(super) fn edge(&self, a: usize, b: usize) -> Option<Vec<u32>> {
        let shared = shared_planes(&self.corners[a].tight, &self.corners[b].tight);
        let (&first, others) = shared.split_first()?;
        let plane = |index: u32| &self.planes[index as usize];
        others.iter().any(|&other| !plane(first).is_parallel(plane(other))).then_some(shared)
    }

    /// Computes the common point of a plane and of the line in which planes meet.
    fn vertex_on_edge(&self, shared: &[u32], plane: &ExactPlane) -> Option<PolytopeVertex> {
        let first = &self.planes[shared[0] as usize];
        let others = shared[1..].iter().map(|&index| &self.planes[index as usize]);
        let second = others.into_iter().find(|other| !first.is_parallel(other))?;
        PolytopeVertex::of_planes([first, second, plane])
    }

    /// Removes planes that contain no vertex, and renumbers the rest.
    fn compacted(mut self) -> Self {
        let mut numbers = vec![u32::MAX; self.planes.len()];
        for corner in &self.corners {
            for &index in &corner.tight {
                numbers[index as usize] = 0;
            }
        }
        for (next, number) in numbers.iter_mut().filter(|number| **number == 0).enumerate() {
            *number = next as u32;
        }
        let mut index = 0;
        self.planes.retain(|_| {
            index += 1;
            numbers[index - 1] != u32::MAX
        });
        for corner in &mut self.corners {
            for index in &mut corner.tight {
                *index = numbers[*index as usize];
            }
        }
        self
    }
}
