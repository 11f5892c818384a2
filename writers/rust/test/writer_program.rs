//! The program of check-writer.ts in Rust: executes the commands on its standard input, and answers each with a line.
#[path = "../vpt.rs"]
mod vpt;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{BufRead, Write};
use std::thread::sleep;
use std::time::Duration;
use vpt::{Asset, FrameValues, Kind, Options, Phase, Writer};

const THREADS: usize = 8;
const CALLS_OF_THREAD: usize = 20_000;

/// Counts the allocations of each thread.
struct Counting;

thread_local!(static ALLOCATIONS: Cell<u64> = const { Cell::new(0) });

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        System.alloc(layout)
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        System.realloc(memory, layout, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        System.dealloc(memory, layout)
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The words of a command.
struct Words(Vec<String>);

impl Words {
    fn word(&self, i: usize) -> Option<&str> {
        self.0.get(i).map(String::as_str)
    }

    /// A number, or a whole number with a divisor. −1 without a word.
    fn number(&self, i: usize) -> f64 {
        let word = self.word(i).unwrap_or("-1");
        let (value, divisor) = word.split_once('/').unwrap_or((word, "1"));
        value.parse::<f64>().unwrap() / divisor.parse::<f64>().unwrap()
    }

    fn optional_number(&self, i: usize) -> Option<f64> {
        Some(self.number(i)).filter(|value| *value != -1.0)
    }

    fn count(&self, i: usize) -> Option<u64> {
        self.word(i).and_then(|word| word.parse().ok())
    }

    fn index(&self, i: usize) -> usize {
        self.count(i).unwrap() as usize
    }

    /// A text in hexadecimal digits. `-` is empty.
    fn name(&self, i: usize) -> String {
        let digits = self.word(i).unwrap_or("-").trim_start_matches('-');
        let bytes: Vec<u8> = (0..digits.len() / 2)
            .map(|byte| u8::from_str_radix(&digits[2 * byte..2 * byte + 2], 16).unwrap())
            .collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn values(&self, first: usize) -> FrameValues {
        FrameValues {
            gpu_ms: self.optional_number(first),
            main_ms: self.optional_number(first + 1),
            draws: self.count(first + 2),
            triangles: self.count(first + 3),
        }
    }
}

fn kind_of(word: Option<&str>) -> Option<Kind> {
    Some(match word? {
        "texture" => Kind::Texture,
        "mesh" => Kind::Mesh,
        "audio" => Kind::Audio,
        "shader" => Kind::Shader,
        "script" => Kind::Script,
        "data" => Kind::Data,
        "video" => Kind::Video,
        "font" => Kind::Font,
        "other" => Kind::Other,
        _ => return None,
    })
}

fn phase_of(word: Option<&str>) -> Option<Phase> {
    Some(match word? {
        "load" => Phase::Load,
        "decode" => Phase::Decode,
        "upload" => Phase::Upload,
        "compile" => Phase::Compile,
        "read" => Phase::Read,
        _ => return None,
    })
}

fn open(words: &Words) -> Writer {
    let gpu = words.word(3).map(|_| words.name(3));
    let mut options = Options {
        gpu_name: gpu.as_deref(),
        ..Options::default()
    };
    if let Some(bytes) = words.count(2).filter(|bytes| *bytes > 0) {
        options.memory_bytes = bytes as usize;
    }
    Writer::open(words.name(1), options)
}

fn call_four(trace: &Writer, text: &str, i: usize) {
    trace.mark(text);
    trace.frame_with(1.0);
    trace.counter(text, "count", i as f64);
    trace.span(text, "", 0.0, 1.0);
}

/// Every kind of call, `rounds` times. Returns the number of calls that make a record.
fn call_all(trace: Option<&Writer>, rounds: usize) -> usize {
    for i in 0..trace.map_or(0, |_| rounds) {
        let trace = trace.unwrap();
        let values = FrameValues {
            gpu_ms: Some(1.0),
            main_ms: Some(1.0),
            draws: Some(1),
            triangles: Some(1),
        };
        let asset = trace.register_asset("a", Kind::Other, Some(1), Some(1));
        trace.skip_frame();
        trace.frame();
        trace.frame_measured(values);
        trace.frame_at(1.0, 1.0, values);
        call_four(trace, "a", i);
        let _span = trace.begin_span("a", "b");
        trace.asset_phase(&asset, Phase::Load, 1.0, 1.0, Some(1.0));
        trace.release_asset(&asset);
    }
    11 * rounds
}

fn ns_per_call(trace: &Writer, what: &str, calls: usize) -> f64 {
    let start = trace.now();
    for i in 0..calls {
        match what {
            "frame" => trace.frame(),
            "mark" => trace.mark("boss appears"),
            "counter" => trace.counter("enemies", "count", i as f64),
            _ => drop(trace.begin_span("physics", "update")),
        }
    }
    (trace.now() - start) * 1e6 / calls as f64
}

fn run_until_killed(trace: &Writer) {
    for i in 0.. {
        trace.frame();
        trace.counter("step", "count", i as f64);
        sleep(Duration::from_millis(1));
    }
}

/// Executes one command. Returns its answer.
fn execute(trace: &mut Option<Writer>, assets: &mut [Option<Asset>; 8], words: &Words) -> String {
    let command = words.word(0).unwrap();
    match (command, trace.as_ref()) {
        ("open", _) => *trace = Some(open(words)),
        ("free", _) => *trace = None,
        ("sleep", _) => sleep(Duration::from_millis(words.count(1).unwrap())),
        ("locale", _) => return "none".into(),
        ("all", trace) => {
            let before = ALLOCATIONS.with(Cell::get);
            let calls = call_all(trace, words.index(1));
            return format!("{calls} {}", ALLOCATIONS.with(Cell::get) - before);
        }
        (_, None) => {}
        ("frame", Some(trace)) => trace.frame(),
        ("skip_frame", Some(trace)) => trace.skip_frame(),
        ("frame_with", Some(trace)) => trace.frame_with(words.number(1)),
        ("frame_measured", Some(trace)) => trace.frame_measured(words.values(1)),
        ("frame_at", Some(trace)) => {
            trace.frame_at(words.number(1), words.number(2), words.values(3))
        }
        ("span", Some(trace)) => trace.span(
            &words.name(1),
            &words.name(2),
            words.number(3),
            words.number(4),
        ),
        ("span_since", Some(trace)) => {
            trace.span_since(&words.name(1), &words.name(2), words.number(3))
        }
        ("mark", Some(trace)) => trace.mark(&words.name(1)),
        ("counter", Some(trace)) => trace.counter(&words.name(1), &words.name(2), words.number(3)),
        ("asset", Some(trace)) => {
            assets[words.index(1)] = kind_of(words.word(3)).map(|kind| {
                trace.register_asset(&words.name(2), kind, words.count(4), words.count(5))
            });
        }
        ("sizes", _) => {
            let asset = assets[words.index(1)].as_mut().unwrap();
            asset.bytes = words.count(2);
            asset.gpu_bytes = words.count(3);
        }
        ("phase", Some(trace)) => {
            if let (Some(asset), Some(phase)) = (&assets[words.index(1)], phase_of(words.word(2))) {
                trace.asset_phase(
                    asset,
                    phase,
                    words.number(3),
                    words.number(4),
                    words.optional_number(5),
                );
            }
        }
        ("release", Some(trace)) => {
            if let Some(asset) = &assets[words.index(1)] {
                trace.release_asset(asset);
            }
        }
        ("now", Some(trace)) => return format!("{:.3}", trace.now()),
        ("threads", Some(trace)) => {
            std::thread::scope(|scope| {
                for _ in 0..THREADS {
                    scope
                        .spawn(|| (0..CALLS_OF_THREAD).for_each(|i| call_four(trace, "thread", i)));
                }
            });
            return (4 * THREADS * CALLS_OF_THREAD).to_string();
        }
        ("ns", Some(trace)) => {
            return format!(
                "{:.0}",
                ns_per_call(trace, words.word(1).unwrap(), words.index(2))
            )
        }
        ("endless", Some(trace)) => run_until_killed(trace),
        ("state", Some(trace)) => {
            let state = if trace.is_open() { "open" } else { "closed" };
            return format!(
                "{state} {} {}",
                trace.lost(),
                trace.error().unwrap_or_else(|| "no error".into())
            );
        }
        ("close", Some(trace)) => trace.close(&words.name(1)),
        _ => return "unknown command".into(),
    }
    String::new()
}

fn main() {
    let (mut trace, mut assets) = (None, [None; 8]);
    for line in std::io::stdin().lock().lines() {
        let words = Words(line.unwrap().split_whitespace().map(String::from).collect());
        let answer = execute(&mut trace, &mut assets, &words);
        println!("{answer} done");
        std::io::stdout().flush().unwrap();
    }
}
