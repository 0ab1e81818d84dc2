//! libFuzzer on the reader of CSG trees in TOML.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heurt_fuzz::check(heurt_fuzz::CsgFormat::Toml, bytes));
