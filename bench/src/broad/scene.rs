//! Boxes that move: the same for all contestants, in `f64` whose values are `f32`.
//!
//! In: how many, how fast, which sizes. Out: a frame at a time. Density is such that a box meets 1.5 others on the mean.

use heurt_broad::Move;
use heurt_geometry::{Aabb, Vec3};
use heurt_testkit::random::Random;

/// What moves how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kind {
    pub name: &'static str,
    /// Motion a step, in mean edges.
    pub speed: f64,
    /// The share of boxes that move in a step.
    pub moving: f64,
    /// Edges are drawn between 1 over this and this, evenly in logarithm.
    pub spread: f64,
}

/// All kinds of scenes.
pub const KINDS: [Kind; 4] = [
    Kind { name: "coherent", speed: 0.01, moving: 1.0, spread: 1.25 },
    Kind { name: "fast", speed: 0.3, moving: 1.0, spread: 1.25 },
    Kind { name: "resting", speed: 0.01, moving: 0.01, spread: 1.25 },
    Kind { name: "sizes", speed: 0.01, moving: 1.0, spread: 30.0 },
];

/// The moving boxes.
#[derive(Debug)]
pub struct Scene {
    kind: Kind,
    room: f64,
    centres: Vec<Vec3>,
    halves: Vec<f64>,
    velocities: Vec<Vec3>,
    random: Random,
    /// All boxes now.
    pub boxes: Vec<Aabb>,
    /// Those that moved in the last step.
    pub moves: Vec<Move>,
}

impl Scene {
    pub fn new(kind: Kind, count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let reach = kind.spread.ln();
        let halves: Vec<f64> = (0..count).map(|_| random.between(-reach, reach).exp() * 0.5).collect();
        // Each other box is met with the chance (e_i + e_j)³ / room³.
        let moment = |power: i32| halves.iter().map(|half| (2.0 * half).powi(power)).sum::<f64>() / count as f64;
        let volume = 2.0 * moment(3) + 6.0 * moment(1) * moment(2);
        let room = (volume * count as f64 / 1.5).cbrt();
        let inside = |random: &mut Random| Vec3::from_array([0.0; 3].map(|_: f64| random.between(0.0, room)));
        let centres = (0..count).map(|_| inside(&mut random)).collect();
        let velocities = halves.iter().map(|half| ball(&mut random) * (kind.speed * 2.0 * half)).collect();
        let mut scene = Self { kind, room, centres, halves, velocities, random, boxes: vec![], moves: vec![] };
        scene.boxes = (0..count).map(|i| scene.bounds(i)).collect();
        scene
    }

    fn bounds(&self, i: usize) -> Aabb {
        let half = Vec3::splat(self.halves[i]);
        let round = |v: Vec3| Vec3::from_array(v.to_array().map(|x| f64::from(x as f32)));
        Aabb { min: round(self.centres[i] - half), max: round(self.centres[i] + half) }
    }

    /// Moves on by one step.
    pub fn advance(&mut self) {
        self.moves.clear();
        for i in 0..self.boxes.len() {
            if self.kind.moving < 1.0 && self.random.unit() > self.kind.moving {
                continue;
            }
            let (centre, velocity) = (&mut self.centres[i], &mut self.velocities[i]);
            for k in 0..3 {
                let next = centre[k] + velocity[k];
                if !(0.0..=self.room).contains(&next) {
                    velocity[k] = -velocity[k];
                }
            }
            *centre += *velocity;
            self.boxes[i] = self.bounds(i);
            self.moves.push(Move { id: i as u32, bounds: self.boxes[i] });
        }
    }
}

/// A direction, all alike.
fn ball(random: &mut Random) -> Vec3 {
    for _ in 0..1000 {
        let v = random.vector(1.0);
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
    Vec3::X
}
