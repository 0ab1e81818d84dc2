//! Comparison of a mesh before and after a step, so that no step makes it worse.
//!
//! In: a mesh, and an edit of it. Out: the edited mesh with its counts, or why it is refused: a quantity got worse, or
//! the work does not suffice to count.
//! Method: faults come from `check`. Hard quantities must not get worse in any step: the length of the open edges, the
//! number of self-intersections, the volume beyond the bound that the step states. Soft ones may get worse in a step if
//! a later step mends them: the numbers of all further faults. The caller compares all of them at the end, twice: in
//! the mesh as it is, and after [`solidify`] with [`Weld::Auto`], which is what `heurt inspect` counts in.
//! Guarantees: the second counts are those of `heurt inspect`, with the same limit of 2²⁰ self-intersections; the first
//! ones stop at 2¹⁷. Counts that were stopped for lack of work are never compared.
//! Cost: one `check`, and one more with a `solidify` if the automatic weld changes the mesh.

use super::budget::RepairWork;
use super::edit::Edit;
use super::report::{FaultCounts, MeshState, Worse};
use crate::check::{CheckOptions, Fault, check_within};
use crate::topology::previous_in_triangle;
use crate::{Edge, Report, Topology, TriMesh, Weld, measures_over, solidify};
use heurt_geometry::robust_length;
use std::collections::BTreeSet;

/// Maximum number of self-intersections that are compared. Beyond it, steps are not judged by them.
const MAX_SELF_INTERSECTIONS: usize = 1 << 17;

/// Relative growth of the open length that is rounding: welding moves the ends of open edges by a share of 1e-6 of the
/// size.
const LENGTH_SLACK: f64 = 1e-5;

/// A mesh with its state.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) mesh: TriMesh,
    pub(super) state: MeshState,
    /// The intersecting pairs, lower triangle first, ascending.
    intersecting: Vec<[u32; 2]>,
}

/// Why an edit is refused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EditRefusal {
    /// A quantity would get worse.
    Worse(Worse),
    /// The work does not suffice to find the faults of the result.
    WorkSpent,
}

/// Numbers of faults, and the length of the open edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counts {
    faults: FaultCounts,
    /// By kind the larger one of this count and that over distinct triangles: a repeat hides the border that it lies
    /// at.
    bound: FaultCounts,
    /// Whether all self-intersections were counted.
    complete: bool,
    open_length: f64,
}

/// The counts of a mesh as it is, and after the automatic weld.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tally {
    plain: Counts,
    welded: Counts,
}

impl Counts {
    /// The quantities that are compared, by kind. An incomplete count is infinite: it is worse than any complete one.
    fn by_kind(self, counts: FaultCounts) -> impl Iterator<Item = (&'static str, f64)> {
        let complete = self.complete;
        let faults = counts.by_kind().into_iter().map(move |(kind, count)| match kind {
            "self-intersection" if !complete => (kind, f64::INFINITY),
            _ => (kind, count as f64),
        });
        faults.chain([("open length", self.open_length)])
    }

    /// The quantities that are worse than before.
    fn worse_than(self, before: Self, is_welded: bool) -> impl Iterator<Item = Worse> {
        let is_worse = move |kind: &str, old: f64, new: f64| match kind {
            // A long border that was closed in places may have become several short ones.
            "hole" => new > old && self.open_length >= before.open_length,
            "open length" => new > old * (1.0 + LENGTH_SLACK),
            _ => new > old,
        };
        let pairs = before.by_kind(before.bound).zip(self.by_kind(self.faults));
        let worse = pairs.filter(move |&((kind, old), (_, new))| is_worse(kind, old, new));
        worse.map(move |((kind, before), (_, after))| Worse { kind, before, after, is_welded })
    }
}

impl Tally {
    /// The quantities that are worse than before: in the mesh as it is, then after the automatic weld.
    pub(super) fn worse_than(self, before: Self) -> impl Iterator<Item = Worse> {
        let plain = self.plain.worse_than(before.plain, false);
        plain.chain(self.welded.worse_than(before.welded, true))
    }
}

impl Judged {
    /// Finds the faults of the input, and the number of tests of pairs of triangles that this takes.
    pub(super) fn of_input(mesh: TriMesh) -> (Self, u64) {
        Self::within(mesh, u64::MAX)
    }

    /// Finds the faults of a mesh; `None` if that is more work than is left for it, which is noted.
    fn new(mesh: TriMesh, work: &RepairWork) -> Option<Self> {
        let max_tests = work.start_check(mesh.triangles().len());
        let (judged, tests) = Self::within(mesh, max_tests);
        work.charge_tests(tests);
        if tests > max_tests {
            work.refuse();
            return None;
        }
        Some(judged)
    }

    /// Finds the faults of a mesh, with at most `max_tests` tests of pairs of triangles.
    fn within(mesh: TriMesh, max_tests: u64) -> (Self, u64) {
        let topology = Topology::new(&mesh);
        let options = CheckOptions {
            max_self_intersections: MAX_SELF_INTERSECTIONS,
            max_faults: MAX_SELF_INTERSECTIONS,
            ..CheckOptions::without_severity()
        };
        let (report, tests) = check_within(&topology, &options, max_tests);
        let measures = measures_over(&topology);
        let faults = FaultCounts::of(&report);
        let intersecting = report.faults.iter().filter_map(|fault| match fault {
            Fault::SelfIntersection { triangles } => Some(*triangles),
            _ => None,
        });
        let intersecting: Vec<[u32; 2]> = intersecting.collect();
        let (open_edges, open_length) = open_edges(&topology);
        let state = MeshState {
            class: report.class,
            faults,
            complete: !report.counts.iter().any(|count| count.has_more),
            triangles: mesh.triangles().len(),
            vertices: mesh.vertices().len(),
            open_edges,
            open_length,
            area: measures.area,
            volume: measures.volume,
        };
        (Self { mesh, state, intersecting }, tests)
    }

    /// By triangle, whether it intersects another one: splitting it would add to the number of pairs.
    pub(super) fn crossed(&self) -> Vec<bool> {
        let mut crossed = vec![false; self.mesh.triangles().len()];
        self.intersecting.iter().flatten().for_each(|&triangle| crossed[triangle as usize] = true);
        crossed
    }

    /// Judges an edit of this mesh: the changed mesh with its counts, or why the edit is refused.
    pub(super) fn accept(&self, edit: Edit, work: &RepairWork) -> Result<(Self, Tally), EditRefusal> {
        let worse =
            |kind, before: f64, after: f64| Err(EditRefusal::Worse(Worse { kind, before, after, is_welded: false }));
        let after = Self::new(edit.mesh, work).ok_or(EditRefusal::WorkSpent)?;
        let (old, new) = (&self.state, &after.state);
        if new.open_length > old.open_length * (1.0 + LENGTH_SLACK) {
            return worse("open length", old.open_length, new.open_length);
        }
        let [crossings, crossings_after] = [old, new].map(|state| state.faults.self_intersections);
        if old.complete && !new.complete {
            return worse("self-intersection", crossings as f64, f64::INFINITY);
        }
        if old.complete && crossings_after > crossings {
            return worse("self-intersection", crossings as f64, crossings_after as f64);
        }
        if let (Some(before), Some(after_)) = (old.volume, new.volume) {
            // Orientation may change the sign, and dropped components their share: both state it in the bound.
            let rounding = 1e-12 * old.area.max(new.area) * extent(&self.mesh);
            let bound = edit.change.volume_bound + edit.change.deviation * old.area + rounding;
            if edit.change.triangles_turned == 0 && (before - after_).abs() > bound {
                return worse("volume", before, after_);
            }
        }
        let tally = after.tally(work).ok_or(EditRefusal::WorkSpent)?;
        Ok((after, tally))
    }

    /// The counts that are compared at the end of a repair; `None` if the work does not suffice, which is noted.
    pub(super) fn tally(&self, work: &RepairWork) -> Option<Tally> {
        let MeshState { faults, complete, open_length, .. } = self.state;
        let bound = faults.max(distinct_faults(&Topology::new(&self.mesh), &faults, work)?);
        let plain = Counts { faults, bound, complete, open_length };
        Some(Tally { plain, welded: welded(&self.mesh, plain, work)? })
    }

    /// The order of states, the best one first.
    pub(super) fn rank(&self) -> (bool, f64, usize) {
        (!self.state.is_solid(), self.state.open_length, self.state.faults.self_intersections)
    }
}

/// The counts after the automatic weld; `plain` are those before it. `None` if the work does not suffice.
fn welded(mesh: &TriMesh, plain: Counts, work: &RepairWork) -> Option<Counts> {
    let Ok(solidified) = solidify(mesh.clone(), Weld::Auto) else { return Some(plain) };
    if !solidified.is_changed() && plain.complete {
        return Some(plain);
    }
    let topology = Topology::new(&solidified.mesh);
    let report = count_faults(&topology, work)?;
    let faults = FaultCounts::of(&report);
    Some(Counts {
        faults,
        bound: faults.max(distinct_faults(&topology, &faults, work)?),
        complete: !report.counts.iter().any(|count| count.has_more),
        open_length: open_edges(&topology).1,
    })
}

/// Finds the faults of a mesh; `None` if the work does not suffice, which is noted.
fn count_faults(topology: &Topology, work: &RepairWork) -> Option<Report> {
    let options = CheckOptions { max_faults: 1, ..CheckOptions::without_severity() };
    let max_tests = work.start_check(topology.mesh().triangles().len());
    let (report, tests) = check_within(topology, &options, max_tests);
    work.charge_tests(tests);
    if tests > max_tests {
        work.refuse();
        return None;
    }
    Some(report)
}

/// Counts the faults of the distinct triangles of a mesh with `faults`.
fn distinct_faults(topology: &Topology, faults: &FaultCounts, work: &RepairWork) -> Option<FaultCounts> {
    if faults.duplicate_faces == 0 {
        return Some(*faults);
    }
    let mut seen = BTreeSet::new();
    let numbers = 0..topology.mesh().triangles().len() as u32;
    let distinct = numbers.filter(|&number| {
        let mut corners = topology.corners(number);
        corners.sort_unstable();
        seen.insert(corners)
    });
    let triangles = distinct.map(|number| topology.mesh().triangles()[number as usize]).collect();
    let mesh = TriMesh::from_valid(topology.mesh().vertices().to_vec(), triangles);
    Some(FaultCounts::of(&count_faults(&Topology::new(&mesh), work)?))
}

/// Counts the edges with an odd number of distinct triangles, and sums their lengths: a triangle that is there twice
/// closes no border.
fn open_edges(topology: &Topology) -> (usize, f64) {
    let vertices = topology.mesh().vertices();
    let open = topology.edges().filter(|edge| distinct_degree(topology, edge) % 2 == 1);
    open.fold((0, 0.0), |(count, length), edge| {
        let [a, b] = edge.vertices.map(|vertex| vertices[vertex as usize]);
        (count + 1, length + robust_length(b - a))
    })
}

/// The number of triangles at an edge, where triangles on the same corners count once.
fn distinct_degree(topology: &Topology, edge: &Edge) -> usize {
    let apex = |(half_edge, _): (u32, bool)| topology.origin(previous_in_triangle(half_edge));
    let mut half_edges = edge.half_edges().map(apex);
    if let (Some(first), 2) = (half_edges.next(), edge.degree()) {
        return 1 + usize::from(half_edges.next() != Some(first));
    }
    let mut apexes: Vec<u32> = edge.half_edges().map(apex).collect();
    apexes.sort_unstable();
    apexes.dedup();
    apexes.len()
}

/// The largest coordinate difference of a mesh.
fn extent(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    (bounds.max - bounds.min).max_element()
}
