//! Bounding-volume hierarchy: one tree for every volume type and every branching factor.
//!
//! In: a source of primitives ([`PrimitiveSource`]). Out: nodes that hold `W` child volumes side by side, and the
//! primitives in leaf order. Volumes are `f32` in a local frame ([`TreeFrame`]) and rounded outward, so that half the
//! memory still gives conservative answers.
//! Guarantees: every primitive lies in its leaf's volume and every volume in its parent's ([`Bvh::validate`] checks
//! both).
//! Cost: build O(n log n), refit O(n); approximately 12 bytes a primitive for boxes, `W` = 8 and leaves of up to eight.

use crate::builder::binary::Reference;
use crate::builder::collapse::{Collapsed, collapse};
use crate::builder::fit::{fit_volumes, leaf_ranges, range_of};
use crate::builder::{BuildOptions, build_binary};
use crate::frame::tree_frame::TreeFrame;
use crate::simd::{Kernel, WideIsa, dispatch};
use crate::tree::leaf_vertices::LeafPoints;
use crate::tree::refit::LeafPlaces;
use crate::tree::source::{LocalPoints, PrimitiveSource, check_points};
use crate::volume::{BoundingVolume, BoxAxes};
use rayon::prelude::*;
use std::ops::Range;
use thiserror::Error;

/// Errors of building, refitting or reading a tree.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BvhError {
    /// There is nothing to bound.
    #[error("no primitives: a tree needs at least one")]
    Empty,
    /// More primitives than leaf codes can name.
    #[error("{count} primitives are more than the {max} a tree can hold: split the object")]
    TooMany {
        /// Number of primitives.
        count: usize,
        /// Maximum number of primitives.
        max: usize,
    },
    /// A leaf size outside 1 to 8.
    #[error("leaf size {leaf_size} is out of range: choose 1 to 8")]
    LeafSize {
        /// The requested leaf size.
        leaf_size: u32,
    },
    /// A point that is not finite.
    #[error("point {point} has a coordinate that is NaN or infinite: give finite numbers")]
    NotFinite {
        /// Index of the point.
        point: usize,
    },
    /// A point beyond what a frame can scale.
    #[error("point {point} has a coordinate beyond ±2^1019 (5e306): choose another unit of length")]
    TooFar {
        /// Index of the point.
        point: usize,
    },
    /// A box of interest with a NaN corner.
    #[error("box {place} of those that something is near has a corner that is NaN: give numbers, or leave it out")]
    BadBox {
        /// Its index in the list of boxes.
        place: usize,
    },
    /// A partial refit of a primitive that does not exist.
    #[error("there is no primitive {primitive}: the tree holds {count}")]
    NoPrimitive {
        /// Index of the primitive.
        primitive: u32,
        /// Primitives in the tree.
        count: usize,
    },
    /// A refit over another number of primitives.
    #[error("the tree holds {tree} primitives but the source has {source_len}: build a new tree")]
    CountChanged {
        /// Primitives in the tree.
        tree: usize,
        /// Primitives in the source.
        source_len: usize,
    },
    /// Bytes that are no tree.
    #[error("not a tree of this kind at byte {offset}: {reason}; write it again with `to_bytes`")]
    Malformed {
        /// Byte offset at which reading stopped.
        offset: usize,
        /// The fault found there.
        reason: &'static str,
    },
}

/// Leaf codes keep three bits for the count and one for the kind.
const MAX_PRIMITIVES: usize = 1 << 27;

/// A child of a node: nothing, a node, or a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct Child(u32);

impl Child {
    const LEAF: u32 = 1 << 31;
    /// No child in this lane.
    pub const NONE: Self = Self(u32::MAX);

    #[inline(always)]
    pub(crate) fn node(index: u32) -> Self {
        Self(index)
    }
    #[inline(always)]
    pub(crate) fn leaf(ordinal: u32, count: u32) -> Self {
        Self(Self::LEAF | ordinal << 3 | (count - 1))
    }
    /// Reports whether the lane holds primitives.
    #[inline(always)]
    pub fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }
    /// Returns the node below, if this is neither a leaf nor empty.
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
    /// Returns the leaf below, if this is a leaf.
    #[inline(always)]
    pub(crate) fn as_leaf(self) -> Leaf {
        Leaf { ordinal: (self.0 & !Self::LEAF) >> 3, count: (self.0 & 7) + 1 }
    }
    pub(crate) fn code(self) -> u32 {
        self.0
    }
    pub(crate) fn from_code(code: u32) -> Self {
        Self(code)
    }
}

/// A leaf: its number in leaf order, and its number of primitives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// Counts leaves from 0; the leaf's primitives start at `ordinal · leaf_size` of [`Bvh::order`].
    pub ordinal: u32,
    /// 1 to `leaf_size`.
    pub count: u32,
}

impl Leaf {
    /// Returns the range of its primitives in leaf order.
    #[inline(always)]
    pub(crate) fn range(self, leaf_size: u32) -> Range<usize> {
        let first = self.ordinal as usize * leaf_size as usize;
        first..first + self.count as usize
    }
}

/// A lane of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NodeRef(pub u32);

impl NodeRef {
    pub const NONE: Self = Self(u32::MAX);
    #[inline(always)]
    pub fn new<const W: usize>(node: u32, lane: u32) -> Self {
        Self(node * W as u32 + lane)
    }
    #[inline(always)]
    pub fn node<const W: usize>(self) -> usize {
        self.0 as usize / W
    }
    #[inline(always)]
    pub fn lane<const W: usize>(self) -> usize {
        self.0 as usize % W
    }
}

/// `W` child volumes and their links.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct Node<V: BoundingVolume, const W: usize> {
    /// The volumes, side by side.
    pub volumes: V::Wide<W>,
    /// The children, lane by lane; used lanes come first.
    pub children: [Child; W],
}

impl<V: BoundingVolume, const W: usize> Node<V, W> {
    #[allow(non_snake_case)]
    pub(crate) fn EMPTY() -> Self {
        Self { volumes: V::empty_lanes(), children: [Child::NONE; W] }
    }
}

/// A hierarchy of volumes `V` with `W` children a node.
#[derive(Debug, Clone)]
pub struct Bvh<V: BoundingVolume, const W: usize> {
    pub(crate) frame: TreeFrame,
    pub(crate) nodes: Vec<Node<V, W>>,
    pub(crate) parents: Vec<NodeRef>,
    pub(crate) order: Vec<u32>,
    pub(crate) leaf_size: u32,
    pub(crate) count: usize,
    /// Leaf and lane of each primitive, from the first partial refit on.
    pub(crate) places: Option<LeafPlaces>,
    /// The points of its leaves, from the first [`Bvh::move_points`] on.
    pub(crate) points: Option<LeafPoints>,
}

/// Figures of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BvhStats {
    /// Number of nodes, including the root, which has one lane.
    pub nodes: usize,
    /// Number of leaves.
    pub leaves: usize,
    /// Number of primitives.
    pub primitives: usize,
    /// Number of nodes on the longest path.
    pub depth: usize,
    /// Used lanes over all lanes.
    pub fill: f64,
    /// Bytes of the whole tree.
    pub bytes: usize,
}

impl<V: BoundingVolume, const W: usize> Bvh<V, W> {
    /// Builds the default tree over `source`.
    ///
    /// ```
    /// use heurt_bvh::{Aabb32, Boxes, Bvh};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let row = (0..100).map(|k| Vec3::X * f64::from(2 * k)).map(|min| Aabb { min, max: min + 1.0 });
    /// let tree = Bvh::<Aabb32, 8>::new(&Boxes::new(row))?;
    /// assert_eq!(tree.len(), 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BvhError`] when there is no primitive, too many, or one without a finite box.
    pub fn new(source: &impl PrimitiveSource) -> Result<Self, BvhError> {
        Self::with_options(source, &BuildOptions::default())
    }

    /// Builds a tree with the given options.
    ///
    /// ```
    /// use heurt_bvh::{Aabb32, Boxes, BuildOptions, Builder, Bvh};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let row = (0..100).map(|k| Vec3::X * f64::from(2 * k)).map(|min| Aabb { min, max: min + 1.0 });
    /// let options = BuildOptions { builder: Builder::Median, leaf_size: 1, ..BuildOptions::default() };
    /// let tree = Bvh::<Aabb32, 4>::with_options(&Boxes::new(row), &options)?;
    /// assert_eq!(tree.leaf_size(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Bvh::new`], and for a leaf size out of range.
    pub fn with_options(source: &impl PrimitiveSource, options: &BuildOptions) -> Result<Self, BvhError> {
        const { assert!(W == 2 || W == 4 || W == 8, "trees have 2, 4 or 8 children a node") };
        let count = source.len();
        if count == 0 {
            return Err(BvhError::Empty);
        }
        if count > MAX_PRIMITIVES {
            return Err(BvhError::TooMany { count, max: MAX_PRIMITIVES });
        }
        let leaf_size = options.leaf_size;
        if !(1..=8).contains(&leaf_size) {
            return Err(BvhError::LeafSize { leaf_size });
        }
        let (frame, points) = LocalPoints::new(source, options.parallel)?;
        let frame = frame.with_radius_of(source.points());
        let mut refs = references(&points, source, options.parallel);
        drop(points);
        let binary = build_binary(&mut refs, options, W as u32 * leaf_size);
        let Collapsed { nodes, parents, order } = collapse(&binary, &refs, leaf_size);
        let mut tree = Self { frame, nodes, parents, order, leaf_size, count, places: None, points: None };
        if const { !V::FITTING.is_of_boxes() } {
            fit_volumes(&mut tree, source, options.axes, options.parallel);
        }
        Ok(tree)
    }

    /// Returns the same nodes and leaves with volumes of another kind, fitted to `source`, over which this tree was
    /// built or refitted.
    ///
    /// # Errors
    /// [`BvhError::CountChanged`] when `source` has another number of primitives.
    pub fn with_volumes<U: BoundingVolume>(
        &self,
        source: &impl PrimitiveSource,
        axes: BoxAxes,
        parallel: bool,
    ) -> Result<Bvh<U, W>, BvhError> {
        if source.len() != self.count {
            return Err(BvhError::CountChanged { tree: self.count, source_len: source.len() });
        }
        check_points(source.points())?;
        let nodes = self.nodes.iter().map(|node| {
            let mut other = Node::<U, W>::EMPTY();
            other.children = node.children;
            for lane in (0..W).filter(|&lane| node.children[lane] != Child::NONE) {
                U::from_box(&V::load(&node.volumes, lane).to_box()).store(&mut other.volumes, lane);
            }
            other
        });
        let mut tree = Bvh {
            frame: self.frame,
            nodes: nodes.collect(),
            parents: self.parents.clone(),
            order: self.order.clone(),
            leaf_size: self.leaf_size,
            count: self.count,
            places: None,
            points: None,
        };
        if const { !U::FITTING.is_of_boxes() } {
            fit_volumes(&mut tree, source, axes, parallel);
        }
        Ok(tree)
    }

    /// Returns the local frame of the volumes.
    #[inline(always)]
    pub fn frame(&self) -> &TreeFrame {
        &self.frame
    }

    /// Returns the primitives in leaf order. Leaf k holds the primitives from k · `leaf_size` on; entries after its
    /// count are meaningless.
    #[inline(always)]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the primitives of `leaf`.
    #[inline(always)]
    pub fn primitives(&self, leaf: Leaf) -> &[u32] {
        &self.order[leaf.range(self.leaf_size)]
    }

    /// Returns the maximum number of primitives in a leaf.
    pub fn leaf_size(&self) -> u32 {
        self.leaf_size
    }

    /// Returns the number of primitives in the tree.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Always returns false: a tree has at least one primitive.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the volume of the whole tree, in local units.
    pub fn root_volume(&self) -> V {
        V::load(&self.nodes[0].volumes, 0)
    }

    /// Calls `visit` with every leaf, in leaf order of the nodes.
    ///
    /// ```
    /// use heurt_bvh::{Aabb32, Boxes, Bvh};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let row = (0..100).map(|k| Vec3::X * f64::from(2 * k)).map(|min| Aabb { min, max: min + 1.0 });
    /// let tree = Bvh::<Aabb32, 8>::new(&Boxes::new(row))?;
    /// let mut boxes = 0;
    /// tree.for_each_leaf(|leaf| boxes += tree.primitives(leaf).len());
    /// assert_eq!(boxes, 100, "each in one leaf");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_each_leaf(&self, mut visit: impl FnMut(Leaf)) {
        for node in &self.nodes {
            node.children.iter().filter(|c| c.is_leaf() && **c != Child::NONE).for_each(|c| visit(c.as_leaf()));
        }
    }

    /// Calls `visit` with every volume, in local units, and the ordinals of the leaves below it; parents come first.
    /// After rotations, a range may also include leaves of other nodes.
    pub fn for_each_volume(&self, mut visit: impl FnMut(&V, Range<u32>)) {
        let ranges = leaf_ranges(self);
        for node in &self.nodes {
            for (lane, &child) in node.children.iter().enumerate().filter(|(_, child)| **child != Child::NONE) {
                visit(&V::load(&node.volumes, lane), range_of(child, &ranges));
            }
        }
    }

    /// Returns counts and sizes.
    ///
    /// ```
    /// use heurt_bvh::{Aabb32, Boxes, Bvh};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let row = |shift: Vec3| {
    ///     Boxes::new((0..100).map(|k| Vec3::X * f64::from(2 * k) + shift).map(|min| Aabb { min, max: min + 1.0 }))
    /// };
    /// let stats = Bvh::<Aabb32, 8>::new(&row(Vec3::ZERO))?.stats();
    /// assert_eq!(stats.primitives, 100);
    /// assert!(stats.leaves >= 13 && stats.depth >= 3 && stats.fill > 0.5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> BvhStats {
        let used = |node: &Node<V, W>| node.children.iter().filter(|c| **c != Child::NONE).count();
        let lanes: usize = self.nodes.iter().skip(1).map(used).sum();
        let mut depth = vec![1usize; self.nodes.len()];
        for (index, parent) in self.parents.iter().enumerate().skip(1) {
            depth[index] = depth[parent.node::<W>()] + 1;
        }
        BvhStats {
            nodes: self.nodes.len(),
            leaves: self.order.len() / self.leaf_size as usize,
            primitives: self.count,
            depth: depth.into_iter().max().unwrap_or(1),
            fill: if self.nodes.len() > 1 { lanes as f64 / ((self.nodes.len() - 1) * W) as f64 } else { 1.0 },
            bytes: size_of::<Self>()
                + self.nodes.len() * size_of::<Node<V, W>>()
                + self.parents.len() * size_of::<NodeRef>()
                + self.order.len() * size_of::<u32>()
                + self.places.as_ref().map_or(0, LeafPlaces::bytes)
                + self.points.as_ref().map_or(0, LeafPoints::bytes),
        }
    }

    /// Checks links and volumes, on which a walk relies, against `source`; returns the first fault found as text. Every
    /// volume on the path to a primitive must hold the primitive's points. Cost: O(n · depth).
    ///
    /// # Errors
    /// A description of the fault and its location.
    pub fn validate(&self, source: &impl PrimitiveSource) -> Result<(), String> {
        let mut seen = vec![false; self.count];
        for (index, node) in self.nodes.iter().enumerate() {
            for (lane, &child) in node.children.iter().enumerate().filter(|(_, child)| **child != Child::NONE) {
                if child.is_leaf() {
                    for &primitive in self.primitives(child.as_leaf()) {
                        let slot = seen.get_mut(primitive as usize).ok_or(format!("no primitive {primitive}"))?;
                        if std::mem::replace(slot, true) {
                            return Err(format!("primitive {primitive} stands in two leaves"));
                        }
                        self.validate_path(source, primitive, index, lane)?;
                    }
                } else {
                    self.nodes.get(child.index()).ok_or(format!("node {index} leads nowhere"))?;
                    if self.parents[child.index()] != NodeRef::new::<W>(index as u32, lane as u32) {
                        return Err(format!("node {} does not know its parent", child.index()));
                    }
                }
            }
        }
        match seen.iter().position(|s| !s) {
            Some(primitive) => Err(format!("primitive {primitive} is in no leaf")),
            None => Ok(()),
        }
    }

    /// Checks that the volume of `lane` of `node`, and all volumes above, hold the points of `primitive`.
    fn validate_path(
        &self,
        source: &impl PrimitiveSource,
        primitive: u32,
        node: usize,
        lane: usize,
    ) -> Result<(), String> {
        let (mut node, mut lane) = (node, lane);
        // No path is longer than the number of nodes.
        for _ in 0..self.nodes.len() {
            let volume = V::load(&self.nodes[node].volumes, lane);
            for corner in source.corners(primitive) {
                let point = self.frame.to_local(source.points()[corner as usize]);
                if !volume.holds(point) {
                    return Err(format!("node {node} lane {lane} does not hold primitive {primitive}"));
                }
            }
            if node == 0 {
                return Ok(());
            }
            let parent = self.parents[node];
            (node, lane) = (parent.node::<W>(), parent.lane::<W>());
        }
        Err(format!("the parents of node {node} run in a circle"))
    }
}

/// Returns the references of all primitives, in order.
fn references(points: &LocalPoints, source: &impl PrimitiveSource, parallel: bool) -> Vec<Reference> {
    let count = source.len() as u32;
    let of_range = |range: Range<u32>| dispatch(Refer { points, source, range });
    if !parallel || count < 65_536 {
        return of_range(0..count);
    }
    const CHUNK: u32 = 16_384;
    let chunks: Vec<Vec<Reference>> = (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| of_range(chunk * CHUNK..((chunk + 1) * CHUNK).min(count)))
        .collect();
    chunks.concat()
}

struct Refer<'a, S> {
    points: &'a LocalPoints,
    source: &'a S,
    range: Range<u32>,
}

impl<S: PrimitiveSource> Kernel for Refer<'_, S> {
    type Output = Vec<Reference>;

    #[inline(always)]
    fn run<I: WideIsa>(self, isa: I) -> Vec<Reference> {
        let Self { points, source, range } = self;
        let mut out = Vec::with_capacity(range.len());
        for primitive in range {
            out.push(Reference::new(points.box_of(isa, source, &[primitive]), primitive));
        }
        out
    }
}
