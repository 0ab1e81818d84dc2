//! Closed shells that are inside out.
//!
//! A shell is a set of triangles that hang together by edges. One whose faces point inward encloses a negative volume;
//! that is right for a cavity, where the winding number of what lies round it is at least one, and a fault elsewhere.
//! Guarantees: a shell is only called inward when its volume is negative beyond its rounding error. The winding number is
//! rounded, so a cavity that touches the wall round it can be told wrongly; where very many cavities lie in very large
//! shells, what is beyond a budget is taken for a cavity when the box of an outward shell holds it.
//! Cost: O(n log n + inward shells × triangles of the shells whose boxes hold them), the latter up to the budget.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Bvh, Leaf, PointQuery, PrimitiveSource, Visitor, walk};
use heurt_geometry::{Aabb, Vec3};
use rayon::prelude::*;

use super::Fault;
use crate::measure::{Frame, Sums};
use crate::{Topology, TriMesh};

/// A closed shell.
struct Shell {
    /// Where its triangles start and end in the list sorted by shell.
    triangles: std::ops::Range<usize>,
    bounds: Aabb,
    /// Local volume and its error.
    volume: f64,
    error: f64,
}

/// Solid angles that may be summed: about a second.
const SOLID_ANGLE_BUDGET: usize = 1 << 25;

/// The closed shells with negative volume that are no cavities, by their first triangles.
pub(super) fn inward_shells(topology: &Topology) -> Vec<Fault> {
    let mesh = topology.mesh();
    let frame = Frame::of(mesh);
    let (sorted, shells) = closed_shells(topology, &frame);
    let inward = |shell: &Shell| shell.volume < -shell.error;
    if !shells.iter().any(inward) {
        return Vec::new();
    }
    let surroundings = Surroundings::new(mesh, &sorted, &shells);
    let mut budget = SOLID_ANGLE_BUDGET;
    let mut faults = Vec::new();
    for shell in shells.iter().filter(|shell| inward(shell)) {
        if !surroundings.make_a_cavity(shell, &mut budget) {
            let volume = frame.volume_in_metres(shell.volume);
            faults.push(Fault::InwardShell { triangle: sorted[shell.triangles.start], volume });
        }
    }
    faults
}

/// The triangles sorted by shell, and the shells without a border in the order of their first triangles.
fn closed_shells(topology: &Topology, frame: &Frame) -> (Vec<u32>, Vec<Shell>) {
    let mesh = topology.mesh();
    let first_of = topology.shells();
    let mut open = vec![false; first_of.len()];
    for edge in topology.edges().filter(|edge| edge.imbalance() != 0) {
        edge.triangles().for_each(|triangle| open[first_of[triangle as usize] as usize] = true);
    }
    // A collapsed triangle has no edges: it would pass for a shell of its own.
    topology.collapsed().iter().for_each(|&triangle| open[triangle as usize] = true);
    let mut sorted: Vec<u32> = (0..first_of.len() as u32).filter(|&t| !open[first_of[t as usize] as usize]).collect();
    sorted.par_sort_by_key(|&triangle| first_of[triangle as usize]);
    let mut shells = Vec::new();
    let mut start = 0;
    for group in sorted.chunk_by(|&a, &b| first_of[a as usize] == first_of[b as usize]) {
        let origin = frame.local(mesh.corners(group[0])[0]);
        let (mut sums, mut bounds) = (Sums::default(), Aabb::EMPTY);
        for &triangle in group {
            let corners = mesh.corners(triangle);
            bounds = bounds.union(Aabb::from_points(corners));
            sums.add(corners.map(|point| frame.local(point) - origin));
        }
        let triangles = start..start + group.len();
        start = triangles.end;
        shells.push(Shell { triangles, bounds, volume: sums.volume(), error: sums.sequential_volume_error() });
    }
    (sorted, shells)
}

/// All closed shells of a mesh, to be asked which of them lie round a point.
struct Surroundings<'a> {
    mesh: &'a TriMesh,
    sorted: &'a [u32],
    shells: &'a [Shell],
    tree: Option<Bvh<Aabb32, 8>>,
}

impl<'a> Surroundings<'a> {
    fn new(mesh: &'a TriMesh, sorted: &'a [u32], shells: &'a [Shell]) -> Self {
        let boxes = Boxes(shells.iter().flat_map(|shell| [shell.bounds.min, shell.bounds.max]).collect());
        Self { mesh, sorted, shells, tree: Bvh::new(&boxes).ok() }
    }

    /// Tells whether the material round `shell` is there for it to be carved out of.
    fn make_a_cavity(&self, shell: &Shell, budget: &mut usize) -> bool {
        let point = self.mesh.corners(self.sorted[shell.triangles.start])[0];
        let around: Vec<&Shell> = self.around(point).into_iter().map(|index| &self.shells[index as usize]).collect();
        let holds = |outer: &&&Shell| {
            outer.triangles != shell.triangles
                && outer.bounds.contains(shell.bounds.min)
                && outer.bounds.contains(shell.bounds.max)
        };
        let mut winding = 0.0;
        for outer in around.iter().filter(holds) {
            let triangles = &self.sorted[outer.triangles.clone()];
            winding += match budget.checked_sub(triangles.len()) {
                Some(left) => {
                    *budget = left;
                    winding_number(self.mesh, triangles, point)
                }
                None => outer.volume.signum(),
            };
        }
        winding > 0.5
    }

    /// The shells whose boxes may hold `point`.
    fn around(&self, point: Vec3) -> Vec<u32> {
        let Some(tree) = &self.tree else { return Vec::new() };
        let mut gathered = Gathered { tree, shells: Vec::new() };
        walk(tree, &PointQuery::new(tree.frame().to_local(point).to_array(), 0.0), &mut gathered);
        gathered.shells.sort_unstable();
        gathered.shells
    }
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

/// Gathers what is in the leaves at no distance.
struct Gathered<'a> {
    tree: &'a Bvh<Aabb32, 8>,
    shells: Vec<u32>,
}

impl Visitor for Gathered<'_> {
    fn cutoff(&self) -> f32 {
        0.0
    }

    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        self.shells.extend_from_slice(self.tree.primitives(leaf));
        ControlFlow::Continue(())
    }
}

/// How often the triangles wind round `point`: the sum of their solid angles over 4π (van Oosterom and Strackee 1983).
fn winding_number(mesh: &TriMesh, triangles: &[u32], point: Vec3) -> f64 {
    let angle = |triangle: u32| {
        let [a, b, c] = mesh.corners(triangle).map(|corner| (corner - point).normalize_or_zero());
        2.0 * libm::atan2(a.dot(b.cross(c)), 1.0 + a.dot(b) + b.dot(c) + c.dot(a))
    };
    // Fixed chunks: the same bits for any number of threads.
    let partial: Vec<f64> =
        triangles.par_chunks(1024).map(|chunk| chunk.iter().map(|&triangle| angle(triangle)).sum::<f64>()).collect();
    (partial.iter().sum::<f64>() / (4.0 * PI)).round()
}
