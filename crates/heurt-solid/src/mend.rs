//! Repair of a mesh to a solid: repair of its faults, the outer hull of what intersects itself, and removal by force.
//!
//! In: a mesh and [`MendOptions`]. Out: [`MendedMesh`]: the mesh, the report of all repairs, and what the hull and the
//! force did.
//! Method: 1. `heurt_mesh::repair`. 2. If the mesh is closed and intersects itself, its [`outer_hull`] takes its place,
//! which is repaired once more. 3. By force only: while the mesh is no solid, its faulty triangles are removed and 1
//! and 2 repeated; in the end pieces that stay open are removed.
//! Guarantees: a hull is used only if it has fewer self-intersections. The result of the force is used only if it is
//! better: a solid, or else a mesh with shorter open borders. The same in every run and for any number of threads.
//! Not guaranteed: that the result is a solid; that a repair by force keeps the shape.
//! Cost: the sum of the repairs, at most [`MAX_FORCED`] times with force.

use crate::{HullOptions, OuterHullError, outer_hull};
use heurt_mesh::repair::{without_faulty_triangles, without_open_pieces};
use heurt_mesh::{Class, RepairError, RepairOptions, RepairReport, Repaired, TriMesh, repair};

/// Rounds of removal by force, at most; each removes one ring around what stays open.
pub const MAX_FORCED: usize = 8;

/// How a mesh is mended.
#[derive(Debug, Clone, PartialEq)]
pub struct MendOptions {
    /// The steps of the repair.
    pub repair: RepairOptions,
    /// Self-intersections are resolved.
    pub resolves: bool,
    /// Faulty triangles are removed while the mesh is no solid.
    pub forces: bool,
    /// New vertices of hulls are rounded to 32-bit numbers.
    pub is_short: bool,
}

impl Default for MendOptions {
    fn default() -> Self {
        Self { repair: RepairOptions::default(), resolves: true, forces: false, is_short: false }
    }
}

/// The outcome for self-intersections.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Resolution {
    /// There were none, the mesh is not closed, or they were to be left.
    #[default]
    Unneeded,
    /// The outer hull took the place of the mesh.
    Resolved {
        /// The number of pairs of triangles that intersected.
        pairs: usize,
    },
    /// There is no hull.
    Failed(OuterHullError),
}

/// The changes of a repair by force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Forced {
    /// Rounds of removal.
    pub rounds: usize,
    /// Triangles that were removed.
    pub removed: usize,
}

/// A mended mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct MendedMesh {
    /// The mesh.
    pub mesh: TriMesh,
    /// The state before and after, the steps of all repairs, and what is left.
    pub report: RepairReport,
    /// The outcome for self-intersections.
    pub resolution: Resolution,
    /// The changes by force; `None` if it was not needed, not allowed, or of no use.
    pub forced: Option<Forced>,
}

impl MendedMesh {
    /// Reports whether the mesh differs from the input.
    pub fn has_changed(&self) -> bool {
        self.report.has_changed() || self.forced.is_some() || matches!(self.resolution, Resolution::Resolved { .. })
    }
}

/// Mends a mesh.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_mesh::{TriMesh, generate};
/// use heurt_solid::{MendOptions, mend};
/// let cube = generate::cuboid([1.0; 3])?;
/// let moved: Vec<Vec3> = cube.vertices().iter().map(|v| *v + 1.0).collect();
/// let both = TriMesh::merged([&cube, &TriMesh::new(moved, cube.triangles().to_vec())?])?;
/// let mended = mend(&both, &MendOptions::default())?;
/// assert!(mended.report.is_solid());
/// assert!((mended.report.after.volume.ok_or("it is closed")? - 15.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`RepairError`] on an option that is out of range, and on a tolerance larger than a wall of an open mesh.
pub fn mend(mesh: &TriMesh, options: &MendOptions) -> Result<MendedMesh, RepairError> {
    let mended = resolve(repair(mesh, &options.repair)?, options)?;
    if !options.forces || mended.report.is_solid() {
        return Ok(mended);
    }
    force(mended, options)
}

/// Replaces a closed mesh that intersects itself by its hull.
fn resolve(repaired: Repaired, options: &MendOptions) -> Result<MendedMesh, RepairError> {
    let Repaired { mesh, report } = repaired;
    let is_crossed = report.after.class == Class::SelfIntersecting || report.after.faults.duplicate_faces > 0;
    if !options.resolves || !report.after.class.is_closed() || !is_crossed {
        return Ok(MendedMesh { mesh, report, resolution: Resolution::Unneeded, forced: None });
    }
    let hull = match outer_hull(&mesh, HullOptions { is_short: options.is_short }) {
        Ok(hull) => hull,
        Err(error) => return Ok(MendedMesh { mesh, report, resolution: Resolution::Failed(error), forced: None }),
    };
    let again = repair(&hull.mesh, &options.repair)?;
    let faults = |report: &RepairReport| report.after.faults.self_intersections + report.after.faults.duplicate_faces;
    if !again.report.after.class.is_closed() || faults(&again.report) >= faults(&report) {
        let resolution = Resolution::Failed(OuterHullError::Rounded { pairs: faults(&again.report) });
        return Ok(MendedMesh { mesh, report, resolution, forced: None });
    }
    let resolution = Resolution::Resolved { pairs: hull.pairs };
    Ok(MendedMesh { mesh: again.mesh, report: report.then(again.report), resolution, forced: None })
}

/// Removes faulty triangles and mends what is left, as long as that is of use.
fn force(mended: MendedMesh, options: &MendOptions) -> Result<MendedMesh, RepairError> {
    let mut forced = Forced::default();
    let mut now = mended.clone();
    let mut best: Option<MendedMesh> = None;
    while forced.rounds < MAX_FORCED && !now.report.is_solid() {
        let Some(cut) = cut(&now.mesh, forced.rounds) else { break };
        forced.rounds += 1;
        forced.removed += now.mesh.triangles().len() - cut.triangles().len();
        let next = resolve(repair(&cut, &options.repair)?, options)?;
        let before = now.report.clone();
        now = MendedMesh { report: before.then(next.report), forced: Some(forced), ..next };
        if rank(&now) < rank(best.as_ref().unwrap_or(&mended)) {
            best = Some(now.clone());
        }
    }
    let mut result = best.unwrap_or(mended);
    result.report.is_forced = true;
    Ok(result)
}

/// Removes what a round of force removes: open pieces at first and at last, then faulty triangles, then rings as well.
fn cut(mesh: &TriMesh, round: usize) -> Option<TriMesh> {
    let pieces = || without_open_pieces(mesh);
    let faulty = || without_faulty_triangles(mesh, false);
    let rings = || without_faulty_triangles(mesh, true);
    match round {
        0 => pieces().or_else(faulty).or_else(rings),
        1 => faulty().or_else(rings),
        _ if round + 1 < MAX_FORCED => rings(),
        _ => pieces(),
    }
}

/// The order of results, the best one first.
fn rank(mended: &MendedMesh) -> (bool, f64, usize) {
    let after = &mended.report.after;
    (!mended.report.is_solid(), after.open_length, after.faults.total())
}
