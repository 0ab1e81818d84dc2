//! Text of the Jülich data archive: `id frame x y z` in columns, with comments before them.
//!
//! In: lines of numbers between blanks; comments start with `#` and give `framerate: 25` and the unit, as `x/cm` or
//! `in m`. Out: steps; the step is the frame, and the time is the frame by the frame rate.
//! Method: the format that PedPy 1.5 reads. PedPy takes `in m` for metres also at the start of a longer word, and the
//! last of two units. Here units are whole words, and two units are an error.
//! Guarantees: each fault names its line. Frame rate and unit are known, from the file or the options.
//! Not guaranteed: a file that is cut inside its last number is not noticed. Cost: O(bytes).

use super::collect::{RawRow, collect, finite, frame_rate, natural};
use super::{TrajectoryFile, TrajectoryHeader, TrajectoryOptions, TrajectoryReadError, TrajectoryRow};
use crate::read::text::{self, Lines};
use crate::{LengthUnit, Place, ReadError};
use heurt_geometry::Vec3;

/// The facts that comments give.
#[derive(Default)]
struct CommentFacts {
    frame_rate: Option<(f64, Place)>,
    unit: Option<(LengthUnit, Place)>,
}

/// Reads a file.
pub(super) fn read(bytes: &[u8], options: &TrajectoryOptions) -> Result<TrajectoryFile, TrajectoryReadError> {
    let mut lines = Lines::new(bytes);
    let mut facts = CommentFacts::default();
    let mut rows = Vec::new();
    while let Some(line) = lines.next() {
        let line = line.trim_ascii();
        match line.strip_prefix(b"#") {
            Some(comment) if rows.is_empty() => facts.note(&String::from_utf8_lossy(comment), lines.place())?,
            Some(_) => {}
            None if line.is_empty() => {}
            None => rows.push(row(line, lines.number())?),
        }
    }
    if rows.is_empty() {
        return Err(TrajectoryReadError::NoRows { place: lines.place() });
    }
    let rate = frame_rate(facts.frame_rate, options.frame_rate)?;
    let metres = unit(facts.unit, options.unit)?.metres();
    for raw in &mut rows {
        raw.time = raw.step as f64 / rate;
        // Division by 100 rounds once, multiplication by 0.01 twice.
        let position = raw.row.position;
        raw.row.position = if metres < 1.0 { position / (1.0 / metres) } else { position * metres };
    }
    let (groups, frame_rate) = (vec![String::new()], Some(rate));
    collect(rows, TrajectoryHeader { groups, frame_rate, ..TrajectoryHeader::default() }, Place::Line)
}

/// Reads the numbers of a line; the time is not known yet.
fn row(line: &[u8], number: u64) -> Result<RawRow, ReadError> {
    let place = || Place::Line(number);
    let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    let words: Vec<&[u8]> = text::words(line).collect();
    if words.len() < 4 {
        let (found, expected) = (format!("{} columns", words.len()), "the columns id, frame, x, y".to_owned());
        return Err(ReadError::Syntax { place: place(), found, expected });
    }
    let z = words.get(4).map_or(Ok(0.0), |word| finite(word, "z", place))?;
    let position = Vec3::new(finite(words[2], "x", place)?, finite(words[3], "y", place)?, z);
    let row = TrajectoryRow { agent: natural(words[0], "id", place)?, group: 0, position, velocity: None };
    Ok(RawRow { step: natural(words[1], "frame", place)?, time: 0.0, row, at: number })
}

/// Checks the unit of the comments against the unit of the options.
fn unit(found: Option<(LengthUnit, Place)>, option: Option<LengthUnit>) -> Result<LengthUnit, TrajectoryReadError> {
    match (found, option) {
        (Some((found, place)), Some(known)) if found != known => Err(two_units(place, found, known)),
        (Some((unit, _)), _) | (None, Some(unit)) => Ok(unit),
        (None, None) => Err(TrajectoryReadError::Unknown {
            what: "unit of length",
            remedy: "write `x/m` or `x/cm` into a comment, or give the unit in the options",
        }),
    }
}

fn two_units(place: Place, found: LengthUnit, known: LengthUnit) -> TrajectoryReadError {
    let (found, known) = (found.symbol().to_owned(), known.symbol().to_owned());
    TrajectoryReadError::Conflict { place, what: "unit of length", found, known }
}

impl CommentFacts {
    /// Reads the facts of a comment.
    fn note(&mut self, comment: &str, place: Place) -> Result<(), TrajectoryReadError> {
        let comment = comment.to_ascii_lowercase();
        if let Some(rate) = rate_of(&comment) {
            match &self.frame_rate {
                Some((known, _)) if *known != rate => {
                    let (found, known) = (rate.to_string(), known.to_string());
                    return Err(TrajectoryReadError::Conflict { place, what: "frame rate", found, known });
                }
                _ => self.frame_rate = Some((rate, place.clone())),
            }
        }
        for unit in units_of(&comment) {
            match self.unit {
                Some((known, _)) if known != unit => return Err(two_units(place, unit, known)),
                _ => self.unit = Some((unit, place.clone())),
            }
        }
        Ok(())
    }
}

/// Finds the number after the word `framerate`, as in `framerate: 25 fps`.
fn rate_of(comment: &str) -> Option<f64> {
    let (_, rest) = comment.split_once("framerate")?;
    let rest = rest.trim_start_matches([' ', '\t', ':', '=']);
    let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Finds units: `x/cm`, `x/m`, `in cm`, `in m`, and names of units after `in`.
fn units_of(comment: &str) -> impl Iterator<Item = LengthUnit> {
    let is_break = |letter: char| letter.is_whitespace() || ",;:()[]{}".contains(letter);
    let words: Vec<&str> = comment.split(is_break).filter(|word| !word.is_empty()).collect();
    let unit = |name: &str| match name.trim_end_matches('.') {
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => Some(LengthUnit::Centimetre),
        "m" | "meter" | "meters" | "metre" | "metres" => Some(LengthUnit::Metre),
        _ => None,
    };
    let after_in = words.windows(2).filter(|pair| pair[0] == "in").filter_map(|pair| unit(pair[1]));
    let in_column = words.iter().filter_map(|word| unit(word.strip_prefix("x/")?));
    in_column.chain(after_in).collect::<Vec<_>>().into_iter()
}
