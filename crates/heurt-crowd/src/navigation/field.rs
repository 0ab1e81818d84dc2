//! Distance field: shortest paths from everywhere on a floor to one goal.
//!
//! In: a navigation mesh, a goal. Out: for each point the length of its shortest path, and the point at which that path
//! bends first.
//! Method: windows spread from corners of walls in order of distance (Chen and Han 1990; filter of Xin and Wang 2009),
//! in the plane, so that nothing is unfolded. A corner sends windows only into its shadow: the part that the place from
//! which its own path comes does not see. Corners that see the goal have the distance of the nearest visible point of
//! it, which need not be a corner of the goal.
//! Guarantees: each path is free, and its length is right up to rounding. Not guaranteed: shortest paths where the
//! bound on windows is reached ([`DistanceField::is_whole`]). Cost: O(n log n) windows in practice, and a walk for each
//! corner and edge of the goal; a query O(windows of a triangle + edges of the goal).

use super::mesh::{NO_TRIANGLE, NavigationMesh};
use crate::ground::{edges, nearest_on};
use heurt_geometry::{PlanArea, Sign, Vec2, orient2d};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The largest number of windows per triangle on average: ten times what a city map needs; 8 kB a triangle.
const MAX_WINDOWS: usize = 200;

/// A window counts as superfluous only if it is longer by this share, far above rounding.
const ROUNDING: f64 = 1e-12;

/// A place to go to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GoalPlace {
    Point(Vec2),
    Areas(Vec<PlanArea>),
}

impl GoalPlace {
    /// Calls `visit` with the nearest point of each part of the goal's border, or with the point itself inside it.
    fn for_each_nearest(&self, point: Vec2, mut visit: impl FnMut(Vec2)) {
        match self {
            Self::Point(goal) => visit(*goal),
            Self::Areas(areas) if areas.iter().any(|area| area.contains(point)) => visit(point),
            Self::Areas(areas) => {
                areas.iter().flat_map(PlanArea::rings).flat_map(edges).for_each(|edge| visit(nearest_on(edge, point)));
            }
        }
    }
}

/// The first leg of a shortest path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heading {
    /// The first bend of the path, or its end.
    pub towards: Vec2,
    /// Length of the whole path, in metres.
    pub distance: f64,
}

/// The part of a triangle that a corner sees.
#[derive(Debug, Clone, Copy)]
struct Window {
    root: u32,
    /// Points on the rays that bound it.
    right: Vec2,
    left: Vec2,
}

/// Shortest paths to a goal.
#[derive(Debug, Clone)]
pub(crate) struct DistanceField {
    goal: GoalPlace,
    /// By corner, in metres; infinite for corners that no path connects.
    distance: Vec<f64>,
    /// The next point on the path of each corner.
    next: Vec<Vec2>,
    windows: Vec<SmallVec<[Window; 2]>>,
    is_whole: bool,
}

/// A wave: a corner that a path bends around, or a window before it enters a triangle.
#[derive(Debug, Clone, Copy)]
enum Wave {
    Corner(u32),
    Window { window: Window, distance: f64, triangle: u32, side: usize },
}

/// Waves in order of distance, equal ones in the order in which they came.
struct Queued {
    distance: f64,
    number: u64,
    wave: Wave,
}

impl PartialEq for Queued {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Queued {}
impl PartialOrd for Queued {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Queued {
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.number.cmp(&self.number))
    }
}

impl DistanceField {
    /// Computes all shortest paths to a goal.
    pub fn new(mesh: &NavigationMesh, goal: GoalPlace) -> Self {
        let count = mesh.points.len();
        let field = Self {
            goal,
            distance: vec![f64::INFINITY; count],
            next: mesh.points.clone(),
            windows: vec![SmallVec::new(); mesh.triangles.len()],
            is_whole: true,
        };
        let mut spread = Spread { mesh, field, queue: BinaryHeap::new(), number: 0 };
        spread.seed();
        spread.run();
        spread.field
    }

    /// Reports whether all windows were followed.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    pub fn goal(&self) -> &GoalPlace {
        &self.goal
    }

    /// Finds the first leg of the shortest path from a point of a triangle; `None` if no path leads to the goal.
    pub fn heading(&self, mesh: &NavigationMesh, triangle: u32, point: Vec2) -> Option<Heading> {
        let mut best = Heading { towards: point, distance: f64::INFINITY };
        let mut offer = |towards: Vec2, distance: f64| {
            if distance < best.distance {
                best = Heading { towards, distance };
            }
        };
        for window in &self.windows[triangle as usize] {
            let root = mesh.points[window.root as usize];
            let is_seen = orient2d(root, window.right, point) != Sign::Negative
                && orient2d(root, window.left, point) != Sign::Positive;
            if is_seen {
                offer(root, self.distance[window.root as usize] + root.distance(point));
            }
        }
        for corner in mesh.triangles[triangle as usize] {
            let corner = corner as usize;
            offer(mesh.points[corner], self.distance[corner] + mesh.points[corner].distance(point));
        }
        let mut direct: SmallVec<[(f64, Vec2); 8]> = SmallVec::new();
        self.goal.for_each_nearest(point, |place| direct.push((place.distance(point), place)));
        direct.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (distance, place) in direct {
            // The nearest visible point counts; the rest are further away.
            if distance < best.distance && mesh.sees(triangle, point, place) {
                best = Heading { towards: place, distance };
                break;
            }
        }
        (best.distance < f64::INFINITY).then_some(best)
    }

    /// Returns the point that follows a bend on the shortest path.
    pub fn after(&self, mesh: &NavigationMesh, bend: Vec2, triangle: u32) -> Option<Vec2> {
        let window = self.windows[triangle as usize].iter().map(|window| window.root);
        let mut roots = window.chain(mesh.triangles[triangle as usize]);
        roots.find(|&root| mesh.points[root as usize] == bend).map(|root| self.next[root as usize])
    }
}

/// A field that is being computed.
struct Spread<'m> {
    mesh: &'m NavigationMesh,
    field: DistanceField,
    queue: BinaryHeap<Queued>,
    number: u64,
}

impl Spread<'_> {
    fn push(&mut self, distance: f64, wave: Wave) {
        self.number += 1;
        self.queue.push(Queued { distance, number: self.number, wave });
    }

    /// Gives a corner a shorter path.
    fn relax(&mut self, corner: u32, distance: f64, next: Vec2) {
        if distance < self.field.distance[corner as usize] {
            self.field.distance[corner as usize] = distance;
            self.field.next[corner as usize] = next;
            if self.mesh.is_bend[corner as usize] {
                self.push(distance, Wave::Corner(corner));
            }
        }
    }

    /// Gives all corners that see the goal their distance.
    fn seed(&mut self) {
        let goal = self.field.goal.clone();
        for corner in 0..self.mesh.points.len() as u32 {
            let (at, triangle) = (self.mesh.points[corner as usize], self.mesh.triangle_at[corner as usize]);
            if triangle == NO_TRIANGLE {
                continue;
            }
            let mut best: Option<(f64, Vec2)> = None;
            goal.for_each_nearest(at, |place| {
                let distance = place.distance(at);
                if best.is_none_or(|(least, _)| distance < least) && self.mesh.sees(triangle, at, place) {
                    best = Some((distance, place));
                }
            });
            if let Some((distance, place)) = best {
                self.relax(corner, distance, place);
            }
        }
    }

    fn run(&mut self) {
        let most = MAX_WINDOWS.saturating_mul(self.mesh.triangles.len());
        let mut windows = 0_usize;
        while let Some(Queued { distance, wave, .. }) = self.queue.pop() {
            match wave {
                Wave::Corner(corner) if distance <= self.field.distance[corner as usize] => self.emit(corner),
                Wave::Corner(_) => {}
                Wave::Window { window, distance, triangle, side } => {
                    windows += 1;
                    if windows > most {
                        self.field.is_whole = false;
                        return;
                    }
                    if distance <= self.field.distance[window.root as usize] {
                        self.enter(window, triangle, side);
                    }
                }
            }
        }
    }

    /// Sends windows from a corner into its shadow.
    fn emit(&mut self, corner: u32) {
        let mesh = self.mesh;
        let Some([before, after]) = mesh.border[corner as usize] else { return };
        let (at, from) = (mesh.points[corner as usize], self.field.next[corner as usize]);
        let [before, after] = [before, after].map(|k| mesh.points[k as usize]);
        let ahead = at + (at - from);
        let side = |wall: Vec2| orient2d(from, at, wall);
        // Walls run with the floor to their left: the obstacle lies from `before` counter-clockwise to `after`.
        let (right, left) = match (side(before), side(after)) {
            (Sign::Positive, Sign::Positive | Sign::Zero) => (ahead, before),
            (Sign::Negative | Sign::Zero, Sign::Negative) => (after, ahead),
            _ => return,
        };
        for (triangle, k) in mesh.fan(corner) {
            let corners = mesh.corners(triangle);
            let [a, b] = [corners[(k + 1) % 3], corners[(k + 2) % 3]];
            // The triangle from a counter-clockwise to b, cut to the shadow. Both are less than half a turn wide: a
            // point is in one of them if it is on the inner side of both bounding rays.
            let side = |ray: Vec2, x: Vec2| orient2d(at, ray, x);
            let is_in = |x: Vec2| side(right, x) != Sign::Negative && side(left, x) != Sign::Positive;
            let has_right = side(a, right) != Sign::Negative && side(b, right) == Sign::Negative;
            let has_corner =
                is_in(a) && side(left, a) == Sign::Negative || is_in(b) && side(right, b) == Sign::Positive;
            if !has_right && !has_corner {
                continue;
            }
            let window =
                Window { root: corner, right: if is_in(a) { a } else { right }, left: if is_in(b) { b } else { left } };
            self.field.windows[triangle as usize].push(window);
            for k in mesh.triangles[triangle as usize] {
                let point = mesh.points[k as usize];
                if k != corner && is_in(point) {
                    self.relax(k, self.field.distance[corner as usize] + at.distance(point), at);
                }
            }
            self.pass(window, triangle, (k + 1) % 3);
        }
    }

    /// Sends a window through a side of a triangle, unless it is a wall or shorter paths are known beyond it.
    fn pass(&mut self, window: Window, triangle: u32, side: usize) {
        let mesh = self.mesh;
        let beyond = mesh.beyond[triangle as usize][side];
        if beyond == NO_TRIANGLE || window.right == window.left {
            return;
        }
        let (root, start) = (mesh.points[window.root as usize], self.field.distance[window.root as usize]);
        // Seen from the root the side runs from its first corner, on the right, to its second.
        let ends = [mesh.triangles[triangle as usize][side], mesh.triangles[triangle as usize][(side + 1) % 3]];
        let [a, b] = ends.map(|end| mesh.points[end as usize]);
        let [right, left] = [window.right, window.left].map(|ray| meet(root, ray, [a, b]));
        let is_longer = |end: u32, place: Vec2| {
            let known = self.field.distance[end as usize] + mesh.points[end as usize].distance(place);
            known < (start + root.distance(place)) * (1.0 - ROUNDING)
        };
        if is_longer(ends[0], left) || is_longer(ends[1], right) {
            return;
        }
        let twin = [ends[1], ends[0]];
        let Some(entry) = (0..3).find(|&k| mesh.triangles[beyond as usize][k] == twin[0]) else { return };
        let distance = start + nearest_on([right, left], root).distance(root);
        self.push(distance, Wave::Window { window, distance: start, triangle: beyond, side: entry });
    }

    /// Lets a window into a triangle through a side.
    fn enter(&mut self, window: Window, triangle: u32, side: usize) {
        let mesh = self.mesh;
        self.field.windows[triangle as usize].push(window);
        let root = mesh.points[window.root as usize];
        let opposite = mesh.triangles[triangle as usize][(side + 2) % 3];
        let point = mesh.points[opposite as usize];
        // From the root, the side after the entry is on the right, the last on the left.
        if orient2d(root, window.right, point) == Sign::Negative {
            self.pass(window, triangle, (side + 2) % 3);
        } else if orient2d(root, window.left, point) == Sign::Positive {
            self.pass(window, triangle, (side + 1) % 3);
        } else {
            let distance = self.field.distance[window.root as usize] + root.distance(point);
            self.relax(opposite, distance, root);
            self.pass(Window { left: point, ..window }, triangle, (side + 1) % 3);
            self.pass(Window { right: point, ..window }, triangle, (side + 2) % 3);
        }
    }
}

/// Computes where a ray from `root` meets the line of a side, within the side.
fn meet(root: Vec2, ray: Vec2, [a, b]: [Vec2; 2]) -> Vec2 {
    if ray == a || ray == b {
        return ray;
    }
    let (direction, along) = (ray - root, b - a);
    let share = (a - root).perp_dot(direction) / direction.perp_dot(along);
    if share.is_nan() { a } else { a + along * share.clamp(0.0, 1.0) }
}
