//! Numbers and outlines of groups, and which of their values are legal.

use super::fault::CrowdFault;
use super::group::{AgentGroup, Goals, Start};
use super::social::find_brakes;
use crate::form::signed_distance;
use crate::{AgentForm, Ground};
use heurt_geometry::Vec2;

/// The largest radius of an agent, in metres: larger discs are no people and no vehicles.
const MAX_RADIUS: f64 = 10.0;

/// The largest speed of an agent, in m/s: faster ones were given in other units.
pub(super) const MAX_SPEED: f64 = 100.0;

/// Leaves out groups whose numbers or outlines cannot be, with a fault for each.
pub(super) fn check_groups(ground: &Ground, groups: Vec<AgentGroup>, faults: &mut Vec<CrowdFault>) -> Vec<AgentGroup> {
    let are_brakes = find_brakes(&groups, faults);
    let mut is_sound = |group: &AgentGroup| {
        let (speed, reaction, social) = (group.speed, group.reaction, &group.social);
        let laws = [("speed", speed, "0 or more m/s"), ("reaction", reaction, "0 or more seconds")];
        let mut found = Vec::new();
        if !(group.radius > 0.0 && group.radius <= MAX_RADIUS) {
            found.push(("radius", group.radius, "more than 0 m, at most 10 m"));
        }
        if group.speed.most > MAX_SPEED {
            found.push(("speed", group.speed.most, "at most 100 m/s"));
        }
        for (what, law, expected) in laws {
            let is_number = |x: f64| (0.0..=1e6).contains(&x);
            let values = [law.mean, law.deviation, law.least, law.most];
            if let Some(&value) = values.iter().find(|&&x| !is_number(x)) {
                found.push((what, value, expected));
            } else if law.least > law.most {
                found.push((what, law.least, "a least value that is not above the largest"));
            }
        }
        let fastest = group.speed.most.max(1.0);
        let bad_pace = |pace: f64| !(pace > 0.0 && pace * fastest <= MAX_SPEED);
        if let Some(&pace) = group.paces.iter().find(|&&pace| bad_pace(pace)) {
            found.push(("pace", pace, "more than 0, and no speed above 100 m/s"));
        } else if group.paces.len() > group.goals.areas().len() {
            found.push(("number of paces", group.paces.len() as f64, "one for each set of goals"));
        }
        if !(0.0..=1.0).contains(&social.follow) {
            found.push(("follow", social.follow, "0 to 1"));
        }
        let areas = group.goals.areas().last().map_or(0, Vec::len);
        if let Some(&area) = social.knows.iter().find(|&&area| area as usize >= areas) {
            found.push(("knows", f64::from(area), "numbers of areas of the last goal, from 0"));
        }
        let outline = outline_fault(ground, group);
        let is_sound = found.is_empty() && outline.is_none();
        faults.extend(outline);
        let fault =
            |(what, value, expected)| CrowdFault::BadNumber { group: group.name.clone(), what, value, expected };
        faults.extend(found.into_iter().map(fault));
        is_sound
    };
    let mut groups = groups;
    for (group, is_brake) in groups.iter_mut().zip(are_brakes) {
        if !is_sound(group) || is_brake {
            // Keeps its number, without agents.
            group.start = Start::Places(Vec::new());
            group.goals = Goals::None;
            (group.radius, group.form, group.paces) = (1e-3, AgentForm::Disc, Vec::new());
        }
    }
    groups
}

/// Finds the fault of the outlines of a group.
fn outline_fault(ground: &Ground, group: &AgentGroup) -> Option<CrowdFault> {
    let sections = group.form.sections();
    let (first, name) = (sections.first()?, group.name.clone());
    if signed_distance(first.corners(), Vec2::ZERO) >= 0.0 {
        return Some(CrowdFault::NoOrigin { group: name, sections: sections.len() });
    }
    (!ground.flow_zones().is_empty()).then_some(CrowdFault::OutlineInFlow { group: name })
}
