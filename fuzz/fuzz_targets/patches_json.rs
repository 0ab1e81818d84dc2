//! libFuzzer on the reader of surface patches in JSON.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heurt_fuzz::check(heurt_fuzz::Target::Patches, bytes));
