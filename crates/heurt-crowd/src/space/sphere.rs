//! Coulomb start: points spread over the unit sphere (S4 §9.1.1; Thomson 1904).
//!
//! In: a number of points, a seed. Out: unit vectors.
//! Method: random points, uniform on the sphere, follow the forces 1/d² between them. S4 moves them along the forces;
//! here limited-memory BFGS (Nocedal 1980) chooses each step, with tangents of the sphere as gradients. A step is
//! halved until it lowers the energy enough. Points come back to the sphere by their length.
//! It ends when a step lowers the energy Σ 1/d by less than 1e-15 of it, for more than [`EXACT_COUNT`] points by less
//! than 1e-6 of it, or after [`MOST_STEPS`] steps.
//! Guarantees: the same bits for any number of threads. Not guaranteed: the least energy of all; an equilibrium can be
//! a local one, whose energy is larger by some thousandths or less.
//! Cost: O(n²) a step, in parallel; 5,000 points take some seconds.

use heurt_geometry::{SplitMix64, Vec3};
use rayon::prelude::*;
use std::collections::VecDeque;

/// Up to this many points, the equilibrium is exact to rounding.
const EXACT_COUNT: usize = 256;

/// The most steps: 5,000 points need less than 100.
const MOST_STEPS: usize = 2000;

/// How many steps the minimiser remembers.
const MEMORY: usize = 8;

/// Squares of distances are no smaller, so that two points at one place push each other off finitely.
const LEAST_SQUARE: f64 = 1e-24;

/// Spreads points over the unit sphere: an equilibrium of the forces of Coulomb.
///
/// ```
/// use heurt_crowd::space::{coulomb_energy, spread_on_sphere};
/// let octahedron = spread_on_sphere(6, 1);
/// assert!((coulomb_energy(&octahedron) - 9.985281374).abs() < 1e-9);
/// ```
pub fn spread_on_sphere(count: usize, seed: u64) -> Vec<Vec3> {
    let mut random = SplitMix64::new(seed);
    let mut points: Vec<Vec3> = (0..count).map(|_| random_direction(&mut random)).collect();
    if count < 2 {
        return points;
    }
    let least_gain = if count <= EXACT_COUNT { 1e-15 } else { 1e-6 };
    let (mut energy, mut gradient) = energy_and_gradient(&points);
    let mut memory = Memory::default();
    for _ in 0..MOST_STEPS {
        let mut direction = memory.direction(&gradient);
        project(&mut direction, &points);
        let mut slope = dot(&gradient, &direction);
        if slope >= 0.0 {
            // Rounding, or a memory of far away: along the forces.
            memory = Memory::default();
            direction = gradient.iter().map(|g| -*g).collect();
            slope = -dot(&gradient, &gradient);
        }
        let Some(next) = search_line((&points, energy, &gradient), &direction, slope, memory.is_empty()) else { break };
        let gain = energy - next.energy;
        memory.remember(&points, &gradient, &next);
        (points, energy, gradient) = (next.points, next.energy, next.gradient);
        if gain < least_gain * energy {
            break;
        }
    }
    points
}

/// Computes the energy of charges at points: the sum of 1/d over all pairs. Two at one place count as 1e-12 from each
/// other.
pub fn coulomb_energy(points: &[Vec3]) -> f64 {
    energy_and_gradient(points).0
}

/// Draws a direction, all equally probable.
pub(super) fn random_direction(random: &mut SplitMix64) -> Vec3 {
    let (height, angle) = (random.between(-1.0, 1.0), std::f64::consts::TAU * random.unit());
    let radius = (1.0 - height * height).max(0.0).sqrt();
    Vec3::new(radius * libm::cos(angle), radius * libm::sin(angle), height)
}

/// A state after a step.
struct Stage {
    points: Vec<Vec3>,
    energy: f64,
    gradient: Vec<Vec3>,
}

/// Takes a step along a direction that lowers the energy enough (Armijo), halved as often as it takes; `None` if none
/// does, at an equilibrium.
fn search_line(
    (points, energy, gradient): (&[Vec3], f64, &[Vec3]),
    direction: &[Vec3],
    slope: f64,
    is_first: bool,
) -> Option<Stage> {
    // Points move by no more than half their mean distance, the first time by a tenth.
    let spacing = (4.0 * std::f64::consts::PI / points.len() as f64).sqrt();
    let longest = direction.iter().map(|d| d.length()).fold(0.0, f64::max);
    let most = if is_first { 0.1 } else { 0.5 } * spacing;
    let mut length = if is_first { most / longest } else { (most / longest).min(1.0) };
    if longest == 0.0 || gradient.is_empty() {
        return None;
    }
    for _ in 0..30 {
        let moved: Vec<Vec3> =
            points.iter().zip(direction).map(|(point, along)| (*point + *along * length).normalize()).collect();
        let (after, gradient) = energy_and_gradient(&moved);
        if after <= energy + 1e-4 * length * slope {
            return Some(Stage { points: moved, energy: after, gradient });
        }
        length *= 0.5;
    }
    None
}

/// The last steps, and the changes of the gradient in them.
#[derive(Default)]
struct Memory {
    pairs: VecDeque<(Vec<Vec3>, Vec<Vec3>, f64)>,
}

impl Memory {
    fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Remembers a step, if the gradient grew along it.
    fn remember(&mut self, points: &[Vec3], gradient: &[Vec3], next: &Stage) {
        let step: Vec<Vec3> = next.points.iter().zip(points).map(|(a, b)| *a - *b).collect();
        let change: Vec<Vec3> = next.gradient.iter().zip(gradient).map(|(a, b)| *a - *b).collect();
        let curvature = dot(&step, &change);
        if curvature > 1e-12 * dot(&change, &change) {
            self.pairs.push_back((step, change, 1.0 / curvature));
            if self.pairs.len() > MEMORY {
                self.pairs.pop_front();
            }
        }
    }

    /// Computes the direction of the next step.
    fn direction(&self, gradient: &[Vec3]) -> Vec<Vec3> {
        let mut direction: Vec<Vec3> = gradient.iter().map(|g| -*g).collect();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (step, change, inverse) in self.pairs.iter().rev() {
            let share = inverse * dot(step, &direction);
            add(&mut direction, change, -share);
            shares.push(share);
        }
        if let Some((step, change, _)) = self.pairs.back() {
            let scale = dot(step, change) / dot(change, change);
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for ((step, change, inverse), share) in self.pairs.iter().zip(shares.iter().rev()) {
            let back = inverse * dot(change, &direction);
            add(&mut direction, step, share - back);
        }
        direction
    }
}

fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).fold(0.0, |sum, x| sum + x)
}

fn add(to: &mut [Vec3], what: &[Vec3], times: f64) {
    to.iter_mut().zip(what).for_each(|(to, what)| *to += *what * times);
}

/// Takes the parts along the radii away.
fn project(directions: &mut [Vec3], points: &[Vec3]) {
    directions.iter_mut().zip(points).for_each(|(along, point)| *along -= *point * along.dot(*point));
}

/// Computes the energy, and its gradient along the sphere.
fn energy_and_gradient(points: &[Vec3]) -> (f64, Vec<Vec3>) {
    let [xs, ys, zs] = [0, 1, 2].map(|axis| points.iter().map(|p| p[axis]).collect::<Vec<f64>>());
    let at = |place: usize| {
        let (here, mut sum) = (points[place], Sum::default());
        sum.add(here, [&xs[..place], &ys[..place], &zs[..place]]);
        sum.add(here, [&xs[place + 1..], &ys[place + 1..], &zs[place + 1..]]);
        let (energy, force) = sum.total();
        (energy, here * force.dot(here) - force)
    };
    let each: Vec<(f64, Vec3)> = (0..points.len()).into_par_iter().with_min_len(32).map(at).collect();
    // Each pair was counted twice.
    let energy = 0.5 * each.iter().fold(0.0, |sum, (energy, _)| sum + energy);
    (energy, each.into_iter().map(|(_, gradient)| gradient).collect())
}

/// Sums of 1/d and of forces, in lanes: the order of the sums is fixed.
#[derive(Default)]
struct Sum {
    energy: [f64; LANES],
    force: [[f64; LANES]; 3],
}

const LANES: usize = 4;

impl Sum {
    fn add(&mut self, here: Vec3, [xs, ys, zs]: [&[f64]; 3]) {
        let whole = xs.len() / LANES * LANES;
        let chunks = xs.chunks_exact(LANES).zip(ys.chunks_exact(LANES)).zip(zs.chunks_exact(LANES));
        for ((x, y), z) in chunks {
            let mut offset = [[0.0; LANES]; 3];
            for lane in 0..LANES {
                offset[0][lane] = here.x - x[lane];
                offset[1][lane] = here.y - y[lane];
                offset[2][lane] = here.z - z[lane];
            }
            self.add_lanes(&offset);
        }
        for place in whole..xs.len() {
            self.add_one(place - whole, here - Vec3::new(xs[place], ys[place], zs[place]));
        }
    }

    #[inline]
    fn add_lanes(&mut self, offset: &[[f64; LANES]; 3]) {
        let mut inverse = [0.0; LANES];
        let mut push = [0.0; LANES];
        for lane in 0..LANES {
            let [x, y, z] = [offset[0][lane], offset[1][lane], offset[2][lane]];
            let square = (x * x + y * y + z * z).max(LEAST_SQUARE);
            inverse[lane] = 1.0 / square.sqrt();
            push[lane] = inverse[lane] / square;
        }
        for lane in 0..LANES {
            self.energy[lane] += inverse[lane];
            self.force[0][lane] += offset[0][lane] * push[lane];
            self.force[1][lane] += offset[1][lane] * push[lane];
            self.force[2][lane] += offset[2][lane] * push[lane];
        }
    }

    fn add_one(&mut self, lane: usize, offset: Vec3) {
        let square = offset.dot(offset).max(LEAST_SQUARE);
        let inverse = 1.0 / square.sqrt();
        let push = inverse / square;
        self.energy[lane] += inverse;
        self.force[0][lane] += offset.x * push;
        self.force[1][lane] += offset.y * push;
        self.force[2][lane] += offset.z * push;
    }

    fn total(&self) -> (f64, Vec3) {
        let sum = |lanes: &[f64; LANES]| (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        (sum(&self.energy), Vec3::new(sum(&self.force[0]), sum(&self.force[1]), sum(&self.force[2])))
    }
}
