//! Volume meshes in binary files: the same mesh as from text, whatever is cut, changed or declared gives an answer.
//!
//! The writers here are the formats' descriptions turned into code, apart from the readers.

use crate::hybrid::expected;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heurt_io::{Place, ReadError, VolumeFormat, read_volume};
use proptest::prelude::*;

/// Cells by VTK type, the last one a triangle, and their corners.
const CELLS: [(u8, &[u32]); 5] = [
    (12, &[0, 1, 2, 3, 4, 5, 6, 7]),
    (14, &[4, 5, 6, 7, 8]),
    (13, &[1, 9, 5, 2, 10, 6]),
    (10, &[1, 9, 5, 11]),
    (5, &[0, 1, 2]),
];

/// Corners of a cell as Gmsh and MEDIT have them: the triangles of a prism turned.
fn other_order(kind: u8, corners: &[u32]) -> Vec<u32> {
    if kind == 13 { [0, 2, 1, 3, 5, 4].map(|place| corners[place]).to_vec() } else { corners.to_vec() }
}

/// Bytes to write to, of either endianness.
struct Out {
    bytes: Vec<u8>,
    is_big: bool,
}

impl Out {
    fn new(is_big: bool) -> Self {
        Self { bytes: Vec::new(), is_big }
    }

    fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn put<const N: usize>(&mut self, mut little: [u8; N]) {
        if self.is_big {
            little.reverse();
        }
        self.bytes.extend_from_slice(&little);
    }

    fn int(&mut self, number: i64) {
        self.put((number as i32).to_le_bytes());
    }

    fn long(&mut self, number: i64) {
        self.put(number.to_le_bytes());
    }

    fn coordinates(&mut self, is_single: bool) {
        for coordinate in expected().vertices.iter().flat_map(|point| point.to_array()) {
            if is_single { self.put((coordinate as f32).to_le_bytes()) } else { self.put(coordinate.to_le_bytes()) }
        }
    }
}

fn corners() -> impl Iterator<Item = i64> {
    CELLS.into_iter().flat_map(|cell| cell.1).map(|&corner| i64::from(corner))
}

fn ends() -> impl Iterator<Item = i64> {
    CELLS.into_iter().scan(0, |end, cell| {
        *end += cell.1.len() as i64;
        Some(*end)
    })
}

fn vtk(is_new: bool, is_single: bool) -> Vec<u8> {
    let mut out = Out::new(true);
    let (version, real) = (if is_new { "5.1" } else { "4.2" }, if is_single { "float" } else { "double" });
    out.text(&format!("# vtk DataFile Version {version}\na title\nBINARY\nDATASET UNSTRUCTURED_GRID\n"));
    out.text("FIELD FieldData 1\nTime 1 1 double\n");
    out.put(2.5f64.to_le_bytes());
    out.text(&format!("\nPOINTS 12 {real}\n"));
    out.coordinates(is_single);
    out.text("\nMETADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0 2.2\n\n");
    if is_new {
        out.text("CELLS 6 26\nOFFSETS vtktypeint64\n");
        [0].into_iter().chain(ends()).for_each(|end| out.long(end));
        out.text("\nCONNECTIVITY vtktypeint64\n");
        corners().for_each(|corner| out.long(corner));
    } else {
        out.text("CELLS 5 31\n");
        for (_, corners) in CELLS {
            out.int(corners.len() as i64);
            corners.iter().for_each(|&corner| out.int(i64::from(corner)));
        }
    }
    out.text("\nCELL_TYPES 5\n");
    CELLS.iter().for_each(|cell| out.int(i64::from(cell.0)));
    out.text("\nCELL_DATA 5\nSCALARS a int\nLOOKUP_TABLE default\n");
    (0..5).for_each(|number| out.int(number));
    out.bytes
}

/// How a VTU file is laid down.
#[derive(Debug, Clone, Copy)]
struct Vtu {
    is_big: bool,
    has_long_headers: bool,
    /// Bytes of a block before it is packed; none: nothing is packed.
    block: Option<usize>,
    encoding: Encoding,
    /// Gives base64 of headers an end of its own, as writers do or not.
    ends_headers: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Encoding {
    Inline,
    Raw,
    Base64,
}

impl Vtu {
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for number in 0..32 {
            let [is_big, has_long_headers, is_packed, is_small, ends_headers] =
                [1, 2, 4, 8, 16].map(|bit| number & bit != 0);
            // Blocks of 31 and 48 bytes leave a last one that is smaller or none.
            let block = is_packed.then_some(if is_small { 31 } else { 48 });
            for encoding in [Encoding::Inline, Encoding::Raw, Encoding::Base64] {
                all.push(Self { is_big, has_long_headers, block, encoding, ends_headers });
            }
        }
        all
    }

    /// A header and what follows it.
    fn array(self, bytes: &[u8]) -> [Vec<u8>; 2] {
        let mut header = Out::new(self.is_big);
        let mut word = |number: usize| {
            if self.has_long_headers { header.long(number as i64) } else { header.int(number as i64) }
        };
        let Some(block) = self.block else {
            word(bytes.len());
            return [header.bytes, bytes.to_vec()];
        };
        let blocks: Vec<Vec<u8>> =
            bytes.chunks(block).map(|block| miniz_oxide::deflate::compress_to_vec_zlib(block, 6)).collect();
        [blocks.len(), block, bytes.len() % block].into_iter().for_each(&mut word);
        blocks.iter().for_each(|block| word(block.len()));
        [header.bytes, blocks.concat()]
    }

    fn encoded(self, bytes: &[u8]) -> Vec<u8> {
        let [header, data] = self.array(bytes);
        let encode = |bytes: &[u8]| BASE64_STANDARD.encode(bytes).into_bytes();
        match self.encoding {
            Encoding::Raw => [header, data].concat(),
            _ if self.ends_headers => [encode(&header), encode(&data)].concat(),
            _ => encode(&[header, data].concat()),
        }
    }

    fn write(self) -> Vec<u8> {
        let order = if self.is_big { "BigEndian" } else { "LittleEndian" };
        let header = if self.has_long_headers { "UInt64" } else { "UInt32" };
        let compressor = if self.block.is_some() { "compressor=\"vtkZLibDataCompressor\"" } else { "" };
        let mut out = Out::new(self.is_big);
        out.text(&format!(
            "<?xml version=\"1.0\"?>\n<!-- a > comment <Piece> -->\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
             byte_order=\"{order}\" header_type=\"{header}\" {compressor}>\n<UnstructuredGrid>\n\
             <Piece NumberOfPoints=\"12\" NumberOfCells=\"5\">\n<PointData><DataArray type=\"Int8\" Name=\"types\" \
             format=\"binary\">????</DataArray></PointData>\n"
        ));
        let list = |name, kind, fill: &dyn Fn(&mut Out)| {
            let mut data = Out::new(self.is_big);
            fill(&mut data);
            (name, kind, self.encoded(&data.bytes))
        };
        let arrays = [
            list("Points", "Float64", &|out| out.coordinates(false)),
            list("connectivity", "Int64", &|out| corners().for_each(|corner| out.long(corner))),
            list("offsets", "Int32", &|out| ends().for_each(|end| out.int(end))),
            list("types", "UInt8", &|out| out.bytes.extend(CELLS.map(|cell| cell.0))),
        ];
        let mut offset = 0;
        for (number, (name, kind, bytes)) in arrays.iter().enumerate() {
            out.text(["<Points>\n", "</Points>\n<Cells>\n", "", ""][number]);
            let tag = format!("<DataArray type=\"{kind}\" Name=\"{name}\"");
            if self.encoding == Encoding::Inline {
                out.text(&format!("{tag} format=\"binary\">\n  "));
                out.bytes.extend_from_slice(bytes);
                out.text("\n  <InformationKey name=\"a\"></InformationKey>\n</DataArray>\n");
            } else {
                out.text(&format!("{tag} format=\"appended\" offset=\"{offset}\"/>\n"));
                offset += bytes.len();
            }
        }
        out.text("</Cells>\n</Piece>\n</UnstructuredGrid>\n");
        if self.encoding != Encoding::Inline {
            let encoding = if self.encoding == Encoding::Raw { "raw" } else { "base64" };
            out.text(&format!("<AppendedData encoding=\"{encoding}\">\n   _"));
            arrays.iter().for_each(|array| out.bytes.extend_from_slice(&array.2));
            out.text("\n</AppendedData>\n");
        }
        out.text("</VTKFile>\n");
        out.bytes
    }
}

fn gmsh_type(kind: u8) -> i64 {
    match kind {
        12 => 5,
        14 => 7,
        13 => 6,
        10 => 4,
        _ => 2,
    }
}

fn msh(is_new: bool, is_big: bool) -> Vec<u8> {
    let mut out = Out::new(is_big);
    out.text(&format!("$MeshFormat\n{} 1 8\n", if is_new { "4.1" } else { "2.2" }));
    out.int(1);
    out.text("\n$EndMeshFormat\n$Entities\n");
    out.bytes.extend([0x0a, 0x24, 0x4e, 0xff, 0x0d, 0x00]);
    out.text("\n$EndEntities\n$Nodes\n");
    let points: Vec<[f64; 3]> = expected().vertices.iter().map(|point| point.to_array()).collect();
    // The tags are the numbers times ten.
    let tag = |number: usize| 10 * (number as i64 + 1);
    let put_all = |out: &mut Out, point: &[f64; 3]| point.iter().for_each(|x| out.put(x.to_le_bytes()));
    if is_new {
        [2, 12, 10, 120].into_iter().for_each(|number| out.long(number));
        for part in [0..5, 5..12] {
            [3, 1, 0].into_iter().for_each(|number| out.int(number));
            out.long(part.len() as i64);
            part.clone().for_each(|number| out.long(tag(number)));
            part.for_each(|number| put_all(&mut out, &points[number]));
        }
    } else {
        out.text("12\n");
        for (number, point) in points.iter().enumerate() {
            out.int(tag(number));
            put_all(&mut out, point);
        }
    }
    out.text("\n$EndNodes\n$Elements\n");
    if is_new {
        [5, 5, 1, 5].into_iter().for_each(|number| out.long(number));
    } else {
        out.text("5\n");
    }
    for (number, (kind, corners)) in CELLS.into_iter().enumerate() {
        let nodes = other_order(kind, corners).into_iter().map(|corner| tag(corner as usize));
        if is_new {
            [3, 1, gmsh_type(kind)].into_iter().for_each(|number| out.int(number));
            [1, number as i64 + 1].into_iter().chain(nodes).for_each(|number| out.long(number));
        } else {
            [gmsh_type(kind), 1, 2, number as i64 + 1, 0, 0]
                .into_iter()
                .chain(nodes)
                .for_each(|number| out.int(number));
        }
    }
    out.text("\n$EndElements\n");
    out.bytes
}

fn medit(version: i64, is_big: bool) -> Vec<u8> {
    let mut out = Out::new(is_big);
    let whole = |out: &mut Out, number| if version < 4 { out.int(number) } else { out.long(number) };
    let section = |out: &mut Out, code: i64, fill: &dyn Fn(&mut Out)| {
        let (mut body, place) = (Out::new(is_big), if version < 3 { 4 } else { 8 });
        fill(&mut body);
        out.int(code);
        let next = if code == 54 { 0 } else { (out.bytes.len() + place + body.bytes.len()) as i64 };
        if version < 3 {
            out.int(next)
        } else {
            out.long(next)
        }
        out.bytes.extend(body.bytes);
    };
    out.int(1);
    out.int(version);
    section(&mut out, 3, &|body| body.int(3));
    // A section that is not read.
    section(&mut out, 15, &|body| [1, 1].into_iter().for_each(|number| whole(body, number)));
    let cells = |out: &mut Out, code, wanted| {
        section(out, code, &|body| {
            whole(body, 1);
            let (kind, corners) = CELLS.into_iter().find(|cell| cell.0 == wanted).expect("one of each");
            let corners = other_order(kind, corners).into_iter().map(|corner| i64::from(corner) + 1);
            corners.chain([7]).for_each(|number| whole(body, number));
        });
    };
    cells(&mut out, 10, 12);
    section(&mut out, 4, &|body| {
        whole(body, 12);
        for point in expected().vertices {
            for x in point.to_array() {
                if version == 1 { body.put((x as f32).to_le_bytes()) } else { body.put(x.to_le_bytes()) }
            }
            whole(body, 7);
        }
    });
    cells(&mut out, 49, 14);
    cells(&mut out, 6, 5);
    cells(&mut out, 9, 13);
    cells(&mut out, 8, 10);
    section(&mut out, 54, &|_| {});
    out.bytes
}

fn files() -> Vec<(String, VolumeFormat, Vec<u8>)> {
    let mut files = Vec::new();
    for (is_first, is_second) in [(false, false), (false, true), (true, false), (true, true)] {
        files.push((format!("VTK {is_first} {is_second}"), VolumeFormat::Vtk, vtk(is_first, is_second)));
        files.push((format!("Gmsh {is_first} {is_second}"), VolumeFormat::Msh, msh(is_first, is_second)));
    }
    for vtu in Vtu::all() {
        files.push((format!("{vtu:?}"), VolumeFormat::Vtu, vtu.write()));
    }
    for version in 1..=4 {
        for is_big in [false, true] {
            files.push((format!("MEDIT {version} {is_big}"), VolumeFormat::Medit, medit(version, is_big)));
        }
    }
    files
}

/// Reads what may be broken, and checks the answer.
fn read_any(bytes: &[u8], format: VolumeFormat) -> Option<usize> {
    match read_volume(bytes, format) {
        Ok(mesh) => {
            let count = mesh.vertices.len() as u32;
            assert!(mesh.vertices.iter().all(|vertex| vertex.is_finite()));
            assert!(mesh.cells.iter().all(|cell| cell.corners().iter().all(|&corner| corner < count)));
            Some(mesh.cells.len())
        }
        Err(error) => {
            assert!((10..400).contains(&error.to_string().len()), "{error}");
            None
        }
    }
}

#[test]
fn binary_files_give_the_same_cells_as_text() {
    for (name, format, file) in files() {
        assert_eq!(read_volume(&file, format), Ok(expected()), "{name}");
    }
    assert_eq!(VolumeFormat::from_extension("meshb"), Some(VolumeFormat::Medit));
}

#[test]
fn blanks_in_base64_mean_nothing() {
    let inline = Vtu::all().into_iter().find(|vtu| vtu.encoding == Encoding::Inline).expect("one");
    let text = String::from_utf8(inline.write()).expect("text");
    let begin = text.find("binary\">\n  ").expect("an array") + 60;
    let broken = [&text[..begin], "\n  ", &text[begin..]].concat();
    assert_eq!(read_volume(broken.as_bytes(), VolumeFormat::Vtu), Ok(expected()));
}

#[test]
fn files_cut_anywhere_give_an_answer() {
    for (name, format, file) in files() {
        let mut whole = 0;
        for end in 0..file.len() {
            whole += usize::from(read_any(&file[..end], format).is_some_and(|cells| cells == 4));
        }
        // What follows the cells may be missing.
        assert!(whole < 120, "{name}: {whole}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn bytes_changed_anywhere_give_an_answer(
        file in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..6),
    ) {
        thread_local!(static FILES: Vec<(String, VolumeFormat, Vec<u8>)> = files());
        FILES.with(|files| {
            let (_, format, whole) = file.get(files);
            let mut bytes = whole.clone();
            for (at, value, flips) in &changes {
                let byte = at.get_mut(&mut bytes);
                *byte = if *flips { *byte ^ (1 << (value % 8)) } else { *value };
            }
            read_any(&bytes, *format);
        });
    }
}

/// Puts `new` over the bytes behind the first `mark`.
fn overwritten(mut file: Vec<u8>, mark: &str, after: usize, new: &[u8]) -> Vec<u8> {
    let at = file.windows(mark.len()).position(|part| part == mark.as_bytes()).expect("the mark") + mark.len() + after;
    file[at..at + new.len()].copy_from_slice(new);
    file
}

fn message(bytes: &[u8], format: VolumeFormat) -> String {
    read_volume(bytes, format).unwrap_err().to_string()
}

#[test]
fn errors_name_the_byte() {
    use VolumeFormat::{Medit, Msh, Vtk};
    let file = vtk(false, false);
    let at = file.windows(6).position(|part| part == b"CELLS ").expect("cells") + 11;
    let broken = overwritten(file.clone(), "CELLS 5 31\n", 0, &[0, 0, 0, 31]);
    assert_eq!(message(&broken, Vtk), format!("byte {at}: found `31`, expected a number of corners of at most 30"));
    let broken = overwritten(file.clone(), "CELLS 5 31\n", 4, &[0, 0, 0, 12]);
    assert!(
        message(&broken, Vtk)
            .starts_with(&format!("byte {}: the face names vertex 12, but the number of vertices is 12", at + 4))
    );
    let broken = overwritten(file.clone(), "POINTS 12 double\n", 8, &f64::NAN.to_be_bytes());
    assert!(message(&broken, Vtk).contains("the coordinate NaN is not finite"));
    let text = String::from_utf8_lossy(&file).replacen("POINTS 12 double", "POINTS 12 real64", 1);
    assert!(message(text.as_bytes(), Vtk).contains("the type of number `real64` cannot be read"));
    let broken = overwritten(msh(false, true), "2.2 1 8\n", 0, &[0, 0, 1, 0]);
    assert_eq!(message(&broken, Msh), "byte 20: found `[0, 0, 1, 0]`, expected the four bytes of the number 1");
    let broken = overwritten(msh(true, false), "$Elements\n", 44, &[0xff]);
    assert!(message(&broken, Msh).contains("the file promises 255 elements but holds"), "{}", message(&broken, Msh));
    let mut broken = medit(2, false);
    broken[12] = 8;
    assert_eq!(message(&broken, Medit), "byte 12: found `8`, expected a section from byte 20 on");
    broken[4] = 9;
    assert!(message(&broken, Medit).starts_with("byte 4: version 9 cannot be read: save it in version 1, 2, 3 or 4"));
}

#[test]
fn errors_name_the_array() {
    let vtu = |number: usize| {
        let plain = Vtu::all().into_iter().filter(|vtu| vtu.block.is_none() && vtu.encoding == Encoding::Raw);
        plain.map(Vtu::write).nth(number).expect("a file")
    };
    let error = |from: &str, to: &str| {
        let (text, from) = (vtu(0), from.as_bytes());
        let at = text.windows(from.len()).position(|part| part == from).expect("the part");
        let changed = [&text[..at], to.as_bytes(), &text[at + from.len()..]].concat();
        read_volume(&changed, VolumeFormat::Vtu).unwrap_err()
    };
    let place = error("Int64\" Name=\"connectivity", "Float64\" Name=\"connectivity");
    assert!(place.to_string().contains("found `Float64`, expected a type of whole numbers"), "{place}");
    let broken = overwritten(vtu(0), "   _", 4 + 288 + 4 + 8, &[99]);
    let error_of = read_volume(&broken, VolumeFormat::Vtu).unwrap_err();
    assert_eq!(error_of.place(), Some(&Place::Item("connectivity[1]".to_owned())), "{error_of}");
    assert!(error("UInt32", "UInt16").to_string().contains("expected the header type UInt32 or UInt64"));
    assert!(
        error("byte_order", "compressor=\"vtkLZ4DataCompressor\" x").to_string().contains("`vtkLZ4DataCompressor`")
    );
    assert!(
        error("offset=\"292\"", "offset=\"99999\"").to_string().contains("needs 99999 appended bytes, but there are")
    );
    assert!(error("encoding=\"raw\"", "encoding=\"hex\"").to_string().contains("expected the encoding raw or base64"));
    assert!(error("   _", "    ").to_string().contains("expected an underscore before the appended data"));
    assert!(error("Name=\"offsets\"", "Name=\"types\"").to_string().contains("expected one array types only"));
}

#[test]
fn sizes_that_are_not_there_are_refused() {
    use VolumeFormat::{Medit, Msh, Vtk, Vtu as VtuFormat};
    let huge = |text: String, body: &[u8]| [text.as_bytes(), body].concat();
    let head = "# vtk DataFile Version 5.1\n\nBINARY\nDATASET UNSTRUCTURED_GRID\n";
    for count in [u64::from(u32::MAX), i64::MAX as u64] {
        for keyword in
            [format!("POINTS {count} double\n"), format!("CELLS {count} {count}\n"), format!("CELL_TYPES {count}\n")]
        {
            let error = read_volume(&huge(format!("{head}{keyword}"), &[0; 64]), Vtk).unwrap_err();
            assert!(matches!(error, ReadError::Truncated { .. }), "{error}");
        }
        let text = format!("$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n{count}\n");
        assert!(matches!(read_volume(&huge(text, &[0; 64]), Msh).unwrap_err(), ReadError::Truncated { .. }));
        let text = "$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n".to_owned();
        let blocks =
            [vec![1, 0, 0, 0, 0, 0, 0, 0], vec![0; 24 + 12], count.to_le_bytes().to_vec(), vec![0; 64]].concat();
        assert!(matches!(read_volume(&huge(text, &blocks), Msh).unwrap_err(), ReadError::Truncated { .. }));
    }
    let mut file = medit(4, false);
    let at = file.windows(4).position(|part| part == [10, 0, 0, 0]).expect("hexahedra") + 12;
    file[at..at + 8].copy_from_slice(&i64::MAX.to_le_bytes());
    assert!(matches!(read_volume(&file, Medit).unwrap_err(), ReadError::Truncated { .. }));
    // Blocks of which the last one is larger, and a file of kilobytes that would unpack to gigabytes.
    let packed = |block: i64, last: i64, count: i64| {
        let zeros = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; block as usize], 9);
        let mut header = Out::new(false);
        [count, block, last].into_iter().for_each(|word| header.int(word));
        (0..count).for_each(|_| header.int(zeros.len() as i64));
        let data = BASE64_STANDARD.encode([header.bytes, zeros].concat());
        format!(
            "<VTKFile compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece><Points><DataArray type=\"Float64\" \
             format=\"binary\">{data}</DataArray></Points></Piece></UnstructuredGrid></VTKFile>"
        )
    };
    let error = message(packed(24, 48, 1).as_bytes(), VtuFormat);
    assert!(
        error.contains("found blocks of 24 bytes, the last one of 48, expected a last one that is smaller"),
        "{error}"
    );
    assert!(message(packed(0, 0, 1).as_bytes(), VtuFormat).contains("blocks of 0 bytes"));
    let error = message(packed(1 << 20, 0, 4096).as_bytes(), VtuFormat);
    assert!(error.contains("4096 blocks of 1048576 bytes, far more than the file has"), "{error}");
}
