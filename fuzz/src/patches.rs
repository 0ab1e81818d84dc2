//! What must hold for any text of surface patches.

use crate::{MEMORY, Target, check_costs};
use heurt_solid::{PatchError, PatchSet};
use std::time::Instant;

/// The largest number of control points of which a mesh is made: each input takes little time.
const MAX_POINTS: usize = 256;
/// The largest number of triangles of such a mesh, for the same reason: weights of very different sizes need many.
const MAX_TRIANGLES: u64 = 1 << 14;

/// Reads a text, and checks that the patches read back from JSON, and that a mesh meets its tolerance.
pub fn outcome(bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else { return "no text".to_owned() };
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let answer = PatchSet::from_json(text);
    check_costs(Target::Patches, bytes.len(), before, start);
    match answer {
        Ok(set) => {
            assert_eq!(PatchSet::from_json(&set.to_json()).as_ref(), Ok(&set), "what is written reads back");
            mesh_of(&set, bytes.len())
        }
        Err(error) => refusal(&error, bytes.len()),
    }
}

/// Makes a mesh of the patches with a tolerance of a part of their size.
fn mesh_of(set: &PatchSet, bytes: usize) -> String {
    let points = || set.patches().iter().flat_map(|patch| patch.points().iter().flatten());
    if points().count() > MAX_POINTS {
        return "many points".to_owned();
    }
    let size = points().map(|point| point.abs().max_element()).fold(0.0, f64::max);
    let tolerance = 0.25 * size;
    for patch in set.patches() {
        let [u, v] = [0, 1].map(|axis| patch.knots(axis)[0]);
        let corner = patch.point_at(u, v).expect("the first knots are parameters");
        assert!((corner - patch.points()[0][0]).length() <= 1e-12 * size, "a corner is its control point");
    }
    if set.count_triangles(tolerance).is_ok_and(|count| count > MAX_TRIANGLES) {
        return "a fine mesh".to_owned();
    }
    match set.tessellate(tolerance) {
        Ok(found) => {
            assert!(found.deviation <= tolerance && found.mesh.triangles().len() as u64 <= MAX_TRIANGLES);
            let [least, most] = found.segments;
            assert!(least.is_power_of_two() && most.is_power_of_two() && least <= most);
            // The surface is in the hull of the control points.
            let is_near = |limit: f64| found.mesh.vertices().iter().all(|vertex| vertex.abs().max_element() <= limit);
            assert!(is_near(size * (1.0 + 1e-9)), "a vertex is outside the control points");
            "triangles".to_owned()
        }
        Err(error) => refusal(&error, bytes),
    }
}

/// Names an error without its values, and checks its message.
fn refusal(error: &PatchError, bytes: usize) -> String {
    let message = error.to_string();
    // The JSON reader may repeat the name of a field.
    assert!((10..600 + bytes).contains(&message.len()), "a message of {} bytes", message.len());
    match error {
        PatchError::Patch { error, .. } => refusal(error, bytes),
        PatchError::Document { message } => {
            // Quoted words of the text would make each input a kind.
            let own = message.split(['`', '"']).next().unwrap_or_default();
            own.chars().filter(|letter| letter.is_ascii_alphabetic() || *letter == ' ').take(24).collect()
        }
        other => format!("{:?}", std::mem::discriminant(other)),
    }
}
