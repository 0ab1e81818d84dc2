//! A step with a response: each body is advanced by the solver that it is assigned to.
//!
//! In: the parts of a world, the length of the step. Out: bodies at its end, contacts as they then are, solved contacts
//! with their impulses.
//! Method: soft steps are solved first, from the state at the start, and their results kept aside; then the exact
//! solver advances its bodies, and all that no impulse moves, over the step in pieces; then the results of soft steps
//! are written, and contacts are found at the end. In continuous detection, a body of the exact solver that meets a
//! body of soft steps, or one that sleeps, ends the attempt: the caller takes the step again with both in one
//! island. An island that the exact solver does not solve ends the attempt, too, and is left to soft steps.
//! Guarantees: an error leaves the solved contacts and the list of contacts as they were. The caller puts bodies back.

use crate::body::{Body, Kind};
use crate::contact::BodyContact;
use crate::response::assignment::{Assignment, AssignmentInput, BodySolver};
use crate::response::exact::problem::is_dynamic;
use crate::response::exact::{ExactStep, step_exact};
use crate::response::parts::{ResponseParts, StepFault, find_candidates, refresh_boxes};
use crate::response::sleep::{DisturbingStep, SleepTable};
use crate::response::soft::{BodyEnd, apply_ends, solve_soft};
use crate::response::solved::SolvedContacts;
use crate::response::springs::solve_springs;
use crate::response::step_impacts::{StepImpacts, overlapping_pairs, search_soft_step};
use crate::response::surface_motion::follow_scripts;
use crate::response::{Response, ResponseReport, ResponseState};
use heurt_rigid::SoftStep;

/// Takes a step, or attempts to; returns how many bodies moved.
pub(crate) fn step_response(parts: &mut ResponseParts<'_>, solver: &mut SoftStep) -> Result<usize, StepFault> {
    if follow_scripts(parts.view, parts.dt) {
        parts.response.candidates.are_current = false;
    }
    if !parts.response.candidates.cover(parts.dt) {
        refresh_boxes(parts)?;
        find_candidates(parts)?;
    }
    if parts.settings.sleeps() {
        let ResponseState { sleep, candidates, joints, .. } = &mut *parts.response;
        sleep.wake_disturbed(&DisturbingStep {
            bodies: &parts.view.bodies,
            touches: &candidates.contacts,
            joints: &joints.links(),
            met: parts.links,
            gravity: parts.settings.gravity,
            time: parts.view.time,
            dt: parts.dt,
        });
    } else {
        parts.response.sleep = SleepTable::default();
    }
    let earlier = std::mem::take(&mut parts.response.solved);
    let moved = match advance(parts, solver, &earlier) {
        Ok(moved) => moved,
        Err(fault) => {
            parts.response.solved = earlier;
            return Err(fault);
        }
    };
    let ResponseState { sleep, solved, report, joints, candidates, .. } = &mut *parts.response;
    if parts.settings.sleeps() {
        solved.keep(earlier, |contact| [contact.a, contact.b].iter().all(|id| sleep.is_asleep(id.index())));
        joints.note_springs(parts.view, parts.dt);
        sleep.update(&mut parts.view.bodies, solved.contacts(), &joints.links(), parts.dt);
    }
    for place in joints.remove_broken() {
        if parts.view.bodies.at(place).is_some_and(|(_, body)| is_dynamic(body)) {
            sleep.wake(place as usize);
        }
        // Bodies of a joint have contacts from now on.
        candidates.are_current = false;
    }
    report.asleep = sleep.count(&parts.view.bodies);
    Ok(moved)
}

/// Advances all bodies to the end of the step, and finds the contacts there.
fn advance(parts: &mut ResponseParts<'_>, solver: &mut SoftStep, earlier: &SolvedContacts) -> Result<usize, StepFault> {
    let assignment = {
        let ResponseState { sleep, candidates, joints, unsolved, .. } = &*parts.response;
        let (bodies, touches, links) = (&parts.view.bodies, &candidates.contacts[..], parts.links);
        let threshold = parts.settings.restitution_threshold_in_force();
        let input = AssignmentInput { bodies, touches, joints, sleep, links, unsolved, threshold };
        Assignment::new(parts.settings.response, &input)
    };
    let [exact, soft, asleep] =
        [BodySolver::Exact, BodySolver::Soft, BodySolver::Asleep].map(|solver| assignment.count(solver));
    let over_budget = parts.response.unsolved.count_over_budget() as u32;
    parts.response.report =
        ResponseReport { exact: exact as u32, soft: soft as u32, over_budget, ..ResponseReport::default() };
    parts.response.joints.clear_loads(&assignment);
    parts.response.problem.clear();
    if soft + asleep == 0 && exact > 0 {
        let step = step_exact(parts, &assignment, None)?;
        parts.view.step += 1;
        if parts.settings.needs_room() {
            refresh_boxes(parts)?;
            find_candidates(parts)?;
        }
        step.impacts.insert(parts);
        return Ok(step.moved);
    }
    let touches = std::mem::take(&mut parts.response.candidates.contacts);
    parts.response.candidates.are_current = false;
    let advanced = advance_both(parts, solver, (&touches, earlier), &assignment);
    // Also after a fault: they list the bodies that touch sleeping ones.
    parts.response.candidates.contacts = touches;
    let (ends, exact_step, impacts) = advanced?;
    let advanced_exactly = match &exact_step {
        Some(_) => exact + parts.view.bodies.iter().filter(|(_, body)| is_moving_without_impulses(body)).count(),
        None => 0,
    };
    let moved = advanced_exactly + ends.iter().filter(|end| end.is_some()).count();
    apply_ends(parts.view, ends);
    parts.view.step += 1;
    refresh_boxes(parts)?;
    find_candidates(parts)?;
    impacts.insert(parts);
    if let Some(step) = &exact_step {
        step.impacts.insert(parts);
    }
    Ok(moved)
}

/// The ends of the bodies of soft steps, by place, the results of the exact step if there was one, and impacts of the
/// bodies of soft steps.
type BothSteps = (Vec<Option<BodyEnd>>, Option<ExactStep>, StepImpacts);

/// Solves the bodies of soft steps, whose results are kept aside, and advances all others.
fn advance_both(
    parts: &mut ResponseParts<'_>,
    solver: &mut SoftStep,
    (touches, earlier): (&[BodyContact], &SolvedContacts),
    assignment: &Assignment,
) -> Result<BothSteps, StepFault> {
    let overlapping = overlapping_pairs(parts);
    let ends = match parts.settings.response {
        Response::Penalty => solve_springs(parts, touches)?,
        _ => solve_soft(parts, solver, touches, earlier, assignment)?,
    };
    let impacts = search_soft_step(parts, assignment, &overlapping, &ends)?;
    if assignment.count(BodySolver::Exact) == 0 {
        parts.view.time += parts.dt;
        return Ok((ends, None, impacts));
    }
    let is_exact = |touch: &&BodyContact| assignment.is_exact_pair(touch.a.index, touch.b.index);
    parts.response.candidates.contacts = touches.iter().filter(is_exact).cloned().collect();
    let step = step_exact(parts, assignment, Some(assignment))?;
    Ok((ends, Some(step), impacts))
}

fn is_moving_without_impulses(body: &Body) -> bool {
    matches!(body.kind, Kind::Kinematic(_) | Kind::Soft(_))
}
