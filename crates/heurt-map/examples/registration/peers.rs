//! Neighbours within a distance, of all agents, in every step: maps next to a kd-tree, a spatial hash, a uniform grid
//! and the Delaunay graph.
//!
//! In: agents that move at random, spread evenly or half of them in a dense spot. Out: tables of times (S4 §8.3.1).
//! Method: each structure is brought up to date in each step in its own manner (maps by moves, the others built again).
//! Then it finds all pairs. The least time of all steps counts.

use crate::grid;
use heurt_geometry::Vec2;
use heurt_map::delaunay::Delaunay2;
use heurt_map::registration::{Density, EntityId, PlaneEnvironment, PointId};
use heurt_testkit::number::random::Random;
use std::collections::HashMap;
use std::time::{Duration, Instant};

const REACH: f64 = 1.0;
/// Square metres an agent: those of 10,000 agents on 64 m × 64 m.
const ROOM: f64 = 0.4096;

/// A structure that finds pairs.
trait Finder {
    /// Takes the agents' new positions.
    fn update(&mut self, at: &[Vec2]);
    /// Counts pairs within the distance, both ways.
    fn pairs(&mut self, at: &[Vec2]) -> u64;
}

/// The map; agents see the lists of their cells.
struct Map {
    env: PlaneEnvironment,
    points: Vec<PointId>,
    density: Option<Density>,
}

impl Map {
    fn new(extent: f64, side: f64, density: Option<Density>, at: &[Vec2]) -> Self {
        let mut env = grid(extent, extent, side);
        let points = at.iter().enumerate().map(|(k, &at)| {
            let entity = env.add_particle(at).expect("inside");
            assert_eq!(entity, EntityId(k as u32));
            env.points(entity).expect("registered").next().expect("a point")
        });
        let points = points.collect();
        Self { env, points, density }
    }
}

impl Finder for Map {
    fn update(&mut self, at: &[Vec2]) {
        for (&point, &at) in self.points.iter().zip(at) {
            self.env.move_point(point, at).expect("inside");
        }
        if let Some(density) = &mut self.density {
            self.env.adapt(density, usize::MAX);
        }
    }

    fn pairs(&mut self, at: &[Vec2]) -> u64 {
        let mut found = 0;
        for (&point, &own) in self.points.iter().zip(at) {
            for other in self.env.surroundings(point).expect("registered").particles.into_iter().flatten() {
                found += u64::from(at[other.0 as usize].distance_squared(own) <= REACH * REACH);
            }
        }
        found - at.len() as u64
    }
}

/// Agents sorted by the square they are in; squares as wide as the distance.
struct Uniform {
    /// Squares in a row.
    row: usize,
    begins: Vec<u32>,
    agents: Vec<u32>,
}

impl Uniform {
    fn new(extent: f64) -> Self {
        Self { row: (extent / REACH) as usize, begins: Vec::new(), agents: Vec::new() }
    }
}

fn square(at: Vec2) -> [usize; 2] {
    (at / REACH).to_array().map(|x| x as usize)
}

impl Finder for Uniform {
    fn update(&mut self, at: &[Vec2]) {
        self.begins.clear();
        let row = self.row;
        self.begins.resize(row * row + 1, 0);
        let place = |at: Vec2| {
            let [i, j] = square(at);
            i + row * j
        };
        at.iter().for_each(|&at| self.begins[place(at) + 1] += 1);
        for k in 0..row * row {
            self.begins[k + 1] += self.begins[k];
        }
        let mut next = self.begins.clone();
        self.agents.resize(at.len(), 0);
        for (k, &at) in (0..).zip(at) {
            self.agents[next[place(at)] as usize] = k;
            next[place(at)] += 1;
        }
    }

    fn pairs(&mut self, at: &[Vec2]) -> u64 {
        let mut found = 0;
        for &own in at {
            let [i, j] = square(own);
            for j in j.saturating_sub(1)..(j + 2).min(self.row) {
                let first = self.begins[i.saturating_sub(1) + self.row * j] as usize;
                let end = self.begins[(i + 2).min(self.row) + self.row * j] as usize;
                for &other in &self.agents[first..end] {
                    found += u64::from(at[other as usize].distance_squared(own) <= REACH * REACH);
                }
            }
        }
        found - at.len() as u64
    }
}

/// Squares by hash (S4 §2.4.1).
#[derive(Default)]
struct Hashed(HashMap<[usize; 2], Vec<u32>>);

impl Finder for Hashed {
    fn update(&mut self, at: &[Vec2]) {
        self.0.values_mut().for_each(Vec::clear);
        for (k, &at) in (0..).zip(at) {
            self.0.entry(square(at)).or_default().push(k);
        }
    }

    fn pairs(&mut self, at: &[Vec2]) -> u64 {
        let mut found = 0;
        for &own in at {
            let [i, j] = square(own);
            for other in
                [j.wrapping_sub(1), j, j + 1].into_iter().flat_map(|j| [[i.wrapping_sub(1), j], [i, j], [i + 1, j]])
            {
                for &other in self.0.get(&other).into_iter().flatten() {
                    found += u64::from(at[other as usize].distance_squared(own) <= REACH * REACH);
                }
            }
        }
        found - at.len() as u64
    }
}

/// A kd-tree: agents in the order of the tree, the middle of a range parts it; ranges of up to eight are leaves.
#[derive(Default)]
struct KdTree(Vec<u32>);

fn part(order: &mut [u32], axis: usize, at: &[Vec2]) {
    if order.len() > 8 {
        let middle = order.len() / 2;
        order.select_nth_unstable_by(middle, |&a, &b| at[a as usize][axis].total_cmp(&at[b as usize][axis]));
        let (low, high) = order.split_at_mut(middle);
        part(low, 1 - axis, at);
        part(&mut high[1..], 1 - axis, at);
    }
}

fn within(order: &[u32], axis: usize, at: &[Vec2], own: Vec2) -> u64 {
    let is_near = |&other: &u32| u64::from(at[other as usize].distance_squared(own) <= REACH * REACH);
    if order.len() <= 8 {
        return order.iter().map(is_near).sum();
    }
    let middle = order.len() / 2;
    let split = at[order[middle] as usize][axis];
    let mut found = is_near(&order[middle]);
    if own[axis] - REACH <= split {
        found += within(&order[..middle], 1 - axis, at, own);
    }
    if own[axis] + REACH >= split {
        found += within(&order[middle + 1..], 1 - axis, at, own);
    }
    found
}

impl Finder for KdTree {
    fn update(&mut self, at: &[Vec2]) {
        self.0.clear();
        self.0.extend(0..at.len() as u32);
        part(&mut self.0, 0, at);
    }

    fn pairs(&mut self, at: &[Vec2]) -> u64 {
        at.iter().map(|&own| within(&self.0, 0, at, own)).sum::<u64>() - at.len() as u64
    }
}

/// The Delaunay graph, built again (S4 §2.2.3). The points in a circle are connected in it, so that all points
/// within the distance are found through neighbours within it.
#[derive(Default)]
struct Graph {
    delaunay: Option<Delaunay2>,
    /// How many are at the place of each point that stands for others.
    many: Vec<u64>,
    /// By point: the last who met it.
    met: Vec<u32>,
    queue: Vec<u32>,
}

impl Finder for Graph {
    fn update(&mut self, at: &[Vec2]) {
        let delaunay = Delaunay2::new(at.to_vec()).expect("finite");
        self.many.clear();
        self.many.resize(at.len(), 0);
        (0..at.len() as u32).for_each(|k| self.many[delaunay.representative(k) as usize] += 1);
        self.delaunay = Some(delaunay);
    }

    fn pairs(&mut self, at: &[Vec2]) -> u64 {
        let delaunay = self.delaunay.as_ref().expect("updated");
        self.met.clear();
        self.met.resize(at.len(), u32::MAX);
        let mut found = 0;
        for (k, own) in (0..).zip(at) {
            let start = delaunay.representative(k);
            self.met[start as usize] = k;
            self.queue.clear();
            self.queue.push(start);
            while let Some(point) = self.queue.pop() {
                found += self.many[point as usize];
                for &next in delaunay.neighbours().of(point) {
                    let is_new = std::mem::replace(&mut self.met[next as usize], k) != k;
                    if is_new && at[next as usize].distance_squared(*own) <= REACH * REACH {
                        self.queue.push(next);
                    }
                }
            }
        }
        found - at.len() as u64
    }
}

/// A course of agents: their places in each step, the same for all structures.
struct Course {
    extent: f64,
    places: Vec<Vec<Vec2>>,
}

impl Course {
    /// Spreads agents over a square; half of them in a spot of that side, if there is one. Agents are in order of
    /// place, along a Hilbert curve, or in random order.
    fn new(count: usize, steps: usize, spot: Option<f64>, is_sorted: bool) -> Self {
        let mut random = Random::new(11);
        let extent = (ROOM * count as f64).sqrt().ceil();
        let mut start: Vec<Vec2> = (0..count)
            .map(|k| {
                let side = spot.filter(|_| k % 2 == 1).unwrap_or(extent);
                Vec2::new(random.unit(), random.unit()) * (side - 0.02) + 0.01
            })
            .collect();
        if is_sorted {
            start.sort_by_key(|&at| hilbert(at / extent));
        }
        let mut places = vec![start];
        for step in 0..steps {
            let last = places[step].iter();
            let on = |&at: &Vec2| {
                let offset = Vec2::from_angle(random.unit() * std::f64::consts::TAU) * 0.07;
                (at + offset).clamp(Vec2::splat(0.01), Vec2::splat(extent - 0.01))
            };
            places.push(last.map(on).collect());
        }
        Self { extent, places }
    }

    /// Returns the structures that find pairs, at the start of the course.
    fn finders(&self) -> Vec<(&'static str, Box<dyn Finder>)> {
        let density = Density { most: 8, least: 2, finest: 3 };
        let (extent, start) = (self.extent, &self.places[0]);
        let map = |side: f64, density| {
            // Cells cover the square: a multiple of their side.
            Box::new(Map::new((extent / side).ceil() * side, side, density, start))
        };
        vec![
            ("map, cells of 1 m", map(1.0, None)),
            ("map, cells of 4 m", map(4.0, None)),
            ("map, 8 m to 1 m by density", map(8.0, Some(density))),
            ("uniform grid of 1 m, sorted again", Box::new(Uniform::new(extent))),
            ("spatial hash of 1 m, filled again", Box::<Hashed>::default()),
            ("kd-tree, built again", Box::<KdTree>::default()),
            ("Delaunay graph, built again", Box::<Graph>::default()),
        ]
    }

    /// Measures all structures: name, least seconds of an update and of a search.
    fn measure(&self) -> Vec<(&'static str, [f64; 2])> {
        let mut pairs = None;
        let measure = |(name, mut finder): (&'static str, Box<dyn Finder>)| {
            let (mut times, mut found) = ([Duration::MAX; 2], 0);
            for at in &self.places {
                let start = Instant::now();
                finder.update(at);
                let updated = Instant::now();
                found = finder.pairs(at);
                times = [times[0].min(updated - start), times[1].min(updated.elapsed())];
            }
            assert_eq!(*pairs.get_or_insert(found), found, "{name}: all find the same");
            (name, times.map(|time| time.as_secs_f64()))
        };
        self.finders().into_iter().map(measure).collect()
    }
}

/// Returns the place of a point of the unit square along a Hilbert curve of 2³² cells.
fn hilbert(at: Vec2) -> u64 {
    let mut index = 0;
    let [mut x, mut y] = at.to_array().map(|t| (t * 65535.0) as u32);
    for bit in (0..16).rev() {
        let (right, up) = (x >> bit & 1, y >> bit & 1);
        index = index << 2 | u64::from((3 * right) ^ up);
        if up == 0 {
            if right == 1 {
                (x, y) = (!x, !y);
            }
            (x, y) = (y, x);
        }
    }
    index
}

/// Prints tables for 10,000 agents spread evenly and in a spot, and for a thousand to a million.
pub fn compare(most: usize) {
    for (name, spot) in [("evenly over 64 m × 64 m", None), ("half of them in a spot of 12 m", Some(12.0))] {
        println!("\nAll pairs of 10,000 agents within {REACH} m, {name}, in random order, steps of 0.07 m\n");
        println!("| structure | update µs | search µs | step µs |\n|---|---:|---:|---:|");
        for (name, times) in Course::new(10_000, 30, spot, false).measure() {
            let [update, search] = times.map(|time| time * 1e6);
            println!("| {name} | {update:.0} | {search:.0} | {:.0} |", update + search);
        }
    }
    for (order, is_sorted) in [("in order of place", true), ("in random order", false)] {
        let counts: Vec<usize> = (3..).map(|power| 10_usize.pow(power)).take_while(|&count| count <= most).collect();
        let heads: Vec<String> = counts.iter().map(|count| format!(" {count} |")).collect();
        println!("\nNanoseconds an agent and step, {order}, spread evenly: update and search\n");
        println!("| structure |{} exponent |\n|---|{}---:|", heads.concat(), "---:|".repeat(counts.len()));
        let measured: Vec<_> = counts
            .iter()
            .map(|&count| Course::new(count, (300_000 / count).clamp(3, 30), None, is_sorted).measure())
            .collect();
        for k in 0..measured[0].len() {
            let totals: Vec<f64> = measured.iter().map(|rows| rows[k].1.iter().sum()).collect();
            let cells: Vec<String> =
                totals.iter().zip(&counts).map(|(total, &n)| format!(" {:.0} |", total * 1e9 / n as f64)).collect();
            println!("| {} |{} {:.3} |", measured[0][k].0, cells.concat(), exponent(&counts, &totals));
        }
        let ideal: Vec<f64> = counts.iter().map(|&n| n as f64 * (n as f64).ln()).collect();
        println!("| n log n |{} {:.3} |", " |".repeat(counts.len()), exponent(&counts, &ideal));
    }
}

/// Returns the slope of the straight line through the logarithms of numbers and times (least squares).
fn exponent(counts: &[usize], times: &[f64]) -> f64 {
    let points: Vec<[f64; 2]> = counts.iter().zip(times).map(|(&n, t)| [(n as f64).ln(), t.ln()]).collect();
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let across: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    across / points.iter().map(|p| (p[0] - x).powi(2)).sum::<f64>()
}
