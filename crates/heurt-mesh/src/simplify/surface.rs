//! Triangle surface for edge collapses with quadric error metrics.
//!
//! In: the incidences of a mesh. Out: the mesh after the collapses that were applied.
//! Method: Garland and Heckbert (1997): each vertex keeps the sum of squared distances from the planes of the triangles
//! that it represents. A collapse moves one end of an edge to the opposite end. Positions are relative to the centre of
//! the box, in units near the size of the mesh. Cost: O(degree) a collapse.

use std::cmp::Ordering;

use heurt_geometry::{Vec3, power_of_two_scale};

use crate::topology::Topology;
use crate::tri_mesh::TriMesh;

/// The least cosine of the angle by which a collapse may turn a triangle.
const TURNED: f64 = 0.2;
/// Weight of a fourth power of a length relative to a squared distance from planes: in flat regions short edges go
/// first.
const SHORTNESS: f64 = 1e-6;

/// An edge that may be collapsed.
#[derive(Debug)]
pub(super) struct Collapse {
    cost: f64,
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) versions: [u32; 2],
}

impl Collapse {
    pub(super) fn ends(&self) -> [u32; 2] {
        [self.from, self.to]
    }
}

impl PartialEq for Collapse {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Collapse {}
impl PartialOrd for Collapse {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
/// The cheapest is the greatest, because a heap pops the greatest first.
impl Ord for Collapse {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.ends().cmp(&self.ends())).then(other.versions.cmp(&self.versions))
    }
}

/// Squares of distances from planes, summed up with weights: nᵀn, n d and d².
#[derive(Debug, Clone, Copy, Default)]
struct Quadric {
    squares: [f64; 6],
    along: Vec3,
    constant: f64,
}

impl Quadric {
    fn of_plane(normal: Vec3, offset: f64, weight: f64) -> Self {
        let Vec3 { x, y, z } = normal;
        let squares = [x * x, x * y, x * z, y * y, y * z, z * z].map(|product| product * weight);
        Self { squares, along: normal * (offset * weight), constant: offset * offset * weight }
    }

    fn add(&mut self, other: &Self) {
        for (sum, term) in self.squares.iter_mut().zip(other.squares) {
            *sum += term;
        }
        self.along += other.along;
        self.constant += other.constant;
    }

    fn at(&self, point: Vec3) -> f64 {
        let [xx, xy, xz, yy, yz, zz] = self.squares;
        let Vec3 { x, y, z } = point;
        let turned = Vec3::new(xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z);
        point.dot(turned) + 2.0 * self.along.dot(point) + self.constant
    }
}

/// A set of triangles that shrinks.
pub(super) struct SimplifiedSurface {
    /// Relative to the centre of the box, in units near the size.
    pub(super) places: Vec<Vec3>,
    quadrics: Vec<Quadric>,
    /// The number of changes of a vertex; a collapse with another number is out of date.
    pub(super) versions: Vec<u32>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Whether a triangle is still there.
    pub(super) is_left: Vec<bool>,
    pub(super) left: usize,
    /// The triangles of each vertex, some of which may be gone.
    of_vertex: Vec<Vec<u32>>,
}

impl SimplifiedSurface {
    /// Creates the surface: vertices at the same place are one; triangles without three corners are left out.
    pub(super) fn new(topology: &Topology<'_>) -> Self {
        let mesh = topology.mesh();
        let bounds = mesh.bounds();
        let (middle, unit) = (bounds.centre(), power_of_two_scale(bounds.half_extents().max_element()));
        let places: Vec<Vec3> = mesh.vertices().iter().map(|&vertex| (vertex - middle) * unit).collect();
        let triangles: Vec<[u32; 3]> = (0..mesh.triangles().len() as u32).map(|k| topology.corners(k)).collect();
        let is_left: Vec<bool> = triangles.iter().map(|[a, b, c]| a != b && b != c && c != a).collect();
        let left = is_left.iter().filter(|is_left| **is_left).count();
        let (quadrics, of_vertex) = (vec![Quadric::default(); places.len()], vec![Vec::new(); places.len()]);
        let versions = vec![0; places.len()];
        let mut surface = Self { places, quadrics, versions, triangles, is_left, left, of_vertex };
        for number in (0..surface.triangles.len()).filter(|&number| surface.is_left[number]) {
            let corners = surface.triangles[number];
            let across = surface.across(corners);
            let (normal, area) = (across.normalize_or_zero(), 0.5 * across.length());
            let plane = Quadric::of_plane(normal, -normal.dot(surface.places[corners[0] as usize]), area);
            for corner in corners {
                surface.quadrics[corner as usize].add(&plane);
                surface.of_vertex[corner as usize].push(number as u32);
            }
        }
        surface
    }

    /// Computes the normal of a triangle, with the length of twice its area.
    fn across(&self, corners: [u32; 3]) -> Vec3 {
        let [a, b, c] = corners.map(|corner| self.places[corner as usize]);
        (b - a).cross(c - a)
    }

    /// Returns the triangles of a vertex.
    pub(super) fn around(&self, vertex: u32) -> impl Iterator<Item = u32> + '_ {
        self.of_vertex[vertex as usize].iter().copied().filter(|&triangle| self.is_left[triangle as usize])
    }

    /// Returns the vertices that share an edge with the given vertex, ascending.
    pub(super) fn neighbours(&self, vertex: u32) -> Vec<u32> {
        let corners = self.around(vertex).flat_map(|triangle| self.triangles[triangle as usize]);
        let mut found: Vec<u32> = corners.filter(|&corner| corner != vertex).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the collapse of an edge into the end that costs less.
    pub(super) fn collapse(&self, [a, b]: [u32; 2]) -> Collapse {
        let mut both = self.quadrics[a as usize];
        both.add(&self.quadrics[b as usize]);
        let [at_a, at_b] = [a, b].map(|end| both.at(self.places[end as usize]));
        let (from, to) = if at_b < at_a || at_a == at_b && b < a { (a, b) } else { (b, a) };
        let length_sq = (self.places[a as usize] - self.places[b as usize]).length_squared();
        let cost = at_a.min(at_b).max(0.0) + SHORTNESS * length_sq * length_sq;
        Collapse { cost, from, to, versions: [from, to].map(|end| self.versions[end as usize]) }
    }

    /// Returns both collapses of an edge.
    pub(super) fn collapses(&self, [a, b]: [u32; 2]) -> [Collapse; 2] {
        let mut both = self.quadrics[a as usize];
        both.add(&self.quadrics[b as usize]);
        let length_sq = (self.places[a as usize] - self.places[b as usize]).length_squared();
        [(a, b), (b, a)].map(|(from, to)| {
            let cost = both.at(self.places[to as usize]).max(0.0) + SHORTNESS * length_sq * length_sq;
            Collapse { cost, from, to, versions: [from, to].map(|end| self.versions[end as usize]) }
        })
    }

    /// Reports whether the topology stays the same, no triangle turns over, and the lost vertex has four neighbours or
    /// more.
    pub(super) fn may_collapse(&self, from: u32, to: u32) -> bool {
        let near_from = self.neighbours(from);
        // The last triangles of a component stay a tetrahedron.
        near_from.len() > 3 && self.keeps_topology(from, to, &near_from) && self.keeps_normals(from, to)
    }

    /// Tests as [`SimplifiedSurface::may_collapse`], for vertices with three neighbours, too: these must not span a
    /// triangle already.
    pub(super) fn may_collapse_any(&self, from: u32, to: u32) -> bool {
        let near_from = self.neighbours(from);
        let is_spanned =
            |triangle: u32| near_from.iter().all(|vertex| self.triangles[triangle as usize].contains(vertex));
        let is_tetrahedron = near_from.len() == 3 && self.around(to).any(is_spanned);
        near_from.len() >= 3
            && !is_tetrahedron
            && self.keeps_topology(from, to, &near_from)
            && self.keeps_normals(from, to)
    }

    /// Tests the link condition: the common neighbours of both ends are exactly the third corners of the triangles at
    /// the edge.
    fn keeps_topology(&self, from: u32, to: u32, near_from: &[u32]) -> bool {
        let shared = self.around(from).filter(|&triangle| self.triangles[triangle as usize].contains(&to)).count();
        let common = self.neighbours(to).into_iter().filter(|other| near_from.binary_search(other).is_ok()).count();
        shared > 0 && common == shared
    }

    /// Reports whether no triangle that stays turns by a large angle.
    fn keeps_normals(&self, from: u32, to: u32) -> bool {
        self.around(from).filter(|&triangle| !self.triangles[triangle as usize].contains(&to)).all(|triangle| {
            let corners = self.triangles[triangle as usize];
            let before = self.across(corners);
            let after = self.across(corners.map(|corner| if corner == from { to } else { corner }));
            before.dot(after) >= TURNED * before.length() * after.length()
        })
    }

    pub(super) fn apply(&mut self, from: u32, to: u32) {
        for triangle in std::mem::take(&mut self.of_vertex[from as usize]) {
            let number = triangle as usize;
            if !self.is_left[number] {
                continue;
            }
            if self.triangles[number].contains(&to) {
                self.is_left[number] = false;
                self.left -= 1;
            } else {
                self.triangles[number] = self.triangles[number].map(|corner| if corner == from { to } else { corner });
                self.of_vertex[to as usize].push(triangle);
            }
        }
        let lost = self.quadrics[from as usize];
        self.quadrics[to as usize].add(&lost);
        self.versions[from as usize] += 1;
        self.versions[to as usize] += 1;
    }

    /// Returns the remaining triangles, over the vertices that they use.
    pub(super) fn into_mesh(self, mesh: &TriMesh) -> TriMesh {
        if self.left == 0 {
            return mesh.clone();
        }
        let mut numbers = vec![u32::MAX; mesh.vertices().len()];
        let mut vertices = Vec::new();
        let kept = self.triangles.iter().zip(&self.is_left).filter(|(_, is_left)| **is_left);
        let renamed = kept.map(|(corners, _)| {
            corners.map(|corner| {
                let number = &mut numbers[corner as usize];
                if *number == u32::MAX {
                    *number = vertices.len() as u32;
                    vertices.push(mesh.vertices()[corner as usize]);
                }
                *number
            })
        });
        let triangles = renamed.collect();
        TriMesh::from_valid(vertices, triangles)
    }
}
