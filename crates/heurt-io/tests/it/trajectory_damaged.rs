//! Damaged files of trajectories: cut, changed and foreign bytes give an error or rows, never a panic.

use crate::trajectory::{WRITTEN, small, written};
use heurt_io::{LengthUnit, TrajectoryFormat, TrajectoryOptions, read_trajectories};
use proptest::prelude::*;
use std::sync::LazyLock;

const ALL: [TrajectoryFormat; 5] = [
    TrajectoryFormat::Csv,
    TrajectoryFormat::Sqlite,
    TrajectoryFormat::Parquet,
    TrajectoryFormat::ArchiveText,
    TrajectoryFormat::Vadere,
];

/// Whole files of every format.
static FILES: LazyLock<Vec<(TrajectoryFormat, Vec<u8>)>> = LazyLock::new(|| {
    let mut files: Vec<_> = vec![
        (TrajectoryFormat::ArchiveText, b"# framerate: 25\n#id frame x/m y/m z/m\n1 0 2 3 0\n2 0 4 3 0\n".to_vec()),
        (TrajectoryFormat::Vadere, b"pedestrianId simTime endTime startX startY endX endY\n1 0 1 0 0 1 0\n".to_vec()),
    ];
    for format in WRITTEN {
        let name = format!("damaged.{format}");
        files.push((TrajectoryFormat::from_extension(&name).unwrap(), written(&small(), &name).unwrap()));
    }
    files
});

fn options() -> TrajectoryOptions {
    TrajectoryOptions { frame_rate: Some(20.0), unit: Some(LengthUnit::Metre) }
}

fn try_read(bytes: &[u8], format: TrajectoryFormat) {
    if let Err(error) = read_trajectories(bytes, format, &options()) {
        assert!(error.to_string().len() < 1000, "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn changed_bytes_never_panic(
        file in any::<prop::sample::Index>(),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let (format, bytes) = &FILES[file.index(FILES.len())];
        let mut bytes = bytes.clone();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len() + 1));
        }
        try_read(&bytes, *format);
    }

    #[test]
    fn foreign_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), format in 0..5_usize) {
        try_read(&bytes, ALL[format]);
    }
}

#[test]
fn every_file_is_refused_as_every_binary_format_but_its_own() {
    for (kind, bytes) in FILES.iter() {
        for format in [TrajectoryFormat::Sqlite, TrajectoryFormat::Parquet, TrajectoryFormat::Csv] {
            assert_eq!(read_trajectories(bytes, format, &options()).is_ok(), *kind == format, "{kind} as {format}");
        }
    }
}

#[test]
fn cut_files_never_panic() {
    for (format, bytes) in FILES.iter() {
        (0..bytes.len()).step_by(1 + bytes.len() / 500).for_each(|length| try_read(&bytes[..length], *format));
    }
}
