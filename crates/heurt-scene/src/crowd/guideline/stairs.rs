//! Crowds on stairs: speeds by density, jams before a stair, flow by width.
//!
//! In: scenes with a stair. Out: speeds and densities in plan, as the guidelines have them.

use super::statistics::mean;
use super::trial::{Found, SceneRun, Trial, first_crossings, judged, list, seconds};
use crate::describe::located::LocatedFault;
use heurt_geometry::Vec2;
use rayon::prelude::*;

/// The stair of RiMEA 13 in plan: x in metres, and its area in square metres.
const STAIR_13: [f64; 2] = [12.0, 17.0];
const STAIR_13_AREA: f64 = 10.0;

/// Densities that the band is known for, in persons a square metre.
const BAND_DENSITIES: [f64; 2] = [0.6, 1.5];

/// Seeds whose samples are joined: a crowd passes through these densities in few seconds.
const SEEDS: u64 = 10;

/// Width of a bin of density, and the least number of samples in one.
const BIN: f64 = 0.2;
const LEAST_SAMPLES: usize = 3;

/// Mean density and speed of a bin.
#[derive(Debug, Clone, Copy)]
struct StairBin {
    number: u32,
    density: f64,
    speed: f64,
}

/// Judges speeds up and down a stair by density.
pub(super) fn stair_diagram(trial: &Trial) -> Found {
    let (up, down) = rayon::join(|| stair_bins(trial, "up"), || stair_bins(trial, "down"));
    let (up, down) = (up?, down?);
    let is_in = |bin: &StairBin, [low, high]: [f64; 2]| (low..=high).contains(&bin.speed);
    let up_in = up.iter().filter(|bin| is_in(bin, band_up(bin.density))).count();
    let down_in = down.iter().filter(|bin| is_in(bin, band_down(bin.density))).count();
    let shared = || up.iter().filter_map(|u| Some((u, down.iter().find(|d| d.number == u.number)?)));
    let (count, faster) = (shared().count(), shared().filter(|(u, d)| d.speed > u.speed).count());
    let shown = |bins: &[StairBin]| list(bins.iter().map(|bin| format!("{:.2} /m² {:.2} m/s", bin.density, bin.speed)));
    let figure = format!(
        "up {}: {up_in} of {} bins in the spread; down {}: {down_in} of {}; down faster in {faster} of {count} bins",
        shown(&up),
        up.len(),
        shown(&down),
        down.len()
    );
    judged(count > 0 && faster == count && up_in == up.len() && down_in == down.len(), figure)
}

/// Measures speeds on the stair in bins of density.
fn stair_bins(trial: &Trial, word: &str) -> Result<Vec<StairBin>, LocatedFault> {
    let mut samples = Vec::new();
    for trial in trial.repeated(SEEDS) {
        sample_stair(&mut trial.begin(&format!("rimea_13_{word}"))?, &mut samples);
    }
    samples.sort_by_key(|sample| sample.number);
    let bins = samples.chunk_by(|a, b| a.number == b.number).filter(|bin| bin.len() >= LEAST_SAMPLES);
    let averaged = |bin: &[StairBin]| {
        let of = |value: fn(&StairBin) -> f64| mean(&bin.iter().map(value).collect::<Vec<_>>());
        StairBin { number: bin[0].number, density: of(|bin| bin.density), speed: of(|bin| bin.speed) }
    };
    Ok(bins.map(averaged).collect())
}

/// Adds a sample a second of a run, if its density is within the band.
fn sample_stair(run: &mut SceneRun, samples: &mut Vec<StairBin>) {
    let mut next = 1.0;
    run.observe(|crowd| {
        if crowd.time() < next - 1e-9 {
            return;
        }
        next += 1.0;
        let on_stair = crowd.agents().filter(|agent| (STAIR_13[0]..=STAIR_13[1]).contains(&agent.position.x));
        let speeds: Vec<f64> = on_stair.map(|agent| agent.velocity.length()).collect();
        let density = speeds.len() as f64 / STAIR_13_AREA;
        if (BAND_DENSITIES[0] - 1e-9..=BAND_DENSITIES[1] + 1e-9).contains(&density) {
            // Densities are tenths: no rounding at the borders of bins.
            let number = ((density - BAND_DENSITIES[0] + 1e-9) / BIN) as u32;
            samples.push(StairBin { number, density, speed: mean(&speeds) });
        }
    });
}

/// Returns the least and the largest speed up at a density: two branches, each with its deviation.
fn band_up(density: f64) -> [f64; 2] {
    let fast = (0.18 * density - 0.55) * density + 1.02;
    let slow = 0.48 + 0.01 * density;
    around([fast, slow], [0.35 - 0.14 * density, 0.10 - 0.02 * density])
}

/// Returns the least and the largest speed down at a density.
fn band_down(density: f64) -> [f64; 2] {
    let fast = (0.33 * density - 1.02) * density + 1.39;
    let slow = 0.67 - 0.08 * density;
    around([fast, slow], [0.29 - 0.11 * density, 0.14 - 0.06 * density])
}

fn around([fast, slow]: [f64; 2], [fast_deviation, slow_deviation]: [f64; 2]) -> [f64; 2] {
    let (a, b) = (f64::max(fast_deviation, 0.0), f64::max(slow_deviation, 0.0));
    [(fast - a).min(slow - b), (fast + a).max(slow + b)]
}

/// Judges jams at the exit of a room and at the foot of a stair, with less density in the corridor between them.
pub(super) fn jams_before_stair(trial: &Trial) -> Found {
    let field = |x: f64| [Vec2::new(x, 3.0), Vec2::new(x + 1.0, 5.0)];
    let fields = [field(4.0), field(10.0), field(16.0)];
    let mut run = trial.begin("imo_11")?;
    let half = run.crowd.report().agents / 2;
    let (mut sums, mut peaks, mut frames) = ([0.0; 3], [0.0; 3], 0.0);
    let mut has_begun = false;
    run.observe(|crowd| {
        has_begun |= crowd.agents().any(|agent| agent.position.x >= 17.0);
        if !has_begun || crowd.agents().len() < half {
            return;
        }
        frames += 1.0;
        for ((sum, peak), [low, high]) in sums.iter_mut().zip(&mut peaks).zip(fields) {
            let is_in = |place: Vec2| (place.cmpge(low) & place.cmple(high)).all();
            let density = crowd.agents().filter(|agent| is_in(agent.position)).count() as f64 / 2.0;
            (*sum, *peak) = (*sum + density, f64::max(*peak, density));
        }
    });
    let [neck, middle, foot] = sums.map(|sum| sum / f64::max(frames, 1.0));
    let figure = format!(
        "mean densities {neck:.2} at the exit, {middle:.2} in the corridor, {foot:.2} /m² at the stair (peaks {:.1}, \
         {:.1}, {:.1}); the last after {}",
        peaks[0],
        peaks[1],
        peaks[2],
        seconds(run.time_of_last())
    );
    judged(neck > middle && foot > middle && run.time_of_last().is_finite(), figure)
}

/// Judges whether the flow up a stair rises with its width, by a straight line through five widths.
pub(super) fn flow_by_width(trial: &Trial) -> Found {
    let widths = [10_u32, 12, 14, 16, 18];
    let flow = |width: &u32| -> Result<f64, LocatedFault> {
        let trajectories = trial.begin(&format!("iso_12_w{width}"))?.record();
        Ok(first_crossings(&trajectories, [[4.0, 9.84], [6.0, 9.84]]).mean_flow().unwrap_or(0.0))
    };
    let flows: Result<Vec<f64>, LocatedFault> = widths.par_iter().map(flow).collect();
    let flows = flows?;
    let middle = mean(&flows);
    let products = widths.iter().zip(&flows).map(|(&width, flow)| (f64::from(width) / 10.0 - 1.4) * (flow - middle));
    // The squares of −0.4, −0.2, 0, 0.2, 0.4 sum up to 0.4.
    let slope = products.sum::<f64>() / 0.4;
    let shown = widths.iter().zip(&flows).map(|(&width, flow)| format!("{:.1} m {flow:.2}", f64::from(width) / 10.0));
    judged(slope > 0.0, format!("flows in persons/s by width: {}; slope {slope:.2} /(m s)", list(shown)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_those_of_the_printed_figure() {
        // Upper edges as read off the figure, to 0.02 m/s.
        for (density, up, down) in [(0.6, 1.02, 1.12), (1.0, 0.86, 0.89), (1.5, 0.74, 0.73)] {
            assert!((band_up(density)[1] - up).abs() <= 0.025, "{density}: {:?}", band_up(density));
            assert!((band_down(density)[1] - down).abs() <= 0.025, "{density}: {:?}", band_down(density));
        }
    }
}
