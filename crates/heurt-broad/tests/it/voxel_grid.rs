//! The voxel grid against brute force: every pair that shares a voxel or a point, once; bad input.

use heurt_broad::{FaceId, Fill, VoxelGrid, VoxelGridError, VoxelGridOptions, propose_voxel_size};
use heurt_geometry::{Aabb, Triangle, Vec3, triangles_intersect};
use heurt_testkit::number::random::Random;
use std::collections::BTreeSet;

/// An object: its number, whether it moves, its faces.
type Object = (u32, bool, Vec<Triangle>);

const UNIT: Aabb = Aabb { min: Vec3::ZERO, max: Vec3::ONE };

fn id(object: u32, face: u32) -> FaceId {
    FaceId { object, face }
}

fn point(random: &mut Random, low: f64, high: f64) -> Vec3 {
    Vec3::new(random.between(low, high), random.between(low, high), random.between(low, high))
}

/// Faces of the given size within [low, high]³; now and then degenerate, on a lattice, or huge.
fn faces(random: &mut Random, count: usize, (low, high): (f64, f64), size: f64) -> Vec<Triangle> {
    let lattice = |p: Vec3| (p * 8.0).round() / 8.0;
    let one = |random: &mut Random| {
        let at = point(random, low, high);
        let mut face = [at, at + point(random, -size, size), at + point(random, -size, size)];
        match random.whole(0, 9) {
            0 => face[2] = face[1],
            1..=3 => face = face.map(lattice),
            4 => face[1] = at + point(random, -2.0, 2.0),
            _ => (),
        }
        face
    };
    (0..count).map(|_| one(random)).collect()
}

fn grown(face: &Triangle, margin: f64) -> Aabb {
    let bounds = Aabb::from_points(*face);
    Aabb { min: bounds.min - margin, max: bounds.max + margin }
}

/// What a step over `objects` gives: the pairs, and that none came twice or in the wrong order.
fn pairs(grid: &mut VoxelGrid, objects: &[Object], margin: f64) -> BTreeSet<(FaceId, FaceId)> {
    grid.begin_step();
    for (object, moves, faces) in objects {
        if *moves {
            grid.add_moving(*object, faces.iter().copied(), margin).unwrap();
        }
    }
    let mut found = BTreeSet::new();
    let work = grid.for_each_pair(|a, b| {
        assert!(a.object < b.object, "{a:?} {b:?}");
        assert!(found.insert((a, b)), "{a:?} and {b:?} came twice");
    });
    assert_eq!(work.pairs, found.len() as u64);
    found
}

fn with_static(objects: &[Object], bounds: &Aabb, options: VoxelGridOptions) -> VoxelGrid {
    let mut grid = VoxelGrid::new(bounds, options).unwrap();
    for (object, moves, faces) in objects {
        if !*moves {
            grid.add_static(*object, faces.iter().copied(), 0.0).unwrap();
        }
    }
    grid
}

/// All pairs of faces of different objects, not both static, for which `wanted` holds.
fn brute_force(
    objects: &[Object],
    wanted: impl Fn((&Triangle, bool), (&Triangle, bool)) -> bool,
) -> BTreeSet<(FaceId, FaceId)> {
    let mut found = BTreeSet::new();
    for (x, moves_x, faces_x) in objects {
        for (y, moves_y, faces_y) in objects {
            for (i, a) in faces_x.iter().enumerate().filter(|_| x < y && (*moves_x || *moves_y)) {
                for (j, b) in faces_y.iter().enumerate() {
                    if wanted((a, *moves_x), (b, *moves_y)) {
                        found.insert((id(*x, i as u32), id(*y, j as u32)));
                    }
                }
            }
        }
    }
    found
}

/// Every combination of fills, with boxes compared or not.
fn all_options(voxel_size: f64) -> impl Iterator<Item = VoxelGridOptions> {
    [Fill::Box, Fill::Exact].into_iter().flat_map(move |static_fill| {
        [Fill::Box, Fill::Exact].into_iter().flat_map(move |moving_fill| {
            [false, true].map(|compare_boxes| VoxelGridOptions { voxel_size, static_fill, moving_fill, compare_boxes })
        })
    })
}

#[test]
fn two_faces_by_hand() {
    // In voxels of 0.25: the static face lies in voxels x = 0..=3 of row y = 0, z = 0; the moving one in the last of
    // them.
    let floor = [[Vec3::new(0.1, 0.1, 0.1), Vec3::new(0.9, 0.1, 0.1), Vec3::new(0.9, 0.2, 0.1)]];
    let near = [[Vec3::new(0.8, 0.1, 0.2), Vec3::new(0.9, 0.1, 0.2), Vec3::new(0.9, 0.2, 0.2)]];
    let mut grid =
        VoxelGrid::new(&UNIT, VoxelGridOptions { compare_boxes: false, ..VoxelGridOptions::new(0.25) }).unwrap();
    assert_eq!(grid.dims(), [4, 4, 4]);
    grid.add_static(7, floor, 0.0).unwrap();
    let step = |grid: &mut VoxelGrid, faces: &[Triangle]| {
        grid.begin_step();
        grid.add_moving(3, faces.iter().copied(), 0.0).unwrap();
        let mut found = Vec::new();
        let work = grid.for_each_pair(|a, b| found.push((a, b)));
        (found, work.voxels, work.entries)
    };
    assert_eq!(step(&mut grid, &near), (vec![(id(3, 0), id(7, 0))], 1, 1));
    let entries = grid.entries();
    assert_eq!((entries.static_entries, entries.moving_entries), (4, 1));
    // One voxel higher there is nothing, and nothing is left of the step before.
    let above = near.map(|face| face.map(|p| p + Vec3::Z * 0.25));
    assert_eq!(step(&mut grid, &above), (vec![], 1, 0));
    // All four voxels in common: one pair all the same.
    let along = floor.map(|face| face.map(|p| p + Vec3::Z * 0.05));
    assert_eq!(step(&mut grid, &along), (vec![(id(3, 0), id(7, 0))], 4, 4));
}

#[test]
fn boxes_that_are_apart_within_a_voxel_are_dismissed_where_asked_for() {
    let a = [[Vec3::splat(0.1), Vec3::splat(0.2), Vec3::new(0.1, 0.2, 0.1)]];
    let b = [[Vec3::splat(0.7), Vec3::splat(0.8), Vec3::new(0.7, 0.8, 0.7)]];
    for (compare_boxes, margin, expected) in [(false, 0.0, 1), (true, 0.0, 0), (true, 0.2, 0), (true, 0.26, 1)] {
        let options = VoxelGridOptions { compare_boxes, ..VoxelGridOptions::new(1.0) };
        let mut grid = VoxelGrid::new(&UNIT, options).unwrap();
        grid.add_moving(0, a, margin).unwrap();
        grid.add_moving(1, b, margin).unwrap();
        assert_eq!(grid.for_each_pair(|_, _| ()).pairs, expected, "{compare_boxes} {margin}");
    }
}

#[test]
fn the_exact_fill_lists_less_and_never_too_little() {
    // A slanted face through a 16³ grid: its box has all voxels, it passes through about one layer.
    let slanted = [[Vec3::new(0.01, 0.01, 0.5), Vec3::new(0.99, 0.01, 0.01), Vec3::new(0.01, 0.99, 0.99)]];
    let count = |fill: Fill| {
        let options = VoxelGridOptions { static_fill: fill, ..VoxelGridOptions::new(1.0 / 16.0) };
        let mut grid = VoxelGrid::new(&UNIT, options).unwrap();
        grid.add_static(0, slanted, 0.0).unwrap();
        grid.entries().static_entries
    };
    assert_eq!(count(Fill::Box), 4096);
    assert!((16 * 16 / 4..1024).contains(&count(Fill::Exact)), "{}", count(Fill::Exact));
}

/// Tells whether a triangle meets a closed box: it crosses a face of it or has a corner within.
fn meets_box(face: &Triangle, bounds: &Aabb) -> bool {
    let Aabb { min, max } = *bounds;
    let pick = |i: usize, axis: usize| if i >> axis & 1 == 1 { max[axis] } else { min[axis] };
    let corner = |i: usize| Vec3::new(pick(i, 0), pick(i, 1), pick(i, 2));
    let sides = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let halves = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    bounds.contains(face[0]) || halves.into_iter().any(|half| triangles_intersect(face, &half.map(corner)))
}

#[test]
fn the_exact_fill_is_exact() {
    let mut random = Random::new(4);
    let mut listed = 0;
    for round in 0..40 {
        let reach = [0.3, 1.0][round % 2];
        let face = [0; 3].map(|_| Vec3::splat(0.5) + point(&mut random, -0.49, 0.49) * reach);
        let options = VoxelGridOptions { static_fill: Fill::Exact, ..VoxelGridOptions::new(0.125) };
        let mut grid = VoxelGrid::new(&UNIT, options).unwrap();
        grid.add_static(0, [face], 0.0).unwrap();
        let voxel = |i: i32| Vec3::new(f64::from(i % 8), f64::from(i / 8 % 8), f64::from(i / 64)) / 8.0;
        let expected = (0..512).filter(|&i| meets_box(&face, &Aabb { min: voxel(i), max: voxel(i) + 0.125 })).count();
        assert_eq!(grid.entries().static_entries, expected, "{face:?}");
        listed += expected;
    }
    assert!(listed > 500, "{listed}");
}

#[test]
fn faces_that_touch_on_the_border_of_voxels_are_a_pair() {
    // Multiples of a tenth, in voxels of a tenth: what is a corner of voxels in one face is a hair beside it in
    // another.
    let mut random = Random::new(5);
    let tenth = |random: &mut Random| Vec3::from_array([0; 3].map(|_| random.whole(0, 10) as f64 * 0.1));
    let mut touching = 0;
    for _ in 0..3000 {
        let a = [0; 3].map(|_| tenth(&mut random));
        let mut b = [0; 3].map(|_| tenth(&mut random));
        b[0] = a[0].lerp(a[1], 0.5);
        if !triangles_intersect(&a, &b) {
            continue;
        }
        touching += 1;
        for options in all_options(0.1) {
            let mut grid = VoxelGrid::new(&UNIT, options).unwrap();
            grid.add_static(0, [a], 0.0).unwrap();
            grid.add_moving(1, [b], 0.0).unwrap();
            assert_eq!(grid.for_each_pair(|_, _| ()).pairs, 1, "{options:?} {a:?} {b:?}");
        }
    }
    assert!(touching > 1000, "{touching}");
}

#[test]
fn pairs_are_those_of_brute_force() {
    let mut random = Random::new(1);
    for round in 0..60 {
        let size = [0.02, 0.1, 0.4][round % 3];
        let reach = if round % 4 == 0 { (-0.5, 1.5) } else { (0.0, 1.0) };
        let margin = if round % 5 == 0 { 0.05 } else { 0.0 };
        let voxel_size = [0.7, 0.11, 0.0625][(round / 3) % 3];
        let mut objects: Vec<Object> = (0..5u32)
            .map(|object| {
                (object, object % 2 == 1 || round % 2 == 0 && object != 0, faces(&mut random, 25, reach, size))
            })
            .collect();
        let mut grids: Vec<_> = all_options(voxel_size).map(|o| (o, with_static(&objects, &UNIT, o))).collect();
        for _ in 0..3 {
            let margin_of = |moves: bool| if moves { margin } else { 0.0 };
            let boxes = brute_force(&objects, |(a, moves_a), (b, moves_b)| {
                grown(a, margin_of(moves_a)).overlaps(&grown(b, margin_of(moves_b)))
            });
            // Each moving face anywhere within its margin.
            let mut shaken = objects.clone();
            for face in shaken.iter_mut().filter(|object| object.1).flat_map(|object| &mut object.2) {
                let shift = point(&mut random, -1.0, 1.0) * margin;
                *face = face.map(|corner| corner + shift);
            }
            let meeting = brute_force(&shaken, |(a, _), (b, _)| triangles_intersect(a, b));
            for (options, grid) in &mut grids {
                let found = pairs(grid, &objects, margin);
                assert!(meeting.is_subset(&found), "{options:?}: {:?}", meeting.difference(&found).next());
                if options.static_fill == Fill::Box && options.moving_fill == Fill::Box {
                    assert!(boxes.is_subset(&found), "{options:?}: {:?}", boxes.difference(&found).next());
                }
                if options.compare_boxes {
                    // Boxes are compared after rounding to f32: a hair more may pass.
                    let nearly = brute_force(&objects, |(a, moves_a), (b, moves_b)| {
                        grown(a, margin_of(moves_a) + 1e-5).overlaps(&grown(b, margin_of(moves_b) + 1e-5))
                    });
                    assert!(found.is_subset(&nearly), "{options:?}: {:?}", found.difference(&nearly).next());
                }
            }
            for (_, _, moved) in objects.iter_mut().filter(|object| object.1) {
                *moved = faces(&mut random, 25, reach, size);
            }
        }
    }
}

#[test]
fn without_comparing_boxes_pairs_share_a_voxel() {
    let mut random = Random::new(2);
    let objects: Vec<Object> =
        (0..4u32).map(|object| (object, object > 0, faces(&mut random, 60, (0.0, 1.0), 0.05))).collect();
    let options = VoxelGridOptions { compare_boxes: false, ..VoxelGridOptions::new(0.125) };
    let found = pairs(&mut with_static(&objects, &UNIT, options), &objects, 0.0);
    let voxel = |p: Vec3| (p * 8.0).floor().clamp(Vec3::ZERO, Vec3::splat(7.0));
    let range = |face: &Triangle| {
        let bounds = Aabb::from_points(*face);
        Aabb { min: voxel(bounds.min), max: voxel(bounds.max) }
    };
    assert_eq!(found, brute_force(&objects, |(a, _), (b, _)| range(a).overlaps(&range(b))));
    assert!(found.len() > 300);
}

#[test]
fn static_faces_may_come_late_and_steps_may_be_asked_twice() {
    let mut random = Random::new(3);
    let mut objects: Vec<Object> =
        (0..4u32).map(|object| (object, object % 2 == 1, faces(&mut random, 30, (0.0, 1.0), 0.2))).collect();
    let mut grid = with_static(&objects, &UNIT, VoxelGridOptions::new(0.1));
    let first = pairs(&mut grid, &objects, 0.0);
    let mut again = BTreeSet::new();
    grid.for_each_pair(|a, b| assert!(again.insert((a, b))));
    assert_eq!(first, again);
    let late = faces(&mut random, 30, (0.0, 1.0), 0.2);
    grid.add_static(9, late.iter().copied(), 0.0).unwrap();
    objects.push((9, false, late));
    let whole = pairs(&mut with_static(&objects, &UNIT, VoxelGridOptions::new(0.1)), &objects, 0.0);
    assert_eq!(pairs(&mut grid, &objects, 0.0), whole);
    assert!(whole.len() > first.len());
}

#[test]
fn faces_of_one_object_added_in_pieces_are_no_pair() {
    let face = [Vec3::splat(0.1), Vec3::splat(0.2), Vec3::new(0.1, 0.2, 0.1)];
    let mut grid = VoxelGrid::new(&UNIT, VoxelGridOptions::new(0.1)).unwrap();
    grid.add_static(5, [face], 0.0).unwrap();
    grid.add_moving(5, [face], 0.0).unwrap();
    grid.add_moving(5, [face], 0.0).unwrap();
    assert_eq!(grid.for_each_pair(|_, _| ()).pairs, 0);
}

#[test]
fn faces_in_very_many_voxels_are_held_against_all_others() {
    // 64 voxels along each axis: a face across the whole box is in no list, moving or static.
    let across = [Vec3::splat(-1e300), Vec3::splat(1e300), Vec3::new(-1e300, 1e300, 0.5)];
    let small = [Vec3::splat(0.5), Vec3::splat(0.51), Vec3::new(0.5, 0.51, 0.5)];
    for options in all_options(1.0 / 64.0) {
        let mut grid = VoxelGrid::new(&UNIT, options).unwrap();
        grid.add_static(0, [across, small], 0.0).unwrap();
        grid.add_moving(1, [small, across], 0.0).unwrap();
        grid.add_moving(2, [across, small], 0.0).unwrap();
        assert_eq!((grid.entries().static_entries, grid.entries().moving_entries), (1, 2));
        let mut found = BTreeSet::new();
        grid.for_each_pair(|a, b| assert!(found.insert((a, b))));
        assert_eq!(found.len(), 12, "{options:?}");
    }
}

#[test]
fn coordinates_of_any_size_are_placed() {
    let far = [Vec3::splat(f64::MAX), Vec3::splat(-f64::MAX), Vec3::new(f64::MAX, -f64::MAX, 0.0)];
    let corner = [Vec3::splat(f64::MAX); 3];
    for bounds in
        [UNIT, Aabb { min: Vec3::splat(1e308), max: Vec3::splat(1.5e308) }, Aabb { min: Vec3::ZERO, max: Vec3::ZERO }]
    {
        let size = if bounds.max.x > 1.0 { 1e307 } else { 0.1 };
        for options in all_options(size) {
            let mut grid = VoxelGrid::new(&bounds, options).unwrap();
            grid.add_static(0, [far], 0.0).unwrap();
            grid.add_moving(1, [corner], 0.0).unwrap();
            grid.add_moving(2, [far], 1e308).unwrap();
            assert_eq!(grid.for_each_pair(|_, _| ()).pairs, 3, "{options:?}");
        }
    }
}

#[test]
fn bad_grids_are_refused_by_name() {
    let grid = |bounds: Aabb, size: f64| VoxelGrid::new(&bounds, VoxelGridOptions::new(size)).map(|_| ());
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e-324] {
        assert!(matches!(grid(UNIT, size), Err(VoxelGridError::BadVoxelSize { .. })), "{size}");
    }
    assert!(matches!(grid(Aabb::EMPTY, 1.0), Err(VoxelGridError::BadBounds { .. })));
    assert!(matches!(grid(Aabb { min: Vec3::NAN, max: Vec3::ONE }, 1.0), Err(VoxelGridError::BadBounds { .. })));
    let everything = Aabb { min: Vec3::splat(-f64::MAX), max: Vec3::splat(f64::MAX) };
    for (bounds, size) in [(UNIT, 1e-3), (UNIT, 1e-300), (everything, 1.0)] {
        match grid(bounds, size) {
            Err(VoxelGridError::TooManyVoxels { least_size, .. }) if size == 1e-3 => {
                assert_eq!((least_size, grid(bounds, least_size)), (4e-3, Ok(())));
            }
            other => assert!(matches!(other, Err(VoxelGridError::TooManyVoxels { .. })), "{other:?}"),
        }
    }
}

#[test]
fn a_bad_face_leaves_the_grid_as_it_was() {
    let face = [Vec3::splat(0.1), Vec3::splat(0.2), Vec3::new(0.1, 0.2, 0.1)];
    let mut bad = face;
    bad[1].y = f64::NAN;
    let mut grid = VoxelGrid::new(&UNIT, VoxelGridOptions::new(0.1)).unwrap();
    grid.add_static(0, [face], 0.0).unwrap();
    grid.add_moving(1, [face], 0.0).unwrap();
    let before = grid.entries();
    let error = grid.add_moving(2, [face, face, bad], 0.0).unwrap_err();
    assert!(matches!(error, VoxelGridError::NotFinite { object: 2, face: 2, .. }), "{error}");
    let error = grid.add_static(3, [face, bad], 0.0).unwrap_err();
    assert!(matches!(error, VoxelGridError::NotFinite { object: 3, face: 1, .. }), "{error}");
    for margin in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(grid.add_moving(4, [face], margin), Err(VoxelGridError::BadMargin { object: 4, .. })));
    }
    assert_eq!(grid.entries(), before);
    assert_eq!(grid.for_each_pair(|_, _| ()).pairs, 1);
}

#[test]
fn voxel_sizes_are_proposed_from_faces() {
    let face = [Vec3::ZERO, Vec3::X, Vec3::Y * 3.0];
    assert_eq!(propose_voxel_size([face, face.map(|p| p * 3.0)]), Some(6.0));
    assert_eq!(propose_voxel_size([]), None);
    assert_eq!(propose_voxel_size([[Vec3::ONE; 3]]), None);
    assert_eq!(propose_voxel_size([[Vec3::NAN; 3]]), None);
}
