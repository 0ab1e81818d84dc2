//! Features that touch, as JSON: `{"kind": "vertex" | "edge" | "face" | "curved", "index": i}`.
//!
//! In: [`Feature`] and the shape. Out: [`TouchingFeatures`], of a contact point in `query contact` and in traces. An
//! edge has its first vertex as `index` and its second one as `to`. A curved place has the index 0. A convex shape with
//! a margin, such as a sphere or a capsule, is curved where its core has a vertex or an edge. A compound has the
//! numbers of the component that touches.

use heurt_query::Feature;
use heurt_shape::ShapeRef;
use serde::Serialize;

/// The features of both shapes at a contact point.
#[derive(Debug, Serialize)]
pub struct TouchingFeatures {
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

impl TouchingFeatures {
    /// Describes the features of two shapes.
    pub fn new(features: [Feature; 2], shapes: [ShapeRef<'_>; 2]) -> Self {
        let [a, b] = [0, 1].map(|k| TouchingFeature::new(features[k], shapes[k]));
        Self { a, b }
    }
}

impl TouchingFeature {
    fn new(feature: Feature, shape: ShapeRef<'_>) -> Self {
        let is_round = matches!(shape, ShapeRef::Convex(convex) if convex.margin() > 0.0);
        let (kind, index, to) = match feature {
            Feature::Face(index) => ("face", index, None),
            _ if is_round => ("curved", 0, None),
            Feature::Corner(index) => ("vertex", index, None),
            Feature::Edge(from, to) => ("edge", from, Some(to)),
            Feature::Curved => ("curved", 0, None),
        };
        Self { kind, index, to }
    }
}
