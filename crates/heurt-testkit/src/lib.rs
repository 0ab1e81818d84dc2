//! Oracles and generators for the tests of heurt. Never shipped.
//!
//! In: the types of the lower crates. Out: slow answers that are obviously right, and input that is hard on purpose.
//! Method: integers and definitions. Oracles share with what they judge the types and the placement of vertices by a
//! pose, and no predicate, but that [`oracle::convex`] takes facets and edges of hulls for directions to try.

pub mod conformance;
pub mod corpus;
pub mod drawing;
pub mod hard;
pub mod number;
pub mod oracle;
mod test_size;

pub use test_size::test_size;
