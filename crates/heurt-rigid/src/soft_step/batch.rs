//! Batches of four contact blocks: constants of the step and accumulated impulses, in lanes.
//!
//! In: blocks of at most `N` points of a manifold. Out: prepared batches; at the end, the impulses of the points.
//! Method: a point with anchors r has the normal row J = (−n, −r_A × n, n, r_B × n). The rows of a block share n, so a
//! sweep over the block needs only the coupling K = J M⁻¹ Jᵀ of its points. Friction has one row pair at the centre of
//! the block and one row around the normal.
//! Cost: 3 kB for four blocks of four points.

use super::input::{StepManifold, StepPoint};
use super::lanes::{LANES, Wide, WideSym, WideVec};
use super::motion::BodyMotion;
use super::settings::Softness;
use heurt_geometry::Vec3;

/// The points of a manifold that a lane of a batch solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BatchSource {
    pub manifold: u32,
    pub first_point: u32,
    /// 0 for a lane without block.
    pub count: u32,
}

impl BatchSource {
    pub const NONE: Self = Self { manifold: 0, first_point: 0, count: 0 };

    fn points<'a>(&self, manifold: &'a StepManifold) -> &'a [StepPoint] {
        &manifold.points[self.first_point as usize..(self.first_point + self.count) as usize]
    }
}

/// One point of each of four blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PointLanes {
    /// r × n of A and of B.
    pub turn: [WideVec; 2],
    /// r · n of A and of B; 0 for round surfaces, whose height does not follow the rotation.
    pub height: [Wide; 2],
    pub separation: Wide,
    /// Distance from the centre of the block.
    pub lever: Wide,
    /// Impulse of the sub-step.
    pub impulse: Wide,
    /// Impulse of the sub-steps before, in this step.
    pub total: Wide,
    /// Slowest gap velocity before the first impulse, at most 0. After the pass of restitution: the impulse that it has
    /// added.
    pub approach: Wide,
}

impl PointLanes {
    const EMPTY: Self = Self {
        turn: [WideVec::ZERO; 2],
        height: [Wide::ZERO; 2],
        separation: Wide::ZERO,
        lever: Wide::ZERO,
        impulse: Wide::ZERO,
        total: Wide::ZERO,
        approach: Wide::ZERO,
    };
}

/// Four blocks of at most `N` points.
#[derive(Debug, Clone, PartialEq)]
#[repr(align(64))]
pub(super) struct ContactBatch<const N: usize> {
    /// Indices of A and B; a lane without block names the body behind the last one.
    pub bodies: [[u32; LANES]; 2],
    pub is_bouncy: bool,
    pub normal: WideVec,
    pub tangent: WideVec,
    pub inverse_mass: [WideVec; 2],
    pub inverse_inertia: [WideSym; 2],
    /// Offsets of the centre of the block from the centres of mass.
    pub arms: [WideVec; 2],
    pub friction: Wide,
    pub restitution: Wide,
    /// Acceleration of the gap in free flight, in m/s².
    pub fall: Wide,
    /// 0 for round surfaces, else 1.
    pub flatness: Wide,
    /// Inverse of the coupling of the two tangents: 11, 12, 22.
    pub tangent_mass: [Wide; 3],
    pub twist_mass: Wide,
    pub bias_rate: Wide,
    pub mass_scale: Wide,
    pub impulse_scale: Wide,
    pub tangent_impulse: [Wide; 2],
    pub tangent_total: [Wide; 2],
    pub twist_impulse: Wide,
    pub twist_total: Wide,
    pub points: [PointLanes; N],
    /// Coupling of two points, on and above the diagonal.
    pub coupling: [[Wide; N]; N],
    /// Effective mass of each point; 0 for a point that the block lacks.
    pub mass: [Wide; N],
}

impl<const N: usize> ContactBatch<N> {
    pub const EMPTY: Self = Self {
        bodies: [[0; LANES]; 2],
        is_bouncy: false,
        normal: WideVec::ZERO,
        tangent: WideVec::ZERO,
        inverse_mass: [WideVec::ZERO; 2],
        inverse_inertia: [WideSym::ZERO; 2],
        arms: [WideVec::ZERO; 2],
        friction: Wide::ZERO,
        restitution: Wide::ZERO,
        fall: Wide::ZERO,
        flatness: Wide::ZERO,
        tangent_mass: [Wide::ZERO; 3],
        twist_mass: Wide::ZERO,
        bias_rate: Wide::ZERO,
        mass_scale: Wide::ZERO,
        impulse_scale: Wide::ZERO,
        tangent_impulse: [Wide::ZERO; 2],
        tangent_total: [Wide::ZERO; 2],
        twist_impulse: Wide::ZERO,
        twist_total: Wide::ZERO,
        points: [PointLanes::EMPTY; N],
        coupling: [[Wide::ZERO; N]; N],
        mass: [Wide::ZERO; N],
    };

    /// Fills the batch with blocks. `softness` is for two movable bodies and for one.
    pub fn prepare(
        &mut self,
        sources: &[BatchSource; LANES],
        manifolds: &[StepManifold],
        motions: &[BodyMotion],
        softness: &[Softness; 2],
    ) {
        self.clone_from(&Self::EMPTY);
        self.bodies = [[motions.len() as u32; LANES]; 2];
        // Until `couple` runs, `turn` holds the anchors.
        for (lane, source) in sources.iter().enumerate().filter(|(_, source)| source.count > 0) {
            let manifold = &manifolds[source.manifold as usize];
            self.fill_bodies(lane, manifold, motions, softness);
            self.fill_points(lane, manifold, source.points(manifold));
        }
    }

    fn fill_bodies(&mut self, lane: usize, manifold: &StepManifold, motions: &[BodyMotion], softness: &[Softness; 2]) {
        let mut movable = true;
        let falls = manifold.bodies.map(|body| motions[body as usize].free_accelerations()[0]);
        self.fall.0[lane] = manifold.normal.dot(falls[1] - falls[0]);
        for side in 0..2 {
            let motion = &motions[manifold.bodies[side] as usize];
            self.bodies[side][lane] = manifold.bodies[side];
            self.inverse_mass[side].set(lane, motion.inverse_mass);
            for (wide, number) in self.inverse_inertia[side].0.iter_mut().zip(motion.inverse_inertia) {
                wide.0[lane] = number;
            }
            movable &= motion.is_movable;
        }
        let softness = softness[usize::from(!movable)];
        self.bias_rate.0[lane] = softness.bias_rate;
        self.mass_scale.0[lane] = softness.mass_scale;
        self.impulse_scale.0[lane] = softness.impulse_scale;
        self.friction.0[lane] = manifold.friction;
        self.restitution.0[lane] = manifold.restitution;
        self.flatness.0[lane] = if manifold.is_round { 0.0 } else { 1.0 };
        self.is_bouncy |= manifold.restitution > 0.0;
    }

    fn fill_points(&mut self, lane: usize, manifold: &StepManifold, points: &[StepPoint]) {
        let normal = manifold.normal.normalize();
        let tangent = normal.any_orthonormal_vector();
        let centre = block_centre(points);
        self.normal.set(lane, normal);
        self.tangent.set(lane, tangent);
        self.arms[0].set(lane, centre[0]);
        self.arms[1].set(lane, centre[1]);
        let mut warm = Vec3::ZERO;
        let mut twist = 0.0;
        for (lanes, point) in self.points.iter_mut().zip(points) {
            let offset = point.anchors[0] - centre[0];
            lanes.turn[0].set(lane, point.anchors[0]);
            lanes.turn[1].set(lane, point.anchors[1]);
            lanes.separation.0[lane] = point.separation;
            lanes.lever.0[lane] = normal.cross(offset).length();
            lanes.impulse.0[lane] = point.warm_normal;
            warm += point.warm_tangent;
            twist += normal.dot(offset.cross(point.warm_tangent));
        }
        self.tangent_impulse[0].0[lane] = warm.dot(tangent);
        self.tangent_impulse[1].0[lane] = warm.dot(normal.cross(tangent));
        self.twist_impulse.0[lane] = twist;
        // A point that the block lacks keeps an effective mass of 0.
        for mass in &mut self.mass[..points.len()] {
            mass.0[lane] = 1.0;
        }
    }

    /// Computes the rows and their coupling from the anchors.
    #[inline(always)]
    pub fn couple(&mut self) {
        let n = self.normal;
        for point in &mut self.points {
            for side in 0..2 {
                point.height[side] = point.turn[side].dot(n) * self.flatness;
                point.turn[side] = point.turn[side].cross(n);
            }
        }
        let inverse_mass = self.inverse_mass[0] + self.inverse_mass[1];
        let linear = n.component_mul(inverse_mass).dot(n);
        for i in 0..N {
            let a = self.inverse_inertia[0].mul_vec(self.points[i].turn[0]);
            let b = self.inverse_inertia[1].mul_vec(self.points[i].turn[1]);
            let own = linear + a.dot(self.points[i].turn[0]) + b.dot(self.points[i].turn[1]);
            self.coupling[i][i] = own;
            self.mass[i] = self.mass[i].divide_or_zero(own);
            for j in i + 1..N {
                self.coupling[i][j] = linear + a.dot(self.points[j].turn[0]) + b.dot(self.points[j].turn[1]);
            }
        }
        self.couple_friction(inverse_mass);
    }

    #[inline(always)]
    fn couple_friction(&mut self, inverse_mass: WideVec) {
        let tangents = [self.tangent, self.normal.cross(self.tangent)];
        let mut matrix = [Wide::ZERO; 3];
        for (entry, (i, j)) in matrix.iter_mut().zip([(0, 0), (0, 1), (1, 1)]) {
            *entry = tangents[i].component_mul(inverse_mass).dot(tangents[j]);
            for side in 0..2 {
                let turned = self.inverse_inertia[side].mul_vec(self.arms[side].cross(tangents[i]));
                *entry += turned.dot(self.arms[side].cross(tangents[j]));
            }
        }
        let determinant = matrix[0] * matrix[2] - matrix[1] * matrix[1];
        self.tangent_mass = [
            matrix[2].divide_or_zero(determinant),
            (-matrix[1]).divide_or_zero(determinant),
            matrix[0].divide_or_zero(determinant),
        ];
        let turned = self.inverse_inertia[0].mul_vec(self.normal) + self.inverse_inertia[1].mul_vec(self.normal);
        self.twist_mass = Wide::splat(1.0).divide_or_zero(turned.dot(self.normal));
    }

    /// Keeps a share of the impulses that the pass of restitution has added to a lane.
    pub fn scale_bounce(&mut self, lane: usize, share: f64) {
        for point in &mut self.points {
            point.total.0[lane] -= point.approach.0[lane] * (1.0 - share);
        }
    }

    /// Writes the impulses of a lane to the points of its manifold. The force of friction is split evenly; the moment
    /// around the normal is split in proportion to the distance from the centre c of the block, along n × (r − c).
    pub fn store(&self, lane: usize, source: &BatchSource, manifold: &mut StepManifold) {
        let normal = self.normal.get(lane);
        let tangents = [self.tangent.get(lane), normal.cross(self.tangent.get(lane))];
        let share = 1.0 / f64::from(source.count);
        let spread: f64 = self.points.iter().map(|p| p.lever.0[lane] * p.lever.0[lane]).sum();
        let twist_share = if spread > 0.0 { 1.0 / spread } else { 0.0 };
        let twist = self.twist_impulse.0[lane] * twist_share;
        let twist_total = self.twist_total.0[lane] * twist_share;
        let in_plane = |pair: &[Wide; 2]| (tangents[0] * pair[0].0[lane] + tangents[1] * pair[1].0[lane]) * share;
        let (warm, total) = (in_plane(&self.tangent_impulse), in_plane(&self.tangent_total));
        let centre_turn = self.arms[0].get(lane).cross(normal);
        let range = source.first_point as usize..(source.first_point + source.count) as usize;
        for (point, lanes) in manifold.points[range].iter_mut().zip(&self.points) {
            let around = centre_turn - lanes.turn[0].get(lane);
            point.warm_normal = lanes.impulse.0[lane];
            point.normal_impulse = lanes.total.0[lane];
            point.warm_tangent = warm + around * twist;
            point.tangential_impulse = total + around * twist_total;
        }
    }
}

/// Returns the mean of the anchors on A and on B.
fn block_centre(points: &[StepPoint]) -> [Vec3; 2] {
    let share = 1.0 / points.len() as f64;
    [0, 1].map(|side| points.iter().map(|p| p.anchors[side]).sum::<Vec3>() * share)
}
