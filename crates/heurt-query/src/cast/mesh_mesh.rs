//! Cast of two moving shapes of which at least one is a mesh: one walk over both trees, earliest possible contact
//! first.
//!
//! In: trees of boxes, motions, a window of time. Out: the earliest [`ContactTime`] of two primitives.
//! Method: boxes are tested eight at a time for the time at which gaps between them can close (`heurt_bvh::volume`),
//! and so are triangles of two leaves (`triangle_time_bounds`). The tests are repeated until the first of them may meet
//! at once. Then that pair is advanced on its own (`conservative_advancement`), up to the earliest contact found. A
//! triangle and a convex shape are tested along the normal and the line between their middles.
//! Guarantees: as `conservative_advancement`. If a solid contains the second shape, their surfaces meet first, or the
//! containment holds at the start.
//! Cost: approximately the cost of a few distances.

use super::triangle_convex::{TriangleAndConvex, convex_reach};
use crate::answer::budget::WorkMeter;
use crate::cast::conservative_advancement::{CastGap, ContactTime, Effort, STEPS_OF_ALL, TimeWindow, advance};
use crate::cast::convex_convex::CastOperand;
use crate::cast::moving_frames::MovingFrames;
use crate::cast::triangle_time_bounds::first_times;
use crate::cast::triangle_triangle::{CastTriangles, MovingTriangle, from_axis, reach};
use crate::convex::gjk::SimplexCache;
use crate::mesh::walk::intersecting_pairs::BlockFrames;
use crate::mesh::walk::pair_walk::Leaves;
use crate::motion::approach::{Approach, Moment, Mover};
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Aabb32, Boxes, Bvh, Leaf, MovingPairVisitor, Obb, PairMotion, TreeFrame, Work, walk_pair_moving};
use heurt_geometry::{Aabb, Triangle, Vec3, power_of_two_scale};
use heurt_shape::{Convex, MeshShape, PairVolume, ShapeRef};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Number of pairs of triangles up to which they are advanced on their own.
const FEW: usize = 1;

/// Limit of pairs of leaves tested: only a shape that turns a hundred times while it passes has more that may meet at
/// any time.
const MAX_LEAVES: u32 = 1 << 17;

/// The primitives of a moving shape.
#[derive(Clone, Copy)]
pub(crate) enum Pieces<'a> {
    Triangles(&'a MeshShape),
    One(&'a Convex),
}

/// A moving shape.
#[derive(Clone, Copy)]
pub(crate) struct Moving<'a> {
    pub pieces: Pieces<'a>,
    pub mover: Mover<'a>,
    pub margin: f64,
}

impl Moving<'_> {
    fn max_coordinate(&self) -> f64 {
        match self.pieces {
            Pieces::Triangles(mesh) => mesh.tree().frame().max_coordinate(),
            Pieces::One(convex) => ShapeRef::Convex(convex).max_coordinate(),
        }
    }
}

/// Finds the first contact of two moving shapes, if their surfaces meet in the window; after an interruption, contact
/// is possible from the reported time on.
pub(crate) fn first_meeting(
    a: Moving<'_>,
    b: Moving<'_>,
    window: TimeWindow,
    meter: &WorkMeter<'_>,
) -> Option<ContactTime> {
    let (mut of_a, mut of_b) = (None, None);
    let trees = [BoxTree::of(&a, &mut of_a), BoxTree::of(&b, &mut of_b)];
    let reach = [a.max_coordinate(), b.max_coordinate()];
    let movers = [a.mover, b.mover];
    let clock = MovingFrames::new(movers, trees.map(|tree| tree.frame()), reach, a.margin + b.margin, &window);
    let mut search = MeshCastSearch {
        sides: [a, b],
        from_axis: piece_from_axis(&a).max(piece_from_axis(&b)),
        orders: trees.map(|tree| tree.order()),
        blocks: [a, b].map(|side| match side.pieces {
            Pieces::Triangles(mesh) => Some(Leaves::of_shape(mesh, side.mover.start)),
            Pieces::One(_) => None,
        }),
        window,
        reach,
        unit: power_of_two_scale(clock.across),
        is_straight: clock.moments.iter().all(Moment::is_straight),
        clock,
        found: None,
        effort: Effort { steps: STEPS_OF_ALL, meter },
        leaves: MAX_LEAVES,
    };
    let from = window.from;
    let work = match trees {
        [BoxTree::Aligned(a), BoxTree::Aligned(b)] => walk_pair_moving(a, b, from, &mut search),
        [BoxTree::Aligned(a), BoxTree::Oriented(b)] => walk_pair_moving(a, b, from, &mut search),
        [BoxTree::Oriented(a), BoxTree::Aligned(b)] => walk_pair_moving(a, b, from, &mut search),
        [BoxTree::Oriented(a), BoxTree::Oriented(b)] => walk_pair_moving(a, b, from, &mut search),
    };
    meter.add(work);
    search.found
}

/// Bounds the distance of the points of a single piece from their axis.
fn piece_from_axis(moving: &Moving<'_>) -> f64 {
    match moving.pieces {
        Pieces::Triangles(_) => 0.0,
        Pieces::One(convex) => CastOperand::new(ShapeRef::Convex(convex), moving.mover).from_axis,
    }
}

/// A tree of boxes.
#[derive(Clone, Copy)]
enum BoxTree<'a> {
    Aligned(&'a Bvh<Aabb32, 8>),
    Oriented(&'a Bvh<Obb, 8>),
}

impl<'a> BoxTree<'a> {
    /// Returns the tree over the pieces; for a single piece the tree is built.
    fn of(moving: &Moving<'a>, made: &'a mut Option<Bvh<Aabb32, 8>>) -> Self {
        match moving.pieces {
            Pieces::Triangles(mesh) if mesh.pair_volume() == PairVolume::Aligned => Self::Aligned(mesh.tree()),
            Pieces::Triangles(mesh) => Self::Oriented(mesh.oriented_tree()),
            Pieces::One(convex) => {
                // The margin is included in the margin of all boxes.
                let (bounds, margin) = (convex.bounds(), Vec3::splat(moving.margin));
                let core = Aabb::from_points([bounds.min + margin, bounds.max - margin]);
                Self::Aligned(made.insert(Bvh::new(&Boxes::new([core])).expect("the box of a bounded shape is finite")))
            }
        }
    }

    fn frame(self) -> &'a TreeFrame {
        match self {
            Self::Aligned(tree) => tree.frame(),
            Self::Oriented(tree) => tree.frame(),
        }
    }

    /// Returns the primitives in leaf order, and the capacity of a leaf.
    fn order(self) -> (&'a [u32], usize) {
        match self {
            Self::Aligned(tree) => (tree.order(), tree.leaf_size() as usize),
            Self::Oriented(tree) => (tree.order(), tree.leaf_size() as usize),
        }
    }
}

/// The search for the first contact.
struct MeshCastSearch<'a> {
    sides: [Moving<'a>; 2],
    /// Bounds the distance of the points of the single convex shape from their axis.
    from_axis: f64,
    orders: [(&'a [u32], usize); 2],
    /// The triangles of meshes.
    blocks: [Option<Leaves<'a>>; 2],
    window: TimeWindow,
    /// The largest distance of the points of each shape from its origin.
    reach: [f64; 2],
    unit: f64,
    clock: MovingFrames<'a>,
    /// Whether nothing rotates or accelerates: the time at which boxes have passed each other is then known.
    is_straight: bool,
    found: Option<ContactTime>,
    /// The steps left to all pairs of pieces, and the number of pairs of leaves left.
    effort: Effort<'a>,
    leaves: u32,
}

impl MovingPairVisitor for MeshCastSearch<'_> {
    fn cutoff(&self) -> f64 {
        self.end()
    }

    fn advance_to(&mut self, time: f64, size: f32) {
        let end = self.end();
        self.clock.advance_to(time, size, end);
    }

    fn transforms(&self) -> &PairMotion {
        &self.clock.places
    }

    fn should_continue(&self, done: &Work) -> bool {
        !self.effort.meter.is_exhausted_after(done)
    }

    /// Records an interruption: contact is possible from `time` on, so it counts as a contact.
    fn on_interrupted(&mut self, time: f64) {
        let gap = CastGap::unknown(&self.clock.moments);
        self.offer(Some(ContactTime { time, upper: self.window.until, is_met: false, gap }));
    }

    fn visit_leaves<I: WideIsa>(
        &mut self,
        isa: I,
        a: Leaf,
        b: Leaf,
        time: f64,
        may_wait: bool,
    ) -> ControlFlow<(), Option<f64>> {
        let names = |k: usize, leaf: Leaf| {
            let (order, size) = self.orders[k];
            &order[leaf.ordinal as usize * size..][..leaf.count as usize]
        };
        self.leaves -= 1;
        if self.leaves == 0 {
            self.on_interrupted(time);
            return ControlFlow::Break(());
        }
        match (self.sides[0].pieces, self.sides[1].pieces) {
            (Pieces::Triangles(x), Pieces::Triangles(y)) => {
                return ControlFlow::Continue(self.triangles(isa, x, a, y, b, may_wait));
            }
            (Pieces::Triangles(x), Pieces::One(y)) => self.with_convex(x, names(0, a), y, 0, time),
            (Pieces::One(x), Pieces::Triangles(y)) => self.with_convex(y, names(1, b), x, 1, time),
            (Pieces::One(_), Pieces::One(_)) => {}
        }
        ControlFlow::Continue(None)
    }
}

impl MeshCastSearch<'_> {
    /// Tests the triangles of two leaves, earliest first. Returns instead the earliest time at which they can meet, if
    /// a later test is worth its cost.
    fn triangles<I: WideIsa>(
        &mut self,
        isa: I,
        x: &MeshShape,
        leaf_a: Leaf,
        y: &MeshShape,
        leaf_b: Leaf,
        may_wait: bool,
    ) -> Option<f64> {
        let [frame_a, frame_b] = self.clock.frames;
        let frames = BlockFrames::new(&self.clock.places.composed, &self.clock.places.pose, frame_a, frame_b);
        let normal = self.found.map_or(Vec3::ZERO, |found| found.gap.normal);
        let direction = (self.clock.moments[0].pose.rotation().transpose() * normal).as_vec3().to_array();
        let until = self.clock.places.until(self.end());
        let [Some(of_a), Some(of_b)] = &mut self.blocks else { return None };
        let (block_a, block_b) = ((of_a.block(leaf_a), leaf_a.count), (of_b.block(leaf_b), leaf_b.count));
        let mut soon = first_times(isa, &frames, &self.clock.places, block_a, block_b, direction, until);
        let (names_a, names_b) = (of_a.triangles(leaf_a), of_b.triangles(leaf_b));
        // Most pairs turn out not to meet in a later test, when the first of them may meet. If the approach until then
        // is below the tolerance, a later test is not worth its cost.
        let first = soon.iter().fold(f32::INFINITY, |first, pair| if pair.0 < first { pair.0 } else { first });
        let approach = f64::from(first * self.clock.places.drifts[0].speed) * self.clock.frames[0].scale();
        if may_wait && soon.len() > FEW && approach > self.window.tolerance {
            return Some(self.clock.places.at(first));
        }
        soon.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (from, i, j) in soon {
            let from = self.clock.places.at(from);
            if from >= self.end() {
                break;
            }
            let (i, j) = (names_a[usize::from(i)], names_b[usize::from(j)]);
            let (one, other) = (self.ready(0, x, i), self.ready(1, y, j));
            let [a, b] = [(0, &one), (1, &other)].map(|(k, ready): (usize, &Ready)| ready.moving(self.sides[k].mover));
            let mut pair = CastTriangles {
                sides: [a, b],
                margin: self.sides[0].margin + self.sides[1].margin,
                reach: self.reach,
                names: [i, j],
                moments: self.clock.moments,
                placed: [one.placed, other.placed],
            };
            let found = advance(&mut pair, self.window_from(from), &mut self.effort);
            self.offer(found);
        }
        None
    }

    /// Tests triangles of a leaf of side `k` against the single piece of the opposite side.
    fn with_convex(&mut self, mesh: &MeshShape, names: &[u32], convex: &Convex, k: usize, time: f64) {
        let mut soon: SmallVec<[(f64, Ready); 8]> = SmallVec::new();
        for &name in names {
            let ready = self.ready(k, mesh, name);
            let from = greater(time, self.first_time_with(&ready, convex, k));
            if from < self.end() {
                soon.push((from, ready));
            }
        }
        soon.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (from, ready) in soon {
            if from >= self.end() {
                break;
            }
            let mut pair = TriangleAndConvex {
                triangle: ready.moving(self.sides[k].mover),
                convex,
                mover: self.sides[1 - k].mover,
                margin: self.sides[0].margin + self.sides[1].margin,
                reach: [self.reach[k], self.reach[1 - k]],
                from_axis: self.from_axis,
                unit: self.unit,
                name: ready.name,
                is_swapped: k == 1,
                moments: [self.clock.moments[k], self.clock.moments[1 - k]],
                placed: ready.placed,
                carriers: SimplexCache::default(),
            };
            let window = self.window_from(from);
            let from = if self.is_straight { pair.begin_straight(self.clock.time, &window) } else { Some(from) };
            let found = from.and_then(|from| advance(&mut pair, TimeWindow { from, ..window }, &mut self.effort));
            self.offer(found);
        }
    }

    /// Computes the time before which a triangle of side `k` and a convex shape provably do not meet, along the normal
    /// and the line between their middles.
    fn first_time_with(&self, ready: &Ready, convex: &Convex, k: usize) -> f64 {
        let (at_triangle, at_convex) = (&self.clock.moments[k], &self.clock.moments[1 - k]);
        let middle = at_convex.pose.place(convex.bounds().centre());
        let mut first = 0.0;
        let between = (middle - ready.placed.iter().sum::<Vec3>() / 3.0).normalize_or_zero();
        let up = if ready.normal.dot(between) < 0.0 { -ready.normal } else { ready.normal };
        for axis in [up, between].into_iter().filter(|axis| *axis != Vec3::ZERO) {
            let Some(nearest) = convex.support(-(at_convex.pose.rotation().transpose() * axis)) else { continue };
            // The margins are included in `room`.
            let nearest = axis.dot(at_convex.pose.place(nearest)) + convex.margin();
            let farthest = ready.placed.iter().map(|corner| axis.dot(*corner)).fold(f64::NEG_INFINITY, f64::max);
            let gap = nearest - farthest - self.clock.room;
            if gap > 0.0 {
                let of_triangle = |turn: Vec3| reach(&ready.placed, at_triangle, ready.from_axis, turn);
                let of_convex = |turn: Vec3| convex_reach(convex, at_convex, self.from_axis, turn);
                let approach = Approach::of([at_triangle, at_convex], axis, of_triangle, of_convex);
                first = greater(first, approach.time_to_close(gap));
            }
        }
        self.clock.time + first * self.clock.shorter
    }

    /// Returns a triangle of side `k` in its pose at the current time.
    fn ready(&self, k: usize, mesh: &MeshShape, name: u32) -> Ready {
        let corners = mesh.mesh().corners(name);
        let placed = corners.map(|corner| self.clock.moments[k].pose.place(corner));
        let normal = (placed[1] - placed[0]).cross(placed[2] - placed[0]).normalize_or_zero();
        Ready { name, corners, placed, normal, from_axis: from_axis(&placed, &self.clock.moments[k]) }
    }

    /// Returns the time from which contacts are irrelevant.
    fn end(&self) -> f64 {
        self.found.map_or(self.window.until.next_up(), |found| found.time)
    }

    fn window_from(&self, from: f64) -> TimeWindow {
        TimeWindow { from, until: self.found.map_or(self.window.until, |found| found.time), ..self.window }
    }

    fn offer(&mut self, meeting: Option<ContactTime>) {
        let Some(mut meeting) = meeting else { return };
        // Pieces are tested without their margins.
        meeting.gap.point_a += meeting.gap.normal * self.sides[0].margin;
        meeting.gap.point_b -= meeting.gap.normal * self.sides[1].margin;
        self.found = Some(meeting.and_maybe(self.found, self.window.until));
    }
}

/// A placed triangle.
struct Ready {
    name: u32,
    corners: Triangle,
    placed: Triangle,
    normal: Vec3,
    from_axis: f64,
}

impl Ready {
    fn moving<'a>(&self, mover: Mover<'a>) -> MovingTriangle<'a> {
        MovingTriangle { mover, corners: self.corners, from_axis: self.from_axis }
    }
}

#[inline(always)]
fn greater(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}
