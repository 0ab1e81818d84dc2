//! Axis-aligned boxes in `f32`, in the local frame of their tree, rounded outward.
//!
//! Method: S0 §4.5.4; boxes under a relative pose are compared on axes of the separating-axis test, with the rotation
//! and its magnitude taken from [`Placement`], in doubled coordinates (lo + hi and hi − lo) so that storing corners
//! costs no halving. The proof that no touching pair is reported as disjoint is in [`crate::frame::relative`]. Walks
//! test the six face axes: each tree's in its own frame, which makes half of them nearly free. The nine edge axes,
//! which [`RelativePose::with_edge_axes`](crate::RelativePose::with_edge_axes) adds, double the cost and separate few
//! more pairs.

use super::{
    BoundingVolume, Fitting, HintAxis, NOWHERE, PairGap, PointCloud, Query, Wide, all_above, each_by_itself,
    for_each_lane, lane_of, load3, not_above, set_lane,
};
use crate::frame::relative::{Placement, QueryView, RelativePose};
use crate::frame::tree_frame::{TreeFrame, round_down, round_up};
use crate::simd::{Lanes, LanesFor, WideIsa};
use heurt_geometry::{Aabb, Vec3};
use std::array::from_fn;

/// A closed box in local units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb32 {
    /// The least corner.
    pub min: [f32; 3],
    /// The greatest corner.
    pub max: [f32; 3],
}

/// `W` boxes: per axis the least and the greatest coordinates.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct WideAabb<const W: usize> {
    /// Least coordinates, by axis.
    pub min: [[f32; W]; 3],
    /// Greatest coordinates, by axis.
    pub max: [[f32; W]; 3],
}

impl Aabb32 {
    /// The empty box.
    pub const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    /// Returns the box of `bounds` in the local frame of a tree, rounded outward, for walks of that tree.
    pub fn in_frame(frame: &TreeFrame, bounds: &Aabb) -> Self {
        let (min, max) = (frame.to_local(bounds.min), frame.to_local(bounds.max));
        Self {
            min: [round_down(min.x), round_down(min.y), round_down(min.z)],
            max: [round_up(max.x), round_up(max.y), round_up(max.z)],
        }
    }

    /// Returns the smallest box that holds both.
    #[inline(always)]
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let mut out = *self;
        for k in 0..3 {
            out.min[k] = if other.min[k] < out.min[k] { other.min[k] } else { out.min[k] };
            out.max[k] = if other.max[k] > out.max[k] { other.max[k] } else { out.max[k] };
        }
        out
    }

    /// Returns the gap to another box along the axis with the widest gap; not above zero if the boxes meet.
    pub(crate) fn gap(&self, other: &Self) -> f32 {
        let along = |k: usize| (other.min[k] - self.max[k]).max(self.min[k] - other.max[k]);
        along(0).max(along(1)).max(along(2))
    }

    /// Returns half the surface: the sum of the areas of three faces.
    #[inline(always)]
    pub fn half_area(&self) -> f32 {
        let [x, y, z] = [self.max[0] - self.min[0], self.max[1] - self.min[1], self.max[2] - self.min[2]];
        x * y + y * z + z * x
    }

    /// Returns the box around this one in the frame that `place` leads to, inflated by its error bound.
    #[inline(always)]
    fn placed_around<I: LanesFor<4>>(&self, _isa: I, place: &Placement) -> Self {
        let (c, h) = (self.centre2(), self.extent());
        let (mut centre, mut half) = (I::F::splat(0.0), I::F::splat(0.0));
        let mut k = 0;
        while k < 3 {
            centre = I::F::load(&place.scaled_rotation[k]).mul(I::F::splat(c[k])).add(centre);
            half = I::F::load(&place.scaled_abs_rotation[k]).mul(I::F::splat(h[k])).add(half);
            k += 1;
        }
        let centre = centre.mul(I::F::splat(0.5)).add(I::F::load(&place.translation));
        let half = half.mul(I::F::splat(0.5)).add(I::F::splat(place.error));
        let ([x, y, z, _], [u, v, w, _]) = (centre.sub(half).to_array(), centre.add(half).to_array());
        Self { min: [x, y, z], max: [u, v, w] }
    }

    /// Returns the gaps to boxes of another tree along a direction, in doubled units. The error is as along a face axis
    /// of that tree ([`crate::frame::relative`]), and the half extents of this box are inflated along each axis.
    #[inline(always)]
    fn gap_along<F: Lanes<W>, const W: usize>(&self, direction: [f32; 3], place: &Placement, lanes: &WideAabb<W>) -> F {
        let (centre, half) = (self.centre2(), self.half2(place));
        let mut nearest = 0.0;
        let mut i = 0;
        while i < 3 {
            let between = place.translation[i] + place.translation[i] - centre[i];
            nearest += direction[i] * between - direction[i].abs() * half[i];
            i += 1;
        }
        let mut gap = F::splat(nearest);
        let mut j = 0;
        while j < 3 {
            let turn = &place.scaled_rotation[j];
            let along = direction[0] * turn[0] + direction[1] * turn[1] + direction[2] * turn[2];
            let room = (4.0 * PARALLEL + place.product_defect) * place.ratio;
            let (min, max) = (F::load(&lanes.min[j]), F::load(&lanes.max[j]));
            let reach = max.sub(min).mul(F::splat(along.abs() + room));
            gap = gap.add(min.add(max).mul(F::splat(along))).sub(reach);
            j += 1;
        }
        gap
    }

    /// Returns the doubled half extents.
    #[inline(always)]
    pub(super) fn extent(&self) -> [f32; 3] {
        [self.max[0] - self.min[0], self.max[1] - self.min[1], self.max[2] - self.min[2]]
    }

    /// Returns the doubled centre.
    #[inline(always)]
    pub(super) fn centre2(&self) -> [f32; 3] {
        [self.min[0] + self.max[0], self.min[1] + self.max[1], self.min[2] + self.max[2]]
    }

    /// Returns the doubled half extents, inflated by the error bound of the placement.
    #[inline(always)]
    pub(super) fn half2(&self, placement: &Placement) -> [f32; 3] {
        let error2 = placement.error + placement.error;
        [0, 1, 2].map(
            #[inline(always)]
            |k| self.max[k] - self.min[k] + error2,
        )
    }
}

/// Maximum error of a direction's components along the axes of another tree, for exact rotations.
const PARALLEL: f32 = 1.0 / (1u32 << 20) as f32;

impl PairGap<Aabb32> for Aabb32 {
    type PairConstants = HintAxis;
    const IS_WALKED_BY_DEFAULT: bool = true;

    #[inline(always)]
    fn set_hint_axis<I: WideIsa>(_isa: I, relation: &mut HintAxis, pose: &RelativePose, direction: [f32; 3]) {
        *relation = HintAxis::new(pose, direction);
    }

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        isa: I,
        view: QueryView<'_>,
        relation: &HintAxis,
        volumes: &WideAabb<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        let mut aimed = Wide::<W, I>::splat(f32::NEG_INFINITY);
        if let Some(direction) = relation.from(&view) {
            aimed = self.gap_along::<Wide<W, I>, W>(direction, view.candidates, volumes);
            if all_above(aimed, cutoff) {
                return aimed;
            }
        }
        let scale = view.candidates.ratio + view.candidates.ratio;
        // The children's face axes: this box is placed in their frame, which costs almost nothing a lane.
        let placed = self.placed_around(isa, view.query);
        let gap =
            Query::<Aabb32>::lower_bound::<W, I>(&placed, isa, volumes).mul(Wide::<W, I>::splat(scale)).max(aimed);
        if view.candidates.is_parallel || all_above(gap, cutoff) {
            return gap;
        }
        // This box's face axes: the children are placed in its frame.
        let (turn, reach) = (&view.candidates.scaled_rotation, &view.candidates.scaled_abs_rotation);
        let (centre, half) = (self.centre2(), self.half2(view.candidates));
        let min = [
            Wide::<W, I>::load(&volumes.min[0]),
            Wide::<W, I>::load(&volumes.min[1]),
            Wide::<W, I>::load(&volumes.min[2]),
        ];
        let max = [
            Wide::<W, I>::load(&volumes.max[0]),
            Wide::<W, I>::load(&volumes.max[1]),
            Wide::<W, I>::load(&volumes.max[2]),
        ];
        let c = [min[0].add(max[0]), min[1].add(max[1]), min[2].add(max[2])];
        let h = [max[0].sub(min[0]), max[1].sub(min[1]), max[2].sub(min[2])];
        let mut gap = gap;
        let mut between = [Wide::<W, I>::splat(0.0); 3];
        let mut i = 0;
        while i < 3 {
            let [x, y, z] =
                [Wide::<W, I>::splat(turn[0][i]), Wide::<W, I>::splat(turn[1][i]), Wide::<W, I>::splat(turn[2][i])];
            let shift =
                Wide::<W, I>::splat(view.candidates.translation[i] + view.candidates.translation[i] - centre[i]);
            between[i] = x.mul(c[0]).add(y.mul(c[1])).add(z.mul(c[2])).add(shift);
            let [x, y, z] =
                [Wide::<W, I>::splat(reach[0][i]), Wide::<W, I>::splat(reach[1][i]), Wide::<W, I>::splat(reach[2][i])];
            let radius = x.mul(h[0]).add(y.mul(h[1])).add(z.mul(h[2])).add(Wide::<W, I>::splat(half[i]));
            gap = between[i].abs().sub(radius).max(gap);
            i += 1;
        }
        if view.edge_axes { edge_gap(view.candidates, &half, &h, &between).max(gap) } else { gap }
    }

    /// If axes are parallel, all boxes are placed at once.
    #[inline(always)]
    fn overlap_masks<const W: usize, I: WideIsa + LanesFor<W>>(
        isa: I,
        view: QueryView<'_>,
        relation: &HintAxis,
        (query, which): (&WideAabb<W>, u32),
        volumes: &WideAabb<W>,
        cutoff: f32,
    ) -> [u32; W] {
        if !view.candidates.is_parallel || relation.from(&view).is_some() {
            return each_by_itself::<Self, Self, I, W>(isa, view, relation, (query, which), volumes, cutoff);
        }
        let scale = Wide::<W, I>::splat(view.candidates.ratio + view.candidates.ratio);
        let placed = query.placed_around::<Wide<W, I>>(view.query);
        for_each_lane(
            which,
            #[inline(always)]
            |lane| {
                let gaps = Query::<Self>::lower_bound::<W, I>(&Self::load(&placed, lane), isa, volumes);
                not_above(gaps.mul(scale), cutoff)
            },
        )
    }
}

impl<const W: usize> WideAabb<W> {
    /// Returns the boxes around these in the frame that `place` leads to, inflated by its error bound.
    #[inline(always)]
    fn placed_around<F: Lanes<W>>(&self, place: &Placement) -> Self {
        let (min, max) = (load3::<F, W>(&self.min), load3::<F, W>(&self.max));
        let centre2 = [min[0].add(max[0]), min[1].add(max[1]), min[2].add(max[2])];
        let extent = [max[0].sub(min[0]), max[1].sub(min[1]), max[2].sub(min[2])];
        let half = F::splat(0.5);
        let mut out = *self;
        let mut i = 0;
        while i < 3 {
            let (mut centre, mut reach) = (F::splat(0.0), F::splat(0.0));
            let mut k = 0;
            while k < 3 {
                centre = F::splat(place.scaled_rotation[k][i]).mul(centre2[k]).add(centre);
                reach = F::splat(place.scaled_abs_rotation[k][i]).mul(extent[k]).add(reach);
                k += 1;
            }
            let centre = centre.mul(half).add(F::splat(place.translation[i]));
            let reach = reach.mul(half).add(F::splat(place.error));
            (out.min[i], out.max[i]) = (centre.sub(reach).to_array(), centre.add(reach).to_array());
            i += 1;
        }
        out
    }
}

/// Returns the gap along the nine cross products of edges, L = Aⁱ × Bʲ (S0 §4.5.6). Axes are used unnormalised, which
/// only lowers the gap.
#[inline(always)]
fn edge_gap<F: Lanes<W>, const W: usize>(b: &Placement, half_a: &[f32; 3], half_b: &[F; 3], between: &[F; 3]) -> F {
    let (r, m) = (&b.rotation, &b.magnitude);
    let mut gap = F::splat(f32::NEG_INFINITY);
    let mut axis = 0;
    while axis < 9 {
        let (i, j) = (axis / 3, axis % 3);
        let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        let along = between[i2].mul(F::splat(r[i1][j])).sub(between[i1].mul(F::splat(r[i2][j])));
        let radius_a = F::splat(half_a[i1] * m[i2][j] + half_a[i2] * m[i1][j]);
        let radius_b = half_b[j1]
            .mul(F::splat(b.scaled_abs_rotation[j2][i]))
            .add(half_b[j2].mul(F::splat(b.scaled_abs_rotation[j1][i])));
        gap = along.abs().sub(radius_a.add(radius_b)).max(gap);
        axis += 1;
    }
    gap
}

impl BoundingVolume for Aabb32 {
    type Wide<const W: usize> = WideAabb<W>;
    const KIND: u32 = 1;
    const NUMBERS: usize = 6;
    const FITTING: Fitting = Fitting::Boxes;

    #[inline(always)]
    fn from_box(box_: &Aabb32) -> Self {
        *box_
    }

    fn around(cloud: &PointCloud<'_>) -> Self {
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| cloud.range(axis));
        Self { min: [x.0, y.0, z.0].map(round_down), max: [x.1, y.1, z.1].map(round_up) }
    }

    #[inline(always)]
    fn merged_lanes<const W: usize>(lanes: &WideAabb<W>, _count: usize, _before: &Self) -> Self {
        // Lanes without a child, turned inside out, add nothing.
        let mut out = Self::EMPTY;
        let mut lane = 0;
        while lane < W {
            let mut k = 0;
            while k < 3 {
                out.min[k] = if lanes.min[k][lane] < out.min[k] { lanes.min[k][lane] } else { out.min[k] };
                out.max[k] = if lanes.max[k][lane] > out.max[k] { lanes.max[k][lane] } else { out.max[k] };
                k += 1;
            }
            lane += 1;
        }
        out
    }

    #[inline(always)]
    fn to_box(&self) -> Aabb32 {
        *self
    }

    fn holds(&self, point: Vec3) -> bool {
        let point = point.to_array();
        (0..3).all(|k| f64::from(self.min[k]) <= point[k] && point[k] <= f64::from(self.max[k]))
    }

    #[inline(always)]
    fn areas<const W: usize, I: LanesFor<W>>(_isa: I, lanes: &WideAabb<W>) -> I::F {
        let extent = |k: usize| I::F::load(&lanes.max[k]).sub(I::F::load(&lanes.min[k]));
        let (x, y, z) = (extent(0), extent(1), extent(2));
        x.mul(y).add(y.mul(z)).add(z.mul(x))
    }

    fn empty_lanes<const W: usize>() -> WideAabb<W> {
        // Turned inside out, which is neutral when merged.
        WideAabb { min: [[NOWHERE; W]; 3], max: [[-NOWHERE; W]; 3] }
    }

    #[inline(always)]
    fn store<const W: usize>(&self, lanes: &mut WideAabb<W>, lane: usize) {
        set_lane(&mut lanes.min, lane, self.min);
        set_lane(&mut lanes.max, lane, self.max);
    }

    #[inline(always)]
    fn load<const W: usize>(lanes: &WideAabb<W>, lane: usize) -> Self {
        Self { min: lane_of(&lanes.min, lane), max: lane_of(&lanes.max, lane) }
    }

    fn to_numbers(&self) -> Vec<f32> {
        self.min.iter().chain(&self.max).copied().collect()
    }

    fn from_numbers(numbers: &[f32]) -> Option<Self> {
        let numbers: &[f32; 6] = numbers.try_into().ok()?;
        Some(Self { min: from_fn(|k| numbers[k]), max: from_fn(|k| numbers[k + 3]) })
    }
}

/// A point query for the nearest primitive: squared distances in local units.
#[derive(Debug, Clone, Copy)]
pub struct PointQuery {
    above: [f32; 3],
    below: [f32; 3],
}

impl PointQuery {
    /// Creates a query of a point in local coordinates; `slack` is its maximum error, in local units.
    pub fn new(local: [f64; 3], slack: f64) -> Self {
        Self { above: local.map(|x| round_up(x + slack)), below: local.map(|x| round_down(x - slack)) }
    }

    /// Creates a query of a box in local coordinates; distances are from its nearest point.
    pub fn of_box(min: [f64; 3], max: [f64; 3]) -> Self {
        Self { above: max.map(round_up), below: min.map(round_down) }
    }
}

/// Factor that lowers a sum of three squares below the exact value for any `f32` rounding.
const SURELY_BELOW: f32 = 1.0 - 1.0 / (1u32 << 20) as f32;

impl Query<Aabb32> for PointQuery {
    #[inline(always)]
    fn lower_bound<const W: usize, I: LanesFor<W>>(&self, _isa: I, volumes: &WideAabb<W>) -> I::F {
        let zero = I::F::splat(0.0);
        let mut sum = zero;
        let mut k = 0;
        while k < 3 {
            let under = I::F::load(&volumes.min[k]).sub(I::F::splat(self.above[k]));
            let over = I::F::splat(self.below[k]).sub(I::F::load(&volumes.max[k]));
            let gap = under.max(over).max(zero);
            sum = gap.mul(gap).add(sum);
            k += 1;
        }
        sum.mul(I::F::splat(SURELY_BELOW))
    }
}

/// A box query for boxes that may meet it: the largest gap along an axis, not above 0 if they may meet.
impl Query<Aabb32> for Aabb32 {
    #[inline(always)]
    fn lower_bound<const W: usize, I: LanesFor<W>>(&self, _isa: I, volumes: &WideAabb<W>) -> I::F {
        let mut gap = I::F::splat(f32::NEG_INFINITY);
        let mut k = 0;
        while k < 3 {
            let under = I::F::load(&volumes.min[k]).sub(I::F::splat(self.max[k]));
            let over = I::F::splat(self.min[k]).sub(I::F::load(&volumes.max[k]));
            gap = under.max(over).max(gap);
            k += 1;
        }
        gap
    }
}

/// A ray in local coordinates: the parameter at which it may enter a box.
#[derive(Debug, Clone, Copy)]
pub struct RayQuery {
    inverse: [f32; 3],
    near: [f32; 3],
    far: [f32; 3],
    backward: [bool; 3],
    end: f32,
}

/// No direction component is smaller: next to the error that boxes are inflated by, it moves a ray by nothing.
const MIN_DIRECTION: f32 = 1e-25;

impl RayQuery {
    /// Creates a ray from origin and direction in local coordinates. The origin is within a few units of the tree, the
    /// largest direction component approximately 1. `slack` is the maximum error of any point of the ray, in local
    /// units; `end` is the last parameter.
    #[inline]
    pub fn new(origin: [f64; 3], direction: [f64; 3], slack: f64, end: f64) -> Self {
        let reach = origin.iter().fold(1.0f64, |reach, x| reach.max(x.abs()));
        let slack = slack + reach * (16.0 / (1u32 << 24) as f64);
        // Beyond the range of `f32` every box may be met.
        let slack = if slack < 1e30 { slack } else { f64::INFINITY };
        let mut ray = Self { inverse: [0.0; 3], near: [0.0; 3], far: [0.0; 3], backward: [false; 3], end: 0.0 };
        for k in 0..3 {
            let along = direction[k] as f32;
            let along = if along.abs() < MIN_DIRECTION { MIN_DIRECTION } else { along };
            ray.inverse[k] = 1.0 / along;
            ray.backward[k] = along < 0.0;
            let sign = if ray.backward[k] { -1.0 } else { 1.0 };
            ray.near[k] = (origin[k] + sign * slack) as f32;
            ray.far[k] = (origin[k] - sign * slack) as f32;
        }
        ray.end = round_up(end);
        ray
    }
}

/// Factor that raises the exit parameter by more than three roundings.
const SURELY_LATER: f32 = 1.0 + 1.0 / (1u32 << 20) as f32;

impl Query<Aabb32> for RayQuery {
    #[inline(always)]
    fn lower_bound<const W: usize, I: LanesFor<W>>(&self, _isa: I, volumes: &WideAabb<W>) -> I::F {
        let mut enter = I::F::splat(0.0);
        let mut leave = I::F::splat(self.end);
        let mut k = 0;
        while k < 3 {
            let (first, last) =
                if self.backward[k] { (&volumes.max[k], &volumes.min[k]) } else { (&volumes.min[k], &volumes.max[k]) };
            let inverse = I::F::splat(self.inverse[k]);
            enter = I::F::load(first).sub(I::F::splat(self.near[k])).mul(inverse).max(enter);
            leave = I::F::load(last).sub(I::F::splat(self.far[k])).mul(inverse).min(leave);
            k += 1;
        }
        enter.gt(leave.mul(I::F::splat(SURELY_LATER))).select(I::F::splat(f32::INFINITY), enter)
    }
}
