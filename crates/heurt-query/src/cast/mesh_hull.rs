//! A mesh and a hull that neither turn nor speed up: one walk over the tree of the mesh, what may be met soonest first.
//!
//! In: shapes that move, a window of time. Out: the earliest [`Meeting`] of the hull and a triangle.
//! Method: boxes and triangles are asked by slabs: how far they and the hull reach along a normal bounds when the hull enters and
//! when it leaves what is between both planes. Slabs along the axes of the mesh, across them and the way, along the way, and along
//! the normals of the meetings found so far: where the mesh curves away from such a plane, it tells nearly everything. A triangle
//! that is left is asked by a ray (`algo/portal`), what that leaves open is advanced by itself.
//! Guarantees: as `advance`. A solid that swallows the hull meets its surface first, or holds it at the start.

use super::Flying;
use super::advance::{Meeting, STEPS_OF_ALL, Window, advance};
use super::pieces::{MovingTriangle, from_axis};
use super::straight::{earlier, is_straight, later, met, sharp};
use super::triangle_convex::TriangleAndConvex;
use super::whole::Side;
use crate::algo::approach::{Moment, Mover};
use crate::algo::gjk::Carriers;
use crate::algo::placed_convex::Support;
use crate::algo::portal::{Along, Passage, TurnedHull, WayFrame, passage};
use crate::algo::round_triangles::PlacedTriangle;
use heurt_bvh::simd::{Kernel, Lanes, LanesFor, WideIsa, dispatch};
use heurt_bvh::volume::{Query, WideAabb};
use heurt_bvh::{Aabb32, Leaf, TreeFrame, Visitor, Work, walk_best_first};
use heurt_geometry::{Mat3, Triangle, Vec3, units_in_a_metre};
use heurt_shape::{Convex, MeshShape, ShapeRef};
use smallvec::SmallVec;
use std::cell::Cell;
use std::ops::ControlFlow;

/// A mesh and a hull on their way, and where that may lead into the box of the mesh.
pub(crate) struct Straight<'a> {
    search: Search<'a>,
    slabs: Slabs,
    first: f64,
}

/// Looks at a mesh and a hull from afar; `None` for others.
pub(crate) fn straight_through<'a>(a: &Flying<'a>, b: &Flying<'a>, window: Window) -> Option<Straight<'a>> {
    let search = match (a.shape, b.shape) {
        (ShapeRef::Mesh(mesh), ShapeRef::Convex(convex)) => search(mesh, a.mover, convex, b.mover, false, window),
        (ShapeRef::Convex(convex), ShapeRef::Mesh(mesh)) => search(mesh, b.mover, convex, a.mover, true, window),
        _ => None,
    };
    search.map(|search| dispatch(FromAfar(search)))
}

impl Straight<'_> {
    /// They may meet at the start.
    pub(crate) fn is_near(&self) -> bool {
        self.first <= self.search.from
    }

    /// The earliest meeting, the work, and whether `upper` is proved beyond what `overlap` rounds.
    pub(crate) fn walked(mut self) -> (Option<Meeting>, Work, bool) {
        let (search, own) = (&mut self.search, Work { volumes: 1, ..Work::default() });
        if self.first > search.until {
            return (None, own, true);
        }
        let slabs = &self.slabs;
        let work = walk_best_first(search.mesh.tree(), slabs, &mut Walked { search, slabs });
        (search.found, work + own, search.is_proved)
    }
}

fn search<'a>(
    mesh: &'a MeshShape,
    mover: Mover<'a>,
    convex: &'a Convex,
    of_convex: Mover<'a>,
    is_swapped: bool,
    window: Window,
) -> Option<Search<'a>> {
    let hull = sharp(convex).filter(|_| is_straight(&mover) && is_straight(&of_convex))?;
    let reach = [mesh.tree().frame().reach(), hull.reach()];
    let moments = [mover.at(0.0), of_convex.at(0.0)];
    let rounding = mover.rounding(reach[0], window.until) + of_convex.rounding(reach[1], window.until);
    let span = |mover: &Mover<'_>, at: &Moment| mover.start.span() + at.pose.span() + mover.flight(window.until);
    let across = reach[0] + reach[1] + span(&mover, &moments[0]) + span(&of_convex, &moments[1]);
    let unit = units_in_a_metre(across);
    let frame = WayFrame::new((moments[1].velocity - moments[0].velocity) * unit)?;
    let between = frame.of_world((moments[1].pose.translation() - moments[0].pose.translation()) * unit);
    Some(Search {
        mesh,
        convex,
        movers: [mover, of_convex],
        is_swapped,
        reach,
        hull: TurnedHull { hull, turn: frame.turned(&moments[1].pose), at: between, unit },
        radius: hull.bounds().half_extents().length() * unit * (1.0 + 1e-9 + 4.0 * moments[1].pose.defect()),
        turn: frame.turned(&moments[0].pose) * unit,
        moments,
        frame,
        unit,
        // Twice: of the poses, and of the frame and the products here.
        room: 2.0 * rounding * unit,
        window,
        from: window.from * frame.speed * (1.0 - 4.0 * f64::EPSILON),
        until: later(window.until * frame.speed),
        found: None,
        is_proved: true,
        steps: STEPS_OF_ALL,
    })
}

/// A pair of planes about the hull, seen from the mesh.
#[derive(Debug, Clone, Copy, Default)]
struct Slab {
    /// Unit normal in the frame of the way, along the axes of the mesh, times the unit; and its magnitudes.
    normal: Vec3,
    size: Vec3,
    /// How far the hull reaches beyond the mesh's origin: the less, the sooner it meets what is ahead.
    ahead: f64,
    behind: f64,
    /// Per height along the normal; at most 0.
    per_height: f64,
}

/// What passes along a plane is far away for ever.
const PARALLEL: f64 = -1e100;

impl Slab {
    /// Between which places of the way the hull may be in touch with what reaches so far along the normal and against it.
    #[inline(always)]
    fn places(&self, [along, against]: [f64; 2]) -> [f64; 2] {
        [(along + self.ahead) * self.per_height, -(against + self.behind) * self.per_height]
    }
}

/// Slabs along the normals of meetings, the last ones.
const MOST_LEARNED: usize = 4;
/// Slabs that are always there.
const FIXED: usize = 7;

struct Search<'a> {
    mesh: &'a MeshShape,
    convex: &'a Convex,
    /// The mesh first.
    movers: [Mover<'a>; 2],
    is_swapped: bool,
    reach: [f64; 2],
    hull: TurnedHull<'a>,
    /// Of a ball about the hull.
    radius: f64,
    /// From the mesh to the frame of the way, in units.
    turn: Mat3,
    moments: [Moment; 2],
    frame: WayFrame,
    unit: f64,
    room: f64,
    window: Window,
    /// Places of the way that are nearer or farther are of no account.
    from: f64,
    until: f64,
    found: Option<Meeting>,
    is_proved: bool,
    steps: u32,
}

/// What is asked of boxes and triangles: more is learned while the walk goes on.
struct Slabs {
    list: [Cell<Slab>; FIXED + MOST_LEARNED],
    count: Cell<usize>,
    learned: Cell<usize>,
    /// Of the tree of the mesh.
    frame: TreeFrame,
    /// Places of the way that are nearer are of no account.
    from: f64,
}

impl Slabs {
    fn add(&self, slab: Slab) {
        self.list[self.count.get()].set(slab);
        self.count.set(self.count.get() + 1);
    }

    #[inline(always)]
    fn learn(&self, slab: Slab) {
        let learned = self.learned.get();
        self.list[FIXED + learned % MOST_LEARNED].set(slab);
        self.learned.set(learned + 1);
        self.count.set(FIXED + (learned + 1).min(MOST_LEARNED));
    }

    #[inline(always)]
    fn each(&self) -> impl Iterator<Item = Slab> {
        self.list[..self.count.get()].iter().map(Cell::get)
    }

    /// The first place of the way where a box may be met; infinite where there is none.
    #[inline(always)]
    fn first_places<const W: usize>(&self, centre: &[[f64; W]; 3], half: &[[f64; W]; 3]) -> [f64; W] {
        let (mut first, mut last) = ([self.from; W], [f64::INFINITY; W]);
        for slab in self.each() {
            let Slab { normal, size, .. } = slab;
            for lane in 0..W {
                let middle = normal.x * centre[0][lane] + normal.y * centre[1][lane] + normal.z * centre[2][lane];
                let reach = size.x * half[0][lane] + size.y * half[1][lane] + size.z * half[2][lane];
                let [enters, leaves] = slab.places([reach + middle, reach - middle]);
                first[lane] = if enters > first[lane] { enters } else { first[lane] };
                last[lane] = if leaves < last[lane] { leaves } else { last[lane] };
            }
        }
        for lane in 0..W {
            first[lane] = if first[lane] > last[lane] { f64::INFINITY } else { first[lane] };
        }
        first
    }

    /// The same of a triangle.
    #[inline(always)]
    fn first_place(&self, corners: &Triangle) -> f64 {
        let (mut first, mut last) = (self.from, f64::INFINITY);
        for slab in self.each() {
            let [p, q, r] = corners.map(|corner| slab.normal.dot(corner));
            let [enters, leaves] = slab.places([p.max(q).max(r), -p.min(q).min(r)]);
            (first, last) = (first.max(enters), last.min(leaves));
        }
        if first > last { f64::INFINITY } else { first }
    }
}

impl Query<Aabb32> for Slabs {
    #[inline(always)]
    fn bound<const W: usize, I: LanesFor<W>>(&self, _isa: I, boxes: &WideAabb<W>) -> I::F {
        let (half_scale, middle) = (0.5 * self.frame.scale(), self.frame.centre().to_array());
        let (mut centre, mut half) = ([[0.0; W]; 3], [[0.0; W]; 3]);
        for axis in 0..3 {
            for lane in 0..W {
                let (min, max) = (f64::from(boxes.min[axis][lane]), f64::from(boxes.max[axis][lane]));
                centre[axis][lane] = middle[axis] + (min + max) * half_scale;
                half[axis][lane] = (max - min) * half_scale;
            }
        }
        let first = self.first_places(&centre, &half);
        // Rounded down; what is never met stays so.
        let mut bounds = [f32::INFINITY; W];
        for lane in 0..W {
            bounds[lane] = if first[lane] < f64::INFINITY { (first[lane] as f32).next_down() } else { f32::INFINITY };
        }
        I::F::load(&bounds)
    }
}

impl Search<'_> {
    /// Tells whether balls about both pass each other, or end before they meet: most of what misses.
    #[inline(always)]
    fn passes_by(&self) -> bool {
        let (frame, TurnedHull { hull, turn, at, unit }) = (self.mesh.tree().frame(), &self.hull);
        let between = *at + *turn * (hull.bounds().centre() * *unit) - self.turn * frame.centre();
        let of_mesh = frame.radius() * self.unit * (1.0 + 1e-9 + 4.0 * self.moments[0].pose.defect());
        let reach = (of_mesh + self.radius + self.room) * (1.0 + 1e-9);
        // Written so that what is no number is no proof.
        between.x * between.x + between.y * between.y > reach * reach || -between.z - reach > self.until
    }

    /// The slab across a unit vector of the frame of the way.
    #[inline(always)]
    fn slab(&self, normal: Vec3) -> Slab {
        let normal = if normal.z > 0.0 { -normal } else { normal };
        let Mat3 { x_axis, y_axis, z_axis } = self.turn;
        let local = Vec3::new(x_axis.dot(normal), y_axis.dot(normal), z_axis.dot(normal));
        let reaches = |direction: Vec3| self.room - direction.dot(self.hull.support(-direction).point);
        let per_height = if normal.z < 0.0 { (1.0 / normal.z).max(PARALLEL) } else { PARALLEL };
        Slab { normal: local, size: local.abs(), ahead: reaches(normal), behind: reaches(-normal), per_height }
    }

    fn triangle(&mut self, name: u32, first: f64, slabs: &Slabs) {
        let corners = self.mesh.mesh().corners(name);
        let placed = PlacedTriangle(corners.map(|corner| self.turn * corner));
        let middle = placed.middle();
        let radius =
            placed.0.iter().fold(0.0, |most, corner| f64::max(most, (*corner - middle).length_squared())).sqrt();
        let across = (placed.0[1] - placed.0[0]).cross(placed.0[2] - placed.0[0]);
        let towards = if across.z > 0.0 { -across } else { across };
        let ray = Along {
            from: self.from,
            until: self.until,
            end: later(self.window.until * self.frame.speed),
            tolerance: self.window.tolerance * self.unit,
            room: self.room,
            radius: self.radius + radius * (1.0 + 1e-9),
            first: (towards.z < 0.0).then_some(towards),
        };
        match passage(&placed, &self.hull, &ray) {
            Passage::Never => {}
            Passage::Open(place) => self.advance(name, &corners, earlier(place.max(first) / self.frame.speed)),
            Passage::Meets(entry) => {
                let mut found = met(&entry, &self.frame, &self.moments[0], self.unit, self.window.until);
                found.gap.primitives = Some([name, 0]);
                if self.is_swapped {
                    let gap = &mut found.gap;
                    (gap.point_a, gap.point_b, gap.normal) = (gap.point_b, gap.point_a, -gap.normal);
                    gap.primitives = Some([0, name]);
                }
                slabs.learn(self.slab(entry.normal));
                self.offer(found);
            }
        }
    }

    /// Asks a triangle otherwise.
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
            from_axis: Side::new(ShapeRef::Convex(self.convex), of_convex).from_axis,
            unit: self.unit,
            name,
            is_swapped: self.is_swapped,
            moments: self.moments,
            placed,
            carriers: Carriers::default(),
        };
        let until = self.found.map_or(self.window.until, |found| found.time);
        let window = Window { from: from.clamp(self.window.from, until), until, ..self.window };
        if let Some(found) = advance(&mut pair, window, &mut self.steps) {
            self.is_proved = false;
            self.offer(found);
        }
    }

    fn offer(&mut self, meeting: Meeting) {
        let found = meeting.and_maybe(self.found, self.window.until);
        self.until = later(found.time * self.frame.speed);
        self.found = Some(found);
    }
}

/// Makes the slabs that are always there and asks the box of the mesh.
struct FromAfar<'a>(Search<'a>);

impl<'a> Kernel for FromAfar<'a> {
    type Output = Straight<'a>;

    #[inline(always)]
    fn run<I: WideIsa>(self, _isa: I) -> Straight<'a> {
        let Self(search) = self;
        let frame = *search.mesh.tree().frame();
        let slabs =
            Slabs { list: Default::default(), count: Cell::new(0), learned: Cell::new(0), frame, from: search.from };
        if search.passes_by() {
            return Straight { search, slabs, first: f64::INFINITY };
        }
        let axes = [search.turn.x_axis, search.turn.y_axis, search.turn.z_axis].map(|axis| axis.normalize_or(Vec3::Z));
        for axis in axes {
            // Across it and the way; where both are parallel anything across the way will do.
            let across = Vec3::new(axis.y, -axis.x, 0.0).normalize_or(Vec3::X);
            [axis, across].into_iter().for_each(|normal| slabs.add(search.slab(normal)));
        }
        slabs.add(search.slab(Vec3::NEG_Z));
        let rows = |v: Vec3| v.to_array().map(|x| [x]);
        let [first] = slabs.first_places(&rows(frame.centre()), &rows(frame.half_extents()));
        Straight { search, slabs, first }
    }
}

/// Takes the triangles of leaves.
struct Walked<'x, 'a> {
    search: &'x mut Search<'a>,
    slabs: &'x Slabs,
}

impl Visitor for Walked<'_, '_> {
    /// Rounded up.
    fn cutoff(&self) -> f32 {
        let until = self.search.until;
        if until < f64::INFINITY { (until as f32).next_up() } else { f32::INFINITY }
    }

    #[inline(always)]
    fn leaf<I: WideIsa>(&mut self, _isa: I, leaf: Leaf) -> ControlFlow<()> {
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
