//! Tokens of openings: how many persons may pass, by Weidmann's diagram.
//!
//! In: densities, widths, a step. Out: tokens; the speed of a flow as a share of the own speed.
//! Method: an opening lets the least of two flows pass: the largest of the diagram, and the supply of what is beyond
//! (cell transmission model, Daganzo 1994). The supply is the largest flow up to its density, and follows the diagram
//! above. Tokens are kept by turnstiles.
//! Cost: O(1).

use crate::crowd::turnstile::Turnstile;
use crate::measure::{WEIDMANN_FREE_SPEED, WEIDMANN_JAM_DENSITY, weidmann_flow, weidmann_speed};

/// The least speed in a flow, in m/s: the speed in corridors from 3.5 persons a square metre on in IMO MSC.1/Circ.1533.
/// Weidmann's speed is 0 in a full reservoir, which no person would leave.
const LEAST_SPEED: f64 = 0.1;

/// Rounds of the search for the largest flow: 0.62¹⁰⁰ is below any rounding.
const ROUNDS: usize = 100;

/// The largest flow of the diagram.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Peak {
    /// Its density, in persons a square metre.
    pub density: f64,
    /// In persons a second and metre.
    pub flow: f64,
}

impl Peak {
    /// Computes the largest flow of Weidmann's diagram by golden sections.
    pub fn new() -> Self {
        let share = 0.5 * (5.0_f64.sqrt() - 1.0);
        let [mut low, mut high] = [0.0, WEIDMANN_JAM_DENSITY];
        for _ in 0..ROUNDS {
            let [left, right] = [high - share * (high - low), low + share * (high - low)];
            if weidmann_flow(left) < weidmann_flow(right) { low = left } else { high = right }
        }
        let density = 0.5 * (low + high);
        Self { density, flow: weidmann_flow(density) }
    }

    /// Computes the flow that an area of a density takes in, in persons a second and metre.
    pub fn supply(&self, density: f64) -> f64 {
        if density <= self.density { self.flow } else { weidmann_flow(density) }
    }
}

/// Computes the speed in a flow of a density as a share of the own speed.
pub(super) fn speed_share(density: f64) -> f64 {
    weidmann_speed(density).max(LEAST_SPEED) / WEIDMANN_FREE_SPEED
}

/// Computes how many persons have room in an area in square metres, at least one.
pub(super) fn capacity(area: f64) -> f64 {
    (WEIDMANN_JAM_DENSITY * area).max(1.0)
}

/// The tokens of an opening.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Tokens {
    /// For those who leave the reservoir.
    out: Turnstile,
    /// For individuals who enter it.
    entry: Turnstile,
    /// Tokens for entry that are promised in this step.
    promised: u32,
}

impl Tokens {
    /// Adds the tokens of a step for those who leave and those who enter.
    pub fn grow(&mut self, [out, entry]: [f64; 2]) {
        self.out.grow(out);
        self.entry.grow(entry);
        self.promised = 0;
    }

    /// Reports whether a person may leave.
    pub fn may_leave(&self) -> bool {
        self.out.is_open(0)
    }

    /// Takes the token of a person that leaves.
    pub fn leave(&mut self) {
        self.out.count();
    }

    /// Promises a token to an individual that enters; reports whether there is one.
    pub fn promise(&mut self) -> bool {
        let is_there = self.entry.is_open(self.promised);
        self.promised += u32::from(is_there);
        is_there
    }

    /// Takes the token of an individual that enters.
    pub fn enter(&mut self) {
        self.entry.count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_flow_is_that_of_the_diagram() {
        let peak = Peak::new();
        // The header of the diagram: 1.225 at 1.75.
        assert!((peak.flow - 1.225).abs() < 5e-4 && (peak.density - 1.75).abs() < 5e-3, "{peak:?}");
        assert!((0..=540).all(|k| weidmann_flow(0.01 * f64::from(k)) <= peak.flow));
        assert_eq!((peak.supply(0.0), peak.supply(1.0)), (peak.flow, peak.flow));
        assert_eq!((peak.supply(3.0), peak.supply(5.4), peak.supply(9.0)), (weidmann_flow(3.0), 0.0, 0.0));
    }

    #[test]
    fn speeds_never_come_to_rest() {
        assert_eq!(speed_share(0.0), 1.0);
        assert!((speed_share(1.0) - 1.058 / 1.34).abs() < 1e-3);
        assert_eq!((speed_share(5.4), speed_share(1e9)), (0.1 / 1.34, 0.1 / 1.34));
    }

    #[test]
    fn tokens_keep_the_mean_flow() {
        let mut tokens = Tokens::default();
        let mut passed = 0;
        for _ in 0..10_000 {
            tokens.grow([0.061_25, 0.0]);
            while tokens.may_leave() {
                tokens.leave();
                passed += 1;
            }
        }
        assert_eq!(passed, 612);
        // An opening of rest saves one person.
        (0..10_000).for_each(|_| tokens.grow([0.061_25, 0.5]));
        let mut saved = [0, 0];
        while tokens.may_leave() {
            tokens.leave();
            saved[0] += 1;
        }
        while tokens.promise() {
            saved[1] += 1;
        }
        assert_eq!(saved, [1, 1]);
        (0..saved[1]).for_each(|_| tokens.enter());
        assert!(!tokens.promise());
    }
}
