//! Verdict whether a mesh can be printed: by its worst fault.
//!
//! In: a [`Report`]. Out: a [`Verdict`] with the kinds of faults that decide it.
//! Method: the severity of each fault is known ([`Severity`]); the worst one counts. A closed mesh without a volume
//! fails. Guarantees: the reasons are in order of their number.

use std::fmt;

use thiserror::Error;

use super::{KindCount, Report, Severity};

/// How a mesh prints, and why: displays as "slicers mend 184 self-intersections".
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The worst severity of a fault.
    pub severity: Severity,
    /// The kinds of faults of that severity, the most frequent first; empty if all prints as it is.
    pub reasons: Vec<KindCount>,
    /// The mesh fails because it bounds no volume.
    pub note: Option<&'static str>,
}

impl Verdict {
    /// Tests whether slicers print the mesh.
    ///
    /// # Errors
    /// [`Unprintable`] with the reasons if the severity is [`Severity::Fails`].
    pub fn printable(self) -> Result<(), Unprintable> {
        match self.severity {
            Severity::Fails => Err(Unprintable { reasons: self.reasons, note: self.note }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = Reasons { reasons: &self.reasons, note: self.note };
        match self.severity {
            Severity::PrintsAsItIs => out.write_str("prints as it is"),
            Severity::SlicersMend => write!(out, "slicers mend {reasons}"),
            Severity::Fails => write!(out, "fails: {reasons}"),
        }
    }
}

/// Why a mesh cannot be printed: displays as "737 non-manifold-edges, 2 holes".
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{}", Reasons { reasons, note: *note })]
#[non_exhaustive]
pub struct Unprintable {
    /// The kinds of faults that prevent it, the most frequent first.
    pub reasons: Vec<KindCount>,
    /// The mesh bounds no volume.
    pub note: Option<&'static str>,
}

/// The most frequent reasons.
struct Reasons<'a> {
    reasons: &'a [KindCount],
    note: Option<&'static str>,
}

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 3;
        let shown = self.reasons.iter().take(SHOWN).map(KindCount::to_string);
        let more = (self.reasons.len() > SHOWN).then(|| "…".to_owned());
        let all: Vec<String> = shown.chain(more).chain(self.note.map(str::to_owned)).collect();
        out.write_str(&all.join(", "))
    }
}

/// Computes the verdict on a report.
pub(super) fn verdict(report: &Report) -> Verdict {
    let worst = report.counts.iter().map(|count| count.severity).max().unwrap_or(Severity::PrintsAsItIs);
    let note = (!report.has_volume && worst != Severity::Fails).then_some("it bounds no volume");
    let severity = if note.is_some() { Severity::Fails } else { worst };
    let decides = |count: &&KindCount| worst > Severity::PrintsAsItIs && note.is_none() && count.severity == worst;
    let mut reasons: Vec<KindCount> = report.counts.iter().filter(decides).copied().collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
    Verdict { severity, reasons, note }
}
