//! What a `PairCache` spares of questions about a mesh of 10,000 triangles and other shapes that move a little from one to the next.
//!
//! `cargo run --release -p heurt-query --example coherent -- [directions] [kinds]`: another mesh of 10,000 triangles on all motions, or other kinds
//! of shapes on some.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::generate::{self, Supertoroid};
use heurt_query::contact::contact_manifold;
use heurt_query::{PairCache, distance, overlap};
use heurt_shape::{Compound, Convex, MeshShape, Shape, ShapeRef, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const STEPS: u32 = 48;
const ROUNDS: u32 = 3;

/// Asks without a cache and with one.
fn run_query(verb: usize, a: &Shape, b: &Shape, pose: &Pose, cache: Option<&mut PairCache>) {
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
            black_box(contact_manifold(a, here, b, pose, 0.0));
        }
        (_, Some(cache)) => {
            black_box(cache.contact_manifold(a, here, b, pose, 0.0));
        }
    }
}

/// What moves, and by which steps: all of it for another mesh, some for other kinds.
fn bodies(kinds: bool) -> Result<Vec<(&'static str, Shape)>, Box<dyn Error>> {
    let bumpy = Shape::Mesh(Arc::new(MeshShape::new(generate::bumpy_sphere(1.0, 0.2, 5.0, 102)?)?));
    if !kinds {
        return Ok(vec![("bumpy ball", bumpy)]);
    }
    let link = |k: u32| {
        let turn = Quat::from_rotation_z(0.3 * f64::from(k)).to_array();
        let at = Pose::from_quaternion(turn, Vec3::new(0.2 * f64::from(k), 0.0, 0.0));
        Ok::<_, Box<dyn Error>>((Shape::from(Convex::capsule(0.1, 0.2)?), at?))
    };
    let chain = Compound::new((0..10).map(link).collect::<Result<Vec<_>, _>>()?)?;
    let ring = Superquadric::Toroid(Supertoroid::new(0.8, 0.3, 0.8, 0.7)?);
    Ok(vec![
        ("ball", Convex::sphere(0.5)?.into()),
        ("capsule", Convex::capsule(0.2, 0.6)?.into()),
        ("box", Convex::cuboid(Vec3::new(0.6, 0.4, 0.3))?.into()),
        ("cylinder", Convex::cylinder(0.3, 0.6)?.into()),
        ("ellipsoid", Convex::ellipsoid(Vec3::new(0.7, 0.4, 0.3))?.into()),
        ("bumpy ball within a margin", bumpy.with_margin(0.05)?),
        ("chain of 10 capsules", chain.into()),
        ("supertoroid", SuperquadricShape::from(ring).into()),
    ])
}

/// Poses of B one after the other, `gap` from where it touches or so deep.
fn poses(
    (a, b): (&Shape, &Shape),
    (gap, kind, step): (f64, &str, f64),
    random: &mut Random,
) -> Result<Vec<Pose>, Box<dyn Error>> {
    let size = 2.0 * ShapeRef::from(a).bounds().half_extents().length();
    let turn = Quat::from_axis_angle(random.vector(1.0).normalize(), random.between(0.0, 3.1));
    let direction = random.vector(1.0).normalize();
    let at = |along: f64| Pose::from_quaternion(turn.to_array(), direction * along);
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..30 {
        let middle = 0.5 * (low + high);
        let meets = overlap(a, &Pose::IDENTITY, b, &at(middle)?).is_some();
        *(if meets { &mut low } else { &mut high }) = middle;
    }
    // Half a step across the way, and about as much by turning.
    let (across, axis) = (direction.cross(random.vector(1.0)).normalize(), random.vector(1.0).normalize());
    let mut poses = Vec::new();
    for k in 0..STEPS {
        let (times, across) = match kind {
            "on" => (f64::from(k), across),
            _ => (1.0, random.vector(1.0).normalize()),
        };
        let far = 0.5 * step * size * times;
        let turned = (Quat::from_axis_angle(axis, far) * turn).normalize();
        poses.push(Pose::from_quaternion(turned.to_array(), direction * (high + gap * size) + across * far)?);
    }
    Ok(poses)
}

fn main() -> Result<(), Box<dyn Error>> {
    let directions: u32 = std::env::args().nth(1).map_or(Ok(40), |text| text.parse())?;
    let kinds = std::env::args().nth(2).is_some_and(|word| word == "kinds");
    let a = Shape::Mesh(Arc::new(MeshShape::new(generate::supertoroid(1.0, 0.4, 0.8, 0.7, 100)?)?));
    let motions: &[_] = match kinds {
        true => &[("on", 1e-5), ("on", 1e-3)],
        false => &[("still", 0.0), ("on", 1e-5), ("on", 1e-4), ("on", 1e-3), ("on", 1e-2), ("about", 1e-3)],
    };
    println!("{} triangles, {STEPS} steps a way", a.primitives());
    println!("| B | gap | step | overlap | distance | contact |\n|---|---|---|---|---|---|");
    for (name, b) in &bodies(kinds)? {
        for gap in [0.01, 0.1, -0.01] {
            for &(kind, step) in motions {
                let (mut random, mut times) = (Random::new(7), [[0.0; 2]; 3]);
                for _ in 0..directions {
                    let poses = poses((&a, b), (gap, kind, step), &mut random)?;
                    // Of depths the front does not speak.
                    let verbs = if kinds && gap < 0.0 { 2 } else { 3 };
                    for (verb, times) in times.iter_mut().take(verbs).enumerate() {
                        let mut least = [f64::INFINITY; 2];
                        for _ in 0..ROUNDS {
                            let started = Instant::now();
                            poses.iter().for_each(|pose| run_query(verb, &a, b, pose, None));
                            least[0] = least[0].min(started.elapsed().as_secs_f64());
                            let (started, mut cache) = (Instant::now(), PairCache::default());
                            poses.iter().for_each(|pose| run_query(verb, &a, b, pose, Some(&mut cache)));
                            least[1] = least[1].min(started.elapsed().as_secs_f64());
                        }
                        times[0] += least[0];
                        times[1] += least[1];
                    }
                }
                print!("| {name} | {gap} | {kind} {step:e} ");
                for [without, with] in times.into_iter().filter(|[without, _]| *without > 0.0) {
                    let micros = 1e6 / (f64::from(STEPS) * f64::from(directions));
                    print!("| {:.2} → {:.2} µs: {:.1} ", without * micros, with * micros, without / with);
                }
                println!("|");
            }
        }
    }
    Ok(())
}
