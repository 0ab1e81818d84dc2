//! Smoothed projections onto the sets of admissible impulses, with their Jacobians.
//!
//! In: a trial impulse and a smoothing width. Out: the smoothed projection and its Jacobian.
//! Method: max(s, 0) becomes (s + √(s² + 4τ²))/2 (Chen–Harker–Kanzow–Smale): its fixed points f·w = const are the
//! central path of interior-point methods. An interval is the difference of two such functions; a disc of radius ρ
//! scales the trial by ρ/m, m the smoothed maximum of ρ and the length of the trial.
//! Guarantees: the result tends to the projection of `ImpulseLaw` for τ → 0. Cost: constant.

use super::law::ImpulseLaw;

/// Value and Jacobian of a projection.
pub(crate) type Smoothed = ([f64; 3], [[f64; 3]; 3]);

/// Smoothed maximum of s and 0 and its derivative. The form without cancellation is used for s < 0.
fn smooth_positive(s: f64, width: f64) -> (f64, f64) {
    let root = (s * s + 4.0 * width * width).sqrt();
    if root == 0.0 {
        return (0.0, 0.5);
    }
    let value = if s >= 0.0 { 0.5 * (s + root) } else { 2.0 * width * width / (root - s) };
    (value, value / root)
}

/// Smoothed projection onto an interval, which may be unbounded.
fn smooth_interval(s: f64, low: f64, high: f64, width: f64) -> (f64, f64) {
    if low == high {
        return (low, 0.0);
    }
    let above = (high < f64::INFINITY).then(|| smooth_positive(s - high, width));
    if low == f64::NEG_INFINITY {
        return above.map_or((s, 1.0), |(value, slope)| (s - value, 1.0 - slope));
    }
    let (value, slope) = smooth_positive(s - low, width);
    above.map_or((low + value, slope), |(over, over_slope)| (low + value - over, slope - over_slope))
}

impl ImpulseLaw {
    /// Projects a trial impulse with the widths of the normal and of the tangent.
    pub fn project_smooth(&self, trial: [f64; 3], widths: [f64; 2]) -> Smoothed {
        let (low, high) = match *self {
            ImpulseLaw::Bounded { low, high } => (low, high),
            ImpulseLaw::Cone { low, .. } | ImpulseLaw::Square { low, .. } | ImpulseLaw::Sliding { low, .. } => {
                (low, f64::INFINITY)
            }
        };
        let (normal, slope) = smooth_interval(trial[0], low, high, widths[0]);
        let mut value = [normal, 0.0, 0.0];
        let mut jacobian = [[0.0; 3]; 3];
        jacobian[0][0] = slope;
        match *self {
            ImpulseLaw::Bounded { .. } => {}
            ImpulseLaw::Cone { friction, .. } => {
                let disc = smooth_disc([trial[1], trial[2]], friction * normal, friction * widths[1]);
                for i in 0..2 {
                    value[i + 1] = disc.value[i];
                    jacobian[i + 1] = [friction * slope * disc.by_radius[i], disc.by_trial[i][0], disc.by_trial[i][1]];
                }
            }
            ImpulseLaw::Square { friction, .. } => {
                let (radius, width) = (friction * normal, friction * widths[1]);
                for i in 1..3 {
                    let (above, above_slope) = smooth_positive(trial[i] + radius, width);
                    let (below, below_slope) = smooth_positive(trial[i] - radius, width);
                    value[i] = above - radius - below;
                    jacobian[i][i] = above_slope - below_slope;
                    jacobian[i][0] = friction * slope * (above_slope + below_slope - 1.0);
                }
            }
            ImpulseLaw::Sliding { slope: ratio, .. } => {
                for i in 0..2 {
                    value[i + 1] = ratio[i] * normal;
                    jacobian[i + 1][0] = ratio[i] * slope;
                }
            }
        }
        (value, jacobian)
    }
}

impl ImpulseLaw {
    /// Projects a trial impulse without the Jacobian: the line search needs values only.
    pub fn value_smooth(&self, trial: [f64; 3], widths: [f64; 2]) -> [f64; 3] {
        let ImpulseLaw::Cone { low, friction } = *self else {
            return self.project_smooth(trial, widths).0;
        };
        let normal = low + smooth_positive(trial[0] - low, widths[0]).0;
        let (radius, width) = (friction * normal, friction * widths[1]);
        let length = (trial[1] * trial[1] + trial[2] * trial[2]).sqrt();
        let gap = radius - length;
        let size = 0.5 * (radius + length + (gap * gap + 4.0 * width * width).sqrt());
        let scale = if size > 0.0 { radius / size } else { 0.0 };
        [normal, trial[1] * scale, trial[2] * scale]
    }
}

/// Smoothed projection onto a disc, with its derivatives.
struct SmoothDisc {
    value: [f64; 2],
    by_trial: [[f64; 2]; 2],
    by_radius: [f64; 2],
}

fn smooth_disc(trial: [f64; 2], radius: f64, width: f64) -> SmoothDisc {
    let length = (trial[0] * trial[0] + trial[1] * trial[1]).sqrt();
    let gap = radius - length;
    let root = (gap * gap + 4.0 * width * width).sqrt();
    let size = 0.5 * (radius + length + root);
    if size <= 0.0 || root == 0.0 || !size.is_finite() {
        return SmoothDisc { value: [0.0; 2], by_trial: [[0.0; 2]; 2], by_radius: [0.0; 2] };
    }
    let share = gap / root;
    let (by_length, by_radius) = (0.5 * (1.0 - share), 0.5 * (1.0 + share));
    let scale = radius / size;
    let direction = trial.map(|t| if length > 0.0 { t / length } else { 0.0 });
    let bend = by_length * length / size;
    let mut by_trial = [[0.0; 2]; 2];
    for i in 0..2 {
        for j in 0..2 {
            let unit = if i == j { 1.0 } else { 0.0 };
            by_trial[i][j] = scale * (unit - bend * direction[i] * direction[j]);
        }
    }
    let change = (size - radius * by_radius) / (size * size);
    SmoothDisc { value: trial.map(|t| t * scale), by_trial, by_radius: trial.map(|t| t * change) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::SplitMix64;

    #[test]
    fn jacobians_equal_finite_differences_and_small_widths_give_the_projection() {
        let mut random = SplitMix64::new(5);
        let laws = [
            ImpulseLaw::Bounded { low: 0.0, high: f64::INFINITY },
            ImpulseLaw::Bounded { low: -1.0, high: 0.5 },
            ImpulseLaw::Bounded { low: f64::NEG_INFINITY, high: 0.5 },
            ImpulseLaw::Cone { low: 0.2, friction: 0.7 },
            ImpulseLaw::Square { low: 0.0, friction: 0.7 },
            ImpulseLaw::Sliding { low: 0.0, slope: [0.3, -0.4] },
        ];
        for law in laws {
            for _ in 0..50 {
                let trial = random.vector(-2.0, 2.0).to_array();
                let (_, jacobian) = law.project_smooth(trial, [0.3, 0.3]);
                for j in 0..law.size() {
                    let moved = |step: f64| {
                        let mut trial = trial;
                        trial[j] += step;
                        law.project_smooth(trial, [0.3, 0.3]).0
                    };
                    let (ahead, behind) = (moved(1e-6), moved(-1e-6));
                    for i in 0..law.size() {
                        let slope = (ahead[i] - behind[i]) / 2e-6;
                        assert!((slope - jacobian[i][j]).abs() < 1e-7, "{law:?} {i} {j} {slope} {jacobian:?}");
                    }
                }
                let (value, _) = law.project_smooth(trial, [1e-12; 2]);
                let exact = law.project(trial);
                assert!((0..law.size()).all(|i| (value[i] - exact[i]).abs() < 1e-5), "{law:?} {value:?} {exact:?}");
            }
        }
    }
}
