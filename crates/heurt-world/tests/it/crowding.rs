//! Bodies in one place: their pairs grow with the square of them, and a world refuses what would take memory out of proportion.

use heurt_geometry::{Pose, Vec3};
use heurt_shape::Convex;
use heurt_world::{Body, BodyId, BroadPhaseKind, Settings, World, WorldError};

/// One more than there may be in one place.
const MANY: usize = 1449;

/// Balls in a row, of two sizes in turns; apart.
fn row(broad_phase: BroadPhaseKind, radii: [f64; 2]) -> (World, Vec<BodyId>) {
    let mut world = World::new(Settings { broad_phase, gravity: Vec3::ZERO, ..Settings::default() }).unwrap();
    let balls = radii.map(|radius| Convex::sphere(radius).unwrap());
    let ids = (0..MANY).map(|k| {
        let pose = Pose::from_translation(Vec3::X * (3.0 * k as f64)).unwrap();
        world.insert(Body::kinematic(balls[k % 2].clone(), pose)).unwrap()
    });
    let ids = ids.collect();
    (world, ids)
}

#[test]
fn more_pairs_than_there_may_be_are_refused_and_all_stays() {
    // Of one size, which is seen beforehand; of two, which the broad phase finds.
    for radii in [[0.5, 0.5], [0.3, 0.9]] {
        for kind in [BroadPhaseKind::Tree, BroadPhaseKind::SweepAndPrune] {
            let (mut world, ids) = row(kind, radii);
            world.step(0.01).unwrap();
            let before = world.state_hash();
            let together: Vec<_> = ids.iter().map(|id| (*id, Pose::IDENTITY)).collect();
            let error = world.detect(&together).unwrap_err();
            let (all, most) = (MANY * (MANY - 1) / 2, 1 << 20);
            let id = ids[MANY / 2];
            assert_eq!(error, WorldError::Crowded { id, pairs: all, bodies: MANY, most }, "{radii:?} {kind:?}");
            assert!(error.to_string().contains("separate the bodies, or exclude pairs by groups and masks"), "{error}");
            assert_eq!((world.state_hash(), world.contacts().len()), (before, 0));
            let report = world.step(0.01).unwrap();
            assert_eq!((report.pairs, world.steps()), (0, 2), "{radii:?} {kind:?}");
            // Some may be there.
            let report = world.detect(&together[..400]).unwrap();
            assert_eq!(report.touching, 400 * 399 / 2);
        }
    }
}

#[test]
fn who_need_not_meet_may_be_in_one_place() {
    let (mut world, ids) = row(BroadPhaseKind::Tree, [0.5, 0.5]);
    ids.iter().for_each(|id| world.set_filter(*id, 1, 2).unwrap());
    let together: Vec<_> = ids.iter().map(|id| (*id, Pose::IDENTITY)).collect();
    assert_eq!(world.detect(&together).unwrap().pairs, 0);
}
