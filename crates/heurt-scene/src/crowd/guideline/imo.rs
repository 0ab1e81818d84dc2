//! Catalogue of IMO MSC.1/Circ.1238, annex 3; MSC.1/Circ.1533 has the same eleven tests.
//!
//! In: nothing. Out: names, demands, and what is open. Guarantees: facts and numbers in own words.

use super::{Guideline, GuidelineTest, corner, corridor, counterflow, doors, population, response, stairs};

const GUIDELINE: Guideline = Guideline::Imo;

pub(super) static TESTS: [GuidelineTest; 11] = [
    GuidelineTest {
        guideline: GUIDELINE,
        number: "1",
        name: "Speed in a corridor",
        demand: "40 m at 1.0 m/s in 40 s",
        open: "The tolerance. Chosen: a step of 0.05 s.",
        check: |trial| corridor::time_is(trial, "imo_01", 40.0),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "2",
        name: "Speed up a stair",
        demand: "10 m along the slope at 1.0 m/s in 10 s",
        open: "The slope: 30°. The tolerance: a step of 0.05 s.",
        check: |trial| corridor::stair_time_is(trial, "imo_02", 10.0),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "3",
        name: "Speed down a stair",
        demand: "10 m along the slope at 1.0 m/s in 10 s",
        open: "The slope: 30°. The tolerance: a step of 0.05 s.",
        check: |trial| corridor::stair_time_is(trial, "imo_03", 10.0),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "4",
        name: "Flow through an exit",
        demand: "100 persons through 1 m at no more than 1.33 persons/s over the whole time",
        open: "Whether the time begins with the first person at the door. Chosen: with the alarm. The largest \
               of five seeds counts.",
        check: |trial| doors::door_flow(trial, "imo_04"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "5",
        name: "Response time",
        demand: "ten persons with times from 10 to 100 s: each starts at its time",
        open: "How times are spread: 10, 20 … 100 s. When a person has started: moved by 5 cm. The tolerance: 0.5 s, as \
               in public tools.",
        check: |trial| response::ten_start_in_time(trial, "imo_05"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "6",
        name: "Round a corner",
        demand: "twenty persons get round, none goes through a wall",
        open: "The tolerance at walls. Chosen: 1 mm for the centre.",
        check: |trial| corner::all_round_the_corner(trial, "imo_06"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "7",
        name: "Speeds of a population",
        demand: "fifty males of 30 to 50 years between 0.97 and 1.62 m/s",
        open: "The kind of test. Chosen: all within the bounds; the probability of the sample is given, too.",
        check: population::speeds_of_panel,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "8",
        name: "Counter-flow",
        demand: "the time of 100 persons to the second room rises with 0, 10, 50, 100 against them",
        open: "How much it rises. A run without an end in 300 s is a jam and fails.",
        check: counterflow::time_rises_with_counterflow,
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "9",
        name: "A crowd leaves a large room",
        demand: "a thousand persons: roughly twice the time with two doors of four",
        open: "The tolerance of the ratio. Public tools see 1.6 to 2.4. The places of the doors are read off one source.",
        check: |trial| doors::hall(trial, ["imo_09_four", "imo_09_two"]),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "10",
        name: "Allocation of exits",
        demand: "23 persons of twelve cabins, each by the exit of its cabin",
        open: "Sizes of cabins: those of RiMEA 10.",
        check: |trial| doors::allocated_exits(trial, "imo_10"),
    },
    GuidelineTest {
        guideline: GUIDELINE,
        number: "11",
        name: "Stair behind a corridor",
        demand: "jams at the exit of the room and at the foot of the stair, a steady flow between them",
        open: "How a jam is measured. Chosen: mean densities in 2 m² while half of the persons are present. Public \
               tools compare peaks. Radius 0.19 m.",
        check: stairs::jams_before_stair,
    },
];
