//! Evaluation of a tree from the root, with early exit, by an explicit stack.
//!
//! In: a tree in post-order, a value for nodes that are decided at once, and rules that combine values. Out: the value
//! of the root.
//! Method: a node that `decide` leaves open is expanded. Its first operand is evaluated, and `ends` may decide from
//! that value alone, so that the second operand is skipped.
//! Guarantees: the stack holds at most two entries per level of the tree; nothing recurses.

use super::{CsgNode, SizedNode};
use smallvec::SmallVec;

enum Step {
    Visit(usize),
    Second(usize),
    Combine(usize),
}

/// The rules by which values of operands make the value of a node.
pub(super) trait TreeRules {
    /// The value of a node.
    type Value;
    /// Returns the value of a node without its operands; `None` to expand it. Nodes without operands have a value.
    fn decide(&mut self, index: usize) -> Option<Self::Value>;
    /// Reports whether the value of the first operand is the value of the node.
    fn ends(&self, node: &CsgNode, first: &Self::Value) -> bool;
    /// Combines the values of two operands.
    fn combine(&self, node: &CsgNode, first: Self::Value, second: Self::Value) -> Self::Value;
    /// Returns the value of the complement.
    fn complement(&self, value: Self::Value) -> Self::Value;
}

/// Evaluates the tree; `None` if a node without operands has no value.
pub(super) fn evaluate<R: TreeRules>(nodes: &[SizedNode], rules: &mut R) -> Option<R::Value> {
    let mut steps: SmallVec<[Step; 16]> = SmallVec::new();
    let mut values: SmallVec<[R::Value; 4]> = SmallVec::new();
    steps.push(Step::Visit(nodes.len().checked_sub(1)?));
    while let Some(step) = steps.pop() {
        match step {
            Step::Visit(index) => match (rules.decide(index), &nodes[index].node) {
                (Some(value), _) => values.push(value),
                (None, CsgNode::Transform(_)) => steps.push(Step::Visit(index - 1)),
                (None, CsgNode::Complement) => steps.extend([Step::Combine(index), Step::Visit(index - 1)]),
                (None, CsgNode::Union | CsgNode::Intersection | CsgNode::Difference) => {
                    let first = index - 1 - nodes[index - 1].size as usize;
                    steps.extend([Step::Second(index), Step::Visit(first)]);
                }
                (None, CsgNode::Empty | CsgNode::Everything | CsgNode::Leaf(_)) => return None,
            },
            Step::Second(index) => {
                if !rules.ends(&nodes[index].node, values.last()?) {
                    steps.extend([Step::Combine(index), Step::Visit(index - 1)]);
                }
            }
            Step::Combine(index) => {
                let second = values.pop()?;
                let value = match &nodes[index].node {
                    CsgNode::Complement => rules.complement(second),
                    node => rules.combine(node, values.pop()?, second),
                };
                values.push(value);
            }
        }
    }
    values.pop()
}
