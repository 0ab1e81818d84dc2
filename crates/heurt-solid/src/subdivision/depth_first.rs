//! Depth-first code of a tree (DF expression of Kawaguchi and Endo 1980) as text.
//!
//! In: nodes in pre-order, or a text. Out: the text, or the nodes or where the text is wrong.
//! Method: one letter per node in pre-order, as on slide 48 of S3: `(` divides a cell, `R` is full (*rempli*), `V` is
//! empty (*vide*). `M` is ours: a mixed leaf of the deepest level. The reader also takes `1` for `R` and `0` for `V`,
//! and skips white space.
//! Guarantees: a written code reads back as the same nodes. The reader merges equal children, which no written code
//! has. It neither panics nor recurses; its memory is at most the length of the text.
//! Cost: O(n).

use super::Node;
use super::builder::PreOrderBuilder;
use crate::octree::CodeError;

const EXPECTED: &str = "give `(` for a divided cell, `R` or `1` for full, `V` or `0` for empty, `M` for a mixed leaf";

/// Writes the code.
pub(crate) fn write(nodes: &[Node]) -> String {
    let letter = |node: &Node| match node {
        Node::Empty => 'V',
        Node::Full => 'R',
        Node::MixedLeaf => 'M',
        Node::Branch => '(',
    };
    nodes.iter().map(letter).collect()
}

/// Reads a code of a tree of that depth.
///
/// # Errors
/// A text that is no code, with the byte at which it goes wrong; too many nodes.
pub(crate) fn read<const D: usize>(text: &str, depth: u8) -> Result<Vec<Node>, CodeError> {
    let mut builder = PreOrderBuilder::<D>::new(depth);
    for (position, letter) in text.char_indices() {
        if letter.is_whitespace() {
            continue;
        }
        let Some((_, level)) = builder.next_cell() else { return Err(CodeError::Trailing { position }) };
        match letter {
            'V' | '0' => builder.push_leaf(Node::Empty),
            'R' | '1' => builder.push_leaf(Node::Full),
            'M' if level == depth => builder.push_leaf(Node::MixedLeaf),
            'M' => return Err(CodeError::MixedAbove { position, level, depth }),
            '(' if level == depth => return Err(CodeError::TooDeep { position, depth }),
            '(' => builder.open_branch()?,
            found => return Err(CodeError::UnknownCharacter { position, found, expected: EXPECTED }),
        }
    }
    if !builder.is_complete() {
        let expected = "give every divided cell all its children";
        return Err(CodeError::UnexpectedEnd { position: text.len(), expected });
    }
    Ok(builder.finish())
}
