//! Refit of a tree: fits the volumes again to points that have moved, and keeps the structure (S0 §4.5.4, S2 §6.3).
//!
//! In: a source with the same number of primitives. Out: volumes that hold them. A full refit runs bottom up in linear
//! time. A partial refit visits only the volumes above moved primitives; if volumes are merged from their children, it
//! stops at a volume that did not change.

use crate::builder::binary::Reference;
use crate::builder::fit::gather;
use crate::frame::tree_frame::TreeFrame;
use crate::simd::{Kernel, WideIsa, dispatch};
use crate::tree::bvh::{Bvh, BvhError, Child, Leaf, NodeRef};
use crate::tree::leaf_vertices::LeafPoints;
use crate::tree::rotate::count;
use crate::tree::source::{Extent, PrimitiveSource, bounds_of_used, check_point, check_points};
use crate::volume::{Aabb32, BoundingVolume, BoxAxes, Fitting, PointCloud};
use crate::work::Work;
use heurt_geometry::{Aabb, Vec3};

/// Positions of primitives in a tree: the inverse of its structure.
#[derive(Debug, Clone)]
pub(crate) struct LeafPlaces {
    /// The leaf of each primitive.
    leaf_of: Vec<u32>,
    /// The lane of each leaf.
    lane_of: Vec<NodeRef>,
}

impl LeafPlaces {
    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.leaf_of.as_slice()) + size_of_val(self.lane_of.as_slice())
    }

    fn of<V: BoundingVolume, const W: usize>(tree: &Bvh<V, W>) -> Self {
        let mut leaf_of = vec![0; tree.count];
        let mut lane_of = vec![NodeRef::NONE; tree.order.len() / tree.leaf_size as usize];
        for (index, node) in tree.nodes.iter().enumerate() {
            for (lane, child) in node.children.iter().enumerate().filter(|(_, c)| c.is_leaf() && **c != Child::NONE) {
                let leaf = child.as_leaf();
                lane_of[leaf.ordinal as usize] = NodeRef::new::<W>(index as u32, lane as u32);
                tree.primitives(leaf).iter().for_each(|&primitive| leaf_of[primitive as usize] = leaf.ordinal);
            }
        }
        Self { leaf_of, lane_of }
    }
}

/// A bit set, iterated from the last to the first bit.
struct Marks(Vec<u64>);

impl Marks {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Sets a bit, and reports whether it was clear.
    fn set(&mut self, index: usize) -> bool {
        let (word, bit) = (&mut self.0[index / 64], 1 << (index % 64));
        let was_clear = *word & bit == 0;
        *word |= bit;
        was_clear
    }

    /// Removes and returns the last bit of a word.
    fn take_last(&mut self, word: usize) -> Option<usize> {
        let bit = self.0[word].checked_ilog2()?;
        self.0[word] ^= 1 << bit;
        Some(word * 64 + bit as usize)
    }
}

impl<V: BoundingVolume, const W: usize> Bvh<V, W> {
    /// Refits every volume to moved points, bottom up, in linear time (S0 §4.5.4). The topology stays; the frame stays
    /// while it suits the points.
    ///
    /// ```
    /// use heurt_bvh::{Aabb32, Boxes, Bvh};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let row = |shift: Vec3| {
    ///     Boxes::new((0..100).map(|k| Vec3::X * f64::from(2 * k) + shift).map(|min| Aabb { min, max: min + 1.0 }))
    /// };
    /// let mut tree = Bvh::<Aabb32, 8>::new(&row(Vec3::ZERO))?;
    /// let work = tree.refit(&row(Vec3::Y * 5.0))?;
    /// assert!(work.updates > 0 && tree.validate(&row(Vec3::Y * 5.0)).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BvhError::CountChanged`] for another number of primitives; [`BvhError::NotFinite`] and [`BvhError::TooFar`]
    /// for a bad point; the tree is then as before.
    pub fn refit(&mut self, source: &impl PrimitiveSource) -> Result<Work, BvhError> {
        if source.len() != self.count {
            return Err(BvhError::CountChanged { tree: self.count, source_len: source.len() });
        }
        check_points(source.points())?;
        // The new corners may differ from the corners of the list.
        self.points = None;
        Ok(self.refit_checked(source))
    }

    /// Refits to a source with the same number of primitives, whose points are valid.
    fn refit_checked(&mut self, source: &impl PrimitiveSource) -> Work {
        if const { !V::FITTING.is_of_boxes() } {
            return self.refit_to_points(source);
        }
        self.refit_to_boxes(&Primitives(source), || bounds_of_used(source))
    }

    /// Performs [`Bvh::refit`] for primitives of `source` with the same corners as at the last refit or, before any
    /// refit, at the build; only points have moved. Intended for repeated refits: the first call lists the points of
    /// each leaf (approximately five bytes a triangle), so later calls read each point once a leaf.
    ///
    /// # Errors
    /// As [`Bvh::refit`].
    pub fn move_points(&mut self, source: &impl PrimitiveSource) -> Result<Work, BvhError> {
        self.move_points_bounded(source).map(|(work, _)| work)
    }

    /// Performs [`Bvh::move_points`] and also returns the box of all points, including points without a primitive.
    ///
    /// # Errors
    /// As [`Bvh::refit`].
    pub fn move_points_bounded(&mut self, source: &impl PrimitiveSource) -> Result<(Work, Aabb), BvhError> {
        if source.len() != self.count {
            return Err(BvhError::CountChanged { tree: self.count, source_len: source.len() });
        }
        let bounds = check_points(source.points())?;
        if const { !V::FITTING.is_of_boxes() } {
            return Ok((self.refit_to_points(source), bounds));
        }
        let is_of_source = |list: &LeafPoints| list.count == source.points().len();
        let of_leaves = self.points.take().filter(is_of_source).unwrap_or_else(|| LeafPoints::new(self, source));
        let listed = Listed { points: source.points(), of_leaves: &of_leaves };
        let work = self.refit_to_boxes(&listed, || bounds_of_used(source));
        self.points = Some(of_leaves);
        Ok((work, bounds))
    }

    /// Returns the sorted points of leaf `ordinal` in leaf order; the last point is repeated to fill up a group of
    /// four. Returns `None` before the first [`Bvh::move_points`], and after a [`Bvh::refit`] until the next.
    #[inline(always)]
    pub fn points_of(&self, ordinal: u32) -> Option<&[[u32; 4]]> {
        self.points.as_ref().map(|listed| listed.of_leaf(ordinal))
    }

    /// Fits boxes of leaves, and merges all other volumes from their children; `bounds` is the box of all primitives.
    fn refit_to_boxes(&mut self, leaves: &impl LeafBoxes, bounds: impl FnOnce() -> Aabb) -> Work {
        let mut work = dispatch(Refit { tree: self, leaves });
        if !TreeFrame::suits(&self.root_volume().to_box()) {
            self.frame = TreeFrame::around(&bounds());
            work += dispatch(Refit { tree: self, leaves });
        }
        self.frame = self.frame.around_local(&self.root_volume().to_box());
        work
    }

    /// Fits leaves to their points, and merges all other volumes from their children.
    fn refit_to_points(&mut self, source: &impl PrimitiveSource) -> Work {
        let bounds = bounds_of_used(source);
        let local = Aabb32::in_frame(&self.frame, &bounds);
        self.frame =
            if TreeFrame::suits(&local) { self.frame.around_local(&local) } else { TreeFrame::around(&bounds) };
        let mut room = (Vec::new(), Vec::new());
        let mut updates = 0;
        for index in (0..self.nodes.len()).rev() {
            for lane in 0..W {
                let child = self.nodes[index].children[lane];
                if child == Child::NONE {
                    break;
                }
                updates += 1;
                if child.is_leaf() {
                    let volume =
                        self.moved_leaf(source, child.as_leaf(), &V::load(&self.nodes[index].volumes, lane), &mut room);
                    volume.store(&mut self.nodes[index].volumes, lane);
                }
            }
            if index > 0 {
                self.merge_into_parent(index);
            }
        }
        Work { updates, ..Work::default() }
    }

    /// Refits only the volumes above the primitives in `moved`, which may contain duplicates: for a few moved
    /// primitives. The points of all other primitives must be unchanged, and corners the same as before.
    ///
    /// ```
    /// use heurt_bvh::{Aabb32, Boxes, Bvh};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let mut boxes: Vec<Aabb> =
    ///     (0..100).map(|k| Vec3::X * f64::from(2 * k)).map(|min| Aabb { min, max: min + 1.0 }).collect();
    /// let mut tree = Bvh::<Aabb32, 8>::new(&Boxes::new(boxes.clone()))?;
    /// let whole = tree.refit(&Boxes::new(boxes.clone()))?;
    /// boxes[7].max.z = 1.5;
    /// let work = tree.refit_moved(&Boxes::new(boxes.clone()), &[7])?;
    /// assert!(work.updates < whole.updates && tree.validate(&Boxes::new(boxes)).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BvhError::CountChanged`] for another number of primitives, [`BvhError::NoPrimitive`] for an index out of
    /// range, [`BvhError::NotFinite`] and [`BvhError::TooFar`] for a bad point; the tree is then as before.
    pub fn refit_moved(&mut self, source: &impl PrimitiveSource, moved: &[u32]) -> Result<Work, BvhError> {
        if source.len() != self.count {
            return Err(BvhError::CountChanged { tree: self.count, source_len: source.len() });
        }
        let bounds = bounds_of_moved(source, moved, self.count)?;
        if moved.is_empty() {
            return Ok(Work::default());
        }
        let local = Aabb32::in_frame(&self.frame, &bounds);
        // A change of the frame changes all volumes.
        if !TreeFrame::holds(&local) {
            return Ok(self.refit_checked(source));
        }
        let places = self.places.take().unwrap_or_else(|| LeafPlaces::of(self));
        let work = dispatch(RefitMoved { tree: self, source, places: &places, moved });
        self.places = Some(places);
        let root = self.root_volume().to_box();
        if !TreeFrame::is_filled_by(&root) {
            return Ok(self.refit_checked(source));
        }
        self.frame =
            if V::FITTING.is_of_boxes() { self.frame.around_local(&root) } else { self.frame.grown_to(&local) };
        Ok(work)
    }

    /// Returns the leaves that hold `primitives`, each once; primitives that do not exist have none.
    pub fn leaves_of(&mut self, primitives: &[u32]) -> Vec<Leaf> {
        let places = self.places.take().unwrap_or_else(|| LeafPlaces::of(self));
        let mut leaves = Marks::new(places.lane_of.len());
        let ordinals =
            primitives.iter().filter_map(|&primitive| Some(*places.leaf_of.get(primitive as usize)? as usize));
        let first_seen = ordinals.filter(|&ordinal| leaves.set(ordinal));
        let found = first_seen.map(|ordinal| {
            let at = places.lane_of[ordinal];
            self.nodes[at.node::<W>()].children[at.lane::<W>()].as_leaf()
        });
        let found = found.collect();
        self.places = Some(places);
        found
    }

    /// Returns the new volume of a leaf that is fitted to points; `room` is a scratch buffer for its corners and
    /// points.
    fn moved_leaf(
        &self,
        source: &impl PrimitiveSource,
        leaf: Leaf,
        before: &V,
        (corners, points): &mut (Vec<u32>, Vec<Vec3>),
    ) -> V {
        points.clear();
        let facing = gather(self, source, leaf, corners, points);
        before.moved(&PointCloud { points, facing, axes: BoxAxes::default() })
    }

    /// Sets the parent lane of node `index` to a volume that holds the node's lanes.
    #[inline(always)]
    pub(crate) fn merge_into_parent(&mut self, index: usize) {
        let (node, parent) = (&self.nodes[index], self.parents[index]);
        let count = count(&node.children);
        let before = V::load(&self.nodes[parent.node::<W>()].volumes, parent.lane::<W>());
        let merged = V::merged_lanes(&node.volumes, count, &before);
        merged.store(&mut self.nodes[parent.node::<W>()].volumes, parent.lane::<W>());
    }
}

/// Boxes of leaves for a refit.
pub(crate) trait LeafBoxes {
    /// Returns the box of a leaf, which holds `primitives`, in local units.
    fn box_of<I: WideIsa>(&self, isa: I, frame: &TreeFrame, leaf: Leaf, primitives: &[u32]) -> Aabb32;
    /// Prefetches the data that [`LeafBoxes::box_of`] will read.
    fn prefetch<I: WideIsa>(&self, isa: I, leaf: Leaf, primitives: &[u32]);
}

/// Boxes computed from the corners of primitives.
struct Primitives<'a, S>(&'a S);

impl<S: PrimitiveSource> LeafBoxes for Primitives<'_, S> {
    #[inline(always)]
    fn box_of<I: WideIsa>(&self, isa: I, frame: &TreeFrame, _leaf: Leaf, primitives: &[u32]) -> Aabb32 {
        let points = self.0.points();
        let mut extent = Extent::none(isa);
        for &primitive in primitives {
            self.0.corners(primitive).into_iter().for_each(
                #[inline(always)]
                |corner| extent.grow(&points[corner as usize]),
            );
        }
        Reference::new(extent.in_frame(frame), 0).to_box()
    }

    /// Prefetches the first primitive; the rest are mostly next to it.
    #[inline(always)]
    fn prefetch<I: WideIsa>(&self, isa: I, _leaf: Leaf, primitives: &[u32]) {
        self.0.prefetch(isa, primitives[0]);
    }
}

/// Boxes computed from the listed points of leaves.
pub(crate) struct Listed<'a> {
    pub points: &'a [Vec3],
    pub of_leaves: &'a LeafPoints,
}

impl LeafBoxes for Listed<'_> {
    #[inline(always)]
    fn box_of<I: WideIsa>(&self, isa: I, frame: &TreeFrame, leaf: Leaf, _primitives: &[u32]) -> Aabb32 {
        let mut extent = Extent::none(isa);
        for &[a, b, c, d] in self.of_leaves.of_leaf(leaf.ordinal) {
            extent.grow(&self.points[a as usize]);
            extent.grow(&self.points[b as usize]);
            extent.grow(&self.points[c as usize]);
            extent.grow(&self.points[d as usize]);
        }
        Reference::new(extent.in_frame(frame), 0).to_box()
    }

    #[inline(always)]
    fn prefetch<I: WideIsa>(&self, _isa: I, _leaf: Leaf, _primitives: &[u32]) {}
}

struct Refit<'a, V: BoundingVolume, L, const W: usize> {
    tree: &'a mut Bvh<V, W>,
    leaves: &'a L,
}

impl<V: BoundingVolume, L: LeafBoxes, const W: usize> Kernel for Refit<'_, V, L, W> {
    type Output = Work;

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) -> Work {
        let Self { tree, leaves } = self;
        let Bvh { frame, nodes, parents, order, leaf_size, .. } = tree;
        let mut updates = 0;
        for index in (0..nodes.len()).rev() {
            if index > 1 {
                for child in nodes[index - 2].children {
                    if child.is_leaf() && child != Child::NONE {
                        let leaf = child.as_leaf();
                        leaves.prefetch(isa, leaf, &order[leaf.range(*leaf_size)]);
                    }
                }
            }
            let node = &mut nodes[index];
            let mut lane = 0;
            while lane < W && node.children[lane] != Child::NONE {
                if node.children[lane].is_leaf() {
                    let leaf = node.children[lane].as_leaf();
                    let box_ = leaves.box_of(isa, frame, leaf, &order[leaf.range(*leaf_size)]);
                    V::from_box(&box_).store(&mut node.volumes, lane);
                }
                lane += 1;
            }
            updates += lane as u64;
            if index > 0 {
                let parent = parents[index];
                let before = V::load(&nodes[parent.node::<W>()].volumes, parent.lane::<W>());
                let merged = V::merged_lanes(&nodes[index].volumes, lane, &before);
                merged.store(&mut nodes[parent.node::<W>()].volumes, parent.lane::<W>());
            }
        }
        Work { updates, ..Work::default() }
    }
}

struct RefitMoved<'a, V: BoundingVolume, S, const W: usize> {
    tree: &'a mut Bvh<V, W>,
    source: &'a S,
    places: &'a LeafPlaces,
    moved: &'a [u32],
}

impl<V: BoundingVolume, S: PrimitiveSource, const W: usize> Kernel for RefitMoved<'_, V, S, W> {
    type Output = Work;

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) -> Work {
        let Self { tree, source, places, moved } = self;
        let mut updates = 0;
        let mut leaves = Marks::new(places.lane_of.len());
        let mut nodes = Marks::new(tree.nodes.len());
        let mut room = (Vec::new(), Vec::new());
        // Volumes fitted to points at the build need not hold the volumes of their children. An unchanged child
        // therefore proves nothing for its ancestors.
        let may_stop = V::FITTING != Fitting::Points;
        for &primitive in moved {
            let ordinal = places.leaf_of[primitive as usize] as usize;
            if !leaves.set(ordinal) {
                continue;
            }
            updates += 1;
            let at = places.lane_of[ordinal];
            let (node, lane) = (at.node::<W>(), at.lane::<W>());
            let leaf = tree.nodes[node].children[lane].as_leaf();
            let before = V::load(&tree.nodes[node].volumes, lane);
            let volume = if const { V::FITTING.is_of_boxes() } {
                V::from_box(&Primitives(source).box_of(isa, &tree.frame, leaf, tree.primitives(leaf)))
            } else {
                tree.moved_leaf(source, leaf, &before, &mut room)
            };
            if !may_stop || volume != before {
                volume.store(&mut tree.nodes[node].volumes, lane);
                nodes.set(node);
            }
        }
        // Children come after their parents, so in descending order all nodes below have been processed.
        for word in (0..nodes.0.len()).rev() {
            while let Some(index) = nodes.take_last(word) {
                if index == 0 {
                    continue;
                }
                updates += 1;
                let parent = tree.parents[index];
                let (above, lane) = (parent.node::<W>(), parent.lane::<W>());
                let before = V::load(&tree.nodes[above].volumes, lane);
                tree.merge_into_parent(index);
                if !may_stop || V::load(&tree.nodes[above].volumes, lane) != before {
                    nodes.set(above);
                }
            }
        }
        Work { updates, ..Work::default() }
    }
}

/// Returns the box of the primitives in `moved`, after checking that all of them exist and have valid points.
fn bounds_of_moved(source: &impl PrimitiveSource, moved: &[u32], count: usize) -> Result<Aabb, BvhError> {
    let mut bounds = Aabb::EMPTY;
    for &primitive in moved {
        if primitive as usize >= count {
            return Err(BvhError::NoPrimitive { primitive, count });
        }
        for corner in source.corners(primitive) {
            let point = source.points()[corner as usize];
            check_point(point, corner as usize)?;
            bounds = bounds.grown_to(point);
        }
    }
    Ok(bounds)
}
