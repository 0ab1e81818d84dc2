//! libFuzzer on the readers of volume meshes, and on building a map of what they read.
#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for format in heurt_io::VolumeFormat::ALL {
        let Ok(mesh) = heurt_io::read_volume(bytes, format) else { continue };
        let count = mesh.vertices.len() as u32;
        assert!(mesh.cells.iter().all(|cell| cell.corners().iter().all(|&corner| corner < count)));
        if let Ok(built) = heurt_map::Map3::from_cells(mesh.vertices.len(), &mesh.cells, heurt_map::Orient::Turn) {
            assert!(built.map.validate().is_empty());
        }
    }
});
