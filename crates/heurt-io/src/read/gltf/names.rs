//! Names of parts: the path of named nodes from the root of a glTF scene.
//!
//! In: nodes with their parents, as they are visited. Out: names such as `engine/left bank/rod`. Names are kept as they
//! are in the file; `/` separates them, and a `/` in a name is not marked. Nodes without a name are left out.
//! Method: the names of a path are a list linked from child to parent, so that a deep hierarchy takes memory in
//! proportion to its nodes; the text is made for nodes with a mesh only.
//! Guarantees: the names of ancestors take at most [`MAX_PATH`] bytes of a name; outer ancestors beyond that become
//! `…`. Every byte of them is taken from the budget. Cost: O(length of the name) a part.

use super::Budget;
use super::schema::{Document, Node};
use crate::{Place, ReadError};

/// Bytes of the names of ancestors in a name. A node of 60 bytes of JSON may take 960 bytes of the budget, so that
/// chains of thousands of nodes stay within it; longer paths are unreadable in any report.
const MAX_PATH: usize = 512;

/// The link of a named ancestor in [`Paths`].
pub(super) type Ancestor = Option<u32>;

/// Named ancestors of the nodes that are visited.
#[derive(Default)]
pub(super) struct Paths {
    /// Node and its nearest named ancestor.
    links: Vec<(u32, Ancestor)>,
}

impl Paths {
    /// Returns the nearest named ancestor for the children of a node; `parent` is the nearest named ancestor of the
    /// node.
    pub(super) fn enter(&mut self, node: &Node, index: u32, parent: Ancestor) -> Ancestor {
        if own_name(node).is_none() || node.children.is_empty() {
            return parent;
        }
        self.links.push((index, parent));
        // A link per node at most, and nodes are counted in 32 bits.
        Some((self.links.len() - 1) as u32)
    }

    /// Returns the name of a node with its path: its own name, else the name of its mesh, else its number.
    ///
    /// The name of a mesh and the names of ancestors occur once in the file and are copied for many parts, so they
    /// count as unpacked.
    pub(super) fn name(
        &self,
        document: &Document<'_>,
        budget: &mut Budget,
        (node, index): (&Node, u32),
        parent: Ancestor,
    ) -> Result<String, ReadError> {
        let place = || Place::Item(format!("nodes[{index}]"));
        let mesh = node.mesh.and_then(|mesh| document.meshes.get(mesh as usize));
        let mesh_name = mesh.and_then(|mesh| mesh.name.as_deref()).filter(|name| !name.is_empty());
        let own = match (own_name(node), mesh_name) {
            (Some(name), _) => name.to_owned(),
            (None, Some(name)) => {
                budget.take(name.len() as u64, place)?;
                name.to_owned()
            }
            (None, None) => format!("node{index}"),
        };
        let ancestors = self.ancestors(document, parent);
        if ancestors.is_empty() {
            return Ok(own);
        }
        let length = ancestors.iter().map(|name| name.len() + 1).sum::<usize>();
        budget.take(length as u64, place)?;
        let mut path = String::with_capacity(length + own.len());
        for name in ancestors.iter().rev() {
            path.push_str(name);
            path.push('/');
        }
        path.push_str(&own);
        Ok(path)
    }

    /// Returns the names of ancestors, from the nearest to the root.
    fn ancestors<'a>(&self, document: &'a Document<'_>, nearest: Ancestor) -> Vec<&'a str> {
        let mut names = Vec::new();
        let (mut link, mut left) = (nearest, MAX_PATH);
        while let Some(&(index, parent)) = link.and_then(|link| self.links.get(link as usize)) {
            let name = document.nodes.get(index as usize).and_then(own_name).unwrap_or_default();
            let Some(rest) = left.checked_sub(name.len() + 1) else {
                names.push("…");
                break;
            };
            names.push(name);
            (link, left) = (parent, rest);
        }
        names
    }
}

fn own_name(node: &Node) -> Option<&str> {
    node.name.as_deref().filter(|name| !name.is_empty())
}
