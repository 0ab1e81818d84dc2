//! Routes: the goals of agents, and the way to the next one.
//!
//! In: groups, the floor. Out: for each agent the place to walk towards. Method: one navigation mesh for each radius,
//! one distance field for each goal of a radius. Agents that walk to places of their own walk straight where the way is
//! free, and get a field when it is not.
//! Guarantees: no passage narrower than the agent. Cost: a field for each goal, computed in parallel.

use super::fault::CrowdFault;
use super::group::{AgentGroup, Goals};
use super::start::Placed;
use crate::Ground;
use crate::navigation::{DistanceField, GoalPlace, Heading, Navigation};
use heurt_geometry::{PlanArea, Vec2};
use rayon::prelude::*;
use std::sync::OnceLock;

/// The way of one group.
#[derive(Debug)]
enum GroupRoute {
    None,
    /// A field for each goal.
    Fields(Vec<DistanceField>),
    /// The centre of the group.
    Antipode,
}

/// The routes of all groups.
#[derive(Debug)]
pub(super) struct Routes {
    /// By group: its navigation mesh, and its route.
    groups: Vec<(usize, GroupRoute)>,
    meshes: Vec<Navigation>,
}

/// A goal that only one agent has.
#[derive(Debug, Default)]
pub(super) struct OwnGoal {
    pub place: Vec2,
    field: OnceLock<Option<DistanceField>>,
}

impl OwnGoal {
    pub fn new(place: Vec2) -> Self {
        Self { place, field: OnceLock::new() }
    }
}

impl Routes {
    /// Computes the routes of all groups; goals that cannot be reached by anybody are added to `faults`.
    pub fn new(ground: &Ground, groups: &[AgentGroup], faults: &mut Vec<CrowdFault>) -> Self {
        let mut routes = Self { groups: Vec::new(), meshes: Vec::new() };
        for group in groups {
            let known = routes.meshes.iter().position(|mesh| mesh.radius() == group.radius);
            let mesh = known.or_else(|| {
                routes.meshes.push(Navigation::new(ground, group.radius)?);
                Some(routes.meshes.len() - 1)
            });
            let Some(mesh) = mesh else {
                faults.push(CrowdFault::TooLarge { group: group.name.clone(), radius: group.radius });
                routes.groups.push((0, GroupRoute::None));
                continue;
            };
            let route = match &group.goals {
                Goals::None => GroupRoute::None,
                Goals::Antipode => GroupRoute::Antipode,
                Goals::Areas(goals) => {
                    let navigation = &routes.meshes[mesh];
                    let fields: Vec<Option<DistanceField>> =
                        goals.par_iter().map(|areas| navigation.field_to(areas)).collect();
                    let mut known = Vec::new();
                    for (goal, (field, areas)) in fields.into_iter().zip(goals).enumerate() {
                        let near = areas.first().map(PlanArea::centroid).unwrap_or_default();
                        match field {
                            Some(field) => known.push(field),
                            None => {
                                let (group, radius) = (group.name.clone(), group.radius);
                                faults.push(CrowdFault::GoalInObstacle { group, goal, near, radius });
                            }
                        }
                    }
                    // Without one of its goals the group cannot walk.
                    if known.len() == goals.len() { GroupRoute::Fields(known) } else { GroupRoute::None }
                }
            };
            routes.groups.push((mesh, route));
        }
        routes
    }

    /// Returns the agents that can reach all their goals, and adds a fault for each group's first agent that cannot.
    pub fn keep_reachable(
        &self,
        groups: &[AgentGroup],
        placed: Vec<Placed>,
        faults: &mut Vec<CrowdFault>,
    ) -> Vec<Placed> {
        let mut is_faulty = vec![false; groups.len()];
        let mut keep = Vec::with_capacity(placed.len());
        for agent in placed {
            let (group, (mesh, route)) = (&groups[agent.group], &self.groups[agent.group]);
            let GroupRoute::Fields(fields) = route else {
                // Agents whose goals are faulty themselves are left out.
                if !matches!((route, &group.goals), (GroupRoute::None, Goals::Areas(_))) {
                    keep.push(agent);
                }
                continue;
            };
            let mut from = agent.place;
            let mut blocked = None;
            for (goal, field) in fields.iter().enumerate() {
                if self.meshes[*mesh].heading(field, from).is_none() {
                    blocked = Some(goal);
                    break;
                }
                // Goals after the first are reached from some point of the goal before.
                from = match field.goal() {
                    GoalPlace::Areas(areas) => inner_point(&areas[0]),
                    GoalPlace::Point(point) => *point,
                };
            }
            match blocked {
                None => keep.push(agent),
                Some(goal) if !is_faulty[agent.group] => {
                    is_faulty[agent.group] = true;
                    let Goals::Areas(goals) = &group.goals else { continue };
                    let near = goals[goal].first().map(PlanArea::centroid).unwrap_or_default();
                    faults.push(CrowdFault::Unreachable {
                        group: group.name.clone(),
                        agent: agent.number,
                        place: from,
                        goal,
                        near,
                        width: 2.0 * group.radius,
                    });
                }
                Some(_) => {}
            }
        }
        keep
    }

    /// Returns how many goals the agents of a group have.
    pub fn count_goals(&self, group: usize) -> usize {
        match &self.groups[group].1 {
            GroupRoute::None => 0,
            GroupRoute::Fields(fields) => fields.len(),
            GroupRoute::Antipode => 1,
        }
    }

    /// Reports whether an agent is at a goal.
    pub fn is_at_goal(&self, group: usize, goal: usize, own: Option<&OwnGoal>, place: Vec2) -> bool {
        match (&self.groups[group], own) {
            ((_, GroupRoute::Fields(fields)), _) => fields[goal].goal().contains(place, 0.0),
            ((mesh, GroupRoute::Antipode), Some(own)) => {
                own.place.distance(place) <= self.meshes[*mesh].radius().max(1e-3)
            }
            _ => false,
        }
    }

    /// Finds where an agent walks towards; `None` if it rests or no way leads to its goal.
    pub fn heading(&self, group: usize, goal: usize, own: Option<&OwnGoal>, place: Vec2) -> Option<Heading> {
        let (mesh, route) = &self.groups[group];
        let mesh = &self.meshes[*mesh];
        match (route, own) {
            (GroupRoute::Fields(fields), _) => mesh.heading(&fields[goal], place),
            (GroupRoute::Antipode, Some(own)) => {
                let distance = own.place.distance(place);
                if own.field.get().is_none() && mesh.is_free(place, own.place) {
                    return Some(Heading { towards: own.place, distance });
                }
                let field = own.field.get_or_init(|| mesh.field_to_point(own.place)).as_ref();
                // A goal in a wall: as near as the straight way leads.
                field.map_or(Some(Heading { towards: own.place, distance }), |field| mesh.heading(field, place))
            }
            _ => None,
        }
    }
}

/// Returns a point of an area: the middle of a triangle at a corner.
fn inner_point(area: &PlanArea) -> Vec2 {
    let centroid = area.centroid();
    if area.contains(centroid) { centroid } else { area.outline[0] }
}
