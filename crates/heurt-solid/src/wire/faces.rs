//! Possible faces of a wireframe: cells of the planar graphs of its edges.
//!
//! In: a wireframe. Out: simple cycles of edges in planes.
//! Method: each pair of edges with a common vertex spans a plane. In a plane, half-edges are joined at each vertex by
//! angle, so that cells lie on their left. A cell is a possible face if its boundary is one simple cycle and no vertex
//! or edge reaches its interior: every edge is an edge of the solid, and would cross or touch the face.
//! Cost: O(planes · V) for planes, O(faces · (V + E) · corners) for the test of interiors.

use super::Wireframe;
use heurt_geometry::{Vec2, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// A possible face.
pub(super) struct PossibleFace {
    /// Its vertices, in order.
    pub(super) cycle: Vec<u32>,
    /// Its plane.
    plane: Plane,
}

#[derive(Clone, Copy)]
struct Plane {
    origin: Vec3,
    normal: Vec3,
    axes: [Vec3; 2],
}

impl Plane {
    fn new(origin: Vec3, normal: Vec3) -> Self {
        let first = normal.any_orthonormal_vector();
        Self { origin, normal, axes: [first, normal.cross(first)] }
    }

    fn height(&self, point: Vec3) -> f64 {
        self.normal.dot(point - self.origin)
    }

    fn project(&self, point: Vec3) -> Vec2 {
        let offset = point - self.origin;
        Vec2::new(self.axes[0].dot(offset), self.axes[1].dot(offset))
    }
}

impl PossibleFace {
    /// Reports whether a point of the plane lies inside, farther than the tolerance from the edges.
    pub(super) fn contains(&self, wireframe: &Wireframe, point: Vec3) -> bool {
        let at = self.plane.project(point);
        let corners: Vec<Vec2> = self.cycle.iter().map(|&vertex| self.plane.project(wireframe.at(vertex))).collect();
        let mut inside = false;
        for (index, &b) in corners.iter().enumerate() {
            let a = corners[(index + corners.len() - 1) % corners.len()];
            let side = b - a;
            let t = ((at - a).dot(side) / side.length_squared()).clamp(0.0, 1.0);
            if (a + side * t - at).length() <= wireframe.tolerance {
                return false;
            }
            if (a.y > at.y) != (b.y > at.y) && at.x < a.x + side.x * ((at.y - a.y) / side.y) {
                inside = !inside;
            }
        }
        inside
    }

    /// Reports whether a point lies in the plane.
    pub(super) fn plane_has(&self, wireframe: &Wireframe, point: Vec3) -> bool {
        self.plane.height(point).abs() <= wireframe.tolerance
    }

    /// Reports whether a vertex or an edge reaches the interior.
    fn is_entered(&self, wireframe: &Wireframe) -> bool {
        let on_cycle = |vertex: u32| self.cycle.contains(&vertex);
        wireframe.edges.iter().any(|&[a, b]| {
            let ends = [a, b].map(|vertex| wireframe.at(vertex));
            let heights = ends.map(|point| self.plane.height(point));
            let [lies_a, lies_b] = heights.map(|height| height.abs() <= wireframe.tolerance);
            let enters = |vertex: u32, point: Vec3| !on_cycle(vertex) && self.contains(wireframe, point);
            match (lies_a, lies_b) {
                (true, true) => {
                    enters(a, ends[0]) || enters(b, ends[1]) || self.contains(wireframe, (ends[0] + ends[1]) * 0.5)
                }
                (true, false) => enters(a, ends[0]),
                (false, true) => enters(b, ends[1]),
                (false, false) => {
                    let crosses = (heights[0] > 0.0) != (heights[1] > 0.0);
                    let t = heights[0] / (heights[0] - heights[1]);
                    crosses && self.contains(wireframe, ends[0] + (ends[1] - ends[0]) * t)
                }
            }
        })
    }
}

impl Wireframe {
    /// Finds all possible faces, by plane.
    pub(super) fn possible_faces(&self) -> Vec<PossibleFace> {
        let mut planes: BTreeMap<Vec<u32>, Plane> = BTreeMap::new();
        let used: BTreeSet<u32> = self.edges.iter().flatten().copied().collect();
        for plane in self.corner_planes() {
            let lies = |vertex: &u32| plane.height(self.at(*vertex)).abs() <= self.tolerance;
            let members: Vec<u32> = used.iter().copied().filter(lies).collect();
            planes.entry(members).or_insert(plane);
        }
        let cells = |(members, plane): (&Vec<u32>, &Plane)| -> Vec<PossibleFace> {
            let cycles = self.cells(members, plane);
            cycles.into_iter().map(|cycle| PossibleFace { cycle, plane: *plane }).collect()
        };
        // A cycle that lies in two planes, up to the tolerance, is one face.
        let mut known: BTreeSet<Vec<u32>> = BTreeSet::new();
        let mut is_new = |face: &PossibleFace| {
            let mut corners = face.cycle.clone();
            corners.sort_unstable();
            known.insert(corners)
        };
        let all = planes.iter().flat_map(cells);
        all.filter(|face| is_new(face) && !face.is_entered(self)).collect()
    }

    /// Lists the planes of pairs of edges with a common vertex.
    fn corner_planes(&self) -> Vec<Plane> {
        let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); self.vertices.len()];
        for &[a, b] in &self.edges {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        let mut planes = Vec::new();
        for (vertex, neighbours) in neighbours.iter().enumerate() {
            let origin = self.vertices[vertex];
            let direction = |&end: &u32| (self.at(end) - origin).normalize_or_zero();
            for (index, a) in neighbours.iter().enumerate() {
                for b in &neighbours[..index] {
                    let normal = direction(a).cross(direction(b));
                    if normal.length() > super::TOLERANCE {
                        planes.push(Plane::new(origin, normal.normalize_or_zero()));
                    }
                }
            }
        }
        planes
    }

    /// Traces the cells of the edges in a plane that are simple cycles with their interior on the left.
    fn cells(&self, members: &[u32], plane: &Plane) -> Vec<Vec<u32>> {
        let lies = |vertex: &u32| members.binary_search(vertex).is_ok();
        let mut around: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &[a, b] in self.edges.iter().filter(|ends| ends.iter().all(lies)) {
            around.entry(a).or_default().push(b);
            around.entry(b).or_default().push(a);
        }
        let position = |vertex: u32| plane.project(self.at(vertex));
        for (&vertex, ends) in &mut around {
            let angle = |end: u32| {
                let offset = position(end) - position(vertex);
                libm::atan2(offset.y, offset.x)
            };
            ends.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
        }
        // After the half-edge a → b follows b → c, the edge before b → a by angle.
        let next = |a: u32, b: u32| {
            let ends = &around[&b];
            let index = ends.iter().position(|&end| end == a).unwrap_or(0);
            (b, ends[(index + ends.len() - 1) % ends.len()])
        };
        let mut seen: BTreeSet<(u32, u32)> = BTreeSet::new();
        let mut cells = Vec::new();
        for start in around.iter().flat_map(|(&a, ends)| ends.iter().map(move |&b| (a, b))) {
            let mut cycle = Vec::new();
            let mut half_edge = start;
            while seen.insert(half_edge) {
                cycle.push(half_edge.0);
                half_edge = next(half_edge.0, half_edge.1);
            }
            let is_simple = cycle.iter().collect::<BTreeSet<_>>().len() == cycle.len();
            if cycle.len() >= 3 && is_simple && doubled_area(&cycle, position) > 0.0 {
                cells.push(cycle);
            }
        }
        cells
    }
}

fn doubled_area(cycle: &[u32], position: impl Fn(u32) -> Vec2) -> f64 {
    let origin = position(cycle[0]);
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().zip(next).map(|(&a, &b)| (position(a) - origin).perp_dot(position(b) - origin)).sum()
}
