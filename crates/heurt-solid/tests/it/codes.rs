//! Codes of octrees: the solid of slide 48, round trips, hostile texts.

use crate::grid::Grid;
use heurt_solid::{CodeError, LevelCount, LinearOctree, Octree, OctreeCell, OctreeRoot};
use heurt_testkit::number::random::Random;

const LINEAR: &str = "{0X, 10, 11, 12, 13, 14, 15, 30, 31, 33, 34, 35, 36, 37, 4X, 5X, 6X, 7X}";
const DEPTH_FIRST: &str = "(R(RRRRRRVVV(RRVRRRRRRRRR";

fn root(depth: u8) -> OctreeRoot {
    OctreeRoot::new([0.0; 3].into(), 1.0, depth).unwrap()
}

#[test]
fn both_codes_of_slide_48_are_one_solid() {
    let solid = Octree::from_depth_first_code(root(2), DEPTH_FIRST).unwrap();
    let linear = LinearOctree::parse(root(2), LINEAR).unwrap();
    assert_eq!(linear.to_octree().unwrap(), solid);
    assert_eq!(LinearOctree::from_octree(&solid).unwrap(), linear);
    assert_eq!((linear.to_string(), solid.to_depth_first_code()), (LINEAR.to_owned(), DEPTH_FIRST.to_owned()));
    let measures = solid.measures();
    assert_eq!(measures.nodes(), LevelCount { empty: 4, full: 18, mixed_leaf: 0, branch: 3 });
    assert_eq!(measures.nodes().total(), 25);
    assert_eq!(measures.levels.iter().map(LevelCount::total).collect::<Vec<_>>(), [1, 8, 16]);
    assert_eq!((measures.full_cells, measures.volume), (53, [53.0 / 64.0; 2]));
    assert_eq!((measures.surface_faces, measures.surface), (104, 6.5));
    assert!(measures.has_non_manifold_edge());
}

#[test]
fn random_octrees_round_trip() {
    let mut random = Random::new(4);
    for round in 0..300_u32 {
        let octree = Grid::random(&mut random, (round % 5) as u8, round % 2 == 1).octree();
        let root = octree.root();
        assert_eq!(Octree::from_depth_first_code(root, &octree.to_depth_first_code()).unwrap(), octree);
        match LinearOctree::from_octree(&octree) {
            Err(error) => assert!(octree.has_mixed_leaves() && matches!(error, CodeError::MixedLeaves { .. })),
            Ok(linear) => {
                assert_eq!(linear.to_octree().unwrap(), octree);
                assert_eq!(LinearOctree::parse(root, &linear.to_string()).unwrap(), linear);
            }
        }
    }
}

#[test]
fn linear_octrees_find_their_cells() {
    let mut random = Random::new(5);
    for _ in 0..40 {
        let grid = Grid::random(&mut random, 3, false);
        let linear = LinearOctree::from_octree(&grid.octree()).unwrap();
        for level in 0..=3 {
            let size = 8u32 >> level;
            for k in 0..8u32.pow(u32::from(level)) {
                let side = 1 << level;
                let min = [k % side * size, k / side % side * size, k / side / side * size];
                let cells = (0..size.pow(3)).map(|k| [k % size, k / size % size, k / size / size]);
                let is_full = |at: [u32; 3]| grid.at([0, 1, 2].map(|k| i64::from(min[k] + at[k])));
                let expected = cells.map(is_full).all(|leaf| leaf == heurt_solid::Node::Full);
                assert_eq!(linear.contains(&OctreeCell { min, level }), expected);
            }
        }
        assert!(!linear.contains(&OctreeCell { min: [8, 0, 0], level: 3 }));
        assert!(!linear.contains(&OctreeCell { min: [0; 3], level: 9 }));
    }
}

#[test]
fn equal_siblings_merge_when_read() {
    let full = Octree::full(root(2));
    assert_eq!(Octree::from_depth_first_code(root(2), "(1111(11111111 111").unwrap(), full);
    let codes: Vec<String> = (0..64).map(|k| format!("{}{}", k / 8, k % 8)).collect();
    let linear = LinearOctree::parse(root(2), &format!("{{{}}}", codes.join(","))).unwrap();
    assert_eq!((linear.to_string().as_str(), linear.to_octree().unwrap()), ("{X}", full));
    assert_eq!(LinearOctree::parse(root(0), " { X } ").unwrap().codes().len(), 1);
    assert_eq!(LinearOctree::parse(root(3), "{}").unwrap().to_octree().unwrap(), Octree::empty(root(3)));
}

#[test]
fn malformed_depth_first_codes_name_their_byte() {
    let error = |text| Octree::from_depth_first_code(root(1), text).unwrap_err();
    assert!(matches!(error(""), CodeError::UnexpectedEnd { position: 0, .. }));
    assert!(matches!(error("(RRR"), CodeError::UnexpectedEnd { position: 4, .. }));
    assert!(matches!(error("RV"), CodeError::Trailing { position: 1 }));
    assert!(matches!(error("(R("), CodeError::TooDeep { position: 2, depth: 1 }));
    assert!(matches!(error(" M"), CodeError::MixedAbove { position: 1, level: 0, depth: 1 }));
    assert!(matches!(error("(é"), CodeError::UnknownCharacter { position: 1, found: 'é', .. }));
    assert!(matches!(error(&"(".repeat(1_000_000)), CodeError::TooDeep { position: 1, .. }));
}

#[test]
fn malformed_linear_codes_name_their_byte() {
    let error = |text| LinearOctree::parse(root(2), text).unwrap_err();
    assert!(matches!(error(""), CodeError::UnexpectedEnd { position: 0, .. }));
    assert!(matches!(error("0X"), CodeError::UnknownCharacter { position: 0, found: '0', .. }));
    assert!(matches!(error("{0X"), CodeError::UnexpectedEnd { position: 3, .. }));
    assert!(matches!(error("{0X,"), CodeError::UnexpectedEnd { position: 4, .. }));
    assert!(matches!(error("{0}"), CodeError::UnknownCharacter { position: 2, found: '}', .. }));
    assert!(matches!(error("{00X}"), CodeError::UnknownCharacter { position: 3, found: 'X', .. }));
    assert!(matches!(error("{8X}"), CodeError::UnknownCharacter { position: 1, found: '8', .. }));
    assert!(matches!(error("{000}"), CodeError::TooDeep { position: 3, depth: 2 }));
    assert!(matches!(error("{1X, 0X}"), CodeError::NotAscending { position: 5 }));
    assert!(matches!(error("{0X, 07}"), CodeError::NotAscending { position: 5 }));
    assert!(matches!(error("{07, 0X}"), CodeError::NotAscending { position: 5 }));
    assert!(matches!(error("{0X} {"), CodeError::Trailing { position: 5 }));
}

#[test]
fn random_texts_are_read_or_refused() {
    let mut random = Random::new(6);
    let letters: Vec<char> = "((((RV01MXx01234567,,, {}é\n".chars().collect();
    for round in 0..50_000 {
        let depth = (round % 22) as u8;
        let length = random.whole(0, 40);
        let mut pick = || letters[random.whole(0, letters.len() as i64 - 1) as usize];
        let text: String = (0..length).map(|_| pick()).collect();
        let braced = format!("{{{text}}}");
        if let Ok(octree) = Octree::from_depth_first_code(root(depth), &text) {
            let code = octree.to_depth_first_code();
            assert_eq!(Octree::from_depth_first_code(root(depth), &code).unwrap(), octree);
        }
        if let Ok(linear) = LinearOctree::parse(root(depth), &braced) {
            let octree = linear.to_octree().unwrap();
            assert_eq!(LinearOctree::from_octree(&octree).unwrap(), linear, "{braced}");
        }
    }
    // A valid text with one letter changed.
    for text in [DEPTH_FIRST, LINEAR] {
        for at in 0..text.len() {
            for letter in &letters {
                let changed: String =
                    text.chars().enumerate().map(|(k, old)| if k == at { *letter } else { old }).collect();
                _ = Octree::from_depth_first_code(root(2), &changed);
                _ = LinearOctree::parse(root(2), &changed);
            }
        }
    }
}

#[test]
fn the_deepest_cells_have_codes() {
    let last = "7".repeat(21);
    let text = format!("{{{}, {last}}}", "0".repeat(21));
    let linear = LinearOctree::parse(root(21), &text).unwrap();
    assert_eq!(linear.to_string(), text);
    let octree = linear.to_octree().unwrap();
    assert_eq!(octree.measures().full_cells, 2);
    assert_eq!(octree.occupied_cells(), Some([[0; 3], [1 << 21; 3]]));
    assert_eq!(Octree::full(root(21)).measures().full_cells, 1 << 63);
}
