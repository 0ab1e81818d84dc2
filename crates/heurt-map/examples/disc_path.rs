//! A disc through a floor with two gaps: the path of three radii, and the largest disc.
//!
//! `cargo run --release -p heurt-map --example disc_path`

use heurt_geometry::Vec2;
use heurt_map::segment_voronoi::{SegmentVoronoi, plan_disc, widest_path};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A floor of 12 m × 8 m. A wall divides it, with gaps of 1 m and 2 m.
    let corners = [[0.0, 0.0], [6.0, 0.0], [12.0, 0.0], [12.0, 8.0], [6.0, 8.0], [0.0, 8.0]].map(Vec2::from_array);
    let mut walls: Vec<[Vec2; 2]> = (0..6).map(|k| [corners[k], corners[(k + 1) % 6]]).collect();
    walls.extend([[0.0, 2.0], [3.0, 5.0], [7.0, 8.0]].map(|[low, high]| [low, high].map(|y| Vec2::new(6.0, y))));
    let diagram = SegmentVoronoi::new(&[], &walls)?;
    let (from, to) = (Vec2::new(2.0, 2.0), Vec2::new(10.0, 2.0));
    for radius in [0.5, 0.6, 1.1] {
        let Some(path) = plan_disc(&diagram, from, to, radius) else {
            println!("radius {radius} m: no path");
            continue;
        };
        println!("radius {radius} m: {:.3} m, least clearance {:.3} m", path.length, path.least_clearance);
        for point in path.polyline(0.01) {
            println!("  {:.3} {:.3}", point.x, point.y);
        }
    }
    if let Some((radius, path)) = widest_path(&diagram, from, to) {
        println!("largest radius {radius} m: {:.3} m", path.length);
    }
    Ok(())
}
