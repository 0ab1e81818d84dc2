//! Exact evaluation of polyhedral trees as disjoint convex pieces.
//!
//! In: a tree whose leaves are half-spaces, convex hulls, convex meshes and compounds of them. Out: [`ExactPieces`]:
//! convex polytopes with disjoint interiors, their meshes, and the exact volume.
//! Method: S3 slide 22. A node is a list of disjoint convex pieces. A − B of two pieces, B with the planes h₁ … hₙ, is
//! the union of A ∩ h₁ ∩ … ∩ hₖ₋₁ ∩ ¬hₖ over k. A ∪ B is A and B − A. An unbounded set is represented within a cube
//! that contains all common points of three planes of the tree (`polytope`); a result that touches the cube is
//! unbounded. Maps are applied to the planes in exact arithmetic.
//! Guarantees: exact in the `f64` numbers of leaves and maps, and regularised: pieces are solid. Coordinates are
//! rounded in meshes only.
//! Cost: the number of pieces can grow with the product of the numbers of planes of overlapping operands.

use super::exact_leaf::leaf_cells;
use super::{Csg, CsgError, CsgNode};
use crate::csg::bounds::are_disjoint;
use crate::polytope::{ExactPlane, Polytope, cube_bits};
use heurt_geometry::{Aabb, Sign, Vec3};
use heurt_mesh::TriMesh;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::sync::Arc;

/// The greatest number of pieces of a node.
const MAX_PIECES: usize = 1 << 16;

/// A convex cell by its planes.
pub(super) type Cell = Vec<Arc<ExactPlane>>;

/// A solid polytope with its facet planes and a box around it.
#[derive(Debug, Clone)]
struct Piece {
    polytope: Polytope,
    planes: Cell,
    bounds: Aabb,
}

/// A polyhedral solid as convex polytopes with disjoint interiors.
#[derive(Debug, Clone)]
pub struct ExactPieces {
    pieces: Vec<Polytope>,
}

impl ExactPieces {
    /// Returns the pieces.
    pub fn pieces(&self) -> &[Polytope] {
        &self.pieces
    }

    /// Returns the pieces as closed meshes of rounded vertices.
    ///
    /// # Errors
    /// A coordinate is beyond the range of `f64`.
    pub fn to_meshes(&self) -> Result<Vec<TriMesh>, CsgError> {
        self.pieces.iter().map(|piece| Ok(piece.to_mesh()?)).collect()
    }

    /// Computes the exact volume.
    pub fn volume(&self) -> BigRational {
        self.pieces.iter().fold(BigRational::zero(), |sum, piece| sum + piece.volume())
    }

    /// Returns the volume rounded to `f64`.
    pub fn rounded_volume(&self) -> f64 {
        self.volume().to_f64().unwrap_or(f64::NAN)
    }

    /// Reports whether a closed piece contains `point`; exact.
    pub fn contains(&self, point: Vec3) -> bool {
        point.is_finite() && self.pieces.iter().any(|piece| piece.contains(point))
    }
}

impl Csg {
    /// Evaluates the tree exactly as disjoint convex pieces.
    ///
    /// ```
    /// use heurt_geometry::{Pose, Vec3};
    /// use heurt_shape::Convex;
    /// use heurt_solid::Csg;
    /// let cube = Csg::shape(Convex::cuboid(Vec3::ONE)?);
    /// let moved = cube.clone().transformed(Pose::from_translation(Vec3::ONE)?.into());
    /// assert_eq!(cube.difference(moved).to_exact_pieces()?.volume().to_string(), "7");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A leaf has no planes, the result is unbounded, or there are more than 2¹⁶ pieces.
    pub fn to_exact_pieces(&self) -> Result<ExactPieces, CsgError> {
        self.exact_pieces_up_to(MAX_PIECES)
    }

    /// Computes [`Csg::to_exact_pieces`] if no node has more than `most` pieces.
    pub(super) fn exact_pieces_up_to(&self, most: usize) -> Result<ExactPieces, CsgError> {
        let cells = self.leaf_cells()?;
        let planes = cells.iter().flatten().flatten().map(|plane| &**plane);
        let cube = Polytope::cube(BigInt::from(1) << cube_bits(planes));
        let mut stack: Vec<Vec<Piece>> = Vec::new();
        for (sized, cells) in self.nodes.iter().zip(&cells) {
            let node = &sized.node;
            let second = if node.operands() > 0 { stack.pop() } else { None }.unwrap_or_default();
            let first = if node.operands() > 1 { stack.pop() } else { None }.unwrap_or_default();
            stack.push(match node {
                CsgNode::Empty => Vec::new(),
                CsgNode::Everything => vec![Piece::new(cube.clone())],
                CsgNode::Leaf(_) => {
                    let mut pieces = Vec::new();
                    for cell in cells {
                        pieces = united(pieces, Piece::of_cell(&cube, cell).into_iter().collect(), most)?;
                    }
                    pieces
                }
                CsgNode::Union => united(first, second, most)?,
                CsgNode::Intersection => intersected(&first, &second, most)?,
                CsgNode::Difference => subtracted(first, &second, most)?,
                CsgNode::Complement => subtracted(vec![Piece::new(cube.clone())], &second, most)?,
                CsgNode::Transform(_) => second,
            });
        }
        let pieces: Vec<_> = stack.pop().unwrap_or_default().into_iter().map(|piece| piece.polytope).collect();
        if pieces.iter().any(|piece| piece.touches_planes_of(&cube)) {
            return Err(CsgError::Unbounded);
        }
        Ok(ExactPieces { pieces })
    }

    /// Returns the convex cells of each leaf in the world; none for other nodes.
    fn leaf_cells(&self) -> Result<Vec<Vec<Cell>>, CsgError> {
        // The nearest map above each node, and the node of that map.
        let mut above: Vec<Option<usize>> = vec![None; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let node = &self.nodes[index].node;
            let own = if matches!(node, CsgNode::Transform(_)) { Some(index) } else { above[index] };
            if node.operands() > 0 {
                above[index - 1] = own;
            }
            if node.operands() > 1 {
                above[index - 1 - self.nodes[index - 1].size as usize] = own;
            }
        }
        let mut all = Vec::with_capacity(self.nodes.len());
        for (index, sized) in self.nodes.iter().enumerate() {
            let CsgNode::Leaf(leaf) = &sized.node else {
                all.push(Vec::new());
                continue;
            };
            let mut cells = leaf_cells(leaf, index)?;
            let mut at = above[index];
            while let Some(node) = at {
                if let CsgNode::Transform(map) = &self.nodes[node].node {
                    cells = cells.iter().map(|cell| moved_cell(cell, &map.rows())).collect::<Result<_, _>>()?;
                }
                at = above[node];
            }
            all.push(cells);
        }
        Ok(all)
    }
}

/// Returns the image of a cell under the map with the given rows.
pub(super) fn moved_cell(cell: &Cell, rows: &[[f64; 4]; 3]) -> Result<Cell, CsgError> {
    let moved =
        |plane: &Arc<ExactPlane>| plane.transformed(rows).map(Arc::new).ok_or(CsgError::Singular { determinant: 0.0 });
    cell.iter().map(moved).collect()
}

impl Piece {
    fn new(polytope: Polytope) -> Self {
        let planes = polytope.facet_planes();
        let bounds = polytope.bounds();
        Self { polytope, planes, bounds }
    }

    /// Returns the intersection of the cube and a cell; `None` without volume.
    fn of_cell(cube: &Polytope, cell: &Cell) -> Option<Self> {
        clipped_by_all(cube.clone(), cell).map(Self::new)
    }

    /// Returns the polytope in both pieces; `None` without volume.
    fn common(&self, other: &Self) -> Option<Polytope> {
        if are_disjoint(&self.bounds, &other.bounds) {
            return None;
        }
        clipped_by_all(self.polytope.clone(), &other.planes)
    }

    /// Appends the pieces of `self` without `other`.
    fn subtract(self, other: &Self, pieces: &mut Vec<Self>) {
        if self.common(other).is_none() {
            pieces.push(self);
            return;
        }
        let mut rest = self.polytope;
        for plane in &other.planes {
            if let Some(outside) = rest.clipped(&Arc::new(plane.flipped())).filter(Polytope::is_solid) {
                pieces.push(Self::new(outside));
            }
            // The rest contains the common polytope, which is solid.
            let Some(inside) = rest.clipped(plane) else { return };
            rest = inside;
        }
    }
}

fn clipped_by_all(mut polytope: Polytope, planes: &Cell) -> Option<Polytope> {
    for plane in planes {
        polytope = polytope.clipped(plane).filter(Polytope::is_solid)?;
    }
    Some(polytope)
}

fn checked(pieces: Vec<Piece>, most: usize) -> Result<Vec<Piece>, CsgError> {
    if pieces.len() > most { Err(CsgError::TooManyPieces { max: most }) } else { Ok(pieces) }
}

fn united(mut a: Vec<Piece>, b: Vec<Piece>, most: usize) -> Result<Vec<Piece>, CsgError> {
    let new = subtracted(b, &a, most)?;
    a.extend(new);
    checked(a, most)
}

fn intersected(a: &[Piece], b: &[Piece], most: usize) -> Result<Vec<Piece>, CsgError> {
    let mut pieces = Vec::new();
    for x in a {
        pieces.extend(b.iter().filter_map(|y| x.common(y)).map(Piece::new));
        pieces = checked(pieces, most)?;
    }
    Ok(pieces)
}

fn subtracted(mut a: Vec<Piece>, b: &[Piece], most: usize) -> Result<Vec<Piece>, CsgError> {
    for y in b {
        let mut left = Vec::with_capacity(a.len());
        for x in a {
            x.subtract(y, &mut left);
        }
        a = checked(left, most)?;
    }
    Ok(a)
}

impl Polytope {
    /// Reports whether the closed polytope contains a finite point; exact.
    pub fn contains(&self, point: Vec3) -> bool {
        self.planes().all(|plane| plane.side_of_point(point) != Sign::Positive)
    }
}
