//! Dipole hierarchy over the triangles of a mesh, for its generalised winding number.
//!
//! In: the triangles of a mesh in the order of its tree. Out: [`WindingTree`]: nodes with the sum of the area vectors
//! of their triangles ([`Dipole`]), in a unit in which the mesh measures approximately 1.
//! Method: Barill et al. 2018 ("Fast winding numbers for soups and clouds"), of first order. The order of the tree is
//! already spatial, so that the nodes are runs of [`WindingTree::LEAF`] triangles, and above them runs of
//! [`WindingTree::FANOUT`] nodes. The source opens a node by a ratio of distances; here each node has a moment that
//! bounds the error of its dipole.
//! Guarantees: for a point q at a distance R from `centre`, more than `radius`, the winding number of the triangles
//! below differs from n · (c − q) / (4π R³) by at most `moment` / (2π (R − radius)³), excluding rounding: with D(x) =
//! (x − q) / |x − q|³, whose derivative is at most 2 / |x − q|³ in norm, the difference is at most ∫ |D(x) − D(c)| dA /
//! 4π, and `moment` is at least ∫ |x − c| dA.
//! Cost: linear, 72 bytes for each 6 triangles.

use crate::once::get_or_make_unlocked;
use crate::{MeshShape, Solidity};
use heurt_geometry::{Triangle, Vec3, power_of_two_scale};
use std::sync::Arc;

/// The far field of some triangles.
#[derive(Debug, Clone, Copy)]
pub struct Dipole {
    /// The mean of the triangles, weighted with their areas, relative to [`WindingTree::origin`].
    pub centre: Vec3,
    /// The sum of their area vectors.
    pub normal: Vec3,
    /// Maximum distance of a corner from the centre.
    pub radius: f64,
    /// An upper bound of the integral of the distance from the centre over all triangles.
    pub moment: f64,
    /// The sum of their areas.
    pub area: f64,
}

/// The hierarchy.
#[derive(Debug, Clone)]
pub struct WindingTree {
    origin: Vec3,
    unit: f64,
    triangles: Vec<u32>,
    /// The leaves first, the root last.
    levels: Vec<Vec<Dipole>>,
}

impl WindingTree {
    /// Triangles below a node of the lowest level: as many as a leaf of the tree has at most.
    pub const LEAF: usize = 8;
    /// Nodes below a node of a higher level: a wider node is opened more often for one of its children.
    pub const FANOUT: usize = 4;

    fn new(shape: &MeshShape) -> Self {
        let bounds = shape.bounds();
        let (origin, unit) = (bounds.centre(), power_of_two_scale(bounds.half_extents().max_element()));
        let mut triangles = Vec::with_capacity(shape.mesh().triangles().len());
        shape.tree().for_each_leaf(|leaf| triangles.extend_from_slice(shape.tree().primitives(leaf)));
        let place = |&triangle: &u32| shape.mesh().corners(triangle).map(|corner| (corner - origin) * unit);
        let leaf = |triangles: &[u32]| of_triangles(&triangles.iter().map(place).collect::<Vec<_>>());
        let mut levels: Vec<Vec<Dipole>> = vec![triangles.chunks(Self::LEAF).map(leaf).collect()];
        while levels[levels.len() - 1].len() > 1 {
            let above = levels[levels.len() - 1].chunks(Self::FANOUT).map(of_nodes).collect();
            levels.push(above);
        }
        Self { origin, unit, triangles, levels }
    }

    /// Returns the point of the mesh that nodes are relative to.
    pub fn origin(&self) -> Vec3 {
        self.origin
    }

    /// Returns the length of a metre in the units of the nodes.
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Returns the nodes of all levels, the leaves first; the last level is the root.
    pub fn levels(&self) -> &[Vec<Dipole>] {
        &self.levels
    }

    /// Returns the triangles below a node of the lowest level.
    pub fn triangles_of(&self, leaf: usize) -> &[u32] {
        let from = leaf * Self::LEAF;
        &self.triangles[from..self.triangles.len().min(from + Self::LEAF)]
    }
}

fn of_triangles(triangles: &[Triangle]) -> Dipole {
    let mut sum = Dipole { centre: Vec3::ZERO, normal: Vec3::ZERO, radius: 0.0, moment: 0.0, area: 0.0 };
    let area_vector = |[a, b, c]: &Triangle| (*b - *a).cross(*c - *a) * 0.5;
    for triangle in triangles {
        let of_triangle = area_vector(triangle);
        let area = of_triangle.length();
        sum.normal += of_triangle;
        sum.centre += triangle.iter().copied().sum::<Vec3>() * (area / 3.0);
        sum.area += area;
    }
    // Without an area the first corner serves as the centre.
    sum.centre = if sum.area > 0.0 { sum.centre / sum.area } else { triangles[0][0] };
    for triangle in triangles {
        // A distance is convex: its mean over a triangle is at most its mean over the corners.
        let distances = triangle.map(|corner| (corner - sum.centre).length());
        sum.moment += area_vector(triangle).length() * distances.iter().sum::<f64>() / 3.0;
        sum.radius = distances.into_iter().fold(sum.radius, f64::max);
    }
    sum
}

fn of_nodes(nodes: &[Dipole]) -> Dipole {
    let area: f64 = nodes.iter().map(|node| node.area).sum();
    let weighted: Vec3 = nodes.iter().map(|node| node.centre * node.area).sum();
    let centre = if area > 0.0 { weighted / area } else { nodes[0].centre };
    let mut sum = Dipole { centre, normal: Vec3::ZERO, radius: 0.0, moment: 0.0, area };
    for node in nodes {
        let offset = (node.centre - centre).length();
        sum.normal += node.normal;
        sum.radius = sum.radius.max(offset + node.radius);
        sum.moment += node.moment + offset * node.area;
    }
    sum
}

impl MeshShape {
    /// Returns the dipole hierarchy of the mesh, built in linear time at the first call; a deformation discards it.
    pub fn winding_tree(&self) -> &WindingTree {
        let tree: &Arc<WindingTree> = get_or_make_unlocked(&self.windings, || Arc::new(WindingTree::new(self)));
        tree
    }

    /// Reports whether the inside of the shape is decided exactly: not so if it is [`Solidity::Winding`].
    #[inline(always)]
    pub fn is_exact(&self) -> bool {
        self.solidity != Solidity::Winding
    }

    /// Reports whether the shape has an inside that is decided exactly.
    #[inline(always)]
    pub fn is_exact_solid(&self) -> bool {
        self.solidity == Solidity::Solid
    }
}
