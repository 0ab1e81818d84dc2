//! Time field: quickest paths from everywhere on a floor to one goal, where some ground is slow.
//!
//! In: eroded floors in small triangles, for each of them the time that a metre takes, a goal. Out: for a place the
//! bends of a quick path; the time that a path takes.
//! Method: times spread from the goal over the middles of sides (Dijkstra). The sides that lead from a place to the
//! goal are a corridor; its path is the shortest in this corridor (`funnel`).
//! Guarantees: paths are free; the time of a path across triangles is right up to rounding, along a side it is the time
//! in either triangle. Not guaranteed: the quickest path of all, as corridors are compared by the middles of their
//! sides. Cost: O(n log n) a goal, O(triangles crossed) a path.

use super::field::GoalPlace;
use super::funnel::shortest_in;
use super::mesh::{NO_TRIANGLE, NavigationMesh};
use crate::Ground;
use heurt_geometry::{FloorArea, Vec2, Vec3, ring_edges};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Places along the border of a goal are this far from each other at most, in metres: half of a triangle's side.
const GOAL_SPACING: f64 = 2.0;

/// The most places along one edge of a goal.
const MAX_PLACES: f64 = 1000.0;

/// Eroded floors in triangles that are small enough for densities.
#[derive(Debug)]
pub(crate) struct TimeMesh {
    mesh: NavigationMesh,
    /// The reach within which places count as on the mesh, in metres.
    reach: f64,
    /// By triangle: the patch of the ground at its middle.
    patch: Vec<u32>,
    /// By triangle: one over the pace at its middle, the mean of both directions.
    slowness: Vec<f64>,
    /// By triangle and side: the same side of the triangle beyond, or [`NO_TRIANGLE`].
    twin: Vec<u32>,
}

/// The next part of the quickest path from a side.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Next {
    Nowhere,
    /// Through a triangle to another side.
    Side {
        triangle: u32,
        side: u32,
    },
    /// Through a triangle to a place of the goal.
    Goal {
        triangle: u32,
        place: Vec3,
    },
}

/// Quickest paths to a goal.
#[derive(Debug)]
pub(crate) struct TimeField {
    /// By side, both of its directions alike: the time to the goal, in metres at free speed.
    times: Vec<f64>,
    next: Vec<Next>,
    /// Places of the goal, each with its triangle, by triangle.
    goals: Vec<(u32, Vec3)>,
}

impl TimeMesh {
    /// Divides eroded floors into triangles; `None` if that fails. `radius` is the radius of the discs.
    pub fn new(ground: &Ground, floors: Vec<FloorArea>, radius: f64) -> Option<Self> {
        let mesh = NavigationMesh::new(floors, Some(0.5 * ground.cell_side()))?;
        let count = mesh.beyond.len() as u32;
        let middle = |triangle: u32| {
            let [a, b, c] = mesh.corners(triangle);
            let middle = (a + b + c) / 3.0;
            middle.extend(mesh.floor.height(triangle, middle))
        };
        let patch = (0..count).map(|triangle| ground.quarter_near(middle(triangle)).unwrap_or(0)).collect();
        let slowness = ground.slowness_at((0..count).map(middle));
        let twin = |side: u32| {
            let (triangle, k) = (side / 3, side as usize % 3);
            let beyond = mesh.beyond[triangle as usize][k];
            let end = mesh.triangle(triangle)[(k + 1) % 3];
            let entry = (beyond != NO_TRIANGLE).then(|| mesh.triangle(beyond).iter().position(|&corner| corner == end));
            entry.flatten().map_or(NO_TRIANGLE, |k| 3 * beyond + k as u32)
        };
        let twin = (0..3 * count).map(twin).collect();
        Some(Self { mesh, reach: radius, patch, slowness, twin })
    }

    /// Computes the time that a metre takes in each triangle, 1 at free speed: `share_at` has the share of the free
    /// speed in each patch of the ground.
    pub fn slowness(&self, share_at: &[f64]) -> Vec<f64> {
        let slow = |(&base, &patch): (&f64, &u32)| base / share_at.get(patch as usize).copied().unwrap_or(1.0);
        self.slowness.iter().zip(&self.patch).map(slow).collect()
    }

    /// Computes the time that a path takes from a place, in metres at free speed.
    pub fn time_of(&self, from: Vec3, path: &[Vec3], slowness: &[f64]) -> f64 {
        let (mut at, mut time) = (from, 0.0);
        for &to in path {
            let Some((triangle, point)) = self.mesh.floor.nearest(at, self.reach) else { return f64::INFINITY };
            let is_free = self
                .mesh
                .for_each_crossed(triangle, point, to, |here, length| time += length * slowness[here as usize]);
            if !is_free {
                // A bend of the shortest path may be off these triangles by a rounding.
                time += at.truncate().distance(to.truncate()) * slowness[triangle as usize];
            }
            at = to;
        }
        time
    }

    fn ends(&self, side: u32) -> [Vec2; 2] {
        let corners = self.mesh.corners(side / 3);
        let k = side as usize % 3;
        [corners[k], corners[(k + 1) % 3]]
    }

    fn middle(&self, side: u32) -> Vec2 {
        let [a, b] = self.ends(side);
        a.midpoint(b)
    }

    /// Returns the number of a side that is the same from both of its triangles; `None` for a wall.
    fn number(&self, side: u32) -> Option<u32> {
        let twin = self.twin[side as usize];
        (twin != NO_TRIANGLE).then(|| side.min(twin))
    }

    /// Lists places of a goal with their triangles, by triangle.
    fn places_of(&self, goal: &GoalPlace) -> Vec<(u32, Vec3)> {
        let mut places = Vec::new();
        let mut add = |place: Vec3| {
            if let Some((triangle, point)) = self.mesh.floor.nearest(place, self.reach) {
                places.push((triangle, point.extend(place.z)));
            }
        };
        match goal {
            GoalPlace::Point(place) => add(*place),
            GoalPlace::Areas(areas) => {
                for floor in areas {
                    for [a, b] in floor.area.rings().flat_map(ring_edges) {
                        let pieces = (a.distance(b) / GOAL_SPACING).ceil().clamp(1.0, MAX_PLACES) as u32;
                        let share = |k: u32| f64::from(k) / f64::from(pieces);
                        (0..pieces).for_each(|k| add(floor.over(a.lerp(b, share(k)))));
                    }
                }
            }
        }
        places.sort_by_key(|&(triangle, _)| triangle);
        places
    }
}

impl TimeField {
    /// Computes the quickest paths to a goal.
    pub fn new(mesh: &TimeMesh, goal: &GoalPlace, slowness: &[f64]) -> Self {
        let goals = mesh.places_of(goal);
        let mut field =
            Self { times: vec![f64::INFINITY; mesh.twin.len()], next: vec![Next::Nowhere; mesh.twin.len()], goals };
        let mut queue = BinaryHeap::new();
        for place in 0..field.goals.len() {
            let (triangle, place) = field.goals[place];
            for side in 3 * triangle..3 * triangle + 3 {
                let time = mesh.middle(side).distance(place.truncate()) * slowness[triangle as usize];
                field.offer(mesh, side, time, Next::Goal { triangle, place }, &mut queue);
            }
        }
        while let Some(Reverse((bits, side))) = queue.pop() {
            let time = f64::from_bits(bits);
            if time > field.times[side as usize] {
                continue;
            }
            let at = mesh.middle(side);
            for here in [side, mesh.twin[side as usize]] {
                let triangle = here / 3;
                for other in (3 * triangle..3 * triangle + 3).filter(|&other| other != here) {
                    let time = time + at.distance(mesh.middle(other)) * slowness[triangle as usize];
                    field.offer(mesh, other, time, Next::Side { triangle, side }, &mut queue);
                }
            }
        }
        field
    }

    /// Gives a side a shorter time. Times are at least 0, so that their bits have their order.
    fn offer(
        &mut self,
        mesh: &TimeMesh,
        side: u32,
        time: f64,
        next: Next,
        queue: &mut BinaryHeap<Reverse<(u64, u32)>>,
    ) {
        let Some(side) = mesh.number(side).filter(|&side| time < self.times[side as usize]) else { return };
        self.times[side as usize] = time;
        self.next[side as usize] = next;
        queue.push(Reverse((time.to_bits(), side)));
    }

    /// Lists the bends of a quick path from a place, and its end; empty if none leads to the goal.
    pub fn path(&self, mesh: &TimeMesh, place: Vec3, slowness: &[f64]) -> Vec<Vec3> {
        let Some((start, from)) = mesh.mesh.floor.nearest(place, mesh.reach) else { return Vec::new() };
        let slow = slowness[start as usize];
        let (mut best, mut next) = (f64::INFINITY, Next::Nowhere);
        let first = self.goals.partition_point(|&(triangle, _)| triangle < start);
        for &(triangle, place) in self.goals[first..].iter().take_while(|(triangle, _)| *triangle == start) {
            let time = from.distance(place.truncate()) * slow;
            if time < best {
                (best, next) = (time, Next::Goal { triangle, place });
            }
        }
        for side in (3 * start..3 * start + 3).filter_map(|side| mesh.number(side)) {
            let time = self.times[side as usize] + from.distance(mesh.middle(side)) * slow;
            if time < best {
                (best, next) = (time, Next::Side { triangle: start, side });
            }
        }
        let (mut here, mut portals) = (start, Vec::new());
        // A quickest path has each side once.
        for _ in 0..=self.next.len() {
            match next {
                Next::Nowhere => return Vec::new(),
                Next::Goal { triangle, place } => {
                    if triangle != here {
                        return Vec::new();
                    }
                    return shortest_in(from, &portals, place);
                }
                Next::Side { side, .. } => {
                    next = self.next[side as usize];
                    let into = match next {
                        Next::Nowhere => return Vec::new(),
                        Next::Side { triangle, .. } | Next::Goal { triangle, .. } => triangle,
                    };
                    // A path that only touches a side stays in its triangle.
                    if into != here {
                        let out = [side, mesh.twin[side as usize]].into_iter().find(|side| side / 3 == here);
                        let Some(out) = out else { return Vec::new() };
                        let corners = mesh.mesh.triangle(here);
                        let k = out as usize % 3;
                        portals.push([corners[k], corners[(k + 1) % 3]].map(|corner| mesh.mesh.place(corner)));
                        here = into;
                    }
                }
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Navigation;
    use heurt_geometry::{PlanArea, SplitMix64};

    const RADIUS: f64 = 0.2;

    /// A hall with boxes that do not touch.
    fn hall(random: &mut SplitMix64) -> Ground {
        let mut area = PlanArea::rectangle(Vec2::ZERO, Vec2::new(40.0, 30.0));
        for cell in 0..12 {
            let low = Vec2::new(f64::from(cell % 4) * 10.0, f64::from(cell / 4) * 10.0) + random.between(1.0, 3.0);
            let size = Vec2::new(random.between(1.0, 6.0), random.between(1.0, 6.0));
            let mut hole = PlanArea::rectangle(low, low + size).outline;
            hole.reverse();
            area.holes.push(hole);
        }
        Ground::new([area]).expect("sound")
    }

    fn place_in(ground: &Ground, random: &mut SplitMix64) -> Vec3 {
        loop {
            let place = Vec3::new(random.between(0.5, 39.5), random.between(0.5, 29.5), 0.0);
            if ground.is_clear(place, 1.05 * RADIUS) {
                return place;
            }
        }
    }

    /// The time of a straight leg by many small pieces.
    fn sampled_time(mesh: &TimeMesh, from: Vec3, to: Vec3, slowness: &[f64]) -> f64 {
        let pieces = 20_000;
        let at = |k: u32| from.lerp(to, (f64::from(k) + 0.5) / f64::from(pieces));
        let slow = |k: u32| {
            let (triangle, _) = mesh.mesh.floor.nearest(at(k), 1e-6).expect("a leg is on the floor");
            slowness[triangle as usize]
        };
        (0..pieces).map(slow).sum::<f64>() / f64::from(pieces) * from.distance(to)
    }

    #[test]
    fn quick_paths_are_free_and_their_times_are_those_of_small_pieces() {
        let (mut random, mut compared) = (SplitMix64::new(52), 0);
        for _ in 0..4 {
            let ground = hall(&mut random);
            let navigation = Navigation::new(&ground, RADIUS).expect("discs fit");
            let mesh = navigation.time_mesh(&ground).expect("a mesh");
            let slowness: Vec<f64> = (0..mesh.patch.len()).map(|_| random.between(1.0, 10.0)).collect();
            let even = vec![1.0; mesh.patch.len()];
            for _ in 0..12 {
                let [from, to] = [(), ()].map(|()| place_in(&ground, &mut random));
                let goal = GoalPlace::Point(to);
                let field = navigation.field_to_point(to).expect("clear");
                let shortest = navigation.path(&field, from);
                let length = navigation.heading(&field, from).expect("connected").distance;
                for slowness in [&even, &slowness] {
                    let path = TimeField::new(&mesh, &goal, slowness).path(&mesh, from, slowness);
                    assert!(path.last().is_some_and(|end| end.distance(to) < 1e-9), "{path:?}");
                    let legs: Vec<[Vec3; 2]> = std::iter::once(from)
                        .chain(path.iter().copied())
                        .zip(path.iter().copied())
                        .map(Into::into)
                        .collect();
                    assert!(legs.iter().all(|[a, b]| navigation.is_free(*a, *b)), "{legs:?}");
                }
                // Legs along sides have the time of either triangle: random ones cross them.
                if navigation.is_free(from, to) {
                    let time = mesh.time_of(from, &[to], &slowness);
                    let sampled = sampled_time(&mesh, from, to, &slowness);
                    assert!((time - sampled).abs() < 2e-3 * time, "{time} against {sampled}");
                    compared += 1;
                }
                // On even ground a time is a length: no shorter than the shortest path, and little longer.
                let quick = TimeField::new(&mesh, &goal, &even).path(&mesh, from, &even);
                let [time, least] = [&quick, &shortest].map(|path| mesh.time_of(from, path, &even));
                assert!((least - length).abs() < 1e-9 * length, "{least} against {length}");
                // Corridors are chosen by the middles of sides, 4 m long at most.
                assert!(time >= least * (1.0 - 1e-9) && time <= 1.1 * least + 2.0, "{time} against {least}");
            }
        }
        assert!(compared >= 5, "{compared} free legs");
    }

    #[test]
    fn paths_lead_round_slow_ground() {
        // A hall in two halves by a wall with two doors; the ground at the near door is slow.
        let wall = |from: f64, to: f64| {
            let mut ring = PlanArea::rectangle(Vec2::new(9.9, from), Vec2::new(10.1, to)).outline;
            ring.reverse();
            ring
        };
        let mut area = PlanArea::rectangle(Vec2::ZERO, Vec2::new(20.0, 20.0));
        area.holes = vec![wall(0.1, 4.0), wall(6.0, 14.0), wall(16.0, 19.9)];
        let ground = Ground::new([area]).expect("sound");
        let navigation = Navigation::new(&ground, RADIUS).expect("discs fit");
        let mesh = navigation.time_mesh(&ground).expect("a mesh");
        let [from, to] = [Vec3::new(5.0, 5.0, 0.0), Vec3::new(15.0, 5.0, 0.0)];
        let goal = GoalPlace::Point(to);
        let slow_by = |factor: f64| -> Vec<f64> {
            let is_slow = |triangle: u32| {
                let [a, b, c] = mesh.mesh.corners(triangle);
                ((a + b + c) / 3.0).distance(Vec2::new(10.0, 5.0)) < 4.0
            };
            (0..mesh.patch.len() as u32).map(|triangle| if is_slow(triangle) { factor } else { 1.0 }).collect()
        };
        for (factor, is_round) in [(1.0, false), (1.2, false), (20.0, true)] {
            let slowness = slow_by(factor);
            let path = TimeField::new(&mesh, &goal, &slowness).path(&mesh, from, &slowness);
            assert_eq!(path.iter().any(|bend| bend.y > 13.0), is_round, "{factor}: {path:?}");
        }
        // A goal that no path leads to.
        let far = TimeField::new(&mesh, &GoalPlace::Point(Vec3::new(90.0, 0.0, 0.0)), &slow_by(1.0));
        assert_eq!(far.path(&mesh, from, &slow_by(1.0)), Vec::new());
    }
}
