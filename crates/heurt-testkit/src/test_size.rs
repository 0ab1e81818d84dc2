//! Sizes of random tests: a default that finds the faults they are written for, and more on request.

/// Returns the number in an environment variable, or else the default of a test.
///
/// # Panics
/// If the variable holds no number.
pub fn test_size(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| match text.parse() {
        Ok(number) => number,
        Err(_) => panic!("{variable} is no number: {text}"),
    })
}
