//! libFuzzer on the COLLADA reader.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heurt_fuzz::check(heurt_io::Format::Dae, bytes));
