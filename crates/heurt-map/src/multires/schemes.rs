//! Refinement schemes that are not primal, for comparison: the dual scheme of Doo and Sabin, and √3.
//!
//! In: a map of faces. Out: the map one level finer, with all darts of the first and new ones. Topology only: old darts
//! start at other vertices there, which is why implicit multiresolution cannot hold these schemes (S4 §3.2.2), and
//! explicit can.
//! Method: S4 §3.2 (fig. 3.8 B). Dual: faces shrink, each inner edge becomes a quad, each inner vertex a face of as
//! many edges as met there; at the border, quads end. √3 (Kobbelt): a vertex in each face, joined to its corners; then
//! inner edges are turned to join the new vertices. Cost: O(darts).

use crate::{CombinatorialMap, Dart, EditError, Map, Map2};

/// Copies a map after checking room for `more` times the darts.
fn copy(map: &Map2, more: usize) -> Result<Map2, EditError> {
    map.check_room(map.live_count().saturating_mul(more))?;
    Ok(Map::copy_of(map))
}

/// Refines by the dual scheme: old faces keep their edges, edges become quads, vertices become faces.
///
/// # Errors
/// [`EditError::TooLarge`].
pub fn dual(map: &Map2) -> Result<Map2, EditError> {
    let mut fine = copy(map, 3)?;
    let is_inner = |dart: Dart| !map.is_boundary(dart) && !map.is_boundary(map.phi2(dart));
    // For each dart of an inner edge: its φ2, the side of the quad at its start, and the dart beyond that side.
    let mut new: Vec<[Dart; 3]> = vec![[Dart(0); 3]; map.capacity()];
    for dart in map.live_darts().filter(|&dart| is_inner(dart)) {
        let beyond = map.touches_boundary(crate::Orbit::Vertex, dart);
        new[dart.index()] = [fine.new_dart(false), fine.new_dart(false), fine.new_dart(beyond)];
    }
    for dart in map.live_darts() {
        // The next corner around the start of the dart, or out along the border.
        let turned = map.phi2(map.phi1_inv(dart));
        let after = if map.is_boundary(turned) { turned } else { new[turned.index()][2] };
        if is_inner(dart) {
            let other = map.phi2(dart);
            let ([edge, side, corner], [other_edge, ..]) = (new[dart.index()], new[other.index()]);
            fine.link1(edge, side);
            fine.link1(side, other_edge);
            fine.link2(dart, edge);
            fine.link2(side, corner);
            fine.link1(corner, after);
        } else if !map.is_boundary(dart) {
            fine.link1(map.phi2(dart), after);
        }
    }
    Ok(fine)
}

/// Refines by the √3 scheme; faces of any number of edges become triangles.
///
/// # Errors
/// [`EditError::TooLarge`].
pub fn sqrt3(map: &Map2) -> Result<Map2, EditError> {
    let mut fine = copy(map, 2)?;
    // For each dart: from its end to the centre, and from the centre to its start.
    let mut new: Vec<[Dart; 2]> = vec![[Dart(0); 2]; map.capacity()];
    let inner = || map.live_darts().filter(|&dart| !map.is_boundary(dart));
    for dart in inner() {
        new[dart.index()] = [fine.new_dart(false), fine.new_dart(false)];
    }
    for dart in inner() {
        let other = map.phi2(dart);
        let [to, from] = new[dart.index()];
        fine.link2(to, new[map.phi1(dart).index()][1]);
        let to = if map.is_boundary(other) { to } else { new[other.index()][0] };
        if map.is_boundary(other) {
            fine.link1(dart, to);
            fine.link1(to, from);
            fine.link1(from, dart);
        } else {
            // The edge is turned: it runs from the centre of the neighbouring face to the centre of its own face.
            fine.link1(dart, from);
            fine.link1(from, to);
            fine.link1(to, dart);
        }
    }
    Ok(fine)
}
