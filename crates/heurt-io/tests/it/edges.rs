//! Edges of OBJ files: polylines, welded ends, bad indices.

use heurt_io::{ReadError, read_edges_obj};

#[test]
fn polylines_are_edges_and_equal_vertices_are_one() {
    let text = b"# a square, its corners written twice\nv 0 0 0\nv 1 0 0\nv 1 0 -0\nv 1 1 0\nl 1/1 2/2\nl 3 4\n\
        v 0 1 0\nl -2 -1 1\nl 1 1\nv 9 9 9\nl 6 6\nl 2 \\\n1\nf 1 2 4\n";
    let found = read_edges_obj(text).unwrap();
    assert_eq!(found.vertices.len(), 4, "a vertex without an edge is left out");
    assert_eq!(found.edges, [[0, 1], [1, 2], [2, 3], [0, 3]]);
    assert_eq!(found.vertex_numbers, [1, 2, 4, 5]);
    let sources: Vec<String> = found.sources.iter().map(|source| source.to_string()).collect();
    assert_eq!(sources, ["1 2 (line 6)", "3 4 (line 7)", "4 5 (line 9)", "5 1 (line 9)"]);
}

#[test]
fn continued_lines_are_one_polyline() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 \\\n2\n";
    let whole = read_edges_obj(format!("{vertices}l 1 2 3 4 1\n").as_bytes()).unwrap();
    assert_eq!((whole.edges.len(), whole.vertices[3].z), (4, 2.0));
    for lines in [
        "l 1 2 \\\n3 4 1\n",
        "l \\\n1 2 3\\\n 4 \\\n1\n",
        "l 1 2 3 4 \\\r\n 1\r\n",
        "l 1 2 3 4 1 \\\n",
        "l 1 2 3 4 1 \\",
        "l 1 2 \\\n3 4 1 # \\\nl 1 2\n",
    ] {
        let found = read_edges_obj(format!("{vertices}{lines}").as_bytes());
        let found = found.unwrap_or_else(|error| panic!("{lines}: {error}"));
        assert_eq!((&found.edges, &found.vertices), (&whole.edges, &whole.vertices), "{lines}");
        assert!(found.sources.iter().all(|source| source.line == 6), "the first line of them: {lines}");
    }
    let error = read_edges_obj(format!("{vertices}l 1 2 \\\n3 5\n").as_bytes()).unwrap_err();
    assert!(error.to_string().starts_with("line 6: the face names vertex 5"), "{error}");
}

#[test]
fn bad_lines_are_named() {
    for (text, words) in [
        ("v 0 0 0\nv 1 0 0\nl 1 3\n", "line 3: the face names vertex 3"),
        ("v 0 0 0\nl 1 0\n", "line 2: the face names vertex 0"),
        ("v 0 0 0\nl 0 1\n", "line 2: the face names vertex 0"),
        ("v 0 0 0\nl 1 -9223372036854775808\n", "line 2: the face names vertex -9223372036854775808"),
        ("v 0 0 0\nv 1 0 0\nl 1 -5\n", "line 3: the face names vertex -5"),
        ("v 0 0 0\nl 1 x\n", "line 2: found `x`"),
        ("v 0 0 nan\n", "line 1"),
    ] {
        let error = read_edges_obj(text.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with(words), "{error}");
    }
    for text in ["", "v 0 0 0\nv 1 0 0\nf 1 2 1\n", "v 0 0 0\nl 1\n"] {
        assert!(matches!(read_edges_obj(text.as_bytes()), Err(ReadError::NoEdges { .. })));
    }
}
