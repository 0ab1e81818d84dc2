//! Projections onto the sets of admissible impulses of a contact or a row, with their derivatives.
//!
//! In: a trial impulse (normal, two tangents), or one scalar. Out: the projected impulse and the Jacobian.
//! Method: natural map of Coulomb's law (Alart and Curnier 1991): the normal is projected onto f ≥ low, then the
//! tangent onto the disc or the square of half width µ·f of the projected normal. A sliding contact at the level of
//! forces has a tangent proportional to the normal.
//! Guarantees: the result is admissible; the Jacobian is an element of the generalized derivative. Cost: constant.

/// Set of admissible impulses of one block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum ImpulseLaw {
    /// One unknown between two bounds.
    Bounded { low: f64, high: f64 },
    /// Normal impulse of at least `low`; tangent in the disc of radius µ times the normal.
    Cone { low: f64, friction: f64 },
    /// Normal impulse of at least `low`; each tangent coordinate at most µ times the normal.
    Square { low: f64, friction: f64 },
    /// Normal of at least `low`; tangent = slope times the normal.
    Sliding { low: f64, slope: [f64; 2] },
}

impl ImpulseLaw {
    /// Returns the number of unknowns.
    pub fn size(&self) -> usize {
        if matches!(self, ImpulseLaw::Bounded { .. }) { 1 } else { 3 }
    }

    /// Returns the same law with another lower bound of the normal impulse.
    pub fn with_low(self, low: f64) -> Self {
        match self {
            ImpulseLaw::Bounded { high, .. } => ImpulseLaw::Bounded { low, high },
            ImpulseLaw::Cone { friction, .. } => ImpulseLaw::Cone { low, friction },
            ImpulseLaw::Square { friction, .. } => ImpulseLaw::Square { low, friction },
            ImpulseLaw::Sliding { slope, .. } => ImpulseLaw::Sliding { low, slope },
        }
    }

    /// Projects the first unknown.
    pub fn project_normal(&self, trial: f64) -> f64 {
        match *self {
            ImpulseLaw::Bounded { low, high } => trial.max(low).min(high),
            ImpulseLaw::Cone { low, .. } | ImpulseLaw::Square { low, .. } | ImpulseLaw::Sliding { low, .. } => {
                trial.max(low)
            }
        }
    }

    /// Projects the tangent for a projected normal.
    pub fn project_tangent(&self, normal: f64, trial: [f64; 2]) -> [f64; 2] {
        match *self {
            ImpulseLaw::Bounded { .. } => [0.0; 2],
            ImpulseLaw::Cone { friction, .. } => {
                let radius = friction * normal;
                let length = tangent_length(trial);
                if length <= radius { trial } else { trial.map(|t| t * (radius / length)) }
            }
            ImpulseLaw::Square { friction, .. } => trial.map(|t| t.max(-friction * normal).min(friction * normal)),
            ImpulseLaw::Sliding { slope, .. } => slope.map(|s| s * normal),
        }
    }

    /// Projects a trial impulse.
    pub fn project(&self, trial: [f64; 3]) -> [f64; 3] {
        let normal = self.project_normal(trial[0]);
        let [first, second] = self.project_tangent(normal, [trial[1], trial[2]]);
        [normal, first, second]
    }

    /// Computes the Jacobian of the projection at a trial impulse.
    pub fn derivative(&self, trial: [f64; 3]) -> [[f64; 3]; 3] {
        let normal = self.project_normal(trial[0]);
        let active = if normal == trial[0] { 1.0 } else { 0.0 };
        let mut jacobian = [[0.0; 3]; 3];
        jacobian[0][0] = active;
        match *self {
            ImpulseLaw::Bounded { .. } => {}
            ImpulseLaw::Cone { friction, .. } => {
                let radius = friction * normal;
                let length = tangent_length([trial[1], trial[2]]);
                if length <= radius {
                    (jacobian[1][1], jacobian[2][2]) = (1.0, 1.0);
                    return jacobian;
                }
                let direction = [trial[1] / length, trial[2] / length];
                let share = radius / length;
                for i in 0..2 {
                    jacobian[i + 1][0] = friction * direction[i] * active;
                    for j in 0..2 {
                        let unit = if i == j { 1.0 } else { 0.0 };
                        jacobian[i + 1][j + 1] = share * (unit - direction[i] * direction[j]);
                    }
                }
            }
            ImpulseLaw::Square { friction, .. } => {
                for i in 1..3 {
                    if trial[i].abs() <= friction * normal {
                        jacobian[i][i] = 1.0;
                    } else {
                        jacobian[i][0] = friction * active * trial[i].signum();
                    }
                }
            }
            ImpulseLaw::Sliding { slope, .. } => {
                (jacobian[1][0], jacobian[2][0]) = (slope[0] * active, slope[1] * active)
            }
        }
        jacobian
    }
}

/// Length of a tangent without overflow of the squares.
fn tangent_length([first, second]: [f64; 2]) -> f64 {
    let size = first.abs().max(second.abs());
    if size == 0.0 || !size.is_finite() {
        return size;
    }
    let (x, y) = (first / size, second / size);
    size * (x * x + y * y).sqrt()
}
