//! Several shapes as one: a hierarchy whose leaves are convex shapes and meshes (S0 §6.2).
//!
//! In: shapes of any kind and their poses. Out: [`Compound`]: the union of its parts, with a tree of boxes over them.
//! Method: compounds in compounds are dissolved, so that all parts stand side by side and one tree knows them all.
//! Guarantees: the parts are as they were given, in order. The primitives of a compound are those of its parts, counted
//! in order: one of a convex shape, the triangles of a mesh. Half-spaces, which no box holds, are refused.

use crate::fingerprint::of_compound;
use crate::{MassError, Shape};
use heurt_bvh::{Aabb32, Boxes, BuildOptions, Bvh, BvhError};
use heurt_geometry::{Aabb, Mat3, Pose, Vec3};
use heurt_mesh::Measures;
use std::sync::OnceLock;
use thiserror::Error;

/// A shape in a compound, and where it is placed there.
#[derive(Debug, Clone)]
pub struct Part {
    /// No compound.
    pub shape: Shape,
    /// In the frame of the compound.
    pub pose: Pose,
    /// The number of its first primitive.
    pub first: u32,
}

/// The union of several shapes.
///
/// ```
/// use heurt_geometry::{Pose, Vec3};
/// use heurt_shape::{Compound, Convex};
/// let handle = Convex::capsule(0.02, 0.15)?;
/// let head = Convex::cuboid(Vec3::new(0.06, 0.02, 0.02))?;
/// let on_top = Pose::from_translation(Vec3::new(0.0, 0.0, 0.17))?;
/// let hammer = Compound::new([(handle.into(), Pose::IDENTITY), (head.into(), on_top)])?;
/// assert!((hammer.bounds().max.z - 0.19).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Compound {
    parts: Vec<Part>,
    tree: Bvh<Aabb32, 8>,
    bounds: Aabb,
    /// Found when first requested.
    fingerprint: OnceLock<Option<u64>>,
}

/// Why shapes do not make a compound.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CompoundError {
    /// There is nothing to unite.
    #[error("no parts: give at least one")]
    Empty,
    /// A half-space.
    #[error("part {part} is a half-space, which has no end: ask about it by itself")]
    Unbounded {
        /// By number, those of compounds within counted one by one.
        part: usize,
    },
    /// A part whose pose leads out of the range of numbers.
    #[error("part {part} leaves the range of f64 where its pose places it: move it nearer to the origin")]
    TooFar {
        /// By number.
        part: usize,
    },
    /// More primitives than there are numbers.
    #[error("{count} primitives are more than 4294967295: split the compound")]
    TooMany {
        /// Of all parts.
        count: u64,
    },
    /// The tree could not be built.
    #[error(transparent)]
    Tree(#[from] BvhError),
}

impl Compound {
    /// Unites shapes; compounds among them are dissolved.
    ///
    /// # Errors
    /// [`CompoundError`] for no parts, too many, half-spaces, and what is placed beyond the range of numbers.
    pub fn new(shapes: impl IntoIterator<Item = (Shape, Pose)>) -> Result<Self, CompoundError> {
        let mut parts = Vec::new();
        for (shape, pose) in shapes {
            match shape {
                Shape::Compound(inner) => {
                    let placed = |part: &Part| Part { pose: within(&pose, &part.pose), ..part.clone() };
                    parts.extend(inner.parts.iter().map(placed));
                }
                shape => parts.push(Part { shape, pose, first: 0 }),
            }
        }
        let mut count = 0;
        let mut boxes = Vec::with_capacity(parts.len());
        for (number, part) in parts.iter_mut().enumerate() {
            part.first = count as u32;
            count += u64::from(part.shape.primitives());
            let bounds = part.shape.bounds();
            if !bounds.min.is_finite() || !bounds.max.is_finite() {
                return Err(CompoundError::Unbounded { part: number });
            }
            boxes.push(placed_box(&bounds, &part.pose).ok_or(CompoundError::TooFar { part: number })?);
        }
        if parts.is_empty() {
            return Err(CompoundError::Empty);
        }
        if count > u64::from(u32::MAX) {
            return Err(CompoundError::TooMany { count });
        }
        let bounds = boxes.iter().fold(Aabb::EMPTY, |all, next| all.union(*next));
        let options = BuildOptions { leaf_size: 1, ..BuildOptions::default() };
        let tree = Bvh::with_options(&Boxes::new(boxes), &options)?;
        Ok(Self { parts, tree, bounds, fingerprint: OnceLock::new() })
    }

    /// The parts, in order.
    #[inline(always)]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The tree over the boxes of the parts, one in a leaf.
    #[inline(always)]
    pub fn tree(&self) -> &Bvh<Aabb32, 8> {
        &self.tree
    }

    /// A box that holds all parts.
    #[inline(always)]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// A number for the parts and where they are placed: compounds with others have another one, but for one case in
    /// 2⁶⁴ and those that are made to have the same. `None` where a mesh among them has moved. Found when first
    /// requested, in linear time.
    pub fn fingerprint(&self) -> Option<u64> {
        *self.fingerprint.get_or_init(|| of_compound(self))
    }

    /// Where a part is placed in the world when the compound stands at `pose`.
    pub fn place(&self, part: u32, pose: &Pose) -> Pose {
        within(pose, &self.parts[part as usize].pose)
    }

    /// The part that has a primitive.
    ///
    /// ```
    /// use heurt_geometry::Pose;
    /// use heurt_mesh::generate;
    /// use heurt_shape::{Compound, Convex, MeshShape, Shape};
    /// let cube = Shape::from(MeshShape::new(generate::cuboid([1.0, 1.0, 1.0])?)?);
    /// let both = Compound::new([(cube, Pose::IDENTITY), (Convex::sphere(1.5)?.into(), Pose::IDENTITY)])?;
    /// assert_eq!([both.part_of(11), both.part_of(12)], [0, 1], "twelve triangles, then the ball");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn part_of(&self, primitive: u32) -> u32 {
        (self.parts.partition_point(|part| part.first <= primitive) - 1) as u32
    }

    /// The sums over all parts: what parts have in common counts as often as they have it, and their faces count where
    /// they touch. What an open mesh has no volume for, the compound has none for.
    ///
    /// # Errors
    /// As [`Shape::measures`].
    pub fn measures(&self) -> Result<Measures, MassError> {
        let all: Vec<Measures> = self.parts.iter().map(|part| part.shape.measures()).collect::<Result<_, _>>()?;
        let volume: Option<f64> = all.iter().map(|one| one.volume).sum();
        let solids = || {
            let with_pose = all.iter().zip(&self.parts);
            with_pose.filter_map(|(one, part)| {
                let (volume, centroid, inertia) = (one.volume?, one.centroid?, one.inertia?);
                let rotation = part.pose.rotation();
                Some((volume, part.pose.place(centroid), *rotation * inertia * rotation.transpose()))
            })
        };
        let whole = volume.filter(|volume| *volume > 0.0);
        let centroid = whole.map(|whole| solids().map(|(volume, at, _)| at * (volume / whole)).sum::<Vec3>());
        let inertia = centroid.map(|centre| {
            // Each moved from its own centroid (Huygens and Steiner).
            let moved = solids().map(|(volume, at, inertia)| inertia + of_point(at - centre) * volume);
            moved.fold(Mat3::ZERO, |sum, one| sum + one)
        });
        Ok(Measures {
            area: all.iter().map(|one| one.area).sum(),
            volume,
            centroid,
            inertia,
            euler: all.iter().map(|one| one.euler).sum(),
            components: all.iter().map(|one| one.components).sum(),
            genus: all.iter().map(|one| one.genus).sum(),
        })
    }
}

/// The inertia of a unit of mass at a point.
fn of_point(at: Vec3) -> Mat3 {
    let products = Mat3::from_cols(at * at.x, at * at.y, at * at.z);
    Mat3::from_diagonal(Vec3::splat(at.length_squared())) - products
}

/// `outer ∘ inner`, to the last bit where one of them moves nothing.
fn within(outer: &Pose, inner: &Pose) -> Pose {
    if inner.is_identity() { *outer } else { outer.compose(inner) }
}

/// A box that holds what is placed, roundings included; `None` beyond the range of numbers.
fn placed_box(bounds: &Aabb, pose: &Pose) -> Option<Aabb> {
    let rotation = pose.rotation();
    let half = bounds.half_extents();
    let middle = pose.place(bounds.centre());
    let reach = rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z;
    let room = (bounds.min.abs().max(bounds.max.abs()).max_element() + pose.span()) * (1.0 / (1u64 << 44) as f64);
    let placed = Aabb { min: middle - reach - room, max: middle + reach + room };
    // Trees scale coordinates up a little.
    let is_near = |corner: Vec3| (corner * 64.0).is_finite();
    (is_near(placed.min) && is_near(placed.max)).then_some(placed)
}
