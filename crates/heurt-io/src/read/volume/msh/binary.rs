//! Gmsh files with binary nodes and elements, of either endianness.
//!
//! In: words up to the header, bytes from there. Out: nodes and elements. Method: a one after the header determines the
//! endianness. Sections begin with a line of text; sections that are not read are skipped up to their end line. Cost:
//! O(bytes).

use super::{MshElement, MshMesh, check_parametric, element_type};
use crate::read::volume::Words;
use crate::read::volume::binary::{Array, BinaryScalar};
use crate::read::volume::grid::CellType;
use crate::{Place, ReadError};

pub(super) fn read(bytes: &[u8], words: &mut Words<'_>, is_new: bool, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
    let size = words.whole("the size of a number, 8")?;
    if size != 8 {
        let what = format!("numbers of {size} bytes");
        let remedy = "save it with numbers of 8 bytes, or as text";
        return Err(ReadError::Unsupported { place: words.place(), what, remedy });
    }
    words.turn_binary(bytes.len());
    let place = words.place();
    let (one, _) = words.block(1, 4, "binary numbers")?;
    let is_big = match one {
        [1, 0, 0, 0] => false,
        [0, 0, 0, 1] => true,
        other => {
            return Err(ReadError::syntax(place, format!("{other:?}").as_bytes(), "the four bytes of the number 1"));
        }
    };
    let mut reader = MshReader { words, is_big };
    while let Some(line) = reader.words.next_line() {
        match line.trim_ascii() {
            b"$Nodes" if is_new => reader.read_node_blocks(mesh)?,
            b"$Nodes" => reader.read_nodes(mesh)?,
            b"$Elements" if is_new => reader.read_element_blocks(mesh)?,
            b"$Elements" => reader.read_elements(mesh)?,
            [b'$', name @ ..] if !name.starts_with(b"End") => reader.pass_section(name),
            _ => {}
        }
    }
    Ok(())
}

struct MshReader<'w, 'a> {
    words: &'w mut Words<'a>,
    is_big: bool,
}

impl<'a> MshReader<'_, 'a> {
    /// Moves to the end of a section, or of the file.
    fn pass_section(&mut self, name: &[u8]) {
        let end = [b"$End", name].concat();
        let rest = self.words.lines.rest();
        let length = rest.windows(end.len()).position(|part| part == end).unwrap_or(rest.len());
        self.words.lines.pass(length);
    }

    fn array(&mut self, count: u64, scalar: BinaryScalar, what: &'static str) -> Result<Array<'a>, ReadError> {
        self.words.array(count, scalar, self.is_big, what)
    }

    /// Reads `N` numbers of a header; sizes beyond `i64` are saturated.
    fn numbers<const N: usize>(&mut self, scalar: BinaryScalar) -> Result<[i64; N], ReadError> {
        let array = self.array(N as u64, scalar, "numbers of a header")?;
        Ok(std::array::from_fn(|number| array.whole(number)))
    }

    /// Reads the head of a block: three numbers, the last for example the type of its elements, and the number of its
    /// items.
    fn block(&mut self) -> Result<(i64, u64), ReadError> {
        let [_, _, kind] = self.numbers(BinaryScalar::I32)?;
        let [count] = self.numbers(BinaryScalar::U64)?;
        Ok((kind, count as u64))
    }

    fn read_nodes(&mut self, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
        const SIZE: usize = 4 + 3 * 8;
        let count = self.words.count("the number of nodes")?;
        let (bytes, begin) = self.words.block(count, SIZE, "nodes")?;
        for (number, node) in bytes.chunks_exact(SIZE).enumerate() {
            let place = || Place::Offset((begin + number * SIZE) as u64);
            let point = BinaryScalar::F64.point(&node[4..], self.is_big, |_| place())?;
            mesh.push(BinaryScalar::I32.whole(node, self.is_big), point, place)?;
        }
        Ok(())
    }

    fn read_node_blocks(&mut self, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
        let [blocks, _, _, _] = self.numbers(BinaryScalar::U64)?;
        for _ in 0..blocks {
            let place = self.words.place();
            let (is_parametric, count) = self.block()?;
            check_parametric(is_parametric, place)?;
            let tags = self.array(count, BinaryScalar::U64, "tags of nodes")?;
            let points = self.array(count.saturating_mul(3), BinaryScalar::F64, "coordinates")?;
            for (number, point) in points.points()?.into_iter().enumerate() {
                mesh.push(tags.whole(number), point, || points.place(3 * number))?;
            }
        }
        Ok(())
    }

    fn read_elements(&mut self, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
        let mut missing = self.words.count("the number of elements")?;
        while missing > 0 {
            let place = self.words.place();
            let [number, count, tags] = self.numbers(BinaryScalar::I32)?;
            let count = u64::try_from(count).ok().filter(|&count| (1..=missing).contains(&count));
            let (Some(count), Ok(tags)) = (count, usize::try_from(tags)) else {
                let expected = format!("from 1 to {missing} elements, and their number of tags");
                return Err(ReadError::syntax(place, b"a wrong count", expected));
            };
            missing -= count;
            let (kind, nodes) = element_type(number, mesh.grid, || place.clone())?;
            self.read_list(kind, count, tags.saturating_add(1), nodes, BinaryScalar::I32, mesh)?;
        }
        Ok(())
    }

    fn read_element_blocks(&mut self, mesh: &mut MshMesh<'_>) -> Result<(), ReadError> {
        let [blocks, _, _, _] = self.numbers(BinaryScalar::U64)?;
        for _ in 0..blocks {
            let place = self.words.place();
            let (number, count) = self.block()?;
            let (kind, nodes) = element_type(number, mesh.grid, || place.clone())?;
            self.read_list(kind, count, 1, nodes, BinaryScalar::U64, mesh)?;
        }
        Ok(())
    }

    /// Reads elements of one kind, each with a fixed number of ignored numbers, and nodes.
    fn read_list(
        &mut self,
        cell: Option<CellType>,
        count: u64,
        skipped: usize,
        nodes: usize,
        scalar: BinaryScalar,
        mesh: &mut MshMesh<'_>,
    ) -> Result<(), ReadError> {
        let size = skipped.saturating_add(nodes).saturating_mul(scalar.size());
        let (bytes, begin) = self.words.block(count, size, "elements")?;
        let Some(cell) = cell else { return Ok(()) };
        for (number, element) in bytes.chunks_exact(size).enumerate() {
            let mut tags = [0; 8];
            let corners = element[skipped * scalar.size()..].chunks_exact(scalar.size());
            for (tag, corner) in tags.iter_mut().zip(corners) {
                *tag = scalar.whole(corner, self.is_big);
            }
            let place = Place::Offset((begin + number * size) as u64);
            mesh.elements.push(MshElement { cell, tags, place });
        }
        Ok(())
    }
}
