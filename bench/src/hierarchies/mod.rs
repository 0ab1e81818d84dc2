//! `hierarchies`: what S0 §4.5 says of bounding volumes, measured on our own trees: see `docs/hierarchies.md`.
//!
//! Claims: slopes of N_v and τ (§4.5.7), the degree (§4.5.3), prices and k-DOPs (§4.5.9), quantised slabs (§4.5.9). Counts,
//! slopes and τ are the same on every machine; times are not. Plots go to the folder of `--data`.

mod cases;
mod concentric;
mod plot;
mod power;
mod prices;
mod quospo;
mod thickness;
mod turning;

use crate::Options;
use crate::store::Prepared;
use crate::table::time;
use cases::{Question, Row};
use heurt_bvh::VolumeKind;
use heurt_bvh::volume::{Corners, CornersAndEdges, Edges};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::icosphere;
use heurt_shape::{Degree, TreeChoice};
use plot::{Chart, Curve};
use plotters::prelude::SeriesLabelPosition;
use power::Power;

/// 1,310,720 triangles; their planes stay within 4e-6 radii of the sphere, far below the least gap of 1e-4.
const LEVELS: u32 = 8;

/// Measures everything.
///
/// # Errors
/// What the file system says to the plots.
pub fn hierarchies(cases: &[Prepared], options: &Options) -> Result<(), String> {
    let sphere = icosphere(concentric::RADIUS, LEVELS).expect("legal parameters");
    gaps(&sphere, options)?;
    precision(&sphere, options)?;
    drop(sphere);
    let rows: Vec<Row> = cases.iter().flat_map(|case| cases::rows(case, options)).collect();
    degrees(&rows, cases);
    prices(&rows, options);
    polytopes(&rows);
    quantised(cases);
    volumes(&rows);
    Ok(())
}

/// N_v against the gap of concentric spheres.
fn gaps(sphere: &TriMesh, options: &Options) -> Result<(), String> {
    let of_degrees = [(2, concentric::curves::<2>(sphere)), (8, concentric::curves::<8>(sphere))];
    for (degree, curves) in &of_degrees {
        println!("\n### Concentric spheres of {} triangles, degree {degree}: N_v\n", sphere.triangles().len());
        print!("| gap / radius |");
        curves.iter().for_each(|curve| print!(" {} |", curve.name));
        println!("\n|---|{}", "---|".repeat(curves.len()));
        for (index, gap) in concentric::gaps().enumerate() {
            print!("| {:.3}% |", 100.0 * gap);
            for curve in curves {
                let volumes = thousands(curve.counts[index].work.volumes);
                match index < curve.resolved().len() {
                    true => print!(" {volumes} |"),
                    false => print!(" ({volumes}) |"),
                }
            }
            println!();
        }
        print!("| **slope** |");
        curves.iter().for_each(|curve| print!(" **{}** |", slope(curve.law())));
        for (decade, name) in ["10% to 1%", "1% to 0.1%", "0.1% to 0.01%"].into_iter().enumerate() {
            print!("\n| slope, {name} |");
            curves.iter().for_each(|curve| print!(" {} |", slope(curve.law_of(decade))));
        }
        print!("\n| points |");
        curves.iter().for_each(|curve| print!(" {} |", curve.resolved().len()));
        println!();
    }
    let curves = &of_degrees[0].1;
    tessellation(curves);
    let chart = Chart {
        caption: "Concentric spheres, binary trees: pairs of volumes tested against the gap",
        axes: ["gap / radius", "N_v"],
        legend: SeriesLabelPosition::UpperRight,
        curves: curves
            .iter()
            .map(|curve| Curve { name: curve.name, points: curve.points(), counted: curve.resolved().len() })
            .collect(),
        guides: vec![
            (Power { exponent: -1.0, factor: 60.0 }, [1e-4, 0.1], "slope −1"),
            (Power { exponent: -2.0, factor: 22.0 }, [4e-3, 0.1], "slope −2"),
        ],
    };
    chart.write(&options.data.join("hierarchies-gap.svg"))
}

/// How much of a slope is the tessellation's: over the same gaps on a coarser sphere.
fn tessellation(fine: &[concentric::Curve]) {
    let sphere = icosphere(concentric::RADIUS, LEVELS - 1).expect("legal parameters");
    let triangles = sphere.triangles().len();
    println!("\n### The same slopes, degree 2, over the gaps that a sphere of {triangles} triangles resolves, too\n");
    println!("| volume | gaps | {triangles} triangles | {} triangles |\n|---|---|---|---|", 4 * triangles);
    for (coarse, fine) in concentric::curves::<2>(&sphere).iter().zip(fine) {
        let points = coarse.resolved();
        let Some(last) = points.last() else { continue };
        let of_fine = Power::fit(&fine.points()[..points.len()]);
        println!("| {} | 10% to {:.3}% | {} | {} |", fine.name, 100.0 * last[0], slope(coarse.law()), slope(of_fine));
    }
}

/// τ against d.
fn precision(sphere: &TriMesh, options: &Options) -> Result<(), String> {
    let curves = thickness::curves(sphere);
    println!("\n### Precision τ ∝ d^k of the volumes of a sphere's tree, in radii\n");
    println!("| volume | pieces | d | k, τ over the surface | τ at the least d, the greatest | k, τ from the piece |");
    println!("|---|---|---|---|---|---|");
    for curve in &curves {
        let [over_surface, from_piece] = curve.laws().map(slope);
        let ([first, ..], [.., last]) = (curve.over_surface.as_slice(), curve.over_surface.as_slice()) else {
            continue;
        };
        let (name, pieces) = (curve.name, curve.pieces);
        print!("| {name} | {pieces} | {:.3} to {:.3} | **{over_surface}** ", first[0], last[0]);
        println!("| {:.5}, {:.5} | {from_piece} |", first[1], last[1]);
    }
    let drawn = |points: &Vec<[f64; 2]>, name, counted| Curve { name, points: points.clone(), counted };
    let over_surface = curves.iter().map(|curve| drawn(&curve.over_surface, curve.name, curve.over_surface.len()));
    let from_piece = curves.iter().map(|curve| drawn(&curve.from_piece, curve.name, 0));
    let chart = Chart {
        caption: "Precision against diameter: over the surface (strong), from the piece (faint)",
        axes: ["d / radius", "τ / radius"],
        legend: SeriesLabelPosition::LowerRight,
        curves: over_surface.chain(from_piece).collect(),
        guides: vec![(Power { exponent: 2.0, factor: 0.125 }, [0.04, 0.38], "d²/8r")],
    };
    chart.write(&options.data.join("hierarchies-precision.svg"))
}

/// Degrees 2, 4 and 8 beside f(δ) = (δ − 1)·log_δ n.
fn degrees(rows: &[Row], cases: &[Prepared]) {
    println!("\n### Degree δ: measured over degree 2, beside f(δ)/f(2), f(δ) = (δ − 1)·log_δ n (medians)\n");
    println!(
        "| case | question | volume | N_v, δ = 2 / 4 / 8 | wide tests | time | N_v / δ = 2 | tests / δ = 2 | time / δ = 2 |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut ratios: Vec<[f64; 6]> = Vec::new();
    for (case, question) in cases.iter().flat_map(|case| Question::ALL.map(|question| (&case.case.name, question))) {
        for volume in [VolumeKind::Aabb, VolumeKind::Obb] {
            let of = Degree::ALL.map(|degree| {
                let choice = TreeChoice { volume, degree, ..TreeChoice::default() };
                rows.iter().find(|row| row.case == *case && row.question == question && row.choice == choice)
            });
            let [Some(two), Some(four), Some(eight)] = of else { continue };
            // Where a root decides, there is nothing to compare.
            if two.volumes < 10.0 {
                continue;
            }
            let all = [two, four, eight];
            let figures = |of: &dyn Fn(&Row) -> String| all.map(of).join(" / ");
            let over = |of: fn(&Row) -> f64| [of(four) / of(two), of(eight) / of(two)];
            let (volumes, tests, times) = (over(|row| row.volumes), over(Row::tests), over(|row| row.median_ns));
            let pair = |[x, y]: [f64; 2]| format!("{x:.2}, {y:.2}");
            println!(
                "| {case} | {} | {} | {} | {} | {} | {} | {} | {} |",
                question.name(),
                volume.name(),
                figures(&|row| format!("{:.0}", row.volumes)),
                figures(&|row| format!("{:.0}", row.tests())),
                figures(&|row| time(row.median_ns)),
                pair(volumes),
                pair(tests),
                pair(times)
            );
            ratios.push([volumes[0], volumes[1], tests[0], tests[1], times[0], times[1]]);
        }
    }
    let mean = |k: usize| geometric_mean(ratios.iter().map(|row| row[k]));
    println!("\n| geometric mean | f(δ)/f(2) predicted | N_v | wide tests | time |\n|---|---|---|---|---|");
    for (degree, k) in [(4.0f64, 0), (8.0, 1)] {
        let predicted = (degree - 1.0) / degree.log2();
        println!("| δ = {degree} | {predicted:.2} | {:.2} | {:.2} | {:.2} |", mean(k), mean(k + 2), mean(k + 4));
    }
}

/// C_v and C_u.
fn prices(rows: &[Row], options: &Options) {
    let stage = prices::Stage::new();
    let (of_volumes, compose) = stage.prices(options.rounds);
    println!("\n### Prices: a wide test alone, and fitted to the queries of all cases\n");
    println!(
        "Composing two poses: {compose:.0} ns, for every volume. In walks: least squares over all queries, degree 8.\n"
    );
    print!("| volume | test of 8 lanes, all axes | ended early | test of 2 lanes, all axes | 2 lanes / 8 lanes ");
    println!("| relation of two trees | in walks: C_v of 8 lanes | C_p of a pair of triangles |");
    println!("|---|---|---|---|---|---|---|---|");
    for price in &of_volumes {
        let choice = cases::choices().into_iter().find(|choice| choice.volume.name() == price.name);
        let model = choice.map(|choice| cases::prices(rows, &choice)).unwrap_or_default();
        println!(
            "| {} | {:.1} ns | {:.1} ns | {:.1} ns | {:.2} | {:.0} ns | {:.0} ns | {:.1} ns |",
            price.name,
            price.wide,
            price.early,
            price.narrow,
            price.narrow / price.wide,
            price.relation,
            8.0 * model.per_volume,
            model.per_primitive
        );
    }
    println!(
        "\n### k-DOPs as S0 has them: one polytope made anew (C_u), then intervals compared (C_v), in plain code\n"
    );
    println!("| k | C_v | C_u by sums of three | C_u / C_v | corners | C_u from corners | C_u / C_v |");
    println!("|---|---|---|---|---|---|---|");
    for price in [
        turning::price::<Corners, 7>(&stage, options.rounds),
        turning::price::<Edges, 9>(&stage, options.rounds),
        turning::price::<CornersAndEdges, 13>(&stage, options.rounds),
    ] {
        println!(
            "| {} | {:.2} ns | {:.1} ns | {:.1} | {:.0} | {:.0} ns | {:.0} |",
            price.k,
            price.compare,
            price.by_sums,
            price.by_sums / price.compare,
            price.corners,
            price.by_corners,
            price.by_corners / price.compare
        );
    }
}

/// k = 14, 18 and 26.
fn polytopes(rows: &[Row]) {
    println!("\n### k-DOPs of degree 8: N_v and time (medians)\n");
    println!("| case | question | N_v, k = 14 / 18 / 26 | time | fewest N_v | fastest |\n|---|---|---|---|---|---|");
    let mut ratios: Vec<[f64; 4]> = Vec::new();
    for group in groups(rows) {
        let of = [VolumeKind::KDop14, VolumeKind::KDop18, VolumeKind::KDop26].map(|volume| widest(&group, volume));
        let [Some(few), Some(some), Some(many)] = of else { continue };
        let all = [few, some, many];
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            few.case,
            few.question.name(),
            all.map(|row| format!("{:.0}", row.volumes)).join(" / "),
            all.map(|row| time(row.median_ns)).join(" / "),
            least(&all, |row| row.volumes),
            least(&all, |row| row.median_ns)
        );
        if few.volumes > 0.0 {
            let over = |row: &Row| [row.volumes / few.volumes, row.median_ns / few.median_ns];
            ratios.push([over(some), over(many)].concat().try_into().unwrap_or_default());
        }
    }
    let mean = |k: usize| geometric_mean(ratios.iter().map(|row| row[k]));
    println!("\nGeometric means over k = 14: N_v {:.2} for 18, {:.2} for 26;", mean(0), mean(2));
    println!("time {:.2} for 18, {:.2} for 26.", mean(1), mean(3));
}

/// All volumes of degree 8.
fn volumes(rows: &[Row]) {
    println!("\n### All volumes of degree 8: N_v and time over those of axis-aligned boxes (medians)\n");
    print!("| case | question |");
    VolumeKind::ALL.iter().for_each(|kind| print!(" {} |", kind.name()));
    println!(" fastest |\n|---|---|{}---|", "---|".repeat(VolumeKind::ALL.len()));
    let mut ratios: Vec<Vec<[f64; 2]>> = Vec::new();
    for group in groups(rows) {
        let Some(boxes) = widest(&group, VolumeKind::Aabb) else { continue };
        // Where roots decide, there is nothing to compare.
        if boxes.volumes < 1.0 {
            continue;
        }
        let all: Vec<&Row> = VolumeKind::ALL.iter().filter_map(|&kind| widest(&group, kind)).collect();
        print!("| {} | {} |", boxes.case, boxes.question.name());
        let over = |row: &&Row| [row.volumes.max(1.0) / boxes.volumes, row.median_ns / boxes.median_ns];
        let of_group: Vec<[f64; 2]> = all.iter().map(over).collect();
        of_group.iter().for_each(|[volumes, time]| print!(" {volumes:.2}, {time:.2} |"));
        println!(" {} |", least(&all, |row| row.median_ns));
        ratios.push(of_group);
    }
    print!("| **geometric mean** | |");
    for index in 0..VolumeKind::ALL.len() {
        let mean = |k: usize| geometric_mean(ratios.iter().map(|row| row[index][k]));
        print!(" **{:.2}, {:.2}** |", mean(0), mean(1));
    }
    println!(" |");
}

/// Slabs along one of sixteen directions.
fn quantised(cases: &[Prepared]) {
    println!(
        "\n### Slabs of sixteen directions: N_v of degree 8 over that of axis-aligned boxes, near / overlapping\n"
    );
    let of_cases: Vec<_> = cases.iter().map(|case| (&case.case.name, cases::quantised(case))).collect();
    let Some((_, first)) = of_cases.first() else { return };
    print!("| case | aabb: N_v near / all pairs |");
    first.iter().skip(1).for_each(|one| print!(" {} |", one.name));
    println!("\n|---|---|{}", "---|".repeat(first.len() - 1));
    for (name, of_volumes) in &of_cases {
        let boxes = of_volumes[0].volumes;
        print!("| {name} | {:.0} / {:.0} |", boxes[0], boxes[1]);
        for one in &of_volumes[1..] {
            print!(" {:.2} / {:.2} |", one.volumes[0] / boxes[0], one.volumes[1] / boxes[1]);
        }
        println!();
    }
    print!("| **geometric mean** | |");
    for index in 1..first.len() {
        let mean = |k: usize| geometric_mean(of_cases.iter().map(|(_, all)| all[index].volumes[k] / all[0].volumes[k]));
        print!(" **{:.2} / {:.2}** |", mean(0), mean(1));
    }
    print!("\n| bytes | {} |", first[0].bytes);
    first.iter().skip(1).for_each(|one| print!(" {} |", one.bytes));
    println!();
}

/// Rows of the same case and question.
fn groups(rows: &[Row]) -> Vec<Vec<&Row>> {
    let same = |x: &Row, y: &Row| x.case == y.case && x.question == y.question;
    rows.chunk_by(same).map(|group| group.iter().collect()).collect()
}

/// The row of degree 8 of a volume.
fn widest<'a>(group: &[&'a Row], volume: VolumeKind) -> Option<&'a Row> {
    group.iter().find(|row| row.choice == TreeChoice { volume, ..TreeChoice::default() }).copied()
}

/// Which row has the least of something.
fn least(rows: &[&Row], of: fn(&Row) -> f64) -> &'static str {
    rows.iter().min_by(|x, y| of(x).total_cmp(&of(y))).map_or("", |row| row.choice.volume.name())
}

fn geometric_mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    (values.clone().map(f64::ln).sum::<f64>() / values.count() as f64).exp()
}

fn slope(law: Option<Power>) -> String {
    law.map_or("–".into(), |law| format!("{:.2}", law.exponent).replace('-', "−"))
}

/// A number with a comma at each thousand.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
