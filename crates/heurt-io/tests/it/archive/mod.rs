//! ZIP archives for tests, made by hand: every field of a member can be wrong.

/// A member; fields that are `None` get the right value.
#[derive(Clone)]
pub struct Member {
    pub name: String,
    pub bytes: Vec<u8>,
    /// 0 is stored, 8 is Deflate.
    pub method: u16,
    pub flags: u16,
    pub crc: Option<u32>,
    pub packed: Option<u64>,
    pub size: Option<u64>,
    /// Sizes and offset are in a ZIP64 extra field.
    pub is_64: bool,
    /// The local header of this member is that of another one.
    pub header_of: Option<usize>,
}

impl Member {
    pub fn new(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        let (crc, packed, size, header_of) = (None, None, None, None);
        Self {
            name: name.to_owned(),
            bytes: bytes.into(),
            method: 8,
            flags: 0,
            crc,
            packed,
            size,
            is_64: false,
            header_of,
        }
    }
}

/// Packs the members.
pub fn archive(members: &[Member]) -> Vec<u8> {
    let (mut bytes, mut directory, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
    for member in members {
        let packed = match member.method {
            8 => miniz_oxide::deflate::compress_to_vec(&member.bytes, 6),
            _ => member.bytes.clone(),
        };
        let offset = member.header_of.map_or(bytes.len() as u64, |other| offsets[other]);
        offsets.push(bytes.len() as u64);
        let crc = member.crc.unwrap_or_else(|| crc32fast::hash(&member.bytes));
        let packed_size = member.packed.unwrap_or(packed.len() as u64);
        let size = member.size.unwrap_or(member.bytes.len() as u64);
        let narrow = |value: u64| if member.is_64 { u32::MAX } else { value as u32 };
        let mut extra = Vec::new();
        if member.is_64 {
            extra.extend(1_u16.to_le_bytes());
            extra.extend(24_u16.to_le_bytes());
            extra.extend([size, packed_size, offset].map(u64::to_le_bytes).as_flattened());
        }
        // As an archive that was streamed has it: zeros here, the numbers in the directory.
        bytes.extend(b"PK\x03\x04\x14\0");
        bytes.extend((member.flags | 8).to_le_bytes());
        bytes.extend(member.method.to_le_bytes());
        bytes.extend([0; 16]);
        bytes.extend((member.name.len() as u16).to_le_bytes());
        bytes.extend([0; 2]);
        bytes.extend(member.name.as_bytes());
        bytes.extend(&packed);
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        directory.extend((member.flags | 8).to_le_bytes());
        directory.extend(member.method.to_le_bytes());
        directory.extend([0; 4]);
        directory.extend(crc.to_le_bytes());
        directory.extend(narrow(packed_size).to_le_bytes());
        directory.extend(narrow(size).to_le_bytes());
        directory.extend((member.name.len() as u16).to_le_bytes());
        directory.extend((extra.len() as u16).to_le_bytes());
        directory.extend([0; 10]);
        directory.extend(narrow(offset).to_le_bytes());
        directory.extend(member.name.as_bytes());
        directory.extend(extra);
    }
    let begin = bytes.len() as u32;
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend([(members.len() as u16).to_le_bytes(); 2].as_flattened());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(begin.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

pub const RELATIONSHIPS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Target="/3D/3dmodel.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/></Relationships>"#;

/// A 3MF package around the text of its root model part.
pub fn package(model: &str) -> Vec<u8> {
    package_with(model, &[])
}

/// A 3MF package with further members.
pub fn package_with(model: &str, others: &[(&str, &str)]) -> Vec<u8> {
    let mut members = vec![Member::new("_rels/.rels", RELATIONSHIPS), Member::new("3D/3dmodel.model", model)];
    members.extend(others.iter().map(|(name, text)| Member::new(name, *text)));
    archive(&members)
}
