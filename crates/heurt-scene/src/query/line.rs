//! Reader of a line as JSON, also if a program wrote numbers that JSON does not have.
//!
//! Many programs write `NaN` and `Infinity` bare, or numbers beyond `f64`. A line that is no JSON is parsed a second
//! time with such words put in quotes. The check of the fields then reports the field and the word, instead of a
//! column. Such a line is never answered as if it were JSON. The `id` is kept as it is written: a number too long for
//! `f64` comes back digit by digit.

use crate::describe::fields::LONGEST_LINE;
use crate::describe::fields::{FieldError, shortened};
use crate::describe::json::parse_json;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The `id` of a request as it is written; none if it is absent or `null`.
pub(crate) type Id = Option<Box<RawValue>>;

/// The content of a line.
pub(crate) struct RequestLine {
    pub(crate) value: Value,
    /// The error of a line whose fields are all valid, but which is JSON only after words were quoted.
    pub(crate) fault: Option<FieldError>,
}

/// Parses a line; the `id` is returned also for invalid lines, if it can be read.
pub(crate) fn parse(line: &[u8]) -> (Id, Result<RequestLine, FieldError>) {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.len() > LONGEST_LINE {
        return (None, Err(FieldError::TooLong));
    }
    let error = match parse_json(line) {
        Ok(parsed) => return (id_of(line, &parsed.0), checked(parsed, None)),
        Err(error) => error,
    };
    let value = format!("`{}`", shortened(String::from_utf8_lossy(line).trim()));
    let fault = FieldError::NoJson { value, cause: error.to_string() };
    let quoted = with_odd_words_quoted(line);
    match parse_json(&quoted) {
        Ok(parsed) if quoted != line => {
            // A number beyond `f64` is no value, but it can be echoed.
            let id = id_of(line, &parsed.0).or_else(|| id_of(&quoted, &parsed.0));
            (id, checked(parsed, Some(fault)))
        }
        _ => (None, Err(fault)),
    }
}

fn checked((value, repeated): (Value, Option<String>), fault: Option<FieldError>) -> Result<RequestLine, FieldError> {
    match repeated {
        None => Ok(RequestLine { value, fault }),
        Some(field) => Err(FieldError::Repeated { field }),
    }
}

/// Returns the `id` in the text of a JSON object; if there are several, the `id` that `value` has.
fn id_of(text: &[u8], value: &Value) -> Id {
    #[derive(Deserialize)]
    struct Request<'t> {
        #[serde(borrow)]
        id: Option<&'t RawValue>,
    }
    let id = value.as_object()?.get("id").filter(|id| !id.is_null())?;
    match serde_json::from_slice::<Request<'_>>(text) {
        Ok(request) => request.id.map(RawValue::to_owned),
        Err(_) => serde_json::value::to_raw_value(id).ok(),
    }
}

/// Puts words in quotes that are values in place but no JSON: no JSON word, and no number that fits an `f64`. Keys are
/// not changed.
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
        let is_key = after.trim_ascii_start().first() == Some(&b':');
        let is_odd = is_of_word(first) && !is_key && serde_json::from_slice::<Value>(token).is_err();
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

/// Returns the length of the string that `text` starts with, with its quotes; the length of the rest if it does not
/// end.
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
