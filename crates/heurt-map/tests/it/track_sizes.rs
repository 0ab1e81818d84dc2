//! The same answers in every unit: coordinates from 1e−150 to 1e150, targets far beyond a map, and darts of no cell.

use heurt_geometry::{Aabb, Vec2, Vec3};
use heurt_map::track::{
    CellPlace, Centres, MoveEnd, Outside, ProbeHit, StarTracker, SurfaceTracker, TrackError, Tracker2, Tracker3,
};
use heurt_map::{CombinatorialMap, Dart, Map2, Map3, Orbit, Orient, grid_positions};
use heurt_mesh::generate;
use heurt_testkit::number::random::Random;

/// Powers of two; 2⁴⁹⁸ is 8e149.
const EXPONENTS: [i32; 6] = [-498, -300, -100, 100, 300, 498];

/// An end, and the places on the way there.
type Walk = (Result<MoveEnd, TrackError>, Vec<(CellPlace, Dart)>);

fn walk(go: impl FnOnce(&mut dyn FnMut(CellPlace, Dart)) -> Result<MoveEnd, TrackError>) -> Walk {
    let mut places = Vec::new();
    let end = go(&mut |place, dart| places.push((place, dart)));
    (end, places)
}

/// Half of the targets are points of a lattice, so that walks meet edges and vertices; some are outside.
fn draw(random: &mut Random, size: f64) -> Vec3 {
    let p = Vec3::from_array([(); 3].map(|()| random.between(-0.5, size + 0.5)));
    if random.one_in(2) { (p * 2.0).round() * 0.5 } else { p }
}

#[test]
fn walks_in_the_plane_do_not_depend_on_the_unit() {
    let map = Map2::grid(6, 6).unwrap();
    let rest: Vec<Vec2> = (0..49).map(|k| Vec2::new(f64::from(k % 7), f64::from(k / 7))).collect();
    let walks = |exponent: i32| {
        let scale = f64::powi(2.0, exponent);
        let points: Vec<Vec2> = rest.iter().map(|&p| p * scale).collect();
        let tracker = Tracker2::new(&map, &points).unwrap();
        assert_eq!(tracker.check(), []);
        let random = &mut Random::new(1);
        let mut particle = tracker.find(Vec2::splat(2.5 * scale)).unwrap().inside().unwrap();
        (0..300)
            .map(|_| {
                let target = draw(random, 6.0).truncate() * scale;
                let walked = walk(|path| tracker.move_to(&mut particle, target, path));
                let found = match tracker.find(target).unwrap() {
                    ProbeHit::Inside(found) => (Some((found.dart, found.place)), Vec2::ZERO, 0.0),
                    ProbeHit::Outside(Outside { nearest, distance, .. }) => (None, nearest / scale, distance / scale),
                };
                (walked, particle.position / scale, particle.dart, particle.place, found)
            })
            .collect::<Vec<_>>()
    };
    let expected = walks(0);
    for exponent in EXPONENTS {
        assert_eq!(walks(exponent), expected, "2^{exponent}");
    }
}

#[test]
fn walks_in_space_do_not_depend_on_the_unit() {
    let rest = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(3.0) }, [3; 3]);
    let mut map = Map3::hexahedral_grid([3; 3]).unwrap();
    map.enable_ids(Orbit::Face);
    let random = &mut Random::new(2);
    let bent: Vec<Vec3> = rest.iter().map(|&p| p + (random.vector(0.1) * 1024.0).round() / 1024.0).collect();
    let walks = |exponent: i32| {
        let scale = f64::powi(2.0, exponent);
        let [straight, bent] = [&rest, &bent].map(|points| points.iter().map(|&p| p * scale).collect::<Vec<Vec3>>());
        let convex = Tracker3::new(&map, &straight).unwrap();
        let centres = Centres::new(&map, &bent).unwrap();
        let star = StarTracker::new(&map, &bent, &centres).unwrap();
        assert_eq!((convex.check(), star.check()), (vec![], vec![]));
        let random = &mut Random::new(3);
        let start = Vec3::splat(1.5 * scale);
        let mut particles = [convex.find(start), star.find(start)].map(|found| found.unwrap().inside().unwrap());
        (0..300)
            .map(|_| {
                let target = draw(random, 3.0) * scale;
                let [a, b] = &mut particles;
                let walks = [walk(|path| convex.move_to(a, target, path)), walk(|path| star.move_to(b, target, path))];
                let found = [convex.find(target), star.find(target)].map(|found| match found.unwrap() {
                    ProbeHit::Inside(found) => (Some((found.dart, found.place)), Vec3::ZERO, 0.0),
                    ProbeHit::Outside(Outside { nearest, distance, .. }) => (None, nearest / scale, distance / scale),
                });
                let there = particles.map(|particle| (particle.position / scale, particle.dart, particle.place));
                (walks, there, found)
            })
            .collect::<Vec<_>>()
    };
    let expected = walks(0);
    for exponent in EXPONENTS {
        assert_eq!(walks(exponent), expected, "2^{exponent}");
    }
}

#[test]
fn ways_and_sections_of_surfaces_do_not_depend_on_the_unit() {
    let ball = generate::icosphere(1.0, 2).unwrap();
    let built = Map2::from_tri_mesh(&ball, Orient::Keep).unwrap();
    let (rest, map) = (built.at_vertices(ball.vertices()), &built.map);
    let walks = |exponent: i32| {
        let scale = f64::powi(2.0, exponent);
        let points: Vec<Vec3> = rest.values().iter().map(|&p| p * scale).collect();
        let tracker = SurfaceTracker::new(map, &points).unwrap();
        assert_eq!(tracker.check(), []);
        let random = &mut Random::new(4);
        let mut particle = tracker.particle_at(Dart(0)).unwrap();
        (0..200)
            .map(|_| {
                let before = particle;
                let by = random.vector(1.0) * scale;
                let walked = walk(|path| tracker.move_by(&mut particle, by, path));
                let mut section = Vec::new();
                let end = tracker.section(&before, &particle, |dart| section.push(dart));
                assert_eq!(end, Ok(MoveEnd::Arrived), "2^{exponent}: {before:?} {particle:?}");
                (walked, particle, section)
            })
            .collect::<Vec<_>>()
    };
    let expected = walks(0);
    for exponent in EXPONENTS {
        assert_eq!(walks(exponent), expected, "2^{exponent}");
    }
}

/// Moves by up to 1e300 sizes of a ball and of a sheet: there, at a wall, or refused with the particle as it was.
#[test]
fn far_targets_on_surfaces_end() {
    let ball = generate::icosphere(1.0, 1).unwrap();
    let built = Map2::from_tri_mesh(&ball, Orient::Keep).unwrap();
    let points = built.at_vertices(ball.vertices());
    let closed = SurfaceTracker::new(&built.map, points.values()).unwrap().with_most_steps(20_000);
    let sheet = Map2::grid(4, 4).unwrap();
    let flat: Vec<Vec3> = (0..25).map(|k| Vec3::new(f64::from(k % 5), f64::from(k / 5), 0.0)).collect();
    let open = SurfaceTracker::new(&sheet, &flat).unwrap();
    let random = &mut Random::new(5);
    let mut lost = 0;
    for far in [1e3, 1e8, 1e9, 1e16, 1e100, 1e150, 1e300] {
        for _ in 0..5 {
            let direction = random.vector(1.0).normalize();
            let mut particle = closed.particle_at(Dart(0)).unwrap();
            let before = particle;
            match closed.move_by(&mut particle, direction * far, |_, _| ()) {
                Ok(end) => assert_eq!(end, MoveEnd::Arrived),
                Err(TrackError::Lost { .. }) => {
                    lost += 1;
                    assert_eq!(particle, before);
                }
                Err(error) => panic!("{error}"),
            }
            let mut particle = open.particle_at(Dart(20)).unwrap();
            let end = open.move_by(&mut particle, direction * far, |_, _| ()).unwrap();
            assert!(matches!(end, MoveEnd::Stopped { .. }), "{far}: {end:?}");
            let [x, y, _] = open.position(&particle).to_array();
            assert!([x, y].iter().any(|&x| x == 0.0 || x == 4.0), "on the border: {x} {y}");
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut particle = closed.particle_at(Dart(0)).unwrap();
            let refused = closed.move_to(&mut particle, Vec3::new(0.0, bad, 0.0), |_, _| ());
            assert!(matches!(refused, Err(TrackError::NotFinite { axis: 1, .. })));
        }
    }
    assert!(lost >= 25, "{lost}");
}

#[test]
fn darts_of_no_cell_and_targets_of_no_place_are_refused() {
    let map = Map2::grid(2, 2).unwrap();
    let points: Vec<Vec2> = (0..9).map(|k| Vec2::new(f64::from(k % 3), f64::from(k / 3))).collect();
    let tracker = Tracker2::new(&map, &points).unwrap();
    let boundary = map.live_darts().find(|&dart| map.is_boundary(dart)).unwrap();
    let good = tracker.find(Vec2::splat(0.5)).unwrap().inside().unwrap();
    for dart in [boundary, Dart(1_000_000), Dart(u32::MAX)] {
        let mut bad = good;
        bad.dart = dart;
        assert_eq!(tracker.move_to(&mut bad, Vec2::ONE, |_, _| ()), Err(TrackError::BadDart { dart }));
        assert_eq!(tracker.settle(&mut bad), Err(TrackError::BadDart { dart }));
        assert_eq!(tracker.particle_in(dart, Vec2::ONE), None);
    }
    for bad in [Vec2::NAN, Vec2::new(0.0, f64::INFINITY)] {
        let mut particle = good;
        assert!(matches!(tracker.move_to(&mut particle, bad, |_, _| ()), Err(TrackError::NotFinite { .. })));
        assert_eq!(particle, good);
        assert!(matches!(tracker.find(bad), Err(TrackError::NotFinite { .. })));
    }
    // The largest finite numbers.
    for target in [Vec2::splat(f64::MAX), Vec2::new(-f64::MAX, f64::MIN_POSITIVE)] {
        let mut particle = good;
        let end = tracker.move_to(&mut particle, target, |_, _| ());
        assert!(matches!(end, Ok(MoveEnd::Stopped { .. })), "{end:?}");
        assert!(matches!(tracker.find(target), Ok(ProbeHit::Outside(_))));
    }
    let mut solid = Map3::hexahedral_grid([2; 3]).unwrap();
    solid.enable_ids(Orbit::Face);
    let rest = grid_positions(&Aabb { min: Vec3::ZERO, max: Vec3::splat(2.0) }, [2; 3]);
    let convex = Tracker3::new(&solid, &rest).unwrap();
    let centres = Centres::new(&solid, &rest).unwrap();
    let star = StarTracker::new(&solid, &rest, &centres).unwrap();
    let boundary = solid.live_darts().find(|&dart| solid.is_boundary(dart)).unwrap();
    for dart in [boundary, Dart(1_000_000), Dart(u32::MAX)] {
        assert_eq!((convex.particle_in(dart, Vec3::ONE), star.particle_in(dart, Vec3::ONE)), (None, None));
    }
    for target in [Vec3::splat(f64::MAX), Vec3::new(-f64::MAX, 1.0, f64::MIN_POSITIVE)] {
        for found in [convex.find(target), star.find(target)] {
            assert!(matches!(found, Ok(ProbeHit::Outside(_))));
        }
        let mut particles =
            [convex.find(Vec3::splat(0.4)), star.find(Vec3::splat(0.4))].map(|f| f.unwrap().inside().unwrap());
        let ends =
            [convex.move_to(&mut particles[0], target, |_, _| ()), star.move_to(&mut particles[1], target, |_, _| ())];
        for end in ends {
            assert!(matches!(end, Ok(MoveEnd::Stopped { .. })), "{end:?}");
        }
    }
}
