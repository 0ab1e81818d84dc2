//! `self_pairs`: where a mesh passes through itself, as folded cloth does.

mod mesh;

pub(crate) use mesh::self_pairs_up_to;
pub use mesh::{Neighbours, self_pairs, self_pairs_counted};
