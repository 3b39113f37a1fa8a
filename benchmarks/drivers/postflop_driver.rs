// SPDX-License-Identifier: MIT
//! Solves one spot with postflop-solver and prints how that went.
//!
//! The argument is a JSON object, described in `benchmarks/README.md`; the answer on standard output is another one.

use postflop_solver::*;
use serde_json::{json, Value};
use std::time::Instant;

type Error = Box<dyn std::error::Error>;

fn text<'a>(spot: &'a Value, key: &str) -> Result<&'a str, Error> {
    spot[key].as_str().ok_or_else(|| format!("'{key}' must be a text").into())
}

fn number(spot: &Value, key: &str) -> Result<f64, Error> {
    spot[key].as_f64().ok_or_else(|| format!("'{key}' must be a number").into())
}

/// The sizes of both players on one street; a street that is over has none.
fn sizes(spot: &Value, street: &str) -> Result<[BetSizeOptions; 2], Error> {
    let player = |index: usize| -> Result<BetSizeOptions, Error> {
        let both = &spot["sizes"][street][index];
        let part = |key: usize| both[key].as_str().unwrap_or("");
        Ok(BetSizeOptions::try_from((part(0), part(1)))?)
    };
    Ok([player(0)?, player(1)?])
}

fn donk(spot: &Value, street: &str) -> Result<Option<DonkSizeOptions>, Error> {
    match spot["donk"][street].as_str() {
        Some(sizes) => Ok(Some(DonkSizeOptions::try_from(sizes)?)),
        None => Ok(None),
    }
}

fn build(spot: &Value) -> Result<PostFlopGame, Error> {
    let board = text(spot, "board")?;
    if !board.is_ascii() || !matches!(board.len(), 6 | 8 | 10) {
        return Err("'board' must have three to five cards".into());
    }
    let later = |range: std::ops::Range<usize>| match board.get(range) {
        Some(card) => card_from_str(card),
        None => Ok(NOT_DEALT),
    };
    let range = |index: usize| -> Result<Range, Error> {
        Ok(spot["ranges"][index].as_str().ok_or("'ranges' must be two texts")?.parse()?)
    };
    let cards = CardConfig {
        range: [range(0)?, range(1)?],
        flop: flop_from_str(&board[..6])?,
        turn: later(6..8)?,
        river: later(8..10)?,
    };
    let tree = TreeConfig {
        initial_state: match board.len() {
            6 => BoardState::Flop,
            8 => BoardState::Turn,
            _ => BoardState::River,
        },
        starting_pot: number(spot, "pot")? as i32,
        effective_stack: number(spot, "stack")? as i32,
        rake_rate: 0.0,
        rake_cap: 0.0,
        flop_bet_sizes: sizes(spot, "flop")?,
        turn_bet_sizes: sizes(spot, "turn")?,
        river_bet_sizes: sizes(spot, "river")?,
        turn_donk_sizes: donk(spot, "turn")?,
        river_donk_sizes: donk(spot, "river")?,
        add_allin_threshold: number(spot, "add_allin_threshold")?,
        force_allin_threshold: number(spot, "force_allin_threshold")?,
        merging_threshold: number(spot, "merging_threshold")?,
    };
    Ok(PostFlopGame::with_config(cards, ActionTree::new(tree)?)?)
}

/// Bytes of a field of this process's status: VmRSS what it has, VmHWM the most it ever had.
fn memory_now(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Solves the spot as often as rehearsals are asked for, and once more for the answer.
fn run(argument: &str) -> Result<Value, Error> {
    let spot: Value = serde_json::from_str(argument)?;
    let threads = number(&spot, "threads")? as usize;
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    for _ in 0..spot["rehearsals"].as_u64().unwrap_or(0) {
        solve(&spot)?;
    }
    solve(&spot)
}

fn solve(spot: &Value) -> Result<Value, Error> {
    let pot = number(spot, "pot")?;
    let target = number(spot, "target_pot_percent")?;
    let max_iterations = number(spot, "max_iterations")? as u32;
    let check_every = number(spot, "check_every")? as u32;
    let compressed = spot["compressed"].as_bool().unwrap_or(false);
    let baseline_bytes = memory_now("VmRSS:");

    let start = Instant::now();
    let mut game = build(spot)?;
    let (float_bytes, short_bytes) = game.memory_usage();
    game.allocate_memory(compressed);
    let setup_seconds = start.elapsed().as_secs_f64();

    let mut iterating = 0.0;
    let mut checking = 0.0;
    let mut curve = Vec::new();
    for done in 0..=max_iterations {
        if done % check_every == 0 || done == max_iterations {
            let start = Instant::now();
            let percent = 100.0 * compute_exploitability(&game) as f64 / pot;
            checking += start.elapsed().as_secs_f64();
            curve.push(json!([done, iterating, iterating + checking, percent]));
            if percent <= target {
                break;
            }
        }
        if done < max_iterations {
            let start = Instant::now();
            solve_step(&game, done);
            iterating += start.elapsed().as_secs_f64();
        }
    }
    Ok(json!({
        "program": "postflop-solver",
        "setup_seconds": setup_seconds,
        "memory_bytes": if compressed { short_bytes } else { float_bytes },
        "baseline_bytes": baseline_bytes,
        "resident_bytes": memory_now("VmHWM:"),
        "curve": curve,
    }))
}

fn main() {
    let answer = match std::env::args().nth(1) {
        Some(argument) => run(&argument),
        None => Err("usage: postflop-driver '{\"board\": ...}'".into()),
    };
    match answer {
        Ok(value) => println!("{value}"),
        Err(error) => {
            eprintln!("postflop-driver: {error}");
            std::process::exit(2);
        }
    }
}
