//! Tests of crowds.

mod models;
mod paths;
mod scenarios;
