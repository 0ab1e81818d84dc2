//! Mutated files for the reader of surface patches in JSON; a test binary of its own, because the peak of memory is counted per process.

#[test]
fn answers_whatever_the_bytes() {
    heurt_fuzz::campaign(heurt_fuzz::Target::Patches);
}
