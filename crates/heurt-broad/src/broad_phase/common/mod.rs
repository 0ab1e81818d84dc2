//! Data structures that several broad phases share: proxies, lists of boxes and pairs, fattening, bounds on motion.

pub(crate) mod box_list;
pub(crate) mod candidates;
pub(crate) mod cells;
pub(crate) mod drawing;
pub(crate) mod engine;
pub(crate) mod fattening;
pub(crate) mod lanes;
pub(crate) mod motion_bound;
pub(crate) mod pair_list;
pub(crate) mod proxies;
