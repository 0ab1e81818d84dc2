//! Absence of the live view of crowds, in programs that are built without it.

use super::super::Turn;
use super::picture::CrowdLook;
use crate::Failure;
use crate::view::ViewArguments;
use crate::view::page::HOW_TO_ENABLE;
use std::sync::atomic::AtomicBool;

/// A live view, which this program has not.
pub(super) enum NoLiveCrowd {}

impl NoLiveCrowd {
    pub(super) fn start<C, V>(
        _: &ViewArguments,
        _: &C,
        _: &CrowdLook<V>,
        _: (f64, Option<u64>),
    ) -> Result<Self, Failure> {
        Err(Failure::NoPage { option: "view", help: HOW_TO_ENABLE })
    }

    pub(super) fn note_step<C, V>(&mut self, _: (&C, &V), _: u64, _: f64) {
        match *self {}
    }

    pub(super) fn await_turn<C, V>(&mut self, _: (&C, &V), _: f64, _: &AtomicBool) -> Turn {
        match *self {}
    }

    pub(super) fn linger<C, V>(&mut self, _: (&C, &V), _: &str, _: &AtomicBool) {
        match *self {}
    }
}
