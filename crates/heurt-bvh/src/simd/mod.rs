//! Lanes of `f32`: one interface for AVX2, for SSE2 and for plain arrays, so that every kernel is written once.
//!
//! In → out: `W` numbers side by side. Method: a token ([`Isa`]) proves that the processor has the instructions; the
//! only functions behind a `#[target_feature]` are those of [`Isa`], and everything called inside must be inlined into
//! them.
//! Guarantees: all implementations round alike (no fused operation exists here), so visits, witnesses and work
//! counts are the same on every machine. `NaN` compares false.

mod array;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod register;
mod rows;
#[cfg(target_arch = "x86_64")]
mod sse2;

#[cfg(not(target_arch = "x86_64"))]
pub use array::Portable as Baseline;
pub use array::{Array, Portable, Three};
#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
pub use rows::Row;
#[cfg(target_arch = "x86_64")]
pub use sse2::Sse2 as Baseline;
/// On other processors the fast token is the portable one.
#[cfg(not(target_arch = "x86_64"))]
pub type Avx2 = Portable;

/// The instruction sets that [`dispatch`] chooses from.
#[derive(Debug, Clone, Copy)]
pub enum Machine {}

/// A width of lanes that all instruction sets of the machine have: 2, 4 and 8, and with arrays any.
pub trait HasLanes<const W: usize> {
    /// The fast instruction set.
    type Fast: WideIsa + LanesFor<W>;
    /// The instruction set that every processor has.
    type Base: WideIsa + LanesFor<W>;
    /// Returns the token of the fast instruction set if the processor has it.
    fn fast() -> Option<Self::Fast>;
    /// Returns the token that every processor has.
    fn base() -> Self::Base;
}

impl<const W: usize> HasLanes<W> for Machine
where
    Avx2: LanesFor<W>,
    Baseline: LanesFor<W>,
{
    type Fast = Avx2;
    type Base = Baseline;

    #[inline(always)]
    fn fast() -> Option<Avx2> {
        Avx2::detect()
    }
    #[inline(always)]
    fn base() -> Baseline {
        Baseline
    }
}

/// Proof that the processor has an instruction set.
pub trait Isa: Copy {
    /// A point in `f64`.
    type Point: Point;
    /// Runs `f` compiled for the instruction set; closures inside must be inlined to profit.
    fn enter<R>(self, f: impl FnOnce() -> R) -> R;
    /// Runs [`Isa::enter`] for kernels that need more than 16 registers: with AVX-512's 32 registers of the same width,
    /// if the processor has them. `f` is compiled for both.
    #[inline(always)]
    fn enter_wide<R>(self, f: impl FnOnce() -> R) -> R {
        self.enter(f)
    }
    /// Runs `kernel` on the most lanes that one register of the machine has: 16 with AVX-512, else 8.
    fn on_widest<K: WidestKernel>(self, kernel: K) -> K::Output;
    /// Prefetches `value`, which will soon be read.
    fn prefetch<T>(self, value: &T);
}

/// The lanes that an instruction set offers for width `W`.
pub trait LanesFor<const W: usize>: Isa {
    /// `W` numbers.
    type F: Lanes<W>;
}

/// Eight numbers.
pub type Lanes8<I> = <I as LanesFor<8>>::F;

/// An instruction set with lanes for every width that trees have.
pub trait WideIsa: LanesFor<2> + LanesFor<4> + LanesFor<8, F: Halves<Half = <Self as LanesFor<4>>::F>> {}
impl<I: LanesFor<2> + LanesFor<4> + LanesFor<8, F: Halves<Half = <I as LanesFor<4>>::F>>> WideIsa for I {}

/// `W` numbers and their lane-wise operations. A comparison returns lanes whose sign bit is the result.
pub trait Lanes<const W: usize>: Copy {
    /// The same number in every lane.
    fn splat(x: f32) -> Self;
    /// Reads `W` numbers.
    fn load(from: &[f32; W]) -> Self;
    /// Writes `W` numbers.
    fn to_array(self) -> [f32; W];
    /// Sum.
    fn add(self, other: Self) -> Self;
    /// Difference.
    fn sub(self, other: Self) -> Self;
    /// Product.
    fn mul(self, other: Self) -> Self;
    /// Quotient.
    fn div(self, other: Self) -> Self;
    /// Square root, rounded to nearest.
    fn sqrt(self) -> Self;
    /// Lane-wise minimum; the second if either is `NaN`.
    fn min(self, other: Self) -> Self;
    /// Lane-wise maximum; the second if either is `NaN`.
    fn max(self, other: Self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Lane-wise `self > other`.
    fn gt(self, other: Self) -> Self;
    /// Lane-wise `self == other`.
    fn eq(self, other: Self) -> Self;
    /// Lane-wise or.
    fn or(self, other: Self) -> Self;
    /// Lane-wise and.
    fn and(self, other: Self) -> Self;
    /// Lane-wise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Selects `yes` in lanes with `self` true, else `no`.
    fn select(self, yes: Self, no: Self) -> Self;
    /// Returns a mask: bit `i` is the truth of lane `i`.
    fn bits(self) -> u32;
}

/// Eight lanes seen as two halves of four: a box as its two corners.
pub trait Halves: Lanes<8> {
    /// Four lanes.
    type Half: Lanes<4>;
    /// The four numbers, twice.
    #[inline(always)]
    fn twice(four: Self::Half) -> Self {
        Self::join(four, four)
    }
    /// Four numbers and four more.
    fn join(low: Self::Half, high: Self::Half) -> Self;
    /// `low` in the first four lanes, `high` in the last four.
    fn each_twice(low: f32, high: f32) -> Self;
    /// Picks into lane k the lane given by the last three bits of byte k of `from`.
    fn picked(self, from: u64) -> Self;
    /// The first numbers of eight points, the second and the third.
    fn transposed(points: &[[f32; 4]; 8]) -> [Self; 3];
}

/// The three coordinates of a point in `f64`, side by side.
pub trait Point: Copy {
    /// The same number three times.
    fn splat(x: f64) -> Self;
    /// Reads a point.
    fn load(from: &[f64; 3]) -> Self;
    /// Differences.
    fn sub(self, other: Self) -> Self;
    /// Products.
    fn mul(self, other: Self) -> Self;
    /// Lane-wise minimum; coordinates of the second if either is `NaN`.
    fn min(self, other: Self) -> Self;
    /// Lane-wise maximum; coordinates of the second if either is `NaN`.
    fn max(self, other: Self) -> Self;
    /// The three numbers.
    fn to_array(self) -> [f64; 3];
    /// Rounds to nearest; the fourth number is zero.
    fn narrow(self) -> [f32; 4];
}

/// A kernel on rows of numbers, eight or sixteen at a time, as the machine allows.
pub trait WidestKernel {
    /// Result of the kernel.
    type Output;
    /// Does the work, called inside the instruction set that has these lanes.
    fn run<const W: usize, F: Lanes<W>>(self) -> Self::Output;
}

/// A kernel that runs under the instruction set of the machine, on lanes of width `W`.
pub trait Kernel<const W: usize = 8> {
    /// Result of the kernel.
    type Output;
    /// Does the work; called inside [`Isa::enter`].
    fn run<I: WideIsa + LanesFor<W>>(self, isa: I) -> Self::Output;
}

/// Runs `kernel` under AVX2 where the processor has it, else under what every processor has.
#[inline(always)]
pub fn dispatch<const W: usize, K: Kernel<W>>(kernel: K) -> K::Output
where
    Machine: HasLanes<W>,
{
    match Machine::fast() {
        Some(isa) => isa.enter(
            #[inline(always)]
            || kernel.run(isa),
        ),
        None => run_on_baseline(kernel),
    }
}

/// Not inlined, so that a kernel is compiled once for it, and not again for each caller.
#[cold]
#[inline(never)]
fn run_on_baseline<const W: usize, K: Kernel<W>>(kernel: K) -> K::Output
where
    Machine: HasLanes<W>,
{
    kernel.run(Machine::base())
}
