//! Routes: the goals of agents, and the path to the next goal.
//!
//! In: groups, the floor. Out: for each agent the place to walk towards.
//! Method: one navigation mesh for each radius, one distance field for each goal of a radius, and for each area of a
//! goal that offers a choice (`exits`). Agents that walk to places of their own walk straight if nothing is in
//! between, else along a path. Whether a goal can be reached is decided by the connected parts of the floor.
//! Guarantees: no passage narrower than the agent. Cost: a field for each goal, computed in parallel; a field for each
//! path to an own place, which is not kept.

use super::exits::Exits;
use super::fault::CrowdFault;
use super::group::{AgentGroup, Goals};
use super::start::Placed;
use crate::Ground;
use crate::ground::{SAME_FLOOR, nearest_on};
use crate::navigation::{DistanceField, GoalPlace, Heading, Navigation};
use heurt_geometry::{FloorArea, Sign, Vec2, Vec3, orient2d, ring_edges};
use rayon::prelude::*;
use smallvec::SmallVec;

/// A goal is reached this near to it, in metres: an agent that walks to the border of a goal may end a rounding off it.
const AT_GOAL: f64 = 1e-6;

/// A goal of a group.
#[derive(Debug)]
struct GoalRoute {
    /// The areas as they were given.
    areas: Vec<FloorArea>,
    field: DistanceField,
    /// The single areas of a goal that offers a choice: number of the exit, and paths to it alone.
    choices: Vec<(u32, DistanceField)>,
    /// By area: the number of its exit, if exits are counted and a path leads there.
    exits: Vec<Option<u32>>,
    /// The connected parts of the floor that it reaches into.
    parts: Vec<u32>,
    /// The number of its field among those of all goals; those of its choices follow.
    number: usize,
}

impl GoalRoute {
    /// Finds the area that an agent which came from a point is in, or has walked through.
    fn area_at(&self, (from, place): (Vec2, Vec3)) -> Option<usize> {
        let is_near = |floor: &FloorArea| {
            floor.contains(place, SAME_FLOOR) || is_near_border(floor, place) || is_crossed(floor, from, place)
        };
        self.areas.iter().position(is_near)
    }

    /// Returns the field of the whole goal, then those of its choices.
    fn fields(&self) -> impl Iterator<Item = &DistanceField> {
        std::iter::once(&self.field).chain(self.choices.iter().map(|(_, field)| field))
    }
}

/// The order in which agents go to their goals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoalOrder {
    Once,
    Rounds,
    /// As drawn for each agent.
    Tour,
}

impl GoalOrder {
    fn of(goals: &Goals) -> Self {
        match goals {
            Goals::Rounds(_) => Self::Rounds,
            Goals::Tour(..) => Self::Tour,
            _ => Self::Once,
        }
    }
}

/// The goals of one group.
#[derive(Debug)]
enum GroupRoute {
    None,
    /// To one goal after another.
    Goals(Vec<GoalRoute>),
    /// To a place of each agent's own.
    Antipode,
}

impl GroupRoute {
    fn goals(&self) -> &[GoalRoute] {
        match self {
            Self::Goals(goals) => goals,
            _ => &[],
        }
    }

    fn goals_mut(&mut self) -> &mut [GoalRoute] {
        match self {
            Self::Goals(goals) => goals,
            _ => &mut [],
        }
    }
}

/// The routes of all groups.
#[derive(Debug)]
pub(super) struct Routes {
    /// By group: its navigation mesh, and its route.
    groups: Vec<(usize, GroupRoute)>,
    meshes: Vec<Navigation>,
    /// By group: the exits that it knows; `None` if it knows all.
    known: Vec<Option<Vec<u32>>>,
    /// By group: the order in which its agents go to their goals.
    orders: Vec<GoalOrder>,
    /// By mesh: the areas that its paths keep to; empty for all.
    ways: Vec<Vec<FloorArea>>,
}

/// A goal that only one agent has.
#[derive(Debug)]
pub(super) struct OwnGoal {
    pub place: Vec3,
    /// The bends of the last path to it, and its end.
    path: Vec<Vec3>,
}

impl OwnGoal {
    pub fn new(place: Vec3) -> Self {
        Self { place, path: Vec::new() }
    }

    /// Keeps a path that was found.
    pub fn keep_path(&mut self, path: Vec<Vec3>) {
        self.path = path;
    }
}

/// The path of an agent, or its choices.
#[derive(Debug, Default)]
pub(super) struct Outlook {
    pub heading: Option<Heading>,
    /// A new path to its own goal, to be kept.
    pub path: Option<Vec<Vec3>>,
    /// The exits that it may choose, each with its heading; none if its goal is none that is counted.
    pub exits: SmallVec<[(u32, Heading); 4]>,
    /// A path that is quicker than the shortest one, and the heading along it.
    pub detour: Option<(Vec<Vec3>, Heading)>,
}

impl Outlook {
    fn towards(heading: Option<Heading>) -> Self {
        Self { heading, ..Self::default() }
    }
}

impl Routes {
    /// Computes the routes of all groups; goals that cannot be reached by anybody are added to `faults`.
    /// Agents choose among the areas of a goal if exits are counted, or if a group has social traits.
    pub fn new(ground: &Ground, groups: &[AgentGroup], exits: &mut Exits, faults: &mut Vec<CrowdFault>) -> Self {
        let orders = groups.iter().map(|group| GoalOrder::of(&group.goals)).collect();
        let mut routes = Self { groups: Vec::new(), meshes: Vec::new(), known: Vec::new(), orders, ways: Vec::new() };
        // Persons that follow others see where all of them walk.
        let chooses = exits.are_counted() || groups.iter().any(|group| group.social.choose_exits());
        for group in groups {
            let mut meshes = routes.meshes.iter().zip(&routes.ways);
            let known = meshes.position(|(mesh, ways)| mesh.radius() == group.radius && *ways == group.ways);
            let mesh = known.or_else(|| {
                routes.meshes.push(match group.ways.is_empty() {
                    true => Navigation::new(ground, group.radius)?,
                    false => Navigation::within(ground, &group.ways, group.radius)?,
                });
                routes.ways.push(group.ways.clone());
                Some(routes.meshes.len() - 1)
            });
            let Some(mesh) = mesh else {
                faults.push(CrowdFault::TooLarge { group: group.name.clone(), radius: group.radius });
                routes.known.push(None);
                routes.groups.push((0, GroupRoute::None));
                continue;
            };
            let route = match &group.goals {
                Goals::None => GroupRoute::None,
                Goals::Antipode => GroupRoute::Antipode,
                Goals::Areas(goals) | Goals::Rounds(goals) | Goals::Tour(goals, _) => {
                    let route = route_to(&routes.meshes[mesh], group, goals, faults);
                    match route {
                        GroupRoute::Goals(goals) if chooses => {
                            GroupRoute::Goals(with_choices(goals, &routes.meshes[mesh], ground, exits))
                        }
                        route => route,
                    }
                }
            };
            routes.known.push(known_exits(group, &route, exits, faults));
            routes.groups.push((mesh, route));
        }
        let mut number = 0;
        for goal in routes.groups.iter_mut().flat_map(|(_, route)| route.goals_mut()) {
            goal.number = number;
            number += 1 + goal.choices.len();
        }
        routes
    }

    /// Reports whether the agents of a group begin again after their last goal.
    pub fn has_rounds(&self, group: usize) -> bool {
        self.orders[group] == GoalOrder::Rounds
    }

    /// Returns the goal after a goal, off the end of a tour; the number of goals after the last one.
    pub fn goal_after(&self, group: usize, goal: u32, tour: &mut Vec<u32>) -> u32 {
        let count = self.count_goals(group) as u32;
        match self.orders[group] {
            GoalOrder::Once => goal + 1,
            GoalOrder::Rounds => (goal + 1) % count.max(1),
            GoalOrder::Tour => tour.pop().unwrap_or(count),
        }
    }

    /// Returns the navigation meshes.
    pub fn meshes(&self) -> &[Navigation] {
        &self.meshes
    }

    /// Returns the distance fields of all goals by number, each with the number of its mesh.
    pub fn fields(&self) -> impl Iterator<Item = (usize, &DistanceField)> {
        let goals = self.groups.iter().flat_map(|(mesh, route)| route.goals().iter().map(|goal| (*mesh, goal)));
        goals.flat_map(|(mesh, goal)| goal.fields().map(move |field| (mesh, field)))
    }

    /// Finds the mesh, the number and the distance field of a goal, or of the exit chosen there; `None` if agents go to
    /// places of their own, or nowhere.
    pub fn field_of(&self, group: usize, goal: usize, exit: Option<u32>) -> Option<(usize, usize, &DistanceField)> {
        let (mesh, route) = &self.groups[group];
        let goal = route.goals().get(goal)?;
        let chosen = goal.choices.iter().position(|(number, _)| Some(*number) == exit);
        Some(match chosen {
            None => (*mesh, goal.number, &goal.field),
            Some(place) => (*mesh, goal.number + 1 + place, &goal.choices[place].1),
        })
    }

    /// Returns the agents that can reach all their goals, and adds a fault for each group's first agent that cannot.
    pub fn keep_reachable(
        &self,
        groups: &[AgentGroup],
        placed: Vec<Placed>,
        centres: &[Vec2],
        faults: &mut Vec<CrowdFault>,
    ) -> Vec<Placed> {
        let mut is_faulty = vec![false; groups.len()];
        let mut keep = Vec::with_capacity(placed.len());
        for agent in placed {
            match self.blocked_goal(groups, &agent, centres[agent.group]) {
                None => keep.push(agent),
                Some(fault) => {
                    if !std::mem::replace(&mut is_faulty[agent.group], true) {
                        faults.extend(fault);
                    }
                }
            }
        }
        keep
    }

    /// Finds the fault of an agent that cannot reach its goals; `Some(None)` if its goals have a fault themselves.
    fn blocked_goal(&self, groups: &[AgentGroup], agent: &Placed, centre: Vec2) -> Option<Option<CrowdFault>> {
        let (group, (mesh, route)) = (&groups[agent.group], &self.groups[agent.group]);
        let mesh = self.meshes.get(*mesh)?;
        let here = mesh.part_of(agent.place);
        let (goal, near) = match (route, &group.goals) {
            (GroupRoute::None, Goals::Areas(_) | Goals::Rounds(_) | Goals::Tour(..)) => return Some(None),
            (GroupRoute::None, _) => return None,
            (GroupRoute::Goals(goals), _) => {
                let is_blocked = |goal: &GoalRoute| here.is_none_or(|here| !goal.parts.contains(&here));
                let goal = goals.iter().position(is_blocked)?;
                (goal, middle_of(&goals[goal].areas))
            }
            (GroupRoute::Antipode, _) => {
                let place = mirrored(centre, agent.place);
                let (group, radius) = (group.name.clone(), group.radius);
                match mesh.part_of(place) {
                    None => return Some(Some(CrowdFault::GoalInObstacle { group, goal: 0, near: place, radius })),
                    Some(there) if Some(there) == here => return None,
                    Some(_) => (0, place),
                }
            }
        };
        Some(Some(CrowdFault::Unreachable {
            group: group.name.clone(),
            agent: agent.number,
            place: agent.place,
            goal,
            near,
            width: 2.0 * group.radius,
        }))
    }

    /// Returns the exits that a group knows; `None` if it knows all.
    pub fn known_exits(&self, group: usize) -> Option<&[u32]> {
        self.known[group].as_deref()
    }

    /// Returns how many goals the agents of a group have.
    pub fn count_goals(&self, group: usize) -> usize {
        match &self.groups[group].1 {
            GroupRoute::None => 0,
            GroupRoute::Goals(goals) => goals.len(),
            GroupRoute::Antipode => 1,
        }
    }

    /// Reports whether an agent that came from a point is at a goal, or has walked through it.
    pub fn is_at_goal(&self, group: usize, goal: usize, own: Option<&OwnGoal>, (from, place): (Vec2, Vec3)) -> bool {
        match (&self.groups[group], own) {
            ((_, GroupRoute::Goals(goals)), _) => goals[goal].area_at((from, place)).is_some(),
            ((mesh, GroupRoute::Antipode), Some(own)) => {
                own.place.truncate().distance(place.truncate()) <= self.meshes[*mesh].radius().max(1e-3)
            }
            _ => false,
        }
    }

    /// Finds the exit of a goal that an agent which came from a point is in, or has walked through; `None` if exits are
    /// not counted.
    pub fn exit_at(&self, group: usize, goal: usize, step: (Vec2, Vec3)) -> Option<u32> {
        let goal = self.groups[group].1.goals().get(goal)?;
        goal.exits[goal.area_at(step)?]
    }

    /// Reports whether an agent should slow down to stop at the place it walks towards.
    pub fn stops_at(&self, group: usize, own: Option<&OwnGoal>, towards: Vec2) -> bool {
        matches!((&self.groups[group].1, own), (GroupRoute::Antipode, Some(own)) if own.place.truncate() == towards)
    }

    /// Finds the heading of an agent; none if it rests or no path leads to its goal.
    pub fn look(&self, group: usize, goal: usize, own: Option<&OwnGoal>, place: Vec3) -> Outlook {
        let (mesh, route) = &self.groups[group];
        let mesh = &self.meshes[*mesh];
        match (route, own) {
            (GroupRoute::Goals(goals), _) if goals[goal].choices.is_empty() => {
                let heading = mesh.heading(&goals[goal].field, place);
                // Without a choice, the goal has one area.
                let exits = goals[goal].exits[0].zip(heading).into_iter().collect();
                Outlook { exits, ..Outlook::towards(heading) }
            }
            (GroupRoute::Goals(goals), _) => {
                let found = |(exit, field): &(u32, DistanceField)| Some((*exit, mesh.heading(field, place)?));
                Outlook { exits: goals[goal].choices.iter().filter_map(found).collect(), ..Outlook::default() }
            }
            (GroupRoute::Antipode, Some(own)) => look_to_own(mesh, own, place),
            _ => Outlook::default(),
        }
    }

    /// Finds where an agent at a goal waits: in the middle of the area that it is in, where it makes room for others.
    pub fn waiting_place(&self, group: usize, goal: usize, exit: Option<u32>, place: Vec3) -> Option<Vec3> {
        let (mesh, _, field) = self.field_of(group, goal, exit)?;
        let GoalPlace::Areas(areas) = field.goal() else { return None };
        let floor = areas.iter().find(|floor| floor.contains(place, SAME_FLOOR) || is_near_border(floor, place))?;
        let middle = floor.over(floor.area.centroid());
        // The middle of a bent area may be outside of it.
        (floor.contains(middle, SAME_FLOOR) && self.meshes[mesh].is_free(place, middle)).then_some(middle)
    }

    /// Lists the bends of the path of an agent to its next goal, and its end; empty if it has none. `exit` is the exit
    /// that it has chosen.
    pub fn path(&self, group: usize, goal: usize, own: Option<&OwnGoal>, exit: Option<u32>, place: Vec3) -> Vec<Vec3> {
        let (mesh, route) = &self.groups[group];
        match (route, own) {
            (GroupRoute::Goals(_), _) => {
                let field = self.field_of(group, goal, exit);
                field.map_or_else(Vec::new, |(mesh, _, field)| self.meshes[mesh].path(field, place))
            }
            (GroupRoute::Antipode, Some(own)) if goal == 0 => {
                let mesh = &self.meshes[*mesh];
                let next = own.path.iter().rposition(|&bend| mesh.is_free(place, bend));
                match next.filter(|_| !mesh.is_free(place, own.place)) {
                    Some(next) => own.path[next..].to_vec(),
                    None => vec![own.place],
                }
            }
            _ => Vec::new(),
        }
    }
}

/// Finds the heading to an agent's own goal: straight if nothing is in between, else along a path.
fn look_to_own(mesh: &Navigation, own: &OwnGoal, place: Vec3) -> Outlook {
    let heading = |towards: Vec3| Heading { towards, distance: towards.truncate().distance(place.truncate()) };
    if mesh.is_free(place, own.place) {
        return Outlook::towards(Some(heading(own.place)));
    }
    if let Some(&bend) = own.path.iter().rev().find(|&&bend| mesh.is_free(place, bend)) {
        return Outlook::towards(Some(heading(bend)));
    }
    let path = mesh.path_to_point(place, own.place);
    // A goal in a wall: as near as a straight line leads.
    let first = path.as_ref().and_then(|path| path.first().copied()).unwrap_or(own.place);
    Outlook { path, ..Outlook::towards(Some(heading(first))) }
}

/// Computes the fields of all goals of a group; faults of goals are added to `faults`.
fn route_to(
    navigation: &Navigation,
    group: &AgentGroup,
    goals: &[Vec<FloorArea>],
    faults: &mut Vec<CrowdFault>,
) -> GroupRoute {
    let fields: Vec<Option<DistanceField>> = goals.par_iter().map(|areas| navigation.field_to(areas)).collect();
    let mut known = Vec::new();
    for (goal, (field, areas)) in fields.into_iter().zip(goals).enumerate() {
        let (name, near, radius) = (group.name.clone(), middle_of(areas), group.radius);
        match field {
            Some(field) if field.is_whole() => {
                let parts = navigation.parts_of(&field);
                known.push(GoalRoute {
                    areas: areas.clone(),
                    field,
                    choices: Vec::new(),
                    exits: vec![None; areas.len()],
                    parts,
                    number: 0,
                });
            }
            Some(_) => faults.push(CrowdFault::TooIntricate { group: name, goal, near }),
            None => faults.push(CrowdFault::GoalInObstacle { group: name, goal, near, radius }),
        }
    }
    // Without one of its goals the group cannot walk.
    if known.len() == goals.len() { GroupRoute::Goals(known) } else { GroupRoute::None }
}

/// Adds paths to each area of goals that offer a choice.
fn with_choices(
    mut goals: Vec<GoalRoute>,
    navigation: &Navigation,
    ground: &Ground,
    exits: &mut Exits,
) -> Vec<GoalRoute> {
    let last = goals.len().saturating_sub(1);
    for (number, goal) in goals.iter_mut().enumerate() {
        let is_last = number == last;
        if let [area] = &goal.areas[..] {
            goal.exits[0] = Some(exits.number_of(area, navigation.width_of(ground, &goal.field), is_last));
            continue;
        }
        let field = |area: &FloorArea| navigation.field_to(std::slice::from_ref(area));
        let fields: Vec<Option<DistanceField>> = goal.areas.par_iter().map(field).collect();
        for (place, (area, field)) in goal.areas.iter().zip(fields).enumerate() {
            let Some(field) = field.filter(DistanceField::is_whole) else { continue };
            let exit = exits.number_of(area, navigation.width_of(ground, &field), is_last);
            goal.exits[place] = Some(exit);
            goal.choices.push((exit, field));
        }
    }
    goals
}

/// Finds the exits of the areas of the last goal that a group knows; areas without a path are added to `faults`.
fn known_exits(
    group: &AgentGroup,
    route: &GroupRoute,
    exits: &Exits,
    faults: &mut Vec<CrowdFault>,
) -> Option<Vec<u32>> {
    let GroupRoute::Goals(goals) = route else { return None };
    let knows = &group.social.knows;
    let last = goals.last().filter(|_| !knows.is_empty())?;
    let mut known = Vec::new();
    for area in knows.iter().filter_map(|&area| last.areas.get(area as usize)) {
        match exits.find(area) {
            Some(exit) => known.push(exit),
            None => faults.push(CrowdFault::GoalInObstacle {
                group: group.name.clone(),
                goal: goals.len() - 1,
                near: middle_of(std::slice::from_ref(area)),
                radius: group.radius,
            }),
        }
    }
    Some(known)
}

fn is_near_border(floor: &FloorArea, place: Vec3) -> bool {
    let point = place.truncate();
    let is_near = |edge: [Vec2; 2]| nearest_on(edge, point).distance(point) <= AT_GOAL;
    (floor.height_at(point) - place.z).abs() <= SAME_FLOOR && floor.area.rings().flat_map(ring_edges).any(is_near)
}

/// Reports whether the straight step from a point to a place crosses the border of an area at its height.
fn is_crossed(floor: &FloorArea, from: Vec2, place: Vec3) -> bool {
    let to = place.truncate();
    let crosses = |[a, b]: [Vec2; 2]| {
        let are_opposite = |s: Sign, t: Sign| s != t && s != Sign::Zero && t != Sign::Zero;
        are_opposite(orient2d(from, to, a), orient2d(from, to, b))
            && are_opposite(orient2d(a, b, from), orient2d(a, b, to))
    };
    (floor.height_at(to) - place.z).abs() <= SAME_FLOOR && floor.area.rings().flat_map(ring_edges).any(crosses)
}

/// Returns the mirror image of a place, at the same height.
pub(super) fn mirrored(centre: Vec2, place: Vec3) -> Vec3 {
    (2.0 * centre - place.truncate()).extend(place.z)
}

fn middle_of(areas: &[FloorArea]) -> Vec3 {
    areas.first().map(|floor| floor.over(floor.area.centroid())).unwrap_or_default()
}
