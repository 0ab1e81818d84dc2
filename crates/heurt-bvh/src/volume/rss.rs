//! Rectangles swept by a sphere: all points within a radius of a rectangle (Larsen, Gottschalk, Lin and Manocha 2000).
//!
//! Method: the rectangle lies in the middle of the thinnest side of an oriented box, the radius is half its thickness.
//! Two rectangles are compared as boxes without thickness. The gaps along the three axes of one rectangle form a vector
//! whose length is a lower bound of the distance; the same holds for the axes of the second rectangle; then the cross
//! products of their sides. Difference from the source: a lower bound of the distance instead of the distance, the same
//! for all lanes without a branch. Error: as [`super::Obb`].

use super::obb::{Obb, RotatedObb, WideObb};
use super::{Aabb32, BoundingVolume, Fitting, NOWHERE, PairGap, PointCloud, Wide, all_above, along, wide_vec};
use crate::draw::Outline;
use crate::frame::relative::QueryView;
use crate::frame::tree_frame::{round_down, round_up};
use crate::simd::{Lanes, LanesFor, WideIsa};
use heurt_geometry::Vec3;

/// A rectangle and a radius, in local units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rss {
    /// The rectangle: a box whose third half size is zero.
    pub core: Obb,
    /// The radius around the rectangle.
    pub radius: f32,
}

/// `W` swept rectangles.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct WideRss<const W: usize> {
    /// The rectangles.
    pub core: WideObb<W>,
    /// The radii.
    pub radius: [f32; W],
}

impl Rss {
    /// Creates a swept rectangle around all points of a box and the points themselves, shrunk as far as the sphere
    /// reaches.
    fn within(box_: &Obb, points: &[Vec3]) -> Self {
        let thinnest = (0..3).min_by(|&i, &j| box_.half[i].total_cmp(&box_.half[j])).unwrap_or(2);
        let order = [(thinnest + 1) % 3, (thinnest + 2) % 3, thinnest];
        let axes = order.map(|k| wide_vec(box_.axes[k]));
        let radius = f64::from(box_.half[thinnest]);
        let centre = wide_vec(box_.centre);
        let mut ranges = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        for point in points {
            let off = *point - centre;
            let height = off.dot(axes[2]);
            let free = (radius * radius - height * height).max(0.0).sqrt();
            for (range, axis) in ranges.iter_mut().zip(axes) {
                let at = off.dot(axis);
                *range = (range.0.min(at + free), range.1.max(at - free));
            }
        }
        let middles = ranges.map(|(low, high)| (low + high) / 2.0);
        let halves = ranges.map(|(low, high)| ((high - low) / 2.0).max(0.0));
        let core = Obb {
            axes: order.map(|k| box_.axes[k]),
            centre: (centre + axes[0] * middles[0] + axes[1] * middles[1]).to_array().map(|x| x as f32),
            half: [round_up(halves[0]), round_up(halves[1]), 0.0],
        };
        let farthest = points.iter().map(|point| distance(&core, *point)).fold(0.0, f64::max);
        Self { core, radius: round_up(farthest * (1.0 + 1e-12) + 1e-15) }
    }
}

/// Returns the distance of a point from the rectangle |aⱼ·(p − c)| ≤ hⱼ of the stored axes, by its components along
/// them.
fn distance(core: &Obb, point: Vec3) -> f64 {
    let off = point - wide_vec(core.centre);
    let beyond = [0, 1, 2].map(|j| (wide_vec(core.axes[j]).dot(off).abs() - f64::from(core.half[j])).max(0.0));
    beyond.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns the length of the vector of gaps; negative gaps count as zero.
#[inline(always)]
fn length<F: Lanes<W>, const W: usize>(gaps: &[F; 3]) -> F {
    let zero = F::splat(0.0);
    let [x, y, z] = [gaps[0].max(zero), gaps[1].max(zero), gaps[2].max(zero)];
    x.mul(x).add(y.mul(y)).add(z.mul(z)).sqrt()
}

impl PairGap<Rss> for Rss {
    type PairConstants = ();

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        _isa: I,
        view: QueryView<'_>,
        _relation: &(),
        volumes: &WideRss<W>,
        cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        let splat = Wide::<W, I>::splat;
        let place = view.candidates;
        let b = RotatedObb::<Wide<W, I>>::new::<Wide<4, I>, W>(&self.core, place, &volumes.core);
        let half_a = self.core.half;
        let (r, m) = (&b.rotation, &b.magnitude);
        let radii = Wide::<W, I>::load(&volumes.radius).mul(splat(place.ratio)).add(splat(self.radius));
        let sizes = b.half[0].add(b.half[1]).add(radii).add(splat(half_a[0] + half_a[1]));
        // Along three axes at once an error counts √3 times.
        let room = sizes
            .mul(splat(2.0 * super::obb::EPSILON + 2.0 * place.product_defect))
            .add(splat(4.0 * place.error))
            .add(radii);
        let (mut of_a, mut of_b) = ([splat(0.0); 3], [splat(0.0); 3]);
        let mut i = 0;
        while i < 3 {
            let reach = m[i][0].mul(b.half[0]).add(m[i][1].mul(b.half[1])).add(splat(half_a[i]));
            of_a[i] = b.between[i].abs().sub(reach);
            let between = r[0][i].mul(b.between[0]).add(r[1][i].mul(b.between[1])).add(r[2][i].mul(b.between[2]));
            let reach = along(&[m[0][i], m[1][i], m[2][i]], &half_a).add(b.half[i]);
            of_b[i] = between.abs().sub(reach);
            i += 1;
        }
        let mut gap = length(&of_a).max(length(&of_b));
        let two = splat(2.0);
        let faces = gap.sub(room).mul(two);
        if all_above(faces, cutoff) {
            return faces;
        }
        // The sides of rectangles: the third axis is no edge, and unnormalised axes only lower the bound.
        let mut axis = 0;
        while axis < 4 {
            let (i, j) = (axis / 2, axis % 2);
            let (i1, i2, j1, j2) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
            let between = b.between[i2].mul(r[i1][j]).sub(b.between[i1].mul(r[i2][j]));
            let reach_a = m[i2][j].mul(splat(half_a[i1])).add(m[i1][j].mul(splat(half_a[i2])));
            let reach_b = m[i][j2].mul(b.half[j1]).add(m[i][j1].mul(b.half[j2]));
            gap = between.abs().sub(reach_a.add(reach_b)).max(gap);
            axis += 1;
        }
        gap.sub(room).mul(two)
    }
}

impl BoundingVolume for Rss {
    type Wide<const W: usize> = WideRss<W>;
    const KIND: u32 = 5;
    const NUMBERS: usize = 16;
    const FITTING: Fitting = Fitting::Points;

    fn from_box(box_: &Aabb32) -> Self {
        let ends = |bit: usize, k: usize| f64::from(if bit >> k & 1 == 0 { box_.min[k] } else { box_.max[k] });
        let corners: [Vec3; 8] = std::array::from_fn(|bit| Vec3::new(ends(bit, 0), ends(bit, 1), ends(bit, 2)));
        Self::within(&Obb::from_box(box_), &corners)
    }

    fn around(cloud: &PointCloud<'_>) -> Self {
        Self::within(&Obb::around(cloud), cloud.points)
    }

    fn moved(&self, cloud: &PointCloud<'_>) -> Self {
        Self::within(&self.core.moved(cloud), cloud.points)
    }

    fn merged_lanes<const W: usize>(lanes: &WideRss<W>, count: usize, before: &Self) -> Self {
        let mut boxes = Obb::empty_lanes::<W>();
        for lane in 0..count {
            let Self { mut core, radius } = Self::load(lanes, lane);
            core.half = core.half.map(|half| round_up(f64::from(half) + f64::from(radius)));
            core.store(&mut boxes, lane);
        }
        let merged = Obb::merged_lanes(&boxes, count, &before.core);
        // Its thinnest side becomes the radius; the corners stay where a sphere of that radius does not reach.
        let thinnest = (0..3).min_by(|&i, &j| merged.half[i].total_cmp(&merged.half[j])).unwrap_or(2);
        let order = [(thinnest + 1) % 3, (thinnest + 2) % 3, thinnest];
        let half = [merged.half[order[0]], merged.half[order[1]], 0.0];
        let radius = round_up(f64::from(merged.half[thinnest]));
        Self { core: Obb { axes: order.map(|k| merged.axes[k]), centre: merged.centre, half }, radius }
    }

    fn to_box(&self) -> Aabb32 {
        let (core, radius) = (self.core.to_box(), f64::from(self.radius));
        Aabb32 {
            min: core.min.map(|x| round_down(f64::from(x) - radius)),
            max: core.max.map(|x| round_up(f64::from(x) + radius)),
        }
    }

    fn holds(&self, point: Vec3) -> bool {
        distance(&self.core, point) <= f64::from(self.radius)
    }

    #[inline(always)]
    fn areas<const W: usize, I: LanesFor<W>>(_isa: I, lanes: &WideRss<W>) -> I::F {
        let radius = I::F::load(&lanes.radius);
        let (x, y) = (I::F::load(&lanes.core.half[0]).add(radius), I::F::load(&lanes.core.half[1]).add(radius));
        x.mul(y).add(x.add(y).mul(radius))
    }

    fn empty_lanes<const W: usize>() -> WideRss<W> {
        let core = Obb::empty_lanes();
        WideRss { core: WideObb { centre: [[NOWHERE; W]; 3], ..core }, radius: [0.0; W] }
    }

    #[inline(always)]
    fn store<const W: usize>(&self, lanes: &mut WideRss<W>, lane: usize) {
        self.core.store(&mut lanes.core, lane);
        lanes.radius[lane] = self.radius;
    }

    #[inline(always)]
    fn load<const W: usize>(lanes: &WideRss<W>, lane: usize) -> Self {
        Self { core: Obb::load(&lanes.core, lane), radius: lanes.radius[lane] }
    }

    fn to_numbers(&self) -> Vec<f32> {
        let mut numbers = self.core.to_numbers();
        numbers.push(self.radius);
        numbers
    }

    fn from_numbers(numbers: &[f32]) -> Option<Self> {
        let (core, &[radius]) = numbers.split_at_checked(15)? else { return None };
        Some(Self { core: Obb::from_numbers(core)?, radius })
    }

    /// Draws the outline in the plane of the rectangle and in the two planes across it.
    fn draw_outline(&self, outline: &mut Outline<'_>) {
        let axes = self.core.axes.map(wide_vec);
        let sides = [0, 1, 2].map(|j| axes[j] * f64::from(self.core.half[j]));
        let radii = axes.map(|axis| axis * f64::from(self.radius));
        for (j, k) in [(0, 1), (1, 2), (2, 0)] {
            outline.draw_rounded(wide_vec(self.core.centre), [sides[j], sides[k]], [radii[j], radii[k]]);
        }
    }
}
