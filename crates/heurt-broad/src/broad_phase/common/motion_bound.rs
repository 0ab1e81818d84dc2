//! How far things have come since some step, at most: what stood well clear of each other need not be looked at for a
//! while.
//!
//! In: by how much any coordinate of any box changed in a step. Out: until when two boxes stay disjoint, or go on
//! overlapping, by how much they do now. Method: the largest change of each step is added up, once for either box, in
//! whole ticks, which an `f32` counts without rounding; changes are rounded up to ticks and gaps down. So what is
//! reported is sure, whoever moved how.
//! Cost: one comparison a pair and step, in place of one of two boxes, which lie elsewhere in memory.

/// Ticks in the mean size of boxes.
const TICKS: f32 = 131_072.0;
/// The clock starts again beyond this. Twice as much is counted exactly.
const LAST: f32 = 4_194_304.0;

/// A clock that runs as fast as boxes move.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct MotionBound {
    ticks_per_metre: f32,
    now: f32,
}

impl MotionBound {
    /// For boxes of mean size `size`, in metres.
    pub fn new(size: f32) -> Self {
        Self { ticks_per_metre: TICKS / size, now: 0.0 }
    }

    pub fn now(&self) -> f32 {
        self.now
    }

    /// No coordinate changed by more than `most`, in metres. Reports whether what was reported before still holds: not
    /// if something went far, or if the clock starts again.
    pub fn advance(&mut self, most: f32) -> bool {
        // One more than rounded up: for the roundings of the change and of the product.
        self.now += 2.0 * ((most * self.ticks_per_metre).ceil() + 1.0);
        let should_continue = self.now < LAST;
        if !should_continue {
            self.now = 0.0;
        }
        should_continue
    }

    /// Two boxes that are disjoint, or overlap, by `gap`, in metres, do so while the clock shows less than this. Of a
    /// gap that is no number nothing is reported.
    #[inline(always)]
    pub fn until(&self, gap: f32) -> f32 {
        let ticks = gap * self.ticks_per_metre;
        // One less than rounded down: for the roundings of the gap and of the product.
        let ticks = if ticks < LAST { ticks.floor() - 1.0 } else { LAST };
        if gap > 0.0 { self.now + ticks } else { self.now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_sure() {
        // Two points one metre apart go towards each other by steps of many sizes: never reported to be disjoint when
        // they have met.
        for size in [1e-30f32, 1e-3, 1.0, 3e4, 1e30] {
            for part in [1e-6f32, 1e-4, 0.013, 0.2, 0.49, 0.51, 3.0] {
                let (gap, step) = (size * 0.7, size * part);
                let mut clock = MotionBound::new(size);
                let until = clock.until(gap);
                let mut way = 0.0f64;
                for _ in 0..100_000 {
                    if !clock.advance(step) || clock.now() >= until {
                        break;
                    }
                    way += 2.0 * f64::from(step);
                    assert!(way < f64::from(gap), "size {size}, step {step}: {way} of {gap}");
                }
                // Nor is it much too careful.
                let told = way / f64::from(gap);
                assert!(told > 0.8 || !(1e-4..0.02).contains(&part), "size {size}, part {part}: {told}");
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
