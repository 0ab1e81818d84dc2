//! The file of a trace: a JSON line for each traced step.

use super::record_file::unwritable;
use crate::Failure;
use heurt::scene::{SceneNames, TraceError, TraceOptions, write_trace_line};
use heurt::world::World;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Writer of a trace.
pub(super) struct Tracer {
    file: File,
    path: PathBuf,
    /// One step of this number is traced.
    every: u64,
    options: TraceOptions,
}

impl Tracer {
    pub(super) fn create(path: &Path, every: u64, options: TraceOptions) -> Result<Self, Failure> {
        let file = File::create(path).map_err(|source| unwritable(path, source))?;
        Ok(Self { file, path: path.to_owned(), every, options })
    }

    /// Writes a line, if it is the turn of this step; `begun` is the time at which the step began.
    pub(super) fn step(&mut self, world: &World, names: &SceneNames, begun: f64) -> Result<(), Failure> {
        if !world.steps().is_multiple_of(self.every) {
            return Ok(());
        }
        match write_trace_line(world, names, &self.options, begun, &mut self.file) {
            Err(TraceError::Unwritable(source)) => Err(unwritable(&self.path, source)),
            Err(error) => Err(Failure::Stopped { step: world.steps(), reason: error.to_string() }),
            Ok(()) => Ok(()),
        }
    }
}
