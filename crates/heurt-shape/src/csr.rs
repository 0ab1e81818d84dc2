//! Compressed lists (CSR): a list of numbers for each of many entities, in contiguous memory.

/// A list of numbers for each corner or vertex.
#[derive(Debug, Clone)]
pub(crate) struct Csr {
    /// Start of each list, and the end of the last.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Csr {
    /// Builds `count` lists from pairs of a list and a number, in any order; each number once, ascending.
    pub fn new(count: usize, mut pairs: Vec<[u32; 2]>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let start = |list: u32| pairs.partition_point(|[of, _]| *of < list) as u32;
        Self { starts: (0..=count as u32).map(start).collect(), numbers: pairs.iter().map(|[_, to]| *to).collect() }
    }

    /// Concatenates the given lists.
    pub fn side_by_side(lists: &[Vec<u32>]) -> Self {
        let mut starts = vec![0];
        let mut numbers = Vec::with_capacity(lists.iter().map(Vec::len).sum());
        for list in lists {
            numbers.extend(list);
            starts.push(numbers.len() as u32);
        }
        Self { starts, numbers }
    }

    #[inline(always)]
    pub fn of(&self, list: u32) -> &[u32] {
        // (A closure over an array is a call where it is not inlined.)
        let (start, end) = (self.starts[list as usize], self.starts[list as usize + 1]);
        &self.numbers[start as usize..end as usize]
    }
}
