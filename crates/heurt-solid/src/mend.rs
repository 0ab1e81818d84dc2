//! Repair of a mesh to a solid: repair of its faults, the outer hull of what intersects itself, and removal by force.
//!
//! In: a mesh and [`MendOptions`]. Out: [`MendedMesh`]: the mesh, the report of all repairs, and what the hull and the
//! force did.
//! Method: 1. `heurt_mesh::repair`. 2. If the mesh is closed and intersects itself, its [`outer_hull`] takes its place,
//! which is repaired once more. 3. By force only: while the mesh is no solid, its faulty triangles are removed and 1
//! and 2 repeated; in the end pieces that stay open are removed. If there are such pieces at first, a second attempt
//! removes them at once; of two results of one rank, less lost area decides.
//! Guarantees: a hull is used only if it has fewer self-intersections and no kind of fault is more frequent. The result
//! of the force is used only if it is better: a solid, or else a mesh with shorter open borders. At least half of the
//! largest piece stays, by the area at its vertices. The same in every run and for any number of threads.
//! Not guaranteed: that the result is a solid; that a repair by force keeps the shape.
//! Cost: the sum of the repairs, at most twice [`MAX_FORCED`] times with force.

use std::collections::{BTreeMap, HashSet};

use crate::{HullOptions, OuterHullError, outer_hull};
use heurt_geometry::Vec3;
use heurt_mesh::repair::{MeshState, Worse, largest_piece, without_faulty_triangles, without_open_pieces};
use heurt_mesh::{Class, RepairError, RepairOptions, RepairReport, Repaired, TriMesh, measures, repair};

/// Rounds of removal by force, at most; each removes one ring around what stays open.
pub const MAX_FORCED: usize = 8;

/// Times that a mesh is rounded and mended, at most: a repair moves vertices only where bodies touch.
const MAX_ROUNDINGS: usize = 3;

/// How a mesh is mended.
#[derive(Debug, Clone, PartialEq)]
pub struct MendOptions {
    /// The steps of the repair.
    pub repair: RepairOptions,
    /// Self-intersections are resolved.
    pub resolves: bool,
    /// Faulty triangles are removed while the mesh is no solid.
    pub forces: bool,
    /// The result holds for a file of 32-bit coordinates: the mesh is rounded, and repaired again where that breaks it.
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
    /// The hull was not used because it made a kind of fault worse.
    Undone(Worse),
}

impl Resolution {
    /// Joins this outcome with the outcome for the mesh after a later repair, which may be crossed still.
    #[must_use]
    pub fn then(self, later: Self, is_crossed: bool) -> Self {
        match (self, later) {
            (Self::Resolved { pairs }, Self::Resolved { pairs: more }) => Self::Resolved { pairs: pairs + more },
            (first @ Self::Resolved { .. }, _) => first,
            (Self::Unneeded, later) => later,
            // The triangles that intersected may be gone.
            (first, Self::Unneeded) if is_crossed => first,
            (_, later) => later,
        }
    }
}

/// Tests whether triangles of a mesh intersect or lie on each other.
fn is_crossed(state: &MeshState) -> bool {
    state.faults.self_intersections + state.faults.duplicate_faces > 0
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
    /// The mesh is no solid after rounding to 32 bits, but would be one in 64 bits.
    pub is_broken_by_rounding: bool,
}

impl MendedMesh {
    fn new(mesh: TriMesh, report: RepairReport, resolution: Resolution, forced: Option<Forced>) -> Self {
        Self { mesh, report, resolution, forced, is_broken_by_rounding: false }
    }

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
    let mended = mend_once(mesh, options)?;
    if !options.is_short {
        return Ok(mended);
    }
    let rounded = round(mended, options);
    let in_64_bits = || mend_once(mesh, &MendOptions { is_short: false, ..options.clone() });
    let is_broken_by_rounding = !rounded.report.is_solid() && in_64_bits().is_ok_and(|mended| mended.report.is_solid());
    Ok(MendedMesh { is_broken_by_rounding, ..rounded })
}

/// Mends a mesh in 64-bit coordinates.
fn mend_once(mesh: &TriMesh, options: &MendOptions) -> Result<MendedMesh, RepairError> {
    let mended = resolve(repair(mesh, &options.repair)?, options)?;
    if !options.forces || mended.report.is_solid() {
        return Ok(mended);
    }
    force(mended, options)
}

/// Rounds a mended mesh to 32-bit coordinates and mends what that breaks.
fn round(mut mended: MendedMesh, options: &MendOptions) -> MendedMesh {
    let repair = options.repair.clone().only(&[]);
    let only_counts = MendOptions { repair, resolves: false, forces: false, is_short: true };
    for rounding in 0..=MAX_ROUNDINGS {
        // A coordinate beyond the range is an error when the file is written.
        let Ok(rounded) = mended.mesh.rounded_to_f32() else { break };
        if rounded.vertices() == mended.mesh.vertices() {
            break;
        }
        let again = mend_once(&rounded, if rounding < MAX_ROUNDINGS { options } else { &only_counts });
        let Ok(again) = again.or_else(|_| mend_once(&rounded, &only_counts)) else { break };
        let resolution = mended.resolution.then(again.resolution, is_crossed(&again.report.after));
        let forced = again.forced.or(mended.forced);
        mended = MendedMesh::new(again.mesh, mended.report.then(again.report), resolution, forced);
        if forced.is_some() {
            mended.report.mark_forced();
        }
    }
    mended
}

/// Replaces a closed mesh that intersects itself by its hull.
fn resolve(repaired: Repaired, options: &MendOptions) -> Result<MendedMesh, RepairError> {
    let Repaired { mesh, report } = repaired;
    let is_crossed = report.after.class == Class::SelfIntersecting || report.after.faults.duplicate_faces > 0;
    if !options.resolves || !report.after.class.is_closed() || !is_crossed {
        return Ok(MendedMesh::new(mesh, report, Resolution::Unneeded, None));
    }
    let hull = match outer_hull(&mesh, HullOptions { is_short: options.is_short }) {
        Ok(hull) => hull,
        Err(error) => return Ok(MendedMesh::new(mesh, report, Resolution::Failed(error), None)),
    };
    let again = repair(&hull.mesh, &options.repair)?;
    let faults = |report: &RepairReport| report.after.faults.self_intersections + report.after.faults.duplicate_faces;
    // An opened hull would have more holes, or more edges whose triangles disagree, than the closed mesh: it is undone.
    let failure = if faults(&again.report) >= faults(&report) {
        Some(Resolution::Failed(OuterHullError::Rounded { pairs: faults(&again.report) }))
    } else {
        again.report.after.worse_than(&report.after).map(Resolution::Undone)
    };
    if let Some(resolution) = failure {
        return Ok(MendedMesh::new(mesh, report, resolution, None));
    }
    let resolution = Resolution::Resolved { pairs: hull.pairs };
    Ok(MendedMesh::new(again.mesh, report.then(again.report), resolution, None))
}

/// The places of the vertices of the largest piece of a mesh, each with the area of the triangles at it.
struct LargestPiece(BTreeMap<[u64; 3], f64>);

impl LargestPiece {
    fn of(mesh: &TriMesh) -> Self {
        let mut areas = BTreeMap::new();
        if let Some(piece) = largest_piece(mesh) {
            for (number, corners) in (0..).zip(piece.triangles()) {
                let [a, b, c] = piece.corners(number);
                let area = (b - a).cross(c - a).length();
                corners.iter().for_each(|&corner| *areas.entry(place_in(&piece, corner)).or_default() += area);
            }
        }
        Self(areas)
    }

    /// Tests whether the vertices that a mesh still uses have at least half of the area.
    fn is_kept_in(&self, mesh: &TriMesh) -> bool {
        let used: HashSet<[u64; 3]> = mesh.triangles().iter().flatten().map(|&corner| place_in(mesh, corner)).collect();
        let (mut lost, mut kept) = (0.0, 0.0);
        for (place, area) in &self.0 {
            *if used.contains(place) { &mut kept } else { &mut lost } += area;
        }
        kept >= lost
    }
}

/// The place of a vertex; both zeros are one place.
fn place_in(mesh: &TriMesh, vertex: u32) -> [u64; 3] {
    (mesh.vertices()[vertex as usize] + Vec3::ZERO).to_array().map(f64::to_bits)
}

/// A result of force, and the area that was removed in all rounds.
struct ForceAttempt {
    mended: MendedMesh,
    lost_area: f64,
}

/// Removes faulty triangles and mends what is left, as long as that is of use.
fn force(mended: MendedMesh, options: &MendOptions) -> Result<MendedMesh, RepairError> {
    let mut best = attempt(&mended, options, false)?;
    if without_open_pieces(&mended.mesh).is_some() {
        // A scrap in front of a hole goes at a lower cost than a ring around the hole.
        let other = attempt(&mended, options, true)?;
        let order = |attempt: &ForceAttempt| (rank(&attempt.mended), attempt.lost_area);
        best = match (best, other) {
            (Some(best), Some(other)) if order(&other) < order(&best) => Some(other),
            (best, other) => best.or(other),
        };
    }
    let mut result = best.map_or(mended, |attempt| attempt.mended);
    result.report.mark_forced();
    Ok(result)
}

/// Removes and mends, round by round; returns the best result if it is better than the given one.
fn attempt(
    mended: &MendedMesh,
    options: &MendOptions,
    drops_pieces: bool,
) -> Result<Option<ForceAttempt>, RepairError> {
    let (mut forced, mut lost_area) = (Forced::default(), 0.0);
    let mut now = mended.clone();
    let mut best: Option<ForceAttempt> = None;
    let largest = LargestPiece::of(&mended.mesh);
    while forced.rounds < MAX_FORCED && !now.report.is_solid() {
        let Some(cut) = cut(&now.mesh, forced.rounds, drops_pieces) else { break };
        forced.rounds += 1;
        forced.removed += now.mesh.triangles().len() - cut.triangles().len();
        lost_area += now.report.after.area - measures(&cut).area;
        let next = resolve(repair(&cut, &options.repair)?, options)?;
        let MendedMesh { report, resolution, .. } = now;
        let resolution = resolution.then(next.resolution, is_crossed(&next.report.after));
        now = MendedMesh::new(next.mesh, report.then(next.report), resolution, Some(forced));
        if !largest.is_kept_in(&now.mesh) {
            break;
        }
        if rank(&now) < rank(best.as_ref().map_or(mended, |best| &best.mended)) {
            best = Some(ForceAttempt { mended: now.clone(), lost_area });
        }
    }
    Ok(best)
}

/// Removes what a round of force removes: faulty triangles, then rings as well, and open pieces at last or, if wanted,
/// at first.
fn cut(mesh: &TriMesh, round: usize, drops_pieces: bool) -> Option<TriMesh> {
    let pieces = || without_open_pieces(mesh);
    let faulty = || without_faulty_triangles(mesh, false);
    let rings = || without_faulty_triangles(mesh, true);
    match round {
        0 if drops_pieces => pieces(),
        0 | 1 => faulty().or_else(rings).or_else(pieces),
        _ if round + 1 < MAX_FORCED => rings().or_else(pieces),
        _ => pieces(),
    }
}

/// The order of results, the best one first.
fn rank(mended: &MendedMesh) -> (bool, f64, usize) {
    let after = &mended.report.after;
    (!mended.report.is_solid(), after.open_length, after.faults.total())
}

#[cfg(test)]
mod tests {
    use super::{MendOptions, Resolution, mend};
    use crate::OuterHullError;
    use heurt_geometry::Vec3;
    use heurt_mesh::{RepairOptions, TriMesh, generate};

    #[test]
    fn outcomes_of_two_repairs_are_joined() {
        let resolved = |pairs| Resolution::Resolved { pairs };
        let failed = || Resolution::Failed(OuterHullError::TooMany);
        assert_eq!(resolved(2).then(resolved(3), false), resolved(5));
        assert_eq!(resolved(2).then(failed(), true), resolved(2));
        assert_eq!(Resolution::Unneeded.then(resolved(3), false), resolved(3));
        assert_eq!(failed().then(Resolution::Unneeded, true), failed(), "still crossed");
        assert_eq!(failed().then(Resolution::Unneeded, false), Resolution::Unneeded, "removed by force");
    }

    #[test]
    fn a_hull_with_more_faults_is_undone() {
        // Two cubes touch along a part of an edge: four faces of the hull meet there, and no step separates them.
        let cube = generate::cuboid([0.5; 3]).unwrap();
        let moved = cube.vertices().iter().map(|vertex| *vertex * Vec3::new(1.0, 1.0, 0.5) + Vec3::new(1.0, 1.0, 0.0));
        let other = TriMesh::new(moved.collect(), cube.triangles().to_vec()).unwrap();
        let both = TriMesh::merged([&cube, &other]).unwrap();
        let repair = RepairOptions::default().only(&[]);
        let mended = mend(&both, &MendOptions { repair, ..MendOptions::default() }).unwrap();
        let Resolution::Undone(worse) = &mended.resolution else { panic!("{:?}", mended.resolution) };
        assert!(worse.to_string().contains("non-manifold-edge"), "{worse}");
        assert_eq!(mended.mesh, both);
        let mended = mend(&both, &MendOptions::default()).unwrap();
        assert!(mended.report.is_solid() && matches!(mended.resolution, Resolution::Resolved { .. }));
    }

    #[test]
    fn a_solid_that_32_bits_break_is_named() {
        // Two cubes with a gap that 32 bits close; no step unites them.
        let cube = generate::cuboid([0.5; 3]).unwrap();
        let moved = cube.vertices().iter().map(|vertex| 0.5 * *vertex + Vec3::X * (0.75 + 1e-9));
        let other = TriMesh::new(moved.collect(), cube.triangles().to_vec()).unwrap();
        let both = TriMesh::merged([&cube, &other]).unwrap();
        let mended =
            |resolves, is_short| mend(&both, &MendOptions { resolves, is_short, ..MendOptions::default() }).unwrap();
        assert!(mended(false, false).report.is_solid() && !mended(false, false).is_broken_by_rounding);
        assert!(mended(false, true).is_broken_by_rounding && !mended(false, true).report.is_solid());
        // The hull unites what touches.
        assert!(mended(true, true).report.is_solid() && !mended(true, true).is_broken_by_rounding);
    }

    #[test]
    fn a_mesh_for_a_short_file_holds_after_rounding() {
        // Balls that cross, of coordinates that 32 bits round.
        let ball = generate::icosphere(1.0 / 3.0, 3).unwrap();
        let moved = |by: Vec3| {
            let vertices = ball.vertices().iter().map(|vertex| *vertex + by).collect();
            TriMesh::new(vertices, ball.triangles().to_vec()).unwrap()
        };
        let both = TriMesh::merged([&moved(Vec3::ZERO), &moved(Vec3::new(0.31, 0.07, 0.013))]).unwrap();
        let mended = mend(&both, &MendOptions { is_short: true, ..MendOptions::default() }).unwrap();
        assert!(mended.report.is_solid() && matches!(mended.resolution, Resolution::Resolved { .. }));
        assert_eq!(mended.mesh.rounded_to_f32().unwrap().vertices(), mended.mesh.vertices());
    }
}
