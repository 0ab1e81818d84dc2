//! Oracles, generators and conformance suites for the tests of heurt. Never shipped.
//!
//! In: the types of the lower crates. Out: slow answers that are obviously right, and input that is hard on purpose.
//! Method: integers and definitions; nothing here shares code with what it judges.

pub mod generate;
pub mod oracle;
pub mod random;
