//! libFuzzer on the readers of simulation meshes as models.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let formats = heurt_io::VolumeFormat::ALL.map(heurt_io::Format::Volume);
    formats.into_iter().for_each(|format| heurt_fuzz::check(format, bytes));
});
