//! The volumes by name.

/// A kind of bounding volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VolumeKind {
    /// Axis-aligned boxes.
    Aabb,
    /// Axis-aligned boxes with a slab along the normals inside.
    AabbSlab,
    /// Spheres.
    Sphere,
    /// Oriented boxes.
    Obb,
    /// Polytopes of fourteen fixed directions.
    KDop14,
    /// Polytopes of eighteen fixed directions.
    KDop18,
    /// Polytopes of twenty-six fixed directions.
    KDop26,
    /// Rectangles swept by a sphere.
    Rss,
}

impl VolumeKind {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Aabb, Self::AabbSlab, Self::Sphere, Self::Obb, Self::KDop14, Self::KDop18, Self::KDop26, Self::Rss];

    /// Reports whether it has axes of its own, for which there are several rules ([`BoxAxes`](crate::BoxAxes)).
    pub fn has_axes(self) -> bool {
        matches!(self, Self::Obb | Self::Rss)
    }

    /// Its name in files and requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aabb => "aabb",
            Self::AabbSlab => "aabb-slab",
            Self::Sphere => "sphere",
            Self::Obb => "obb",
            Self::KDop14 => "kdop14",
            Self::KDop18 => "kdop18",
            Self::KDop26 => "kdop26",
            Self::Rss => "rss",
        }
    }
}
