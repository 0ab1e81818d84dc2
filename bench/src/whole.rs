//! `inside`, `load` and `check`.
#![allow(unused)]
use crate::Options;
pub fn inside(_: &Options) {}
pub fn load(_: &Options) {}
pub fn check(_: &Options) -> Result<(), String> { Ok(()) }
