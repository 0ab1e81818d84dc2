//! Quadtree of a polygon: closed loops with the even-odd or the nonzero rule.
//!
//! In: loops of points, a rule, and a root or a depth. Out: the quadtree, with mixed leaves along the loops.
//! Method: top down in pre-order. A cell keeps the segments of its parent that meet the closed cell, by an exact test.
//! The winding number of its least corner follows from the number of its parent by the crossings of a path along x,
//! then along y, within the parent: only segments of the parent meet the path. S3 (slide 35) tests the edges of the
//! square, then one of its corners, then one point of the object. That takes a square around a hole for full, and a
//! square around a second component for empty; segments against the closed square do not.
//! Guarantees: exact on the `f64` points and the lattice of the root. Corners are treated as points moved by (ε², ε),
//! so that every path is generic. The full cells lie within the polygon, which lies within the full and mixed cells.
//! Cost: some exact tests per visited cell and segment of its parent; 4 bytes per segment of the open cells, at most n
//! per level, and 32 bytes per segment.

use super::{Quadtree, QuadtreeCell, QuadtreeError, QuadtreeRoot, segment_meets_box};
use crate::subdivision::Node;
use crate::subdivision::builder::{LEVELS, PreOrderBuilder};
use heurt_geometry::{Sign, Vec2, orient2d};

/// The rule that decides which winding numbers are inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FillRule {
    /// Odd winding numbers are inside.
    EvenOdd,
    /// All winding numbers but 0 are inside.
    NonZero,
}

impl FillRule {
    fn is_inside(self, winding: i64) -> bool {
        match self {
            Self::EvenOdd => winding % 2 != 0,
            Self::NonZero => winding != 0,
        }
    }
}

type Segment = [Vec2; 2];

impl Quadtree {
    /// Builds the quadtree of a polygon over the root that [`QuadtreeRoot::fit`] returns for its points. The last point
    /// of a loop is joined to its first.
    ///
    /// ```
    /// use heurt_geometry::Vec2;
    /// use heurt_solid::{FillRule, Quadtree};
    /// let square = |half: f64| [[-half, -half], [half, -half], [half, half], [-half, half]].map(Vec2::from).to_vec();
    /// let frame = Quadtree::of_polygon(&[square(1.0), square(0.4)], FillRule::EvenOdd, 8)?;
    /// let [least, most] = frame.measures().area;
    /// assert!(least < 3.36 && 3.36 < most, "{least} {most}");
    /// # Ok::<(), heurt_solid::QuadtreeError>(())
    /// ```
    ///
    /// # Errors
    /// A point that is not finite, a depth out of range, too small cells, or too many nodes.
    pub fn of_polygon(loops: &[Vec<Vec2>], rule: FillRule, depth: u8) -> Result<Self, QuadtreeError> {
        check_points(loops)?;
        Self::of_polygon_within(loops, rule, QuadtreeRoot::fit(loops.iter().flatten().copied(), depth)?)
    }

    /// Builds the quadtree within a given root; what lies outside the root is cut off.
    ///
    /// # Errors
    /// A point that is not finite, or too many nodes.
    pub fn of_polygon_within(loops: &[Vec<Vec2>], rule: FillRule, root: QuadtreeRoot) -> Result<Self, QuadtreeError> {
        check_points(loops)?;
        let closed = loops.iter().flat_map(|points| points.iter().zip(points.iter().cycle().skip(1)));
        let segments: Vec<Segment> = closed.map(|(&a, &b)| [a, b]).collect();
        let mut builder = PreOrderBuilder::<2>::new(root.depth());
        // The segments of the open branches, from the root down. For each level the range of the parent, its corner and
        // its winding number there.
        let mut lists: Vec<u32> = (0..segments.len() as u32).collect();
        let mut parent = [(0, 0, root.origin(), 0); LEVELS];
        let winding = segments.iter().map(|&segment| crossing_right(root.origin(), segment)).sum();
        parent[0] = (0, lists.len(), root.origin(), winding);
        while let Some((position, level)) = builder.next_cell() {
            let bounds = root.bounds(&QuadtreeCell::at(position, level));
            let (start, end, corner, mut winding) = parent[usize::from(level)];
            lists.truncate(end);
            for number in start..end {
                let segment = segments[lists[number] as usize];
                winding += crossings_of_path(corner, bounds[0], segment);
                if segment_meets_box(segment, bounds) {
                    lists.push(lists[number]);
                }
            }
            if lists.len() == end {
                builder.push_leaf(if rule.is_inside(winding) { Node::Full } else { Node::Empty });
            } else if level == root.depth() {
                builder.push_leaf(Node::MixedLeaf);
            } else {
                parent[usize::from(level) + 1] = (end, lists.len(), bounds[0], winding);
                builder.open_branch()?;
            }
        }
        Ok(Self { root, nodes: builder.finish() })
    }
}

fn check_points(loops: &[Vec<Vec2>]) -> Result<(), QuadtreeError> {
    let points = loops.iter().map(Vec::len).sum();
    if points > u32::MAX as usize {
        return Err(QuadtreeError::TooManyPoints { points });
    }
    for (number, points) in loops.iter().enumerate() {
        if let Some(point) = points.iter().position(|point| !point.is_finite()) {
            return Err(QuadtreeError::NotFinite { number, point, position: points[point] });
        }
    }
    Ok(())
}

/// Returns the change of the winding number by a segment along the path from `p` along x, then along y, to `q`.
fn crossings_of_path(p: Vec2, q: Vec2, segment: Segment) -> i64 {
    let bend = Vec2::new(q.x, p.y);
    let along_x = if q.x == p.x { 0 } else { crossing_right(bend, segment) - crossing_right(p, segment) };
    let along_y = if q.y == p.y { 0 } else { crossing_up(q, segment) - crossing_up(bend, segment) };
    along_x + along_y
}

/// Counts the crossing of a segment and the ray from `p`, moved by (ε², ε), to the right: 1 for a segment that leads
/// up.
pub(super) fn crossing_right(p: Vec2, [a, b]: Segment) -> i64 {
    let (a_above, b_above) = (a.y > p.y, b.y > p.y);
    if a_above == b_above {
        return 0;
    }
    let (low, high) = if b_above { (a, b) } else { (b, a) };
    let is_left = match orient2d(low, high, p) {
        Sign::Positive => true,
        Sign::Negative => false,
        // Moving up by ε dominates moving right by ε²: a segment leaning right leaves the point on its left.
        Sign::Zero => high.x > low.x,
    };
    if is_left { if b_above { 1 } else { -1 } } else { 0 }
}

/// Counts the crossing of a segment and the ray from `p`, moved by (ε², ε), up: 1 for a segment that leads left.
fn crossing_up(p: Vec2, [a, b]: Segment) -> i64 {
    let (a_right, b_right) = (a.x > p.x, b.x > p.x);
    if a_right == b_right {
        return 0;
    }
    let (left, right) = if b_right { (a, b) } else { (b, a) };
    // A point on the segment is moved up, and then lies above it.
    let is_below = orient2d(left, right, p) == Sign::Negative;
    if is_below { if a_right { 1 } else { -1 } } else { 0 }
}
