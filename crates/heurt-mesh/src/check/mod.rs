//! Check of a mesh: all faults with their places, and the kind of object.
//!
//! In: a mesh. Out: a [`Report`]: the class (S0 §2), the facts of its surface, the number of faults of each kind, and
//! the faults themselves up to a limit for each kind.
//! Method: incidences from [`Topology`]; exact predicates for what lies where; a tree of triangle boxes proposes the
//! pairs that may intersect. The conditions on a boundary model are listed in S3, slide 10.
//! Guarantees: faults come sorted by kind and then by number, the same in every run and for any number of threads.
//! Degenerate faces, exact convexity and self-intersections are decided exactly; inward shells by a volume whose
//! rounding error is bounded. Touching is intersecting: triangles that meet anywhere except in a vertex or edge of both
//! are reported. A report has at most [`CheckOptions::max_faults`] faults of each kind, and their lists of elements are
//! together at most proportional to the mesh.
//! Cost: O(n log n) and the pairs whose boxes meet.

mod body;
mod boundary;
mod class;
mod convex;
mod fault;
mod holes;
mod incidence;
mod near_convex;
pub(crate) mod orientation;
mod oriented_box;
mod oriented_tree;
mod outer_hull;
mod place;
mod self_intersection;
mod severity;
mod slit;
mod star;
mod turned_search;
mod verdict;

pub use boundary::is_boundary;
pub use class::Class;
pub use fault::Fault;
pub use place::FaultPlace;
pub(crate) use self_intersection::Faces;
pub use self_intersection::meet_beyond_shared;
pub use severity::{SEVERITY_RULES, Severity, SeverityRule};
pub use verdict::{Unprintable, Verdict};

use std::fmt;

use heurt_geometry::{Vec3, is_degenerate};
use near_convex::Deviation;
use rayon::prelude::*;
use star::{StarShape, star_shape};

use self::severity::SeverityTest;
use crate::repair::without_repeats;
use crate::solidify::rounding_of;
use crate::{Topology, TriMesh};

/// The result of `check`.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The kind of object.
    pub class: Class,
    /// Upper bound on the Hausdorff distance between the surface and the boundary of its convex hull, in metres: 0 if
    /// the mesh is exactly convex, which exact predicates decide; `None` if it is open or deviates by more than 1 % of
    /// its size, or if the search for it ended at a limit.
    pub deviation: Option<f64>,
    /// The search for the deviation did not end at [`CheckOptions::max_convexity_steps`]. A mesh that is convex up to
    /// rounding has the class [`Class::Solid`] otherwise.
    pub is_convexity_known: bool,
    /// Every edge is shared by equally many opposite half-edges.
    pub closed: bool,
    /// At most two triangles meet in an edge, and the triangles at a vertex are one fan.
    pub manifold: bool,
    /// Neighbouring triangles agree on which side is out.
    pub oriented: bool,
    /// The faults, sorted by kind and then by number, at most [`CheckOptions::max_faults`] of each kind.
    pub faults: Vec<Fault>,
    /// How each fault of `faults` affects a print.
    pub severities: Vec<Severity>,
    /// The number of faults of each kind that occurs, in the order of `faults`.
    pub counts: Vec<KindCount>,
    /// The mesh bounds something: a closed shell encloses a volume, whichever side it faces, or winds around a point
    /// next to a face; or the mesh is not closed, and a connected piece has fewer open edges than triangles. Faces that
    /// are listed several times count once for this, and what opens then must print.
    pub has_volume: bool,
    /// Self-intersections were searched for.
    pub has_searched: bool,
    /// All kinds of faults were searched for, and every fault is counted and listed.
    pub complete: bool,
}

impl Report {
    /// Computes how the mesh prints: by its worst fault.
    pub fn verdict(&self) -> Verdict {
        verdict::verdict(self)
    }

    /// Tests whether slicers print the mesh, as it is or after what they mend themselves.
    ///
    /// # Errors
    /// [`Unprintable`] with the reasons, which display as "2 holes".
    pub fn printable(&self) -> Result<(), Unprintable> {
        self.verdict().printable()
    }

    /// Returns the number of faults of a kind, as far as they were counted.
    pub fn count(&self, kind: &str) -> usize {
        self.counts.iter().find(|count| count.kind == kind).map_or(0, |count| count.count)
    }
}

/// The number of faults of one kind: displays as "2 holes".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KindCount {
    /// The kind, as [`Fault::kind`] returns it.
    pub kind: &'static str,
    /// The number of faults that were counted.
    pub count: usize,
    /// The number of faults in the list.
    pub listed: usize,
    /// Counting stopped at the limit: there are more.
    pub has_more: bool,
    /// The worst severity of a fault of this kind.
    pub severity: Severity,
}

impl fmt::Display for KindCount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, count, has_more, .. } = self;
        let plural = match (*count, *kind) {
            (1, _) => "",
            (_, "non-manifold-vertex") => return write!(out, "{count} non-manifold-vertices"),
            _ => "s",
        };
        write!(out, "{}{count} {kind}{plural}", if *has_more { "more than " } else { "" })
    }
}

/// Options of `check`: the searched faults, and limits of their lists.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckOptions {
    /// Search for self-intersections, the costly part.
    pub self_intersections: bool,
    /// Counting of self-intersections stops after this number: a mesh can have a quadratic number.
    pub max_self_intersections: usize,
    /// The number of faults of each kind that are listed; all are counted.
    pub max_faults: usize,
    /// The number of boxes that the search for the deviation from convexity examines, approximately; exact convexity is
    /// decided without it. `u64::MAX` is no limit.
    pub max_convexity_steps: u64,
    /// The width up to which slicers close the gap of a hole, in the unit of the mesh: see [`Severity`].
    pub slicer_gap: f64,
    /// The direction up of the layers in the frame of the mesh, of any length above 0; `None` if the mesh is printed in
    /// several poses whose layers are not parallel, so that no hole is level in all of them. See [`Severity`].
    pub up: Option<Vec3>,
}

impl CheckOptions {
    /// The width up to which slicers close a gap in a layer, in metres: PrusaSlicer 2.5 closes 2 mm, CuraEngine 10 mm.
    pub const SLICER_GAP: f64 = 0.002;

    /// The options where only the faults count: no hole is examined for what slicers mend.
    pub(crate) fn without_severity() -> Self {
        Self { slicer_gap: 0.0, up: None, ..Self::default() }
    }
}

impl Default for CheckOptions {
    fn default() -> Self {
        // A million pairs are found within seconds; a thousand faults of a kind are more than a user can repair by
        // hand. The steps take some tenths of a second: enough for a rounded sphere of 100,000 triangles.
        Self {
            self_intersections: true,
            max_self_intersections: 1 << 20,
            max_faults: 1000,
            max_convexity_steps: 1 << 26,
            slicer_gap: Self::SLICER_GAP,
            up: Some(Vec3::Z),
        }
    }
}

/// Finds the faults of a mesh.
///
/// ```
/// use heurt_mesh::{TriMesh, check, generate};
/// let (vertices, mut triangles) = generate::cuboid([1.0, 1.0, 1.0])?.into_parts();
/// triangles.pop();
/// let report = check(&TriMesh::new(vertices, triangles)?);
/// assert_eq!(report.count("hole"), 1);
/// assert!(report.printable().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(mesh: &TriMesh) -> Report {
    check_with(mesh, &CheckOptions::default())
}

/// Finds the faults of a mesh with options.
///
/// ```
/// use heurt_mesh::{CheckOptions, check_with, generate};
/// let quick = CheckOptions { self_intersections: false, ..CheckOptions::default() };
/// let report = check_with(&generate::icosphere(1.0, 3)?, &quick);
/// assert!(report.faults.is_empty() && !report.has_searched);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_with(mesh: &TriMesh, options: &CheckOptions) -> Report {
    check_over(&Topology::new(mesh), options)
}

/// Finds the faults of the mesh of incidences already found.
pub fn check_over(topology: &Topology, options: &CheckOptions) -> Report {
    check_within(topology, options, u64::MAX).0
}

/// Finds the faults of a mesh, self-intersections only if that takes at most `max_tests` tests of pairs of triangles.
/// Returns the number of these tests with the report; more than `max_tests` if they would have been too many.
pub(crate) fn check_within(topology: &Topology, options: &CheckOptions, max_tests: u64) -> (Report, u64) {
    let degenerate = degenerate_faces(topology.mesh());
    let fans = topology.fans();
    let closed = topology.is_closed();
    let oriented = topology.is_oriented();
    let manifold = topology.edges().all(|edge| edge.degree() <= 2) && fans.iter().all(|&fans| fans <= 1);

    let holes = holes::holes(topology);
    let severity = SeverityTest::new(topology, &holes, options.slicer_gap, options.up);
    let mut list = FaultList::new(options.max_faults, &severity);
    list.extend(degenerate.iter().map(|&triangle| Fault::DegenerateFace { triangle }));
    list.extend(incidence::duplicate_faces(topology));
    list.extend(incidence::isolated_vertices(topology.mesh()));
    list.extend(incidence::non_manifold_edges(topology));
    list.extend(incidence::non_manifold_vertices(&fans));
    list.extend(incidence::disagreeing_edges(topology));
    list.extend(holes.iter().cloned());
    let orientation::ShellFaults { inward, has_volume } = orientation::shell_faults(topology);
    list.extend(inward);
    let (mut has_more, mut tests) = (false, 0);
    let is_regular = closed && manifold && oriented && degenerate.is_empty() && topology.edge_count() > 0;
    let star = if is_regular { star_shape(topology) } else { StarShape::Undecided };
    if options.self_intersections && star != StarShape::Once {
        let found = self_intersection::self_intersections(topology, options.max_self_intersections, max_tests);
        (has_more, tests) = (!found.complete, found.tests);
        list.extend(found.pairs.into_iter().map(|triangles| Fault::SelfIntersection { triangles }));
        list.stopped("self-intersection", has_more);
    }
    incidence::add_fans(topology, &mut list.faults);
    let FaultList { faults, severities, counts, .. } = list;
    let has = |kind: &str| counts.iter().any(|count| count.kind == kind);
    let intersects = has("self-intersection");
    let bounds = !has_volume
        && if has("duplicate-face") && !closed {
            bounds_without_repeats(topology, options)
        } else {
            (!closed || intersects) && body::bounds_something(topology, closed)
        };
    let is_exact = is_regular && convex::is_convex(topology, star);
    let (class, convexity) = classify(topology, is_exact, [closed, intersects], options.max_convexity_steps);
    let complete = options.self_intersections && !has_more && counts.iter().all(|count| count.listed == count.count);
    let report = Report {
        class,
        deviation: if let Deviation::Within(deviation) = convexity { Some(deviation) } else { None },
        is_convexity_known: convexity != Deviation::Unknown,
        closed,
        manifold,
        oriented,
        faults,
        severities,
        counts,
        has_volume: has_volume || bounds,
        has_searched: options.self_intersections,
        complete,
    };
    (report, tests)
}

/// Tests whether a mesh bounds something once each face that is listed several times is there once. A sheet and its
/// copy have no open edges, but no volume either.
fn bounds_without_repeats(topology: &Topology, options: &CheckOptions) -> bool {
    let Some(once) = without_repeats(topology) else { return false };
    let topology = &Topology::new(&once);
    let closed = topology.is_closed();
    if closed {
        return orientation::shell_faults(topology).has_volume || body::bounds_something(topology, closed);
    }
    let holes = holes::holes(topology);
    let severity = SeverityTest::new(topology, &holes, options.slicer_gap, options.up);
    let prints = |hole: &Fault| severity.of(hole) < Severity::Fails;
    holes.iter().all(prints) && body::bounds_something(topology, closed)
}

/// Computes the class of a mesh that is exactly convex or not, closed or not, and intersects itself or not, and its
/// deviation from convexity.
fn classify(
    topology: &Topology,
    is_exact: bool,
    [closed, intersects]: [bool; 2],
    max_steps: u64,
) -> (Class, Deviation) {
    let is_rounding = rounding_of(topology.mesh());
    let found = match (is_exact, closed && topology.edge_count() > 0) {
        (true, _) => Deviation::Within(0.0),
        (false, true) => near_convex::deviation(topology, is_rounding, max_steps),
        (false, false) => Deviation::Large,
    };
    let class = match found {
        Deviation::Within(deviation) if !intersects && deviation <= is_rounding => Class::Convex,
        _ => class_of(topology, closed, intersects),
    };
    (class, found)
}

/// Tests whether the mesh is exactly the boundary of a convex body, by predicates.
pub(crate) fn is_exactly_convex(topology: &Topology) -> bool {
    let is_manifold = || topology.is_manifold() && topology.is_oriented();
    let has_area = || degenerate_faces(topology.mesh()).is_empty();
    topology.is_closed()
        && topology.edge_count() > 0
        && is_manifold()
        && has_area()
        && convex::is_convex(topology, star_shape(topology))
}

/// Returns the class of a mesh that is not convex.
fn class_of(topology: &Topology, closed: bool, intersects: bool) -> Class {
    // If all triangles are collapsed, the mesh has no edge and counts as closed, but bounds nothing.
    let is_even = topology.edge_count() > 0 && topology.edge_uses().all(|uses| uses.len() % 2 == 0);
    match (is_even, closed, intersects) {
        (false, ..) => Class::Open,
        (true, false, _) => Class::Inconsistent,
        (true, true, true) => Class::SelfIntersecting,
        (true, true, false) => Class::Solid,
    }
}

/// A list of faults that counts all and keeps the first of each kind.
struct FaultList<'a> {
    max: usize,
    severity: &'a SeverityTest<'a>,
    faults: Vec<Fault>,
    severities: Vec<Severity>,
    counts: Vec<KindCount>,
}

impl<'a> FaultList<'a> {
    fn new(max: usize, severity: &'a SeverityTest<'a>) -> Self {
        Self { max, severity, faults: Vec::new(), severities: Vec::new(), counts: Vec::new() }
    }

    /// Adds the faults of one kind.
    fn extend(&mut self, faults: impl IntoIterator<Item = Fault>) {
        let before = self.faults.len();
        let mut count: Option<KindCount> = None;
        for fault in faults {
            let severity = self.severity.of(&fault);
            let first = KindCount { kind: fault.kind(), count: 0, listed: 0, has_more: false, severity };
            let all = count.get_or_insert(first);
            (all.count, all.severity) = (all.count + 1, all.severity.max(severity));
            if self.faults.len() - before < self.max {
                all.listed += 1;
                self.faults.push(fault);
                self.severities.push(severity);
            }
        }
        self.counts.extend(count);
    }

    /// Notes that counting of a kind stopped at a limit.
    fn stopped(&mut self, kind: &'static str, has_more: bool) {
        if !has_more {
            return;
        }
        match self.counts.last_mut() {
            Some(count) if count.kind == kind => count.has_more = true,
            _ => {
                let severity = Severity::SlicersMend;
                self.counts.push(KindCount { kind, count: 0, listed: 0, has_more: true, severity });
            }
        }
    }
}

/// Finds the triangles of no area, exactly.
fn degenerate_faces(mesh: &TriMesh) -> Vec<u32> {
    (0..mesh.triangles().len() as u32)
        .into_par_iter()
        .filter(|&triangle| is_degenerate(&mesh.corners(triangle)))
        .collect()
}
