//! Drawing of broad phases: what each structure holds, and that it holds the objects.

use heurt_broad::{
    BroadPhase, BroadPhaseKind, BspTree, Filter, KdTree, Move, NeighbourGrid, Octree, TetBody, TetHash, TetPairs,
    VoxelGrid, VoxelGridOptions, over_partition,
};
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Triangle, Vec2, Vec3};
use heurt_map::Map2;
use heurt_map::multires::ImplicitMap;
use heurt_map::registration::{Environment, Plane};
use heurt_testkit::number::random::Random;

/// Boxes as boxes, and everything else.
#[derive(Debug, Default, PartialEq)]
struct Items {
    boxes: Vec<Aabb>,
    lines: Vec<([Vec3; 2], Meaning)>,
    points: Vec<Vec3>,
    triangles: Vec<Triangle>,
}

impl DrawSink for Items {
    fn draw_point(&mut self, at: Vec3, _: Meaning) {
        self.points.push(at);
    }
    fn draw_line(&mut self, ends: [Vec3; 2], meaning: Meaning) {
        self.lines.push((ends, meaning));
    }
    fn draw_triangle(&mut self, corners: Triangle, _: Meaning) {
        self.triangles.push(corners);
    }
    fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
    fn draw_box(&mut self, bounds: &Aabb, meaning: Meaning) {
        assert_eq!(meaning, Meaning::BroadPhase);
        self.boxes.push(*bounds);
    }
}

fn drawn(phase: &dyn BroadPhase) -> Items {
    let mut items = Items::default();
    phase.draw(&mut items);
    items
}

/// Reports whether a box is in another, up to the rounding to `f32`.
fn is_in(inner: &Aabb, outer: &Aabb) -> bool {
    let slack = Vec3::splat(1e-4);
    inner.min.cmpge(outer.min - slack).all() && inner.max.cmple(outer.max + slack).all()
}

/// Thirty moving boxes and a static one far from the origin, large and small, and an unbounded floor.
fn filled(phase: &mut dyn BroadPhase) -> Vec<Aabb> {
    let mut random = Random::new(71);
    let mut boxes = Vec::new();
    for id in 0..31 {
        let min = Vec3::new(1000.0, 0.0, 0.0) + random.vector(8.0);
        let size = if id == 7 { 6.0 } else { random.between(0.1, 1.0) };
        let bounds = Aabb { min, max: min + size };
        let filter = if id == 30 { Filter::STATIC } else { Filter::MOVING };
        phase.insert(id, &bounds, filter).unwrap();
        boxes.push(bounds);
    }
    let floor = Aabb { min: Vec3::NEG_INFINITY, max: Vec3::new(f64::INFINITY, f64::INFINITY, -20.0) };
    phase.insert(31, &floor, Filter::STATIC).unwrap();
    phase.step();
    // Further steps, as structures change when boxes leave them.
    for step in 0..5 {
        let moves: Vec<Move> = (0..10)
            .map(|id| {
                let bounds = &mut boxes[id as usize];
                let offset = Vec3::new(0.3, 0.01 * f64::from(step), 0.0);
                (bounds.min, bounds.max) = (bounds.min + offset, bounds.max + offset);
                Move { id, bounds: *bounds }
            })
            .collect();
        phase.update(&moves).unwrap();
        phase.step();
    }
    boxes
}

#[test]
fn an_empty_broad_phase_draws_nothing() {
    for kind in BroadPhaseKind::ALL {
        let mut phase = kind.create();
        assert_eq!(drawn(&*phase), Items::default(), "{kind}");
        phase.insert(0, &Aabb { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY }, Filter::MOVING).unwrap();
        phase.step();
        assert!(drawn(&*phase).boxes.is_empty(), "{kind}: an unbounded box is left out");
        phase.remove(0).unwrap();
        phase.step();
        assert_eq!(drawn(&*phase), Items::default(), "{kind}");
    }
}

#[test]
fn every_kind_draws_the_same_in_every_run() {
    for kind in BroadPhaseKind::ALL {
        let (mut one, mut two) = (kind.create(), kind.create());
        filled(&mut *one);
        filled(&mut *two);
        let items = drawn(&*one);
        assert_eq!(items, drawn(&*two), "{kind}");
        assert!(items.boxes.iter().all(|bounds| bounds.min.is_finite() && bounds.max.is_finite()), "{kind}");
    }
}

#[test]
fn brute_force_draws_the_boxes() {
    let mut phase = BroadPhaseKind::BruteForce.create();
    let boxes = filled(&mut *phase);
    let items = drawn(&*phase);
    assert_eq!(items.boxes.len(), boxes.len());
    assert!(boxes.iter().all(|own| items.boxes.iter().any(|found| is_in(own, found) && is_in(found, own))));
}

#[test]
fn sweep_and_prune_draws_boxes_and_three_intervals_each() {
    for kind in [BroadPhaseKind::SweepAndPrune, BroadPhaseKind::SweepAndPruneCubes] {
        let mut phase = kind.create();
        let boxes = filled(&mut *phase);
        let items = drawn(&*phase);
        assert_eq!(items.boxes.len(), boxes.len());
        assert!(boxes.iter().all(|own| items.boxes.iter().any(|found| is_in(own, found))), "{kind}");
        assert_eq!((items.lines.len(), items.points.len()), (3 * boxes.len(), 6 * boxes.len()));
        let corner = items.boxes.iter().fold(Vec3::INFINITY, |least, bounds| least.min(bounds.min));
        for (axis, lines) in items.lines.chunks(boxes.len()).enumerate() {
            for ([a, b], _) in lines {
                let off = *a - corner;
                assert!((0..3).all(|k| k == axis || off[k] == 0.0), "on the edge of axis {axis}");
                assert!(items.boxes.iter().any(|bounds| [bounds.min[axis], bounds.max[axis]] == [a[axis], b[axis]]));
            }
            assert!(lines.is_sorted_by(|x, y| x.0[0][axis] <= y.0[0][axis]), "the order of the list");
        }
    }
}

#[test]
fn planes_separate_the_objects_they_are_drawn_between() {
    let mut phase = BroadPhaseKind::SeparatingPlanes.create();
    let boxes = filled(&mut *phase);
    let items = drawn(&*phase);
    assert!(items.boxes.is_empty());
    let planes: Vec<_> = items.lines.chunks(4).collect();
    assert!((10..=boxes.len()).contains(&planes.len()), "{}", planes.len());
    for plane in planes {
        assert!(plane.iter().all(|(_, meaning)| *meaning == Meaning::Separation));
        let bounds = Aabb::from_points(plane.iter().flat_map(|(ends, _)| *ends));
        let axis = (0..3).find(|&k| bounds.min[k] == bounds.max[k]).expect("a rectangle across an axis");
        let at = bounds.min[axis];
        assert!(boxes.iter().any(|own| own.max[axis] <= at) && boxes.iter().any(|own| own.min[axis] >= at));
    }
}

#[test]
fn the_plane_of_two_boxes_lies_in_the_middle_between_them() {
    let mut phase = BroadPhaseKind::SeparatingPlanes.create();
    let cube = |x: f64| Aabb { min: Vec3::new(x, 0.0, 0.0), max: Vec3::new(x + 1.0, 1.0, 2.0) };
    phase.insert(0, &cube(3.0), Filter::MOVING).unwrap();
    phase.insert(1, &cube(0.0), Filter::MOVING).unwrap();
    phase.step();
    let items = drawn(&*phase);
    assert_eq!(items.lines.len(), 4, "each is nearest to the other: one plane");
    let bounds = Aabb::from_points(items.lines.iter().flat_map(|(ends, _)| *ends));
    assert_eq!(bounds, Aabb { min: Vec3::new(2.0, 0.0, 0.0), max: Vec3::new(2.0, 1.0, 2.0) });
}

#[test]
fn the_tree_draws_a_box_around_every_object_and_around_every_node() {
    let mut phase = BroadPhaseKind::Tree.create();
    let boxes = filled(&mut *phase);
    let items = drawn(&*phase);
    assert!(items.boxes.len() > boxes.len(), "nodes, too");
    assert!(boxes.iter().all(|own| items.boxes.iter().filter(|found| is_in(own, found)).count() >= 1));
}

#[test]
fn grid_and_hash_draw_the_cells_of_all_least_corners() {
    for kind in [BroadPhaseKind::Grid, BroadPhaseKind::Hash] {
        let mut phase = kind.create();
        let boxes = filled(&mut *phase);
        let items = drawn(&*phase);
        assert!((2..=boxes.len()).contains(&items.boxes.len()), "{kind}: {}", items.boxes.len());
        let corner = |own: &Aabb| Aabb { min: own.min, max: own.min };
        assert!(boxes.iter().all(|own| items.boxes.iter().any(|found| is_in(&corner(own), found))), "{kind}");
        for (k, one) in items.boxes.iter().enumerate() {
            assert!(items.boxes[..k].iter().all(|other| other != one), "{kind}: a cell twice");
        }
    }
}

#[test]
fn a_partition_is_drawn_with_floor_plans_and_boxes_outside() {
    let corners = (0..25).map(|k| Vec2::new(f64::from(k % 5), f64::from(k / 5))).collect();
    let streets = Environment::new(ImplicitMap::new(Map2::grid(4, 4).unwrap()), Plane::new(corners).unwrap()).unwrap();
    let mut phase = over_partition(streets, 2).unwrap();
    let cube = |x: f64| Aabb { min: Vec3::new(x, 0.5, 3.0), max: Vec3::new(x + 0.5, 1.0, 4.0) };
    phase.insert(0, &cube(1.0), Filter::MOVING).unwrap();
    phase.insert(1, &cube(30.0), Filter::MOVING).unwrap();
    phase.step();
    let items = drawn(&*phase);
    assert_eq!(items.lines.iter().filter(|(_, meaning)| *meaning == Meaning::Cell).count(), 40);
    assert_eq!(items.triangles.len(), 2);
    assert_eq!(Aabb::from_points(items.triangles.into_iter().flatten()).max, Vec3::new(1.5, 1.0, 0.0));
    assert_eq!(items.boxes, [cube(30.0)]);
}

fn items_of(structure: &dyn Draw) -> Items {
    let mut items = Items::default();
    structure.draw(&mut items);
    items
}

#[test]
fn a_voxel_grid_draws_the_voxels_of_its_faces() {
    let bounds = Aabb { min: Vec3::splat(-4.0), max: Vec3::splat(4.0) };
    let mut grid = VoxelGrid::new(&bounds, VoxelGridOptions::new(0.5)).unwrap();
    assert_eq!(items_of(&grid), Items::default());
    let floor = [[Vec3::new(-1.9, -1.9, 0.1), Vec3::new(1.9, -1.9, 0.1), Vec3::new(0.1, 1.9, 0.1)]];
    grid.add_static(0, floor, 0.0).unwrap();
    let voxels = items_of(&grid).boxes;
    assert_eq!(voxels.len(), 8 * 8, "the voxels of its box");
    grid.begin_step();
    let falling = [[Vec3::new(0.1, 0.1, 0.2), Vec3::new(0.2, 0.1, 0.2), Vec3::new(0.1, 0.1, 0.7)]];
    grid.add_moving(1, falling, 0.0).unwrap();
    let all = items_of(&grid).boxes;
    assert_eq!(all.len(), voxels.len() + 1, "one of its two voxels lists the floor already");
    assert_eq!(all[64], Aabb { min: Vec3::new(0.0, 0.0, 0.5), max: Vec3::new(0.5, 0.5, 1.0) });
    for corner in floor.iter().chain(&falling).flatten() {
        assert!(all.iter().any(|voxel| voxel.contains(*corner)));
    }
}

#[test]
fn proximity_structures_draw_cells_that_hold_their_points() {
    let mut random = Random::new(72);
    let points: Vec<Vec3> = (0..500).map(|_| random.vector(3.0) * Vec3::new(1.0, 0.5, 0.1)).collect();
    let octree = items_of(&Octree::new(&points).unwrap()).boxes;
    let grid = items_of(&NeighbourGrid::new(&points, 0.25).unwrap()).boxes;
    for boxes in [&octree, &grid] {
        assert!(boxes.len() > 10);
        assert!(points.iter().all(|point| boxes.iter().any(|found| is_in(&Aabb { min: *point, max: *point }, found))));
    }
    assert!(octree.iter().all(|cell| points.iter().any(|point| cell.contains(*point))), "no cell is empty");
    assert!(grid.iter().all(|cell| points.iter().any(|point| is_in(&Aabb { min: *point, max: *point }, cell))));
    for none in [&Octree::new(&[]).unwrap() as &dyn Draw, &NeighbourGrid::new(&[], 1.0).unwrap()] {
        assert_eq!(items_of(none), Items::default());
    }
}

#[test]
fn a_k_d_tree_draws_planes_that_halve_their_cells() {
    let mut random = Random::new(73);
    let points: Vec<Vec3> = (0..200).map(|_| random.vector(3.0)).collect();
    let items = items_of(&KdTree::new(&points).unwrap());
    let all = Aabb::from_points(points.iter().copied());
    assert_eq!(items.boxes, [all]);
    let planes: Vec<Aabb> =
        items.lines.chunks(4).map(|four| Aabb::from_points(four.iter().flat_map(|(ends, _)| *ends))).collect();
    // 200 points, halved until 12 or fewer are left: 1 + 2 + 4 + 8 + 8 planes and some more.
    assert!((15..=31).contains(&planes.len()), "{}", planes.len());
    let axis = (0..3).find(|&k| planes[0].min[k] == planes[0].max[k]).unwrap();
    let below = points.iter().filter(|point| point[axis] < planes[0].min[axis]).count();
    assert_eq!(below, 100, "the first plane is at the median");
    assert!(planes.iter().all(|plane| is_in(plane, &all)));
}

#[test]
fn a_partition_draws_each_plane_within_its_cell() {
    let mut random = Random::new(9);
    // Points on both sides of a corner, far from the origin and of any size.
    for scale in [1e-6, 1.0, 1e6] {
        let points: Vec<Vec3> = (0..200).map(|_| (Vec3::splat(9.0) + random.vector(1.0)) * scale).collect();
        let mut items = Items::default();
        BspTree::new(&points).unwrap().draw(&mut items);
        let all = Aabb::from_points(points.iter().copied());
        assert_eq!(items.boxes, [all]);
        assert!(items.lines.len() > 30);
        let room = all.half_extents() * 1e-9;
        for (ends, _) in &items.lines {
            for end in ends {
                let is_in = end.cmpge(all.min - room).all() && end.cmple(all.max + room).all();
                assert!(is_in, "{end} is outside {all:?}");
            }
        }
        // The first plane separates the points into halves.
        let corner = |number: usize| items.lines[number].0[0];
        let normal = (corner(1) - corner(0)).cross(corner(2) - corner(0));
        let above = points.iter().filter(|point| normal.dot(**point - corner(0)) > 0.0).count();
        assert!((99..=101).contains(&above), "{above}");
    }
    let mut items = Items::default();
    BspTree::new(&[]).unwrap().draw(&mut items);
    assert_eq!(items, Items::default());
}

#[test]
fn a_hash_draws_the_cells_that_vertices_lie_in() {
    let points = [[0.1, 0.1, 0.1], [0.9, 0.9, 0.9], [-0.1, 0.1, 0.1], [2.5, 0.0, 0.0]].map(Vec3::from_array);
    let mut hash = TetHash::new(1.0, 64).unwrap();
    let mut items = Items::default();
    hash.draw(&mut items);
    assert_eq!(items, Items::default());
    hash.collide(&[TetBody::new(&points, &[[0, 1, 2, 3]]).unwrap()], TetPairs::Others, |_| {}).unwrap();
    hash.draw(&mut items);
    let corners: Vec<Vec3> = items.boxes.iter().map(|bounds| bounds.min).collect();
    assert_eq!(corners, [Vec3::NEG_X, Vec3::ZERO, Vec3::X * 2.0]);
    assert!(items.boxes.iter().all(|bounds| bounds.max - bounds.min == Vec3::ONE));
}
