//! Dense complementarity solvers against brute force over all active sets.

use heurt_geometry::SplitMix64;
use heurt_rigid::{BoundedUnknown, BoxedOutcome, LemkeOutcome, SquareMatrix, solve_boxed, solve_lemke};

/// A positive semidefinite matrix G·Gᵀ of a given rank, and G.
fn random_gram(random: &mut SplitMix64, size: usize, rank: usize) -> (SquareMatrix, Vec<Vec<f64>>) {
    let rows: Vec<Vec<f64>> = (0..size).map(|_| (0..rank).map(|_| random.between(-1.0, 1.0)).collect()).collect();
    let mut matrix = SquareMatrix::zero(size);
    for i in 0..size {
        for j in 0..size {
            matrix.set(i, j, rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum());
        }
    }
    (matrix, rows)
}

fn rates(matrix: &SquareMatrix, q: &[f64], z: &[f64]) -> Vec<f64> {
    matrix.multiply(z).iter().zip(q).map(|(a, b)| a + b).collect()
}

fn defect(matrix: &SquareMatrix, q: &[f64], z: &[f64]) -> f64 {
    rates(matrix, q, z).iter().zip(z).fold(0.0, |worst: f64, (w, z)| worst.max(z.min(*w).abs()))
}

/// Finds a solution by trying all active sets.
fn brute_force(matrix: &SquareMatrix, q: &[f64]) -> Option<Vec<f64>> {
    let size = matrix.size();
    for set in 0..1usize << size {
        let active: Vec<usize> = (0..size).filter(|i| set >> i & 1 == 1).collect();
        let mut system = SquareMatrix::zero(active.len());
        for (r, &i) in active.iter().enumerate() {
            for (c, &j) in active.iter().enumerate() {
                system.set(r, c, matrix.get(i, j));
            }
        }
        let right: Vec<f64> = active.iter().map(|&i| -q[i]).collect();
        let mut z = vec![0.0; size];
        for (&i, value) in active.iter().zip(system.solve(&right)) {
            z[i] = value;
        }
        if defect(matrix, q, &z) < 1e-9 {
            return Some(z);
        }
    }
    None
}

#[test]
fn lemke_equals_brute_force() {
    let mut random = SplitMix64::new(21);
    let (mut solved, mut rays) = (0, 0);
    for case in 0..2000 {
        let size = 1 + random.below(8);
        let rank = 1 + random.below(size);
        let (matrix, rows) = random_gram(&mut random, size, rank);
        // Half of the right-hand sides come from velocities, like those of contacts: always solvable.
        let velocity: Vec<f64> = (0..rank).map(|_| random.between(-1.0, 1.0)).collect();
        let q: Vec<f64> = if case % 2 == 0 {
            rows.iter().map(|row| row.iter().zip(&velocity).map(|(a, b)| a * b).sum()).collect()
        } else {
            (0..size).map(|_| random.between(-1.0, 1.0)).collect()
        };
        let oracle = brute_force(&matrix, &q);
        match solve_lemke(&matrix, &q, 500) {
            LemkeOutcome::Solved { z, .. } => {
                solved += 1;
                // Impulses of nearly contradictory contacts are large: rounding grows with them.
                let size = z.iter().fold(1.0, |size: f64, z| size.max(*z));
                assert!(defect(&matrix, &q, &z) < 1e-12 * size.max(100.0), "{case} {z:?}");
                // M z + q is unique for a positive semidefinite M.
                let oracle = oracle.expect("brute force finds a solution");
                for (a, b) in rates(&matrix, &q, &z).iter().zip(rates(&matrix, &q, &oracle)) {
                    assert!((a - b).abs() < 1e-8 * a.abs().max(1.0), "{case} {a} {b}");
                }
            }
            LemkeOutcome::Ray { .. } => {
                rays += 1;
                assert!(oracle.is_none(), "{case}");
                assert!(case % 2 == 1, "{case}");
            }
            LemkeOutcome::Stopped { pivots } => panic!("{case} {pivots} {size} {rank}"),
        }
    }
    assert!(solved > 300 && rays > 20, "{solved} {rays}");
}

#[test]
fn lemke_survives_duplicates_and_scales() {
    let mut random = SplitMix64::new(4);
    for _ in 0..100 {
        let (mut matrix, rows) = random_gram(&mut random, 4, 3);
        let mut q: Vec<f64> = rows.iter().map(|row| row.iter().sum::<f64>()).collect();
        // Unknown 3 becomes a copy of unknown 0, and all are scaled over 24 decades.
        for i in 0..4 {
            matrix.set(3, i, matrix.get(0, i));
        }
        for i in 0..4 {
            matrix.set(i, 3, matrix.get(i, 0));
        }
        q[3] = q[0];
        let scale = [1e-6, 1.0, 1e6, 1e-6];
        let mut scaled = matrix.clone();
        for i in 0..4 {
            for j in 0..4 {
                scaled.set(i, j, matrix.get(i, j) * scale[i] * scale[j]);
            }
        }
        let scaled_q: Vec<f64> = q.iter().zip(scale).map(|(q, s)| q * s).collect();
        let LemkeOutcome::Solved { z, .. } = solve_lemke(&scaled, &scaled_q, 500) else { panic!() };
        let z: Vec<f64> = z.iter().zip(scale).map(|(z, s)| z * s).collect();
        assert!(defect(&matrix, &q, &z) < 1e-9);
    }
    assert!(matches!(solve_lemke(&SquareMatrix::zero(0), &[], 10), LemkeOutcome::Solved { pivots: 0, .. }));
    let nan = SquareMatrix::from_rows(&[vec![f64::NAN]]);
    assert!(!matches!(solve_lemke(&nan, &[-1.0], 10), LemkeOutcome::Solved { z, .. } if z[0].is_nan()));
}

fn boxed_defect(matrix: &SquareMatrix, q: &[f64], unknowns: &[BoundedUnknown], x: &[f64]) -> f64 {
    let w = rates(matrix, q, x);
    (0..x.len()).fold(0.0, |worst: f64, i| {
        let (low, high) = match unknowns[i] {
            BoundedUnknown::Constant { low, high } => (low, high),
            BoundedUnknown::Proportional { to, factor } => (-factor * x[to], factor * x[to]),
        };
        worst.max((x[i] - (x[i] - w[i]).max(low).min(high)).abs())
    })
}

#[test]
fn boxed_pivoting_solves_equations_intervals_and_friction() {
    let mut random = SplitMix64::new(8);
    let (mut solved, mut stopped, mut at_bounds) = (0, 0, 0);
    for _ in 0..500 {
        let size = 3 + random.below(10);
        let (matrix, _) = random_gram(&mut random, size, size + 2);
        let q: Vec<f64> = (0..size).map(|_| random.between(-1.0, 1.0)).collect();
        let unknowns: Vec<BoundedUnknown> = (0..size)
            .map(|i| match i % 3 {
                0 => BoundedUnknown::Constant { low: 0.0, high: f64::INFINITY },
                1 => BoundedUnknown::Proportional { to: i - 1, factor: random.between(0.0, 0.5) },
                _ if random.unit() < 0.5 => BoundedUnknown::Constant { low: -0.3, high: 0.2 },
                _ => BoundedUnknown::Constant { low: f64::NEG_INFINITY, high: f64::INFINITY },
            })
            .collect();
        match solve_boxed(&matrix, &q, &unknowns, 400) {
            BoxedOutcome::Solved { x, .. } => {
                solved += 1;
                assert!(boxed_defect(&matrix, &q, &unknowns, &x) < 1e-9, "{x:?}");
                at_bounds += usize::from(x.iter().any(|x| *x == 0.2 || *x == -0.3));
            }
            BoxedOutcome::Stopped { .. } => stopped += 1,
        }
    }
    assert!(solved >= 490 && at_bounds > 50, "{solved} {stopped} {at_bounds}");
    // Bad references and bounds end at once.
    let bad = [BoundedUnknown::Proportional { to: 0, factor: 1.0 }];
    let one = SquareMatrix::from_rows(&[vec![1.0]]);
    assert_eq!(solve_boxed(&one, &[1.0], &bad, 10), BoxedOutcome::Stopped { pivots: 0 });
}
