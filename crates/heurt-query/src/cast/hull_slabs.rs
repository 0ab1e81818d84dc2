//! Slabs around a translating hull: bounds of its path positions at which it may touch boxes and triangles.
//!
//! In: unit vectors, and the reach of the hull along and against them. Out: lower bounds of the path position at which
//! a box or a triangle is first touched; infinite if none is.
//! Method: along each normal the hull enters the extent of a box at one path position and leaves it at another; the box
//! is touched only between the last entry and the first exit. Boxes are tested in `f32`, as many at a time as nodes
//! have children, along a normal by the corner that is met first. Along the axes of the tree that takes a product and a
//! sum.
//! Guarantees: no bound is late. Rounding in `f32` is subtracted beforehand: [`ROUNDING`].

use heurt_bvh::simd::{Lanes, LanesFor};
use heurt_bvh::volume::{Query, WideAabb};
use heurt_bvh::{Aabb32, TreeFrame};
use heurt_geometry::{Triangle, Vec3};
use std::cell::Cell;

/// A pair of planes around the hull, relative to the mesh.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slab {
    /// Unit normal in the frame of the path, along the axes of the mesh, times the unit.
    pub normal: Vec3,
    /// The reach of the hull beyond the mesh's origin; a smaller value means a later entry into the extent ahead.
    pub ahead: f64,
    pub behind: f64,
    /// Path length per height along the normal; at most 0, no less than [`PARALLEL`].
    pub per_height: f64,
}

/// Path length per height for motion parallel to a plane. Even multiplied by the rounding margin it exceeds every path,
/// and it fits `f32`.
pub(super) const PARALLEL: f64 = -1e20;

impl Slab {
    /// Returns the first and last path position at which the hull may touch an object with the given reach along and
    /// against the normal.
    #[inline(always)]
    pub(super) fn places(&self, [along, against]: [f64; 2]) -> [f64; 2] {
        [(along + self.ahead) * self.per_height, -(against + self.behind) * self.per_height]
    }
}

/// Rounding error of a path position in `f32`, as a share of the sum of magnitudes: at most seven roundings of three
/// products, their factors and their sum.
const ROUNDING: f64 = 8.0 / (1u32 << 24) as f64;

/// A slab in the local units of the boxes of a tree, with path positions relative to `base`.
#[derive(Debug, Clone, Copy, Default)]
struct BoxSlab {
    /// Path length per local unit, by axis.
    rates: [f32; 3],
    /// Whether the greater end of the box along an axis is met first.
    by_greater: [bool; 3],
    enter: f32,
    leave: f32,
}

impl BoxSlab {
    #[inline(always)]
    fn new(slab: &Slab, frame: &TreeFrame, base: f64) -> Self {
        Self::at(slab.normal * frame.scale(), slab, slab.normal.dot(frame.centre()), base)
    }

    /// Builds the slab; `normal` is per local unit, `middle` is the height of the centre of the frame.
    #[inline(always)]
    fn at(normal: Vec3, slab: &Slab, middle: f64, base: f64) -> Self {
        let rates = normal * slab.per_height;
        let enter = (middle + slab.ahead) * slab.per_height - base;
        let leave = (middle - slab.behind) * slab.per_height - base;
        let size = rates.abs();
        let summed = size.x + size.y + size.z + f64::from(f32::MIN_POSITIVE);
        Self {
            rates: rates.as_vec3().to_array(),
            by_greater: [normal.x > 0.0, normal.y > 0.0, normal.z > 0.0],
            enter: (enter - ROUNDING * (summed + enter.abs())) as f32,
            leave: (leave + ROUNDING * (summed + leave.abs())) as f32,
        }
    }

    /// Returns the ends of boxes along an axis: first the ends that are met first.
    #[inline(always)]
    fn ends<'b, const W: usize>(&self, axis: usize, boxes: &'b WideAabb<W>) -> [&'b [f32; W]; 2] {
        let (min, max) = (&boxes.min[axis], &boxes.max[axis]);
        if self.by_greater[axis] { [max, min] } else { [min, max] }
    }

    #[inline(always)]
    fn cut<const W: usize, F: Lanes<W>>(&self, boxes: &WideAabb<W>, [first, last]: &mut [F; 2]) {
        let (mut enters, mut leaves) = (F::splat(self.enter), F::splat(self.leave));
        let mut axis = 0;
        while axis < 3 {
            let [near, far] = self.ends(axis, boxes);
            let rate = F::splat(self.rates[axis]);
            enters = enters.add(rate.mul(F::load(near)));
            leaves = leaves.add(rate.mul(F::load(far)));
            axis += 1;
        }
        // A value that is not a number proves nothing.
        *first = enters.max(*first);
        *last = leaves.min(*last);
    }

    /// Applies [`Self::cut`] for a slab across an axis.
    #[inline(always)]
    fn cut_along<const W: usize, F: Lanes<W>>(&self, axis: usize, boxes: &WideAabb<W>, [first, last]: &mut [F; 2]) {
        let [near, far] = self.ends(axis, boxes);
        let rate = F::splat(self.rates[axis]);
        *first = rate.mul(F::load(near)).add(F::splat(self.enter)).max(*first);
        *last = rate.mul(F::load(far)).add(F::splat(self.leave)).min(*last);
    }
}

/// Slabs across the axes of a tree. Path positions are relative to `base`, at which the box of the whole tree is met.
#[derive(Debug, Clone, Copy)]
pub(super) struct AxisSlabs {
    slabs: [BoxSlab; 3],
    pub base: f64,
}

impl AxisSlabs {
    /// Builds slabs whose normals lie along the axes, except for the rotation by poses: this deviation is added to the
    /// hull.
    #[inline(always)]
    pub(super) fn new(slabs: &[Slab; 3], frame: &TreeFrame, base: f64) -> Self {
        let of_axis = |axis: usize| {
            let slab = &slabs[axis];
            let mut across = slab.normal.abs();
            across[axis] = 0.0;
            let beside = (across.x + across.y + across.z) * frame.scale();
            let grown = Slab { ahead: slab.ahead + beside, behind: slab.behind + beside, ..*slab };
            BoxSlab::new(&grown, frame, base)
        };
        Self { slabs: [0, 1, 2].map(of_axis), base }
    }

    /// Builds the slabs of a box around the hull, relative to the centre of the frame, from the sign of each normal and
    /// the size of a local unit.
    #[inline(always)]
    pub(super) fn about_centre(slabs: &[(f64, Slab); 3], size: f64, base: f64) -> Self {
        let of_axis = |axis: usize| {
            let (sign, slab) = slabs[axis];
            let mut normal = [0.0; 3];
            normal[axis] = sign * size;
            BoxSlab::at(Vec3::from_array(normal), &slab, 0.0, base)
        };
        Self { slabs: [0, 1, 2].map(of_axis), base }
    }

    /// Returns the cutoff for bounds of boxes, for the path position `until`.
    #[inline(always)]
    pub(super) fn cutoff(&self, until: f64) -> f32 {
        ((until - self.base) as f32).next_up()
    }

    #[inline(always)]
    fn spans<const W: usize, F: Lanes<W>>(&self, boxes: &WideAabb<W>) -> [F; 2] {
        let mut spans = [F::splat(0.0), F::splat(f32::INFINITY)];
        let mut axis = 0;
        while axis < 3 {
            self.slabs[axis].cut_along(axis, boxes, &mut spans);
            axis += 1;
        }
        spans
    }
}

#[inline(always)]
fn begin<const W: usize, F: Lanes<W>>([first, last]: [F; 2]) -> F {
    first.gt(last).select(F::splat(f32::INFINITY), first)
}

impl Query<Aabb32> for AxisSlabs {
    #[inline(always)]
    fn lower_bound<const W: usize, I: LanesFor<W>>(&self, _isa: I, boxes: &WideAabb<W>) -> I::F {
        begin(self.spans::<W, I::F>(boxes))
    }
}

/// Limit of slabs along normals found during the search; the last ones are kept.
const MAX_LEARNED: usize = 6;
/// Number of slabs across the axes of the tree, and of all slabs that always exist.
const AXES: usize = 3;
const FIXED: usize = 7;
const MOST: usize = FIXED + MAX_LEARNED;

/// The slabs for tests of boxes and triangles; slabs are added during the walk.
pub(super) struct Slabs {
    axes: AxisSlabs,
    list: [Cell<Slab>; MOST],
    of_boxes: [Cell<BoxSlab>; MOST - AXES],
    count: Cell<usize>,
    learned: Cell<usize>,
    frame: TreeFrame,
    /// Path positions below this are irrelevant.
    from: f64,
}

impl Slabs {
    /// Creates the fixed slabs, those across the axes of the tree first.
    #[inline(always)]
    pub(super) fn new(fixed: &[Slab; FIXED], frame: &TreeFrame, from: f64, base: f64) -> Self {
        let [x, y, z, ..] = *fixed;
        let slabs = Self {
            axes: AxisSlabs::new(&[x, y, z], frame, base),
            list: Default::default(),
            of_boxes: Default::default(),
            count: Cell::new(FIXED),
            learned: Cell::new(0),
            frame: *frame,
            from,
        };
        fixed.iter().enumerate().for_each(|(number, slab)| slabs.set(number, slab));
        slabs
    }

    #[inline(always)]
    fn set(&self, number: usize, slab: &Slab) {
        self.list[number].set(*slab);
        if number >= AXES {
            self.of_boxes[number - AXES].set(BoxSlab::new(slab, &self.frame, self.axes.base));
        }
    }

    #[inline(always)]
    pub(super) fn learn(&self, slab: &Slab) {
        let learned = self.learned.get();
        self.set(FIXED + learned % MAX_LEARNED, slab);
        self.learned.set(learned + 1);
        self.count.set(FIXED + (learned + 1).min(MAX_LEARNED));
    }

    /// Returns the cutoff as [`AxisSlabs::cutoff`] does.
    #[inline(always)]
    pub(super) fn cutoff(&self, until: f64) -> f32 {
        self.axes.cutoff(until)
    }

    /// Returns the path position for a bound of a box.
    pub(super) fn place(&self, bound: f32) -> f64 {
        self.from.max(self.axes.base + f64::from(bound))
    }

    /// Returns the first path position at which a triangle may be touched.
    #[inline(always)]
    pub(super) fn first_place(&self, corners: &Triangle) -> f64 {
        let (mut first, mut last) = (self.from, f64::INFINITY);
        for slab in self.list[..self.count.get()].iter().map(Cell::get) {
            let [p, q, r] = corners.map(|corner| slab.normal.dot(corner));
            let [enters, leaves] = slab.places([p.max(q).max(r), -p.min(q).min(r)]);
            (first, last) = (first.max(enters), last.min(leaves));
        }
        if first > last { f64::INFINITY } else { first }
    }
}

impl Query<Aabb32> for Slabs {
    #[inline(always)]
    fn lower_bound<const W: usize, I: LanesFor<W>>(&self, _isa: I, boxes: &WideAabb<W>) -> I::F {
        let mut spans = self.axes.spans::<W, I::F>(boxes);
        for slab in &self.of_boxes[..self.count.get() - AXES] {
            slab.get().cut(boxes, &mut spans);
        }
        begin(spans)
    }
}
