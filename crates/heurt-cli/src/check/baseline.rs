//! Comparison with an earlier report: which interferences are new, changed, or gone.
//!
//! In: the JSON of an earlier `heurt check … --json`, and the current findings. Out: [`Comparison`].
//! Method: pairs are matched by the names of their parts, in either order. A pair has changed if its kind differs, or
//! if the bounds of its local depth exclude the earlier ones by more than [`CHANGE`]. Pairs without depths are compared
//! by kind only. Pairs nearer than the clearance are compared by their gaps. Lengths are converted if both reports
//! have a unit. A pair that is not found is gone only if this check would have reported it; else it is counted as not
//! compared.

use super::LoadedAssembly;
use crate::{Failure, load};
use heurt::assembly::Selection;
use heurt::assembly::{Findings, Interference, NearPair};
use heurt::geometry::{Vec3, robust_length};
use heurt::io::LengthUnit;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Relative change of a depth or gap from which a pair counts as changed; a re-export or another mesh resolution
/// changes less.
const CHANGE: f64 = 0.01;

/// State of a pair relative to the earlier report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Since {
    New,
    Changed,
    Same,
}

impl Since {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Same => "same",
        }
    }
}

/// A pair of the earlier report that is not found any more.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gone {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) kind: String,
}

/// The findings against the earlier report.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    /// State by interference, in the order of the findings.
    pub(crate) list: Vec<Since>,
    /// State by pair nearer than the clearance.
    pub(crate) near: Vec<Since>,
    /// Gone pairs, in the order of the earlier report.
    pub(crate) gone: Vec<Gone>,
    /// Number of pairs of the earlier report that this check did not cover: parts that could not be read, pairs that
    /// `--of`, `--ignore` or another option leaves out.
    pub(crate) not_compared: usize,
}

impl Comparison {
    pub(crate) fn count(&self, since: Since) -> usize {
        self.list.iter().chain(&self.near).filter(|&&one| one == since).count()
    }

    /// Reports whether no pair is new or changed.
    pub(crate) fn is_clear(&self) -> bool {
        self.count(Since::New) + self.count(Since::Changed) == 0
    }
}

/// The data of pairs in an earlier report; the rest of it is skipped.
#[derive(Deserialize)]
struct EarlierReport {
    #[serde(default)]
    summary: EarlierSummary,
    interferences: Vec<Earlier>,
    #[serde(default)]
    near: Vec<Earlier>,
}

#[derive(Deserialize, Default)]
struct EarlierSummary {
    #[serde(default)]
    unit: Option<String>,
}

#[derive(Deserialize)]
struct Earlier {
    a: String,
    b: String,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    depth: Option<f64>,
    #[serde(default)]
    local_depth: Option<EarlierLocalDepth>,
    #[serde(default)]
    separating_translation: Option<[f64; 3]>,
    #[serde(default, alias = "distance")]
    gap: Option<f64>,
}

#[derive(Deserialize)]
struct EarlierLocalDepth {
    #[serde(alias = "at_least")]
    lower: f64,
    #[serde(alias = "at_most")]
    upper: f64,
}

impl Earlier {
    /// Multiplies all lengths by a factor.
    fn scale(&mut self, factor: f64) {
        let translation = self.separating_translation.iter_mut().flatten();
        let local = self.local_depth.iter_mut().flat_map(|local| [&mut local.lower, &mut local.upper]);
        let lengths = [&mut self.depth, &mut self.gap].into_iter().flatten().chain(translation).chain(local);
        lengths.for_each(|length| *length *= factor);
    }

    /// Returns the upper bound of the depth, which `--tolerance` compares. Reports of earlier versions have none: there
    /// the lower bound of a separating translation was compared, or the length of one.
    fn at_most(&self) -> Option<f64> {
        let translation = || self.separating_translation.map(|offset| robust_length(Vec3::from_array(offset)));
        self.local_depth.as_ref().map(|local| local.upper).or(self.depth).or_else(translation)
    }
}

/// The word for a pair nearer than the clearance.
pub(super) const NEAR: &str = "near";

/// An earlier report, its pairs by the names of their parts.
pub(crate) struct Baseline {
    pairs: Vec<Earlier>,
    unit: Option<LengthUnit>,
}

/// The coverage of this check.
pub(super) struct Examined<'a> {
    pub(super) selection: &'a Selection,
    pub(super) clearance: Option<f64>,
    pub(super) tolerance: Option<f64>,
    pub(super) ignores_touching: bool,
}

impl Examined<'_> {
    /// Reports whether the pair would be in the report if it had not changed.
    fn covers(&self, pair: &Earlier, parts: [usize; 2]) -> bool {
        let is_left_out = match pair.kind.as_deref() {
            Some(NEAR) => pair.gap.zip(self.clearance).is_none_or(|(gap, clearance)| gap > clearance),
            Some("touching") => self.ignores_touching || self.tolerance.is_some(),
            Some("duplicate") => false,
            _ => self.tolerance.is_some_and(|tolerance| pair.at_most().is_some_and(|depth| depth <= tolerance)),
        };
        !is_left_out && self.selection.is_selected(parts) && !self.selection.is_ignored(parts)
    }
}

impl Baseline {
    /// Reads an earlier report.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = load::read_bytes(path)?;
        let refuse =
            |error: serde_json::Error| Failure::BadBaseline { path: path.to_owned(), reason: error.to_string() };
        let EarlierReport { summary, interferences, near } = serde_json::from_slice(&bytes).map_err(refuse)?;
        let near = near.into_iter().map(|pair| Earlier { kind: Some(NEAR.to_owned()), ..pair });
        let unit = summary.unit.as_deref().and_then(LengthUnit::from_symbol);
        Ok(Self { pairs: interferences.into_iter().chain(near).collect(), unit })
    }

    /// Compares findings with it.
    pub(super) fn compare(
        mut self,
        assembly: &LoadedAssembly,
        findings: &Findings,
        examined: &Examined<'_>,
    ) -> Comparison {
        if let (Some(unit), Some(now)) = (self.unit, assembly.unit) {
            let factor = unit.factor_to(now);
            self.pairs.iter_mut().for_each(|pair| pair.scale(factor));
        }
        let mut number_of: BTreeMap<[&str; 2], usize> = BTreeMap::new();
        for (number, pair) in self.pairs.iter().enumerate() {
            number_of.entry(key(&pair.a, &pair.b)).or_insert(number);
        }
        let mut is_found = vec![false; self.pairs.len()];
        let mut since = |a: usize, b: usize, is_same: &dyn Fn(&Earlier) -> bool| {
            let names = key(&assembly.parts[a].name, &assembly.parts[b].name);
            let Some(&number) = number_of.get(&names) else { return Since::New };
            is_found[number] = true;
            if is_same(&self.pairs[number]) { Since::Same } else { Since::Changed }
        };
        let list =
            findings.list.iter().map(|found| since(found.a, found.b, &|earlier| is_same(earlier, found))).collect();
        let near =
            findings.near.iter().map(|found| since(found.a, found.b, &|earlier| is_as_near(earlier, found))).collect();
        let part_of: BTreeMap<&str, usize> =
            assembly.parts.iter().enumerate().map(|(number, part)| (part.name.as_str(), number)).collect();
        let is_compared = |pair: &Earlier| match (part_of.get(pair.a.as_str()), part_of.get(pair.b.as_str())) {
            (Some(&a), Some(&b)) => examined.covers(pair, [a, b]),
            // A part that is not there was removed, unless it could not be read.
            _ => assembly.failures.is_empty(),
        };
        let missing = self.pairs.iter().zip(&is_found).filter(|(_, is_found)| !**is_found).map(|(pair, _)| pair);
        let (gone, others): (Vec<&Earlier>, Vec<&Earlier>) = missing.partition(|pair| is_compared(pair));
        let gone = gone.into_iter().map(|pair| Gone {
            a: pair.a.clone(),
            b: pair.b.clone(),
            kind: pair.kind.clone().unwrap_or_default(),
        });
        Comparison { list, near, gone: gone.collect(), not_compared: others.len() }
    }
}

fn key<'n>(a: &'n str, b: &'n str) -> [&'n str; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

fn is_same(earlier: &Earlier, found: &Interference) -> bool {
    let depth = found.depth.as_ref();
    let has_same_depth = match (&earlier.local_depth, depth.and_then(|depth| depth.local)) {
        (Some(before), Some(now)) => {
            let room = 1.0 + CHANGE;
            now.at_least <= before.upper * room && before.lower <= now.at_most * room
        }
        _ => are_alike(earlier.depth, depth.and_then(|depth| depth.at_least)),
    };
    earlier.kind.as_deref() == Some(found.kind.word()) && has_same_depth
}

fn is_as_near(earlier: &Earlier, found: &NearPair) -> bool {
    earlier.kind.as_deref() == Some(NEAR) && are_alike(earlier.gap, Some(found.distance.distance))
}

/// Reports whether two lengths are the same within [`CHANGE`]; a length that one report lacks decides nothing.
fn are_alike(earlier: Option<f64>, now: Option<f64>) -> bool {
    match (earlier, now) {
        (Some(x), Some(y)) => (x - y).abs() <= CHANGE * x.abs().max(y.abs()),
        _ => true,
    }
}
