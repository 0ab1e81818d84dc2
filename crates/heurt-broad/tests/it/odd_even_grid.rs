//! The odd–even grid against definitions: lines are sorted, rings and missed pairs are those of plain loops.

use heurt_broad::{OddEvenGrid, ProximityError};
use heurt_geometry::Vec3;
use heurt_testkit::number::random::Random;

fn cloud(count: usize, is_spatial: bool, random: &mut Random) -> Vec<Vec3> {
    let mut one = || {
        let z = if is_spatial { random.between(0.0, 1.0) } else { 0.0 };
        Vec3::new(random.between(0.0, 1.0), random.between(0.0, 1.0), z)
    };
    (0..count).map(|_| one()).collect()
}

/// The place of each point after `passes` of a plain odd–even sort over a table of numbers.
fn plain_places(points: &[Vec3], side: usize, layers: usize, passes: usize) -> Vec<[usize; 3]> {
    let mut table: Vec<Option<usize>> =
        (0..side * side * layers).map(|k| Some(k).filter(|&k| k < points.len())).collect();
    let at = |[x, y, z]: [usize; 3]| x + side * (y + side * z);
    let dims = [side, side, layers];
    for _ in 0..passes {
        for axis in 0..3 {
            for parity in 0..2 {
                for z in 0..layers {
                    for y in 0..side {
                        for x in 0..side {
                            let (here, mut next) = ([x, y, z], [x, y, z]);
                            next[axis] += 1;
                            if here[axis] % 2 != parity || next[axis] >= dims[axis] {
                                continue;
                            }
                            let wrong = match (table[at(here)], table[at(next)]) {
                                (Some(a), Some(b)) => points[a][axis] > points[b][axis],
                                (None, Some(_)) => true,
                                _ => false,
                            };
                            if wrong {
                                table.swap(at(here), at(next));
                            }
                        }
                    }
                }
            }
        }
    }
    let mut places = vec![[0; 3]; points.len()];
    for (cell, point) in table.into_iter().enumerate() {
        if let Some(point) = point {
            places[point] = [cell % side, cell / side % side, cell / side / side];
        }
    }
    places
}

#[test]
fn rings_and_missed_pairs_are_those_of_plain_loops() {
    let mut random = Random::new(7);
    for (count, side, is_spatial) in [(1, 1, false), (17, 5, false), (100, 10, false), (60, 4, true)] {
        let points = cloud(count, is_spatial, &mut random);
        let layers = if is_spatial { side } else { 1 };
        for passes in [0, 1, 3, 40] {
            let mut grid = OddEvenGrid::new(&points, is_spatial).unwrap();
            for _ in 0..passes {
                grid.pass();
            }
            let places = plain_places(&points, side, layers, passes);
            let far = |a: usize, b: usize| (0..3).map(|axis| places[a][axis].abs_diff(places[b][axis])).max();
            let (mut ring, mut pairs, mut missed) = (Vec::new(), 0, 0);
            for a in 0..count {
                grid.ring(a as u32, 1, &mut ring);
                let expected: Vec<u32> =
                    (0..count).filter(|&b| a != b && far(a, b) <= Some(1)).map(|b| b as u32).collect();
                assert_eq!(ring, expected, "{count} points after {passes} passes");
                for b in (0..count).filter(|&b| a != b && points[a].distance(points[b]) <= 0.2) {
                    pairs += 1;
                    missed += u64::from(far(a, b) > Some(1));
                }
            }
            let found = grid.missed(0.2, 1).unwrap();
            assert_eq!((found.pairs, found.missed), (pairs, missed));
        }
    }
}

#[test]
fn passes_end_and_miss_fewer_neighbours() {
    let mut random = Random::new(11);
    let points = cloud(900, false, &mut random);
    let mut grid = OddEvenGrid::new(&points, false).unwrap();
    let radius = 0.04; // Approximately 4.5 neighbours.
    let before = grid.missed(radius, 1).unwrap().share();
    let mut passes = 0;
    while grid.pass() > 0 {
        passes += 1;
    }
    let after = grid.missed(radius, 1).unwrap().share();
    assert!(before > 0.95 && (0.05..0.4).contains(&after), "{before} to {after} in {passes} passes");
    assert!(grid.missed(radius, 3).unwrap().share() < 0.05);
    // Points that moved a little need a few passes only.
    let moved: Vec<Vec3> = points.iter().map(|&point| point + 0.002 * cloud(1, false, &mut random)[0]).collect();
    grid.set_points(&moved).unwrap();
    let again = (1..).find(|_| grid.pass() == 0).unwrap();
    assert!(again < passes / 2, "{again} passes after {passes}");
}

#[test]
fn wrong_input_is_refused() {
    let bad = [Vec3::ZERO, Vec3::new(0.0, f64::NAN, 0.0)];
    assert!(matches!(OddEvenGrid::new(&bad, false), Err(ProximityError::NotFinite { point: 1, .. })));
    let mut grid = OddEvenGrid::new(&[], true).unwrap();
    assert!(grid.is_empty() && grid.pass() == 0);
    assert!(grid.set_points(&bad).is_err());
    assert!(matches!(grid.missed(-1.0, 1), Err(ProximityError::BadCellSize { .. })));
    let mut ring = vec![3];
    grid.ring(5, 1, &mut ring);
    assert!(ring.is_empty());
}
