//! Kinds of broad phase, by the names used in scenes.

use crate::broad_phase::BroadPhaseError;
use std::fmt;
use std::str::FromStr;

/// A pair-finding method that needs only the boxes. All kinds return the same pairs.
/// [`over_partition`](crate::broad_phase::over_partition) returns them, too, but needs a partition of the plane and is
/// therefore not in this list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum BroadPhaseKind {
    /// All pairs, eight at a time.
    BruteForce,
    /// Three sorted lists of the ends of boxes (S0 §6.1.2, dynamic boxes).
    SweepAndPrune,
    /// Three sorted lists of the ends of cubes that hold the object in any orientation (S0 §6.1.2, fixed-size cubes).
    SweepAndPruneCubes,
    /// All pairs, with a cached separating plane for each pair (S0 §6.1.3).
    SeparatingPlanes,
    /// Two trees of fat boxes, one of static objects, one of moving objects: the default choice.
    #[default]
    Tree,
    /// Equal cells in a bounded block, filled again at each step.
    Grid,
    /// Cells of many sizes in a hash table, filled again at each step.
    Hash,
}

impl BroadPhaseKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::BruteForce,
        Self::SweepAndPrune,
        Self::SweepAndPruneCubes,
        Self::SeparatingPlanes,
        Self::Tree,
        Self::Grid,
        Self::Hash,
    ];

    /// Returns its name in scenes.
    pub fn name(self) -> &'static str {
        match self {
            Self::BruteForce => "brute-force",
            Self::SweepAndPrune => "sweep-and-prune",
            Self::SweepAndPruneCubes => "sweep-and-prune-cubes",
            Self::SeparatingPlanes => "separating-planes",
            Self::Tree => "tree",
            Self::Grid => "grid",
            Self::Hash => "hash",
        }
    }
}

impl fmt::Display for BroadPhaseKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BroadPhaseKind {
    type Err = BroadPhaseError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| BroadPhaseError::UnknownKind {
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}
