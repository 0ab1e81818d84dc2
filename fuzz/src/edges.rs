//! What must hold for any bytes of edges in OBJ.

use crate::{MEMORY, Target, check_costs, checked_kind};
use heurt_io::read_edges_obj;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Instant;

/// Reads bytes, and checks that vertices and edges are distinct, have their sources, and read back from OBJ.
pub fn outcome(bytes: &[u8]) -> String {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let answer = read_edges_obj(bytes);
    check_costs(Target::Edges, bytes.len(), before, start);
    let found = match answer {
        Ok(found) => found,
        Err(error) => return checked_kind(&error),
    };
    let lines = bytes.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count() as u64 + 1;
    assert!(found.sources.iter().all(|source| (1..=lines).contains(&source.line)));
    assert_eq!((found.sources.len(), found.vertex_numbers.len()), (found.edges.len(), found.vertices.len()));
    let count = found.vertices.len() as u32;
    assert!(found.edges.iter().all(|&[a, b]| a < b && b < count), "an edge has two vertices");
    assert!(found.vertices.iter().all(|vertex| vertex.is_finite()));
    let distinct: BTreeSet<[u32; 2]> = found.edges.iter().copied().collect();
    assert_eq!(distinct.len(), found.edges.len(), "an edge is once in the list");
    let mut text = String::new();
    for vertex in &found.vertices {
        writeln!(text, "v {} {} {}", vertex.x, vertex.y, vertex.z).expect("text takes any line");
    }
    for [a, b] in &found.edges {
        writeln!(text, "l {} {}", a + 1, b + 1).expect("text takes any line");
    }
    let again = read_edges_obj(text.as_bytes()).expect("what is written can be read");
    assert_eq!((again.vertices, again.edges.len()), (found.vertices, found.edges.len()), "what is written reads back");
    format!("{} edges", found.edges.len())
}
