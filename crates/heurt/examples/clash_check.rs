//! The clash check of an assembly, the deepest pair first, and what a part meets on its way out.
//!
//! `cargo run -p heurt --features assembly --example clash_check`

use heurt::assembly::{Assembly, JourneyPath, Search, Selection, find_interferences, travel};
use heurt::mesh::generate::demo_assembly;
use heurt::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The gearbox that `heurt` checks without arguments: meshes, and parts that place them, in metres.
    let demo = demo_assembly()?;
    let shapes = demo.meshes.into_iter().map(MeshShape::new).collect::<Result<Vec<_>, _>>()?;
    let parts = demo.parts.into_iter().map(|part| (part.name, part.mesh, part.pose));
    let assembly = Assembly::new(shapes, parts)?;

    let selection = Selection::default();
    let search = Search::new(&selection);
    let findings = find_interferences(&assembly, &search)?;
    println!("{} pairs of parts, {} tested exactly", findings.pair_count, findings.tested);
    for found in &findings.list {
        let [a, b] = [found.a, found.b].map(|part| &assembly.parts[part].name);
        let depth = found.depth.as_ref().and_then(|depth| depth.at_least);
        let depth = depth.map_or("unknown".to_owned(), |depth| format!("{:.3} mm", 1e3 * depth));
        println!("{a} and {b}: {}, depth {depth}, at {:.1?} mm", found.kind.word(), (found.place() * 1e3).to_array());
    }
    assert_eq!(findings.list.len(), 5, "the gearbox has five mistakes");

    let pin = assembly.parts.iter().position(|part| part.name == "dowel pin").ok_or("no pin")?;
    let journey = travel(&assembly, &[pin], &JourneyPath::straight(Vec3::new(0.0, 0.0, 0.2))?, || ())?;
    match journey.first() {
        None => println!("the dowel pin comes out"),
        Some(met) => println!("the dowel pin meets {}", assembly.parts[met.still].name),
    }
    Ok(())
}
