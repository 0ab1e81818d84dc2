//! Scenes of agents with outlines: keys, meshes, faults with their lines.

use heurt_scene::describe::LocatedFault;
use heurt_scene::{CrowdScene, DiskFiles, SceneFiles, outline_rows};
use std::io;
use std::path::Path;

/// A hall of 30 m × 10 m, and a body in it with keys of its form.
fn scene(keys: &str) -> String {
    format!(
        "[crowd]\nenvironment = \"POLYGON((0 0, 30 0, 30 10, 0 10, 0 0))\"\n[[agents]]\nname = \"cart\"\n\
         places = [[5, 5]]\nspeed = 1.5\ngoals = [\"POLYGON((27 0, 30 0, 30 10, 27 10, 27 0))\"]\n{keys}\n"
    )
}

fn read(text: &str) -> Result<CrowdScene, LocatedFault> {
    CrowdScene::read(text, Path::new(""), &DiskFiles)
}

const CART: &str = "[[-1, -0.5], [1, -0.5], [1, 0.5], [-1, 0.5]]";

#[test]
fn forms_have_sections_and_reach_their_goals() {
    let follower = "[[-3.2, -0.5], [-1.2, -0.5], [-1.2, 0.5], [-3.2, 0.5]]";
    for (keys, sections) in [
        (format!("outline = {CART}"), 1),
        (format!("outline = {CART}\nbody = \"rigid\""), 1),
        (format!("outline = {CART}\nbody = \"deforming\""), 1),
        (format!("sections = [{CART}, {follower}]\nbody = \"articulated\""), 2),
    ] {
        let scene = read(&scene(&keys)).expect("readable");
        let mut crowd = scene.build().expect("sound");
        assert_eq!(crowd.sections_of(0).count(), sections, "{keys}");
        let rows = outline_rows(&crowd, 3);
        assert_eq!(rows.lines().count(), 4 * sections);
        assert!(rows.starts_with("3,0,0,0,4,4.5,0\n"), "{rows}");
        while !crowd.is_empty() && crowd.time() < 60.0 {
            crowd.step(0.05);
        }
        assert_eq!(crowd.report().arrived, 1, "{keys}");
    }
}

/// A wedge as Wavefront OBJ, 2 m long and 1 m wide.
struct Wedge;

impl SceneFiles for Wedge {
    fn read(&self, path: &Path, _: u64) -> io::Result<Vec<u8>> {
        assert!(path.ends_with("wedge.obj"), "{}", path.display());
        Ok(b"v -1 -0.5 0\nv 1 -0.5 0\nv 1 0.5 0\nv -1 0.5 0\nv -1 0 1\nf 1 4 3 2\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"
            .to_vec())
    }
}

#[test]
fn meshes_have_footprints() {
    let scene = CrowdScene::read(&scene("mesh = \"wedge.obj\""), Path::new(""), &Wedge).expect("readable");
    let crowd = scene.build().expect("sound");
    let corners = crowd.sections_of(0).next().expect("an outline");
    assert_eq!(corners.len(), 4);
    let [low, high] = [0, 1].map(|k| {
        let fold = if k == 0 { f64::min } else { f64::max };
        corners.iter().map(|corner| corner.x).fold(corners[0].x, fold)
    });
    assert_eq!([low, high], [4.0, 6.0]);
}

#[test]
fn faults_of_forms_name_line_key_and_cause() {
    for (keys, line, part) in [
        (format!("outline = {CART}\nsections = [{CART}]"), 8, "give one of outline, mesh and sections"),
        ("sections = []".to_owned(), 8, "give at least one outline"),
        ("outline = [[0, 0], [1, 1], [1, 0], [0, 1]]".to_owned(), 8, "crosses or touches itself near (0, 0)"),
        ("outline = [[0, 0], [1, 0], [1, \"a\"]]".to_owned(), 8, "agents[0].outline[2]"),
        (format!("outline = {CART}\nbody = \"articulated\""), 9, "give the sections of the body"),
        (format!("sections = [{CART}]\nbody = \"deforming\""), 9, "give the outline or the mesh of the body"),
        ("body = \"rigid\"".to_owned(), 8, "give the outline or the mesh of the body"),
        ("mesh = \"no.obj\"".to_owned(), 8, "no.obj"),
        ("paces = [0.5, 0]".to_owned(), 8, "agents[0].paces[1]"),
    ] {
        let fault = read(&scene(&keys)).expect_err("a fault");
        assert!(fault.line == line && fault.reason.contains(part), "{keys}: {fault:?}");
    }
    let rounds = scene("rounds = true").replace("goals = [\"POLYGON((27 0, 30 0, 30 10, 27 10, 27 0))\"]", "");
    let fault = read(&rounds).expect_err("a fault");
    assert!(fault.line == 8 && fault.reason.contains("give goals as a list of areas"), "{fault:?}");
    for (keys, line, part) in [
        ("paces = [1, 2]", 8, "its number of paces is 2: give one for each set of goals"),
        ("outline = [[1, 0], [2, 0], [2, 1]]", 8, "its origin (0, 0) is outside of the outline"),
        ("outline = [[-6, -0.5], [1, -0.5], [1, 0.5], [-6, 0.5]]", 5, "the outline of agent 0 at (5, 5) crosses"),
        ("outline = [[-1, -5.5], [1, -5.5], [1, 5.5], [-1, 5.5]]", 3, "fit nowhere"),
    ] {
        let faults = read(&scene(keys)).expect("readable").build().expect_err("a fault");
        let found = faults.iter().any(|fault| fault.reason.contains(part));
        assert!(found, "{keys}: {faults:?}");
        assert!(faults.iter().any(|fault| fault.line == line), "{keys}: {faults:?}");
    }
}
