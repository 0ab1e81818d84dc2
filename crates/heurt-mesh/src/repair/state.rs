//! Comparison of a mesh before and after a step, so that no step makes it worse.
//!
//! In: a mesh, and an edit of it. Out: the edited mesh, or the first quantity that got worse.
//! Method: faults come from `check`. Hard quantities must not get worse in any step: the length of the open edges, the
//! number of self-intersections, the volume beyond the bound that the step states. Soft ones may get worse in a step if
//! a later step mends them: the numbers of the other faults. The caller compares all of them at the end.
//! Cost: that of `check`.

use super::edit::Edit;
use super::report::{FaultCounts, MeshState, Worse};
use crate::check::{CheckOptions, Fault, check_over};
use crate::{Topology, TriMesh, measures_over};

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

impl Judged {
    /// Finds the faults of a mesh.
    pub(super) fn new(mesh: TriMesh) -> Self {
        let topology = Topology::new(&mesh);
        let options = CheckOptions {
            max_self_intersections: MAX_SELF_INTERSECTIONS,
            max_faults: MAX_SELF_INTERSECTIONS,
            ..CheckOptions::default()
        };
        let report = check_over(&topology, &options);
        let measures = measures_over(&topology);
        let faults = FaultCounts::of(&report);
        let intersecting = report.faults.iter().filter_map(|fault| match fault {
            Fault::SelfIntersection { triangles } => Some(*triangles),
            _ => None,
        });
        let intersecting = intersecting.collect();
        let odd = topology.edges().filter(|edge| edge.degree() % 2 == 1);
        let (mut open_edges, mut open_length) = (0, 0.0);
        for edge in odd {
            let [a, b] = edge.vertices.map(|vertex| mesh.vertices()[vertex as usize]);
            open_edges += 1;
            open_length += (b - a).length();
        }
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
        Self { mesh, state, intersecting }
    }

    /// By triangle, whether it intersects another one: splitting it would add to the number of pairs.
    pub(super) fn crossed(&self) -> Vec<bool> {
        let mut crossed = vec![false; self.mesh.triangles().len()];
        self.intersecting.iter().flatten().for_each(|&triangle| crossed[triangle as usize] = true);
        crossed
    }

    /// Judges an edit of this mesh: the changed mesh, or the hard quantity that got worse.
    pub(super) fn accept(&self, edit: Edit) -> Result<Self, Worse> {
        let after = Self::new(edit.mesh);
        let (old, new) = (&self.state, &after.state);
        let worse = |kind, before: f64, after: f64| Err(Worse { kind, before, after });
        if new.open_length > old.open_length * (1.0 + LENGTH_SLACK) {
            return worse("open length", old.open_length, new.open_length);
        }
        let [crossings, crossings_after] = [old, new].map(|state| state.faults.self_intersections);
        if old.complete && (crossings_after > crossings || !new.complete) {
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
        Ok(after)
    }

    /// The first kind of fault that is worse than before, soft ones included.
    pub(super) fn worse_than(&self, before: &Self) -> Option<Worse> {
        let (old, new) = (before.state.faults.by_kind(), self.state.faults.by_kind());
        let pairs = old.iter().zip(&new);
        // A long border that was closed in places may have become several short ones.
        let mut kinds = pairs.filter(|((kind, _), _)| !["hole", "self-intersection"].contains(kind));
        let (&(kind, old), &(_, new)) = kinds.find(|((_, old), (_, new))| new > old)?;
        Some(Worse { kind, before: old as f64, after: new as f64 })
    }
}

/// The largest coordinate difference of a mesh.
fn extent(mesh: &TriMesh) -> f64 {
    let bounds = mesh.bounds();
    (bounds.max - bounds.min).max_element()
}
