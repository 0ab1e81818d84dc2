//! Growth of trees with the depth: cells on the boundary by level; bintrees against octrees; what trees draw by level.

use crate::grid::Grid;
use heurt_geometry::{Aabb, Draw, DrawSink, Meaning, Triangle, Vec2, Vec3};
use heurt_mesh::generate;
use heurt_solid::{
    Bintree, FillRule, LevelCount, Node, Octree, OctreeLevel, OctreeRoot, Quadtree, QuadtreeLevel, SetError,
};
use heurt_testkit::number::random::Random;

/// The least-squares slope of log2 of the cells on the boundary against the level, from a level on.
fn slope(levels: &[LevelCount], first: usize) -> f64 {
    let points: Vec<[f64; 2]> =
        levels.iter().enumerate().skip(first).map(|(k, level)| [k as f64, (level.mixed() as f64).log2()]).collect();
    let mean = [0, 1].map(|k| points.iter().map(|point| point[k]).sum::<f64>() / points.len() as f64);
    let moment = |k: usize| points.iter().map(|point| (point[0] - mean[0]) * (point[k] - mean[k])).sum::<f64>();
    moment(1) / moment(0)
}

#[test]
fn cells_on_the_boundary_grow_like_the_square_in_space_and_linearly_in_the_plane() {
    let mut random = Random::new(50);
    for mesh in [
        generate::icosphere(1.0, 3).unwrap(),
        generate::torus(1.0, 0.4, 32, 16).unwrap(),
        generate::cuboid([0.9, 0.5, 0.7]).unwrap().transformed(&random.pose(1.0)).unwrap(),
    ] {
        let slope = slope(&Octree::of_mesh(&mesh, 8).unwrap().measures().levels, 4);
        assert!((slope - 2.0).abs() < 0.1, "{slope}");
    }
    let circle = (0..200).map(|k| f64::from(k) * std::f64::consts::TAU / 200.0).map(|t| Vec2::new(t.cos(), t.sin()));
    let star = (0..20).map(|k| Vec2::from_angle(f64::from(k) * 0.31).rotate(Vec2::X * f64::from(1 + k % 2)));
    for polygon in [circle.collect(), star.collect::<Vec<_>>()] {
        let slope = slope(&Quadtree::of_polygon(&[polygon], FillRule::NonZero, 12).unwrap().measures().levels, 5);
        assert!((slope - 1.0).abs() < 0.1, "{slope}");
    }
}

#[test]
fn bintrees_and_octrees_convert_into_each_other() {
    let mut random = Random::new(51);
    for round in 0..200 {
        let depth = (round % 5) as u8;
        let mut octree = || Grid::random(&mut random, depth, round % 2 == 0).octree();
        let (a, b) = (octree(), octree());
        let [x, y] = [&a, &b].map(|octree| Bintree::from_octree(octree).unwrap());
        assert_eq!(x.to_octree().unwrap(), a);
        let of = |octree: Result<Octree, SetError>| Bintree::from_octree(&octree.unwrap()).unwrap();
        assert_eq!(x.union(&y).unwrap(), of(a.union(&b)));
        assert_eq!(x.intersection(&y).unwrap(), of(a.intersection(&b)));
        assert_eq!(x.difference(&y).unwrap(), of(a.difference(&b)));
        assert_eq!(x.xor(&y).unwrap(), of(a.xor(&b)));
        assert_eq!(x.complement(), of(Ok(a.complement())));
        assert_eq!(Bintree::from_depth_first_code(x.root(), &x.to_depth_first_code()).unwrap(), x);
        // Leaves: at most as many. Branches: each has one other child.
        let (binary, octal) = (LevelCount::sum(&x.levels()), a.measures().nodes());
        let leaves = |count: LevelCount| count.total() - count.branch;
        assert!(leaves(binary) <= leaves(octal));
        assert_eq!((binary.branch, octal.branch), (leaves(binary) - 1, (leaves(octal) - 1) / 7));
        assert_eq!(binary.total() as usize, x.nodes().len());
    }
}

#[test]
fn bintrees_of_meshes_save_leaves_and_cost_nodes() {
    let ball = Octree::of_mesh(&generate::icosphere(1.0, 3).unwrap(), 6).unwrap();
    let bintree = Bintree::from_octree(&ball).unwrap();
    let (binary, octal) = (LevelCount::sum(&bintree.levels()), ball.measures().nodes());
    let leaves = [binary, octal].map(|count| (count.total() - count.branch) as f64);
    let nodes = [binary.total() as f64, octal.total() as f64];
    assert!(leaves[0] < 0.9 * leaves[1] && nodes[0] > 1.2 * nodes[1], "{leaves:?} leaves, {nodes:?} nodes");
}

#[test]
fn the_deepest_octree_has_a_bintree() {
    let root = OctreeRoot::new(Vec3::ZERO, 1.0, 21).unwrap();
    let code = format!("{}R{}", "(".repeat(21), "V".repeat(7 * 21));
    let octree = Octree::from_depth_first_code(root, &code).unwrap();
    let bintree = Bintree::from_octree(&octree).unwrap();
    assert_eq!((bintree.nodes().len(), bintree.to_octree().unwrap()), (2 * 63 + 1, octree));
    assert_eq!(Bintree::from_octree(&Octree::full(root)).unwrap().nodes(), [Node::Full]);
}

#[derive(Default)]
struct Boxes(Vec<(Aabb, u32)>);

impl DrawSink for Boxes {
    fn draw_point(&mut self, _: Vec3, _: Meaning) {}
    fn draw_line(&mut self, _: [Vec3; 2], _: Meaning) {}
    fn draw_triangle(&mut self, _: Triangle, _: Meaning) {}
    fn draw_text(&mut self, _: Vec3, _: &str, _: Meaning) {}
    fn draw_box(&mut self, bounds: &Aabb, meaning: Meaning) {
        let Meaning::Volume(level) = meaning else { panic!("{meaning:?}") };
        self.0.push((*bounds, level));
    }
}

#[test]
fn trees_draw_their_cells_by_level() {
    let octree = Octree::of_mesh(&generate::icosphere(1.0, 2).unwrap(), 5).unwrap();
    let measures = octree.measures();
    let square = [[0.1, 0.1], [0.8, 0.2], [0.4, 0.9]].map(Vec2::from).to_vec();
    let quadtree = Quadtree::of_polygon(&[square], FillRule::NonZero, 5).unwrap();
    let plane = quadtree.measures();
    for level in 0..=9 {
        let expected = |levels: &[LevelCount]| {
            let last = level.min(levels.len() - 1);
            levels[..=last].iter().map(|level| level.full).sum::<u64>() + levels[last].mixed()
        };
        let (mut boxes, mut flat) = (Boxes::default(), Boxes::default());
        OctreeLevel { octree: &octree, level: level as u8 }.draw(&mut boxes);
        QuadtreeLevel { quadtree: &quadtree, level: level as u8 }.draw(&mut flat);
        assert_eq!(boxes.0.len() as u64, expected(&measures.levels), "level {level}");
        assert_eq!(flat.0.len() as u64, expected(&plane.levels), "level {level}");
        assert!(boxes.0.iter().chain(&flat.0).all(|&(_, drawn)| drawn as usize <= level));
        assert!(flat.0.iter().all(|(bounds, _)| bounds.min.z == 0.0 && bounds.max.z == 0.0));
        // The boxes cover the full and mixed cells, and more above the deepest level.
        let volume: f64 = boxes.0.iter().map(|(bounds, _)| (bounds.max - bounds.min).element_product()).sum();
        assert!(volume >= measures.volume[1] && (level < 5 || volume == measures.volume[1]));
    }
}
