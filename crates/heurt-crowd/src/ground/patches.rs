//! Patches: around each quarter of a triangle of the ground an area that is large enough for a density.
//!
//! In: the triangles of the ground, each in four by the middles of its sides: the cells of the first refinement. Out:
//! for each of them itself and the quarters next to it, until they have a size; the densities there.
//! Method: breadth first through common sides, so that walls and storeys keep patches from each other. The coarse
//! levels of the cells count their particles, so that agents are not counted one by one.
//! Cost: O(q²) for a patch of q quarters, seldom more than four.

use super::Ground;
use heurt_geometry::{Sign, Vec2, orient2d};
use heurt_map::registration::PlaneEnvironment;
use heurt_map::{CombinatorialMap, Dart, Orbit};
use rayon::prelude::*;
use smallvec::SmallVec;

/// The size of a patch, in square metres: one person more or less changes its density by 0.1 /m².
const PATCH_AREA: f64 = 10.0;

/// The most quarters of a patch: bounds the time next to walls of many short pieces.
const MAX_QUARTERS: usize = 64;

/// The quarter in the middle of a triangle; a quarter at a corner has the number of that corner.
const MIDDLE: u32 = 3;

/// The patch of each quarter of a triangle of the ground; quarter k of triangle t has the number 4 t + k.
#[derive(Debug)]
pub(crate) struct Patches {
    /// By quarter: its patch, and one over the size of it, in 1/m².
    patches: Vec<(SmallVec<[u32; 4]>, f64)>,
}

impl Patches {
    /// Collects the patches of all quarters.
    pub fn new(ground: &Ground) -> Self {
        let count = ground.mesh.triangles.len() as u32;
        let area = |quarter: u32| {
            let [a, b, c] = ground.mesh.corners(quarter / 4);
            0.125 * Vec2::perp_dot(b - a, c - a)
        };
        let patch = |start: u32| {
            let mut patch: SmallVec<[u32; 4]> = SmallVec::from_slice(&[start]);
            let (mut size, mut place) = (area(start), 0);
            while size < PATCH_AREA && place < patch.len() && patch.len() < MAX_QUARTERS {
                for next in quarters_around(ground, patch[place]) {
                    if size < PATCH_AREA && !patch.contains(&next) {
                        patch.push(next);
                        size += area(next);
                    }
                }
                place += 1;
            }
            (patch, 1.0 / size)
        };
        Self { patches: (0..4 * count).into_par_iter().map(patch).collect() }
    }

    /// Computes the density of persons of each patch, in persons a square metre.
    pub fn densities(&self, environment: &PlaneEnvironment) -> Vec<f64> {
        let counts = self.counts(environment);
        let density = |(patch, per_area): &(SmallVec<[u32; 4]>, f64)| {
            let persons: f64 = patch.iter().map(|&quarter| counts[quarter as usize]).sum();
            persons * per_area
        };
        self.patches.iter().map(density).collect()
    }

    /// Counts the persons of each quarter.
    fn counts(&self, environment: &PlaneEnvironment) -> Vec<f64> {
        let map = environment.map().map();
        let mut counts = Vec::with_capacity(self.patches.len());
        for triangle in 0..self.patches.len() as u32 / 4 {
            // The dart at a corner is in a cell there, of any level.
            let count = |k: u32, level: u8| {
                let cell = map.id(Orbit::Face, Dart(3 * triangle + k));
                environment.particles_at(cell, level).ok().flatten().map(|count| count as f64)
            };
            let all = count(0, 0).unwrap_or(0.0);
            match [0, 1, 2].map(|k| count(k, 1)) {
                [Some(a), Some(b), Some(c)] => counts.extend([a, b, c, all - a - b - c]),
                // A triangle that is not refined has few persons: they count as spread evenly.
                _ => counts.extend([0.25 * all; 4]),
            }
        }
        counts
    }

    /// Computes the mean of values in each patch, each value with its quarter; `None` without values.
    pub fn means(&self, values: impl Iterator<Item = (u32, f64)>) -> Vec<Option<f64>> {
        let mut sums = vec![(0.0, 0_u32); self.patches.len()];
        for (quarter, value) in values {
            let (sum, count) = &mut sums[quarter as usize];
            (*sum, *count) = (*sum + value, *count + 1);
        }
        let mean = |(patch, _): &(SmallVec<[u32; 4]>, f64)| {
            let in_patch = patch.iter().map(|&quarter| sums[quarter as usize]);
            let (sum, count) = in_patch.fold((0.0, 0), |(sum, count), (s, c)| (sum + s, count + c));
            (count > 0).then(|| sum / f64::from(count))
        };
        self.patches.iter().map(mean).collect()
    }
}

/// Lists the quarters that have a side in common with one.
fn quarters_around(ground: &Ground, quarter: u32) -> SmallVec<[u32; 3]> {
    let (triangle, k) = (quarter / 4, quarter % 4);
    if k == MIDDLE {
        return (0..3).map(|k| 4 * triangle + k).collect();
    }
    let map = ground.environment().map().map();
    let mut around: SmallVec<[u32; 3]> = SmallVec::from_slice(&[4 * triangle + MIDDLE]);
    // The sides that begin and end at the corner; beyond, the corner ends and begins the same side.
    for (side, turn) in [(k, 1), ((k + 2) % 3, 0)] {
        let beyond = map.phi2(Dart(3 * triangle + side));
        if !map.is_boundary(beyond) {
            around.push(4 * (beyond.0 / 3) + (beyond.0 + turn) % 3);
        }
    }
    around
}

/// Returns the number of the quarter of a triangle that a point is in.
pub(super) fn quarter_at([a, b, c]: [Vec2; 3], point: Vec2) -> u32 {
    let corners = [[a, b, c], [b, c, a], [c, a, b]];
    // A corner's quarter is cut off by the line through the middles of its sides.
    let is_in =
        |[at, next, last]: &[Vec2; 3]| orient2d(at.midpoint(*next), at.midpoint(*last), point) == Sign::Positive;
    corners.iter().position(is_in).map_or(MIDDLE, |k| k as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::{FloorArea, PlanArea, SplitMix64, Vec3};
    use heurt_map::registration::Density;

    /// Counts are those of all agents, one by one, at any resolution of the cells.
    #[test]
    fn densities_are_those_of_persons_one_by_one() {
        let hall = PlanArea::rectangle(Vec2::ZERO, Vec2::new(40.0, 20.0));
        let above = FloorArea::level(PlanArea::rectangle(Vec2::ZERO, Vec2::new(20.0, 20.0)), 3.0);
        let ground = Ground::new([FloorArea::from(hall), above]).expect("sound");
        let patches = Patches::new(&ground);
        let mut environment = ground.environment().clone();
        let (mut random, mut places) = (SplitMix64::new(3), Vec::new());
        for k in 0..400 {
            // A crowd in a corner, and single persons.
            let reach = if k < 300 { 6.0 } else { 20.0 };
            let place = Vec3::new(random.between(0.0, reach), random.between(0.0, reach), f64::from(k % 2) * 3.0);
            ground.register(&mut environment, place).expect("on the floor");
            places.push(place);
        }
        while !environment.adapt(&mut Density { most: 8, least: 4, finest: 5 }, usize::MAX).changes.is_empty() {}
        let mut counts = vec![0_usize; patches.patches.len()];
        for &place in &places {
            counts[ground.quarter_near(place).expect("on the floor") as usize] += 1;
        }
        let found = patches.densities(&environment);
        let mut crowded = 0;
        for (quarter, ((patch, per_area), found)) in patches.patches.iter().zip(&found).enumerate() {
            let wanted = patch.iter().map(|&quarter| counts[quarter as usize]).sum::<usize>() as f64 * per_area;
            assert!(*per_area <= 1.0 / PATCH_AREA + 1e-12, "patches of {} m²", 1.0 / per_area);
            // Triangles that are not refined have few persons, of unknown quarters.
            if wanted > 2.0 {
                assert!((found - wanted).abs() < 0.1 * wanted, "{quarter}: {found} against {wanted} /m²");
                crowded += 1;
            }
        }
        assert!(crowded > 4, "{crowded} crowded quarters");
        let by_cells = patches.counts(&environment);
        let persons = |floor: u32| -> f64 {
            let on_floor = |quarter: &usize| ground.mesh.floor_of[quarter / 4] == floor;
            (0..found.len()).filter(on_floor).map(|quarter| by_cells[quarter]).sum()
        };
        assert_eq!((persons(0), persons(1)), (200.0, 200.0));
    }
}
