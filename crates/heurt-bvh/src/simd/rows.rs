//! Unchecked rows of lanes by number, for sums that bounds checks would make twice as expensive.
//!
//! In: `N` pairs of rows, and a number that was below 2·`N` when its [`Row`] was made. Out: the row and the second row
//! of its pair. This file's only `unsafe` rests on [`Row::new`]; its twin is plain indexing.

#![allow(unsafe_code)]

/// The number of one of 2·`N` rows that come in pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Row<const N: usize>(u8);

impl<const N: usize> Row<N> {
    /// Creates row `number`; returns `None` if `number` is at least 2·`N`.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < 2 * N { Some(Self(number)) } else { None }
    }

    /// Returns its number.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// Returns the row, and the second row of its pair.
    #[inline(always)]
    pub fn of<const W: usize>(self, rows: &[[[f32; W]; 2]; N]) -> [&[f32; W]; 2] {
        let number = usize::from(self.0);
        let rows = rows.as_flattened();
        // The default is row zero.
        const { assert!(N > 0, "there is a row") };
        // SAFETY: `new` checked that the number is below 2·N, which is even; hence number ^ 1 is below 2·N, too.
        unsafe { [rows.get_unchecked(number), rows.get_unchecked(number ^ 1)] }
    }

    /// Returns the number in this row of a single column.
    #[inline(always)]
    pub fn of_pair(self, column: &[[f32; 2]; N]) -> f32 {
        let number = usize::from(self.0);
        column[number / 2 % N][number % 2]
    }
}

#[cfg(test)]
mod tests {
    use super::Row;

    #[test]
    fn rows_are_those_of_indexing() {
        let rows: [[[f32; 4]; 2]; 13] = std::array::from_fn(|pair| [0, 1].map(|side| [(2 * pair + side) as f32; 4]));
        for number in 0..26 {
            let row = Row::<13>::new(number).unwrap();
            assert_eq!(row.number(), number);
            let pair = &rows[usize::from(number) / 2];
            assert_eq!(row.of(&rows), [&pair[usize::from(number) % 2], &pair[1 - usize::from(number) % 2]]);
        }
        assert!((26..=u8::MAX).all(|number| Row::<13>::new(number).is_none()));
        assert_eq!(Row::<7>::default().number(), 0);
    }
}
