//! The pairs of meshes that are measured.
//!
//! The two smooth non-convex meshes of the issue at 10k and 100k triangles, two kinds of CAD-like parts (long thin
//! triangles, flat faces, holes) at random and as such parts meet, L-shaped brackets of two thin plates, and files from the
//! command line. Two flat plates near each other are told apart by their roots' boxes alone: the brackets are not.

use crate::random::Random;
use crate::solids::{HALF, ROUND};
use heurt_geometry::{ConvexHull, Vec3};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::{
    bracket, bumpy_sphere, capsule, cuboid, gear, plate, sphere_segments, supertoroid, torus_segments,
};
use std::path::PathBuf;

/// How b comes to a.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Approach {
    /// Turned at random, from a random direction.
    Any,
    /// Turned about z with a tilt of at most 2°, from a direction in a's xy plane: gears in mesh.
    Beside,
    /// The same, from a direction near a's z axis: plates on a stack.
    Stacked,
}

/// Two meshes and how one comes to the other.
pub struct Case {
    /// Short, and a file name.
    pub name: String,
    /// The first mesh.
    pub a: TriMesh,
    /// The second mesh.
    pub b: TriMesh,
    /// How b comes to a.
    pub approach: Approach,
}

/// The names of the cases that are generated.
pub const NAMES: [&str; 7] =
    ["smooth-10k", "smooth-100k", "gears", "plates", "gears-meshed", "plates-stacked", "brackets"];

/// The names of the cases of convex hulls.
pub const HULLS: [&str; 3] = ["hull-8", "hull-32", "hull-128"];

/// The names of the cases of a solid against a mesh.
pub const SOLIDS: [&str; 2] = ["box-100k", "capsule-100k"];

/// Makes a case by its name.
pub fn case(name: &str) -> Option<Case> {
    let (a, b, approach) = match name {
        "smooth-10k" => (toroid(10_000), bumpy(10_000), Approach::Any),
        "smooth-100k" => (toroid(100_000), bumpy(100_000), Approach::Any),
        "gears" => (wheel(40), wheel(24), Approach::Any),
        "gears-meshed" => (wheel(40), wheel(24), Approach::Beside),
        "plates" => (sheet(), sheet(), Approach::Any),
        "plates-stacked" => (sheet(), sheet(), Approach::Stacked),
        "brackets" => (angle(), angle(), Approach::Any),
        "hull-8" => (hull(8, 1), hull(8, 2), Approach::Any),
        "hull-32" => (hull(32, 1), hull(32, 2), Approach::Any),
        "hull-128" => (hull(128, 1), hull(128, 2), Approach::Any),
        "box-100k" => (toroid(100_000), cuboid(HALF).expect("legal sizes"), Approach::Any),
        "capsule-100k" => (toroid(100_000), pill(), Approach::Any),
        _ => return None,
    };
    Some(Case { name: name.into(), a, b, approach })
}

/// A supertoroid of about `triangles` triangles, 2.8 m across.
pub fn toroid(triangles: u64) -> TriMesh {
    supertoroid(1.0, 0.4, 0.8, 0.7, torus_segments(triangles)).expect("legal parameters")
}

/// A bumpy sphere of about `triangles` triangles and 1 m radius.
pub fn bumpy(triangles: u64) -> TriMesh {
    bumpy_sphere(1.0, 0.2, 5.0, sphere_segments(triangles)).expect("legal parameters")
}

/// The hull of random points on the unit sphere.
fn hull(corners: usize, seed: u64) -> TriMesh {
    let mut random = Random(seed);
    let points: Vec<Vec3> = (0..corners).map(|_| random.direction()).collect();
    let hull = ConvexHull::new(&points).expect("finite points");
    TriMesh::new(points, hull.triangles().to_vec()).expect("a closed mesh")
}

/// A mesh inside the capsule, which steers it.
fn pill() -> TriMesh {
    let [radius, half_height] = ROUND;
    capsule(radius, half_height, 64).expect("legal sizes")
}

/// A spur gear of module 5 mm with 256 triangles a tooth.
fn wheel(teeth: u32) -> TriMesh {
    gear(teeth, 0.005, 0.349, 0.0002, 0.02, 0.03, 8).expect("legal parameters")
}

/// A plate of 300 × 200 × 5 mm with 70 holes, 9,588 triangles.
fn sheet() -> TriMesh {
    plate([0.3, 0.2, 0.005], [10, 7], 0.015, 32).expect("legal parameters")
}

/// An L of two thin plates with a hole in each, 4,028 triangles.
fn angle() -> TriMesh {
    bracket([0.2, 0.15, 0.2], 0.005, Some(0.1), Some(0.12), 500).expect("legal parameters")
}

/// A case from two mesh files; b is scaled to the box diagonal of a, as files come in any unit.
///
/// # Errors
/// What is wrong with a file, in words.
pub fn from_files(paths: &[PathBuf]) -> Result<Case, String> {
    let [path_a, path_b] = paths else {
        return Err(format!("{} mesh files given: give two", paths.len()));
    };
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = format!("{}-{}", stem(path_a), stem(path_b));
    let (a, b) = (read(path_a)?, read(path_b)?);
    let factor = a.bounds().half_extents().length() / b.bounds().half_extents().length();
    let b = b.scaled(factor).map_err(|error| format!("{}: {error}", path_b.display()))?;
    Ok(Case { name, a, b, approach: Approach::Any })
}

fn read(path: &PathBuf) -> Result<TriMesh, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let format = heurt_io::Format::detect(&bytes).ok_or(format!("{}: no mesh format", path.display()))?;
    let model = heurt_io::read(&bytes, format).map_err(|error| format!("{}: {error}", path.display()))?;
    model.flattened().map_err(|error| format!("{}: {error}", path.display()))
}
