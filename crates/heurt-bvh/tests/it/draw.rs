//! Drawing of trees: outlines of each volume by hand, levels, and edges of polytopes against their faces.

use crate::sheets::{Mesh, for_every_volume, sheet};
use heurt_bvh::volume::BoundingVolume;
use heurt_bvh::{
    Aabb32, AabbSlab, Bvh, KDop14, KDop18, KDop26, MAX_LINES, Obb, PrimitiveSource, Rss, Sphere, TreeLevel,
};
use heurt_geometry::{Aabb, Meaning, Vec3};
use heurt_testkit::drawing::Drawing;
use heurt_testkit::number::random::Random;

/// Points as one primitive.
struct Points(Vec<Vec3>);

impl PrimitiveSource for Points {
    fn len(&self) -> usize {
        1
    }
    fn points(&self) -> &[Vec3] {
        &self.0
    }
    fn corners(&self, _: u32) -> impl IntoIterator<Item = u32> {
        0..self.0.len() as u32
    }
}

fn outline<V: BoundingVolume>(points: &[Vec3]) -> Drawing {
    let tree = Bvh::<V, 8>::new(&Points(points.to_vec())).unwrap();
    let drawing = Drawing::of(&tree);
    assert!(drawing.lines.iter().all(|(_, meaning)| *meaning == Meaning::Volume(0)), "one leaf is the root");
    assert!(drawing.lines.len() <= MAX_LINES);
    drawing
}

fn cube() -> Vec<Vec3> {
    Aabb { min: Vec3::new(4.0, 6.0, 8.0), max: Vec3::new(6.0, 8.0, 10.0) }.corners().into()
}

fn lengths(drawing: &Drawing) -> Vec<f64> {
    drawing.lines.iter().map(|([a, b], _)| a.distance(*b)).collect()
}

#[test]
fn a_cube_has_twelve_edges_in_every_box_and_polytope() {
    let drawings = [
        outline::<Aabb32>(&cube()),
        outline::<AabbSlab>(&cube()),
        outline::<Obb>(&cube()),
        outline::<KDop14>(&cube()),
        outline::<KDop18>(&cube()),
        outline::<KDop26>(&cube()),
    ];
    for drawing in drawings {
        assert_eq!(drawing.lines.len(), 12);
        assert!(lengths(&drawing).iter().all(|length| (length - 2.0).abs() < 1e-5), "{:?}", lengths(&drawing));
        for corner in cube() {
            let ends = drawing.places().iter().filter(|end| end.distance(corner) < 1e-5).count();
            assert_eq!(ends, 3, "three edges at {corner}");
        }
    }
}

#[test]
fn an_octahedron_has_twelve_edges_as_a_polytope_with_corners() {
    let points = [Vec3::X, Vec3::Y, Vec3::Z].iter().flat_map(|&axis| [axis, -axis]).collect::<Vec<_>>();
    for drawing in [outline::<KDop14>(&points), outline::<KDop26>(&points)] {
        assert_eq!(drawing.lines.len(), 12);
        assert!(lengths(&drawing).iter().all(|length| (length - 2f64.sqrt()).abs() < 1e-5));
    }
    // The directions of the edges alone give a rhombic dodecahedron, cut at none of its corners.
    assert_eq!(outline::<KDop18>(&points).lines.len(), 24);
}

#[test]
fn spheres_are_three_circles() {
    let drawing = outline::<Sphere>(&cube());
    assert_eq!(drawing.lines.len(), 72);
    let (centre, radius) = (Vec3::new(5.0, 7.0, 9.0), 3f64.sqrt());
    assert!(drawing.places().iter().all(|end| (end.distance(centre) - radius).abs() < 1e-4));
    assert!(lengths(&drawing).iter().all(|length| (length - radius * 0.261).abs() < 1e-3), "15° each");
}

#[test]
fn swept_rectangles_are_drawn_at_their_radius() {
    let half = Vec3::new(4.0, 2.0, 1.0);
    let points: Vec<Vec3> = Aabb { min: -half, max: half }.corners().into();
    let drawing = outline::<Rss>(&points);
    assert_eq!(drawing.lines.len(), 28 + 26 + 26, "the rectangle has no thickness");
    let tree = Bvh::<Rss, 8>::new(&Points(points)).unwrap();
    let (Rss { core, radius }, frame) = (tree.root_volume(), *tree.frame());
    for end in drawing.places() {
        let off = frame.to_local(end) - Vec3::from_array(core.centre.map(f64::from));
        let beyond = [0, 1, 2].map(|j| {
            let along = Vec3::from_array(core.axes[j].map(f64::from)).dot(off);
            (along.abs() - f64::from(core.half[j])).max(0.0)
        });
        assert!((Vec3::from_array(beyond).length() - f64::from(radius)).abs() < 1e-6);
    }
}

#[test]
fn degenerate_volumes_are_points_and_rectangles() {
    assert_eq!(outline::<KDop26>(&[Vec3::ONE; 3]).points.len(), 1);
    assert_eq!(outline::<KDop14>(&[Vec3::ONE; 3]).points[0], (Vec3::ONE, Meaning::Volume(0)));
    assert!(!outline::<Sphere>(&[Vec3::ONE; 3]).places().is_empty());
    let flat = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
    for drawing in [outline::<KDop14>(&flat), outline::<KDop18>(&flat), outline::<KDop26>(&flat)] {
        assert!(drawing.places().iter().all(|end| end.z.abs() < 1e-5));
        assert!((4..=8).contains(&drawing.lines.len()), "{}", drawing.lines.len());
    }
}

/// Checks the edges of a polytope of random points: they lie in two faces and in no face's outside, their corners join
/// three edges each, and Euler's formula holds.
fn edges_are_those_of_faces<V: BoundingVolume>(directions: &[Vec3]) {
    let mut random = Random::new(61);
    for _ in 0..200 {
        let points: Vec<Vec3> = (0..40).map(|_| random.vector(1.0) * Vec3::new(1.0, 0.7, 0.4)).collect();
        let drawing = outline::<V>(&points);
        let reach = |n: Vec3| points.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max);
        let faces: Vec<(Vec3, f64)> = directions.iter().flat_map(|&n| [n, -n]).map(|n| (n, reach(n))).collect();
        let on = |p: Vec3| faces.iter().filter(|(n, reach)| (n.dot(p) - reach).abs() < 3e-5).count();
        let mut corners: Vec<(Vec3, usize)> = Vec::new();
        for ([a, b], _) in &drawing.lines {
            assert!(on((*a + *b) * 0.5) >= 2, "an edge lies in two faces");
            for &end in [a, b] {
                assert!(faces.iter().all(|(n, reach)| n.dot(end) < reach + 3e-5));
                match corners.iter_mut().find(|(corner, _)| corner.distance(end) < 1e-4) {
                    Some((_, count)) => *count += 1,
                    None => corners.push((end, 1)),
                }
            }
        }
        // An edge shorter than the distance by which corners are merged spoils the count.
        if lengths(&drawing).iter().any(|&length| length < 1e-3) {
            continue;
        }
        assert!(corners.iter().all(|(_, count)| *count >= 3), "{corners:?}");
        let drawn = |&&(n, reach): &&(Vec3, f64)| {
            drawing.lines.iter().filter(|(ends, _)| ends.iter().all(|p| (n.dot(*p) - reach).abs() < 3e-5)).count() >= 3
        };
        let faces = faces.iter().filter(drawn).count();
        assert_eq!(corners.len() + faces, drawing.lines.len() + 2, "Euler's formula");
    }
}

#[test]
fn edges_of_polytopes_are_those_of_their_faces() {
    let signs = [-1.0, 0.0, 1.0];
    let all = signs.iter().flat_map(|&x| signs.iter().flat_map(move |&y| signs.map(|z| Vec3::new(x, y, z))));
    let is_first = |n: &Vec3| n.to_array().into_iter().find(|x| *x != 0.0) == Some(1.0);
    let half: Vec<Vec3> = all.filter(is_first).collect();
    let of =
        |sizes: &[f64]| -> Vec<Vec3> { half.iter().copied().filter(|n| sizes.contains(&n.length_squared())).collect() };
    edges_are_those_of_faces::<KDop14>(&of(&[1.0, 3.0]));
    edges_are_those_of_faces::<KDop18>(&of(&[1.0, 2.0]));
    edges_are_those_of_faces::<KDop26>(&of(&[1.0, 2.0, 3.0]));
}

/// Counts the volumes of a drawing by the changes of meaning in lines of boxes.
fn boxes(drawing: &Drawing, depth: u32) -> usize {
    drawing.lines_of(Meaning::Volume(depth)) / 12
}

#[test]
fn levels_hold_the_volumes_of_their_depth_and_the_leaves_above() {
    let mut random = Random::new(62);
    let mesh = sheet(12, &mut random);
    let tree = Bvh::<Aabb32, 4>::new(&mesh).unwrap();
    let (all, levels) = (Drawing::of(&tree), tree.levels());
    let mut volumes = 0;
    tree.for_each_volume(|_, _| volumes += 1);
    assert_eq!(all.lines.len(), 12 * volumes);
    assert!(levels >= 3 && boxes(&all, levels - 1) > 0 && boxes(&all, levels) == 0);
    let mut leaves_above = 0;
    for level in 0..levels {
        let drawing = Drawing::of(&TreeLevel { tree: &tree, level });
        assert_eq!(boxes(&drawing, level), boxes(&all, level), "all volumes of the level");
        assert!((level + 1..levels).all(|deeper| boxes(&drawing, deeper) == 0));
        let above: usize = (0..level).map(|depth| boxes(&drawing, depth)).sum();
        assert!(above >= leaves_above, "leaves stay");
        leaves_above = above;
        // The level covers the mesh.
        let bounds = Aabb::from_points(drawing.places());
        assert!(mesh.points().iter().all(|&point| bounds.contains(point)));
    }
    let leaves = Drawing::of(&TreeLevel { tree: &tree, level: u32::MAX });
    assert_eq!(leaves.lines.len(), 12 * tree.stats().leaves);
}

fn outlines_surround_the_points<V: BoundingVolume>(mesh: &Mesh) {
    let tree = Bvh::<V, 8>::new(mesh).unwrap();
    let drawing = Drawing::of(&TreeLevel { tree: &tree, level: 1 });
    assert_eq!(drawing, Drawing::of(&TreeLevel { tree: &tree, level: 1 }), "the same in every run");
    let (drawn, points) = (Aabb::from_points(drawing.places()), Aabb::from_points(mesh.points().iter().copied()));
    // A swept rectangle is drawn in three planes, which miss its extreme points along the axes of the world.
    let is_swept = V::KIND == <Rss as BoundingVolume>::KIND;
    let slack = if is_swept { 0.5 } else { 1e-4 } * points.half_extents().max_element();
    assert!(
        (drawn.min - slack).cmple(points.min).all() && (drawn.max + slack).cmpge(points.max).all(),
        "kind {}: {drawn:?} {points:?}",
        V::KIND
    );
    assert!((drawn.max - drawn.min).max_element() < 4.0 * (points.max - points.min).max_element());
}

#[test]
fn outlines_are_in_metres_in_the_frame_of_the_primitives() {
    let mut random = Random::new(63);
    for (scale, offset) in [(1.0, Vec3::ZERO), (1e-9, Vec3::ONE), (1e200, Vec3::splat(1e200)), (1.0, Vec3::splat(1e6))]
    {
        let mesh = sheet(6, &mut random).moved(|p| p * scale + offset);
        for_every_volume!(outlines_surround_the_points, &mesh);
    }
}
