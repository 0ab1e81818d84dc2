//! Runs a scene of a crowd on floors.

use super::super::{Order, RunArguments};
use super::course::{CoursePlan, CrowdRun, run_crowd};
use super::{check_options, count_steps, report_faults};
use crate::Failure;
use crate::files::NotedFiles;
use crate::output::{Output, printable};
use crate::status::Status;
use heurt::crowd::{Crowd, CrowdReport};
use heurt::io::{TrajectoryHeader, TrajectoryStep};
use heurt::scene::{
    CrowdReportJson, CrowdRunFacts, CrowdScene, RecordHeader, outline_rows, trajectory_header, trajectory_step,
};
use heurt::view::CrowdView;

/// Runs the scene.
pub(super) fn run(arguments: &RunArguments, order: &Order, out: &mut Output) -> Result<Status, Failure> {
    check_options(arguments)?;
    let RecordHeader { scene: text, folder, .. } = &order.header;
    let mut scene = CrowdScene::read(text, folder, &NotedFiles).map_err(|fault| order.bad_scene(fault))?;
    if let Some(seed) = arguments.seed {
        scene.settings.seed = seed;
    }
    for note in &scene.notes {
        eprintln!("note: {}", printable(note));
    }
    let (step, origin) = (scene.step, scene.origin);
    let roads = std::mem::take(&mut scene.roads);
    let length = count_steps(arguments, order, (step, scene.seconds), |most| scene.lasts_too_long(most))?;
    let (steps, is_endless) = length;
    let agents = scene.count_agents();
    let (crowd, faults, left_out) = scene.build_without_faulty();
    report_faults(arguments, order, faults)?;
    let view = CrowdView::new(&crowd, &roads);
    let plan = CoursePlan { step, steps, is_endless, agents, left_out, origin };
    run_crowd(arguments, order, (crowd, view), &plan, out)
}

impl CrowdRun for Crowd {
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
        trajectory_header(self, step)
    }

    fn rows(&self, number: u64) -> TrajectoryStep {
        trajectory_step(self, number)
    }

    fn outlines(&self, step: u64) -> String {
        outline_rows(self, step)
    }

    fn summary(&self) -> CrowdReport {
        self.report()
    }

    fn json(&self, facts: &CrowdRunFacts) -> CrowdReportJson {
        CrowdReportJson::new(self, facts)
    }
}
