//! What a terminal, a pipe and a departed reader see; `make`, `inspect`, `completions`, `--help`.

use crate::support::{CUBE, Workshop};
use std::io::Read;
use std::process::Stdio;

#[test]
fn no_colour_reaches_a_pipe() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    for arguments in [&["check", "a.obj", "a.obj"][..], &["inspect", "a.obj"], &[], &["check", "gone.obj"], &["--help"]]
    {
        let run = shop.run(arguments);
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{arguments:?}");
    }
}

/// Runs on a terminal of its own, where the system has `script` for it.
#[cfg(target_os = "linux")]
fn on_a_terminal(shop: &Workshop, no_color: bool, arguments: &str) -> Option<String> {
    let line = format!("stty cols 100; {} {arguments}", env!("CARGO_BIN_EXE_heurt"));
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(shop.path()).env("TERM", "xterm").env_remove("NO_COLOR");
    if no_color {
        command.env("NO_COLOR", "1");
    }
    let output = command.stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let shop = Workshop::new();
    shop.file("a.obj", CUBE);
    let Some(coloured) = on_a_terminal(&shop, false, "check a.obj a.obj") else { return };
    assert!(coloured.contains("\u{1b}["), "{coloured}");
    for arguments in ["check a.obj a.obj", "inspect a.obj", "check gone.obj", ""] {
        let plain = on_a_terminal(&shop, true, arguments).expect("it ran before");
        assert!(!plain.contains("\u{1b}["), "{plain}");
    }
}

/// Parsing of the arguments, not optimised, takes 0.8 MB of stack, most of the 1 MB that Windows gives a main thread.
#[cfg(target_os = "linux")]
#[test]
fn the_main_thread_needs_little_stack() {
    let shop = Workshop::new();
    // In kB; main threads have 8192 on Linux.
    let line = "ulimit -s 256 && exec \"$0\" make box -o box.stl";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", line, env!("CARGO_BIN_EXE_heurt")]).current_dir(shop.path());
    let output = command.output().expect("there is a shell");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(shop.path().join("box.stl").is_file());
}

#[test]
fn a_reader_that_goes_away_ends_the_program_quietly() {
    let shop = Workshop::new();
    shop.make(&["field", "--parts", "40", "--triangles", "4000", "-o", "field.glb"]);
    let commands: [&[&str]; 3] = [
        &["make", "sphere", "--segments", "600", "-o", "-"],
        &["inspect", "field.glb", "--json"],
        &["check", "field.glb", "--json"],
    ];
    for arguments in commands {
        let mut child =
            shop.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut first = [0; 16];
        let mut stdout = child.stdout.take().expect("piped");
        stdout.read_exact(&mut first).expect("something is said");
        drop(stdout);
        let output = child.wait_with_output().expect("it ends");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{arguments:?}: {:?}", output.status);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_shell_appends_to_is_not_cut_off() {
    let shop = Workshop::new();
    let log = shop.file("log.txt", "before\n");
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let appended = std::fs::File::options().append(true).open(&log).expect("there");
        let made = shop.command(&["make", "cube", "--format", "off", "-o", name]).stdout(appended).output();
        assert!(made.expect("it runs").status.success());
    }
    let text = std::fs::read_to_string(&log).expect("text");
    assert!(text.starts_with("before\nOFF") && text.matches("OFF").count() == 3, "{text}");
}

#[test]
fn help_teaches_and_versions_are_told() {
    let shop = Workshop::new();
    let version = shop.run(&["--version"]);
    assert_eq!(version.out.trim(), concat!("heurt ", env!("CARGO_PKG_VERSION")));
    for arguments in
        [&["--help"][..], &["check", "--help"], &["inspect", "--help"], &["make", "--help"], &["query", "--help"]]
    {
        let help = shop.run(arguments);
        assert_eq!(help.code, Some(0));
        assert!(help.out.contains("heurt check") || help.out.contains("Examples:"), "{arguments:?}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = shop.run(&["completions", shell]);
        assert_eq!(script.code, Some(0));
        assert!(script.out.contains("ignore-touching"), "{shell}");
    }
}

#[test]
fn every_shape_is_made_closed_and_in_every_format() {
    let shop = Workshop::new();
    let shapes = "tetrahedron cube octahedron dodecahedron icosahedron box sphere icosphere cylinder cone capsule torus \
        superellipsoid supertoroid bumpy-sphere wavy-disc bolt nut washer bracket gear plate";
    for shape in shapes.split_whitespace() {
        shop.make(&[shape, "-o", "part.ply"]);
        let report = shop.run(&["inspect", "part.ply", "--json"]).json();
        let mesh = &report["meshes"][0];
        assert_eq!(mesh["closed"], true, "{shape}");
        assert_eq!(mesh["faults"], serde_json::json!([]), "{shape}");
        assert!(mesh["volume"].as_f64() > Some(0.0), "{shape}");
    }
    for format in ["obj", "stl", "ply", "off", "glb", "gltf"] {
        let name = format!("gear.{format}");
        shop.make(&["gear", "--teeth", "12", "-o", &name]);
        let mesh = &shop.run(&["inspect", &name, "--json"]).json()["meshes"][0];
        assert_eq!((&mesh["triangles"], &mesh["closed"]), (&(32 * 6 * 12).into(), &true.into()), "{format}");
    }
    for arguments in [&["torus", "-o", "t.dxf"][..], &["torus", "--wireframe", "-o", "t.dxf"]] {
        shop.make(arguments);
        let dxf = std::fs::read_to_string(shop.path().join("t.dxf")).expect("written");
        assert_eq!(dxf.contains("POLYLINE"), arguments.contains(&"--wireframe"));
        assert!(dxf.ends_with("EOF\n"));
    }
}

#[test]
fn resolution_can_be_asked_for_in_triangles() {
    let shop = Workshop::new();
    let count = |arguments: &[&str]| {
        shop.make(&[arguments, &["-o", "part.stl"]].concat());
        shop.run(&["inspect", "part.stl", "--json"]).json()["meshes"][0]["triangles"].as_u64().expect("a number")
    };
    assert!((5000..6000).contains(&count(&[
        "superellipsoid",
        "--radii",
        "1,2,3",
        "--n1",
        "0.5",
        "--n2",
        "1.5",
        "--triangles",
        "5000"
    ])));
    assert_eq!(count(&["box", "--subdivide", "2"]), 12 * 16);
    assert_eq!(count(&["sphere", "--segments", "10"]), 2 * 10 * 4);
}

#[test]
fn files_of_killed_runs_are_neither_in_the_way_nor_left_for_ever() {
    let shop = Workshop::new();
    let file = |name: &str, seconds: u64| {
        let path = shop.file(name, "half a file");
        let file = std::fs::File::options().write(true).open(&path).expect("opened");
        file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(seconds)).expect("set");
        (path, file)
    };
    let (old, _) = file(".heurt-7-0.part", 4000);
    let (new, _) = file(".heurt-8-0.part", 10);
    let (foreign, _) = file(".heurt-notes.part", 4000);
    let (locked, in_use) = file(".heurt-9-0.part", 4000);
    in_use.lock().expect("locked");
    shop.make(&["box", "-o", "box.stl"]);
    assert!(!old.exists() && shop.path().join("box.stl").exists());
    assert!(new.exists() && foreign.exists() && locked.exists());
    assert_eq!(std::fs::read_dir(shop.path()).expect("listed").count(), 4);
}

#[test]
fn rounding_errors_of_sums_are_shown_as_zero() {
    let shop = Workshop::new();
    shop.make(&["box", "--half", "0.05,0.07,0.2", "-o", "box.obj"]);
    let table = shop.run(&["inspect", "box.obj"]).out;
    let after = |start: &str| table.lines().skip_while(|line| !line.contains(start)).collect::<Vec<_>>();
    assert!(after("centroid")[0].contains("0  0  0 "), "{table}");
    let cells: Vec<Vec<&str>> = after("inertia at")[..3]
        .iter()
        .map(|line| line.split('┆').nth(1).unwrap_or("").split_whitespace().collect())
        .collect();
    for (row, cells) in cells.iter().enumerate() {
        for (column, &cell) in cells.iter().enumerate().take(3) {
            assert_eq!(cell == "0", row != column, "{table}");
        }
    }
}

#[test]
fn small_moments_of_inertia_are_no_rounding_errors() {
    let shop = Workshop::new();
    shop.make(&["box", "--half", "1e8,0.5,0.5", "-o", "needle.obj"]);
    let table = shop.run(&["inspect", "needle.obj"]).out;
    let line = table.lines().find(|line| line.contains("inertia at")).unwrap_or_default();
    let first = line.split('┆').nth(1).and_then(|cell| cell.split_whitespace().next());
    assert!(first.is_some_and(|moment| moment != "0"), "{table}");
}
