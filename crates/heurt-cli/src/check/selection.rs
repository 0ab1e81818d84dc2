//! Selection of pairs to check: one set against another (`--of`, `--against`), minus the pairs of a list (`--ignore`).
//!
//! In: patterns of part names, and a text of one pair a line. Out: a predicate on pairs of part numbers. A line of the
//! list has two patterns with a comma between, as in the CSV report, or one: that part against every other part. Fields
//! with a comma are quoted; a line that starts with `#` is a comment. Cost: lines of two plain names are looked up;
//! O(parts) once and O(1) a candidate pair for each line with a wildcard.

use super::Part;
use crate::{Failure, load};
use heurt::scene::NamePattern;
use heurt::scene::describe::some_of;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The pairs to check.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// By part, whether it is in the first and in the second set; `None` if every pair is checked.
    sets: Option<Vec<[bool; 2]>>,
    /// The pairs of lines without a wildcard, the lower part first.
    ignored: BTreeSet<[usize; 2]>,
    /// By line with a wildcard, whether each part matches its first and its second pattern.
    ignored_patterns: Vec<Vec<[bool; 2]>>,
}

impl Selection {
    /// Matches patterns with parts. A line of the list that matches no part is a failure of its own; all other lines
    /// apply.
    pub(super) fn new(
        parts: &[Part],
        of: &[String],
        against: &[String],
        ignore: Option<&Path>,
    ) -> Result<(Self, Vec<Failure>), Failure> {
        let sets = match (of, against) {
            ([], _) => None,
            (of, []) => Some(matched(parts, of, "of")?.into_iter().map(|is_in| [is_in, true]).collect()),
            (of, against) => {
                let (of, against) = (matched(parts, of, "of")?, matched(parts, against, "against")?);
                Some(of.into_iter().zip(against).map(|(of, against)| [of, against]).collect())
            }
        };
        let (mut ignored, mut ignored_patterns, mut failures) = (BTreeSet::new(), Vec::new(), Vec::new());
        if let Some(path) = ignore {
            let number_of: BTreeMap<&str, usize> =
                parts.iter().enumerate().map(|(number, part)| (part.name.as_str(), number)).collect();
            let text = load::read_bytes(path)?;
            for (number, line) in (1..).zip(String::from_utf8_lossy(&text).lines()) {
                match pair_of_line(line) {
                    Ok(None) => {}
                    Ok(Some(patterns)) => match line_matches(parts, &number_of, &patterns) {
                        Ok(IgnoreLine::Pair(a, b)) => {
                            ignored.insert([a.min(b), a.max(b)]);
                        }
                        Ok(IgnoreLine::Patterns(line)) => ignored_patterns.push(line),
                        Err(pattern) => failures.push(Failure::PatternOfLine {
                            path: path.to_owned(),
                            line: number,
                            pattern,
                            known: known(parts),
                        }),
                    },
                    Err(reason) => {
                        failures.push(Failure::BadIgnoreLine { path: path.to_owned(), line: number, reason });
                    }
                }
            }
        }
        Ok((Self { sets, ignored, ignored_patterns }, failures))
    }

    /// Reports whether the pair is in the sets to be checked, independent of the list.
    pub(crate) fn is_selected(&self, [a, b]: [usize; 2]) -> bool {
        self.sets.as_ref().is_none_or(|sets| sets[a][0] && sets[b][1] || sets[b][0] && sets[a][1])
    }

    /// Reports whether a line of the list names the pair.
    pub(crate) fn is_ignored(&self, [a, b]: [usize; 2]) -> bool {
        self.ignored.contains(&[a.min(b), a.max(b)])
            || self.ignored_patterns.iter().any(|line| line[a][0] && line[b][1] || line[b][0] && line[a][1])
    }

    /// Counts the pairs in the sets, among `count` parts.
    pub(crate) fn pair_count(&self, count: usize) -> usize {
        let pairs = |count: usize| count * count.saturating_sub(1) / 2;
        let Some(sets) = &self.sets else { return pairs(count) };
        let number = |wanted: [bool; 2]| sets.iter().filter(|set| **set == wanted).count();
        let [only_first, only_second, both] = [number([true, false]), number([false, true]), number([true, true])];
        only_first * only_second + both * (only_first + only_second) + pairs(both)
    }
}

/// Returns, by part, whether one of the patterns matches it.
pub(crate) fn matched(parts: &[Part], patterns: &[String], option: &'static str) -> Result<Vec<bool>, Failure> {
    let mut is_in = vec![false; parts.len()];
    for text in patterns {
        let pattern = NamePattern::new(text);
        let mut matches = false;
        for (part, is_in) in parts.iter().zip(&mut is_in).filter(|(part, _)| pattern.matches(&part.name)) {
            debug_assert!(!part.name.is_empty());
            (*is_in, matches) = (true, true);
        }
        if !matches {
            return Err(Failure::NoSuchPart { option, name: text.clone(), known: known(parts) });
        }
    }
    Ok(is_in)
}

/// Lists names of parts for a message.
pub(crate) fn known(parts: &[Part]) -> String {
    some_of(parts.iter().map(|part| part.name.as_str()))
}

/// The pairs of a line of the list.
enum IgnoreLine {
    /// Two parts.
    Pair(usize, usize),
    /// By part, whether each of two patterns matches it.
    Patterns(Vec<[bool; 2]>),
}

/// Returns the parts that two patterns match; the error is a pattern without a match.
fn line_matches(
    parts: &[Part],
    number_of: &BTreeMap<&str, usize>,
    patterns: &[String; 2],
) -> Result<IgnoreLine, String> {
    if patterns.iter().all(|pattern| !pattern.contains(['*', '?'])) {
        let number = |pattern: &String| number_of.get(pattern.as_str()).copied().ok_or_else(|| pattern.clone());
        return Ok(IgnoreLine::Pair(number(&patterns[0])?, number(&patterns[1])?));
    }
    let globs = patterns.each_ref().map(|text| NamePattern::new(text));
    let line: Vec<[bool; 2]> = parts.iter().map(|part| globs.each_ref().map(|glob| glob.matches(&part.name))).collect();
    match (0..2).find(|&side| !line.iter().any(|matches| matches[side])) {
        Some(side) => Err(patterns[side].clone()),
        None => Ok(IgnoreLine::Patterns(line)),
    }
}

/// Reads the two patterns of a line; `None` for a blank line or a comment.
fn pair_of_line(line: &str) -> Result<Option<[String; 2]>, &'static str> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let fields = csv_fields(line)?;
    match <[String; 2]>::try_from(fields) {
        Ok(both) => Ok(Some(both)),
        Err(fields) => match <[String; 1]>::try_from(fields) {
            Ok([one]) => Ok(Some([one, "*".to_owned()])),
            Err(_) => Err("a line holds one pattern or two with a comma between"),
        },
    }
}

/// Splits a line of CSV: quotes around a field, doubled within it.
fn csv_fields(line: &str) -> Result<Vec<String>, &'static str> {
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
            return Err("a pattern is empty");
        }
        fields.push(field);
        let after = after.trim_start();
        if after.is_empty() {
            return Ok(fields);
        }
        rest = after.strip_prefix(',').ok_or("text follows a quoted pattern")?;
    }
}

/// Returns the text up to the closing quote, and the rest after it.
fn quoted_field(text: &str) -> Result<(String, &str), &'static str> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"').ok_or("a quote is not closed")?;
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
