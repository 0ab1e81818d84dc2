//! Guideline tests of crowds: RiMEA 4.1.1, IMO MSC.1/Circ.1238, ISO 20414:2020.
//!
//! In: a test, a model of steering and a seed. Out: [`GuidelineResult`]: the outcome, the figure measured, the demand.
//! Method: scenes and plans are embedded files of the folder `guidelines`. Each test builds its scenes, runs them and
//! measures what its guideline demands. Tests of one kind share a file: `corridor`, `corner`, `doors` …
//! Guarantees: limits are those of the guidelines. A demand without a number is `Measured`, unless it compares two
//! figures of the run. The same settings give the same result.
//! Not guaranteed: the wording of the guidelines, which are not public; `docs/guidelines.md` marks uncertain numbers.
//! Cost: from a millisecond to some ten seconds a test; see the same page.

mod corner;
mod corridor;
mod counterflow;
mod diagram;
mod doors;
mod dose;
mod embedded;
mod imo;
mod iso;
mod narrows;
mod population;
mod response;
mod rimea;
mod routes;
mod social;
mod stairs;
mod statistics;
mod storeys;
mod trial;

pub use dose::{GasMixture, smoke_pace};
pub use embedded::guideline_files;

use crate::describe::located::LocatedFault;
use std::fmt;
use std::sync::LazyLock;
use trial::{Finding, Trial};

/// A guideline for simulations of evacuations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guideline {
    /// Guideline for microscopic evacuation analysis, version 4.1.1.
    Rimea,
    /// Interim guidelines for evacuation analysis of passenger ships, annex 3.
    Imo,
    /// Verification and validation protocol for building fire evacuation models.
    Iso,
}

impl Guideline {
    /// Returns the word that tests of the guideline begin with.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rimea => "rimea",
            Self::Imo => "imo",
            Self::Iso => "iso",
        }
    }
}

impl fmt::Display for Guideline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Rimea => "RiMEA 4.1.1",
            Self::Imo => "IMO MSC.1/Circ.1238",
            Self::Iso => "ISO 20414:2020",
        })
    }
}

/// A test of a guideline.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct GuidelineTest {
    /// The guideline.
    pub guideline: Guideline,
    /// Its number there.
    pub number: &'static str,
    /// Its name, in our words.
    pub name: &'static str,
    demand: &'static str,
    open: &'static str,
    check: fn(&Trial) -> Result<Finding, LocatedFault>,
}

/// Settings of a run of tests.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GuidelineSettings {
    /// The model of steering, by its name in scenes.
    pub model: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Time gap to the agent ahead, in seconds, for any model; `None` for the default of the model.
    pub time_gap: Option<f64>,
    /// Persons a metre and second that exits let out at most; `None` for no limit.
    pub exit_flow: Option<f64>,
}

impl GuidelineSettings {
    /// Makes settings.
    pub fn new(model: impl Into<String>, seed: u64) -> Self {
        Self { model: model.into(), seed, time_gap: None, exit_flow: None }
    }
}

impl Default for GuidelineSettings {
    /// The model that meets most demands, and seed 1.
    fn default() -> Self {
        Self::new("orca", 1)
    }
}

/// The outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GuidelineOutcome {
    /// The demand is met.
    Passed,
    /// The demand is not met.
    Failed,
    /// The guideline sets no limit.
    Measured,
    /// The library has no such model.
    NotRun,
}

impl fmt::Display for GuidelineOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Measured => "measured",
            Self::NotRun => "not run",
        })
    }
}

/// The result of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GuidelineResult {
    /// The outcome.
    pub outcome: GuidelineOutcome,
    /// The figure that was measured, with units.
    pub figure: String,
    /// The demand of the guideline.
    pub demanded: String,
    /// Choices that the guideline leaves open, with ours; for tests that were not run, the reason.
    pub open: &'static str,
}

/// All tests, in the order of guidelines and numbers.
static TESTS: LazyLock<Vec<GuidelineTest>> =
    LazyLock::new(|| [&rimea::TESTS[..], &imo::TESTS[..], &iso::TESTS[..]].concat());

impl GuidelineTest {
    /// Returns all tests: 16 of RiMEA, 11 of IMO, 19 of ISO, in this order.
    pub fn all() -> &'static [GuidelineTest] {
        &TESTS
    }

    /// Finds tests by a word: one by `rimea-4`, those of a guideline by `rimea`, all by `all`.
    ///
    /// ```
    /// use heurt_scene::guideline::{GuidelineOutcome, GuidelineSettings, GuidelineTest};
    /// let [test] = GuidelineTest::find("rimea-1")[..] else { return Err("one test has this word".into()) };
    /// let result = test.run(&GuidelineSettings::default());
    /// assert_eq!(result.outcome, GuidelineOutcome::Passed, "{}", result.figure);
    /// assert_eq!(GuidelineTest::find("iso").len(), 19);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find(word: &str) -> Vec<&'static GuidelineTest> {
        let word = word.to_ascii_lowercase();
        let is_meant = |test: &&GuidelineTest| word == "all" || word == test.guideline.word() || word == test.word();
        Self::all().iter().filter(is_meant).collect()
    }

    /// Returns the word of the test, as `rimea-4`.
    pub fn word(&self) -> String {
        format!("{}-{}", self.guideline.word(), self.number)
    }

    /// Runs the test.
    pub fn run(&self, settings: &GuidelineSettings) -> GuidelineResult {
        let Some(trial) = Trial::new(settings) else {
            return GuidelineResult {
                outcome: GuidelineOutcome::NotRun,
                figure: format!("no model has the name {}", settings.model),
                demanded: self.demand.to_owned(),
                open: "The settings name a model that the library does not have.",
            };
        };
        let Finding { outcome, figure } = (self.check)(&trial).unwrap_or_else(|fault| Finding {
            outcome: GuidelineOutcome::Failed,
            figure: format!("the scene cannot be built: {}", fault.reason),
        });
        GuidelineResult { outcome, figure, demanded: self.demand.to_owned(), open: self.open }
    }
}
