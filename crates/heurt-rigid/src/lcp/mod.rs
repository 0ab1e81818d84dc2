//! Dense linear complementarity problems: Lemke's method and principal pivoting.
//!
//! In: a small dense matrix and a vector. Out: z with z ≥ 0 ⟂ M z + q ≥ 0, or bounded unknowns, or a typed failure.
//! Method: see the modules. Cost: cubic to quartic; for islands of at most a few dozen unknowns.

mod boxed;
mod lemke;
mod square_matrix;

pub use boxed::{BoundedUnknown, BoxedOutcome, solve_boxed};
pub use lemke::{LemkeOutcome, solve_lemke};
pub use square_matrix::SquareMatrix;
