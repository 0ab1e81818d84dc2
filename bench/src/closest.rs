//! `closest`: the distance from a point to a mesh of 100k triangles; the same points for all.
//!
//! Points of a box 1.5 times the mesh's. Wrong: more than 1e-5 m off a brute-force `f64` answer.

use crate::Options;
use crate::meshes;
use crate::peers::ours;
use crate::peers::parry::{double, single};
use crate::random::Random;
use crate::ray::differences;
use crate::table::{self, Line};
use crate::timing::{Contestant, Mode, contest};
use heurt_geometry::{Triangle, Vec3};
use heurt_mesh::TriMesh;
use std::time::Duration;

const POINTS: usize = 1000;
/// Distances closer than this, in metres, count as equal.
const TOLERANCE: f64 = 1e-5;

/// Measures closest points.
pub fn closest(options: &Options) {
    for (name, mesh) in [("bumpy sphere", meshes::bumpy(100_000)), ("supertoroid", meshes::toroid(100_000))] {
        measure(name, &mesh, options);
    }
}

fn measure(name: &str, mesh: &TriMesh, options: &Options) {
    let bounds = mesh.bounds();
    let mut random = Random(11);
    let points: Vec<Vec3> =
        (0..POINTS).map(|_| bounds.centre() + random.cube() * bounds.half_extents() * 1.5).collect();
    let brute: Vec<f64> = points.iter().map(|&point| distance(mesh, point)).collect();
    let (ours, s, x) = (ours::Mesh::new(mesh), single::Mesh::new(mesh), double::Mesh::new(mesh));
    let hollow = ours::Mesh::hollow(mesh);
    let one: Vec<_> = points.iter().map(|&point| single::point(point)).collect();
    let two: Vec<_> = points.iter().map(|&point| double::point(point)).collect();
    let field = vec![
        Contestant::new("heurt, hollow", |i| hollow.closest(points[i]).to_bits()),
        Contestant::new("heurt, solid (inside or outside told too)", |i| ours.closest(points[i]).to_bits()),
        Contestant::new("parry-f32", |i| f64::from(s.closest(one[i])).to_bits()),
        Contestant::new("parry-f64", |i| x.closest(two[i]).to_bits()),
    ];
    let outcomes = contest(POINTS, options.rounds, Mode::Each, Duration::from_secs(20), field);
    let lines: Vec<Line> = outcomes
        .iter()
        .map(|outcome| {
            let mut line = Line::new(outcome, &[]);
            line.wrong = differences(&outcome.answers, &brute, TOLERANCE);
            line
        })
        .collect();
    table::print(&format!("closest: {name}, {} triangles, {POINTS} points", mesh.triangles().len()), &lines);
}

fn distance(mesh: &TriMesh, point: Vec3) -> f64 {
    let squares = (0..mesh.triangles().len() as u32).map(|index| distance_sq(&mesh.corners(index), point));
    squares.fold(f64::INFINITY, f64::min).sqrt()
}

/// The least of the distances to the three edges, and to the plane where the point lies over the face.
fn distance_sq(&[a, b, c]: &Triangle, point: Vec3) -> f64 {
    let normal = (b - a).cross(c - a);
    let edges = [(a, b), (b, c), (c, a)];
    let over = edges.iter().all(|&(p, q)| (q - p).cross(point - p).dot(normal) >= 0.0);
    if over && normal.length_squared() > 0.0 {
        let height = (point - a).dot(normal);
        return height * height / normal.length_squared();
    }
    let to_edge = |&(p, q): &(Vec3, Vec3)| {
        let along = ((point - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        (p + (q - p) * along - point).length_squared()
    };
    edges.iter().map(to_edge).fold(f64::INFINITY, f64::min)
}
