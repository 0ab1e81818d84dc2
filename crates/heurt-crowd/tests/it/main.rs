//! Tests of crowds.

mod paths;
