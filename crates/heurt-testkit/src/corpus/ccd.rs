//! Queries of continuous detection in the format of the public benchmark family: files of exact fractions.
//!
//! In: the text of a file: eight rows a query, each `x_n,x_d,y_n,y_d,z_n,z_d,hit`: numerators and denominators, and
//! whether there is contact, the same in all eight. The first four rows are the vertices at time 0, the last four at
//! time 1: a vertex and the corners of a triangle, or the ends of two edges. Out: [`CorpusQuery`]; and such a text,
//! from queries.
//! Guarantees: a coordinate that a double holds is read and written to the last bit; any other coordinate is rounded,
//! and the query states so. The data themselves are no part of heurt.

use heurt_geometry::Vec3;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};
use std::fmt::Write;
use thiserror::Error;

/// Number of rows of a query.
const ROWS: usize = 8;

/// A query and its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorpusQuery {
    /// The vertices at time 0.
    pub start: [Vec3; 4],
    /// The vertices at time 1.
    pub end: [Vec3; 4],
    /// True if they touch in between, ends included.
    pub touches: bool,
    /// True if all coordinates are exactly those of the file; else they are rounded, and the true answer may differ.
    pub is_exact: bool,
}

/// Errors of reading queries; lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A row with a wrong number of fields.
    #[error(
        "line {line} has {count} fields: give three numerators, each with its denominator, and whether there is contact"
    )]
    Fields {
        /// The line.
        line: usize,
        /// Number of fields.
        count: usize,
    },
    /// A fraction outside the range of doubles, or no fraction.
    #[error("line {line}: {numerator} over {denominator} is no fraction of whole numbers in the range of doubles")]
    Fraction {
        /// The line.
        line: usize,
        /// The numerator field.
        numerator: String,
        /// The denominator field.
        denominator: String,
    },
    /// An answer that is neither contact nor no contact, or differs within a query.
    #[error("line {line} ends in {value}: give 1 for contact, 0 for none, the same in all rows of a query")]
    Answer {
        /// The line.
        line: usize,
        /// The field.
        value: String,
    },
    /// The number of rows is no multiple of eight.
    #[error("{count} rows: give a multiple of {ROWS}")]
    Rows {
        /// Number of rows.
        count: usize,
    },
}

/// Reads the queries of a file.
///
/// # Errors
/// [`CorpusError`], with the line.
pub fn read_queries(text: &str) -> Result<Vec<CorpusQuery>, CorpusError> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let rows = lines.map(|(number, line)| row(number, line)).collect::<Result<Vec<Row>, CorpusError>>()?;
    if !rows.len().is_multiple_of(ROWS) {
        return Err(CorpusError::Rows { count: rows.len() });
    }
    rows.chunks_exact(ROWS).map(query).collect()
}

struct Row {
    line: usize,
    vertex: Vec3,
    touches: bool,
    is_exact: bool,
}

fn query(rows: &[Row]) -> Result<CorpusQuery, CorpusError> {
    let touches = rows[0].touches;
    if let Some(other) = rows.iter().find(|row| row.touches != touches) {
        return Err(CorpusError::Answer { line: other.line, value: u8::from(other.touches).to_string() });
    }
    let vertices = |first: usize| [0, 1, 2, 3].map(|k| rows[first + k].vertex);
    Ok(CorpusQuery { start: vertices(0), end: vertices(4), touches, is_exact: rows.iter().all(|row| row.is_exact) })
}

fn row(line: usize, text: &str) -> Result<Row, CorpusError> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [x, x_below, y, y_below, z, z_below, answer] = fields[..] else {
        return Err(CorpusError::Fields { line, count: fields.len() });
    };
    let touches = match answer {
        "1" | "true" | "True" => true,
        "0" | "false" | "False" => false,
        _ => return Err(CorpusError::Answer { line, value: answer.to_owned() }),
    };
    let mut is_exact = true;
    let mut coordinate = |numerator: &str, denominator: &str| {
        let read = |text: &str| text.parse::<BigInt>().ok();
        let found = read(numerator).zip(read(denominator)).and_then(|(n, d)| nearest_double(&n, &d));
        let (value, is_same) = found.ok_or_else(|| CorpusError::Fraction {
            line,
            numerator: numerator.to_owned(),
            denominator: denominator.to_owned(),
        })?;
        is_exact &= is_same;
        Ok(value)
    };
    let vertex = Vec3::new(coordinate(x, x_below)?, coordinate(y, y_below)?, coordinate(z, z_below)?);
    Ok(Row { line, vertex, touches, is_exact })
}

/// Returns a double next to a fraction, the nearest unless it is subnormal, and whether it is equal; `None` beyond the
/// range of doubles, and for a denominator of 0.
fn nearest_double(numerator: &BigInt, denominator: &BigInt) -> Option<(f64, bool)> {
    let (n, d) = (numerator.magnitude(), denominator.magnitude());
    if d.is_zero() {
        return None;
    }
    if n.is_zero() {
        return Some((0.0, true));
    }
    // A quotient of 65 or 66 bits times 2^-shift.
    let shift = 65 - (n.bits() as i64 - d.bits() as i64);
    let (n, d) = if shift >= 0 { (n << shift as u64, d.clone()) } else { (n.clone(), d << shift.unsigned_abs()) };
    let (quotient, rest) = (&n / &d, &n % &d);
    // A nonzero remainder only decides that the value is not halfway.
    let bits = quotient.to_u128()? | u128::from(!rest.is_zero());
    let rounded = bits as f64;
    let power = |exponent: i64| 2f64.powi(exponent.clamp(-1000, 1000) as i32);
    let thirds = [-shift / 3, -shift / 3, -shift - 2 * (-shift / 3)];
    let size = thirds.iter().fold(rounded, |size, &third| size * power(third));
    let back = thirds.iter().rev().fold(size, |size, &third| size * power(-third));
    let is_same = rest.is_zero() && rounded as u128 == bits && back == rounded;
    let is_negative = (numerator.sign() == Sign::Minus) != (denominator.sign() == Sign::Minus);
    let value = if is_negative { -size } else { size };
    value.is_finite().then_some((value, is_same))
}

/// Writes queries of finite coordinates as such a file, with their answers.
pub fn write_queries(queries: &[CorpusQuery]) -> String {
    let mut text = String::new();
    for query in queries {
        for vertex in query.start.iter().chain(&query.end) {
            for coordinate in vertex.to_array() {
                let (numerator, denominator) = fraction(coordinate);
                let _ = write!(text, "{numerator},{denominator},");
            }
            let _ = writeln!(text, "{}", u8::from(query.touches));
        }
    }
    text
}

/// Returns a finite double as a fraction.
fn fraction(value: f64) -> (BigInt, BigUint) {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64;
    let mantissa = bits & ((1 << 52) - 1) | if exponent == 0 { 0 } else { 1 << 52 };
    let power = exponent.max(1) - 1075;
    let size = BigUint::from(mantissa);
    let (above, below) = match power >= 0 {
        true => (size << power as u64, BigUint::one()),
        false => (size, BigUint::one() << power.unsigned_abs()),
    };
    (BigInt::from_biguint(if value < 0.0 { Sign::Minus } else { Sign::Plus }, above), below)
}
