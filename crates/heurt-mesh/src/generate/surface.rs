//! Surface under construction: vertices in rings, rings joined by strips.
//!
//! In: stations (a ring of points, or one apex) in order along a generating curve. Out: a [`TriMesh`].
//! Method: the rings of one surface have the same number of points, counter-clockwise seen from +z; going from one
//! station to the next, the outside is on the right-hand side of the generating curve drawn in the half-plane
//! (radius →, z ↑): up along an outer wall, inward over a top, down along a bore, outward over a bottom.
//! Guarantees: neighbouring strips share the vertices of their ring, so nothing has to be welded afterwards.

use super::GenerateError;
use crate::TriMesh;
use heurt_geometry::Vec3;

/// One stop of the generating curve.
pub(crate) enum Station {
    /// A single point, where a surface begins or ends on its axis.
    Apex(Vec3),
    /// A closed ring of points.
    Ring(Vec<Vec3>),
}

/// The present vertices and triangles.
#[derive(Default)]
pub(super) struct Surface {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// The numbers of one vertex or of a ring of vertices.
#[derive(Clone)]
enum Placed {
    Apex(u32),
    Ring(Vec<u32>),
}

impl Surface {
    /// Adds a vertex and returns its number.
    pub(super) fn vertex(&mut self, point: Vec3) -> u32 {
        let number = u32::try_from(self.vertices.len()).expect("generators bound their triangles, hence vertices");
        // Adding zero turns -0 into +0, so that equal coordinates have equal bits and files have no -0.
        self.vertices.push(point + Vec3::ZERO);
        number
    }

    /// Adds vertices with consecutive numbers.
    pub(super) fn ring(&mut self, points: impl IntoIterator<Item = Vec3>) -> Vec<u32> {
        points.into_iter().map(|point| self.vertex(point)).collect()
    }

    /// Adds a triangle, counter-clockwise seen from outside.
    pub(super) fn triangle(&mut self, a: u32, b: u32, c: u32) {
        self.triangles.push([a, b, c]);
    }

    /// Adds a planar or nearly planar quadrilateral, counter-clockwise seen from outside.
    pub(super) fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangle(a, b, c);
        self.triangle(a, c, d);
    }

    /// Joins two rings of the same length, `lower` first along the generating curve.
    pub(super) fn strip(&mut self, lower: &[u32], upper: &[u32]) {
        for ((a, b), (d, c)) in sides(lower).zip(sides(upper)) {
            self.quad([a, b, c, d]);
        }
    }

    /// Closes the beginning of a surface: a fan from `apex` to `ring`.
    pub(super) fn fan_from(&mut self, apex: u32, ring: &[u32]) {
        for (here, next) in sides(ring) {
            self.triangle(apex, next, here);
        }
    }

    /// Closes the end of a surface: a fan from `ring` to `apex`.
    pub(super) fn fan_to(&mut self, ring: &[u32], apex: u32) {
        for (here, next) in sides(ring) {
            self.triangle(here, next, apex);
        }
    }

    /// Fills the flat face between a convex polygon `outer` and a `hole` in it, both counter-clockwise seen from
    /// outside.
    ///
    /// The hole is a regular polygon. There is a frame with its first vertex at the angle 0 in which corner k of m of
    /// `outer` lies in the k-th of m equal sectors. From there it sees every side of the hole whose middle lies in that
    /// sector. This holds for a rectangle and a regular hexagon around a round hole that fits inside.
    pub(super) fn annulus(&mut self, outer: &[u32], hole: &[u32]) {
        let (corners, count) = (outer.len(), hole.len());
        // The middle of side j lies at (j + 1/2) / count of a turn, in sector ⌊corners (2j + 1) / (2 count)⌋.
        let mut sector = 0;
        for (side, (here, next)) in sides(hole).enumerate() {
            while sector < corners * (2 * side + 1) / (2 * count) {
                self.triangle(outer[sector], outer[sector + 1], here);
                sector += 1;
            }
            self.triangle(next, here, outer[sector]);
        }
        while sector < corners {
            self.triangle(outer[sector], outer[(sector + 1) % corners], hole[0]);
            sector += 1;
        }
    }

    fn join(&mut self, from: &Placed, to: &Placed) {
        match (from, to) {
            (Placed::Ring(lower), Placed::Ring(upper)) => self.strip(lower, upper),
            (Placed::Apex(apex), Placed::Ring(ring)) => self.fan_from(*apex, ring),
            (Placed::Ring(ring), Placed::Apex(apex)) => self.fan_to(ring, *apex),
            (Placed::Apex(_), Placed::Apex(_)) => {}
        }
    }

    /// Joins `stations` in order; with `around`, the last one to the first.
    pub(super) fn loft(&mut self, stations: impl IntoIterator<Item = Station>, around: bool) {
        let mut first: Option<Placed> = None;
        let mut last: Option<Placed> = None;
        for station in stations {
            let placed = match station {
                Station::Apex(point) => Placed::Apex(self.vertex(point)),
                Station::Ring(points) => Placed::Ring(self.ring(points)),
            };
            match &last {
                Some(last) => self.join(&last.clone(), &placed),
                None => first = Some(placed.clone()),
            }
            last = Some(placed);
        }
        if let (true, Some(first), Some(last)) = (around, first, last) {
            self.join(&last, &first);
        }
    }

    /// Returns the mesh.
    ///
    /// # Errors
    /// [`GenerateError::Mesh`] when a coordinate overflowed.
    pub(super) fn finish(mut self) -> Result<TriMesh, GenerateError> {
        self.vertices.shrink_to_fit();
        self.triangles.shrink_to_fit();
        Ok(TriMesh::new(self.vertices, self.triangles)?)
    }
}

/// Lists the sides of a closed loop.
fn sides(ring: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    ring.iter().copied().zip(ring.iter().copied().cycle().skip(1))
}

/// Makes one surface of stations; with `around` it closes on itself like a torus.
pub(super) fn lofted(stations: impl IntoIterator<Item = Station>, around: bool) -> Result<TriMesh, GenerateError> {
    let mut surface = Surface::default();
    surface.loft(stations, around);
    surface.finish()
}
