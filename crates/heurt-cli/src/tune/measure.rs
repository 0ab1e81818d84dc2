//! Building, counting and timing one kind of tree after the other.

use super::Verb;
use super::poses::{Approach, Placement, Random};
use heurt::bvh::{CostModel, Work};
use heurt::mesh::generate;
use heurt::query::{WithTree, overlap_with_trees, pairs_with_trees};
use heurt::shape::{AnyTree, MeshShape, TreeChoice};
use std::hint::black_box;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What one choice did on the poses it was measured on.
pub(crate) struct Row {
    pub(crate) choice: TreeChoice,
    /// Medians of N_v, N_p, N_u.
    pub(crate) counts: [f64; 3],
    pub(crate) costs: CostModel,
    /// Mean over the poses.
    pub(crate) predicted_ns: f64,
    /// Mean over the poses of the least of several rounds.
    pub(crate) measured_ns: f64,
    pub(crate) build: Duration,
    pub(crate) bytes_per_triangle: f64,
    trees: [AnyTree; 2],
}

/// How the choice did on poses that it was not chosen on.
pub(crate) struct Verdict {
    pub(crate) chosen_ns: f64,
    pub(crate) best_ns: f64,
    pub(crate) best: TreeChoice,
}

/// Cost against distance, for one choice: shares of the size, nanoseconds.
pub(crate) struct Curve {
    pub(crate) choice: TreeChoice,
    pub(crate) points: Vec<[f64; 2]>,
}

/// Two parts and what is asked of them.
pub(crate) struct Contest<'a> {
    a: &'a MeshShape,
    b: &'a MeshShape,
    verb: Verb,
    /// Calibrated constants, by volume and degree.
    known: Mutex<Vec<(TreeChoice, CostModel)>>,
}

/// A row is measured for about this long.
const PATIENCE: Duration = Duration::from_millis(250);
/// Rows that are compared with each other are measured together, for so long each.
const TOGETHER: Duration = Duration::from_millis(600);
/// A pose counts with the least of its rounds: two at least, so many at most.
const ROUNDS: usize = 100;
/// Rows within this share of the fastest are measured again, together,
const CLOSE: f64 = 1.4;
/// but not more than so many.
const FINALISTS: usize = 10;

impl<'a> Contest<'a> {
    pub(crate) fn new(a: &'a MeshShape, b: &'a MeshShape, verb: Verb) -> Self {
        Self { a, b, verb, known: Mutex::default() }
    }

    /// Builds the trees of a choice and measures them. The leaf size of a choice is always legal here.
    pub(crate) fn row(&self, choice: TreeChoice, seen: &[Placement]) -> Row {
        let costs = self.calibrated(choice);
        let started = Instant::now();
        let trees = [self.a, self.b].map(|shape| {
            AnyTree::new(shape.mesh(), &choice, true).expect("a mesh that is a shape fits a tree of any legal kind")
        });
        let build = started.elapsed();
        let works: Vec<Work> = seen.iter().map(|placement| self.ask(&trees, placement)).collect();
        let bytes: usize = trees.iter().map(|tree| tree.memory()).map(|(tree, blocks)| tree + blocks).sum();
        let triangles = self.a.mesh().triangles().len() + self.b.mesh().triangles().len();
        Row {
            choice,
            counts: [
                median(works.iter().map(|work| work.volumes as f64)),
                median(works.iter().map(|work| work.primitives as f64)),
                median(works.iter().map(|work| work.updates as f64)),
            ],
            predicted_ns: works.iter().map(|work| costs.predict(work)).sum::<f64>() / works.len() as f64,
            measured_ns: mean(&self.times(&[&trees], seen, PATIENCE)[0]),
            costs,
            build,
            bytes_per_triangle: bytes as f64 / triangles as f64,
            trees,
        }
    }

    /// Measures the rows that are close to the first again, by turns, so that what else the machine does strikes all alike; the
    /// fastest comes first.
    pub(crate) fn decide(&self, rows: &mut [Row], seen: &[Placement]) {
        let count = finalists(rows);
        let trees: Vec<&[AnyTree; 2]> = rows[..count].iter().map(|row| &row.trees).collect();
        let times = self.times(&trees, seen, TOGETHER);
        for (row, times) in rows.iter_mut().zip(&times) {
            row.measured_ns = mean(times);
        }
        rows.sort_by(|x, y| x.measured_ns.total_cmp(&y.measured_ns));
    }

    /// Measures the first of `rows`, which was chosen, and those close to it on other poses.
    pub(crate) fn verdict(&self, rows: &[Row], unseen: &[Placement]) -> Verdict {
        let close = &rows[..finalists(rows)];
        let trees: Vec<&[AnyTree; 2]> = close.iter().map(|row| &row.trees).collect();
        let times: Vec<f64> = self.times(&trees, unseen, TOGETHER).iter().map(|times| mean(times)).collect();
        let fastest = (0..times.len()).min_by(|&i, &j| times[i].total_cmp(&times[j])).unwrap_or(0);
        Verdict { chosen_ns: times[0], best_ns: times[fastest], best: close[fastest].choice }
    }

    /// Cost against distance for the best row of each volume.
    pub(crate) fn curves(&self, rows: &[Row], seed: u64) -> Vec<Curve> {
        const DISTANCES: [f64; 10] = [0.3, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002];
        let mut random = Random(seed ^ 0x5eed);
        let approaches: Vec<Approach> =
            (0..48).filter_map(|_| Approach::new(self.a, self.b, &mut random)).take(24).collect();
        let mut best: Vec<&Row> = Vec::new();
        for row in rows {
            if best.iter().all(|known| known.choice.volume != row.choice.volume) {
                best.push(row);
            }
        }
        let curve = |row: &&Row| {
            let at = |distance: f64| {
                let placed: Vec<Placement> = approaches.iter().filter_map(|one| one.at(distance)).collect();
                [distance, mean(&self.times(&[&row.trees], &placed, PATIENCE / 4)[0])]
            };
            Curve { choice: row.choice, points: DISTANCES.map(at).to_vec() }
        };
        best.iter().map(curve).filter(|curve| curve.points.iter().all(|[_, ns]| *ns > 0.0)).collect()
    }

    fn ask(&self, [of_a, of_b]: &[AnyTree; 2], [pose_a, pose_b]: &Placement) -> Work {
        let a = WithTree { shape: self.a, tree: of_a, pose: pose_a };
        let b = WithTree { shape: self.b, tree: of_b, pose: pose_b };
        let work = match self.verb {
            Verb::Overlap => overlap_with_trees(a, b).map(|(_, work)| work),
            Verb::Pairs => pairs_with_trees(a, b).map(|(_, work)| work),
        };
        work.unwrap_or_default()
    }

    /// Nanoseconds a pose, the least of several rounds, for each pair of trees; they take turns.
    fn times(&self, contestants: &[&[AnyTree; 2]], placed: &[Placement], patience: Duration) -> Vec<Vec<f64>> {
        let mut least = vec![vec![f64::INFINITY; placed.len()]; contestants.len()];
        let started = Instant::now();
        for round in 0..ROUNDS {
            if round >= 2 && started.elapsed() > patience * contestants.len() as u32 {
                break;
            }
            for (least, trees) in least.iter_mut().zip(contestants) {
                for (least, placement) in least.iter_mut().zip(placed) {
                    let begun = Instant::now();
                    black_box(self.ask(trees, black_box(placement)));
                    *least = least.min(begun.elapsed().as_nanos() as f64);
                }
            }
        }
        least
    }

    /// The constants of a volume and degree, found on two small meshes the first time.
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

/// How many of the rows, fastest first, are close to the first.
fn finalists(rows: &[Row]) -> usize {
    let close = rows.iter().take_while(|row| row.measured_ns <= CLOSE * rows[0].measured_ns).count();
    close.clamp(1, FINALISTS)
}

/// Fits the constants of a kind of tree to queries near, touching and deep, of both verbs.
fn calibrate(choice: TreeChoice) -> Option<CostModel> {
    let mesh_a = generate::supertoroid(1.0, 0.4, 0.8, 0.7, 50).ok()?;
    let mesh_b = generate::bumpy_sphere(1.0, 0.2, 5.0, 36).ok()?;
    let [a, b] = [mesh_a, mesh_b].map(|mesh| MeshShape::new(mesh).and_then(|shape| shape.with_solid(false)));
    let (a, b) = (a.ok()?, b.ok()?);
    let trees = [AnyTree::new(a.mesh(), &choice, false).ok()?, AnyTree::new(b.mesh(), &choice, false).ok()?];
    let mut random = Random(7);
    let approaches = (0..24).filter_map(|_| Approach::new(&a, &b, &mut random));
    let placed: Vec<Placement> =
        approaches.flat_map(|one| [0.1, 0.01, -0.01, -0.1].map(|outward| one.at(outward))).flatten().collect();
    let mut samples = Vec::new();
    for verb in [Verb::Overlap, Verb::Pairs] {
        let contest = Contest::new(&a, &b, verb);
        let times = contest.times(&[&trees], &placed, PATIENCE);
        samples.extend(placed.iter().map(|placement| contest.ask(&trees, placement)).zip(times[0].iter().copied()));
    }
    Some(CostModel::fit(&samples))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
