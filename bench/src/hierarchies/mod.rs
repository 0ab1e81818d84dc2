//! `hierarchies`: what S0 §4.5 says of bounding volumes, measured on our own trees: see `docs/hierarchies.md`.
//!
//! Claims: slopes of N_v and τ (§4.5.7), the degree (§4.5.3), builders (§4.5.2, §4.5.4), the cost function (§4.5.1), prices and
//! k-DOPs (§4.5.9), quantised slabs (§4.5.9). Counts, slopes and τ are the same on every machine; times are not. Plots go to the
//! folder of `--data`. `--case` names sections and meshes: all of those it names none of.

mod builders;
mod cases;
mod concentric;
mod model;
mod plot;
mod power;
mod prices;
mod quospo;
mod thickness;
mod turning;

use crate::Options;
use crate::store::Prepared;
use crate::table::time;
use cases::{Quantised, Question, Row};
use heurt_bvh::VolumeKind;
use heurt_bvh::volume::{Corners, CornersAndEdges, Edges};
use heurt_mesh::TriMesh;
use heurt_mesh::generate::icosphere;
use heurt_shape::{Degree, TreeChoice};
use plot::{Chart, Curve};
use plotters::prelude::SeriesLabelPosition;
use power::Power;
use std::cell::OnceCell;

/// 1,310,720 triangles; their planes stay within 4e-6 radii of the sphere, far below the least gap of 1e-4.
const LEVELS: u32 = 8;
/// 20,971,520 triangles, for the volumes that bottom out first.
const FINE_LEVELS: u32 = 10;

/// A name for `--case`, and what it measures.
type Section = (&'static str, fn(&Inputs<'_>));

const SECTIONS: [Section; 10] = [
    ("gaps", |of| gaps(of.sphere(), of.options)),
    ("wide-gaps", |_| wide_gaps()),
    ("precision", |of| precision(of.sphere(), of.options)),
    ("degrees", |of| degrees(of.rows(), of.cases)),
    ("prices", |of| prices(of.rows(), of.options)),
    ("model", |of| model::model(&groups(of.rows()))),
    ("polytopes", |of| polytopes(of.rows())),
    ("quantised", |of| quantised(of.cases, of.options)),
    ("volumes", |of| volumes(of.rows())),
    ("builders", |of| builders::builders(of.cases, of.options)),
];

/// What sections measure, made when the first one asks.
struct Inputs<'a> {
    cases: &'a [Prepared],
    options: &'a Options,
    sphere: OnceCell<TriMesh>,
    rows: OnceCell<Vec<Row>>,
}

impl Inputs<'_> {
    fn sphere(&self) -> &TriMesh {
        self.sphere.get_or_init(|| icosphere(concentric::RADIUS, LEVELS).expect("legal parameters"))
    }

    /// All volumes and degrees on all cases.
    fn rows(&self) -> &[Row] {
        let measure = |case| cases::rows(case, &cases::choices(), self.options);
        self.rows.get_or_init(|| self.cases.iter().flat_map(measure).collect())
    }
}

/// Tells whether `--case` may name a section so.
pub fn is_section(name: &str) -> bool {
    SECTIONS.iter().any(|(section, _)| *section == name)
}

/// Measures everything, or the sections that `--case` names.
pub fn hierarchies(cases: &[Prepared], options: &Options) {
    let all = !options.cases.iter().any(|case| is_section(case));
    let inputs = Inputs { cases, options, sphere: OnceCell::new(), rows: OnceCell::new() };
    for (name, measure) in SECTIONS {
        if all || options.cases.iter().any(|case| case == name) {
            measure(&inputs);
        }
    }
}

/// N_v against the gap of concentric spheres.
fn gaps(sphere: &TriMesh, options: &Options) {
    let (binary, wide) = (concentric::curves::<2>(sphere), concentric::curves::<8>(sphere));
    gap_table(sphere, 2, &binary);
    gap_table(sphere, 8, &wide);
    tessellation(&binary);
    let chart = Chart {
        caption: "Concentric spheres, binary trees: pairs of volumes tested against the gap",
        axes: ["gap / radius", "N_v"],
        legend: SeriesLabelPosition::UpperRight,
        curves: binary
            .iter()
            .map(|curve| Curve { name: curve.name, points: curve.points(), counted: curve.resolved().len() })
            .collect(),
        guides: vec![
            (Power { exponent: -1.0, factor: 60.0 }, [1e-4, 0.1], "slope −1"),
            (Power { exponent: -2.0, factor: 22.0 }, [4e-3, 0.1], "slope −2"),
        ],
    };
    draw(&chart, options, "hierarchies-gap.svg");
}

/// The same of the volumes that bottom out first, over more than a decade.
fn wide_gaps() {
    let sphere = icosphere(concentric::RADIUS, FINE_LEVELS).expect("legal parameters");
    gap_table(&sphere, 2, &concentric::wide_curves(&sphere));
}

/// N_v of curves over the same gaps, and their slopes.
fn gap_table(sphere: &TriMesh, degree: u32, curves: &[concentric::Curve]) {
    println!("\n### Concentric spheres of {} triangles, degree {degree}: N_v\n", sphere.triangles().len());
    print!("| gap / radius |");
    curves.iter().for_each(|curve| print!(" {} |", curve.name));
    println!("\n|---|{}", "---|".repeat(curves.len()));
    for (index, count) in curves[0].counts.iter().enumerate() {
        print!("| {:.3}% |", 100.0 * count.gap);
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
    print!("\n| slope of N_v / (1 − gap)² |");
    curves.iter().for_each(|curve| print!(" {} |", slope(curve.law_by_surface())));
    for (decade, [widest, narrowest]) in curves[0].decades().into_iter().enumerate() {
        print!("\n| slope, {} to {} |", percent(widest), percent(narrowest));
        curves.iter().for_each(|curve| print!(" {} |", slope(curve.law_of(decade))));
    }
    print!("\n| points |");
    curves.iter().for_each(|curve| print!(" {} |", curve.resolved().len()));
    println!();
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
fn precision(sphere: &TriMesh, options: &Options) {
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
    draw(&chart, options, "hierarchies-precision.svg");
}

/// Writes a plot; a folder that cannot be written is told, and the run goes on.
fn draw(chart: &Chart, options: &Options, name: &str) {
    if let Err(error) = chart.write(&options.data.join(name)) {
        eprintln!("heurt-bench: {error}");
    }
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
        let model = cases::prices(rows.iter().filter(|row| Some(row.choice) == choice));
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
fn quantised(cases: &[Prepared], options: &Options) {
    let of_cases: Vec<_> =
        cases.iter().map(|case| (case.case.name.as_str(), cases::quantised(case, options))).collect();
    let Some((_, first)) = of_cases.first() else { return };
    println!(
        "\n### Slabs of sixteen directions: N_v of degree 8 over that of axis-aligned boxes, near / overlapping\n"
    );
    slabs(&of_cases, "aabb: N_v near / all pairs", |one| one.volumes, |volumes| format!("{volumes:.0}"));
    print!("| bytes | {} |", first[0].bytes);
    first.iter().skip(1).for_each(|one| print!(" {} |", one.bytes));
    println!();
    println!("\n### Slabs of sixteen directions: time of the same walks over that of axis-aligned boxes (medians)\n");
    slabs(&of_cases, "aabb: near / all pairs", |one| one.median_ns, time);
}

/// A figure of walks near and overlapping, of all volumes over axis-aligned boxes.
fn slabs(of_cases: &[(&str, Vec<Quantised>)], title: &str, of: fn(&Quantised) -> [f64; 2], written: fn(f64) -> String) {
    let Some((_, first)) = of_cases.first() else { return };
    let over = |of_case: &[Quantised], index: usize, k: usize| of(&of_case[index])[k] / of(&of_case[0])[k];
    print!("| case | {title} |");
    first.iter().skip(1).for_each(|one| print!(" {} |", one.name));
    println!("\n|---|---|{}", "---|".repeat(first.len() - 1));
    for (name, of_case) in of_cases {
        print!("| {name} | {} |", of(&of_case[0]).map(written).join(" / "));
        (1..first.len()).for_each(|i| print!(" {:.2} / {:.2} |", over(of_case, i, 0), over(of_case, i, 1)));
        println!();
    }
    print!("| **geometric mean** | |");
    for index in 1..first.len() {
        let mean = |k: usize| geometric_mean(of_cases.iter().map(|(_, of_case)| over(of_case, index, k)));
        print!(" **{:.2} / {:.2}** |", mean(0), mean(1));
    }
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

/// A share, to a thousandth of a hundredth at most.
fn percent(share: f64) -> String {
    format!("{}%", (1e5 * share).round() / 1e3)
}

/// A number with a comma at each thousand.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::{SECTIONS, percent, thousands};
    use crate::meshes::NAMES;

    #[test]
    fn no_section_is_called_as_a_mesh_is() {
        assert!(SECTIONS.iter().all(|(section, _)| !NAMES.contains(section)));
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!([10f64.powf(-0.5), 0.1, 1e-4].map(percent), ["31.623%", "10%", "0.01%"]);
        assert_eq!([7, 1_234, 50_966_138].map(thousands), ["7", "1,234", "50,966,138"]);
    }
}
