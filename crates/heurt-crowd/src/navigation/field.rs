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
use crate::ground::{SAME_FLOOR, nearest_on};
use heurt_geometry::{FloorArea, Sign, Vec2, Vec3, orient2d, ring_edges};
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
    Point(Vec3),
    Areas(Vec<FloorArea>),
}

impl GoalPlace {
    /// Calls `visit` with the nearest place of each part of the goal's border, or with the place itself inside it.
    fn for_each_nearest(&self, place: Vec3, mut visit: impl FnMut(Vec3)) {
        match self {
            Self::Point(goal) => visit(*goal),
            Self::Areas(areas) if areas.iter().any(|area| area.contains(place, SAME_FLOOR)) => visit(place),
            Self::Areas(areas) => {
                for floor in areas {
                    let edges = floor.area.rings().flat_map(ring_edges);
                    edges.for_each(|edge| visit(floor.over(nearest_on(edge, place.truncate()))));
                }
            }
        }
    }
}

/// The first leg of a shortest path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heading {
    /// The first bend of the path, or its end, with its height.
    pub towards: Vec3,
    /// Length of the whole path in plan, in metres.
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
    /// The next place on the path of each corner.
    next: Vec<Vec3>,
    /// The triangle into which that path leads.
    via: Vec<u32>,
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
        let count = mesh.floor.points.len() as u32;
        let field = Self {
            goal,
            distance: vec![f64::INFINITY; count as usize],
            next: (0..count).map(|corner| mesh.place(corner)).collect(),
            via: vec![NO_TRIANGLE; count as usize],
            windows: vec![SmallVec::new(); mesh.beyond.len()],
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
        let here = point.extend(mesh.floor.height(triangle, point));
        let mut best = Heading { towards: here, distance: f64::INFINITY };
        let mut offer = |towards: Vec3, distance: f64| {
            if distance < best.distance {
                best = Heading { towards, distance };
            }
        };
        for window in &self.windows[triangle as usize] {
            let root = mesh.point(window.root);
            let is_seen = orient2d(root, window.right, point) != Sign::Negative
                && orient2d(root, window.left, point) != Sign::Positive;
            if is_seen {
                offer(mesh.place(window.root), self.distance[window.root as usize] + root.distance(point));
            }
        }
        for corner in mesh.triangle(triangle) {
            offer(mesh.place(corner), self.distance[corner as usize] + mesh.point(corner).distance(point));
        }
        let mut direct: SmallVec<[(f64, Vec3); 8]> = SmallVec::new();
        self.goal.for_each_nearest(here, |place| direct.push((place.truncate().distance(point), place)));
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
    pub fn after(&self, mesh: &NavigationMesh, bend: Vec2, triangle: u32) -> Option<Vec3> {
        let window = self.windows[triangle as usize].iter().map(|window| window.root);
        let mut roots = window.chain(mesh.triangle(triangle));
        roots.find(|&root| mesh.point(root) == bend).map(|root| self.next[root as usize])
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

    /// Gives a corner a shorter path, which leads into a triangle.
    fn relax(&mut self, corner: u32, distance: f64, next: Vec3, via: u32) {
        if distance < self.field.distance[corner as usize] {
            self.field.via[corner as usize] = via;
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
        for corner in 0..self.mesh.floor.points.len() as u32 {
            let (at, triangle) = (self.mesh.point(corner), self.mesh.triangle_at[corner as usize]);
            if triangle == NO_TRIANGLE {
                continue;
            }
            let mut best: Option<(f64, Vec3, u32)> = None;
            goal.for_each_nearest(self.mesh.place(corner), |place| {
                let distance = place.truncate().distance(at);
                if best.is_none_or(|(least, ..)| distance < least)
                    && let Some(via) = self.mesh.first_seen(triangle, at, place)
                {
                    best = Some((distance, place, via));
                }
            });
            if let Some((distance, place, via)) = best {
                self.relax(corner, distance, place, via);
            }
        }
    }

    fn run(&mut self) {
        let most = MAX_WINDOWS.saturating_mul(self.mesh.beyond.len());
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

    /// Sends windows from a corner into its shadows: more than half a turn to the left or right of its own path.
    fn emit(&mut self, corner: u32) {
        let mesh = self.mesh;
        let (at, from) = (mesh.point(corner), self.field.next[corner as usize].truncate());
        let via = self.field.via[corner as usize];
        let Some(k) = mesh.triangle(via).iter().position(|&k| k == corner).filter(|_| at != from) else { return };
        let ahead = at + (at - from);
        for is_left in [true, false] {
            let beyond = if is_left { Sign::Positive } else { Sign::Negative };
            let (mut here, mut is_past) = ((via, k), false);
            while let Some((triangle, k)) = mesh.next_in_fan(here.0, here.1, is_left).filter(|next| next.0 != via) {
                here = (triangle, k);
                let [a, b] = [1, 2].map(|turn| mesh.triangle(triangle)[(k + turn) % 3]);
                let [near, far] = if is_left { [a, b] } else { [b, a] };
                if !is_past && orient2d(from, at, mesh.point(far)) != beyond {
                    continue;
                }
                // The first triangle is cut by the straight line, unless that runs along its side.
                let is_whole = is_past || orient2d(from, at, mesh.point(near)) == Sign::Zero;
                let first = if is_whole { mesh.point(near) } else { ahead };
                let [right, left] = if is_left { [first, mesh.point(far)] } else { [mesh.point(far), first] };
                is_past = true;
                let window = Window { root: corner, right, left };
                self.field.windows[triangle as usize].push(window);
                for k in [near, far].into_iter().skip(usize::from(!is_whole)) {
                    let distance = self.field.distance[corner as usize] + at.distance(mesh.point(k));
                    self.relax(k, distance, mesh.place(corner), triangle);
                }
                self.pass(window, triangle, (k + 1) % 3);
            }
        }
    }

    /// Sends a window through a side of a triangle, unless it is a wall or shorter paths are known beyond it.
    fn pass(&mut self, window: Window, triangle: u32, side: usize) {
        let mesh = self.mesh;
        let beyond = mesh.beyond[triangle as usize][side];
        if beyond == NO_TRIANGLE || window.right == window.left {
            return;
        }
        let (root, start) = (mesh.point(window.root), self.field.distance[window.root as usize]);
        // Seen from the root the side runs from its first corner, on the right, to its second.
        let ends = [mesh.triangle(triangle)[side], mesh.triangle(triangle)[(side + 1) % 3]];
        let [a, b] = ends.map(|end| mesh.point(end));
        let [right, left] = [window.right, window.left].map(|ray| meet(root, ray, [a, b]));
        let is_longer = |end: u32, place: Vec2| {
            let known = self.field.distance[end as usize] + mesh.point(end).distance(place);
            known < (start + root.distance(place)) * (1.0 - ROUNDING)
        };
        if is_longer(ends[0], left) || is_longer(ends[1], right) {
            return;
        }
        let twin = [ends[1], ends[0]];
        let Some(entry) = (0..3).find(|&k| mesh.triangle(beyond)[k] == twin[0]) else { return };
        let distance = start + nearest_on([right, left], root).distance(root);
        self.push(distance, Wave::Window { window, distance: start, triangle: beyond, side: entry });
    }

    /// Lets a window into a triangle through a side.
    fn enter(&mut self, window: Window, triangle: u32, side: usize) {
        let mesh = self.mesh;
        self.field.windows[triangle as usize].push(window);
        let root = mesh.point(window.root);
        let opposite = mesh.triangle(triangle)[(side + 2) % 3];
        let point = mesh.point(opposite);
        // From the root, the side after the entry is on the right, the last on the left.
        if orient2d(root, window.right, point) == Sign::Negative {
            self.pass(window, triangle, (side + 2) % 3);
        } else if orient2d(root, window.left, point) == Sign::Positive {
            self.pass(window, triangle, (side + 1) % 3);
        } else {
            let distance = self.field.distance[window.root as usize] + root.distance(point);
            self.relax(opposite, distance, mesh.place(window.root), triangle);
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
