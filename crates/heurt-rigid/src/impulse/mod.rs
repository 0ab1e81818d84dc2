//! The solver `impulse-lcp` and its iterative core: scaled island, laws, Gauss–Seidel, Newton, restitution.
//!
//! In: a contact problem. Out: impulses with their residual.
//! Method: see the modules. Cost: linear in the contacts per sweep; a sparse factorization over bodies per Newton step.

mod block_lu;
mod body_matrix;
mod central_path;
mod core;
mod dense;
mod gauss_seidel;
mod impulse_lcp;
mod island;
mod iterative;
mod law;
mod newton;
mod restitution;
mod sequential;
mod smooth_law;

pub use impulse_lcp::{DENSE_LIMIT, ImpulseLcp, evaluate_residual};
pub(crate) use impulse_lcp::{check_request, complete};
pub use sequential::SequentialImpacts;
