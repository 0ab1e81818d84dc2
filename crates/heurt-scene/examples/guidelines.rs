//! Runs tests of guidelines and prints outcome, figure and time of each.
//!
//! `cargo run --release -p heurt-scene --example guidelines -- all orca 1 0.5 1.33`: tests, model, seed, time
//! gap in seconds, largest flow of exits in persons a metre and second.

use heurt_scene::{GuidelineSettings, GuidelineTest};
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let tests = GuidelineTest::find(&words.next().unwrap_or_else(|| "all".to_owned()));
    let mut settings = GuidelineSettings::default();
    settings.model = words.next().unwrap_or(settings.model);
    settings.seed = words.next().map_or(Ok(settings.seed), |word| word.parse())?;
    // `-` for none.
    let mut number = || words.next().filter(|word| word != "-").map(|word| word.parse()).transpose();
    (settings.time_gap, settings.exit_flow) = (number()?, number()?);
    for test in tests {
        let begun = Instant::now();
        let result = test.run(&settings);
        let seconds = begun.elapsed().as_secs_f64();
        println!("{:<9} {:<8} {seconds:6.1} s  {}: {}", test.word(), result.outcome, test.name, result.figure);
    }
    Ok(())
}
