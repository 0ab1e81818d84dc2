//! Trajectories as text: CSV, the Jülich data archive and Vadere, with the message of each fault.

use heurt_geometry::Vec3;
use heurt_io::{LengthUnit, TrajectoryFile, TrajectoryFormat, TrajectoryOptions, read_trajectories};

fn csv(text: &str) -> Result<TrajectoryFile, String> {
    read_trajectories(text.as_bytes(), TrajectoryFormat::Csv, &TrajectoryOptions::default())
        .map_err(|error| error.to_string())
}

fn archive(text: &str, options: TrajectoryOptions) -> Result<TrajectoryFile, String> {
    read_trajectories(text.as_bytes(), TrajectoryFormat::ArchiveText, &options).map_err(|error| error.to_string())
}

fn vadere(text: &str, rate: f64) -> Result<TrajectoryFile, String> {
    let options = TrajectoryOptions { frame_rate: Some(rate), unit: None };
    read_trajectories(text.as_bytes(), TrajectoryFormat::Vadere, &options).map_err(|error| error.to_string())
}

/// Agent, time and x of each row.
fn places(file: &TrajectoryFile) -> Vec<(u64, f64, f64)> {
    file.rows().map(|(step, row)| (row.agent, step.time, row.position.x)).collect()
}

#[test]
fn a_csv_may_come_from_windows_with_its_rows_in_any_order() {
    let text = "\u{feff}Step,TIME,agent,y,x,note,group\r\n\
                1,0.5,2,0,3,\"two\r\nlines, \"\"quoted\"\"\",west\r\n\r\n\
                0,0,2,0,2,,west\r\n0,0,1,-0,1,,\"e,\r\nast\"";
    let file = csv(text).unwrap();
    assert_eq!(places(&file), [(1, 0.0, 1.0), (2, 0.0, 2.0), (2, 0.5, 3.0)]);
    assert_eq!(file.header.groups, ["west", "e,\r\nast"]);
    assert!(file.rows().all(|(_, row)| row.velocity.is_none() && row.position.z == 0.0));
    let old = csv("step,time,agent,x,y\r0,0,1,1,2\r1,1,1,1,2\r").unwrap();
    assert_eq!(old.steps.len(), 2);
}

#[test]
fn each_fault_of_a_csv_names_its_line() {
    let head = "step,time,agent,group,x,y,z,vx,vy,vz\n0,0,1,a,0,0,0,0,0,0\n";
    let with = |rows: &str| csv(&format!("{head}{rows}")).unwrap_err();
    for (message, part) in [
        (csv("").unwrap_err(), "line 1: the file ends without a row"),
        (csv("step,time,agent,x,y\n").unwrap_err(), "line 2: the file ends without a row"),
        (csv("step,time,agent,x\n0,0,1,1").unwrap_err(), "line 1: the column `y` is missing"),
        (csv("step,time,agent,x,y,x\n").unwrap_err(), "line 1: found `x`, expected each column once"),
        (csv("\u{0}\u{1}").unwrap_err(), "line 1: the column `step` is missing"),
        (with("1,1,1,a,0,0,0,0,0\n"), "line 3: found 9 fields, expected 10 fields"),
        (with("1,1,1,a,NaN,0,0,0,0,0"), "line 3: found `NaN`, expected a finite number as x"),
        (with("1,1,1,a,0,inf,0,0,0,0"), "line 3: found `inf`, expected a finite number as y"),
        (with("1,1,1,a,0,0,0,0,0,\n"), "line 3: found nothing, expected a finite number as vz"),
        (with("-1,1,1,a,0,0,0,0,0,0"), "line 3: found `-1`, expected the step, an integer from 0"),
        (with("1,1,9223372036854775808,a,0,0,0,0,0,0"), "expected the agent, an integer from 0"),
        (with("0,0,2,a,0,0,0,0,0,0\n\n0,0,1,a,9,9,9,0,0,0"), "line 5: agent 1 is already in step 0 by line 2"),
        (with("0,1,2,a,0,0,0,0,0,0"), "line 3: step 0 is at 1 s, elsewhere it is at 0 s"),
        (with("2,0,2,a,0,0,0,0,0,0"), "line 3: step 2 is at 0 s, not later than the step before it at 0 s"),
        (with("1,1,1,b,0,0,0,0,0,0"), "line 3: agent 1 is in group `b`, elsewhere in group `a`"),
        (with("1,1,1,\"b\nc,0,0,0"), "line 3: found `b`, expected a closing quote of the field"),
        (with("1,1,1,\"b\nc,0,0,0\n"), "line 3: found `b`, expected a closing quote of the field"),
        (with("1,1,1,\"b\"c,0,0,0"), "line 3: found `c,0,0,0`, expected a comma or line end"),
    ] {
        assert!(message.contains(part), "{message}");
    }
    let wide = read_trajectories(b"\xff\xfes\0", TrajectoryFormat::Csv, &TrajectoryOptions::default());
    assert!(wide.unwrap_err().to_string().contains("UTF-16"));
}

#[test]
fn text_of_the_archive_gives_its_rate_and_unit() {
    let text = "# description: experiment\r\n# framerate: 16.00 fps\r\n#PersID Frame X/cm Y/cm Z/cm\r\n\
                2 4 110 -25 170\r\n1 8 100 50 160 9\r\n1\t4\t30 50 160 # note\r\n";
    let file = archive(text, TrajectoryOptions::default()).unwrap();
    assert_eq!(places(&file), [(1, 0.25, 0.3), (2, 0.25, 1.1), (1, 0.5, 1.0)]);
    assert_eq!(file.steps[0].rows[1].position, Vec3::new(1.1, -0.25, 1.7));
    assert_eq!((file.steps[0].step, file.header.frame_rate), (4, Some(16.0)));
    let options = TrajectoryOptions { frame_rate: Some(10.0), unit: Some(LengthUnit::Metre) };
    assert_eq!(places(&archive("1 5 2 3\n", options).unwrap()), [(1, 0.5, 2.0)]);
    let words = "# framerate: 10\n# recorded in Mannheim, coordinates in centimetres\n1 0 2 3\n";
    assert_eq!(places(&archive(words, TrajectoryOptions::default()).unwrap()), [(1, 0.0, 0.02)]);
}

#[test]
fn text_without_a_rate_or_with_two_units_is_refused() {
    let metre = TrajectoryOptions { frame_rate: None, unit: Some(LengthUnit::Metre) };
    let rate = TrajectoryOptions { frame_rate: Some(25.0), unit: None };
    let none = TrajectoryOptions::default();
    let head = "# framerate: 25\n# x/m\n";
    for (text, options, part) in [
        ("1 0 2 3\n".to_owned(), metre, "the file does not give its frame rate"),
        ("# framerate: 25\n1 0 2 3\n".to_owned(), none, "the file does not give its unit of length"),
        ("# x/cm, recorded in m\n1 0 2 3\n".to_owned(), rate, "line 1: the unit of length is m, elsewhere it is cm"),
        (format!("{head}# x/cm\n1 0 2 3\n"), none, "line 3: the unit of length is cm, elsewhere it is m"),
        (format!("{head}# framerate: 16\n1 0 2 3\n"), none, "line 3: the frame rate is 16, elsewhere it is 25"),
        ("# framerate: 16\n# x/m\n1 0 2 3\n".to_owned(), rate, "line 1: the frame rate is 16, elsewhere it is 25"),
        ("# framerate: 0\n# x/m\n1 0 2 3\n".to_owned(), none, "line 1: found `0`, expected a positive number"),
        (head.to_owned(), none, "line 2: the file ends without a row"),
        (format!("{head}1 0 2\n"), none, "line 3: found 3 columns, expected the columns id, frame, x, y"),
        (format!("{head}1 -1 2 3\n"), none, "line 3: found `-1`, expected the frame"),
        (format!("{head}1 1.5 2 3\n"), none, "line 3: found `1.5`, expected the frame"),
        (format!("{head}1 1 nan 3\n"), none, "line 3: found `nan`, expected a finite number as x"),
        (format!("{head}1 1 2 3\n1 1 2 3\n"), none, "line 4: agent 1 is already in step 1 by line 3"),
    ] {
        let message = archive(&text, options).unwrap_err();
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn footsteps_of_vadere_are_sampled() {
    let text = "#IDXCOL=2,DATACOL=6\npedestrianId simTime endTime-PID1 startX-PID1 startY-PID1 endX-PID1 endY-PID1\n\
                1 0.0 0.5 0.0 2.0 1.0 2.0\n2 0.3 0.4 5 5 6 5\n1 0.75 1.0 1.0 2.0 2.0 2.0\n";
    let file = vadere(text, 4.0).unwrap();
    assert_eq!(places(&file), [(1, 0.0, 0.0), (1, 0.25, 0.5), (1, 0.5, 1.0), (1, 0.75, 1.0), (1, 1.0, 2.0)]);
    for (text, part) in [
        ("", "line 0: the file ends without a row"),
        ("pedestrianId simTime startX\n", "line 1: the column `startY` is missing"),
        ("pedestrianId simTime startX-PID1 startX-PID2 startY\n", "found `startX`, expected each column once"),
        ("pedestrianId simTime startX startY\n1 0 1\n", "line 2: found 3 columns, expected 4 columns"),
        ("pedestrianId simTime startX startY endTime\n1 1 0 0 0\n", "line 2: found a footstep from 1 s to 0 s"),
        ("pedestrianId simTime startX startY endTime\n1 1 0 0 1e300\n", "more than 1000 rows"),
    ] {
        let message = vadere(text, 4.0).unwrap_err();
        assert!(message.contains(part), "{message}");
    }
    let none = read_trajectories(b"", TrajectoryFormat::Vadere, &TrajectoryOptions::default());
    assert!(none.unwrap_err().to_string().contains("does not give its frame rate"));
}

#[test]
fn a_csv_that_is_cut_keeps_its_complete_rows() {
    let rows: Vec<String> = (0..6).map(|k| format!("{},{},{k},\"east, low\",1.5,2.5,0\n", k / 3, k / 3)).collect();
    let header = "step,time,agent,group,x,y,z\n";
    let text = header.to_owned() + &rows.concat();
    let first = header.len() + rows[0].len();
    for end in first..=text.len() {
        let file = read_trajectories(&text.as_bytes()[..end], TrajectoryFormat::Csv, &TrajectoryOptions::default());
        let file = file.unwrap_or_else(|error| panic!("{}: {error}", &text[..end]));
        let complete = (end - header.len()) / rows[0].len();
        // A row that lacks its line end alone is whole.
        let rest = (end - header.len()) % rows[0].len();
        let expected = complete + usize::from(rest == rows[0].len() - 1);
        assert_eq!(file.rows().count(), expected, "{}", &text[..end]);
        assert_eq!(file.cut.is_some(), rest > 0 && expected == complete, "{}", &text[..end]);
        if let Some(place) = file.cut {
            assert_eq!(place.to_string(), format!("line {}", complete + 2));
        }
    }
    // A stray quote in a whole row takes the rows after it with it: that is no cut row.
    let stray = "step,time,agent,x,y,group\n0,0,1,1,2,a\n1,1,1,1,2,\"a\n2,2,1,1,2,a\n3,3,1,1,2,a";
    let message = csv(stray).unwrap_err();
    assert!(message.contains("line 3: found `a`, expected a closing quote of the field"), "{message}");
    let odd = text[..text.len() - 1].replacen("1,1,5,\"east, low\"", "1,1,5,\"east, low", 1);
    assert!(csv(&odd).is_ok(), "the last row alone may end in its quoted name");
    // A row with a fault in front of its last field was not cut there.
    let message = csv("step,time,agent,x,y,group\n0,0,1,1,2,a\n1,1,1,x,2,a").unwrap_err();
    assert!(message.contains("line 3: found `x`, expected a finite number as x"), "{message}");
    // Rows in the middle are not forgiven, nor is a header without a row.
    let faulty = text.replacen("1.5", "x", 1);
    for bad in [faulty.as_str(), &text[..first - 3], &text.replacen(",0\n", "\n", 1)] {
        assert!(
            read_trajectories(bad.as_bytes(), TrajectoryFormat::Csv, &TrajectoryOptions::default()).is_err(),
            "{bad}"
        );
    }
}
