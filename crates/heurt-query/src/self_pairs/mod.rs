//! `self_pairs`: where a mesh passes through itself, as folded cloth does.

mod mesh;

pub use mesh::{Neighbours, self_pairs, self_pairs_counted};
