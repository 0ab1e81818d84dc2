//! libFuzzer on the readers of volume meshes, and on building a map of what they read.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    heurt_io::VolumeFormat::ALL.into_iter().for_each(|format| heurt_fuzz::check(format, bytes));
});
