//! Oriented tree: a tree of oriented boxes over triangles that finds their support points.
//!
//! In: triangles with coordinates up to 1. Out: for a direction, the greatest height of a corner along it; for a run of
//! triangles next to each other, the ones with a corner above their plane.
//! Method: triangles are sorted by the coordinate direction that they face, so that a box does not reach around an
//! edge, then along a Z-order curve; each level has the boxes of runs of 8 boxes of the level below. A box lies flat on
//! the surface and along its needles, so that few boxes rise above the plane of a triangle of a convex body. A
//! depth-first search prunes boxes that reach no higher than the best height found. The planes of a run are within a
//! cone of directions, which prunes for all of them at once.
//! Cost: O(log n) for a direction and for a run, if the triangles bound a nearly convex body.

use super::oriented_box::{BOX_ROUNDING, OrientedBox, along_axes};
use heurt_geometry::{Triangle, Vec3};
use rayon::prelude::*;

/// The greatest difference between the unit normals of a run and their mean up to which one cone is used for all.
const MAX_CONE: f64 = 0.3;

/// Runs that are examined for a run at most. The normals of small triangles in a flat face are tilted by rounding: to
/// each of them another part of the face is above.
const MAX_LEAVES: usize = 128;

/// Boxes over runs of [`OrientedTree::WIDTH`] triangles, in levels.
pub(super) struct OrientedTree<'a> {
    corners: &'a [Triangle],
    /// Triangles in spatial order.
    order: Vec<u32>,
    /// The boxes of runs of the level below, the level of triangles first.
    levels: Vec<Vec<OrientedBox>>,
}

/// A box that a search has not opened yet: its level, its number and a bound of its height.
#[derive(Debug, Clone, Copy)]
struct Pending {
    level: usize,
    index: usize,
    top: f64,
}

impl<'a> OrientedTree<'a> {
    /// Children of a box: a run is examined as a whole.
    pub(super) const WIDTH: usize = 8;

    /// Builds the tree.
    pub(super) fn new(corners: &'a [Triangle]) -> Self {
        let mut order: Vec<u32> = (0..corners.len() as u32).collect();
        order.par_sort_by_cached_key(|&triangle| {
            let [a, b, c] = corners[triangle as usize];
            (facing((b - a).cross(c - a)), morton(a / 3.0 + b / 3.0 + c / 3.0))
        });
        let mut levels: Vec<Vec<OrientedBox>> = Vec::new();
        let mut size = Self::WIDTH;
        while levels.last().is_none_or(|last| last.len() > 1) {
            levels.push(order.par_chunks(size).map(|run| OrientedBox::around(corners, run)).collect());
            size *= Self::WIDTH;
        }
        Self { corners, order, levels }
    }

    /// Returns the runs of triangles next to each other.
    pub(super) fn runs(&self) -> std::slice::Chunks<'_, u32> {
        self.order.chunks(Self::WIDTH)
    }

    /// Returns the greatest height of a corner along `normal`, or `least` if that is greater.
    /// Adds the boxes that are examined to `steps`.
    pub(super) fn support(&self, normal: Vec3, least: f64, steps: &mut u64) -> f64 {
        self.search(normal, least, steps).0
    }

    /// Finds the triangle with the greatest height of a corner along `normal`.
    /// Adds the boxes that are examined to `steps`.
    pub(super) fn support_point(&self, normal: Vec3, steps: &mut u64) -> Option<u32> {
        self.search(normal, f64::NEG_INFINITY, steps).1
    }

    /// Finds the greatest height above `least`, and its triangle.
    fn search(&self, normal: Vec3, least: f64, steps: &mut u64) -> (f64, Option<u32>) {
        let mut best = (least, None);
        let mut stack = self.root();
        while let Some(Pending { level, index, top }) = stack.pop() {
            if top <= best.0 {
                continue;
            }
            *steps += Self::WIDTH as u64;
            if level > 0 {
                self.open(level, index, &mut stack, |bounds| Some(bounds.top(normal)).filter(|&top| top > best.0));
                continue;
            }
            for &triangle in self.run(index) {
                let height = height_along(&self.corners[triangle as usize], normal);
                if height > best.0 {
                    best = (height, Some(triangle));
                }
            }
        }
        best
    }

    /// Finds the triangles of a run, as bits, with a corner of the mesh more than `depth` above their lowest corner
    /// along their own normal. Triangles for which that is not decided soon, or without a normal, are among them.
    pub(super) fn pierced(&self, run: &[u32], normals: &[Vec3], depth: f64, steps: &mut u64) -> u8 {
        let all = (u16::MAX >> (16 - run.len())) as u8;
        let Some(cone) = RunCone::new(self.corners, run, normals) else { return all };
        let planes: Vec<(Vec3, f64)> = run
            .iter()
            .map(|&triangle| {
                let normal = normals[triangle as usize];
                (normal, -height_along(&self.corners[triangle as usize], -normal) + depth)
            })
            .collect();
        let (mut open, mut stack, mut left) = (all, self.root(), MAX_LEAVES);
        while let Some(Pending { level, index, .. }) = stack.pop().filter(|_| open != 0) {
            *steps += Self::WIDTH as u64;
            if level > 0 {
                self.open(level, index, &mut stack, |bounds| Some(cone.top(bounds)).filter(|&top| top > depth));
                continue;
            }
            left -= 1;
            if left == 0 {
                return all;
            }
            let bounds = &self.levels[0][index];
            for (k, &(normal, limit)) in planes.iter().enumerate() {
                if open >> k & 1 == 1 && bounds.top(normal) > limit {
                    let corners = self.run(index).iter().map(|&triangle| &self.corners[triangle as usize]);
                    let is_pierced = corners.map(|corners| height_along(corners, normal)).any(|height| height > limit);
                    open &= !(u8::from(is_pierced) << k);
                }
            }
        }
        all & !open
    }

    fn root(&self) -> Vec<Pending> {
        vec![Pending { level: self.levels.len() - 1, index: 0, top: f64::INFINITY }]
    }

    /// Returns the triangles of a box of the lowest level.
    fn run(&self, index: usize) -> &[u32] {
        let first = index * Self::WIDTH;
        &self.order[first..self.order.len().min(first + Self::WIDTH)]
    }

    /// Appends the children of a box that have a height, the highest last, so that it is searched first.
    fn open(&self, level: usize, index: usize, stack: &mut Vec<Pending>, top: impl Fn(&OrientedBox) -> Option<f64>) {
        let first = stack.len();
        let children = index * Self::WIDTH..self.levels[level - 1].len().min((index + 1) * Self::WIDTH);
        for (child, bounds) in children.clone().zip(&self.levels[level - 1][children]) {
            let Some(top) = top(bounds) else { continue };
            let at = first + stack[first..].partition_point(|other| other.top <= top);
            stack.insert(at, Pending { level: level - 1, index: child, top });
        }
    }
}

/// The planes of a run of triangles: a cone of normals around their mean, seen from a point of the run.
struct RunCone {
    mean: Vec3,
    /// The greatest difference of a normal from the mean.
    spread: f64,
    origin: Vec3,
    /// The greatest height of the origin above the lowest corner of a triangle along its normal.
    rise: f64,
}

impl RunCone {
    /// Makes the cone; `None` if a triangle has no normal or the cone is wide.
    fn new(corners: &[Triangle], run: &[u32], normals: &[Vec3]) -> Option<Self> {
        let of_run = || run.iter().map(|&triangle| normals[triangle as usize]);
        let mean = of_run().sum::<Vec3>().try_normalize()?;
        let spread = of_run().map(|normal| (normal - mean).length()).fold(0.0, f64::max);
        if spread > MAX_CONE || of_run().any(|normal| normal == Vec3::ZERO) {
            return None;
        }
        let origin = corners[run[run.len() / 2] as usize][0];
        let rise = |&triangle: &u32| {
            let normal = normals[triangle as usize];
            normal.dot(origin) + height_along(&corners[triangle as usize], -normal)
        };
        let rise = run.iter().map(rise).fold(0.0, f64::max);
        Some(Self { mean, spread, origin, rise })
    }

    /// Bounds the height of the points of a box above the lowest corner of a triangle, along any normal of the cone.
    fn top(&self, bounds: &OrientedBox) -> f64 {
        let from = bounds.centre - self.origin;
        let reach = along_axes(&bounds.axes, self.mean).abs().dot(bounds.half);
        let aside = self.spread * (from.length() + bounds.half.length());
        self.mean.dot(from) + reach + aside + self.rise + 2.0 * BOX_ROUNDING
    }
}

/// Computes the greatest height of a corner along a direction.
fn height_along(corners: &Triangle, normal: Vec3) -> f64 {
    corners.iter().map(|corner| normal.dot(*corner)).fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the number of the coordinate direction that a normal is nearest to.
fn facing(normal: Vec3) -> usize {
    let size = normal.abs();
    let axis = (0..3).fold(0, |axis, other| if size[other] > size[axis] { other } else { axis });
    2 * axis + usize::from(normal[axis] < 0.0)
}

/// Computes the position on the Z-order curve of a point with coordinates up to 1, 21 bits an axis.
fn morton(point: Vec3) -> u64 {
    let spread = |x: f64| {
        let mut bits = ((x * 0.5 + 0.5).clamp(0.0, 1.0) * f64::from((1u32 << 21) - 1)) as u64;
        bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
        bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
        bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
        bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
        (bits | bits << 2) & 0x1249_2492_4924_9249
    };
    spread(point.x) | spread(point.y) << 1 | spread(point.z) << 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TriMesh, generate};
    use heurt_geometry::Quat;

    /// The triangles of a turned mesh, with coordinates up to 1 that are rounded as in a file of `f32`.
    fn rounded(mesh: &TriMesh) -> Vec<Triangle> {
        let turn = Quat::from_xyzw(0.6, 0.0, 0.0, 0.8);
        let place = |corner: Vec3| (turn * corner).map(|x| f64::from(x as f32));
        (0..mesh.triangles().len() as u32).map(|triangle| mesh.corners(triangle).map(place)).collect()
    }

    fn normals(corners: &[Triangle]) -> Vec<Vec3> {
        corners.iter().map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero()).collect()
    }

    #[test]
    fn supports_are_those_of_all_corners() {
        for mesh in [
            generate::uv_sphere(0.9, 40).expect("a sphere"),
            generate::cylinder(0.005, 0.9, 300).expect("a rod"),
            generate::torus(0.6, 0.2, 30, 16).expect("a torus"),
        ] {
            let corners = rounded(&mesh);
            let (tree, normals) = (OrientedTree::new(&corners), normals(&corners));
            let highest = |normal: Vec3| {
                corners.iter().map(|corners| height_along(corners, normal)).fold(f64::NEG_INFINITY, f64::max)
            };
            let mut steps = 0;
            for &normal in normals.iter().step_by(7) {
                assert_eq!(tree.support(normal, f64::NEG_INFINITY, &mut steps), highest(normal));
                assert_eq!(tree.support(normal, 5.0, &mut steps), 5.0);
            }
            for (run, depth) in tree.runs().zip([0.0, 1e-6, 1e-3].into_iter().cycle()) {
                let pierced = tree.pierced(run, &normals, depth, &mut steps);
                for (k, &triangle) in run.iter().enumerate() {
                    let normal = normals[triangle as usize];
                    let low = -height_along(&corners[triangle as usize], -normal);
                    assert!(pierced >> k & 1 == 1 || highest(normal) <= low + depth, "triangle {triangle}");
                }
            }
        }
    }

    #[test]
    fn the_planes_of_a_sphere_and_a_rod_take_few_steps_at_any_size() {
        // Depths that rounding does not reach.
        let steps_a_triangle = |mesh: &TriMesh, depth: f64| {
            let corners = rounded(mesh);
            let (tree, normals) = (OrientedTree::new(&corners), normals(&corners));
            let mut steps = 0;
            tree.runs().for_each(|run| _ = tree.pierced(run, &normals, depth, &mut steps));
            steps as f64 / corners.len() as f64
        };
        let [few, many] = [60, 240].map(|segments| {
            let sphere = generate::uv_sphere(0.9, segments).expect("a sphere");
            steps_a_triangle(&sphere, 1e-6)
        });
        assert!(many < 2.0 * few, "{few} and {many} steps a triangle of a sphere");
        let [few, many] = [300, 2400].map(|segments| {
            let rod = generate::cylinder(0.005, 0.9, segments).expect("a rod");
            steps_a_triangle(&rod, 1e-5)
        });
        assert!(many < 3.0 * few, "{few} and {many} steps a triangle of a rod");
    }
}
