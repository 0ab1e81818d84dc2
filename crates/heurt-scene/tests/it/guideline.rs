//! Tests of guidelines: their list, their scenes, and the outcomes of the cheap ones.

use heurt_scene::guideline::guideline_files;
use heurt_scene::{
    CrowdScene, GasMixture, Guideline, GuidelineOutcome, GuidelineSettings, GuidelineTest, SceneFiles, smoke_pace,
};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The embedded files.
struct Files;

impl SceneFiles for Files {
    fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        let found = guideline_files().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn scenes() -> impl Iterator<Item = (&'static str, &'static str)> {
    guideline_files().filter(|(name, _)| name.ends_with(".toml"))
}

#[test]
fn the_list_has_all_tests_of_the_guidelines() {
    let words: BTreeSet<String> = GuidelineTest::all().iter().map(GuidelineTest::word).collect();
    assert_eq!((words.len(), GuidelineTest::all().len()), (46, 46), "words are unique");
    for (guideline, count) in [(Guideline::Rimea, 16), (Guideline::Imo, 11), (Guideline::Iso, 19)] {
        let found = GuidelineTest::find(guideline.word());
        let numbers: Vec<String> = found.iter().map(|test| test.number.to_owned()).collect();
        assert_eq!(numbers, (1..=count).map(|number: u32| number.to_string()).collect::<Vec<_>>(), "{guideline}");
        assert!(found.iter().all(|test| test.guideline == guideline && !test.name.is_empty()));
    }
    assert_eq!(GuidelineTest::find("all").len(), 46);
    assert_eq!(GuidelineTest::find("RiMEA-12").len(), 1);
    assert!(GuidelineTest::find("rimea-17").is_empty() && GuidelineTest::find("").is_empty());
}

#[test]
fn every_file_of_the_folder_is_embedded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("guidelines");
    let names: BTreeSet<String> = std::fs::read_dir(&folder)
        .expect("the folder of scenes")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    let embedded: BTreeSet<String> = guideline_files().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(embedded, names);
    assert_eq!(guideline_files().count(), names.len(), "each once");
    for (name, text) in guideline_files() {
        assert_eq!(std::fs::read_to_string(folder.join(name)).expect("text"), text, "{name}");
    }
}

#[test]
fn every_scene_builds_and_every_plan_is_used() {
    let mut plans: BTreeSet<&str> = guideline_files().map(|(name, _)| name).filter(|n| n.ends_with(".wkt")).collect();
    for (name, text) in scenes() {
        let scene = CrowdScene::read(text, Path::new(""), &Files).unwrap_or_else(|fault| panic!("{name}: {fault:?}"));
        assert!(scene.notes.is_empty(), "{name}: {:?}", scene.notes);
        let count = scene.count_agents();
        let crowd = scene.build().unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        assert!(count > 0 && crowd.agents().len() == count, "{name}: {} of {count}", crowd.agents().len());
        plans.retain(|plan| !text.contains(plan));
    }
    assert!(plans.is_empty(), "{plans:?}");
}

#[test]
fn cheap_tests_have_their_outcomes() {
    use GuidelineOutcome::{Failed, Measured, Passed};
    let known = [
        ("rimea-1", Passed, "30.10 s"),
        ("rimea-2", Passed, "14.19 s on the stair"),
        ("rimea-3", Passed, "12.47 s on the stair"),
        ("rimea-5", Passed, "10 persons"),
        ("rimea-6", Passed, "20 of 20 round"),
        ("rimea-10", Passed, "23 of 23"),
        ("rimea-14", Measured, "short: 30 of 30"),
        ("imo-1", Passed, "40."),
        ("imo-2", Passed, "10.00 s"),
        ("imo-3", Passed, "10.00 s"),
        ("imo-4", Failed, "persons/s over the whole time"),
        ("imo-5", Passed, "10 persons"),
        ("imo-6", Passed, "20 of 20 round"),
        ("imo-7", Passed, "50 persons"),
        ("imo-10", Passed, "23 of 23"),
        ("iso-2", Passed, "1.000 m/s"),
        ("iso-3", Passed, "0.500 m/s up, 0.500 m/s down"),
        ("iso-4", Passed, "20 of 20 round"),
        ("iso-8", Passed, "23 of 23"),
        ("iso-9", Passed, "0 by exit 1 and 1 by exit 2"),
        ("iso-14", Passed, "5 of 5 left"),
        ("iso-15", Passed, "of 20 persons by exit 2 alone"),
        ("iso-16", Passed, "20 if they know that one"),
        ("iso-17", Passed, "10 of 10"),
        ("iso-18", Passed, "0.91"),
        ("iso-19", Passed, "982.0 s (981.7 s by hand)"),
    ];
    for (word, outcome, figure) in known {
        let [test] = GuidelineTest::find(word)[..] else { panic!("{word}") };
        let result = test.run(&GuidelineSettings::new("orca", 1));
        assert_eq!(result.outcome, outcome, "{word}: {result:?}");
        assert!(result.figure.contains(figure), "{word}: {result:?}");
        assert!(!result.demanded.is_empty() && !result.open.is_empty(), "{word}");
    }
}

#[test]
fn doors_keep_to_a_flow_that_exits_are_given() {
    let mut settings = GuidelineSettings::default();
    settings.exit_flow = Some(1.33);
    let [test] = GuidelineTest::find("imo-4")[..] else { panic!("one test") };
    let result = test.run(&settings);
    assert_eq!(result.outcome, GuidelineOutcome::Passed, "{}", result.figure);
    // The figure of docs/guidelines.md.
    assert!(result.figure.starts_with("0.86 to 1.19 persons/s"), "{}", result.figure);
}

#[test]
fn results_repeat() {
    let [test] = GuidelineTest::find("rimea-6")[..] else { panic!("one test") };
    let run = |seed| test.run(&GuidelineSettings::new("social-force", seed));
    assert_eq!(run(3), run(3));
    assert_ne!(run(3).figure, run(4).figure);
}

#[test]
fn unknown_models_are_not_run() {
    let result = GuidelineTest::all()[0].run(&GuidelineSettings::new("no-such", 1));
    assert_eq!(result.outcome, GuidelineOutcome::NotRun);
    assert!(result.figure.contains("no-such"), "{result:?}");
}

#[test]
fn doses_are_those_computed_by_hand() {
    // Carbon monoxide in parts a million, carbon dioxide and oxygen in percent; seconds until a dose of 1.
    for (carbon_monoxide, carbon_dioxide, oxygen, seconds) in
        [(1000.0, 2.0, 15.0, 981.7), (0.0, 0.0, 12.0, 1666.5), (1000.0, 0.0, 21.0, 1692.8), (1000.0, 3.43, 21.0, 846.5)]
    {
        let air = GasMixture { carbon_monoxide, carbon_dioxide, oxygen };
        let time = 60.0 / air.dose_per_minute();
        assert!((time - seconds).abs() < 5e-4 * seconds, "{air:?}: {time} s for {seconds} s");
    }
    assert_eq!(GasMixture { carbon_monoxide: 0.0, carbon_dioxide: 0.0, oxygen: 20.9 }.dose_per_minute(), 0.0);
}

#[test]
fn smoke_slows_as_scenes_have_it() {
    let (_, text) = scenes().find(|(name, _)| *name == "iso_18_smoke_125.toml").expect("the scene");
    let zone = text.split("[[zones]]").nth(1).expect("a zone");
    let line = zone.lines().find(|line| line.starts_with("speed = ")).expect("a speed");
    let pace: f64 = line["speed = ".len()..].parse().expect("a number");
    assert!((pace - smoke_pace(1.0)).abs() < 1e-6, "{pace}");
}
