//! `ray`: the first triangle along a ray, on a mesh of 100k triangles; the same rays for all.
//!
//! Half of the rays start outside and aim into the bounding box (most hit), half start inside and look
//! anywhere (heurt is asked about the hollow surface: for a solid such a ray hits at once). A ray is
//! wrong when it hits where it should not or the reverse, or its distance is more than 1e-5 off a brute-force `f64` answer.

use crate::Options;
use crate::meshes;
use crate::peers::obvhs;
use crate::peers::obvhs::PRESETS;
use crate::peers::ours;
use crate::peers::parry::{double, single};
use crate::random::Random;
use crate::table::{self, Line};
use crate::timing::{Contestant, Mode, contest};
use heurt_geometry::Vec3;
use heurt_mesh::TriMesh;
use std::time::Duration;

const RAYS: usize = 2000;
/// Distances closer than this, in metres, count as equal.
const TOLERANCE: f64 = 1e-5;

/// Measures rays.
pub fn ray(options: &Options) {
    let mesh = meshes::bumpy(100_000);
    let rays = rays(&mesh);
    let brute: Vec<f64> = rays.iter().map(|&(origin, direction)| cast(&mesh, origin, direction)).collect();
    let (ours, s, x) = (ours::Mesh::hollow(&mesh), single::Mesh::new(&mesh), double::Mesh::new(&mesh));
    let obvhs = obvhs::Mesh::new(&mesh);
    let (query, one, two, three) = (
        rays.iter().map(|&(o, d)| ours::ray(o, d)).collect::<Vec<_>>(),
        rays.iter().map(|&(o, d)| single::ray(o, d)).collect::<Vec<_>>(),
        rays.iter().map(|&(o, d)| double::ray(o, d)).collect::<Vec<_>>(),
        rays.iter().map(|&(o, d)| obvhs::ray(o, d)).collect::<Vec<_>>(),
    );
    let trees = PRESETS.map(|(name, preset)| (name, obvhs.binary(preset), obvhs.wide(preset)));
    let mut field = Vec::new();
    field.push(Contestant::new("heurt", |i| ours.cast(&query[i]).to_bits()));
    field.push(Contestant::new("parry-f32", |i| s.ray(&one[i]).map_or(f64::INFINITY, f64::from).to_bits()));
    field.push(Contestant::new("parry-f64", |i| x.ray(&two[i]).unwrap_or(f64::INFINITY).to_bits()));
    for (name, binary, wide) in &trees {
        let three = &three;
        field.push(Contestant::new(format!("obvhs {name}"), |i| f64::from(binary.ray(three[i])).to_bits()));
        field.push(Contestant::new(format!("obvhs wide {name}"), |i| f64::from(wide.ray(three[i])).to_bits()));
    }
    let outcomes = contest(RAYS, options.rounds, Mode::Sweep(5), Duration::from_secs(20), field);
    let lines: Vec<Line> = outcomes
        .iter()
        .map(|outcome| {
            let mut line = Line::new(outcome, &[]);
            line.wrong = differences(&outcome.answers, &brute, TOLERANCE);
            line
        })
        .collect();
    let hits = brute.iter().filter(|distance| distance.is_finite()).count();
    table::print(&format!("ray: {} triangles, {RAYS} rays, {hits} hit", mesh.triangles().len()), &lines);
}

/// Counts the answers that are not within `tolerance` of the right ones; infinite ones must be infinite.
pub fn differences(answers: &[u64], right: &[f64], tolerance: f64) -> usize {
    let answers = answers.iter().map(|&bits| f64::from_bits(bits));
    let same = |answer: f64, right: f64| answer == right || (answer - right).abs() <= tolerance;
    answers.zip(right).filter(|&(answer, &right)| !same(answer, right)).count()
}

fn rays(mesh: &TriMesh) -> Vec<(Vec3, Vec3)> {
    let bounds = mesh.bounds();
    let (centre, half) = (bounds.centre(), bounds.half_extents());
    let mut random = Random(7);
    (0..RAYS)
        .map(|i| {
            if i % 2 == 0 {
                let origin = centre + random.direction() * (3.0 * half.length());
                let aim = centre + random.cube() * half;
                (origin, (aim - origin).normalize())
            } else {
                (centre + random.cube() * half * 0.4, random.direction())
            }
        })
        .collect()
}

/// Brute force (Möller and Trumbore 1997) in `f64`; infinite for no hit.
fn cast(mesh: &TriMesh, origin: Vec3, direction: Vec3) -> f64 {
    let mut least = f64::INFINITY;
    for index in 0..mesh.triangles().len() as u32 {
        let [a, b, c] = mesh.corners(index);
        let (u, v) = (b - a, c - a);
        let h = direction.cross(v);
        let det = u.dot(h);
        let s = origin - a;
        let first = s.dot(h) / det;
        let q = s.cross(u);
        let second = direction.dot(q) / det;
        let distance = v.dot(q) / det;
        if first >= 0.0 && second >= 0.0 && first + second <= 1.0 && distance >= 0.0 {
            least = least.min(distance);
        }
    }
    least
}
