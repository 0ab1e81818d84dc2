//! Power laws: the straight line through points on log–log axes, by least squares.

/// y = factor · x^exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// The slope on log–log axes.
    pub exponent: f64,
    /// y at x = 1.
    pub factor: f64,
}

impl Power {
    /// The line through `points`, all of whose coordinates are positive; none for fewer than two different x.
    pub fn fit(points: &[[f64; 2]]) -> Option<Self> {
        let count = points.len() as f64;
        let logs = || points.iter().map(|point| point.map(f64::ln));
        let [x, y] = [0, 1].map(|k| logs().map(|log| log[k]).sum::<f64>() / count);
        let (across, along) =
            logs().fold((0.0, 0.0), |(xy, xx), log| (xy + (log[0] - x) * (log[1] - y), xx + (log[0] - x).powi(2)));
        let exponent = across / along;
        (along > 0.0).then(|| Self { exponent, factor: (y - exponent * x).exp() })
    }

    /// y at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.factor * x.powf(self.exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::Power;

    #[test]
    fn exact_laws_are_found() {
        for (factor, exponent) in [(3.0, -2.0), (0.125, 2.0), (1.0, 1.0)] {
            let law = Power { factor, exponent };
            let points = [1e-3, 2e-3, 0.1, 4.0].map(|x| [x, law.at(x)]);
            let found = Power::fit(&points).unwrap();
            assert!((found.exponent - exponent).abs() < 1e-12 && (found.factor / factor - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn noise_that_cancels_leaves_the_slope() {
        // Points off the line by the same factor, up at both ends and down in the middle.
        let found = Power::fit(&[[1.0, 1.1], [10.0, 10.0 / 1.21], [100.0, 110.0]]).unwrap();
        assert!((found.exponent - 1.0).abs() < 1e-12);
    }

    #[test]
    fn one_place_has_no_slope() {
        assert_eq!(Power::fit(&[[2.0, 1.0], [2.0, 3.0]]), None);
        assert_eq!(Power::fit(&[]), None);
    }
}
