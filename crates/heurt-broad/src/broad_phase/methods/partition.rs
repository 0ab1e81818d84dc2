//! Partition broad phase: boxes registered in the cells of a planar partition (S4).
//!
//! In: objects, and an environment in the plane that is convex as a whole. Out: their pairs. Method: S4 §5.5 to §5.7.
//! The floor plan of a box, its rectangle in x and y, is registered as two triangles in the cells that it meets, so two
//! overlapping boxes are present in a common cell. Only updated boxes are moved and searched; objects found in their
//! cells are compared by their boxes. Cells with many present triangles are refined, and coarsened when these have
//! left. A box not entirely inside the environment is in a list that is compared with all boxes.
//! Cost: O(cells met, and objects present there) for an updated box, independent of the size of the environment, and
//! O(pairs); queries visit all objects. Memory: the memory of the environment.

use crate::broad_phase::common::drawing::draw_bounds;
use crate::broad_phase::common::engine::{Engine, Method};
use crate::broad_phase::common::pair_list::PairBook;
use crate::broad_phase::common::proxies::{CHANGED, PRESENT, Proxies};
use crate::broad_phase::{BroadPhase, BroadPhaseError, BroadPhaseKind, Fault, Pair, ProxyId, StepWork};
use heurt_geometry::{Aabb, Draw, DrawSink, Sign, Vec2, orient2d};
use heurt_map::multires::Multiresolution;
use heurt_map::registration::{CellFacts, Criterion, Element, EntityId, PlaneEnvironment, PointId, RegistrationMode};
use heurt_map::{CombinatorialMap, Orbit};
use std::collections::BTreeSet;

/// Creates a broad phase over an environment, whose cells are refined down to the level `finest` in crowded regions.
///
/// ```
/// use heurt_broad::{Filter, over_partition};
/// use heurt_geometry::{Aabb, Vec2, Vec3};
/// use heurt_map::registration::{Environment, Plane};
/// use heurt_map::{Map2, multires::ImplicitMap};
///
/// let corners = (0..25).map(|k| Vec2::new(f64::from(k % 5), f64::from(k / 5))).collect();
/// let streets = Environment::new(ImplicitMap::new(Map2::grid(4, 4)?), Plane::new(corners)?)?;
/// let mut world = over_partition(streets, 3)?;
/// for id in 0..3 {
///     let min = Vec3::new(f64::from(id), 0.5, 0.0);
///     world.insert(id, &Aabb { min, max: min + Vec3::ONE }, Filter::MOVING)?;
/// }
/// assert_eq!(world.step().begun.len(), 2); // Touching counts.
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`BroadPhaseError::NotConvex`]: two boxes may meet beyond a dent or in a hole, outside any cell;
/// [`BroadPhaseError::NotEmpty`]: entities registered earlier would be taken for boxes.
pub fn over_partition(environment: PlaneEnvironment, finest: u8) -> Result<Box<dyn BroadPhase>, BroadPhaseError> {
    if !is_convex(&environment) {
        return Err(BroadPhaseError::NotConvex);
    }
    let registered = environment.entities().count();
    if registered > 0 {
        return Err(BroadPhaseError::NotEmpty { registered });
    }
    let ground = Ground { environment, crowd: Crowd { finest }, owners: Vec::new() };
    let (plans, outside, near) = (Vec::new(), BTreeSet::new(), Vec::new());
    Ok(Box::new(Engine::over(Partition { ground, plans, outside, near })))
}

/// Reports whether there is one border, which runs clockwise, once, and never turns to the left or back.
fn is_convex(environment: &PlaneEnvironment) -> bool {
    let map = environment.map().map();
    let border = map.live_darts().filter(|&dart| map.is_boundary(dart)).count();
    let Some(first) = map.live_darts().find(|&dart| map.is_boundary(dart)) else { return false };
    let at = |dart| environment.geometry().positions()[map.id(Orbit::Vertex, dart) as usize];
    let is_up = |a: Vec2, b: Vec2| a.y < b.y || a.y == b.y && a.x < b.x;
    let (mut dart, mut rises) = (first, 0);
    for gone in 0..border {
        if gone > 0 && dart == first {
            return false;
        }
        let next = map.phi1(dart);
        let [a, b, c] = [at(dart), at(next), at(map.phi1(next))];
        // For collinear points the sign of the product is exact.
        let turns_back = || (b - a).dot(c - b) <= 0.0;
        match orient2d(a, b, c) {
            Sign::Positive => return false,
            Sign::Zero if turns_back() => return false,
            _ => {}
        }
        rises += usize::from(!is_up(a, b) && is_up(b, c));
        dart = next;
    }
    dart == first && rises == 1
}

/// Criterion for refining and coarsening cells: the number of present triangles, two a box.
#[derive(Debug)]
struct Crowd {
    finest: u8,
}

impl Criterion for Crowd {
    fn is_too_coarse(&mut self, cell: &CellFacts<'_>) -> bool {
        cell.level < self.finest && cell.present.len() > 16
    }

    fn is_too_fine(&mut self, pieces: &[CellFacts<'_>]) -> bool {
        pieces.iter().map(|piece| piece.present.len()).sum::<usize>() <= 4
    }
}

/// The environment, and the owners of its triangles.
#[derive(Debug)]
struct Ground {
    environment: PlaneEnvironment,
    crowd: Crowd,
    /// Owner of each entity.
    owners: Vec<ProxyId>,
}

/// Registration state of an object.
#[derive(Debug, Clone, Copy, Default)]
enum Plan {
    #[default]
    Absent,
    Outside,
    Inside {
        triangles: [EntityId; 2],
        corners: [PointId; 4],
    },
}

/// Objects by their registration state.
#[derive(Debug)]
struct Partition {
    ground: Ground,
    /// Registration state by id.
    plans: Vec<Plan>,
    outside: BTreeSet<ProxyId>,
    near: Vec<ProxyId>,
}

/// Returns the corners of a floor plan, counter-clockwise.
fn floor_plan(bounds: &Aabb) -> [Vec2; 4] {
    let (low, high) = (bounds.min, bounds.max);
    [[low.x, low.y], [high.x, low.y], [high.x, high.y], [low.x, high.y]].map(Vec2::from_array)
}

impl Ground {
    /// Registers a floor plan, if it is entirely inside the environment.
    fn register(&mut self, id: ProxyId, bounds: &Aabb) -> Option<Plan> {
        let triangles = [Element::Triangle([0, 1, 2]), Element::Triangle([0, 2, 3])];
        let added = self.environment.add(&floor_plan(bounds), &triangles, RegistrationMode::default()).ok()?;
        let triangles = [added[0], added[1]];
        for EntityId(entity) in triangles {
            self.owners.resize(self.owners.len().max(entity as usize + 1), id);
            self.owners[entity as usize] = id;
        }
        let of = |triangle: EntityId, place: usize| self.environment.points(triangle).ok()?.nth(place);
        let [first, second] = triangles;
        let corners = [of(first, 0)?, of(first, 1)?, of(first, 2)?, of(second, 2)?];
        Some(Plan::Inside { triangles, corners })
    }

    /// Moves a floor plan, and reports whether it is still inside the environment.
    fn move_to(&mut self, corners: [PointId; 4], bounds: &Aabb) -> bool {
        let targets = floor_plan(bounds);
        let moves: [(PointId, Vec2); 4] = std::array::from_fn(|k| (corners[k], targets[k]));
        self.environment.move_points(&moves).is_ok_and(|moved| moved.stopped.is_empty() && moved.failed.is_empty())
    }

    fn remove(&mut self, triangles: [EntityId; 2]) {
        for triangle in triangles {
            // Both triangles exist: they were registered together, and are removed here only.
            let _ = self.environment.remove(triangle);
        }
    }

    /// Writes to `near` all objects that are present in the cells of some triangles.
    fn look(&self, triangles: [EntityId; 2], near: &mut Vec<ProxyId>) -> u64 {
        let mut seen = 0;
        for triangle in triangles {
            for &cell in self.environment.cells_of(triangle).unwrap_or_default() {
                seen += 1;
                let present = self.environment.present(cell).unwrap_or_default();
                near.extend(present.iter().map(|entity| self.owners[entity.0 as usize]));
            }
        }
        seen
    }
}

impl Partition {
    /// Updates the registration of an object.
    fn follow(&mut self, id: ProxyId, bounds: Option<&Aabb>, work: &mut StepWork) {
        let plan = &mut self.plans[id as usize];
        let mut before = std::mem::take(plan);
        if let Plan::Inside { triangles, corners } = before {
            if bounds.is_some_and(|bounds| self.ground.move_to(corners, bounds)) {
                *plan = before;
                return;
            }
            self.ground.remove(triangles);
            before = Plan::Absent;
        }
        if matches!(before, Plan::Outside) {
            self.outside.remove(&id);
        }
        let Some(bounds) = bounds else { return };
        work.reinserted += 1;
        *plan = self.ground.register(id, bounds).unwrap_or_else(|| {
            self.outside.insert(id);
            Plan::Outside
        });
    }
}

impl Method for Partition {
    const KIND: Option<BroadPhaseKind> = None;

    fn step(&mut self, proxies: &mut Proxies, book: &mut PairBook, work: &mut StepWork) {
        self.plans.resize(proxies.end(), Plan::Absent);
        for &id in proxies.changed() {
            self.follow(id, proxies.get(id).map(|record| &record.bounds), work);
        }
        let adapted = self.ground.environment.adapt(&mut self.ground.crowd, usize::MAX);
        work.rebuilds += adapted.changes.len() as u64;
        let records = proxies.records();
        let is_changed = |id: ProxyId| records[id as usize].has(CHANGED);
        for at in 0..book.pairs().len() {
            let pair = book.pairs()[at];
            if is_changed(pair.a) || is_changed(pair.b) {
                book.found.push(pair);
            }
        }
        for &id in proxies.changed() {
            let record = &records[id as usize];
            if !record.has(PRESENT) {
                continue;
            }
            self.near.clear();
            match self.plans[id as usize] {
                Plan::Inside { triangles, .. } => {
                    work.nodes += self.ground.look(triangles, &mut self.near);
                    self.near.extend(&self.outside);
                }
                _ => self.near.extend(proxies.ids()),
            }
            self.near.sort_unstable();
            self.near.dedup();
            work.box_tests += self.near.len() as u64;
            let pairs_up = |other: &&ProxyId| **other != id && record.pairs_with(&records[**other as usize]);
            book.found.extend(self.near.iter().filter(pairs_up).map(|&other| Pair::new(id, other)));
        }
        book.amend(proxies);
    }

    fn draw(&self, proxies: &Proxies, sink: &mut dyn DrawSink) {
        self.ground.environment.draw(sink);
        let outside = self.outside.iter().filter_map(|&id| proxies.get(id));
        outside.for_each(|record| draw_bounds(sink, &record.bounds));
    }

    fn faults(&self, proxies: &Proxies, faults: &mut Vec<Fault>) {
        for id in proxies.ids() {
            let bounds = &proxies.record(id).bounds;
            let ground = &self.ground;
            let is_there = match self.plans[id as usize] {
                Plan::Inside { triangles, corners } => {
                    let at = |point| ground.environment.particle(point).map(|particle| particle.position);
                    let is_at = |(&corner, place)| at(corner) == Ok(place);
                    let is_own = |triangle: &EntityId| ground.owners[triangle.0 as usize] == id;
                    corners.iter().zip(floor_plan(bounds)).all(is_at) && triangles.iter().all(is_own)
                }
                Plan::Outside => self.outside.contains(&id),
                Plan::Absent => false,
            };
            if !is_there {
                faults.push(Fault::Misplaced { id, what: "the floor plan in the partition is not that of the box" });
            }
        }
    }

    fn bytes(&self) -> usize {
        let Ground { environment, owners, .. } = &self.ground;
        let cells = environment.map().link_bytes() + environment.list_bytes();
        let lists = self.plans.capacity() * size_of::<Plan>() + self.near.capacity() * size_of::<ProxyId>();
        cells + lists + (owners.capacity() + self.outside.len()) * size_of::<ProxyId>()
    }
}
