//! Fillings and checks within a budget.

use super::MAX_DYNAMIC_EDGES;
use super::budget::RepairWork;
use super::fill::{FillLimits, fill_holes};
use crate::{Topology, TriMesh, generate};

#[test]
fn a_hole_too_long_for_a_dynamic_program_within_the_work_is_closed_by_ears() {
    let (mut vertices, triangles) = generate::cylinder(1.0, 2.0, 250).unwrap().into_parts();
    for (number, vertex) in vertices.iter_mut().filter(|vertex| vertex.z > 0.5).enumerate() {
        vertex.z += 0.01 * (number % 5) as f64;
    }
    let wavy = TriMesh::new(vertices, triangles).unwrap();
    let is_cap = |number: u32| wavy.corners(number).iter().all(|corner| corner.z > 0.5);
    let kept = (0..).zip(wavy.triangles()).filter(|&(number, _)| !is_cap(number)).map(|(_, corners)| *corners);
    let open = TriMesh::new(wavy.vertices().to_vec(), kept.collect()).unwrap();
    // Two dynamic programs take 40,690 units, and may take half of what is left.
    let work = RepairWork::of_units(80_000);
    assert!(!work.allows_splits(2 * 250u64.pow(3) / 6));
    let limits = FillLimits { tolerance: 1e-6, max_edges: 10_000, max_dynamic: MAX_DYNAMIC_EDGES, work: &work };
    let filled = fill_holes(&Topology::new(&open), &limits);
    assert!(filled.unfilled.is_empty() && !work.has_refused(), "{:?}", filled.unfilled);
    assert_eq!(filled.edit.unwrap().change.triangles_added, 248);
}

#[test]
fn the_tests_of_pairs_add_a_bounded_number_of_units() {
    let left = |tests| RepairWork::new(300, tests).start_check(0);
    assert_eq!(left(1_000) - left(0), 8_000);
    assert_eq!(left(u64::MAX), left(1 << 20));
}
