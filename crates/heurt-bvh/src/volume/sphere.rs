//! Bounding spheres.
//!
//! Method: S0 §4.5.5; the smallest sphere around the extreme points of 26 directions (Welzl 1991), then grown to hold
//! the rest (Larsson 2008), which is within a few percent of the smallest of all. Error: a centre seen from the second
//! tree is off by less than E on each axis, so the distance by less than √3·E and three roundings, for which 2E is
//! subtracted.

use super::obb_axes::extreme_points;
use super::{
    Aabb32, BoundingVolume, Fitting, NOWHERE, PairGap, PointCloud, Wide, along, lane_of, load3, set_lane, wide_vec,
};
use crate::draw::Outline;
use crate::frame::relative::QueryView;
use crate::frame::tree_frame::{round_down, round_up};
use crate::simd::{Lanes, LanesFor, WideIsa};
use heurt_geometry::Vec3;

/// A ball in local units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Its centre.
    pub centre: [f32; 3],
    /// Its radius.
    pub radius: f32,
}

/// `W` spheres.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct WideSphere<const W: usize> {
    /// The centres.
    pub centre: [[f32; W]; 3],
    /// The radii.
    pub radius: [f32; W],
}

impl Sphere {
    /// Creates the sphere around `centre`, as it will be stored, that holds all `points`.
    fn about(centre: Vec3, points: &[Vec3]) -> Self {
        let centre = centre.to_array().map(|x| x as f32);
        let stored = wide_vec(centre);
        let farthest = points.iter().map(|p| p.distance_squared(stored)).fold(0.0, f64::max);
        Self { centre, radius: round_up(farthest.sqrt() * (1.0 + 1e-12)) }
    }
}

/// A sphere in `f64`.
#[derive(Clone, Copy)]
struct Ball {
    centre: Vec3,
    radius_sq: f64,
}

impl Ball {
    fn holds(&self, point: Vec3) -> bool {
        point.distance_squared(self.centre) <= self.radius_sq * (1.0 + 1e-9) + 1e-30
    }
}

/// Returns the smallest sphere through all of up to four points; affinely dependent points are left out.
fn through(on: &[Vec3]) -> Ball {
    let Some((&first, rest)) = on.split_first() else { return Ball { centre: Vec3::ZERO, radius_sq: -1.0 } };
    // The centre is first + Σ λᵢ dᵢ with 2 dᵢ·(centre − first) = dᵢ², solved by orthogonalising each dᵢ against the
    // previous ones.
    let mut offset = Vec3::ZERO;
    let mut basis: Vec<Vec3> = Vec::with_capacity(3);
    for point in rest {
        let side = *point - first;
        let across = basis.iter().fold(side, |v, b| v - *b * b.dot(v));
        let length = across.length();
        if length <= 1e-12 * side.length() || length == 0.0 {
            continue;
        }
        let unit = across / length;
        offset += unit * ((side.length_squared() / 2.0 - side.dot(offset)) / length);
        basis.push(unit);
    }
    Ball { centre: first + offset, radius_sq: offset.length_squared() }
}

/// Returns the smallest sphere around a few dozen `points` (Welzl's move-to-front method).
fn smallest(points: &mut [Vec3], on: &mut Vec<Vec3>) -> Ball {
    let mut ball = through(on);
    if on.len() == 4 {
        return ball;
    }
    for i in 0..points.len() {
        let point = points[i];
        if !ball.holds(point) {
            on.push(point);
            ball = smallest(&mut points[..i], on);
            on.pop();
            points[..=i].rotate_right(1);
        }
    }
    ball
}

impl PairGap<Sphere> for Sphere {
    type PairConstants = ();

    #[inline(always)]
    fn gap<const W: usize, I: WideIsa + LanesFor<W>>(
        &self,
        _isa: I,
        view: QueryView<'_>,
        _relation: &(),
        volumes: &WideSphere<W>,
        _cutoff: f32,
    ) -> <I as LanesFor<W>>::F {
        let splat = Wide::<W, I>::splat;
        let place = view.candidates;
        let ratio = splat(place.ratio);
        let [x, y, z] = load3::<Wide<W, I>, W>(&volumes.centre);
        let centre = [x.mul(ratio), y.mul(ratio), z.mul(ratio)];
        let mut sum = splat(0.0);
        let mut k = 0;
        while k < 3 {
            let between = along(&centre, &place.rotation[k]).add(splat(place.translation[k] - self.centre[k]));
            sum = between.mul(between).add(sum);
            k += 1;
        }
        let reach = Wide::<W, I>::load(&volumes.radius).mul(ratio).add(splat(self.radius + 2.0 * place.error));
        sum.sqrt().sub(reach).mul(splat(2.0))
    }
}

impl BoundingVolume for Sphere {
    type Wide<const W: usize> = WideSphere<W>;
    const KIND: u32 = 4;
    const NUMBERS: usize = 4;
    const FITTING: Fitting = Fitting::Points;

    fn from_box(box_: &Aabb32) -> Self {
        let (low, high) = (wide_vec(box_.min), wide_vec(box_.max));
        Self::about((low + high) / 2.0, &[low, high])
    }

    fn around(cloud: &PointCloud<'_>) -> Self {
        let mut extremes = extreme_points(cloud.points);
        let mut centre = smallest(&mut extremes, &mut Vec::with_capacity(4)).centre;
        if !centre.is_finite() {
            centre = cloud.points[0];
        }
        // Each point outside moves and grows the sphere by the least amount that includes it.
        let mut radius = extremes.iter().map(|p| p.distance(centre)).fold(0.0, f64::max);
        for point in cloud.points {
            let distance = point.distance(centre);
            if distance > radius {
                let grown = (radius + distance) / 2.0;
                centre += (*point - centre) * ((grown - radius) / distance);
                radius = grown;
            }
        }
        Self::about(centre, cloud.points)
    }

    fn moved(&self, cloud: &PointCloud<'_>) -> Self {
        let mut points: Vec<Vec3> = cloud.points.to_vec();
        let ball = if points.len() <= 32 { smallest(&mut points, &mut Vec::with_capacity(4)) } else { through(&[]) };
        if ball.centre.is_finite() && ball.radius_sq >= 0.0 {
            return Self::about(ball.centre, cloud.points);
        }
        Self::around(cloud)
    }

    fn merged_lanes<const W: usize>(lanes: &WideSphere<W>, count: usize, _before: &Self) -> Self {
        let child = |lane: usize| (wide_vec(lane_of(&lanes.centre, lane)), f64::from(lanes.radius[lane]));
        let (mut centre, mut radius) = child(0);
        for lane in 1..count {
            let (other, reach) = child(lane);
            let distance = other.distance(centre);
            if distance + reach <= radius {
                continue;
            }
            if distance + radius <= reach {
                (centre, radius) = (other, reach);
                continue;
            }
            let grown = (distance + radius + reach) / 2.0;
            if distance > 0.0 {
                centre += (other - centre) * ((grown - radius) / distance);
            }
            radius = grown;
        }
        let centre = centre.to_array().map(|x| x as f32);
        let reach = (0..count).map(|lane| child(lane).0.distance(wide_vec(centre)) + child(lane).1).fold(0.0, f64::max);
        Self { centre, radius: round_up(reach * (1.0 + 1e-12)) }
    }

    fn to_box(&self) -> Aabb32 {
        let radius = f64::from(self.radius);
        Aabb32 {
            min: self.centre.map(|x| round_down(f64::from(x) - radius)),
            max: self.centre.map(|x| round_up(f64::from(x) + radius)),
        }
    }

    fn holds(&self, point: Vec3) -> bool {
        point.distance_squared(wide_vec(self.centre)) <= f64::from(self.radius) * f64::from(self.radius)
    }

    #[inline(always)]
    fn areas<const W: usize, I: LanesFor<W>>(_isa: I, lanes: &WideSphere<W>) -> I::F {
        let radius = I::F::load(&lanes.radius);
        radius.mul(radius)
    }

    fn empty_lanes<const W: usize>() -> WideSphere<W> {
        WideSphere { centre: [[NOWHERE; W]; 3], radius: [0.0; W] }
    }

    #[inline(always)]
    fn store<const W: usize>(&self, lanes: &mut WideSphere<W>, lane: usize) {
        set_lane(&mut lanes.centre, lane, self.centre);
        lanes.radius[lane] = self.radius;
    }

    #[inline(always)]
    fn load<const W: usize>(lanes: &WideSphere<W>, lane: usize) -> Self {
        Self { centre: lane_of(&lanes.centre, lane), radius: lanes.radius[lane] }
    }

    fn to_numbers(&self) -> Vec<f32> {
        let [x, y, z] = self.centre;
        vec![x, y, z, self.radius]
    }

    fn from_numbers(numbers: &[f32]) -> Option<Self> {
        let &[x, y, z, radius] = numbers else { return None };
        Some(Self { centre: [x, y, z], radius })
    }

    /// Draws a circle in each plane of the axes.
    fn draw_outline(&self, outline: &mut Outline<'_>) {
        let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * f64::from(self.radius));
        for k in 0..3 {
            outline.draw_rounded(wide_vec(self.centre), [Vec3::ZERO; 2], [axes[k], axes[(k + 1) % 3]]);
        }
    }
}
