//! The tetrahedra of a growing Delaunay triangulation.
//!
//! In: points one by one, at different places. Out: tetrahedra of positive volume.
//! Method: Bowyer and Watson. Beyond each face of the hull there is a tetrahedron with a corner at infinity; a point is
//! in its sphere when it sees the face from outside, or lies in its plane and in its circle. The point is found by
//! walking through the tetrahedra from the last one made.
//! Guarantees: predicates are exact, so that the tetrahedra to be replaced are star-shaped seen from the point,
//! strictly: a face of their boundary in a plane with the point would have both its tetrahedra on the same side of the
//! decision. The walk goes on towards the point through ever nearer spheres, and is counted besides. Cost: O(tetrahedra
//! replaced).

use heurt_geometry::{Sign, Vec3, insphere, orient3d};

/// The corner at infinity.
const INFINITY: u32 = u32::MAX;

/// Corners and neighbours; the face opposite to a corner leads to the neighbour of its number.
#[derive(Debug, Clone, Copy)]
struct Tet {
    corners: [u32; 4],
    beyond: [u32; 4],
}

/// The triangulation.
pub(super) struct Tetrahedra<'p> {
    points: &'p [Vec3],
    tets: Vec<Tet>,
    is_live: Vec<bool>,
    free: Vec<u32>,
    last: u32,
    /// Kept between insertions: the tetrahedra to replace, and the tetrahedra tested. In `tested`, `visit` marks a
    /// sphere that contains the point, `visit` + 1 a sphere that does not.
    hole: Vec<u32>,
    tested: Vec<u32>,
    visit: u32,
    rim: Vec<(u32, u8)>,
    sides: Vec<([u32; 2], u32, u8)>,
}

impl<'p> Tetrahedra<'p> {
    /// Starts with a tetrahedron of positive volume and the four beyond its faces.
    pub fn new(points: &'p [Vec3], [a, b, c, d]: [u32; 4]) -> Self {
        let infinite = |corner: usize| {
            // Infinity replaces a corner, and two other corners are swapped, since infinity is on the opposite side of
            // the face.
            let mut corners = [a, b, c, d];
            corners[corner] = INFINITY;
            let [x, y] = if corner < 2 { [2, 3] } else { [0, 1] };
            corners.swap(x, y);
            Tet { corners, beyond: [0; 4] }
        };
        let mut tets = vec![Tet { corners: [a, b, c, d], beyond: [1, 2, 3, 4] }];
        tets.extend((0..4).map(infinite));
        for ghost in &mut tets[1..] {
            // Without a finite corner: the tetrahedron beyond the face opposite to that corner. Without infinity: the
            // finite tetrahedron.
            let beyond =
                |corner: u32| [a, b, c, d].iter().position(|&other| other == corner).map_or(0, |i| i as u32 + 1);
            ghost.beyond = ghost.corners.map(beyond);
        }
        let (is_live, free, tested) = (vec![true; 5], Vec::new(), vec![0; 5]);
        Self {
            points,
            tets,
            is_live,
            free,
            last: 0,
            hole: Vec::new(),
            tested,
            visit: 0,
            rim: Vec::new(),
            sides: Vec::new(),
        }
    }

    /// Returns the tetrahedra without infinity.
    pub fn finite(&self) -> impl Iterator<Item = [u32; 4]> + '_ {
        let live = self.tets.iter().zip(&self.is_live).filter(|&(_, &is_live)| is_live);
        live.map(|(tet, _)| tet.corners).filter(|corners| !corners.contains(&INFINITY))
    }

    fn at(&self, corner: u32) -> Vec3 {
        self.points[corner as usize]
    }

    /// Computes the side of the face opposite to a corner that a point is on: positive on the side of the corner.
    /// Corners are finite.
    fn side(&self, tet: u32, slot: usize, point: u32) -> Sign {
        let mut corners = self.tets[tet as usize].corners;
        corners[slot] = point;
        let [a, b, c, d] = corners.map(|corner| self.at(corner));
        orient3d(a, b, c, d)
    }

    /// Reports whether a point is in the sphere of a tetrahedron.
    fn conflicts(&self, tet: u32, point: u32) -> bool {
        let Tet { corners, beyond } = self.tets[tet as usize];
        match corners.iter().position(|&corner| corner == INFINITY) {
            Some(slot) => match self.side(tet, slot, point) {
                Sign::Positive => true,
                Sign::Negative => false,
                // In the plane of the face: in its circle as in the sphere of the tetrahedron behind it.
                Sign::Zero => self.conflicts(beyond[slot], point),
            },
            None => {
                let [a, b, c, d] = corners.map(|corner| self.at(corner));
                insphere(a, b, c, d, self.at(point)) == Sign::Positive
            }
        }
    }

    /// Finds a tetrahedron whose sphere contains the point.
    fn find(&self, point: u32) -> Option<u32> {
        let mut tet = self.last;
        if let Some(slot) = self.tets[tet as usize].corners.iter().position(|&corner| corner == INFINITY) {
            tet = self.tets[tet as usize].beyond[slot];
        }
        for _ in 0..self.tets.len() {
            let next = (0..4).find(|&slot| self.side(tet, slot, point) == Sign::Negative);
            let Some(slot) = next else { return Some(tet) };
            tet = self.tets[tet as usize].beyond[slot];
            if self.tets[tet as usize].corners.contains(&INFINITY) {
                return Some(tet);
            }
        }
        (0..self.tets.len() as u32).find(|&tet| self.is_live[tet as usize] && self.conflicts(tet, point))
    }

    /// Inserts a point that is not there yet.
    pub fn insert(&mut self, point: u32) {
        let Some(start) = self.find(point) else { return };
        self.visit += 2;
        let mut hole = std::mem::take(&mut self.hole);
        let mut sides = std::mem::take(&mut self.sides);
        hole.clear();
        sides.clear();
        hole.push(start);
        self.tested[start as usize] = self.visit;
        let mut rim = std::mem::take(&mut self.rim);
        rim.clear();
        let mut next = 0;
        while let Some(&tet) = hole.get(next) {
            next += 1;
            for slot in 0..4 {
                let beyond = self.tets[tet as usize].beyond[slot];
                if self.tested[beyond as usize] < self.visit {
                    let is_in = self.conflicts(beyond, point);
                    self.tested[beyond as usize] = self.visit + u32::from(!is_in);
                    if is_in {
                        hole.push(beyond);
                    }
                }
                if self.tested[beyond as usize] > self.visit {
                    rim.push((tet, slot as u8));
                }
            }
        }
        for &(tet, slot) in &rim {
            self.raise(tet, usize::from(slot), point, &mut sides);
        }
        for &tet in &hole {
            self.is_live[tet as usize] = false;
        }
        self.free.extend_from_slice(&hole);
        // Two new tetrahedra each meet at a face with the point and an edge of the rim.
        sides.sort_unstable();
        for pair in sides.chunks_exact(2) {
            let [(_, one, slot), (_, other, other_slot)] = [pair[0], pair[1]];
            self.tets[one as usize].beyond[usize::from(slot)] = other;
            self.tets[other as usize].beyond[usize::from(other_slot)] = one;
        }
        (self.hole, self.rim, self.sides) = (hole, rim, sides);
    }

    /// Makes the tetrahedron of a face of the rim and the point, and notes its other faces.
    fn raise(&mut self, tet: u32, slot: usize, point: u32, sides: &mut Vec<([u32; 2], u32, u8)>) {
        let old = self.tets[tet as usize];
        let mut corners = old.corners;
        corners[slot] = point;
        let mut beyond = [0; 4];
        beyond[slot] = old.beyond[slot];
        let new = Tet { corners, beyond };
        let number = match self.free.pop() {
            Some(number) => {
                self.tets[number as usize] = new;
                self.is_live[number as usize] = true;
                self.tested[number as usize] = 0;
                number
            }
            None => {
                self.tets.push(new);
                self.is_live.push(true);
                self.tested.push(0);
                self.tets.len() as u32 - 1
            }
        };
        let outer = &mut self.tets[old.beyond[slot] as usize];
        if let Some(back) = outer.beyond.iter().position(|&other| other == tet) {
            outer.beyond[back] = number;
        }
        for other in (0..4).filter(|&other| other != slot) {
            let mut edge = [0; 2];
            let mut place = 0;
            for (corner, &at) in corners.iter().enumerate() {
                if corner != slot && corner != other {
                    edge[place] = at;
                    place += 1;
                }
            }
            edge.sort_unstable();
            sides.push((edge, number, other as u8));
        }
        self.last = number;
    }
}
