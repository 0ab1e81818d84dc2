//! Selection of pairs to check: one set against another, minus the pairs of a list.
//!
//! In: patterns of part names, and a text of one pair a line. Out: a predicate on pairs of part numbers. A line of the
//! list has two patterns with a comma between, as in the CSV report, or one: that part against every other part. Fields
//! with a comma are quoted; a line that starts with `#` is a comment. The end of a name, after a `/`, is enough if no
//! other name has it. Cost: lines of two plain names are looked up;
//! O(parts) once and O(1) a candidate pair for each line with a wildcard.

use super::{AssemblyError, AssemblyPart};
use heurt_scene::describe::some_of;
use heurt_scene::{NameFault, NameIndex};
use std::collections::BTreeSet;
use thiserror::Error;

/// The pairs to check.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// By part, whether it is in the first and in the second set; `None` if every pair is checked.
    sets: Option<Vec<[bool; 2]>>,
    /// The pairs of lines without a wildcard, the lower part first.
    ignored: BTreeSet<[usize; 2]>,
    /// By line with a wildcard, whether each part matches its first and its second pattern.
    ignored_patterns: Vec<Vec<[bool; 2]>>,
}

impl Selection {
    /// Selects the pairs with one part that a pattern of `of` matches; `against`, if not empty, has the patterns of the
    /// second part. Without patterns, every pair is selected.
    ///
    /// # Errors
    /// [`AssemblyError::NoSuchPart`] for a pattern that matches no part; [`AssemblyError::AmbiguousPart`] for an end of
    /// several names.
    pub fn new(parts: &[AssemblyPart], of: &[String], against: &[String]) -> Result<Self, AssemblyError> {
        let sets = match (of, against) {
            ([], _) => None,
            (of, []) => Some(match_parts(parts, of)?.into_iter().map(|is_in| [is_in, true]).collect()),
            (of, against) => {
                let (of, against) = (match_parts(parts, of)?, match_parts(parts, against)?);
                Some(of.into_iter().zip(against).map(|(of, against)| [of, against]).collect())
            }
        };
        Ok(Self { sets, ..Self::default() })
    }

    /// Leaves out the pairs of a list, a line each; returns the faults of its lines, each with its number from 1. All
    /// other lines apply.
    pub fn ignore_list(&mut self, parts: &[AssemblyPart], text: &str) -> Vec<(usize, IgnoreFault)> {
        let index = index_of(parts);
        let mut faults = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let read = pair_of_line(line)
                .and_then(|patterns| patterns.map(|patterns| line_matches(parts.len(), &index, &patterns)).transpose());
            match read {
                Ok(None) => {}
                Ok(Some(IgnoreLine::Pair(a, b))) => {
                    self.ignored.insert([a.min(b), a.max(b)]);
                }
                Ok(Some(IgnoreLine::Patterns(line))) => self.ignored_patterns.push(line),
                Err(fault) => faults.push((number, fault)),
            }
        }
        faults
    }

    /// Reports whether the pair is in the sets to be checked, independent of the list.
    pub fn is_selected(&self, [a, b]: [usize; 2]) -> bool {
        self.sets.as_ref().is_none_or(|sets| has_pair(sets, [a, b]))
    }

    /// Reports whether a line of the list names the pair.
    pub fn is_ignored(&self, [a, b]: [usize; 2]) -> bool {
        self.ignored.contains(&[a.min(b), a.max(b)]) || self.ignored_patterns.iter().any(|line| has_pair(line, [a, b]))
    }

    /// Counts the pairs in the sets, among `count` parts.
    pub fn pair_count(&self, count: usize) -> usize {
        let pairs = |count: usize| count * count.saturating_sub(1) / 2;
        let Some(sets) = &self.sets else { return pairs(count) };
        let number = |wanted: [bool; 2]| sets.iter().filter(|set| **set == wanted).count();
        let [only_first, only_second, both] = [number([true, false]), number([false, true]), number([true, true])];
        only_first * only_second + both * (only_first + only_second) + pairs(both)
    }
}

/// Reports whether one part is in the first and the second part in the second of two sets; no other parts are.
fn has_pair(sets: &[[bool; 2]], [a, b]: [usize; 2]) -> bool {
    let is_in = |part: usize, side: usize| sets.get(part).is_some_and(|set| set[side]);
    is_in(a, 0) && is_in(b, 1) || is_in(b, 0) && is_in(a, 1)
}

/// Faults of a line of a list of pairs to leave out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IgnoreFault {
    /// A pattern matches no part.
    #[error("`{0}` matches no part, so the line leaves nothing out")]
    NoMatch(String),
    /// A text without a wildcard is the end of several names.
    #[error("several parts end in `{pattern}`: {candidates}; give more of the path, or `*/{pattern}` for all of them")]
    Ambiguous {
        /// The text.
        pattern: String,
        /// Names of the first of these parts.
        candidates: String,
    },
    /// There are more than two patterns.
    #[error("a line holds one pattern or two with a comma between")]
    TooMany,
    /// A pattern has no character.
    #[error("a pattern is empty")]
    Empty,
    /// A quote begins a pattern and none ends it.
    #[error("a quote is not closed")]
    OpenQuote,
    /// A quoted pattern is followed by neither a comma nor the end of the line.
    #[error("text follows a quoted pattern")]
    AfterQuote,
}

/// Returns, by part, whether one of the names or patterns means it. The end of a name, after a `/`, is enough if no
/// other part has it.
///
/// # Errors
/// [`AssemblyError::NoSuchPart`] for a pattern that matches no part; [`AssemblyError::AmbiguousPart`] for an end of
/// several names.
pub fn match_parts(parts: &[AssemblyPart], patterns: &[String]) -> Result<Vec<bool>, AssemblyError> {
    let mut is_in = vec![false; parts.len()];
    let index = index_of(parts);
    for name in patterns {
        let numbers = index.find(name).map_err(|fault| match fault {
            NameFault::Ambiguous { candidates } => {
                let candidates = some_of(candidates.iter().map(String::as_str));
                AssemblyError::AmbiguousPart { name: name.clone(), candidates }
            }
            _ => {
                let known = some_of(parts.iter().map(|part| part.name.as_str()));
                AssemblyError::NoSuchPart { name: name.clone(), known }
            }
        })?;
        numbers.into_iter().for_each(|number| is_in[number] = true);
    }
    Ok(is_in)
}

fn index_of(parts: &[AssemblyPart]) -> NameIndex<'_> {
    NameIndex::new(parts.iter().map(|part| part.name.as_str()))
}

/// The pairs of a line of the list.
enum IgnoreLine {
    /// Two parts.
    Pair(usize, usize),
    /// By part, whether each of two patterns matches it.
    Patterns(Vec<[bool; 2]>),
}

/// Returns the parts that two patterns match; the error has a pattern without a match.
fn line_matches(count: usize, index: &NameIndex<'_>, patterns: &[String; 2]) -> Result<IgnoreLine, IgnoreFault> {
    let find = |pattern: &String| {
        index.find(pattern).map_err(|fault| match fault {
            NameFault::Ambiguous { candidates } => {
                let candidates = some_of(candidates.iter().map(String::as_str));
                IgnoreFault::Ambiguous { pattern: pattern.clone(), candidates }
            }
            _ => IgnoreFault::NoMatch(pattern.clone()),
        })
    };
    let [first, second] = [find(&patterns[0])?, find(&patterns[1])?];
    if let ([a], [b]) = (&*first, &*second) {
        return Ok(IgnoreLine::Pair(*a, *b));
    }
    let mut line = vec![[false; 2]; count];
    first.into_iter().for_each(|part| line[part][0] = true);
    second.into_iter().for_each(|part| line[part][1] = true);
    Ok(IgnoreLine::Patterns(line))
}

/// Reads the two patterns of a line; `None` for a blank line or a comment.
fn pair_of_line(line: &str) -> Result<Option<[String; 2]>, IgnoreFault> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let fields = csv_fields(line)?;
    match <[String; 2]>::try_from(fields) {
        Ok(both) => Ok(Some(both)),
        Err(fields) => match <[String; 1]>::try_from(fields) {
            Ok([one]) => Ok(Some([one, "*".to_owned()])),
            Err(_) => Err(IgnoreFault::TooMany),
        },
    }
}

/// Splits a line of CSV: quotes around a field, doubled within it.
fn csv_fields(line: &str) -> Result<Vec<String>, IgnoreFault> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let (field, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted_field(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].trim_end().to_owned(), &rest[end..])
            }
        };
        if field.is_empty() {
            return Err(IgnoreFault::Empty);
        }
        fields.push(field);
        let after = after.trim_start();
        if after.is_empty() {
            return Ok(fields);
        }
        rest = after.strip_prefix(',').ok_or(IgnoreFault::AfterQuote)?;
    }
}

/// Returns the text up to the closing quote, and the rest after it.
fn quoted_field(text: &str) -> Result<(String, &str), IgnoreFault> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"').ok_or(IgnoreFault::OpenQuote)?;
        field.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                field.push('"');
                rest = after;
            }
            None => return Ok((field, rest)),
        }
    }
}
