//! Sheet of cloth that folds onto itself: a test case of self-collision.
//!
//! In: the number of pieces a side and of layers. Out: a square sheet of one metre, and its vertices for any state
//! between flat and folded. Method: as in a paper fan, panels alternate with turns. Along the sheet the heading θ runs
//! from 0 on even panels to π·folded on odd ones, and the position is its integral (∫cos θ, ∫sin θ). In the folded
//! state, layers lie above each other; ripples across the sheet, in step with no panel, push neighbouring layers
//! through each other at some places. Guarantees: an open, connected, two-manifold mesh whose triangles are nearly half
//! squares in every state; the same bits on every machine. Not guaranteed: physics, or lengths across ripples.

use crate::TriMesh;
use crate::generate::GenerateError;
use crate::generate::error::Limits;
use crate::generate::surface::Surface;
use heurt_geometry::Vec3;
use std::f64::consts::{PI, TAU};

/// Pieces of a turn between two panels.
const TURN: u32 = 3;
/// Ripples along and across the sheet; neither fits a panel.
const RIPPLES: (f64, f64) = (13.0, 9.0);

/// A square sheet and its folds.
#[derive(Debug, Clone)]
pub struct Cloth {
    sheet: TriMesh,
    pieces: u32,
    layers: u32,
}

impl Cloth {
    /// Makes a flat sheet of `pieces`² squares, two triangles each, that folds into `layers`.
    ///
    /// # Errors
    /// [`GenerateError`] for no layers, for fewer than six pieces a layer, or for too many triangles.
    pub fn new(pieces: u32, layers: u32) -> Result<Self, GenerateError> {
        let limits = Limits("cloth");
        limits.at_least("layers", layers, 1)?;
        limits.at_least("pieces", pieces, layers.saturating_mul(2 * TURN))?;
        limits.triangles(u64::from(pieces).pow(2).saturating_mul(2))?;
        let mut surface = Surface::default();
        let along = u64::from(pieces) + 1;
        let at = |row: u64, column: u64| (row * along + column) as u32;
        for row in 0..along {
            for column in 0..along {
                surface.vertex(Vec3::new(column as f64, row as f64, 0.0) / f64::from(pieces));
            }
        }
        for row in 0..along - 1 {
            for column in 0..along - 1 {
                let square = [at(row, column), at(row, column + 1), at(row + 1, column + 1), at(row + 1, column)];
                surface.quad(square);
            }
        }
        Ok(Self { sheet: surface.finish()?, pieces, layers })
    }

    /// Returns the flat sheet.
    pub fn sheet(&self) -> &TriMesh {
        &self.sheet
    }

    /// Computes the vertices, in the order of the sheet, for a share of `folded`: 0 is flat, 1 has all layers above
    /// each other.
    pub fn vertices(&self, folded: f64) -> Vec<Vec3> {
        let step = 1.0 / f64::from(self.pieces);
        // Half the distance of two layers is the radius of a turn; ripples that high make crests meet troughs.
        let height = 1.3 * folded * f64::from(TURN) * step / PI;
        let mut profile = Vec::with_capacity(self.pieces as usize + 1);
        let mut place = (0.0, 0.0);
        for column in 0..=self.pieces {
            let (sin, cos) = sin_cos(PI * folded * self.back_share(f64::from(column)));
            profile.push((place, (-sin, cos)));
            let (sin, cos) = sin_cos(PI * folded * self.back_share(f64::from(column) + 0.5));
            place = (place.0 + cos * step, place.1 + sin * step);
        }
        let mut vertices = Vec::with_capacity(self.sheet.vertices().len());
        for row in 0..=self.pieces {
            let y = f64::from(row) * step;
            for (column, &((x, z), (normal_x, normal_z))) in profile.iter().enumerate() {
                let along = libm::sin(TAU * RIPPLES.0 * column as f64 * step);
                let ripple = height * along * libm::sin(TAU * RIPPLES.1 * y);
                vertices.push(Vec3::new(x + normal_x * ripple, y, z + normal_z * ripple) + Vec3::ZERO);
            }
        }
        vertices
    }

    /// Returns the share of reversed direction at `column`: 0 on even panels, 1 on odd ones, in between on a turn.
    fn back_share(&self, column: f64) -> f64 {
        if self.layers == 1 {
            return 0.0;
        }
        let panel = f64::from(self.pieces) / f64::from(self.layers);
        let turn = libm::round(column / panel).clamp(1.0, f64::from(self.layers - 1));
        let past = ((column - turn * panel) / f64::from(TURN) + 0.5).clamp(0.0, 1.0);
        if turn % 2.0 == 1.0 { past } else { 1.0 - past }
    }
}

fn sin_cos(angle: f64) -> (f64, f64) {
    (libm::sin(angle), libm::cos(angle))
}
