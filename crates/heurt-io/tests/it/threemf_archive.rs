//! The ZIP package of 3MF files: how members are packed and found, and archives that lie.

use crate::archive::{Member, RELATIONSHIPS, archive, package};
use heurt_io::{Format, ReadError, read};

const MODEL: &str = r#"<model xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>
<object id="1"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="1" y="0" z="0"/><vertex x="0" y="2" z="0.5"/></vertices>
<triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object></resources><build><item objectid="1"/></build></model>"#;

fn relationships() -> Member {
    Member::new("_rels/.rels", RELATIONSHIPS)
}

fn root() -> Member {
    Member::new("3D/3dmodel.model", MODEL)
}

fn load(members: &[Member]) -> Result<heurt_io::Model, ReadError> {
    read(&archive(members), Format::ThreeMf)
}

fn refusal(members: &[Member]) -> String {
    load(members).expect_err("the archive is wrong").to_string()
}

#[test]
fn members_may_be_stored_or_packed_and_have_long_sizes() {
    let whole = read(&package(MODEL), Format::ThreeMf).unwrap();
    assert_eq!(whole.meshes[0].triangles(), [[0, 1, 2]]);
    for method in [0, 8] {
        for is_64 in [false, true] {
            let members = [relationships(), root()].map(|member| Member { method, is_64, ..member });
            assert_eq!(load(&members).unwrap(), whole);
        }
    }
}

#[test]
fn an_archive_whose_end_record_is_long_is_read() {
    let bytes = package(MODEL);
    let end = bytes.len() - 22;
    let begin = u32::from_le_bytes(bytes[end + 16..end + 20].try_into().unwrap());
    let mut long = bytes[..end].to_vec();
    long.extend(b"PK\x06\x06");
    long.extend(44_u64.to_le_bytes());
    long.extend([0; 12]);
    long.extend([2_u64.to_le_bytes(); 2].as_flattened());
    long.extend([(end as u64 - u64::from(begin)).to_le_bytes(), u64::from(begin).to_le_bytes()].as_flattened());
    long.extend(b"PK\x06\x07\0\0\0\0");
    long.extend((end as u64).to_le_bytes());
    long.extend(1_u32.to_le_bytes());
    long.extend(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0");
    assert_eq!(read(&long, Format::ThreeMf), read(&bytes, Format::ThreeMf));
    assert_eq!(Format::detect(&long), Some(Format::ThreeMf));
}

#[test]
fn names_differ_neither_by_case_nor_by_separator() {
    let whole = read(&package(MODEL), Format::ThreeMf).unwrap();
    let members = [Member::new("_RELS\\.rels", RELATIONSHIPS), Member::new("3d\\3DModel.model", MODEL)];
    assert_eq!(load(&members).unwrap(), whole);
    // The directory may name another root, and a comment may follow.
    let elsewhere = RELATIONSHIPS.replace("/3D/3dmodel.model", "parts/./a.model");
    let mut bytes = archive(&[Member::new("_rels/.rels", elsewhere), Member::new("parts/a.model", MODEL)]);
    let at = bytes.len() - 2;
    bytes[at..].copy_from_slice(&7_u16.to_le_bytes());
    bytes.extend(b"PK\x05\x06 no");
    assert_eq!(read(&bytes, Format::ThreeMf).unwrap(), whole);
}

#[test]
fn without_relationships_the_usual_root_is_read_with_a_warning() {
    let model = load(&[root()]).unwrap();
    assert_eq!(model.warnings[0].what, "missing package relationships");
    let message = refusal(&[Member::new("readme.txt", "hello")]);
    assert!(message.contains("`3D/3dmodel.model` names no member of the file"), "{message}");
    let message = refusal(&[relationships(), Member::new("readme.txt", "hello")]);
    assert!(message.starts_with("`_rels/.rels`, line 1: `/3D/3dmodel.model` names no member"), "{message}");
}

#[test]
fn the_archive_tells_the_format() {
    assert_eq!(Format::detect(&package(MODEL)), Some(Format::ThreeMf));
    assert_eq!(Format::detect(&archive(&[Member::new("word/document.xml", "<w/>")])), None);
    assert_eq!(Format::detect(b"PK\x03\x04 and no more"), None);
    assert_eq!(Format::from_extension(".3MF"), Some(Format::ThreeMf));
}

#[test]
fn a_member_that_unpacks_beyond_the_limit_is_refused() {
    // 30 MB of blanks in 30 kB: a thousandfold.
    let bomb = Member::new("3D/3dmodel.model", vec![b' '; 30_000_000]);
    let bytes = archive(&[relationships(), bomb.clone()]);
    let error = read(&bytes, Format::ThreeMf).unwrap_err();
    assert!(matches!(&error, ReadError::UnpacksTooLarge { size: 30_000_000, limit, archive, .. }
        if *archive == bytes.len() as u64 && *limit < 200 * archive + (1 << 20) + 1));
    let message = error.to_string();
    assert!(
        message.starts_with("`3D/3dmodel.model`, byte ") && message.contains("unpacks to 30000000 bytes"),
        "{message}"
    );
    // A member may not hide its size either.
    for size in [10, 29_999_999] {
        let small = Member { size: Some(size), ..bomb.clone() };
        assert!(load(&[relationships(), small]).is_err());
    }
}

#[test]
fn members_that_share_their_bytes_count_each() {
    // Forty model parts over the packed bytes of one: 3 MB each, 200 for each byte of the archive all together.
    let text = format!("<model>{}</model>", " ".repeat(3_000_000));
    let path = |number: usize| format!("part{number}.model");
    let references: String =
        (0..40).map(|number| format!(r#"<item objectid="1" path="/{}"/>"#, path(number))).collect();
    let mut members =
        vec![relationships(), Member::new("3D/3dmodel.model", format!("<model><build>{references}</build></model>"))];
    let first = Member::new(&path(0), text.clone());
    let packed = miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 6).len() as u64;
    let (crc, size) = (crc32fast::hash(text.as_bytes()), text.len() as u64);
    members.push(first);
    members.extend((1..40).map(|number| Member {
        crc: Some(crc),
        packed: Some(packed),
        size: Some(size),
        header_of: Some(2),
        ..Member::new(&path(number), "")
    }));
    let message = refusal(&members);
    assert!(message.contains("unpacks to 3000015 bytes, but at most"), "{message}");
}

#[test]
fn wrong_members_are_refused_by_name() {
    let cases: [(Member, &str); 8] = [
        (Member { flags: 1, ..root() }, "an encrypted archive member cannot be read: save it without a password"),
        (Member { method: 12, ..root() }, "an archive member of packing method 12 cannot be read"),
        (
            Member { crc: Some(7), ..root() },
            "instead of 00000007, expected the bytes that were packed: copy the file again",
        ),
        (
            Member { size: Some(17), ..root() },
            "found a broken block (HasMoreOutput), expected 17 bytes packed by Deflate",
        ),
        (Member { size: Some(1000), ..root() }, "expected 1000 bytes packed by Deflate"),
        (Member { packed: Some(1_000_000), ..root() }, "the file promises 1000000 packed bytes but holds"),
        (
            Member { packed: Some(3), size: Some(300_000), ..root() },
            "the file promises 300000 unpacked bytes but holds 3096",
        ),
        (Member { method: 0, size: Some(17), ..root() }, "expected 17 bytes"),
    ];
    for (member, expected) in cases {
        let message = refusal(&[relationships(), member]);
        assert!(
            message.starts_with("`3D/3dmodel.model`, byte ") && message.contains(expected),
            "{message}\n{expected}"
        );
    }
    // Beyond the limit of small archives, a size that Deflate could not reach is refused by the limit.
    let huge = Member { size: Some(u64::MAX - 1), is_64: true, ..root() };
    assert!(refusal(&[relationships(), huge]).contains("unpacks to 18446744073709551614 bytes"));
}

#[test]
fn an_archive_cut_or_changed_anywhere_is_answered() {
    let whole = package(MODEL);
    for length in 0..whole.len() {
        assert!(read(&whole[..length], Format::ThreeMf).is_err(), "{length} bytes");
    }
    let mut readable = 0;
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            readable += usize::from(read(&bytes, Format::ThreeMf).is_ok());
        }
    }
    assert!(readable > 0, "some bytes have no meaning");
}

#[test]
fn copies_of_a_mesh_take_memory_in_proportion_to_the_xml() {
    // A mesh of 2,000 triangles, placed under scales of its own each time: 3 kB a copy, 24 kB with its vertices.
    let text = |copies: usize| {
        let vertices: String = (0..2002).map(|k| format!("<vertex x=\"{k}\" y=\"{}\" z=\"0\"/>", k * k % 97)).collect();
        let triangles: String =
            (0..2000).map(|k| format!("<triangle v1=\"{k}\" v2=\"{}\" v3=\"{}\"/>", k + 1, k + 2)).collect();
        let items: String = (0..copies)
            .map(|k| format!("<item objectid=\"1\" transform=\"{} 0 0 0 1 0 0 0 1 0 0 0\"/>", 2 + k))
            .collect();
        format!(
            "<model><resources><object id=\"1\"><mesh><vertices>{vertices}</vertices><triangles>{triangles}</triangles></mesh>\
             </object></resources><build>{items}</build></model>"
        )
    };
    let load = |copies: usize| load(&[relationships(), Member::new("3D/3dmodel.model", text(copies))]);
    assert_eq!(load(100).unwrap().meshes.len(), 100);
    let message = load(2000).unwrap_err().to_string();
    assert!(message.contains("out of proportion to its size"), "{message}");
}
