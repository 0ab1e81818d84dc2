//! Building, counting and timing of one kind of tree at a time.

use super::Verb;
use super::poses::Placement;
use super::search::Meeting;
use heurt::bvh::{CostModel, Work};
use heurt::geometry::SplitMix64;
use heurt::mesh::generate;
use heurt::query::{TreePair, overlap, pairs};
use heurt::shape::{AnyTree, MeshShape, TreeChoice};
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Measurements of one choice.
pub(crate) struct TuneRow {
    pub(crate) choice: TreeChoice,
    /// Medians of N_v, N_p, N_u.
    pub(crate) counts: [f64; 3],
    pub(crate) costs: CostModel,
    /// Mean over the poses.
    pub(crate) predicted_ns: f64,
    /// Mean over the poses of the least of several rounds.
    pub(crate) measured_ns: f64,
    /// How many times as slow as the fastest row it was when it was given up, on the poses that it had queried by then.
    pub(crate) stopped: Option<f64>,
    pub(crate) build: Duration,
    pub(crate) bytes_per_triangle: f64,
    /// Number of poses at which no tree was walked, since the spheres or the boxes around the whole parts are disjoint.
    pub(crate) unwalked: usize,
    /// Nanoseconds a pose, for the poses that it queried.
    times: Vec<f64>,
    /// The trees of rows that may still be compared.
    pub(crate) trees: Option<[AnyTree; 2]>,
}

/// Two parts and the query on them.
pub(crate) struct Contest<'a> {
    pub(crate) a: &'a MeshShape,
    pub(crate) b: &'a MeshShape,
    verb: Verb,
    /// Calibrated constants, by volume and degree.
    known: Mutex<Vec<(TreeChoice, CostModel)>>,
}

/// Approximate time of measuring a row.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);
/// Largest number of rounds of a pose, of which the fastest counts.
const ROUNDS: usize = 100;
/// Least number of poses before a row is given up; it has then taken more than [`PATIENCE`].
const FEW: usize = 4;
/// A row is given up if it is this many times as slow as the fastest on these poses.
const HOPELESS: f64 = 4.0;

impl<'a> Contest<'a> {
    pub(crate) fn new(a: &'a MeshShape, b: &'a MeshShape, verb: Verb) -> Self {
        Self { a, b, verb, known: Mutex::default() }
    }

    /// Returns the number of poses that can be queried within `patience`: all if possible, and at least 6.
    pub(crate) fn affordable(&self, placed: &[Placement], patience: Duration) -> usize {
        let started = Instant::now();
        let is_late = |&count: &usize| {
            let [pose_a, pose_b] = &placed[count - 1];
            match self.verb {
                Verb::Overlap => drop(black_box(overlap(self.a, pose_a, self.b, pose_b))),
                Verb::Pairs => drop(black_box(pairs(self.a, pose_a, self.b, pose_b))),
            }
            started.elapsed() > patience
        };
        (1..=placed.len()).find(is_late).unwrap_or(placed.len()).max(6).min(placed.len())
    }

    /// Builds the trees of a choice. The leaf size of a choice is always legal here.
    pub(crate) fn build(&self, choice: &TreeChoice) -> [AnyTree; 2] {
        [self.a, self.b].map(|shape| {
            AnyTree::new(shape.mesh(), choice, true).expect("a mesh that is a shape fits a tree of any legal kind")
        })
    }

    /// Builds the trees of a choice and measures them; gives up if it is far slower than `fastest`, a row on the same
    /// poses.
    pub(crate) fn row(&self, choice: TreeChoice, seen: &[Placement], fastest: Option<&TuneRow>) -> TuneRow {
        let costs = self.calibrated(choice);
        let started = Instant::now();
        let trees = self.build(&choice);
        let build = started.elapsed();
        let bytes: usize = trees.iter().map(|tree| tree.memory()).map(|(tree, blocks)| tree + blocks).sum();
        let triangles = self.a.mesh().triangles().len() + self.b.mesh().triangles().len();
        let (works, mut times, stopped) = self.first_round(&trees, seen, fastest);
        let spent = Duration::from_secs_f64(times.iter().sum::<f64>() / 1e9);
        if stopped.is_none() && spent < PATIENCE {
            let again = self.times(&[&trees], seen, PATIENCE - spent);
            times.iter_mut().zip(&again[0]).for_each(|(least, time)| *least = least.min(*time));
        }
        TuneRow {
            choice,
            counts: [
                median(works.iter().map(|work| work.volumes as f64)),
                median(works.iter().map(|work| work.primitives as f64)),
                median(works.iter().map(|work| work.updates as f64)),
            ],
            predicted_ns: works.iter().map(|work| costs.predict(work)).sum::<f64>() / works.len() as f64,
            measured_ns: mean(&times),
            stopped,
            costs,
            build,
            bytes_per_triangle: bytes as f64 / triangles as f64,
            unwalked: works.iter().filter(|work| work.volumes == 0 && work.primitives == 0).count(),
            times,
            trees: stopped.is_none().then_some(trees),
        }
    }

    /// Runs the first round: the work at each pose and its time, up to the pose at which the row is given up.
    fn first_round(
        &self,
        trees: &[AnyTree; 2],
        seen: &[Placement],
        fastest: Option<&TuneRow>,
    ) -> (Vec<Work>, Vec<f64>, Option<f64>) {
        let (mut works, mut times) = (Vec::new(), Vec::new());
        let (mut spent, mut other) = (0.0, 0.0);
        for (i, placement) in seen.iter().enumerate() {
            let begun = Instant::now();
            works.push(self.count_work(trees, black_box(placement)));
            times.push(begun.elapsed().as_nanos() as f64);
            spent += times[i];
            if let Some(fastest) = fastest {
                other += fastest.times[i];
                if is_hopeless(times.len(), spent, other) {
                    return (works, times, Some(spent / other));
                }
            }
        }
        (works, times, None)
    }

    fn count_work(&self, [of_a, of_b]: &[AnyTree; 2], [pose_a, pose_b]: &Placement) -> Work {
        let pair = TreePair::new((self.a, of_a), (self.b, of_b));
        let work = pair.map(|pair| match self.verb {
            Verb::Overlap => pair.overlap(pose_a, pose_b).work,
            Verb::Pairs => pair.pairs(pose_a, pose_b).work,
        });
        work.unwrap_or_default()
    }

    /// Measures nanoseconds a pose, the least of several rounds, for each pair of trees. The pairs take turns, for
    /// `patience` in total; at least one round is run.
    pub(crate) fn times(
        &self,
        contestants: &[&[AnyTree; 2]],
        placed: &[Placement],
        patience: Duration,
    ) -> Vec<Vec<f64>> {
        let mut least = vec![vec![f64::INFINITY; placed.len()]; contestants.len()];
        let started = Instant::now();
        for round in 0..ROUNDS {
            if round > 0 && started.elapsed() > patience {
                break;
            }
            for (least, trees) in least.iter_mut().zip(contestants) {
                for (least, placement) in least.iter_mut().zip(placed) {
                    let begun = Instant::now();
                    black_box(self.count_work(trees, black_box(placement)));
                    *least = least.min(begun.elapsed().as_nanos() as f64);
                }
            }
        }
        least
    }

    /// Returns the constants of a volume and degree, measured on two small meshes the first time.
    fn calibrated(&self, choice: TreeChoice) -> CostModel {
        let key = TreeChoice { volume: choice.volume, degree: choice.degree, ..TreeChoice::default() };
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, model)) = known.iter().find(|(choice, _)| *choice == key) {
            return *model;
        }
        let model = calibrate(key).unwrap_or_default();
        known.push((key, model));
        model
    }
}

/// Reports whether a row that has queried `count` poses in `spent` nanoseconds is given up; the fastest row took
/// `other`.
fn is_hopeless(count: usize, spent: f64, other: f64) -> bool {
    count >= FEW && spent > PATIENCE.as_nanos() as f64 && spent > HOPELESS * other
}

/// Fits the constants of a kind of tree to near, touching and deep queries, of both verbs.
fn calibrate(choice: TreeChoice) -> Option<CostModel> {
    let mesh_a = generate::supertoroid(1.0, 0.4, 0.8, 0.7, 50).ok()?;
    let mesh_b = generate::bumpy_sphere(1.0, 0.2, 5.0, 36).ok()?;
    let [a, b] = [mesh_a, mesh_b].map(|mesh| MeshShape::new(mesh).and_then(|shape| shape.with_solid(false)));
    let (a, b) = (a.ok()?, b.ok()?);
    let trees = [AnyTree::new(a.mesh(), &choice, false).ok()?, AnyTree::new(b.mesh(), &choice, false).ok()?];
    let mut random = SplitMix64::new(7);
    let meeting = Meeting::new(&a, &b, None);
    let approaches = (0..24).filter_map(|_| meeting.approach(&mut random));
    let placed: Vec<Placement> =
        approaches.flat_map(|one| [0.1, 0.01, -0.01, -0.1].map(|outward| one.at(outward))).flatten().collect();
    let mut samples = Vec::new();
    for verb in [Verb::Overlap, Verb::Pairs] {
        let contest = Contest::new(&a, &b, verb);
        let times = contest.times(&[&trees], &placed, PATIENCE);
        samples
            .extend(placed.iter().map(|placement| contest.count_work(&trees, placement)).zip(times[0].iter().copied()));
    }
    Some(CostModel::fit(&samples))
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_behind_is_given_up_but_not_at_once() {
        let patience = PATIENCE.as_nanos() as f64;
        assert!(!is_hopeless(FEW, 0.9 * patience, 0.01 * patience), "there is time");
        assert!(!is_hopeless(FEW - 1, 9.0 * patience, 0.01 * patience), "one pose says little");
        assert!(!is_hopeless(FEW, 9.0 * patience, 3.0 * patience), "no other is much faster");
        assert!(is_hopeless(FEW, 9.0 * patience, 2.0 * patience));
    }
}
