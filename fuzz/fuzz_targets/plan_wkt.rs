//! libFuzzer on the reader of plans in well-known text.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heurt_fuzz::check(heurt_fuzz::PlanKind::Wkt, bytes));
