//! The trees of S2 §4 and §6 as a textbook writes them: scalar `f64`, depth first, a triangle a leaf.
//!
//! Rigid objects have a binary tree of oriented boxes: axes from the covariance of the corners (§4.2), halved at the median
//! across the longest side (§4.3). Soft bodies have a binary tree of aligned boxes in the world, halved at the median along the
//! longest side at rest (§6.2) and refitted at each step (§6.3). Of two boxes the larger is opened (§4.1). Aligned boxes are
//! compared by six comparisons, all others by up to fifteen axes, until one parts them (§6.4).
//! In favour of the method: organs, which stand still, have their boxes in the world, where those of soft bodies are, so
//! that no pair of theirs needs a change of frame at all.

use super::jacobi::axes_of;
use super::scene::{Hit, Method, Moment, Scene, corners, placed};
use heurt_geometry::{Mat3, Pose, Triangle, Vec3, triangles_intersect};

/// A node of a binary tree, children next to each other; leaves have the face instead.
#[derive(Clone, Copy)]
pub struct Link {
    /// The first child, or the face.
    pub to: u32,
    /// Whether it is a leaf.
    pub is_leaf: bool,
}

/// An oriented box.
#[derive(Clone, Copy)]
pub struct Oriented {
    axes: Mat3,
    centre: Vec3,
    half: Vec3,
}

/// An aligned box.
#[derive(Clone, Copy)]
pub struct Aligned {
    min: Vec3,
    max: Vec3,
}

/// A tree; the root is node 0.
pub struct Tree<B> {
    /// Node by node; children come after their parents.
    pub boxes: Vec<B>,
    /// Where each node leads.
    pub links: Vec<Link>,
}

/// What a boxes' half sizes grow by, in metres, against rounding.
const SKIN: f64 = 1e-12;

impl Oriented {
    fn around(faces: &[Triangle], of: &[u32]) -> Self {
        Self::along(
            axes_of(of.iter().flat_map(|&face| faces[face as usize])),
            of.iter().flat_map(|&face| faces[face as usize]),
        )
    }

    /// The box along `axes` about points.
    pub fn along(axes: Mat3, points: impl Iterator<Item = Vec3>) -> Self {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for point in points {
            let local = axes.transpose() * point;
            (low, high) = (low.min(local), high.max(local));
        }
        Self { axes, centre: axes * ((low + high) * 0.5), half: (high - low) * 0.5 + SKIN }
    }

    /// The eight corners.
    pub fn corners(&self) -> [Vec3; 8] {
        let side = |bit: usize, k: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
        std::array::from_fn(|k| self.centre + self.axes * (self.half * Vec3::new(side(0, k), side(1, k), side(2, k))))
    }

    /// The box under a pose.
    pub fn placed(&self, pose: &Pose) -> Self {
        Self { axes: *pose.rotation() * self.axes, centre: pose.place(self.centre), half: self.half + SKIN }
    }

    /// An eighth of the surface.
    pub fn size(&self) -> f64 {
        self.half.x * self.half.y + self.half.y * self.half.z + self.half.z * self.half.x
    }

    /// Fifteen axes; another box in this one's frame by `turn` and `between`.
    fn parted(&self, half: Vec3, turn: &[[f64; 3]; 3], between: [f64; 3]) -> bool {
        let (a, b) = (self.half.to_array(), half.to_array());
        let mut size = [[0.0; 3]; 3];
        for i in 0..3 {
            for j in 0..3 {
                size[i][j] = turn[i][j].abs() + SKIN;
            }
            if between[i].abs() > a[i] + b[0] * size[i][0] + b[1] * size[i][1] + b[2] * size[i][2] {
                return true;
            }
        }
        for j in 0..3 {
            let along = between[0] * turn[0][j] + between[1] * turn[1][j] + between[2] * turn[2][j];
            if along.abs() > b[j] + a[0] * size[0][j] + a[1] * size[1][j] + a[2] * size[2][j] {
                return true;
            }
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let along = between[i2] * turn[i1][j] - between[i1] * turn[i2][j];
                let reach = a[i1] * size[i2][j] + a[i2] * size[i1][j] + b[j1] * size[i][j2] + b[j2] * size[i][j1];
                if along.abs() > reach {
                    return true;
                }
            }
        }
        false
    }

    /// Tells whether the boxes have nothing in common.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        let turn = self.axes.transpose() * other.axes;
        let between = self.axes.transpose() * (other.centre - self.centre);
        let columns = turn.to_cols_array_2d();
        let rows = [0, 1, 2].map(|i| [columns[0][i], columns[1][i], columns[2][i]]);
        self.parted(other.half, &rows, between.to_array())
    }

    /// Against a box aligned to the world: this one's axes are the whole change of frame.
    fn is_disjoint_from_aligned(&self, other: &Aligned) -> bool {
        let between = self.axes.transpose() * ((other.min + other.max) * 0.5 - self.centre);
        self.parted((other.max - other.min) * 0.5, &self.axes.to_cols_array_2d(), between.to_array())
    }
}

impl Aligned {
    fn around(faces: &[Triangle], of: &[u32]) -> Self {
        let corners = || of.iter().flat_map(|&face| faces[face as usize]);
        Self { min: corners().fold(Vec3::INFINITY, Vec3::min), max: corners().fold(Vec3::NEG_INFINITY, Vec3::max) }
    }

    fn size(&self) -> f64 {
        let side = (self.max - self.min) * 0.5;
        side.x * side.y + side.y * side.z + side.z * side.x
    }

    /// Six comparisons.
    #[inline(always)]
    fn is_disjoint(&self, other: &Self) -> bool {
        self.min.x > other.max.x
            || other.min.x > self.max.x
            || self.min.y > other.max.y
            || other.min.y > self.max.y
            || self.min.z > other.max.z
            || other.min.z > self.max.z
    }
}

impl<B> Tree<B> {
    /// Halves at the median across the longest side of each box, down to single faces.
    fn new(faces: &[Triangle], around: impl Fn(&[Triangle], &[u32]) -> (B, Vec3)) -> Self {
        let mut order: Vec<u32> = (0..faces.len() as u32).collect();
        let mut tree = Self { boxes: Vec::new(), links: Vec::new() };
        let mut open = vec![(0usize, 0..faces.len())];
        let (root, direction) = around(faces, &order);
        tree.boxes.push(root);
        tree.links.push(Link { to: 0, is_leaf: true });
        let mut directions = vec![direction];
        while let Some((node, range)) = open.pop() {
            let group = &mut order[range.clone()];
            if group.len() == 1 {
                tree.links[node] = Link { to: group[0], is_leaf: true };
                continue;
            }
            let along = |face: &u32| {
                let [a, b, c] = faces[*face as usize];
                directions[node].dot(a + b + c)
            };
            let half = group.len() / 2;
            group.select_nth_unstable_by(half, |x, y| along(x).total_cmp(&along(y)).then(x.cmp(y)));
            let first = tree.boxes.len();
            tree.links[node] = Link { to: first as u32, is_leaf: false };
            let middle = range.start + half;
            for (child, range) in [range.start..middle, middle..range.end].into_iter().enumerate() {
                let (bounds, direction) = around(faces, &order[range.clone()]);
                tree.boxes.push(bounds);
                tree.links.push(Link { to: 0, is_leaf: true });
                directions.push(direction);
                open.push((first + child, range));
            }
        }
        tree
    }
}

impl Tree<Oriented> {
    /// Oriented boxes (S2 §4.2, §4.3).
    pub fn oriented(faces: &[Triangle]) -> Self {
        Self::new(faces, |faces, of| {
            let bounds = Oriented::around(faces, of);
            let half = bounds.half.to_array();
            let longest = (0..3).fold(0, |best, k| if half[k] > half[best] { k } else { best });
            (bounds, bounds.axes.col(longest))
        })
    }
}

impl Tree<Aligned> {
    fn aligned(faces: &[Triangle]) -> Self {
        Self::new(faces, |faces, of| {
            let bounds = Aligned::around(faces, of);
            let side = (bounds.max - bounds.min).to_array();
            let longest = (0..3).fold(0, |best, k| if side[k] > side[best] { k } else { best });
            (bounds, [Vec3::X, Vec3::Y, Vec3::Z][longest])
        })
    }

    /// From the leaves up; children come after their parents.
    fn refit(&mut self, vertices: &[Vec3], triangles: &[[u32; 3]]) {
        for node in (0..self.links.len()).rev() {
            let Link { to, is_leaf } = self.links[node];
            self.boxes[node] = if is_leaf {
                let [a, b, c] = corners(vertices, triangles[to as usize]);
                Aligned { min: least(a, least(b, c)), max: most(a, most(b, c)) }
            } else {
                let (left, right) = (self.boxes[to as usize], self.boxes[to as usize + 1]);
                Aligned { min: least(left.min, right.min), max: most(left.max, right.max) }
            };
        }
    }
}

/// `f64::min` minds `NaN`, which costs.
#[inline(always)]
fn least(a: Vec3, b: Vec3) -> Vec3 {
    let of = |x: f64, y: f64| if x < y { x } else { y };
    Vec3::new(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z))
}

#[inline(always)]
fn most(a: Vec3, b: Vec3) -> Vec3 {
    let of = |x: f64, y: f64| if x > y { x } else { y };
    Vec3::new(of(a.x, b.x), of(a.y, b.y), of(a.z, b.z))
}

/// Walks two trees. `place` gives a box of the first as the walk needs it.
pub fn walk<A: Copy, B>(
    (a, place): (&Tree<A>, impl Fn(&A) -> A),
    b: &Tree<B>,
    is_disjoint: impl Fn(&A, &B) -> bool,
    opens_a: impl Fn(&A, &B) -> bool,
    stack: &mut Vec<(u32, A, u32)>,
    mut leaves: impl FnMut(u32, u32),
) {
    stack.clear();
    stack.push((0, place(&a.boxes[0]), 0));
    while let Some((x, box_x, y)) = stack.pop() {
        let box_y = &b.boxes[y as usize];
        if is_disjoint(&box_x, box_y) {
            continue;
        }
        let (link_x, link_y) = (a.links[x as usize], b.links[y as usize]);
        if link_x.is_leaf && link_y.is_leaf {
            leaves(link_x.to, link_y.to);
        } else if link_y.is_leaf || !link_x.is_leaf && opens_a(&box_x, box_y) {
            stack.push((link_x.to + 1, place(&a.boxes[link_x.to as usize + 1]), y));
            stack.push((link_x.to, place(&a.boxes[link_x.to as usize]), y));
        } else {
            stack.push((x, box_x, link_y.to + 1));
            stack.push((x, box_x, link_y.to));
        }
    }
}

/// All trees of a scene.
pub struct Textbook<'a> {
    scene: &'a Scene,
    /// Trees and faces of the organs, in the world.
    organs: Vec<(Tree<Oriented>, Vec<Triangle>)>,
    /// The tree of the instrument, in its own frame.
    instrument: Tree<Oriented>,
    /// Its faces in the world.
    shaft: Vec<Triangle>,
    soft: Vec<Tree<Aligned>>,
    stack: Vec<(u32, Oriented, u32)>,
    soft_stack: Vec<(u32, Aligned, u32)>,
}

impl<'a> Textbook<'a> {
    /// Builds all trees.
    pub fn new(scene: &'a Scene) -> Self {
        let soft = scene.soft.iter().map(|mesh| Tree::aligned(&placed(mesh, &Pose::IDENTITY)));
        Self {
            scene,
            organs: scene.placed_organs().into_iter().map(|faces| (Tree::oriented(&faces), faces)).collect(),
            instrument: Tree::oriented(&placed(&scene.instrument, &Pose::IDENTITY)),
            shaft: Vec::new(),
            soft: soft.collect(),
            stack: Vec::new(),
            soft_stack: Vec::new(),
        }
    }
}

impl Method for Textbook<'_> {
    fn update(&mut self, moment: &Moment) {
        self.shaft = placed(&self.scene.instrument, &moment.instrument);
        for (body, tree) in self.soft.iter_mut().enumerate() {
            tree.refit(&moment.soft[body], self.scene.soft[body].triangles());
        }
    }

    fn detect(&mut self, moment: &Moment, found: &mut Vec<Hit>) {
        let Self { scene, organs, instrument, shaft, soft, stack, soft_stack } = self;
        let as_it_is = |bounds: &Oriented| *bounds;
        let moved = |bounds: &Oriented| bounds.placed(&moment.instrument);
        let larger = |x: &Oriented, y: &Aligned| x.size() > y.size();
        let shaft_id = scene.instrument_id();
        for (organ, (tree, faces)) in organs.iter().enumerate() {
            let objects = [organ as u32, shaft_id];
            walk(
                (instrument, moved),
                tree,
                Oriented::is_disjoint,
                |x, y| x.size() > y.size(),
                stack,
                |x, y| {
                    if triangles_intersect(&faces[y as usize], &shaft[x as usize]) {
                        found.push(Hit { objects, faces: [y, x] });
                    }
                },
            );
        }
        for (body, tree) in soft.iter().enumerate() {
            let id = scene.soft_id(body);
            let triangles = scene.soft[body].triangles();
            let face_of = |face: u32| corners(&moment.soft[body], triangles[face as usize]);
            for (organ, (of_organ, faces)) in organs.iter().enumerate() {
                let objects = [organ as u32, id];
                walk((of_organ, as_it_is), tree, Oriented::is_disjoint_from_aligned, larger, stack, |x, y| {
                    if triangles_intersect(&faces[x as usize], &face_of(y)) {
                        found.push(Hit { objects, faces: [x, y] });
                    }
                });
            }
            walk((instrument, moved), tree, Oriented::is_disjoint_from_aligned, larger, stack, |x, y| {
                if triangles_intersect(&shaft[x as usize], &face_of(y)) {
                    found.push(Hit { objects: [shaft_id, id], faces: [x, y] });
                }
            });
            for (other, of_other) in soft.iter().enumerate().take(if scene.mutual { body } else { 0 }) {
                let triangles = scene.soft[other].triangles();
                let objects = [scene.soft_id(other), id];
                let larger = |x: &Aligned, y: &Aligned| x.size() > y.size();
                walk((of_other, |x| *x), tree, Aligned::is_disjoint, larger, soft_stack, |x, y| {
                    if triangles_intersect(&corners(&moment.soft[other], triangles[x as usize]), &face_of(y)) {
                        found.push(Hit { objects, faces: [x, y] });
                    }
                });
            }
        }
    }
}
