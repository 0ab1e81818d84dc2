//! Contacts by samples: what is told is true, whatever is left out.

use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::{bumpy_sphere, torus};
use heurt_query::pairs;
use heurt_query::samples::{Walkers, drawn_pairs};
use heurt_shape::MeshShape;
use heurt_testkit::number::random::Random;

#[test]
fn what_is_told_intersects_and_walkers_find_most_places() {
    let a = MeshShape::new(torus(1.0, 0.4, 40, 20).unwrap()).unwrap();
    let b = MeshShape::new(bumpy_sphere(1.0, 0.3, 5.0, 24).unwrap()).unwrap();
    let (mut random, mut walkers) = (Random::new(4), Walkers::new(&a, &b, 64, 9));
    let (mut touching, mut walked, mut drawn) = (0, 0, 0);
    for _ in 0..60 {
        let pose = random.pose(1.5);
        let all = pairs(&a, &Pose::IDENTITY, &b, &pose);
        let on_poses = ((&a, &Pose::IDENTITY), (&b, &pose));
        let by_walkers = walkers.step(on_poses.0, on_poses.1, 40);
        let by_draws = drawn_pairs(on_poses.0, on_poses.1, 64 * 40, random.bits());
        for found in [&by_walkers, &by_draws] {
            assert!(found.iter().all(|pair| all.contains(pair)));
            assert!(found.windows(2).all(|two| two[0] < two[1]));
        }
        touching += usize::from(!all.is_empty());
        walked += usize::from(!by_walkers.is_empty());
        drawn += usize::from(!by_draws.is_empty());
    }
    assert!(touching > 20 && walked * 10 >= touching * 9, "walkers find {walked} of {touching}, draws {drawn}");
}

#[test]
fn the_same_seed_gives_the_same_pairs_and_other_meshes_start_again() {
    let a = MeshShape::new(torus(1.0, 0.4, 20, 10).unwrap()).unwrap();
    let b = MeshShape::new(bumpy_sphere(1.0, 0.3, 5.0, 12).unwrap()).unwrap();
    let near = Pose::from_translation(Vec3::X * 0.7).unwrap();
    let run = |seed: u64| {
        let mut walkers = Walkers::new(&a, &b, 20, seed);
        (0..5).map(|_| walkers.step((&a, &Pose::IDENTITY), (&b, &near), 10)).collect::<Vec<_>>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    let mut walkers = Walkers::new(&a, &b, 20, 1);
    let found = walkers.step((&b, &near), (&a, &Pose::IDENTITY), 10);
    let all = pairs(&b, &near, &a, &Pose::IDENTITY);
    assert!(found.iter().all(|pair| all.contains(pair)));
    assert!(Walkers::new(&a, &b, 0, 1).step((&a, &near), (&b, &near), 10).is_empty());
}
