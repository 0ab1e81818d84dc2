//! libFuzzer on the reader of edges of OBJ files.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heurt_fuzz::check(heurt_fuzz::Target::Edges, bytes));
