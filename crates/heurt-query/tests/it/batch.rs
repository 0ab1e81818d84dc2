//! A batch answers as the single verbs do, whatever the number of threads.

use crate::forms::distance_within;
use heurt_geometry::{Pose, Vec3};
use heurt_mesh::generate::{self, Superellipsoid, Supertoroid};
use heurt_query::{Batch, BatchError, contact, overlap};
use heurt_shape::{Compound, Convex, MeshShape, RoundedMesh, Shape, ShapeRef, Superquadric, SuperquadricShape};
use heurt_testkit::number::random::Random;
use std::sync::Arc;

/// Jumps and small steps, long enough for several runs.
fn poses(random: &mut Random, shapes: usize, configurations: usize) -> Vec<Pose> {
    let mut poses = Vec::new();
    for _ in 0..configurations {
        for shape in 0..shapes {
            let steps = poses.len() >= shapes && random.between(0.0, 1.0) < 0.7;
            poses.push(match steps {
                true => {
                    let before: &Pose = &poses[poses.len() - shapes];
                    let shift = Vec3::new(random.between(-0.02, 0.02), 0.01, random.between(-0.02, 0.02));
                    Pose::from_matrix(*before.rotation(), before.translation() + shift).unwrap()
                }
                false => random.pose(1.0 + 0.1 * shape as f64),
            });
        }
    }
    poses
}

/// Asks a batch on several numbers of threads, and each pair by itself; of how many that overlap, and that are near but do not.
fn check_batch(shapes: &[ShapeRef<'_>], pairs: &[[u32; 2]], poses: &[Pose]) -> [usize; 2] {
    let batch = Batch::new(shapes.iter().copied(), pairs.iter().copied()).unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let distances = batch.distances(poses, 0.5).unwrap();
            (batch.overlaps(poses).unwrap(), batch.first_overlaps(poses).unwrap(), distances)
        })
    };
    let answers = on(1);
    assert!(answers == on(2) && answers == on(5), "the same bits");
    let (overlaps, firsts, distances) = answers;
    let rows = poses.len() / shapes.len();
    let lengths = (overlaps.len(), firsts.len(), distances.len());
    assert_eq!(lengths, (rows * pairs.len(), rows, rows * pairs.len()));
    let (mut met, mut near) = (0, 0);
    for (row, poses) in poses.chunks(shapes.len()).enumerate() {
        for (pair, &[i, j]) in pairs.iter().enumerate() {
            let ([a, b], [p, q]) = ([i, j].map(|k| shapes[k as usize]), [i, j].map(|k| &poses[k as usize]));
            let number = row * pairs.len() + pair;
            let meets = overlap(a, p, b, q).is_some();
            assert_eq!(overlaps[number], meets, "{row}: {i} and {j}");
            match (distances[number], distance_within(a, p, b, q, 0.5)) {
                (Some(found), Some(expected)) => {
                    let off = (found.distance - expected.distance).abs();
                    assert!(off <= found.error + expected.error, "{row}: {i} and {j}, {found:?} {expected:?}");
                    near += usize::from(!meets);
                }
                (found, expected) => assert_eq!(found.is_some(), expected.is_some(), "{row}: {i} and {j}"),
            }
            met += usize::from(meets);
        }
        let expected = overlaps[row * pairs.len()..][..pairs.len()].iter().position(|&meets| meets);
        assert_eq!(firsts[row], expected.map(|pair| pair as u32), "{row}");
    }
    println!("{met} meet and {near} are near of {}", overlaps.len());
    [met, near]
}

#[test]
fn a_batch_answers_as_single_questions_do_on_any_number_of_threads() {
    let mesh = MeshShape::new(generate::bumpy_sphere(0.5, 0.2, 5.0, 16).unwrap()).unwrap();
    let gear = MeshShape::new(generate::torus(0.6, 0.2, 16, 12).unwrap()).unwrap();
    let (ball, slab) = (Convex::sphere(0.4).unwrap(), Convex::cuboid(Vec3::new(0.6, 0.3, 0.2)).unwrap());
    let shapes = [ShapeRef::from(&mesh), (&ball).into(), (&slab).into(), (&gear).into()];
    let mut random = Random::new(3);
    let poses = poses(&mut random, shapes.len(), 150);
    let [met, _] = check_batch(&shapes, &[[0, 1], [1, 2], [0, 3], [2, 3], [2, 1], [2, 2]], &poses);
    assert!(met > 150, "{met}");
}

#[test]
fn what_does_not_fit_is_named() {
    let ball = Convex::sphere(0.4).unwrap();
    let missing = Batch::new([&ball, &ball], [[0, 1], [1, 2]]).unwrap_err();
    assert_eq!(missing, BatchError::NoSuchShape { pair: 1, shape: 2, shapes: 2 });
    let batch = Batch::new([&ball, &ball], [[0, 1]]).unwrap();
    assert_eq!(batch.overlaps(&[Pose::IDENTITY; 3]), Err(BatchError::Ragged { poses: 3, shapes: 2 }));
    assert_eq!(batch.overlaps(&[]), Ok(Vec::new()));
    let none = Batch::new(std::iter::empty::<&Convex>(), []).unwrap();
    assert_eq!(none.first_overlaps(&[]), Ok(Vec::new()));
    assert_eq!(none.overlaps(&[Pose::IDENTITY]), Err(BatchError::Ragged { poses: 1, shapes: 0 }));
    let nothing = Batch::new([&ball], []).unwrap();
    assert_eq!(nothing.first_overlaps(&[Pose::IDENTITY; 2]), Ok(vec![None, None]));
}

/// The first question about a solid decomposes it, on all threads: none of them may wait for itself.
#[test]
fn contacts_of_a_batch_are_those_of_single_questions() {
    let torus = MeshShape::new(generate::torus(0.6, 0.2, 12, 8).unwrap()).unwrap();
    let other = MeshShape::new(generate::torus(0.5, 0.15, 10, 8).unwrap()).unwrap();
    let slab = Convex::cuboid(Vec3::new(0.6, 0.3, 0.2)).unwrap();
    let shapes = [ShapeRef::from(&torus), (&slab).into(), (&other).into()];
    let pairs = [[0, 1], [0, 2]];
    let mut random = Random::new(5);
    let poses = poses(&mut random, shapes.len(), 80);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let found = pool.install(|| Batch::new(shapes, pairs).unwrap().contacts(&poses, 0.05).unwrap());
    let mut deep = 0;
    for (row, poses) in poses.chunks(shapes.len()).enumerate() {
        for (pair, &[i, j]) in pairs.iter().enumerate() {
            let [i, j] = [i, j].map(|shape| shape as usize);
            let expected = contact(shapes[i], &poses[i], shapes[j], &poses[j], 0.05);
            assert_eq!(found[row * 2 + pair], expected, "{row}, {pair}");
            deep += usize::from(expected.is_some_and(|expected| expected.separation <= 0.0));
        }
    }
    assert!(deep > 10, "{deep}");
}

/// Kinds that are asked through their parts, their cores or their patches, and half-spaces.
fn composed() -> Vec<Shape> {
    let torus = Arc::new(MeshShape::new(generate::torus(0.6, 0.2, 12, 8).unwrap()).unwrap());
    let part = |shape: Convex, x: f64| (Shape::from(shape), Pose::from_translation(Vec3::X * x).unwrap());
    let hammer = [part(Convex::capsule(0.1, 0.5).unwrap(), 0.0), part(Convex::cuboid(Vec3::splat(0.2)).unwrap(), 0.4)];
    let ring = Superquadric::Toroid(Supertoroid::new(0.5, 0.2, 0.8, 1.2).unwrap());
    let star = Superquadric::Ellipsoid(Superellipsoid::new([0.6, 0.5, 0.4], 3.0, 2.5).unwrap());
    let mixed = [
        (Shape::from(RoundedMesh::new(Arc::clone(&torus), 0.05).unwrap()), Pose::IDENTITY),
        part(Convex::sphere(0.3).unwrap(), 0.7),
    ];
    vec![
        RoundedMesh::new(torus, 0.1).unwrap().into(),
        Compound::new(hammer).unwrap().into(),
        Compound::new(mixed).unwrap().into(),
        ring.into(),
        SuperquadricShape::from(star).with_margin(0.05).unwrap().into(),
        Convex::superellipsoid(Vec3::new(0.5, 0.4, 0.3), 0.5, 1.5).unwrap().into(),
        Convex::half_space(Vec3::new(0.2, -0.3, 1.0), -0.2).unwrap().into(),
        Convex::half_space(Vec3::new(0.2, -0.3, 1.0), -0.2).unwrap().with_margin(0.1).unwrap().into(),
    ]
}

#[test]
fn batches_of_composed_and_endless_shapes_answer_as_single_questions_do() {
    let shapes = composed();
    let shapes: Vec<ShapeRef<'_>> = shapes.iter().map(Into::into).collect();
    let count = shapes.len() as u32;
    let pairs: Vec<[u32; 2]> = (0..count).flat_map(|i| (i..count).map(move |j| [j, i])).collect();
    let mut random = Random::new(11);
    let poses = poses(&mut random, shapes.len(), 16);
    let [met, near] = check_batch(&shapes, &pairs, &poses);
    assert!(met > 80 && near > 20, "{met} {near}");
}

#[test]
fn contacts_of_composed_and_endless_shapes_in_a_batch_are_those_of_single_questions() {
    let shapes = composed();
    // Depths of exact superquadrics take their time but for those below half-spaces.
    let pairs = [[0, 1], [0, 2], [1, 2], [2, 0], [0, 5], [5, 2], [6, 0], [1, 6], [7, 2], [3, 6], [7, 4], [5, 6]];
    let batch = Batch::new(&shapes, pairs).unwrap();
    let mut random = Random::new(12);
    let poses = poses(&mut random, shapes.len(), 12);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| batch.contacts(&poses, 0.1).unwrap())
    };
    let found = on(1);
    assert!(found == on(2) && found == on(5), "the same bits");
    let mut deep = 0;
    for (row, poses) in poses.chunks(shapes.len()).enumerate() {
        for (pair, &[i, j]) in pairs.iter().enumerate() {
            let [i, j] = [i, j].map(|shape| shape as usize);
            let expected = contact(&shapes[i], &poses[i], &shapes[j], &poses[j], 0.1);
            assert_eq!(found[row * pairs.len() + pair], expected, "{row}: {i} and {j}");
            deep += usize::from(expected.is_some_and(|expected| expected.separation <= 0.0));
        }
    }
    assert!(deep > 40, "{deep}");
}
