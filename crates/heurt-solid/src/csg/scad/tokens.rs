//! Tokens of `.csg` text, with their lines and columns.
//!
//! In: text. Out: names, numbers, signs, texts, one at a time.
//! Guarantees: every error names the line and the column, both from 1; columns count characters.

use crate::csg::CsgTextError;
use std::fmt;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Number(f64),
    /// A text in quotes, whose content no supported object uses.
    Text,
    Sign(char),
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(to, "`{name}`"),
            Self::Number(number) => write!(to, "{number}"),
            Self::Text => write!(to, "a text"),
            Self::Sign(sign) => write!(to, "`{sign}`"),
            Self::End => write!(to, "the end of the text"),
        }
    }
}

/// The position of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Position {
    line: usize,
    column: usize,
}

impl Position {
    pub(super) const START: Self = Self { line: 1, column: 1 };

    pub(super) fn error(self, cause: String) -> CsgTextError {
        CsgTextError::Syntax { line: self.line, column: self.column, cause }
    }
}

/// The rest of a text.
pub(super) struct Tokens<'a> {
    rest: &'a str,
    at: Position,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text.trim_start_matches('\u{feff}'), at: Position::START }
    }

    fn advance(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        match passed.rsplit_once('\n') {
            Some((_, last)) => {
                self.at.line += passed.matches('\n').count();
                self.at.column = last.chars().count() + 1;
            }
            None => self.at.column += passed.chars().count(),
        }
        passed
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) -> Result<(), CsgTextError> {
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            self.advance(blank);
            if self.rest.starts_with("//") {
                self.advance(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let end =
                    self.rest.find("*/").ok_or_else(|| self.at.error("the comment has no end: add `*/`".to_owned()))?;
                self.advance(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    /// Returns the next token and its position.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Position), CsgTextError> {
        self.skip_blank()?;
        let at = self.at;
        let Some(first) = self.rest.chars().next() else { return Ok((Token::End, at)) };
        let length = |is_in: fn(char) -> bool| self.rest.find(|c| !is_in(c)).unwrap_or(self.rest.len());
        let token = match first {
            'a'..='z' | 'A'..='Z' | '_' | '$' => {
                Token::Name(self.advance(length(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$')))
            }
            '0'..='9' | '.' | '-' | '+' => {
                let text = self.advance(number_length(self.rest));
                let number = text.parse().ok().filter(|number: &f64| number.is_finite());
                Token::Number(number.ok_or_else(|| at.error(format!("`{text}` is no finite number")))?)
            }
            '"' => {
                let end = text_length(self.rest).ok_or_else(|| at.error("the text has no end: add `\"`".to_owned()))?;
                self.advance(end);
                Token::Text
            }
            sign => {
                self.advance(sign.len_utf8());
                Token::Sign(sign)
            }
        };
        Ok((token, at))
    }

    /// Returns the next token and leaves it in place.
    pub(super) fn peek(&mut self) -> Result<(Token<'a>, Position), CsgTextError> {
        self.skip_blank()?;
        let before = (self.rest, self.at);
        let token = self.next()?;
        (self.rest, self.at) = before;
        Ok(token)
    }

    /// Skips a sign if it is next.
    pub(super) fn skip(&mut self, sign: char) -> Result<bool, CsgTextError> {
        let is_next = self.peek()?.0 == Token::Sign(sign);
        if is_next {
            self.next()?;
        }
        Ok(is_next)
    }

    /// Skips a sign that must be next.
    pub(super) fn expect(&mut self, sign: char) -> Result<(), CsgTextError> {
        match self.next()? {
            (Token::Sign(found), _) if found == sign => Ok(()),
            (other, at) => Err(at.error(format!("{other} is not `{sign}`, which must follow here"))),
        }
    }

    /// Reads `name =` if an argument begins so.
    pub(super) fn argument_name(&mut self) -> Result<Option<String>, CsgTextError> {
        let before = (self.rest, self.at);
        if let Token::Name(name) = self.next()?.0
            && self.skip('=')?
        {
            return Ok(Some(name.to_owned()));
        }
        (self.rest, self.at) = before;
        Ok(None)
    }
}

/// Returns the length of a number: sign, digits, point, exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 1;
    while let Some(&byte) = bytes.get(end) {
        let is_exponent_sign = matches!(byte, b'+' | b'-') && matches!(bytes[end - 1], b'e' | b'E');
        if !(byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E') || is_exponent_sign) {
            break;
        }
        end += 1;
    }
    end
}

/// Returns the length of a text with its quotes; `None` if it has no end.
fn text_length(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(index + 1),
            _ => {}
        }
    }
    None
}
