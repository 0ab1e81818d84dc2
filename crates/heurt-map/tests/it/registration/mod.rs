//! Registration against definitions, after every operation of long random sequences.

mod cases;
mod limits;
mod oracle;
mod star;
mod surface;

use heurt_geometry::{Aabb, Vec2, Vec3};
use heurt_map::multires::{ImplicitMap, MultiresError, Scheme};
use heurt_map::registration::{
    CellChange, Convex, ConvexEnvironment, Element, EntityId, Environment, Geometry, Plane, PlaneEnvironment, PointId,
    RegistrationError, RegistrationMode, Visit,
};
use heurt_map::{Map2, Map3, Orbit, Orient, grid_positions};
use heurt_testkit::number::random::Random;
use heurt_testkit::oracle::partition::ragged_squares;
use heurt_testkit::test_size;
use std::collections::{BTreeMap, BTreeSet};

/// Squares with whole corners, moved by up to `jitter`, and cut into triangles here and there.
pub fn plane(n: u32, step: i64, jitter: i64, scheme: Scheme, random: &mut Random) -> PlaneEnvironment {
    let (points, faces) = ragged_squares(n, step, jitter, random);
    let points: Vec<Vec2> = points.into_iter().map(Vec2::from_array).collect();
    let map = Map2::from_polygons(points.len(), &faces, Orient::Keep).expect("a surface").map;
    Environment::new(ImplicitMap::with_scheme(map, scheme), Plane::new(points).unwrap()).unwrap()
}

/// A sheared grid of hexahedra.
pub fn space(counts: [u32; 3], step: f64) -> ConvexEnvironment {
    let high = Vec3::from_array(counts.map(|n| f64::from(n) * step));
    let sheared = |p: Vec3| Vec3::new(p.x + 0.25 * p.y, p.y, p.z + 0.5 * p.x);
    let points = grid_positions(&Aabb { min: Vec3::ZERO, max: high }, counts).into_iter().map(sheared).collect();
    let map = ImplicitMap::new(Map3::hexahedral_grid(counts).unwrap());
    Environment::new(map, Convex::new(points).unwrap()).unwrap()
}

/// Which cells an entity is registered in, given those that it meets.
type Widen<'a> = &'a dyn Fn(EntityId, BTreeSet<u32>) -> BTreeSet<u32>;

/// How a walk of random operations draws positions, and what its map has to satisfy.
struct Case<const D: usize, G: Geometry<D>> {
    env: Environment<D, G>,
    draw: fn(&mut Random) -> G::Point,
    has_faults: fn(&Environment<D, G>) -> bool,
    /// Compares lists with definitions.
    compare: fn(&Environment<D, G>, Widen),
    /// What more may happen, now and then, and what has to be true of a change before it is made: whether it is
    /// refused.
    deform: Option<fn(&mut Self, &mut Random)>,
    is_refused: fn(&Environment<D, G>, u32, bool) -> bool,
    /// Refining a cell leaves all that is beyond it as it is, exactly.
    is_still: bool,
    manners: BTreeMap<EntityId, RegistrationMode>,
    /// Of each cell the cells that it came from, from level 0 on to itself.
    paths: BTreeMap<u32, Vec<u32>>,
    nodes: u32,
    /// Changes made and refused.
    changes: [usize; 2],
}

impl<const D: usize, G: Geometry<D>> Case<D, G> {
    fn new(
        env: Environment<D, G>,
        draw: fn(&mut Random) -> G::Point,
        has_faults: fn(&Environment<D, G>) -> bool,
    ) -> Self {
        let paths: BTreeMap<u32, Vec<u32>> = env.cells().map(|cell| (cell, vec![cell])).collect();
        let nodes = paths.keys().copied().max().unwrap_or(0);
        Self {
            env,
            draw,
            has_faults,
            compare: |env, widen| oracle::check(env, widen),
            deform: None,
            is_refused: |_, _, _| false,
            is_still: D == 3,
            manners: BTreeMap::new(),
            paths,
            nodes,
            changes: [0; 2],
        }
    }

    /// All cells that came from the same cell of a level as a cell.
    fn block(&self, cell: u32, finest: u8) -> impl Iterator<Item = u32> + '_ {
        let own = &self.paths[&cell];
        let own = &own[..own.len().min(usize::from(finest) + 1)];
        self.paths.iter().filter(move |(_, path)| path.starts_with(own)).map(|(&cell, _)| cell)
    }

    /// Notes where the cells come from.
    fn note(&mut self, change: &CellChange) {
        assert!(change.strayed.is_empty());
        let mut path = self.paths[&change.before[0]].clone();
        for cell in &change.before {
            self.paths.remove(cell);
        }
        path.truncate(usize::from(change.level) + 1);
        for &cell in &change.after {
            let mut path = path.clone();
            if path.len() <= usize::from(change.level) {
                self.nodes += 1;
                path.push(self.nodes);
            }
            assert_eq!(path.len(), usize::from(self.env.level(cell).unwrap()) + 1);
            self.paths.insert(cell, path);
        }
    }

    fn check(&mut self, step: usize) {
        assert_eq!(self.env.validate(), [], "step {step}");
        assert!(!(self.has_faults)(&self.env), "step {step}");
        (self.compare)(&self.env, &|entity, met| {
            let finest = self.manners.get(&entity).map_or(u8::MAX, |manner| manner.finest);
            if finest == u8::MAX { met } else { met.into_iter().flat_map(|cell| self.block(cell, finest)).collect() }
        });
        self.check_counts(step);
    }

    /// Counts the particles of every cell of every level again, by the cells of their points.
    fn check_counts(&self, step: usize) {
        let mut expected: BTreeMap<&[u32], usize> = BTreeMap::new();
        for entity in self.env.entities() {
            let mut points = self.env.points(entity).unwrap();
            let finest = self.manners.get(&entity).map_or(usize::from(u8::MAX), |manner| manner.finest.into());
            if let (Some(point), None) = (points.next(), points.next()) {
                let path = &self.paths[&self.env.cell_of(point).unwrap()];
                (1..path.len().min(finest + 2)).for_each(|k| *expected.entry(&path[..k]).or_default() += 1);
            }
        }
        for (&cell, path) in &self.paths {
            for k in 1..path.len() {
                let count = self.env.particles_at(cell, k as u8 - 1).unwrap();
                let expected = expected.get(&path[..k]).copied().unwrap_or(0);
                assert_eq!(count, Some(expected), "level {} of cell {cell}, step {step}", k - 1);
            }
            let own = self.env.cell_facts(cell).unwrap().particles;
            assert_eq!(self.env.particles_at(cell, path.len() as u8 - 1), Ok(Some(own)));
            assert_eq!(self.env.particles_at(cell, path.len() as u8), Ok(None));
        }
    }

    /// Of every point its number, its cell and its place.
    fn places(&self) -> Vec<(PointId, u32, Vec3)> {
        let points = self.env.entities().flat_map(|entity| self.env.points(entity).unwrap());
        let place = |point| {
            let position = self.env.particle(point).unwrap().position;
            (point, self.env.cell_of(point).unwrap(), G::to_space(position))
        };
        points.map(place).collect()
    }

    /// Refines or coarsens a cell, if nothing is against it; what is refused changes nothing.
    fn change(&mut self, cell: u32, is_finer: bool) {
        let is_refused = (self.is_refused)(&self.env, cell, is_finer);
        let before = is_refused.then(|| oracle::picture(&self.env));
        let points = self.places();
        match if is_finer { self.env.refine(cell) } else { self.env.coarsen(cell) } {
            Ok(change) => {
                assert!(!is_refused);
                self.changes[0] += 1;
                if is_finer && self.is_still {
                    // Nothing moves beyond the cell, however bent it is.
                    for (before, after) in points.into_iter().zip(self.places()) {
                        let is_kin = before.1 == cell && change.after.contains(&after.1);
                        assert!(before == after || is_kin && (before.0, before.2) == (after.0, after.2));
                    }
                }
                self.note(&change);
            }
            Err(RegistrationError::BadCells { faults }) => {
                assert!(is_refused && !faults.is_empty());
                self.changes[1] += 1;
                assert_eq!(before.unwrap(), oracle::picture(&self.env));
            }
            Err(RegistrationError::Multires(error)) => assert!(match error {
                MultiresError::NoScheme { .. } => is_finer,
                MultiresError::LevelZero { .. } | MultiresError::ChildRefined { .. } => !is_finer,
                _ => false,
            }),
            Err(error) => assert_eq!(error, RegistrationError::TooFine { cell, level: 10 }),
        }
    }

    fn add(&mut self, random: &mut Random) {
        let manner = RegistrationMode {
            finest: if random.one_in(3) { random.whole(0, 2) as u8 } else { u8::MAX },
            is_whole: true,
        };
        let count = random.whole(1, 4) as usize;
        let points: Vec<G::Point> = (0..count).map(|_| (self.draw)(random)).collect();
        let elements = match count {
            1 => vec![Element::Particle(0)],
            2 => vec![Element::Edge([0, 1])],
            3 => vec![Element::Triangle([0, 1, 2])],
            _ => vec![
                Element::Triangle([0, 1, 2]),
                Element::Triangle([2, 1, 3]),
                Element::Edge([0, 3]),
                Element::Particle(3),
            ],
        };
        if let Ok(added) = self.env.add(&points, &elements, manner) {
            self.manners.extend(added.into_iter().map(|entity| (entity, manner)));
        }
    }

    fn remove(&mut self, random: &mut Random) {
        let entities: Vec<EntityId> = self.env.entities().collect();
        let entity = entities[random.whole(0, entities.len() as i64 - 1) as usize];
        self.env.remove(entity).unwrap();
        self.manners.remove(&entity);
    }

    fn any_cell(&self, random: &mut Random) -> u32 {
        let cells: Vec<u32> = self.env.cells().collect();
        cells[random.whole(0, cells.len() as i64 - 1) as usize]
    }

    fn any_point(&self, random: &mut Random) -> Option<PointId> {
        let points: Vec<PointId> = self.env.entities().flat_map(|entity| self.env.points(entity).unwrap()).collect();
        let last = points.len().checked_sub(1)?;
        Some(points[random.whole(0, last as i64) as usize])
    }

    fn step(&mut self, most_cells: usize, random: &mut Random) {
        if let Some(deform) = self.deform
            && random.one_in(5)
        {
            return deform(self, random);
        }
        match random.whole(0, 9) {
            0 | 1 if self.env.cells().count() < most_cells => {
                let cell = self.any_cell(random);
                self.change(cell, true);
            }
            0..=3 => {
                let cell = self.any_cell(random);
                self.change(cell, false);
            }
            4 => self.add(random),
            5 => {
                if self.env.entities().count() > 8 {
                    self.remove(random);
                }
            }
            6 => {
                let mut moves = Vec::new();
                for _ in 0..4 {
                    moves.extend(self.any_point(random).map(|point| (point, (self.draw)(random))));
                }
                assert_eq!(self.env.move_points(&moves).unwrap().failed, []);
            }
            _ => {
                if let Some(point) = self.any_point(random) {
                    let target = (self.draw)(random);
                    let plan = self.env.plan_move(point, target).unwrap();
                    let mut twin = self.env.clone();
                    let moved = twin.move_point(point, target).unwrap();
                    assert_eq!(self.env.make_move(&plan).unwrap(), moved);
                    assert_eq!(self.env.particle(point), twin.particle(point));
                    assert!(twin.entities_over(point).unwrap().eq(self.env.entities_over(point).unwrap()));
                    for entity in twin.entities_over(point).unwrap() {
                        assert_eq!(self.env.cells_of(entity), twin.cells_of(entity));
                    }
                }
            }
        }
    }
}

fn draw_plane(random: &mut Random) -> Vec2 {
    let mut axis = || {
        if random.one_in(2) { random.whole(0, 48) as f64 * 0.5 } else { random.between(-0.5, 24.5) }
    };
    Vec2::new(axis(), axis())
}

fn draw_space(random: &mut Random) -> Vec3 {
    let mut axis = || if random.one_in(2) { random.whole(0, 16) as f64 * 0.5 } else { random.between(0.0, 8.0) };
    let p = Vec3::new(axis(), axis(), axis());
    Vec3::new(p.x + 0.25 * p.y, p.y, p.z + 0.5 * p.x)
}

fn walk_plane(scheme: Scheme, jitter: i64, seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let env = plane(3, 8, jitter, scheme, &mut random);
    let has_faults =
        |env: &PlaneEnvironment| !env.map().validate().is_empty() || env.map().map().euler_characteristic() != 1;
    let mut case = Case::new(env, draw_plane, has_faults);
    for step in 0..steps {
        case.step(60, &mut random);
        case.check(step);
    }
}

#[test]
fn lists_in_the_plane_are_as_by_definition_after_every_operation() {
    for seed in 0..4 {
        walk_plane(Scheme::ByShape, 1, seed, 300);
        walk_plane(Scheme::Quads, 0, 100 + seed, 300);
    }
}

fn walk_space(seed: u64, steps: usize) {
    let mut random = Random::new(seed);
    let has_faults =
        |env: &ConvexEnvironment| !env.map().validate().is_empty() || env.map().map().euler_characteristic() != 1;
    let mut case = Case::new(space([2, 2, 2], 4.0), draw_space, has_faults);
    for step in 0..steps {
        case.step(50, &mut random);
        case.check(step);
    }
}

#[test]
fn lists_in_space_are_as_by_definition_after_every_operation() {
    (0..2).for_each(|seed| walk_space(seed, 150));
}

/// `HEURT_REGISTRATION_STEPS=1000000 cargo test --release -p heurt-map --test it registration::long` takes that many.
#[test]
fn long_sequences_of_operations() {
    let steps = test_size("HEURT_REGISTRATION_STEPS", 1_000) as usize;
    walk_plane(Scheme::ByShape, 1, 900, steps);
    walk_plane(Scheme::Quads, 0, 901, steps);
    walk_space(902, steps / 4);
    star::walk(903, steps / 4);
    surface::walk(904, steps / 4);
}

#[test]
fn who_is_within_a_distance_is_as_by_definition() {
    let mut random = Random::new(7);
    let mut env = plane(3, 8, 1, Scheme::ByShape, &mut random);
    let mut visit = Visit::new();
    for round in 0..200 {
        let drawn = [draw_plane(&mut random), draw_plane(&mut random)];
        let _ = if round % 2 == 0 { env.add_particle(drawn[0]) } else { env.add_edge(drawn) };
        if round % 5 == 0 {
            let cells: Vec<u32> = env.cells().collect();
            let cell = cells[random.whole(0, cells.len() as i64 - 1) as usize];
            if round % 10 == 0 && cells.len() < 100 { env.refine(cell).map(drop) } else { env.coarsen(cell).map(drop) }
                .ok();
        }
        for entity in env.entities().step_by(7) {
            let point = env.points(entity).unwrap().next().unwrap();
            let at = Plane::to_space(env.particle(point).unwrap().position);
            let radius = random.between(0.0, 6.0);
            let mut found = BTreeSet::new();
            env.for_each_within(point, radius, &mut visit, |other, distance| {
                assert!(distance <= radius && found.insert(other));
            })
            .unwrap();
            for other in env.entities().filter(|other| !env.entities_over(point).unwrap().any(|own| own == *other)) {
                let distance = match oracle::positions(&env, other)[..] {
                    [a] => a.distance(at),
                    [a, b] => {
                        let share = ((at - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                        (a + (b - a) * if share.is_nan() { 0.0 } else { share }).distance(at)
                    }
                    _ => unreachable!(),
                };
                if distance < radius * 0.999 {
                    assert!(found.contains(&other), "{other:?} at {distance} of {radius}");
                } else if distance > radius * 1.001 {
                    assert!(!found.contains(&other));
                }
            }
            let mut near = BTreeSet::new();
            env.for_each_near(entity, &mut visit, |other| assert!(near.insert(other))).unwrap();
            let cells = env.cells_of(entity).unwrap();
            let lists = cells.iter().flat_map(|&cell| [env.present(cell).unwrap(), env.neighbours(cell).unwrap()]);
            let mut expected: BTreeSet<EntityId> = lists.flatten().copied().collect();
            expected.remove(&entity);
            assert_eq!(near, expected);
        }
    }
}

#[test]
fn orbit_kinds() {
    assert_eq!(<Plane as Geometry<2>>::CELL, Orbit::Face);
    assert_eq!(<Convex as Geometry<3>>::CELL, Orbit::Volume);
}
