//! libFuzzer on the readers of plans of OpenStreetMap, XML and PBF.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| heurt_fuzz::check(heurt_fuzz::PlanKind::Osm, bytes));
