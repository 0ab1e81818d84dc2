//! Accumulated bound on the motion of all boxes: pairs with a large gap or overlap need no test until the bound reaches
//! it.
//!
//! In: the maximum change of any coordinate of any box in a step. Out: the bound up to which two boxes stay disjoint,
//! or overlapping, given their distance or overlap now. Method: the largest change of each step is added up, once for
//! either box, in whole ticks, which an `f32` counts without rounding; changes are rounded up to ticks and gaps down.
//! So the result holds for any motion of the boxes.
//! Cost: one comparison a pair and step, in place of a comparison of two boxes, which are scattered in memory.

/// Ticks in the mean size of boxes.
const TICKS: f32 = 131_072.0;
/// Maximum value; the count restarts beyond it. Twice as much is counted exactly.
const LAST: f32 = 4_194_304.0;

/// Accumulated motion, in ticks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MotionBound {
    ticks_per_metre: f32,
    now: f32,
}

impl MotionBound {
    /// Creates a bound for boxes of mean size `size`, in metres.
    pub fn new(size: f32) -> Self {
        Self { ticks_per_metre: TICKS / size, now: 0.0 }
    }

    pub fn now(&self) -> f32 {
        self.now
    }

    /// Adds a step in which no coordinate changed by more than `most` metres. Reports whether earlier results of
    /// `until` still hold: false after a restart of the count, for example after a large motion.
    pub fn advance(&mut self, most: f32) -> bool {
        // Rounded up plus one: covers the roundings of the change and of the product.
        self.now += 2.0 * ((most * self.ticks_per_metre).ceil() + 1.0);
        let should_continue = self.now < LAST;
        if !should_continue {
            self.now = 0.0;
        }
        should_continue
    }

    /// Returns the value below which two boxes that are disjoint or overlap by `gap` metres provably stay so. A `NaN`
    /// gap gives no validity.
    #[inline(always)]
    pub fn until(&self, gap: f32) -> f32 {
        let ticks = gap * self.ticks_per_metre;
        // Rounded down minus one: covers the roundings of the gap and of the product.
        let ticks = if ticks < LAST { ticks.floor() - 1.0 } else { LAST };
        if gap > 0.0 { self.now + ticks } else { self.now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_sure() {
        // Two points one metre from each other approach by steps of many sizes: they are never reported as disjoint
        // after they have met.
        for size in [1e-30f32, 1e-3, 1.0, 3e4, 1e30] {
            for part in [1e-6f32, 1e-4, 0.013, 0.2, 0.49, 0.51, 3.0] {
                let (gap, step) = (size * 0.7, size * part);
                let mut clock = MotionBound::new(size);
                let until = clock.until(gap);
                let mut moved = 0.0f64;
                for _ in 0..100_000 {
                    if !clock.advance(step) || clock.now() >= until {
                        break;
                    }
                    moved += 2.0 * f64::from(step);
                    assert!(moved < f64::from(gap), "size {size}, step {step}: {moved} of {gap}");
                }
                // The bound is not much too conservative.
                let share = moved / f64::from(gap);
                assert!(share > 0.8 || !(1e-4..0.02).contains(&part), "size {size}, part {part}: {share}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_never_sure() {
        let mut clock = MotionBound::new(0.0);
        assert!(!clock.advance(0.0), "no size: nothing can be counted");
        let mut clock = MotionBound::new(1.0);
        assert!(clock.until(f32::NAN) <= clock.now());
        assert!(clock.until(0.0) <= clock.now());
        assert!(!clock.advance(f32::INFINITY) && clock.now() == 0.0);
        assert!(!clock.advance(f32::NAN) && clock.now() == 0.0);
        assert!(clock.advance(0.001) && clock.until(f32::INFINITY) > clock.now());
    }
}
