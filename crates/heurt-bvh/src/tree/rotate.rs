//! Tree rotations: measures the quality of a refitted tree, and moves children to nodes that fit them better.
//!
//! In: a tree of boxes that has been refitted. Out: the same leaves under better nodes.
//! Method: a query opens a node approximately as often as its surface is large (Goldsmith and Salmon 1987), so the sum
//! of all surfaces is the cost of a tree. Rotations (Kensler 2008), here of wide nodes, move from each node the child
//! whose removal shrinks it most. It moves up if there is a free lane. Otherwise it moves to a sibling node with a free
//! lane, or swaps with a child of a sibling, whichever makes the sum least.
//! Guarantees: leaves keep their primitives; every volume holds what is below; children stay behind their parents. The
//! same input gives the same tree. Cost: O(n) a pass, approximately a tenth of a build.

use crate::simd::{HasLanes, Kernel, Lanes, LanesFor, Machine, WideIsa, dispatch};
use crate::tree::bvh::{Bvh, Child, NodeRef};
use crate::volume::{Aabb32, BoundingVolume, WideAabb};

impl<V: BoundingVolume, const W: usize> Bvh<V, W>
where
    Machine: HasLanes<W>,
{
    /// Returns the sum of the surfaces of all volumes, in squared local units, each as [`BoundingVolume::areas`]
    /// defines it: half the surface for boxes. A query opens a node approximately as often as the node's surface is
    /// large.
    pub fn surface(&self) -> f64 {
        dispatch(SumSurfaces { tree: self })
    }
}

struct SumSurfaces<'a, V: BoundingVolume, const W: usize> {
    tree: &'a Bvh<V, W>,
}

impl<V: BoundingVolume, const W: usize> Kernel<W> for SumSurfaces<'_, V, W> {
    type Output = f64;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> f64 {
        let mut sum = 0.0;
        for node in &self.tree.nodes {
            let areas = V::areas::<W, I>(isa, &node.volumes).to_array();
            let mut lane = 0;
            while lane < W && node.children[lane] != Child::NONE {
                sum += f64::from(areas[lane]);
                lane += 1;
            }
        }
        sum
    }
}

impl<const W: usize> Bvh<Aabb32, W>
where
    Machine: HasLanes<W>,
{
    /// Rotates every node once, from the last one up, and returns the number of moved children. Leaves are then no
    /// longer in the order in which the nodes reach them, and [`Bvh::with_volumes`] merges the volumes of nodes from
    /// their children.
    pub fn rotate(&mut self) -> usize {
        let moved = dispatch(Rotate { tree: self });
        if moved > 0 {
            self.places = None;
        }
        moved
    }

    /// Puts `child` with its box into `lane` of `node`.
    fn put(&mut self, node: usize, lane: usize, child: Child, box_: &Aabb32) {
        let slot = &mut self.nodes[node];
        slot.children[lane] = child;
        box_.store(&mut slot.volumes, lane);
        if child != Child::NONE && !child.is_leaf() {
            self.parents[child.index()] = NodeRef::new::<W>(node as u32, lane as u32);
        }
    }

    /// Removes `lane` from `node`; its last child closes the gap.
    fn take(&mut self, node: usize, lane: usize) -> (Child, Aabb32) {
        let last = count(&self.nodes[node].children) - 1;
        let taken = (self.nodes[node].children[lane], Aabb32::load(&self.nodes[node].volumes, lane));
        let (child, box_) = (self.nodes[node].children[last], Aabb32::load(&self.nodes[node].volumes, last));
        self.put(node, lane, child, &box_);
        let empty = Aabb32::empty_lanes::<1>();
        self.put(node, last, Child::NONE, &Aabb32::load(&empty, 0));
        taken
    }
}

/// Counts the children of a node.
#[inline(always)]
pub(crate) fn count<const W: usize>(children: &[Child; W]) -> usize {
    children.iter().take_while(|child| **child != Child::NONE).count()
}

/// A grandchild that may move: the child of one of the nodes below a node.
#[derive(Clone, Copy)]
struct Outlier {
    /// The lane of its node (its home).
    home: usize,
    /// Its lane in its home.
    lane: usize,
    child: Child,
    box_: Aabb32,
    /// The box of its home without it.
    rest: Aabb32,
    /// The reduction of its home's surface without it.
    shrinks: f32,
}

/// Destination of an outlier.
#[derive(Clone, Copy)]
enum Move {
    /// The node above its home.
    Up,
    /// The sibling of its home in this lane, which has a free lane.
    Sibling(usize),
    /// This lane of the sibling of its home in a lane; the child there moves to its home.
    Swap(usize, usize),
}

struct Rotate<'a, const W: usize> {
    tree: &'a mut Bvh<Aabb32, W>,
}

impl<const W: usize> Kernel<W> for Rotate<'_, W>
where
    Machine: HasLanes<W>,
{
    type Output = usize;

    #[inline(always)]
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> usize {
        let Self { tree } = self;
        let mut moved = 0;
        for above in (1..tree.nodes.len()).rev() {
            let mut home = 0;
            while home < W && tree.nodes[above].children[home] != Child::NONE {
                let child = tree.nodes[above].children[home];
                if !child.is_leaf()
                    && let Some(outlier) = outlier(tree, home, child.index())
                    && let Some(best) = best_move::<I, W>(isa, tree, above, &outlier)
                {
                    apply(tree, above, &outlier, best);
                    moved += 1;
                }
                home += 1;
            }
        }
        moved
    }
}

/// Minimum relative reduction of the changed surfaces that makes a rotation worthwhile.
const MIN_GAIN: f32 = 1e-3;

/// Returns the child of `node` whose removal shrinks it most.
#[inline(always)]
fn outlier<const W: usize>(tree: &Bvh<Aabb32, W>, home: usize, node: usize) -> Option<Outlier> {
    let node = &tree.nodes[node];
    let children = count(&node.children);
    if children < 2 {
        return None;
    }
    let rests = rests(&node.volumes, children);
    let whole = Aabb32::load(&node.volumes, 0).merged(&rests[0]).half_area();
    let mut best: Option<Outlier> = None;
    let mut lane = 0;
    while lane < children {
        let shrinks = whole - rests[lane].half_area();
        if shrinks > best.map_or(MIN_GAIN * whole, |best| best.shrinks) {
            let box_ = Aabb32::load(&node.volumes, lane);
            best = Some(Outlier { home, lane, child: node.children[lane], box_, rest: rests[lane], shrinks });
        }
        lane += 1;
    }
    best
}

/// Returns for each of the first `children` lanes the box around all remaining lanes.
#[inline(always)]
fn rests<const W: usize>(boxes: &WideAabb<W>, children: usize) -> [Aabb32; W] {
    let mut rests = [Aabb32::EMPTY; W];
    let mut before = Aabb32::EMPTY;
    let mut lane = 0;
    while lane < children {
        rests[lane] = before;
        before = before.merged(&Aabb32::load(boxes, lane));
        lane += 1;
    }
    let mut after = Aabb32::EMPTY;
    while lane > 0 {
        lane -= 1;
        rests[lane] = rests[lane].merged(&after);
        after = after.merged(&Aabb32::load(boxes, lane));
    }
    rests
}

/// Returns the move that makes the surfaces least, if any move reduces them.
#[inline(always)]
fn best_move<I: WideIsa + LanesFor<W>, const W: usize>(
    isa: I,
    tree: &Bvh<Aabb32, W>,
    above: usize,
    outlier: &Outlier,
) -> Option<Move> {
    let family = &tree.nodes[above];
    let home = family.children[outlier.home].index();
    // A node with a single child would add a level for nothing.
    let may_leave = count(&tree.nodes[home].children) > 2;
    if may_leave && count(&family.children) < W {
        // A move up costs nothing, because a walk tests the whole node anyway.
        return Some(Move::Up);
    }
    let home_box = Aabb32::load(&family.volumes, outlier.home);
    let may_go_below = |child: Child, node: usize| child.is_leaf() || child.index() > node;
    let mut least = -MIN_GAIN * home_box.half_area();
    let mut best = None;
    let mut sibling = 0;
    while sibling < W {
        let child = family.children[sibling];
        if sibling != outlier.home
            && !child.is_leaf()
            && child != Child::NONE
            && may_go_below(outlier.child, child.index())
        {
            let node = &tree.nodes[child.index()];
            let children = count(&node.children);
            let whole = Aabb32::load(&family.volumes, sibling);
            if may_leave && children < W {
                let change = whole.merged(&outlier.box_).half_area() - whole.half_area() - outlier.shrinks;
                if change < least {
                    (least, best) = (change, Some(Move::Sibling(sibling)));
                }
            }
            // The surface of the outlier's home with each child from there instead.
            let swapped =
                Aabb32::areas::<W, I>(isa, &merged_with::<I, W>(isa, &node.volumes, &outlier.rest)).to_array();
            let rests = rests(&node.volumes, children);
            let mut lane = 0;
            while lane < children {
                if may_go_below(node.children[lane], home) {
                    let change = swapped[lane] - home_box.half_area() + rests[lane].merged(&outlier.box_).half_area()
                        - whole.half_area();
                    if change < least {
                        (least, best) = (change, Some(Move::Swap(sibling, lane)));
                    }
                }
                lane += 1;
            }
        }
        sibling += 1;
    }
    best
}

/// Returns the boxes around each lane and one more box.
#[inline(always)]
fn merged_with<I: LanesFor<W>, const W: usize>(_isa: I, boxes: &WideAabb<W>, one: &Aabb32) -> WideAabb<W> {
    let mut merged = *boxes;
    let mut k = 0;
    while k < 3 {
        merged.min[k] = I::F::load(&boxes.min[k]).min(I::F::splat(one.min[k])).to_array();
        merged.max[k] = I::F::load(&boxes.max[k]).max(I::F::splat(one.max[k])).to_array();
        k += 1;
    }
    merged
}

/// Moves `outlier`, which is below node `above`.
fn apply<const W: usize>(tree: &mut Bvh<Aabb32, W>, above: usize, outlier: &Outlier, to: Move)
where
    Machine: HasLanes<W>,
{
    let home = tree.nodes[above].children[outlier.home].index();
    match to {
        Move::Up => {
            let (child, box_) = tree.take(home, outlier.lane);
            let room = count(&tree.nodes[above].children);
            tree.put(above, room, child, &box_);
        }
        Move::Sibling(lane) => {
            let (child, box_) = tree.take(home, outlier.lane);
            let sibling = tree.nodes[above].children[lane].index();
            let room = count(&tree.nodes[sibling].children);
            tree.put(sibling, room, child, &box_);
            tree.merge_into_parent(sibling);
        }
        Move::Swap(lane, back) => {
            let sibling = tree.nodes[above].children[lane].index();
            let other = &tree.nodes[sibling];
            let (child, box_) = (other.children[back], Aabb32::load(&other.volumes, back));
            tree.put(sibling, back, outlier.child, &outlier.box_);
            tree.put(home, outlier.lane, child, &box_);
            tree.merge_into_parent(sibling);
        }
    }
    tree.merge_into_parent(home);
}
