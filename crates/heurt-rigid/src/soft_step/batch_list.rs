//! Lists of contact batches per colour, and their sweeps in parallel.
//!
//! In: manifolds and movable bodies. Out: batches ordered by colour; sweeps over a colour.
//! Method: counting sort of blocks by size class and colour. Blocks of a colour share no movable body, so a large
//! colour is computed in parallel into a buffer of velocities; the buffer is then written to the bodies in order.
//! Guarantees: the same bits for any number of threads, with and without rayon.

use super::batch::{BatchSource, ContactBatch};
use super::colour::{ColourPair, Colouring};
use super::input::StepManifold;
use super::lanes::LANES;
use super::memory::bytes_of;
use super::motion::{BodyMotion, BodyState};
use super::settings::Softness;
use super::sweep::{SubStep, Sweep, WidePair};
use heurt_bvh::simd::{Kernel, LanesFor, WideIsa, dispatch};
use rayon::prelude::*;

/// Batches of a colour below which a sweep stays on one thread. 256: 70 µs of work at the measured 0.28 µs of a batch,
/// ten times the cost of waking another thread.
const MIN_PARALLEL: usize = 256;
/// Batches of a task: 18 µs.
const TASK: usize = 64;

/// Batches of blocks of at most `N` points.
#[derive(Debug, Clone, Default)]
pub(super) struct BatchList<const N: usize> {
    batches: Vec<ContactBatch<N>>,
    sources: Vec<[BatchSource; LANES]>,
    /// First batch of each colour, and the end.
    starts: Vec<usize>,
    results: Vec<WidePair>,
}

/// The input of the preparation of batches.
#[derive(Clone, Copy)]
pub(super) struct PrepareContext<'a> {
    pub manifolds: &'a [StepManifold],
    pub members: Members<'a>,
    pub motions: &'a [BodyMotion],
    /// For two movable bodies and for one.
    pub softness: [Softness; 2],
    pub parallel: bool,
}

/// Which manifolds a set has: those with a body of an island with joints, or all others.
#[derive(Clone, Copy)]
pub(super) struct Members<'a> {
    /// Whether each body is of an island with joints; empty without joints.
    pub has_joints: &'a [bool],
    pub are_jointed: bool,
}

impl Members<'_> {
    fn contain(&self, manifold: &StepManifold) -> bool {
        let is_jointed = |body: &u32| self.has_joints.get(*body as usize).copied().unwrap_or(false);
        manifold.bodies.iter().any(is_jointed) == self.are_jointed
    }
}

impl<const N: usize> BatchList<N> {
    /// Builds the batches of blocks, which have a colour each.
    fn build(&mut self, blocks: &[(u32, BatchSource)], is_serial: &[bool], context: &PrepareContext) {
        let mut counts = vec![0_usize; is_serial.len()];
        for (colour, _) in blocks {
            counts[*colour as usize] += 1;
        }
        self.starts.clear();
        let mut cursors = Vec::with_capacity(is_serial.len());
        let mut end = 0;
        for (count, is_serial) in counts.iter().zip(is_serial) {
            self.starts.push(end);
            cursors.push(end * LANES);
            end += count.div_ceil(lanes_per_batch(*is_serial));
        }
        self.starts.push(end);
        self.sources.clear();
        self.sources.resize(end, [BatchSource::NONE; LANES]);
        for (colour, source) in blocks {
            let cursor = &mut cursors[*colour as usize];
            self.sources[*cursor / LANES][*cursor % LANES] = *source;
            *cursor += LANES / lanes_per_batch(is_serial[*colour as usize]);
        }
        self.batches.truncate(end);
        self.batches.resize(end, ContactBatch::EMPTY);
        self.results.resize(end, WidePair::ZERO);
        self.prepare(context);
    }

    fn bytes(&self) -> usize {
        bytes_of(&self.batches) + bytes_of(&self.sources) + bytes_of(&self.starts) + bytes_of(&self.results)
    }

    fn prepare(&mut self, context: &PrepareContext) {
        let run = |batches: &mut [ContactBatch<N>], sources: &[[BatchSource; LANES]]| {
            dispatch(PrepareKernel { batches, sources, context });
        };
        if context.parallel && self.batches.len() >= MIN_PARALLEL {
            let batches = self.batches.par_chunks_mut(TASK);
            batches.zip(self.sources.par_chunks(TASK)).for_each(|(batches, sources)| run(batches, sources));
        } else {
            run(&mut self.batches, &self.sources);
        }
    }

    /// Runs a sweep over a colour; `parallel` if its blocks share no body.
    fn sweep(&mut self, colour: usize, states: &mut [BodyState], sweep: Sweep, sub: &SubStep, parallel: bool) {
        let range = self.starts[colour]..self.starts[colour + 1];
        let batches = &mut self.batches[range.clone()];
        if batches.is_empty() {
            return;
        }
        if !parallel || batches.len() < MIN_PARALLEL {
            dispatch(SerialKernel { batches, states, sweep, sub });
            return;
        }
        let results = &mut self.results[range];
        let read = &*states;
        batches.par_chunks_mut(TASK).zip(results.par_chunks_mut(TASK)).for_each(|(batches, results)| {
            dispatch(ParallelKernel { batches, results, states: read, sweep, sub });
        });
        for (batch, result) in batches.iter().zip(results.iter()) {
            result.scatter(states, &batch.bodies);
        }
    }

    /// Keeps a share of the impulses of the pass of restitution.
    fn scale_bounces(&mut self, shares: &[f64]) {
        for (batch, sources) in self.batches.iter_mut().zip(&self.sources).filter(|(batch, _)| batch.is_bouncy) {
            for lane in (0..LANES).filter(|lane| sources[*lane].count > 0) {
                let [a, b] = [0, 1].map(|side| shares[batch.bodies[side][lane] as usize]);
                batch.scale_bounce(lane, a.min(b));
            }
        }
    }

    /// Writes the impulses to the manifolds.
    fn store(&self, manifolds: &mut [StepManifold]) {
        for (batch, sources) in self.batches.iter().zip(&self.sources) {
            for (lane, source) in sources.iter().enumerate().filter(|(_, source)| source.count > 0) {
                batch.store(lane, source, &mut manifolds[source.manifold as usize]);
            }
        }
    }
}

/// A batch of a serial colour has one block, because its blocks may share bodies.
fn lanes_per_batch(is_serial: bool) -> usize {
    if is_serial { 1 } else { LANES }
}

struct PrepareKernel<'a, const N: usize> {
    batches: &'a mut [ContactBatch<N>],
    sources: &'a [[BatchSource; LANES]],
    context: &'a PrepareContext<'a>,
}

impl<const N: usize> Kernel for PrepareKernel<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, _isa: I) {
        for (batch, sources) in self.batches.iter_mut().zip(self.sources) {
            batch.prepare(sources, self.context.manifolds, self.context.motions, &self.context.softness);
            batch.couple();
        }
    }
}

struct SerialKernel<'a, const N: usize> {
    batches: &'a mut [ContactBatch<N>],
    states: &'a mut [BodyState],
    sweep: Sweep,
    sub: &'a SubStep,
}

impl<const N: usize> Kernel for SerialKernel<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        for batch in self.batches {
            let result = sweep_batch(isa, batch, self.states, self.sweep, self.sub);
            result.scatter(self.states, &batch.bodies);
        }
    }
}

struct ParallelKernel<'a, const N: usize> {
    batches: &'a mut [ContactBatch<N>],
    results: &'a mut [WidePair],
    states: &'a [BodyState],
    sweep: Sweep,
    sub: &'a SubStep,
}

impl<const N: usize> Kernel for ParallelKernel<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run<I: WideIsa + LanesFor<8>>(self, isa: I) {
        for (batch, result) in self.batches.iter_mut().zip(self.results) {
            *result = sweep_batch(isa, batch, self.states, self.sweep, self.sub);
        }
    }
}

/// Sweeps over a batch. Not inlined, so that serial and parallel sweeps share it: 0.28 µs outweigh the call.
#[inline(never)]
fn sweep_batch<I: WideIsa, const N: usize>(
    isa: I,
    batch: &mut ContactBatch<N>,
    states: &[BodyState],
    sweep: Sweep,
    sub: &SubStep,
) -> WidePair {
    isa.enter(
        #[inline(always)]
        || batch.sweep(states, sweep, sub),
    )
}

/// The order of the layers in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    FromGround,
    FromTop,
}

/// All contacts of a step: blocks of four, two and one points.
#[derive(Debug, Clone, Default)]
pub(super) struct ContactSet {
    colouring: Colouring,
    pairs: Vec<ColourPair>,
    sources: Vec<BatchSource>,
    blocks: [Vec<(u32, BatchSource)>; 3],
    four: BatchList<4>,
    two: BatchList<2>,
    one: BatchList<1>,
    /// Whether a manifold bounces.
    pub is_bouncy: bool,
}

impl ContactSet {
    /// Colours the blocks of the manifolds and prepares their batches. Manifolds without movable body are skipped.
    pub fn build(&mut self, context: &PrepareContext) {
        self.pairs.clear();
        self.sources.clear();
        self.is_bouncy = false;
        for (index, manifold) in context.manifolds.iter().enumerate() {
            let movable = manifold.bodies.map(|body| context.motions[body as usize].is_movable);
            if movable == [false; 2] || !context.members.contain(manifold) {
                continue;
            }
            self.is_bouncy |= manifold.restitution > 0.0;
            for first_point in (0..manifold.points.len()).step_by(4) {
                let count = (manifold.points.len() - first_point).min(4) as u32;
                self.sources.push(BatchSource { manifold: index as u32, first_point: first_point as u32, count });
                self.pairs.push(ColourPair { bodies: manifold.bodies, movable });
            }
        }
        self.colouring.build(context.motions.len(), &self.pairs);
        self.blocks.iter_mut().for_each(Vec::clear);
        for (source, colour) in self.sources.iter().zip(&self.colouring.of_pair) {
            let class = [0, 0, 1, 2, 2][source.count as usize];
            self.blocks[class].push((*colour, *source));
        }
        let is_serial = &self.colouring.is_serial;
        self.one.build(&self.blocks[0], is_serial, context);
        self.two.build(&self.blocks[1], is_serial, context);
        self.four.build(&self.blocks[2], is_serial, context);
    }

    /// Reports whether there is no contact.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Runs a sweep over all colours.
    pub fn sweep(&mut self, states: &mut [BodyState], sweep: Sweep, order: Order, sub: &SubStep, parallel: bool) {
        let count = self.colouring.is_serial.len();
        for number in 0..count {
            let colour = match order {
                Order::FromGround => number,
                Order::FromTop => count - 1 - number,
            };
            let parallel = parallel && !self.colouring.is_serial[colour];
            self.four.sweep(colour, states, sweep, sub, parallel);
            self.two.sweep(colour, states, sweep, sub, parallel);
            self.one.sweep(colour, states, sweep, sub, parallel);
        }
    }

    /// Returns the bytes of reserved memory.
    pub fn bytes(&self) -> usize {
        let lists = self.four.bytes() + self.two.bytes() + self.one.bytes();
        let blocks: usize = self.blocks.iter().map(bytes_of).sum();
        lists + blocks + bytes_of(&self.pairs) + bytes_of(&self.sources) + self.colouring.bytes()
    }

    /// The largest number of layers on a fixed body.
    pub fn layers(&self) -> u32 {
        self.colouring.layers
    }

    /// Keeps a share of the impulses of the pass of restitution; `shares` has one number for each body.
    pub fn scale_bounces(&mut self, shares: &[f64]) {
        self.one.scale_bounces(shares);
        self.two.scale_bounces(shares);
        self.four.scale_bounces(shares);
    }

    /// Writes the impulses to the manifolds.
    pub fn store(&self, manifolds: &mut [StepManifold]) {
        self.one.store(manifolds);
        self.two.store(manifolds);
        self.four.store(manifolds);
    }
}
