//! `load` and `check`: from files, as a user meets them.

use crate::Options;
use crate::meshes;
use crate::table;
use crate::timing::{Contestant, median, race};
use heurt_io::{Format, Model, Part};
use heurt_mesh::generate::{Assembly, Relation, clash_field};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Measures reading a binary STL of a million triangles: the bytes alone, and with the file.
pub fn load(options: &Options) -> Result<(), String> {
    let mesh = meshes::bumpy(1_000_000);
    let count = mesh.triangles().len();
    let path = options.data.join("million.stl");
    write(&path, &Model::from_mesh("million", mesh), Format::Stl)?;
    let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let parse = |bytes: &[u8]| {
        let model = heurt_io::read(bytes, Format::Stl).expect("a file that was just written");
        model.meshes[0].vertices().len() as u64
    };
    let field = vec![
        Contestant::new("heurt, bytes to mesh", |_| parse(&bytes)),
        Contestant::new("heurt, file to mesh", |_| parse(&fs::read(&path).expect("a file that was just written"))),
        Contestant::new("heurt, file to shape (two threads)", |_| {
            let bytes = fs::read(&path).expect("a file that was just written");
            let mut model = heurt_io::read(&bytes, Format::Stl).expect("a file that was just written");
            crate::peers::ours::shape(model.meshes.remove(0)).mesh().triangles().len() as u64
        }),
    ];
    let outcomes = race(options.rounds.min(5), field);
    println!("\n### load: binary STL, {count} triangles, {} MB\n", bytes.len() / 1_000_000);
    println!("| what | least time | vertices or triangles |\n|---|---|---|");
    for outcome in outcomes {
        println!("| {} | {} | {} |", outcome.name, table::time(outcome.median()), outcome.answers[0]);
    }
    Ok(())
}

/// Measures `heurt check` on 1,000 parts of 500k triangles in all, a process from start to end.
pub fn check(options: &Options) -> Result<(), String> {
    let assembly = clash_field(1000, 500_000, options.seed).map_err(|error| error.to_string())?;
    let contained =
        assembly.interferences.iter().filter(|one| matches!(one.relation, Relation::Contained { .. })).count();
    let expected = assembly.interferences.len();
    let glb = options.data.join("field.glb");
    write(&glb, &model(&assembly), Format::Glb)?;
    let folder = options.data.join("field");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for part in &assembly.parts {
        let mesh = assembly.meshes[part.mesh].transformed(&part.pose).map_err(|error| error.to_string())?;
        write(&folder.join(format!("{}.stl", part.name)), &Model::from_mesh(&part.name, mesh), Format::Stl)?;
    }
    println!(
        "\n### check: {} parts, {} triangles, {expected} interfering pairs, {contained} of them containments\n",
        assembly.parts.len(),
        assembly.triangles()
    );
    println!("| input | least | median of {} | exit status | pairs reported |\n|---|---|---|---|---|", options.rounds);
    for (name, input) in [("one GLB", &glb), ("a folder of STL", &folder)] {
        let run = |report: &str| {
            let mut command = Command::new(&options.heurt);
            command.arg("check").arg(input).args(report.split_whitespace());
            command.stdout(Stdio::piped()).stderr(Stdio::null());
            command.output().map_err(|error| format!("{}: {error}: build it first", options.heurt.display()))
        };
        let mut times = Vec::new();
        let mut status = None;
        for _ in 0..options.rounds {
            let start = Instant::now();
            status = run("")?.status.code();
            times.push(start.elapsed().as_nanos() as f64);
        }
        let csv = String::from_utf8_lossy(&run("--csv")?.stdout).into_owned();
        let reported = csv.lines().count().saturating_sub(1);
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let (least, middle) = (table::time(least), table::time(median(&times)));
        println!("| {name} | {least} | {middle} | {status:?} | {reported} of {expected} |");
    }
    Ok(())
}

fn model(assembly: &Assembly) -> Model {
    let part = |part: &heurt_mesh::generate::Part| Part::new(part.name.clone(), part.mesh, part.pose);
    Model { meshes: assembly.meshes.clone(), parts: assembly.parts.iter().map(part).collect(), ..Model::default() }
}

fn write(path: &Path, model: &Model, format: Format) -> Result<(), String> {
    let mut bytes = Vec::new();
    heurt_io::write(model, format, &mut bytes).map_err(|error| error.to_string())?;
    fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(|error| error.to_string())?;
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}
