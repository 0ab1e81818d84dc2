//! Centres of faces and volumes that refinement does not move.
//!
//! In: a map of many levels and positions of its vertices. Out: the point from which each face and each volume is
//! star-shaped.
//! Method: ours. Star-shaped volumes are made of the tetrahedra V F S S' of centre, centre of face and edge (S4 chapter
//! 7). Vertices that a finer neighbour puts on a face or an edge must not move the centres, so that only corners of the
//! cell's own level count. The pieces of a refined cell should also be parts of these tetrahedra: V and F become
//! vertices, edges get a vertex M in the middle, and the piece at the corner S has its centre in the middle of V and S,
//! the centres of its pieces of faces in the middle of F and S, and the centres of its walls in the middle of V and M.
//! Then the piece is made of the halves V F S M, each divided into four by these three centres. So the surfaces of a
//! cell do not move when it or a neighbour is refined, and pieces are always star-shaped, as long as the vertices stay
//! where refinement put them. Mean corners would bend each piece of a bent face differently. A face or volume without
//! such an opposite corner has the mean of its corners. Triangles that stay triangles may have a point that is in their
//! plane exactly (half of one corner and a quarter of the remaining two), so that pieces are in the plane too.
//! Guarantees: a function of the links and the positions, the same for any given dart. Cost: O(darts of the cell).

use super::geometry::{finer, snap};
use crate::multires::{ImplicitMap, Multiresolution, Scheme};
use crate::{CombinatorialMap, Dart, Orbit, Walker};
use heurt_geometry::Vec3;
use smallvec::SmallVec;

/// Returns the dart of least level of the finest face of a dart, and the level of the face.
pub(super) fn own_face<const D: usize>(map: &ImplicitMap<D>, dart: Dart) -> (Dart, u8) {
    let oldest = map.map().face_darts(dart).min_by_key(|&dart| (map.dart_level(dart), dart));
    (oldest.unwrap_or(dart), map.face_level(dart))
}

/// Access to positions, with the grid for rounding centres that are no middles of two vertices.
pub(super) struct Placed<'a, const D: usize> {
    pub map: &'a ImplicitMap<D>,
    pub points: &'a [Vec3],
    /// True if the centre of a triangle that stays a triangle is in its plane exactly.
    pub is_plane: bool,
    /// The grid at level 0, if there is one.
    pub unit: Option<f64>,
}

impl<const D: usize> Placed<'_, D> {
    /// Returns the position of the vertex at which a dart starts.
    pub fn at(&self, dart: Dart) -> Vec3 {
        self.points[self.map.map().id(Orbit::Vertex, dart) as usize]
    }

    fn round(&self, p: Vec3, level: u8) -> Vec3 {
        self.unit.map_or(p, |unit| p.map(|x| snap(x, finer(unit, level))))
    }

    /// Computes the middle of the edge that a dart has at a level.
    pub fn middle(&self, dart: Dart, level: u8) -> Vec3 {
        (self.at(dart) + self.at(self.map.phi2_at(dart, level))) * 0.5
    }

    /// Computes the centre of the face that a dart of `level` or less has at that level, the face's own.
    pub fn face(&self, dart: Dart, level: u8) -> Vec3 {
        let corners: SmallVec<[Dart; 8]> = self.map.at(level).face_darts(dart).collect();
        if let ([a, b, c], true) = (&corners[..], self.is_plane && self.map.scheme() == Scheme::ByShape) {
            // One corner is chosen by place, not by number: the same from both sides and in every copy of the map.
            let mut ends = [a, b, c].map(|&dart| self.at(dart));
            let key = |p: &Vec3| p.to_array().map(|x| if x == 0.0 { 0.0 } else { x });
            ends.sort_by(|p, q| key(p).partial_cmp(&key(q)).unwrap_or(std::cmp::Ordering::Equal));
            return (ends[0] + (ends[1] + ends[2]) * 0.5) * 0.5;
        }
        if level > 0
            && corners.len() == 4
            && let Some(place) = self.hinge(&corners, level)
        {
            return (self.at(corners[place]) + self.at(corners[(place + 2) % 4])) * 0.5;
        }
        self.mean(&corners, level)
    }

    fn mean(&self, darts: &[Dart], level: u8) -> Vec3 {
        let mut sum = Vec3::ZERO;
        darts.iter().for_each(|&dart| sum += self.at(dart));
        self.round(sum / darts.len() as f64, level)
    }

    /// Returns the corner of a quad that refinement made from which its diagonal runs over the previous surface: for a
    /// piece of a face the old corner, for a wall the centre of the volume. Some walls have neither.
    fn hinge(&self, corners: &[Dart], level: u8) -> Option<usize> {
        let map = self.map.map();
        let is_wall = |dart: Dart| self.map.wall_level(dart) == level;
        let is_amid =
            |dart: Dart| crate::map::round(dart, |dart| map.phi2(map.phi1_inv(dart))).take(map.capacity()).all(is_wall);
        let is_old = |dart: Dart| self.map.dart_level(dart) < Some(level);
        let is_between = D == 3 && is_wall(corners[0]);
        let mut found = (0..4).filter(|&k| if is_between { is_amid(corners[k]) } else { is_old(corners[k]) });
        found.next().filter(|_| found.next().is_none())
    }

    /// Computes the centre of the volume that a dart of `level` or less has at that level, the volume's own.
    pub fn volume(&self, dart: Dart, level: u8, walker: &mut Walker) -> Vec3 {
        let view = self.map.at(level);
        let darts = walker.orbit(&view, Orbit::Volume, dart);
        let first = darts.iter().copied().min_by_key(|&dart| (self.map.dart_level(dart), dart)).unwrap_or(dart);
        if level > 0 && self.map.dart_level(first) < Some(level) {
            // The vertex that shares no face with the old corner.
            let id = |dart: Dart| self.map.map().id(Orbit::Vertex, dart);
            let corner = id(first);
            let beside = darts.iter().filter(|&&dart| id(dart) == corner);
            let near: SmallVec<[u32; 16]> = beside.flat_map(|&dart| view.face_darts(dart).map(id)).collect();
            let mut far = darts.iter().copied().filter(|&dart| !near.contains(&id(dart)));
            if let Some(opposite) = far.next()
                && far.all(|dart| id(dart) == id(opposite))
            {
                return (self.at(first) + self.at(opposite)) * 0.5;
            }
        }
        if first != dart {
            // Starts from the same dart for any given dart, so that rounding is the same.
            return self.volume(first, level, walker);
        }
        self.mean(darts, level)
    }
}
