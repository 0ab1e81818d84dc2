//! Files of queries in fractions: read as they stand, and what is wrong with them named.

use heurt_geometry::Vec3;
use heurt_testkit::corpus::ccd::{CorpusError, CorpusQuery, read_queries, write_queries};
use heurt_testkit::hard::ccd_queries::moving_query;
use heurt_testkit::number::random::Random;

/// A vertex that falls through a triangle, and one that does not.
const FALLING: &str = "\
1,4,1,4,1,1,1
0,1,0,1,0,1,1
1,1,0,1,0,1,1
0,1,-2,-2,0,5,1
1,4,1,4,-3,1,1
0,1,0,1,0,1,1
1,1,0,1,0,1,1
0,1,1,1,0,1,1

1,4,1,4,1,1,0
0,1,0,1,0,1,0
1,1,0,1,0,1,0
0,1,1,1,0,1,0
3,12,1,4, 36893488147419103232, 295147905179352825856 ,0
0,1,0,1,0,1,0
1,1,0,1,0,1,0
0,1,1,1,0,1,0
";

#[test]
fn rows_are_vertices_and_answers() {
    let [hit, miss] = read_queries(FALLING).unwrap()[..] else { panic!("two queries") };
    let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
    for (query, from, to, touches) in [(hit, 1.0, -3.0, true), (miss, 1.0, 0.125, false)] {
        let at = |z: f64| [Vec3::new(0.25, 0.25, z), triangle[0], triangle[1], triangle[2]];
        assert_eq!(query, CorpusQuery { start: at(from), end: at(to), touches, is_exact: true });
    }
    assert_eq!(read_queries(""), Ok(vec![]));
}

#[test]
fn what_is_written_is_read_to_the_last_bit() {
    let mut random = Random::new(1);
    let mut queries: Vec<CorpusQuery> = (0..2_000)
        .map(|k| {
            let query = moving_query(&mut random);
            CorpusQuery { start: query.start, end: query.end, touches: k % 3 == 0, is_exact: true }
        })
        .collect();
    let least = f64::from_bits(1);
    let edge =
        [least, 3.0 * least, f64::MIN_POSITIVE, f64::MIN_POSITIVE.next_down(), f64::MAX, -f64::MAX, 0.1, -1e-310];
    let hard = |k: usize| Vec3::new(edge[k], edge[k + 1], edge[k + 2]);
    queries.push(CorpusQuery {
        start: [0, 1, 2, 3].map(hard),
        end: [5, 4, 3, 2].map(hard),
        touches: true,
        is_exact: true,
    });
    assert_eq!(read_queries(&write_queries(&queries)).unwrap(), queries);
}

#[test]
fn what_no_double_holds_is_rounded_and_told() {
    let of = |fraction: &str| {
        let text = FALLING.lines().take(8).collect::<Vec<_>>().join("\n").replacen("1,4", fraction, 1);
        read_queries(&text).map(|queries| (queries[0].start[0].x, queries[0].is_exact))
    };
    assert_eq!(of("1,3"), Ok((1.0 / 3.0, false)));
    assert_eq!(of("-2,3"), Ok((-2.0 / 3.0, false)));
    assert_eq!(of("1,10"), Ok((0.1, false)));
    // Halfway between two doubles, and a hair above.
    assert_eq!(of("9007199254740993,1"), Ok((9007199254740992.0, false)));
    assert_eq!(of("90071992547409930000000000000001,10000000000000000"), Ok((9007199254740994.0, false)));
    assert_eq!(of("22250738585072016,1"), Ok((22250738585072016.0, true)));
    let large = format!("1{},1", "0".repeat(400));
    let tiny = format!("1,1{}", "0".repeat(400));
    assert!(matches!(of(&large), Err(CorpusError::Fraction { line: 1, .. })));
    assert_eq!(of(&tiny), Ok((0.0, false)));
}

#[test]
fn what_is_wrong_is_named() {
    let with = |from: &str, to: &str| read_queries(&FALLING.replacen(from, to, 1)).unwrap_err();
    assert_eq!(with("-3,1,1", "-3,1"), CorpusError::Fields { line: 5, count: 6 });
    assert_eq!(with("-3,1,1", "-3,1,2"), CorpusError::Answer { line: 5, value: "2".into() });
    assert_eq!(with("-3,1,1", "-3,1,0"), CorpusError::Answer { line: 5, value: "0".into() });
    for wrong in ["1,0", "1.5,1", "x,1", ",1"] {
        let error = with("-3,1", wrong);
        assert!(matches!(error, CorpusError::Fraction { line: 5, .. }), "{error}");
    }
    let few = FALLING.lines().take(12).collect::<Vec<_>>().join("\n");
    assert_eq!(read_queries(&few), Err(CorpusError::Rows { count: 11 }));
}
