//! The path of a disc: arcs of the diagram between two straight pieces.
//!
//! In: the arcs. Out: the same, and a polyline. Guarantees: pieces join, to rounding. Cost: O(pieces).

use super::curve::ArcCurve;
use heurt_geometry::Vec2;

/// The path of the centre of a disc.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscPath {
    /// Straight to the diagram, along its arcs, and straight to the end; in metres.
    pub pieces: Vec<ArcCurve>,
    /// Its length, in metres.
    pub length: f64,
    /// The least distance from the sites along it, in metres, rounded.
    pub least_clearance: f64,
}

impl DiscPath {
    pub(super) fn new(pieces: Vec<ArcCurve>, least_clearance: f64) -> Self {
        let length = pieces.iter().map(ArcCurve::length).sum();
        Self { pieces, length, least_clearance }
    }

    /// Returns points on the path, both ends included. Chords deviate by at most `tolerance`, in metres, so that the
    /// clearance along them is at least `least_clearance - tolerance`. A parabola has at most 10,000 chords.
    pub fn polyline(&self, tolerance: f64) -> Vec<Vec2> {
        let mut points: Vec<Vec2> = self.pieces.first().map(|piece| piece.at(piece.range()[0])).into_iter().collect();
        self.pieces.iter().for_each(|piece| piece.extend_polyline(tolerance, &mut points));
        points.dedup();
        points
    }
}
