//! Exact first time at which two moving primitives are within a distance of each other.
//!
//! In: a vertex and a triangle, or two edges, each vertex on a line from its start to its end, and a distance.
//! Out: the first contact as an algebraic number, to be compared with any double, or none.
//! Method: with whole coordinates every quantity is a polynomial in time: whether a foot of a perpendicular falls into
//! the triangle or onto an edge, and its distance. Contact begins at 0, or when one of the distances passes the given
//! one, or, if such a distance is constant, when the foot comes in. All these roots are tried, and the definition is
//! tested at each. Two edges are a point and a parallelogram: c − a against the spans of b − a and c − d.
//! Guarantees: exact, degenerate and coplanar primitives included. Cost: 10 µs to milliseconds.

use crate::number::polynomial::{DyadicTime, Polynomial, Root};
use crate::number::whole::integers;
use heurt_geometry::Vec3;
use std::cmp::Ordering;

/// The kinds of moving primitives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MovingKind {
    /// A vertex, then the corners of a triangle.
    VertexFace,
    /// The ends of an edge, then those of another.
    EdgeEdge,
}

/// The first contact.
#[derive(Debug, Clone)]
pub struct ExactContact(Vec<Root>);

impl ExactContact {
    /// Returns the order of the first contact and a time of at least 0.
    pub fn compare(&self, time: f64) -> Ordering {
        self.0.iter().map(|root| root.compare(time)).min().unwrap_or(Ordering::Greater)
    }

    /// Returns the time, rounded without a bound: for messages.
    pub fn approximate(&self) -> f64 {
        self.0.iter().map(Root::approximate).fold(f64::INFINITY, f64::min)
    }
}

/// Finds the first time in [0, 1] at which the distance of the primitives is at most `min_separation`.
///
/// # Panics
/// When a number is not finite.
pub fn first_contact(
    kind: MovingKind,
    start: &[Vec3; 4],
    end: &[Vec3; 4],
    min_separation: f64,
) -> Option<ExactContact> {
    Motion::new(kind, start, end, min_separation).first_contact()
}

type Path = [Polynomial; 3];

fn plus(a: &Path, b: &Path) -> Path {
    [0, 1, 2].map(|k| a[k].plus(&b[k]))
}

fn minus(a: &Path, b: &Path) -> Path {
    [0, 1, 2].map(|k| a[k].minus(&b[k]))
}

fn dot(a: &Path, b: &Path) -> Polynomial {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

fn cross(a: &Path, b: &Path) -> Path {
    let part = |i: usize, j: usize| a[i].times(&b[j]).minus(&a[j].times(&b[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}

/// A face of the triangle or parallelogram: a corner, an edge or all of it. There is contact with it if each of
/// `inside` is at least 0, `size` is above 0 and `excess` is at most 0.
struct Facet {
    inside: Vec<Polynomial>,
    size: Polynomial,
    excess: Polynomial,
}

/// A point w against the triangle 0, u, v or the parallelogram 0, u, v, u + v.
struct Motion {
    w: Path,
    corners: Vec<Path>,
    edges: Vec<[usize; 2]>,
    /// The squared distance.
    squared: Polynomial,
}

impl Motion {
    fn new(kind: MovingKind, start: &[Vec3; 4], end: &[Vec3; 4], min_separation: f64) -> Self {
        let radius = Vec3::new(min_separation, 0.0, 0.0);
        let points: Vec<Vec3> = start.iter().chain(end).copied().chain([radius]).collect();
        assert!(points.iter().all(|p| p.is_finite()), "numbers must be finite");
        let whole = integers(&points);
        let path = |i: usize| [0, 1, 2].map(|k| Polynomial::linear(&whole[i][k], &whole[4 + i][k]));
        let [a, b, c, d] = [0, 1, 2, 3].map(path);
        let zero = minus(&a, &a);
        let squared = Polynomial::constant(&whole[8][0] * &whole[8][0]);
        match kind {
            MovingKind::VertexFace => {
                let corners = vec![zero, minus(&c, &b), minus(&d, &b)];
                Self { w: minus(&a, &b), corners, edges: vec![[0, 1], [1, 2], [2, 0]], squared }
            }
            MovingKind::EdgeEdge => {
                let (u, v) = (minus(&b, &a), minus(&c, &d));
                let corners = vec![zero, u.clone(), plus(&u, &v), v];
                Self { w: minus(&c, &a), corners, edges: vec![[0, 1], [1, 2], [2, 3], [3, 0]], squared }
            }
        }
    }

    fn spans(&self) -> (&Path, &Path) {
        (&self.corners[1], &self.corners[self.corners.len() - 1])
    }

    fn all(&self) -> Facet {
        let (u, v) = self.spans();
        let normal = cross(u, v);
        let size = dot(&normal, &normal);
        let (first, second) = (dot(&cross(&self.w, v), &normal), dot(&cross(u, &self.w), &normal));
        let far = match self.corners.len() {
            3 => vec![size.minus(&first).minus(&second)],
            _ => vec![size.minus(&first), size.minus(&second)],
        };
        let height = dot(&normal, &self.w);
        let excess = height.times(&height).minus(&self.squared.times(&size));
        Facet { inside: [vec![first, second], far].concat(), size, excess }
    }

    fn edge(&self, [from, to]: [usize; 2]) -> Facet {
        let along = minus(&self.corners[to], &self.corners[from]);
        let offset = minus(&self.w, &self.corners[from]);
        let (size, foot, off) = (dot(&along, &along), dot(&along, &offset), cross(&along, &offset));
        let excess = dot(&off, &off).minus(&self.squared.times(&size));
        Facet { inside: vec![size.minus(&foot), foot], size, excess }
    }

    fn corner(&self, index: usize) -> Facet {
        let offset = minus(&self.w, &self.corners[index]);
        let one = Polynomial::constant(1.into());
        Facet { inside: vec![], size: one, excess: dot(&offset, &offset).minus(&self.squared) }
    }

    fn first_contact(&self) -> Option<ExactContact> {
        let (u, v) = self.spans();
        let height = dot(&cross(u, v), &self.w);
        let mut facets = None;
        let mut holds = |root: &mut Root| facets.get_or_insert_with(|| self.facets()).iter().any(|f| f.holds(root));
        let mut start = Root::exactly(DyadicTime::new(0.0));
        let may_touch = !self.squared.is_zero() || height.sign_at(&DyadicTime::new(0.0)) == 0;
        if may_touch && holds(&mut start) {
            return Some(ExactContact(vec![start]));
        }
        if self.squared.is_zero() && !height.is_zero() {
            // Primitives in contact lie in a plane.
            return height.roots().into_iter().find_map(|mut root| holds(&mut root).then(|| ExactContact(vec![root])));
        }
        let mut found: Vec<Root> = self.facets().iter().flat_map(Facet::events).collect();
        found.retain_mut(|root| holds(root));
        (!found.is_empty()).then_some(ExactContact(found))
    }

    fn facets(&self) -> Vec<Facet> {
        let edges = self.edges.iter().map(|edge| self.edge(*edge));
        let corners = (0..self.corners.len()).map(|k| self.corner(k));
        [self.all()].into_iter().chain(edges).chain(corners).collect()
    }
}

impl Facet {
    fn holds(&self, at: &mut Root) -> bool {
        at.sign_of(&self.size) > 0 && self.inside.iter().all(|p| at.sign_of(p) >= 0) && at.sign_of(&self.excess) <= 0
    }

    /// Returns the times at which contact may begin. If the distance equals the given one at all times, contact begins
    /// when the foot comes in. When the size of the facet becomes positive, its limits, the lesser facets, hold as
    /// well.
    fn events(&self) -> Vec<Root> {
        if self.excess.is_zero() {
            self.inside.iter().flat_map(Polynomial::roots).collect()
        } else {
            self.excess.roots()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [Vec3; 3] = [Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];

    fn vertex_on_still_triangle(from: [f64; 3], to: [f64; 3], distance: f64) -> Option<ExactContact> {
        let [a, b, c] = TRIANGLE;
        let (start, end) = ([Vec3::from(from), a, b, c], [Vec3::from(to), a, b, c]);
        first_contact(MovingKind::VertexFace, &start, &end, distance)
    }

    fn is_at(contact: Option<ExactContact>, time: f64) {
        let contact = contact.unwrap();
        assert_eq!(contact.compare(time), Ordering::Equal, "{} is not {time}", contact.approximate());
    }

    #[test]
    fn a_vertex_falls_on_a_triangle() {
        is_at(vertex_on_still_triangle([1.0, 1.0, 1.0], [1.0, 1.0, -3.0], 0.0), 0.25);
        is_at(vertex_on_still_triangle([1.0, 1.0, 1.0], [1.0, 1.0, -3.0], 0.5), 0.125);
        is_at(vertex_on_still_triangle([1.0, 1.0, 1.0], [1.0, 1.0, 0.0], 0.0), 1.0);
        is_at(vertex_on_still_triangle([1.0, 1.0, 0.0], [1.0, 1.0, 7.0], 0.0), 0.0);
        is_at(vertex_on_still_triangle([4.0, 0.0, 1.0], [4.0, 0.0, -1.0], 0.0), 0.5);
        assert!(vertex_on_still_triangle([3.0, 3.0, 1.0], [3.0, 3.0, -1.0], 0.0).is_none());
        assert!(vertex_on_still_triangle([1.0, 1.0, 3.0], [1.0, 1.0, 1.0], 0.0).is_none());
    }

    #[test]
    fn a_vertex_slides_in_the_plane_or_over_it() {
        is_at(vertex_on_still_triangle([-1.0, 1.0, 0.0], [3.0, 1.0, 0.0], 0.0), 0.25);
        is_at(vertex_on_still_triangle([-1.0, 1.0, 1.0], [3.0, 1.0, 1.0], 1.0), 0.25);
        assert!(vertex_on_still_triangle([-1.0, 1.0, 1.0], [3.0, 1.0, 1.0], 0.999).is_none());
        is_at(vertex_on_still_triangle([-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], 1.0), 0.25);
    }

    #[test]
    fn edges_cross_or_lie_along() {
        let [x, z] = [Vec3::X, Vec3::Z];
        let still = [-x, x];
        let edges = |from: [Vec3; 2], to: [Vec3; 2], distance: f64| {
            let (start, end) = ([still[0], still[1], from[0], from[1]], [still[0], still[1], to[0], to[1]]);
            first_contact(MovingKind::EdgeEdge, &start, &end, distance)
        };
        let across = [Vec3::new(0.0, -1.0, 1.0), Vec3::new(0.0, 1.0, 1.0)];
        is_at(edges(across, across.map(|p| p - 2.0 * z), 0.0), 0.5);
        is_at(edges(across, across.map(|p| p - 2.0 * z), 0.5), 0.25);
        let along = [z, z + x];
        is_at(edges(along, along.map(|p| p - 4.0 * z), 0.0), 0.25);
        let behind = [2.0 * x, 3.0 * x];
        is_at(edges(behind, behind.map(|p| p - 2.0 * x), 0.0), 0.5);
        is_at(edges(behind, behind.map(|p| p - 2.0 * x), 0.5), 0.25);
        assert!(edges(behind, behind.map(|p| p + z), 0.5).is_none());
    }
}
