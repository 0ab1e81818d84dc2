//! Oriented bounding boxes.
//!
//! Method: S0 §4.5.6: fifteen axes (three faces of either box, nine cross products of edges), here against `W` boxes at
//! a time, in the frame of the query box. A box is the set |aⱼ·(p − c)| ≤ hⱼ of its *stored* axes, which are
//! orthonormal up to rounding; its half sizes were measured along just these. Error, in the notation of
//! [`crate::frame::relative`], u = 2⁻²⁴: with BᵀB = I + D, |D| ≤ 2.1u, a point of B is c + B(I − D)s, which moves
//! entries of the relative rotation by under 4u; they are computed within 17u; so ε = 64u on each of them covers faces
//! and the cofactors of the edge axes. Centres and their sums err by under 42u(1 + √3ρ + |t|), for which 2E is added to
//! the half sizes of the query box.

use super::obb_axes::{least_axes, tilted_axes};
use super::{
    Aabb32, BoundingVolume, Fitting, HintAxis, NOWHERE, PairGap, PointCloud, Wide, WideAabb, abs3, all_above, along,
    dot,
};
use super::{lane_of, load3, set_lane, wide_vec};
use crate::draw::Outline;
use crate::frame::relative::{Placement, QueryView, RelativePose};
use crate::frame::tree_frame::{round_down, round_up};
use crate::simd::{Lanes, LanesFor, WideIsa};
use heurt_geometry::Vec3;

/// A box with three orthogonal axes, in local units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Obb {
    /// Unit vectors, orthogonal up to rounding.
    pub axes: [[f32; 3]; 3],
    /// Intersection of the axes.
    pub centre: [f32; 3],
    /// Half sizes: reach of the box from the centre along each axis.
    pub half: [f32; 3],
}

/// `W` oriented boxes.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct WideObb<const W: usize> {
    /// The axes, each by its components.
    pub axes: [[[f32; W]; 3]; 3],
    /// The centres.
    pub centre: [[f32; W]; 3],
    /// The half sizes, by axis of the box.
    pub half: [[f32; W]; 3],
}

impl Obb {
    /// Fits the box along `axes` around all points.
    pub(super) fn along(axes: [Vec3; 3], points: &[Vec3]) -> Self {
        Self::about(axes, |axis| crate::volume::point_cloud::range(points, axis))
    }

    /// Creates the box along `axes` with the extent `range` along each, as it will be stored.
    pub(super) fn about(axes: [Vec3; 3], range: impl Fn(Vec3) -> (f64, f64)) -> Self {
        let axes = axes.map(|axis| axis.to_array().map(|x| x as f32));
        let stored = axes.map(wide_vec);
        let ranges = stored.map(&range);
        let middle = |j: usize| (ranges[j].0 + ranges[j].1) / 2.0;
        let centre =
            (stored[0] * middle(0) + stored[1] * middle(1) + stored[2] * middle(2)).to_array().map(|x| x as f32);
        let half = [0, 1, 2].map(|j| {
            let at = stored[j].dot(wide_vec(centre));
            round_up((ranges[j].1 - at).max(at - ranges[j].0) * (1.0 + 1e-12) + 1e-15)
        });
        Self { axes, centre, half }
    }

    /// Returns the box as an oriented box, a little larger for the rounding of centre and half sizes.
    #[inline(always)]
    pub(super) fn aligned(box_: &Aabb32) -> Self {
        let mut out =
            Self { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], centre: [0.0; 3], half: [0.0; 3] };
        let mut k = 0;
        while k < 3 {
            out.centre[k] = (box_.min[k] + box_.max[k]) * 0.5;
            out.half[k] = (box_.max[k] - box_.min[k]) * 0.5;
            k += 1;
        }
        out
    }

    /// Returns the largest dot product of a point of the box with `direction`, and the least; either may be exceeded by
    /// a rounding error.
    pub(super) fn support(&self, direction: Vec3) -> (f64, f64) {
        let at = direction.dot(wide_vec(self.centre));
        let reach: f64 = (0..3).map(|j| direction.dot(wide_vec(self.axes[j])).abs() * f64::from(self.half[j])).sum();
        // The set of the stored axes is larger than the box they span by at most this. Axes are orthogonal up to
        // 1.1e-7, so that along a short side a long one may add √3 of that.
        let reach = reach * (1.0 + 1e-6) + 2e-7 * self.half.iter().map(|&half| f64::from(half)).sum::<f64>();
        (at - reach, at + reach)
    }

    /// Returns a direction along the axes of the box.
    #[inline(always)]
    fn seen(&self, direction: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = &self.axes;
        [dot(x, &direction), dot(y, &direction), dot(z, &direction)]
    }

    /// Returns a box around the boxes of the first `count` lanes, with the given axes.
    pub(super) fn about_lanes<const W: usize>(lanes: &WideObb<W>, count: usize, axes: [Vec3; 3]) -> Self {
        Self::about(axes, |axis| {
            (0..count)
                .map(|lane| Self::load(lanes, lane).support(axis))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), (low, high)| {
                    (least.min(low), greatest.max(high))
                })
        })
    }
}

/// A box in the frame of another box.
pub struct RotatedObb<F> {
    /// `rotation[i][j]`: the component of the lanes' axis j along the query box's axis i.
    pub rotation: [[F; 3]; 3],
    pub magnitude: [[F; 3]; 3],
    /// Offset from the query box's centre to the lanes', along the query box's axes.
    pub between: [F; 3],
    /// The lanes' half sizes in units of the query box.
    pub half: [F; 3],
}

impl<F> RotatedObb<F> {
    #[inline(always)]
    pub fn new<F4: Lanes<4>, const W: usize>(query: &Obb, place: &Placement, lanes: &WideObb<W>) -> Self
    where
        F: Lanes<W>,
    {
        let ratio = F::splat(place.ratio);
        let (centre, half) = (scaled(&lanes.centre, ratio), scaled(&lanes.half, ratio));
        let axes = [load3(&lanes.axes[0]), load3(&lanes.axes[1]), load3(&lanes.axes[2])];
        let zero = [[F::splat(0.0); 3]; 3];
        let mut out = Self { rotation: zero, magnitude: zero, between: zero[0], half };
        let mut i = 0;
        while i < 3 {
            let (row, offset) = row_and_offset::<F4>(query, place, i);
            out.between[i] = along(&centre, &row).add(F::splat(offset));
            out.rotation[i] = [along(&axes[0], &row), along(&axes[1], &row), along(&axes[2], &row)];
            out.magnitude[i] = abs3(&out.rotation[i]);
            i += 1;
        }
        out
    }
}

impl<F> RotatedObb<F> {
    /// Creates it for boxes whose axes are the axes of their tree, which need no rotation.
    #[inline(always)]
    pub(super) fn aligned<F4: Lanes<4>, const W: usize>(query: &Obb, place: &Placement, lanes: &WideAabb<W>) -> Self
    where
        F: Lanes<W>,
    {
        let halved = F::splat(0.5 * place.ratio);
        let (min, max) = (load3::<F, W>(&lanes.min), load3::<F, W>(&lanes.max));
        let centre = [min[0].add(max[0]).mul(halved), min[1].add(max[1]).mul(halved), min[2].add(max[2]).mul(halved)];
        let half = [max[0].sub(min[0]).mul(halved), max[1].sub(min[1]).mul(halved), max[2].sub(min[2]).mul(halved)];
        let zero = [[F::splat(0.0); 3]; 3];
        let mut out = Self { rotation: zero, magnitude: zero, between: zero[0], half };
        let mut i = 0;
        while i < 3 {
            let (row, offset) = row_and_offset::<F4>(query, place, i);
            out.between[i] = along(&centre, &row).add(F::splat(offset));
            out.rotation[i] = [F::splat(row[0]), F::splat(row[1]), F::splat(row[2])];
            out.magnitude[i] = abs3(&out.rotation[i]);
            i += 1;
        }
        out
    }
}

/// Returns axis i of the query box in the frame of the lanes' tree, and the offset of that tree's centre along it.
#[inline(always)]
fn row_and_offset<F4: Lanes<4>>(query: &Obb, place: &Placement, i: usize) -> ([f32; 4], f32) {
    let (axis, r) = (&query.axes[i], &place.rotation);
    let row = F4::splat(axis[0]).mul(F4::load(&r[0]));
    let row = row.add(F4::splat(axis[1]).mul(F4::load(&r[1])));
    let row = row.add(F4::splat(axis[2]).mul(F4::load(&r[2]))).to_array();
    let [x, y, z, _] = place.translation;
    (row, dot(axis, &[x - query.centre[0], y - query.centre[1], z - query.centre[2]]))
}

/// Converts three lanes to other units.
#[inline(always)]
fn scaled<F: Lanes<W>, const W: usize>(of: &[[f32; W]; 3], ratio: F) -> [F; 3] {
    let [x, y, z] = load3::<F, W>(of);
    [x.mul(ratio), y.mul(ratio), z.mul(ratio)]
}

/// The ε of the proof.
pub(super) const EPSILON: f32 = 64.0 / (1u32 << 24) as f32;

impl PairGap<Obb> for Obb {
    type PairConstants = HintAxis;
    const NEEDS_WIDE_REGISTERS: bool = true;
    const IS_WALKED_BY_DEFAULT: bool = true;

    #[inline(always)]
    fn set_hint_axis<I: WideIsa>(_isa: I, relation: &mut HintAxis, pose: &RelativePose, direction: [f32; 3]) {
        *relation = HintAxis::new(pose, direction);
    }

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        _isa: I,
        view: QueryView<'_>,
        relation: &HintAxis,
        volumes: &WideObb<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        let b = RotatedObb::<Wide<W, I>>::new::<Wide<4, I>, W>(self, view.candidates, volumes);
        separation(&self.half, &b, view.candidates, relation.from(&view).map(|direction| self.seen(direction)), cutoff)
    }
}

/// A box of a rigid body against the boxes of a deforming one, which stay in their own frame (S2 §6.4).
impl PairGap<Aabb32> for Obb {
    type PairConstants = HintAxis;
    const NEEDS_WIDE_REGISTERS: bool = true;
    const IS_WALKED_BY_DEFAULT: bool = true;

    #[inline(always)]
    fn set_hint_axis<I: WideIsa>(_isa: I, relation: &mut HintAxis, pose: &RelativePose, direction: [f32; 3]) {
        *relation = HintAxis::new(pose, direction);
    }

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        _isa: I,
        view: QueryView<'_>,
        relation: &HintAxis,
        volumes: &WideAabb<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        let b = RotatedObb::<Wide<W, I>>::aligned::<Wide<4, I>, W>(self, view.candidates, volumes);
        separation(&self.half, &b, view.candidates, relation.from(&view).map(|direction| self.seen(direction)), cutoff)
    }
}

impl PairGap<Obb> for Aabb32 {
    type PairConstants = HintAxis;
    const NEEDS_WIDE_REGISTERS: bool = true;
    const IS_WALKED_BY_DEFAULT: bool = true;

    #[inline(always)]
    fn set_hint_axis<I: WideIsa>(_isa: I, relation: &mut HintAxis, pose: &RelativePose, direction: [f32; 3]) {
        *relation = HintAxis::new(pose, direction);
    }

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        _isa: I,
        view: QueryView<'_>,
        relation: &HintAxis,
        volumes: &WideObb<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        let query = Obb::aligned(self);
        let b = RotatedObb::<Wide<W, I>>::new::<Wide<4, I>, W>(&query, view.candidates, volumes);
        separation(&query.half, &b, view.candidates, relation.from(&view), cutoff)
    }
}

/// Returns the gap along fifteen axes, in doubled units of the query box of half sizes `half`.
#[inline(always)]
fn separation<F: Lanes<W>, const W: usize>(
    half: &[f32; 3],
    b: &RotatedObb<F>,
    place: &Placement,
    aim: Option<[f32; 3]>,
    cutoff: f32,
) -> F {
    let splat = F::splat;
    let error = place.error + place.error;
    let half_a = [half[0] + error, half[1] + error, half[2] + error];
    let sizes = b.half[0].add(b.half[1]).add(b.half[2]).add(splat(half_a[0] + half_a[1] + half_a[2]));
    let room = sizes.mul(splat(EPSILON + place.product_defect));
    let mut gap = splat(f32::NEG_INFINITY);
    if let Some(direction) = aim {
        gap = gap_along(direction, &half_a, b);
        let aimed = gap.sub(room).mul(splat(2.0));
        if all_above(aimed, cutoff) {
            return aimed;
        }
    }
    let mut i = 0;
    while i < 3 {
        let m = &b.magnitude[i];
        let reach = m[0].mul(b.half[0]).add(m[1].mul(b.half[1])).add(m[2].mul(b.half[2])).add(splat(half_a[i]));
        gap = b.between[i].abs().sub(reach).max(gap);
        i += 1;
    }
    let mut j = 0;
    while j < 3 {
        let (r, m) = (&b.rotation, &b.magnitude);
        let between = r[0][j].mul(b.between[0]).add(r[1][j].mul(b.between[1])).add(r[2][j].mul(b.between[2]));
        let reach = along(&[m[0][j], m[1][j], m[2][j]], &half_a).add(b.half[j]);
        gap = between.abs().sub(reach).max(gap);
        j += 1;
    }
    // Doubled, as the contract states.
    let two = splat(2.0);
    let faces = gap.sub(room).mul(two);
    if all_above(faces, cutoff) {
        return faces;
    }
    let mut axis = 0;
    while axis < 9 {
        let (i, j) = (axis / 3, axis % 3);
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let (r, m) = (&b.rotation, &b.magnitude);
        let between = b.between[i2].mul(r[i1][j]).sub(b.between[i1].mul(r[i2][j]));
        let reach_a = m[i2][j].mul(splat(half_a[i1])).add(m[i1][j].mul(splat(half_a[i2])));
        let reach_b = m[i][j2].mul(b.half[j1]).add(m[i][j1].mul(b.half[j2]));
        gap = between.abs().sub(reach_a.add(reach_b)).max(gap);
        axis += 1;
    }
    gap.sub(room).mul(two)
}

/// Returns the gap along a direction in the frame of the query box, not longer than 1 except for the errors of the
/// rotation's entries.
#[inline(always)]
fn gap_along<F: Lanes<W>, const W: usize>(direction: [f32; 3], half_a: &[f32; 3], b: &RotatedObb<F>) -> F {
    let [x, y, z] = direction;
    let reach_a = x.abs() * half_a[0] + y.abs() * half_a[1] + z.abs() * half_a[2];
    let mut gap = along(&b.between, &direction).sub(F::splat(reach_a));
    let mut j = 0;
    while j < 3 {
        let r = &b.rotation;
        gap = gap.sub(along(&[r[0][j], r[1][j], r[2][j]], &direction).abs().mul(b.half[j]));
        j += 1;
    }
    gap
}

impl BoundingVolume for Obb {
    type Wide<const W: usize> = WideObb<W>;
    const KIND: u32 = 3;
    const NUMBERS: usize = 15;
    const FITTING: Fitting = Fitting::Points;

    fn from_box(box_: &Aabb32) -> Self {
        let (low, high) = (wide_vec(box_.min), wide_vec(box_.max));
        Self::along([Vec3::X, Vec3::Y, Vec3::Z], &[low, high])
    }

    fn around(cloud: &PointCloud<'_>) -> Self {
        Self::along(least_axes(cloud), cloud.points)
    }

    fn moved(&self, cloud: &PointCloud<'_>) -> Self {
        Self::along(tilted_axes(self.axes.map(wide_vec), cloud.facing), cloud.points)
    }

    fn merged_lanes<const W: usize>(lanes: &WideObb<W>, count: usize, before: &Self) -> Self {
        Self::about_lanes(lanes, count, before.axes.map(wide_vec))
    }

    fn to_box(&self) -> Aabb32 {
        let ranges = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| self.support(axis));
        Aabb32 { min: ranges.map(|(low, _)| round_down(low)), max: ranges.map(|(_, high)| round_up(high)) }
    }

    fn holds(&self, point: Vec3) -> bool {
        (0..3).all(|j| {
            let axis = wide_vec(self.axes[j]);
            (axis.dot(point) - axis.dot(wide_vec(self.centre))).abs() <= f64::from(self.half[j])
        })
    }

    #[inline(always)]
    fn areas<const W: usize, I: LanesFor<W>>(_isa: I, lanes: &WideObb<W>) -> I::F {
        let [x, y, z] = load3::<I::F, W>(&lanes.half);
        x.mul(y).add(y.mul(z)).add(z.mul(x))
    }

    fn empty_lanes<const W: usize>() -> WideObb<W> {
        let (one, zero) = ([1.0; W], [0.0; W]);
        WideObb {
            axes: [[one, zero, zero], [zero, one, zero], [zero, zero, one]],
            centre: [[NOWHERE; W]; 3],
            half: [zero; 3],
        }
    }

    #[inline(always)]
    fn store<const W: usize>(&self, lanes: &mut WideObb<W>, lane: usize) {
        let mut j = 0;
        while j < 3 {
            set_lane(&mut lanes.axes[j], lane, self.axes[j]);
            j += 1;
        }
        set_lane(&mut lanes.centre, lane, self.centre);
        set_lane(&mut lanes.half, lane, self.half);
    }

    #[inline(always)]
    fn load<const W: usize>(lanes: &WideObb<W>, lane: usize) -> Self {
        let [x, y, z] = &lanes.axes;
        Self {
            axes: [lane_of(x, lane), lane_of(y, lane), lane_of(z, lane)],
            centre: lane_of(&lanes.centre, lane),
            half: lane_of(&lanes.half, lane),
        }
    }

    fn to_numbers(&self) -> Vec<f32> {
        self.axes.iter().flatten().chain(&self.centre).chain(&self.half).copied().collect()
    }

    fn from_numbers(numbers: &[f32]) -> Option<Self> {
        let numbers: &[f32; 15] = numbers.try_into().ok()?;
        let three = |from: usize| [numbers[from], numbers[from + 1], numbers[from + 2]];
        Some(Self { axes: [three(0), three(3), three(6)], centre: three(9), half: three(12) })
    }

    fn draw_outline(&self, outline: &mut Outline<'_>) {
        outline.draw_sides(wide_vec(self.centre), [0, 1, 2].map(|j| wide_vec(self.axes[j]) * f64::from(self.half[j])));
    }
}
