//! Document of surface patches: JSON text.
//!
//! In: the text `{"patches": [{"points": …}]}`. Out: checked patches, or the text of patches.
//! Method: serde; unknown fields are errors. Without `knots`, a patch is one Bézier patch, and its degree is the number
//! of control points minus one. Without `weights`, all weights are 1. The format is in `docs/solids.md`.
//! Guarantees: numbers survive writing and reading bit for bit.

use super::{PatchError, PatchSet, SurfacePatch};
use heurt_geometry::Vec3;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    patches: Vec<PatchText>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PatchText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    degree: Option<[usize; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    knots: Option<[Vec<f64>; 2]>,
    points: Vec<Vec<[f64; 3]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<Vec<f64>>>,
}

impl PatchText {
    fn patch(self) -> Result<SurfacePatch, PatchError> {
        let points: Vec<Vec<Vec3>> =
            self.points.into_iter().map(|row| row.into_iter().map(Vec3::from).collect()).collect();
        let counts = [points.len(), points.first().map_or(0, Vec::len)];
        let degree = self.degree.unwrap_or(counts.map(|count| count.saturating_sub(1)));
        let knots = self.knots.unwrap_or_else(|| degree.map(super::bezier_knots));
        let weights = self.weights.unwrap_or_else(|| points.iter().map(|row| vec![1.0; row.len()]).collect());
        SurfacePatch::new(degree, knots, points, weights)
    }
}

impl PatchSet {
    /// Reads a document of patches.
    ///
    /// ```
    /// use heurt_solid::PatchSet;
    /// let flat = PatchSet::from_json(r#"{"patches": [{"points": [[[0, 0, 0], [0, 1, 0]], [[1, 0, 0], [1, 1,
    /// 0]]]}]}"#)?;
    /// assert_eq!(flat.patches()[0].point_at(0.5, 0.25)?, [0.5, 0.25, 0.0].into());
    /// # Ok::<(), heurt_solid::PatchError>(())
    /// ```
    ///
    /// # Errors
    /// [`PatchError::Document`] on text that is not JSON of this form; the faults of [`SurfacePatch::new`], each as
    /// [`PatchError::Patch`] with the index of the patch.
    pub fn from_json(text: &str) -> Result<Self, PatchError> {
        let document: Document =
            serde_json::from_str(text).map_err(|error| PatchError::Document { message: error.to_string() })?;
        let checked = |(patch, text): (usize, PatchText)| {
            text.patch().map_err(|error| PatchError::Patch { patch, error: Box::new(error) })
        };
        Self::new(document.patches.into_iter().enumerate().map(checked).collect::<Result<_, _>>()?)
    }

    /// Writes a document of the patches with all its fields.
    pub fn to_json(&self) -> String {
        let text = |patch: &SurfacePatch| PatchText {
            degree: Some(patch.degree()),
            knots: Some([patch.knots(0).to_vec(), patch.knots(1).to_vec()]),
            points: patch.points().iter().map(|row| row.iter().map(|point| point.to_array()).collect()).collect(),
            weights: Some(patch.weights().to_vec()),
        };
        let document = Document { patches: self.patches().iter().map(text).collect() };
        serde_json::to_string(&document).expect("numbers in lists have a JSON form")
    }
}
