//! Speed by age: the curve of Weidmann, in six points.
//!
//! In: an age in years. Out: the mean free speed in m/s.
//! Method: linear between the points of the guideline RiMEA, test 7, as public code reads its figure (Weidmann,
//! "Transporttechnik der Fussgänger", ETH Zürich 1993). Not guaranteed: ages below 20 and above 70. Cost: O(1).

/// Ages in years, and mean speeds in m/s.
pub const WEIDMANN_BY_AGE: [(f64, f64); 6] =
    [(20.0, 1.61), (30.0, 1.54), (40.0, 1.48), (50.0, 1.41), (60.0, 1.29), (70.0, 1.08)];

/// Computes Weidmann's mean free speed at an age from 20 to 70 years, in m/s; `None` for other ages.
///
/// ```
/// use heurt_crowd::measure::weidmann_speed_of_age;
/// assert_eq!(weidmann_speed_of_age(40.0), Some(1.48));
/// assert_eq!(weidmann_speed_of_age(12.0), None);
/// ```
pub fn weidmann_speed_of_age(years: f64) -> Option<f64> {
    let pair = WEIDMANN_BY_AGE.windows(2).find(|pair| years >= pair[0].0 && years <= pair[1].0)?;
    let [(from, faster), (to, slower)] = [pair[0], pair[1]];
    let share = (years - from) / (to - from);
    // Exact at both ends.
    Some(faster * (1.0 - share) + slower * share)
}
