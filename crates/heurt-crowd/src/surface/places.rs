//! First places of agents on a surface: on free faces, clear of walls and of each other.
//!
//! In: groups. Out: targets; agents on the surface, or faults.
//! Method: a place in space is projected to the nearest point of the surface. Random places are drawn in free faces by
//! area, and drawn again where an agent does not fit. Agents placed before are found in the map.
//! Guarantees: the same seed gives the same places. Cost: O(faces) for each place.

use super::body::Side;
use super::fault::SurfaceFault;
use super::group::{SurfaceGroup, SurfaceStart};
use super::route::Target;
use super::{Roamer, SurfaceCrowd, SurfaceGround};
use heurt_geometry::{SplitMix64, Vec3};
use heurt_map::registration::{EntityId, Geometry, PointId, Visit};
use heurt_map::track::{CellPlace, ProbeHit};
use heurt_map::{CombinatorialMap, Orbit};

/// How often a place is drawn for one agent before the surface counts as full.
const MAX_DRAWS: usize = 500;

/// The largest radius of an agent, in metres, and the largest speed, in m/s.
const MAX_RADIUS: f64 = 1e3;
const MAX_SPEED: f64 = 1e3;

/// Places may be this far from the surface in any case, in metres.
const NEAR_SURFACE: f64 = 1e-3;

/// Lists the numbers of a group that are none.
pub(super) fn faults_of(group: &SurfaceGroup) -> Vec<SurfaceFault> {
    let bad = |what, value, expected| SurfaceFault::BadNumber { group: group.name.clone(), what, value, expected };
    let mut found = Vec::new();
    if !(0.0..=MAX_RADIUS).contains(&group.radius) {
        found.push(bad("radius", group.radius, "0 to 1,000 m"));
    }
    if !(group.within > 0.0 && group.within.is_finite()) {
        found.push(bad("distance to goals", group.within, "a number of metres above 0"));
    }
    let law = group.speed;
    let is_number = |x: f64| (0.0..=MAX_SPEED).contains(&x);
    if let Some(&value) = [law.mean, law.deviation, law.least, law.most].iter().find(|&&x| !is_number(x)) {
        found.push(bad("speed", value, "0 to 1,000 m/s"));
    } else if law.least > law.most {
        found.push(bad("speed", law.least, "a least value that is not above the largest"));
    }
    found.extend(group.model.fault().map(|(what, value)| bad(what, value, "a finite number above 0")));
    found
}

/// Finds the targets of a group on the surface.
pub(super) fn targets_of(ground: &SurfaceGround, group: &SurfaceGroup) -> Result<Vec<Target>, Vec<SurfaceFault>> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    let most = group.radius.max(group.within);
    for (number, &place) in group.goals.targets().iter().enumerate() {
        match project(ground, (&group.name, "target", number), place, most) {
            Ok(target) => found.push(target),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(found) } else { Err(faults) }
}

/// Projects a place to the nearest point of the surface, which is on a free face.
fn project(
    ground: &SurfaceGround,
    (group, what, number): (&str, &'static str, usize),
    place: Vec3,
    most: f64,
) -> Result<Target, SurfaceFault> {
    let (environment, name) = (&ground.environment, || group.to_owned());
    let map = environment.map().map();
    let found = environment.geometry().find(map, place.into()).ok().and_then(ProbeHit::inside);
    let Some(found) = found else {
        return Err(SurfaceFault::OffSurface { group: name(), what, number, place, distance: f64::INFINITY });
    };
    let (face, at) = (map.id(Orbit::Face, found.dart), found.position.at);
    let distance = at.distance(place);
    if distance > most.max(NEAR_SURFACE) {
        return Err(SurfaceFault::OffSurface { group: name(), what, number, place, distance });
    }
    if !ground.is_free(face) {
        return Err(SurfaceFault::InBuilding { group: name(), what, number, place });
    }
    Ok(Target { face, place: at, wide: None })
}

impl SurfaceCrowd<'_> {
    /// Places the agents of a group.
    pub(super) fn place_group(
        &mut self,
        number: usize,
        group: &SurfaceGroup,
        random: &mut SplitMix64,
        faults: &mut Vec<SurfaceFault>,
    ) {
        let mut speeds = SplitMix64::new(random.bits());
        match &group.start {
            SurfaceStart::Places(places) => {
                for (agent, &place) in places.iter().enumerate() {
                    let at = project(self.ground, (&group.name, "agent", agent), place, group.radius);
                    let entered = at.and_then(|at| self.enter((number, agent), group, at, &mut speeds));
                    faults.extend(entered.err());
                }
            }
            &SurfaceStart::Anywhere(count) => {
                let (found, curved) = self.scatter((number, count), group, random, &mut speeds);
                if found == 0 && curved.is_some() {
                    faults.extend(curved);
                } else if found < count {
                    let (radius, area, group) = (group.radius, self.ground.free_area(), group.name.clone());
                    faults.push(SurfaceFault::NoRoom { group, found, count, radius, area });
                }
            }
        }
    }

    /// Places agents at random; returns how many found a place, and the first place that is too curved.
    fn scatter(
        &mut self,
        (number, count): (usize, usize),
        group: &SurfaceGroup,
        random: &mut SplitMix64,
        speeds: &mut SplitMix64,
    ) -> (usize, Option<SurfaceFault>) {
        let ground = self.ground;
        let (mut faces, mut sums, mut sum) = (Vec::new(), Vec::new(), 0.0);
        for face in ground.free_faces() {
            sum += ground.area_of(face);
            faces.push(face);
            sums.push(sum);
        }
        let mut curved = None;
        for agent in 0..count {
            let mut draw = || {
                let wanted = sum * random.unit();
                let face = faces[sums.partition_point(|&sum| sum <= wanted).min(faces.len() - 1)];
                let ([a, b, c], [mut u, mut v]) = (ground.corners_of(face), [random.unit(), random.unit()]);
                if u + v > 1.0 {
                    [u, v] = [1.0 - u, 1.0 - v];
                }
                Target { face, place: a + (b - a) * u + (c - a) * v, wide: None }
            };
            let mut fits = |_: usize| match self.enter((number, agent), group, draw(), speeds) {
                Ok(()) => true,
                Err(fault) => {
                    let is_first = curved.is_none() && matches!(fault, SurfaceFault::TooCurved { .. });
                    curved = if is_first { Some(fault) } else { curved.take() };
                    false
                }
            };
            if !(0..MAX_DRAWS).any(&mut fits) {
                return (agent, curved);
            }
        }
        (count, curved)
    }

    /// Registers an agent where it fits and from where all its targets are reached.
    fn enter(
        &mut self,
        (group_number, number): (usize, usize),
        group: &SurfaceGroup,
        at: Target,
        speeds: &mut SplitMix64,
    ) -> Result<(), SurfaceFault> {
        let (place, face, radius, name) = (at.place, at.face, group.radius, || group.name.clone());
        let rig = self.rigs[group_number].clone();
        let distance = self.walls.distance(face, place);
        if rig.is_none() && distance < radius {
            return Err(SurfaceFault::AtWall { group: name(), number, place, distance });
        }
        if let Some(target) = self.unreached_target(group_number, at, radius) {
            return Err(SurfaceFault::NoWay { group: name(), number, place, target });
        }
        if let Some(rig) = rig {
            let (body, position, face) = self.enter_body(&rig, at, group, (group_number, number))?;
            let (entity, point) = self.bodies[body as usize].points[0];
            self.add_agent((group_number, number), group, (position, face), (entity, point, Some(body)), speeds);
            return Ok(());
        }
        self.enter_disc((group_number, number), group, at, speeds)
    }

    /// Finds a target of a group that no path wide enough leads to.
    fn unreached_target(&self, group: usize, at: Target, radius: f64) -> Option<Vec3> {
        let is_wide = self.ground.wide_at(radius, at.face).is_some();
        let mut targets = self.paths.targets[group].iter().zip(&self.paths.wide_targets[group]);
        let is_reached = |(target, wide): &(&u32, &Option<u32>)| {
            let field = wide.filter(|_| is_wide).unwrap_or(**target);
            self.paths.fields[field as usize].distance_at(at.face, at.place).is_some()
        };
        targets.find(|target| !is_reached(target)).map(|(&target, _)| self.paths.target_places[target as usize])
    }

    /// Registers a disc where it overlaps no agent.
    fn enter_disc(
        &mut self,
        (group_number, number): (usize, usize),
        group: &SurfaceGroup,
        at: Target,
        speeds: &mut SplitMix64,
    ) -> Result<(), SurfaceFault> {
        let (place, face, radius, name) = (at.place, at.face, group.radius, || group.name.clone());
        let off = SurfaceFault::OffSurface { group: name(), what: "agent", number, place, distance: f64::INFINITY };
        let Ok(entity) = self.environment.add_particle(place.into()) else { return Err(off) };
        let point = self.environment.points(entity).ok().and_then(|mut points| points.next());
        let Some((point, particle)) = point.and_then(|point| Some((point, self.environment.particle(point).ok()?)))
        else {
            return Err(off);
        };
        let position = particle.position.at;
        let face = self.environment.cell_of(point).unwrap_or(face);
        let mut first: Option<(u32, f64)> = None;
        let largest = self.agents.iter().map(|agent| agent.radius).fold(0.0, f64::max);
        let normal = self.ground.normal_of(face);
        let own = Side::Disc { place: position, normal, radius };
        let add = |entity: EntityId, _: f64| {
            let other = self.owner_of[entity.0 as usize].0;
            if self.agents[other as usize].body.is_some() {
                return;
            }
            let agent = &self.agents[other as usize];
            let (depth, is_same) =
                (radius + agent.radius - position.distance(agent.position), position == agent.position);
            if (depth > 0.0 || is_same) && first.is_none_or(|(known, _)| other < known) {
                first = Some((other, depth));
            }
        };
        let _ = self.environment.for_each_within(point, radius + largest, &mut Visit::new(), add);
        let first = first.or_else(|| if self.bodies.is_empty() { None } else { self.first_over(&own) });
        let is_free = self.ground.is_free(face);
        if first.is_some() || !is_free {
            // The entity is registered: removal cannot fail.
            let _ = self.environment.remove(entity);
        }
        if let Some((other, depth)) = first {
            let other = &self.agents[other as usize];
            let (other_group, other) = (self.names[other.group as usize].clone(), other.number as usize);
            return Err(SurfaceFault::OverEachOther { group: name(), number, place, other_group, other, depth });
        }
        if !is_free {
            return Err(SurfaceFault::InBuilding { group: name(), what: "agent", number, place });
        }
        self.note_owner(entity, (self.agents.len() as u32, 0));
        self.add_agent((group_number, number), group, (position, face), (entity, point, None), speeds);
        Ok(())
    }

    /// Adds an agent that is registered to the list.
    fn add_agent(
        &mut self,
        (group_number, number): (usize, usize),
        group: &SurfaceGroup,
        (position, face): (Vec3, u32),
        (entity, point, body): (EntityId, PointId, Option<u32>),
        speeds: &mut SplitMix64,
    ) {
        self.agents.push(Roamer {
            group: group_number as u32,
            number: number as u32,
            radius: group.radius,
            within: group.within,
            speed: group.speed.draw(speeds),
            position,
            velocity: Vec3::ZERO,
            drift: Vec3::ZERO,
            face,
            place: CellPlace::Face,
            stage: 0,
            entity,
            point,
            body,
            slow: 0.0,
            stalled: 0.0,
        });
    }
}
