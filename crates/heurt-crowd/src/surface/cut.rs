//! The cut of a cage and curved ground: the outline of an agent from a mesh (S4 §8.1).
//!
//! In: a mesh in the frame of an agent, x forward, z up, z = 0 on the ground; ground, a place and a heading. Out:
//! [`Outline`] in that frame, or none.
//! Method: the mesh is posed upright on the face of the place. Each pair of a triangle and a free face has the two
//! points where an edge of one pierces its partner, or none. Points are named by the edge and the triangle that meet,
//! so that segments of neighbours have common ends without a tolerance. The closed loop of the largest area counts. Its
//! corners become the displacements whose straightest geodesics lead to them. Corners less than [`TOLERANCE`] from the
//! line of the rest are left out.
//! Guarantees: signs are decided exactly; zero counts as above. Not guaranteed: a loop where the mesh has borders at
//! the height of the ground, or at ground with walls: the footprint of the mesh holds there.
//! Cost: O(triangles · faces near).

use super::SurfaceGround;
use super::walk::{Footing, NO_EDGE};
use crate::Outline;
use heurt_geometry::{Aabb, Sign, Vec2, Vec3, orient3d};
use std::collections::BTreeMap;

/// Corners nearer to the line between others are left out, in metres.
const TOLERANCE: f64 = 5e-3;

/// Corners are found by straightest geodesics up to this distance, in metres.
const NEAR_CORNER: f64 = 1e-7;

/// Steps towards a corner: each makes the distance several times smaller where the ground bends by 45°.
const MOST_STEPS: usize = 40;

/// A mesh around an agent, which drives its outline on curved ground.
///
/// ```
/// use heurt_crowd::surface::{SurfaceCage, SurfaceGround};
/// use heurt_geometry::Vec3;
/// use heurt_mesh::generate;
/// // A ball of 1 m with its middle on a ball of 8 m: a circle a little narrower than its equator.
/// let planet = generate::icosphere(8.0, 4)?;
/// let ground = SurfaceGround::new(&planet, &[]).map_err(|faults| faults[0].clone())?;
/// let ball = generate::icosphere(1.0, 3)?;
/// let cage = SurfaceCage::new(ball.vertices().to_vec(), ball.triangles().to_vec());
/// let middle = ground.corners_of(0).iter().sum::<Vec3>() / 3.0;
/// let outline = ground.cut_of_cage(&cage, (0, middle), Vec3::X).ok_or("they meet")?;
/// assert!((outline.width() - 2.0).abs() < 0.03, "{}", outline.width());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceCage {
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl SurfaceCage {
    /// Takes a mesh in metres. Triangles over vertices that do not exist, or that are not finite, are left out.
    pub fn new(vertices: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> Self {
        let is_sound = |&vertex: &u32| vertices.get(vertex as usize).is_some_and(|place| place.is_finite());
        triangles.retain(|triangle| triangle.iter().all(is_sound));
        Self { vertices, triangles }
    }

    /// Computes the largest distance of a corner of its triangles from the origin, in metres.
    pub(super) fn reach(&self) -> f64 {
        let lengths = self.triangles.iter().flatten().map(|&vertex| self.vertices[vertex as usize].length());
        lengths.fold(0.0, f64::max)
    }
}

/// A point of the cut: an edge of the cage and a face, or an edge of the ground and a triangle of the cage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    OfCage([u32; 2], u32),
    OfGround(u32, usize),
}

/// A vertex with its place.
type Corner = (u32, Vec3);

impl SurfaceGround {
    /// Computes the outline of an agent at a place of a face that faces along a direction: the cut of its cage with the
    /// free ground around. `None` if they do not meet in a closed loop without walls, or if the loop is no outline.
    ///
    /// # Panics
    /// If there is no such face.
    pub fn cut_of_cage(&self, cage: &SurfaceCage, (face, place): (u32, Vec3), direction: Vec3) -> Option<Outline> {
        let normal = self.normal_of(face);
        let heading = (direction - normal * normal.dot(direction)).try_normalize()?;
        let left = normal.cross(heading);
        let pose = |vertex: &Vec3| place + heading * vertex.x + left * vertex.y + normal * vertex.z;
        let places: Vec<Vec3> = cage.vertices.iter().map(pose).collect();
        let mut links: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        let mut points: BTreeMap<Node, Vec3> = BTreeMap::new();
        let boxes: Vec<Aabb> = cage.triangles.iter().map(|triangle| box_of(&corners(triangle, &places))).collect();
        for near in self.faces_within(face, &Aabb::from_points(boxes.iter().flat_map(|b| [b.min, b.max]))) {
            let ground_box = box_of(&self.ground_corners(near));
            for (number, triangle) in cage.triangles.iter().enumerate().filter(|(k, _)| meet(&boxes[*k], &ground_box)) {
                let pierced = self.pierced(near, (number, &corners(triangle, &places)));
                match pierced.as_slice() {
                    [] => {}
                    [a, b] => {
                        links.entry(a.0).or_default().push(b.0);
                        links.entry(b.0).or_default().push(a.0);
                        points.extend(pierced);
                    }
                    _ => return None,
                }
            }
        }
        let at = Footing { face, place, carried: heading };
        let loops = closed_loops(&links);
        let flat = loops.iter().filter_map(|nodes| self.flattened(at, left, nodes.iter().map(|node| points[node])));
        let largest = flat.max_by(|a, b| area(a).total_cmp(&area(b)))?;
        Outline::new(simplified(&largest)).ok()
    }

    /// Returns the corners of a face, numbered by half-edges.
    fn ground_corners(&self, face: u32) -> [Corner; 3] {
        let places = self.corners_of(face);
        std::array::from_fn(|k| (3 * face + k as u32, places[k]))
    }

    /// Lists the free faces within a box that are reached from a face within it.
    fn faces_within(&self, face: u32, bounds: &Aabb) -> Vec<u32> {
        let (mut found, mut place) = (vec![face], 0);
        let mut known = std::collections::BTreeSet::from([face]);
        while let Some(&from) = found.get(place) {
            place += 1;
            for &next in self.around(from) {
                if meet(&box_of(&self.ground_corners(next)), bounds) && known.insert(next) {
                    found.push(next);
                }
            }
        }
        found
    }

    /// Finds the points where an edge of a face or of a triangle of the cage pierces its partner.
    fn pierced(&self, face: u32, (number, cage): (usize, &[Corner; 3])) -> Vec<(Node, Vec3)> {
        let ground = self.ground_corners(face);
        let mut found = Vec::new();
        for k in 0..3 {
            let [p, q] = [cage[k], cage[(k + 1) % 3]];
            let sides: [bool; 3] = std::array::from_fn(|j| is_left(p, q, ground[j], ground[(j + 1) % 3]));
            found.extend(crossing([p.1, q.1], &ground, sides).map(|point| {
                let node = Node::OfCage([p.0.min(q.0), p.0.max(q.0)], face);
                (node, point)
            }));
            let [a, b] = [ground[k], ground[(k + 1) % 3]];
            let sides: [bool; 3] = std::array::from_fn(|j| is_left(cage[j], cage[(j + 1) % 3], a, b));
            found.extend(crossing([a.1, b.1], cage, sides).map(|point| {
                let twin = self.twins[a.0 as usize];
                let edge = if twin == NO_EDGE { a.0 } else { a.0.min(twin) };
                (Node::OfGround(edge, number), point)
            }));
        }
        found
    }

    /// Finds the displacements, forward and to the left, whose straightest geodesics lead to places.
    fn flattened(&self, at: Footing, left: Vec3, places: impl Iterator<Item = Vec3>) -> Option<Vec<Vec2>> {
        let flat = |offset: Vec3| Vec2::new(at.carried.dot(offset), left.dot(offset));
        let displacement = |place: Vec3| {
            let mut found = flat(place - at.place);
            for _ in 0..MOST_STEPS {
                let error = place - self.walk(at, at.carried * found.x + left * found.y)?.place;
                if error.length() <= NEAR_CORNER {
                    return Some(found);
                }
                found += flat(error);
            }
            None
        };
        places.map(displacement).collect()
    }
}

fn corners(triangle: &[u32; 3], places: &[Vec3]) -> [Corner; 3] {
    triangle.map(|vertex| (vertex, places[vertex as usize]))
}

fn box_of(corners: &[Corner; 3]) -> Aabb {
    Aabb::from_points(corners.iter().map(|corner| corner.1))
}

fn meet(a: &Aabb, b: &Aabb) -> bool {
    a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
}

/// Reports whether a line from `p` to `q` passes a line from `a` to `b` on its left. The same for both triangles at an
/// edge, also where the lines meet.
fn is_left(p: Corner, q: Corner, a: Corner, b: Corner) -> bool {
    let is_back = |from: Vec3, to: Vec3| from.to_array().partial_cmp(&to.to_array()).is_some_and(|order| order.is_gt());
    let (swap_cage, swap_ground) = (p.0 > q.0, is_back(a.1, b.1));
    let [p, q] = if swap_cage { [q.1, p.1] } else { [p.1, q.1] };
    let [a, b] = if swap_ground { [b.1, a.1] } else { [a.1, b.1] };
    (orient3d(p, q, a, b) != Sign::Negative) ^ swap_cage ^ swap_ground
}

/// Finds where an edge pierces a triangle; `sides` are those of its three edges.
fn crossing([p, q]: [Vec3; 2], triangle: &[Corner; 3], sides: [bool; 3]) -> Option<Vec3> {
    let [a, b, c] = triangle.map(|corner| corner.1);
    let is_above = |place: Vec3| orient3d(a, b, c, place) != Sign::Negative;
    if is_above(p) == is_above(q) || sides[0] != sides[1] || sides[1] != sides[2] {
        return None;
    }
    let normal = (b - a).cross(c - a);
    let [from, to] = [normal.dot(p - a), normal.dot(q - a)];
    let share = from / (from - to);
    Some(p.lerp(q, if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 }))
}

/// Lists the loops in which each point has two neighbours.
fn closed_loops(links: &BTreeMap<Node, Vec<Node>>) -> Vec<Vec<Node>> {
    let mut known = std::collections::BTreeSet::new();
    let mut loops = Vec::new();
    for &start in links.keys() {
        let (mut nodes, mut from, mut at) = (Vec::new(), None, start);
        let is_closed = loop {
            if !known.insert(at) {
                break at == start && nodes.len() > 2;
            }
            nodes.push(at);
            let [a, b] = links[&at][..] else { break false };
            let next = if Some(a) == from { b } else { a };
            (from, at) = (Some(at), next);
        };
        if is_closed {
            loops.push(nodes);
        }
    }
    loops
}

/// Computes twice the area of a polygon.
fn area(corners: &[Vec2]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum::<f64>().abs()
}

/// Leaves out corners near the line between the corners that stay (Douglas and Peucker 1973).
fn simplified(corners: &[Vec2]) -> Vec<Vec2> {
    let furthest = |from: Vec2| {
        let lengths = corners.iter().map(|corner| corner.distance_squared(from)).enumerate();
        lengths.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(place, _)| place)
    };
    let far = furthest(corners[0]);
    let mut is_kept = vec![false; corners.len() + 1];
    [0, far, corners.len()].into_iter().for_each(|place| is_kept[place] = true);
    let mut pieces = vec![[0, far], [far, corners.len()]];
    while let Some([from, to]) = pieces.pop() {
        let [a, b] = [corners[from], corners[to % corners.len()]];
        let offset = |place: usize| crate::ground::nearest_on([a, b], corners[place]).distance(corners[place]);
        let furthest = (from + 1..to).map(|place| (place, offset(place))).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((place, _)) = furthest.filter(|(_, offset)| *offset > TOLERANCE) {
            is_kept[place] = true;
            pieces.extend([[from, place], [place, to]]);
        }
    }
    corners.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(corner, _)| *corner).collect()
}
