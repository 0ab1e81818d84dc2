//! Depth-first code of an octree (DF expression of Kawaguchi and Endo 1980) as text.
//!
//! In: an octree, or a text. Out: the text, or the octree or where the text is wrong.
//! Method: one letter per node in pre-order, as on slide 48 of S3: `(` divides a cell, `R` is full (*rempli*), `V` is
//! empty (*vide*). `M` is ours: a mixed leaf of the deepest level. The reader also takes `1` for `R` and `0` for `V`,
//! and skips white space.
//! Guarantees: a written code reads back as the same octree. The reader merges eight equal children, which no written
//! code has. It neither panics nor recurses; its memory is at most the length of the text.
//! Cost: O(n).

use super::{CodeError, Node, Octree, OctreeRoot, PreOrderBuilder};

const EXPECTED: &str = "give `(` for a divided cell, `R` or `1` for full, `V` or `0` for empty, `M` for a mixed leaf";

impl Octree {
    /// Writes the depth-first code.
    pub fn to_depth_first_code(&self) -> String {
        let letter = |node: &Node| match node {
            Node::Empty => 'V',
            Node::Full => 'R',
            Node::MixedLeaf => 'M',
            Node::Branch => '(',
        };
        self.nodes.iter().map(letter).collect()
    }

    /// Reads a depth-first code over a root.
    ///
    /// ```
    /// use heurt_solid::{Octree, OctreeRoot};
    /// let root = OctreeRoot::new([0.0; 3].into(), 4.0, 2)?;
    /// let solid = Octree::from_depth_first_code(root, "(R(RRRRRRVVV(RRVRRRRRRRRR")?;
    /// assert_eq!(solid.measures().full_cells, 53, "of 64");
    /// assert!(Octree::from_depth_first_code(root, "(R").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A text that is no code, with the byte at which it goes wrong; too many nodes.
    pub fn from_depth_first_code(root: OctreeRoot, text: &str) -> Result<Self, CodeError> {
        let depth = root.depth();
        let mut builder = PreOrderBuilder::new(depth);
        for (position, letter) in text.char_indices() {
            if letter.is_whitespace() {
                continue;
            }
            let Some(cell) = builder.next_cell() else { return Err(CodeError::Trailing { position }) };
            match letter {
                'V' | '0' => builder.push_leaf(Node::Empty),
                'R' | '1' => builder.push_leaf(Node::Full),
                'M' if cell.level == depth => builder.push_leaf(Node::MixedLeaf),
                'M' => return Err(CodeError::MixedAbove { position, level: cell.level, depth }),
                '(' if cell.level == depth => return Err(CodeError::TooDeep { position, depth }),
                '(' => builder.open_branch()?,
                found => return Err(CodeError::UnknownCharacter { position, found, expected: EXPECTED }),
            }
        }
        if !builder.is_complete() {
            let expected = "give every divided cell its eight children";
            return Err(CodeError::UnexpectedEnd { position: text.len(), expected });
        }
        Ok(Self::from_builder(root, builder))
    }
}
