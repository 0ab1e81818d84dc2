//! Linear code of a tree (Gargantini 1982): the sorted codes of the full cells, and their text.
//!
//! In: nodes in pre-order without mixed leaves, or a text. Out: the codes, the text, or the nodes.
//! Method: the code of a cell of level i is i digits to base 2^D, one per level from the top. An `X` ends a code that
//! is shorter than the depth, as on slide 48 of S3: one `X` for the cell, not one per level. Codes are kept as the
//! number of the first deepest cell and the level, which sorts them.
//! Guarantees: codes ascend and do not overlap. A written list reads back as the same list. The reader merges full
//! siblings, and neither panics nor recurses.
//! Cost: 16 bytes per full cell; O(log n) for a cell, O(n · depth) to a tree.

use super::Node;
use super::builder::PreOrderBuilder;
use super::leaves::PreOrderLeaves;
use crate::octree::CodeError;
use std::fmt::{self, Formatter, Write};

/// The code of a full cell: its place in the order of the tree, and its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinearCode {
    /// The number of the first deepest cell in the order of the tree: the digits, with zeros for merged levels.
    pub position: u64,
    /// The level: the number of digits.
    pub level: u8,
}

/// Lists the full cells.
///
/// # Errors
/// There are mixed leaves.
pub(crate) fn of_nodes<const D: usize>(nodes: &[Node], depth: u8) -> Result<Vec<LinearCode>, CodeError> {
    let mixed = nodes.iter().filter(|&&node| node == Node::MixedLeaf).count();
    if mixed > 0 {
        return Err(CodeError::MixedLeaves { mixed });
    }
    let full = PreOrderLeaves::<D>::new(nodes, depth).filter(|&(.., leaf)| leaf == Node::Full);
    Ok(full.map(|(position, level, _)| LinearCode { position, level }).collect())
}

/// Builds the nodes of a list.
///
/// # Errors
/// Too many nodes.
pub(crate) fn to_nodes<const D: usize>(codes: &[LinearCode], depth: u8) -> Result<Vec<Node>, CodeError> {
    let mut builder = PreOrderBuilder::<D>::new(depth);
    let mut codes = codes.iter().copied().peekable();
    while let Some((position, level)) = builder.next_cell() {
        let code = LinearCode { position, level };
        match codes.peek() {
            Some(&next) if next == code => {
                codes.next();
                builder.push_leaf(Node::Full);
            }
            Some(next) if next.position < end::<D>(code, depth) => builder.open_branch()?,
            _ => builder.push_leaf(Node::Empty),
        }
    }
    Ok(builder.finish())
}

/// Reports whether a list contains a cell, by binary search.
pub(crate) fn contains<const D: usize>(codes: &[LinearCode], code: LinearCode, depth: u8) -> bool {
    let after = codes.partition_point(|full| full.position <= code.position);
    after > 0 && end::<D>(code, depth) <= end::<D>(codes[after - 1], depth)
}

/// Reads a list of codes: codes in braces, ascending, with commas between them.
///
/// # Errors
/// A text that is no such list, with the byte at which it goes wrong.
pub(crate) fn parse<const D: usize>(text: &str, depth: u8) -> Result<Vec<LinearCode>, CodeError> {
    let mut reader = CodeReader::<D> { letters: text.char_indices().peekable(), length: text.len(), depth };
    reader.expect('{', "begin the list with `{`")?;
    let mut codes: Vec<LinearCode> = Vec::new();
    let mut reached = 0;
    if !reader.skip('}') {
        loop {
            let (position, code) = reader.read_code()?;
            if code.position < reached {
                return Err(CodeError::NotAscending { position });
            }
            reached = end::<D>(code, depth);
            codes.push(code);
            merge_siblings::<D>(&mut codes, depth);
            if !reader.skip(',') {
                break;
            }
        }
        reader.expect('}', "give digits, `X` for merged levels, `,` or `}`")?;
    }
    reader.skip_space();
    match reader.letters.next() {
        Some((position, _)) => Err(CodeError::Trailing { position }),
        None => Ok(codes),
    }
}

/// Writes a list as on slide 48 of S3.
pub(crate) fn write<const D: usize>(codes: &[LinearCode], depth: u8, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('{')?;
    for (number, code) in codes.iter().enumerate() {
        f.write_str(if number > 0 { ", " } else { "" })?;
        for level in 1..=code.level {
            write!(f, "{}", code.position >> (D as u32 * u32::from(depth - level)) & ((1 << D) - 1))?;
        }
        f.write_str(if code.level < depth || depth == 0 { "X" } else { "" })?;
    }
    f.write_char('}')
}

/// Returns the number of the deepest cell after a cell.
fn end<const D: usize>(code: LinearCode, depth: u8) -> u64 {
    code.position + (1 << (D as u32 * u32::from(depth - code.level)))
}

/// Replaces full siblings at the end of a list by their parent, as often as there are such.
fn merge_siblings<const D: usize>(codes: &mut Vec<LinearCode>, depth: u8) {
    while let Some(start) = codes.len().checked_sub(1 << D) {
        let (first, last) = (codes[start], codes[codes.len() - 1]);
        let parent = LinearCode { position: first.position, level: first.level.saturating_sub(1) };
        // Disjoint cells of one level fill a cell of 2^D times the size that begins with the first.
        let is_whole = first.level > 0
            && codes[start..].iter().all(|code| code.level == first.level)
            && parent.position.is_multiple_of(1 << (D as u32 * u32::from(depth - parent.level)))
            && end::<D>(last, depth) == end::<D>(parent, depth);
        if !is_whole {
            return;
        }
        codes.truncate(start);
        codes.push(parent);
    }
}

/// Reader of the list: letters with their positions.
struct CodeReader<'a, const D: usize> {
    letters: std::iter::Peekable<std::str::CharIndices<'a>>,
    length: usize,
    depth: u8,
}

impl<const D: usize> CodeReader<'_, D> {
    fn skip_space(&mut self) {
        while self.letters.next_if(|(_, letter)| letter.is_whitespace()).is_some() {}
    }

    /// Skips white space and then a letter, if that is the next.
    fn skip(&mut self, letter: char) -> bool {
        self.skip_space();
        self.letters.next_if(|&(_, next)| next == letter).is_some()
    }

    fn expect(&mut self, letter: char, expected: &'static str) -> Result<(), CodeError> {
        if self.skip(letter) {
            return Ok(());
        }
        Err(self.fault(expected))
    }

    fn fault(&mut self, expected: &'static str) -> CodeError {
        match self.letters.peek() {
            Some(&(position, found)) => CodeError::UnknownCharacter { position, found, expected },
            None => CodeError::UnexpectedEnd { position: self.length, expected },
        }
    }

    /// Reads a code, with the byte at which it begins.
    fn read_code(&mut self) -> Result<(usize, LinearCode), CodeError> {
        self.skip_space();
        let begin = self.letters.peek().map_or(self.length, |&(position, _)| position);
        let mut code = LinearCode { position: 0, level: 0 };
        while let Some(&(position, letter)) = self.letters.peek() {
            let Some(digit) = letter.to_digit(1 << D) else { break };
            if code.level == self.depth {
                return Err(CodeError::TooDeep { position, depth: self.depth });
            }
            self.letters.next();
            code.level += 1;
            code.position |= u64::from(digit) << (D as u32 * u32::from(self.depth - code.level));
        }
        let is_short = code.level < self.depth || self.depth == 0;
        if !is_short || self.letters.next_if(|&(_, letter)| matches!(letter, 'X' | 'x')).is_some() {
            return Ok((begin, code));
        }
        Err(self.fault("give one digit below the number of children per level, or fewer digits and one `X`"))
    }
}
