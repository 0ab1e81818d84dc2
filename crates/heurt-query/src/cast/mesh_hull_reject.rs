//! Early rejection of the cast of a mesh and a hull in uniform translation.
//!
//! In: both on their motions, a window of time. Out: [`RejectResult`]: that they never meet, or the earliest path
//! position at which they may.
//! Method: a box around the hull along the axes of the mesh, no larger than a ball around it, is cast against the box
//! and the ball of the mesh. If it meets both, it is cast through the tree of the mesh until the walk reaches a leaf.
//! Only the box and the radius of the hull are used.
//! Guarantees: as `hull_slabs`; a margin for rounding is included.

use crate::cast::conservative_advancement::TimeWindow;
use crate::cast::convex_translation::later;
use crate::cast::hull_slabs::{AxisSlabs, PARALLEL, Slab};
use crate::motion::approach::Mover;
use heurt_bvh::simd::WideIsa;
use heurt_bvh::{Leaf, TreeFrame, Visitor, Work, walk};
use heurt_geometry::{Pose, Vec3, power_of_two_scale};
use heurt_shape::{Hull, MeshShape};
use std::ops::ControlFlow;

/// The mesh first.
pub(super) struct Passers<'a> {
    pub mesh: &'a MeshShape,
    pub hull: &'a Hull,
    pub movers: [Mover<'a>; 2],
}

/// Parameters of the search, computed by the early rejection.
pub(super) struct RejectResult {
    /// Units per metre, in which squares stay in range.
    pub unit: f64,
    /// Bound on rounding errors, in units: of the poses, and of frames and products.
    pub room: f64,
    /// The velocity of the hull relative to the mesh, in units, and its length.
    pub velocity: Vec3,
    pub speed: f64,
    /// Range of path positions to search.
    pub from: f64,
    pub until: f64,
    /// The path position at which the hull meets the box of the mesh; infinite if it meets nothing.
    pub base: f64,
    pub work: Work,
}

/// Tests a pair in uniform translation; `None` if the speed is too low or too high for squares.
#[inline(always)]
pub(super) fn glance(passers: &Passers<'_>, window: &TimeWindow) -> Option<RejectResult> {
    let Passers { mesh, hull, movers: [of_mesh, of_hull] } = passers;
    let frame = mesh.tree().frame();
    let reach = [frame.max_coordinate(), hull.max_coordinate()];
    let (mut from_mesh, mut from_hull) = (None, None);
    let poses = [placed(of_mesh, &mut from_mesh), placed(of_hull, &mut from_hull)];
    let distances = [of_mesh, of_hull].map(|mover| mover.straight_flight(window.until));
    let spans = [of_mesh, of_hull].map(|mover| mover.start.max_translation());
    let across = reach[0]
        + reach[1]
        + spans[0]
        + spans[1]
        + poses[0].max_translation()
        + poses[1].max_translation()
        + distances[0]
        + distances[1];
    let unit = power_of_two_scale(across);
    let rounding =
        of_mesh.straight_rounding(reach[0], window.until) + of_hull.straight_rounding(reach[1], window.until);
    let velocity = (of_hull.motion.velocity() - of_mesh.motion.velocity()) * unit;
    let speed = velocity.length();
    if !(speed > 1e-140 && speed < 1e140) {
        return None;
    }
    let mut glance = RejectResult {
        unit,
        // Twice the rounding: of the poses, and of the frame and the products.
        room: 2.0 * rounding * unit,
        velocity,
        speed,
        from: window.from * speed * (1.0 - 4.0 * f64::EPSILON),
        until: later(window.until * speed),
        base: f64::INFINITY,
        work: Work { volumes: 1, ..Work::default() },
    };
    if let Some(about) = glance.boxes(frame, hull, &poses) {
        // A hull that starts inside the box may lie inside the solid, far from all leaves.
        let mut anything = Anything { cutoff: about.cutoff(glance.until), is_met: about.base <= glance.from };
        if !anything.is_met {
            glance.work += walk(mesh.tree(), &about, &mut anything);
        }
        if anything.is_met {
            glance.base = about.base;
        }
    }
    Some(glance)
}

/// Returns the pose of a translating shape at time 0.
#[inline(always)]
pub(super) fn placed<'m>(mover: &Mover<'m>, made: &'m mut Option<Pose>) -> &'m Pose {
    match mover.part {
        None => mover.start,
        Some(part) => made.insert(mover.start.compose(part)),
    }
}

impl RejectResult {
    /// Computes the slabs of the box around the hull, if that meets the box of the mesh and the balls around both do
    /// not miss each other.
    #[inline(always)]
    fn boxes(&self, frame: &TreeFrame, hull: &Hull, [pose_a, pose_b]: &[&Pose; 2]) -> Option<AxisSlabs> {
        let (unit, direction) = (self.unit, self.velocity / self.speed);
        let defect = 4.0 * (pose_a.defect() + pose_b.defect());
        let between = (pose_b.place(hull.bounds().centre()) - pose_a.place(frame.centre())) * unit;
        let radius = hull.radius() * unit * (1.0 + 1e-9 + defect);
        let (half, size) = (hull.bounds().half_extents() * unit, frame.scale() * unit);
        let (turn_a, turn_b) = (pose_a.rotation(), pose_b.rotation());
        let (mut first, mut last) = (self.from, self.until);
        let slabs = [turn_a.x_axis, turn_a.y_axis, turn_a.z_axis].map(|axis| {
            let speed = axis.dot(direction);
            let sign = if speed > 0.0 { -1.0 } else { 1.0 };
            let along = Vec3::new(turn_b.x_axis.dot(axis), turn_b.y_axis.dot(axis), turn_b.z_axis.dot(axis));
            let of_box = along.abs().dot(half);
            let reach = if of_box < radius { of_box } else { radius };
            // If axes deviate from orthonormality, the whole mesh may appear rotated.
            let reach = reach + self.room + defect * size;
            let height = axis.dot(between) * sign;
            let per_height = (1.0 / -speed.abs()).max(PARALLEL);
            (sign, Slab { normal: Vec3::ZERO, ahead: reach - height, behind: reach + height, per_height })
        });
        let mesh = frame.half_extents().to_array().map(|half| half * unit);
        for ((_, slab), half) in slabs.iter().zip(mesh) {
            let [enters, leaves] = slab.places([half, half]);
            // A value that is not a number proves nothing.
            first = if enters > first { enters } else { first };
            last = if leaves < last { leaves } else { last };
        }
        let aside = between - direction * between.dot(direction);
        let of_mesh = frame.radius() * unit * (1.0 + 1e-9 + defect);
        let reach = (of_mesh + radius + self.room) * (1.0 + 1e-9);
        let is_past = first > last || aside.length_squared() > reach * reach;
        (!is_past).then(|| AxisSlabs::about_centre(&slabs, size, first))
    }
}

/// A visitor that reports whether the walk reaches any leaf.
struct Anything {
    cutoff: f32,
    is_met: bool,
}

impl Visitor for Anything {
    #[inline(always)]
    fn cutoff(&self) -> f32 {
        self.cutoff
    }

    #[inline(always)]
    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, _leaf: Leaf) -> ControlFlow<()> {
        self.is_met = true;
        ControlFlow::Break(())
    }
}
