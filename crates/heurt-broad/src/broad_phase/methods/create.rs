//! Creation of a broad phase by its kind.

use crate::broad_phase::common::engine::Engine;
use crate::broad_phase::methods::brute_force::BruteForce;
use crate::broad_phase::methods::grid::Grid;
use crate::broad_phase::methods::separating_planes::SeparatingPlanes;
use crate::broad_phase::methods::spatial_hash::SpatialHash;
use crate::broad_phase::methods::sweep_and_prune::{Boxes, Cubes, SweepAndPrune};
use crate::broad_phase::methods::tree::Tree;
use crate::broad_phase::{BroadPhase, BroadPhaseKind};

impl BroadPhaseKind {
    /// Creates an empty broad phase of this kind.
    ///
    /// ```
    /// use heurt_broad::{BroadPhaseKind, Filter};
    /// use heurt_geometry::{Aabb, Vec3};
    /// let mut boxes = BroadPhaseKind::Tree.create();
    /// for (id, x) in [(0, 0.0), (1, 0.5), (2, 9.0)] {
    ///     let min = Vec3::X * x;
    ///     boxes.insert(id, &Aabb { min, max: min + 1.0 }, Filter::MOVING)?;
    /// }
    /// assert_eq!(boxes.step().begun.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn create(self) -> Box<dyn BroadPhase> {
        match self {
            Self::BruteForce => Box::<Engine<BruteForce>>::default(),
            Self::SweepAndPrune => Box::<Engine<SweepAndPrune<Boxes>>>::default(),
            Self::SweepAndPruneCubes => Box::<Engine<SweepAndPrune<Cubes>>>::default(),
            Self::SeparatingPlanes => Box::<Engine<SeparatingPlanes>>::default(),
            Self::Tree => Box::<Engine<Tree>>::default(),
            Self::Grid => Box::<Engine<Grid>>::default(),
            Self::Hash => Box::<Engine<SpatialHash>>::default(),
        }
    }
}
