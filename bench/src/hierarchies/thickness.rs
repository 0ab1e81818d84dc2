//! Precision τ against diameter d (S0 §4.5.7), of the volumes of a tree over a tessellated sphere.
//!
//! S0 defines τ as the directed Hausdorff distance from the volume B to the geometry G in it, the farthest that a point of B
//! can be from G, and derives its growth from a plane curve, which ends where its box ends. A piece of a *surface* has an
//! outline, and its box has corners beside that. So two numbers are taken:
//!
//! - over the surface: the farthest that a point of B is from the whole sphere, |‖p‖ − r|. The largest norm is that of a corner,
//!   the least that of the point of B nearest to the origin, so this is exact. What sticks out of a piece sideways, along its
//!   neighbours' surface, does not count: this is S0's τ = d²/8r, and what the gap between two surfaces has to exceed.
//! - from the piece: the farthest that one of 27 points of B (its centre, those of its faces and edges, its corners) is from
//!   the nearest vertex of the piece: the definition, word by word.
//!
//! d is the greatest distance of two points among those extreme along 64 directions, within 2% of the diameter. Left out are
//! pieces of fewer than 64 triangles, where the tessellation shows, and those wider than 0.4 r, which are no longer nearly flat.

use super::concentric::{RADIUS, fitted};
use super::power::Power;
use crate::peers::ours::Triangles;
use crate::timing::median;
use heurt_bvh::volume::PairGap;
use heurt_bvh::{Aabb32, BuildOptions, Bvh, Obb, Rss, Sphere, TreeFrame, VolumeKind};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use std::ops::Range;

const FEWEST_TRIANGLES: usize = 64;
/// In radii.
const WIDEST: f64 = 0.4;
/// Vertices are 0.005 radii apart: from narrower pieces, their distances would show that.
const NARROWEST_FROM_PIECE: f64 = 0.1;
/// Bins of d in a decade; a bin counts with the medians of its pieces, of which there are
const BINS: f64 = 10.0;
/// so many at least.
const FEWEST_PIECES: usize = 16;

/// A box about a centre, swept by a ball: what most volumes are.
struct Swept {
    axes: [Vec3; 3],
    centre: Vec3,
    half: [f64; 3],
    radius: f64,
}

/// A diameter and both precisions, in radii of the sphere.
struct Sample {
    diameter: f64,
    over_surface: f64,
    from_piece: f64,
}

/// τ against d for one kind of volume.
pub struct Curve {
    /// The volume.
    pub name: &'static str,
    /// d and τ over the surface: the medians of each bin.
    pub over_surface: Vec<[f64; 2]>,
    /// d and τ from the piece.
    pub from_piece: Vec<[f64; 2]>,
    /// How many pieces there are in all bins.
    pub pieces: usize,
}

/// Measures the binary trees over `mesh`, a sphere about the origin.
pub fn curves(mesh: &TriMesh) -> Vec<Curve> {
    eprintln!("precision against diameter");
    let options = BuildOptions { leaf_size: 1, ..BuildOptions::default() };
    let boxes = Bvh::<Aabb32, 2>::with_options(&Triangles(mesh), &options).expect("a sphere fits a tree");
    let frame = *boxes.frame();
    let of_kinds = [
        (VolumeKind::Aabb, volumes(&boxes, Swept::of_aabb)),
        (VolumeKind::Sphere, volumes(&fitted::<Sphere, 2>(&boxes, mesh), Swept::of_sphere)),
        (VolumeKind::Obb, volumes(&fitted::<Obb, 2>(&boxes, mesh), Swept::of_obb)),
        (VolumeKind::Rss, volumes(&fitted::<Rss, 2>(&boxes, mesh), Swept::of_rss)),
    ];
    let mut samples = of_kinds.each_ref().map(|_| Vec::new());
    for (index, (leaves, _)) in of_kinds[0].1.iter().enumerate() {
        let piece = vertices(mesh, &boxes.order()[leaves.start as usize..leaves.end as usize], &frame);
        let diameter = diameter(&piece);
        for ((_, volumes), samples) in of_kinds.iter().zip(&mut samples) {
            samples.push(Sample::new(&volumes[index].1, &piece, diameter, RADIUS * frame.inverse_scale()));
        }
    }
    of_kinds.iter().zip(samples).map(|((kind, _), samples)| Curve::new(kind.name(), &samples)).collect()
}

/// The volumes about enough triangles, with the leaves below each; leaves hold one triangle.
fn volumes<V: PairGap<V>>(tree: &Bvh<V, 2>, swept: impl Fn(&V) -> Swept) -> Vec<(Range<u32>, Swept)> {
    let mut out = Vec::new();
    tree.for_each_volume(|volume, leaves| {
        if leaves.len() >= FEWEST_TRIANGLES {
            out.push((leaves, swept(volume)));
        }
    });
    out
}

/// The vertices of some triangles, each once, in local units.
fn vertices(mesh: &TriMesh, triangles: &[u32], frame: &TreeFrame) -> Vec<Vec3> {
    let mut corners: Vec<u32> = triangles.iter().flat_map(|&index| mesh.triangles()[index as usize]).collect();
    corners.sort_unstable();
    corners.dedup();
    corners.into_iter().map(|corner| frame.to_local(mesh.vertices()[corner as usize])).collect()
}

/// The greatest distance of two points among those that are extreme along many directions.
fn diameter(points: &[Vec3]) -> f64 {
    const DIRECTIONS: usize = 64;
    // Evenly spread over half the sphere: turned by the golden angle from ring to ring.
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut extremes = Vec::with_capacity(2 * DIRECTIONS);
    for k in 0..DIRECTIONS {
        let z = (k as f64 + 0.5) / DIRECTIONS as f64;
        let (sin, cos) = (golden * k as f64).sin_cos();
        let direction = Vec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + Vec3::Z * z;
        let mut ends = [(f64::INFINITY, Vec3::ZERO), (f64::NEG_INFINITY, Vec3::ZERO)];
        for &point in points {
            let along = point.dot(direction);
            if along < ends[0].0 {
                ends[0] = (along, point);
            }
            if along > ends[1].0 {
                ends[1] = (along, point);
            }
        }
        extremes.extend(ends.map(|(_, point)| point));
    }
    let distances = extremes.iter().flat_map(|p| extremes.iter().map(|q| p.distance_squared(*q)));
    distances.fold(0.0, f64::max).sqrt()
}

impl Sample {
    /// The precisions of `volume` about `piece` of a sphere of radius `radius` about the origin.
    fn new(volume: &Swept, piece: &[Vec3], diameter: f64, radius: f64) -> Self {
        let (nearest, farthest) = volume.norms();
        let over_surface = (farthest - radius).max(radius - nearest);
        let from_nearest = |p: Vec3| piece.iter().map(|g| g.distance_squared(p)).fold(f64::INFINITY, f64::min);
        let from_piece = volume.points().map(from_nearest).fold(0.0, f64::max).sqrt();
        Self { diameter: diameter / radius, over_surface: over_surface / radius, from_piece: from_piece / radius }
    }
}

impl Swept {
    fn of_aabb(volume: &Aabb32) -> Self {
        let (min, max) = (vector(volume.min), vector(volume.max));
        let half = ((max - min) / 2.0).to_array();
        Self { axes: [Vec3::X, Vec3::Y, Vec3::Z], centre: (min + max) / 2.0, half, radius: 0.0 }
    }
    fn of_sphere(volume: &Sphere) -> Self {
        let centre = vector(volume.centre);
        Self { axes: [Vec3::X, Vec3::Y, Vec3::Z], centre, half: [0.0; 3], radius: f64::from(volume.radius) }
    }
    fn of_obb(volume: &Obb) -> Self {
        let (axes, centre) = (volume.axes.map(vector), vector(volume.centre));
        Self { axes, centre, half: volume.half.map(f64::from), radius: 0.0 }
    }
    fn of_rss(volume: &Rss) -> Self {
        Self { radius: f64::from(volume.radius), ..Self::of_obb(&volume.core) }
    }

    /// The points of a 3 × 3 × 3 grid over the box, each pushed out by the ball along its direction from the centre.
    fn points(&self) -> impl Iterator<Item = Vec3> {
        (0..27).map(|name| {
            let signs = [name / 9, name / 3 % 3, name % 3].map(|digit| f64::from(digit) - 1.0);
            let along = |size: [f64; 3]| (0..3).map(|k| self.axes[k] * (signs[k] * size[k])).sum::<Vec3>();
            self.centre + along(self.half) + along([1.0; 3]).normalize_or_zero() * self.radius
        })
    }

    /// The least and the greatest norm of its points.
    fn norms(&self) -> (f64, f64) {
        let corner = self.points_of_box().map(Vec3::length).fold(0.0, f64::max);
        let beyond = |k: usize| (self.axes[k].dot(self.centre).abs() - self.half[k]).max(0.0);
        let nearest = Vec3::new(beyond(0), beyond(1), beyond(2)).length();
        ((nearest - self.radius).max(0.0), corner + self.radius)
    }

    fn points_of_box(&self) -> impl Iterator<Item = Vec3> {
        (0..8).map(|name| {
            let side = |k: usize| if name >> k & 1 == 0 { self.half[k] } else { -self.half[k] };
            self.centre + self.axes[0] * side(0) + self.axes[1] * side(1) + self.axes[2] * side(2)
        })
    }
}

fn vector(of: [f32; 3]) -> Vec3 {
    Vec3::from_array(of.map(f64::from))
}

impl Curve {
    fn new(name: &'static str, samples: &[Sample]) -> Self {
        let bin = |sample: &Sample| (sample.diameter.log10() * BINS).floor() as i32;
        let used: Vec<&Sample> = samples.iter().filter(|sample| sample.diameter <= WIDEST).collect();
        let mut bins: Vec<i32> = used.iter().map(|sample| bin(sample)).collect();
        bins.sort_unstable();
        bins.dedup();
        let mut out = Self { name, over_surface: Vec::new(), from_piece: Vec::new(), pieces: 0 };
        for at in bins {
            let inside: Vec<&&Sample> = used.iter().filter(|sample| bin(sample) == at).collect();
            if inside.len() < FEWEST_PIECES {
                continue;
            }
            let middle = |of: fn(&Sample) -> f64| median(&inside.iter().map(|sample| of(sample)).collect::<Vec<_>>());
            let diameter = middle(|sample| sample.diameter);
            out.over_surface.push([diameter, middle(|sample| sample.over_surface)]);
            if diameter >= NARROWEST_FROM_PIECE {
                out.from_piece.push([diameter, middle(|sample| sample.from_piece)]);
            }
            out.pieces += inside.len();
        }
        out
    }

    /// τ over the surface against d, and τ from the piece.
    pub fn laws(&self) -> [Option<Power>; 2] {
        [Power::fit(&self.over_surface), Power::fit(&self.from_piece)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of the unit sphere up to `angle` from the z axis.
    fn cap(angle: f64) -> Vec<Vec3> {
        let rings = 40;
        (0..=rings)
            .flat_map(|ring| {
                let (sin, cos) = (angle * f64::from(ring) / f64::from(rings)).sin_cos();
                (0..96).map(move |k| {
                    let (y, x) = (f64::from(k) * std::f64::consts::TAU / 96.0).sin_cos();
                    Vec3::new(sin * x, sin * y, cos)
                })
            })
            .collect()
    }

    #[test]
    fn the_flat_box_of_a_cap_is_as_thick_as_s0_says() {
        for angle in [0.02, 0.05, 0.1] {
            let piece = cap(angle);
            let d = diameter(&piece);
            assert!((d / (2.0 * angle.sin()) - 1.0).abs() < 0.02);
            let half_thickness = (1.0 - angle.cos()) / 2.0;
            // The strip of S0's figure: as wide as the cap one way, without width the other.
            let volume = Swept {
                axes: [Vec3::X, Vec3::Y, Vec3::Z],
                centre: Vec3::Z * (1.0 - half_thickness),
                half: [angle.sin(), 0.0, half_thickness],
                radius: 0.0,
            };
            let sample = Sample::new(&volume, &piece, d, 1.0);
            let expected = d * d / 8.0;
            assert!((sample.over_surface / expected - 1.0).abs() < 0.05, "{} for {expected}", sample.over_surface);
            assert!((sample.from_piece / expected - 1.0).abs() < 0.05, "{} for {expected}", sample.from_piece);
        }
    }

    #[test]
    fn the_box_of_a_round_cap_has_empty_corners() {
        let angle = 0.05f64;
        let piece = cap(angle);
        let half = [angle.sin(), angle.sin(), (1.0 - angle.cos()) / 2.0];
        let axes = [Vec3::X, Vec3::Y, Vec3::Z];
        let volume = Swept { axes, centre: Vec3::Z * (1.0 - half[2]), half, radius: 0.0 };
        let sample = Sample::new(&volume, &piece, diameter(&piece), 1.0);
        let to_corner = (2f64.sqrt() - 1.0) * angle;
        assert!((sample.from_piece / to_corner - 1.0).abs() < 0.05, "{} for {to_corner}", sample.from_piece);
        // The corners stand on the tangent plane, √2 times as far out as the rim.
        assert!((sample.over_surface / (angle * angle) - 1.0).abs() < 0.05, "{}", sample.over_surface);
    }

    #[test]
    fn the_ball_of_a_cap_is_as_thick_as_it_is_wide() {
        let angle = 0.1f64;
        let piece = cap(angle);
        let volume = Swept {
            axes: [Vec3::X, Vec3::Y, Vec3::Z],
            centre: Vec3::Z * angle.cos(),
            half: [0.0; 3],
            radius: angle.sin(),
        };
        let sample = Sample::new(&volume, &piece, diameter(&piece), 1.0);
        assert!((sample.over_surface / angle - 1.0).abs() < 0.06, "{}", sample.over_surface);
    }
}
