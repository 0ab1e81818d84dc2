//! Mutated files for the reader of plans in well-known text; a test binary of its own, because the peak of memory is counted per process.

#[test]
fn answers_whatever_the_bytes() {
    heurt_fuzz::campaign(heurt_fuzz::PlanKind::Wkt);
}
