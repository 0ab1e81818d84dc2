//! Survey of cells: darts and neighbours of each, in the plane and in space (S4 §9.1.1); rank correlation.
//!
//! In: an environment; two lists of numbers. Out: histograms; Spearman's coefficient.
//! Method: darts of the orbit of a cell; cells that share a vertex with it; entities in its two lists.
//! Cost: O(darts · valence).

use heurt_map::registration::{Environment, Geometry};
use heurt_map::{CombinatorialMap, Orbit, Walker};

/// How often each count occurs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    /// By count: in how many cells.
    pub cells: Vec<u64>,
}

impl Histogram {
    /// Adds a cell with a count.
    pub fn add(&mut self, count: usize) {
        self.cells.resize(self.cells.len().max(count + 1), 0);
        self.cells[count] += 1;
    }

    /// Adds the cells of another histogram.
    pub fn merge(&mut self, other: &Self) {
        self.cells.resize(self.cells.len().max(other.cells.len()), 0);
        self.cells.iter_mut().zip(&other.cells).for_each(|(cells, more)| *cells += more);
    }

    /// Returns the number of cells.
    pub fn total(&self) -> u64 {
        self.cells.iter().sum()
    }

    /// Returns the mean count; 0 without cells.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.cells.iter().enumerate().map(|(count, &cells)| count as f64 * cells as f64).sum();
        sum / (self.total().max(1) as f64)
    }

    /// Returns the largest count; 0 without cells.
    pub fn most(&self) -> usize {
        self.cells.iter().rposition(|&cells| cells > 0).unwrap_or(0)
    }

    /// Returns the least count that at least a share of the cells does not exceed; 0 without cells.
    pub fn quantile(&self, share: f64) -> usize {
        let wanted = share * self.total() as f64;
        let mut below = 0.0;
        let reaches = |&cells: &u64| {
            below += cells as f64;
            below > 0.0 && below >= wanted
        };
        self.cells.iter().position(reaches).unwrap_or(0)
    }
}

/// Counts of each cell of an environment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CellSurvey {
    /// Darts of the cell, with the cuts of finer neighbours.
    pub darts: Histogram,
    /// Cells that share a vertex with it.
    pub adjacent: Histogram,
    /// Entities in it.
    pub present: Histogram,
    /// Entities in it and in the cells that share a vertex with it: what an agent there reads. Only cells with an
    /// entity count.
    pub seen: Histogram,
}

impl CellSurvey {
    /// Adds the cells of another survey.
    pub fn merge(&mut self, other: &Self) {
        self.darts.merge(&other.darts);
        self.adjacent.merge(&other.adjacent);
        self.present.merge(&other.present);
        self.seen.merge(&other.seen);
    }
}

/// Counts darts and neighbours of each cell.
///
/// ```
/// use heurt_crowd::space::{SpaceRoom, survey_cells};
/// use heurt_geometry::Vec3;
/// let room = SpaceRoom::of_cubes([Vec3::ZERO, Vec3::splat(3.0)], 1.0)?;
/// let survey = survey_cells(room.environment());
/// assert_eq!((survey.darts.total(), survey.darts.mean()), (27, 24.0));
/// assert_eq!((survey.adjacent.quantile(0.0), survey.adjacent.most()), (7, 26));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn survey_cells<const D: usize, G: Geometry<D>>(environment: &Environment<D, G>) -> CellSurvey {
    let map = environment.map().map();
    let mut walker = Walker::new();
    let mut survey = CellSurvey::default();
    for cell in environment.cells() {
        let Some(dart) = environment.dart(cell) else { continue };
        survey.darts.add(walker.orbit(map, G::CELL, dart).len());
        // `adjacent` has the cell itself, and darts beyond the border, which are of no cell.
        let is_other = |of: u32| of != cell && of != heurt_map::NO_CELL;
        let around = walker.adjacent(map, dart, G::CELL, Orbit::Vertex);
        survey.adjacent.add(around.iter().filter(|&&dart| is_other(map.id(G::CELL, dart))).count());
        let present = environment.present(cell).map_or(0, <[_]>::len);
        survey.present.add(present);
        if present > 0 {
            survey.seen.add(present + environment.neighbours(cell).map_or(0, <[_]>::len));
        }
    }
    survey
}

/// Computes Spearman's rank correlation; equal numbers share their mean rank. `None` for fewer than two pairs, or if
/// all numbers of a list are equal.
///
/// ```
/// use heurt_crowd::space::rank_correlation;
/// assert_eq!(rank_correlation(&[1.0, 2.0, 5.0], &[0.1, 0.2, 90.0]), Some(1.0));
/// assert_eq!(rank_correlation(&[1.0, 2.0, 5.0], &[3.0, 2.0, 1.0]), Some(-1.0));
/// ```
pub fn rank_correlation(a: &[f64], b: &[f64]) -> Option<f64> {
    let count = a.len().min(b.len());
    let [a, b] = [a, b].map(|numbers| ranks(&numbers[..count]));
    let middle = (count as f64 - 1.0) / 2.0;
    let [mut both, mut square_a, mut square_b] = [0.0; 3];
    for (a, b) in a.iter().zip(&b) {
        let (a, b) = (a - middle, b - middle);
        both += a * b;
        square_a += a * a;
        square_b += b * b;
    }
    let size = (square_a * square_b).sqrt();
    (size > 0.0).then(|| both / size)
}

/// Ranks numbers from 0.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut first = 0;
    while first < order.len() {
        let same = order[first..].iter().take_while(|&&place| numbers[place] == numbers[order[first]]).count();
        // NaN is equal to nothing, and has a rank of its own.
        let end = first + same.max(1);
        order[first..end].iter().for_each(|&place| ranks[place] = (first + end - 1) as f64 / 2.0);
        first = end;
    }
    ranks
}
