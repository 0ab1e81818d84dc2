//! Units of length, as files declare them and reports print them.

use std::fmt;

/// A unit of length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LengthUnit {
    /// 1e-6 m.
    Micrometre,
    /// 0.001 m.
    Millimetre,
    /// 0.01 m.
    Centimetre,
    /// 0.0254 m.
    Inch,
    /// 0.3048 m.
    Foot,
    /// 1 m.
    Metre,
}

impl LengthUnit {
    /// Every unit, from the shortest to the longest.
    pub const ALL: [Self; 6] =
        [Self::Micrometre, Self::Millimetre, Self::Centimetre, Self::Inch, Self::Foot, Self::Metre];

    /// Returns the length of the unit in metres.
    pub fn metres(self) -> f64 {
        match self {
            Self::Micrometre => 1e-6,
            Self::Millimetre => 1e-3,
            Self::Centimetre => 1e-2,
            Self::Inch => 0.0254,
            Self::Foot => 0.3048,
            Self::Metre => 1.0,
        }
    }

    /// Returns the symbol: `um`, `mm`, `cm`, `in`, `ft` or `m`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Micrometre => "um",
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Inch => "in",
            Self::Foot => "ft",
            Self::Metre => "m",
        }
    }

    /// Finds a unit by its symbol.
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.symbol() == symbol)
    }

    /// Returns the number by which lengths in this unit are multiplied to be lengths in `target`: 1 for the same unit.
    ///
    /// The quotient of two exact decimal lengths, rounded once where one of the two is the metre.
    ///
    /// ```
    /// use heurt_io::LengthUnit;
    /// let unit = LengthUnit::from_symbol("in").ok_or("a known unit")?;
    /// assert_eq!(unit.factor_to(LengthUnit::Millimetre), 25.4);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn factor_to(self, target: Self) -> f64 {
        if self == target { 1.0 } else { self.metres() / target.metres() }
    }
}

impl fmt::Display for LengthUnit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.symbol())
    }
}
