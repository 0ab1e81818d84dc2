//! Smoke and toxic gases: the speed in smoke, and the dose at which a person is incapacitated.
//!
//! In: extinction, or shares of gases in the air. Out: a share of the speed; a dose a minute.
//! Method: speeds by Frantzich and Nilsson (2003); the fractional effective dose of Purser for carbon monoxide, carbon
//! dioxide and low oxygen, as fire models have it (FDS). Not guaranteed: effects of heat and of irritants.

use super::trial::{Found, Trial, judged, list};

/// Slope and speed in clear air of Frantzich and Nilsson, in m²/s and m/s.
const SMOKE_SLOPE: f64 = -0.057;
const SMOKE_SPEED: f64 = 0.706;

/// The least share of the speed in smoke.
const LEAST_SHARE: f64 = 0.1;

/// Computes the speed in smoke as a share of that in clear air, for an extinction in 1/m.
///
/// ```
/// use heurt_scene::guideline::smoke_pace;
/// assert!((smoke_pace(1.0) - 0.91926).abs() < 1e-5);
/// assert_eq!((smoke_pace(0.0), smoke_pace(50.0)), (1.0, 0.1));
/// ```
pub fn smoke_pace(extinction: f64) -> f64 {
    (1.0 + SMOKE_SLOPE * extinction / SMOKE_SPEED).clamp(LEAST_SHARE, 1.0)
}

/// Shares of gases in the air that a person breathes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GasMixture {
    /// Carbon monoxide, in parts a million.
    pub carbon_monoxide: f64,
    /// Carbon dioxide, in percent.
    pub carbon_dioxide: f64,
    /// Oxygen, in percent.
    pub oxygen: f64,
}

impl GasMixture {
    /// Computes the fractional effective dose of a minute: at a dose of 1 a person is incapacitated.
    ///
    /// ```
    /// use heurt_scene::guideline::GasMixture;
    /// let air = GasMixture { carbon_monoxide: 1000.0, carbon_dioxide: 2.0, oxygen: 15.0 };
    /// assert!((60.0 / air.dose_per_minute() - 981.7).abs() < 0.1);
    /// ```
    pub fn dose_per_minute(&self) -> f64 {
        // Carbon dioxide makes a person breathe faster.
        let breath =
            if self.carbon_dioxide > 0.0 { libm::exp(0.1903 * self.carbon_dioxide + 2.0004) / 7.1 } else { 1.0 };
        let monoxide = 2.764e-5 * libm::pow(self.carbon_monoxide, 1.036) * breath;
        let is_low = self.oxygen < 20.0;
        let hypoxia = if is_low { 1.0 / libm::exp(8.13 - 0.54 * (20.9 - self.oxygen)) } else { 0.0 };
        monoxide + hypoxia
    }
}

/// Mixtures, and times to a dose of 1 computed by hand, in seconds.
const KNOWN: [([f64; 3], f64); 4] = [
    ([1000.0, 2.0, 15.0], 981.7),
    ([0.0, 0.0, 12.0], 1666.5),
    ([1000.0, 0.0, 21.0], 1692.8),
    ([1000.0, 3.43, 21.0], 846.5),
];

/// Judges the time at which a person that rests has a dose of 1, to within a step.
pub(super) fn incapacitation(trial: &Trial) -> Found {
    let mut run = trial.begin("iso_19")?;
    let (mut doses, mut times, step) = ([0.0; 4], [f64::INFINITY; 4], run.step);
    let rates = KNOWN.map(|([carbon_monoxide, carbon_dioxide, oxygen], _)| {
        GasMixture { carbon_monoxide, carbon_dioxide, oxygen }.dose_per_minute() / 60.0
    });
    run.observe(|crowd| {
        // Only persons that are present breathe.
        if crowd.time() == 0.0 || crowd.is_empty() {
            return;
        }
        for ((dose, time), rate) in doses.iter_mut().zip(&mut times).zip(rates) {
            *dose += rate * step;
            if *dose >= 1.0 {
                *time = time.min(crowd.time());
            }
        }
    });
    let is_met = times.iter().zip(KNOWN).all(|(time, (_, known))| (time - known).abs() <= step + 1e-6);
    let figures = times.iter().zip(KNOWN).map(|(time, (_, known))| format!("{time:.1} s ({known} s by hand)"));
    judged(is_met, list(figures))
}
