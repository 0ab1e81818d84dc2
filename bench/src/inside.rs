//! `inside`: the exact winding number by rays against the sum of solid angles (S0 §4.3 says the latter costs 25 times more).
//!
//! S0 compares sums over all triangles; heurt's rays walk a tree, so that the ratio grows with the mesh. Wrong: the solid
//! angles, rounded to a whole number, disagree with the exact answer.

use crate::Options;
use crate::meshes;
use crate::peers::ours;
use crate::random::Random;
use crate::table::{self, Line};
use crate::timing::{Contestant, Mode, contest};
use heurt_geometry::{Triangle, Vec3};
use heurt_mesh::TriMesh;
use std::time::Duration;

const POINTS: usize = 200;

/// Measures point location.
pub fn inside(options: &Options) {
    for size in [1_000, 10_000, 100_000] {
        let mesh = meshes::toroid(size);
        let (bounds, mut random) = (mesh.bounds(), Random(13));
        let points: Vec<Vec3> = (0..POINTS).map(|_| bounds.centre() + random.cube() * bounds.half_extents()).collect();
        let shape = ours::Mesh::new(&mesh);
        let field = vec![
            Contestant::new("heurt, exact winding number (tree)", |i| shape.winding(points[i])),
            Contestant::new("heurt, solid angles (every triangle)", |i| shape.solid_angle(points[i])),
            Contestant::new("plain ray parity (every triangle, f64)", |i| parity(&mesh, points[i])),
        ];
        let outcomes = contest(POINTS, options.rounds, Mode::Each, Duration::from_secs(20), field);
        let right = outcomes[0].answers.clone();
        let lines: Vec<Line> = outcomes.iter().map(|outcome| Line::new(outcome, &right)).collect();
        table::print(&format!("inside: supertoroid, {} triangles, {POINTS} points", mesh.triangles().len()), &lines);
    }
}

/// Counts crossings of the ray towards +x with every triangle: the method S0 holds against solid angles, without a tree
/// and without exact signs.
fn parity(mesh: &TriMesh, point: Vec3) -> u64 {
    let crossings = (0..mesh.triangles().len() as u32).filter(|&index| crosses(&mesh.corners(index), point));
    crossings.count() as u64 % 2
}

fn crosses(&[a, b, c]: &Triangle, point: Vec3) -> bool {
    let flat = |p: Vec3, q: Vec3| (p.y - point.y) * (q.z - point.z) - (p.z - point.z) * (q.y - point.y);
    let [ab, bc, ca] = [flat(a, b), flat(b, c), flat(c, a)];
    let around = (ab > 0.0) == (bc > 0.0) && (bc > 0.0) == (ca > 0.0);
    around && (a.x * bc + b.x * ca + c.x * ab) / (ab + bc + ca) > point.x
}
