//! Whatever is given: faults or a map without faults; and in whatever is no partition walks end, and nothing panics.

use heurt_geometry::{Aabb, Vec2, Vec3};
use heurt_map::delaunay::{Delaunay2, Delaunay3};
use heurt_map::track::{Centres, ProbeHit, StarTracker, SurfaceTracker, TrackError, Tracker2, Tracker3};
use heurt_map::{Cell, Dart, Map2, Map3, Orbit, Orient, grid_positions};
use heurt_testkit::number::random::Random;

/// A corner below `count`, now and then none.
fn corner(random: &mut Random, count: i64) -> u32 {
    match random.whole(0, 60) {
        0 => u32::MAX,
        1 => count as u32,
        _ => random.whole(0, (count - 1).max(0)) as u32,
    }
}

fn face(random: &mut Random, count: i64, most: i64) -> Vec<u32> {
    (0..random.whole(0, most)).map(|_| corner(random, count)).collect()
}

fn array<const N: usize>(random: &mut Random, count: i64) -> [u32; N] {
    // Mostly different corners, so that not every cell is refused.
    let start = random.whole(0, count - 1) as u32;
    let mut corners = std::array::from_fn(|k| (start + k as u32) % count as u32);
    for _ in 0..random.whole(0, 6) {
        let (i, j) = (random.whole(0, N as i64 - 1) as usize, random.whole(0, N as i64 - 1) as usize);
        corners.swap(i, j);
    }
    if random.one_in(8) {
        corners[0] = corner(random, count);
    }
    corners
}

#[test]
fn polygons_and_cells_of_any_kind() {
    let random = &mut Random::new(41);
    let mut built = [0; 2];
    for _ in 0..20_000 {
        let count = random.whole(1, 12);
        let orient = if random.one_in(2) { Orient::Keep } else { Orient::Turn };
        let polygons: Vec<Vec<u32>> = (0..random.whole(0, 5))
            .map(|_| if random.one_in(3) { face(random, count, 6) } else { array::<3>(random, count.max(4)).to_vec() })
            .collect();
        match Map2::from_polygons(count as usize, &polygons, orient) {
            Ok(flat) => {
                built[0] += 1;
                assert_eq!(flat.map.validate(), []);
            }
            Err(error) => assert!(!error.faults.is_empty() && !error.to_string().is_empty()),
        }
        let cells: Vec<Cell> = (0..random.whole(0, 4))
            .map(|_| match random.whole(0, 6) {
                0 | 1 => Cell::Tetrahedron(array(random, count.max(4))),
                2 => Cell::Pyramid(array(random, count.max(5))),
                3 => Cell::Prism(array(random, count.max(6))),
                4 => Cell::Hexahedron(array(random, count.max(8))),
                5 => {
                    let corners = array::<8>(random, count.max(8));
                    let parts = corners.chunks(4).map(|c| Cell::Tetrahedron([c[0], c[1], c[2], c[3]]).faces());
                    Cell::Polyhedron(parts.take(1 + usize::from(random.one_in(3))).flatten().collect())
                }
                _ => Cell::Polyhedron((0..random.whole(0, 5)).map(|_| face(random, count, 5)).collect()),
            })
            .collect();
        match Map3::from_cells(count as usize, &cells, orient) {
            Ok(solid) => {
                built[1] += 1;
                assert_eq!(solid.map.validate(), []);
            }
            Err(error) => assert!(!error.faults.is_empty() && !error.to_string().is_empty()),
        }
    }
    assert!(built.iter().all(|&count| count > 1000), "{built:?}");
}

/// Positions of no partition: scattered, on lattices, all at one place, NaN and infinite, huge and tiny.
fn scatter(random: &mut Random, count: usize) -> Vec<Vec3> {
    let kind = random.whole(0, 6);
    let mut any = || match kind {
        0 => random.vector(4.0),
        1 => random.vector(2.0).round(),
        2 => Vec3::ONE,
        3 if random.one_in(5) => Vec3::new(f64::NAN, 1.0, 0.0),
        4 if random.one_in(5) => Vec3::new(1.0, f64::INFINITY, f64::NEG_INFINITY),
        5 => random.vector(1.0) * f64::powi(10.0, random.whole(-300, 300) as i32),
        6 => random.vector(1.0) * f64::from_bits(1 + random.whole(0, 9) as u64) * 1e10,
        _ => random.vector(3.0),
    };
    (0..count).map(|_| any()).collect()
}

fn target(random: &mut Random) -> Vec3 {
    match random.whole(0, 5) {
        0 => random.vector(1e150),
        1 => random.vector(3.0).round(),
        2 => Vec3::splat(f64::MAX),
        _ => random.vector(4.0),
    }
}

#[test]
fn walks_in_what_is_no_partition_end() {
    let random = &mut Random::new(42);
    let flat = Map2::grid(3, 3).unwrap();
    let mut solid = Map3::hexahedral_grid([2; 3]).unwrap();
    solid.enable_ids(Orbit::Face);
    let rest = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(2.0) }, [2; 3]);
    for round in 0..3000 {
        let points = scatter(random, 16);
        let plane: Vec<Vec2> = points.iter().map(|p| p.truncate()).collect();
        let tracker = Tracker2::new(&flat, &plane).unwrap();
        assert!(!tracker.check().is_empty());
        if let Ok(ProbeHit::Inside(mut particle)) = tracker.find(target(random).truncate()) {
            let before = particle;
            if tracker.move_to(&mut particle, target(random).truncate(), |_, _| ()).is_err() {
                assert_eq!(particle, before);
            }
        }
        let surface = SurfaceTracker::new(&flat, &points).unwrap().with_most_steps(1000);
        let mut particle = surface.particle_at(Dart(random.whole(0, 35) as u32)).unwrap();
        let before = particle;
        if surface.move_by(&mut particle, target(random), |_, _| ()).is_err() {
            assert_eq!(particle, before);
        }
        assert!(particle.weights().iter().all(|&weight| weight >= 0.0));
        let _ = surface.section(&before, &surface.particle_at(Dart(35)).unwrap(), |_| ());
        // Some vertices of a partition out of place, or all.
        let mut points = if random.one_in(2) { rest.clone() } else { scatter(random, 27) };
        for point in scatter(random, 2) {
            points[random.whole(0, 26) as usize] = point;
        }
        let convex = Tracker3::new(&solid, &points).unwrap();
        let centres = Centres::new(&solid, &points).unwrap();
        let star = StarTracker::new(&solid, &points, &centres).unwrap();
        let _ = (convex.check(), star.check());
        for found in [convex.find(target(random)), star.find(target(random))] {
            assert!(!matches!(found, Err(TrackError::BadDart { .. })), "round {round}");
        }
        for dart in [0, 100, 190] {
            let at = star.particle_in(Dart(dart), target(random));
            for mut particle in at.into_iter().chain(convex.particle_in(Dart(dart), Vec3::splat(0.5))) {
                let _ = convex.move_to(&mut particle, target(random), |_, _| ());
                let _ = star.move_to(&mut particle, target(random), |_, _| ());
                let _ = (star.settle(&mut particle), convex.settle(&mut particle));
            }
        }
    }
}

#[test]
fn points_of_any_kind_are_triangulated_or_refused() {
    let random = &mut Random::new(43);
    let mut done = [0; 2];
    for _ in 0..400 {
        let points = scatter(random, 12);
        if let Ok(flat) = Delaunay2::new(points.iter().map(|p| p.truncate()).collect()) {
            done[0] += 1;
            assert_eq!(flat.neighbours().point_count(), 12);
        }
        if let Ok(solid) = Delaunay3::new(points) {
            done[1] += 1;
            assert!(solid.map().is_ok_and(|built| built.map.validate().is_empty()));
        }
        let outline = |random: &mut Random| {
            let count = random.whole(0, 8) as usize;
            scatter(random, count).iter().map(|p| p.truncate()).collect::<Vec<Vec2>>()
        };
        if let Ok(inside) = Map2::from_outlines(&[outline(random), outline(random)]) {
            assert_eq!(inside.built.map.validate(), []);
        }
    }
    assert!(done.iter().all(|&count| count > 50), "{done:?}");
}
