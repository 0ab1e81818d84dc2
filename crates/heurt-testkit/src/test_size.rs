//! Sizes and seeds of random tests: a default, and others on request.

/// Returns the size or the seed of a test: the number in an environment variable, or else the default.
///
/// # Panics
/// If the variable holds no number.
pub fn test_size(variable: &str, default: u64) -> u64 {
    let Some(text) = std::env::var_os(variable) else { return default };
    let number = text.to_str().and_then(|text| text.parse().ok());
    number.unwrap_or_else(|| panic!("{variable} is no number: {}", text.display()))
}
