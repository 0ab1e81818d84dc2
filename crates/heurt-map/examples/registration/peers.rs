//! Neighbours within a distance, of all agents, every step: maps beside a kd-tree, a spatial hash, a uniform grid and
//! the Delaunay graph.
//!
//! In: agents that walk about, spread evenly or in a dense spot. Out: a table. Each structure is brought up to date in
//! each step in its own way (maps by moves, the others built anew) and then asked for all pairs.

use crate::grid;
use heurt_geometry::Vec2;
use heurt_map::delaunay::Delaunay2;
use heurt_map::registration::{Density, EntityId, PlaneEnvironment, PointId};
use heurt_testkit::number::random::Random;
use std::collections::HashMap;
use std::time::{Duration, Instant};

const SIDE: f64 = 64.0;
const REACH: f64 = 1.0;
const STEPS: usize = 30;

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
    fn new(side: f64, density: Option<Density>, at: &[Vec2]) -> Self {
        let mut env = grid(SIDE, SIDE, side);
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
#[derive(Default)]
struct Uniform {
    begins: Vec<u32>,
    agents: Vec<u32>,
}

const ROW: usize = (SIDE / REACH) as usize;

fn square(at: Vec2) -> [usize; 2] {
    (at / REACH).to_array().map(|x| (x as usize).min(ROW - 1))
}

impl Finder for Uniform {
    fn update(&mut self, at: &[Vec2]) {
        self.begins.clear();
        self.begins.resize(ROW * ROW + 1, 0);
        let place = |at: Vec2| {
            let [i, j] = square(at);
            i + ROW * j
        };
        at.iter().for_each(|&at| self.begins[place(at) + 1] += 1);
        for k in 0..ROW * ROW {
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
            for j in j.saturating_sub(1)..(j + 2).min(ROW) {
                let first = self.begins[i.saturating_sub(1) + ROW * j] as usize;
                let end = self.begins[(i + 2).min(ROW) + ROW * j] as usize;
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

/// The Delaunay graph, built anew (S4 §2.2.3). What is in a circle hangs together in it, so that whoever is within the
/// distance is found by going on from neighbours that are.
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

/// Prints a table for agents spread evenly and for agents half of whom stand in a spot.
pub fn compare() {
    for (name, spot) in [("evenly over 64 m × 64 m", SIDE), ("half of them in a spot of 12 m", 12.0)] {
        let mut random = Random::new(11);
        let start: Vec<Vec2> = (0..10_000)
            .map(|k| {
                let side = if k % 2 == 0 { SIDE } else { spot };
                Vec2::new(random.unit(), random.unit()) * (side - 0.02) + 0.01
            })
            .collect();
        // The course of all agents, the same for all structures.
        let mut course = vec![start];
        for step in 0..STEPS {
            let last = course[step].iter();
            let on = |&at: &Vec2| {
                let offset = Vec2::from_angle(random.unit() * std::f64::consts::TAU) * 0.07;
                (at + offset).clamp(Vec2::splat(0.01), Vec2::splat(SIDE - 0.01))
            };
            course.push(last.map(on).collect());
        }
        println!("\nAll pairs of 10,000 agents within {REACH} m, {name}, steps of 0.07 m\n");
        println!("| structure | update µs | ask µs | step µs | pairs |\n|---|---:|---:|---:|---:|");
        let density = Density { most: 8, least: 2, finest: 3 };
        let mut finders: Vec<(&str, Box<dyn Finder>)> = vec![
            ("map, cells of 1 m", Box::new(Map::new(1.0, None, &course[0]))),
            ("map, cells of 4 m", Box::new(Map::new(4.0, None, &course[0]))),
            ("map, 8 m to 1 m by density", Box::new(Map::new(8.0, Some(density), &course[0]))),
            ("uniform grid of 1 m, sorted anew", Box::<Uniform>::default()),
            ("spatial hash of 1 m, filled anew", Box::<Hashed>::default()),
            ("kd-tree, built anew", Box::<KdTree>::default()),
            ("Delaunay graph, built anew", Box::<Graph>::default()),
        ];
        let mut times = vec![[Duration::MAX; 2]; finders.len()];
        let mut pairs = vec![0; finders.len()];
        for at in &course {
            for (k, (_, finder)) in finders.iter_mut().enumerate() {
                let start = Instant::now();
                finder.update(at);
                let updated = Instant::now();
                pairs[k] = finder.pairs(at);
                times[k] = [times[k][0].min(updated - start), times[k][1].min(updated.elapsed())];
            }
        }
        for ((name, _), (times, pairs)) in finders.iter().zip(times.iter().zip(&pairs)) {
            let [update, query] = times.map(|time| time.as_secs_f64() * 1e6);
            println!("| {name} | {update:.0} | {query:.0} | {:.0} | {pairs} |", update + query);
        }
        assert!(pairs.iter().all(|&found| found == pairs[0]), "all find the same");
    }
}
