//! Requests as `docs/cli.md` describes them for `heurt query`: JSON lines in, JSON lines out, in order.
//!
//! In: lines. Out: [`AnswerLine`]s. A bad line is answered by its error, and the next lines are still answered.
//! Guarantees: the answers do not depend on how the lines are divided among calls, nor on the number of threads.

mod answer;
mod batch;
mod budgeted;
mod line;
mod map_request;
mod maps;
mod measure;
mod moving;
mod npy;
mod points_and_rays;
mod request;
mod session;

pub use measure::{CountJson, FaultJson};
pub use session::{AnswerLine, QuerySession};
