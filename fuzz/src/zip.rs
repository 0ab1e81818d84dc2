//! ZIP archives of stored members: packing and unpacking.

/// Packs members as they are.
pub fn pack(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in members {
        let offset = bytes.len() as u32;
        let mut common = b"\x14\0\0\0\0\0\0\0\x21\0".to_vec();
        common.extend(crc32fast::hash(content).to_le_bytes());
        common.extend([(content.len() as u32).to_le_bytes(); 2].as_flattened());
        common.extend((name.len() as u16).to_le_bytes());
        common.extend([0; 2]);
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&common);
        bytes.extend(name.as_bytes());
        bytes.extend(content);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&common);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
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

/// Unpacks an archive of [`pack`], up to the first damaged member.
pub fn unpack(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut members = Vec::new();
    let mut rest = bytes;
    while rest.starts_with(b"PK\x03\x04") && rest.len() >= 30 {
        let size = u32::from_le_bytes([rest[18], rest[19], rest[20], rest[21]]) as usize;
        let name = usize::from(u16::from_le_bytes([rest[26], rest[27]]));
        let Some(member) = rest[30..].get(..name + size) else { break };
        members.push((String::from_utf8_lossy(&member[..name]).into_owned(), member[name..].to_vec()));
        rest = &rest[30 + name + size..];
    }
    members
}
