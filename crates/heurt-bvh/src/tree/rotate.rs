//! How good a tree still is, and local rotations: children that fit better elsewhere change places.
//!
//! In: a tree of boxes that has been refitted. Out: the same leaves under better nodes. Method: a query opens a node
//! approximately as often as its surface is large (Goldsmith and Salmon 1987), so the sum of all surfaces states what a
//! tree costs. Rotations (Kensler 2008), here of wide nodes: of each node, the child whose removal shrinks it most
//! moves up where there is room, and otherwise to a node next to it that has room or into the place of a child there,
//! whichever makes the sum least.
//! Guarantees: leaves keep their primitives; every volume holds what is below; children stay behind their parents. The
//! same input gives the same tree. Cost: O(n) a pass, about a tenth of building.

use crate::simd::{Avx2, Kernel, Lanes, LanesFor, WideIsa, dispatch};
use crate::tree::bvh::{Bvh, Child, NodeRef};
use crate::volume::{Aabb32, BoundingVolume, WideAabb};

impl<V: BoundingVolume, const W: usize> Bvh<V, W>
where
    Avx2: LanesFor<W>,
{
    /// The surfaces of all volumes, in squared local units, each as [`BoundingVolume::areas`] has it: of boxes a half.
    /// A query opens a node approximately as often as the node's surface is large.
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
    Avx2: LanesFor<W>,
{
    /// Rotates every node once, from the last one up, and reports how many children have moved. Leaves are then no
    /// longer in the order in which the nodes lead to them, and [`Bvh::with_volumes`] makes the volumes of nodes from
    /// those of their children.
    pub fn rotate(&mut self) -> usize {
        let moved = dispatch(Rotate { tree: self });
        if moved > 0 {
            self.places = None;
        }
        moved
    }

    /// Puts `child` into `lane` of `node`, with the box around it.
    fn put(&mut self, node: usize, lane: usize, child: Child, box_: &Aabb32) {
        let slot = &mut self.nodes[node];
        slot.children[lane] = child;
        box_.store(&mut slot.volumes, lane);
        if child != Child::NONE && !child.is_leaf() {
            self.parents[child.index()] = NodeRef::new::<W>(node as u32, lane as u32);
        }
    }

    /// Takes `lane` out of `node`; its last child closes the gap.
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

/// Children of a node.
#[inline(always)]
pub(crate) fn count<const W: usize>(children: &[Child; W]) -> usize {
    children.iter().take_while(|child| **child != Child::NONE).count()
}

/// A child of one of the nodes below a node.
#[derive(Clone, Copy)]
struct Outlier {
    /// The lane of the node it is in.
    home: usize,
    /// Its lane there.
    lane: usize,
    child: Child,
    box_: Aabb32,
    /// What is left of its home without it.
    rest: Aabb32,
    /// What its home shrinks by without it, as a surface.
    shrinks: f32,
}

/// Where an outlier goes.
#[derive(Clone, Copy)]
enum Move {
    /// To the node above its home.
    Up,
    /// To the node in this lane next to its home, which has room.
    Beside(usize),
    /// To this lane of the node in a lane next to its home, whose child comes back.
    Swap(usize, usize),
}

struct Rotate<'a, const W: usize> {
    tree: &'a mut Bvh<Aabb32, W>,
}

impl<const W: usize> Kernel<W> for Rotate<'_, W>
where
    Avx2: LanesFor<W>,
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

/// A rotation is worth its while when the surfaces it changes shrink by more than this share.
const MIN_GAIN: f32 = 1e-3;

/// The child of `node` without which it shrinks most.
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

/// For each of the first `children` lanes the box around all the others.
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

/// The move that makes the surfaces least, if any makes them smaller.
#[inline(always)]
fn best_move<I: WideIsa + LanesFor<W>, const W: usize>(
    isa: I,
    tree: &Bvh<Aabb32, W>,
    above: usize,
    outlier: &Outlier,
) -> Option<Move> {
    let family = &tree.nodes[above];
    let home = family.children[outlier.home].index();
    // A node of one child would be a detour.
    let may_leave = count(&tree.nodes[home].children) > 2;
    if may_leave && count(&family.children) < W {
        // It costs nothing there, for the whole node is looked at anyhow.
        return Some(Move::Up);
    }
    let home_box = Aabb32::load(&family.volumes, outlier.home);
    let may_go_below = |child: Child, node: usize| child.is_leaf() || child.index() > node;
    let mut least = -MIN_GAIN * home_box.half_area();
    let mut best = None;
    let mut beside = 0;
    while beside < W {
        let child = family.children[beside];
        if beside != outlier.home
            && !child.is_leaf()
            && child != Child::NONE
            && may_go_below(outlier.child, child.index())
        {
            let node = &tree.nodes[child.index()];
            let children = count(&node.children);
            let whole = Aabb32::load(&family.volumes, beside);
            if may_leave && children < W {
                let change = whole.merged(&outlier.box_).half_area() - whole.half_area() - outlier.shrinks;
                if change < least {
                    (least, best) = (change, Some(Move::Beside(beside)));
                }
            }
            // What the outlier's home becomes with each child from there.
            let swapped =
                Aabb32::areas::<W, I>(isa, &merged_with::<I, W>(isa, &node.volumes, &outlier.rest)).to_array();
            let rests = rests(&node.volumes, children);
            let mut lane = 0;
            while lane < children {
                if may_go_below(node.children[lane], home) {
                    let change = swapped[lane] - home_box.half_area() + rests[lane].merged(&outlier.box_).half_area()
                        - whole.half_area();
                    if change < least {
                        (least, best) = (change, Some(Move::Swap(beside, lane)));
                    }
                }
                lane += 1;
            }
        }
        beside += 1;
    }
    best
}

/// The boxes around each lane and one more box.
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
    Avx2: LanesFor<W>,
{
    let home = tree.nodes[above].children[outlier.home].index();
    match to {
        Move::Up => {
            let (child, box_) = tree.take(home, outlier.lane);
            let room = count(&tree.nodes[above].children);
            tree.put(above, room, child, &box_);
        }
        Move::Beside(lane) => {
            let (child, box_) = tree.take(home, outlier.lane);
            let beside = tree.nodes[above].children[lane].index();
            let room = count(&tree.nodes[beside].children);
            tree.put(beside, room, child, &box_);
            tree.merge_into_parent(beside);
        }
        Move::Swap(lane, back) => {
            let beside = tree.nodes[above].children[lane].index();
            let other = &tree.nodes[beside];
            let (child, box_) = (other.children[back], Aabb32::load(&other.volumes, back));
            tree.put(beside, back, outlier.child, &outlier.box_);
            tree.put(home, outlier.lane, child, &box_);
            tree.merge_into_parent(beside);
        }
    }
    tree.merge_into_parent(home);
}
