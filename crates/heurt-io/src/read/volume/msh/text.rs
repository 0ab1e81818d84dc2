//! Gmsh files as text.
//!
//! In: words. Out: nodes and elements. Cost: O(bytes).

use super::{MshElement, MshMesh, check_parametric, element_type};
use crate::ReadError;
use crate::read::volume::Words;
use crate::read::volume::grid::CellType;

pub(super) fn read(words: &mut Words<'_>, is_new: bool, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
    while let Some(line) = words.next_line() {
        match line.trim_ascii() {
            b"$Nodes" if is_new => read_node_blocks(words, mesh)?,
            b"$Nodes" => read_nodes(words, mesh)?,
            b"$Elements" if is_new => read_element_blocks(words, mesh)?,
            b"$Elements" => read_elements(words, mesh)?,
            _ => {}
        }
    }
    Ok(())
}

fn read_nodes(words: &mut Words<'_>, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
    for _ in 0..words.count("the number of nodes")? {
        let tag = words.whole("the number of a node")?;
        let point = words.point()?;
        mesh.push(tag, point, || words.place())?;
    }
    Ok(())
}

fn read_node_blocks(words: &mut Words<'_>, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
    let [blocks, _, _, _] = header(words)?;
    for _ in 0..blocks {
        let [_, _, is_parametric, count] = header(words)?;
        check_parametric(is_parametric, words.place())?;
        let mut tags = Vec::new();
        for _ in 0..count {
            tags.push(words.whole("the tag of a node")?);
        }
        for tag in tags {
            let point = words.point()?;
            mesh.push(tag, point, || words.place())?;
        }
    }
    Ok(())
}

fn header(words: &mut Words<'_>) -> Result<[i64; 4], ReadError> {
    let mut header = [0; 4];
    for number in &mut header {
        *number = words.whole("a whole number")?;
    }
    Ok(header)
}

fn read_corners(words: &mut Words<'_>, cell: CellType, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
    let mut tags = [0; 8];
    for tag in &mut tags[..cell.kind.corners()] {
        *tag = words.whole("the number of a node")?;
    }
    for _ in cell.kind.corners()..cell.nodes {
        words.whole("the number of a node")?;
    }
    mesh.elements.push(MshElement { cell, tags, place: words.place() });
    Ok(())
}

fn read_elements(words: &mut Words<'_>, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
    for _ in 0..words.count("the number of elements")? {
        words.whole("the number of an element")?;
        let number = words.whole("the type of an element")?;
        let (Some(kind), _) = element_type(number, mesh.grid, || words.place())? else {
            words.line = b"";
            continue;
        };
        for _ in 0..words.count("the number of tags")? {
            words.whole("a tag")?;
        }
        read_corners(words, kind, mesh)?;
    }
    Ok(())
}

fn read_element_blocks(words: &mut Words<'_>, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
    let [blocks, _, _, _] = header(words)?;
    for _ in 0..blocks {
        let [_, _, number, count] = header(words)?;
        let (kind, _) = element_type(number, mesh.grid, || words.place())?;
        for _ in 0..count {
            words.whole("the tag of an element")?;
            match kind {
                Some(kind) => read_corners(words, kind, mesh)?,
                None => words.line = b"",
            }
        }
    }
    Ok(())
}
