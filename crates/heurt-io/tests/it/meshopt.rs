//! glTF buffer views compressed by `EXT_meshopt_compression` and `KHR_meshopt_compression`.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use heurt_io::{Format, Model, ReadError, read};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

/// A stream of another encoder over numbers of ours, and the bytes that its own decoder gives.
struct Stream {
    mode: &'static str,
    filter: &'static str,
    component: u32,
    count: usize,
    stride: usize,
    packed: &'static str,
    unpacked: &'static str,
}

/// Attributes: points of a helix, of a parabola, unit vectors, colours. Indices: a grid of 4 × 4 points.
const STREAMS: [Stream; 13] = [
    Stream {
        mode: "ATTRIBUTES",
        filter: "NONE",
        component: 5126,
        count: 18,
        stride: 12,
        packed: "oAAABwDfX7+//19ff+A/n8Ag34DwAAAAYCAFDjjjx/7+/oJ+/RAAAAAAAAcAoEDfgGAgn6DAYODfX7+/8AAAAP9fBTHHHDh+\
         /f39/uAAAAD+AAAHAP//gIBAQEBAICAgICAgIPAAAAAgEAE4AIAAegAAAAAAAAAAAAAAAAAAAAAAAAAAAACAPwAAAAAAAAAA",
        unpacked: "AACAPwAAAAAAAAAAAAAQPwAAUD8AAIA9AADgvgAAcD8AAAA+AACAvwAAAD4AAEA+AAAgvwAAQL8AAIA+AACgPgAAcL8AAKA+\
         AABwPwAAgL4AAMA+AABAPwAAMD8AAOA+AAAAvgAAgD8AAAA/AABwvwAA4D4AABA/AABQvwAAEL8AACA/AAAAAAAAgL8AADA/\
         AABgPwAAEL8AAEA/AABwPwAA4D4AAFA/AAAAPgAAgD8AAGA/AABAvwAAID8AAHA/AABwvwAAoL4AAIA/AACAvgAAcL8AAIg/",
    },
    Stream {
        mode: "ATTRIBUTES",
        filter: "NONE",
        component: 5126,
        count: 18,
        stride: 12,
        packed: "oejpaAMAgAgAgAswCAAJHxYKGB0DFBcC9fYBFxQDHwCSJAMICAgIAQAIAPUCFxQDHxsLFh8JCR8WChgdAQIABwIP+PTE8mLi\
         YrBwGDwDAB4BAAAAAAAAAAAAAACAPwAAAAAAAAAAQkJS",
        unpacked: "AACAPwAAAAAAAAAAAAAQPwAAUD8AAIA9AADgvgAAcD8AAAA+AACAvwAAAD4AAEA+AAAgvwAAQL8AAIA+AACgPgAAcL8AAKA+\
         AABwPwAAgL4AAMA+AABAPwAAMD8AAOA+AAAAvgAAgD8AAAA/AABwvwAA4D4AABA/AABQvwAAEL8AACA/AAAAAAAAgL8AADA/\
         AABgPwAAEL8AAEA/AABwPwAA4D4AAFA/AAAAPgAAgD8AAGA/AABAvwAAID8AAHA/AABwvwAAoL4AAIA/AACAvgAAcL8AAIg/",
    },
    Stream {
        mode: "ATTRIBUTES",
        filter: "NONE",
        component: 5122,
        count: 18,
        stride: 8,
        packed: "oXWpAgiIiIiIiIiIAwAICAIHd3d3d3d3dwMABwcADipGYn6attLuCiZCXnqWss4FAAAFVVAAAAAFFVVVVVAAAAAAAAAAAAAA\
         AAAAAAAAAAAAAAAAAAAAAQE=",
        unpacked: "AAAAAAAAAACEAwcA//8AAAgHHAD+/wAAjAo/AP3/AAAQDnAA/P8AAJQRrwD7/wAAGBX8APr/AACcGFcB+f8AACAcwAH4/wAA\
         pB83Avf/AAAoI7wC9v8AAKwmTwP1/wAAMCrwA/T/AAC0LZ8E8/8AADgxXAXy/wAAvDQnBvH/AABAOAAH8P8AAMQ75wfv/wAA",
    },
    Stream {
        mode: "ATTRIBUTES",
        filter: "EXPONENTIAL",
        component: 5126,
        count: 18,
        stride: 12,
        packed: "oUVVbgCqqf//////////AwCAfwIA8B6h3S7g2w8DAAQGAgQgQgEBEkCSSQEAAgDyW/////////////8DAH//Agwts84R8h8i\
         DxADAA0DAQBCBCABAAEBEkCSSQEAAgACBgcLAgYCBhoGHxMCFBAOAQIMDMAAzAzAzAEADAAAAAAAAAAAAAAEAPYAAAD2AAAA\
         9gAAIg==",
        unpacked: "AACAPwAAAAAAAAAAAAAQPwAAUD8AAIA9AADgvgAAcD8AAAA+AACAvwAAAD4AAEA+AAAgvwAAQL8AAIA+AACgPgAAcL8AAKA+\
         AABwPwAAgL4AAMA+AABAPwAAMD8AAOA+AAAAvgAAgD8AAAA/AABwvwAA4D4AABA/AABQvwAAEL8AACA/AAAAAAAAgL8AADA/\
         AABgPwAAEL8AAEA/AABwPwAA4D4AAFA/AAAAPgAAgD8AAGA/AABAvwAAID8AAHA/AABwvwAAoL4AAIA/AACAvgAAcL8AAIg/",
    },
    Stream {
        mode: "ATTRIBUTES",
        filter: "OCTAHEDRAL",
        component: 5120,
        count: 6,
        stride: 4,
        packed: "oAE/8AAAFGdfUmYBP/AAAGKTchWVAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAHwA/AA==",
        unpacked: "WABbAC9KpQDcrVkAogyrAMJJUwAdn7MA",
    },
    Stream {
        mode: "ATTRIBUTES",
        filter: "OCTAHEDRAL",
        component: 5122,
        count: 6,
        stride: 8,
        packed: "of+qAJZN/ZA8AAADAgIDABarpLXFAAMEAwAEAAAAAAAAAAAAAAAAAAD/AAAA/wEAAAEA",
        unpacked: "VFoAAK9aAADzMGBMs6UAAJnZLazIWAAAR6I6DdapAAAhwDpKbVIAAL0cN56SsgAA",
    },
    Stream {
        mode: "ATTRIBUTES",
        filter: "QUATERNION",
        component: 5122,
        count: 6,
        stride: 8,
        packed: "oXu3AAAAJSbaAIceXqW0ARFAAAAA1RXs0CEAIAABAAQAAwQBAAAAAAAAAAAAAAAAAAAAAH8AAAB8AAEB",
        unpacked: "gloAAIJaAADUzr+zSFoAAITZ6Kt9WAAAnl128jtWAADcvx5KUVIAAMjicmGuTQAA",
    },
    Stream {
        mode: "ATTRIBUTES",
        filter: "COLOR",
        component: 5121,
        count: 6,
        stride: 4,
        packed: "odsAVlSnVFYACAD9ACwq0yoqAAAAAAAAAAAAAAAAAAAAAAAAAEr2P88A",
        unpacked: "AYkVnyy0QMtW3mr0gQuVIKs1v0vWYOp0",
    },
    Stream {
        mode: "ATTRIBUTES",
        filter: "COLOR",
        component: 5123,
        count: 6,
        stride: 8,
        packed: "oa/1AKmrp6upAAYECQYGAAgA/QAIAA8ArKpTqqoAAgINAgIAAAAAAAAAAAAAAAAAAKoEVv//A/8MAAE=",
        unpacked: "EACYilEV+Z/DKku1BEC8ymVV7d+mak71GICxClmVAiC6qlM1+7+0Sm3VBmCu6kd1",
    },
    Stream {
        mode: "TRIANGLES",
        filter: "NONE",
        component: 5123,
        count: 60,
        stride: 2,
        packed: "4f4eAB4AHp4OBB4DHp4OAx4DHv//8AgZHVEGAHaHVmd4qYZliWiYAWkAAA==",
        unpacked: "AAAEAAEAAQAEAAUAAQAFAAIAAgAFAAYAAgAGAAMAAwAGAAcABQAEAAgABQAIAAkABQAJAAYABgAJAAoABgAKAAcABwAKAAsA\
         CQAIAAwACQAMAA0ACQANAAoACgANAA4ACgAOAAsACwAOAA8AAAAPAAcAAwAMAAAA",
    },
    Stream {
        mode: "INDICES",
        filter: "NONE",
        component: 5123,
        count: 60,
        stride: 2,
        packed: "0QAQCgAMBA4QCgAMBA4QCgAMBAoQCgAMBA4QCgAMBA4QCgAMBAoQCgAMBA4QCgAMBA4QCgAMBDo8Hg4kLgAAAAA=",
        unpacked: "AAAEAAEAAQAEAAUAAQAFAAIAAgAFAAYAAgAGAAMAAwAGAAcABAAIAAUABQAIAAkABQAJAAYABgAJAAoABgAKAAcABwAKAAsA\
         CAAMAAkACQAMAA0ACQANAAoACgANAA4ACgAOAAsACwAOAA8AAAAPAAcAAwAMAAAA",
    },
    Stream {
        mode: "TRIANGLES",
        filter: "NONE",
        component: 5125,
        count: 60,
        stride: 4,
        packed: "4f4eAB4AHp4OBB4DHp4OAx4DHv//8AgZHVEGAHaHVmd4qYZliWiYAWkAAA==",
        unpacked: "AAAAAAQAAAABAAAAAQAAAAQAAAAFAAAAAQAAAAUAAAACAAAAAgAAAAUAAAAGAAAAAgAAAAYAAAADAAAAAwAAAAYAAAAHAAAA\
         BQAAAAQAAAAIAAAABQAAAAgAAAAJAAAABQAAAAkAAAAGAAAABgAAAAkAAAAKAAAABgAAAAoAAAAHAAAABwAAAAoAAAALAAAA\
         CQAAAAgAAAAMAAAACQAAAAwAAAANAAAACQAAAA0AAAAKAAAACgAAAA0AAAAOAAAACgAAAA4AAAALAAAACwAAAA4AAAAPAAAA\
         AAAAAA8AAAAHAAAAAwAAAAwAAAAAAAAA",
    },
    Stream {
        mode: "INDICES",
        filter: "NONE",
        component: 5125,
        count: 60,
        stride: 4,
        packed: "0QAQCgAMBA4QCgAMBA4QCgAMBAoQCgAMBA4QCgAMBA4QCgAMBAoQCgAMBA4QCgAMBA4QCgAMBDo8Hg4kLgAAAAA=",
        unpacked: "AAAAAAQAAAABAAAAAQAAAAQAAAAFAAAAAQAAAAUAAAACAAAAAgAAAAUAAAAGAAAAAgAAAAYAAAADAAAAAwAAAAYAAAAHAAAA\
         BAAAAAgAAAAFAAAABQAAAAgAAAAJAAAABQAAAAkAAAAGAAAABgAAAAkAAAAKAAAABgAAAAoAAAAHAAAABwAAAAoAAAALAAAA\
         CAAAAAwAAAAJAAAACQAAAAwAAAANAAAACQAAAA0AAAAKAAAACgAAAA0AAAAOAAAACgAAAA4AAAALAAAACwAAAA4AAAAPAAAA\
         AAAAAA8AAAAHAAAAAwAAAAwAAAAAAAAA",
    },
];

fn bytes(base64: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(base64).unwrap()
}

/// A document with one view of the given bytes, compressed by `extension` or not at all.
fn document(stream: &Stream, packed: &[u8], extension: Option<&str>) -> Value {
    let Stream { mode, filter, component, count, stride, .. } = *stream;
    let uri = |bytes: &[u8]| format!("data:;base64,{}", BASE64_STANDARD.encode(bytes));
    let grid: Vec<u8> = (0..48).map(|at| [at / 3 % 4, at / 12, 0][at % 3] as f32).flat_map(f32::to_le_bytes).collect();
    let is_index = mode != "ATTRIBUTES";
    let mut view = json!({"buffer": 1, "byteLength": count * stride});
    if !is_index {
        view["byteStride"] = json!(stride);
    }
    let mut second = json!({"byteLength": count * stride});
    match extension {
        Some(name) => {
            view["extensions"][name] = json!({"buffer": 2, "byteLength": packed.len(), "byteStride": stride,
                "count": count, "mode": mode, "filter": filter});
        }
        None => second["uri"] = json!(uri(packed)),
    }
    let mut primitive = json!({"attributes": {"POSITION": if is_index { 1 } else { 0 }}});
    if is_index {
        primitive["indices"] = json!(0);
    }
    let shape = if is_index { "SCALAR" } else { "VEC3" };
    json!({
        "asset": {"version": "2.0"},
        "extensionsRequired": extension.map_or(json!([]), |name| json!([name])),
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "accessors": [
            {"bufferView": 0, "componentType": component, "count": count, "type": shape,
             "normalized": !is_index && component != 5126},
            {"bufferView": 1, "componentType": 5126, "count": 16, "type": "VEC3"}
        ],
        "bufferViews": [view, {"buffer": 0, "byteLength": grid.len()}],
        "buffers": [{"byteLength": grid.len(), "uri": uri(&grid)}, second,
            {"byteLength": packed.len(), "uri": uri(packed)}]
    })
}

fn load(document: &Value) -> Result<Model, ReadError> {
    read(document.to_string().as_bytes(), Format::Gltf)
}

#[test]
fn compressed_views_are_read_like_their_contents() {
    for stream in &STREAMS {
        let plain = load(&document(stream, &bytes(stream.unpacked), None)).unwrap();
        for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
            let packed = load(&document(stream, &bytes(stream.packed), Some(extension))).unwrap();
            assert_eq!(packed, plain, "{} {} {}", stream.mode, stream.filter, stream.stride);
        }
    }
}

#[test]
fn streams_that_are_cut_or_too_long_are_refused() {
    for stream in &STREAMS {
        let whole = bytes(stream.packed);
        let message =
            |packed: &[u8]| load(&document(stream, packed, Some("EXT_meshopt_compression"))).unwrap_err().to_string();
        let start = "bufferViews[0].extensions.EXT_meshopt_compression: compressed data with ";
        for length in 0..whole.len() {
            let message = message(&whole[..length]);
            assert!(message.starts_with(start), "{} {length}: {message}", stream.mode);
        }
        let longer = [&whole[..1], &[0; 9], &whole[1..]].concat();
        assert!(message(&longer).starts_with(start), "{}", stream.mode);
        let mut wrong = whole;
        wrong[0] ^= 15;
        assert!(message(&wrong).contains("compressed data with an unknown version"), "{}", message(&wrong));
    }
}

#[test]
fn numbers_that_do_not_fit_are_named() {
    let attributes = &STREAMS[0];
    let triangles = STREAMS.iter().find(|stream| stream.mode == "TRIANGLES").unwrap();
    let place = "bufferViews[0].extensions.KHR_meshopt_compression";
    for (stream, field, value, length, expected) in [
        (attributes, "byteStride", json!(6), 108, "found `byteStride 6`, expected a byteStride of 4 to 256"),
        (attributes, "byteStride", json!(260), 4680, "found `byteStride 260`, expected a byteStride of 4 to 256"),
        (attributes, "count", json!(17), 216, "found `byteLength 216`, expected byteStride times count, 204"),
        (attributes, "mode", json!("STRIPS"), 216, "found `STRIPS`, expected mode ATTRIBUTES"),
        (attributes, "filter", json!("QUATERNION"), 216, "found `filter QUATERNION for ATTRIBUTES of 12 b"),
        (attributes, "count", json!(u64::MAX), u64::MAX, "a model that unpacks to more than"),
        (triangles, "byteStride", json!(8), 480, "found `byteStride 8`, expected a byteStride of 2 or 4"),
        (triangles, "count", json!(59), 118, "found `count 59`, expected a count divisible by 3"),
        (triangles, "filter", json!("EXPONENTIAL"), 120, "found `filter EXPONENTIAL for TRIANGLES of 2 b"),
    ] {
        let mut wrong = document(stream, &bytes(stream.packed), Some("KHR_meshopt_compression"));
        wrong["bufferViews"][0]["extensions"]["KHR_meshopt_compression"][field] = value;
        wrong["bufferViews"][0]["byteLength"] = json!(length);
        let message = load(&wrong).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{place}: {expected}")), "{message}");
    }
}

#[test]
fn a_stream_of_zeros_cannot_unpack_out_of_proportion() {
    // Blocks of no deltas take 3 bytes each and hold 256 elements of 12 bytes.
    let stream = Stream { count: 100_000_000, ..STREAMS[1] };
    let message = load(&document(&stream, &[0xa1; 4096], Some("KHR_meshopt_compression"))).unwrap_err().to_string();
    assert!(message.contains("out of proportion to its size"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn bytes_changed_anywhere_are_answered(
        stream in any::<Index>(), changes in prop::collection::vec((any::<Index>(), any::<u8>()), 1..4),
    ) {
        let stream = stream.get(&STREAMS);
        let mut packed = bytes(stream.packed);
        for (at, value) in changes {
            *at.get_mut(&mut packed) = value;
        }
        match load(&document(stream, &packed, Some("EXT_meshopt_compression"))) {
            Ok(model) => prop_assert_eq!(model.triangle_count(), stream.count / 3),
            Err(error) => prop_assert!(error.to_string().len() < 400, "{}", error),
        }
    }
}
