//! Delaunay graphs and Voronoi cells against the definition, outlines against counting, and lines of sight.

use heurt_geometry::{Sign, Vec2, Vec3, insphere, orient2d, orient3d};
use heurt_map::delaunay::{Delaunay2, Delaunay3, DelaunayError};
use heurt_map::dim2::OutlineFault;
use heurt_map::{CombinatorialMap, Map2, Orbit};
use heurt_testkit::number::random::Random;

/// Points of many kinds: spread, on a lattice (many on one sphere), on a sphere, with copies.
fn clouds(random: &mut Random, count: usize) -> Vec<Vec<Vec3>> {
    let spread: Vec<Vec3> = (0..count).map(|_| random.vector(1.0)).collect();
    let lattice: Vec<Vec3> = (0..count).map(|_| Vec3::from_array([0; 3].map(|_| random.whole(-2, 2) as f64))).collect();
    let ball: Vec<Vec3> = spread.iter().map(|point| point.normalize()).collect();
    let plates: Vec<Vec3> = spread.iter().map(|point| Vec3::new(point.x, point.y, point.z.signum())).collect();
    let needle: Vec<Vec3> = spread.iter().map(|point| *point * Vec3::new(1e9, 1e-9, 1.0)).collect();
    let grid: Vec<Vec3> = (0..64).map(|i| Vec3::new((i % 4) as f64, (i / 4 % 4) as f64, (i / 16) as f64)).collect();
    vec![spread, lattice, ball, plates, needle, grid]
}

#[test]
fn no_sphere_holds_a_point_and_the_hull_is_filled() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        let count = 5 + 10 * seed as usize;
        for points in clouds(&mut random, count) {
            let delaunay = match Delaunay3::new(points.clone()) {
                Ok(delaunay) => delaunay,
                Err(error) => {
                    assert!(matches!(error, DelaunayError::Flat { .. }));
                    continue;
                }
            };
            for &tet in delaunay.tets() {
                let [a, b, c, d] = tet.map(|corner| points[corner as usize]);
                assert_eq!(orient3d(a, b, c, d), Sign::Positive);
                assert!(points.iter().all(|&e| insphere(a, b, c, d, e) != Sign::Positive));
            }
            let built = delaunay.map().unwrap();
            assert_eq!(built.map.validate(), []);
            assert!(built.pinched.is_empty());
            // A ball whose boundary is convex: no point sees a boundary face from outside, and all points are used.
            assert_eq!(built.map.euler_characteristic(), 1);
            assert_eq!(built.map.cell_counts()[4], 1);
            for dart in built.map.live_darts().filter(|&dart| built.map.is_boundary(dart)) {
                let corner = |dart| points[built.map.id(Orbit::Vertex, dart) as usize];
                let next = built.map.phi1(dart);
                let [a, b, c] = [dart, next, built.map.phi1(next)].map(corner);
                assert!(points.iter().all(|&point| orient3d(a, b, c, point) != Sign::Negative));
            }
            let used = (0..points.len() as u32).filter(|&point| delaunay.representative(point) == point).count();
            assert_eq!(built.map.cell_counts()[0], used);
            voronoi_agrees(&delaunay);
        }
    }
}

/// Every corner of a bounded cell is as near to its point as to those of the faces there; cells have positive volume.
fn voronoi_agrees(delaunay: &Delaunay3) {
    let (centres, points) = (delaunay.centres(), delaunay.points());
    for (point, cell) in delaunay.voronoi().unwrap().iter().enumerate() {
        let neighbours: Vec<u32> = cell.faces.iter().map(|face| face.neighbour).collect();
        let mut sorted = neighbours.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, delaunay.neighbours().of(point as u32));
        for face in cell.faces.iter().filter(|face| face.is_bounded) {
            for &tet in &face.tets {
                assert!(delaunay.tets()[tet as usize].contains(&(point as u32)));
                assert!(delaunay.tets()[tet as usize].contains(&face.neighbour));
            }
            // Counter-clockwise seen from outside: the area points to the neighbour, or is nothing.
            let [first, rest @ ..] = face.tets.as_slice() else { panic!("corners") };
            let at = |tet: u32| centres[tet as usize];
            let area: Vec3 =
                rest.windows(2).map(|pair| (at(pair[0]) - at(*first)).cross(at(pair[1]) - at(*first))).sum();
            let out = points[face.neighbour as usize] - points[point];
            let size = face.tets.iter().map(|&tet| (at(tet) - points[point]).length_squared()).fold(0.0, f64::max);
            assert!(area.dot(out) >= -1e-6 * size * out.length());
        }
    }
    let (built, of) = delaunay.voronoi_map().unwrap();
    assert_eq!(built.map.validate(), []);
    assert_eq!(built.map.cell_counts()[3], of.len());
}

#[test]
fn flat_and_bad_points_are_told() {
    let line: Vec<Vec3> = (0..5).map(|i| Vec3::new(f64::from(i), 0.0, 0.0)).collect();
    assert_eq!(Delaunay3::new(line).unwrap_err(), DelaunayError::Flat { count: 5 });
    assert_eq!(Delaunay3::new(vec![Vec3::ONE; 9]).unwrap_err(), DelaunayError::Flat { count: 1 });
    assert!(matches!(Delaunay3::new(vec![Vec3::NAN]).unwrap_err(), DelaunayError::NotFinite { point: 0, .. }));
    assert!(matches!(Delaunay2::new(vec![Vec2::splat(1e300)]).unwrap_err(), DelaunayError::OutOfRange { .. }));
    assert_eq!(Delaunay2::new(Vec::new()).unwrap().neighbours().point_count(), 0);
    let line = Delaunay2::new((0..4).map(|i| Vec2::new(f64::from(i), 1.0)).collect()).unwrap();
    assert_eq!(line.neighbours().pairs().collect::<Vec<_>>(), [[0, 1], [1, 2], [2, 3]]);
}

#[test]
fn the_plane_by_definition() {
    for seed in 0..12 {
        let mut random = Random::new(seed);
        for cloud in clouds(&mut random, 8 + 12 * seed as usize) {
            let points: Vec<Vec2> = cloud.iter().map(|point| Vec2::new(point.x, point.y)).collect();
            let delaunay = Delaunay2::new(points.clone()).unwrap();
            let built = delaunay.map().unwrap();
            assert_eq!(built.map.validate(), []);
            let cells = delaunay.voronoi().unwrap();
            for &corners in delaunay.triangles() {
                let [a, b, c] = corners.map(|corner| points[corner as usize]);
                assert_eq!(orient2d(a, b, c), Sign::Positive);
                // In the circle: below the plane through the corners lifted to a paraboloid, in whole numbers exact.
                let lift = |p: Vec2| Vec3::new(p.x, p.y, p.length_squared());
                if points.iter().all(|p| p.fract() == Vec2::ZERO) {
                    let sides = points.iter().map(|&p| orient3d(lift(a), lift(b), lift(c), lift(p)));
                    assert!(sides.into_iter().all(|side| side != Sign::Negative));
                }
            }
            for (point, cell) in cells.iter().enumerate().filter(|(_, cell)| cell.is_bounded) {
                let neighbours = delaunay.neighbours().of(point as u32);
                assert_eq!(cell.corners.len(), neighbours.len());
            }
        }
    }
}

#[test]
fn obstacles_hide_neighbours() {
    let mut random = Random::new(3);
    let points: Vec<Vec3> = (0..60).map(|_| random.vector(1.0)).collect();
    let flat: Vec<Vec2> = points.iter().map(|point| Vec2::new(point.x, point.y)).collect();
    let walls: Vec<[Vec2; 2]> = (0..12)
        .map(|_| {
            let start = random.vector(1.0);
            let along = random.vector(0.5);
            [Vec2::new(start.x, start.y), Vec2::new(start.x + along.x, start.y + along.y)]
        })
        .collect();
    let plane = Delaunay2::new(flat.clone()).unwrap();
    let crosses = |[a, b]: [Vec2; 2], [c, d]: [Vec2; 2]| {
        let opposite = |a, b, c, d| orient2d(a, b, c) != orient2d(a, b, d);
        opposite(a, b, c, d) && opposite(c, d, a, b)
    };
    let expected: Vec<[u32; 2]> = plane
        .neighbours()
        .pairs()
        .filter(|pair| !walls.iter().any(|&wall| crosses(pair.map(|point| flat[point as usize]), wall)))
        .collect();
    assert_eq!(plane.visible(&walls).pairs().collect::<Vec<_>>(), expected);
    assert!(expected.len() < plane.neighbours().pairs().count());
    let space = Delaunay3::new(points.clone()).unwrap();
    let sheets: Vec<[Vec3; 3]> = (0..12).map(|_| [0; 3].map(|_| random.vector(1.0))).collect();
    let expected: Vec<[u32; 2]> = space
        .neighbours()
        .pairs()
        .filter(|pair| {
            let [a, b] = pair.map(|point| points[point as usize]);
            !sheets.iter().any(|sheet| heurt_geometry::segment_intersects_triangle(a, b, sheet))
        })
        .collect();
    assert_eq!(space.visible(&sheets).pairs().collect::<Vec<_>>(), expected);
    assert!(expected.len() < space.neighbours().pairs().count());
    assert_eq!(space.visible(&[]), *space.neighbours());
}

fn square(low: f64, high: f64) -> Vec<Vec2> {
    [[low, low], [high, low], [high, high], [low, high]].map(Vec2::from_array).to_vec()
}

#[test]
fn outlines_with_holes_and_islands() {
    let area = |outlines: &[Vec<Vec2>]| {
        let outlined = Map2::from_outlines(outlines).unwrap();
        assert_eq!(outlined.built.map.validate(), []);
        let at = |dart| {
            outlined.points[outlined.built.vertex_of[outlined.built.map.id(Orbit::Vertex, dart) as usize] as usize]
        };
        let mut area = 0.0;
        for (_, dart) in outlined.built.map.cell_ids(Orbit::Face).unwrap().cells() {
            let next = outlined.built.map.phi1(dart);
            let [a, b, c] = [dart, next, outlined.built.map.phi1(next)].map(at);
            area += 0.5 * (b - a).perp_dot(c - a);
        }
        (area, outlined.built.map.euler_characteristic(), outlined.built.pinched.len())
    };
    assert_eq!(area(&[square(0.0, 4.0)]), (16.0, 1, 0));
    assert_eq!(area(&[square(0.0, 4.0), square(1.0, 3.0)]), (12.0, 0, 0));
    assert_eq!(area(&[square(0.0, 6.0), square(1.0, 5.0), square(2.0, 4.0)]), (24.0, 1, 0));
    // Two squares that touch in a corner, two that share an edge in part, and one given twice, which cancels out.
    assert_eq!(area(&[square(0.0, 1.0), square(1.0, 2.0)]), (2.0, 2, 1));
    let beside: Vec<Vec2> = [[4.0, 1.0], [5.0, 1.0], [5.0, 2.0], [4.0, 2.0]].map(Vec2::from_array).to_vec();
    assert_eq!(area(&[square(0.0, 4.0), beside]), (17.0, 1, 0));
    assert_eq!(Map2::from_outlines(&[square(0.0, 1.0), square(0.0, 1.0)]).unwrap_err(), [OutlineFault::Empty]);
    let bow: Vec<Vec2> = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(Vec2::from_array).to_vec();
    let faults = Map2::from_outlines(&[bow]).unwrap_err();
    assert!(faults.iter().all(|fault| matches!(fault, OutlineFault::Crossing { outline: 0, edge: 0 | 2 })));
    assert!(!faults.is_empty());
    let faults = Map2::from_outlines(&[vec![Vec2::ZERO, Vec2::ONE, -Vec2::ZERO], vec![Vec2::NAN]]).unwrap_err();
    assert!(matches!(faults[..], [OutlineFault::OutOfRange { outline: 1, corner: 0, .. }]));
    let faults = Map2::from_outlines(&[vec![Vec2::ZERO, Vec2::ONE, -Vec2::ZERO]]).unwrap_err();
    assert_eq!(faults, [OutlineFault::TooFewCorners { outline: 0, count: 2 }]);
}
