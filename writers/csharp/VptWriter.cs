// VptWriter.cs writes a `.vpt` trace of a game while the game runs. Copy this file into your project. It has no dependencies
// and works in .NET, in Mono and in Unity 2021 or later (C# 7.3). Licence: Apache-2.0.
//
//     var trace = VptWriter.Open("game.vpt");
//     while (running)
//     {
//         using (trace.BeginSpan("physics")) StepPhysics();
//         Present();
//         trace.Frame();
//     }
//     trace.Close();
//
// A call copies one small record into memory of a fixed size, and never waits for the disk. A background thread formats the
// records and writes them as whole lines, at least every 100 ms. If the disk is too slow, the memory becomes full. Then records
// are dropped and counted, and a `loss` record in the trace states the count.
//
// All methods may be called from any thread. They never throw. After `Close`, or if the file could not be opened, they do nothing.
// They allocate no memory, except for a name of over 1,024 characters, which they cut.
//
// Times and durations are in milliseconds, rounded to microseconds. A time counts from the start of the trace (see `Now`). A record
// with a time or duration that is negative, not a number, or over 285 years is ignored, and so is a counter whose value is not
// finite. Names are cleaned before they are written: they lose user, query and fragment of URLs and the folders of absolute paths,
// and they are cut to 1,024 characters.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

/// <summary>What an asset is.</summary>
public enum VptKind : byte { Texture, Mesh, Audio, Shader, Script, Data, Video, Font, Other }

/// <summary>What happened to an asset. `Read` is a part of its file that was read; `Upload` is its copy to the GPU.</summary>
public enum VptPhase : byte { Load, Decode, Upload, Compile, Read }

/// <summary>
/// An asset of the game, as <see cref="VptWriter.RegisterAsset"/> returns it. Keep it as long as the asset is used. If a size becomes
/// known or changes, set it before the next call with the asset.
/// </summary>
public struct VptAsset
{
    /// <summary>The number of the asset in the trace. 0 is no asset: calls with it do nothing.</summary>
    public long Id;
    /// <summary>The name that reports show, for example the path in the game's folder.</summary>
    public string Name;
    /// <summary>What the asset is.</summary>
    public VptKind Kind;
    /// <summary>Bytes of the decoded asset in main memory. −1 if unknown.</summary>
    public long Bytes;
    /// <summary>Bytes of the asset on the GPU. −1 if unknown.</summary>
    public long GpuBytes;
}

/// <summary>A span that has begun. It ends with `Dispose`, so that `using` ends it. A second `Dispose` does nothing.</summary>
public struct VptSpan : IDisposable
{
    internal VptWriter Writer;
    internal string Name;
    internal string Track;
    internal long Start;

    /// <summary>Writes the span from its beginning until now.</summary>
    public void Dispose()
    {
        if (Writer != null) Writer.EndSpan(ref this);
        Writer = null;
    }
}

/// <summary>Settings of a trace. All have defaults.</summary>
public sealed class VptOptions
{
    /// <summary>Bytes of memory for records that are not written yet, at least 65,536. The strings that wait in them may take as much again.</summary>
    public int MemoryBytes = 1048576;
    /// <summary>The name of the program that writes the trace, in the header.</summary>
    public string Producer = "VptWriter.cs";
    /// <summary>The name of the graphics adapter. Null or empty if unknown.</summary>
    public string GpuName;
    /// <summary>True if the graphics adapter renders on the CPU. Its times then say nothing about a computer with a GPU.</summary>
    public bool GpuIsSoftware;
    /// <summary>The longest time that `Close` waits for the disk, in milliseconds.</summary>
    public int CloseWaitMs = 5000;
}

/// <summary>Writes one `.vpt` trace.</summary>
public sealed class VptWriter : IDisposable
{
    /// <summary>The version of this file, in the header of the trace.</summary>
    public const string Version = "1";

    private const int LongestName = 1024;
    private const int SmallestMemory = 65536;
    private const int RecordBytes = 96;
    private const int WriteEveryMs = 50;
    private const int FramesPerLine = 1000;
    private const int ChunkBytes = 65536;
    /// <summary>The latest time of the format: 9,007,199,254,740 ms.</summary>
    private const double LatestMs = 9007199254740;
    /// <summary>An absent value of a record.</summary>
    private const long None = -1;

    private enum Type : byte { Frame, Span, Mark, Counter, Asset, Named, Release }

    /// <summary>One call. Times and durations are in microseconds. The meaning of A to D depends on the type.</summary>
    private struct Record
    {
        public Type Type;
        public VptKind Kind;
        public VptPhase Phase;
        public long Time;
        public long Duration;
        public string Name;
        public string Text;
        public double Value;
        public long A, B, C, D;
    }

    /// <summary>The state of the writer. `_lock` protects it: the game fills `_filling`, and the thread swaps it with `_writing`.</summary>
    private readonly object _lock = new object();
    private readonly int _textLimit;
    private Record[] _filling;
    private Record[] _writing;
    private int _count;
    private int _textBytes;
    private bool _woken;
    private bool _open;
    private long _lost;
    private long _lostBefore;
    private long _firstLost;
    private long _frameEnd = None;
    private long _lastFrame = None;
    private long _assets;
    private string _endReason;
    private string _error;

    private readonly long _started = Stopwatch.GetTimestamp();
    private readonly int _closeWaitMs;
    private readonly Thread _thread;

    /// <summary>What only the thread uses, after the header was written.</summary>
    private readonly FileStream _file;
    private readonly StringBuilder _text = new StringBuilder(ChunkBytes);
    private readonly Dictionary<string, string> _names = new Dictionary<string, string>();
    private char[] _chars = new char[ChunkBytes];
    private byte[] _bytes = new byte[ChunkBytes];
    private long _writtenBytes;
    /// <summary>The indices of the frames in `_writing`.</summary>
    private int[] _frames;

    /// <summary>
    /// Creates the file, or replaces it, and writes the header. Always returns a writer. If the file cannot be written,
    /// <see cref="Error"/> states why, and all calls do nothing.
    /// </summary>
    /// <param name="path">The path of the file. Its folder must exist.</param>
    /// <param name="options">Settings, or null for the defaults.</param>
    public static VptWriter Open(string path, VptOptions options = null)
    {
        return new VptWriter(path, options ?? new VptOptions());
    }

    private VptWriter(string path, VptOptions options)
    {
        int half = Math.Max(SmallestMemory, options.MemoryBytes) / 2;
        _textLimit = half;
        _closeWaitMs = Math.Max(0, options.CloseWaitMs);
        try
        {
            _filling = new Record[half / RecordBytes];
            _writing = new Record[half / RecordBytes];
            _frames = new int[half / RecordBytes];
            // Without a buffer, each write of whole lines is one write of the operating system.
            _file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.Read | FileShare.Delete, 1);
            AppendHeader(options);
            WriteText();
            _thread = new Thread(WriteUntilClosed) { IsBackground = true, Name = "VptWriter" };
            _open = true;
            _thread.Start();
        }
        catch (Exception problem)
        {
            _open = false;
            _error = problem.Message;
            CloseFile();
        }
    }

    /// <summary>Milliseconds since the start of the trace, by the monotonic clock.</summary>
    public double Now { get { return NowUs() / 1000.0; } }

    /// <summary>True while records are accepted: the file is open, no write failed, and `Close` was not called.</summary>
    public bool IsOpen { get { lock (_lock) return _open; } }

    /// <summary>Why the file could not be opened or written, or null. After a failed write the trace ends there.</summary>
    public string Error { get { lock (_lock) return _error; } }

    /// <summary>The number of records that were dropped because the memory was full.</summary>
    public long Lost { get { lock (_lock) return _lostBefore + _lost; } }

    /// <summary>
    /// A frame was presented. Call it once for each frame: the frame lasts from the previous call of this method to this one. The
    /// first call writes nothing. After a pause of the game, call <see cref="SkipFrame"/> first.
    /// </summary>
    /// <param name="gpuMs">The time that the GPU worked for this frame, or −1 if unknown.</param>
    /// <param name="mainMs">The time that the main thread worked in this frame, without waiting, or −1 if unknown.</param>
    /// <param name="draws">The number of draw calls, or −1 if unknown.</param>
    /// <param name="triangles">The number of triangles, or −1 if unknown.</param>
    public void Frame(double gpuMs = -1, double mainMs = -1, long draws = -1, long triangles = -1)
    {
        lock (_lock)
        {
            if (!_open) return;
            long now = NowUs();
            long start = _lastFrame;
            _lastFrame = now;
            if (start != None) AddFrame(start, now - start, gpuMs, mainMs, draws, triangles);
        }
    }

    /// <summary>Starts the next frame now, without a frame before it. Call it when the game continues after a pause.</summary>
    public void SkipFrame()
    {
        lock (_lock) _lastFrame = NowUs();
    }

    /// <summary>
    /// A frame of a known duration ends now. It begins when the previous frame ended, unless that was more than 2 ms and more than half
    /// of its duration earlier: then there was a pause between them. Frames never overlap. For the other values see <see cref="Frame"/>.
    /// </summary>
    public void FrameWith(double durationMs, double gpuMs = -1, double mainMs = -1, long draws = -1, long triangles = -1)
    {
        long duration;
        if (!ToUs(durationMs, out duration)) return;
        lock (_lock)
        {
            if (_open) AddFrame(NowUs() - duration, duration, gpuMs, mainMs, draws, triangles);
        }
    }

    /// <summary>
    /// A frame that began at `startMs`. Use it if the values of a frame are known only some frames later. Frames must come in order:
    /// the rules of <see cref="FrameWith"/> about pauses and overlap apply.
    /// </summary>
    public void FrameAt(double startMs, double durationMs, double gpuMs = -1, double mainMs = -1, long draws = -1, long triangles = -1)
    {
        long start, duration;
        if (!ToUs(startMs, out start) || !ToUs(durationMs, out duration)) return;
        lock (_lock)
        {
            if (_open) AddFrame(start, duration, gpuMs, mainMs, draws, triangles);
        }
    }

    /// <summary>Begins a span of the game: a level that is played, a load, a part of the frame. `Dispose` of the result writes it.</summary>
    /// <param name="name">The name. Spans of one name belong together.</param>
    /// <param name="track">
    /// The row in which views show the span, or null. `loading` is for loads. `gc` is for garbage collection. The tracks `rendering`
    /// and `gpu process` have a meaning of their own for web pages: do not use them.
    /// </param>
    public VptSpan BeginSpan(string name, string track = null)
    {
        return new VptSpan { Writer = this, Name = name, Track = track, Start = NowUs() };
    }

    internal void EndSpan(ref VptSpan span)
    {
        AddSpan(span.Name, span.Track, span.Start, NowUs() - span.Start);
    }

    /// <summary>A span of which start and duration are known. See <see cref="BeginSpan"/>.</summary>
    public void Span(string name, double startMs, double durationMs, string track = null)
    {
        long start, duration;
        if (ToUs(startMs, out start) && ToUs(durationMs, out duration)) AddSpan(name, track, start, duration);
    }

    /// <summary>A point in time with a name, now: a checkpoint, a wave of enemies, a save.</summary>
    public void Mark(string name)
    {
        var record = new Record { Type = Type.Mark, Name = name };
        AddNow(ref record);
    }

    /// <summary>
    /// The value of a counter, now. Reserved names: `gpu_bytes` is the GPU memory of all assets, `io_read_bytes` the bytes read from
    /// storage. A value that is not finite is ignored.
    /// </summary>
    /// <param name="name">The name of the counter.</param>
    /// <param name="unit">The unit of all its values: `bytes`, `ms`, `count`, `percent`, or another.</param>
    /// <param name="value">The value.</param>
    public void Counter(string name, string unit, double value)
    {
        if (double.IsNaN(value) || double.IsInfinity(value)) return;
        var record = new Record { Type = Type.Counter, Name = name, Text = unit, Value = value };
        AddNow(ref record);
    }

    /// <summary>
    /// Names an asset. Its phases follow with <see cref="AssetPhase"/>. If the record is dropped, the asset is still valid: its phases
    /// name it too.
    /// </summary>
    /// <param name="name">The name that reports show, for example the path in the game's folder.</param>
    /// <param name="kind">What it is.</param>
    /// <param name="bytes">Bytes of the decoded asset in main memory, or −1 if unknown.</param>
    /// <param name="gpuBytes">Bytes of the asset on the GPU, or −1 if unknown.</param>
    /// <returns>The asset. Its id is 0 if the writer is closed or the kind is invalid.</returns>
    public VptAsset RegisterAsset(string name, VptKind kind, long bytes = -1, long gpuBytes = -1)
    {
        var asset = new VptAsset { Name = name, Kind = kind, Bytes = bytes, GpuBytes = gpuBytes };
        if (kind > VptKind.Other) return asset;
        lock (_lock)
        {
            if (!_open) return asset;
            asset.Id = ++_assets;
            var record = AssetRecord(ref asset, Type.Named);
            record.Time = NowUs();
            Add(ref record);
        }
        return asset;
    }

    /// <summary>Work on an asset. The record has the sizes of the asset that are known.</summary>
    /// <param name="asset">The asset, from <see cref="RegisterAsset"/>.</param>
    /// <param name="phase">What was done.</param>
    /// <param name="startMs">When it began (see <see cref="Now"/>).</param>
    /// <param name="durationMs">How long it took.</param>
    /// <param name="mainThreadMs">The part of the duration in which it blocked the frame, or −1 if unknown. 0 if another thread did it.</param>
    public void AssetPhase(VptAsset asset, VptPhase phase, double startMs, double durationMs, double mainThreadMs = -1)
    {
        long start, duration;
        if (asset.Id <= 0 || asset.Kind > VptKind.Other || phase > VptPhase.Read) return;
        if (!ToUs(startMs, out start) || !ToUs(durationMs, out duration)) return;
        var record = AssetRecord(ref asset, Type.Asset);
        record.Phase = phase;
        record.Time = start;
        record.Duration = duration;
        record.D = OptionalUs(mainThreadMs);
        lock (_lock) Add(ref record);
    }

    /// <summary>
    /// The memory of an asset was freed now. The sizes that the asset has in `asset` become 0 in the trace. Call it for every asset
    /// with a size or for none: a trace with some releases lists the other assets as never released.
    /// </summary>
    public void ReleaseAsset(VptAsset asset)
    {
        if (asset.Id <= 0) return;
        var record = AssetRecord(ref asset, Type.Release);
        AddNow(ref record);
    }

    /// <summary>
    /// Writes what is pending and the `end` record, and closes the file. Waits for the disk, at most as long as the options state: after
    /// that the trace has no end, and <see cref="Error"/> says so. A second call does nothing.
    /// </summary>
    /// <param name="reason">Why the trace ends, in lower-case words.</param>
    public void Close(string reason = "closed")
    {
        lock (_lock)
        {
            if (_open) _endReason = string.IsNullOrEmpty(reason) ? "closed" : reason;
            _open = false;
            Monitor.Pulse(_lock);
        }
        if (_thread == null || !_thread.IsAlive || _thread.Join(_closeWaitMs)) return;
        lock (_lock) _error = _error ?? "The disk did not accept the end of the trace in time.";
    }

    /// <summary>The same as <see cref="Close"/>.</summary>
    public void Dispose()
    {
        Close();
    }

    // ---- The calls of the game: they fill records. ----

    private long NowUs()
    {
        return (long)((Stopwatch.GetTimestamp() - _started) * (1e6 / Stopwatch.Frequency));
    }

    private static bool ToUs(double ms, out long us)
    {
        bool valid = ms >= 0 && ms <= LatestMs;
        us = valid ? (long)Math.Round(ms * 1000) : 0;
        return valid;
    }

    private static long OptionalUs(double ms)
    {
        long us;
        return ToUs(ms, out us) ? us : None;
    }

    private void AddNow(ref Record record)
    {
        lock (_lock)
        {
            if (!_open) return;
            record.Time = NowUs();
            Add(ref record);
        }
    }

    private void AddSpan(string name, string track, long start, long duration)
    {
        var record = new Record { Type = Type.Span, Name = name, Text = track, Time = start, Duration = duration };
        lock (_lock) Add(ref record);
    }

    private void AddFrame(long start, long duration, double gpuMs, double mainMs, long draws, long triangles)
    {
        if (_frameEnd != None && start != _frameEnd && start - _frameEnd <= Math.Max(2000, duration / 2)) start = _frameEnd;
        if (start < 0) start = 0;
        if (start > LatestMs * 1000) return;
        _frameEnd = start + duration;
        var record = new Record
        {
            Type = Type.Frame, Time = start, Duration = duration,
            A = OptionalUs(gpuMs), B = OptionalUs(mainMs), C = draws, D = triangles,
        };
        Add(ref record);
    }

    private static Record AssetRecord(ref VptAsset asset, Type type)
    {
        return new Record
        {
            Type = type, Name = asset.Name, Kind = asset.Kind, Duration = None,
            A = asset.Id, B = asset.Bytes, C = asset.GpuBytes, D = None,
        };
    }

    /// <summary>Copies a record into memory, or counts it as lost. The caller holds the lock.</summary>
    private void Add(ref Record record)
    {
        if (!_open) return;
        record.Name = Cut(record.Name);
        record.Text = Cut(record.Text);
        int text = 2 * (record.Name.Length + record.Text.Length);
        if (_count == _filling.Length || _textBytes + text > _textLimit)
        {
            if (_lost++ == 0) _firstLost = NowUs();
            return;
        }
        _filling[_count++] = record;
        _textBytes += text;
        // The thread does not wait for its time if the memory fills quickly.
        if (_woken || (_count < _filling.Length / 2 && _textBytes < _textLimit / 2)) return;
        _woken = true;
        Monitor.Pulse(_lock);
    }

    /// <summary>A text of at most LongestName characters, so that waiting records keep no more of it. Empty for null.</summary>
    private static string Cut(string text)
    {
        if (text == null) return "";
        if (text.Length <= LongestName) return text;
        bool halfPair = char.IsHighSurrogate(text[LongestName - 1]);
        return text.Substring(0, halfPair ? LongestName - 1 : LongestName);
    }

    // ---- The thread: it formats records and writes lines. ----

    private void WriteUntilClosed()
    {
        try
        {
            bool ended = false;
            while (!ended)
            {
                int count;
                long lost, firstLost;
                lock (_lock)
                {
                    if (_open && !_woken) Monitor.Wait(_lock, WriteEveryMs);
                    _woken = false;
                    ended = !_open;
                    count = _count;
                    lost = _lost;
                    firstLost = _firstLost;
                    var filled = _filling;
                    _filling = _writing;
                    _writing = filled;
                    _count = 0;
                    _textBytes = 0;
                    _lostBefore += lost;
                    _lost = 0;
                }
                AppendRecords(count);
                if (lost > 0) AppendLoss(firstLost, lost);
                if (ended) AppendEnd();
                WriteText();
            }
        }
        catch (Exception problem)
        {
            lock (_lock)
            {
                _open = false;
                _error = problem.Message;
            }
            RemoveTornLine();
        }
        CloseFile();
    }

    private void AppendRecords(int count)
    {
        int frames = 0;
        for (int i = 0; i < count; i++)
        {
            if (_writing[i].Type == Type.Frame) _frames[frames++] = i;
            else AppendRecord(ref _writing[i]);
            if (_text.Length >= ChunkBytes / 2) WriteText();
        }
        for (int i = 0; i < frames;)
        {
            i = AppendFrames(i, frames);
            if (_text.Length >= ChunkBytes / 2) WriteText();
        }
        // The strings of the game can be freed again.
        Array.Clear(_writing, 0, count);
    }

    private void AppendHeader(VptOptions options)
    {
        _text.Append("{\"vpt\":1,\"producer\":{\"name\":").Append(Quote(options.Producer)).Append(",\"version\":\"").Append(Version);
        _text.Append("\"},\"started_at\":\"");
        _text.Append(StartedAt().ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture));
        _text.Append("\",\"sources\":[\"native\"]");
        if (!string.IsNullOrEmpty(options.GpuName))
        {
            _text.Append(",\"gpu\":{\"name\":").Append(Quote(options.GpuName));
            _text.Append(",\"software\":").Append(options.GpuIsSoftware ? "true" : "false").Append('}');
        }
        _text.Append(",\"machine\":{\"cores\":");
        AppendInteger(Environment.ProcessorCount);
        _text.Append("}}\n");
    }

    /// <summary>The time of day at which the time of the trace is 0.</summary>
    private DateTime StartedAt()
    {
        return DateTime.UtcNow.AddMilliseconds(-NowUs() / 1000.0);
    }

    private void AppendRecord(ref Record record)
    {
        AppendStart(TypeName(record.Type), record.Time);
        switch (record.Type)
        {
            case Type.Span:
                AppendMs(",\"duration_ms\":", record.Duration);
                AppendString(",\"name\":", record.Name);
                if (record.Text != "") AppendString(",\"track\":", record.Text);
                break;
            case Type.Mark:
                AppendString(",\"name\":", record.Name);
                break;
            case Type.Counter:
                AppendString(",\"name\":", record.Name);
                AppendString(",\"unit\":", record.Text);
                _text.Append(",\"value\":").Append(NumberText(record.Value));
                break;
            case Type.Release:
                AppendCount(",\"id\":", record.A);
                if (record.B >= 0) AppendCount(",\"bytes\":", 0);
                if (record.C >= 0) AppendCount(",\"gpu_bytes\":", 0);
                break;
            default:
                AppendCount(",\"id\":", record.A);
                AppendString(",\"name\":", record.Name);
                _text.Append(",\"kind\":\"").Append(KindNames[(int)record.Kind]);
                _text.Append("\",\"phase\":\"").Append(record.Type == Type.Named ? "named" : PhaseNames[(int)record.Phase]).Append('"');
                AppendCount(",\"bytes\":", record.B);
                AppendCount(",\"gpu_bytes\":", record.C);
                AppendMs(",\"duration_ms\":", record.Duration);
                AppendMs(",\"main_thread_ms\":", record.D);
                break;
        }
        _text.Append("}\n");
    }

    private static readonly string[] KindNames = { "texture", "mesh", "audio", "shader", "script", "data", "video", "font", "other" };
    private static readonly string[] PhaseNames = { "load", "decode", "upload", "compile", "read" };

    private static string TypeName(Type type)
    {
        switch (type)
        {
            case Type.Span: return "span";
            case Type.Mark: return "mark";
            case Type.Counter: return "counter";
            case Type.Release: return "release";
            default: return "asset";
        }
    }

    /// <summary>Appends one line with the frames from `first` on that follow each other without a gap. Returns the index of the next frame.</summary>
    private int AppendFrames(int first, int count)
    {
        int end = first + 1;
        while (end < count && end - first < FramesPerLine && Follows(end)) end++;
        AppendStart("frames", _writing[_frames[first]].Time);
        _text.Append(",\"duration_ms\":[");
        for (int i = first; i < end; i++)
        {
            if (i > first) _text.Append(',');
            AppendUs(_writing[_frames[i]].Duration);
        }
        _text.Append(']');
        AppendColumn(",\"draws\":[", first, end, 2);
        AppendColumn(",\"triangles\":[", first, end, 3);
        AppendColumn(",\"gpu_ms\":[", first, end, 0);
        AppendColumn(",\"main_ms\":[", first, end, 1);
        _text.Append("}\n");
        return end;
    }

    private bool Follows(int i)
    {
        return _writing[_frames[i]].Time == _writing[_frames[i - 1]].Time + _writing[_frames[i - 1]].Duration;
    }

    /// <summary>Appends a column of frames, unless no frame has a value. `value` is the index of A to D. A and B are times.</summary>
    private void AppendColumn(string key, int first, int end, int value)
    {
        bool any = false;
        for (int i = first; i < end && !any; i++) any = IsCount(ColumnValue(ref _writing[_frames[i]], value));
        if (!any) return;
        _text.Append(key);
        for (int i = first; i < end; i++)
        {
            long one = ColumnValue(ref _writing[_frames[i]], value);
            if (i > first) _text.Append(',');
            if (!IsCount(one)) _text.Append("null");
            else if (value < 2) AppendUs(one);
            else AppendInteger(one);
        }
        _text.Append(']');
    }

    private static long ColumnValue(ref Record record, int value)
    {
        return value == 0 ? record.A : value == 1 ? record.B : value == 2 ? record.C : record.D;
    }

    private void AppendLoss(long time, long count)
    {
        AppendStart("loss", time);
        _text.Append(",\"reason\":\"buffer_full\"");
        AppendCount(",\"count\":", count);
        _text.Append("}\n");
    }

    private void AppendEnd()
    {
        AppendStart("end", NowUs());
        AppendString(",\"reason\":", _endReason);
        _text.Append("}\n");
    }

    private void AppendStart(string type, long time)
    {
        _text.Append("{\"type\":\"").Append(type).Append("\",\"t\":");
        AppendUs(time);
    }

    private void AppendMs(string key, long us)
    {
        if (us < 0) return;
        _text.Append(key);
        AppendUs(us);
    }

    private static bool IsCount(long value)
    {
        return value >= 0 && value <= 9007199254740991;
    }

    private void AppendCount(string key, long value)
    {
        if (!IsCount(value)) return;
        _text.Append(key);
        AppendInteger(value);
    }

    private void AppendString(string key, string value)
    {
        _text.Append(key).Append(Quote(value));
    }

    /// <summary>Microseconds as milliseconds, without a locale: 1500 is `1.5`.</summary>
    private void AppendUs(long us)
    {
        AppendInteger(us / 1000);
        int rest = (int)(us % 1000);
        if (rest == 0) return;
        _text.Append('.').Append((char)('0' + rest / 100));
        if (rest % 100 != 0) _text.Append((char)('0' + rest / 10 % 10));
        if (rest % 10 != 0) _text.Append((char)('0' + rest % 10));
    }

    /// <summary>An integer of at least 0, without a locale.</summary>
    private void AppendInteger(long value)
    {
        if (value >= 10) AppendInteger(value / 10);
        _text.Append((char)('0' + value % 10));
    }

    /// <summary>The shortest text that is read as the same number. Old runtimes have values for which "R" is not exact.</summary>
    private static string NumberText(double value)
    {
        string text = value.ToString("R", CultureInfo.InvariantCulture);
        return double.Parse(text, CultureInfo.InvariantCulture) == value ? text : value.ToString("G17", CultureInfo.InvariantCulture);
    }

    /// <summary>Writes the text as whole lines, and empties it.</summary>
    private void WriteText()
    {
        if (_text.Length == 0) return;
        if (_chars.Length < _text.Length) _chars = new char[_text.Length];
        _text.CopyTo(0, _chars, 0, _text.Length);
        int longest = Encoding.UTF8.GetMaxByteCount(_text.Length);
        if (_bytes.Length < longest) _bytes = new byte[longest];
        int length = Encoding.UTF8.GetBytes(_chars, 0, _text.Length, _bytes, 0);
        _text.Length = 0;
        _file.Write(_bytes, 0, length);
        _file.Flush();
        _writtenBytes += length;
    }

    /// <summary>Removes the part of a line that a failed write left, if the file allows it.</summary>
    private void RemoveTornLine()
    {
        try { _file.SetLength(_writtenBytes); } catch (Exception) { }
    }

    private void CloseFile()
    {
        try { if (_file != null) _file.Dispose(); } catch (Exception) { }
    }

    // ---- Names. ----

    /// <summary>A cleaned name as a JSON string. Short names are kept, because a game uses the same ones again.</summary>
    private string Quote(string name)
    {
        string quoted;
        name = Cut(name);
        if (_names.TryGetValue(name, out quoted)) return quoted;
        quoted = Escape(Clean(name));
        if (name.Length > 128) return quoted;
        if (_names.Count >= 1024) _names.Clear();
        _names[name] = quoted;
        return quoted;
    }

    // The patterns of section 2.5 of docs/vpt.md, as in packages/trace/src/vpt/clean-name.ts.
    private const RegexOptions Plain = RegexOptions.IgnoreCase | RegexOptions.CultureInvariant;
    private const string UrlText = @"(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://[^\s""'()<>]*";
    private const string DataUrl = @"data:[^\s""'()<>\\]*";
    private const string UnixPath = @"(?<![^\s""'(),;=:@|<>[\]{}])~?/[^\s""'(),;|<>[\]{}]*";
    private const string WindowsPath = @"(?<![a-z0-9])[a-z]:[\\/][^\s""'(),;|<>[\]{}]*|\\\\[^\s""'(),;|<>[\]{}]+";
    private static readonly Regex Private = new Regex(UrlText + "|" + DataUrl + "|" + UnixPath + "|" + WindowsPath, Plain);
    private static readonly Regex WholePath = new Regex(@"^(?:~?/|[a-z]:[\\/]|\\\\)", Plain);
    private static readonly Regex UrlStart = new Regex(@"^[a-z][a-z0-9+.-]*://", Plain);
    private static readonly Regex Place = new Regex(@"(:[0-9]+){1,2}\z", Plain);
    private static readonly Regex SecretPart = new Regex(@"^([a-z][a-z0-9+.-]*://)[^/]*@|/\.(?:release|preview|content)/[^/]+", Plain);

    private static string Clean(string name)
    {
        return WholePath.IsMatch(name) ? LastPart(name) : Private.Replace(name, CleanToken);
    }

    private static string CleanToken(Match match)
    {
        string token = match.Value;
        if (token.StartsWith("data:", StringComparison.OrdinalIgnoreCase)) return CutAt(token, ',', ';');
        if (!UrlStart.IsMatch(token)) return LastPart(token);
        string bare = CutAt(token, '?', '#');
        string url = bare.Length == token.Length ? bare : bare + Place.Match(token).Value;
        if (url.StartsWith("file:", StringComparison.OrdinalIgnoreCase)) return LastPart(url);
        return SecretPart.Replace(url, "$1");
    }

    private static string CutAt(string text, char one, char other)
    {
        for (int i = 0; i < text.Length; i++)
        {
            if (text[i] == one || text[i] == other) return text.Substring(0, i);
        }
        return text;
    }

    private static string LastPart(string path)
    {
        string[] parts = path.Split('/', '\\');
        for (int i = parts.Length - 1; i >= 0; i--)
        {
            if (parts[i] != "" && parts[i] != "~") return parts[i];
        }
        return "/";
    }

    /// <summary>A JSON string. Half of a surrogate pair has no UTF-8, so U+FFFD replaces it.</summary>
    private static string Escape(string text)
    {
        var quoted = new StringBuilder(text.Length + 2).Append('"');
        for (int i = 0; i < text.Length; i++)
        {
            char one = text[i];
            if (one == '"' || one == '\\') quoted.Append('\\').Append(one);
            else if (one < ' ') quoted.Append("\\u00").Append(one < 16 ? '0' : '1').Append("0123456789abcdef"[one & 15]);
            else if (char.IsHighSurrogate(one) && i + 1 < text.Length && char.IsLowSurrogate(text[i + 1])) quoted.Append(one).Append(text[++i]);
            else quoted.Append(char.IsSurrogate(one) ? '\ufffd' : one);
        }
        return quoted.Append('"').ToString();
    }
}
