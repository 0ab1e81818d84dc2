//! Quickhull with exact side tests.
//!
//! Each facet stores points that it sees; a point is stored by one facet only. A facet that sees a point is removed,
//! together with all other facets that see it. They are replaced by the cone from their rim to that point. Two facts
//! make this correct without tolerances:
//! - *Seeing is strict.* A facet in whose plane the point lies stays; the cone's triangles next to it are then coplanar
//!   with it. No triangle of the cone is degenerate: a rim edge in line with the point has both its facets in a plane
//!   with the point, so that neither sees it. The facets that see a point are connected and their rim is a simple
//!   closed curve, because the outward normals round a vertex form a convex polygon on the sphere, which a half-space
//!   cuts in one piece.
//! - *Points of removed facets need only be tested against the cone.* Let q be seen by such a facet F and lie outside
//!   the new hull. The segment from q to an inner point of F, which is inside the new hull now, leaves that at a point
//!   above F's plane, thus on the cone, and q sees the triangle there.
//!
//! A vertex may end up inside an edge or a facet of the final hull; then the hull is computed again from the extreme
//! vertices.

use crate::Vec3;
use crate::predicates::{Sign, orient3d};

/// Index of no point, or of no facet.
const NONE: u32 = u32::MAX;

/// A triangle of the present hull.
#[derive(Debug, Clone, Copy)]
struct Facet {
    /// Corners, counter-clockwise seen from outside; `NONE` first when the slot is free.
    corners: [u32; 3],
    /// The facets across the edges from corner k to corner k + 1.
    across: [u32; 3],
    /// The first of its stored points, linked by `Hull::next`.
    keeps: u32,
    /// The last insertion that tested it, and whether it sees that point.
    looked: u32,
    sees: bool,
}

/// An edge of the rim: its first and second point (in the order of the facet that sees the point) and the remaining
/// facet.
#[derive(Debug, Clone, Copy)]
struct RimEdge {
    from: u32,
    to: u32,
    stays: u32,
}

struct Hull<'a> {
    points: &'a [Vec3],
    facets: Vec<Facet>,
    free: Vec<u32>,
    /// The next point stored by the same facet.
    next: Vec<u32>,
    /// For each point, the triangle of the present cone whose rim edge begins there.
    cone_from: Vec<u32>,
}

/// Computes the outward triangles of the hull of the points in `order`; `simplex` holds four of them that span space.
/// If a corner is not extreme, returns the extreme points instead, fewer than `order`, in its order.
pub(super) fn surface(points: &[Vec3], order: &[u32], simplex: [u32; 4]) -> Result<Vec<[u32; 3]>, Vec<u32>> {
    let hull = Hull::build(points, order, simplex);
    let bends = hull.bends();
    let is_extreme = |point: &u32| bends[*point as usize] >= 3;
    if hull.live().all(|facet| facet.corners.iter().all(is_extreme)) {
        Ok(hull.live().map(|facet| facet.corners).collect())
    } else {
        Err(order.iter().copied().filter(is_extreme).collect())
    }
}

impl<'a> Hull<'a> {
    fn build(points: &'a [Vec3], order: &[u32], simplex: [u32; 4]) -> Self {
        let mut hull = Self {
            points,
            facets: Vec::new(),
            free: Vec::new(),
            next: vec![NONE; points.len()],
            cone_from: vec![NONE; points.len()],
        };
        hull.begin(simplex);
        for &point in order {
            hull.offer(point, &[0, 1, 2, 3]);
        }
        let mut pending = vec![3, 2, 1, 0];
        let (mut insertion, mut seen, mut rim, mut cone) = (0, Vec::new(), Vec::new(), Vec::new());
        // Each iteration makes a vertex of a point that no facet stores afterwards: at most one iteration a point.
        while let Some(facet) = pending.pop() {
            if hull.facets[facet as usize].keeps == NONE {
                continue;
            }
            let point = hull.farthest_kept(facet);
            insertion += 1;
            hull.look(facet, point, insertion, &mut seen, &mut rim);
            hull.raise_cone(point, &rim, &mut cone);
            hull.remove_visible_facets(point, &seen, &cone);
            pending.extend(cone.iter().filter(|f| hull.facets[**f as usize].keeps != NONE));
        }
        hull
    }

    fn at(&self, point: u32) -> Vec3 {
        self.points[point as usize]
    }

    /// Returns the facets in use.
    fn live(&self) -> impl Iterator<Item = &Facet> {
        self.facets.iter().filter(|f| f.corners[0] != NONE)
    }

    /// Creates the initial tetrahedron.
    fn begin(&mut self, [a, b, c, d]: [u32; 4]) {
        let above = orient3d(self.at(a), self.at(b), self.at(c), self.at(d)) == Sign::Positive;
        let (b, c) = if above { (c, b) } else { (b, c) };
        let facet = |corners, across| Facet { corners, across, keeps: NONE, looked: 0, sees: false };
        self.facets = vec![
            facet([a, b, c], [1, 2, 3]),
            facet([b, a, d], [0, 3, 2]),
            facet([c, b, d], [0, 1, 3]),
            facet([a, c, d], [0, 2, 1]),
        ];
    }

    fn sees(&self, facet: u32, point: Vec3) -> bool {
        let [a, b, c] = self.facets[facet as usize].corners;
        orient3d(self.at(a), self.at(b), self.at(c), point) == Sign::Positive
    }

    /// Stores `point` in the first of `facets` that sees it; drops it if none does.
    fn offer(&mut self, point: u32, facets: &[u32]) {
        let place = self.at(point);
        if let Some(&facet) = facets.iter().find(|f| self.sees(**f, place)) {
            let facet = &mut self.facets[facet as usize];
            self.next[point as usize] = facet.keeps;
            facet.keeps = point;
        }
    }

    /// Returns the stored point of greatest rounded height: any would be correct, this one leaves the fewest.
    fn farthest_kept(&self, facet: u32) -> u32 {
        let facet = &self.facets[facet as usize];
        let [a, b, c] = facet.corners.map(|p| self.at(p));
        let normal = (b - a).cross(c - a);
        let (mut best, mut greatest, mut point) = (facet.keeps, 0.0, facet.keeps);
        while point != NONE {
            let height = normal.dot(self.at(point) - a);
            if height > greatest {
                (best, greatest) = (point, height);
            }
            point = self.next[point as usize];
        }
        best
    }

    /// Lists the facets that see `point`, found from one of them outward, and their rim.
    fn look(&mut self, from: u32, point: u32, insertion: u32, seen: &mut Vec<u32>, rim: &mut Vec<RimEdge>) {
        let place = self.at(point);
        seen.clear();
        rim.clear();
        seen.push(from);
        (self.facets[from as usize].looked, self.facets[from as usize].sees) = (insertion, true);
        let mut done = 0;
        while done < seen.len() {
            let facet = self.facets[seen[done] as usize];
            done += 1;
            for edge in 0..3 {
                let other = facet.across[edge];
                if self.facets[other as usize].looked != insertion {
                    let sees = self.sees(other, place);
                    (self.facets[other as usize].looked, self.facets[other as usize].sees) = (insertion, sees);
                    if sees {
                        seen.push(other);
                    }
                }
                if !self.facets[other as usize].sees {
                    rim.push(RimEdge { from: facet.corners[edge], to: facet.corners[(edge + 1) % 3], stays: other });
                }
            }
        }
    }

    /// Adds the triangles from the rim to `point`.
    fn raise_cone(&mut self, point: u32, rim: &[RimEdge], cone: &mut Vec<u32>) {
        cone.clear();
        for edge in rim {
            let corners = [edge.from, edge.to, point];
            let facet = Facet { corners, across: [edge.stays, NONE, NONE], keeps: NONE, looked: 0, sees: false };
            let slot = self.free.pop().unwrap_or(self.facets.len() as u32);
            match self.facets.get_mut(slot as usize) {
                Some(free) => *free = facet,
                None => self.facets.push(facet),
            }
            self.cone_from[edge.from as usize] = slot;
            cone.push(slot);
            let stays = &mut self.facets[edge.stays as usize];
            if let Some(back) = (0..3).find(|&k| stays.corners[k] == edge.to && stays.corners[(k + 1) % 3] == edge.from)
            {
                stays.across[back] = slot;
            }
        }
        for (edge, &slot) in rim.iter().zip(&*cone) {
            let following = self.cone_from[edge.to as usize];
            self.facets[slot as usize].across[1] = following;
            self.facets[following as usize].across[2] = slot;
        }
    }

    /// Frees the facets that see `point` and distributes their stored points to the cone.
    fn remove_visible_facets(&mut self, point: u32, seen: &[u32], cone: &[u32]) {
        for &facet in seen {
            let mut kept = self.facets[facet as usize].keeps;
            while kept != NONE {
                let next = self.next[kept as usize];
                if kept != point {
                    self.offer(kept, cone);
                }
                kept = next;
            }
            let facet_data = &mut self.facets[facet as usize];
            (facet_data.keeps, facet_data.corners[0]) = (NONE, NONE);
            self.free.push(facet);
        }
    }

    /// Counts, for each point, the edges of the hull at that point at which it bends: 0 inside a facet, 2 inside an
    /// edge, else extreme.
    fn bends(&self) -> Vec<u32> {
        let mut bends = vec![0; self.points.len()];
        for facet in self.live() {
            let [a, b, c] = facet.corners.map(|p| self.at(p));
            for edge in 0..3 {
                let (from, to) = (facet.corners[edge], facet.corners[(edge + 1) % 3]);
                let other = self.facets[facet.across[edge] as usize].corners;
                let far = other.into_iter().find(|p| *p != from && *p != to);
                if from < to && far.is_some_and(|far| !orient3d(a, b, c, self.at(far)).is_zero()) {
                    bends[from as usize] += 1;
                    bends[to as usize] += 1;
                }
            }
        }
        bends
    }
}
