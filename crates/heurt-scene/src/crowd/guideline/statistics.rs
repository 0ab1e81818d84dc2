//! Statistics of guideline tests: means, medians, the test of Kolmogorov and Smirnov against a law.
//!
//! In: a sample. Out: a number. Method: the probability is the asymptotic one with Stephens' correction (1970), good
//! from five values on. Cost: O(n log n).

use heurt_crowd::SpeedLaw;

/// Computes the mean; NaN for an empty sample.
pub(super) fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// Computes the standard deviation of a sample; NaN for fewer than two values.
pub(super) fn deviation(sample: &[f64]) -> f64 {
    let mean = mean(sample);
    let squares: f64 = sample.iter().map(|value| (value - mean) * (value - mean)).sum();
    (squares / (sample.len() as f64 - 1.0)).sqrt()
}

/// Computes the median; NaN for an empty sample.
pub(super) fn median(mut sample: Vec<f64>) -> f64 {
    sample.sort_by(f64::total_cmp);
    let middle = sample.len() / 2;
    match sample.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => sample[middle],
        _ => 0.5 * (sample[middle - 1] + sample[middle]),
    }
}

/// Returns the least and the largest value.
pub(super) fn range(sample: &[f64]) -> [f64; 2] {
    sample.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &value| [low.min(value), high.max(value)])
}

/// Reports whether each value is above its predecessor.
pub(super) fn rises(sample: &[f64]) -> bool {
    sample.windows(2).all(|pair| pair[1] > pair[0])
}

/// Returns the probability of a value of a law below `value`; a deviation of ten times the range is a uniform law.
fn share_below(law: &SpeedLaw, value: f64) -> f64 {
    let SpeedLaw { mean, deviation, least, most } = *law;
    let value = value.clamp(least, most);
    let normal = |value: f64| 0.5 * (1.0 + libm::erf((value - mean) / (deviation * std::f64::consts::SQRT_2)));
    (normal(value) - normal(least)) / (normal(most) - normal(least))
}

/// Computes the probability that a sample of a law is as far from it as this one.
pub(super) fn probability_of(mut sample: Vec<f64>, law: &SpeedLaw) -> f64 {
    sample.sort_by(f64::total_cmp);
    let count = sample.len() as f64;
    let distance = |(place, &value): (usize, &f64)| {
        let share = share_below(law, value);
        (share - place as f64 / count).max((place as f64 + 1.0) / count - share)
    };
    let farthest = sample.iter().enumerate().map(distance).fold(0.0, f64::max);
    let scaled = (count.sqrt() + 0.12 + 0.11 / count.sqrt()) * farthest;
    if scaled < 0.2 {
        return 1.0;
    }
    let term = |k: i32| {
        let sign = if k % 2 == 1 { 2.0 } else { -2.0 };
        sign * libm::exp(-2.0 * f64::from(k * k) * scaled * scaled)
    };
    (1..=20).map(term).sum::<f64>().clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_a_law_are_probable_and_others_are_not() {
        let law = SpeedLaw { mean: 0.5, deviation: 1e3, least: 0.0, most: 1.0 };
        let even: Vec<f64> = (0..60).map(|k| (f64::from(k) + 0.5) / 60.0).collect();
        assert!(probability_of(even.clone(), &law) > 0.999);
        assert!(probability_of(even.iter().map(|value| value * value).collect(), &law) < 0.01);
        // The critical distance for 5 % and 60 values is 0.1723 (tables of Kolmogorov and Smirnov).
        let shifted: Vec<f64> = even.iter().map(|value| (value + 0.1723 - 0.5 / 60.0).min(1.0)).collect();
        let probability = probability_of(shifted, &law);
        assert!((probability - 0.05).abs() < 0.005, "{probability}");
    }

    #[test]
    fn moments_are_those_of_the_sample() {
        assert_eq!((median(vec![3.0, 1.0, 2.0]), median(vec![4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
        assert_eq!((mean(&[1.0, 2.0, 3.0]), deviation(&[1.0, 2.0, 3.0])), (2.0, 1.0));
        assert!(rises(&[1.0, 2.0, f64::INFINITY]) && !rises(&[1.0, f64::INFINITY, f64::INFINITY]));
    }
}
