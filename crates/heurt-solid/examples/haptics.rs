//! Haptics at 1 kHz: time and memory to build the distance field and the point shell, and the times of 10,000 steps.
//!
//! In: an OBJ file of a closed mesh as the solid at rest; a wavy ball of 100,000 triangles if none is given. Out: lines of
//! text. The tool slides over the solid and is pressed into it.
//! Run: `cargo run --release -p heurt-solid --example haptics`, or `… --example haptics -- part.obj`.

use heurt_geometry::{Pose, Quat, Vec3};
use heurt_mesh::{RepairOptions, TriMesh, generate, repair};
use heurt_solid::{DistanceOctree, HapticLoop, HapticSettings, PointShell};
use std::error::Error;
use std::time::{Duration, Instant};

/// The number of timed steps.
const STEPS: usize = 10_000;

/// The number of points of the shell that is aimed at.
const POINTS: usize = 10_000;

/// Reads the vertices and the faces of an OBJ file, faces as fans, closes the mesh and makes it 0.1 m large.
fn read(path: &str) -> Result<TriMesh, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f64> = words.take(3).map(str::parse).collect::<Result<_, _>>()?;
                vertices.push(Vec3::from_slice(numbers.get(..3).ok_or("a vertex has three coordinates")?));
            }
            Some("f") => {
                let first = |word: &str| word.split('/').next().unwrap_or_default().parse::<u32>();
                let corners: Vec<u32> = words.map(first).collect::<Result<_, _>>()?;
                let fan = |pair: &[u32]| [corners[0], pair[0], pair[1]].map(|corner| corner.wrapping_sub(1));
                triangles.extend(corners.get(1..).unwrap_or_default().windows(2).map(fan));
            }
            _ => {}
        }
    }
    let mesh = repair(&TriMesh::new(vertices, triangles)?, &RepairOptions::default())?.mesh;
    let bounds = mesh.bounds();
    let centred = mesh.transformed(&Pose::from_translation(-bounds.centre())?)?;
    Ok(centred.scaled(0.1 / (bounds.max - bounds.min).max_element())?)
}

/// Samples a block of 40 × 24 × 24 mm with about the number of points that is aimed at.
fn tool() -> Result<PointShell, Box<dyn Error>> {
    let block = generate::cuboid([0.02, 0.012, 0.012])?;
    let (mut fine, mut coarse) = (2e-4, 4e-3);
    for _ in 0..20 {
        let middle = 0.5 * (fine + coarse);
        if PointShell::of_mesh(&block, middle)?.points().len() >= POINTS { fine = middle } else { coarse = middle }
    }
    Ok(PointShell::of_mesh(&block, fine)?)
}

/// Times steps: the tool circles the solid, and its device is pressed into the solid up to its centre and out again.
fn time_steps(field: &DistanceOctree, shell: &PointShell) -> Result<(), Box<dyn Error>> {
    let settings = HapticSettings::new(1e8, 1000.0, shell.radius());
    let place = |step: usize| {
        let s = step as f64 / STEPS as f64;
        let (angle, turn) = (std::f64::consts::TAU * 2.0 * s, 1.5 * std::f64::consts::TAU * s);
        let radius = 0.06 + 0.06 * (std::f64::consts::TAU * 5.0 * s).cos();
        let at = Vec3::new(angle.cos(), angle.sin(), 0.5 * (3.0 * angle).sin()) * radius;
        Pose::from_quaternion(Quat::from_xyzw(0.0, turn.sin(), 0.0, turn.cos()).to_array(), at)
    };
    let mut haptics = HapticLoop::new(field, shell, settings, &place(0)?)?;
    let (mut times, mut contacts, mut most, mut depth, mut force) = (Vec::with_capacity(STEPS), 0, 0, 0.0f64, 0.0f64);
    for step in 0..STEPS {
        let device = place(step)?;
        let started = Instant::now();
        let output = haptics.step(&device);
        times.push(started.elapsed());
        contacts += usize::from(output.contact.points > 0);
        most = most.max(output.contact.points);
        (depth, force) = (depth.max(output.contact.depth), force.max(output.force.length()));
    }
    times.sort_unstable();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let in_time = times.iter().filter(|time| **time < Duration::from_millis(1)).count();
    println!(
        "{STEPS} steps, {contacts} with contact, up to {most} points: median {:.1} µs, 99 % {:.1} µs, worst {:.1} µs",
        micros(times[STEPS / 2]),
        micros(times[STEPS * 99 / 100]),
        micros(times[STEPS - 1])
    );
    println!("under 1 ms: {:.2} %", 100.0 * in_time as f64 / STEPS as f64);
    println!("deepest point {:.3} mm, greatest force {force:.2} N", depth * 1e3);
    Ok(())
}

/// Times the evaluation of all points in contact: the shell lies in the solid.
fn time_immersed(field: &DistanceOctree, shell: &PointShell) -> Result<(), Box<dyn Error>> {
    let mut times = Vec::new();
    let mut points = 0;
    for step in 0..200 {
        let turn = 0.01 * f64::from(step);
        let pose = Pose::from_quaternion([0.0, turn.sin(), 0.0, turn.cos()], Vec3::ZERO)?;
        let mut haptics = HapticLoop::new(field, shell, HapticSettings::new(1e8, 1000.0, shell.radius()), &pose)?;
        let started = Instant::now();
        points = points.max(haptics.step(&pose).contact.points);
        times.push(started.elapsed());
    }
    times.sort_unstable();
    println!("immersed, {points} points in contact: median {:?}, worst {:?}", times[100], times[199]);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = match std::env::args().nth(1) {
        Some(path) => read(&path)?,
        None => generate::bumpy_sphere(0.05, 0.005, 6.0, generate::sphere_segments(100_000))?,
    };
    let started = Instant::now();
    let field = DistanceOctree::of_mesh(&mesh, 1e-4)?;
    println!(
        "field of {} triangles, 0.1 m large, tolerance 0.1 mm: {:.2?}, {} leaves, level {}, {:.1} MB, error {:.3} mm",
        mesh.triangles().len(),
        started.elapsed(),
        field.leaf_count(),
        field.root().depth(),
        field.memory() as f64 * 1e-6,
        field.band_error() * 1e3
    );
    let shell = tool()?;
    let started = Instant::now();
    let again = PointShell::of_mesh(&generate::cuboid([0.02, 0.012, 0.012])?, shell.spacing())?;
    println!(
        "shell of {} points, {:.2} mm: {:.2?}, {:.2} MB",
        again.points().len(),
        shell.spacing() * 1e3,
        started.elapsed(),
        shell.memory() as f64 * 1e-6
    );
    time_steps(&field, &shell)?;
    time_immersed(&field, &shell)
}
