//! Walls near each face of a surface.
//!
//! In: ground, a reach in metres. Out: for each free face the walls within the reach of its box.
//! Method: from the face of a wall over free faces that share a vertex, as long as their boxes are within the reach. So
//! a wall on a sheet of the surface that is only near in space does not count.
//! Guarantees: every wall within the reach of a point is in the list of its face, unless all paths along the surface
//! leave the reach. Cost: O(walls · faces near).

use super::SurfaceGround;
use heurt_geometry::Vec3;

/// Walls by face.
#[derive(Debug, Default)]
pub(super) struct SurfaceWalls {
    ends: Vec<[Vec3; 2]>,
    /// Walls of each face: ranges of `lists`.
    begin: Vec<u32>,
    lists: Vec<u32>,
    /// Bits of the ends of walls, ascending.
    corners: Vec<[u64; 3]>,
    reach: f64,
}

impl SurfaceWalls {
    /// Lists the walls within `reach` metres.
    pub fn new(ground: &SurfaceGround, reach: f64) -> Self {
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        let mut seen = vec![u32::MAX; ground.face_count()];
        let mut queue = Vec::new();
        for (wall, &ends) in (0u32..).zip(ground.walls()) {
            queue.clear();
            queue.push(ground.wall_faces[wall as usize]);
            seen[queue[0] as usize] = wall;
            while let Some(face) = queue.pop() {
                pairs.push((face, wall));
                for &next in ground.around(face) {
                    if seen[next as usize] != wall && box_distance(&ground.corners_of(next), &ends) <= reach {
                        queue.push(next);
                    }
                    seen[next as usize] = wall;
                }
            }
        }
        pairs.sort_unstable();
        let mut begin = vec![0; ground.face_count() + 1];
        pairs.iter().for_each(|&(face, _)| begin[face as usize + 1] += 1);
        for face in 0..ground.face_count() {
            begin[face + 1] += begin[face];
        }
        let lists = pairs.into_iter().map(|(_, wall)| wall).collect();
        let mut corners: Vec<[u64; 3]> = ground.walls().iter().flatten().map(|&corner| bits(corner)).collect();
        corners.sort_unstable();
        corners.dedup();
        Self { ends: ground.walls().to_vec(), begin, lists, corners, reach }
    }

    /// Returns the distance within which walls are listed, in metres.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Reports whether there are walls near a face.
    pub fn are_near(&self, face: u32) -> bool {
        self.begin[face as usize] < self.begin[face as usize + 1]
    }

    /// Reports whether a place is exactly at an end of a wall.
    pub fn is_corner(&self, place: Vec3) -> bool {
        self.corners.binary_search(&bits(place)).is_ok()
    }

    /// Returns the walls near a face; the free ground is on the left of each, seen from outside.
    pub fn near(&self, face: u32) -> impl Iterator<Item = [Vec3; 2]> + '_ {
        let [begin, end] = [face, face + 1].map(|face| self.begin[face as usize] as usize);
        self.lists[begin..end].iter().map(move |&wall| self.ends[wall as usize])
    }

    /// Returns the walls near a face, each as the offset from its nearest point to a place.
    pub fn offsets(&self, face: u32, place: Vec3) -> impl Iterator<Item = Vec3> + '_ {
        self.near(face).map(move |[a, b]| {
            let along = b - a;
            let share = ((place - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
            place - (a + along * share)
        })
    }

    /// Computes the distance from a place of a face to the nearest wall in metres; infinity without walls near.
    pub fn distance(&self, face: u32, place: Vec3) -> f64 {
        self.offsets(face, place).map(Vec3::length).fold(f64::INFINITY, f64::min)
    }
}

/// Returns the bits of a place; -0 and 0 are one number.
fn bits(place: Vec3) -> [u64; 3] {
    (place + Vec3::ZERO).to_array().map(f64::to_bits)
}

/// Computes the distance of the boxes of two sets of points.
fn box_distance(some: &[Vec3], more: &[Vec3]) -> f64 {
    let bounds = |points: &[Vec3]| {
        points.iter().fold([Vec3::INFINITY, Vec3::NEG_INFINITY], |[low, high], p| [low.min(*p), high.max(*p)])
    };
    let ([low, high], [least, most]) = (bounds(some), bounds(more));
    (low - most).max(least - high).max(Vec3::ZERO).length()
}
