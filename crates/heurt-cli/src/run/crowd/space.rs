//! Runs a scene of agents that fly.

use super::super::{Order, RunArguments};
use super::course::{CoursePlan, CrowdRun, run_crowd};
use super::{check_options, count_steps, report_faults};
use crate::Failure;
use crate::files::NotedFiles;
use crate::output::{Output, printable};
use crate::status::Status;
use heurt::crowd::CrowdReport;
use heurt::crowd::space::SpaceCrowd;
use heurt::io::{TrajectoryHeader, TrajectoryStep};
use heurt::scene::{
    CrowdReportJson, CrowdRunFacts, RecordHeader, SpaceScene, space_trajectory_header, space_trajectory_step,
};
use heurt::view::SpaceView;

/// Runs the scene.
pub(super) fn run(arguments: &RunArguments, order: &Order, out: &mut Output) -> Result<Status, Failure> {
    check_options(arguments)?;
    if arguments.outlines.is_some() {
        return Err(Failure::NoOutlines);
    }
    let RecordHeader { scene: text, folder, .. } = &order.header;
    let scene = SpaceScene::read_with_seed(text, folder, &NotedFiles, arguments.seed);
    let scene = scene.map_err(|fault| order.bad_scene(fault))?;
    for note in &scene.notes {
        eprintln!("note: {}", printable(note));
    }
    let step = scene.step;
    let length = count_steps(arguments, order, (step, scene.seconds), |most| scene.lasts_too_long(most))?;
    let (steps, is_endless) = length;
    let agents = scene.count_agents();
    let (crowd, faults, left_out) = scene.build_without_faulty();
    report_faults(arguments, order, faults)?;
    let view = SpaceView::new(&crowd);
    let plan = CoursePlan { step, steps, is_endless, agents, left_out, origin: None };
    run_crowd(arguments, order, (crowd, view), &plan, out)
}

impl CrowdRun for SpaceCrowd {
    fn take_step(&mut self, step: f64) {
        self.step(step);
    }

    fn is_over(&self) -> bool {
        self.is_empty()
    }

    fn seconds(&self) -> f64 {
        self.time()
    }

    fn radii(&self) -> Vec<(u32, f64)> {
        self.agents().map(|agent| (agent.id, agent.radius)).collect()
    }

    fn header(&self, step: f64) -> TrajectoryHeader {
        space_trajectory_header(self, step)
    }

    fn rows(&self, number: u64) -> TrajectoryStep {
        space_trajectory_step(self, number)
    }

    fn outlines(&self, _: u64) -> String {
        String::new()
    }

    fn summary(&self) -> CrowdReport {
        self.report()
    }

    fn json(&self, facts: &CrowdRunFacts) -> CrowdReportJson {
        CrowdReportJson::of_space(self, facts)
    }
}
