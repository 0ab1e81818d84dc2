//! The slow oracle on convex polyhedra: all sequences of faces, unfolded into the plane.
//!
//! A shortest path crosses each face of a convex polyhedron once and passes no vertex. So it is a straight line in the
//! unfolding of some sequence of faces without repetition.

use heurt_geometry::{Vec2, Vec3};
use heurt_mesh::TriMesh;

/// A face in the plane: its number and its corners, in the order of the mesh.
type Laid = (u32, [Vec2; 3]);

/// Computes the shortest distance over all unfoldings.
pub fn unfolded_distance(mesh: &TriMesh, (from, start): (u32, Vec3), (to, stop): (u32, Vec3)) -> f64 {
    let [a, b, c] = mesh.corners(from);
    let along = (b - a).normalize();
    let up = (c - a) - along * (c - a).dot(along);
    let flat = |place: Vec3| Vec2::new((place - a).dot(along), (place - a).dot(up.normalize()));
    let first = (from, [a, b, c].map(flat));
    let mut best = f64::INFINITY;
    let mut sequence = vec![first];
    search(mesh, flat(start), (to, stop), &mut sequence, &mut Vec::new(), &mut best);
    best
}

fn search(
    mesh: &TriMesh,
    start: Vec2,
    target: (u32, Vec3),
    sequence: &mut Vec<Laid>,
    gates: &mut Vec<[Vec2; 2]>,
    best: &mut f64,
) {
    let (face, places) = sequence[sequence.len() - 1];
    if face == target.0 {
        let stop = lay(mesh, face, places, target.1);
        let is_seen = gates.iter().all(|[left, right]| {
            let ray = stop - start;
            ray.perp_dot(*left - start) >= -1e-12 && ray.perp_dot(*right - start) <= 1e-12
        });
        if is_seen {
            *best = best.min(start.distance(stop));
        }
        return;
    }
    for k in 0..3 {
        let corners = mesh.triangles()[face as usize];
        let [a, b] = [corners[k], corners[(k + 1) % 3]];
        let next = mesh.triangles().iter().enumerate().find_map(|(other, triangle)| {
            let turned = (0..3).find(|&j| triangle[j] == b && triangle[(j + 1) % 3] == a)?;
            Some((other as u32, turned))
        });
        let Some((other, j)) = next else { continue };
        if sequence.iter().any(|(known, _)| *known == other) {
            continue;
        }
        // The next face, from its end b to its start a, on the right-hand side of this edge.
        let [at_a, at_b] = [places[k], places[(k + 1) % 3]];
        let space = mesh.corners(other);
        let [from_b, to_a, apex] = [space[j], space[(j + 1) % 3], space[(j + 2) % 3]];
        let along = (to_a - from_b).normalize();
        let offset = apex - from_b;
        let (x, y) = (offset.dot(along), (offset - along * offset.dot(along)).length());
        let flat = (at_a - at_b).normalize();
        let mut laid = [Vec2::ZERO; 3];
        (laid[j], laid[(j + 1) % 3], laid[(j + 2) % 3]) = (at_b, at_a, at_b + flat * x + flat.perp() * y);
        sequence.push((other, laid));
        gates.push([at_b, at_a]);
        search(mesh, start, target, sequence, gates, best);
        gates.pop();
        sequence.pop();
    }
}

/// Lays a point of a face into the plane by its weights.
fn lay(mesh: &TriMesh, face: u32, places: [Vec2; 3], point: Vec3) -> Vec2 {
    let [a, b, c] = mesh.corners(face);
    let normal = (b - a).cross(c - a);
    let area = normal.length_squared();
    let weight = |from: Vec3, to: Vec3| (to - from).cross(point - from).dot(normal) / area;
    places[0] * weight(b, c) + places[1] * weight(c, a) + places[2] * weight(a, b)
}
