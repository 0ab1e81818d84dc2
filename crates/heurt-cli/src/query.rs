//! `heurt query`: JSON lines in, JSON lines out, in order.
//!
//! Lines that have arrived are answered in parallel, and the answers are written before more lines are read: a program
//! can send one request at a time and read its answer.

use crate::files::{NotedFiles, tree_of_option};
use crate::output::Output;
use crate::{Failure, load, status::Status, threads};
use clap::Args;
use heurt::scene::QuerySession;
use heurt::scene::describe::fields::LONGEST_LINE;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;

const EXAMPLES: &str = r#"Examples:
  One request, with two triangles written out (they share a corner, so they overlap):
    echo '{"id":1,"op":"overlap","a":{"type":"triangle","points":[[0,0,0],[1,0,0],[0,1,0]]},
      "b":{"type":"triangle","points":[[0,0,0],[-1,0,0],[0,-1,0]]}}' | tr -d '\n' | heurt query
  Ten thousand requests on two cores, with the work of each:
    heurt query --threads 2 --stats < requests.jsonl > answers.jsonl
  The same through the trees that `heurt tune` found fastest:
    heurt query --tree arm.tree < requests.jsonl > answers.jsonl

Requests: {"id":…, "op":…, "a":shape, "pose_a":pose, "b":shape, "pose_b":pose, …}
  op       overlap · pairs (limit) · distance (max) · contact (margin, manifold) · closest (a, point)
           ray (a, origin, direction, max_distance, all) · contains (a, points) · measure (a, limit)
           cast (velocity_a, angular_velocity_a, …, max_time, tolerance)
           ccd (kind, t0, t1, min_separation, tolerance: no shapes)
           shape (name, shape: kept for later lines)
           batch (ask, shapes, pairs, poses or poses_npy, max, margin, first)
           map (name, path or vertices and faces: kept for later lines)
           locate (map, point) · probe (map, from, to) · move (map, from, to, obstacles)
           near (map, points, at, radius)
  shape    {"type":"mesh","path":"a.obj"}, with "scale", "unit", "weld", "part", "solid"
           {"type":"mesh","vertices":[…],"triangles":[…]} · {"type":"shape","name":"link1"}
           {"type":"point"} · {"type":"segment","points":[…]} · the same for triangle and hull
           {"type":"box","half":[x,y,z]} · {"type":"sphere","radius":r}
           {"type":"capsule","radius":r,"half_height":h} · the same for cylinder and cone
           {"type":"ellipsoid","radii":[x,y,z]} · {"type":"half_space","normal":[x,y,z],"offset":d}
           {"type":"superellipsoid","radii":[x,y,z],"n1":1,"n2":1}
           {"type":"supertoroid","r0":2,"r1":1,"n1":1,"n2":1}, with "segments":64 as meshes
           {"type":"heightfield","origin":[x,y],"spacing":[dx,dy],"heights":[[…],…]}
           {"type":"compound","parts":[{"shape":…,"pose":…},…]}
           any shape with "margin":m is all points within m of it
  pose     [x,y,z] · [x,y,z,qx,qy,qz,qw] · {"translation":[x,y,z],"rotation":[x,y,z,w]}
           {"translation":…,"axis":[x,y,z],"angle_deg":a} · {"translation":…,"rpy_deg":[r,p,y]}
           {"matrix":[3 rows of 4]}

Exit status: 0 every line was answered, 1 some lines were bad (their answers say why), 2 the input could not be read."#;

/// Answers requests given as JSON lines: overlap, pairs, distance, contact, closest point, rays, measures, when moving
/// shapes touch, and cells, paths and neighbours in maps.
///
/// One JSON object a line in, one answer a line out, in the order of the requests. A bad line is answered by
/// {"id":…,"ok":false,"error":…}, and the next lines are still answered. Numbers are f64 and survive bit for bit.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(crate) struct QueryArguments {
    /// A file of requests; standard input if none is named.
    requests: Option<PathBuf>,
    /// Answers on this many threads; 0 is one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=threads::MOST as i64))]
    threads: Option<u16>,
    /// Adds to each answer the work done and the microseconds it took.
    #[arg(long)]
    stats: bool,
    /// Walks the tree that `heurt tune` found fastest, wherever a request names none itself; the answers are the same.
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
}

/// Bytes of input that are processed together.
const WINDOW: usize = 1 << 20;

/// Answers all lines.
pub(crate) fn run(arguments: &QueryArguments, out: &mut Output) -> Result<Status, Failure> {
    let named = arguments.requests.as_deref();
    let failed = |source| Failure::unreadable(named.unwrap_or("standard input".as_ref()), source);
    let input: Box<dyn Read + Send> = match named {
        Some(path) => Box::new(load::open(path).map_err(failed)?),
        None => Box::new(io::stdin()),
    };
    let mut input = BufReader::with_capacity(WINDOW, input);
    let tree = arguments.tree.as_deref().map(tree_of_option).transpose()?;
    let count = threads::count(arguments.threads);
    let session = QuerySession::new(NotedFiles, count, tree).map_err(|source| Failure::Threads { count, source })?;
    let mut session = if arguments.stats { session.with_stats() } else { session };
    threads::with(arguments.threads, || {
        let mut status = Status::Clear;
        loop {
            // Lines before a failure to read are still answered.
            let (lines, end) = arrived_lines(&mut input);
            for answer in session.answer_lines(&lines) {
                writeln!(out, "{}", answer.json).map_err(Failure::output)?;
                if !answer.ok {
                    status = Status::Found;
                }
            }
            out.finish()?;
            match end {
                End::MoreToCome if !out.is_closed() => {}
                End::MoreToCome | End::Reached => return Ok(status),
                End::Failed(error) => return Err(failed(error)),
            }
        }
    })?
}

/// The state of the input after the lines read.
enum End {
    MoreToCome,
    Reached,
    Failed(io::Error),
}

/// Reads a line (blocking), and every further line that has already arrived. Blank lines are no requests.
fn arrived_lines(input: &mut BufReader<Box<dyn Read + Send>>) -> (Vec<Vec<u8>>, End) {
    let mut lines = Vec::new();
    loop {
        let mut line = Vec::new();
        let mut read = input.take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line);
        let mut is_last = !line.ends_with(b"\n");
        if is_last && line.len() > LONGEST_LINE {
            // The line is kept with a length above the limit, by which it is refused; the rest is skipped.
            (read, is_last) = match input.skip_until(b'\n') {
                Ok(skipped) => (Ok(skipped), false),
                Err(error) => (Err(error), true),
            };
        }
        if !line.trim_ascii().is_empty() {
            lines.push(line);
        }
        match read {
            Err(error) => return (lines, End::Failed(error)),
            Ok(_) if is_last => return (lines, End::Reached),
            Ok(_) if !input.buffer().contains(&b'\n') && !lines.is_empty() => return (lines, End::MoreToCome),
            Ok(_) => {}
        }
    }
}
