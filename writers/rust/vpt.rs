//! vpt.rs writes a `.vpt` trace of a game while the game runs. Copy this file into your project and add `mod vpt;`. It needs only
//! the standard library, Rust 1.63 or later, and the edition 2021. Licence: Apache-2.0.
//!
//! ```ignore
//! let trace = vpt::Writer::open("game.vpt", vpt::Options::default());
//! while running {
//!     {
//!         let _span = trace.begin_span("physics", "");
//!         step_physics();
//!     }
//!     present();
//!     trace.frame();
//! }
//! trace.close("closed");
//! ```
//!
//! A call copies one small record into memory of a fixed size. It allocates nothing and never waits for the disk. A background thread
//! formats the records and writes them as whole lines, at least every 100 ms. If the disk is too slow, the memory becomes full. Then
//! records are dropped and counted, and a `loss` record in the trace states the count.
//!
//! All methods may be called from any thread, and none of them panics. After `close`, after a failed write, and with a file that could
//! not be opened they do nothing. A process that the game makes by `fork` has no background thread: it must not use the writer.
//!
//! Times and durations are in milliseconds, rounded to microseconds. A time counts from the start of the trace (see `Writer::now`). A
//! record with a time or duration that is negative, not a number, or over 285 years is ignored.
//!
//! Names are cut to 255 bytes. Before they are written, URLs lose user, query and fragment, and absolute paths lose their folders.
#![forbid(unsafe_code)]
#![allow(dead_code)]

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The version of this file, in the header of the trace.
pub const VERSION: &str = "1";
/// Longest name, in bytes. Longer names are cut.
pub const NAME_BYTES: usize = 255;

/// What an asset is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Texture,
    Mesh,
    Audio,
    Shader,
    Script,
    Data,
    Video,
    Font,
    Other,
}

/// What was done with an asset. `Read` is a part of its file that was read; `Upload` is its copy to the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Load,
    Decode,
    Upload,
    Compile,
    Read,
}

/// An asset of the game, as `Writer::register_asset` returns it. If a size becomes known or changes, set it before the next call with
/// the asset.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// The number of the asset in the trace. 0 is no asset: calls with it do nothing.
    id: u64,
    kind: Kind,
    name: [u8; NAME_BYTES],
    name_bytes: u8,
    /// Bytes of the decoded asset in main memory, if known.
    pub bytes: Option<u64>,
    /// Bytes of the asset on the GPU, if known.
    pub gpu_bytes: Option<u64>,
}

/// What the game measured in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameValues {
    /// The time that the GPU worked for this frame, in milliseconds.
    pub gpu_ms: Option<f64>,
    /// The time that the main thread worked in this frame, without waiting, in milliseconds.
    pub main_ms: Option<f64>,
    /// The number of draw calls.
    pub draws: Option<u64>,
    /// The number of triangles.
    pub triangles: Option<u64>,
}

/// Settings of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Bytes of memory for records that are not written yet, at least 65,536. Default: 1,048,576. A record takes 64 bytes and its
    /// names. Half of the memory takes new records while the other half is written.
    pub memory_bytes: usize,
    /// The name of the program that writes the trace, in the header. Default: `vpt.rs`.
    pub producer: &'a str,
    /// The name of the graphics adapter. Default: unknown.
    pub gpu_name: Option<&'a str>,
    /// True if the graphics adapter renders on the CPU. Its times then say nothing about a computer with a GPU.
    pub gpu_is_software: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            memory_bytes: 1_048_576,
            producer: "vpt.rs",
            gpu_name: None,
            gpu_is_software: false,
        }
    }
}

/// One trace that is being written. It is closed when it is dropped.
#[derive(Debug)]
pub struct Writer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

/// A span that has begun. It is written when it is dropped.
#[derive(Debug)]
pub struct Span<'a> {
    writer: &'a Writer,
    name: &'a str,
    track: &'a str,
    start_us: u64,
}

impl Drop for Span<'_> {
    fn drop(&mut self) {
        let duration = self.writer.shared.now_us().saturating_sub(self.start_us);
        self.writer.add(
            Record::new(Call::Span, self.start_us, duration),
            cut(self.name),
            cut(self.track),
        );
    }
}

impl Writer {
    /// Creates the file, or replaces it, and writes the header. The folder of `path` must exist. Always returns a writer: if the file
    /// cannot be written, `error` states why. Opening a FIFO waits for its reader.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Writer {
        let half = options.memory_bytes.max(SMALLEST_MEMORY) / 2;
        // The calls find the memory in main memory: they do not wait for pages of it.
        let mut halves = [Vec::new(), Vec::new()];
        for one in &mut halves {
            one.resize(half, 1);
            one.clear();
        }
        let [filling, writing] = halves;
        let state = State {
            filling,
            open: true,
            ..State::default()
        };
        let shared = Arc::new(Shared {
            started: Instant::now(),
            half,
            state: Mutex::new(state),
        });
        let mut thread = None;
        match File::create(path) {
            Ok(file) => {
                let mut lines = Lines {
                    shared: shared.clone(),
                    file,
                    text: Vec::new(),
                    frames: Vec::new(),
                    written: 0,
                    failed: false,
                };
                lines.append_header(&options);
                lines.write();
                if !lines.failed {
                    let builder = std::thread::Builder::new().name("vpt".into());
                    match builder.spawn(move || lines.write_until_closed(writing)) {
                        Ok(started) => thread = Some(started),
                        Err(problem) => shared.fail(format!(
                            "The thread of the trace cannot be started: {problem}"
                        )),
                    }
                }
            }
            Err(problem) => shared.fail(format!("The trace cannot be opened: {problem}")),
        }
        Writer {
            shared,
            thread: Mutex::new(thread),
        }
    }

    /// Writes what is pending and the `end` record, ends the thread, and closes the file. Waits for the disk. `reason` states why the
    /// trace ends, in lower-case words; "" stands for "closed". A second call does nothing.
    pub fn close(&self, reason: &str) {
        {
            let mut state = self.shared.lock();
            if !state.closing {
                state.closing = true;
                state.open = false;
                state.end_us = self.shared.now_us();
                state.end_reason = cut(if reason.is_empty() { "closed" } else { reason }).to_vec();
            }
        }
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    /// True while records are accepted: the file is open, no write failed, and `close` was not called.
    pub fn is_open(&self) -> bool {
        self.shared.lock().open
    }

    /// Why the file could not be opened or written. After a failed write the trace ends there.
    pub fn error(&self) -> Option<String> {
        self.shared.lock().error.clone()
    }

    /// The number of records that were dropped because the memory was full.
    pub fn lost(&self) -> u64 {
        let state = self.shared.lock();
        state.lost_before + state.lost
    }

    /// Milliseconds since the start of the trace, by the monotonic clock.
    pub fn now(&self) -> f64 {
        self.shared.now_us() as f64 / 1000.0
    }

    /// A frame was presented. Call it once for each frame: the frame lasts from the previous call to this one. The first call writes
    /// nothing. After a pause of the game, call `skip_frame` first.
    pub fn frame(&self) {
        self.frame_measured(FrameValues::default());
    }

    /// The same as `frame`, with what the game measured in the frame.
    pub fn frame_measured(&self, values: FrameValues) {
        let mut state = self.shared.lock();
        let now = self.shared.now_us();
        if let Some(start) = state.last_frame_us.replace(now) {
            self.add_frame(&mut state, start as i64, now - start, values);
        }
    }

    /// Starts the next frame now, without a frame before it. Call it when the game continues after a pause.
    pub fn skip_frame(&self) {
        let mut state = self.shared.lock();
        state.last_frame_us = Some(self.shared.now_us());
    }

    /// A frame of a known duration ends now. It begins when the previous frame ended, unless that was more than 2 ms and more than half
    /// of its duration earlier: then there was a pause between them. Frames never overlap.
    pub fn frame_with(&self, duration_ms: f64) {
        if let Some(duration) = to_us(duration_ms) {
            let mut state = self.shared.lock();
            let start = self.shared.now_us() as i64 - duration as i64;
            self.add_frame(&mut state, start, duration, FrameValues::default());
        }
    }

    /// A frame that began at `start_ms`. Use it if the values of a frame are known only some frames later. Frames must come in order:
    /// the rules of `frame_with` about pauses and overlap apply.
    pub fn frame_at(&self, start_ms: f64, duration_ms: f64, values: FrameValues) {
        if let (Some(start), Some(duration)) = (to_us(start_ms), to_us(duration_ms)) {
            self.add_frame(&mut self.shared.lock(), start as i64, duration, values);
        }
    }

    /// Begins a part of the game's work: a level that is played, a load, a part of the frame. The span is written when the result is
    /// dropped: bind it to a name such as `_span`. Spans of one name belong together. `track` is the row in which views show the span,
    /// or "". `loading` is for loads, and `gc` for garbage collection. The tracks `rendering` and `gpu process` have a meaning of their
    /// own for web pages: do not use them.
    #[must_use = "the span ends when the result is dropped"]
    pub fn begin_span<'a>(&'a self, name: &'a str, track: &'a str) -> Span<'a> {
        Span {
            writer: self,
            name,
            track,
            start_us: self.shared.now_us(),
        }
    }

    /// A span of which start and duration are known. See `begin_span`.
    pub fn span(&self, name: &str, track: &str, start_ms: f64, duration_ms: f64) {
        if let (Some(start), Some(duration)) = (to_us(start_ms), to_us(duration_ms)) {
            self.add(
                Record::new(Call::Span, start, duration),
                cut(name),
                cut(track),
            );
        }
    }

    /// A span from `start_ms` (see `now`) until now. See `begin_span`.
    pub fn span_since(&self, name: &str, track: &str, start_ms: f64) {
        self.span(name, track, start_ms, self.now() - start_ms);
    }

    /// A point in time with a name, now: a checkpoint, a wave of enemies, a save.
    pub fn mark(&self, name: &str) {
        self.add(
            Record::new(Call::Mark, self.shared.now_us(), NONE),
            cut(name),
            b"",
        );
    }

    /// The value of a counter, now. `unit` is the unit of all its values: `bytes`, `ms`, `count`, `percent`, or another. Reserved names:
    /// `gpu_bytes` is the GPU memory of all assets, `io_read_bytes` the bytes read from storage. A value that is not finite is ignored.
    pub fn counter(&self, name: &str, unit: &str, value: f64) {
        if value.is_finite() {
            let mut record = Record::new(Call::Counter, self.shared.now_us(), NONE);
            record.value = value;
            self.add(record, cut(name), cut(unit));
        }
    }

    /// Names an asset. If the record is dropped, the asset is still valid: its phases name it too. If the writer is closed, calls with
    /// the result do nothing.
    pub fn register_asset(
        &self,
        name: &str,
        kind: Kind,
        bytes: Option<u64>,
        gpu_bytes: Option<u64>,
    ) -> Asset {
        let name = cut(name);
        let mut asset = Asset {
            id: 0,
            kind,
            name: [0; NAME_BYTES],
            name_bytes: name.len() as u8,
            bytes,
            gpu_bytes,
        };
        asset.name[..name.len()].copy_from_slice(name);
        let mut state = self.shared.lock();
        if state.open {
            state.assets += 1;
            asset.id = state.assets;
            let record = asset.record(Call::Named, self.shared.now_us(), NONE);
            self.shared.add(&mut state, record, name, b"");
        }
        asset
    }

    /// Work on an asset, with its known sizes. `main_thread_ms` is the part of the duration in which it blocked the frame: 0 if another
    /// thread did the work.
    pub fn asset_phase(
        &self,
        asset: &Asset,
        phase: Phase,
        start_ms: f64,
        duration_ms: f64,
        main_thread_ms: Option<f64>,
    ) {
        if let (true, Some(start), Some(duration)) =
            (asset.id > 0, to_us(start_ms), to_us(duration_ms))
        {
            let mut record = asset.record(Call::Phase, start, duration);
            record.phase = phase as u8;
            record.numbers[MAIN_THREAD] = optional_us(main_thread_ms);
            self.add(record, &asset.name[..asset.name_bytes.into()], b"");
        }
    }

    /// The memory of an asset was freed now. Its known sizes become 0 in the trace. Call it for every asset with a size or for none: a
    /// trace with some releases lists the other assets as never released.
    pub fn release_asset(&self, asset: &Asset) {
        if asset.id > 0 {
            self.add(
                asset.record(Call::Release, self.shared.now_us(), NONE),
                b"",
                b"",
            );
        }
    }

    fn add(&self, record: Record, name: &[u8], text: &[u8]) {
        self.shared.add(&mut self.shared.lock(), record, name, text);
    }

    fn add_frame(&self, state: &mut State, start: i64, duration: u64, values: FrameValues) {
        let start = match state.frame_end_us {
            Some(end) if start - end as i64 <= (duration as i64 / 2).max(2000) => end,
            _ => start.max(0) as u64,
        };
        if start > LATEST_US {
            return;
        }
        state.frame_end_us = Some(start + duration);
        let mut record = Record::new(Call::Frame, start, duration);
        record.numbers[GPU] = optional_us(values.gpu_ms);
        record.numbers[MAIN] = optional_us(values.main_ms);
        record.numbers[DRAWS] = values.draws.unwrap_or(NONE);
        record.numbers[TRIANGLES] = values.triangles.unwrap_or(NONE);
        self.shared.add(state, record, b"", b"");
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close("closed");
    }
}

// ---- Records in memory. ----

const SMALLEST_MEMORY: usize = 65_536;
/// The thread looks at the memory this often, and writes if the last write was this long ago or the memory is half full.
const LOOK_EVERY: Duration = Duration::from_millis(10);
const WRITE_EVERY_US: u64 = 80_000;
const FRAMES_PER_LINE: usize = 256;
/// The lines are written when they have this many bytes.
const WRITE_BYTES: usize = 32_768;
const RECORD_BYTES: usize = 64;
/// The latest time of the format, and the largest count.
const LATEST_US: u64 = 9_007_199_254_740_000;
const LARGEST_COUNT: u64 = 9_007_199_254_740_991;
/// An absent value of a record.
const NONE: u64 = u64::MAX;

/// The numbers of a record. Of a frame: the first two are times.
const GPU: usize = 0;
const MAIN: usize = 1;
const DRAWS: usize = 2;
const TRIANGLES: usize = 3;
/// Of an asset: the last one is a time.
const ID: usize = 0;
const BYTES: usize = 1;
const GPU_BYTES: usize = 2;
const MAIN_THREAD: usize = 3;

#[derive(Clone, Copy, PartialEq)]
enum Call {
    Frame,
    Span,
    Mark,
    Counter,
    Named,
    Phase,
    Release,
}

const CALLS: [Call; 7] = [
    Call::Frame,
    Call::Span,
    Call::Mark,
    Call::Counter,
    Call::Named,
    Call::Phase,
    Call::Release,
];
const TYPE_NAMES: [&str; 7] = [
    "frames", "span", "mark", "counter", "asset", "asset", "release",
];
const KIND_NAMES: [&str; 9] = [
    "texture", "mesh", "audio", "shader", "script", "data", "video", "font", "other",
];
const PHASE_NAMES: [&str; 5] = ["load", "decode", "upload", "compile", "read"];

/// One call. In memory, the bytes of its name and its second name (track, unit) follow. Times are in microseconds.
#[derive(Clone, Copy)]
struct Record {
    call: Call,
    kind: u8,
    phase: u8,
    name_bytes: u8,
    text_bytes: u8,
    time: u64,
    duration: u64,
    numbers: [u64; 4],
    value: f64,
}

impl Record {
    fn new(call: Call, time: u64, duration: u64) -> Record {
        let numbers = [NONE; 4];
        Record {
            call,
            kind: 0,
            phase: 0,
            name_bytes: 0,
            text_bytes: 0,
            time,
            duration,
            numbers,
            value: 0.0,
        }
    }

    fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[..5].copy_from_slice(&[
            self.call as u8,
            self.kind,
            self.phase,
            self.name_bytes,
            self.text_bytes,
        ]);
        let [a, b, c, d] = self.numbers;
        for (i, word) in [self.time, self.duration, a, b, c, d, self.value.to_bits()]
            .into_iter()
            .enumerate()
        {
            bytes[8 * i + 8..8 * i + 16].copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Record {
        let word = |i: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[8 * i + 8..8 * i + 16]);
            u64::from_ne_bytes(word)
        };
        let mut record = Record::new(CALLS[usize::from(bytes[0])], word(0), word(1));
        (
            record.kind,
            record.phase,
            record.name_bytes,
            record.text_bytes,
        ) = (bytes[1], bytes[2], bytes[3], bytes[4]);
        record.numbers = [word(2), word(3), word(4), word(5)];
        record.value = f64::from_bits(word(6));
        record
    }
}

impl Asset {
    fn record(&self, call: Call, time: u64, duration: u64) -> Record {
        let mut record = Record::new(call, time, duration);
        record.kind = self.kind as u8;
        record.numbers = [
            self.id,
            self.bytes.unwrap_or(NONE),
            self.gpu_bytes.unwrap_or(NONE),
            NONE,
        ];
        record
    }
}

/// Microseconds, or `None` for a time that the format does not have.
fn to_us(ms: f64) -> Option<u64> {
    (0.0..=LATEST_US as f64 / 1000.0)
        .contains(&ms)
        .then(|| (ms * 1000.0).round() as u64)
}

fn optional_us(ms: Option<f64>) -> u64 {
    ms.and_then(to_us).unwrap_or(NONE)
}

/// The bytes of a name, cut to NAME_BYTES before a character.
fn cut(name: &str) -> &[u8] {
    let mut end = name.len().min(NAME_BYTES);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name.as_bytes()[..end]
}

#[derive(Debug)]
struct Shared {
    started: Instant,
    /// Bytes of the memory that takes new records.
    half: usize,
    /// No thread holds the mutex while it formats or writes.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The game fills one half of the memory. The thread swaps it with the half that it has written.
    filling: Vec<u8>,
    open: bool,
    closing: bool,
    end_us: u64,
    end_reason: Vec<u8>,
    lost: u64,
    lost_before: u64,
    first_lost_us: u64,
    last_frame_us: Option<u64>,
    frame_end_us: Option<u64>,
    assets: u64,
    error: Option<String>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_us(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    /// Copies a record into memory, or counts it as lost.
    fn add(&self, state: &mut State, mut record: Record, name: &[u8], text: &[u8]) {
        if !state.open {
            return;
        }
        if state.filling.len() + RECORD_BYTES + name.len() + text.len() > self.half {
            if state.lost == 0 {
                state.first_lost_us = self.now_us();
            }
            state.lost += 1;
            return;
        }
        record.name_bytes = name.len() as u8;
        record.text_bytes = text.len() as u8;
        state.filling.extend_from_slice(&record.to_bytes());
        state.filling.extend_from_slice(name);
        state.filling.extend_from_slice(text);
    }

    fn fail(&self, error: String) {
        let mut state = self.lock();
        state.open = false;
        state.error = Some(error);
    }
}

// ---- The thread: it formats records and writes lines. ----

struct Lines {
    shared: Arc<Shared>,
    file: File,
    text: Vec<u8>,
    /// Frames that wait until the frames of this round are complete, or until one does not follow the one before.
    frames: Vec<Record>,
    written: u64,
    failed: bool,
}

impl Lines {
    fn write_until_closed(mut self, mut writing: Vec<u8>) {
        let mut closing = false;
        let mut last_write = 0;
        while !closing && !self.failed {
            std::thread::sleep(LOOK_EVERY);
            let now = self.shared.now_us();
            let (lost, first_lost) = {
                let mut state = self.shared.lock();
                closing = state.closing;
                if !closing
                    && now - last_write < WRITE_EVERY_US
                    && state.filling.len() < self.shared.half / 2
                {
                    continue;
                }
                std::mem::swap(&mut state.filling, &mut writing);
                state.lost_before += state.lost;
                (std::mem::take(&mut state.lost), state.first_lost_us)
            };
            last_write = now;
            self.append_records(&writing);
            writing.clear();
            if lost > 0 {
                self.append_start("loss", first_lost);
                self.append(",\"reason\":\"buffer_full\"");
                self.append_count(",\"count\":", lost);
                self.end_line();
            }
            if closing {
                let (end, reason) = {
                    let state = self.shared.lock();
                    (state.end_us, state.end_reason.clone())
                };
                self.append_start("end", end);
                self.append(",\"reason\":");
                self.append_name(&reason);
                self.end_line();
            }
            self.write();
        }
    }

    fn append_records(&mut self, mut bytes: &[u8]) {
        while bytes.len() >= RECORD_BYTES && !self.failed {
            let (head, rest) = bytes.split_at(RECORD_BYTES);
            let record = Record::from_bytes(head);
            let (name, rest) = rest.split_at(record.name_bytes.into());
            let (text, rest) = rest.split_at(record.text_bytes.into());
            if record.call == Call::Frame {
                self.add_to_frames(record);
            } else {
                self.append_record(&record, name, text);
            }
            bytes = rest;
        }
        self.append_frames();
    }

    fn append_header(&mut self, options: &Options) {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        self.append("{\"vpt\":1,\"producer\":{\"name\":");
        self.append_name(cut(options.producer));
        self.append(&format!(
            ",\"version\":\"{VERSION}\"}},\"started_at\":\"{}\",\"sources\":[\"native\"]",
            utc(since)
        ));
        if let Some(name) = options.gpu_name {
            self.append(",\"gpu\":{\"name\":");
            self.append_name(cut(name));
            self.append(&format!(",\"software\":{}}}", options.gpu_is_software));
        }
        self.append("}\n");
    }

    fn append_record(&mut self, record: &Record, name: &[u8], text: &[u8]) {
        let numbers = record.numbers;
        self.append_start(TYPE_NAMES[record.call as usize], record.time);
        if record.call == Call::Release {
            self.append_count(",\"id\":", numbers[ID]);
            self.append_count(
                ",\"bytes\":",
                if is_count(numbers[BYTES]) { 0 } else { NONE },
            );
            self.append_count(
                ",\"gpu_bytes\":",
                if is_count(numbers[GPU_BYTES]) {
                    0
                } else {
                    NONE
                },
            );
            self.end_line();
            return;
        }
        self.append_ms(",\"duration_ms\":", record.duration);
        self.append(",\"name\":");
        self.append_name(name);
        match record.call {
            Call::Span if !text.is_empty() => {
                self.append(",\"track\":");
                self.append_name(text);
            }
            Call::Counter => {
                self.append(",\"unit\":");
                self.append_name(text);
                self.append(",\"value\":");
                self.append(&number_text(record.value));
            }
            Call::Named | Call::Phase => {
                let named = record.call == Call::Named;
                let phase = if named {
                    "named"
                } else {
                    PHASE_NAMES[usize::from(record.phase)]
                };
                self.append_count(",\"id\":", numbers[ID]);
                self.append(&format!(
                    ",\"kind\":\"{}\",\"phase\":\"{phase}\"",
                    KIND_NAMES[usize::from(record.kind)]
                ));
                self.append_count(",\"bytes\":", numbers[BYTES]);
                self.append_count(",\"gpu_bytes\":", numbers[GPU_BYTES]);
                self.append_ms(",\"main_thread_ms\":", numbers[MAIN_THREAD]);
            }
            _ => {}
        }
        self.end_line();
    }

    fn add_to_frames(&mut self, record: Record) {
        let last = self.frames.last();
        let end = last.map_or(record.time, |last| last.time + last.duration);
        if end != record.time || self.frames.len() == FRAMES_PER_LINE {
            self.append_frames();
        }
        self.frames.push(record);
    }

    /// Appends a line with the frames that wait.
    fn append_frames(&mut self) {
        if self.frames.is_empty() {
            return;
        }
        let frames = std::mem::take(&mut self.frames);
        self.append_start("frames", frames[0].time);
        self.append(",\"duration_ms\":[");
        for (i, frame) in frames.iter().enumerate() {
            self.append(if i > 0 { "," } else { "" });
            self.append_us(frame.duration);
        }
        self.append("]");
        self.append_column(",\"draws\":[", DRAWS, &frames);
        self.append_column(",\"triangles\":[", TRIANGLES, &frames);
        self.append_column(",\"gpu_ms\":[", GPU, &frames);
        self.append_column(",\"main_ms\":[", MAIN, &frames);
        self.end_line();
    }

    /// A column of the frames, unless no frame has a value.
    fn append_column(&mut self, key: &str, number: usize, frames: &[Record]) {
        if !frames.iter().any(|frame| is_count(frame.numbers[number])) {
            return;
        }
        self.append(key);
        for (i, frame) in frames.iter().enumerate() {
            self.append(if i > 0 { "," } else { "" });
            match frame.numbers[number] {
                value if !is_count(value) => self.append("null"),
                value if number <= MAIN => self.append_us(value),
                value => self.append(&value.to_string()),
            }
        }
        self.append("]");
    }

    fn append(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn append_start(&mut self, name: &str, time: u64) {
        self.append("{\"type\":\"");
        self.append(name);
        self.append("\",\"t\":");
        self.append_us(time);
    }

    fn append_ms(&mut self, key: &str, us: u64) {
        if us != NONE {
            self.append(key);
            self.append_us(us);
        }
    }

    fn append_count(&mut self, key: &str, value: u64) {
        if is_count(value) {
            self.append(key);
            self.append(&value.to_string());
        }
    }

    /// Microseconds as milliseconds: 1500 is `1.5`.
    fn append_us(&mut self, us: u64) {
        let text = format!("{}.{:03}", us / 1000, us % 1000);
        self.append(text.trim_end_matches('0').trim_end_matches('.'));
    }

    /// A cleaned name as a JSON string.
    fn append_name(&mut self, name: &[u8]) {
        let mut cleaned = Vec::new();
        clean(&mut cleaned, name);
        self.append("\"");
        for byte in cleaned {
            match byte {
                b'"' | b'\\' => self.text.extend_from_slice(&[b'\\', byte]),
                0..=0x1f => self.append(&format!("\\u{byte:04x}")),
                _ => self.text.push(byte),
            }
        }
        self.append("\"");
    }

    fn end_line(&mut self) {
        self.append("}\n");
        if self.text.len() > WRITE_BYTES {
            self.write();
        }
    }

    /// Writes the lines, and empties them. After a failed write the file is cut to its whole lines, and no line is written again.
    fn write(&mut self) {
        if self.failed {
            self.text.clear();
        } else if let Err(problem) = self.file.write_all(&self.text) {
            // A pipe or device cannot be cut: then its last line stays torn.
            let _ = self.file.set_len(self.written);
            self.failed = true;
            self.shared
                .fail(format!("The trace cannot be written: {problem}"));
        }
        self.written += self.text.len() as u64;
        self.text.clear();
    }
}

fn is_count(value: u64) -> bool {
    value <= LARGEST_COUNT
}

/// A finite number, with as few digits as reading it exactly needs.
fn number_text(value: f64) -> String {
    let size = value.abs();
    if size != 0.0 && !(1e-5..1e21).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// A time since 1970 as `YYYY-MM-DDThh:mm:ss.sssZ`. The algorithm is `civil_from_days` of
/// https://howardhinnant.github.io/date_algorithms.html, for years from 1970 on.
fn utc(since: Duration) -> String {
    let seconds = since.as_secs();
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
        since.subsec_millis()
    )
}

// ---- Names. They are cleaned as section 2.5 of docs/vpt.md requires and packages/trace/src/vpt/clean-name.ts does. ----

const PATH_STOPS: &[u8] = b"\"'(),;|<>[]{}";

fn is_slash(byte: u8) -> bool {
    byte == b'/' || byte == b'\\'
}

fn is_in_scheme(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+.-".contains(&byte)
}

fn begins_with(text: &[u8], prefix: &str) -> bool {
    text.len() >= prefix.len() && text[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
}

/// The character that begins at a byte of text, or none inside of a character and at the end.
fn char_at(text: &[u8], at: usize) -> Option<char> {
    let end = text.len().min(at + 4);
    (at + 1..=end).find_map(|end| std::str::from_utf8(&text[at..end]).ok()?.chars().next())
}

/// White space as in JavaScript, which has U+FEFF and does not have U+0085.
fn is_space(one: char) -> bool {
    (one.is_whitespace() && one != '\u{85}') || one == '\u{feff}'
}

fn is_space_before(text: &[u8], at: usize) -> bool {
    (1..=at.min(3)).any(|size| {
        matches!(char_at(&text[..at], at - size), Some(one) if one.len_utf8() == size && is_space(one))
    })
}

/// The length of `scheme://` at the start of text: 0 if there is none.
fn scheme_length(text: &[u8]) -> usize {
    let length = text.iter().take_while(|byte| is_in_scheme(**byte)).count();
    let valid = length > 0 && text[0].is_ascii_alphabetic() && text[length..].starts_with(b"://");
    if valid {
        length + 3
    } else {
        0
    }
}

/// The index of the first white space or byte of `stops` from `at` on, or the length.
fn find_stop(text: &[u8], at: usize, stops: &[u8]) -> usize {
    (at..text.len())
        .find(|i| {
            stops.contains(&text[*i]) || matches!(char_at(text, *i), Some(one) if is_space(one))
        })
        .unwrap_or(text.len())
}

/// The end of the URL or absolute path that begins at `at`, if one begins there.
fn private_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = &text[at..];
    let before = if at == 0 { 0 } else { text[at - 1] };
    let scheme = if is_in_scheme(before) {
        0
    } else {
        scheme_length(rest)
    };
    if scheme > 0 {
        return Some(find_stop(text, at + scheme, b"\"'()<>"));
    }
    if begins_with(rest, "data:") {
        return Some(find_stop(text, at + 5, b"\"'()<>\\"));
    }
    let slash = usize::from(rest[0] == b'~');
    if rest.get(slash) == Some(&b'/') {
        let after_stop = at == 0 || b"\"'(),;=:@|<>[]{}".contains(&before);
        if after_stop || is_space_before(text, at) {
            return Some(find_stop(text, at + slash + 1, PATH_STOPS));
        }
    }
    if !before.is_ascii_alphanumeric() && is_drive(rest) {
        return Some(find_stop(text, at + 3, PATH_STOPS));
    }
    if rest.starts_with(b"\\\\") {
        return Some(find_stop(text, at + 2, PATH_STOPS)).filter(|end| *end > at + 2);
    }
    None
}

fn is_drive(text: &[u8]) -> bool {
    text.len() >= 3 && text[0].is_ascii_alphabetic() && text[1] == b':' && is_slash(text[2])
}

fn last_part(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| is_slash(*byte))
        .find(|part| !part.is_empty() && *part != b"~")
        .unwrap_or(b"/")
}

/// Copies what is public of a name.
fn clean(out: &mut Vec<u8>, name: &[u8]) {
    if name.starts_with(b"/")
        || name.starts_with(b"~/")
        || name.starts_with(b"\\\\")
        || is_drive(name)
    {
        out.extend_from_slice(last_part(name));
        return;
    }
    let mut at = 0;
    while at < name.len() {
        if let Some(end) = private_end(name, at) {
            clean_token(out, &name[at..end]);
            at = end;
        } else {
            out.push(name[at]);
            at += 1;
        }
    }
}

/// Copies what is public of a URL or an absolute path.
fn clean_token(out: &mut Vec<u8>, token: &[u8]) {
    let until = |stops: [u8; 2]| {
        token
            .iter()
            .position(|byte| stops.contains(byte))
            .unwrap_or(token.len())
    };
    if begins_with(token, "data:") {
        out.extend_from_slice(&token[..until([b',', b';'])]);
        return;
    }
    if scheme_length(token) == 0 {
        out.extend_from_slice(last_part(token));
        return;
    }
    let bare = until([b'?', b'#']);
    let mut url = token[..bare].to_vec();
    if bare < token.len() {
        url.extend_from_slice(&token[place_start(token)..]);
    }
    if begins_with(&url, "file:") {
        out.extend_from_slice(last_part(&url));
    } else {
        copy_url(out, &url);
    }
}

/// The start of `:line` or `:line:column` at the end of a URL, or its length.
fn place_start(token: &[u8]) -> usize {
    let mut start = token.len();
    for _ in 0..2 {
        let digits = token[..start]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 || !token[..start - digits].ends_with(b":") {
            break;
        }
        start -= digits + 1;
    }
    start
}

/// Copies a URL without its user part and the names of releases: `/.release/ID`, `/.preview/TOKEN`, `/.content/KEY`.
fn copy_url(out: &mut Vec<u8>, url: &[u8]) {
    let scheme = scheme_length(url);
    let host_end = url[scheme..]
        .iter()
        .position(|byte| *byte == b'/')
        .map_or(url.len(), |length| scheme + length);
    let mut at = 0;
    if let Some(user) = url[scheme..host_end].iter().rposition(|byte| *byte == b'@') {
        out.extend_from_slice(&url[..scheme]);
        at = scheme + user + 1;
    }
    while at < url.len() {
        let rest = &url[at..];
        let secret = ["/.release/", "/.preview/", "/.content/"]
            .into_iter()
            .find(|part| begins_with(rest, part));
        let value = secret.map_or(0, |part| {
            rest[part.len()..]
                .iter()
                .take_while(|byte| **byte != b'/')
                .count()
        });
        if let (Some(part), true) = (secret, value > 0) {
            at += part.len() + value;
        } else {
            out.push(rest[0]);
            at += 1;
        }
    }
}
