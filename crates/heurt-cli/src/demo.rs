//! `heurt` without arguments: checks the built-in assembly, and prints next steps.

use crate::check::{LoadedAssembly, TableOptions, check_report_name, print_table, write_report};
use crate::output::{Output, printable};
use crate::view::page;
use crate::{Failure, status::Status};
use heurt::assembly::{Search, Selection, find_interferences};
use heurt::mesh::generate::demo_assembly;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

const STORY: &str = "\
heurt reports which parts interfere, and where. Here is a small gearbox that is built into the program: base plate,
brackets, bolts, shafts and gears, with a few mistakes in it.
";

const NEXT: &str = "
Try next:
  heurt make demo -o gearbox.glb              write this assembly to a file
  heurt check gearbox.glb --contours cut.obj  check that file, and write the curves in which surfaces meet
  heurt check a.stl b.stl                     check your own parts; heurt check parts/ for a folder
  heurt inspect part.stl                      is a mesh closed? what is wrong with it?
  heurt --help                                everything else
";

/// Checks and prints. The mistakes are intended, so the status is the status of success.
pub(crate) fn run(report: Option<&Path>, out: &mut Output) -> Result<Status, Failure> {
    report.map(check_report_name).transpose()?;
    let started = Instant::now();
    let demo = demo_assembly()?;
    let assembly =
        LoadedAssembly::from_memory(demo.meshes, demo.parts.into_iter().map(|part| (part.name, part.mesh, part.pose)));
    let selection = Selection::default();
    let search = Search::new(&selection);
    let findings = find_interferences(&assembly, &search)?;
    if let Some(path) = report {
        write_report(&assembly, &findings, None, "the assembly built into heurt", path)?;
    }
    let mut print = || {
        writeln!(out, "{STORY}")?;
        let options = TableOptions {
            limit: usize::MAX,
            elapsed: started.elapsed(),
            comparison: None,
            numbered: report.is_some(),
        };
        print_table(&assembly, &findings, &options, out)?;
        if let Some(path) = report {
            writeln!(out, "\nThe report is in {}: open it in a browser.", printable(&path.to_string_lossy()))?;
        }
        out.write_all(NEXT.as_bytes())?;
        // Nothing is offered that this program cannot do.
        if page::file("report.html").is_some() {
            writeln!(
                out,
                "  heurt --report gearbox.html                 this assembly and its mistakes, in a browser"
            )?;
        }
        Ok(())
    };
    print().map_err(Failure::output)?;
    Ok(Status::Clear)
}
