//! Arcs of points at equal distance from two sites: lines and parabolas.
//!
//! In: two sites, two vertices of the diagram. Out: the arc between the vertices, its points, its length.
//! Method: points p and q, or segments p and q, have a line. A point F at the height h over the line of a segment has
//! the parabola y = (x² + h²) / 2h, with x along the segment from the foot of F and y from the segment.
//! Guarantees: parameters within the range give points of the arc, rounded. Cost: O(1).

use super::site::{Site, is_own_end};
use heurt_geometry::Vec2;

/// The curve of an arc, from its first vertex to its second.
///
/// ```
/// use heurt_geometry::Vec2;
/// use heurt_map::segment_voronoi::ArcCurve;
/// // The point (0, 1) and the line y = 0.
/// let arc = ArcCurve::Parabola { focus: Vec2::Y, axis: Vec2::X, normal: Vec2::Y, height: 1.0, range: [-1.0, 2.0] };
/// assert_eq!(arc.at(0.5), Vec2::new(0.5, (0.25 + 1.0) / 2.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ArcCurve {
    /// A straight arc. The parameter runs from 0 to 1.
    Line {
        /// Its ends, in metres.
        ends: [Vec2; 2],
    },
    /// An arc of a parabola. The parameter is the offset from the focus along the segment, in metres.
    Parabola {
        /// The point that is one of the sites, in metres.
        focus: Vec2,
        /// Unit direction of the segment that is the second site.
        axis: Vec2,
        /// Unit normal of the segment, to the focus.
        normal: Vec2,
        /// Distance of the focus from the line of the segment, in metres.
        height: f64,
        /// Parameters of the ends.
        range: [f64; 2],
    },
}

/// A parabola whose ends miss the vertices by more than this share is replaced by a line. Such arcs are steeper than
/// 1 : 10⁸ and shorter than their rounding.
const MISS: f64 = 1e-7;

impl ArcCurve {
    /// The arc of two sites between two vertices.
    pub(super) fn between(sites: &[Site], [p, q]: [u32; 2], [u, v]: [Vec2; 2]) -> Self {
        let line = ArcCurve::Line { ends: [u, v] };
        // Far vertices of near sites are off their line by more than their rounding: they move to it.
        let onto = |through: Vec2, direction: Vec2| ArcCurve::Line {
            ends: [u, v].map(|vertex| through + direction * direction.dot(vertex - through)),
        };
        let (focus, wall) = match (&sites[p as usize], &sites[q as usize]) {
            (Site::Point(focus), Site::Segment(wall)) | (Site::Segment(wall), Site::Point(focus)) => (*focus, wall),
            (Site::Point(p), Site::Point(q)) => return onto(*p + 0.5 * (*q - *p), (*q - *p).normalize().perp()),
            _ => return line,
        };
        if is_own_end(sites, p, q) {
            return onto(focus, wall.normal());
        }
        let side = wall.side(focus);
        let normal = if side < 0.0 { -wall.normal() } else { wall.normal() };
        let range = [u, v].map(|vertex| wall.direction.dot(vertex - focus));
        let arc = ArcCurve::Parabola { focus, axis: wall.direction, normal, height: side.abs(), range };
        let misses = |k: usize, vertex: Vec2| {
            let off = (arc.at(range[k]) - vertex).length();
            off.is_nan() || off > MISS * ((vertex - focus).length() + (u - v).length())
        };
        if side == 0.0 || misses(0, u) || misses(1, v) { line } else { arc }
    }

    /// Returns the parameters of the two ends.
    pub fn range(&self) -> [f64; 2] {
        match self {
            ArcCurve::Line { .. } => [0.0, 1.0],
            ArcCurve::Parabola { range, .. } => *range,
        }
    }

    /// Computes the point of a parameter, in metres.
    pub fn at(&self, parameter: f64) -> Vec2 {
        match *self {
            ArcCurve::Line { ends: [from, to] } => {
                if parameter == 1.0 {
                    to
                } else {
                    from + (to - from) * parameter
                }
            }
            ArcCurve::Parabola { focus, axis, normal, height, .. } => {
                let below = (parameter - height) * (parameter + height) / (2.0 * height);
                focus + axis * parameter + normal * below
            }
        }
    }

    /// Finds the parameter of the point nearest to `point`, to rounding if `point` is on the arc; within the range.
    pub(super) fn parameter_near(&self, point: Vec2) -> f64 {
        let parameter = match *self {
            ArcCurve::Line { ends: [from, to] } => {
                let share = (point - from).dot(to - from) / (to - from).length_squared();
                if share.is_nan() { 0.0 } else { share }
            }
            ArcCurve::Parabola { focus, axis, .. } => axis.dot(point - focus),
        };
        let [low, high] = self.sorted_range();
        parameter.clamp(low, high)
    }

    /// The range in ascending order.
    pub(super) fn sorted_range(&self) -> [f64; 2] {
        let [first, last] = self.range();
        [first.min(last), first.max(last)]
    }

    /// Returns the part between two parameters.
    #[must_use]
    pub fn part(&self, from: f64, to: f64) -> Self {
        match *self {
            ArcCurve::Line { .. } => ArcCurve::Line { ends: [self.at(from), self.at(to)] },
            ArcCurve::Parabola { focus, axis, normal, height, .. } => {
                ArcCurve::Parabola { focus, axis, normal, height, range: [from, to] }
            }
        }
    }

    /// Returns the two ends, in metres.
    pub fn ends(&self) -> [Vec2; 2] {
        self.range().map(|parameter| self.at(parameter))
    }

    /// Computes the length, in metres: closed form.
    pub fn length(&self) -> f64 {
        match *self {
            ArcCurve::Line { ends: [from, to] } => (to - from).length(),
            ArcCurve::Parabola { height, range, .. } => {
                let primitive = |x: f64| {
                    let slope = x / height;
                    0.5 * height * (slope * (1.0 + slope * slope).sqrt() + libm::asinh(slope))
                };
                (primitive(range[1]) - primitive(range[0])).abs()
            }
        }
    }

    /// Appends points after the first end up to the last end. No chord deviates from the arc by more than `tolerance`,
    /// in metres, unless this takes more than 10,000 chords.
    pub fn extend_polyline(&self, tolerance: f64, points: &mut Vec<Vec2>) {
        let [first, last] = self.range();
        let count = match *self {
            ArcCurve::Line { .. } => 1.0,
            // A chord over a width w leaves the parabola x² / 2h by at most w² / 8h.
            ArcCurve::Parabola { height, .. } => {
                let width = (8.0 * height * tolerance.max(0.0)).sqrt();
                ((last - first).abs() / width).ceil().clamp(1.0, 10_000.0)
            }
        };
        for step in 1..count as usize {
            points.push(self.at(first + (last - first) * (step as f64 / count)));
        }
        points.push(self.at(last));
    }

    /// The same arc in a frame whose origin is at `-offset`.
    pub(super) fn translated(&self, offset: Vec2) -> Self {
        match *self {
            ArcCurve::Line { ends } => ArcCurve::Line { ends: ends.map(|end| end + offset) },
            ArcCurve::Parabola { focus, axis, normal, height, range } => {
                ArcCurve::Parabola { focus: focus + offset, axis, normal, height, range }
            }
        }
    }

    /// The same arc from its last end to its first.
    pub(super) fn reversed(&self) -> Self {
        let [first, last] = self.range();
        self.part(last, first)
    }
}
