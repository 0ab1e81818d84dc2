//! Contact problem in mass-scaled coordinates: blocks of one or three rows, laws, free velocities.
//!
//! In: a contact problem and a level. Out: rows J̃ = J·L with M⁻¹ = L·Lᵀ, free velocities c, laws.
//! Method: with z = Lᵀ(change of momentum) the relative velocities are w = J̃ z + c and z = J̃ᵀ f. No mass or inertia
//! is inverted: fixed bodies and locked axes give zero columns. A frictionless contact is one bounded unknown. The
//! compliance of a row, Γ, is a diagonal that A has in addition: w = J̃ z + Γ f + c.
//! Guarantees: residuals have the unit of the level (m/s or m/s²): an impulse is weighted with the diagonal of A.
//! Blocks between bodies that no impulse moves are left out; their impulse is 0. Cost: linear.

use super::law::ImpulseLaw;
use crate::problem::operator::RowDirections;
use crate::problem::{ContactProblem, PointContact};
use crate::solver::{FrictionModel, Level, Solution};
use crate::spectrum::symmetric_spectrum;
use crate::tangent::tangent_basis;
use heurt_geometry::{Mat3, Vec3};

/// Tangential speed in m/s above which a contact of [`Level::Force`] slides: the direction of a slower motion is
/// rounding of the speeds of the bodies.
const SLIDING_SPEED: f64 = 1e-9;

/// Diagonal entries of A below this count as 0: their inverse would overflow.
const LEAST_DIAGONAL: f64 = 1e-200;

/// A vector of one body: linear, then angular.
pub(crate) type Six = [f64; 6];

/// The origin of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum BlockSource {
    Contact(usize),
    Row(usize),
}

/// One contact or one row of a joint.
#[derive(Debug, Clone)]
pub(crate) struct IslandBlock {
    /// Nodes of A and B; the node count for a body that no impulse moves.
    pub nodes: [usize; 2],
    /// First unknown.
    pub start: usize,
    pub law: ImpulseLaw,
    pub source: BlockSource,
    /// The diagonal block of A.
    pub local: [[f64; 3]; 3],
}

/// The scaled problem.
#[derive(Debug, Clone)]
pub(crate) struct ScaledIsland {
    pub node_count: usize,
    pub blocks: Vec<IslandBlock>,
    /// Scaled rows of each unknown on A and on B.
    pub rows: Vec<[Six; 2]>,
    /// Velocities c of each unknown without impulses, with restitution, gaps and targets.
    pub free: Vec<f64>,
    /// The same rates without restitution, gaps and targets: J·v⁻, J·a or J·(v⁻ + dt·a).
    pub raw: Vec<f64>,
    /// Compliance of each unknown; 0 for contacts and rigid rows.
    pub compliance: Vec<f64>,
    /// Weight of each unknown: a diagonal entry of A, the larger of the two for tangents.
    pub weight: Vec<f64>,
    /// 1/weight, or 0.
    pub step: Vec<f64>,
}

impl ScaledIsland {
    /// Builds the scaled problem. Without a friction model all tangents are left out.
    pub fn new(problem: &ContactProblem, level: Level, model: Option<FrictionModel>) -> Self {
        let scaling = MassScaling::new(problem);
        let mut island = Self {
            node_count: scaling.count,
            blocks: Vec::with_capacity(problem.contacts.len() + problem.rows.len()),
            rows: Vec::new(),
            free: Vec::new(),
            raw: Vec::new(),
            compliance: Vec::new(),
            weight: Vec::new(),
            step: Vec::new(),
        };
        let targets = problem.right_side(level);
        for (index, contact) in problem.contacts.iter().enumerate() {
            let tangents = tangent_basis(contact.normal);
            let law = contact_law(problem, contact, level, model, tangents);
            let directions = [contact.normal, tangents[0], tangents[1]];
            let rows = directions.map(|direction| RowDirections::of_contact(contact, direction));
            let raw = directions.map(|direction| match level {
                Level::Force => direction.dot(problem.relative_acceleration(contact)),
                _ => problem.free_rate(&RowDirections::of_contact(contact, direction), level),
            });
            let free = [targets[index], raw[1], raw[2]];
            island.push(&scaling, &rows[..law.size()], [&free, &raw], law, (BlockSource::Contact(index), 0.0));
        }
        for (index, row) in problem.rows.iter().enumerate() {
            let law = ImpulseLaw::Bounded { low: row.bounds[0], high: row.bounds[1] };
            let directions = RowDirections::of_row(row);
            let free = [targets[problem.contacts.len() + index], 0.0, 0.0];
            let raw = [problem.free_rate(&directions, level), 0.0, 0.0];
            island.push(&scaling, &[directions], [&free, &raw], law, (BlockSource::Row(index), row.compliance));
        }
        island
    }

    fn push(
        &mut self,
        scaling: &MassScaling,
        rows: &[RowDirections],
        rates: [&[f64; 3]; 2],
        law: ImpulseLaw,
        (source, compliance): (BlockSource, f64),
    ) {
        let nodes = rows[0].bodies.map(|body| scaling.nodes[body as usize]);
        if nodes == [self.node_count; 2] {
            return;
        }
        let start = self.rows.len();
        for row in rows {
            self.rows.push([0, 1].map(|side| scaling.scale(row, side)));
        }
        let mut local = [[0.0; 3]; 3];
        for i in 0..rows.len() {
            for j in 0..rows.len() {
                let [a, b] = [0, 1].map(|side| dot(&self.rows[start + i][side], &self.rows[start + j][side]));
                local[i][j] = a + b;
            }
        }
        local[0][0] += compliance;
        let tangent = local[1][1].max(local[2][2]);
        for i in 0..rows.len() {
            let weight = if i == 0 { local[0][0] } else { tangent };
            let weight = if weight < LEAST_DIAGONAL { 0.0 } else { weight };
            self.weight.push(weight);
            self.step.push(if weight > 0.0 { 1.0 / weight } else { 0.0 });
            self.free.push(rates[0][i]);
            self.raw.push(rates[1][i]);
            self.compliance.push(if i == 0 { compliance } else { 0.0 });
        }
        self.blocks.push(IslandBlock { nodes, start, law, source, local });
    }

    /// Creates zero vectors of the nodes; the last is the node of all fixed bodies and stays 0.
    pub fn zero_nodes(&self) -> Vec<Six> {
        vec![[0.0; 6]; self.node_count + 1]
    }

    /// Computes z = J̃ᵀ f.
    pub fn gather(&self, impulses: &[f64], nodes: &mut [Six]) {
        nodes.fill([0.0; 6]);
        for block in &self.blocks {
            for i in block.start..block.start + block.law.size() {
                for side in 0..2 {
                    add_scaled(&mut nodes[block.nodes[side]], &self.rows[i][side], impulses[i]);
                }
            }
        }
    }

    /// Computes J̃ z of one unknown of a block.
    pub fn rate(&self, block: &IslandBlock, unknown: usize, nodes: &[Six]) -> f64 {
        let [a, b] = &self.rows[unknown];
        dot(a, &nodes[block.nodes[0]]) + dot(b, &nodes[block.nodes[1]])
    }

    /// Computes J̃ z of all unknowns.
    pub fn rates(&self, nodes: &[Six], rates: &mut [f64]) {
        for block in &self.blocks {
            for (i, rate) in rates.iter_mut().enumerate().skip(block.start).take(block.law.size()) {
                *rate = self.rate(block, i, nodes);
            }
        }
    }

    /// Computes the natural map of impulses for relative velocities w: its largest magnitude, in the unit of w.
    pub fn residual(&self, impulses: &[f64], velocities: &[f64]) -> f64 {
        let mut largest = 0.0f64;
        for block in &self.blocks {
            let trial = self.trial(block, impulses, velocities, 1.0);
            let mut projected = block.law.project(trial);
            if let ImpulseLaw::Sliding { slope, .. } = block.law {
                // The tangent belongs to the impulse itself: its velocity is no equation.
                projected[1..].copy_from_slice(&slope.map(|slope| slope * impulses[block.start]));
            }
            for k in 0..block.law.size() {
                let i = block.start + k;
                largest = nan_max(largest, (impulses[i] - projected[k]).abs() * self.weight[i]);
            }
        }
        largest
    }

    /// Computes the residual of impulses.
    pub fn residual_of(&self, impulses: &[f64]) -> f64 {
        self.residual(impulses, &self.velocities(impulses))
    }

    /// Computes the relative velocities w = J̃ J̃ᵀ f + Γ f + c.
    pub fn velocities(&self, impulses: &[f64]) -> Vec<f64> {
        let mut nodes = self.zero_nodes();
        self.gather(impulses, &mut nodes);
        let mut velocities = vec![0.0; self.free.len()];
        self.rates(&nodes, &mut velocities);
        self.add_free(impulses, &mut velocities);
        velocities
    }

    /// Adds the free velocities c and those of the compliance, Γ f.
    pub fn add_free(&self, impulses: &[f64], velocities: &mut [f64]) {
        velocities.iter_mut().zip(&self.free).for_each(|(velocity, free)| *velocity += free);
        for ((velocity, impulse), compliance) in velocities.iter_mut().zip(impulses).zip(&self.compliance) {
            if *compliance > 0.0 {
                *velocity += compliance * impulse;
            }
        }
    }

    /// Computes the factor ρ of a proximal step f′ = P(f − ρ·y), where y are the velocities of f and of the bodies at
    /// f′: factor/weight, less where the compliance acts on f′ as well: f′ = P(f − ρ₀·(y + γ(f′ − f))).
    pub fn proximal_step(&self, unknown: usize, factor: f64) -> f64 {
        let step = factor * self.step[unknown];
        let compliance = self.compliance[unknown];
        if compliance > 0.0 { step / (1.0 + step * compliance) } else { step }
    }

    /// Computes f − factor·w/weight of a block.
    pub fn trial(&self, block: &IslandBlock, impulses: &[f64], velocities: &[f64], factor: f64) -> [f64; 3] {
        let mut trial = [0.0; 3];
        for (k, slot) in trial.iter_mut().enumerate().take(block.law.size()) {
            let i = block.start + k;
            *slot = impulses[i] - factor * self.step[i] * velocities[i];
        }
        trial
    }

    /// Projects impulses onto the admissible sets.
    pub fn project(&self, impulses: &mut [f64]) {
        for block in &self.blocks {
            let size = block.law.size();
            let mut trial = [0.0; 3];
            trial[..size].copy_from_slice(&impulses[block.start..block.start + size]);
            impulses[block.start..block.start + size].copy_from_slice(&block.law.project(trial)[..size]);
        }
    }

    /// Scale of the rounding of velocities: the largest free velocity and the largest weighted impulse. A contact that
    /// opens, or is far from closing, has no impulse, and its speed rounds nothing.
    pub fn velocity_scale(&self, impulses: &[f64]) -> f64 {
        let of_block = |block: &IslandBlock| {
            let is_contact = matches!(block.source, BlockSource::Contact(_));
            let opens = is_contact && impulses[block.start] == 0.0 && self.free[block.start] >= 0.0;
            let free = &self.free[block.start..block.start + block.law.size()];
            if opens { 0.0 } else { free.iter().fold(0.0, |scale: f64, free| scale.max(free.abs())) }
        };
        let free = self.blocks.iter().map(of_block).fold(0.0, f64::max);
        impulses.iter().zip(&self.weight).fold(free, |scale, (impulse, weight)| scale.max((impulse * weight).abs()))
    }

    /// Writes impulses of the unknowns as a solution of the problem.
    pub fn write(&self, problem: &ContactProblem, impulses: &[f64], solution: &mut Solution) {
        solution.normal = vec![0.0; problem.contacts.len()];
        solution.tangential = vec![Vec3::ZERO; problem.contacts.len()];
        solution.rows = vec![0.0; problem.rows.len()];
        for block in &self.blocks {
            match block.source {
                BlockSource::Row(index) => solution.rows[index] = impulses[block.start],
                BlockSource::Contact(index) => {
                    solution.normal[index] = impulses[block.start];
                    if block.law.size() == 3 {
                        let [first, second] = tangent_basis(problem.contacts[index].normal);
                        solution.tangential[index] =
                            first * impulses[block.start + 1] + second * impulses[block.start + 2];
                    }
                }
            }
        }
    }

    /// Reads impulses of the unknowns from a solution of the same problem; inverse of [`write`](Self::write).
    pub fn read(&self, problem: &ContactProblem, solution: &Solution) -> Vec<f64> {
        let mut impulses = vec![0.0; self.free.len()];
        for block in &self.blocks {
            match block.source {
                BlockSource::Row(index) => impulses[block.start] = solution.rows[index],
                BlockSource::Contact(index) => {
                    impulses[block.start] = solution.normal[index];
                    if block.law.size() == 3 {
                        let [first, second] = tangent_basis(problem.contacts[index].normal);
                        let tangential = solution.tangential.get(index).copied().unwrap_or(Vec3::ZERO);
                        impulses[block.start + 1] = first.dot(tangential);
                        impulses[block.start + 2] = second.dot(tangential);
                    }
                }
            }
        }
        impulses
    }
}

/// Maximum that keeps NaN.
fn nan_max(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

pub(crate) fn dot(a: &Six, b: &Six) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

pub(crate) fn add_scaled(sum: &mut Six, vector: &Six, factor: f64) {
    for (sum, entry) in sum.iter_mut().zip(vector) {
        *sum += entry * factor;
    }
}

/// ImpulseLaw of a contact at a level.
fn contact_law(
    problem: &ContactProblem,
    contact: &PointContact,
    level: Level,
    model: Option<FrictionModel>,
    tangents: [Vec3; 2],
) -> ImpulseLaw {
    let friction = contact.friction;
    let Some(model) = model.filter(|_| friction > 0.0) else {
        return ImpulseLaw::Bounded { low: 0.0, high: f64::INFINITY };
    };
    if level == Level::Force {
        let velocity = problem.relative_velocity(contact);
        let slip = tangents.map(|tangent| tangent.dot(velocity));
        let speed = (slip[0] * slip[0] + slip[1] * slip[1]).sqrt();
        if speed > SLIDING_SPEED {
            let slope = slip.map(|slip| match model {
                FrictionModel::Cone => -friction * slip / speed,
                FrictionModel::Box if slip.abs() <= SLIDING_SPEED => 0.0,
                FrictionModel::Box => -friction * slip.signum(),
            });
            return ImpulseLaw::Sliding { low: 0.0, slope };
        }
    }
    match model {
        FrictionModel::Cone => ImpulseLaw::Cone { low: 0.0, friction },
        FrictionModel::Box => ImpulseLaw::Square { low: 0.0, friction },
    }
}

/// Factors L of the inverse masses, and the nodes of movable bodies.
struct MassScaling {
    count: usize,
    nodes: Vec<usize>,
    mass: Vec<f64>,
    /// Transposed factors of the inverse inertias.
    inertia: Vec<Mat3>,
}

impl MassScaling {
    fn new(problem: &ContactProblem) -> Self {
        let mut scaling = Self { count: 0, nodes: Vec::new(), mass: Vec::new(), inertia: Vec::new() };
        for body in &problem.bodies {
            scaling.mass.push(body.inverse_mass.sqrt());
            let (values, axes) = symmetric_spectrum(&body.inverse_inertia);
            let column = |k: usize| axes[k] * values[k].max(0.0).sqrt();
            scaling.inertia.push(Mat3::from_cols(column(0), column(1), column(2)).transpose());
            scaling.nodes.push(if body.is_movable() { scaling.count } else { usize::MAX });
            scaling.count += usize::from(body.is_movable());
        }
        let count = scaling.count;
        scaling.nodes.iter_mut().for_each(|node| *node = (*node).min(count));
        scaling
    }

    fn scale(&self, row: &RowDirections, side: usize) -> Six {
        let body = row.bodies[side] as usize;
        let linear = row.linear[side] * self.mass[body];
        let angular = self.inertia[body] * row.angular[side];
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    }
}
