//! Rings of multipolygon relations: `way`s joined at their ends.
//!
//! In: the `way`s of a relation, as lists of nodes. Out: closed rings of nodes, and the ends that stay open.
//! Method: a ring begins with the first unused piece and is extended by an unused piece that shares its end, in the
//! given order. Guarantees: each piece is used once; the result does not depend on the direction of pieces.
//! Not guaranteed: rings that touch in a node may be joined into one. Cost: O(nodes).

use std::collections::HashMap;

/// The rings of a relation.
#[derive(Default)]
pub(super) struct OsmRings {
    /// Closed rings; the last node repeats the first.
    pub(super) closed: Vec<Vec<i64>>,
    /// The first node of each piece that does not close.
    pub(super) open: Vec<i64>,
}

/// Joins pieces into rings.
pub(super) fn join(pieces: &[&[i64]]) -> OsmRings {
    let mut by_end: HashMap<i64, Vec<usize>> = HashMap::new();
    for (number, piece) in pieces.iter().enumerate().rev() {
        if let [first, .., last] = piece {
            by_end.entry(*first).or_default().push(number);
            by_end.entry(*last).or_default().push(number);
        }
    }
    let (mut is_used, mut rings) = (vec![false; pieces.len()], OsmRings::default());
    for (number, piece) in pieces.iter().enumerate() {
        if is_used[number] || piece.len() < 2 {
            continue;
        }
        is_used[number] = true;
        let mut ring = piece.to_vec();
        while let (Some(&first), Some(&last)) = (ring.first(), ring.last())
            && first != last
        {
            let candidates = by_end.entry(last).or_default();
            while candidates.last().is_some_and(|&candidate| is_used[candidate]) {
                candidates.pop();
            }
            let Some(candidate) = candidates.pop() else { break };
            is_used[candidate] = true;
            let next = pieces[candidate];
            match next.first() == Some(&last) {
                true => ring.extend(&next[1..]),
                false => ring.extend(next.iter().rev().skip(1)),
            }
        }
        match ring.first() == ring.last() {
            true if ring.len() > 3 => rings.closed.push(ring),
            true => {}
            false => rings.open.push(ring[0]),
        }
    }
    rings
}
