//! Repair options: which steps run, and their tolerances.

use thiserror::Error;

use crate::solidify::rounding_of;
use crate::{SEAM, SolidifyError, TriMesh};

/// A step of [`repair`](crate::repair()), in the order in which the steps run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Step {
    /// Merges nearly equal vertices where that closes something.
    Weld,
    /// Drops triangles without area, and splits their neighbours so that nothing opens.
    Degenerate,
    /// Drops repeated triangles and pairs of opposite ones.
    Duplicates,
    /// Splits open edges at border vertices that lie on them.
    Seams,
    /// Drops unused vertices, fins, flat components, and tiny components if a size is given.
    Components,
    /// Makes orientations consistent and turns closed shells outward.
    Orient,
    /// Separates solids that touch in an edge or a vertex.
    Split,
    /// Fills holes.
    Fill,
}

impl Step {
    /// All steps in order.
    pub const ALL: [Self; 8] = [
        Self::Weld,
        Self::Degenerate,
        Self::Duplicates,
        Self::Seams,
        Self::Components,
        Self::Orient,
        Self::Split,
        Self::Fill,
    ];

    /// Returns the name of the step, as used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Weld => "weld",
            Self::Degenerate => "degenerate",
            Self::Duplicates => "duplicates",
            Self::Seams => "seams",
            Self::Components => "components",
            Self::Orient => "orient",
            Self::Split => "split",
            Self::Fill => "fill",
        }
    }

    /// Finds a step by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.name() == name)
    }
}

/// Which steps run, and how far they may go.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairOptions {
    /// The steps that run. They always run in the order of [`Step::ALL`].
    pub steps: Vec<Step>,
    /// Distance up to which vertices are merged and open edges are split at vertices, in the unit of the mesh. `None`:
    /// four ulp of an `f32`, which covers two roundings to `f32` on each side: at the largest coordinate if every
    /// coordinate is an `f32`, else at the size of the mesh.
    pub tolerance: Option<f64>,
    /// Distance by which the copy of a vertex moves into its solid where two solids touch, in the unit of the mesh.
    /// `None`: eight ulp of an `f32` at the largest coordinate, so that the copies differ in any file.
    pub gap: Option<f64>,
    /// Components whose box has a smaller diagonal are dropped, in the unit of the mesh; 0 keeps all of them.
    pub tiny: f64,
    /// Holes with more edges stay open.
    pub max_hole_edges: usize,
}

/// Edges up to which a hole is filled by dynamic programming: 256³ / 6 interval splits take some 30 ms.
pub(super) const MAX_DYNAMIC_EDGES: usize = 256;

impl Default for RepairOptions {
    fn default() -> Self {
        Self { steps: Step::ALL.to_vec(), tolerance: None, gap: None, tiny: 0.0, max_hole_edges: usize::MAX }
    }
}

impl RepairOptions {
    /// Switches a step on or off.
    #[must_use]
    pub fn with(mut self, step: Step, runs: bool) -> Self {
        self.steps.retain(|&other| other != step);
        if runs {
            self.steps.push(step);
        }
        self
    }

    /// Runs the given steps only.
    #[must_use]
    pub fn only(mut self, steps: &[Step]) -> Self {
        self.steps = steps.to_vec();
        self
    }

    /// Reports whether a step runs.
    pub fn runs(&self, step: Step) -> bool {
        self.steps.contains(&step)
    }
}

/// Why a mesh cannot be repaired with the given options.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RepairError {
    /// The tolerance is no length, or larger than a wall.
    #[error(transparent)]
    Weld(#[from] SolidifyError),
    /// The gap is not a positive finite number.
    #[error("the gap between touching solids is {gap}: give a finite length above 0, or switch the step `split` off")]
    BadGap {
        /// The gap as given.
        gap: f64,
    },
    /// The size of tiny components is negative, NaN or infinite.
    #[error("the size of tiny components is {tiny}: give a finite length of at least 0")]
    BadTiny {
        /// The size as given.
        tiny: f64,
    },
    /// No hole has fewer than three edges.
    #[error("holes of at most {max} edges are to be filled: give at least 3, or switch the step `fill` off")]
    BadHoleLimit {
        /// The limit as given.
        max: usize,
    },
}

/// The lengths that apply to one mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lengths {
    pub(super) tolerance: f64,
    pub(super) gap: f64,
    pub(super) tiny: f64,
}

/// Gap between touching solids as a share of the largest coordinate: twice the largest automatic weld tolerance, so
/// that the copies are not merged again.
const GAP: f64 = 2.0 * SEAM;

impl RepairOptions {
    /// Checks the options and resolves them for a mesh.
    pub(super) fn lengths(&self, mesh: &TriMesh) -> Result<Lengths, RepairError> {
        let is_length = |length: f64| length >= 0.0 && length.is_finite();
        if let Some(tolerance) = self.tolerance.filter(|&tolerance| !is_length(tolerance)) {
            return Err(SolidifyError::BadTolerance { tolerance }.into());
        }
        if let Some(gap) = self.gap.filter(|&gap| !is_length(gap) || gap == 0.0) {
            return Err(RepairError::BadGap { gap });
        }
        if !is_length(self.tiny) {
            return Err(RepairError::BadTiny { tiny: self.tiny });
        }
        if self.max_hole_edges < 3 {
            return Err(RepairError::BadHoleLimit { max: self.max_hole_edges });
        }
        let bounds = mesh.bounds();
        let scale = bounds.min.abs().max(bounds.max.abs()).max_element();
        Ok(Lengths {
            tolerance: self.tolerance.unwrap_or_else(|| rounding_of(mesh)),
            gap: self.gap.unwrap_or(GAP * scale),
            tiny: self.tiny,
        })
    }
}
