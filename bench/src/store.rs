//! What a run leaves in its folder, so that peers in other languages see the same numbers.
//!
//! Layout, little-endian and raw: `CASE.a.v`, `CASE.b.v` (vertices, 3 `f64`), `CASE.a.f`, `CASE.b.f` (triangles, 3 `u32`),
//! `CASE.REGIME.p` (poses: a then b, 7 `f64` each: quaternion x y z w, translation), `CASE.REGIME.n` (exact counts, `u64`),
//! `CASE.REGIME.d` (of convex shapes: distances or depths, `f64`),
//! `CASE.steps.p`, `CASE.steps.d` (the same of ways of small steps).
//! Back comes `peers.tsv`: case, regime, verb, peer, median ns, mean ns, wrong answers. Poses that lie there are used
//! again: delete the folder to make them anew.

use crate::meshes::{self, Case};
use crate::peers::referee;
use crate::poses::{self, Placement, Regime};
use std::path::{Path, PathBuf};

/// A case with its poses and exact counts.
pub struct Prepared {
    /// The meshes.
    pub case: Case,
    /// The poses, in the order of [`Regime::ALL`].
    pub poses: [Vec<Placement>; 3],
    /// The exact number of pairs in each pose.
    pub counts: [Vec<u64>; 3],
}

/// A line of `peers.tsv`.
#[derive(Debug, Clone)]
pub struct PeerLine {
    /// The peer's name.
    pub peer: String,
    /// Median nanoseconds of a call.
    pub median: f64,
    /// Mean nanoseconds of a call.
    pub mean: f64,
    /// Poses with a wrong answer.
    pub wrong: usize,
}

/// Makes the named cases, reading poses and counts from `folder` where they lie there, and writes everything.
///
/// # Errors
/// An unknown name or what the file system says.
pub fn prepare(folder: &Path, names: &[String], files: &[PathBuf], seed: u64) -> Result<Vec<Prepared>, String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut cases = Vec::new();
    for name in names {
        let known = meshes::NAMES.join(", ");
        cases.push(meshes::case(name).ok_or(format!("no case is called {name}: choose among {known}"))?);
    }
    if !files.is_empty() {
        cases.push(meshes::from_files(files)?);
    }
    cases.into_iter().map(|case| prepare_one(folder, case, seed)).collect()
}

/// Leaves numbers for peers in other languages; a folder that cannot be written is told, and the run goes on.
pub fn leave(folder: &Path, name: &str, numbers: &[f64]) {
    let path = folder.join(name);
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    if let Err(error) = std::fs::write(&path, bytes) {
        eprintln!("heurt-bench: {}: {error}", path.display());
    }
}

fn prepare_one(folder: &Path, case: Case, seed: u64) -> Result<Prepared, String> {
    let write = |name: String, bytes: Vec<u8>| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))
    };
    for (side, mesh) in [("a", &case.a), ("b", &case.b)] {
        let vertices = mesh.vertices().iter().flat_map(|v| v.to_array()).flat_map(f64::to_le_bytes).collect();
        let triangles = mesh.triangles().iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        write(format!("{}.{side}.v", case.name), vertices)?;
        write(format!("{}.{side}.f", case.name), triangles)?;
    }
    if let Some((poses, counts)) = stored(folder, &case.name) {
        return Ok(Prepared { case, poses, counts });
    }
    eprintln!("making the poses of {}", case.name);
    let poses = poses::generate(&case, seed)?;
    let counts = [0, 1, 2].map(|regime| referee::counts(&case, &poses[regime]));
    for (index, regime) in Regime::ALL.into_iter().enumerate() {
        let numbers = poses[index].iter().flat_map(|p| p.a.into_iter().chain(p.b)).flat_map(f64::to_le_bytes).collect();
        write(format!("{}.{}.p", case.name, regime.name()), numbers)?;
        let exact = counts[index].iter().flat_map(|count| count.to_le_bytes()).collect();
        write(format!("{}.{}.n", case.name, regime.name()), exact)?;
    }
    Ok(Prepared { case, poses, counts })
}

/// Poses and exact counts of the three regimes.
type Stored = ([Vec<Placement>; 3], [Vec<u64>; 3]);

fn stored(folder: &Path, name: &str) -> Option<Stored> {
    let mut poses = [Vec::new(), Vec::new(), Vec::new()];
    let mut counts = [Vec::new(), Vec::new(), Vec::new()];
    for (index, regime) in Regime::ALL.into_iter().enumerate() {
        let read = |kind: &str| std::fs::read(folder.join(format!("{name}.{}.{kind}", regime.name()))).ok();
        let words = |bytes: Vec<u8>| -> Vec<[u8; 8]> {
            bytes.chunks_exact(8).map(|chunk| chunk.try_into().expect("eight bytes")).collect()
        };
        let numbers: Vec<f64> = words(read("p")?).into_iter().map(f64::from_le_bytes).collect();
        for chunk in numbers.chunks_exact(14) {
            let half = |from: usize| chunk[from..from + 7].try_into().expect("seven numbers");
            poses[index].push(Placement { a: half(0), b: half(7) });
        }
        counts[index] = words(read("n")?).into_iter().map(u64::from_le_bytes).collect();
        if poses[index].len() != poses::COUNT || counts[index].len() != poses::COUNT {
            return None;
        }
    }
    Some((poses, counts))
}

/// What the peers in other languages answered for a case, regime and verb.
pub fn peer_lines(folder: &Path, case: &str, regime: Regime, verb: &str) -> Vec<PeerLine> {
    lines_of(folder, [case, regime.name(), verb])
}

/// The lines of `peers.tsv` that begin with these three words.
pub fn lines_of(folder: &Path, wanted: [&str; 3]) -> Vec<PeerLine> {
    let text = std::fs::read_to_string(folder.join("peers.tsv")).unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [one, two, three, peer, median, mean, wrong, ..] = fields.as_slice() else {
                return None;
            };
            let (median, mean, wrong) = (median.parse().ok()?, mean.parse().ok()?, wrong.parse().ok()?);
            let line = PeerLine { peer: (*peer).into(), median, mean, wrong };
            ([*one, *two, *three] == wanted).then_some(line)
        })
        .collect()
}
