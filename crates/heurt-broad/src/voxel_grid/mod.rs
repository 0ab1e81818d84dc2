//! A uniform grid of voxels over the faces of many objects: which faces of different objects share a voxel?
//!
//! In: the box of the environment, a voxel size, triangles in world coordinates in metres; those of objects that never
//! move once, the others at each step. Out: candidate pairs of faces, each once a step, to a closure that decides them.
//! Method: S2 §3. A face is in the list of every voxel that it passes through ([`Fill`]), or comes within a margin Δl =
//! V_max·Δt of (S2 §7). Lists of moving faces carry the step they belong to, and an older one counts as empty: nothing
//! is ever cleared. Static lists are sorted into one array once. Where ours differs: only the voxels of moving faces
//! are looked at, object by object, each against the lists of the objects before it, so that no list of an object's own
//! faces is walked; and a pair is handed over at its first common voxel only, by a mark that the other face keeps of
//! the last face that met it (this works for any way of filling, while rules such as "the least common voxel of both
//! boxes" need lists filled by boxes). Faces outside the environment are in the voxels at its border. A face that
//! covers very many voxels is in none: it is compared with all others.
//! Guarantees: two faces of different objects, not both static, that share a point anywhere within their margins are
//! handed over exactly once; with [`Fill::Box`] on both sides, all whose boxes, grown by the margins, share a point.
//! Memory is bounded: 16 bytes a voxel of at most 2²⁶, 4 to 12 bytes an entry of at most 2²⁶ of a kind. Same input,
//! same pairs in the same order.
//! Not guaranteed: that a pair handed over meets. Cost: O(voxels covered by moving faces + entries found there).

mod cell_space;
mod error;
mod faces;
mod pairs;
mod triangle_box;

use cell_space::CellSpace;
pub use error::VoxelGridError;
use faces::FaceSet;
use heurt_geometry::{Aabb, Triangle};
pub use pairs::VoxelWork;

/// A face of an object, both by the numbers that the caller gave them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId {
    /// The object.
    pub object: u32,
    /// The place of the face in what was added of the object in one call.
    pub face: u32,
}

/// Which voxels a face is listed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fill {
    /// All voxels of its box: quickest to fill.
    #[default]
    Box,
    /// Only voxels that it passes through, by separating axes: shorter lists for the price of a test a voxel. For large
    /// slanted faces, and for static ones, which pay it once.
    Exact,
}

/// How a grid works.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelGridOptions {
    /// The side of a voxel in metres; [`propose_voxel_size`] has a proposal.
    pub voxel_size: f64,
    /// Which voxels static faces are listed in.
    pub static_fill: Fill,
    /// Which voxels moving faces are listed in.
    pub moving_fill: Fill,
    /// Dismiss pairs of faces in a common voxel whose boxes, grown by the margins, are disjoint. S2 does not.
    pub compare_boxes: bool,
}

impl VoxelGridOptions {
    /// Filling by boxes, and comparing them, with voxels of `voxel_size` metres.
    pub fn new(voxel_size: f64) -> Self {
        Self { voxel_size, static_fill: Fill::Box, moving_fill: Fill::Box, compare_boxes: true }
    }
}

/// What one voxel holds: 16 bytes that are read together.
#[derive(Debug, Clone, Copy, Default)]
struct VoxelCell {
    /// The step that the moving list is of.
    stamp: u32,
    /// The first entry of the moving list.
    head: u32,
    /// Where the static list begins and ends.
    begin: u32,
    end: u32,
}

/// The grid: see the [module](self).
///
/// ```
/// use heurt_broad::{VoxelGrid, VoxelGridOptions};
/// use heurt_geometry::{Aabb, Vec3};
///
/// let bounds = Aabb { min: Vec3::ZERO, max: Vec3::splat(10.0) };
/// let floor = [[Vec3::ZERO, Vec3::X * 10.0, Vec3::Y * 10.0]];
/// let mut grid = VoxelGrid::new(&bounds, VoxelGridOptions::new(1.0))?;
/// grid.add_static(0, floor, 0.0)?;
/// for height in [3.5, 0.5] {
///     let falling = [[Vec3::ZERO, Vec3::X, Vec3::Y].map(|p| p + Vec3::new(2.0, 2.0, height))];
///     grid.begin_step();
///     grid.add_moving(1, falling, 0.6)?; // up to 0.6 m a step
///     let mut candidates = 0;
///     grid.for_each_pair(|floor, falling| {
///         assert_eq!((floor.object, falling.object), (0, 1));
///         candidates += 1;
///     });
///     assert_eq!(candidates, if height < 1.0 { 1 } else { 0 });
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct VoxelGrid {
    space: CellSpace,
    options: VoxelGridOptions,
    cells: Vec<VoxelCell>,
    fixed: FaceSet,
    /// Static faces, voxel by voxel.
    items: Vec<u32>,
    items_are_stale: bool,
    moving: FaceSet,
    /// The moving lists: a face and the entry after it.
    links: Vec<(u32, u32)>,
    step: u32,
    visit: u32,
}

impl VoxelGrid {
    /// Makes an empty grid over `bounds`, in metres.
    ///
    /// # Errors
    /// [`VoxelGridError`] on bounds or a voxel size that are no such thing, or more than 2²⁶ voxels.
    pub fn new(bounds: &Aabb, options: VoxelGridOptions) -> Result<Self, VoxelGridError> {
        let space = CellSpace::new(bounds, options.voxel_size)?;
        let cells = vec![VoxelCell::default(); space.len()];
        Ok(Self {
            space,
            options,
            cells,
            fixed: FaceSet::new(faces::MAX_STATIC_SPAN),
            items: Vec::new(),
            items_are_stale: false,
            moving: FaceSet::new(faces::MAX_MOVING_SPAN),
            links: Vec::new(),
            step: 0,
            visit: 0,
        })
    }

    /// Voxels along each axis.
    pub fn dims(&self) -> [u32; 3] {
        self.space.dims()
    }

    /// Adds faces that never move, for all steps to come. `margin` in metres is by how much they may be off: usually 0.
    ///
    /// # Errors
    /// [`VoxelGridError`] names the offending face; nothing of the call is then kept.
    pub fn add_static(
        &mut self,
        object: u32,
        faces: impl IntoIterator<Item = Triangle>,
        margin: f64,
    ) -> Result<(), VoxelGridError> {
        self.items_are_stale = true;
        self.fixed.add(&self.space, self.options.static_fill, object, faces, margin)
    }

    /// Forgets the moving faces of the step before.
    pub fn begin_step(&mut self) {
        self.moving.clear();
    }

    /// Adds the faces of an object where they are now. `margin` in metres is how far any of them may get until the next
    /// step, V_max·Δt, or 0.
    ///
    /// # Errors
    /// [`VoxelGridError`] names the offending face; nothing of the call is then kept.
    pub fn add_moving(
        &mut self,
        object: u32,
        faces: impl IntoIterator<Item = Triangle>,
        margin: f64,
    ) -> Result<(), VoxelGridError> {
        self.moving.add(&self.space, self.options.moving_fill, object, faces, margin)
    }

    /// How many voxels static and moving faces are listed in, over how many faces.
    pub fn entries(&self) -> VoxelEntries {
        let count = |set: &FaceSet| (set.cells.len(), set.ids.len());
        let ((static_entries, static_faces), (moving_entries, moving_faces)) =
            (count(&self.fixed), count(&self.moving));
        VoxelEntries { static_faces, static_entries, moving_faces, moving_entries }
    }
}

/// How often faces are listed: the duplication that S2 §3 warns of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VoxelEntries {
    /// Faces that never move.
    pub static_faces: usize,
    /// Their entries in voxels.
    pub static_entries: usize,
    /// Faces of this step.
    pub moving_faces: usize,
    /// Their entries in voxels.
    pub moving_entries: usize,
}

/// Proposes a voxel size: the mean of the longest sides of the faces' boxes, "close to the size of the faces" (S2 §3);
/// `None` when that is no positive number. Half and twice of it are worth a try.
pub fn propose_voxel_size(faces: impl IntoIterator<Item = Triangle>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u64);
    for face in faces {
        sum += (2.0 * Aabb::from_points(face).half_extents()).max_element();
        count += 1;
    }
    let mean = sum / count as f64;
    (mean.is_finite() && mean > 0.0).then_some(mean)
}
