//! Pieces and times of the exact evaluation of a drilled ball, by the number of facets.
//!
//! In: nothing. Out: lines of text.
//! Run: `cargo run --release -p heurt-solid --example csg_pieces`.

use heurt_solid::Csg;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    println!("{:>4} {:>7} {:>9} {:>12} {:>12}", "$fn", "pieces", "facets", "time in ms", "volume");
    for n in [8, 16, 32, 64] {
        let text =
            format!("difference() {{ sphere($fn = {n}, r = 10); cylinder($fn = {n}, h = 30, r = 4, center = true); }}");
        let tree = Csg::from_openscad(&text)?;
        let started = Instant::now();
        let exact = tree.to_exact_pieces()?;
        let time = started.elapsed().as_secs_f64() * 1e3;
        let facets: usize = exact.pieces().iter().map(|piece| piece.facets().len()).sum();
        println!("{n:>4} {:>7} {facets:>9} {time:>12.1} {:>12.4}", exact.pieces().len(), exact.rounded_volume());
    }
    Ok(())
}
