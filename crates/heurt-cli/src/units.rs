//! The unit in which a report prints lengths: one that files declare or the user names, or none that is known.

use crate::input::six_short_digits;
use heurt::io::LengthUnit;

/// A unit of length, or the word "unit" where nothing declares one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Units(pub(crate) Option<LengthUnit>);

impl Units {
    /// The label of lengths: `mm`, or `unit`.
    pub(crate) fn length(self) -> &'static str {
        self.0.map_or("unit", LengthUnit::symbol)
    }

    /// The label of areas: `mm²`, or `unit²`.
    pub(crate) fn area(self) -> String {
        format!("{}²", self.length())
    }

    /// The label of volumes: `mm³`, or `unit³`.
    pub(crate) fn volume(self) -> String {
        format!("{}³", self.length())
    }

    /// The symbol for JSON; `None` where no unit is known.
    pub(crate) fn symbol(self) -> Option<&'static str> {
        self.0.map(LengthUnit::symbol)
    }
}

/// Reads the value of `--unit`.
pub(crate) fn unit_from_argument(text: &str) -> Result<LengthUnit, String> {
    LengthUnit::from_symbol(text).ok_or_else(|| {
        let known: Vec<&str> = LengthUnit::ALL.into_iter().map(LengthUnit::symbol).collect();
        format!("give one of {}", known.join(", "))
    })
}

/// Describes a volume whose shells share space, or may share it: the words of each report. Nothing if they share none.
pub(crate) fn shared_space_words(volume: f64, shell_volume: Option<f64>, units: Units) -> Option<String> {
    let sum = shell_volume?;
    Some(if sum == volume {
        "space that shells share may count more than once".to_owned()
    } else {
        let sum = six_short_digits(sum);
        format!("space that shells share counts once (sum of the shells: {sum} {})", units.volume())
    })
}
