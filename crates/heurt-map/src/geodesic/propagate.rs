//! Propagation of windows over faces, the nearest first.
//!
//! In: a surface and a goal. Out: windows on half-edges, distances of nodes and how they are reached.
//! Method: see the module. A window on a half-edge has not crossed its face yet. Three filters drop a window [a, b] of
//! the image I over the edge from v₁ to v₂: if d(v₁) + |v₁ b| < f(b), or d(v₂) + |v₂ a| < f(a), where f is the distance
//! by I. As f is 1-Lipschitz, every point of the window is as near over that vertex. The third one is for the apex v₃
//! of the face behind the edge: rays that came in by the side at v₁ cross the segment from v₃ to a, so d(v₃) + |v₃ a| <
//! f(a) is enough; for the side at v₂ with b. At the apex of a face the window of the nearest image goes on to both
//! sides. A window whose ray to the apex enters to the left of it would have to cross that ray to come to the right
//! side, and so stays on the left; and vice versa.

use super::image::Image;
use super::surface::{GeodesicGoal, GeodesicSurface, next, previous};
use super::{GeodesicError, NONE};
use heurt_geometry::{Vec2, Vec3};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Weights of a goal point below this are 0: it lies on an edge or a vertex.
const ON_EDGE: f64 = 1e-12;

/// Weights of a goal point below minus this are outside of its face.
const OUTSIDE: f64 = 1e-6;

/// An interval of a half-edge that sees an image.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    pub(super) half_edge: u32,
    /// The window behind it, or `NONE`.
    pub(super) parent: u32,
    pub(super) origin: Origin,
    pub(super) interval: [f64; 2],
    pub(super) image: Image,
}

/// The place from which a window comes in the end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Origin {
    /// A node, whose own path follows.
    Node(u32),
    /// A point of the goal, by number.
    Point(u32),
    /// An edge of a face of the goal.
    Front,
}

/// How the path of a node starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reach {
    /// No path, or the node is a goal.
    Start,
    /// Straight to a goal point in a face of the node.
    Point(u32),
    /// Along an edge to the next node.
    Node(u32),
    /// Across a window, at a length along its half-edge.
    Window(u32, f64),
}

/// An entry of the queue.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Event {
    distance: f64,
    /// A window, or a node with the highest bit set.
    item: u32,
}

const NODE_BIT: u32 = 1 << 31;

impl Eq for Event {}

impl Ord for Event {
    /// The nearest is the greatest; of equal ones the lowest number.
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.item.cmp(&self.item))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The state of a propagation.
pub(super) struct Propagation<'s> {
    surface: &'s GeodesicSurface,
    pub(super) windows: Vec<Window>,
    /// Windows that were propagated, by number.
    pub(super) done: Vec<u32>,
    pub(super) distances: Vec<f64>,
    pub(super) reaches: Vec<Reach>,
    /// For each half-edge the nearest distance at its apex, and the crossing of that ray.
    at_apex: Vec<(f64, f64)>,
    pub(super) is_goal: Vec<bool>,
    /// Goal points of each face, sorted by face.
    pub(super) points: Vec<(u32, u32)>,
    pub(super) places: Vec<Vec3>,
    queue: BinaryHeap<Event>,
}

impl<'s> Propagation<'s> {
    /// Propagates windows until none is left.
    pub(super) fn run(surface: &'s GeodesicSurface, goal: &GeodesicGoal) -> Result<Self, GeodesicError> {
        let nodes = surface.spoke_begin.len() - 1;
        let mut this = Self {
            surface,
            windows: Vec::new(),
            done: Vec::new(),
            distances: vec![f64::INFINITY; nodes],
            reaches: vec![Reach::Start; nodes],
            at_apex: vec![(f64::INFINITY, 0.0); surface.twins.len()],
            is_goal: vec![false; surface.face_count()],
            points: Vec::new(),
            places: goal.points.iter().map(|&(_, place)| place).collect(),
            queue: BinaryHeap::new(),
        };
        this.start(goal)?;
        while let Some(Event { item, distance }) = this.queue.pop() {
            if item & NODE_BIT != 0 {
                let node = item & !NODE_BIT;
                if distance <= this.distances[node as usize] {
                    this.spread_from_node(node)?;
                }
            } else if !this.is_useless(item) {
                this.done.push(item);
                this.cross_face(item)?;
            }
        }
        Ok(this)
    }

    /// Checks the goal and makes its windows.
    fn start(&mut self, goal: &GeodesicGoal) -> Result<(), GeodesicError> {
        if goal.points.is_empty() && goal.faces.is_empty() {
            return Err(GeodesicError::NoGoal);
        }
        let faces = self.surface.face_count();
        for &face in goal.points.iter().map(|(face, _)| face).chain(&goal.faces) {
            if face as usize >= faces {
                return Err(GeodesicError::NoFace { face, faces });
            }
            if !self.surface.is_free[face as usize] {
                return Err(GeodesicError::GoalInObstacle { face });
            }
        }
        if let Some(index) = goal.points.iter().position(|(_, place)| !place.is_finite()) {
            return Err(GeodesicError::NotFinite { index });
        }
        goal.faces.iter().for_each(|&face| self.is_goal[face as usize] = true);
        for half_edge in goal.faces.iter().flat_map(|&face| 3 * face..3 * face + 3) {
            self.reach_node(self.surface.nodes[half_edge as usize], 0.0, Reach::Start, true);
            let image = Image::Front { direction: Vec2::Y, distance: 0.0 };
            self.add_whole_window(self.surface.twins[half_edge as usize], Origin::Front, image)?;
        }
        for (number, &(face, place)) in (0u32..).zip(&goal.points) {
            self.start_at_point(number, face, place)?;
        }
        self.points.sort_unstable();
        Ok(())
    }

    /// Makes the windows of a goal point in all faces that have it.
    fn start_at_point(&mut self, number: u32, face: u32, place: Vec3) -> Result<(), GeodesicError> {
        let surface = self.surface;
        // The share of the apex across from each half-edge.
        let share = |half_edge: u32| surface.flattened(half_edge, place).y / surface.apexes[half_edge as usize].y;
        let shares: [f64; 3] = std::array::from_fn(|k| share(3 * face + k as u32));
        if shares.into_iter().any(|share| share < -OUTSIDE) {
            return Err(GeodesicError::OutsideFace { index: number as usize, face });
        }
        if let Some(k) = (0..3).find(|&k| (0..3).all(|other| other == k || shares[other] < ON_EDGE)) {
            // Across from half-edge k is the start of its previous half-edge.
            let node = surface.apex_node(3 * face + k as u32);
            self.reach_node(node, 0.0, Reach::Start, true);
            return Ok(());
        }
        let mut faces = vec![face];
        if let Some(k) = (0..3).find(|&k| shares[k] < ON_EDGE) {
            let twin = surface.twins[3 * face as usize + k];
            faces.extend((twin != NONE).then_some(twin / 3));
        }
        for face in faces {
            self.points.push((face, number));
            for half_edge in 3 * face..3 * face + 3 {
                let at = surface.flattened(half_edge, place);
                let start = surface.nodes[half_edge as usize];
                self.reach_node(start, at.length(), Reach::Point(number), false);
                let twin = surface.twins[half_edge as usize];
                if twin == NONE || at.y < ON_EDGE * surface.apexes[half_edge as usize].y {
                    continue;
                }
                let at = Vec2::new(surface.lengths[twin as usize] - at.x, -at.y);
                self.add_whole_window(twin, Origin::Point(number), Image::Point { at, distance: 0.0 })?;
            }
        }
        Ok(())
    }

    /// Lowers the distance of a node; nodes where paths bend become sources.
    fn reach_node(&mut self, node: u32, distance: f64, reach: Reach, is_source: bool) {
        if node == NONE || distance >= self.distances[node as usize] {
            return;
        }
        self.distances[node as usize] = distance;
        self.reaches[node as usize] = reach;
        if is_source || self.surface.is_bend[node as usize] {
            self.queue.push(Event { distance, item: node | NODE_BIT });
        }
    }

    /// Sends windows from a node into all its faces.
    fn spread_from_node(&mut self, node: u32) -> Result<(), GeodesicError> {
        let surface = self.surface;
        let distance = self.distances[node as usize];
        for &spoke in surface.spokes_of(node) {
            let before = previous(spoke);
            self.reach_node(
                surface.end_node(spoke),
                distance + surface.lengths[spoke as usize],
                Reach::Node(node),
                false,
            );
            let along_other = distance + surface.lengths[before as usize];
            self.reach_node(surface.nodes[before as usize], along_other, Reach::Node(node), false);
            let opposite = next(spoke);
            let twin = surface.twins[opposite as usize];
            let at = surface.apexes[opposite as usize];
            if twin != NONE {
                let at = Vec2::new(surface.lengths[twin as usize] - at.x, -at.y);
                self.add_whole_window(twin, Origin::Node(node), Image::Point { at, distance })?;
            }
        }
        Ok(())
    }

    fn add_whole_window(&mut self, half_edge: u32, origin: Origin, image: Image) -> Result<(), GeodesicError> {
        if half_edge == NONE {
            return Ok(());
        }
        let interval = [0.0, self.surface.lengths[half_edge as usize]];
        self.add(Window { half_edge, parent: NONE, origin, interval, image })
    }

    /// Adds a window to the queue if it is of use.
    fn add(&mut self, window: Window) -> Result<(), GeodesicError> {
        if self.is_goal[window.half_edge as usize / 3]
            || self.is_dominated(&window, self.windows.get(window.parent as usize))
        {
            return Ok(());
        }
        let limit = self.surface.most_windows.min(NODE_BIT as usize);
        if self.windows.len() >= limit {
            return Err(GeodesicError::TooManyWindows { limit });
        }
        let item = self.windows.len() as u32;
        self.windows.push(window);
        self.queue.push(Event { distance: window.image.least_distance(window.interval), item });
        Ok(())
    }

    /// Reports whether paths over vertices are as short as all paths of a window.
    pub(super) fn is_useless(&self, item: u32) -> bool {
        let window = &self.windows[item as usize];
        self.is_dominated(window, self.windows.get(window.parent as usize))
    }

    fn is_dominated(&self, window: &Window, parent: Option<&Window>) -> bool {
        let surface = self.surface;
        let half_edge = window.half_edge;
        let [a, b] = window.interval;
        let length = surface.lengths[half_edge as usize];
        let [at_a, at_b] = [a, b].map(|x| window.image.distance_to(Vec2::new(x, 0.0)));
        let [start, end] =
            [surface.nodes[half_edge as usize], surface.end_node(half_edge)].map(|node| self.distances[node as usize]);
        if start + b < at_b || end + (length - a) < at_a {
            return true;
        }
        let Some(parent) = parent else { return false };
        let twin = surface.twins[half_edge as usize];
        let across = self.distances[surface.apex_node(twin) as usize];
        let apex = surface.apexes[twin as usize];
        let apex = Vec2::new(length - apex.x, -apex.y);
        // The parent's face is crossed from its half-edge to `twin`; if that is the next side, rays came in at the end.
        let came_by_end = twin == next(parent.half_edge);
        let (x, reached) = if came_by_end { (b, at_b) } else { (a, at_a) };
        across + apex.distance(Vec2::new(x, 0.0)) < reached
    }

    /// Propagates a window across its face.
    fn cross_face(&mut self, item: u32) -> Result<(), GeodesicError> {
        let surface = self.surface;
        let window = self.windows[item as usize];
        let half_edge = window.half_edge;
        let apex = surface.apexes[half_edge as usize];
        let [a, b] = window.interval;
        let (distance, crossing) = window.image.distance_within(apex, window.interval);
        self.reach_node(surface.apex_node(half_edge), distance, Reach::Window(item, crossing), false);
        let straight = window.image.crossing(apex);
        let (mut goes_left, mut goes_right) = (a < straight, b > straight);
        if goes_left && goes_right {
            let (nearest, at) = self.at_apex[half_edge as usize];
            if distance < nearest {
                self.at_apex[half_edge as usize] = (distance, straight);
            } else if straight < at {
                goes_right = false;
            } else if straight > at {
                goes_left = false;
            }
        }
        let length = surface.lengths[half_edge as usize];
        if goes_left {
            // The twin of the side from the apex to the start runs from the start to the apex.
            let side = previous(half_edge);
            let along = apex / surface.lengths[side as usize];
            self.add_child(item, side, (Vec2::ZERO, along), [a, b.min(straight)], b >= straight)?;
        }
        if goes_right {
            let side = next(half_edge);
            let along = (Vec2::new(length, 0.0) - apex) / surface.lengths[side as usize];
            self.add_child(item, side, (apex, along), [a.max(straight), b], a <= straight)?;
        }
        Ok(())
    }

    /// Adds the part of a window that goes on across a side of its face.
    fn add_child(
        &mut self,
        item: u32,
        side: u32,
        (origin, along): (Vec2, Vec2),
        rays: [f64; 2],
        ends_at_apex: bool,
    ) -> Result<(), GeodesicError> {
        let half_edge = self.surface.twins[side as usize];
        if half_edge == NONE {
            return Ok(());
        }
        let parent = self.windows[item as usize];
        let length = self.surface.lengths[half_edge as usize];
        let is_left = origin == Vec2::ZERO;
        let hit = |x: f64, fallback: f64| {
            parent.image.hit(x, origin, along).map_or(fallback, |along| along.clamp(0.0, length))
        };
        let mut interval = [hit(rays[0], 0.0), hit(rays[1], length)];
        if ends_at_apex {
            interval[usize::from(is_left)] = if is_left { length } else { 0.0 };
        }
        if interval[1] <= interval[0] {
            return Ok(());
        }
        let image = parent.image.seen_from(origin, along);
        self.add(Window { half_edge, parent: item, origin: parent.origin, interval, image })
    }
}
