//! What a `PairCache` spares of questions about two meshes of 10,000 triangles that move a little from one to the next.
//!
//! `cargo run --release -p heurt-query --example coherent_meshes -- [ways]`

use heurt_geometry::{Pose, Quat};
use heurt_mesh::generate;
use heurt_query::contact::surface_contact;
use heurt_query::{PairCache, distance, overlap};
use heurt_shape::MeshShape;
use heurt_testkit::random::Random;
use std::hint::black_box;
use std::time::Instant;

const STEPS: u32 = 48;
const ROUNDS: u32 = 3;

/// Asks without a cache and with one.
fn ask(verb: usize, a: &MeshShape, b: &MeshShape, pose: &Pose, cache: Option<&mut PairCache>) {
    let here = &Pose::IDENTITY;
    match (verb, cache) {
        (0, None) => {
            black_box(overlap(a, here, b, pose));
        }
        (0, Some(cache)) => {
            black_box(cache.overlaps(a, here, b, pose));
        }
        (1, None) => {
            black_box(distance(a, here, b, pose));
        }
        (1, Some(cache)) => {
            black_box(cache.distance(a, here, b, pose));
        }
        (_, None) => {
            black_box(surface_contact(a, here, b, pose, 0.0));
        }
        (_, Some(cache)) => {
            black_box(cache.contact(a, here, b, pose, 0.0));
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ways: u32 = std::env::args().nth(1).map_or(Ok(40), |text| text.parse())?;
    let a = MeshShape::new(generate::supertoroid(1.0, 0.4, 0.8, 0.7, 100)?)?;
    let b = MeshShape::new(generate::bumpy_sphere(1.0, 0.2, 5.0, 102)?)?;
    let size = 2.0 * a.bounds().half_extents().length();
    println!("{} and {} triangles, {STEPS} steps a way", a.mesh().triangles().len(), b.mesh().triangles().len());
    println!("| gap | step | overlap | distance | contact |\n|---|---|---|---|---|");
    for gap in [0.01, 0.1, -0.01] {
        for (kind, step) in [("still", 0.0), ("on", 1e-5), ("on", 1e-4), ("on", 1e-3), ("on", 1e-2), ("about", 1e-3)] {
            let (mut random, mut times) = (Random::new(7), [[0.0; 2]; 3]);
            for _ in 0..ways {
                let turn = Quat::from_axis_angle(random.vector(1.0).normalize(), random.between(0.0, 3.1));
                let way = random.vector(1.0).normalize();
                let at = |along: f64| Pose::from_quaternion(turn.to_array(), way * along);
                let (mut low, mut high) = (0.0, 4.0);
                for _ in 0..30 {
                    let middle = 0.5 * (low + high);
                    let meets = overlap(&a, &Pose::IDENTITY, &b, &at(middle)?).is_some();
                    *(if meets { &mut low } else { &mut high }) = middle;
                }
                // Half a step across the way, and about as much by turning.
                let (across, axis) = (way.cross(random.vector(1.0)).normalize(), random.vector(1.0).normalize());
                let mut poses = Vec::new();
                for k in 0..STEPS {
                    let (times, across) = match kind {
                        "on" => (f64::from(k), across),
                        _ => (1.0, random.vector(1.0).normalize()),
                    };
                    let far = 0.5 * step * size * times;
                    let turned = (Quat::from_axis_angle(axis, far) * turn).normalize();
                    poses.push(Pose::from_quaternion(turned.to_array(), way * (high + gap * size) + across * far)?);
                }
                for (verb, times) in times.iter_mut().enumerate() {
                    let mut least = [f64::INFINITY; 2];
                    for _ in 0..ROUNDS {
                        let started = Instant::now();
                        poses.iter().for_each(|pose| ask(verb, &a, &b, pose, None));
                        least[0] = least[0].min(started.elapsed().as_secs_f64());
                        let (started, mut cache) = (Instant::now(), PairCache::default());
                        poses.iter().for_each(|pose| ask(verb, &a, &b, pose, Some(&mut cache)));
                        least[1] = least[1].min(started.elapsed().as_secs_f64());
                    }
                    times[0] += least[0];
                    times[1] += least[1];
                }
            }
            print!("| {gap} | {kind} {step:e} ");
            for [without, with] in times {
                let micros = 1e6 / (f64::from(STEPS) * f64::from(ways));
                print!("| {:.2} → {:.2} µs: {:.1} ", without * micros, with * micros, without / with);
            }
            println!("|");
        }
    }
    Ok(())
}
