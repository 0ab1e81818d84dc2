//! Algorithms that verbs share.

pub(crate) mod leaf_pairs;
