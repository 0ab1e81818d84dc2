//! Poses to tune on: given, or found where two parts nearly and where they barely touch.

use crate::query::fields::Fields;
use crate::query::json;
use crate::{Failure, load, pose};
use heurt::geometry::{Pose, Vec3};
use heurt::query::overlap;
use heurt::shape::MeshShape;
use std::path::Path;

/// Where the first and the second part stand.
pub(crate) type Placement = [Pose; 2];

/// Reads placements, one a line.
pub(crate) fn read(path: &Path) -> Result<Vec<Placement>, Failure> {
    let bytes = load::read_bytes(path)?;
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
    Ok(placements)
}

fn placement(line: &[u8]) -> Result<Placement, String> {
    let (value, repeated) = json::parse(line).map_err(|error| error.to_string())?;
    if let Some(field) = repeated {
        return Err(format!("{field} is given twice"));
    }
    let mut fields = Fields::open("", value).map_err(|error| error.to_string())?;
    fields.only(&[&["pose_a", "pose_b"]]).map_err(|error| error.to_string())?;
    let mut one = |name| fields.optional(name, pose::from_json).map_err(|error| error.to_string());
    Ok([one("pose_a")?.unwrap_or(Pose::IDENTITY), one("pose_b")?.unwrap_or(Pose::IDENTITY)])
}

/// The distance at which two parts are near, as a share of the larger one's size; as deep they overlap in the other half.
const NEAR: f64 = 0.01;

/// Looks for poses in which the parts nearly touch and in which they barely overlap, by turns.
pub(crate) fn search(a: &MeshShape, b: &MeshShape, count: u32, seed: u64) -> Vec<Placement> {
    let mut random = Random(seed);
    let mut found = Vec::new();
    // Parts that never touch along a line of approach (nothing there, a hole) are met again from elsewhere.
    for _ in 0..2 * count {
        if found.len() >= count as usize {
            break;
        }
        let Some(approach) = Approach::new(a, b, &mut random) else { continue };
        // Seen and unseen poses take turns, so both get both kinds.
        let outward = if found.len() / 2 % 2 == 0 { NEAR } else { -NEAR };
        found.extend(approach.at(outward));
    }
    found
}

/// A line along which the second part comes to the first, and where they first touch.
pub(crate) struct Approach {
    turn: [f64; 4],
    /// From the centre of the first to that of the second, where they touch.
    contact: f64,
    direction: Vec3,
    centres: [Vec3; 2],
    size: f64,
}

impl Approach {
    /// Takes a random direction and turn and finds the contact by bisection; `None` where the parts pass each other.
    pub(crate) fn new(a: &MeshShape, b: &MeshShape, random: &mut Random) -> Option<Self> {
        let (bounds_a, bounds_b) = (a.bounds(), b.bounds());
        let [radius_a, radius_b] = [bounds_a, bounds_b].map(|bounds| bounds.half_extents().length());
        let size = 2.0 * radius_a.max(radius_b);
        let mut approach = Self {
            turn: random.quaternion(),
            contact: 0.0,
            direction: random.direction(),
            centres: [bounds_a.centre(), bounds_b.centre()],
            size,
        };
        let touches = |approach: &Self| {
            approach.at(0.0).is_some_and(|[pose_a, pose_b]| overlap(a, &pose_a, b, &pose_b).is_some())
        };
        // From outside inward to the first step that touches, then halves.
        const STEPS: u32 = 32;
        let outside = 1.01 * (radius_a + radius_b);
        let mut far = outside;
        for step in 1..=STEPS {
            approach.contact = outside * (1.0 - f64::from(step) / f64::from(STEPS));
            if touches(&approach) {
                let mut near = approach.contact;
                for _ in 0..20 {
                    approach.contact = (near + far) / 2.0;
                    if touches(&approach) { near = approach.contact } else { far = approach.contact }
                }
                approach.contact = (near + far) / 2.0;
                return Some(approach);
            }
            far = approach.contact;
        }
        None
    }

    /// The placement `outward` from the contact, as a share of the larger part's size.
    pub(crate) fn at(&self, outward: f64) -> Option<Placement> {
        let turn = Pose::from_quaternion(self.turn, Vec3::ZERO).ok()?;
        let centre = self.centres[0] + self.direction * (self.contact + outward * self.size);
        let pose_b = Pose::from_quaternion(self.turn, centre - turn.place(self.centres[1])).ok()?;
        Some([Pose::IDENTITY, pose_b])
    }
}

/// A small generator of random numbers: the same on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn unit(&mut self) -> f64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.unit(), self.unit(), self.unit()) * 2.0 - Vec3::ONE;
            if (1e-4..=1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    fn quaternion(&mut self) -> [f64; 4] {
        loop {
            let q = [0; 4].map(|_| 2.0 * self.unit() - 1.0);
            let norm_sq: f64 = q.iter().map(|x| x * x).sum();
            if (1e-4..=1.0).contains(&norm_sq) {
                return q.map(|x| x / norm_sq.sqrt());
            }
        }
    }
}
