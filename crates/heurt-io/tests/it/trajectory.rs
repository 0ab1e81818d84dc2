//! Trajectories: every format that is written is read back, and faulty steps are refused.

use heurt_geometry::Vec3;
use heurt_io::{
    TrajectoryFile, TrajectoryFormat, TrajectoryHeader, TrajectoryOptions, TrajectoryRow, TrajectoryStep,
    TrajectoryWriteError, TrajectoryWriter, read_trajectories, read_trajectory_file,
};
use proptest::prelude::*;
use std::path::PathBuf;

/// The formats of this build that are written.
pub const WRITTEN: &[&str] = &[
    "csv",
    #[cfg(feature = "sqlite")]
    "sqlite",
    #[cfg(feature = "parquet")]
    "parquet",
];

/// A path in the folder of temporary files, for one test alone.
pub fn scratch(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("heurt-io-{}-{name}", std::process::id()))
}

/// Writes a file and returns its bytes.
pub fn written(file: &TrajectoryFile, name: &str) -> Result<Vec<u8>, TrajectoryWriteError> {
    let path = scratch(name);
    let mut writer = TrajectoryWriter::create(&path, &file.header)?;
    for step in &file.steps {
        writer.push(step)?;
    }
    for (&agent, &radius) in &file.radii {
        writer.set_radius(agent, radius)?;
    }
    writer.finish()?;
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    Ok(bytes)
}

/// Reads bytes by the end of a name.
pub fn reread(bytes: &[u8], name: &str) -> TrajectoryFile {
    let format = TrajectoryFormat::from_extension(name).unwrap();
    read_trajectories(bytes, format, &TrajectoryOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Step, time, agent, group, position and velocity of a row, bit for bit.
type RowBits = (u64, u64, u64, String, [u64; 3], Option<[u64; 3]>);

/// The numbers of a file, and the names of groups.
fn contents(file: &TrajectoryFile) -> Vec<RowBits> {
    let bits = |vector: Vec3| vector.to_array().map(f64::to_bits);
    let row = |(step, row): (&TrajectoryStep, &TrajectoryRow)| {
        let name = file.group_name(row).to_owned();
        (step.step, step.time.to_bits(), row.agent, name, bits(row.position), row.velocity.map(bits))
    };
    file.rows().map(row).collect()
}

/// Two steps of two agents.
pub fn small() -> TrajectoryFile {
    let row = |agent, group, x: f64| TrajectoryRow {
        agent,
        group,
        position: Vec3::new(x, 0.1 + 0.2, 0.0),
        velocity: Some(Vec3::new(1.0, -0.5, 0.0)),
    };
    let step = |step, time, rows| TrajectoryStep { step, time, rows };
    TrajectoryFile {
        header: TrajectoryHeader {
            groups: vec!["east".into(), "a \"b\", c\r\nd".into()],
            frame_rate: Some(20.0),
            walkable: vec!["POLYGON ((0 0, 8 0, 8 4, 0 4, 0 0), (3 1, 4 1, 4 2, 3 1))".into()],
        },
        steps: vec![step(0, 0.0, vec![row(3, 0, 1.0), row(7, 1, 2.0)]), step(5, 0.05, vec![row(7, 1, 2.05)])],
        radii: [(3, 0.2), (7, 0.25)].into(),
        cut: None,
    }
}

/// The file with 0 for −0.
fn without_minus(file: &TrajectoryFile) -> TrajectoryFile {
    let mut file = file.clone();
    for row in file.steps.iter_mut().flat_map(|step| &mut step.rows) {
        row.position += Vec3::ZERO;
        row.velocity = row.velocity.map(|velocity| velocity + Vec3::ZERO);
    }
    file
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![4 => -1e3..1e3, 1 => any::<f64>().prop_filter("finite", |number| number.is_finite())]
}

fn vector() -> impl Strategy<Value = Vec3> {
    [number(), number(), number()].prop_map(Vec3::from_array)
}

prop_compose! {
    /// Steps at 8 frames in a second; the group of an agent is its number modulo the number of groups.
    fn trajectories()(
        groups in prop::collection::btree_set("[ -~\n\r\"äß]{0,6}", 1..4),
        start in 0..1000_u64,
        steps in prop::collection::vec(
            prop::collection::btree_map(0..i64::MAX as u64, (vector(), prop::option::of(vector())), 1..5),
            1..6,
        ),
        stride in 1..5_u64,
    ) -> TrajectoryFile {
        let groups: Vec<String> = groups.into_iter().collect();
        let count = groups.len() as u64;
        let row = |(agent, (position, velocity))| {
            TrajectoryRow { agent, group: (agent % count) as u32, position, velocity }
        };
        let steps = (0..).zip(steps).map(|(frame, rows)| TrajectoryStep {
            step: start + stride * frame,
            time: (start + frame) as f64 / 8.0,
            rows: rows.into_iter().map(row).collect(),
        });
        let steps = steps.collect();
        let header = TrajectoryHeader { groups, frame_rate: Some(8.0), walkable: Vec::new() };
        TrajectoryFile { header, steps, ..TrajectoryFile::default() }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_format_keeps_every_bit(file in trajectories()) {
        for format in WRITTEN {
            let name = format!("bits.{format}");
            let again = reread(&written(&file, &name).unwrap(), &name);
            // SQLite has no −0.
            let expected = if *format == "sqlite" { contents(&without_minus(&file)) } else { contents(&file) };
            prop_assert_eq!(contents(&again), expected, "{}", name);
        }
    }
}

#[test]
fn headers_and_radii_are_kept_where_there_is_room() {
    let file = small();
    for format in WRITTEN {
        let name = format!("header.{format}");
        let again = reread(&written(&file, &name).unwrap(), &name);
        assert_eq!(contents(&again), contents(&file), "{name}");
        if *format != "csv" {
            assert_eq!(again.header, file.header, "{name}");
        }
        assert_eq!(again.radii == file.radii, *format == "sqlite", "{name}");
    }
}

#[test]
fn files_are_read_by_their_path() {
    for format in WRITTEN {
        let path = scratch(&format!("path.{format}"));
        std::fs::write(&path, written(&small(), &format!("bytes.{format}")).unwrap()).unwrap();
        let file = read_trajectory_file(&path, &TrajectoryOptions::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(contents(&file), contents(&small()), "{format}");
    }
    let message = |path| read_trajectory_file(path, &TrajectoryOptions::default()).unwrap_err().to_string();
    assert!(message("hall.json").ends_with("use .csv, .sqlite, .parquet, .txt or .traj"));
    assert!(message("no such file.csv").starts_with("no such file.csv: "));
}

#[test]
fn the_csv_has_the_columns_of_scenes() {
    let mut file = small();
    file.steps[1].rows[0].velocity = None;
    let text = String::from_utf8(written(&file, "columns.csv").unwrap()).unwrap();
    assert_eq!(
        text,
        "step,time,agent,group,x,y,z,vx,vy,vz\n\
         0,0,3,east,1,0.30000000000000004,0,1,-0.5,0\n\
         0,0,7,\"a \"\"b\"\", c\r\nd\",2,0.30000000000000004,0,1,-0.5,0\n\
         5,0.05,7,\"a \"\"b\"\", c\r\nd\",2.05,0.30000000000000004,0,,,\n"
    );
}

#[test]
fn faulty_steps_are_refused_and_write_nothing() {
    let file = small();
    let row = file.steps[0].rows[0];
    let mut writer = TrajectoryWriter::new(std::io::sink(), TrajectoryFormat::Csv, &file.header).unwrap();
    writer.push(&file.steps[0]).unwrap();
    let step = |step, time, rows| TrajectoryStep { step, time, rows };
    let far = Vec3::new(f64::INFINITY, 0.0, 0.0);
    let faulty = [
        (step(0, 0.05, vec![row]), "step 0 at 0.05 s comes after step 0 at 0 s"),
        (step(1, 0.0, vec![row]), "step 1 at 0 s comes after step 0 at 0 s"),
        (step(1, f64::NAN, vec![row]), "step 1 at NaN s"),
        (step(u64::MAX, 1.0, vec![row]), "more than 63 bits"),
        (step(1, 1.0, vec![row, row]), "step 1: agent 3 comes after agent 3"),
        (step(1, 1.0, vec![TrajectoryRow { group: 2, ..row }]), "the header has 2 groups"),
        (step(1, 1.0, vec![TrajectoryRow { group: 1, ..row }]), "agent 3 is in group 1, before it was in group 0"),
        (step(1, 1.0, vec![TrajectoryRow { agent: u64::MAX, ..row }]), "more than 63 bits"),
        (step(1, 1.0, vec![TrajectoryRow { position: far, ..row }]), "agent 3 has a position or velocity"),
        (step(1, 1.0, vec![TrajectoryRow { velocity: Some(far), ..row }]), "agent 3 has a position or velocity"),
    ];
    for (step, part) in faulty {
        let message = writer.push(&step).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    writer.push(&file.steps[1]).unwrap();
    let fault = writer.set_radius(3, -0.2).unwrap_err().to_string();
    assert_eq!(fault, "agent 3 has a radius of -0.2 m: give a positive number");
    for format in [TrajectoryFormat::Vadere, TrajectoryFormat::ArchiveText, TrajectoryFormat::Sqlite] {
        assert!(TrajectoryWriter::new(std::io::sink(), format, &file.header).is_err(), "{format}");
    }
    assert!(TrajectoryWriter::create("hall.txt", &file.header).is_err());
}
