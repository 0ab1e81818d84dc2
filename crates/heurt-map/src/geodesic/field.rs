//! Distances to a goal, directions and paths, for any point of the surface.
//!
//! In: a face and a point of it. Out: the distance, the unit direction in which a shortest path starts, the path.
//! Method: the last straight piece of a path comes from a goal point in the face, from a corner, or over a window on
//! one of the three edges. A ray that misses its window by rounding bends at the end of the window, so that no point is
//! between two windows. Windows that vertices make useless are removed after the propagation.
//! Guarantees: deterministic; no allocation for distances and directions. Cost: O(windows of the three edges).

use super::propagate::{Origin, Propagation, Reach, Window};
use super::surface::{GeodesicGoal, GeodesicSurface, previous};
use super::{GeodesicError, NONE};
use heurt_geometry::{Vec2, Vec3};

/// The shortest distances of a surface to a goal.
///
/// ```
/// use heurt_geometry::Vec3;
/// use heurt_map::geodesic::{GeodesicGoal, GeodesicSurface};
/// use heurt_mesh::generate;
/// // Half round a sphere of radius 2: almost 2π.
/// let ball = generate::icosphere(2.0, 4)?;
/// let surface = GeodesicSurface::new(&ball)?;
/// let goal = GeodesicGoal { points: vec![(0, ball.corners(0)[0])], ..GeodesicGoal::default() };
/// let field = surface.field(&goal)?;
/// let is_across = |face: &u32| ball.corners(*face)[0] == -ball.corners(0)[0];
/// let far = (0..surface.face_count() as u32).find(is_across).ok_or("a vertex is across")?;
/// let distance = field.distance_at(far, ball.corners(far)[0]).ok_or("it is reached")?;
/// assert!((distance / (2.0 * std::f64::consts::PI) - 1.0).abs() < 2e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct GeodesicField<'s> {
    surface: &'s GeodesicSurface,
    /// Windows of use by half-edge, the nearest first; then windows behind them.
    windows: Vec<Window>,
    /// Windows of use on each half-edge: a range.
    begin: Vec<u32>,
    /// The least distance of each window of use.
    least: Vec<f64>,
    distances: Vec<f64>,
    reaches: Vec<Reach>,
    is_goal: Vec<bool>,
    points: Vec<(u32, u32)>,
    places: Vec<Vec3>,
}

/// The first straight piece of a path.
#[derive(Debug, Clone, Copy)]
enum Piece {
    Point(u32),
    Node(u32, Vec3),
    Window(u32, f64),
}

impl GeodesicSurface {
    /// Computes the distances of the surface to a goal.
    ///
    /// # Errors
    /// [`GeodesicError`] for an empty goal, a goal in an obstacle, outside of its face or not finite, and for more
    /// windows than allowed.
    pub fn field(&self, goal: &GeodesicGoal) -> Result<GeodesicField<'_>, GeodesicError> {
        let mut done = Propagation::run(self, goal)?;
        let mut kept: Vec<(u32, f64, u32)> = Vec::with_capacity(done.done.len());
        for &item in done.done.iter().filter(|&&item| !done.is_useless(item)) {
            let window = &done.windows[item as usize];
            kept.push((window.half_edge, window.image.least_distance(window.interval), item));
        }
        kept.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
        let mut begin = vec![0; self.twins.len() + 1];
        for &(half_edge, ..) in &kept {
            begin[half_edge as usize + 1] += 1;
        }
        for half_edge in 0..self.twins.len() {
            begin[half_edge + 1] += begin[half_edge];
        }
        let windows = compacted(&done.windows, &kept, &mut done.reaches);
        Ok(GeodesicField {
            surface: self,
            windows,
            begin,
            least: kept.into_iter().map(|(_, least, _)| least).collect(),
            distances: done.distances,
            reaches: done.reaches,
            is_goal: done.is_goal,
            points: done.points,
            places: done.places,
        })
    }
}

/// Lists the kept windows in their order, then the windows behind them; changes their numbers in reaches.
fn compacted(windows: &[Window], kept: &[(u32, f64, u32)], reaches: &mut [Reach]) -> Vec<Window> {
    let mut numbers = vec![NONE; windows.len()];
    let mut order: Vec<u32> = kept.iter().map(|&(.., item)| item).collect();
    for (number, &item) in (0..).zip(&order) {
        numbers[item as usize] = number;
    }
    let mut heads: Vec<u32> = order.iter().map(|&item| windows[item as usize].parent).collect();
    heads.extend(reaches.iter().filter_map(|reach| match reach {
        Reach::Window(item, _) => Some(*item),
        _ => None,
    }));
    for mut item in heads {
        while item != NONE && numbers[item as usize] == NONE {
            numbers[item as usize] = order.len() as u32;
            order.push(item);
            item = windows[item as usize].parent;
        }
    }
    for reach in reaches {
        if let Reach::Window(item, _) = reach {
            *item = numbers[*item as usize];
        }
    }
    let renumbered = |item: &u32| {
        let window = windows[*item as usize];
        let parent = if window.parent == NONE { NONE } else { numbers[window.parent as usize] };
        Window { parent, ..window }
    };
    order.iter().map(renumbered).collect()
}

impl GeodesicField<'_> {
    /// Computes the distance of a point of a face to the goal, in metres. An offset from the plane of the face is
    /// ignored. `None` for obstacles, for faces from which no path leads to the goal, and for numbers that are not
    /// finite.
    pub fn distance_at(&self, face: u32, point: Vec3) -> Option<f64> {
        self.first_piece(face, point).map(|(distance, _)| distance)
    }

    /// Computes the unit direction in which a shortest path starts, in the plane of the face. `None` at the goal, and
    /// where there is no path. At a corner of the face, or on an edge, the path may lead into the next face, and so
    /// does the direction.
    pub fn direction_at(&self, face: u32, point: Vec3) -> Option<Vec3> {
        let (distance, piece) = self.first_piece(face, point)?;
        let start = self.in_plane(face, point);
        let least = 1e-12 * (distance + self.surface.lengths[3 * face as usize]);
        let target = self.trace(piece).find(|place| place.distance(start) > least)?;
        (target - start).try_normalize()
    }

    /// Computes a shortest path from a point of a face to the goal: the point, the places where the path crosses edges
    /// or passes vertices, the place in the goal. `None` as for [`distance_at`](Self::distance_at).
    pub fn path_from(&self, face: u32, point: Vec3) -> Option<Vec<Vec3>> {
        let (_, piece) = self.first_piece(face, point)?;
        let mut path = vec![self.in_plane(face, point)];
        for place in self.trace(piece) {
            if path.last() != Some(&place) {
                path.push(place);
            }
        }
        Some(path)
    }

    /// Returns the number of windows that queries use.
    pub fn window_count(&self) -> usize {
        self.least.len()
    }

    /// Moves a point of a face into its plane.
    fn in_plane(&self, face: u32, point: Vec3) -> Vec3 {
        let [a, b, c] = self.surface.corners[face as usize];
        let normal = (b - a).cross(c - a).normalize();
        point - normal * normal.dot(point - a)
    }

    /// Finds the first straight piece of the shortest path; `None` without a path, a goal face has no piece.
    fn first_piece(&self, face: u32, point: Vec3) -> Option<(f64, Option<Piece>)> {
        if !self.surface.is_free(face) || !point.is_finite() {
            return None;
        }
        if self.is_goal[face as usize] {
            return Some((0.0, None));
        }
        let mut best = (f64::INFINITY, None);
        let offer = |best: &mut (f64, Option<Piece>), distance: f64, piece: Piece| {
            if distance < best.0 {
                *best = (distance, Some(piece));
            }
        };
        let first = self.points.partition_point(|&(other, _)| other < face);
        for &(_, number) in self.points[first..].iter().take_while(|(other, _)| *other == face) {
            let offset = self.surface.flattened(3 * face, self.places[number as usize])
                - self.surface.flattened(3 * face, point);
            offer(&mut best, offset.length(), Piece::Point(number));
        }
        for half_edge in 3 * face..3 * face + 3 {
            let local = self.surface.flattened(half_edge, point);
            let node = self.surface.nodes[half_edge as usize];
            let corner = self.surface.corners[face as usize][half_edge as usize % 3];
            offer(&mut best, self.distances[node as usize] + local.length(), Piece::Node(node, corner));
            let local = Vec2::new(local.x, local.y.max(0.0));
            let [begin, end] = [0, 1].map(|k| self.begin[half_edge as usize + k] as usize);
            for item in begin..end {
                if self.least[item] >= best.0 {
                    break;
                }
                let window = &self.windows[item];
                let (distance, crossing) = window.image.distance_within(local, window.interval);
                offer(&mut best, distance, Piece::Window(item as u32, crossing));
            }
        }
        best.1.is_some().then_some(best)
    }

    /// Follows a path from its first piece.
    fn trace(&self, piece: Option<Piece>) -> impl Iterator<Item = Vec3> {
        let mut piece = piece;
        std::iter::from_fn(move || {
            let here = piece?;
            let (place, next) = match here {
                Piece::Point(number) => (self.places[number as usize], None),
                Piece::Node(node, place) => (place, self.piece_of_node(node)),
                Piece::Window(item, along) => {
                    let window = &self.windows[item as usize];
                    (self.surface.place_on(window.half_edge, along), self.piece_behind(window, along))
                }
            };
            piece = next;
            Some(place)
        })
    }

    /// Returns the piece by which a node is reached.
    fn piece_of_node(&self, node: u32) -> Option<Piece> {
        match self.reaches[node as usize] {
            Reach::Start => None,
            Reach::Point(number) => Some(Piece::Point(number)),
            Reach::Node(next) => Some(self.node_piece(next)),
            Reach::Window(item, along) => Some(Piece::Window(item, along)),
        }
    }

    fn node_piece(&self, node: u32) -> Piece {
        let spoke = self.surface.spokes_of(node)[0];
        Piece::Node(node, self.surface.corners[spoke as usize / 3][spoke as usize % 3])
    }

    /// Returns the piece behind a crossing of a window.
    fn piece_behind(&self, window: &Window, along: f64) -> Option<Piece> {
        if window.parent == NONE {
            return match window.origin {
                Origin::Node(node) => Some(self.node_piece(node)),
                Origin::Point(number) => Some(Piece::Point(number)),
                Origin::Front => None,
            };
        }
        let parent = &self.windows[window.parent as usize];
        let side = self.surface.twins[window.half_edge as usize];
        let apex = self.surface.apexes[parent.half_edge as usize];
        let length = self.surface.lengths[parent.half_edge as usize];
        let share = along / self.surface.lengths[side as usize];
        let is_left = side == previous(parent.half_edge);
        let place = if is_left { apex * share } else { apex + (Vec2::new(length, 0.0) - apex) * share };
        Some(Piece::Window(window.parent, parent.image.distance_within(place, parent.interval).1))
    }
}
