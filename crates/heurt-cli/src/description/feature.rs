//! Features that touch, as JSON: `{"kind": "vertex" | "edge" | "face" | "curved", "index": i}`.
//!
//! In: [`Feature`]. Out: [`TouchingFeatures`], of a contact point in `query contact` and in traces. An edge has its first
//! vertex as `index` and its second one as `to`. A curved place has the index 0.

use heurt::query::Feature;
use serde::Serialize;

/// The features of both shapes at a contact point.
#[derive(Debug, Serialize)]
pub(crate) struct TouchingFeatures {
    a: TouchingFeature,
    b: TouchingFeature,
}

#[derive(Debug, Serialize)]
struct TouchingFeature {
    kind: &'static str,
    index: u32,
    /// The second vertex of an edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u32>,
}

impl From<[Feature; 2]> for TouchingFeatures {
    fn from([a, b]: [Feature; 2]) -> Self {
        Self { a: a.into(), b: b.into() }
    }
}

impl From<Feature> for TouchingFeature {
    fn from(feature: Feature) -> Self {
        let (kind, index, to) = match feature {
            Feature::Corner(index) => ("vertex", index, None),
            Feature::Edge(from, to) => ("edge", from, Some(to)),
            Feature::Face(index) => ("face", index, None),
            Feature::Curved => ("curved", 0, None),
        };
        Self { kind, index, to }
    }
}
