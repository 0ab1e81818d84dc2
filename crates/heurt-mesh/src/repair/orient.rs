//! Consistent orientation by flooding over edges of two triangles, then closed shells outward.
//!
//! In: the incidences of a mesh, open or closed. Out: the mesh with some triangles reversed, or nothing if none has to
//! be.
//! Method: shells are flooded over edges with exactly two triangles; in each shell the orientation of the larger number
//! of triangles stays. A planar hole inside another one of the same plane must run in the opposite direction, as the
//! two borders of a missing ring do; shells are turned until it does, again as few triangles as possible. Then
//! [`solidify`] orients closed shells at edges of more triangles, and turns those outward that are inside out relative
//! to what they bound. A closed shell in the box of an open one is not turned as a whole: it may be a cavity of it once
//! its holes are filled.
//! Guarantees: no vertex moves; a shell that has no consistent orientation (a Möbius strip) stays as it is.
//! Not guaranteed: that open shells face outward: they have no inside yet. Cost: O(n log n), and the cost of
//! [`solidify`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use heurt_geometry::Aabb;

use super::edit::{Change, Edit};
use super::fill::{loops, planar};
use crate::topology::previous_in_triangle;
use crate::tree_query::BoxTree;
use crate::{Topology, TriMesh, Weld, solidify};

/// Orients the shells of a mesh.
pub(super) fn orient(topology: &Topology, tolerance: f64) -> Option<Edit> {
    let mut turned = inconsistent(topology);
    let mut consistent = reversed(topology.mesh(), &turned);
    let reversible = nested_in_same_direction(&Topology::new(&consistent), tolerance);
    if !reversible.is_empty() {
        reversible.into_iter().for_each(|triangle| turned[triangle as usize] ^= true);
        consistent = reversed(topology.mesh(), &turned);
    }
    for triangle in turned_outward(&Topology::new(&consistent)) {
        turned[triangle as usize] ^= true;
    }
    let triangles_turned = turned.iter().filter(|&&turned| turned).count();
    if triangles_turned == 0 {
        return None;
    }
    let mesh = reversed(topology.mesh(), &turned);
    let source = (0..mesh.triangles().len() as u32).collect();
    Some(Edit { mesh, source, change: Change { triangles_turned, ..Change::default() } })
}

fn reversed(mesh: &TriMesh, turned: &[bool]) -> TriMesh {
    let corners = mesh.triangles().iter().zip(turned);
    let triangles = corners.map(|(&[a, b, c], &turned)| if turned { [a, c, b] } else { [a, b, c] }).collect();
    TriMesh::from_valid(mesh.vertices().to_vec(), triangles)
}

/// The triangles to reverse so that the two triangles of an edge agree.
fn inconsistent(topology: &Topology) -> Vec<bool> {
    let count = topology.mesh().triangles().len();
    let links = links(topology);
    let mut is_reached = vec![false; count];
    let mut turned = vec![false; count];
    for first in 0..count as u32 {
        if is_reached[first as usize] {
            continue;
        }
        is_reached[first as usize] = true;
        let mut shell = vec![first];
        let mut next = 0;
        while next < shell.len() {
            let triangle = shell[next];
            next += 1;
            for &(other, agrees) in links[triangle as usize].iter().flatten() {
                if !is_reached[other as usize] {
                    is_reached[other as usize] = true;
                    turned[other as usize] = turned[triangle as usize] ^ !agrees;
                    shell.push(other);
                }
            }
        }
        let is_satisfied = |&triangle: &u32| {
            let own = turned[triangle as usize];
            links[triangle as usize].iter().flatten().all(|&(other, agrees)| (turned[other as usize] == own) == agrees)
        };
        let reversals = shell.iter().filter(|&&triangle| turned[triangle as usize]).count();
        if !shell.iter().all(is_satisfied) {
            shell.iter().for_each(|&triangle| turned[triangle as usize] = false);
        } else if 2 * reversals > shell.len() {
            shell.iter().for_each(|&triangle| turned[triangle as usize] ^= true);
        }
    }
    turned
}

/// The triangles to reverse so that a planar hole inside another one runs in the opposite direction.
fn nested_in_same_direction(topology: &Topology, tolerance: f64) -> Vec<u32> {
    let borders = loops::borders(topology);
    let nested = planar::nested(&borders.cycles, topology.mesh().vertices(), tolerance);
    if !nested.iter().any(|pair| pair.agree) {
        return Vec::new();
    }
    let shells = topology.shells();
    let mut sizes = vec![0usize; shells.len()];
    shells.iter().for_each(|&first| sizes[first as usize] += 1);
    let shell_of = |cycle: usize| -> Option<u32> {
        let vertices = &borders.cycles[cycle];
        let triangle = topology.edge_between(vertices[0], vertices[1])?.triangles().next()?;
        Some(shells[triangle as usize])
    };
    // Two shells are related: equal directions are wrong, opposite ones right.
    let mut related: BTreeMap<u32, Vec<(u32, bool)>> = BTreeMap::new();
    for pair in &nested {
        if let (Some(inner), Some(outer)) = (shell_of(pair.inner), shell_of(pair.outer)) {
            related.entry(inner).or_default().push((outer, pair.agree));
            related.entry(outer).or_default().push((inner, pair.agree));
        }
    }
    let mut turns: BTreeMap<u32, bool> = BTreeMap::new();
    for &first in related.keys() {
        if turns.contains_key(&first) {
            continue;
        }
        let mut group = vec![first];
        turns.insert(first, false);
        let mut next = 0;
        while next < group.len() {
            let (shell, own) = (group[next], turns[&group[next]]);
            next += 1;
            for &(other, agree) in &related[&shell] {
                if let Entry::Vacant(entry) = turns.entry(other) {
                    entry.insert(own ^ agree);
                    group.push(other);
                }
            }
        }
        let is_satisfied =
            |shell: &u32| related[shell].iter().all(|(other, agree)| turns[other] ^ turns[shell] == *agree);
        let is_possible = group.iter().all(is_satisfied);
        let [turned, all] = [true, false].map(|only_turned| -> usize {
            group.iter().filter(|shell| turns[shell] || !only_turned).map(|&shell| sizes[shell as usize]).sum()
        });
        let flips = 2 * turned > all;
        for shell in group {
            turns.entry(shell).and_modify(|turns| *turns = is_possible && *turns != flips);
        }
    }
    let turns = |first: &u32| turns.get(first).copied().unwrap_or(false);
    (0..).zip(&shells).filter(|(_, first)| turns(first)).map(|(triangle, _)| triangle).collect()
}

/// For each side of each triangle, the triangle across an edge of two, and whether both agree on which side is out.
fn links(topology: &Topology) -> Vec<[Option<(u32, bool)>; 3]> {
    let mut links = vec![[None; 3]; topology.mesh().triangles().len()];
    for edge in topology.edges().filter(|edge| edge.degree() == 2) {
        let mut half_edges = edge.half_edges();
        if let (Some((first, is_forward)), Some((second, other_is_forward))) = (half_edges.next(), half_edges.next()) {
            // A triangle and its repeat meet in all their edges, but do not continue each other.
            if topology.origin(previous_in_triangle(first)) == topology.origin(previous_in_triangle(second)) {
                continue;
            }
            let agrees = is_forward != other_is_forward;
            links[first as usize / 3][first as usize % 3] = Some((second / 3, agrees));
            links[second as usize / 3][second as usize % 3] = Some((first / 3, agrees));
        }
    }
    links
}

/// The triangles that [`solidify`] reverses, without shells that would turn as a whole in the box of an open shell.
fn turned_outward(topology: &Topology) -> Vec<u32> {
    let mesh = topology.mesh();
    let Ok(solidified) = solidify(mesh.clone(), Weld::None) else { return Vec::new() };
    if solidified.turned.triangles == 0 {
        return Vec::new();
    }
    let pairs = mesh.triangles().iter().zip(solidified.mesh.triangles());
    let is_turned: Vec<bool> = pairs.map(|(old, new)| old != new).collect();
    let shells = topology.shells();
    let boxes = shell_boxes(mesh, &shells);
    let open_boxes = open_boxes(topology, &shells, &boxes);
    let tree = BoxTree::new(open_boxes.clone());
    let mut turns_as_a_whole = vec![true; shells.len()];
    for (triangle, &first) in shells.iter().enumerate() {
        turns_as_a_whole[first as usize] &= is_turned[triangle];
    }
    let may_be_cavity = |first: u32| {
        let Aabb { min, max } = boxes[first as usize];
        let mut near = Vec::new();
        tree.meeting(&boxes[first as usize], &mut near);
        let mut open = near.iter().map(|&number| &open_boxes[number as usize]);
        turns_as_a_whole[first as usize] && open.any(|open| open.contains(min) && open.contains(max))
    };
    let firsts = (0..).zip(&shells).filter(|&(triangle, &first): &(u32, _)| triangle == first);
    let mut stays = vec![false; shells.len()];
    firsts.for_each(|(first, _)| stays[first as usize] = may_be_cavity(first));
    let turned = (0..).zip(&shells).filter(|&(triangle, _): &(u32, _)| is_turned[triangle as usize]);
    turned.filter(|&(_, &first)| !stays[first as usize]).map(|(triangle, _)| triangle).collect()
}

/// By first triangle of a shell, the box of the shell.
fn shell_boxes(mesh: &TriMesh, shells: &[u32]) -> Vec<Aabb> {
    let mut boxes = vec![Aabb::EMPTY; shells.len()];
    for (triangle, &first) in (0..).zip(shells) {
        let bounds = &mut boxes[first as usize];
        *bounds = bounds.union(Aabb::from_points(mesh.corners(triangle)));
    }
    boxes
}

/// The boxes of the shells with a border.
fn open_boxes(topology: &Topology, shells: &[u32], boxes: &[Aabb]) -> Vec<Aabb> {
    let odd = topology.edges().filter(|edge| edge.degree() % 2 == 1);
    let mut open: Vec<u32> = odd.map(|edge| shells[edge.first().0 as usize / 3]).collect();
    open.sort_unstable();
    open.dedup();
    open.into_iter().map(|first| boxes[first as usize]).collect()
}
