//! Sort of lists of pairs of numbers.
//!
//! Method: short lists are sorted by comparison of both numbers as one; long lists by radix sort, least significant
//! digit first, which takes a third of the time.

/// Length from which radix sort is used.
const MANY: usize = 256;
/// Bits of a digit, at most: its counters fit the nearest cache.
const WIDEST: u32 = 11;

/// Sorts pairs by the first number, then by the second.
pub(crate) fn sort(pairs: &mut [[u32; 2]]) {
    if pairs.len() < MANY {
        // Comparing two separate numbers takes twice as long.
        pairs.sort_unstable_by_key(|&[first, second]| u64::from(first) << 32 | u64::from(second));
        return;
    }
    let [firsts, seconds] = pairs.iter().fold([0, 0], |[x, y], &[first, second]| [x | first, y | second]);
    let of_second = u32::BITS - seconds.leading_zeros();
    let bits = of_second + u32::BITS - firsts.leading_zeros();
    let passes = bits.div_ceil(WIDEST).max(1);
    let width = bits.div_ceil(passes);
    let mut room = vec![[0; 2]; pairs.len()];
    let (mut from, mut to) = (&mut *pairs, room.as_mut_slice());
    for pass in 0..passes {
        deal(from, to, |&[first, second]| {
            let both = u64::from(first) << of_second | u64::from(second);
            (both >> (pass * width)) as usize & ((1 << width) - 1)
        });
        (from, to) = (to, from);
    }
    if passes % 2 == 1 {
        pairs.copy_from_slice(&room);
    }
}

/// Sorts pairs by a digit; pairs with the same digit keep their order.
fn deal(from: &[[u32; 2]], to: &mut [[u32; 2]], digit: impl Fn(&[u32; 2]) -> usize) {
    let mut places = [0usize; 1 << WIDEST];
    from.iter().for_each(|pair| places[digit(pair)] += 1);
    let mut next = 0;
    for place in &mut places {
        next += std::mem::replace(place, next);
    }
    for pair in from {
        let place = &mut places[digit(pair)];
        to[*place] = *pair;
        *place += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::sort;

    #[test]
    fn dealing_gives_the_order_of_comparing() {
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) as u32
        };
        for (count, first, second) in [
            (0, 9, 9),
            (255, 40, 900),
            (256, 1, 1),
            (5000, 1, 70),
            (5000, 9000, 1),
            (3000, 100_000, 1 << 27),
            (700, u32::MAX, u32::MAX),
        ] {
            let mut pairs: Vec<[u32; 2]> = (0..count).map(|_| [next() % first, next() % second]).collect();
            let mut expected = pairs.clone();
            expected.sort();
            sort(&mut pairs);
            assert_eq!(pairs, expected, "{count} below {first} and {second}");
        }
    }
}
