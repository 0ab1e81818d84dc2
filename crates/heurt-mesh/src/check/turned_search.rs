//! Search for self-intersections where boxes along the coordinate axes fail: fans and needles across the axes.
//!
//! In: a mesh. Out: pairs of triangles that meet elsewhere than in a vertex or an edge of both.
//! Method: a binary tree of oriented boxes is searched against itself. The triangles around a vertex of many triangles
//! are kept together and ordered by their directions from it. Two nodes of such a fan whose cones of directions are
//! disjoint have no more in common than the vertex: they are left out as a whole, where boxes always meet.
//! Guarantees: exact, as the test of a pair is; the same pairs in the same order for any number of threads.
//! Cost: O(n log n) for fans and needles that do not intersect, and the number of pairs found.

use super::oriented_box::OrientedBox;
use super::self_intersection::{Found, Tests, intersect_beyond_shared};
use crate::Topology;
use crate::measure::LocalFrame;
use heurt_geometry::{Aabb, Triangle, Vec3, robust_normalize};
use rayon::prelude::*;

/// Triangles of a leaf at most.
const LEAF: usize = 4;
/// Triangles around a vertex from which they are kept together. The boxes of fewer are few.
const FAN: u32 = 32;
/// Pairs of nodes from which the search is done by several threads.
const SEEDS: usize = 512;
/// Rounding error of an angle between directions.
const ANGLE_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Finds up to `limit` pairs; none if that takes more tests of pairs than allowed.
pub(super) fn search(topology: &Topology, limit: usize, tests: &Tests) -> Found {
    let tree = TurnedTree::new(topology);
    let mut pairs = Vec::new();
    for seeds in tree.seeds().chunks(SEEDS / 8) {
        let room = (limit - pairs.len()).saturating_add(1);
        let found: Vec<Vec<[u32; 2]>> = seeds.par_iter().map(|&seed| tree.pairs_from(seed, room, tests)).collect();
        pairs.extend(found.into_iter().flatten());
        if tests.are_too_many() {
            return Found { pairs: Vec::new(), complete: false, tests: tests.max.saturating_add(1) };
        }
        if pairs.len() > limit {
            break;
        }
    }
    let complete = pairs.len() <= limit;
    pairs.truncate(limit);
    pairs.sort_unstable();
    Found { pairs, complete, tests: tests.done() }
}

/// The tree over the triangles of a mesh.
struct TurnedTree<'a> {
    topology: &'a Topology<'a>,
    /// The triangles of a node are next to each other.
    order: Vec<u32>,
    /// The root first; the children of a node are behind it.
    nodes: Vec<TurnedNode>,
}

/// A run of triangles.
struct TurnedNode {
    bounds: OrientedBox,
    /// The directions of the triangles from the vertex that all of them have.
    cone: Option<FanCone>,
    first: usize,
    count: usize,
    children: Option<[usize; 2]>,
}

/// A cone of directions around a vertex.
#[derive(Debug, Clone, Copy)]
struct FanCone {
    vertex: u32,
    axis: Vec3,
    /// The greatest angle from the axis, in radians.
    angle: f64,
}

impl FanCone {
    /// Reports whether two cones of one vertex have no direction in common, rounding included.
    fn is_disjoint_from(&self, other: &Self) -> bool {
        self.vertex == other.vertex && angle_between(self.axis, other.axis) > self.angle + other.angle + ANGLE_ROUNDING
    }
}

/// Returns the angle between two unit vectors, also where it is small.
fn angle_between(a: Vec3, b: Vec3) -> f64 {
    2.0 * libm::asin((0.5 * (a - b).length()).min(1.0))
}

/// The input of the builder, by triangle.
struct Layout<'a> {
    topology: &'a Topology<'a>,
    /// In the frame of the mesh, with coordinates up to 1.
    corners: Vec<Triangle>,
    /// The vertex of many triangles to whose fan it belongs.
    fans: Vec<Option<u32>>,
}

impl<'a> Layout<'a> {
    fn new(topology: &'a Topology<'a>) -> Self {
        let mesh = topology.mesh();
        let frame = LocalFrame::of(mesh);
        let triangles = 0..mesh.triangles().len() as u32;
        let mut degrees = vec![0u32; mesh.vertices().len()];
        for triangle in triangles.clone() {
            topology.corners(triangle).iter().for_each(|&vertex| degrees[vertex as usize] += 1);
        }
        let widest = |triangle: u32| {
            let vertices = topology.corners(triangle).into_iter();
            vertices.max_by_key(|&vertex| (degrees[vertex as usize], vertex)).filter(|&v| degrees[v as usize] >= FAN)
        };
        Self {
            topology,
            corners: triangles.clone().map(|triangle| mesh.corners(triangle).map(|v| frame.local(v))).collect(),
            fans: triangles.map(widest).collect(),
        }
    }

    /// Returns the vertex of the fan to which all triangles of a run belong.
    fn fan_of(&self, run: &[u32]) -> Option<u32> {
        let fan = self.fans[*run.first()? as usize]?;
        run.iter().all(|&triangle| self.fans[triangle as usize] == Some(fan)).then_some(fan)
    }

    /// Returns the directions from a vertex to the two other corners of a triangle; zero for a corner at its place.
    fn directions(&self, vertex: u32, triangle: u32) -> [Vec3; 2] {
        let (ids, places) = (self.topology.corners(triangle), self.topology.mesh().corners(triangle));
        let at = ids.iter().position(|&id| id == vertex).unwrap_or(0);
        [1, 2].map(|k| robust_normalize(places[(at + k) % 3] - places[at]).unwrap_or(Vec3::ZERO))
    }

    fn cone_of(&self, run: &[u32]) -> Option<FanCone> {
        let vertex = self.fan_of(run)?;
        let directions = || run.iter().flat_map(|&triangle| self.directions(vertex, triangle));
        let axis = directions().sum::<Vec3>().try_normalize()?;
        let angle = directions().map(|direction| angle_between(axis, direction)).fold(0.0, f64::max);
        // A cap of more than a quarter turn does not contain the triangles between its directions.
        let is_sure = angle < std::f64::consts::FRAC_PI_2 && directions().all(|direction| direction != Vec3::ZERO);
        is_sure.then_some(FanCone { vertex, axis, angle })
    }

    /// Returns the point by which a triangle of a run is ordered: its direction from the vertex that the run has in
    /// common, else that vertex itself, which keeps its triangles together, or its centre.
    fn place(&self, fan: Option<u32>, triangle: u32) -> Vec3 {
        let corners = &self.corners[triangle as usize];
        match (fan, self.fans[triangle as usize]) {
            (Some(fan), _) => self.directions(fan, triangle).iter().sum::<Vec3>().normalize_or_zero(),
            (None, Some(vertex)) => {
                let ids = self.topology.corners(triangle);
                corners[ids.iter().position(|&id| id == vertex).unwrap_or(0)]
            }
            (None, None) => corners.iter().map(|corner| *corner / 3.0).sum(),
        }
    }
}

impl<'a> TurnedTree<'a> {
    fn new(topology: &'a Topology<'a>) -> Self {
        let layout = Layout::new(topology);
        let mut order: Vec<u32> = (0..layout.corners.len() as u32).collect();
        let mut nodes = Vec::new();
        let mut open = vec![(0, order.len(), None::<(usize, usize)>)];
        while let Some((first, count, parent)) = open.pop() {
            let run = &mut order[first..first + count];
            if let Some((parent, child)) = parent {
                let number = nodes.len();
                let node: &mut TurnedNode = &mut nodes[parent];
                node.children.get_or_insert([0; 2])[child] = number;
            }
            let half = if count > LEAF { split(&layout, run) } else { 0 };
            let bounds = OrientedBox::around(&layout.corners, run);
            let number = nodes.len();
            nodes.push(TurnedNode { bounds, cone: layout.cone_of(run), first, count, children: None });
            if half > 0 {
                open.push((first, half, Some((number, 0))));
                open.push((first + half, count - half, Some((number, 1))));
            }
        }
        Self { topology, order, nodes }
    }

    /// Returns pairs of nodes that cover all pairs of triangles which may meet: some hundreds, or all pairs of leaves.
    fn seeds(&self) -> Vec<[usize; 2]> {
        let mut seeds = vec![[0, 0]];
        while seeds.len() < SEEDS {
            let mut next = Vec::new();
            for &seed in &seeds {
                if !self.open(seed, &mut next) {
                    next.push(seed);
                }
            }
            if next == seeds {
                break;
            }
            seeds = next;
        }
        seeds
    }

    /// Appends the pairs of children of a pair of nodes that may meet. Returns false for a pair of leaves.
    fn open(&self, [a, b]: [usize; 2], out: &mut Vec<[usize; 2]>) -> bool {
        let (first, second) = (&self.nodes[a], &self.nodes[b]);
        let mut push = |a: usize, b: usize| {
            if self.may_meet(&self.nodes[a], &self.nodes[b]) {
                out.push([a, b]);
            }
        };
        match (first.children, second.children) {
            (Some([left, right]), _) if a == b => {
                out.extend([[left, left], [right, right]]);
                if self.may_meet(&self.nodes[left], &self.nodes[right]) {
                    out.push([left, right]);
                }
            }
            (Some(children), other) if other.is_none() || first.count >= second.count => {
                children.into_iter().for_each(|child| push(child, b));
            }
            (_, Some(children)) => children.into_iter().for_each(|child| push(a, child)),
            (_, None) => return false,
        }
        true
    }

    fn may_meet(&self, a: &TurnedNode, b: &TurnedNode) -> bool {
        let cones = a.cone.as_ref().zip(b.cone.as_ref());
        !cones.is_some_and(|(a, b)| a.is_disjoint_from(b)) && !a.bounds.is_disjoint_from(&b.bounds)
    }

    /// Finds the pairs of triangles of a pair of nodes, up to slightly more than `room`.
    fn pairs_from(&self, seed: [usize; 2], room: usize, tests: &Tests) -> Vec<[u32; 2]> {
        let (mut pairs, mut stack) = (Vec::new(), vec![seed]);
        while let Some(pair) = stack.pop() {
            if self.open(pair, &mut stack) {
                continue;
            }
            self.meet_leaves(pair, &mut pairs, tests);
            if pairs.len() >= room || tests.are_too_many() {
                break;
            }
        }
        pairs
    }

    fn meet_leaves(&self, [a, b]: [usize; 2], pairs: &mut Vec<[u32; 2]>, tests: &Tests) {
        let run = |node: &TurnedNode| &self.order[node.first..node.first + node.count];
        let mesh = self.topology.mesh();
        let mut count = 0;
        for (k, &first) in run(&self.nodes[a]).iter().enumerate() {
            let corners = mesh.corners(first);
            let bounds = Aabb::from_points(corners);
            let seconds = run(&self.nodes[b]);
            for &second in if a == b { &seconds[k + 1..] } else { seconds } {
                let others = mesh.corners(second);
                if bounds.overlaps(&Aabb::from_points(others)) {
                    count += 1;
                    if intersect_beyond_shared(self.topology, (first, &corners), (second, &others)) {
                        pairs.push([first.min(second), first.max(second)]);
                    }
                }
            }
        }
        tests.add(count);
    }
}

/// Orders a run so that both parts are near each other in themselves, and returns the length of the first part.
fn split(layout: &Layout, run: &mut [u32]) -> usize {
    let fan = layout.fan_of(run);
    let mut places: Vec<(Vec3, u32)> = run.iter().map(|&triangle| (layout.place(fan, triangle), triangle)).collect();
    let size = Aabb::from_points(places.iter().map(|place| place.0)).half_extents();
    let axis = (1..3).fold(0, |axis, other| if size[other] > size[axis] { other } else { axis });
    let half = run.len() / 2;
    places.select_nth_unstable_by(half, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
    run.iter_mut().zip(places).for_each(|(triangle, place)| *triangle = place.1);
    half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TriMesh, generate};
    use heurt_geometry::Quat;

    fn turned(mesh: &TriMesh) -> TriMesh {
        let turn = Quat::from_xyzw(0.5, 0.1, -0.3, 0.8).normalize();
        let vertices = mesh.vertices().iter().map(|vertex| turn * *vertex).collect();
        TriMesh::new(vertices, mesh.triangles().to_vec()).expect("finite vertices")
    }

    fn found(mesh: &TriMesh, limit: usize) -> Found {
        search(&Topology::new(mesh), limit, &Tests::new(u64::MAX))
    }

    /// All pairs, one by one.
    fn expected(mesh: &TriMesh) -> Vec<[u32; 2]> {
        let topology = Topology::new(mesh);
        let count = mesh.triangles().len() as u32;
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b]));
        let meet = |pair: &[u32; 2]| {
            let [a, b] = pair.map(|triangle| mesh.corners(triangle));
            intersect_beyond_shared(&topology, (pair[0], &a), (pair[1], &b))
        };
        pairs.filter(meet).collect()
    }

    /// A fan around the first vertex, of triangles to points on a ring that rises and falls, and goes around `turns`
    /// times.
    fn fan(points: u32, turns: f64, rise: f64) -> TriMesh {
        let ring = (0..points).map(|k| {
            let angle = std::f64::consts::TAU * turns * f64::from(k) / f64::from(points);
            Vec3::new(angle.cos(), angle.sin(), rise * (7.0 * angle).sin())
        });
        let vertices = std::iter::once(Vec3::ZERO).chain(ring).collect();
        let triangles = (1..points).map(|k| [0, k, k + 1]).collect();
        TriMesh::new(vertices, triangles).expect("a fan")
    }

    #[test]
    fn pairs_are_those_of_all_tests() {
        let crossed = TriMesh::merged([
            &generate::cylinder(0.3, 1.0, 90).expect("a rod"),
            &turned(&generate::cylinder(0.2, 1.2, 70).expect("a rod")),
        ])
        .expect("two rods");
        let meshes = [
            fan(200, 0.99, 0.0),
            fan(150, 1.7, 0.0),
            fan(150, 1.3, 0.4),
            turned(&fan(150, 2.0, 0.2)),
            turned(&generate::cylinder(0.01, 1.0, 150).expect("a rod")),
            turned(&crossed),
            TriMesh::merged([&fan(60, 0.9, 0.0), &fan(60, 0.9, 0.0)]).expect("a fan twice"),
        ];
        for (number, mesh) in meshes.iter().enumerate() {
            let found = found(mesh, usize::MAX);
            assert!(found.complete);
            assert_eq!(found.pairs, expected(mesh), "mesh {number}");
        }
    }

    #[test]
    fn fans_and_needles_take_few_tests_for_each_triangle() {
        let cap = turned(&fan(30_000, 0.999, 0.0));
        let rod = turned(&generate::cylinder(0.001, 1.0, 10_000).expect("a rod"));
        for mesh in [cap, rod] {
            let found = found(&mesh, 10);
            assert!(found.complete && found.pairs.is_empty());
            let each = found.tests as f64 / mesh.triangles().len() as f64;
            assert!(each < 20.0, "{each} tests for each triangle");
        }
    }

    #[test]
    fn limits_end_the_search() {
        let mesh = fan(400, 3.0, 0.0);
        let few = found(&mesh, 100);
        assert!(!few.complete && few.pairs.len() == 100 && few.pairs.is_sorted());
        let none = search(&Topology::new(&mesh), 100, &Tests::new(50));
        assert!(!none.complete && none.pairs.is_empty() && none.tests == 51);
    }
}
