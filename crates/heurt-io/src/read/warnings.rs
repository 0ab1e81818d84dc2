//! Collector of warnings: one entry a kind, with the number of occurrences and the first place.
//!
//! In: occurrences of things that a lenient reader ignores. Out: a list of [`Warning`]s in order of first occurrence.
//! Guarantees: memory is bounded by the number of kinds, which are constants of the readers, not by the file. A strict
//! collector accepts nothing: each occurrence becomes the error that it was. Cost: O(kinds) an occurrence.

use crate::error::quoted;
use crate::{Place, ReadError, Treatment, Warning};

/// Statements that the format does not define.
pub(crate) const UNKNOWN_STATEMENTS: &str = "unknown statements";
/// Faces that are points or edges.
pub(crate) const SMALL_FACES: &str = "faces of fewer than 3 corners";
/// NUL bytes at the ends of words.
pub(crate) const NULS: &str = "NUL bytes";
/// Bytes behind a file that is complete.
pub(crate) const TRAILING_BYTES: &str = "bytes after the end of the data";
/// Lines behind a file that is complete.
pub(crate) const TRAILING_LINES: &str = "lines after the end of the data";
/// UTF-8 byte order marks.
pub(crate) const BYTE_ORDER_MARKS: &str = "byte order marks";

/// The ignored contents.
#[derive(Debug, Default)]
pub(crate) struct Warnings {
    is_strict: bool,
    list: Vec<Warning>,
}

impl Warnings {
    /// Creates an empty collector; a strict one rejects every occurrence.
    pub(crate) fn new(is_strict: bool) -> Self {
        Self { is_strict, list: Vec::new() }
    }

    /// Reports whether occurrences are errors.
    pub(crate) fn is_strict(&self) -> bool {
        self.is_strict
    }

    /// Counts one occurrence. A strict collector returns the error that `error` makes instead.
    ///
    /// # Errors
    /// The error of `error`, if the collector is strict.
    pub(crate) fn ignore(
        &mut self,
        what: &'static str,
        place: impl FnOnce() -> Place,
        found: &[u8],
        error: impl FnOnce(Place) -> ReadError,
    ) -> Result<(), ReadError> {
        self.ignore_many(what, 1, place, found, error)
    }

    /// Counts `count` occurrences that follow each other. A strict collector returns the error that `error` makes
    /// instead.
    ///
    /// # Errors
    /// The error of `error`, if the collector is strict.
    pub(crate) fn ignore_many(
        &mut self,
        what: &'static str,
        count: u64,
        place: impl FnOnce() -> Place,
        found: &[u8],
        error: impl FnOnce(Place) -> ReadError,
    ) -> Result<(), ReadError> {
        if self.is_strict {
            return Err(error(place()));
        }
        self.add(what, count, place, found);
        Ok(())
    }

    /// Counts one occurrence of something that is skipped. A strict collector returns an error with the remedy instead.
    ///
    /// # Errors
    /// [`ReadError::Unsupported`], if the collector is strict.
    pub(crate) fn skip(
        &mut self,
        what: &'static str,
        remedy: &'static str,
        place: impl FnOnce() -> Place,
        found: &str,
    ) -> Result<(), ReadError> {
        let error = |place| ReadError::Unsupported { place, what: what.to_owned(), remedy };
        self.ignore(what, place, found.as_bytes(), error)
    }

    /// Counts `count` occurrences of contents that a strict reader ignores without a warning.
    pub(crate) fn add(&mut self, what: &'static str, count: u64, place: impl FnOnce() -> Place, found: &[u8]) {
        if self.is_strict || count == 0 {
            return;
        }
        match self.list.iter_mut().find(|warning| warning.what == what) {
            Some(warning) => warning.count += count,
            None => {
                let found = if found.trim_ascii().is_empty() { String::new() } else { quoted(found) };
                let treatment = Treatment::Ignored;
                self.list.push(Warning { what, count, place: place(), found, treatment });
            }
        }
    }

    /// Counts `count` cells or faces that are read by their corners. A strict collector returns the error that `error`
    /// makes instead.
    ///
    /// # Errors
    /// The error of `error`, if the collector is strict.
    pub(crate) fn simplify(
        &mut self,
        what: &'static str,
        count: u64,
        place: impl FnOnce() -> Place,
        error: impl FnOnce(Place) -> ReadError,
    ) -> Result<(), ReadError> {
        if self.is_strict {
            return Err(error(place()));
        }
        match self.list.iter_mut().find(|warning| warning.what == what) {
            Some(warning) => warning.count += count,
            None => {
                let (found, treatment) = (String::new(), Treatment::ReadByCorners);
                self.list.push(Warning { what, count, place: place(), found, treatment });
            }
        }
        Ok(())
    }

    /// Adds a warning of a kind that occurs once. The caller bounds the length of its text.
    pub(crate) fn push(&mut self, warning: Warning) {
        if !self.is_strict {
            self.list.push(warning);
        }
    }

    /// Returns the warnings in order of first occurrence.
    pub(crate) fn into_list(self) -> Vec<Warning> {
        self.list
    }
}
