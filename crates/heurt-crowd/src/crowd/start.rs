//! First places: agents on the floor, clear of walls and of each other.
//!
//! In: groups. Out: places, or faults.
//! Method: places are drawn in the triangles of a start area, uniformly, and drawn again where an agent does not fit; a
//! grid of squares has the agents placed before.
//! Guarantees: the same seed gives the same places. Not guaranteed: that a random packing is as dense as a regular one;
//! discs drawn at random fill 0.55 of an area at most. Cost: O(agents).

use super::fault::CrowdFault;
use super::group::{AgentGroup, Goals, Start};
use super::outline::{depth_of_disc, depth_of_polygons};
use super::squares::Squares;
use crate::ground::{HEADROOM, nearest_on, shared_at_height};
use crate::{AgentForm, Ground};
use heurt_geometry::{FloorArea, PlanArea, SplitMix64, Vec2, Vec3, ring_edges};
use heurt_map::{CombinatorialMap, Dart, Map2, Orbit};

/// How often a place is drawn for one agent before the area counts as full.
const MAX_DRAWS: usize = 2000;

/// An agent that has a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub group: usize,
    /// Its number within its group.
    pub number: usize,
    /// Its centre in plan, and the height of the floor there.
    pub place: Vec3,
}

/// Returns the nearest point of an area, or the middle of an area that has the place inside.
fn nearest_of(area: &PlanArea, place: Vec2) -> Vec2 {
    if area.contains(place) {
        return area.centroid();
    }
    let points = area.rings().flat_map(ring_edges).map(|edge| nearest_on(edge, place));
    let nearest = points.min_by(|a, b| a.distance_squared(place).total_cmp(&b.distance_squared(place)));
    nearest.unwrap_or_else(|| area.centroid())
}

/// Returns the unit vector along which an agent with an outline begins: towards its first goal.
pub(super) fn facing(group: &AgentGroup, place: Vec2) -> Vec2 {
    let towards = match &group.goals {
        Goals::None => None,
        Goals::Antipode => match &group.start {
            Start::Places(places) if !places.is_empty() => {
                Some(places.iter().map(|place| place.truncate()).sum::<Vec2>() / places.len() as f64)
            }
            Start::Places(_) => None,
            Start::Areas(areas, _) => areas.first().map(|floor| floor.area.centroid()),
        },
        goals => goals.areas().get(goals.first(place) as usize).and_then(|areas| {
            let nearest = areas.iter().map(|floor| nearest_of(&floor.area, place));
            nearest.min_by(|a, b| a.distance_squared(place).total_cmp(&b.distance_squared(place)))
        }),
    };
    towards.and_then(|towards| (towards - place).try_normalize()).unwrap_or(Vec2::X)
}

/// Returns the sections of an agent at a place, as it begins; none of a disc.
fn sections_at(group: &AgentGroup, place: Vec2) -> Vec<Vec<Vec2>> {
    match group.form {
        AgentForm::Disc => Vec::new(),
        _ => group.form.placed(place, facing(group, place)),
    }
}

/// Computes how deep two agents are in each other, in metres; not above 0 if they do not overlap.
fn depth_of_pair((group, place): (&AgentGroup, Vec2), (other, other_place): (&AgentGroup, Vec2)) -> f64 {
    let reaches = reach_of(group) + reach_of(other);
    if place.distance_squared(other_place) > reaches * reaches {
        return f64::NEG_INFINITY;
    }
    let [sections, others] = [(group, place), (other, other_place)].map(|(group, place)| sections_at(group, place));
    match (sections.as_slice(), others.as_slice()) {
        ([], []) => group.radius + other.radius - place.distance(other_place),
        (sections, []) => deepest(sections, |section| depth_of_disc(section, other_place, other.radius)),
        ([], others) => deepest(others, |section| depth_of_disc(section, place, group.radius)),
        (sections, others) => deepest(sections, |a| deepest(others, |b| depth_of_polygons(a, b))),
    }
}

fn deepest(sections: &[Vec<Vec2>], depth: impl Fn(&[Vec2]) -> f64) -> f64 {
    sections.iter().map(|section| depth(section)).fold(f64::NEG_INFINITY, f64::max)
}

/// Computes how far an agent reaches from its place, in metres.
fn reach_of(group: &AgentGroup) -> f64 {
    let corners = group.form.sections().iter().flat_map(|outline| outline.corners());
    corners.map(|corner| corner.length()).fold(group.radius, f64::max)
}

/// Reports whether an agent at a place touches no wall with its inside.
fn is_clear(ground: &Ground, group: &AgentGroup, place: Vec3) -> bool {
    let sections = sections_at(group, place.truncate());
    match sections.as_slice() {
        [] => ground.is_clear(place, group.radius),
        sections => ground.is_clear_of(place, sections),
    }
}

/// Finds the agent that an agent overlaps most; `occupied` has the numbers of all placed agents.
fn overlapped(
    occupied: &Squares<u32>,
    (group, place): (&AgentGroup, Vec3),
    placed: &[Placed],
    groups: &[AgentGroup],
) -> Option<(usize, f64)> {
    let mut worst: Option<(usize, f64)> = None;
    for other in occupied.around(place.truncate()).map(|&other| other as usize) {
        let theirs = placed[other].place;
        let is_level = (theirs.z - place.z).abs() < HEADROOM;
        let depth = depth_of_pair((group, place.truncate()), (&groups[placed[other].group], theirs.truncate()));
        if depth > 0.0 && is_level && worst.is_none_or(|(_, deepest)| depth > deepest) {
            worst = Some((other, depth));
        }
    }
    worst
}

/// Computes the centre of the first places of each group.
pub(super) fn centres_of(groups: &[AgentGroup], placed: &[Placed]) -> Vec<Vec2> {
    let mut sums = vec![(Vec2::ZERO, 0.0); groups.len()];
    for agent in placed {
        sums[agent.group].0 += agent.place.truncate();
        sums[agent.group].1 += 1.0;
    }
    sums.into_iter().map(|(sum, count)| if count > 0.0 { sum / count } else { sum }).collect()
}

/// Places all agents; faults of agents without a place are added to `faults`.
pub(super) fn place_agents(
    ground: &Ground,
    groups: &[AgentGroup],
    random: &mut SplitMix64,
    faults: &mut Vec<CrowdFault>,
) -> Vec<Placed> {
    let largest = groups.iter().map(reach_of).fold(0.0, f64::max);
    let mut occupied = Squares::new((2.0 * largest).max(1e-6));
    let mut placed: Vec<Placed> = Vec::new();
    let take = |placed: &mut Vec<Placed>, occupied: &mut Squares<u32>, new: Placed| {
        occupied.add(new.place.truncate(), placed.len() as u32);
        placed.push(new);
    };
    // Given places first: drawn ones find what is left.
    for (group, this) in groups.iter().enumerate() {
        let Start::Places(places) = &this.start else { continue };
        for (number, &place) in places.iter().enumerate() {
            let height = ground.height_near(place);
            let place = place.truncate().extend(height.unwrap_or(place.z));
            match fault_of(ground, groups, &placed, &occupied, Placed { group, number, place }) {
                Some(fault) => faults.push(fault),
                None => take(&mut placed, &mut occupied, Placed { group, number, place }),
            }
        }
    }
    for (group, this) in groups.iter().enumerate() {
        let Start::Areas(areas, count) = &this.start else { continue };
        let floors = ground.floors().iter();
        let free: Vec<FloorArea> =
            floors.flat_map(|floor| areas.iter().flat_map(|area| shared_at_height(floor, area))).collect();
        let triangles = triangles_of(&free);
        let mut found = 0;
        'agents: while found < *count && !triangles.is_empty() {
            for _ in 0..MAX_DRAWS {
                let place = draw(&triangles, random);
                let is_free =
                    is_clear(ground, this, place) && overlapped(&occupied, (this, place), &placed, groups).is_none();
                if is_free {
                    take(&mut placed, &mut occupied, Placed { group, number: found, place });
                    found += 1;
                    continue 'agents;
                }
            }
            break;
        }
        if found < *count {
            let near = areas.first().map(|floor| floor.over(floor.area.centroid())).unwrap_or_default();
            let area = free.iter().map(|floor| floor.area.area()).sum();
            let (group, radius) = (this.name.clone(), this.radius);
            faults.push(CrowdFault::NoRoom { group, found, count: *count, radius, area, near });
        }
    }
    placed.sort_by_key(|agent| (agent.group, agent.number));
    placed
}

fn fault_of(
    ground: &Ground,
    groups: &[AgentGroup],
    placed: &[Placed],
    occupied: &Squares<u32>,
    Placed { group, number: agent, place }: Placed,
) -> Option<CrowdFault> {
    let (name, radius) = (groups[group].name.clone(), groups[group].radius);
    if !ground.contains(place) {
        return Some(CrowdFault::Outside { group: name, agent, place });
    }
    if !is_clear(ground, &groups[group], place) {
        if groups[group].form != AgentForm::Disc {
            return Some(CrowdFault::OutlineInWall { group: name, agent, place });
        }
        let distance = ground.distance_to_wall(place);
        return Some(CrowdFault::InWall { group: name, agent, place, distance, radius });
    }
    let (other, depth) = overlapped(occupied, (&groups[group], place), placed, groups)?;
    let (other_group, other) = (groups[placed[other].group].name.clone(), placed[other].number);
    Some(CrowdFault::OverEachOther { group: name, agent, place, other_group, other, depth })
}

/// Triangles, and the sum of the areas up to each of them.
fn triangles_of(floors: &[FloorArea]) -> Vec<([Vec3; 3], f64)> {
    let (mut all, mut sum) = (Vec::new(), 0.0);
    for floor in floors {
        let rings: Vec<&[Vec2]> = floor.area.rings().collect();
        let Ok(plan) = Map2::from_outlines(&rings) else { continue };
        let map = &plan.built.map;
        let corner = |dart: u32| plan.points[plan.built.vertex_of[map.id(Orbit::Vertex, Dart(dart)) as usize] as usize];
        for t in 0..map.cell_counts()[2] as u32 {
            let [a, b, c] = [3 * t, 3 * t + 1, 3 * t + 2].map(corner);
            sum += 0.5 * (b - a).perp_dot(c - a);
            all.push(([a, b, c].map(|corner| floor.over(corner)), sum));
        }
    }
    all
}

/// Draws a point of the triangles.
fn draw(triangles: &[([Vec3; 3], f64)], random: &mut SplitMix64) -> Vec3 {
    let total = triangles.last().map_or(0.0, |(_, sum)| *sum);
    let wanted = random.unit() * total;
    let place = triangles.partition_point(|(_, sum)| *sum <= wanted).min(triangles.len() - 1);
    let [a, b, c] = triangles[place].0;
    let (mut s, mut t) = (random.unit(), random.unit());
    if s + t > 1.0 {
        (s, t) = (1.0 - s, 1.0 - t);
    }
    a + (b - a) * s + (c - a) * t
}
