//! Field of parts with known interferences, for benches and tests of whole assemblies.
//!
//! In: the number of parts and of triangles, a seed. Out: an [`Assembly`] whose interferences are known by
//! construction.
//! Method: clusters of eight parts on a grid: a chain of seven bumpy spheres of radius approximately 1 m (between 0.9
//! and 1.1, and no less than 0.77 in the middle of a facet), at a distance of 1.5 m, and a small sphere of 0.3 m at the
//! middle of one of them. Neighbours in a chain cross: each reaches to 0.6 m of its neighbour's centre at least, and
//! ends outside. The next but one, 3 m away, is out of reach, and so is a neighbour of the small sphere, 0.4 m from its
//! centre at least. Left-over parts are isolated. Guarantees: 6/8 of the parts cross a neighbour and 1/8 lie wholly
//! inside another: 1,000 parts give 750 crossing and 125 contained pairs. Each part has its own mesh. Deterministic in
//! the seed.

use super::assembly::{Assembly, Relation};
use crate::generate::error::Limits;
use crate::generate::{GenerateError, bumpy_sphere, sphere_segments, uv_sphere};
use heurt_geometry::{Pose, SplitMix64, Vec3};

/// Parts in one cluster: a chain and one part inside a link of it.
const CLUSTER: usize = 8;
/// Distance of neighbours in a chain, in metres.
const STEP: f64 = 1.5;
/// Size of a cell of the grid along and across the chains, in metres: a chain is 6 · 1.5 + 2.2 long, 2.2 wide.
const CELL: Vec3 = Vec3::new(12.5, 3.0, 3.0);
/// Least resolution: below it, a facet of a sphere may cut deeper than the construction allows.
const MIN_SEGMENTS: u32 = 8;

/// Makes `parts` parts with approximately `triangles` triangles in all; three quarters of them cross the next one, one
/// in eight is wholly inside another.
///
/// The total differs from `triangles` by no more than one part has.
///
/// # Errors
/// [`GenerateError`] for no part, fewer than 48 triangles a part, or more than [`crate::generate::MAX_TRIANGLES`].
pub fn clash_field(parts: u32, triangles: u64, seed: u64) -> Result<Assembly, GenerateError> {
    let limits = Limits("clash_field");
    limits.at_least("parts", parts, 1)?;
    limits.triangles(triangles)?;
    let least = sphere_triangles(MIN_SEGMENTS) * u64::from(parts);
    if triangles < least {
        return Err(limits.refuse("triangles", triangles as f64, format!("at least {least} for {parts} parts")));
    }
    let mut field = Field { assembly: Assembly::empty(), random: SplitMix64::new(seed), parts, triangles, made: 0 };
    let clusters = (parts as usize).div_ceil(CLUSTER);
    // A block of cells approximately as long as wide and high.
    let across = (1..).find(|&side| side * side * (side / 4 + 1) >= clusters).unwrap_or(clusters);
    for cluster in 0..clusters {
        let cell = [cluster / (across * across), cluster / across % across, cluster % across];
        let origin = Vec3::from(cell.map(|index| index as f64)) * CELL;
        let left = parts as usize - cluster * CLUSTER;
        field.cluster(cluster, origin, left.min(CLUSTER))?;
    }
    field.assembly.interferences.sort_unstable();
    Ok(field.assembly)
}

/// The field under construction.
struct Field {
    assembly: Assembly,
    random: SplitMix64,
    parts: u32,
    triangles: u64,
    made: u64,
}

impl Field {
    /// Adds `count` parts: a chain, and when the cluster is full, a part inside a link of it.
    fn cluster(&mut self, cluster: usize, origin: Vec3, count: usize) -> Result<(), GenerateError> {
        let full = count == CLUSTER;
        let links = if full { CLUSTER - 1 } else { count };
        let host = self.random.below(links);
        let mut centre = origin;
        let mut chain = Vec::with_capacity(links);
        for link in 0..links {
            let segments = self.segments();
            let (amplitude, waves) = (0.05 + 0.05 * self.random.unit(), 2.0 + 4.0 * self.random.unit());
            let mesh = self.assembly.mesh(bumpy_sphere(1.0, amplitude, waves, segments)?);
            let pose = draw_pose(&mut self.random, centre);
            chain.push(self.assembly.part(format!("chain-{cluster}-{link}"), mesh, pose));
            centre.x += STEP;
        }
        for pair in chain.windows(2) {
            self.assembly.interfere(pair[0], pair[1], Relation::Crossing);
        }
        if full {
            let segments = self.segments();
            let mesh = self.assembly.mesh(uv_sphere(0.3, segments)?);
            let pose = draw_pose(&mut self.random, origin + Vec3::X * (STEP * host as f64));
            let inner = self.assembly.part(format!("inner-{cluster}"), mesh, pose);
            self.assembly.interfere(chain[host], inner, Relation::Contained { inner });
        }
        Ok(())
    }

    /// Chooses the resolution of the next part so that the total follows the target.
    fn segments(&mut self) -> u32 {
        let left = u64::from(self.parts) - self.assembly.parts.len() as u64;
        let share = self.triangles.saturating_sub(self.made) / left.max(1);
        let above = sphere_segments(share).max(MIN_SEGMENTS);
        let below = (above - 2).max(MIN_SEGMENTS);
        let [more, less] = [above, below].map(sphere_triangles);
        let segments = if more.abs_diff(share) < share.abs_diff(less) { above } else { below };
        self.made += sphere_triangles(segments);
        segments
    }
}

/// Returns the number of triangles of a [`uv_sphere`].
fn sphere_triangles(segments: u32) -> u64 {
    2 * u64::from(segments) * (u64::from(segments) / 2 - 1)
}

/// Draws a rotation and places it at `translation`.
fn draw_pose(random: &mut SplitMix64, translation: Vec3) -> Pose {
    // A point of the unit ball of 4D, by rejection: the chance to need more than 64 draws is below 1e-10.
    for _ in 0..64 {
        let quaternion = [0; 4].map(|_| 2.0 * random.unit() - 1.0);
        let norm = quaternion.iter().map(|q| q * q).sum::<f64>().sqrt();
        if (0.1..=1.0).contains(&norm) {
            return Pose::from_quaternion(quaternion.map(|q| q / norm), translation)
                .expect("a unit quaternion and a finite translation");
        }
    }
    Pose::from_translation(translation).expect("a finite translation")
}
