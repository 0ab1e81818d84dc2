//! Explicit multiresolution beside implicit, and schemes that only it holds.

use heurt_map::multires::{ExplicitMap, ImplicitMap, MultiresError, Multiresolution, dual, sqrt3};
use heurt_map::{CombinatorialMap, Dart, Map2, Map3, Orbit, Orient, Walker};
use heurt_testkit::number::random::Random;

fn same_at_every_level<const D: usize>(implicit: &ImplicitMap<D>) {
    let mut explicit = ExplicitMap::<D>::new(&implicit.at(0)).unwrap();
    for level in 1..=implicit.finest() {
        explicit.push(&implicit.at(level)).unwrap();
    }
    assert_eq!(explicit.finest(), implicit.finest());
    for level in 0..=implicit.finest() {
        assert_eq!(explicit.live_count_at(level), implicit.live_count_at(level));
        for dart in implicit.map().live_darts() {
            assert_eq!(explicit.dart_level(dart), implicit.dart_level(dart));
            assert_eq!(explicit.phi1_at(dart, level), implicit.phi1_at(dart, level));
            assert_eq!(explicit.phi1_inv_at(dart, level), implicit.phi1_inv_at(dart, level));
            assert_eq!(explicit.phi2_at(dart, level), implicit.phi2_at(dart, level));
            assert_eq!(explicit.phi3_at(dart, level), implicit.phi3_at(dart, level));
            assert_eq!(explicit.is_boundary(dart), implicit.map().is_boundary(dart));
        }
    }
    // A vertex has the same darts at every level that it is of.
    let (mut one, mut other) = (Walker::new(), Walker::new());
    for dart in implicit.map().live_darts() {
        let level = implicit.dart_level(dart).unwrap();
        let mut whole = one.orbit(implicit.map(), Orbit::Vertex, dart).to_vec();
        let mut then = other.orbit(&implicit.at(level), Orbit::Vertex, dart).to_vec();
        whole.sort_unstable();
        then.sort_unstable();
        assert_eq!(whole, then);
    }
    // It leaves as it came.
    let finest = explicit.finest();
    for _ in 0..finest {
        assert!(explicit.pop());
    }
    assert!(!explicit.pop());
    assert_eq!(explicit.live_count_at(9), implicit.live_count_at(0));
    assert!(explicit.push(&implicit.at(1.min(finest))).is_ok());
}

#[test]
fn explicit_and_implicit_read_alike() {
    let mut random = Random::new(5);
    let mut flat = ImplicitMap::new(Map2::grid(3, 2).unwrap());
    let mut solid = ImplicitMap::new(Map3::hexahedral_grid([2, 1, 1]).unwrap());
    for _ in 0..40 {
        let dart = Dart(random.whole(0, flat.map().capacity() as i64 - 1) as u32);
        let _ = flat.refine(dart);
    }
    for _ in 0..6 {
        let dart = Dart(random.whole(0, 23) as u32);
        solid.refine(dart).unwrap();
    }
    same_at_every_level(&flat);
    same_at_every_level(&solid);
}

#[test]
fn dual_and_sqrt3_keep_the_surface() {
    let strip: [&[u32]; 3] = [&[0, 1, 2], &[1, 3, 4, 2], &[3, 5, 4]];
    let octahedron = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]];
    let maps = [
        Map2::from_polygons(6, strip, Orient::Keep).unwrap().map,
        Map2::from_polygons(6, octahedron, Orient::Keep).unwrap().map,
        Map2::grid(3, 4).unwrap(),
    ];
    for map in maps {
        for (scheme, is_dual) in [(dual as fn(&Map2) -> _, true), (sqrt3, false)] {
            let mut explicit = ExplicitMap::<2>::new(&map).unwrap();
            let mut fine = map.clone();
            for _ in 0..3 {
                let [vertices, edges, faces, _] = fine.cell_counts();
                let border = fine.live_darts().filter(|&dart| fine.is_boundary(dart)).count();
                fine = scheme(&fine).unwrap();
                assert_eq!(fine.validate(), []);
                assert_eq!(fine.euler_characteristic(), map.euler_characteristic());
                let inner = edges - border;
                let [new_vertices, new_edges, new_faces, _] = fine.cell_counts();
                if is_dual {
                    // Faces, inner edges and inner vertices become faces.
                    assert_eq!(new_faces, faces + inner + (vertices - border));
                } else {
                    assert_eq!(new_faces, 2 * inner + border);
                    assert_eq!([new_vertices, new_edges], [vertices + faces, 3 * inner + 2 * border]);
                }
                explicit.push(&fine).unwrap();
            }
            for level in 0..=explicit.finest() {
                assert_eq!(Map2::copy_of(&explicit.at(level)).validate(), []);
            }
            assert!((0..map.capacity() as u32).all(|dart| explicit.phi1_at(Dart(dart), 0) == map.phi1(Dart(dart))));
        }
    }
}

#[test]
fn a_level_has_all_darts_of_the_one_before() {
    let mut explicit = ExplicitMap::<2>::new(&Map2::grid(2, 1).unwrap()).unwrap();
    let error = explicit.push(&Map2::grid(1, 1).unwrap());
    assert!(matches!(error, Err(MultiresError::BoundaryMoved { .. } | MultiresError::DartMissing { .. })));
    assert_eq!(explicit.finest(), 0);
}
