//! Implicit against explicit multiresolution: bytes and time, side by side in one process.
//!
//! `cargo run --release -p heurt-map --example multires`

use heurt_map::multires::{ExplicitMap, ImplicitMap, Level, Multiresolution};
use heurt_map::{CombinatorialMap, Dart, Map, Map2, Map3, Orbit};
use std::hint::black_box;
use std::time::{Duration, Instant};

const ROUNDS: usize = 9;

fn main() {
    println!(
        "| map | darts | implicit B/dart | explicit B/dart | memory | φ, finest | φ, all levels | vertices, all levels |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let quads = Map2::grid(32, 32).expect("a grid");
    let triangles = triangulated(32);
    let hexahedra = Map3::hexahedral_grid([6, 6, 6]).expect("a grid");
    compare("quads, 4 levels", &everywhere(quads.clone(), 4));
    compare("triangles, 4 levels", &everywhere(triangles, 4));
    compare("quads, 8 levels at a corner", &at_corner(quads.clone(), 8));
    compare("hexahedra, 2 levels", &everywhere(hexahedra.clone(), 2));
    compare("hexahedra, 3 levels at a corner", &at_corner(hexahedra.clone(), 3));
    println!();
    println!("| change | ns a cell |");
    println!("|---|---:|");
    changes("quad into 4", quads.clone(), &[]);
    changes("quad into 4, vertices and faces numbered", quads, &[Orbit::Vertex, Orbit::Face]);
    changes("hexahedron into 8", hexahedra.clone(), &[]);
    changes("hexahedron into 8, vertices and volumes numbered", hexahedra, &[Orbit::Vertex, Orbit::Volume]);
}

/// A grid of squares, each cut along a diagonal.
fn triangulated(side: u32) -> Map2 {
    let mut map = Map2::grid(side, side).expect("a grid");
    for face in 0..side * side {
        map.split_face(Dart(4 * face), Dart(4 * face + 2)).expect("a square");
    }
    map
}

/// One dart of each finest cell.
fn cells<const D: usize>(map: &ImplicitMap<D>) -> Vec<Dart> {
    let cell = if D == 2 { Orbit::Face } else { Orbit::Volume };
    let mut found = Vec::new();
    heurt_map::for_each_orbit(map.map(), cell, |darts| {
        found.extend(Some(darts[0]).filter(|&dart| !map.map().is_boundary(dart)));
    });
    found
}

fn everywhere<const D: usize>(map: Map<D>, levels: u8) -> ImplicitMap<D> {
    let mut map = ImplicitMap::new(map);
    for _ in 0..levels {
        for dart in cells(&map) {
            map.refine(dart).expect("room");
        }
    }
    map
}

/// Each level refines a quarter (2D) or an eighth (3D) of what the one before brought.
fn at_corner<const D: usize>(map: Map<D>, levels: u8) -> ImplicitMap<D> {
    let mut map = ImplicitMap::new(map);
    for level in 0..levels {
        let found: Vec<Dart> = cells(&map).into_iter().filter(|&dart| map.level_of(dart) == level).collect();
        for &dart in &found[..found.len().div_ceil(if level == 0 { 1 } else { 4 })] {
            map.refine(dart).expect("room");
        }
    }
    map
}

fn compare<const D: usize>(name: &str, implicit: &ImplicitMap<D>) {
    let mut explicit = ExplicitMap::<D>::new(&implicit.at(0)).expect("a map");
    for level in 1..=implicit.finest() {
        explicit.push(&implicit.at(level)).expect("nested levels");
    }
    // Copies have no room to grow.
    let (implicit, explicit) = (implicit.clone(), explicit.clone());
    let darts = implicit.live_count_at(u8::MAX - 1);
    let bytes = [implicit.link_bytes(), explicit.link_bytes()].map(|bytes| bytes as f64 / darts as f64);
    let top = implicit.finest();
    let finest = ratio(|| links(implicit.at(top)), || links(explicit.at(top)));
    let all = ratio(|| all_links(&implicit), || all_links(&explicit));
    let orbits = ratio(|| all_vertices(&implicit), || all_vertices(&explicit));
    let percent = |ratio: f64| format!("{:+.0} %", 100.0 * (ratio - 1.0));
    println!(
        "| {name} | {darts} | {:.1} | {:.1} | {} | {} | {} | {} |",
        bytes[0],
        bytes[1],
        percent(bytes[0] / bytes[1]),
        percent(finest),
        percent(all),
        percent(orbits)
    );
}

/// The median of the ratios of two times, measured in turn.
fn ratio(mut one: impl FnMut() -> usize, mut other: impl FnMut() -> usize) -> f64 {
    let time = |f: &mut dyn FnMut() -> usize| {
        let start = Instant::now();
        let sum = black_box(f());
        (start.elapsed().as_secs_f64(), sum)
    };
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let ((a, one), (b, other)) = (time(&mut one), time(&mut other));
            assert_eq!(one, other);
            a / b
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ROUNDS / 2]
}

/// φ₁, φ₂ and φ₃ of every dart of a level.
fn links<M: Multiresolution>(view: Level<'_, M>) -> usize {
    let three = |dart: Dart| view.phi1(dart).index() ^ view.phi2(dart).index() ^ view.phi3(dart).index();
    view.live_darts().map(three).fold(0, usize::wrapping_add)
}

/// The same at every level.
fn all_links<M: Multiresolution>(map: &M) -> usize {
    (0..=map.finest()).map(|level| links(map.at(level))).fold(0, usize::wrapping_add)
}

/// The darts of every vertex at every level.
fn all_vertices<M: Multiresolution>(map: &M) -> usize {
    let mut sum = 0;
    for level in 0..=map.finest() {
        heurt_map::for_each_orbit(&map.at(level), Orbit::Vertex, |darts| sum += darts[0].index() * darts.len());
    }
    sum
}

/// Refines each cell of a map and coarsens it again: the median of all calls, so that other work on the machine is left
/// out.
fn changes<const D: usize>(name: &str, mut base: Map<D>, numbered: &[Orbit]) {
    Orbit::ALL.into_iter().for_each(|orbit| base.disable_ids(orbit));
    numbered.iter().for_each(|&orbit| base.enable_ids(orbit));
    let mut map = ImplicitMap::new(base);
    let all = cells(&map);
    let mut times: [Vec<Duration>; 2] = Default::default();
    for _ in 0..ROUNDS {
        for &dart in &all {
            let start = Instant::now();
            black_box(map.refine(dart).expect("room"));
            times[0].push(start.elapsed());
        }
        for &dart in &all {
            let start = Instant::now();
            black_box(map.coarsen(dart).expect("leaves"));
            times[1].push(start.elapsed());
        }
    }
    let [refine, coarsen] = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_nanos()
    });
    println!("| {name} | {refine} |");
    println!("| … and back | {coarsen} |");
}
