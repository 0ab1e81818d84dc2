//! Continuous detection against the exact oracle, on queries as in simulations and on hard ones.

use heurt_geometry::Vec3;
use heurt_query::ccd::{
    CcdError, CcdOptions, FirstContact, MovingPrimitives, edge_edge, edge_edge_many, vertex_face, vertex_face_many,
};
use heurt_testkit::corpus::ccd::{CorpusQuery, read_queries, write_queries};
use heurt_testkit::hard::ccd_queries::{MovingQuery, QUERY_KINDS, QueryKind, moving_query};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::ccd::{ExactContact, MovingKind, first_contact};
use heurt_testkit::test_size;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn first_contact_of(moving: MovingKind, primitives: &MovingPrimitives, options: &CcdOptions) -> Option<FirstContact> {
    let found = match moving {
        MovingKind::VertexFace => vertex_face(primitives, options),
        MovingKind::EdgeEdge => edge_edge(primitives, options),
    };
    found.unwrap()
}

fn primitives(query: &MovingQuery) -> MovingPrimitives {
    MovingPrimitives { start: query.start, end: query.end }
}

/// Counts of one kind of queries.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    queries: u64,
    hits: u64,
    false_hits: u64,
    /// Real contacts later than `time_upper`, which follow on one that is not real.
    after: u64,
    /// Answers without a close `time_upper`.
    wide: u64,
}

/// Compares an answer with the exact one: no miss, never late.
fn judge(
    query: &MovingQuery,
    options: &CcdOptions,
    found: Option<FirstContact>,
    exact: Option<&ExactContact>,
    tally: &mut Tally,
) {
    // Beyond the time of interest there may be contact or not.
    let exact = exact.filter(|contact| contact.compare(options.max_time).is_le());
    tally.queries += 1;
    let Some(impact) = found else {
        if let Some(exact) = exact {
            panic!("missed contact at {}, {options:?}: {query:?}", exact.approximate());
        }
        return;
    };
    let FirstContact { time, time_upper } = impact;
    assert!(0.0 <= time && time <= time_upper && time_upper <= options.max_time, "{impact:?} {options:?} {query:?}");
    // The bound of work ran out.
    let is_wide = time_upper - time > options.tolerance;
    assert!(!is_wide || time_upper == options.max_time, "{impact:?} is wide, {options:?}: {query:?}");
    tally.wide += u64::from(is_wide);
    let Some(exact) = exact else {
        tally.false_hits += 1;
        return;
    };
    tally.hits += 1;
    let true_time = exact.approximate();
    assert!(exact.compare(time).is_ge(), "{impact:?} is later than {true_time}, {options:?}: {query:?}");
    if exact.compare(0.0) == Ordering::Equal {
        assert_eq!(time, 0.0);
    }
    tally.after += u64::from(exact.compare(time_upper).is_gt());
}

fn count() -> u64 {
    test_size("HEURT_CCD_QUERIES", 12_000)
}

fn print(tallies: &BTreeMap<QueryKind, Tally>) {
    for (kind, tally) in tallies {
        println!("{kind:?}: {tally:?}");
    }
}

#[test]
fn many_touch_when_the_oracle_says() {
    let (mut random, mut tallies) = (Random::new(1), BTreeMap::<QueryKind, Tally>::new());
    for turn in 0..count() {
        let query = moving_query(&mut random);
        let options = CcdOptions { max_time: if turn % 8 == 0 { 0.6 } else { 1.0 }, ..CcdOptions::default() };
        let found = first_contact_of(query.moving, &primitives(&query), &options);
        let exact = first_contact(query.moving, &query.start, &query.end, 0.0);
        judge(&query, &options, found, exact.as_ref(), tallies.entry(query.kind).or_default());
    }
    print(&tallies);
    assert_eq!(tallies.len(), QUERY_KINDS.len());
    for (kind, tally) in &tallies {
        assert!(tally.hits > 0, "{kind:?} never hits");
        if kind.is_simulation_like() {
            assert!(tally.false_hits * 200 < tally.queries, "{kind:?}: {tally:?}");
        }
    }
}

#[test]
fn with_a_distance_to_keep_they_touch_when_the_oracle_says() {
    let (mut random, mut tallies) = (Random::new(2), BTreeMap::<QueryKind, Tally>::new());
    for turn in 0..count() / 20 {
        let query = moving_query(&mut random);
        let size = query.start.iter().fold(0.0, |m: f64, p| m.max((*p - query.start[0]).abs().max_element()));
        let share = [1e-6, 1e-3, 0.1, 0.5, 1.0][turn as usize % 5];
        let min_separation = if size * share > 0.0 { size * share } else { share };
        let options = CcdOptions { min_separation, ..CcdOptions::default() };
        let found = first_contact_of(query.moving, &primitives(&query), &options);
        let exact = first_contact(query.moving, &query.start, &query.end, min_separation);
        judge(&query, &options, found, exact.as_ref(), tallies.entry(query.kind).or_default());
    }
    print(&tallies);
}

#[test]
fn what_is_swapped_or_turned_round_is_answered_alike() {
    let mut random = Random::new(3);
    for _ in 0..12_000 {
        let query = moving_query(&mut random);
        let [a, b, c, d] = [0, 1, 2, 3];
        let orders = match query.moving {
            MovingKind::VertexFace => [[a, b, c, d], [a, c, d, b], [a, d, c, b]],
            MovingKind::EdgeEdge => [[a, b, c, d], [c, d, a, b], [b, a, c, d]],
        };
        let options = CcdOptions::default();
        let found = orders.map(|order| {
            let turned = MovingPrimitives { start: order.map(|k| query.start[k]), end: order.map(|k| query.end[k]) };
            first_contact_of(query.moving, &turned, &options)
        });
        let exact = first_contact(query.moving, &query.start, &query.end, 0.0);
        for other in [found[1], found[2]] {
            match (found[0], other) {
                (Some(x), Some(y)) => {
                    // Intervals that both hold the real contact share it.
                    let share = x.time <= y.time_upper && y.time <= x.time_upper;
                    assert!(share || !query.kind.is_simulation_like(), "{x:?} {y:?} {query:?}");
                }
                (None, None) => {}
                // One of them gave a doubt up.
                _ => assert!(exact.is_none() && !query.kind.is_simulation_like(), "{found:?} {query:?}"),
            }
        }
    }
}

#[test]
fn many_at_once_are_as_one_by_one() {
    let mut random = Random::new(4);
    for min_separation in [0.0, 0.01] {
        for max_time in [1.0, 0.4] {
            let options = CcdOptions { min_separation, max_time, ..CcdOptions::default() };
            let queries: Vec<MovingQuery> = (0..10_003).map(|_| moving_query(&mut random)).collect();
            for moving in [MovingKind::VertexFace, MovingKind::EdgeEdge] {
                let of_kind: Vec<MovingPrimitives> =
                    queries.iter().filter(|query| query.moving == moving).map(primitives).collect();
                let mut impacts = vec![];
                match moving {
                    MovingKind::VertexFace => vertex_face_many(&of_kind, &options, &mut impacts),
                    MovingKind::EdgeEdge => edge_edge_many(&of_kind, &options, &mut impacts),
                }
                .unwrap();
                let one_by_one: Vec<Option<FirstContact>> =
                    of_kind.iter().map(|p| first_contact_of(moving, p, &options)).collect();
                assert_eq!(impacts.len(), of_kind.len());
                for ((impact, single), query) in impacts.iter().zip(&one_by_one).zip(&of_kind) {
                    // A plane of the first stage may settle what is a doubt to the later ones.
                    assert!(impact == single || impact.is_none(), "{impact:?} {single:?} {query:?}");
                }
            }
        }
    }
}

fn falling(from: [f64; 3], to: [f64; 3]) -> MovingPrimitives {
    let [a, b, c] = [Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0), Vec3::new(0.0, 4.0, 0.0)];
    MovingPrimitives { start: [Vec3::from(from), a, b, c], end: [Vec3::from(to), a, b, c] }
}

fn is_at(impact: Option<FirstContact>, time: f64) {
    let impact = impact.unwrap();
    assert!(impact.time <= time && time <= impact.time_upper, "{impact:?} is not at {time}");
    assert!(impact.time_upper - impact.time <= 1e-6);
}

#[test]
fn a_vertex_meets_a_triangle() {
    let at = |from, to| vertex_face(&falling(from, to), &CcdOptions::default()).unwrap();
    is_at(at([1.0, 1.0, 1.0], [1.0, 1.0, -3.0]), 0.25);
    is_at(at([1.0, 1.0, 1.0], [1.0, 1.0, 0.0]), 1.0);
    is_at(at([4.0, 0.0, 1.0], [4.0, 0.0, -1.0]), 0.5);
    is_at(at([2.0, 2.0, 1.0], [2.0, 2.0, -1.0]), 0.5);
    is_at(at([-1.0, 1.0, 0.0], [3.0, 1.0, 0.0]), 0.25);
    // Through the opposite corner of a triangle that it slides past.
    is_at(at([3.0, -1.0, 0.0], [5.0, 1.0, 0.0]), 0.5);
    assert_eq!(at([1.0, 1.0, 0.0], [1.0, 1.0, 9.0]).unwrap().time, 0.0);
    assert_eq!(at([1.0, 1.0, 0.0], [1.0, 1.0, 0.0]).unwrap().time, 0.0);
    assert!(at([3.0, 3.0, 1.0], [3.0, 3.0, -1.0]).is_none());
    assert!(at([1.0, 1.0, 3.0], [1.0, 1.0, 1e-9]).is_none());
    assert!(at([-1.0, 1.0, 1e-9], [5.0, 1.0, 1e-9]).is_none());
}

#[test]
fn a_distance_is_kept_round_vertices_and_edges() {
    let with = |from, to, min_separation| {
        vertex_face(&falling(from, to), &CcdOptions { min_separation, ..CcdOptions::default() }).unwrap()
    };
    is_at(with([1.0, 1.0, 1.0], [1.0, 1.0, -3.0], 0.5), 0.125);
    // Beside the edge y = 0 by 3, with 5 to keep: at a height of 4.
    is_at(with([1.0, -3.0, 8.0], [1.0, -3.0, 0.0], 5.0), 0.5);
    assert!(with([1.0, -3.0, 8.0], [1.0, -3.0, 0.0], 2.999_999).is_none());
    // Beside the corner 0 by 3 and 4, with 13 to keep: at a height of 12.
    is_at(with([-3.0, -4.0, 16.0], [-3.0, -4.0, 8.0], 13.0), 0.5);
    assert!(with([-3.0, -4.0, 1.0], [-3.0, -4.0, -1.0], 4.999_999).is_none());
    // Past at the distance to keep.
    is_at(with([-2.0, -1.0, 0.0], [2.0, -1.0, 0.0], 1.0), 0.5);
    assert!(with([-2.0, -1.0, 0.0], [2.0, -1.0, 0.0], 0.999_999).is_none());
}

#[test]
fn edges_meet() {
    let still = [-Vec3::X, Vec3::X];
    let at = |from: [Vec3; 2], to: [Vec3; 2], min_separation: f64| {
        let moving =
            MovingPrimitives { start: [still[0], still[1], from[0], from[1]], end: [still[0], still[1], to[0], to[1]] };
        edge_edge(&moving, &CcdOptions { min_separation, ..CcdOptions::default() }).unwrap()
    };
    let across = [Vec3::new(0.0, -1.0, 1.0), Vec3::new(0.0, 1.0, 1.0)];
    is_at(at(across, across.map(|p| p - 2.0 * Vec3::Z), 0.0), 0.5);
    is_at(at(across, across.map(|p| p - 2.0 * Vec3::Z), 0.5), 0.25);
    let along = [Vec3::Z, Vec3::Z + Vec3::X];
    is_at(at(along, along.map(|p| p - 4.0 * Vec3::Z), 0.0), 0.25);
    let behind = [2.0 * Vec3::X, 3.0 * Vec3::X];
    is_at(at(behind, behind.map(|p| p - 2.0 * Vec3::X), 0.0), 0.5);
    is_at(at(behind, behind.map(|p| p - 2.0 * Vec3::X), 0.5), 0.25);
    assert!(at(behind, behind.map(|p| p + Vec3::Z), 0.5).is_none());
    // A point against a point.
    let points = [Vec3::ZERO, Vec3::ZERO, Vec3::ONE, Vec3::ONE];
    let moving = MovingPrimitives { start: points, end: [Vec3::ZERO, Vec3::ZERO, -Vec3::ONE, -Vec3::ONE] };
    is_at(edge_edge(&moving, &CcdOptions::default()).unwrap(), 0.5);
}

#[test]
fn any_size_will_do() {
    for scale in [1e-300, 1e-150, 1e-6, 1.0, 1e6, 1e150, 1e300] {
        let falls = falling([1.0, 1.0, 1.0], [1.0, 1.0, -3.0]);
        let scaled = MovingPrimitives { start: falls.start.map(|p| p * scale), end: falls.end.map(|p| p * scale) };
        is_at(vertex_face(&scaled, &CcdOptions::default()).unwrap(), 0.25);
        let missing = falling([1.0, 1.0, 1.0], [1.0, 1.0, 0.01]);
        let missing = MovingPrimitives { start: missing.start.map(|p| p * scale), end: missing.end.map(|p| p * scale) };
        assert_eq!(vertex_face(&missing, &CcdOptions::default()).unwrap(), None);
    }
    let largest = f64::MAX;
    let wide = MovingPrimitives { start: [Vec3::splat(largest); 4], end: [Vec3::splat(-largest); 4] };
    assert_eq!(edge_edge(&wide, &CcdOptions::default()).unwrap().map(|impact| impact.time), Some(0.0));
    let least = f64::from_bits(1);
    let falls = falling([least, least, 4.0 * least], [least, least, -4.0 * least]);
    let tiny = |p: Vec3| if p.x == 4.0 || p.y == 4.0 { p * least } else { p };
    let tiny = MovingPrimitives { start: falls.start.map(tiny), end: falls.end.map(tiny) };
    is_at(vertex_face(&tiny, &CcdOptions::default()).unwrap(), 0.5);
}

#[test]
fn far_ends_and_lowered_ends_of_time_count() {
    let falls = falling([1.0, 1.0, 1.0], [1.0, 1.0, -3.0]);
    let until = |max_time| vertex_face(&falls, &CcdOptions { max_time, ..CcdOptions::default() }).unwrap();
    is_at(until(0.25), 0.25);
    is_at(until(0.3), 0.25);
    assert!(until(0.2499).is_none());
}

#[test]
fn no_tolerance_leaves_the_contact_out() {
    for share in [0.25, 0.5, 0.796875, 1.0] {
        let falls = falling([1.0, 1.0, share], [1.0, 1.0, share - 1.0]);
        for tolerance in [1e-3, 1e-9, 1e-12, 1e-15, 1e-16, 1e-17, 1e-300] {
            let impact = vertex_face(&falls, &CcdOptions { tolerance, ..CcdOptions::default() }).unwrap().unwrap();
            let FirstContact { time, time_upper } = impact;
            assert!(time <= share && share <= time_upper, "{impact:?} {share} {tolerance}");
            let finest = 4.0 * (time.next_up() - time);
            assert!(time_upper - time <= tolerance.max(finest), "{impact:?} {share} {tolerance}");
        }
    }
}

#[test]
fn any_distance_will_do() {
    for scale in [1e-300, 1e-150, 1.0, 1e150] {
        let falls = falling([1.0, 1.0, 1.0], [1.0, 1.0, -3.0]);
        let scaled = MovingPrimitives { start: falls.start.map(|p| p * scale), end: falls.end.map(|p| p * scale) };
        for min_separation in [1e160, 1e300, f64::MAX] {
            let options = CcdOptions { min_separation, ..CcdOptions::default() };
            for impact in [vertex_face(&scaled, &options).unwrap(), edge_edge(&scaled, &options).unwrap()] {
                assert!(impact.is_some_and(|impact| impact.time == 0.0 && impact.time_upper <= 1e-6), "{impact:?}");
            }
        }
    }
}

#[test]
fn what_stands_still_touches_at_once_or_never() {
    for (height, min_separation, touches) in [(0.0, 0.0, true), (0.5, 0.0, false), (0.5, 0.5, true), (0.5, 0.25, false)]
    {
        let options = CcdOptions { min_separation, ..Default::default() };
        let still = falling([0.25, 0.25, height], [0.25, 0.25, height]);
        let edges = [[-1.0, 0.0, height], [1.0, 0.0, height], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from_array);
        let crossed = MovingPrimitives { start: edges, end: edges };
        for found in [vertex_face(&still, &options).unwrap(), edge_edge(&crossed, &options).unwrap()] {
            assert_eq!(found.map(|found| found.time), touches.then_some(0.0), "{height} {min_separation}");
        }
    }
}

#[test]
fn bad_input_is_named() {
    let falls = falling([1.0, 1.0, 1.0], [1.0, 1.0, -3.0]);
    let with = |min_separation, tolerance, max_time| {
        vertex_face(&falls, &CcdOptions { min_separation, tolerance, max_time }).unwrap_err().to_string()
    };
    assert!(with(-1.0, 1e-6, 1.0).starts_with("min_separation is -1:"));
    assert!(with(f64::NAN, 1e-6, 1.0).starts_with("min_separation is NaN:"));
    assert!(with(f64::INFINITY, 1e-6, 1.0).starts_with("min_separation is inf:"));
    assert!(with(0.0, 0.0, 1.0).starts_with("tolerance is 0:"));
    assert!(with(0.0, f64::NAN, 1.0).starts_with("tolerance is NaN:"));
    assert!(with(0.0, 1e-6, 0.0).starts_with("max_time is 0:"));
    assert!(with(0.0, 1e-6, -1.0).starts_with("max_time is -1:"));
    assert!(with(0.0, 1e-6, f64::NAN).starts_with("max_time is NaN:"));
    assert!(with(0.0, 1e-6, 1.5).starts_with("max_time is 1.5:"));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for vertex in 0..4 {
            for axis in 0..3 {
                let mut bad = falls;
                bad.end[vertex][axis] = value;
                let options = CcdOptions::default();
                for error in [vertex_face(&bad, &options).unwrap_err(), edge_edge(&bad, &options).unwrap_err()] {
                    let CcdError::NotFinite { query: 0, vertex: named, time: 1, .. } = error else {
                        panic!("{error}");
                    };
                    assert_eq!(named, vertex);
                }
                let queries = [falls, falls, falls, falls, falls, bad];
                let error = vertex_face_many(&queries, &options, &mut vec![]).unwrap_err();
                assert!(matches!(error, CcdError::NotFinite { query: 5, .. }), "{error}");
            }
        }
    }
}

/// What comes of the files of a folder, in all.
#[derive(Debug, Default, PartialEq)]
struct CorpusTally {
    files: u64,
    queries: u64,
    hits: u64,
    misses: Vec<String>,
    false_hits: u64,
    /// With coordinates that no double holds: there the exact oracle on the rounded ones has the say.
    rounded: u64,
}

/// All files below a folder, in order.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_owned()], vec![]);
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.unwrap().path();
            let is_table = path.extension().is_some_and(|end| end == "csv");
            if path.is_dir() {
                folders.push(path);
            } else if is_table {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Asks all queries of the benchmark family below a folder; which primitives they are of, a folder or file name tells.
fn check_corpus(folder: &Path) -> CorpusTally {
    let mut tally = CorpusTally::default();
    for file in files_below(folder) {
        let name = file.display().to_string();
        let below = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().replace('_', "-");
        let moving = match [below.contains("vertex-face"), below.contains("edge-edge")] {
            [true, false] => MovingKind::VertexFace,
            [false, true] => MovingKind::EdgeEdge,
            _ => panic!("{name}: neither vertex-face nor edge-edge by its name or its folder's"),
        };
        let text = std::fs::read_to_string(&file).unwrap();
        tally.files += 1;
        for (number, query) in read_queries(&text).unwrap_or_else(|error| panic!("{name}: {error}")).iter().enumerate()
        {
            let CorpusQuery { start, end, touches, is_exact } = *query;
            tally.queries += 1;
            tally.rounded += u64::from(!is_exact);
            let found = first_contact_of(moving, &MovingPrimitives { start, end }, &CcdOptions::default());
            let oracle = || first_contact(moving, &start, &end, 0.0);
            let touches = if is_exact { touches } else { oracle().is_some() };
            tally.hits += u64::from(touches);
            tally.false_hits += u64::from(!touches && found.is_some());
            if touches && found.is_none() {
                let exact = oracle().map(|contact| contact.approximate());
                tally.misses.push(format!("{name}, query {number}: exact arithmetic says {exact:?}: {query:?}"));
            }
        }
    }
    tally
}

/// `HEURT_CCD_CORPUS=folder` asks all its files; see `CONTRIBUTING.md`.
#[test]
fn no_query_of_the_benchmark_family_is_missed() {
    let Some(folder) = std::env::var_os("HEURT_CCD_CORPUS") else {
        println!("HEURT_CCD_CORPUS names no folder with queries of the benchmark family: none was asked");
        return;
    };
    let CorpusTally { files, queries, hits, misses, false_hits, rounded } = check_corpus(Path::new(&folder));
    println!(
        "{queries} queries in {files} files, {rounded} of them rounded: {hits} touch, {} of them missed",
        misses.len()
    );
    println!(
        "{false_hits} told to touch that do not, {:.3} % of those",
        100.0 * false_hits as f64 / (queries - hits) as f64
    );
    assert!(queries > 0, "no queries below {}", Path::new(&folder).display());
    assert!(misses.is_empty(), "{misses:#?}");
}

/// The same on files of our own, with the answers of the oracle, and one that is wrong.
#[test]
fn files_of_the_benchmark_family_are_asked() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ccd_corpus");
    let mut random = Random::new(9);
    let (mut all, mut touching) = (0, 0);
    let mut write = |below: &str, moving: MovingKind, is_right: bool| {
        let file = folder.join(below);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let queries = std::iter::repeat_with(|| moving_query(&mut random)).filter(|query| query.moving == moving);
        let judged = queries.map(|MovingQuery { start, end, .. }| {
            let touches = first_contact(moving, &start, &end, 0.0).is_some();
            CorpusQuery { start, end, touches: touches == is_right, is_exact: true }
        });
        let queries: Vec<CorpusQuery> = judged.take(500).collect();
        all += queries.len() as u64;
        touching += queries.iter().filter(|query| query.touches).count() as u64;
        std::fs::write(file, write_queries(&queries)).unwrap();
    };
    write("right/cloth/vertex-face/0001.csv", MovingKind::VertexFace, true);
    write("right/edge_edge_0001.csv", MovingKind::EdgeEdge, true);
    let right = check_corpus(&folder.join("right"));
    assert_eq!((right.files, right.queries, right.rounded, &right.misses[..]), (2, 1000, 0, &[][..]));
    assert!(right.hits > 100 && right.hits < 900 && right.false_hits * 10 < right.queries, "{right:?}");
    write("wrong/edge-edge/0001.csv", MovingKind::EdgeEdge, false);
    let wrong = check_corpus(&folder.join("wrong"));
    assert!(
        wrong.misses.len() > 100 && wrong.misses.iter().all(|miss| miss.contains("says None")),
        "{:?}",
        wrong.misses
    );
    assert_eq!((all, touching), (1500, right.hits + wrong.hits));
}
