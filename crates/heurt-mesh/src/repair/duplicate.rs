//! Removal of duplicate triangles by sorting their corners.
//!
//! In: the incidences of a mesh. Out: the mesh in which at most one triangle spans three given places, or nothing if
//! that holds already.
//! Method: triangles are sorted by their corners. If most triangles of a group of equal corners face one direction, the
//! first one of that direction stays. Else the group cancels. Groups that cancel and share edges form a region. A
//! region goes if it hangs on other triangles and its removal closes edges and opens none: it is a wall inside a body,
//! or a fin. Else one triangle of each group stays: the region is a surface drawn from both sides. An edge is open if
//! an odd number of distinct triangles meets it: a repeat closes no border.
//! Guarantees: no edge is opened.
//! Not guaranteed: which of two opposite triangles stays; a later step orients it.
//! Cost: O(n log n).

use heurt_geometry::Aabb;

use super::edit::Edit;
use crate::topology::DisjointSets;
use crate::{Topology, TriMesh};

/// The triangles on three corners.
struct Group<'a> {
    corners: [u32; 3],
    /// Their numbers behind the corners.
    triangles: &'a [([u32; 3], u32)],
    /// The place of the triangle that stays; `None` if the group cancels.
    kept: Option<usize>,
}

/// The effect of dropping a region instead of keeping one triangle of each of its groups.
#[derive(Debug, Clone, Copy, Default)]
struct DuplicateRegion {
    /// An edge is closed only if the region is kept.
    opens: bool,
    /// An edge is closed only if the region is dropped.
    closes: bool,
    /// Other triangles meet its edges.
    has_neighbours: bool,
}

impl DuplicateRegion {
    fn stays(&self) -> bool {
        self.opens || !self.closes || !self.has_neighbours
    }
}

/// Builds the mesh without repeated triangles; `None` if there are none.
pub(crate) fn without_repeats(topology: &Topology) -> Option<TriMesh> {
    drop_duplicates(topology).map(|edit| edit.mesh)
}

/// Removes duplicate triangles.
pub(super) fn drop_duplicates(topology: &Topology) -> Option<Edit> {
    let mesh = topology.mesh();
    let count = mesh.triangles().len() as u32;
    let mut sorted: Vec<([u32; 3], u32)> =
        (0..count).map(|triangle| (sorted_corners(topology, triangle), triangle)).collect();
    sorted.sort_unstable();
    if sorted.windows(2).all(|pair| pair[0].0 != pair[1].0) {
        return None;
    }
    let groups: Vec<Group> = groups(topology, &sorted);
    let (region_of, regions) = regions(&groups);
    let mut drops = vec![false; count as usize];
    let mut two_sided = Aabb::EMPTY;
    let centre = mesh.bounds().centre();
    let mut surplus = 0.0;
    for (number, group) in groups.iter().enumerate().filter(|(_, group)| group.triangles.len() > 1) {
        let region = &regions[region_of[number] as usize];
        let kept = group.kept.or_else(|| region.stays().then_some(0));
        for (place, &(_, triangle)) in group.triangles.iter().enumerate() {
            drops[triangle as usize] = Some(place) != kept;
            if group.kept.is_some() && Some(place) != kept {
                let [a, b, c] = mesh.corners(triangle).map(|corner| corner - centre);
                surplus += a.dot(b.cross(c)) / 6.0;
            }
        }
        if group.kept.is_none() && kept.is_some() && !region.has_neighbours {
            two_sided = two_sided.union(Aabb::from_points(mesh.corners(group.triangles[0].1)));
        }
    }
    let mut edit = Edit::filtered(mesh, |triangle| !drops[triangle as usize])?;
    // The repeats of a closed surface add its volume again. If the mesh is closed before and after, they are closed,
    // and this is exactly the change.
    edit.change.volume_bound = surplus.abs();
    if !two_sided.is_empty() {
        // Two sides of a surface together enclose nothing; one side does.
        edit.change.volume_bound += (two_sided.max - two_sided.min).to_array().iter().product::<f64>();
    }
    Some(edit)
}

/// The groups of proper triangles; collapsed ones have no orientation, and another step drops them.
fn groups<'a>(topology: &Topology, sorted: &'a [([u32; 3], u32)]) -> Vec<Group<'a>> {
    let proper = sorted.chunk_by(|a, b| a.0 == b.0).filter(|group| {
        let [a, b, c] = group[0].0;
        a != b && b != c
    });
    proper
        .map(|triangles| {
            let is_even: Vec<bool> = triangles.iter().map(|&(_, triangle)| is_even(topology, triangle)).collect();
            let even = is_even.iter().filter(|&&is_even| is_even).count();
            let has_majority = 2 * even != triangles.len();
            let majority = 2 * even > triangles.len();
            let kept = has_majority.then(|| is_even.iter().position(|&is_even| is_even == majority)).flatten();
            Group { corners: triangles[0].0, triangles, kept }
        })
        .collect()
}

/// By group the number of its region, and by number the regions of groups that cancel.
fn regions(groups: &[Group]) -> (Vec<u32>, Vec<DuplicateRegion>) {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * groups.len());
    for (number, group) in (0..).zip(groups) {
        let [a, b, c] = group.corners;
        sides.extend([[a, b], [b, c], [a, c]].map(|side| (side, number)));
    }
    sides.sort_unstable();
    let cancels = |number: u32| groups[number as usize].kept.is_none();
    let mut sets = DisjointSets::new(groups.len());
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let mut cancelling = edge.iter().map(|&(_, number)| number).filter(|&number| cancels(number));
        if let Some(first) = cancelling.next() {
            cancelling.for_each(|other| sets.unite(first, other));
        }
    }
    let mut regions = vec![DuplicateRegion::default(); groups.len()];
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let cancelling = edge.iter().filter(|&&(_, number)| cancels(number)).count();
        let Some(&(_, first)) = edge.iter().find(|&&(_, number)| cancels(number)) else { continue };
        let others = edge.len() - cancelling;
        let region = &mut regions[sets.find(first) as usize];
        let (is_open_if_kept, is_open_if_dropped) = (edge.len() % 2 == 1, others % 2 == 1);
        region.opens |= is_open_if_dropped && !is_open_if_kept;
        region.closes |= is_open_if_kept && !is_open_if_dropped;
        region.has_neighbours |= others > 0;
    }
    ((0..groups.len() as u32).map(|number| sets.find(number)).collect(), regions)
}

fn sorted_corners(topology: &Topology, triangle: u32) -> [u32; 3] {
    let mut corners = topology.corners(triangle);
    corners.sort_unstable();
    corners
}

/// Reports whether the corners run upward, up to rotation.
fn is_even(topology: &Topology, triangle: u32) -> bool {
    let [a, b, c] = topology.corners(triangle);
    [a < b, b < c, c < a].into_iter().filter(|&ascends| ascends).count() == 2
}
