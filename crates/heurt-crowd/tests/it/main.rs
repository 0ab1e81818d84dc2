//! Tests of crowds.

mod measure;
mod models;
mod paths;
mod scenarios;
