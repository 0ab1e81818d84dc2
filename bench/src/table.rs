//! Markdown tables of who took how long, with ratios to heurt and wrong answers.

use crate::store::PeerLine;
use crate::timing::Outcome;

/// One line of a table.
#[derive(Debug, Clone)]
pub struct Line {
    /// Who.
    pub name: String,
    /// Median nanoseconds.
    pub median: f64,
    /// Mean nanoseconds.
    pub mean: f64,
    /// Wrong answers.
    pub wrong: usize,
}

impl Line {
    /// From an outcome and the right answers; with none given nothing counts as wrong.
    pub fn new(outcome: &Outcome, expected: &[u64]) -> Self {
        Self {
            name: outcome.name.clone(),
            median: outcome.median(),
            mean: outcome.mean(),
            wrong: outcome.wrong(expected),
        }
    }
}

impl From<PeerLine> for Line {
    fn from(line: PeerLine) -> Self {
        Self { name: line.peer, median: line.median, mean: line.mean, wrong: line.wrong }
    }
}

/// Prints a table; the ratio of a line is its median over that of the first line whose name starts with `heurt`.
pub fn print(title: &str, lines: &[Line]) {
    println!("\n### {title}\n");
    println!("| who | median | mean | median / heurt | wrong |");
    println!("|---|---|---|---|---|");
    let ours = lines.iter().find(|line| line.name.starts_with("heurt")).map(|line| line.median);
    for line in lines {
        let ratio = ours.map_or("–".into(), |ours| format!("{:.2}", line.median / ours));
        println!("| {} | {} | {} | {ratio} | {} |", line.name, time(line.median), time(line.mean), line.wrong);
    }
    let peers = lines.iter().filter(|line| !line.name.starts_with("heurt"));
    if let (Some(ours), Some(best)) = (ours, peers.min_by(|x, y| x.median.total_cmp(&y.median))) {
        println!("\nfastest peer: {} at {:.2} × heurt", best.name, best.median / ours);
    }
}

/// Nanoseconds in a unit that reads well.
pub fn time(ns: f64) -> String {
    match ns {
        ns if ns < 1e3 => format!("{ns:.1} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns if ns < 1e9 => format!("{:.2} ms", ns / 1e6),
        ns => format!("{:.2} s", ns / 1e9),
    }
}
