//! Faces and the voxels in which each face is listed.
//!
//! In: triangles. Out: for each an identity, a box with a mark, and a run of voxels.
//! Guarantees: adding an object succeeds whole or changes nothing.

use super::cell_space::{CellSpace, VoxelRange};
use super::triangle_box::VoxelTest;
use super::{FaceId, Fill, VoxelGridError};
use heurt_geometry::{Triangle, Vec3};

/// A static face in more voxels than this is compared with every moving face instead.
pub(super) const MAX_STATIC_SPAN: u64 = 1 << 16;
/// A moving face in more voxels than this is compared with every other face instead: listing it would cost more.
pub(super) const MAX_MOVING_SPAN: u64 = 1 << 12;
/// Maximum number of faces of a kind.
const MAX_FACES: usize = 1 << 28;
/// Maximum number of entries of a kind.
const MAX_ENTRIES: usize = 1 << 26;

/// Data tested for each listed face, in half a cache line: its mark, its object, its box.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceRecord {
    /// The last visit that met this face.
    pub mark: u32,
    pub object: u32,
    low: [f32; 3],
    high: [f32; 3],
}

impl FaceRecord {
    /// Stores a local box in `f32`. Rounding is monotone, which suffices: a number that is not above another before
    /// rounding is not above it after.
    fn new(object: u32, low: Vec3, high: Vec3) -> Self {
        let single = |p: Vec3| p.to_array().map(|x| x as f32);
        Self { mark: 0, object, low: single(low), high: single(high) }
    }

    /// Reports whether the boxes share a point.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Without a branch for each axis, which would be unpredictable.
        let axis = |i: usize| (self.low[i] <= other.high[i]) & (other.low[i] <= self.high[i]);
        axis(0) & axis(1) & axis(2)
    }
}

/// The faces of one call, all of one object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// One past its last face.
    pub end_face: u32,
    /// One past the object's last face that is in no voxel, as an index into `large`.
    pub end_large: u32,
}

/// Faces in the order they were added.
#[derive(Debug, Clone)]
pub(super) struct FaceSet {
    max_span: u64,
    pub ids: Vec<FaceId>,
    pub records: Vec<FaceRecord>,
    /// One past the last entry of each face in `cells`.
    pub ends: Vec<u32>,
    /// The voxels of all faces, face by face.
    pub cells: Vec<u32>,
    /// Faces that are in no voxel.
    pub large: Vec<u32>,
    pub runs: Vec<Run>,
}

impl FaceSet {
    pub fn new(max_span: u64) -> Self {
        Self {
            max_span,
            ids: Vec::new(),
            records: Vec::new(),
            ends: Vec::new(),
            cells: Vec::new(),
            large: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Clears all faces and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0, 0, 0);
        self.runs.clear();
    }

    fn truncate(&mut self, faces: usize, cells: usize, large: usize) {
        self.ids.truncate(faces);
        self.records.truncate(faces);
        self.ends.truncate(faces);
        self.cells.truncate(cells);
        self.large.truncate(large);
    }

    /// Adds the faces of an object.
    pub fn add(
        &mut self,
        space: &CellSpace,
        fill: Fill,
        object: u32,
        faces: impl IntoIterator<Item = Triangle>,
        margin: f64,
    ) -> Result<(), VoxelGridError> {
        if !(margin >= 0.0 && margin.is_finite()) {
            return Err(VoxelGridError::BadMargin { object, margin });
        }
        let before = (self.ids.len(), self.cells.len(), self.large.len());
        for (face, triangle) in faces.into_iter().enumerate() {
            if let Err(error) = self.push(space, fill, FaceId { object, face: face as u32 }, &triangle, margin) {
                self.truncate(before.0, before.1, before.2);
                return Err(error);
            }
        }
        self.runs.push(Run { end_face: self.ids.len() as u32, end_large: self.large.len() as u32 });
        Ok(())
    }

    #[inline]
    fn push(
        &mut self,
        space: &CellSpace,
        fill: Fill,
        id: FaceId,
        triangle: &Triangle,
        margin: f64,
    ) -> Result<(), VoxelGridError> {
        if self.ids.len() == MAX_FACES {
            return Err(VoxelGridError::TooManyFaces { object: id.object, max: MAX_FACES });
        }
        let [a, b, c] = *triangle;
        // The sum is finite unless a corner is not, or overflows: one test instead of nine.
        if !(a + b + c).is_finite()
            && let Some(&position) = triangle.iter().find(|corner| !corner.is_finite())
        {
            return Err(VoxelGridError::NotFinite { object: id.object, face: id.face as usize, position });
        }
        let (mut low, mut high) = (a.min(b).min(c), a.max(b).max(c));
        if margin > 0.0 {
            // Rounded outward, so that the grown box includes its whole margin.
            low = (low - margin).map(f64::next_down);
            high = (high + margin).map(f64::next_up);
        }
        let (low, high) = (space.local(low), space.local(high));
        let range = space.range(low, high);
        let (count, face) = (range.count(), self.ids.len() as u32);
        if count > self.max_span {
            self.large.push(face);
        } else {
            if self.cells.len() + count as usize > MAX_ENTRIES {
                let (object, face) = (id.object, id.face as usize);
                return Err(VoxelGridError::TooManyEntries { object, face, max: MAX_ENTRIES });
            }
            if count == 1 {
                self.cells.push(space.index(range.low));
            } else if fill == Fill::Exact && space.holds(low, high) {
                let test = VoxelTest::new(&triangle.map(|corner| space.local(corner)), space.length(margin));
                self.list(space, range, |voxel| test.meets(voxel));
            } else {
                self.list(space, range, |_| true);
            }
        }
        self.ids.push(id);
        self.records.push(FaceRecord::new(id.object, low, high));
        self.ends.push(self.cells.len() as u32);
        Ok(())
    }

    /// Lists the face being added in the voxels of `range` that it meets.
    #[inline(always)]
    fn list(&mut self, space: &CellSpace, range: VoxelRange, meets: impl Fn([u32; 3]) -> bool) {
        let VoxelRange { low, high } = range;
        for z in low[2]..=high[2] {
            for y in low[1]..=high[1] {
                let row = space.index([0, y, z]);
                for x in low[0]..=high[0] {
                    if meets([x, y, z]) {
                        self.cells.push(row + x);
                    }
                }
            }
        }
    }

    /// Returns the entries of a face in `cells`.
    #[inline(always)]
    pub fn entries(&self, face: u32) -> std::ops::Range<usize> {
        let begin = if face == 0 { 0 } else { self.ends[face as usize - 1] };
        begin as usize..self.ends[face as usize] as usize
    }
}
