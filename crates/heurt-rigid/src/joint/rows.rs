//! Constraint rows of joints: equations, limits, motors.
//!
//! In: a joint, frames of both bodies, the step. Out: [`ConstraintRow`]s.
//! Method: with anchors p, arms r, d = p_b − p_a, axes (u, v, w) of A and (u′, v′, w′) of B in the world frame, and
//! ω = ω_b − ω_a:
//! point: C = e·d for e = x, y, z; Ċ = e·(ṗ_b − ṗ_a);
//! line: C = e·d for e = u, v carried by A; Ċ = e·(ṗ_b − ṗ_a) + ω_a·(e × d);
//! axis: C = −v·w′ and u·w′; the derivative of a·b′ is ω·(b′ × a);
//! orientation: ½·(v′·w − w′·v) and cyclic, the components of sin θ times the axis of rotation; exact derivative by the
//! same formula;
//! length: C = |d| − ℓ, without limits and spring. A limit q ≥ lo is a row ∂q with impulse ≥ 0 and target −gap/dt, or 0
//! and an error if the gap is below 0; an upper limit has the opposite sign. A motor is a row ∂q with |impulse| ≤
//! max_force·dt.
//! Cost: constant.

use super::cone::{NEAR_TWIST_LIMIT, TWIST_RETURN};
use super::{Joint, JointFrame, JointKind};
use crate::body::RigidBody;
use crate::problem::ConstraintRow;
use heurt_geometry::{Mat3, Vec3};
use smallvec::SmallVec;

/// The rows of a joint: six equations at most, limits, a motor and friction; or a spring and a position motor.
pub type JointRows = SmallVec<[ConstraintRow; 9]>;

/// The equations of a joint and its coordinate, for a solver that keeps impulses from step to step.
pub(crate) struct JointConstraints {
    /// The equations that are finite.
    pub equations: JointRows,
    /// The coordinates along which limits, motors, springs or friction act; three at most.
    pub coordinates: SmallVec<[JointCoordinate; 3]>,
}

/// A motion that a joint leaves, and what bounds it.
pub(crate) struct JointCoordinate {
    /// Its gradient, without bounds.
    pub row: ConstraintRow,
    /// Its value, in radians or metres.
    pub value: f64,
    /// Distances from its lower and from its upper limit, negative beyond it; infinite without limit.
    pub gaps: [f64; 2],
    /// Bound of the friction along the row, in N or N·m.
    pub friction: f64,
}

/// Second-order changes of the equations of a joint.
pub(crate) type Curvatures = SmallVec<[f64; 6]>;

/// Frames of both halves of a joint in the world.
pub(super) struct Placed {
    /// Offsets of the anchors from the centres of mass.
    pub arms: [Vec3; 2],
    /// From A's anchor to B's.
    pub offset: Vec3,
    pub axes: [Mat3; 2],
}

/// The directions of a row: its gradient for the velocities of both bodies.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct RowShape {
    linear: Vec3,
    angular: [Vec3; 2],
}

/// A limit is a row if the coordinate reaches it within the step at this multiple of its speed. The excess allows for
/// the change of the speed by impulses of the same step.
const REACH: f64 = 2.0;
/// A limit nearer than this is always a row, in radians or metres: bodies at rest near a limit start to move.
const NEAR: f64 = 0.02;

impl Placed {
    pub(super) fn new(joint: &Joint, frames: [&JointFrame; 2]) -> Self {
        let arms = [0, 1].map(|k| frames[k].rotation * joint.anchors[k]);
        let offset = (frames[1].centre - frames[0].centre) + (arms[1] - arms[0]);
        Self { arms, offset, axes: [0, 1].map(|k| frames[k].rotation * joint.axes[k]) }
    }

    /// Reports whether an arm, or the axis of a joint that has one, turns by more than a radian in `dt` seconds: the
    /// second-order term is no estimate then. A body may spin faster around both.
    fn turns_far(&self, has_axes: bool, frames: [&JointFrame; 2], dt: f64) -> bool {
        /// In radians.
        const LARGEST_ANGLE: f64 = 1.0;
        (0..2).any(|side| {
            let turns = |vector: Vec3| {
                let speed = frames[side].angular_velocity.cross(vector).length();
                speed * dt > LARGEST_ANGLE * vector.length()
            };
            turns(self.arms[side]) || has_axes && turns(self.axes[side].z_axis)
        })
    }

    /// Returns the gradient of `direction`·offset for a direction fixed in the world.
    pub(super) fn anchor_row(&self, direction: Vec3) -> RowShape {
        let angular = [-self.arms[0].cross(direction), self.arms[1].cross(direction)];
        RowShape { linear: direction, angular }
    }

    /// Returns the gradient of `direction`·offset for a direction that A carries.
    pub(super) fn carried_row(&self, direction: Vec3) -> RowShape {
        let angular = [-(self.arms[0] + self.offset).cross(direction), self.arms[1].cross(direction)];
        RowShape { linear: direction, angular }
    }
}

impl RowShape {
    /// Returns the gradient `axis`·(ω_b − ω_a).
    pub(super) fn angular(axis: Vec3) -> Self {
        Self { linear: Vec3::ZERO, angular: [-axis, axis] }
    }

    /// Computes J·v.
    pub(super) fn rate(&self, [a, b]: [&JointFrame; 2]) -> f64 {
        let linear = self.linear.dot(b.velocity - a.velocity);
        linear + self.angular[0].dot(a.angular_velocity) + self.angular[1].dot(b.angular_velocity)
    }

    fn opposite(&self) -> Self {
        Self { linear: -self.linear, angular: self.angular.map(|axis| -axis) }
    }

    /// Returns the directions of a row.
    pub(crate) fn of_row(row: &ConstraintRow) -> Self {
        Self { linear: row.linear, angular: row.angular }
    }

    /// Computes the product of two rows in the norm of the inverse masses.
    pub(super) fn inner(&self, row: &Self, [a, b]: [&RigidBody; 2]) -> f64 {
        let linear = self.linear.dot(row.linear) * (a.inverse_mass + b.inverse_mass);
        let [first, second] = &self.angular;
        linear + first.dot(a.inverse_inertia * row.angular[0]) + second.dot(b.inverse_inertia * row.angular[1])
    }

    pub(super) fn plus(&self, row: &Self, factor: f64) -> Self {
        let angular = [0, 1].map(|side| self.angular[side] + row.angular[side] * factor);
        Self { linear: self.linear + row.linear * factor, angular }
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { linear: self.linear * factor, angular: self.angular.map(|axis| axis * factor) }
    }

    pub(super) fn row(&self, bodies: [u32; 2], error: f64, target: f64, bounds: [f64; 2]) -> ConstraintRow {
        ConstraintRow { bodies, linear: self.linear, angular: self.angular, target, bounds, error, compliance: 0.0 }
    }
}

/// Bounds of the impulse of an equation.
const EQUATION: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];
/// Bounds of the impulse of a limit.
const ONE_SIDED: [f64; 2] = [0.0, f64::INFINITY];

impl Joint {
    /// Computes the rows for a step of `dt` seconds: equations first, then limits within reach, then the motor, then
    /// the cone and the twist limits of a ball joint, then friction. [`Joint::spring_rows`] has springs and position
    /// motors.
    /// `bodies` are the indices of A and B in the problem; the world is a fixed body of the problem. The velocities of
    /// the frames decide only which limits are within reach; velocities after the free acceleration of the step serve
    /// best.
    ///
    /// A limit at a distance is a row with target −gap/dt and error 0, so that it acts only if the step would end
    /// beyond it. Rows that are not finite are left out.
    pub fn rows(&self, bodies: [u32; 2], frames: [&JointFrame; 2], dt: f64) -> JointRows {
        let at = Placed::new(self, frames);
        let mut rows = self.equations(&at, bodies);
        if let Some(shape) = self.coordinate_row(&at) {
            let reach = NEAR + REACH * shape.rate(frames).abs() * dt;
            for (shape, gap) in self.limit_gaps(&at, shape) {
                if gap <= reach {
                    rows.push(shape.row(bodies, gap.min(0.0), -gap.max(0.0) / dt, ONE_SIDED));
                }
            }
            if let Some(motor) = self.motor {
                let most = motor.max_force * dt;
                rows.push(shape.row(bodies, 0.0, motor.velocity, [-most, most]));
            }
        }
        for (number, (shape, gap)) in self.ball_gaps(&at, frames).into_iter().enumerate() {
            if gap <= NEAR + REACH * shape.rate(frames).abs() * dt {
                let error = if self.is_twist_limit(number) { gap.max(-TWIST_RETURN * dt) } else { gap };
                rows.push(shape.row(bodies, error.min(0.0), -gap.max(0.0) / dt, ONE_SIDED));
            }
        }
        let most = self.friction * dt;
        let friction = self.friction_shapes(&at, frames);
        rows.extend(friction.into_iter().map(|shape| shape.row(bodies, 0.0, 0.0, [-most, most])));
        rows.retain(|row| is_finite(row));
        rows
    }

    /// Computes the rows of [`Joint::rows`] with equations and limits that hold at the end of the step to second order:
    /// their targets contain −(C(q ⊕ v·dt) − C(q) − J·v·dt)/dt for the velocities v of the frames, which shall be those
    /// after the free acceleration of the step. With a drift term of −error/dt in the solver, the positions follow one
    /// iteration of the SHAKE scheme (Ryckaert, Ciccotti and Berendsen 1977), and the energy of a pendulum oscillates
    /// instead of falling. A body that rotates by more than a radian in the step leaves the targets as they are.
    ///
    /// ```
    /// use heurt_geometry::{Mat3, Vec3};
    /// use heurt_rigid::{Joint, JointFrame};
    /// // A bob on a circle of 1 m at 3 m/s: a step along the tangent would end 4.5 dt² outside.
    /// let bob = JointFrame { velocity: Vec3::X * 3.0, ..JointFrame::at_rest(Vec3::Z * -1.0, Mat3::IDENTITY) };
    /// let frames = [&JointFrame::WORLD, &bob];
    /// let rod = Joint::distance([None, Some(0)], frames, [Vec3::ZERO, bob.centre])?;
    /// let row = rod.step_rows([0, 1], frames, 0.01)[0];
    /// assert!((row.target + 4.5 * 0.01).abs() < 1e-4);
    /// # Ok::<(), heurt_rigid::JointError>(())
    /// ```
    pub fn step_rows(&self, bodies: [u32; 2], frames: [&JointFrame; 2], dt: f64) -> JointRows {
        let ends = frames.map(|frame| frame.after(dt));
        self.step_rows_to(bodies, frames, [&ends[0], &ends[1]], dt)
    }

    /// Computes the rows of [`Joint::step_rows`] for bodies that are at `ends` after the step if no joint holds them: a
    /// body that tumbles does not rotate at the velocity of its start.
    pub fn step_rows_to(
        &self,
        bodies: [u32; 2],
        frames: [&JointFrame; 2],
        ends: [&JointFrame; 2],
        dt: f64,
    ) -> JointRows {
        let mut rows = self.rows(bodies, frames, dt);
        let curvatures = self.curvatures_to(&rows, frames, ends, dt);
        // Equations come first.
        for (row, curvature) in rows.iter_mut().zip(&curvatures) {
            row.target = -curvature / dt;
        }
        if !self.turns_far(frames, dt) {
            self.bend_limits(&mut rows[curvatures.len()..], frames, ends, dt);
        }
        rows.retain(|row| is_finite(row));
        rows
    }

    /// Adds the second-order changes of the coordinate, of swing and of twist to the targets of limits: a body that
    /// slides along its cone keeps its speed, and two bodies at the end of their rope need no projection, which would
    /// change their angular momentum.
    fn bend_limits(&self, rows: &mut [ConstraintRow], frames: [&JointFrame; 2], ends: [&JointFrame; 2], dt: f64) {
        let (now, later) = (self.all_gaps(frames), self.all_gaps(ends));
        if now.len() != later.len() {
            return;
        }
        for row in rows.iter_mut().filter(|row| row.bounds == ONE_SIDED) {
            let shape = RowShape::of_row(row);
            let Some(at) = now.iter().position(|(limit, _)| *limit == shape) else { continue };
            if self.kind == JointKind::Ball && self.is_twist_limit(at) && now[at].1 < -NEAR_TWIST_LIMIT {
                continue;
            }
            // Beyond the axis the gradient of the swing has turned around, and the limits have changed places.
            let end = match compare_directions(&shape, &later[at].0) {
                Some(true) => later[at].1,
                Some(false) if self.kind == JointKind::Ball => later[at ^ 1].1,
                _ => continue,
            };
            row.target -= (end - now[at].1) / dt - shape.rate(frames);
        }
    }

    /// Returns the gradients of the distances from all limits, and these distances: of the coordinate, or of swing and
    /// twist.
    fn all_gaps(&self, frames: [&JointFrame; 2]) -> SmallVec<[(RowShape, f64); 4]> {
        let at = Placed::new(self, frames);
        let own = self.coordinate_row(&at).map(|shape| self.limit_gaps(&at, shape)).unwrap_or_default();
        own.into_iter().chain(self.ball_gaps(&at, frames)).collect()
    }

    /// Computes C(q ⊕ v·dt) − C(q) − J·v·dt for the equations, which are the first of `rows`; see
    /// [`Joint::curvatures_to`].
    pub(crate) fn curvatures(&self, rows: &[ConstraintRow], frames: [&JointFrame; 2], dt: f64) -> Curvatures {
        let ends = frames.map(|frame| frame.after(dt));
        self.curvatures_to(rows, frames, [&ends[0], &ends[1]], dt)
    }

    /// Computes C(ends) − C(q) − J·v·dt for the equations, which are the first of `rows`. The result is empty if an arm
    /// or an axis of the joint turns by more than a radian in the step, or if a row is not finite.
    fn curvatures_to(
        &self,
        rows: &[ConstraintRow],
        frames: [&JointFrame; 2],
        ends: [&JointFrame; 2],
        dt: f64,
    ) -> Curvatures {
        if self.turns_far(frames, dt) {
            return Curvatures::new();
        }
        let later = self.equations(&Placed::new(self, ends), [0, 1]);
        // A row that is left out leaves the rest without a partner.
        if later.len() > rows.len() || later.iter().any(|row| !is_finite(row)) {
            return Curvatures::new();
        }
        let change = |(row, later): (&ConstraintRow, &ConstraintRow)| {
            let shape = RowShape { linear: row.linear, angular: row.angular };
            later.error - row.error - shape.rate(frames) * dt
        };
        rows.iter().zip(&later).map(change).collect()
    }

    /// Reports whether an arm, or the axis of a joint that has one, turns by more than a radian in `dt` seconds: the
    /// targets of [`Joint::step_rows`] are no estimate then.
    pub fn turns_far(&self, frames: [&JointFrame; 2], dt: f64) -> bool {
        let has_axes = !matches!(self.kind, JointKind::Ball | JointKind::Distance);
        Placed::new(self, frames).turns_far(has_axes, frames, dt)
    }

    /// Computes the equations and the coordinates with the distances from their limits.
    pub(crate) fn constraints(&self, bodies: [u32; 2], frames: [&JointFrame; 2]) -> JointConstraints {
        let at = Placed::new(self, frames);
        let mut equations = self.equations(&at, bodies);
        equations.retain(|row| is_finite(row));
        let mut coordinates = match self.kind {
            JointKind::Ball => self.ball_coordinates(&at, bodies, frames),
            _ => self.own_coordinate(&at, bodies).into_iter().collect(),
        };
        coordinates.retain(|coordinate: &mut JointCoordinate| is_finite(&coordinate.row));
        JointConstraints { equations, coordinates }
    }

    /// Returns the coordinate of a hinge, a slider or a distance joint, if anything acts along it.
    fn own_coordinate(&self, at: &Placed, bodies: [u32; 2]) -> Option<JointCoordinate> {
        let is_bounded = self.limits.is_some() || self.motor.is_some() || self.position_motor.is_some();
        let has_friction = self.friction > 0.0 && !self.is_rod();
        let shape = self.coordinate_row(at).filter(|_| is_bounded || self.spring.is_some() || has_friction)?;
        let [low, high] = self.limits.unwrap_or(EQUATION);
        let value = self.coordinate_of(at);
        Some(JointCoordinate {
            row: shape.row(bodies, 0.0, 0.0, EQUATION),
            value,
            gaps: [value - low, high - value],
            friction: if has_friction { self.friction } else { 0.0 },
        })
    }

    /// Returns swing, twist and the third rotation of a ball joint, if anything acts along them.
    fn ball_coordinates(
        &self,
        at: &Placed,
        bodies: [u32; 2],
        frames: [&JointFrame; 2],
    ) -> SmallVec<[JointCoordinate; 3]> {
        let mut coordinates = SmallVec::new();
        let has_friction = self.friction > 0.0;
        if !has_friction && self.cone.is_none() && self.twist_limits().is_none() {
            return coordinates;
        }
        let turns = self.ball_turns(at, frames);
        let mut add = |value: f64, gradient: Vec3, [low, high]: [f64; 2]| {
            let row = RowShape::angular(gradient).row(bodies, 0.0, 0.0, EQUATION);
            let friction = self.friction / gradient.length();
            coordinates.push(JointCoordinate { row, value, gaps: [value - low, high - value], friction });
        };
        if has_friction || self.cone.is_some() {
            let (value, gradient) = turns.swing;
            add(value, gradient, self.cone.map_or(EQUATION, |cone| [-cone, cone]));
        }
        match (turns.twist, self.twist_limits()) {
            (Some((twist, gradient)), Some(limits)) => add(twist + self.whole_turns(limits), gradient, limits),
            _ if has_friction => add(0.0, turns.others[0], EQUATION),
            _ => {}
        }
        if has_friction {
            add(0.0, turns.others[1], EQUATION);
        }
        coordinates
    }

    /// Computes the rows of a position projection: equations, and limits that are violated. Targets are 0; a projection
    /// moves the bodies by M⁻¹Jᵀλ with J M⁻¹Jᵀλ = −error.
    pub fn position_rows(&self, bodies: [u32; 2], frames: [&JointFrame; 2]) -> JointRows {
        let at = Placed::new(self, frames);
        let mut rows = self.equations(&at, bodies);
        if let Some(shape) = self.coordinate_row(&at) {
            let violated = self.limit_gaps(&at, shape).into_iter().filter(|(_, gap)| *gap < 0.0);
            rows.extend(violated.map(|(shape, gap)| shape.row(bodies, gap, 0.0, ONE_SIDED)));
        }
        let is_violated = |(number, (_, gap)): &(usize, (RowShape, f64))| {
            *gap < 0.0 && !(self.is_twist_limit(*number) && *gap < -NEAR_TWIST_LIMIT)
        };
        let violated = self.ball_gaps(&at, frames).into_iter().enumerate().filter(is_violated);
        rows.extend(violated.map(|(_, (shape, gap))| shape.row(bodies, gap, 0.0, ONE_SIDED)));
        rows.retain(|row| is_finite(row));
        rows
    }

    /// Reports whether a distance of [`Joint::ball_gaps`] is that from a twist limit: those from the cone come first.
    fn is_twist_limit(&self, number: usize) -> bool {
        self.cone.is_none() || number >= 2
    }

    /// Returns the gradients of the distances to both limits, and these distances.
    fn limit_gaps(&self, at: &Placed, shape: RowShape) -> SmallVec<[(RowShape, f64); 2]> {
        let Some([low, high]) = self.limits else { return SmallVec::new() };
        let coordinate = self.coordinate_of(at);
        SmallVec::from_buf([(shape, coordinate - low), (shape.opposite(), high - coordinate)])
    }

    pub(super) fn equations(&self, at: &Placed, bodies: [u32; 2]) -> JointRows {
        let mut rows = JointRows::new();
        let mut add = |shape: RowShape, error: f64| rows.push(shape.row(bodies, error, 0.0, EQUATION));
        let [own, other] = &at.axes;
        match self.kind {
            JointKind::Fixed | JointKind::Ball | JointKind::Hinge => {
                for direction in [Vec3::X, Vec3::Y, Vec3::Z] {
                    add(at.anchor_row(direction), at.offset.dot(direction));
                }
            }
            JointKind::Slider => {
                for direction in [own.x_axis, own.y_axis] {
                    add(at.carried_row(direction), at.offset.dot(direction));
                }
            }
            JointKind::Distance if self.is_rod() => {
                let direction = at.offset.try_normalize().unwrap_or(Vec3::Z);
                add(at.anchor_row(direction), at.offset.length() - self.length);
            }
            JointKind::Distance => {}
        }
        match self.kind {
            JointKind::Fixed | JointKind::Slider => {
                for k in 0..3 {
                    let [j, i] = [(k + 1) % 3, (k + 2) % 3];
                    let gradient = other.col(j).cross(own.col(i)) - other.col(i).cross(own.col(j));
                    let error = other.col(j).dot(own.col(i)) - other.col(i).dot(own.col(j));
                    add(RowShape::angular(gradient * 0.5), error * 0.5);
                }
            }
            JointKind::Hinge => {
                let axis = other.z_axis;
                for direction in [-own.y_axis, own.x_axis] {
                    add(RowShape::angular(axis.cross(direction)), axis.dot(direction));
                }
            }
            JointKind::Ball | JointKind::Distance => {}
        }
        rows
    }
}

/// Reports whether the gradient of a row keeps its direction to a later one, or turns around; `None` if it turns by an
/// angle in between, where no second-order change is an estimate: near the axis of a cone.
pub(crate) fn compare_directions(row: &RowShape, later: &RowShape) -> Option<bool> {
    /// Cosine of 37°.
    const ALIKE: f64 = 0.8;
    let [before, after] = [row, later].map(|row| if row.linear == Vec3::ZERO { row.angular[1] } else { row.linear });
    let cosine = before.dot(after) / (before.length() * after.length());
    if cosine >= ALIKE {
        Some(true)
    } else if cosine <= -ALIKE {
        Some(false)
    } else {
        None
    }
}

pub(super) fn is_finite(row: &ConstraintRow) -> bool {
    let vectors = [row.linear, row.angular[0], row.angular[1]];
    let is_bound = row.bounds.iter().all(|bound| !bound.is_nan());
    vectors.iter().all(|vector| vector.is_finite()) && row.target.is_finite() && row.error.is_finite() && is_bound
}
