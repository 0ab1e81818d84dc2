//! Uniform voxel grid over the faces of many objects: finds the faces of different objects that share a voxel.
//!
//! In: the box of the environment, a voxel size, triangles in world coordinates in metres; triangles of static objects
//! once, all others at each step. Out: candidate pairs of faces, each once a step, to a closure.
//! Method: S2 §3. A face is in the list of every voxel that it passes through ([`Fill`]), or comes within a margin Δl =
//! V_max·Δt of (S2 §7). Lists of moving faces carry the step they belong to, and an older list counts as empty, so no
//! list is ever cleared. Static lists are sorted into one array once. Differences from the source: only the voxels of
//! moving faces are visited, object by object. Each is compared with the lists of the objects before it, so no list of
//! an object's own faces is traversed. A pair is reported at its first common voxel only, by a mark: the listed face
//! stores the last face that met it. This works for any fill method, while rules such as "the least common voxel of
//! both boxes" need lists filled by boxes. Faces outside the environment are in the voxels at its border. A face that
//! covers very many voxels is in none: it is compared with all others.
//! Guarantees: two faces of different objects, not both static, that share a point anywhere within their margins are
//! reported exactly once; with [`Fill::Box`] on both sides, all pairs whose boxes, grown by the margins, share a point.
//! Memory is bounded: 16 bytes a voxel of at most 2²⁶, 4 to 12 bytes an entry of at most 2²⁶ of a kind. Same input,
//! same pairs in the same order.
//! Not guaranteed: that a reported pair meets. Cost: O(voxels covered by moving faces + entries found there).

mod cell_space;
mod draw;
mod error;
mod faces;
mod pairs;
mod triangle_box;

use cell_space::CellSpace;
pub use error::VoxelGridError;
use faces::FaceSet;
use heurt_geometry::{Aabb, Triangle};
pub use pairs::VoxelWork;

/// A face of an object, both by numbers given by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceId {
    /// The object.
    pub object: u32,
    /// The index of the face among the faces of the object added in one call.
    pub face: u32,
}

/// Selection of the voxels in which a face is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fill {
    /// All voxels of its box: fastest to fill.
    #[default]
    Box,
    /// Only voxels that it passes through, by separating axes: shorter lists at the cost of a test a voxel. For large
    /// slanted faces, and for static faces, which are tested once.
    Exact,
}

/// Options of a grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelGridOptions {
    /// The side of a voxel in metres; [`propose_voxel_size`] has a proposal.
    pub voxel_size: f64,
    /// Voxels in which static faces are listed.
    pub static_fill: Fill,
    /// Voxels in which moving faces are listed.
    pub moving_fill: Fill,
    /// Whether to dismiss pairs of faces in a common voxel whose boxes, grown by the margins, are disjoint. S2 does
    /// not.
    pub compare_boxes: bool,
}

impl VoxelGridOptions {
    /// Returns options with box filling and box comparison, and voxels of `voxel_size` metres.
    pub fn new(voxel_size: f64) -> Self {
        Self { voxel_size, static_fill: Fill::Box, moving_fill: Fill::Box, compare_boxes: true }
    }
}

/// The lists of one voxel: 16 bytes that are read together.
#[derive(Debug, Clone, Copy, Default)]
struct VoxelCell {
    /// The step of the moving list.
    stamp: u32,
    /// The first entry of the moving list.
    head: u32,
    /// Start and end of the static list.
    begin: u32,
    end: u32,
}

/// A uniform voxel grid: see the [module](self).
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
    /// Creates an empty grid over `bounds`, in metres.
    ///
    /// # Errors
    /// [`VoxelGridError`] for invalid bounds or an invalid voxel size, or for more than 2²⁶ voxels.
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

    /// Returns the number of voxels along each axis.
    pub fn dims(&self) -> [u32; 3] {
        self.space.dims()
    }

    /// Adds faces that never move, for all later steps. `margin` is their position tolerance in metres, usually 0.
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

    /// Clears the moving faces of the previous step.
    pub fn begin_step(&mut self) {
        self.moving.clear();
    }

    /// Adds the present faces of an object. `margin` is the maximum motion in metres of any of them until the next
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

    /// Returns the number of faces and of their entries in voxels, for static and moving faces.
    pub fn entries(&self) -> VoxelEntries {
        let count = |set: &FaceSet| (set.cells.len(), set.ids.len());
        let ((static_entries, static_faces), (moving_entries, moving_faces)) =
            (count(&self.fixed), count(&self.moving));
        VoxelEntries { static_faces, static_entries, moving_faces, moving_entries }
    }
}

/// Duplication of faces in lists, of which S2 §3 warns.
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
