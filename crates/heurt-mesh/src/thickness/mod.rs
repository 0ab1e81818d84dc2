//! Wall thickness at samples of a closed surface, by inscribed balls or by rays.
//!
//! In: a closed mesh that faces outward, else it is rejected, and [`ThicknessOptions`]. Out: a [`Thickness`]: a value
//! for each sample, with minimum, percentiles and the share below a limit, all weighted by area.
//! Method, by [`ThicknessMethod`]:
//! - *Ball*: the diameter of the largest ball that touches the surface at the sample from inside and contains no point
//!   of the opposite surface. The ball shrinks from the ray's length until no opposite point lies in it (Ma, Bae and
//!   Choi, "3D medial axis point approximation using nearest neighbors and the normal field", 2012). Opposite triangles
//!   are the ones whose normal is at more than 100° to the normal of the sample; without this rule every edge of a box
//!   would count as thin.
//! - *Ray*: the distance along the inward normal to the first triangle through which the ray leaves the solid.
//!
//! Samples are triangle centres, or points spaced evenly by area along the order of the triangles, with the offsets of
//! the R2 sequence in their triangles. With the latter, each vertex and the middle of each edge that leads into the
//! material (the tip of a drilled hole, for example) is a sample without weight, with the mean normal there
//! (`features`): walls are thinnest opposite such places. Next to a sharp edge, thickness falls to 0: samples nearer to
//! a convex edge of less than 80° between the two sides than they are thick are left out and counted.
//! Guarantees: the same samples and values for any number of threads. A ray never
//! passes between two triangles: hits are decided by exact predicates.
//! Not guaranteed: the minimum is sampled, so that a thinner place may lie between samples; thickness is exact to some
//! 1e-9 of the size for flat walls.
//! Cost: O(log n) a ray; some ten nearest-point queries a ball.

mod features;
mod probe;
mod samples;

use std::collections::HashMap;

use heurt_geometry::Vec3;
use rayon::prelude::*;
use thiserror::Error;

use self::features::{SharpEdges, inner_features};
use self::probe::Probe;
use self::samples::{SurfaceSample, samples};
use crate::check::Fault;
use crate::check::orientation::shell_faults;
use crate::{Topology, TriMesh};

/// How thickness is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThicknessMethod {
    /// The diameter of the largest inscribed ball that touches the surface at the sample.
    #[default]
    Ball,
    /// The length of the inward normal ray in the solid.
    Ray,
}

impl std::fmt::Display for ThicknessMethod {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Ball => "ball",
            Self::Ray => "ray",
        })
    }
}

/// The places of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThicknessSamples {
    /// At the centre of each triangle.
    PerTriangle,
    /// At this number of places, evenly by area, and at vertices and edges that lead into the material.
    ByArea(usize),
}

/// How and where thickness is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThicknessOptions {
    /// The method.
    pub method: ThicknessMethod,
    /// The places.
    pub samples: ThicknessSamples,
}

impl Default for ThicknessOptions {
    /// Balls at 10,000 places: some seconds at most.
    fn default() -> Self {
        Self { method: ThicknessMethod::Ball, samples: ThicknessSamples::ByArea(10_000) }
    }
}

/// Why the thickness of a mesh is not measured.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ThicknessError {
    /// The mesh has no inside.
    #[error("the mesh is open or inconsistently oriented at {edges} edges, so it has no walls: repair it first")]
    Open {
        /// Number of edges whose half-edges do not cancel.
        edges: usize,
    },
    /// A closed shell faces inward and is no cavity, so that walls would be measured through the outside.
    #[error(
        "{shells} shells of the mesh are inside out, the first at triangle {triangle}, so what their faces bound is \
         outside: solidify it first"
    )]
    InsideOut {
        /// Number of shells that are inside out.
        shells: usize,
        /// The first triangle of the first of them.
        triangle: u32,
    },
    /// The number of samples is zero or too large.
    #[error("thickness at {count} samples: give between 1 and {}", ThicknessError::MAX_SAMPLES)]
    BadSampleCount {
        /// The number as given.
        count: usize,
    },
    /// A tree over the triangles cannot be built.
    #[error("the mesh is too large or too far away to be searched: move it near the origin, or split it")]
    NoTree,
}

impl ThicknessError {
    /// Maximum number of samples: 64 bytes each.
    pub const MAX_SAMPLES: usize = 1 << 26;
}

/// The thickness at one sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ThicknessSample {
    /// The triangle of the sample.
    pub triangle: u32,
    /// The place on the triangle.
    pub point: Vec3,
    /// The area that the sample represents; 0 at a vertex and at an edge.
    pub weight: f64,
    /// The thickness, in the unit of the mesh; infinite if nothing is opposite.
    pub thickness: f64,
    /// The triangle on the opposite side of the wall, if there is one.
    pub opposite: Option<u32>,
}

/// The thickness of the walls of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Thickness {
    /// The method that was used.
    pub method: ThicknessMethod,
    /// All samples that count, thinnest first, then by triangle.
    pub samples: Vec<ThicknessSample>,
    /// The number of samples left out, as a sharp edge is nearer to them than they are thick.
    pub left_out: usize,
}

impl Thickness {
    /// Returns the thinnest sample.
    pub fn minimum(&self) -> Option<&ThicknessSample> {
        self.samples.first()
    }

    /// Returns the thickness that the given share of the area does not exceed; 0.5 is the median.
    pub fn percentile(&self, share: f64) -> Option<f64> {
        let wanted = share.clamp(0.0, 1.0) * self.area();
        let mut sum = 0.0;
        let reached = |sample: &&ThicknessSample| {
            sum += sample.weight;
            sum >= wanted
        };
        self.samples.iter().find(reached).or(self.samples.last()).map(|sample| sample.thickness)
    }

    /// Returns the share of the area whose thickness is below `limit`.
    pub fn share_below(&self, limit: f64) -> f64 {
        let count = self.samples.partition_point(|sample| sample.thickness < limit);
        let below: f64 = self.samples[..count].iter().map(|sample| sample.weight).sum();
        let area = self.area();
        if area > 0.0 { below / area } else { 0.0 }
    }

    /// Returns the least thickness measured on each triangle and in its corners; `None` for triangles without a sample.
    pub fn per_triangle(&self, mesh: &TriMesh) -> Vec<Option<f64>> {
        let mut least = vec![None; mesh.triangles().len()];
        let key = |point: Vec3| point.to_array().map(f64::to_bits);
        // Samples without weight are at vertices, and in the middle of edges.
        let mut at_corners = HashMap::new();
        // The thinnest comes first.
        for sample in self.samples.iter().rev() {
            if let Some(entry) = least.get_mut(sample.triangle as usize) {
                *entry = Some(sample.thickness);
            }
            if sample.weight == 0.0 {
                at_corners.insert(key(sample.point), sample.thickness);
            }
        }
        for (triangle, least) in (0..).zip(&mut least) {
            let corners = mesh.corners(triangle).into_iter().filter_map(|corner| at_corners.get(&key(corner)).copied());
            *least = corners.chain(*least).reduce(f64::min);
        }
        least
    }

    fn area(&self) -> f64 {
        self.samples.iter().map(|sample| sample.weight).sum()
    }
}

/// Measures the wall thickness of a closed mesh.
///
/// ```
/// use heurt_mesh::{generate, wall_thickness, ThicknessOptions};
/// let plate = generate::cuboid([1.0, 1.0, 0.05])?;
/// let thickness = wall_thickness(&plate, &ThicknessOptions::default())?;
/// assert!((thickness.minimum().unwrap().thickness - 0.1).abs() < 1e-9);
/// assert_eq!(thickness.share_below(0.09), 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ThicknessError`] on an open mesh, on one with a shell that is inside out, and on a number of samples that is zero
/// or too large.
pub fn wall_thickness(mesh: &TriMesh, options: &ThicknessOptions) -> Result<Thickness, ThicknessError> {
    let count = match options.samples {
        ThicknessSamples::PerTriangle => mesh.triangles().len(),
        ThicknessSamples::ByArea(count) => count,
    };
    if count == 0 || count > ThicknessError::MAX_SAMPLES {
        return Err(ThicknessError::BadSampleCount { count });
    }
    let topology = Topology::new(mesh);
    let edges = topology.edges().filter(|edge| edge.imbalance() != 0).count();
    if edges > 0 {
        return Err(ThicknessError::Open { edges });
    }
    let inward = shell_faults(&topology).inward;
    if let Some(Fault::InwardShell { triangle, .. }) = inward.first() {
        return Err(ThicknessError::InsideOut { shells: inward.len(), triangle: *triangle });
    }
    let probe = Probe::new(mesh).ok_or(ThicknessError::NoTree)?;
    let edges = SharpEdges::of(&topology, &probe);
    let measure = |sample: &SurfaceSample| {
        let found = match options.method {
            ThicknessMethod::Ball => probe.ball(sample),
            ThicknessMethod::Ray => probe.ray(sample),
        };
        let (thickness, opposite) = found.map_or((f64::INFINITY, None), |(length, other)| (length, Some(other)));
        let SurfaceSample { triangle, point, weight, .. } = *sample;
        let is_at_edge =
            opposite.is_some_and(|other| edges.has_within(point, thickness, [sample.normal, probe.normal(other)]));
        (!is_at_edge).then_some(ThicknessSample { triangle, point, weight, thickness, opposite })
    };
    let mut places = samples(mesh, options.samples);
    if matches!(options.samples, ThicknessSamples::ByArea(_)) {
        places.extend(inner_features(&topology, &probe));
    }
    let mut measured: Vec<ThicknessSample> = places.par_iter().filter_map(measure).collect();
    let left_out = places.len() - measured.len();
    // The sort is stable, so equal thicknesses stay in the order of the samples.
    measured.sort_by(|a, b| a.thickness.total_cmp(&b.thickness));
    Ok(Thickness { method: options.method, samples: measured, left_out })
}
