//! How well T = N_v·C_v + N_p·C_p + N_u·C_u tells the time of a query (S0 §4.5.1), with prices fitted to queries.
//!
//! In: what queries did and how long they took. Out: the median of the predicted times over the median of the measured ones, by
//! case, question and volume, with prices of all cases; how far these are off, and how far with prices of the *other* cases,
//! which know nothing of what they foretell.

use super::cases::{Row, prices};
use super::widest;
use crate::timing::median;
use heurt_bvh::{CostModel, VolumeKind};

/// What the model says of one volume.
struct Foretold<'a> {
    rows: Vec<&'a Row>,
    prices: CostModel,
}

impl<'a> Foretold<'a> {
    fn new(groups: &[Vec<&'a Row>], volume: VolumeKind) -> Self {
        // Where roots decide, there is nothing to foretell: all counts are 0.
        let rows: Vec<&Row> =
            groups.iter().filter_map(|group| widest(group, volume)).filter(|row| row.volumes > 0.0).collect();
        Self { prices: prices(rows.iter().copied()), rows }
    }

    /// Predicted over measured, by row.
    fn ratios(&self) -> Vec<f64> {
        self.rows.iter().map(|row| ratio(&self.prices, row)).collect()
    }

    /// The same with the prices of the other cases; nothing where there are none.
    fn ratios_unseen(&self) -> Vec<f64> {
        let unseen = |row: &&Row| {
            let others: Vec<&Row> = self.rows.iter().copied().filter(|other| other.case != row.case).collect();
            (!others.is_empty()).then(|| ratio(&prices(others), row))
        };
        self.rows.iter().filter_map(unseen).collect()
    }
}

fn ratio(prices: &CostModel, row: &Row) -> f64 {
    let predicted: Vec<f64> = row.samples.iter().map(|(work, _)| prices.predict(work)).collect();
    median(&predicted) / row.median_ns
}

/// Prints predicted over measured times of the rows of all cases.
pub fn model(groups: &[Vec<&Row>]) {
    println!("\n### Cost model, degree 8: predicted over measured time (medians)\n");
    let foretold = VolumeKind::ALL.map(|volume| Foretold::new(groups, volume));
    print!("| case | question |");
    VolumeKind::ALL.iter().for_each(|volume| print!(" {} |", volume.name()));
    println!("\n|---|---|{}", "---|".repeat(foretold.len()));
    let (seen, unseen) = (foretold.each_ref().map(Foretold::ratios), foretold.each_ref().map(Foretold::ratios_unseen));
    for (index, row) in foretold[0].rows.iter().enumerate() {
        print!("| {} | {} |", row.case, row.question.name());
        seen.iter().for_each(|ratios| print!(" {:.2} |", ratios[index]));
        println!();
    }
    for (name, of_volumes) in [("of all cases", &seen), ("of the other cases", &unseen)] {
        print!("| **error: median, worst** | prices {name} |");
        of_volumes.iter().for_each(|ratios| print!(" **{}** |", errors(ratios)));
        println!();
    }
    print!("| C_v of 8 lanes, C_p, C_u in ns | of all cases |");
    for CostModel { per_volume, per_primitive, per_update } in foretold.map(|one| one.prices) {
        print!(" {:.0}, {per_primitive:.1}, {per_update:.0} |", 8.0 * per_volume);
    }
    println!();
}

/// The median and the greatest relative error.
fn errors(ratios: &[f64]) -> String {
    let errors: Vec<f64> = ratios.iter().map(|ratio| 100.0 * (ratio - 1.0).abs()).collect();
    let worst = errors.iter().copied().reduce(f64::max);
    worst.map_or("–".into(), |worst| format!("{:.0}%, {worst:.0}%", median(&errors)))
}
