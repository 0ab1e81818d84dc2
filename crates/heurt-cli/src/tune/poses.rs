//! Poses for tuning: given, or searched so that two parts nearly or barely touch.

use super::search::Meeting;
use crate::{Failure, load};
use heurt::geometry::{Pose, SplitMix64};
use heurt::scene::describe::Fields;
use heurt::scene::describe::parse_json;
use heurt::scene::describe::read_pose;
use heurt::shape::MeshShape;
use std::path::Path;
use std::time::{Duration, Instant};

/// Poses of the first and the second part.
pub(crate) type Placement = [Pose; 2];

/// Poses in three sets: no pose is in two of them, and every kind is in each.
pub(crate) struct Poses {
    /// Poses on which all rows of the table are measured.
    pub(crate) seen: Vec<Placement>,
    /// Poses on which the rows close to the fastest are measured, too, before one is chosen.
    pub(crate) held: Vec<Placement>,
    /// Poses that took no part in the choice, for its evaluation.
    pub(crate) unseen: Vec<Placement>,
}

impl Poses {
    /// Distributes placements over the three sets in turn.
    pub(crate) fn dealt(placements: &[Placement]) -> Self {
        let every_third = |first: usize| placements.iter().skip(first).step_by(3).copied().collect();
        // The first of two placements is for the choice, the second for its evaluation.
        Self { seen: every_third(0), unseen: every_third(1), held: every_third(2) }
    }
}

/// Reads placements, one a line.
pub(crate) fn read(path: &Path) -> Result<Vec<Placement>, Failure> {
    let bytes = load::read_bytes(path)?;
    // Some editors begin a text with a byte-order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let mut placements = Vec::new();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let placement = placement(line);
        placements.push(placement.map_err(|reason| Failure::BadMotion {
            path: path.to_owned(),
            line: number + 1,
            reason,
        })?);
    }
    match placements.len() {
        found @ 0..2 => Err(Failure::TooFewPoses { found }),
        _ => Ok(placements),
    }
}

fn placement(line: &[u8]) -> Result<Placement, String> {
    let (value, repeated) = parse_json(line).map_err(|error| without_place(&error))?;
    if let Some(field) = repeated {
        return Err(format!("the field {field} is given twice"));
    }
    let mut fields = Fields::open("", value).map_err(|error| error.to_string())?;
    fields.only(&[&["pose_a", "pose_b"]]).map_err(|error| error.to_string())?;
    let mut one = |name| fields.optional(name, read_pose).map_err(|error| error.to_string());
    Ok([one("pose_a")?.unwrap_or(Pose::IDENTITY), one("pose_b")?.unwrap_or(Pose::IDENTITY)])
}

/// Returns the error of a line of JSON with its column only: the parser does not have its line in the file.
fn without_place(error: &serde_json::Error) -> String {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match words.strip_suffix(&place) {
        Some(words) => format!("column {}: {words}", error.column()),
        None => words,
    }
}

/// Gap of parts that nearly touch and depth of parts that barely overlap, as a share of the smaller part's size. At
/// this depth even a small part is not yet inside a large one, where surfaces do not meet.
const NEAR: f64 = 0.01;

/// Searches for poses in which the parts nearly touch and in which they barely overlap, three of each kind in turn, for
/// at most `patience`.
///
/// # Errors
/// [`Failure::NoContact`] if there are fewer than two.
pub(crate) fn search(
    a: &MeshShape,
    b: &MeshShape,
    count: u32,
    seed: u64,
    patience: Duration,
) -> Result<Vec<Placement>, Failure> {
    let meeting = Meeting::new(a, b, Some(Instant::now() + patience));
    let mut random = SplitMix64::new(seed);
    let mut found = Vec::new();
    let mut tried = 0;
    // If parts never touch along a line of approach (a hole, no surface), another line is tried.
    while tried < 2 * count && found.len() < count as usize && !meeting.is_over() {
        tried += 1;
        let Some(approach) = meeting.approach(&mut random) else { continue };
        let near = || Some(approach.at(NEAR)?).filter(|placed| meeting.touch(placed) == Some(false));
        // If a wall is thin, the second part comes out behind it unless the depth is smaller.
        let deep = || {
            let depths = [NEAR, NEAR / 8.0].into_iter();
            depths.filter_map(|depth| approach.at(-depth)).find(|placed| meeting.touch(placed) == Some(true))
        };
        found.extend(if found.len() / 3 % 2 == 0 { near().or_else(deep) } else { deep().or_else(near) });
    }
    if found.len() < 2 {
        let when = if meeting.is_over() { " within the time limit" } else { "" };
        return Err(Failure::NoContact { found: found.len(), tried, when });
    }
    Ok(found)
}

/// Shuffles the poses of a motion, reproducibly, so that the first few represent all of them.
pub(crate) fn shuffle(placements: &mut [Placement], seed: u64) {
    let mut random = SplitMix64::new(seed);
    for i in (1..placements.len()).rev() {
        placements.swap(i, random.below(i + 1));
    }
}

/// Draws a unit vector of `N` dimensions, uniform over directions.
pub(crate) fn draw_direction<const N: usize>(random: &mut SplitMix64) -> [f64; N] {
    loop {
        let v = [0; N].map(|_| 2.0 * random.unit() - 1.0);
        let norm_sq: f64 = v.iter().map(|x| x * x).sum();
        if (1e-4..=1.0).contains(&norm_sq) {
            return v.map(|x| x / norm_sq.sqrt());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt::geometry::Vec3;
    use heurt::mesh::{TriMesh, generate};
    use heurt::query::overlap;

    fn hollow(mesh: TriMesh) -> MeshShape {
        MeshShape::new(mesh).and_then(|shape| shape.with_solid(false)).unwrap()
    }

    fn cube(size: f64) -> MeshShape {
        let (vertices, triangles) = generate::cuboid([0.5; 3]).unwrap().into_parts();
        // Sizes are requested that the generator refuses.
        hollow(TriMesh::new(vertices.into_iter().map(|v| v * size).collect(), triangles).unwrap())
    }

    #[test]
    fn parts_of_any_sizes_nearly_and_barely_touch() {
        for (size_a, size_b) in [(1.0, 1.0), (1.0, 1e-3), (1e-6, 1.0), (58.0, 1.0), (1e160, 1e160), (1e-200, 1e-200)] {
            let (a, b) = (cube(size_a), cube(size_b));
            let found = search(&a, &b, 36, 1, Duration::from_secs(3600)).unwrap();
            assert_eq!(found.len(), 36, "{size_a} against {size_b}");
            let touching = found.iter().filter(|[pose_a, pose_b]| overlap(&a, pose_a, &b, pose_b).is_some()).count();
            assert_eq!(touching, 18, "{size_a} against {size_b}: surfaces meet in one half of the poses");
        }
    }

    #[test]
    fn poses_are_dealt_out_in_three() {
        let pose = |x: f64| [Pose::IDENTITY, Pose::from_translation(Vec3::new(x, 0.0, 0.0)).unwrap()];
        let all: Vec<Placement> = (0..8).map(|i| pose(f64::from(i))).collect();
        let Poses { seen, held, unseen } = Poses::dealt(&all);
        assert_eq!([seen.len(), held.len(), unseen.len()], [3, 2, 3]);
        let Poses { seen, held, unseen } = Poses::dealt(&all[..2]);
        assert_eq!([seen.len(), held.len(), unseen.len()], [1, 0, 1]);
        let mut shuffled = all.clone();
        shuffle(&mut shuffled, 1);
        assert!(shuffled != all && all.iter().all(|placement| shuffled.contains(placement)));
    }
}
