//! Tests of heurt-view, a topic a module.

mod pictures;
mod surfaces;
mod vectors;
