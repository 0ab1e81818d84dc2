//! `map`: a grid of 32³ hexahedra as a combinatorial map, heurt and honeycomb here, CGAL's linear cell complex from
//! `peers.tsv`: building it, visiting the darts of all vertices and of all volumes, bytes a dart.
//!
//! `--case 16` for other sizes; honeycomb, which takes a minute and a half, sits out then unless `--case honeycomb`
//! calls it. CGAL visits with its basic ranges, honeycomb with `iter_*` and `orbit`. The answers are numbers of darts;
//! heurt's vertices have those of the boundary too.

use crate::Options;
use crate::store::lines_of;
use crate::table::{Line, print};
use crate::timing::{Contestant, Mode, contest, race};
use heurt_geometry::{Aabb, Vec3};
use heurt_map::{Cell, CombinatorialMap, Map2, Map3, Orbit, Orient, Walker, for_each_orbit, grid_positions};
use honeycomb_core::cmap::{CMap3, OrbitPolicy};
use honeycomb_kernels::grid_generation::GridBuilder;
use std::time::Duration;

/// Builds, visits and weighs.
pub fn map(options: &Options) {
    let sizes: Vec<u32> = options.cases.iter().filter_map(|case| case.parse().ok()).collect();
    for n in if sizes.is_empty() { vec![32] } else { sizes } {
        build(n, options);
        visit(n, options);
        bytes(n, options);
    }
    neighbours(options);
}

fn peers(n: u32, what: &str, options: &Options) -> Vec<Line> {
    lines_of(&options.data, ["map", &format!("grid-{n}"), what]).into_iter().map(Line::from).collect()
}

fn build(n: u32, options: &Options) {
    let bounds = Aabb { min: Vec3::ZERO, max: Vec3::splat(f64::from(n)) };
    let (positions, cells) = (grid_positions(&bounds, [n; 3]), cells(n));
    let outcomes = race(
        options.rounds,
        vec![
            Contestant::new("heurt, from cells", |_| {
                let built = Map3::from_cells(positions.len(), &cells, Orient::Keep).expect("a grid");
                let points = built.at_vertices(&positions);
                built.map.live_count() as u64 + points.values().len() as u64
            }),
            Contestant::new("heurt, as a grid", |_| {
                let map = Map3::hexahedral_grid([n; 3]).expect("a grid");
                map.live_count() as u64 + grid_positions(&bounds, [n; 3]).len() as u64
            }),
        ],
    );
    let once = Contestant::new("honeycomb, grid, once", |_| honeycomb(n).n_darts() as u64);
    let once = contest(1, 1, Mode::Each, Duration::ZERO, with_honeycomb(options).then_some(once).into_iter().collect());
    let mut lines: Vec<Line> = outcomes.iter().chain(&once).map(|outcome| Line::new(outcome, &[])).collect();
    lines.extend(peers(n, "build", options));
    lines.extend(peers(n, "build-searched", options).into_iter().map(|mut line| {
        line.name += ", `sew3_same_facets`";
        line
    }));
    print(&format!("map: build {n}³ hexahedra with their points"), &lines);
}

fn with_honeycomb(options: &Options) -> bool {
    options.cases.is_empty() || options.cases.iter().any(|case| case == "honeycomb")
}

fn honeycomb(n: u32) -> CMap3<f64> {
    GridBuilder::<3, f64>::hex_grid(n as usize, 1.0)
}

fn visit(n: u32, options: &Options) {
    let map = Map3::hexahedral_grid([n; 3]).expect("a grid");
    let other = with_honeycomb(options).then(|| honeycomb(n));
    let mut walker = Walker::new();
    for (what, orbit, policy) in
        [("vertices", Orbit::Vertex, OrbitPolicy::Vertex), ("volumes", Orbit::Volume, OrbitPolicy::Volume)]
    {
        let ids = map.cell_ids(orbit).expect("a grid has numbers");
        let outcomes = race(
            options.rounds,
            vec![
                Contestant::new("heurt, `for_each_orbit`", |_| {
                    let mut darts = 0;
                    for_each_orbit(&map, orbit, |cell| darts += cell.len() as u64);
                    darts
                }),
                Contestant::new("heurt, `Walker::orbit` of each cell", |_| {
                    ids.cells().map(|(_, dart)| walker.orbit(&map, orbit, dart).len() as u64).sum()
                }),
            ],
        );
        let once = other.as_ref().map(|other| {
            Contestant::new("honeycomb, once", |_| match orbit {
                Orbit::Vertex => {
                    other.iter_vertices().map(|cell| other.orbit(policy.clone(), cell).count() as u64).sum()
                }
                _ => other.iter_volumes().map(|cell| other.orbit(policy.clone(), cell).count() as u64).sum(),
            })
        });
        let once = contest(1, 1, Mode::Each, Duration::ZERO, once.into_iter().collect());
        let mut lines: Vec<Line> = outcomes.iter().chain(&once).map(|outcome| Line::new(outcome, &[])).collect();
        lines.extend(peers(n, what, options));
        print(&format!("map: the darts of all {what} of {n}³ hexahedra"), &lines);
        for outcome in outcomes.iter().chain(&once) {
            println!("\n{}: {} darts", outcome.name, outcome.answers[0]);
        }
    }
}

fn bytes(n: u32, options: &Options) {
    let (solid, flat) = (Map3::hexahedral_grid([n; 3]).expect("a grid"), Map2::grid(512, 512).expect("a grid"));
    println!("\n### map: bytes a dart\n\n| who | links | with numbers of vertices and cells |\n|---|---|---|");
    let ids = |map: &dyn Fn(Orbit) -> usize, kinds: [Orbit; 2]| kinds.into_iter().map(map).sum::<usize>();
    let heap = |orbit| solid.cell_ids(orbit).map_or(0, |ids| ids.heap_bytes());
    let (links, darts) = (solid.link_bytes() as f64, solid.live_count() as f64);
    let all = links + ids(&heap, [Orbit::Vertex, Orbit::Volume]) as f64;
    println!("| heurt, 3D, {n}³ | {:.1} | {:.1} |", links / darts, all / darts);
    let heap = |orbit| flat.cell_ids(orbit).map_or(0, |ids| ids.heap_bytes());
    let (links, darts) = (flat.link_bytes() as f64, flat.live_count() as f64);
    let all = links + ids(&heap, [Orbit::Vertex, Orbit::Face]) as f64;
    println!("| heurt, 2D, 512² | {:.1} | {:.1} |", links / darts, all / darts);
    for line in peers(n, "bytes", options) {
        println!("| {}, 3D, {n}³ | {} | – |", line.name, line.median);
    }
    for line in peers(n, "bytes-all", options) {
        println!("| {}, 3D, {n}³, its containers with points | – | {} |", line.name, line.median);
    }
}

/// Neighbours of cells of grids of different sizes, which should take the same time.
fn neighbours(options: &Options) {
    for n in [10, 32, 64] {
        let map = Map3::hexahedral_grid([n; 3]).expect("a grid");
        let middle = map.cell_ids(Orbit::Volume).expect("numbers").dart(n / 2 * (1 + n + n * n)).expect("a cell");
        let mut walker = Walker::new();
        let outcomes = contest(
            1,
            options.rounds,
            Mode::Sweep(1000),
            Duration::from_secs(10),
            vec![Contestant::new("heurt, volumes by a vertex", |_| {
                walker.adjacent(&map, middle, Orbit::Volume, Orbit::Vertex).len() as u64
            })],
        );
        let lines: Vec<Line> = outcomes.iter().map(|outcome| Line::new(outcome, &[26])).collect();
        print(&format!("map: the 26 neighbours of a cell of {n}³"), &lines);
    }
}

/// The cells of the grid, as a mesh would give them.
fn cells(n: u32) -> Vec<Cell> {
    let corner = |i: u32, j: u32, k: u32| i + (n + 1) * (j + (n + 1) * k);
    let cell = |number: u32| {
        let (i, j, k) = (number % n, number / n % n, number / n / n);
        let ring = |k| [corner(i, j, k), corner(i + 1, j, k), corner(i + 1, j + 1, k), corner(i, j + 1, k)];
        let ([a, b, c, d], [e, f, g, h]) = (ring(k), ring(k + 1));
        Cell::Hexahedron([a, b, c, d, e, f, g, h])
    };
    (0..n * n * n).map(cell).collect()
}
