//! A session of requests: the files, shapes and names that its lines share.

use super::answer::{self, ParsedLine};
use super::request::Names;
use crate::describe::ShapeStore;
use crate::files::SceneFiles;
use heurt_shape::TreeChoice;
use rayon::ThreadPoolBuildError;
use rayon::prelude::*;

/// A session of requests. A file is read once, a shape is built once, and a name holds for all later lines.
///
/// ```
/// use heurt_scene::{DiskFiles, QuerySession};
///
/// let mut session = QuerySession::new(DiskFiles, 0, None)?;
/// session.answer(r#"{"op": "shape", "name": "ball", "shape": {"type": "sphere", "radius": 1}}"#);
/// let ball = r#"{"type": "shape", "name": "ball"}"#;
/// let line = format!(r#"{{"id": 7, "op": "distance", "a": {ball}, "b": {ball}, "pose_b": [3, 0, 0]}}"#);
/// assert!(session.answer(&line).starts_with(r#"{"id":7,"ok":true,"distance":1.0,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct QuerySession {
    store: ShapeStore,
    names: Names,
    has_stats: bool,
}

/// The answer of a line.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerLine {
    /// A JSON object, without a line end.
    pub json: String,
    /// False if the request was bad; the object holds its error.
    pub ok: bool,
}

impl QuerySession {
    /// Begins a session that reads `files`. Files are read and trees built on `threads` threads of its own; one for
    /// each core if that is 0. Every mesh gets the tree `usual`, if there is one.
    ///
    /// # Errors
    /// The operating system starts no such number of threads.
    pub fn new(
        files: impl SceneFiles + 'static,
        threads: usize,
        usual: Option<TreeChoice>,
    ) -> Result<Self, ThreadPoolBuildError> {
        Ok(Self { store: ShapeStore::new(files, threads, usual)?, names: Names::default(), has_stats: false })
    }

    /// Adds to each answer the work done and the microseconds that it took.
    pub fn with_stats(self) -> Self {
        Self { has_stats: true, ..self }
    }

    /// Answers a line.
    pub fn answer(&mut self, line: &str) -> String {
        let bound = answer::parse(line.as_bytes(), &self.store).bind(&mut self.names);
        answer::answer(bound, &self.store, self.has_stats).json
    }

    /// Answers lines, in their order, in parallel on the threads of the caller's pool.
    pub fn answer_lines<L: AsRef<[u8]> + Sync>(&mut self, lines: &[L]) -> Vec<AnswerLine> {
        let Self { store, names, has_stats } = self;
        let parsed: Vec<ParsedLine> = lines.par_iter().map(|line| answer::parse(line.as_ref(), store)).collect();
        // A name represents the shape that the last line before has given it.
        let bound: Vec<ParsedLine> = parsed.into_iter().map(|line| line.bind(names)).collect();
        bound.into_par_iter().map(|line| answer::answer(line, store, *has_stats)).collect()
    }
}
