//! `booleans`: set operations of closed meshes, heurt here and Manifold from its wheel, in one run.
//!
//! In: pairs of meshes made here. Out: a table of times with the relative difference of the volumes, and the number of
//! random pairs whose volumes differ by more than 1e-9.
//! Method: operands are written as raw numbers into the folder of `--data`, and `peers_booleans.py` times the same
//! operations on them. A time is the least of some rounds, from two meshes to the mesh of the result: both libraries
//! check their operands and build their trees in it. Both use all cores: the wheel of Manifold contains TBB.
//! Without Python or the wheel the table has the column of heurt alone.

use crate::Options;
use crate::table::time;
use heurt_geometry::{ConvexHull, Pose, Quat, Vec3};
use heurt_mesh::{TriMesh, generate, measures};
use heurt_solid::{SetOperation, SolidMesh, combine};
use heurt_testkit::number::random::Random;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Random pairs of hulls, which are compared by their volumes only.
const RANDOM_PAIRS: usize = 200;

/// The largest relative difference of volumes that counts as equal.
const TOLERANCE: f64 = 1e-9;

/// Two operands.
struct BooleanCase {
    name: String,
    meshes: [TriMesh; 2],
}

/// The time and the volume of one operation.
#[derive(Debug, Clone, Copy)]
struct BooleanResult {
    nanoseconds: f64,
    volume: f64,
}

/// Measures set operations.
pub fn booleans(options: &Options) -> Result<(), String> {
    let cases = cases(options.seed)?;
    let folder = options.data.join("booleans");
    for case in &cases {
        write(case, &folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let peer = run_peer(&folder, options.rounds);
    println!("\n### Set operations\n");
    println!("| case | triangles | operation | heurt | Manifold | ratio | difference of volumes |");
    println!("|---|---|---|---|---|---|---|");
    let (mut compared, mut different, mut refused) = (0, Vec::new(), 0);
    for case in &cases {
        let is_random = case.name.starts_with("random");
        for operation in SetOperation::ALL {
            let rounds = if is_random { 1 } else { options.rounds };
            let ours = measure(case, operation, rounds);
            let Ok(ours) = ours else {
                refused += 1;
                continue;
            };
            let theirs = peer.get(&(case.name.clone(), operation as usize));
            let error = theirs.map(|theirs| (theirs.volume - ours.volume).abs() / size(case));
            compared += usize::from(error.is_some());
            if error.is_some_and(|error| error > TOLERANCE) {
                different.push(format!("{} {operation:?}", case.name));
            }
            if !is_random {
                let triangles: usize = case.meshes.iter().map(|mesh| mesh.triangles().len()).sum();
                let [their_time, ratio] = theirs.map_or(["–".into(), "–".into()], |theirs| {
                    [time(theirs.nanoseconds), format!("{:.2}", theirs.nanoseconds / ours.nanoseconds)]
                });
                let error = error.map_or("–".into(), |error| format!("{error:.1e}"));
                let ours = time(ours.nanoseconds);
                println!("| {} | {triangles} | {operation:?} | {ours} | {their_time} | {ratio} | {error} |", case.name);
            }
        }
    }
    let count = different.len();
    println!("\n{compared} volumes compared, {count} differ by more than {TOLERANCE:e}, {refused} refused by heurt");
    different.iter().for_each(|name| println!("- {name}"));
    Ok(())
}

/// The volume of both operands, to which differences are related.
fn size(case: &BooleanCase) -> f64 {
    case.meshes.iter().filter_map(|mesh| measures(mesh).volume).sum()
}

fn measure(case: &BooleanCase, operation: SetOperation, rounds: usize) -> Result<BooleanResult, String> {
    let mut best = BooleanResult { nanoseconds: f64::INFINITY, volume: 0.0 };
    for _ in 0..rounds.max(1) {
        let start = Instant::now();
        let [a, b] = [&case.meshes[0], &case.meshes[1]].map(SolidMesh::new);
        let (a, b) = (a.map_err(|error| error.to_string())?, b.map_err(|error| error.to_string())?);
        let result = combine(&a, &b, operation).map_err(|error| error.to_string())?;
        best.nanoseconds = best.nanoseconds.min(start.elapsed().as_nanos() as f64);
        best.volume = result.mesh.and_then(|mesh| measures(&mesh).volume).unwrap_or(0.0);
    }
    Ok(best)
}

fn cases(seed: u64) -> Result<Vec<BooleanCase>, String> {
    let text = |error: heurt_mesh::generate::GenerateError| error.to_string();
    let turn = Quat::from_axis_angle(Vec3::new(0.48, 0.6, 0.64), 0.9);
    let pose = Pose::from_quaternion(turn.to_array(), Vec3::new(0.3, 0.2, 0.1)).map_err(|error| error.to_string())?;
    let moved = |mesh: &TriMesh| mesh.transformed(&pose).map_err(|error| error.to_string());
    let mut cases = Vec::new();
    for pieces in [8, 32, 96] {
        let ball = generate::octasphere(1.0, pieces).map_err(text)?;
        cases.push(BooleanCase { name: format!("balls-{pieces}"), meshes: [ball.clone(), moved(&ball)?] });
    }
    for segments in [32, 128] {
        let ring = generate::torus(1.0, 0.35, 2 * segments, segments).map_err(text)?;
        cases.push(BooleanCase { name: format!("rings-{segments}"), meshes: [ring.clone(), moved(&ring)?] });
    }
    let block = generate::cuboid([1.0; 3]).map_err(text)?;
    let corner = TriMesh::new(block.vertices().iter().map(|v| *v + 1.0).collect(), block.triangles().to_vec());
    cases.push(BooleanCase { name: "cubes".into(), meshes: [block, corner.map_err(|error| error.to_string())?] });
    let mut random = Random::new(seed);
    for number in 0..RANDOM_PAIRS {
        let mut hull = || {
            let centre = random.vector(0.5);
            let points: Vec<Vec3> = (0..12).map(|_| centre + random.vector(1.0)).collect();
            let hull = ConvexHull::new(&points).map_err(|error| error.to_string())?;
            TriMesh::new(points, hull.triangles().to_vec()).map_err(|error| error.to_string())
        };
        cases.push(BooleanCase { name: format!("random-{number}"), meshes: [hull()?, hull()?] });
    }
    Ok(cases)
}

/// Writes vertices as `f64` and triangles as `u32`, in little endian, a file each.
fn write(case: &BooleanCase, folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (mesh, side) in case.meshes.iter().zip(["a", "b"]) {
        let coordinates = mesh.vertices().iter().flat_map(|v| v.to_array());
        let vertices = coordinates.flat_map(f64::to_le_bytes).collect::<Vec<u8>>();
        let triangles = mesh.triangles().iter().flatten().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        std::fs::write(folder.join(format!("{}-{side}.f64", case.name)), vertices)?;
        std::fs::write(folder.join(format!("{}-{side}.u32", case.name)), triangles)?;
    }
    Ok(())
}

/// Runs the peer; lines of case, operation, nanoseconds and volume. Empty, with a note, if it cannot run.
fn run_peer(folder: &Path, rounds: usize) -> BTreeMap<(String, usize), BooleanResult> {
    let python = std::env::var_os("HEURT_BENCH_PYTHON").unwrap_or_else(|| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers_booleans.py");
    let output = Command::new(python).arg(script).arg(folder).arg("--rounds").arg(rounds.to_string()).output();
    let text = match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout).into_owned(),
        Ok(output) => {
            let note = String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default().to_owned();
            println!("Manifold is left out ({note}): install peers.txt, and name its Python in HEURT_BENCH_PYTHON");
            return BTreeMap::new();
        }
        Err(error) => {
            println!("Manifold is left out: {error}");
            return BTreeMap::new();
        }
    };
    let parse = |line: &str| {
        let mut fields = line.split('\t');
        let (case, operation) = (fields.next()?.to_owned(), fields.next()?.parse().ok()?);
        let [nanoseconds, volume] = [fields.next()?.parse().ok()?, fields.next()?.parse().ok()?];
        Some(((case, operation), BooleanResult { nanoseconds, volume }))
    };
    text.lines().filter_map(parse).collect()
}
