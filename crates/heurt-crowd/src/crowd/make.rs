//! Agents of the beginning: registered, with speeds, times of reaction and goals of their own.
//!
//! In: placed agents, groups. Out: agents in order of number, bodies. Cost: O(agents log agents).

use super::advance::morton;
use super::exits::ExitChoice;
use super::fault::CrowdFault;
use super::flow::Stay;
use super::group::{AgentGroup, Goals};
use super::outline::{NO_BODY, Outlines, Rig};
use super::replan::Detour;
use super::route::{OwnGoal, mirrored};
use super::start::{Placed, facing};
use super::{Agent, LOOK_INTERVAL};
use crate::Ground;
use heurt_geometry::{SplitMix64, Vec2};
use heurt_map::registration::{EntityId, PlaneEnvironment};
use std::sync::Arc;

/// Registers agents; returns the entity of each. Neighbours get numbers near each other, and lie so in memory.
fn register_in_order(ground: &Ground, placed: &[Placed], environment: &mut PlaneEnvironment) -> Vec<Option<EntityId>> {
    let [low, _] = ground.bounds();
    let mut order: Vec<usize> = (0..placed.len()).collect();
    order.sort_by_cached_key(|&agent| morton(placed[agent].place.truncate() - low));
    let mut registered = vec![None; placed.len()];
    for agent in order {
        registered[agent] = ground.register(environment, placed[agent].place);
    }
    registered
}

/// Registers agents at their places, with the edges of bodies, and draws their speeds and times of reaction. Bodies
/// that cannot be registered are left out, with a fault for each.
pub(super) fn make_agents(
    (ground, groups): (&Ground, &[AgentGroup]),
    (placed, centres): (Vec<Placed>, &[Vec2]),
    environment: &mut PlaneEnvironment,
    (outlines, faults): (&mut Outlines, &mut Vec<CrowdFault>),
    random: &mut SplitMix64,
) -> Vec<Agent> {
    let rigs: Vec<Option<Arc<Rig>>> = groups.iter().map(|group| Rig::new(&group.form).map(Arc::new)).collect();
    let mut agents = Vec::with_capacity(placed.len());
    let registered = register_in_order(ground, &placed, environment);
    for (Placed { group, number, place }, entity) in placed.into_iter().zip(registered) {
        let this = &groups[group];
        let (speed, reaction) = (this.speed.draw(random), this.reaction.draw(random));
        // Places are on the floor: start places were checked.
        let Some(entity) = entity else { continue };
        let Some(point) = environment.points(entity).ok().and_then(|mut points| points.next()) else { continue };
        let body = match &rigs[group] {
            None => NO_BODY,
            Some(rig) => {
                let (id, at) = (agents.len() as u32, place.truncate());
                let from = (environment.cell_of(point).unwrap_or(0), at);
                match outlines.add((id, rig), (at, facing(this, at)), from, environment) {
                    Some(body) => body,
                    None => {
                        // The entity is registered: removal cannot fail.
                        let _ = environment.remove(entity);
                        faults.push(CrowdFault::OutlineInWall { group: this.name.clone(), agent: number, place });
                        continue;
                    }
                }
            }
        };
        let own =
            matches!(this.goals, Goals::Antipode).then(|| Box::new(OwnGoal::new(mirrored(centres[group], place))));
        let goal = this.goals.first(place.truncate());
        agents.push(Agent {
            tour: this.goals.draw_tour(goal, random),
            group: group as u32,
            radius: this.radius,
            speed,
            position: place.truncate(),
            before: place.truncate(),
            height: place.z,
            floor: 0,
            pace: 1.0,
            velocity: Vec2::ZERO,
            point,
            entity,
            goal,
            own_goal: own,
            exit: ExitChoice::default(),
            detour: Detour::default(),
            waits: false,
            towards: None,
            // Different times, so that steps cost the same.
            look: LOOK_INTERVAL * random.unit(),
            slow: 0.0,
            stalled: 0.0,
            reaction,
            yielding: 0.0,
            distance: 0.0,
            stay: Stay::default(),
            body,
        });
    }
    agents
}
