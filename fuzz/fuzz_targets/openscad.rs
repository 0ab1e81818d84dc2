//! libFuzzer on the reader of `.csg` files of OpenSCAD.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heurt_fuzz::check(heurt_fuzz::CsgFormat::OpenScad, bytes));
