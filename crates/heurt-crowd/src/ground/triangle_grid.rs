//! Grid of triangles: the triangles near a point of the plan.
//!
//! In: triangles. Out: the triangles whose boxes meet the square of a point, or the squares of a box.
//! Cost: O(n) memory.

use heurt_geometry::Vec2;

/// Triangles by the squares of a grid.
#[derive(Debug, Clone)]
pub(crate) struct TriangleGrid {
    low: Vec2,
    side: f64,
    size: [usize; 2],
    begin: Vec<u32>,
    triangles: Vec<u32>,
}

impl TriangleGrid {
    /// Sorts triangles into squares.
    pub fn new(points: &[Vec2], triangles: &[[u32; 3]]) -> Self {
        let empty = [Vec2::INFINITY, Vec2::NEG_INFINITY];
        let [low, high] = points.iter().fold(empty, |[low, high], &p| [low.min(p), high.max(p)]);
        let extent = (high - low).max(Vec2::splat(f64::MIN_POSITIVE));
        // Two squares a triangle, at most four million.
        let wanted = (2.0 * triangles.len() as f64).clamp(1.0, 4e6);
        let side = (extent.element_product() / wanted).sqrt().max(extent.max_element() / 4096.0);
        let size = [extent.x, extent.y].map(|length| (length / side).ceil().max(1.0) as usize);
        let mut grid = Self { low, side, size, begin: vec![0; size[0] * size[1] + 1], triangles: Vec::new() };
        let bounds = |triangle: &[u32; 3]| {
            let corners = triangle.map(|corner| points[corner as usize]);
            corners.iter().fold(empty, |[low, high], &p| [low.min(p), high.max(p)])
        };
        let mut entries: Vec<(u32, u32)> = Vec::new();
        for (number, triangle) in triangles.iter().enumerate() {
            let [[x0, y0], [x1, y1]] = bounds(triangle).map(|corner| grid.square(corner));
            for y in y0..=y1 {
                entries.extend((x0..=x1).map(|x| ((y * size[0] + x) as u32, number as u32)));
            }
        }
        entries.sort_unstable();
        for &(square, _) in &entries {
            grid.begin[square as usize + 1] += 1;
        }
        for square in 1..grid.begin.len() {
            grid.begin[square] += grid.begin[square - 1];
        }
        grid.triangles = entries.into_iter().map(|(_, triangle)| triangle).collect();
        grid
    }

    fn square(&self, point: Vec2) -> [usize; 2] {
        let place = (point - self.low) / self.side;
        [(place.x as usize).min(self.size[0] - 1), (place.y as usize).min(self.size[1] - 1)]
    }

    /// Returns the triangles whose boxes meet the square of a point.
    pub fn triangles_at(&self, point: Vec2) -> &[u32] {
        let [x, y] = self.square(point);
        let square = y * self.size[0] + x;
        &self.triangles[self.begin[square] as usize..self.begin[square + 1] as usize]
    }

    /// Calls `visit` with the triangles in the squares of a box; some of them several times.
    pub fn for_each_in(&self, [low, high]: [Vec2; 2], mut visit: impl FnMut(u32)) {
        let ([x0, y0], [x1, y1]) = (self.square(low), self.square(high));
        for y in y0..=y1 {
            let row = y * self.size[0];
            let (from, to) = (self.begin[row + x0] as usize, self.begin[row + x1 + 1] as usize);
            self.triangles[from..to].iter().for_each(|&triangle| visit(triangle));
        }
    }
}
