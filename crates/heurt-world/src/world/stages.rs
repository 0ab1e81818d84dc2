//! The order of the stages of a step, without and with a response.

use super::World;
use crate::body::{Body, BodyId, Kind};
use crate::error::WorldError;
use crate::response::assignment::UnsolvedReason;
use crate::response::parts::{ResponseParts, StepFault};
use crate::response::respond::step_response;
use crate::response::work_budget::StepWork;
use crate::response::{ResponseReport, ResponseState};
use crate::state::saved::SavedStates;
use crate::step::deadline::{Deadline, StepOptions, find_contacts};
use crate::step::narrow::{MovedBodies, NarrowPhase, PairMargin};
use crate::step::pair_limit::find_pairs;
use crate::step::step_plan::move_boxes;
use crate::step::{StepReport, StepScratch};
use heurt_broad::Pair;
use heurt_geometry::Vec3;

/// Attempts at a step after which bodies of two solvers that meet pass through each other until the next step: each
/// attempt costs a step, and joins at least two islands.
const MAX_ATTEMPTS: usize = 8;

impl World {
    pub(super) fn run_stages(&mut self, dt: f64, options: &StepOptions<'_>) -> Result<StepReport, WorldError> {
        let begun = options.read_clock();
        let count = self.len();
        let Self { settings, view, pairs, scratch: StepScratch { plan, swept, .. }, publisher, .. } = self;
        if let Some(paths) = &mut plan.paths {
            paths.begin(&view.bodies);
        }
        let moved = move_boxes(view, settings, dt, plan)?;
        let flown = options.read_clock();
        find_pairs(view, count, settings)?;
        swept.update_soft(view, settings, plan, dt);
        if let Some(publisher) = publisher {
            publisher.take_back_meshes(&mut view.bodies);
        }
        plan.keep_motions(view, settings, dt);
        plan.apply(view, settings.gravity, dt);
        pairs.update(view.boxes.pairs());
        swept.update_rigid(&view.bodies, settings, pairs.states(), &plan.motions, dt);
        self.timing.last_step = dt;
        Ok(self.finish_step(moved, Some(dt), options, [begun, flown, options.read_clock()]))
    }

    /// A step with a response. An error puts bodies back.
    pub(super) fn run_response(&mut self, dt: f64, options: &StepOptions<'_>) -> Result<StepReport, WorldError> {
        let begun = options.read_clock();
        if self.is_at_rest() {
            return Ok(self.pass_time(dt, options, begun));
        }
        let before = SavedStates::of(&self.view);
        // The step finds them again.
        let found = self.contacts.take_found();
        let saved = (self.response.sleep.clone(), self.response.report);
        self.response.joints.save(&mut self.scratch.joints);
        self.response.work = StepWork::default();
        let (mut links, mut spent) = (Vec::new(), [0.0; 2]);
        let moved = loop {
            let fault = match self.attempt_step(dt, &links, options, &mut spent) {
                Ok(moved) => break moved,
                Err(fault) => fault,
            };
            before.restore(&mut self.view);
            let ResponseState { candidates, sleep, joints, report, .. } = &mut self.response;
            candidates.are_current = false;
            (*sleep, *report) = saved.clone();
            joints.restore(&self.scratch.joints);
            self.view.put_boxes_back(&self.settings)?;
            match fault {
                StepFault::Met(pair) => links.push(pair),
                StepFault::Unsolved(places) => self.response.unsolved.add(places, UnsolvedReason::Approximate),
                StepFault::OverBudget(places) => self.response.unsolved.add(places, UnsolvedReason::Budget),
                StepFault::World(error) => {
                    self.contacts.put_back(found);
                    return Err(error);
                }
            }
        };
        self.response.unsolved.pass_step();
        self.timing.last_step = dt;
        let responded = options.read_clock();
        self.contacts.update_events();
        if let Some(publisher) = &mut self.publisher {
            publisher.publish(&self.view, self.settings.margin);
        }
        let end = options.read_clock();
        let mut report = self.report(moved);
        let [broad, narrow] = spent;
        report.seconds = [0.0, broad, narrow, responded - begun - broad - narrow, end - responded];
        Ok(report)
    }

    /// Attempts a step of all bodies. `links` are pairs that earlier attempts found to meet; `spent` are the seconds of
    /// the broad and of the narrow phase, which the attempt adds to.
    fn attempt_step(
        &mut self,
        dt: f64,
        links: &[Pair],
        options: &StepOptions<'_>,
        spent: &mut [f64; 2],
    ) -> Result<usize, StepFault> {
        let count = self.len();
        let Self { settings, view, pairs, contacts, scratch, response, publisher, soft_step, .. } = self;
        let StepScratch { plan, shares, swept, .. } = scratch;
        if let Some(paths) = &mut plan.paths {
            paths.begin(&view.bodies);
        }
        let publisher = publisher.as_mut();
        let may_meet = links.len() < MAX_ATTEMPTS;
        let mut parts = ResponseParts {
            settings,
            view,
            pairs,
            contacts,
            plan,
            swept,
            shares,
            publisher,
            response,
            count,
            dt,
            links,
            may_meet,
            options,
            spent,
        };
        step_response(&mut parts, soft_step)
    }

    /// Reports whether all bodies sleep or stay, and nothing has been changed since the last step.
    fn is_at_rest(&self) -> bool {
        let stays = |(id, body): (BodyId, &Body)| match &body.kind {
            Kind::Static | Kind::Dynamic(_) => self.response.sleep.is_asleep(id.index()),
            Kind::Kinematic(script) => {
                script.is_none() && body.velocity == Vec3::ZERO && body.angular_velocity == Vec3::ZERO
            }
            Kind::Soft(_) => false,
        };
        self.settings.sleeps() && self.response.candidates.are_current && self.view.bodies().all(stays)
    }

    /// A step in which nothing moves: contacts stay as they are.
    fn pass_time(&mut self, dt: f64, options: &StepOptions<'_>, begun: f64) -> StepReport {
        self.view.time += dt;
        self.view.step += 1;
        self.timing.last_step = dt;
        self.response.joints.forget_broken();
        self.response.problem.clear();
        self.response.unsolved.pass_step();
        let asleep = self.response.sleep.count(&self.view.bodies);
        self.response.report = ResponseReport { asleep, ..ResponseReport::default() };
        self.contacts.update_events();
        if let Some(publisher) = &mut self.publisher {
            publisher.publish(&self.view, self.settings.margin);
        }
        let end = options.read_clock();
        let mut report = self.report(0);
        report.set_seconds([begun, begun, begun, begun, begun, end]);
        report
    }

    /// The counts of the last step.
    fn report(&self, moved: usize) -> StepReport {
        StepReport {
            moved,
            pairs: self.pairs.states().len(),
            touching: self.contacts.contacts().len(),
            points: self.contacts.found.points,
            unproven: self.contacts.unproven().len(),
            cut: self.contacts.interrupted.len(),
            response: self.response.report,
            ..StepReport::default()
        }
    }

    /// Finds the contacts of the pairs that were found, after `dt` seconds if time passed, and lists the changes; the
    /// moments are the ends of the stages before.
    pub(super) fn finish_step(
        &mut self,
        moved: usize,
        dt: Option<f64>,
        options: &StepOptions<'_>,
        [begun, flown, proposed]: [f64; 3],
    ) -> StepReport {
        let Self { settings, view, pairs, contacts, scratch, timing, publisher, response, .. } = self;
        let StepScratch { plan, shares, swept, .. } = scratch;
        let moved_bodies = dt.map(|dt| MovedBodies { motions: &plan.motions, dt });
        let margin = PairMargin::Fixed(settings.margin);
        let phase = NarrowPhase {
            view,
            settings,
            swept,
            moved: moved_bodies,
            margin,
            joints: &response.joints,
            known: None,
            only: None,
        };
        let deadline = Deadline::of_step(options, begun, timing.closing);
        let searched = find_contacts(&phase, deadline, pairs, shares, contacts);
        let decided = options.read_clock();
        contacts.update_events();
        if let Some(publisher) = publisher {
            publisher.publish(view, settings.margin);
        }
        let end = options.read_clock();
        timing.note_closing(searched, end, pairs.states().len());
        let mut report = self.report(moved);
        report.set_seconds([begun, flown, proposed, decided, decided, end]);
        report
    }
}
