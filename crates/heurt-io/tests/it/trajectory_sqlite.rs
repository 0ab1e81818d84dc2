//! Trajectories as SQLite: databases of JuPedSim, hostile databases, and what a run leaves that ends early.

use crate::trajectory::{reread, scratch, small, written};
use heurt_io::{
    TrajectoryFile, TrajectoryFormat, TrajectoryHeader, TrajectoryOptions, TrajectoryRow, TrajectoryStep,
    TrajectoryWriter, read_trajectories, read_trajectory_file,
};
use rusqlite::Connection;

/// Builds a database and reads it from its bytes and from the disk.
fn read_of(name: &str, sql: &str) -> Result<TrajectoryFile, String> {
    let path = scratch(&format!("{name}.sqlite"));
    drop(std::fs::remove_file(&path));
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let options = TrajectoryOptions::default();
    let by_path = read_trajectory_file(&path, &options).map_err(|error| error.to_string());
    let by_bytes = read_trajectories(&bytes, TrajectoryFormat::Sqlite, &options).map_err(|error| error.to_string());
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "reading changes nothing");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(by_path, by_bytes);
    by_path
}

const DATA: &str = "CREATE TABLE trajectory_data (frame INTEGER NOT NULL, id INTEGER NOT NULL, pos_x REAL NOT NULL,
    pos_y REAL NOT NULL, ori_x REAL NOT NULL, ori_y REAL NOT NULL);
    INSERT INTO trajectory_data VALUES (4, 1, 1.5, 2, 1, 0), (0, 1, 1, 2, 1, 0), (0, 2, 5, 2, 0, 0);";
const META: &str = "CREATE TABLE metadata (key TEXT NOT NULL UNIQUE PRIMARY KEY, value TEXT NOT NULL);
    INSERT INTO metadata VALUES ('version', '2'), ('fps', 25.0);";

#[test]
fn databases_of_jupedsim_are_read_in_all_versions() {
    let geometry = "CREATE TABLE geometry (hash INTEGER, wkt TEXT); INSERT INTO geometry VALUES (1, 'POLYGON EMPTY')";
    let file = read_of("jupedsim", &format!("{DATA}{META}{geometry}")).unwrap();
    assert_eq!((file.steps.len(), file.steps[1].step, file.steps[1].time), (2, 4, 0.16));
    assert_eq!((file.header.frame_rate, file.header.walkable.len()), (Some(25.0), 1));
    assert!(file.rows().all(|(_, row)| row.velocity.is_none() && file.group_name(row).is_empty()));
    let first = "CREATE TABLE geometry (wkt TEXT NOT NULL); UPDATE metadata SET value = '1' WHERE key = 'version'";
    assert_eq!(read_of("first", &format!("{DATA}{META}{first}")).unwrap().steps, file.steps);
    let third = "ALTER TABLE trajectory_data DROP COLUMN ori_x; ALTER TABLE trajectory_data DROP COLUMN ori_y;
        UPDATE metadata SET value = '3' WHERE key = 'version'";
    assert_eq!(read_of("third", &format!("{DATA}{META}{third}")).unwrap().steps, file.steps);
}

#[test]
fn hostile_databases_are_refused_by_name() {
    let endless = "CREATE VIEW trajectory_data AS WITH RECURSIVE t (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM t)
        SELECT n AS frame, 1 AS id, 0.0 AS pos_x, 0.0 AS pos_y FROM t;";
    let computed = "CREATE TABLE trajectory_data (frame, id, pos_x, pos_y AS (length(zeroblob(1000000000))));";
    for (name, sql, part) in [
        ("no-data", META.to_owned(), "the table `trajectory_data` is missing"),
        ("no-meta", DATA.to_owned(), "the file does not give its frame rate"),
        ("view", format!("{endless}{META}"), "trajectory_data: found a view or virtual table"),
        ("computed", format!("{computed}{META}"), "trajectory_data: found a computed column"),
        ("column", format!("CREATE TABLE trajectory_data (frame, id, pos_x);{META}"), "the column `pos_y` is missing"),
        ("empty", format!("{DATA}{META}DELETE FROM trajectory_data"), "trajectory_data: the file ends without a row"),
        ("version", format!("{DATA}{META}UPDATE metadata SET value = '4' WHERE key = 'version'"), "found `4`"),
        ("rate", format!("{DATA}{META}UPDATE metadata SET value = '-1' WHERE key = 'fps'"), "metadata, fps: found"),
        ("text", format!("{DATA}{META}UPDATE trajectory_data SET pos_x = 'a'"), "row 1: found `a`, expected a finite"),
        ("inf", format!("{DATA}{META}UPDATE trajectory_data SET pos_y = 1e999"), "row 1: found inf, expected a finite"),
        ("below", format!("{DATA}{META}UPDATE trajectory_data SET frame = -2"), "row 1: found -2, expected an integer"),
        ("half", format!("{DATA}{META}UPDATE trajectory_data SET id = 1.5"), "row 1: found 1.5, expected an integer"),
        ("twice", format!("{DATA}{META}UPDATE trajectory_data SET id = 1"), "agent 1 is already in step 0"),
        ("frames", format!("{DATA}{META}CREATE TABLE heurt_frames (frame, step, time)"), "found no frame 4"),
    ] {
        let message = read_of(name, &sql).unwrap_err();
        assert!(message.contains(part), "{name}: {message}");
    }
}

#[test]
fn a_database_with_a_log_is_read_from_its_bytes() {
    let path = scratch("log.sqlite");
    drop(std::fs::remove_file(&path));
    let database = Connection::open(&path).unwrap();
    database.execute_batch(&format!("PRAGMA journal_mode = WAL; {DATA}{META}")).unwrap();
    drop(database);
    assert_eq!(reread(&std::fs::read(&path).unwrap(), "log.sqlite").steps.len(), 2);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn steps_off_the_rate_and_missing_rates_are_refused() {
    let mut file = small();
    file.steps[1].time = 0.08;
    let message = written(&file, "uneven.sqlite").unwrap_err().to_string();
    assert_eq!(message, "step 5 is at 0.08 s, by the frame rate it is at 0.05 s: write every step at that rate");
    file.header.frame_rate = None;
    let message = written(&file, "rateless.sqlite").unwrap_err().to_string();
    assert!(message.starts_with("the frame rate is missing: "), "{message}");
}

#[test]
fn a_run_that_ends_early_leaves_its_whole_transactions() {
    let path = scratch("early.sqlite");
    std::fs::write(&path, "an old file").unwrap();
    let header = TrajectoryHeader { groups: vec!["all".into()], frame_rate: Some(10.0), walkable: Vec::new() };
    let mut writer = TrajectoryWriter::create(&path, &header).unwrap();
    let position = heurt_geometry::Vec3::ZERO;
    for step in 0..250_u64 {
        let rows = vec![TrajectoryRow { agent: 1, group: 0, position, velocity: None }];
        writer.push(&TrajectoryStep { step, time: step as f64 / 10.0, rows }).unwrap();
    }
    drop(writer);
    let file = read_trajectory_file(&path, &TrajectoryOptions::default()).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!((file.steps.len(), file.group_name(&file.steps[0].rows[0])), (200, "all"));
}

#[test]
fn steps_without_agents_are_kept() {
    let mut file = small();
    file.steps[1].rows.clear();
    let again = reread(&written(&file, "nobody.sqlite").unwrap(), "nobody.sqlite");
    assert_eq!(again.steps, file.steps);
}
