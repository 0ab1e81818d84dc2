//! Closed shells of a mesh: the finest sets of triangles, connected by edges, whose half-edges cancel on every edge.
//!
//! In: a [`Topology`]. Out: the closed shells with box and signed volume, and the winding numbers of shells around
//! shells.
//! Method: union-find over triangles. Two triangles at an edge belong to one shell. If more triangles meet, only the
//! sets whose half-edges do not cancel among themselves are united, so two boxes that share an edge stay two shells.
//! Shells that leave an edge unbalanced are open and left out. Winding numbers are sums of solid angles (van Oosterom
//! and Strackee, "The solid angle of a plane triangle", 1983); a tree over the boxes of the shells proposes the
//! containers.
//! Guarantees: the same result for any number of threads; volumes come with a bound on their rounding error. A shell
//! that crosses another does not count as contained: containment requires that a few points of it, far from each other,
//! agree.
//! Not guaranteed: a shell that crosses another between those points is classified as inside or outside, as the points
//! are. A winding number at a point on a container is ambiguous: such points do not count unless all are.
//! Cost: O(n log n), and O(triangles of the shell and of its containers) for each shell that is located, up to a budget
//! of the caller.

use std::f64::consts::PI;
use std::ops::{ControlFlow, Range};

use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Bvh, Leaf, PointQuery, PrimitiveSource, Visitor, walk};
use heurt_geometry::{Aabb, Triangle, Vec3};
use rayon::prelude::*;

use crate::measure::{LocalFrame, Sums};
use crate::topology::{DisjointSets, EdgeUse};
use crate::{Topology, TriMesh};

/// A closed shell.
#[derive(Debug, Clone)]
pub(crate) struct Shell {
    /// Range of its triangles in [`ClosedShells::order`].
    pub(crate) triangles: Range<usize>,
    pub(crate) bounds: Aabb,
    /// Signed volume in units of the frame of the mesh, and a bound on its error.
    pub(crate) volume: f64,
    pub(crate) error: f64,
}

impl Shell {
    /// Tests whether the faces point inward: the volume is negative beyond its rounding error.
    pub(crate) fn is_inward(&self) -> bool {
        self.volume < -self.error
    }

    /// Tests whether the faces point outward: the volume is positive beyond its rounding error.
    pub(crate) fn is_outward(&self) -> bool {
        self.volume > self.error
    }
}

/// The closed shells of a mesh, in the order of their first triangles.
pub(crate) struct ClosedShells<'m> {
    pub(crate) mesh: &'m TriMesh,
    pub(crate) frame: LocalFrame,
    /// Triangles of closed shells, grouped by shell, ascending within a shell.
    pub(crate) order: Vec<u32>,
    pub(crate) shells: Vec<Shell>,
    /// The boxes of the open shells.
    open_bounds: Vec<Aabb>,
}

impl<'m> ClosedShells<'m> {
    /// Finds the closed shells.
    pub(crate) fn new(topology: &Topology<'m>) -> Self {
        Self::reversed(topology, &[])
    }

    /// Finds the closed shells of the mesh with some triangles reversed; an empty slice reverses none.
    pub(crate) fn reversed(topology: &Topology<'m>, reversed: &[bool]) -> Self {
        let mut sets = DisjointSets::new(topology.mesh().triangles().len());
        let open = unite_shells(topology, reversed, &mut sets);
        Self::of_sets(topology.mesh(), reversed, &mut sets, &open)
    }

    /// Measures sets of triangles as shells; those with an `open` triangle are open.
    pub(crate) fn of_sets(mesh: &'m TriMesh, reversed: &[bool], sets: &mut DisjointSets, open: &[bool]) -> Self {
        let frame = LocalFrame::of(mesh);
        if sets.count() == 1 && !open.contains(&true) {
            // The usual case: one shell of all triangles.
            let order: Vec<u32> = (0..open.len() as u32).collect();
            let shells = vec![measured(mesh, reversed, &frame, &order, 0..order.len())];
            return Self { mesh, frame, order, shells, open_bounds: Vec::new() };
        }
        let roots: Vec<u32> = (0..open.len() as u32).map(|triangle| sets.find(triangle)).collect();
        let is_open = spread(open, &roots);
        let (order, ranges) = grouped(&roots, &is_open);
        let open_bounds = bounds_of_open(mesh, &roots, &is_open);
        let shells = ranges.into_par_iter().map(|range| measured(mesh, reversed, &frame, &order, range)).collect();
        Self { mesh, frame, order, shells, open_bounds }
    }

    /// Tests whether there are open shells.
    pub(crate) fn has_open(&self) -> bool {
        !self.open_bounds.is_empty()
    }

    /// Returns the triangles of a shell, ascending.
    pub(crate) fn triangles(&self, shell: &Shell) -> &[u32] {
        &self.order[shell.triangles.clone()]
    }
}

/// Unites the triangles of each shell; returns, by triangle, the roots of sets that an edge leaves unbalanced. Roots
/// may have been united since, so a set is open if any of its members is marked.
fn unite_shells(topology: &Topology, reversed: &[bool], sets: &mut DisjointSets) -> Vec<bool> {
    let mut open = vec![false; topology.mesh().triangles().len()];
    // A collapsed triangle has no edges: it would be a shell of its own.
    topology.collapsed().iter().for_each(|&triangle| open[triangle as usize] = true);
    let is_forward = |used: EdgeUse| used.is_forward() != is_reversed(reversed, used.half_edge() / 3);
    let mut crowded: Vec<&[EdgeUse]> = Vec::new();
    for uses in topology.edge_uses() {
        match *uses {
            [a, b] => {
                sets.unite(a.half_edge() / 3, b.half_edge() / 3);
                if is_forward(a) == is_forward(b) {
                    open[a.half_edge() as usize / 3] = true;
                }
            }
            [a] => open[a.half_edge() as usize / 3] = true,
            _ => crowded.push(uses),
        }
    }
    for uses in crowded {
        let sign = |used: &EdgeUse| if is_forward(*used) { 1 } else { -1 };
        let mut uses: Vec<(u32, i64)> = uses.iter().map(|used| (sets.find(used.half_edge() / 3), sign(used))).collect();
        uses.sort_unstable();
        let total: i64 = uses.iter().map(|&(_, sign)| sign).sum();
        let sums =
            uses.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, run.iter().map(|(_, sign)| sign).sum::<i64>()));
        let unbalanced: Vec<u32> = sums.filter(|&(_, sum)| sum != 0).map(|(root, _)| root).collect();
        unbalanced.iter().skip(1).for_each(|&other| sets.unite(unbalanced[0], other));
        if total != 0 {
            open[unbalanced[0] as usize] = true;
        }
    }
    open
}

/// Computes by root whether any member of its set is marked.
fn spread(open: &[bool], roots: &[u32]) -> Vec<bool> {
    let mut is_open = vec![false; open.len()];
    let marked = roots.iter().zip(open).filter(|&(_, &open)| open);
    marked.for_each(|(&root, _)| is_open[root as usize] = true);
    is_open
}

/// Computes the boxes of the open sets, in the order of their roots.
fn bounds_of_open(mesh: &TriMesh, roots: &[u32], is_open: &[bool]) -> Vec<Aabb> {
    if !is_open.contains(&true) {
        return Vec::new();
    }
    let mut bounds = vec![Aabb::EMPTY; roots.len()];
    for (triangle, &root) in (0..).zip(roots).filter(|&(_, &root)| is_open[root as usize]) {
        let bounds = &mut bounds[root as usize];
        mesh.corners(triangle).iter().for_each(|&corner| *bounds = bounds.grown_to(corner));
    }
    bounds.retain(|bounds| !bounds.is_empty());
    bounds
}

/// Groups the triangles of closed sets by set: a stable counting sort. Returns the order and the ranges of the groups.
fn grouped(roots: &[u32], is_open: &[bool]) -> (Vec<u32>, Vec<Range<usize>>) {
    const NONE: u32 = u32::MAX;
    let mut number = vec![NONE; roots.len()];
    let mut starts: Vec<usize> = Vec::new();
    for &root in roots.iter().filter(|&&root| !is_open[root as usize]) {
        let number = &mut number[root as usize];
        if *number == NONE {
            *number = starts.len() as u32;
            starts.push(0);
        }
        starts[*number as usize] += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        (*start, sum) = (sum, sum + *start);
    }
    let mut order = vec![0; sum];
    let mut next = starts.clone();
    for (triangle, &root) in roots.iter().enumerate().filter(|&(_, &root)| !is_open[root as usize]) {
        let slot = &mut next[number[root as usize] as usize];
        order[*slot] = triangle as u32;
        *slot += 1;
    }
    let ranges = starts.into_iter().zip(next).map(|(start, end)| start..end).collect();
    (order, ranges)
}

fn is_reversed(reversed: &[bool], triangle: u32) -> bool {
    reversed.get(triangle as usize).copied().unwrap_or(false)
}

/// Computes box and signed volume of the shell of a range of `order`.
fn measured(mesh: &TriMesh, reversed: &[bool], frame: &LocalFrame, order: &[u32], triangles: Range<usize>) -> Shell {
    let group = &order[triangles.clone()];
    // The origin is a corner of the shell: far from the centre of the mesh, small shells would lose digits.
    let origin = frame.local(mesh.corners(group[0])[0]);
    let partial: Vec<(Sums, Aabb)> = group
        .par_chunks(Sums::CHUNK)
        .map(|chunk| {
            let (mut sums, mut bounds) = (Sums::default(), Aabb::EMPTY);
            for &triangle in chunk {
                let corners = mesh.corners(triangle);
                corners.iter().for_each(|&corner| bounds = bounds.grown_to(corner));
                let [a, b, c] = corners.map(|point| frame.local(point) - origin);
                sums.add(if is_reversed(reversed, triangle) { [a, c, b] } else { [a, b, c] });
            }
            (sums, bounds)
        })
        .collect();
    let (sums, bounds) = partial
        .iter()
        .fold((Sums::default(), Aabb::EMPTY), |(sums, bounds), (part, other)| (sums.plus(part), bounds.union(*other)));
    Shell { triangles, bounds, volume: sums.volume(), error: sums.volume_error() }
}

/// The winding numbers of closed shells around each other.
pub(crate) struct Containment<'a, 'm> {
    closed: &'a ClosedShells<'m>,
    tree: Option<Bvh<Aabb32, 8>>,
    /// Solid angles that may still be summed.
    budget: usize,
    /// Whether the budget was too small: some winding numbers come from boxes.
    pub(crate) is_exhausted: bool,
}

/// A shell whose box contains another shell, and its winding number around that shell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Container {
    pub(crate) shell: u32,
    pub(crate) winding: f64,
}

impl<'a, 'm> Containment<'a, 'm> {
    /// Builds the tree over the boxes; at most `budget` solid angles are summed later.
    pub(crate) fn new(closed: &'a ClosedShells<'m>, budget: usize) -> Self {
        let bounds = closed.shells.iter().map(|shell| &shell.bounds).chain(&closed.open_bounds);
        let boxes = Boxes(bounds.flat_map(|bounds| [bounds.min, bounds.max]).collect());
        Self { closed, tree: Bvh::new(&boxes).ok(), budget, is_exhausted: false }
    }

    /// Finds the shells whose boxes contain the box of shell `index`, ascending, with their winding numbers around it:
    /// 0 for shells that it crosses.
    ///
    /// Beyond the budget, a shell counts as winding once around all shells in its box, in the direction of its volume.
    pub(crate) fn containers(&mut self, index: u32) -> Vec<Container> {
        let shell = &self.closed.shells[index as usize];
        let mut outer = self.around(index);
        outer.retain(|&other| (other as usize) < self.closed.shells.len());
        if outer.is_empty() {
            return Vec::new();
        }
        let points = probes(self.closed, shell);
        outer.into_iter().map(|shell| Container { shell, winding: self.winding(shell, &points) }).collect()
    }

    /// Computes the rounded winding number of shell `index` at points of another shell; 0 if it is not the same at all
    /// of them. Points close to its surface have no winding number; if all are, the point with the clearest value
    /// decides.
    fn winding(&mut self, index: u32, points: &[Vec3]) -> f64 {
        let shell = &self.closed.shells[index as usize];
        let triangles = self.closed.triangles(shell);
        let mut best: Option<(f64, f64)> = None;
        for &point in points {
            let Some(left) = self.budget.checked_sub(triangles.len()) else { break };
            self.budget = left;
            let winding = winding_of(triangles, |&triangle| self.closed.mesh.corners(triangle), point);
            let (doubt, winding) = ((winding - winding.round()).abs(), winding.round());
            match best {
                Some((least, other)) if least < CLEAR && doubt < CLEAR && winding != other => return 0.0,
                Some((least, _)) if least <= doubt => {}
                _ => best = Some((doubt, winding)),
            }
        }
        best.map_or_else(
            || {
                self.is_exhausted = true;
                shell.volume.signum()
            },
            |(_, winding)| winding,
        )
    }

    /// Tests whether the box of an open shell contains the box of shell `index`: the inside of an open shell is
    /// unknown.
    pub(crate) fn is_in_open_box(&self, index: u32) -> bool {
        !self.closed.open_bounds.is_empty()
            && self.around(index).last().is_some_and(|&other| other as usize >= self.closed.shells.len())
    }

    /// Finds all shells except `index` whose boxes contain the box of shell `index`, ascending, the open ones last; of
    /// two shells with equal boxes only the earlier contains the later.
    fn around(&self, index: u32) -> Vec<u32> {
        let Some(tree) = &self.tree else { return Vec::new() };
        let inner = self.closed.shells[index as usize].bounds;
        let point = tree.frame().to_local(inner.min).to_array();
        let mut gathered = Gathered { tree, shells: Vec::new() };
        walk(tree, &PointQuery::new(point, 0.0), &mut gathered);
        gathered.shells.retain(|&other| {
            let closed = self.closed.shells.len();
            let bounds = match self.closed.shells.get(other as usize) {
                Some(shell) => shell.bounds,
                None => return holds(&self.closed.open_bounds[other as usize - closed], &inner),
            };
            holds(&bounds, &inner) && (bounds != inner || other < index)
        });
        gathered.shells.sort_unstable();
        gathered.shells
    }
}

/// Tests whether a box contains another.
fn holds(outer: &Aabb, inner: &Aabb) -> bool {
    outer.contains(inner.min) && outer.contains(inner.max)
}

/// Tolerance within which a winding number is rounded to an integer: solid angles err by approximately 1e-10 unless the
/// distance of the point from the surface is as small as rounding errors.
const CLEAR: f64 = 1e-3;

/// Points of a shell at which the winding numbers of others around it are computed.
pub(crate) const PROBES: usize = 4;

/// Chooses a few points of a shell, far from each other: the centre of its first triangle, then repeatedly the centre
/// most distant from the chosen ones.
fn probes(closed: &ClosedShells, shell: &Shell) -> Vec<Vec3> {
    let triangles = closed.triangles(shell);
    let centre = |&triangle: &u32| {
        let [a, b, c] = closed.mesh.corners(triangle);
        a / 3.0 + b / 3.0 + c / 3.0
    };
    let mut points = vec![centre(&triangles[0])];
    // In local units, squares neither overflow nor vanish.
    let local = |point: Vec3| closed.frame.local(point);
    while points.len() < PROBES.min(triangles.len()) {
        let nearest = |&point: &Vec3| {
            points.iter().map(|&other| local(point).distance_squared(local(other))).fold(f64::INFINITY, f64::min)
        };
        let farther = |best: (f64, Vec3), point: Vec3| {
            let distance = nearest(&point);
            if distance > best.0 { (distance, point) } else { best }
        };
        let (distance, point) = triangles.iter().map(centre).fold((0.0, points[0]), farther);
        if distance == 0.0 {
            break;
        }
        points.push(point);
    }
    points
}

/// Boxes by their least and greatest corners.
struct Boxes(Vec<Vec3>);

impl PrimitiveSource for Boxes {
    fn len(&self) -> usize {
        self.0.len() / 2
    }

    fn points(&self) -> &[Vec3] {
        &self.0
    }

    fn corners(&self, primitive: u32) -> impl IntoIterator<Item = u32> {
        [2 * primitive, 2 * primitive + 1]
    }
}

/// Collects the primitives of the leaves at distance 0.
struct Gathered<'a> {
    tree: &'a Bvh<Aabb32, 8>,
    shells: Vec<u32>,
}

impl Visitor for Gathered<'_> {
    fn cutoff(&self) -> f32 {
        0.0
    }

    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        self.shells.extend_from_slice(self.tree.primitives(leaf));
        ControlFlow::Continue(())
    }
}

/// Computes how often triangles wind around `point`: their solid angles over 4π.
pub(crate) fn winding_number(triangles: &[Triangle], point: Vec3) -> f64 {
    winding_of(triangles, |&corners| corners, point)
}

fn winding_of<T: Sync>(triangles: &[T], corners: impl Fn(&T) -> Triangle + Sync, point: Vec3) -> f64 {
    let angle = |triangle: &T| {
        let [a, b, c] = corners(triangle).map(|corner| (corner - point).normalize_or_zero());
        2.0 * libm::atan2(a.dot(b.cross(c)), 1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    // Fixed chunks: the same bits for any number of threads.
    let partial: Vec<f64> = triangles.par_chunks(1024).map(|chunk| chunk.iter().map(angle).sum::<f64>()).collect();
    partial.iter().sum::<f64>() / (4.0 * PI)
}
