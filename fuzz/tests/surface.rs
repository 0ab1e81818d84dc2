//! Mutated files for the readers of simulation meshes as models, one after the other, because the peak of memory is counted
//! per process.

#[test]
fn answers_whatever_the_bytes() {
    heurt_io::VolumeFormat::ALL.map(heurt_io::Format::Volume).into_iter().for_each(heurt_fuzz::campaign);
}
