//! Axis-aligned boxes, each with one slab across the facing direction of its primitives, which bounds the thickness of
//! the surface inside.
//!
//! Method: the slab of S0 §4.5.9 (QuOSPO), its direction free instead of quantised, next to a box instead of alone. Two
//! of them are compared on the six face axes of the boxes and then along both slab normals. Along a slab normal n of a
//! volume X, the reach of a volume Y is bounded by Y's slab (normal m) and box together. With n = λm + r and λ = n·m,
//! the support along n is at most |λ| times the half width of the slab plus the half width of the box along r.
//! Error: any decomposition is legal for any rounding of it. The errors are those of the normal rotated into the second
//! frame, of both middles and of their sums: under 32u(1 + |t|) + 21uρ in the notation of [`crate::frame::relative`],
//! for which 2E is added.

use super::{
    Aabb32, BoundingVolume, Fitting, HintAxis, PairGap, PointCloud, Query, Wide, WideAabb, abs3, all_above, along, dot,
    lane_of, load3, set_lane, wide_vec,
};
use crate::draw::Outline;
use crate::frame::relative::QueryView;
use crate::frame::tree_frame::round_up;
use crate::simd::{Lanes, LanesFor, WideIsa};
use heurt_geometry::Vec3;

/// A box, and the slab |n·p − middle| ≤ half width, in local units; both numbers are kept doubled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AabbSlab {
    box_: Aabb32,
    normal: [f32; 3],
    middle2: f32,
    width: f32,
}

/// `W` boxes with slabs.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct WideAabbSlab<const W: usize> {
    /// The boxes.
    pub boxes: WideAabb<W>,
    /// The slabs' normals, by axis; unit length up to rounding.
    pub normal: [[f32; W]; 3],
    /// The sum of both ends of the slab along the normal.
    pub middle2: [f32; W],
    /// The difference of both ends.
    pub width: [f32; W],
}

impl AabbSlab {
    /// Creates the slab across `normal`, in `f64` around the points, with the numbers as they will be stored.
    fn with_slab(box_: Aabb32, normal: [f32; 3], (least, greatest): (f64, f64)) -> Self {
        let middle2 = (least + greatest) as f32;
        let half = (greatest - f64::from(middle2) / 2.0).max(f64::from(middle2) / 2.0 - least);
        Self { box_, normal, middle2, width: round_up(2.0 * half * (1.0 + 1e-12)) }
    }
}

/// Returns the normal of the slab: the facing of the primitives, or else the shortest side of the box.
fn slab_normal(facing: Vec3, box_: &Aabb32) -> [f32; 3] {
    let length = facing.length();
    if length > 1e-30 {
        return (facing / length).to_array().map(|x| x as f32);
    }
    let extent = box_.extent();
    let shortest = (0..3).min_by(|&i, &j| extent[i].total_cmp(&extent[j])).unwrap_or(0);
    let mut normal = [0.0; 3];
    normal[shortest] = 1.0;
    normal
}

impl PairGap<AabbSlab> for AabbSlab {
    type PairConstants = ();

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        isa: I,
        view: QueryView<'_>,
        _relation: &(),
        volumes: &WideAabbSlab<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        let splat = Wide::<W, I>::splat;
        let gap = PairGap::<Aabb32>::gap::<W, I>(&self.box_, isa, view, &HintAxis::default(), &volumes.boxes, cutoff);
        if all_above(gap, cutoff) {
            return gap;
        }
        let place = view.candidates;
        let (rotation, shift) = (&place.rotation, &place.translation);
        let (centre, half) = (self.box_.centre2(), self.box_.extent());
        let (min, max) = (load3::<Wide<W, I>, W>(&volumes.boxes.min), load3::<Wide<W, I>, W>(&volumes.boxes.max));
        let normal = load3::<Wide<W, I>, W>(&volumes.normal);
        let ratio = splat(place.ratio);
        let (middle, width) =
            (Wide::<W, I>::load(&volumes.middle2).mul(ratio), Wide::<W, I>::load(&volumes.width).mul(ratio));
        let error4 = 4.0 * place.error;
        // The normals of the children, in this frame.
        let mut turned = [splat(0.0); 3];
        let mut i = 0;
        while i < 3 {
            turned[i] = along(&normal, &rotation[i]);
            i += 1;
        }
        let share = along(&turned, &self.normal);
        let [x, y, z] = self.normal;
        let rest = [
            turned[0].sub(share.mul(splat(x))),
            turned[1].sub(share.mul(splat(y))),
            turned[2].sub(share.mul(splat(z))),
        ];
        let doubled = [shift[0] + shift[0], shift[1] + shift[1], shift[2] + shift[2]];
        let between =
            along(&turned, &doubled).add(middle).sub(share.mul(splat(self.middle2))).sub(along(&rest, &centre));
        let reach = share.abs().mul(splat(self.width)).add(along(&abs3(&rest), &half));
        let gap = between.abs().sub(reach.add(width).add(splat(error4))).max(gap);
        if all_above(gap, cutoff) {
            return gap;
        }
        // This slab's normal, in the frame of the children.
        let own = [
            rotation[0][0] * x + rotation[1][0] * y + rotation[2][0] * z,
            rotation[0][1] * x + rotation[1][1] * y + rotation[2][1] * z,
            rotation[0][2] * x + rotation[1][2] * y + rotation[2][2] * z,
        ];
        let offset = dot(&self.normal, &doubled) - self.middle2;
        let (mut between, mut reach) = (share.mul(middle).add(splat(offset)), share.abs().mul(width));
        let mut k = 0;
        while k < 3 {
            let rest = splat(own[k]).sub(share.mul(normal[k])).mul(ratio);
            between = between.add(rest.mul(min[k].add(max[k])));
            reach = reach.add(rest.abs().mul(max[k].sub(min[k])));
            k += 1;
        }
        between.abs().sub(reach.add(splat(self.width + error4))).max(gap)
    }
}

/// Every query of boxes also tests the boxes of these volumes.
impl<Q: Query<Aabb32>> Query<AabbSlab> for Q {
    #[inline(always)]
    fn lower_bound<const W: usize, I: LanesFor<W>>(&self, isa: I, volumes: &WideAabbSlab<W>) -> I::F {
        self.lower_bound::<W, I>(isa, &volumes.boxes)
    }
}

impl BoundingVolume for AabbSlab {
    type Wide<const W: usize> = WideAabbSlab<W>;
    const KIND: u32 = 2;
    const NUMBERS: usize = 11;
    const FITTING: Fitting = Fitting::Points;

    fn from_box(box_: &Aabb32) -> Self {
        Self { box_: *box_, normal: [1.0, 0.0, 0.0], middle2: box_.min[0] + box_.max[0], width: f32::MAX / 4.0 }
    }

    fn around(cloud: &PointCloud<'_>) -> Self {
        let box_ = Aabb32::around(cloud);
        let normal = slab_normal(cloud.facing, &box_);
        Self::with_slab(box_, normal, cloud.range(wide_vec(normal)))
    }

    fn merged_lanes<const W: usize>(lanes: &WideAabbSlab<W>, count: usize, before: &Self) -> Self {
        let box_ = Aabb32::merged_lanes(&lanes.boxes, count, &before.box_);
        // Wide slabs give little information on the facing of their primitives. Each is weighted by its box; thin slabs
        // count more.
        let mut facing = Vec3::ZERO;
        for lane in 0..count {
            let child = Self::load(lanes, lane);
            let weight =
                child.box_.half_area() / (child.width + 1e-6 * child.box_.half_area().sqrt() + f32::MIN_POSITIVE);
            facing += wide_vec(child.normal) * f64::from(weight);
        }
        let normal = slab_normal(facing, &box_);
        let axis = wide_vec(normal);
        let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        for lane in 0..count {
            let child = Self::load(lanes, lane);
            let own = wide_vec(child.normal);
            let share = axis.dot(own);
            let rest = axis - own * share;
            let middle2 = share * f64::from(child.middle2) + rest.dot(wide_vec(child.box_.centre2()));
            let width = share.abs() * f64::from(child.width) + rest.abs().dot(wide_vec(child.box_.extent()));
            // The doubled corners are rounded once more in `f32`.
            let room = 1e-6;
            least = least.min((middle2 - width - room) / 2.0);
            greatest = greatest.max((middle2 + width + room) / 2.0);
        }
        Self::with_slab(box_, normal, (least, greatest))
    }

    #[inline(always)]
    fn to_box(&self) -> Aabb32 {
        self.box_
    }

    fn holds(&self, point: Vec3) -> bool {
        let off = wide_vec(self.normal).dot(point) - f64::from(self.middle2) / 2.0;
        self.box_.holds(point) && 2.0 * off.abs() <= f64::from(self.width)
    }

    #[inline(always)]
    fn areas<const W: usize, I: LanesFor<W>>(isa: I, lanes: &WideAabbSlab<W>) -> I::F {
        Aabb32::areas::<W, I>(isa, &lanes.boxes)
    }

    fn empty_lanes<const W: usize>() -> WideAabbSlab<W> {
        WideAabbSlab {
            boxes: Aabb32::empty_lanes(),
            normal: [[1.0; W], [0.0; W], [0.0; W]],
            middle2: [0.0; W],
            width: [f32::MAX / 4.0; W],
        }
    }

    #[inline(always)]
    fn store<const W: usize>(&self, lanes: &mut WideAabbSlab<W>, lane: usize) {
        self.box_.store(&mut lanes.boxes, lane);
        set_lane(&mut lanes.normal, lane, self.normal);
        lanes.middle2[lane] = self.middle2;
        lanes.width[lane] = self.width;
    }

    #[inline(always)]
    fn load<const W: usize>(lanes: &WideAabbSlab<W>, lane: usize) -> Self {
        Self {
            box_: Aabb32::load(&lanes.boxes, lane),
            normal: lane_of(&lanes.normal, lane),
            middle2: lanes.middle2[lane],
            width: lanes.width[lane],
        }
    }

    fn to_numbers(&self) -> Vec<f32> {
        let mut numbers = self.box_.to_numbers();
        numbers.extend(self.normal);
        numbers.extend([self.middle2, self.width]);
        numbers
    }

    fn from_numbers(numbers: &[f32]) -> Option<Self> {
        let (of_box, &[x, y, z, middle2, width]) = numbers.split_at_checked(6)? else { return None };
        Some(Self { box_: Aabb32::from_numbers(of_box)?, normal: [x, y, z], middle2, width })
    }

    fn draw_outline(&self, outline: &mut Outline<'_>) {
        let [min, max] = [self.box_.min, self.box_.max].map(wide_vec);
        let (normal, middle2, width) = (wide_vec(self.normal), f64::from(self.middle2), f64::from(self.width));
        let faces = [
            (Vec3::X, max.x),
            (-Vec3::X, -min.x),
            (Vec3::Y, max.y),
            (-Vec3::Y, -min.y),
            (Vec3::Z, max.z),
            (-Vec3::Z, -min.z),
            (normal, (middle2 + width) * 0.5),
            (-normal, (width - middle2) * 0.5),
        ];
        outline.draw_polytope(&faces, &self.box_);
    }
}
