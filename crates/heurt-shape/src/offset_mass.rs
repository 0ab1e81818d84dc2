//! Area, volume, centroid and inertia of the offset of triangles, or of the solid that they bound, by a margin.
//!
//! In: a mesh, whether it is a solid, a margin. Out: [`Moments`] of the union of its rounded triangles.
//! Method: lines along the three principal axes. The intersection of a line with a rounded triangle is one interval, as
//! that is convex. The union of these intervals, and of the line inside a solid, gives the line's share of volume and
//! moments. For the boundary area, an end of such an interval is weighted by n_d², the share of the axis d in its
//! normal, Σ n_d² = 1: an axis contributes little of a surface parallel to it. Closed forms are used where known: the
//! bare mesh, and the prisms by which its triangles grow. Lines only measure the difference between the union and their
//! sum (control variates): at edges, and where rounded triangles overlap.
//! Guarantees: the lines are the same for all machines and threads. The two sums over every other line estimate the
//! error: above [`SAMPLED`] the sum is rejected, and so is a shape that hardly any line meets. Cost: approximately as
//! many chords as [`CHORDS`] for each axis.

use crate::MassError;
use crate::convex::Moments;
use heurt_bvh::volume::eigenvectors;
use heurt_geometry::{SplitMix64, Vec3};
use rayon::prelude::*;

/// Maximum relative difference of the sums over every other line, in volume, area, centroid and inertia.
pub const SAMPLED: f64 = 1e-2;

/// Minimum and maximum number of lines a side: as many as the chords allow.
const LINES: [f64; 2] = [64.0, 512.0];

/// Approximate number of chords of rounded triangles an axis.
const CHORDS: f64 = 4e6;

/// Segments of a tessellation whose margin is to be measured: its own size hardly matters.
pub(crate) const SEGMENTS: u32 = 128;

/// Minimum margin, as a share of the size: roundings of positions affect thinner margins.
const THINNEST: f64 = 1e-12;

/// Minimum number of lines along each axis that must meet the shape: fewer lines give no reliable result.
const FEWEST_MET: u64 = 1000;

/// Computes the moments of the set within `margin` of the triangles, in a unit in which all are approximately 1. `bare`
/// holds the moments of the solid itself, if they are known better than by its triangles.
pub(crate) fn grown(
    triangles: &[[Vec3; 3]],
    solid: bool,
    margin: f64,
    bare: Option<Moments>,
) -> Result<Moments, MassError> {
    if margin < THINNEST {
        return Err(MassError::TooThin);
    }
    let of_triangles = bare_moments(triangles, solid);
    let sign = if of_triangles.volume() < 0.0 { -1.0 } else { 1.0 };
    let known = bare.unwrap_or_else(|| of_triangles.times(sign));
    let layer = if solid { [0.0, margin] } else { [-margin, margin] };
    let (mut halves, mut prisms, mut fewest) = ([Sums::default(); 2], Moments::ZERO, u64::MAX);
    // A long or thin shape is so along one of these.
    let frame = principal_axes(triangles);
    for axis in 0..3 {
        // Cyclic, so that it stays a rotation.
        let turn = |p: Vec3| {
            let local = frame.map(|along| along.dot(p));
            Vec3::new(local[axis], local[(axis + 1) % 3], local[(axis + 2) % 3])
        };
        let back = |p: Vec3| frame[axis] * p.x + frame[(axis + 1) % 3] * p.y + frame[(axis + 2) % 3] * p.z;
        let turned: Vec<Rounded> =
            triangles.iter().map(|corners| Rounded::new(corners.map(turn), sign, layer)).collect();
        let of_axis = along_lines(&turned, axis, solid, margin);
        fewest = fewest.min(of_axis.iter().map(|half| half.met).sum());
        for (sum, half) in halves.iter_mut().zip(of_axis) {
            sum.gain = sum.gain.plus(&half.gain.turned(back));
            sum.prisms = sum.prisms.plus(&half.prisms.turned(back));
        }
        if axis == 0 {
            turned.iter().for_each(|triangle| triangle.add_prism(layer, &mut prisms));
            prisms = prisms.turned(back);
        }
    }
    // Many overlapping prisms are a poor control variate. The factor of 3 distinguishes that case from sums without
    // prisms that agree by chance.
    let with_prisms = halves.map(|half| known.plus(&prisms).plus(&half.gain).plus(&half.prisms.negated()));
    let without = halves.map(|half| known.plus(&half.gain));
    let off = |[even, odd]: &[Moments; 2]| even.differs(odd);
    let best = if off(&with_prisms) <= 3.0 * off(&without) { with_prisms } else { without };
    let off = off(&best);
    if fewest < FEWEST_MET {
        return Err(MassError::TooThin);
    }
    if off <= SAMPLED {
        Ok(best[0].plus(&best[1]).times(0.5))
    } else {
        Err(MassError::NotConverged { off, most: SAMPLED })
    }
}

/// Returns the axes along which the triangles, weighted by area and edges, are spread most, second and least.
fn principal_axes(triangles: &[[Vec3; 3]]) -> [Vec3; 3] {
    let weight = |[a, b, c]: &[Vec3; 3]| {
        (*b - *a).cross(*c - *a).length() + 1e-6 * (*b - *a).length() + 1e-6 * (*c - *b).length()
    };
    let total: f64 = triangles.iter().map(weight).sum();
    let middle: Vec3 = triangles.iter().map(|t| (t[0] + t[1] + t[2]) * (weight(t) / (3.0 * total))).sum();
    let mut spread = [0.0; 6];
    for triangle in triangles {
        for corner in triangle {
            let (v, share) = (*corner - middle, weight(triangle) / total);
            let products = [v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z];
            spread.iter_mut().zip(products).for_each(|(sum, product)| *sum += share * product);
        }
    }
    let [most, second, _] = eigenvectors(spread);
    [most, second, most.cross(second)]
}

/// Returns the moments of a solid from its triangles; for a sheet the area of both sides, without volume.
fn bare_moments(triangles: &[[Vec3; 3]], solid: bool) -> Moments {
    let mut sum = Moments::ZERO;
    for corners in triangles {
        sum.add_triangle(*corners);
    }
    if solid { sum } else { Moments::symmetric(2.0 * sum.area(), 0.0, Vec3::ZERO) }
}

/// Sums over lines.
#[derive(Debug, Clone, Copy)]
struct Sums {
    /// Moments of the union, less those of the bare mesh.
    gain: Moments,
    /// Moments of all prisms, each separately; without their area.
    prisms: Moments,
    /// Number of lines that met the union.
    met: u64,
}

impl Default for Sums {
    fn default() -> Self {
        Self { gain: Moments::ZERO, prisms: Moments::ZERO, met: 0 }
    }
}

impl Sums {
    fn plus(&self, other: &Self) -> Self {
        let (gain, prisms) = (self.gain.plus(&other.gain), self.prisms.plus(&other.prisms));
        Self { gain, prisms, met: self.met + other.met }
    }
}

/// Layout of lines along x: cells of equal size over y and z.
struct Lines {
    /// Principal axis of the lines.
    axis: usize,
    count: usize,
    low: [f64; 2],
    step: [f64; 2],
}

impl Lines {
    fn over(triangles: &[Rounded], axis: usize, margin: f64) -> Self {
        let range = |side: usize| {
            let of = triangles.iter().flat_map(|t| t.corners).map(|corner| corner[side]);
            of.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], c| [low.min(c - margin), high.max(c + margin)])
        };
        let ranges = [range(1), range(2)];
        let share = |t: &Rounded| -> f64 {
            (0..2)
                .map(|k| (t.ends(k + 1, margin)[1] - t.ends(k + 1, margin)[0]) / (ranges[k][1] - ranges[k][0]))
                .product()
        };
        let shares: f64 = triangles.iter().map(share).sum();
        let count = (CHORDS / shares).sqrt().clamp(LINES[0], LINES[1]).floor();
        let step = ranges.map(|[low, high]| (high - low) / count);
        Self { axis, count: count as usize, low: ranges.map(|[low, _]| low), step }
    }

    /// Returns the line of a cell, at a pseudo-random position in it: regular rows of lines would sample all
    /// axis-aligned faces alike.
    fn at(&self, cell: [usize; 2]) -> [f64; 2] {
        let mut bits = ((self.axis * self.count + cell[0]) * self.count + cell[1]) as u64;
        std::array::from_fn(|axis| {
            bits = SplitMix64::new(bits).bits();
            let share = (bits >> 11) as f64 / (1u64 << 53) as f64;
            self.low[axis] + (cell[axis] as f64 + share) * self.step[axis]
        })
    }

    /// Returns the cells whose lines may lie between two coordinates, and perhaps one more at either end.
    fn between(&self, axis: usize, [low, high]: [f64; 2]) -> std::ops::Range<usize> {
        let number = |at: f64| (((at - self.low[axis]) / self.step[axis]).max(0.0) as usize).min(self.count);
        number(low).saturating_sub(1)..(number(high) + 1).min(self.count)
    }
}

/// Sums over every other line, less the lines' sums of the bare mesh: each half scaled to the whole.
fn along_lines(triangles: &[Rounded], axis: usize, solid: bool, margin: f64) -> [Sums; 2] {
    let lines = Lines::over(triangles, axis, margin);
    let mut of_row = vec![Vec::new(); lines.count];
    // In scattered order: mesh order would leave many intervals to be joined in the end.
    for number in scattered(triangles.len()) {
        for row in lines.between(0, triangles[number].ends(1, margin)) {
            of_row[row].push(number as u32);
        }
    }
    let cell = 2.0 * lines.step[0] * lines.step[1];
    let rows: Vec<[Sums; 2]> = of_row
        .into_par_iter()
        .enumerate()
        .map(|(row, numbers)| {
            let mut met = vec![Met::default(); lines.count];
            let mut halves = [Sums::default(); 2];
            for triangle in numbers.iter().map(|&number| &triangles[number as usize]) {
                for column in lines.between(1, triangle.ends(2, margin)) {
                    let line = lines.at([row, column]);
                    met[column].add(triangle, line, margin);
                    if let Some(within) = triangle.prism(line) {
                        halves[(row + column) % 2].prisms.add_stretch(within, line, cell / 3.0);
                    }
                }
            }
            for (column, met) in met.iter_mut().enumerate() {
                let line = lines.at([row, column]);
                let half = &mut halves[(row + column) % 2];
                met.add_chords(line, solid, cell, &mut half.gain);
                half.met += u64::from(!met.chords.is_empty());
            }
            halves
        })
        .collect();
    rows.iter().fold([Sums::default(); 2], |sum, row| [sum[0].plus(&row[0]), sum[1].plus(&row[1])])
}

/// Returns all numbers below `count` in a scattered order.
fn scattered(count: usize) -> impl Iterator<Item = usize> {
    let common = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let golden = (count as f64 * 0.618_034) as usize;
    let stride = (golden.max(1)..).find(|&stride| common(stride, count) <= 1).unwrap_or(1);
    (0..count).map(move |k| (k as u128 * stride as u128 % count as u128) as usize)
}

/// Point at which a line enters or leaves, and the outward normal of the solid there.
#[derive(Debug, Clone, Copy)]
struct End {
    x: f64,
    normal: Vec3,
}

/// Intersections of a line along x.
#[derive(Debug, Clone, Default)]
struct Met {
    /// Disjoint intervals within the margin of triangles, in order.
    chords: Vec<[End; 2]>,
    /// Crossings of the line with triangles, with the normals of these.
    crossings: Vec<End>,
}

impl Met {
    fn add(&mut self, triangle: &Rounded, line: [f64; 2], margin: f64) {
        self.crossings.extend(triangle.crossing(line));
        let Some(within) = triangle.reaches(line, margin) else { return };
        let is_known = |chord: &[End; 2]| chord[0].x <= within[0] && within[1] <= chord[1].x;
        if self.chords.iter().any(is_known) {
            return;
        }
        if let Some(chord) = triangle.chord(line, margin) {
            self.join(chord);
        }
    }

    /// Unites an interval with the present intervals.
    fn join(&mut self, [mut low, mut high]: [End; 2]) {
        let first = self.chords.partition_point(|chord| chord[1].x < low.x);
        let end = self.chords.partition_point(|chord| chord[0].x <= high.x);
        if let Some([begin, ..]) = self.chords.get(first).filter(|_| first < end)
            && begin.x < low.x
        {
            low = *begin;
        }
        if let Some([.., last]) = self.chords[first..end].last()
            && last.x > high.x
        {
            high = *last;
        }
        self.chords.splice(first..end, [[low, high]]);
    }

    /// Adds the line's part inside the union, and subtracts that inside the bare mesh.
    fn add_chords(&mut self, line: [f64; 2], solid: bool, cell: f64, gain: &mut Moments) {
        for end in &self.crossings {
            let sides = if solid { 1.0 } else { 2.0 };
            gain.add_area(-sides * cell * end.normal.x.abs());
            if solid {
                gain.add_stretch([0.0, end.x], line, -cell.copysign(end.normal.x) / 3.0);
            }
        }
        if solid {
            self.fill();
        }
        for [low, high] in &self.chords {
            gain.add_stretch([low.x, high.x], line, cell / 3.0);
            gain.add_area(cell * (low.normal.x.abs() + high.normal.x.abs()));
        }
    }

    /// Joins the intervals between crossings with a nonzero winding number.
    fn fill(&mut self) {
        let mut crossings = std::mem::take(&mut self.crossings);
        crossings.sort_by(|a, b| a.x.total_cmp(&b.x));
        let mut winding = 0;
        for pair in crossings.windows(2) {
            winding += if pair[0].normal.x < 0.0 { 1 } else { -1 };
            if winding != 0 {
                self.join([pair[0], pair[1]]);
            }
        }
    }
}

/// A rounded triangle, prepared for intersections with lines.
struct Rounded {
    corners: [Vec3; 3],
    /// Outward normal of a solid; `None` for a triangle without area.
    normal: Option<Vec3>,
    /// Centre and radius of a ball around the corners.
    middle: Vec3,
    reach: f64,
    /// The prism by which it grows: for each face (f, g) with f + g·p ≥ 0 for all points p of the prism.
    faces: [(f64, Vec3); 5],
}

impl Rounded {
    /// Prepares a triangle; `sign` is −1 if the solid is inside out.
    fn new([a, b, c]: [Vec3; 3], sign: f64, [low, high]: [f64; 2]) -> Self {
        let corners = if sign < 0.0 { [a, c, b] } else { [a, b, c] };
        let [a, b, c] = corners;
        let middle = (a + b + c) / 3.0;
        let reach = corners.iter().fold(0.0, |most: f64, corner| most.max((*corner - middle).length()));
        let normal = (b - a).cross(c - a).try_normalize();
        let up = normal.unwrap_or(Vec3::ZERO);
        let side = |k: usize| {
            let inward = up.cross(corners[(k + 1) % 3] - corners[k]);
            (-inward.dot(corners[k]), inward)
        };
        let height = up.dot(a);
        let faces = [(-height - low, up), (height + high, -up), side(0), side(1), side(2)];
        Self { corners, normal, middle, reach: reach * (1.0 + 1e-12), faces }
    }

    /// Returns the intersection of a line with the prism.
    fn prism(&self, [y, z]: [f64; 2]) -> Option<[f64; 2]> {
        self.normal?;
        let mut within = [f64::NEG_INFINITY, f64::INFINITY];
        for (from, offset) in &self.faces {
            let at = from + offset.y * y + offset.z * z;
            if offset.x > 0.0 {
                within[0] = within[0].max(-at / offset.x);
            } else if offset.x < 0.0 {
                within[1] = within[1].min(-at / offset.x);
            } else if at < 0.0 {
                return None;
            }
        }
        (within[0] < within[1] && within[0].is_finite() && within[1].is_finite()).then_some(within)
    }

    /// Adds the moments of the prism, without its area.
    fn add_prism(&self, layer: [f64; 2], sum: &mut Moments) {
        let Some(normal) = self.normal else { return };
        let [[a, b, c], [d, e, f]] = layer.map(|height| self.corners.map(|corner| corner + normal * height));
        for triangle in [[a, c, b], [d, e, f], [a, b, e], [a, e, d], [b, c, f], [b, f, e], [c, a, d], [c, d, f]] {
            sum.add_triangle(triangle);
        }
        sum.add_area(-sum.area());
    }

    /// Returns its extent along an axis.
    fn ends(&self, axis: usize, margin: f64) -> [f64; 2] {
        let of = self.corners.map(|corner| corner[axis]);
        [of[0].min(of[1]).min(of[2]) - margin, of[0].max(of[1]).max(of[2]) + margin]
    }

    /// Returns an interval beyond which a line provably is not within the margin.
    fn reaches(&self, [y, z]: [f64; 2], margin: f64) -> Option<[f64; 2]> {
        let (reach, off) = (self.reach + margin, [y - self.middle.y, z - self.middle.z]);
        let square = reach * reach - off[0] * off[0] - off[1] * off[1];
        (square >= 0.0).then(|| [self.middle.x - square.sqrt(), self.middle.x + square.sqrt()])
    }

    /// Returns the crossing of a line with the triangle; a line through a shared edge crosses exactly one of both
    /// triangles.
    fn crossing(&self, [y, z]: [f64; 2]) -> Option<End> {
        let normal = self.normal.filter(|normal| normal.x != 0.0)?;
        let side = |k: usize| {
            let [a, b] = [self.corners[k], self.corners[(k + 1) % 3]];
            // From the same end for both triangles at the edge, so that they round alike.
            let is_turned = [a.y, a.z, a.x] > [b.y, b.z, b.x];
            let [a, b] = if is_turned { [b, a] } else { [a, b] };
            let is_left = (b.y - a.y) * (z - a.z) - (b.z - a.z) * (y - a.y) >= 0.0;
            is_left != is_turned
        };
        let sides = [side(0), side(1), side(2)];
        let is_within = sides[0] == sides[1] && sides[1] == sides[2];
        is_within.then(|| End { x: on_plane(self.corners[0], normal, [y, z]), normal })
    }

    /// Returns the intersection of a line with all points within the margin: a convex set, so an interval.
    fn chord(&self, line @ [y, z]: [f64; 2], margin: f64) -> Option<[End; 2]> {
        let nowhere = |x: f64| End { x, normal: Vec3::ZERO };
        let mut chord = [nowhere(f64::INFINITY), nowhere(f64::NEG_INFINITY)];
        let mut take = |x: f64, normal: Vec3| {
            if x < chord[0].x {
                chord[0] = End { x, normal };
            }
            if x > chord[1].x {
                chord[1] = End { x, normal };
            }
        };
        if let Some(normal) = self.normal.filter(|normal| normal.x != 0.0) {
            for out in [normal, -normal] {
                let x = on_plane(self.corners[0] + out * margin, normal, line);
                if self.holds(Vec3::new(x, y, z) - out * margin, normal) {
                    take(x, out);
                }
            }
        }
        for k in 0..3 {
            let [from, to] = [self.corners[k], self.corners[(k + 1) % 3]];
            let off = Vec3::new(0.0, y, z) - Vec3::new(0.0, from.y, from.z);
            let square = margin * margin - off.length_squared();
            if square >= 0.0 {
                for x in [-square.sqrt(), square.sqrt()] {
                    take(from.x + x, (off + Vec3::X * x).normalize_or_zero());
                }
            }
            // The nearest points of line and edge, and their distance: the line leaves the margin at equal distances on
            // both sides of there. The square is computed from its factors, as the margin may be thin.
            let along = to - from;
            let length = along.length_squared();
            let across = along.y * along.y + along.z * along.z;
            let gap = ((off.z * along.y - off.y * along.z) / across.sqrt()).abs();
            let square = (margin - gap) * (margin + gap) * length / across;
            if across > 1e-28 * length && square >= 0.0 {
                let middle = along.x * along.dot(off) / across;
                for root in [-square.sqrt(), square.sqrt()] {
                    let offset = off + Vec3::X * (middle + root);
                    let share = offset.dot(along) / length;
                    if (0.0..=1.0).contains(&share) {
                        take(from.x + offset.x, (offset - along * share).normalize_or_zero());
                    }
                }
            }
        }
        (chord[0].x <= chord[1].x).then_some(chord)
    }

    /// Reports whether the triangle holds a point of its plane.
    fn holds(&self, point: Vec3, normal: Vec3) -> bool {
        (0..3).all(|k| {
            let [from, to] = [self.corners[k], self.corners[(k + 1) % 3]];
            normal.dot((to - from).cross(point - from)) >= 0.0
        })
    }
}

/// Returns the intersection of a line along x with the plane through a point.
fn on_plane(point: Vec3, normal: Vec3, [y, z]: [f64; 2]) -> f64 {
    point.x - (normal.y * (y - point.y) + normal.z * (z - point.z)) / normal.x
}
