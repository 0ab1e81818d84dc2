//! Edges of OBJ files: polylines, welded ends, bad indices.

use heurt_io::{ReadError, read_edges_obj};

#[test]
fn polylines_are_edges_and_equal_vertices_are_one() {
    let text = b"# a square, its corners written twice\nv 0 0 0\nv 1 0 0\nv 1 0 -0\nv 1 1 0\nl 1/1 2/2\nl 3 4\n\
        v 0 1 0\nl -2 -1 1\nl 1 1\nv 9 9 9\nl 6 6\nl 2 \\\n1\nf 1 2 4\n";
    let (vertices, edges) = read_edges_obj(text).unwrap();
    assert_eq!(vertices.len(), 4, "a vertex without an edge is left out");
    assert_eq!(edges, [[0, 1], [1, 2], [2, 3], [0, 3]]);
}

#[test]
fn bad_lines_are_named() {
    for (text, words) in [
        ("v 0 0 0\nv 1 0 0\nl 1 3\n", "line 3: the face names vertex 3"),
        ("v 0 0 0\nl 1 0\n", "line 2: the face names vertex 0"),
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
