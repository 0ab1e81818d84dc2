//! Two moving shapes of which one at least is a mesh: one walk over both trees, what may meet soonest first.
//!
//! In: trees of boxes, motions, a window of time. Out: the earliest [`Meeting`] of two primitives.
//! Method: each pair of boxes is asked along the six face axes when the gap between them can be closed, each pair of triangles
//! along both normals and the line between their middles, and what is left is advanced by itself (`advance`) no farther than
//! the earliest meeting so far. Where nothing turns or speeds up, boxes that have passed each other along one axis before they
//! meet along another are dropped, too.
//! Guarantees: as `advance`. A solid that swallows the other meets its surface first, or holds it at the start.
//! Cost: about that of a few distances.

use super::advance::{Gap, Meeting, STEPS_OF_ALL, Window, advance};
use super::pieces::{MovingTriangle, Triangles, between, from_axis, reach};
use super::triangle_convex::{TriangleAndConvex, convex_reach};
use super::whole::Side;
use crate::algo::approach::{Approach, Moment, Mover, time_to_close};
use crate::algo::gjk::Carriers;
use crate::algo::placed_convex::along_axes;
use heurt_bvh::{Aabb32, Asking, Boxes, Bvh, Leaf, LocalBox, LocalBoxes, TimedVisitor, Work, walk_pair_in_time};
use heurt_geometry::{Aabb, Mat3, Pose, Triangle, Vec3, units_in_a_metre};
use heurt_shape::{Convex, MeshShape, ShapeRef};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// Times of boxes are taken as much shorter, for all their roundings.
const SHORTER: f64 = 1e-9;

/// So many pairs of leaves are asked: only what turns a hundred times while it passes has more that may meet at any time.
const MOST_LEAVES: u32 = 1 << 17;

/// What a moving shape is made of.
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
    fn reach(&self) -> f64 {
        match self.pieces {
            Pieces::Triangles(mesh) => mesh.tree().frame().reach(),
            Pieces::One(convex) => ShapeRef::Convex(convex).reach(),
        }
    }
}

/// Finds when two moving shapes meet first, if their surfaces do in the window.
pub(crate) fn first_meeting(a: Moving<'_>, b: Moving<'_>, window: Window) -> (Option<Meeting>, Work) {
    let (mut of_a, mut of_b) = (None, None);
    let tree_a = tree_of(&a, &mut of_a);
    let tree_b = tree_of(&b, &mut of_b);
    let reach = [a.reach(), b.reach()];
    let rounding = a.mover.rounding(reach[0], window.until) + b.mover.rounding(reach[1], window.until);
    let moments = [a.mover.at(window.from), b.mover.at(window.from)];
    let across = reach[0] + reach[1] + a.mover.start.span() + b.mover.start.span() + a.mover.flight(window.until);
    let across = across + b.mover.flight(window.until);
    let across = across + [a, b].iter().filter_map(|side| side.mover.part).map(Pose::span).sum::<f64>();
    let defect: f64 = moments.iter().map(|at| at.pose.defect()).sum();
    let mut search = Search {
        sides: [a, b],
        pivots: [a, b].map(|side| side.mover.pivot()),
        from_axis: piece_from_axis(&a).max(piece_from_axis(&b)),
        shorter: 1.0 - SHORTER - 16.0 * defect,
        orders: [tree_a, tree_b].map(|tree| (tree.order(), tree.leaf_size() as usize)),
        window,
        room: rounding + a.margin + b.margin + 16.0 * defect * across,
        reach,
        unit: units_in_a_metre(across),
        time: window.from,
        moments,
        is_straight: moments.iter().all(Moment::is_straight),
        seen: seen(&moments),
        found: None,
        steps: STEPS_OF_ALL,
        leaves: MOST_LEAVES,
    };
    let work = walk_pair_in_time(tree_a, tree_b, window.from, &mut search);
    (search.found, work)
}

/// Bounds how far points of a single piece get from their axis.
fn piece_from_axis(moving: &Moving<'_>) -> f64 {
    match moving.pieces {
        Pieces::Triangles(_) => 0.0,
        Pieces::One(convex) => Side::new(ShapeRef::Convex(convex), moving.mover).from_axis,
    }
}

/// The tree over the pieces; that over a single one is made.
fn tree_of<'x>(moving: &Moving<'x>, made: &'x mut Option<Bvh<Aabb32, 8>>) -> &'x Bvh<Aabb32, 8> {
    match moving.pieces {
        Pieces::Triangles(mesh) => mesh.tree(),
        Pieces::One(convex) => {
            // The margin is in the room that all boxes are given.
            let (bounds, margin) = (convex.bounds(), Vec3::splat(moving.margin));
            let core = Aabb::from_points([bounds.min + margin, bounds.max - margin]);
            made.insert(Bvh::new(&Boxes::new([core])).expect("the box of a bounded shape is finite"))
        }
    }
}

/// An axis at some time, and how shapes move along it: X, whose axis it is, and Y, each in its own frame.
#[derive(Clone, Copy)]
struct Axis {
    /// How fast X's pivot comes towards Y's, and how that changes.
    speed: f64,
    pull: f64,
    /// What turning adds for a point of X, and for one of Y, seen from their pivots.
    turn_x: Vec3,
    turn_y: Vec3,
    length_x: f64,
    length_y: f64,
    /// The axis towards the other, and its part along the axis of turning; how much of it is across that.
    towards_x: Vec3,
    towards_y: Vec3,
    axial_x: Vec3,
    axial_y: Vec3,
    across_x: f64,
    across_y: f64,
}

/// A box seen from the pivot of its shape.
#[derive(Clone, Copy)]
struct Lever {
    arm: Vec3,
    half: Vec3,
    /// Bounds how far its points are from the pivot.
    radius: f64,
    spin: f64,
}

impl Lever {
    #[inline(always)]
    fn of(centre: Vec3, half: Vec3, pivot: Vec3, at: &Moment) -> Self {
        let arm = centre - pivot;
        Self { arm, half, radius: arm.length() + half.length(), spin: at.spin_rate }
    }
}

impl Axis {
    /// When boxes that touch at so small a distance along the axis meet along it first, and when they have passed each other;
    /// they neither turn nor speed up.
    #[inline(always)]
    fn passing(&self, along: f64, touch: f64) -> [f64; 2] {
        let towards = if along < 0.0 { -self.speed } else { self.speed };
        let gap = along.abs() - touch;
        if gap > 0.0 && towards <= 0.0 {
            [f64::INFINITY; 2]
        } else if towards > 0.0 {
            [gap / towards, (along.abs() + touch) / towards]
        } else if towards < 0.0 {
            [0.0, gap / towards]
        } else {
            [0.0, f64::INFINITY]
        }
    }

    /// The time before which the gap between two boxes, X's and Y's, is surely not closed, Y's being on the lower side or not.
    #[inline(always)]
    fn time_to_close(&self, gap: f64, is_below: bool, [x, y]: &[Lever; 2]) -> f64 {
        let sign = if is_below { -1.0 } else { 1.0 };
        let (towards, pull) = (sign * self.speed, sign * self.pull);
        let spread = self.turn_x.abs().dot(x.half) + self.turn_y.abs().dot(y.half);
        let speed = towards + sign * (self.turn_x.dot(x.arm) + self.turn_y.dot(y.arm)) + spread;
        let (top_x, top_y) = (self.length_x * x.radius, self.length_y * y.radius);
        let soon = time_to_close(gap, speed, pull + top_x * x.spin + top_y * y.spin);
        let at_top = time_to_close(gap, towards + top_x + top_y, pull);
        // All that turning can do.
        let turned = |lever: &Lever, axial: Vec3, across: f64, towards: Vec3| {
            let height = |along: Vec3| sign * along.dot(lever.arm) + along.abs().dot(lever.half);
            let more = height(axial) + across * lever.radius - height(towards);
            if lever.spin > 0.0 { greater(more, 0.0) } else { 0.0 }
        };
        let turned = turned(x, self.axial_x, self.across_x, self.towards_x)
            + turned(y, self.axial_y, self.across_y, self.towards_y);
        let rest = gap - turned * (1.0 + 1e-9);
        let flown = if rest > 0.0 { time_to_close(rest, towards, pull) } else { 0.0 };
        greater(flown, greater(soon, at_top))
    }
}

/// Shape Y seen from shape X at some time.
#[derive(Clone, Copy)]
struct Seen {
    /// Y's axes along X's.
    rotation: Mat3,
    /// From X's origin to Y's along X's axes.
    offset: Vec3,
    own: [Axis; 3],
    /// Along Y's axes.
    their: [Axis; 3],
}

/// B seen from A, and A seen from B.
fn seen(moments: &[Moment; 2]) -> [Seen; 2] {
    let see = |x: &Moment, y: &Moment| {
        let (axes_x, axes_y) = (*x.pose.rotation(), *y.pose.rotation());
        let axis = |n: Vec3| {
            let turn_x = along_axes(&x.pose, n.cross(x.spin));
            let turn_y = along_axes(&y.pose, y.spin.cross(n));
            let axial = |at: &Moment, n: Vec3| {
                let axis = if at.spin_rate > 0.0 { at.spin / at.spin_rate } else { Vec3::ZERO };
                (
                    along_axes(&at.pose, axis * axis.dot(n)),
                    if at.spin_rate > 0.0 { n.cross(axis).length() } else { 0.0 },
                )
            };
            let ((axial_x, across_x), (axial_y, across_y)) = (axial(x, n), axial(y, -n));
            Axis {
                towards_x: along_axes(&x.pose, n),
                towards_y: along_axes(&y.pose, -n),
                axial_x,
                axial_y,
                across_x,
                across_y,
                speed: n.dot(x.velocity - y.velocity),
                pull: n.dot(x.acceleration - y.acceleration),
                turn_x,
                turn_y,
                length_x: turn_x.length(),
                length_y: turn_y.length(),
            }
        };
        Seen {
            rotation: axes_x.transpose() * axes_y,
            offset: along_axes(&x.pose, y.pose.translation() - x.pose.translation()),
            own: [axes_x.x_axis, axes_x.y_axis, axes_x.z_axis].map(axis),
            their: [axes_y.x_axis, axes_y.y_axis, axes_y.z_axis].map(axis),
        }
    };
    let [a, b] = moments;
    [see(a, b), see(b, a)]
}

/// The search for the first meeting.
struct Search<'a> {
    sides: [Moving<'a>; 2],
    /// What they turn about, each in its own frame.
    pivots: [Vec3; 2],
    /// By what times of boxes are multiplied.
    shorter: f64,
    /// Bounds how far points of the one convex shape get from their axis.
    from_axis: f64,
    orders: [(&'a [u32], usize); 2],
    window: Window,
    /// How far boxes may be apart whose primitives meet.
    room: f64,
    /// How far the points of the shapes are from their origins.
    reach: [f64; 2],
    unit: f64,
    time: f64,
    moments: [Moment; 2],
    /// Nothing turns or speeds up: it is known when boxes have passed each other.
    is_straight: bool,
    seen: [Seen; 2],
    found: Option<Meeting>,
    /// What is left to all pairs of pieces, and how many pairs of leaves may still come.
    steps: u32,
    leaves: u32,
}

impl TimedVisitor for Search<'_> {
    fn cutoff(&self) -> f64 {
        self.end()
    }

    fn turn_to(&mut self, time: f64) {
        // What does not turn is as well asked at the start.
        let turns = self.sides.iter().any(|side| side.mover.motion.turns());
        if turns && time > self.time {
            self.time = time;
            self.moments = self.sides.each_ref().map(|side| side.mover.at(time));
            self.seen = seen(&self.moments);
        }
    }

    #[inline(always)]
    fn first_meetings<const W: usize>(&self, asking: &LocalBox, of: Asking, boxes: &LocalBoxes<W>) -> [f64; W] {
        let (seen, x, y) = match of {
            Asking::A => (&self.seen[0], 0, 1),
            Asking::B => (&self.seen[1], 1, 0),
        };
        let asked = Lever::of(asking.centre, asking.half, self.pivots[x], &self.moments[x]);
        let mut times = [0.0; W];
        for (lane, time) in times.iter_mut().enumerate() {
            let centre = Vec3::new(boxes.centre[0][lane], boxes.centre[1][lane], boxes.centre[2][lane]);
            let half = Vec3::new(boxes.half[0][lane], boxes.half[1][lane], boxes.half[2][lane]);
            let between = seen.rotation * centre + seen.offset - asking.centre;
            let between_y = seen.rotation.transpose() * between;
            let levers = [asked, Lever::of(centre, half, self.pivots[y], &self.moments[y])];
            let (mut first, mut last) = (0.0, f64::INFINITY);
            let mut ask = |axis: &Axis, along: f64, halves: f64| {
                let touch = halves + self.room;
                if self.is_straight {
                    let [meets, parts] = axis.passing(along, touch);
                    (first, last) = (greater(first, meets), lesser(last, parts));
                } else if along.abs() > touch {
                    first = greater(first, axis.time_to_close(along.abs() - touch, along < 0.0, &levers));
                }
            };
            for k in 0..3 {
                ask(&seen.own[k], between[k], asking.half[k] + seen.rotation.row(k).abs().dot(half));
                ask(&seen.their[k], between_y[k], half[k] + seen.rotation.col(k).abs().dot(asking.half));
            }
            let first = first * self.shorter;
            *time = if first > last { f64::INFINITY } else { self.time + first };
        }
        times
    }

    /// Nothing is known of what comes after: it counts as a meeting.
    fn give_up(&mut self, time: f64) {
        let gap = unknown_gap(&self.moments);
        self.offer(Some(Meeting { time, upper: self.window.until, is_met: false, gap }));
    }

    fn leaves(&mut self, a: Leaf, b: Leaf, time: f64) -> ControlFlow<()> {
        let names = |k: usize, leaf: Leaf| {
            let (order, size) = self.orders[k];
            &order[leaf.ordinal as usize * size..][..leaf.count as usize]
        };
        let (names_a, names_b) = (names(0, a), names(1, b));
        self.leaves -= 1;
        if self.leaves == 0 {
            self.give_up(time);
            return ControlFlow::Break(());
        }
        match (self.sides[0].pieces, self.sides[1].pieces) {
            (Pieces::Triangles(x), Pieces::Triangles(y)) => self.triangles(x, names_a, y, names_b, time),
            (Pieces::Triangles(x), Pieces::One(y)) => self.with_convex(x, names_a, y, 0, time),
            (Pieces::One(x), Pieces::Triangles(y)) => self.with_convex(y, names_b, x, 1, time),
            (Pieces::One(_), Pieces::One(_)) => {}
        }
        ControlFlow::Continue(())
    }
}

impl Search<'_> {
    /// The triangles of two leaves: the soonest first, the others up to then.
    fn triangles(&mut self, x: &MeshShape, names_x: &[u32], y: &MeshShape, names_y: &[u32], time: f64) {
        let of_x: SmallVec<[Ready; 8]> = names_x.iter().map(|&name| self.ready(0, x, name)).collect();
        let of_y: SmallVec<[Ready; 8]> = names_y.iter().map(|&name| self.ready(1, y, name)).collect();
        let mut soon: SmallVec<[(f64, u8, u8); 64]> = SmallVec::new();
        for (i, one) in of_x.iter().enumerate() {
            for (j, other) in of_y.iter().enumerate() {
                let from = greater(time, self.first_time(one, other));
                if from < self.end() {
                    soon.push((from, i as u8, j as u8));
                }
            }
        }
        soon.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (from, i, j) in soon {
            if from >= self.end() {
                break;
            }
            let (one, other) = (&of_x[usize::from(i)], &of_y[usize::from(j)]);
            let [a, b] = [(0, one), (1, other)].map(|(k, ready): (usize, &Ready)| ready.moving(self.sides[k].mover));
            let mut pair = Triangles {
                sides: [a, b],
                margin: self.sides[0].margin + self.sides[1].margin,
                reach: self.reach,
                unit: self.unit,
                names: [one.name, other.name],
                moments: self.moments,
                placed: [one.placed, other.placed],
            };
            let found = advance(&mut pair, self.window_from(from), &mut self.steps);
            self.offer(found);
        }
    }

    /// The time before which two triangles surely do not meet: asked along the line between their middles and both normals, as
    /// long as that may be before the end.
    fn first_time(&self, one: &Ready, other: &Ready) -> f64 {
        let [at_x, at_y] = &self.moments;
        let middles = (other.placed.iter().sum::<Vec3>() - one.placed.iter().sum::<Vec3>()).normalize_or_zero();
        let (mut first, end) = (self.time, self.end());
        for axis in [middles, one.normal, other.normal] {
            let (forth, back) = (between(&one.placed, &other.placed, axis), between(&one.placed, &other.placed, -axis));
            let (gap, normal) = if forth > back { (forth, axis) } else { (back, -axis) };
            let gap = gap * (1.0 - 1e-12) - self.room;
            if gap > 0.0 {
                let of_x = |turn: Vec3| reach(&one.placed, at_x, one.from_axis, turn);
                let of_y = |turn: Vec3| reach(&other.placed, at_y, other.from_axis, turn);
                let pause = Approach::of([at_x, at_y], normal, of_x, of_y).time_to_close(gap) * self.shorter;
                first = greater(first, self.time + pause);
                if first >= end {
                    break;
                }
            }
        }
        first
    }

    /// Triangles of a leaf of side `k` and the one piece of the other.
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
                moments: [self.moments[k], self.moments[1 - k]],
                placed: ready.placed,
                carriers: Carriers::default(),
            };
            let window = self.window_from(from);
            let from = if self.is_straight { pair.begin_straight(self.time, &window) } else { Some(from) };
            let found = from.and_then(|from| advance(&mut pair, Window { from, ..window }, &mut self.steps));
            self.offer(found);
        }
    }

    /// The time before which a triangle of side `k` and a convex shape surely do not meet: asked along the normal and
    /// the line between their middles.
    fn first_time_with(&self, ready: &Ready, convex: &Convex, k: usize) -> f64 {
        let (at_triangle, at_convex) = (&self.moments[k], &self.moments[1 - k]);
        let middle = at_convex.pose.place(convex.bounds().centre());
        let mut first = 0.0;
        let between = (middle - ready.placed.iter().sum::<Vec3>() / 3.0).normalize_or_zero();
        let up = if ready.normal.dot(between) < 0.0 { -ready.normal } else { ready.normal };
        for axis in [up, between].into_iter().filter(|axis| *axis != Vec3::ZERO) {
            let Some(nearest) = convex.support(-(at_convex.pose.rotation().transpose() * axis)) else { continue };
            // The margins are in the room.
            let nearest = axis.dot(at_convex.pose.place(nearest)) + convex.margin();
            let farthest = ready.placed.iter().map(|corner| axis.dot(*corner)).fold(f64::NEG_INFINITY, f64::max);
            let gap = nearest - farthest - self.room;
            if gap > 0.0 {
                let of_triangle = |turn: Vec3| reach(&ready.placed, at_triangle, ready.from_axis, turn);
                let of_convex = |turn: Vec3| convex_reach(convex, at_convex, self.from_axis, turn);
                let approach = Approach::of([at_triangle, at_convex], axis, of_triangle, of_convex);
                first = greater(first, approach.time_to_close(gap));
            }
        }
        self.time + first * self.shorter
    }

    /// A triangle of side `k` where it is at the time turned to.
    fn ready(&self, k: usize, mesh: &MeshShape, name: u32) -> Ready {
        let corners = mesh.mesh().corners(name);
        let placed = corners.map(|corner| self.moments[k].pose.place(corner));
        let normal = (placed[1] - placed[0]).cross(placed[2] - placed[0]).normalize_or_zero();
        Ready { name, corners, placed, normal, from_axis: from_axis(&placed, &self.moments[k]) }
    }

    /// What begins later is of no account.
    fn end(&self) -> f64 {
        self.found.map_or(self.window.until.next_up(), |found| found.time)
    }

    fn window_from(&self, from: f64) -> Window {
        Window { from, until: self.found.map_or(self.window.until, |found| found.time), ..self.window }
    }

    fn offer(&mut self, meeting: Option<Meeting>) {
        let Some(mut meeting) = meeting else { return };
        // Pieces are asked without their margins.
        meeting.gap.point_a += meeting.gap.normal * self.sides[0].margin;
        meeting.gap.point_b -= meeting.gap.normal * self.sides[1].margin;
        self.found = Some(meeting.and_maybe(self.found, self.window.until));
    }
}

/// Where nothing is known but where shapes are.
pub(crate) fn unknown_gap(moments: &[Moment; 2]) -> Gap {
    let [point_a, point_b] = moments.each_ref().map(|at| at.pose.translation());
    Gap { length: 0.0, at_least: 0.0, normal: Vec3::ZERO, point_a, point_b, primitives: None }
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

#[inline(always)]
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}
