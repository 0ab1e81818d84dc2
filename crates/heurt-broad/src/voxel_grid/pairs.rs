//! Candidate face pairs of a step.
//!
//! Method: objects in the order they were added. The faces of each object are first compared with the static lists and
//! the lists of earlier objects, then listed themselves. The last object is never listed, because no object follows.

use super::faces::{FaceRecord, FaceSet};
use super::{FaceId, VoxelCell, VoxelGrid};

/// Work of finding the pairs of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VoxelWork {
    /// Visited voxels, each as often as moving faces are listed in it.
    pub voxels: u64,
    /// Visited list entries.
    pub entries: u64,
    /// Reported pairs.
    pub pairs: u64,
}

/// A moving face and the state of its comparison.
struct Visit<'a, F> {
    face: FaceRecord,
    id: FaceId,
    mark: u32,
    compare_boxes: bool,
    work: &'a mut VoxelWork,
    found: &'a mut F,
}

impl<F: FnMut(FaceId, FaceId)> Visit<'_, F> {
    /// Compares with the listed face `other`, once only.
    #[inline(always)]
    fn meet(&mut self, other: u32, records: &mut [FaceRecord], ids: &[FaceId]) {
        let record = &mut records[other as usize];
        self.work.entries += 1;
        if record.mark != self.mark {
            record.mark = self.mark;
            self.offer(record, other, ids);
        }
    }

    /// Reports the pair unless both faces are of one object or their boxes are disjoint.
    #[inline(always)]
    fn offer(&mut self, record: &FaceRecord, other: u32, ids: &[FaceId]) {
        if record.object == self.id.object || self.compare_boxes && !record.overlaps(&self.face) {
            return;
        }
        self.work.pairs += 1;
        let other = ids[other as usize];
        if other.object < self.id.object { (self.found)(other, self.id) } else { (self.found)(self.id, other) }
    }

    /// Compares with faces that are in no voxel.
    fn meet_large(&mut self, large: &[u32], set: &FaceSet) {
        self.work.entries += large.len() as u64;
        for &other in large {
            self.offer(&set.records[other as usize], other, &set.ids);
        }
    }

    /// Compares with the first `count` faces of a set: required for a face that is in no voxel.
    fn meet_all(&mut self, count: u32, set: &FaceSet) {
        self.work.entries += u64::from(count);
        for other in 0..count {
            self.offer(&set.records[other as usize], other, &set.ids);
        }
    }
}

/// The lists of all voxels.
struct Lists<'a> {
    cells: &'a [VoxelCell],
    items: &'a [u32],
    links: &'a [(u32, u32)],
    step: u32,
}

impl Lists<'_> {
    /// Compares the visiting face, number `face` of the moving ones, with the faces listed in its voxels.
    #[inline(always)]
    fn meet<F: FnMut(FaceId, FaceId)>(
        &self,
        visit: &mut Visit<'_, F>,
        face: u32,
        fixed: &mut FaceSet,
        moving: &mut FaceSet,
    ) {
        let entries = moving.entries(face);
        let FaceSet { ids, records, cells, .. } = moving;
        for &cell in &cells[entries] {
            let VoxelCell { stamp, head, begin, end } = self.cells[cell as usize];
            visit.work.voxels += 1;
            for &other in &self.items[begin as usize..end as usize] {
                visit.meet(other, &mut fixed.records, &fixed.ids);
            }
            let mut entry = if stamp == self.step { head } else { NONE };
            while entry != NONE {
                let (other, next) = self.links[entry as usize];
                visit.meet(other, records, ids);
                entry = next;
            }
        }
    }
}

impl VoxelGrid {
    /// Calls `found` with every candidate pair of this step, the face of the lesser object number first.
    pub fn for_each_pair(&mut self, mut found: impl FnMut(FaceId, FaceId)) -> VoxelWork {
        self.sort_static();
        self.next_step();
        let mut work = VoxelWork::default();
        let (mut first_face, mut first_large) = (0, 0);
        for index in 0..self.moving.runs.len() {
            let run = self.moving.runs[index];
            let mut large = first_large as usize;
            for face in first_face..run.end_face {
                let is_large = self.moving.large.get(large) == Some(&face);
                large += usize::from(is_large);
                let mut visit = Visit {
                    face: self.moving.records[face as usize],
                    id: self.moving.ids[face as usize],
                    mark: next_mark(&mut self.visit, &mut self.fixed, &mut self.moving),
                    compare_boxes: self.options.compare_boxes,
                    work: &mut work,
                    found: &mut found,
                };
                if is_large {
                    visit.meet_all(self.fixed.ids.len() as u32, &self.fixed);
                    visit.meet_all(first_face, &self.moving);
                } else {
                    visit.meet_large(&self.fixed.large, &self.fixed);
                    visit.meet_large(&self.moving.large[..first_large as usize], &self.moving);
                    let lists = Lists { cells: &self.cells, items: &self.items, links: &self.links, step: self.step };
                    lists.meet(&mut visit, face, &mut self.fixed, &mut self.moving);
                }
            }
            if index + 1 < self.moving.runs.len() {
                self.list(first_face, run.end_face);
            }
            (first_face, first_large) = (run.end_face, run.end_large);
        }
        work
    }

    /// Adds moving faces to the lists of their voxels; a list of an older step restarts.
    fn list(&mut self, first_face: u32, end_face: u32) {
        for face in first_face..end_face {
            for &cell in &self.moving.cells[self.moving.entries(face)] {
                let cell = &mut self.cells[cell as usize];
                let next = if cell.stamp == self.step { cell.head } else { NONE };
                (cell.stamp, cell.head) = (self.step, self.links.len() as u32);
                self.links.push((face, next));
            }
        }
    }

    /// Starts a new step, which makes all lists old.
    fn next_step(&mut self) {
        self.links.clear();
        if self.step == u32::MAX {
            self.cells.iter_mut().for_each(|cell| cell.stamp = 0);
            self.step = 0;
        }
        self.step += 1;
    }

    /// Sorts static entries by voxel, if there are new ones.
    fn sort_static(&mut self) {
        if !self.items_are_stale {
            return;
        }
        self.items_are_stale = false;
        self.cells.iter_mut().for_each(|cell| cell.end = 0);
        for &cell in &self.fixed.cells {
            self.cells[cell as usize].end += 1;
        }
        let mut begin = 0;
        for cell in &mut self.cells {
            cell.begin = begin;
            begin += cell.end;
            cell.end = cell.begin;
        }
        self.items.clear();
        self.items.resize(self.fixed.cells.len(), 0);
        for face in 0..self.fixed.ids.len() as u32 {
            for &cell in &self.fixed.cells[self.fixed.entries(face)] {
                let cell = &mut self.cells[cell as usize];
                self.items[cell.end as usize] = face;
                cell.end += 1;
            }
        }
    }
}

/// The end of a list.
const NONE: u32 = u32::MAX;

/// Returns a mark that no face has yet.
#[inline(always)]
fn next_mark(visit: &mut u32, fixed: &mut FaceSet, moving: &mut FaceSet) -> u32 {
    if *visit == u32::MAX {
        for record in fixed.records.iter_mut().chain(&mut moving.records) {
            record.mark = 0;
        }
        *visit = 0;
    }
    *visit += 1;
    *visit
}
