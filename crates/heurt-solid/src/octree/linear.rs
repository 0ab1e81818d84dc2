//! Linear octree (Gargantini 1982): the sorted codes of the full cells, and their text.
//!
//! In: an octree without mixed leaves, or a text. Out: the codes, the text, or the octree.
//! Method: the code of a cell of level i is i digits to base 8, one per level from the top, with the digit
//! bx + 2·by + 4·bz. An `X` ends a code that is shorter than the depth, as on slide 48 of S3: one `X` for the cell,
//! not one per level. Codes are kept as the number of the first deepest cell and the level, which sorts them.
//! Guarantees: codes ascend and do not overlap. A written list reads back as the same list. The reader merges eight
//! full siblings, and neither panics nor recurses.
//! Cost: 16 bytes per full cell; O(log n) for a cell, O(n · depth) to an octree.

use super::{CodeError, Node, Octree, OctreeCell, OctreeRoot, PreOrderBuilder};
use std::fmt::{self, Display, Formatter, Write};

/// The code of a full cell: its place in the order of the tree, and its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinearCode {
    /// The number of the first deepest cell in the order of the tree: the digits, with zeros for merged levels.
    pub position: u64,
    /// The level: the number of digits.
    pub level: u8,
}

/// A solid as the sorted list of its full cells.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearOctree {
    root: OctreeRoot,
    codes: Vec<LinearCode>,
}

impl LinearOctree {
    /// Lists the full cells of an octree.
    ///
    /// ```
    /// use heurt_solid::{LinearOctree, Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 4.0, 2)?;
    /// let octree = Octree::from_depth_first_code(root, "(RVVV(RVVVVVVRVVV")?;
    /// let linear = LinearOctree::from_octree(&octree)?;
    /// assert_eq!(linear.to_string(), "{0X, 40, 47}");
    /// assert_eq!(LinearOctree::parse(root, "{0X, 40, 47}")?.to_octree()?, octree);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The octree has mixed leaves.
    pub fn from_octree(octree: &Octree) -> Result<Self, CodeError> {
        let mixed = octree.nodes().iter().filter(|&&node| node == Node::MixedLeaf).count();
        if mixed > 0 {
            return Err(CodeError::MixedLeaves { mixed });
        }
        let full = octree.leaves().filter(|&(_, leaf)| leaf == Node::Full);
        let codes = full.map(|(cell, _)| LinearCode { position: cell.position(), level: cell.level }).collect();
        Ok(Self { root: octree.root(), codes })
    }

    /// Builds the octree.
    ///
    /// # Errors
    /// Too many nodes.
    pub fn to_octree(&self) -> Result<Octree, CodeError> {
        let depth = self.root.depth();
        let mut builder = PreOrderBuilder::new(depth);
        let mut codes = self.codes.iter().copied().peekable();
        while let Some(cell) = builder.next_cell() {
            let code = LinearCode { position: cell.position(), level: cell.level };
            match codes.peek() {
                Some(&next) if next == code => {
                    codes.next();
                    builder.push_leaf(Node::Full);
                }
                Some(next) if next.position < end(code, depth) => builder.open_branch()?,
                _ => builder.push_leaf(Node::Empty),
            }
        }
        Ok(Octree::from_builder(self.root, builder))
    }

    /// Returns the root cell.
    pub fn root(&self) -> OctreeRoot {
        self.root
    }

    /// Returns the codes in ascending order.
    pub fn codes(&self) -> &[LinearCode] {
        &self.codes
    }

    /// Reports whether the solid contains a cell of the root, by binary search.
    pub fn contains(&self, cell: &OctreeCell) -> bool {
        let depth = self.root.depth();
        if cell.level > depth || cell.min.iter().any(|&at| at >> depth != 0) {
            return false;
        }
        let code = LinearCode { position: cell.position(), level: cell.level };
        let after = self.codes.partition_point(|full| full.position <= code.position);
        after > 0 && end(code, depth) <= end(self.codes[after - 1], depth)
    }

    /// Reads a list of codes over a root: codes in braces, ascending, with commas between them.
    ///
    /// # Errors
    /// A text that is no such list, with the byte at which it goes wrong.
    pub fn parse(root: OctreeRoot, text: &str) -> Result<Self, CodeError> {
        let mut reader =
            CodeReader { letters: text.char_indices().peekable(), length: text.len(), depth: root.depth() };
        reader.expect('{', "begin the list with `{`")?;
        let mut codes: Vec<LinearCode> = Vec::new();
        let mut reached = 0;
        if !reader.skip('}') {
            loop {
                let (position, code) = reader.read_code()?;
                if code.position < reached {
                    return Err(CodeError::NotAscending { position });
                }
                reached = end(code, root.depth());
                codes.push(code);
                merge_siblings(&mut codes, root.depth());
                if !reader.skip(',') {
                    break;
                }
            }
            reader.expect('}', "give digits 0 to 7, `X` for merged levels, `,` or `}`")?;
        }
        reader.skip_space();
        match reader.letters.next() {
            Some((position, _)) => Err(CodeError::Trailing { position }),
            None => Ok(Self { root, codes }),
        }
    }
}

/// Returns the number of the deepest cell after a cell.
fn end(code: LinearCode, depth: u8) -> u64 {
    code.position + (1 << (3 * (depth - code.level)))
}

/// Replaces eight full siblings at the end of a list by their parent, as often as there are such.
fn merge_siblings(codes: &mut Vec<LinearCode>, depth: u8) {
    while let Some(&[first, .., last]) = codes.last_chunk::<8>() {
        let parent = LinearCode { position: first.position, level: first.level.saturating_sub(1) };
        // Eight disjoint cells of one level fill a cell of eight times the size that begins with the first.
        let is_whole = first.level > 0
            && codes[codes.len() - 8..].iter().all(|code| code.level == first.level)
            && parent.position.is_multiple_of(1 << (3 * (depth - parent.level)))
            && end(last, depth) == end(parent, depth);
        if !is_whole {
            return;
        }
        codes.truncate(codes.len() - 8);
        codes.push(parent);
    }
}

impl Display for LinearOctree {
    /// Writes the list as on slide 48 of S3.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let depth = self.root.depth();
        f.write_char('{')?;
        for (number, code) in self.codes.iter().enumerate() {
            f.write_str(if number > 0 { ", " } else { "" })?;
            for level in 1..=code.level {
                write!(f, "{}", code.position >> (3 * (depth - level)) & 7)?;
            }
            f.write_str(if code.level < depth || depth == 0 { "X" } else { "" })?;
        }
        f.write_char('}')
    }
}

/// Reader of the list: letters with their positions.
struct CodeReader<'a> {
    letters: std::iter::Peekable<std::str::CharIndices<'a>>,
    length: usize,
    depth: u8,
}

impl CodeReader<'_> {
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
            let Some(digit) = letter.to_digit(8) else { break };
            if code.level == self.depth {
                return Err(CodeError::TooDeep { position, depth: self.depth });
            }
            self.letters.next();
            code.level += 1;
            code.position |= u64::from(digit) << (3 * (self.depth - code.level));
        }
        let is_short = code.level < self.depth || self.depth == 0;
        if !is_short || self.letters.next_if(|&(_, letter)| matches!(letter, 'X' | 'x')).is_some() {
            return Ok((begin, code));
        }
        Err(self.fault("give as many digits 0 to 7 as the root is deep, or fewer and one `X`"))
    }
}
