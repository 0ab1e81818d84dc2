//! Tests of heurt-soft, a topic a module.

mod hostile;
mod plane;
mod space;
