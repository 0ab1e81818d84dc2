//! Exact and enclosing numbers for oracles, and seeded random ones.

pub mod ball;
pub mod dyadic;
pub mod polynomial;
pub mod random;
pub mod whole;
