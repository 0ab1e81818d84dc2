//! Cast of a mesh and a hull in uniform translation (no rotation, no acceleration): one walk over the tree of the mesh,
//! earliest possible contact first.
//!
//! In: moving shapes, a window of time. Out: the earliest [`ContactTime`] of the hull and a triangle.
//! Method: `mesh_hull_reject` rejects hulls that come near no leaf. Then boxes and triangles are tested by slabs
//! (`hull_slabs`) with the reach of the hull itself: along the axes of the mesh, across them and the path, along the
//! path, along the normals of the latest contacts, and along the normals of triangles proved to be missed. If the mesh
//! curves away from such a plane, this slab rejects nearly everything. A remaining triangle is tested by a ray
//! (`convex/portal`); undecided triangles are advanced on their own.
//! Guarantees: as `conservative_advancement`. If the mesh is a solid, the hull meets its surface first, or lies inside
//! it at the start.

use super::MovingShape;
use super::triangle_convex::TriangleAndConvex;
use crate::answer::budget::WorkMeter;
use crate::cast::conservative_advancement::{CastGap, ContactTime, Effort, STEPS_OF_ALL, TimeWindow, advance};
use crate::cast::convex_convex::CastOperand;
use crate::cast::convex_translation::{contact_time, earlier, is_straight, later, sharp};
use crate::cast::hull_slabs::{PARALLEL, Slab, Slabs};
use crate::cast::mesh_hull_reject::{Passers, RejectResult, glance};
use crate::cast::triangle_triangle::{MovingTriangle, from_axis};
use crate::convex::gjk::SimplexCache;
use crate::convex::nearest_triangle::PlacedTriangle;
use crate::convex::portal::{Passage, PortalDirection, TurnedHull, VelocityFrame, passage};
use crate::convex::support::Support;
use crate::motion::approach::{Moment, Mover};
use heurt_bvh::simd::{Kernel, WideIsa, dispatch};
use heurt_bvh::{Leaf, Visitor, Work, walk_best_first};
use heurt_geometry::{Mat3, Triangle, Vec3};
use heurt_shape::{Convex, MeshShape, ShapeRef};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// The result of the early rejection of two shapes.
#[allow(clippy::large_enum_variant, reason = "it is made once, and a box would cost what the glance spares")]
pub(crate) enum HullCastPlan<'a> {
    /// Other shapes, or other motions.
    Other,
    /// The shapes do not meet.
    Disjoint,
    /// The shapes may meet.
    Near(HullTranslation<'a>),
}

/// A mesh and a hull in uniform translation.
pub(crate) struct HullTranslation<'a> {
    search: HullCastSearch<'a>,
    glance: RejectResult,
}

/// Runs the early rejection of a mesh and a hull.
#[inline(always)]
pub(crate) fn straight_through<'a>(
    a: &MovingShape<'a>,
    b: &MovingShape<'a>,
    window: TimeWindow,
    meter: &'a WorkMeter<'a>,
) -> HullCastPlan<'a> {
    let (mesh, convex, movers, is_swapped) = match (a.shape, b.shape) {
        (ShapeRef::Mesh(mesh), ShapeRef::Convex(convex)) => (mesh, convex, [a.mover, b.mover], false),
        (ShapeRef::Convex(convex), ShapeRef::Mesh(mesh)) => (mesh, convex, [b.mover, a.mover], true),
        _ => return HullCastPlan::Other,
    };
    let Some(hull) = sharp(convex).filter(|_| movers.iter().all(is_straight)) else { return HullCastPlan::Other };
    let passers = Passers { mesh, hull, movers };
    let Some(glance) = glance(&passers, &window) else { return HullCastPlan::Other };
    if glance.base > glance.until {
        meter.add(glance.work);
        return HullCastPlan::Disjoint;
    }
    match search(&passers, convex, is_swapped, window, &glance, meter) {
        Some(search) => HullCastPlan::Near(HullTranslation { search, glance }),
        None => HullCastPlan::Other,
    }
}

impl HullTranslation<'_> {
    /// Reports whether they may meet at the start.
    pub(crate) fn is_near(&self) -> bool {
        self.glance.base <= self.glance.from
    }

    /// Returns the earliest contact, and whether `upper` is proved beyond the rounding of `overlap`.
    pub(crate) fn walked(mut self) -> (Option<ContactTime>, bool) {
        let search = &mut self.search;
        let slabs = dispatch(AsTheHullReaches { search, base: self.glance.base });
        let work = walk_best_first(search.mesh.tree(), &slabs, &mut Walked { search, slabs: &slabs });
        search.effort.meter.add(work + self.glance.work);
        (search.found, search.is_proved)
    }
}

#[inline(never)]
fn search<'a>(
    passers: &Passers<'a>,
    convex: &'a Convex,
    is_swapped: bool,
    window: TimeWindow,
    glance: &RejectResult,
    meter: &'a WorkMeter<'a>,
) -> Option<HullCastSearch<'a>> {
    let Passers { mesh, hull, movers } = *passers;
    let unit = glance.unit;
    let moments = movers.each_ref().map(|mover| mover.at(0.0));
    let frame = VelocityFrame::new(glance.velocity)?;
    let between = frame.of_world((moments[1].pose.translation() - moments[0].pose.translation()) * unit);
    Some(HullCastSearch {
        mesh,
        convex,
        movers,
        is_swapped,
        reach: [mesh.tree().frame().max_coordinate(), hull.max_coordinate()],
        hull: TurnedHull { hull, turn: frame.turned(&moments[1].pose), at: between, unit },
        radius: hull.radius() * unit * (1.0 + 1e-9 + 4.0 * moments[1].pose.defect()),
        turn: frame.turned(&moments[0].pose) * unit,
        moments,
        frame,
        unit,
        room: glance.room,
        window,
        from: glance.from,
        until: glance.until,
        found: None,
        is_proved: true,
        effort: Effort { steps: STEPS_OF_ALL, meter },
    })
}

struct HullCastSearch<'a> {
    mesh: &'a MeshShape,
    convex: &'a Convex,
    /// The mesh first.
    movers: [Mover<'a>; 2],
    is_swapped: bool,
    reach: [f64; 2],
    hull: TurnedHull<'a>,
    /// The radius of a ball around the hull.
    radius: f64,
    /// The rotation from the mesh to the frame of the path, in units.
    turn: Mat3,
    moments: [Moment; 2],
    frame: VelocityFrame,
    unit: f64,
    room: f64,
    window: TimeWindow,
    /// Path positions outside `from` and `until` are irrelevant.
    from: f64,
    until: f64,
    found: Option<ContactTime>,
    is_proved: bool,
    effort: Effort<'a>,
}

impl HullCastSearch<'_> {
    /// Computes the slab across a unit vector of the frame of the path, with the reach of the hull.
    #[inline(always)]
    fn slab(&self, normal: Vec3) -> Slab {
        let normal = if normal.z > 0.0 { -normal } else { normal };
        let Mat3 { x_axis, y_axis, z_axis } = self.turn;
        let local = Vec3::new(x_axis.dot(normal), y_axis.dot(normal), z_axis.dot(normal));
        let reaches = |direction: Vec3| self.room - direction.dot(self.hull.support(-direction).point);
        let per_height = if normal.z < 0.0 { (1.0 / normal.z).max(PARALLEL) } else { PARALLEL };
        Slab { normal: local, ahead: reaches(normal), behind: reaches(-normal), per_height }
    }

    fn triangle(&mut self, name: u32, first: f64, slabs: &Slabs) {
        let corners = self.mesh.mesh().corners(name);
        let placed = PlacedTriangle(corners.map(|corner| self.turn * corner));
        let middle = placed.middle();
        let radius =
            placed.0.iter().fold(0.0, |most, corner| f64::max(most, (*corner - middle).length_squared())).sqrt();
        let across = (placed.0[1] - placed.0[0]).cross(placed.0[2] - placed.0[0]);
        let towards = if across.z > 0.0 { -across } else { across };
        let ray = PortalDirection {
            from: self.from,
            until: self.until,
            end: later(self.window.until * self.frame.speed),
            tolerance: self.window.tolerance * self.unit,
            room: self.room,
            radius: self.radius + radius * (1.0 + 1e-9),
            first: (towards.z < 0.0).then_some(towards),
        };
        match passage(&placed, &self.hull, &ray) {
            Passage::Never(Some(normal)) => slabs.learn(&self.slab(normal)),
            Passage::Never(None) => {}
            Passage::Open(place) => self.advance(name, &corners, earlier(place.max(first) / self.frame.speed)),
            Passage::Meets(entry) => {
                let mut found = contact_time(&entry, &self.frame, &self.moments[0], self.unit, self.window.until);
                found.gap.primitives = Some([name, 0]);
                if self.is_swapped {
                    let gap = &mut found.gap;
                    (gap.point_a, gap.point_b, gap.normal) = (gap.point_b, gap.point_a, -gap.normal);
                    gap.primitives = Some([0, name]);
                }
                slabs.learn(&self.slab(entry.normal));
                self.offer(found);
            }
        }
    }

    /// Advances a triangle that the ray did not decide.
    #[cold]
    #[inline(never)]
    fn advance(&mut self, name: u32, corners: &Triangle, from: f64) {
        let placed = corners.map(|corner| self.moments[0].pose.place(corner));
        let [mover, of_convex] = self.movers;
        let mut pair = TriangleAndConvex {
            triangle: MovingTriangle { mover, corners: *corners, from_axis: from_axis(&placed, &self.moments[0]) },
            convex: self.convex,
            mover: of_convex,
            margin: 0.0,
            reach: self.reach,
            from_axis: CastOperand::new(ShapeRef::Convex(self.convex), of_convex).from_axis,
            unit: self.unit,
            name,
            is_swapped: self.is_swapped,
            moments: self.moments,
            placed,
            carriers: SimplexCache::default(),
        };
        let until = self.found.map_or(self.window.until, |found| found.time);
        let window = TimeWindow { from: from.clamp(self.window.from, until), until, ..self.window };
        if let Some(found) = advance(&mut pair, window, &mut self.effort) {
            self.is_proved = false;
            self.offer(found);
        }
    }

    /// Records an interruption: contacts after a path position are unknown.
    fn on_interrupted(&mut self, place: f64) {
        let TimeWindow { from, until, .. } = self.window;
        let time = earlier(place / self.frame.speed).clamp(from, until);
        self.is_proved = false;
        self.offer(ContactTime { time, upper: until, is_met: false, gap: CastGap::unknown(&self.moments) });
    }

    fn offer(&mut self, meeting: ContactTime) {
        let found = meeting.and_maybe(self.found, self.window.until);
        self.until = later(found.time * self.frame.speed);
        self.found = Some(found);
    }
}

/// Builds the fixed slabs.
struct AsTheHullReaches<'x, 'a> {
    search: &'x HullCastSearch<'a>,
    base: f64,
}

impl Kernel for AsTheHullReaches<'_, '_> {
    type Output = Slabs;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Slabs {
        let Self { search, base } = self;
        let Mat3 { x_axis, y_axis, z_axis } = search.turn;
        let axes = [x_axis, y_axis, z_axis].map(|axis| axis.normalize_or(Vec3::Z));
        // Across an axis and the path; if both are parallel, any direction across the path serves.
        let across = axes.map(|axis| Vec3::new(axis.y, -axis.x, 0.0).normalize_or(Vec3::X));
        let ([x, y, z], [p, q, r]) = (axes, across);
        let fixed = [x, y, z, p, q, r, Vec3::NEG_Z].map(|normal| search.slab(normal));
        Slabs::new(&fixed, search.mesh.tree().frame(), search.from, base)
    }
}

/// Processes the triangles of leaves.
struct Walked<'x, 'a> {
    search: &'x mut HullCastSearch<'a>,
    slabs: &'x Slabs,
}

impl Visitor for Walked<'_, '_> {
    fn cutoff(&self) -> f32 {
        self.slabs.cutoff(self.search.until)
    }

    /// Remaining triangles are met no earlier than their boxes: after an interruption, contact is possible from that
    /// bound on.
    fn should_continue(&mut self, bound: f32, done: &Work) -> bool {
        let should_continue = !self.search.effort.meter.is_exhausted_after(done);
        if !should_continue {
            self.search.on_interrupted(self.slabs.place(bound));
        }
        should_continue
    }

    #[inline(always)]
    fn visit_leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
        let Self { search, slabs } = self;
        let mesh = search.mesh;
        let mut soon: SmallVec<[(f64, u32); 16]> = SmallVec::new();
        for &name in mesh.tree().primitives(leaf) {
            let first = slabs.first_place(&mesh.mesh().corners(name));
            if first < search.until.next_up() {
                soon.push((first, name));
            }
        }
        soon.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        for (first, name) in soon {
            if first <= search.until {
                search.triangle(name, first, slabs);
            }
        }
        ControlFlow::Continue(())
    }
}
