//! Search for sets of faces in which each edge is in exactly two faces.
//!
//! In: possible faces of a wireframe, and limits. Out: the sets, each as ascending indices of faces.
//! Method: backtracking with propagation. An edge with two chosen faces excludes its other faces; an edge with two
//! faces left takes both; a chosen face excludes the faces that it crosses. As no edge enters a possible face, two
//! faces cross only along a segment between two common vertices, whose midpoint is inside of both.
//! Guarantees: all sets, in a fixed order. No function recurses.
//! Cost: exponential at worst; [`WireLimits::steps`] bounds it.

use super::faces::PossibleFace;
use super::{WireError, Wireframe};
use std::collections::BTreeMap;

/// Limits of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireLimits {
    /// The largest number of choices of a face.
    pub steps: u64,
    /// The largest number of solids.
    pub solids: usize,
}

impl Default for WireLimits {
    fn default() -> Self {
        Self { steps: 1 << 20, solids: 1 << 10 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Open,
    Chosen,
    Excluded,
}

struct Problem {
    /// The faces of each edge.
    faces_of: Vec<Vec<usize>>,
    /// The edges of each face.
    edges_of: Vec<Vec<usize>>,
    /// The faces that each face crosses.
    crossed: Vec<Vec<usize>>,
}

/// Finds all sets of faces.
pub(super) fn search(
    wireframe: &Wireframe,
    faces: &[PossibleFace],
    limits: WireLimits,
) -> Result<Vec<Vec<usize>>, WireError> {
    let problem = Problem::new(wireframe, faces);
    let mut found = Vec::new();
    let all_edges: Vec<usize> = (0..problem.faces_of.len()).collect();
    let mut start = vec![Choice::Open; faces.len()];
    if all_edges.is_empty() || !problem.propagate(&mut start, all_edges) {
        return Ok(found);
    }
    let mut stack = vec![start];
    let mut steps = 0;
    while let Some(choices) = stack.pop() {
        let Some(face) = problem.next_face(&choices) else {
            if found.len() == limits.solids {
                return Err(WireError::TooManySolids { limit: limits.solids });
            }
            found.push((0..faces.len()).filter(|&face| choices[face] == Choice::Chosen).collect());
            continue;
        };
        steps += 1;
        if steps > limits.steps {
            return Err(WireError::Steps { steps: limits.steps });
        }
        for choice in [Choice::Excluded, Choice::Chosen] {
            let mut branch = choices.clone();
            if problem.set(&mut branch, face, choice).is_some_and(|edges| problem.propagate(&mut branch, edges)) {
                stack.push(branch);
            }
        }
    }
    Ok(found)
}

impl Problem {
    fn new(wireframe: &Wireframe, faces: &[PossibleFace]) -> Self {
        let index_of: BTreeMap<[u32; 2], usize> =
            wireframe.edges.iter().enumerate().map(|(index, &[a, b])| ([a.min(b), a.max(b)], index)).collect();
        let edges_of: Vec<Vec<usize>> = faces
            .iter()
            .map(|face| {
                let next = face.cycle.iter().cycle().skip(1);
                face.cycle.iter().zip(next).map(|(&a, &b)| index_of[&[a.min(b), a.max(b)]]).collect()
            })
            .collect();
        let mut faces_of = vec![Vec::new(); wireframe.edges.len()];
        for (face, edges) in edges_of.iter().enumerate() {
            edges.iter().for_each(|&edge| faces_of[edge].push(face));
        }
        let crossed = (0..faces.len())
            .map(|a| (0..faces.len()).filter(|&b| a != b && cross(wireframe, &faces[a], &faces[b])).collect())
            .collect();
        Self { faces_of, edges_of, crossed }
    }

    /// Returns an open face of the edge with the fewest open faces, or `None` if all is decided.
    fn next_face(&self, choices: &[Choice]) -> Option<usize> {
        let open = |edge: &Vec<usize>| edge.iter().filter(|&&face| choices[face] == Choice::Open).count();
        let edge = self.faces_of.iter().filter(|edge| open(edge) > 0).min_by_key(|edge| open(edge))?;
        edge.iter().copied().find(|&face| choices[face] == Choice::Open)
    }

    /// Decides a face and returns the edges to visit; `None` if it was decided otherwise.
    fn set(&self, choices: &mut [Choice], face: usize, choice: Choice) -> Option<Vec<usize>> {
        if choices[face] == choice {
            return Some(Vec::new());
        }
        if choices[face] != Choice::Open {
            return None;
        }
        choices[face] = choice;
        let mut edges = self.edges_of[face].clone();
        if choice == Choice::Chosen {
            for &other in &self.crossed[face] {
                match choices[other] {
                    Choice::Chosen => return None,
                    Choice::Excluded => {}
                    Choice::Open => {
                        choices[other] = Choice::Excluded;
                        edges.extend(&self.edges_of[other]);
                    }
                }
            }
        }
        Some(edges)
    }

    /// Decides what follows at `edges`. Returns `false` on a contradiction.
    fn propagate(&self, choices: &mut [Choice], mut edges: Vec<usize>) -> bool {
        while let Some(edge) = edges.pop() {
            let count = |choice| self.faces_of[edge].iter().filter(|&&face| choices[face] == choice).count();
            let (chosen, open) = (count(Choice::Chosen), count(Choice::Open));
            let forced = match (chosen, open) {
                _ if chosen > 2 || chosen + open < 2 => return false,
                (_, 0) => continue,
                (2, _) => Choice::Excluded,
                _ if chosen + open == 2 => Choice::Chosen,
                _ => continue,
            };
            for &face in &self.faces_of[edge] {
                if choices[face] == Choice::Open {
                    match self.set(choices, face, forced) {
                        Some(more) => edges.extend(more),
                        None => return false,
                    }
                }
            }
        }
        true
    }
}

/// Reports whether the interiors of two faces meet.
fn cross(wireframe: &Wireframe, a: &PossibleFace, b: &PossibleFace) -> bool {
    let common: Vec<u32> = a.cycle.iter().copied().filter(|vertex| b.cycle.contains(vertex)).collect();
    common.iter().enumerate().any(|(index, &p)| {
        common[..index].iter().any(|&q| {
            let middle = (wireframe.at(p) + wireframe.at(q)) * 0.5;
            let is_inside = |face: &PossibleFace| face.plane_has(wireframe, middle) && face.contains(wireframe, middle);
            is_inside(a) && is_inside(b)
        })
    })
}
