//! Absence of the live view, in programs that are built without it.

use super::control::{Control, Origin};
use super::control_error::ControlError;
use super::{RunPlan, Turn};
use crate::Failure;
use crate::view::ViewArguments;
use crate::view::page::HOW_TO_ENABLE;
use heurt::scene::SceneNames;
use heurt::world::{STAGES, World};
use std::sync::atomic::AtomicBool;

/// A live view, which this program has not.
pub(super) enum NoLiveRun {}

impl NoLiveRun {
    pub(super) fn start(_: &ViewArguments, _: &World, _: &SceneNames, _: RunPlan) -> Result<Self, Failure> {
        Err(Failure::NoPage { option: "view", help: HOW_TO_ENABLE })
    }

    pub(super) fn note_step(&mut self, _: &World, _: &mut Control, _: Option<&[f64; STAGES.len()]>) {
        match *self {}
    }

    pub(super) fn await_turn(&mut self, _: &World, _: &mut Control, _: f64, _: &AtomicBool) -> Turn {
        match *self {}
    }

    pub(super) fn linger(&mut self, _: &World, _: &mut Control, _: &str, _: &AtomicBool) {
        match *self {}
    }

    pub(super) fn refuse_object(&self, _: Origin, _: &ControlError) {
        match *self {}
    }

    pub(super) fn shows_paths(&self) -> bool {
        match *self {}
    }

    pub(super) fn pull(&self, _: &World, _: &mut Control, _: f64) {
        match *self {}
    }
}
