//! Oracles and generators for the tests of heurt. Never shipped.
//!
//! In: the types of the lower crates. Out: slow answers that are obviously right, and input that is hard on purpose.
//! Method: integers and definitions. Oracles share with what they judge the types and the placement of vertices by a pose,
//! and no predicate, but that [`convex_oracle`] takes facets and edges of hulls for directions to try.

mod ball;
pub mod box_union;
pub mod broad_phase;
pub mod ccd_corpus;
pub mod ccd_oracle;
pub mod ccd_queries;
pub mod concave;
pub mod convex_certificate;
pub mod convex_oracle;
pub mod convex_pairs;
pub mod dyadic;
pub mod generate;
pub mod map_oracle;
pub mod oracle;
pub mod partition;
mod polynomial;
pub mod random;
pub mod tessellate;
pub mod translation_oracle;
mod whole;
