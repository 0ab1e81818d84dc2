//! Exits with queues: the exit at which an agent is out first.
//!
//! In: for an agent its path to each exit; the agents that have chosen each. Out: its exit.
//! Method: a queue at an exit of width w lets [`FLOW`]·w persons pass a second, fewer if its largest flow is lower. An
//! agent with n agents before it is out after the longer of its walk and n persons (point queue, Vickrey 1969). It
//! changes its mind only for a clear gain. With a largest flow, an exit lets agents out one after another at that flow,
//! in order of number; agents that wait are in its area.
//! Guarantees: choices are made in order of number, so that they are the same for any number of threads.
//! Cost: O(exits · metres of the path) a choice.

use super::turnstile::Turnstile;
use heurt_geometry::FloorArea;
use smallvec::SmallVec;

/// Persons a metre and second that pass a door with a queue (IMO MSC.1/Circ.1533, doors).
const FLOW: f64 = 1.3;

/// Agents change to another exit or path if they are out within this share of the time.
pub(super) const CLEAR_GAIN: f64 = 0.85;

/// The longest path that is counted metre by metre.
const MAX_METRES: f64 = 4095.0;

/// The exit that an agent has chosen, and its path to it, in metres.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct ExitChoice {
    chosen: Option<(u32, u32)>,
}

impl ExitChoice {
    /// Returns the number of the exit.
    pub fn exit(&self) -> Option<u32> {
        self.chosen.map(|(exit, _)| exit)
    }
}

/// An exit that an agent may choose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ExitOption {
    /// Its number.
    pub exit: u32,
    /// Length of the path to it, in metres.
    pub distance: f64,
    /// The share of the time that others who walk to it take off, from 0 to 1.
    pub followed: f64,
}

/// All exits of a crowd.
#[derive(Debug, Default)]
pub(super) struct Exits {
    /// Queues count; else only the walk does.
    counts_queues: bool,
    areas: Vec<FloorArea>,
    /// By exit: its width, in metres.
    widths: Vec<f64>,
    /// By exit and metre of path: agents that have chosen it.
    waiting: Vec<Vec<u32>>,
    /// The largest flow, in persons a metre and second.
    largest_flow: Option<f64>,
    /// By exit: whether it is the last goal of a group, so that agents leave there.
    is_last: Vec<bool>,
    /// By exit: who may leave now.
    turnstiles: Vec<Turnstile>,
}

impl Exits {
    /// Makes a crowd's exits, of which there are none yet.
    pub fn new(counts_queues: bool, largest_flow: Option<f64>) -> Self {
        Self { counts_queues, largest_flow, ..Self::default() }
    }

    /// Reports whether it counts at which exit agents are.
    pub fn are_counted(&self) -> bool {
        self.counts_queues || self.largest_flow.is_some()
    }

    /// Lets time pass.
    pub fn pass(&mut self, step: f64) {
        let Some(flow) = self.largest_flow else { return };
        self.turnstiles.iter_mut().zip(&self.widths).for_each(|(turnstile, width)| turnstile.grow(flow * width * step));
    }

    /// Reports whether exits have a largest flow.
    pub fn are_limited(&self) -> bool {
        self.largest_flow.is_some()
    }

    /// Reports whether an exit lets an agent out now; if so, the agent counts.
    pub fn lets_out(&mut self, exit: u32) -> bool {
        let turnstile = &mut self.turnstiles[exit as usize];
        let is_open = turnstile.is_open(0);
        if is_open {
            turnstile.count();
        }
        is_open
    }

    /// Returns the number of an exit; groups with the same area have one exit. Agents leave at the last goals.
    pub fn number_of(&mut self, area: &FloorArea, width: f64, is_last: bool) -> u32 {
        let known = self.areas.iter().position(|other| other == area);
        let exit = known.unwrap_or_else(|| {
            self.areas.push(area.clone());
            self.widths.push(width);
            self.waiting.push(Vec::new());
            self.turnstiles.push(Turnstile::READY);
            self.is_last.push(false);
            self.areas.len() - 1
        });
        self.is_last[exit] |= is_last;
        exit as u32
    }

    /// Finds the number of an exit that was numbered.
    pub fn find(&self, area: &FloorArea) -> Option<u32> {
        self.areas.iter().position(|other| other == area).map(|exit| exit as u32)
    }

    /// Takes an agent out of its queue.
    pub fn forget(&mut self, choice: &mut ExitChoice) {
        if let Some((exit, metre)) = choice.chosen.take()
            && let Some(count) = self.waiting[exit as usize].get_mut(metre as usize)
        {
            *count = count.saturating_sub(1);
        }
    }

    /// Chooses an exit for an agent of a speed in m/s; returns its place among the options. Paths that lead nowhere are
    /// infinite.
    pub fn choose(&mut self, choice: &mut ExitChoice, options: &[ExitOption], speed: f64) -> Option<usize> {
        let before = choice.exit();
        self.forget(choice);
        let times: SmallVec<[f64; 4]> = options.iter().map(|&option| self.time(option, speed)).collect();
        let least = |a: &usize, b: &usize| times[*a].total_cmp(&times[*b]);
        let best = (0..options.len()).filter(|&k| times[k] < f64::INFINITY).min_by(least)?;
        let kept = options.iter().position(|option| Some(option.exit) == before);
        let place = kept.filter(|&kept| times[best] > CLEAR_GAIN * times[kept]).unwrap_or(best);
        let ExitOption { exit, distance, .. } = options[place];
        let metre = metre_of(distance);
        let waiting = &mut self.waiting[exit as usize];
        if waiting.len() <= metre {
            waiting.resize(metre + 1, 0);
        }
        waiting[metre] += 1;
        choice.chosen = Some((exit, metre as u32));
        Some(place)
    }

    /// Computes after how many seconds an agent is out.
    fn time(&self, ExitOption { exit, distance, followed }: ExitOption, speed: f64) -> f64 {
        if distance.is_nan() || distance == f64::INFINITY {
            return f64::INFINITY;
        }
        let waiting = &self.waiting[exit as usize];
        let before: u32 = waiting[..metre_of(distance).min(waiting.len())].iter().sum();
        let walk = distance / speed.max(1e-3);
        let limit = self.largest_flow.filter(|_| self.is_last[exit as usize]).unwrap_or(FLOW);
        let flow = limit.min(FLOW) * self.widths[exit as usize];
        let queue = if self.counts_queues { f64::from(before) / flow } else { 0.0 };
        walk.max(queue) * (1.0 - followed)
    }
}

fn metre_of(distance: f64) -> usize {
    distance.clamp(0.0, MAX_METRES) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use heurt_geometry::{PlanArea, Vec2};

    #[test]
    fn queues_share_out_over_exits() {
        let mut exits = Exits::new(true, None);
        let option = |exit: u32, distance: f64| ExitOption { exit, distance, followed: 0.0 };
        let area = |x: f64| FloorArea::from(PlanArea::rectangle(Vec2::new(x, 0.0), Vec2::new(x + 1.0, 1.0)));
        let [near, far] = [area(0.0), area(9.0)].map(|area| exits.number_of(&area, 1.0, true));
        assert_eq!((near, far, exits.number_of(&area(9.0), 1.0, true)), (0, 1, 1));
        // 100 agents, the first of them 5 m from the near exit and 15 m from the far one, each a step further back.
        let mut choices = vec![ExitChoice::default(); 100];
        let mut counts = [0; 2];
        for (k, choice) in choices.iter_mut().enumerate() {
            let back = 0.1 * k as f64;
            let place =
                exits.choose(choice, &[option(near, 5.0 + back), option(far, 15.0 + back)], 1.34).expect("reachable");
            counts[place] += 1;
        }
        // The queues are as long as each other in the end: no walk is as long as the wait.
        assert!(counts[0] >= counts[1] && counts[1] > 40, "{counts:?}");
        choices.iter_mut().for_each(|choice| exits.forget(choice));
        assert!(exits.waiting.iter().flatten().all(|&count| count == 0));
        let mut choice = ExitChoice::default();
        assert_eq!(exits.choose(&mut choice, &[option(near, f64::INFINITY), option(far, 3.0)], 1.0), Some(1));
        assert_eq!(exits.choose(&mut choice, &[option(near, f64::INFINITY), option(far, f64::INFINITY)], 1.0), None);
    }
}
