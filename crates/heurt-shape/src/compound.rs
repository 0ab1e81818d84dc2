//! Compound of several shapes: a hierarchy whose leaves are convex shapes and meshes (S0 §6.2).
//!
//! In: shapes of any kind and their poses. Out: [`Compound`]: the union of its parts, with a tree of boxes over them.
//! Method: nested compounds are flattened, so all parts are in one list under one tree.
//! Guarantees: the parts are as they were given, in order. The primitives of a compound are those of its parts, counted
//! in order: one of a convex shape, the triangles of a mesh. Half-spaces, which no box holds, are rejected.

use crate::fingerprint::of_compound;
use crate::{MassError, Shape};
use heurt_bvh::{Aabb32, Boxes, BuildOptions, Bvh, BvhError};
use heurt_geometry::{Aabb, Mat3, Pose, Vec3};
use heurt_mesh::Measures;
use std::sync::OnceLock;
use thiserror::Error;

/// A shape in a compound, and its pose there.
#[derive(Debug, Clone)]
pub struct Part {
    /// Not a compound.
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
    /// Computed at the first request.
    fingerprint: OnceLock<Option<u64>>,
}

/// Reason why shapes do not make a compound.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CompoundError {
    /// An empty list of parts.
    #[error("no parts: give at least one")]
    Empty,
    /// A half-space as a part.
    #[error("part {part} is a half-space, which has no end: ask about it by itself")]
    Unbounded {
        /// Number of the part; parts of nested compounds are counted individually.
        part: usize,
    },
    /// A part whose pose leads out of the range of numbers.
    #[error("part {part} leaves the range of f64 where its pose places it: move it nearer to the origin")]
    TooFar {
        /// Number of the part.
        part: usize,
    },
    /// More primitives than can be numbered.
    #[error("{count} primitives are more than 4294967295: split the compound")]
    TooMany {
        /// Number of primitives of all parts.
        count: u64,
    },
    /// The tree could not be built.
    #[error(transparent)]
    Tree(#[from] BvhError),
}

impl Compound {
    /// Unites shapes; nested compounds are flattened.
    ///
    /// # Errors
    /// [`CompoundError`] for no parts, too many, half-spaces, and parts placed beyond the range of numbers.
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

    /// Returns the parts, in order.
    #[inline(always)]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the tree over the boxes of the parts, one in a leaf.
    #[inline(always)]
    pub fn tree(&self) -> &Bvh<Aabb32, 8> {
        &self.tree
    }

    /// Returns a box that holds all parts.
    #[inline(always)]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns a hash of the parts and their poses. Other compounds have another hash, except for one case in 2⁶⁴ and
    /// for deliberate collisions. `None` if a mesh among them has moved. Computed at the first request, in linear time.
    pub fn fingerprint(&self) -> Option<u64> {
        *self.fingerprint.get_or_init(|| of_compound(self))
    }

    /// Returns the pose of a part in the world for a compound at `pose`.
    pub fn place(&self, part: u32, pose: &Pose) -> Pose {
        within(pose, &self.parts[part as usize].pose)
    }

    /// Returns the part that has a primitive.
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

    /// Returns the sums over all parts: common regions of parts count once for each part, and so do touching faces. A
    /// quantity without a value for an open mesh has none for the compound.
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
            // Each is moved from its own centroid (Huygens and Steiner).
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

/// Returns the inertia of a unit of mass at a point.
fn of_point(at: Vec3) -> Mat3 {
    let products = Mat3::from_cols(at * at.x, at * at.y, at * at.z);
    Mat3::from_diagonal(Vec3::splat(at.length_squared())) - products
}

/// Returns `outer ∘ inner`, exact to the last bit if one of them is the identity.
fn within(outer: &Pose, inner: &Pose) -> Pose {
    if inner.is_identity() { *outer } else { outer.compose(inner) }
}

/// Returns a box that holds the placed box, roundings included; `None` beyond the range of numbers.
fn placed_box(bounds: &Aabb, pose: &Pose) -> Option<Aabb> {
    let rotation = pose.rotation();
    let half = bounds.half_extents();
    let middle = pose.place(bounds.centre());
    let reach = rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z;
    let room =
        (bounds.min.abs().max(bounds.max.abs()).max_element() + pose.max_translation()) * (1.0 / (1u64 << 44) as f64);
    let placed = Aabb { min: middle - reach - room, max: middle + reach + room };
    // Trees scale coordinates up a little.
    let is_near = |corner: Vec3| (corner * 64.0).is_finite();
    (is_near(placed.min) && is_near(placed.max)).then_some(placed)
}
