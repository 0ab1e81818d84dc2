//! A step with a response: each body is advanced by the solver that it is assigned to.
//!
//! In: the parts of a world, the length of the step. Out: bodies at its end, contacts as they then are, solved contacts
//! with their impulses.
//! Method: soft steps are solved first, from the state at the start, and their results kept aside; then the exact
//! solver advances its bodies, and all that no impulse moves, over the step in pieces; then the results of soft steps
//! are written, and contacts are found at the end. No body of one solver meets one of the other (`assignment`).
//! Guarantees: an error leaves the solved contacts as they were.

use crate::contact::BodyContact;
use crate::error::WorldError;
use crate::response::assignment::{Assignment, AssignmentInput, BodySolver};
use crate::response::exact::{insert_impacts, step_exact};
use crate::response::parts::{ResponseParts, find_candidates, refresh_boxes};
use crate::response::sleep::SleepTable;
use crate::response::soft::{apply_ends, solve_soft};
use crate::response::solved::SolvedContacts;
use crate::response::{ResponseReport, ResponseState};
use crate::settings::Detection;
use heurt_rigid::SoftStep;

/// Takes a step; returns how many boxes changed.
pub(crate) fn step_response(parts: &mut ResponseParts<'_>, solver: &mut SoftStep) -> Result<usize, WorldError> {
    if !parts.response.candidates.are_current {
        refresh_boxes(parts)?;
        find_candidates(parts)?;
    }
    let sleeps = parts.settings.sleeps();
    {
        let ResponseState { sleep, candidates, joints, .. } = &mut *parts.response;
        if sleeps {
            let joints: Vec<[u32; 2]> = joints.places().collect();
            sleep.wake_disturbed(&parts.view.bodies, &candidates.contacts, &joints, parts.settings.gravity, parts.dt);
        } else {
            *sleep = SleepTable::default();
        }
    }
    let earlier = std::mem::take(&mut parts.response.solved);
    let moved = match advance(parts, solver, &earlier) {
        Ok(moved) => moved,
        Err(error) => {
            parts.response.solved = earlier;
            return Err(error);
        }
    };
    let ResponseState { sleep, solved, report, joints, .. } = &mut *parts.response;
    if sleeps {
        solved.keep(earlier, |contact| [contact.a, contact.b].iter().all(|id| sleep.is_asleep(id.index())));
        let joints: Vec<[u32; 2]> = joints.places().collect();
        sleep.update(&mut parts.view.bodies, solved.contacts(), &joints, parts.dt);
        report.asleep = sleep.count(&parts.view.bodies);
    }
    joints.remove_broken();
    Ok(moved)
}

/// Advances all bodies to the end of the step, and finds the contacts there.
fn advance(
    parts: &mut ResponseParts<'_>,
    solver: &mut SoftStep,
    earlier: &SolvedContacts,
) -> Result<usize, WorldError> {
    let dt = parts.dt;
    let assignment = {
        let ResponseState { sleep, candidates, joints, .. } = &*parts.response;
        let (bodies, touches) = (&parts.view.bodies, &candidates.contacts);
        Assignment::new(parts.settings.response, &AssignmentInput { bodies, touches, joints, sleep })
    };
    let [exact, soft, asleep] =
        [BodySolver::Exact, BodySolver::Soft, BodySolver::Asleep].map(|solver| assignment.count(solver));
    parts.response.report = ResponseReport { exact: exact as u32, soft: soft as u32, ..ResponseReport::default() };
    parts.response.joints.clear_loads(&assignment);
    if soft + asleep == 0 && exact > 0 {
        let step = step_exact(parts, &assignment, None)?;
        parts.view.step += 1;
        if parts.settings.detection == Detection::Discrete {
            // No motion is searched: the boxes need room for the next step, so that contacts are found before they close.
            refresh_boxes(parts)?;
            find_candidates(parts)?;
        }
        insert_impacts(parts, &step);
        return Ok(step.moved);
    }
    let touches = std::mem::take(&mut parts.response.candidates.contacts);
    parts.response.candidates.are_current = false;
    let ends = solve_soft(parts, solver, &touches, earlier, &assignment)?;
    let mut moved = ends.iter().filter(|end| end.is_some()).count();
    let mut exact_step = None;
    if exact > 0 {
        let is_exact = |touch: &&BodyContact| assignment.is_exact_pair(touch.a.index, touch.b.index);
        parts.response.candidates.contacts = touches.iter().filter(is_exact).cloned().collect();
        let step = step_exact(parts, &assignment, Some(&assignment))?;
        moved += step.moved;
        exact_step = Some(step);
    } else {
        parts.view.time += dt;
    }
    parts.response.candidates.contacts = touches;
    apply_ends(parts.view, ends);
    parts.view.step += 1;
    refresh_boxes(parts)?;
    find_candidates(parts)?;
    if let Some(step) = &exact_step {
        insert_impacts(parts, step);
    }
    Ok(moved)
}
