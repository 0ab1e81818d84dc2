//! `ccd`: when a vertex and a triangle, or two edges, touch: heurt here, ipctk's Tight Inclusion and additive CCD from `peers.tsv`.
//!
//! Queries as in simulations are those of which the swept boxes meet, as broad phases hand them on; the hard ones are
//! those of the tests. Hits and misses are timed apart, a sweep over all of a list at a time. Tolerance 1e-6.

use crate::Options;
use crate::store::lines_of;
use crate::table::time;
use crate::timing::{Contestant, Mode, contest};
use heurt_query::ccd::{
    CcdOptions, FirstContact, MovingPrimitives, edge_edge, edge_edge_many, vertex_face, vertex_face_many,
};
use heurt_testkit::hard::ccd_queries::{MovingQuery, QUERY_KINDS, QueryKind, query_of_kind};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::ccd::MovingKind;
use std::time::Duration;

/// Queries of a kind.
const COUNT: usize = 10_000;

/// Writes the queries, times heurt on them and prints what peers took.
pub fn ccd(options: &Options) -> Result<(), String> {
    std::fs::create_dir_all(&options.data).map_err(|error| format!("{}: {error}", options.data.display()))?;
    println!("\n### ccd: mean time of a query, tolerance 1e-6\n");
    println!("| queries | kind | answer | count | heurt | heurt, many | peers, and their ratio to heurt |");
    println!("|---|---|---|---|---|---|---|");
    for case in ["simulated", "hard"] {
        for moving in [MovingKind::VertexFace, MovingKind::EdgeEdge] {
            let queries = draw(case, moving, options.seed);
            let (hits, misses): (Vec<_>, Vec<_>) =
                queries.into_iter().partition(|query| find_contact(moving, query).is_some());
            for (answer, queries) in [("hit", hits), ("miss", misses)] {
                row(options, case, moving, answer, &queries)?;
            }
        }
    }
    Ok(())
}

fn name(moving: MovingKind) -> &'static str {
    match moving {
        MovingKind::VertexFace => "vertex-face",
        MovingKind::EdgeEdge => "edge-edge",
    }
}

fn draw(case: &str, moving: MovingKind, seed: u64) -> Vec<MovingPrimitives> {
    let wants = |kind: &QueryKind| match case {
        "hard" => !kind.is_simulation_like() && *kind != QueryKind::Extreme,
        _ => kind.is_simulation_like(),
    };
    let kinds: Vec<QueryKind> = QUERY_KINDS.into_iter().filter(wants).collect();
    let mut random = Random::new(seed);
    let mut queries = vec![];
    for turn in 0.. {
        if queries.len() == COUNT {
            break;
        }
        let query = query_of_kind(&mut random, kinds[turn % kinds.len()]);
        if query.moving == moving && (case == "hard" || boxes_meet(&query)) {
            queries.push(MovingPrimitives { start: query.start, end: query.end });
        }
    }
    queries
}

fn boxes_meet(query: &MovingQuery) -> bool {
    let first = if query.moving == MovingKind::VertexFace { 1 } else { 2 };
    let ends = |axis: usize, from: usize, to: usize| {
        let all = query.start[from..to].iter().chain(&query.end[from..to]).map(move |p| p[axis]);
        all.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)])
    };
    (0..3).all(|axis| {
        let ([a, b], [c, d]) = (ends(axis, 0, first), ends(axis, first, 4));
        a <= d && c <= b
    })
}

fn find_contact(moving: MovingKind, query: &MovingPrimitives) -> Option<FirstContact> {
    let options = CcdOptions::default();
    let impact = match moving {
        MovingKind::VertexFace => vertex_face(query, &options),
        MovingKind::EdgeEdge => edge_edge(query, &options),
    };
    impact.expect("finite queries")
}

fn row(
    options: &Options,
    case: &str,
    moving: MovingKind,
    answer: &str,
    queries: &[MovingPrimitives],
) -> Result<(), String> {
    let kind = name(moving);
    let path = options.data.join(format!("ccd-{case}-{kind}-{answer}.f64"));
    let numbers = queries.iter().flat_map(|query| query.start.iter().chain(&query.end)).flat_map(|p| p.to_array());
    let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;

    let single =
        Contestant::new("one", |item| find_contact(moving, &queries[item]).map_or(0, |impact| impact.time.to_bits()));
    let many_of_all = {
        let (mut impacts, settings) = (vec![], CcdOptions::default());
        Contestant::new("many", move |_| {
            let done = match moving {
                MovingKind::VertexFace => vertex_face_many(queries, &settings, &mut impacts),
                MovingKind::EdgeEdge => edge_edge_many(queries, &settings, &mut impacts),
            };
            done.expect("finite queries");
            impacts.len() as u64
        })
    };
    let budget = Duration::from_secs(20);
    let one = contest(queries.len(), options.rounds, Mode::Sweep(1), budget, vec![single])[0].mean();
    let many = contest(1, options.rounds, Mode::Warm, budget, vec![many_of_all])[0].mean() / queries.len() as f64;
    let peers: Vec<String> = lines_of(&options.data, ["ccd", &format!("{case}-{kind}"), answer])
        .into_iter()
        .map(|peer| {
            let (ratio, wrong) = (peer.mean / one, peer.wrong);
            format!("{}: {}, {ratio:.1}×, {wrong} answers differ", peer.peer, time(peer.mean))
        })
        .collect();
    println!(
        "| {case} | {kind} | {answer} | {} | {} | {} | {} |",
        queries.len(),
        time(one),
        time(many),
        peers.join("; ")
    );
    Ok(())
}
