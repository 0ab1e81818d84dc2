//! A line as JSON, also where a program wrote numbers that JSON does not have.
//!
//! Many programs write `NaN` and `Infinity` bare, or numbers beyond `f64`. A line that is no JSON is looked at once more
//! with such words put in quotes; then the check of the fields names the field and the word, instead of a column.

use super::fields::{FieldError, shortened};
use super::{LONGEST_LINE, json};
use serde_json::Value;

/// Parses a line; what is wrong with keys comes beside the value, whose `id` is wanted all the same.
pub(crate) fn parse(line: &[u8]) -> Result<(Value, Result<(), FieldError>), FieldError> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.len() > LONGEST_LINE {
        return Err(FieldError::TooLong);
    }
    let once = |(value, repeated): (Value, Option<String>)| match repeated {
        None => (value, Ok(())),
        Some(field) => (value, Err(FieldError::Repeated { field })),
    };
    let error = match json::parse(line) {
        Ok(parsed) => return Ok(once(parsed)),
        Err(error) => error,
    };
    let quoted = with_odd_words_quoted(line);
    if quoted != line
        && let Ok(parsed) = json::parse(&quoted)
    {
        return Ok(once(parsed));
    }
    let value = format!("`{}`", shortened(String::from_utf8_lossy(line).trim()));
    Err(FieldError::NoJson { value, cause: error.to_string() })
}

/// Puts in quotes what stands for a value and is no JSON: no word of its own, and no number that fits an `f64`.
fn with_odd_words_quoted(line: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(line.len() + 16);
    let mut rest = line;
    while let Some(&first) = rest.first() {
        let length = if first == b'"' {
            string_length(rest)
        } else if is_of_word(first) {
            rest.iter().take_while(|&&byte| is_of_word(byte)).count()
        } else {
            1
        };
        let (token, after) = rest.split_at(length);
        let is_odd = is_of_word(first) && serde_json::from_slice::<Value>(token).is_err();
        if is_odd {
            quoted.push(b'"');
        }
        quoted.extend_from_slice(token);
        if is_odd {
            quoted.push(b'"');
        }
        rest = after;
    }
    quoted
}

fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

/// The length of the string that `text` starts with, its quotes included; of all the rest where it does not end.
fn string_length(text: &[u8]) -> usize {
    let mut escaped = false;
    for (at, &byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}
