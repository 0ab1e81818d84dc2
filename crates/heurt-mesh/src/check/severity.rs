//! Severity of faults for 3D printing: a fault prints as it is, is mended by slicers, or fails.
//!
//! In: a fault and the mesh of it. Out: a [`Severity`], by its rule of [`SEVERITY_RULES`].
//! Method: a slicer cuts the mesh by planes across [`CheckOptions::up`](crate::CheckOptions), joins the cuts of the
//! triangles to loops, and fills what the loops wind around. A fault matters only as far as loops stay open. Most kinds
//! of faults have one severity.
//! A hole is mended if its border is level (no plane but one meets it), or if the gap in every layer is at most a
//! length G that slicers close: its box is within G, or all of its border but 2 G is a side of slits of a width of at
//! most G / 2, as layers cut a slit aslant (`slit`; a border that takes too much work counts as wide). G is
//! [`CheckOptions::slicer_gap`](crate::CheckOptions), but at most a tenth of the largest side of the mesh. A border of
//! a fin, which hangs on edges of three triangles and without which these close, is mended. Edges whose triangles
//! disagree are mended if the triangles of their patch can be turned to agree.
//! Sources: PrusaSlicer 2.5.0 on meshes with one fault each (docs/my-printed-part.md), and its source text; the source
//! text of CuraEngine; ADMesh 0.98.4.
//! Not guaranteed: that a print is strong or nice; a mended hole is closed by a straight line in each layer.
//! Cost: O(n), and O(b log b) for pieces of open edges of the length of G / 8.

use std::cell::OnceCell;
use std::fmt;

use heurt_geometry::{Aabb, Vec3};

use super::Fault;
use super::slit::Slits;
use crate::Topology;
use crate::topology::DisjointSets;

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

/// The length of a border that may lie at no slit, as a share of the gap: the ends of slits.
const LONE: f64 = 2.0;

/// The facts by which faults of a mesh have a severity.
pub(super) struct SeverityTest<'a> {
    topology: &'a Topology<'a>,
    gap: f64,
    /// The direction up, of unit length; `None` if there are several.
    up: Option<Vec3>,
    /// All holes of the mesh.
    holes: &'a [Fault],
    /// The borders of the holes, once one of them may be a slit; `None` if they are too long.
    slits: OnceCell<Option<Slits>>,
    /// By triangle, whether its patch has one side only; empty if every patch has two.
    one_sided: Vec<bool>,
    /// By triangle, whether its patch is a fin; empty if there are no open edges.
    fins: Vec<bool>,
    /// By triangle, the height of its connected piece; empty if there are no open edges, or several directions up.
    heights: Vec<f64>,
}

impl<'a> SeverityTest<'a> {
    /// Prepares the test for a mesh with these holes.
    pub(super) fn new(topology: &'a Topology<'a>, holes: &'a [Fault], gap: f64, up: Option<Vec3>) -> Self {
        let gap = gap.min(GAP_SHARE * 2.0 * topology.mesh().bounds().half_extents().max_element());
        let up = up.and_then(Vec3::try_normalize);
        let fins = if holes.is_empty() { Vec::new() } else { fins(topology) };
        let heights = up.filter(|_| !holes.is_empty()).map_or_else(Vec::new, |up| heights(topology, up));
        Self { topology, gap, up, holes, slits: OnceCell::new(), one_sided: one_sided(topology), fins, heights }
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
            Fault::Hole { vertices, triangles, .. } => {
                if triangles.first().is_some_and(|&triangle| self.is_level(vertices, triangle)) {
                    LEVEL_HOLE
                } else {
                    self.rule_of_wall_hole(vertices)
                }
            }
        }
    }

    /// Tests whether a border is level within rounding, and the piece of this triangle is not.
    fn is_level(&self, vertices: &[u32], triangle: u32) -> bool {
        let Some(up) = self.up else { return false };
        // The thinnest layers have some hundredths of a millimetre.
        let thinnest = LEVEL * self.gap;
        let place = |vertex: &u32| self.topology.mesh().vertices()[*vertex as usize];
        height(vertices.iter().map(place), up) <= thinnest && self.heights[triangle as usize] > thinnest
    }

    /// Returns the rule of a hole that layers meet.
    fn rule_of_wall_hole(&self, vertices: &[u32]) -> SeverityRule {
        let place = |vertex: &u32| self.topology.mesh().vertices()[*vertex as usize];
        let size = 2.0 * Aabb::from_points(vertices.iter().map(place)).half_extents();
        let is_narrow = size.length() <= self.gap || self.is_slit(vertices);
        if is_narrow { NARROW_HOLE } else { WIDE_HOLE }
    }

    /// Tests whether almost all of a border is a side of a slit.
    fn is_slit(&self, vertices: &[u32]) -> bool {
        let build = || {
            let border_of = |fault: &'a Fault| match fault {
                Fault::Hole { vertices, is_loop, .. } => Some((vertices.as_slice(), *is_loop)),
                _ => None,
            };
            let borders: Vec<(&[u32], bool)> = self.holes.iter().filter_map(border_of).collect();
            Slits::new(self.topology.mesh(), &borders, SLIT_SHARE * self.gap)
        };
        self.slits.get_or_init(build).as_ref().is_some_and(|slits| slits.is_slit(vertices, LONE * self.gap))
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

/// Computes the extent of points along a direction.
fn height(points: impl IntoIterator<Item = Vec3>, up: Vec3) -> f64 {
    let [low, high] = points.into_iter().fold(NO_RANGE, |range, point| wider(range, point.dot(up)));
    high - low
}

/// A range without a number.
const NO_RANGE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

fn wider([low, high]: [f64; 2], value: f64) -> [f64; 2] {
    [low.min(value), high.max(value)]
}

/// Computes by triangle the height of its connected piece along a direction.
fn heights(topology: &Topology, up: Vec3) -> Vec<f64> {
    let shells = topology.shells();
    let mut ranges = vec![NO_RANGE; shells.len()];
    for (triangle, &first) in (0..).zip(&shells) {
        for corner in topology.mesh().corners(triangle) {
            ranges[first as usize] = wider(ranges[first as usize], corner.dot(up));
        }
    }
    shells.iter().map(|&first| ranges[first as usize][1] - ranges[first as usize][0]).collect()
}
