//! Seeded poses in three regimes, and the exact answers that go with them.
//!
//! Method: b is turned (see `Approach`), set far out along a direction from a's middle and moved inward in steps of half
//! a percent of the size until the surfaces meet; bisection then finds the place of first contact. `near` is that place
//! moved out by 1% of the size (the gap is measured along the direction: the true one is at most that), `overlap` the same
//! distance inward, `far` three sizes further out. Then the whole scene is placed at random, so that neither mesh stands
//! at the identity. The size is the larger box diagonal of the two.
//! The collision test that steers this is parry's tree in `f64`; the exact answers come from `referee`.

use crate::meshes::{Approach, Case};
use crate::peers::parry::double;
use crate::random::Random;
use heurt_geometry::{Quat, Vec3};

/// A rotation quaternion `[x, y, z, w]` and a translation.
pub type Numbers = [f64; 7];

/// Where a and b stand.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    /// Places a in the world.
    pub a: Numbers,
    /// Places b in the world.
    pub b: Numbers,
}

/// How close the two meshes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Regime {
    /// Several sizes apart.
    Far,
    /// About 1% of the size apart.
    Near,
    /// About 1% of the size inside each other.
    Overlap,
}

impl Regime {
    /// All regimes.
    pub const ALL: [Self; 3] = [Self::Far, Self::Near, Self::Overlap];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Far => "far",
            Self::Near => "near",
            Self::Overlap => "overlap",
        }
    }
}

/// How many poses there are in each regime.
pub const COUNT: usize = 200;
/// What near and overlapping mean, as a share of the size.
const SHARE: f64 = 0.01;

/// Draws before giving up on a case: most of them succeed on meshes of like size.
const MAX_DRAWS: usize = 20 * COUNT;

/// Makes the poses of all regimes, in the order of [`Regime::ALL`].
///
/// # Errors
/// When too few of the drawn poses bring the two meshes into contact.
pub fn generate(case: &Case, seed: u64) -> Result<[Vec<Placement>; 3], String> {
    let (a, b) = (double::Mesh::new(&case.a), double::Mesh::new(&case.b));
    let slide =
        Slide { a, b, size: diagonal(case), centre: case.a.bounds().centre(), offset: case.b.bounds().centre() };
    let mut random = Random(seed);
    let mut poses = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..MAX_DRAWS {
        let (turn, direction) = start(case.approach, &mut random);
        let scene = (random.rotation(), random.cube() * (3.0 * slide.size));
        let Some(distances) = slide.distances(turn, direction) else {
            continue;
        };
        for (list, distance) in poses.iter_mut().zip(distances) {
            list.push(in_scene(scene, turn, slide.translation(turn, direction, distance)));
        }
        if poses[0].len() == COUNT {
            return Ok(poses);
        }
    }
    Err(format!("{}: only {} of {MAX_DRAWS} draws gave poses in contact", case.name, poses[0].len()))
}

/// The size of a case: the larger box diagonal.
pub fn diagonal(case: &Case) -> f64 {
    let length = |bounds: &heurt_geometry::Aabb| 2.0 * bounds.half_extents().length();
    length(&case.a.bounds()).max(length(&case.b.bounds()))
}

fn start(approach: Approach, random: &mut Random) -> (Quat, Vec3) {
    let two_degrees = 2f64.to_radians();
    match approach {
        Approach::Any => (random.rotation(), random.direction()),
        Approach::Beside => {
            let turn = random.tilted(two_degrees);
            let across = Quat::from_rotation_z(random.unit() * std::f64::consts::TAU) * Vec3::X;
            (turn, across)
        }
        Approach::Stacked => {
            let turn = random.tilted(two_degrees);
            (turn, (random.cube() * 0.3 * Vec3::new(1.0, 1.0, 0.0) + Vec3::Z).normalize())
        }
    }
}

/// b on its way to a.
struct Slide {
    a: double::Mesh,
    b: double::Mesh,
    size: f64,
    centre: Vec3,
    offset: Vec3,
}

impl Slide {
    /// The translation that puts the middle of the turned b at `distance` from the middle of a.
    fn translation(&self, turn: Quat, direction: Vec3, distance: f64) -> Vec3 {
        self.centre + direction * distance - turn * self.offset
    }

    fn hits(&self, turn: Quat, direction: Vec3, distance: f64) -> bool {
        let at = numbers(turn, self.translation(turn, direction, distance));
        self.a.first_hit(&double::pose(&numbers(Quat::IDENTITY, Vec3::ZERO)), &self.b, &double::pose(&at))
    }

    /// The distances of the three regimes; none when the two never meet or only graze.
    fn distances(&self, turn: Quat, direction: Vec3) -> Option<[f64; 3]> {
        let step = 0.005 * self.size;
        let (mut outside, mut inside) = (1.01 * self.size, 1.01 * self.size - step);
        while !self.hits(turn, direction, inside) {
            (outside, inside) = (inside, inside - step);
            if inside < 0.0 {
                return None;
            }
        }
        for _ in 0..40 {
            let middle = 0.5 * (outside + inside);
            if self.hits(turn, direction, middle) { inside = middle } else { outside = middle }
        }
        let share = SHARE * self.size;
        let distances = [outside + 3.0 * self.size, outside + share, inside - share];
        let right = !self.hits(turn, direction, distances[1]) && self.hits(turn, direction, distances[2]);
        right.then_some(distances)
    }
}

fn in_scene((rotation, shift): (Quat, Vec3), turn: Quat, translation: Vec3) -> Placement {
    let b = numbers((rotation * turn).normalize(), rotation * translation + shift);
    Placement { a: numbers(rotation, shift), b }
}

fn numbers(turn: Quat, translation: Vec3) -> Numbers {
    let [x, y, z, w] = turn.to_array();
    [x, y, z, w, translation.x, translation.y, translation.z]
}
