//! Synthetic world for broad-phase measurements: cubes that move in a room, at constant density for any count.
//!
//! In: count, speed, sizes, seed. Out: all boxes, and the moves of each step. Edges are approximately 1. Coordinates
//! are `f64` that are representable as `f32`, so libraries of either kind get the same boxes.
//! Method: the room is sized so that a box meets 1.5 others on the mean; each box moves in a straight line and is
//! reflected at the walls. Guarantees: the same on every machine for the same seed.

use crate::Move;
use heurt_geometry::{Aabb, SplitMix64, Vec3};

/// Motion and sizes of the boxes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion {
    /// Motion a step, in edges of the box.
    pub speed: f64,
    /// The share of boxes that move in a step.
    pub moving: f64,
    /// Edges are drawn between 1 over this and this, evenly in logarithm.
    pub spread: f64,
}

impl Default for Motion {
    /// All boxes move by a hundredth of their edges, as in steps of a sixtieth of a second.
    fn default() -> Self {
        Self { speed: 0.01, moving: 1.0, spread: 1.25 }
    }
}

/// The moving boxes. The ids of their moves are their indices in the list.
///
/// ```
/// use heurt_broad::bench_world::{Motion, MovingBoxes};
///
/// let mut world = MovingBoxes::new(Motion::default(), 100, 1);
/// let before = world.boxes().to_vec();
/// world.advance();
/// assert_eq!(world.moves().len(), 100);
/// assert_ne!(world.boxes(), before);
/// ```
#[derive(Debug, Clone)]
pub struct MovingBoxes {
    motion: Motion,
    room: f64,
    centres: Vec<Vec3>,
    halves: Vec<f64>,
    velocities: Vec<Vec3>,
    random: SplitMix64,
    boxes: Vec<Aabb>,
    moves: Vec<Move>,
}

impl MovingBoxes {
    /// Places `count` boxes. The spread of the motion is at least 1, its speed at least 0, both finite.
    pub fn new(motion: Motion, count: usize, seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let reach = motion.spread.ln();
        let halves: Vec<f64> = (0..count).map(|_| random.between(-reach, reach).exp() * 0.5).collect();
        // Box i meets box j with the probability (e_i + e_j)³ / room³.
        let moment = |power: i32| halves.iter().map(|half| (2.0 * half).powi(power)).sum::<f64>() / count as f64;
        let volume = 2.0 * moment(3) + 6.0 * moment(1) * moment(2);
        let room = (volume * count as f64 / 1.5).cbrt();
        let centres = (0..count).map(|_| random.vector(0.0, room)).collect();
        let velocities = halves.iter().map(|half| draw_direction(&mut random) * (motion.speed * 2.0 * half)).collect();
        let mut world = Self { motion, room, centres, halves, velocities, random, boxes: vec![], moves: vec![] };
        world.boxes = (0..count).map(|i| world.bounds(i)).collect();
        world
    }

    /// Returns all boxes now.
    pub fn boxes(&self) -> &[Aabb] {
        &self.boxes
    }

    /// Returns the moves of the last step.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    fn bounds(&self, i: usize) -> Aabb {
        let half = Vec3::splat(self.halves[i]);
        let round = |v: Vec3| Vec3::from_array(v.to_array().map(|x| f64::from(x as f32)));
        Aabb { min: round(self.centres[i] - half), max: round(self.centres[i] + half) }
    }

    /// Advances by one step.
    pub fn advance(&mut self) {
        self.moves.clear();
        for i in 0..self.boxes.len() {
            if self.motion.moving < 1.0 && self.random.unit() > self.motion.moving {
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

/// Draws a unit vector, uniform over directions.
fn draw_direction(random: &mut SplitMix64) -> Vec3 {
    for _ in 0..1000 {
        let v = random.vector(-1.0, 1.0);
        if (0.01..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
    Vec3::X
}
