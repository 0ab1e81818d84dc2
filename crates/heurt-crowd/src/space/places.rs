//! First places of agents that fly: inside the room, clear of walls and of each other.
//!
//! In: groups. Out: agents with places and goals; faults of the rest.
//! Method: agents are swept along x, with the agents that came less than two radii before. Cost: O(n log n) for agents
//! that are not in one plane.

use super::fault::SpaceFault;
use super::group::{SpaceGoals, SpaceGroup};
use super::room::SpaceRoom;
use heurt_geometry::Vec3;

/// The largest radius of an agent, in metres.
const MAX_RADIUS: f64 = 1e3;

/// The largest speed of an agent, in m/s.
const MAX_SPEED: f64 = 1e3;

/// An agent that has a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct FlyerPlace {
    pub group: usize,
    /// Its number within its group.
    pub number: usize,
    pub radius: f64,
    pub place: Vec3,
    pub goal: Option<Vec3>,
}

/// Finds the agents without faults, in order, and the largest of their radii.
pub(super) fn place_agents(
    room: &SpaceRoom,
    groups: &[SpaceGroup],
    faults: &mut Vec<SpaceFault>,
) -> (Vec<FlyerPlace>, f64) {
    let mut placed = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let found = faults_of(room, group);
        if found.is_empty() {
            place_group(room, (number, group), &mut placed, faults);
        }
        faults.extend(found);
    }
    let is_free = keep_apart(&placed, groups, faults);
    let mut is_free = is_free.into_iter();
    placed.retain(|_| is_free.next().unwrap_or(false));
    let largest = placed.iter().map(|agent| agent.radius).fold(0.0, f64::max);
    (placed, largest)
}

/// Lists the numbers of a group that are none.
fn faults_of(room: &SpaceRoom, group: &SpaceGroup) -> Vec<SpaceFault> {
    let name = || group.name.clone();
    let bad = |what, value, expected| SpaceFault::BadNumber { group: name(), what, value, expected };
    let mut found = Vec::new();
    if !(0.0..=MAX_RADIUS).contains(&group.radius) {
        found.push(bad("radius", group.radius, "0 to 1,000 m"));
    } else if 4.0 * group.radius > room.width() * (1.0 + 1e-9) {
        found.push(SpaceFault::TooLarge { group: name(), radius: group.radius, width: room.width() });
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

fn place_group(
    room: &SpaceRoom,
    (number, group): (usize, &SpaceGroup),
    placed: &mut Vec<FlyerPlace>,
    faults: &mut Vec<SpaceFault>,
) {
    let sum = group.places.iter().fold(Vec3::ZERO, |sum, place| sum + *place);
    let centre = sum / group.places.len().max(1) as f64;
    let radius = group.radius;
    for (agent, &place) in group.places.iter().enumerate() {
        let goal = (group.goals == SpaceGoals::Antipode).then_some(2.0 * centre - place);
        let group = || group.name.clone();
        if !room.has_room(place, radius) {
            faults.push(SpaceFault::Outside { group: group(), agent, place });
        } else if let Some(place) = goal.filter(|&goal| !room.has_room(goal, radius)) {
            faults.push(SpaceFault::GoalOutside { group: group(), agent, place });
        } else {
            placed.push(FlyerPlace { group: number, number: agent, radius, place, goal });
        }
    }
}

/// Reports for each agent whether it overlaps none before it.
fn keep_apart(placed: &[FlyerPlace], groups: &[SpaceGroup], faults: &mut Vec<SpaceFault>) -> Vec<bool> {
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by(|&a, &b| placed[a].place.x.total_cmp(&placed[b].place.x).then(a.cmp(&b)));
    let largest = placed.iter().map(|agent| agent.radius).fold(0.0, f64::max);
    let mut pairs = Vec::new();
    for (rank, &agent) in order.iter().enumerate() {
        let here = placed[agent];
        let near = |other: &&usize| here.place.x - placed[**other].place.x < here.radius + largest;
        for &other in order[..rank].iter().rev().take_while(near) {
            let depth = here.radius + placed[other].radius - here.place.distance(placed[other].place);
            // Two points at one place have no direction from each other.
            if depth > 0.0 || here.place == placed[other].place {
                pairs.push((agent.max(other), agent.min(other), depth));
            }
        }
    }
    pairs.sort_by_key(|&(later, first, _)| (later, first));
    let mut is_free = vec![true; placed.len()];
    for (later, first, depth) in pairs {
        if is_free[later] && is_free[first] {
            is_free[later] = false;
            let (late, early) = (placed[later], placed[first]);
            let name = |agent: FlyerPlace| groups[agent.group].name.clone();
            let (group, other_group, place) = (name(late), name(early), late.place);
            let (agent, other) = (late.number, early.number);
            faults.push(SpaceFault::OverEachOther { group, agent, place, other_group, other, depth });
        }
    }
    is_free
}
