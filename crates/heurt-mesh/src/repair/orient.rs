//! Consistent orientation by flooding over edges of two triangles, then closed shells outward.
//!
//! In: the incidences of a mesh, open or closed. Out: the mesh with some triangles reversed, or nothing if none has to
//! be.
//! Method: shells are flooded over edges with exactly two triangles. In each shell the orientation of the larger number
//! of triangles stays. Then closed shells that face inward and are no cavities are reversed; `check` finds them. A
//! closed shell in the box of an open one waits: it may be a cavity of it once its holes are filled.
//! Guarantees: no vertex moves; a shell that has no consistent orientation (a Möbius strip) stays as it is.
//! Not guaranteed: that open shells face outward: they have no inside yet. Cost: O(n log n), and that of `check`.

use heurt_geometry::Aabb;

use super::edit::{Change, Edit};
use crate::check::{CheckOptions, Fault, check_over};
use crate::{Topology, TriMesh};

/// Orients the shells of a mesh.
pub(super) fn orient(topology: &Topology) -> Option<Edit> {
    let mut turned = inconsistent(topology);
    let mut mesh = reversed(topology.mesh(), &turned);
    for triangle in inward_triangles(&Topology::new(&mesh)) {
        turned[triangle as usize] ^= true;
    }
    mesh = reversed(topology.mesh(), &turned);
    let triangles_turned = turned.iter().filter(|&&turned| turned).count();
    if triangles_turned == 0 {
        return None;
    }
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

/// For each side of each triangle, the triangle across an edge of two, and whether both agree on which side is out.
fn links(topology: &Topology) -> Vec<[Option<(u32, bool)>; 3]> {
    let mut links = vec![[None; 3]; topology.mesh().triangles().len()];
    for edge in topology.edges().filter(|edge| edge.degree() == 2) {
        let mut half_edges = edge.half_edges();
        if let (Some((first, is_forward)), Some((second, other_is_forward))) = (half_edges.next(), half_edges.next()) {
            let agrees = is_forward != other_is_forward;
            links[first as usize / 3][first as usize % 3] = Some((second / 3, agrees));
            links[second as usize / 3][second as usize % 3] = Some((first / 3, agrees));
        }
    }
    links
}

/// The triangles of the closed shells that face inward and are no cavities.
fn inward_triangles(topology: &Topology) -> Vec<u32> {
    let options = CheckOptions { self_intersections: false, ..CheckOptions::default() };
    let faults = check_over(topology, &options).faults;
    let mut firsts: Vec<u32> = faults
        .iter()
        .filter_map(|fault| match fault {
            Fault::InwardShell { triangle, .. } => Some(*triangle),
            _ => None,
        })
        .collect();
    if firsts.is_empty() {
        return Vec::new();
    }
    firsts.sort_unstable();
    let shells = topology.shells();
    let boxes = shell_boxes(topology.mesh(), &shells);
    let open_boxes = open_boxes(topology, &shells, &boxes);
    firsts.retain(|&first| {
        let Aabb { min, max } = boxes[first as usize];
        !open_boxes.iter().any(|open| open.contains(min) && open.contains(max))
    });
    (0..).zip(&shells).filter(|(_, first)| firsts.binary_search(first).is_ok()).map(|(triangle, _)| triangle).collect()
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
