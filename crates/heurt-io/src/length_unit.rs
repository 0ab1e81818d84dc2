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

    /// Finds a unit by its symbol or its English name, in upper or lower case: `mm`, `Millimeters`, `inch`, `µm`.
    ///
    /// ```
    /// use heurt_io::LengthUnit;
    /// assert_eq!(LengthUnit::from_name("Inches"), Some(LengthUnit::Inch));
    /// assert_eq!(LengthUnit::from_name("parsec"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        let one = name.strip_suffix("es").filter(|one| *one == "inch").or_else(|| name.strip_suffix('s'));
        Self::from_symbol(&name).or_else(|| match one.unwrap_or(&name) {
            "micron" | "micrometer" | "micrometre" | "µm" | "μm" => Some(Self::Micrometre),
            "millimeter" | "millimetre" => Some(Self::Millimetre),
            "centimeter" | "centimetre" => Some(Self::Centimetre),
            "inch" | "\"" => Some(Self::Inch),
            "foot" | "feet" => Some(Self::Foot),
            "meter" | "metre" => Some(Self::Metre),
            _ => None,
        })
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
