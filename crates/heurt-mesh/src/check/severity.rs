//! Severity of faults for 3D printing: a fault prints as it is, is mended by slicers, or fails.
//!
//! In: a fault and the mesh of it. Out: a [`Severity`], by its rule of [`SEVERITY_RULES`].
//! Method: a slicer cuts the mesh by level planes (z is up), joins the cuts of the triangles to loops, and fills what
//! the loops wind around. A fault matters only as far as loops stay open. Most kinds of faults have one severity.
//! A hole is mended if its border is level (no plane but one meets it), or if the gap in every layer is at most a
//! length G that slicers close: its box is within G, or all of the border but 2 G of its length has another piece of
//! open border within G / 2 (layers cut a slit aslant) that is at least three times as far along the border. G is
//! [`CheckOptions::slicer_gap`](crate::CheckOptions), but at most a tenth of the largest side of the mesh. A border of
//! a fin, which hangs on edges of three triangles and without which these close, is mended. Edges whose triangles
//! disagree are mended if the triangles of their patch can be turned to agree.
//! Sources: PrusaSlicer 2.5.0 on meshes with one fault each (docs/my-printed-part.md), and its source text; the source
//! text of CuraEngine; ADMesh 0.98.4.
//! Not guaranteed: that a print is strong or nice; a mended hole is closed by a straight line in each layer.
//! Cost: O(n), and O(b log b) for b open edges; O(b²) if most of them lie within G and none is opposite another one.

use std::fmt;

use heurt_geometry::{Aabb, robust_length};

use super::Fault;
use crate::decompose::nearest_on_segment;
use crate::topology::DisjointSets;
use crate::tree_query::BoxTree;
use crate::{Topology, TriMesh};

/// The effect of a fault on a print; a later one is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The layers are the same as without the fault.
    PrintsAsItIs,
    /// Slicers remove the fault on import, or in each layer.
    SlicersMend,
    /// Layers are empty or wrong.
    Fails,
}

impl Severity {
    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::PrintsAsItIs => "prints-as-it-is",
            Self::SlicersMend => "slicers-mend-it",
            Self::Fails => "fails",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::PrintsAsItIs => "prints as it is",
            Self::SlicersMend => "slicers mend it",
            Self::Fails => "fails",
        })
    }
}

/// The severity of a kind of fault, and its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeverityRule {
    /// The kind, as [`Fault::kind`] returns it.
    pub kind: &'static str,
    /// Which faults of the kind; empty for all.
    pub when: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The behaviour of slicers.
    pub reason: &'static str,
}

/// The rules by which faults have a severity, with the source of each.
pub const SEVERITY_RULES: [SeverityRule; 14] = [
    DEGENERATE_FACE,
    DUPLICATE_FACE,
    ISOLATED_VERTEX,
    BALANCED_EDGE,
    UNBALANCED_EDGE,
    NON_MANIFOLD_VERTEX,
    TURNABLE_PATCH,
    ONE_SIDED_PATCH,
    LEVEL_HOLE,
    FIN,
    NARROW_HOLE,
    WIDE_HOLE,
    INWARD_SHELL,
    SELF_INTERSECTION,
];

const DEGENERATE_FACE: SeverityRule = SeverityRule {
    kind: "degenerate-face",
    when: "",
    severity: Severity::PrintsAsItIs,
    reason: "a plane cuts a triangle without area in a piece of a line that its neighbours have, too",
};
const DUPLICATE_FACE: SeverityRule = SeverityRule {
    kind: "duplicate-face",
    when: "",
    severity: Severity::SlicersMend,
    reason: "ADMesh and PrusaSlicer remove facets that are connected to no neighbour \
             (stl_remove_unconnected_facets); CuraEngine unites what overlaps (meshfix_union_all)",
};
const ISOLATED_VERTEX: SeverityRule = SeverityRule {
    kind: "isolated-vertex",
    when: "",
    severity: Severity::PrintsAsItIs,
    reason: "slicers read triangles",
};
const BALANCED_EDGE: SeverityRule = SeverityRule {
    kind: "non-manifold-edge",
    when: "equally many triangles in both directions",
    severity: Severity::PrintsAsItIs,
    reason: "bodies that touch there have closed loops in every layer",
};
const UNBALANCED_EDGE: SeverityRule = SeverityRule {
    kind: "non-manifold-edge",
    when: "else",
    severity: Severity::SlicersMend,
    reason: "a wall inside, or a fin, is cut in a line that bounds nothing; slicers drop it",
};
const NON_MANIFOLD_VERTEX: SeverityRule = SeverityRule {
    kind: "non-manifold-vertex",
    when: "",
    severity: Severity::PrintsAsItIs,
    reason: "bodies that touch there have closed loops in every layer",
};
const TURNABLE_PATCH: SeverityRule = SeverityRule {
    kind: "inconsistent-orientation",
    when: "the triangles can be turned to agree",
    severity: Severity::SlicersMend,
    reason: "ADMesh and PrusaSlicer turn triangles that disagree with their neighbours (stl_fix_normal_directions)",
};
const ONE_SIDED_PATCH: SeverityRule = SeverityRule {
    kind: "inconsistent-orientation",
    when: "a surface of one side",
    severity: Severity::Fails,
    reason: "no side of it is out",
};
const LEVEL_HOLE: SeverityRule = SeverityRule {
    kind: "hole",
    when: "its border is level",
    severity: Severity::SlicersMend,
    reason: "no layer meets it, as the file lies; turned over, the part would fail",
};
const FIN: SeverityRule = SeverityRule {
    kind: "hole",
    when: "the border of a fin",
    severity: Severity::SlicersMend,
    reason: "a fin outside is cut in a line that bounds nothing; slicers drop it",
};
const NARROW_HOLE: SeverityRule = SeverityRule {
    kind: "hole",
    when: "no wider than 2 mm",
    severity: Severity::SlicersMend,
    reason: "PrusaSlicer closes gaps of up to 2 mm in each layer, CuraEngine of up to 10 mm (max_stitch1); ADMesh \
             merges borders that are nearer than the shortest edge",
};
const WIDE_HOLE: SeverityRule = SeverityRule {
    kind: "hole",
    when: "else",
    severity: Severity::Fails,
    reason: "layers that meet it have no closed loop: PrusaSlicer leaves them empty and does not fill holes \
             (stl_fill_holes is switched off)",
};
const INWARD_SHELL: SeverityRule = SeverityRule {
    kind: "inward-shell",
    when: "",
    severity: Severity::SlicersMend,
    reason: "PrusaSlicer turns a file of negative volume and fills by winding other than 0; where the shell \
             overlaps another one, the common space is left empty",
};
const SELF_INTERSECTION: SeverityRule = SeverityRule {
    kind: "self-intersection",
    when: "",
    severity: Severity::SlicersMend,
    reason: "slicers unite the loops of a layer: PrusaSlicer by winding other than 0, CuraEngine by \
             meshfix_union_all",
};

/// A gap counts as small only up to this share of the largest side of the mesh.
const GAP_SHARE: f64 = 0.1;

/// Height up to which a border is level, as a share of the gap: a twentieth of the thinnest layers.
const LEVEL: f64 = 1e-3;

/// The width of a slit as a share of the gap: a layer that cuts it at 30 degrees has twice its width.
const SLIT_SHARE: f64 = 0.5;

/// How much farther along the border another piece of border is than straight across, to be the opposite side of a
/// slit: a circle has π/2 at most.
const DETOUR: f64 = 3.0;

/// The facts by which faults of a mesh have a severity.
pub(super) struct SeverityTest<'a> {
    topology: &'a Topology<'a>,
    gap: f64,
    /// The open edges, if there are any.
    border: Option<Border>,
    /// By triangle, whether its patch has one side only; empty if every patch has two.
    one_sided: Vec<bool>,
    /// By triangle, whether its patch is a fin; empty if there are no open edges.
    fins: Vec<bool>,
    /// By triangle, the height of its connected piece; empty if there are no open edges.
    heights: Vec<f64>,
}

/// The open edges of a mesh with a tree over their boxes.
struct Border {
    /// The ends of each, in the order of the edges.
    edges: Vec<[u32; 2]>,
    tree: BoxTree,
}

impl<'a> SeverityTest<'a> {
    pub(super) fn new(topology: &'a Topology<'a>, gap: f64) -> Self {
        let bounds = topology.mesh().bounds();
        let size = 2.0 * bounds.half_extents().max_element();
        let edges: Vec<[u32; 2]> =
            topology.edges().filter(|edge| edge.is_boundary()).map(|edge| edge.vertices).collect();
        let (fins, heights) = if edges.is_empty() { Default::default() } else { (fins(topology), heights(topology)) };
        let border = (!edges.is_empty()).then(|| Border::new(topology.mesh(), edges));
        Self { topology, gap: gap.min(GAP_SHARE * size), border, one_sided: one_sided(topology), fins, heights }
    }

    /// Computes the severity of a fault of the mesh.
    pub(super) fn of(&self, fault: &Fault) -> Severity {
        self.rule_of(fault).severity
    }

    /// Returns the rule that a fault falls under.
    fn rule_of(&self, fault: &Fault) -> SeverityRule {
        match fault {
            Fault::DegenerateFace { .. } => DEGENERATE_FACE,
            Fault::DuplicateFace { .. } => DUPLICATE_FACE,
            Fault::IsolatedVertex { .. } => ISOLATED_VERTEX,
            Fault::NonManifoldVertex { .. } => NON_MANIFOLD_VERTEX,
            Fault::InwardShell { .. } => INWARD_SHELL,
            Fault::SelfIntersection { .. } => SELF_INTERSECTION,
            Fault::NonManifoldEdge { vertices: [a, b], .. } => {
                let is_balanced = self.topology.edge_between(*a, *b).is_some_and(|edge| edge.imbalance() == 0);
                if is_balanced { BALANCED_EDGE } else { UNBALANCED_EDGE }
            }
            Fault::InconsistentOrientation { triangles, .. } => {
                let is_one_sided = |&triangle: &u32| self.one_sided.get(triangle as usize) == Some(&true);
                if triangles.iter().any(is_one_sided) { ONE_SIDED_PATCH } else { TURNABLE_PATCH }
            }
            Fault::Hole { triangles, .. } if triangles.iter().all(|&triangle| self.fins[triangle as usize]) => FIN,
            Fault::Hole { vertices, triangles, is_loop, .. } => {
                let height = triangles.first().map_or(0.0, |&triangle| self.heights[triangle as usize]);
                self.rule_of_hole(vertices, *is_loop, height)
            }
        }
    }

    /// Returns the rule of a hole in a piece of this height.
    fn rule_of_hole(&self, vertices: &[u32], is_loop: bool, height: f64) -> SeverityRule {
        let place = |vertex: &u32| self.topology.mesh().vertices()[*vertex as usize];
        let size = 2.0 * Aabb::from_points(vertices.iter().map(place)).half_extents();
        // Level within rounding: the thinnest layers have some hundredths of a millimetre.
        let thinnest = LEVEL * self.gap;
        if size.z <= thinnest && height > thinnest {
            LEVEL_HOLE
        } else if size.length() <= self.gap || self.is_slit(vertices, is_loop) {
            NARROW_HOLE
        } else {
            WIDE_HOLE
        }
    }

    /// Tests whether almost all of a border has another piece of open border across.
    fn is_slit(&self, vertices: &[u32], is_loop: bool) -> bool {
        let Some(border) = &self.border else { return false };
        let place = |vertex: u32| self.topology.mesh().vertices()[vertex as usize];
        let count = if is_loop { vertices.len() } else { vertices.len() - 1 };
        let ends = |at: usize| [vertices[at], vertices[(at + 1) % vertices.len()]];
        let length = |[a, b]: [u32; 2]| robust_length(place(b) - place(a));
        // By edge of this border, the length along it to the middle of the edge.
        let mut along = Vec::with_capacity(count);
        let mut total = 0.0;
        for at in 0..count {
            let length = length(ends(at));
            along.push((sorted(ends(at)), total + 0.5 * length));
            total += length;
        }
        along.sort_by_key(|(edge, _)| *edge);
        let detour = |edge: [u32; 2], at: f64| match along.binary_search_by_key(&edge, |(edge, _)| *edge) {
            Ok(found) => {
                let between = (along[found].1 - at).abs();
                if is_loop { between.min(total - between) } else { between }
            }
            Err(_) => f64::INFINITY,
        };
        let mut lone = 0.0;
        for &(edge, at) in &along {
            let [a, b] = edge.map(place);
            let middle = (a + b) * 0.5;
            let is_across = |other: u32| {
                let other = border.edges[other as usize];
                let [p, q] = other.map(place);
                let distance = robust_length(middle - nearest_on_segment(middle, p, q));
                // The nearest point may be at the near end of that edge.
                let far = detour(sorted(other), at) - 0.5 * length(other);
                distance <= SLIT_SHARE * self.gap && far > 0.0 && far >= DETOUR * distance
            };
            let reach = SLIT_SHARE * self.gap;
            if !border.tree.any_meeting(&Aabb::from_points([middle - reach, middle + reach]), is_across) {
                lone += length(edge);
                if lone > 2.0 * self.gap {
                    return false;
                }
            }
        }
        true
    }
}

fn sorted([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl Border {
    fn new(mesh: &TriMesh, edges: Vec<[u32; 2]>) -> Self {
        let place = |vertex: u32| mesh.vertices()[vertex as usize];
        let boxes = edges.iter().map(|edge| Aabb::from_points(edge.map(place))).collect();
        Self { edges, tree: BoxTree::new(boxes) }
    }
}

/// Computes by triangle whether its patch, across edges of two triangles, has one side only.
fn one_sided(topology: &Topology) -> Vec<bool> {
    if topology.edges().filter(|edge| edge.degree() == 2).all(|edge| edge.imbalance() == 0) {
        return Vec::new();
    }
    // Each triangle is there twice: as it is, and turned.
    let count = topology.mesh().triangles().len() as u32;
    let mut sets = DisjointSets::new(2 * count as usize);
    for edge in topology.edges().filter(|edge| edge.degree() == 2) {
        let mut triangles = edge.triangles();
        let (Some(a), Some(b)) = (triangles.next(), triangles.next()) else { continue };
        let [same, turned] = if edge.imbalance() == 0 { [b, b + count] } else { [b + count, b] };
        sets.unite(a, same);
        sets.unite(a + count, turned);
    }
    (0..count).map(|triangle| sets.find(triangle) == sets.find(triangle + count)).collect()
}

/// Computes by triangle whether its patch is a fin: it has a border, and hangs on edges of more than two triangles,
/// which close without it.
fn fins(topology: &Topology) -> Vec<bool> {
    let count = topology.mesh().triangles().len();
    let mut sets = DisjointSets::new(count);
    for edge in topology.edges().filter(|edge| edge.degree() == 2) {
        let mut triangles = edge.triangles();
        let (Some(a), Some(b)) = (triangles.next(), triangles.next()) else { continue };
        sets.unite(a, b);
    }
    let roots: Vec<u32> = (0..count as u32).map(|triangle| sets.find(triangle)).collect();
    let (mut has_border, mut hangs, mut is_other) = (vec![false; count], vec![false; count], vec![false; count]);
    for edge in topology.edges().filter(|edge| edge.degree() != 2) {
        if edge.degree() == 1 {
            has_border[roots[edge.first().0 as usize / 3] as usize] = true;
            continue;
        }
        // By patch at this edge: the half-edges upward less the ones downward.
        let sign = |is_forward: bool| if is_forward { 1 } else { -1 };
        let mut sums: Vec<(u32, i64)> =
            edge.half_edges().map(|(half_edge, forward)| (roots[half_edge as usize / 3], sign(forward))).collect();
        sums.sort_unstable();
        for of_patch in sums.chunk_by(|a, b| a.0 == b.0) {
            let own: i64 = of_patch.iter().map(|(_, sign)| sign).sum();
            let root = of_patch[0].0 as usize;
            hangs[root] = true;
            is_other[root] |= own == 0 || own != edge.imbalance();
        }
    }
    roots.iter().map(|&root| root as usize).map(|root| has_border[root] && hangs[root] && !is_other[root]).collect()
}

/// Computes by triangle the height of its connected piece.
fn heights(topology: &Topology) -> Vec<f64> {
    let shells = topology.shells();
    let mut ranges = vec![[f64::INFINITY, f64::NEG_INFINITY]; shells.len()];
    for (triangle, &first) in (0..).zip(&shells) {
        for corner in topology.mesh().corners(triangle) {
            let [low, high] = &mut ranges[first as usize];
            (*low, *high) = (low.min(corner.z), high.max(corner.z));
        }
    }
    shells.iter().map(|&first| ranges[first as usize][1] - ranges[first as usize][0]).collect()
}
