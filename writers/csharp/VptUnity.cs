// VptUnity.cs records a Unity game as a `.vpt` trace. Copy this file and VptWriter.cs into the project (Unity 2021 or later), and add
// the component VptUnity to an object of its own at the root of the first scene. Licence: Apache-2.0.
//
// This file was compiled and run with a stub of Unity's API only (test/UnityStub.cs). It has not run in Unity.
//
// Recorded without further code: each frame with its draw calls and triangles, and its times on the GPU and the main thread (if
// FrameTimingManager has them); counters of Unity's profiler; garbage collections; scenes that were loaded or unloaded.
// The game adds what it knows:
//
//     VptUnity.Trace?.Mark("boss appears");
//     using (VptUnity.Trace?.BeginSpan("path finding")) FindPaths();
//     VptUnity.TrackLoad(SceneManager.LoadSceneAsync("Level2"), "Level2");
//     var rock = VptUnity.LoadResource<Texture2D>("rock", VptKind.Texture);
//
// FrameTimingManager works in development builds. In other builds, set Project Settings, Player, Frame Timing Stats. Counters that a
// build does not have are left out. Builds for the web have no threads, so there the trace does not open: use the collector of svc.
using System;
using System.IO;
using Unity.Profiling;
using UnityEngine;
using UnityEngine.Profiling;
using UnityEngine.SceneManagement;

/// <summary>Records the game from the time the component is enabled until it is disabled or the game quits.</summary>
[DefaultExecutionOrder(-32000)]
[DisallowMultipleComponent]
public sealed class VptUnity : MonoBehaviour
{
    /// <summary>The path of the trace, or its name in Application.persistentDataPath. An existing file is replaced.</summary>
    public string fileName = "game.vpt";
    /// <summary>The time between two values of a counter, in seconds.</summary>
    public float counterSeconds = 0.5f;

    /// <summary>The trace that is recorded, or null. Its methods may be called from any thread.</summary>
    public static VptWriter Trace { get; private set; }

    /// <summary>FrameTimingManager returns the times of a frame four frames later, so frames wait until then.</summary>
    private const int FrameDelay = 4;

    private struct WaitingFrame
    {
        public double Start;
        public double Duration;
        public long Draws;
        public long Triangles;
    }

    /// <summary>A counter of Unity's profiler. The trace has the mean of its values in an interval, multiplied by the scale.</summary>
    private sealed class Counter
    {
        public string Name;
        public string Unit;
        public double Scale;
        public ProfilerRecorder Recorder;
        public double Sum;
        public int Values;
    }

    private VptWriter _trace;
    private readonly WaitingFrame[] _waiting = new WaitingFrame[FrameDelay];
    private int _waitingCount;
    private double _lastUpdate;
    private double _nextCounters;
    private Counter[] _counters = new Counter[0];
    private ProfilerRecorder _draws;
    private ProfilerRecorder _triangles;
    private ProfilerRecorder _collections;
    private readonly FrameTiming[] _timings = new FrameTiming[1];

    private void OnEnable()
    {
        // Another component already records, for example because the first scene was loaded again.
        if (Trace != null) return;
        string path = Path.Combine(Application.persistentDataPath, fileName);
        string gpu = SystemInfo.graphicsDeviceName;
        _trace = VptWriter.Open(path, new VptOptions { Producer = "VptUnity.cs", GpuName = gpu, GpuIsSoftware = IsSoftware(gpu) });
        if (!_trace.IsOpen)
        {
            Debug.LogWarning("VptUnity: cannot write " + path + ": " + _trace.Error);
            _trace = null;
            return;
        }
        Debug.Log("VptUnity: the trace is written to " + path);
        Trace = _trace;
        DontDestroyOnLoad(gameObject);
        _waitingCount = 0;
        _lastUpdate = -1;
        _nextCounters = 0;
        _draws = ProfilerRecorder.StartNew(ProfilerCategory.Render, "Draw Calls Count");
        _triangles = ProfilerRecorder.StartNew(ProfilerCategory.Render, "Triangles Count");
        _collections = ProfilerRecorder.StartNew(ProfilerCategory.Memory, "GC.Collect");
        _counters = new[]
        {
            StartCounter(ProfilerCategory.Internal, "Main Thread", "ms", 1e-6),
            StartCounter(ProfilerCategory.Render, "Batches Count", "count", 1),
            StartCounter(ProfilerCategory.Render, "SetPass Calls Count", "count", 1),
            StartCounter(ProfilerCategory.Memory, "GC Allocated In Frame", "bytes", 1),
            StartCounter(ProfilerCategory.Memory, "GC Used Memory", "bytes", 1),
            StartCounter(ProfilerCategory.Memory, "Total Used Memory", "bytes", 1),
            StartCounter(ProfilerCategory.Memory, "Gfx Used Memory", "bytes", 1),
            StartCounter(ProfilerCategory.Memory, "System Used Memory", "bytes", 1),
        };
        SceneManager.sceneLoaded += OnSceneLoaded;
        SceneManager.sceneUnloaded += OnSceneUnloaded;
    }

    /// <summary>Unity also calls this when the game quits.</summary>
    private void OnDisable()
    {
        if (_trace == null) return;
        SceneManager.sceneLoaded -= OnSceneLoaded;
        SceneManager.sceneUnloaded -= OnSceneUnloaded;
        WriteWaitingFrames();
        _draws.Dispose();
        _triangles.Dispose();
        _collections.Dispose();
        foreach (var counter in _counters) counter.Recorder.Dispose();
        Trace = null;
        _trace.Close();
        if (_trace.Error != null) Debug.LogWarning("VptUnity: the trace is not complete: " + _trace.Error);
        _trace = null;
    }

    /// <summary>A game in the background is paused: the time until it continues is no frame.</summary>
    private void OnApplicationPause(bool paused)
    {
        if (_trace == null) return;
        // FrameTimingManager counts the frame of the pause, so the frames before it cannot wait for their times.
        WriteWaitingFrames();
        _lastUpdate = -1;
    }

    private void Update()
    {
        if (_trace == null) return;
        double now = _trace.Now;
        if (_lastUpdate >= 0) EndFrame(_lastUpdate, now - _lastUpdate);
        _lastUpdate = now;
        foreach (var counter in _counters) Collect(counter);
        if (now < _nextCounters) return;
        _nextCounters = now + Math.Max(0.01, counterSeconds) * 1000;
        foreach (var counter in _counters) WriteMean(counter);
    }

    /// <summary>The previous frame has ended. The values of the profiler are those of this frame.</summary>
    private void EndFrame(double start, double duration)
    {
        _waiting[_waitingCount++] = new WaitingFrame
        {
            Start = start, Duration = duration,
            Draws = _draws.Valid ? _draws.LastValue : -1,
            Triangles = _triangles.Valid ? _triangles.LastValue : -1,
        };
        // The profiler does not state when in the frame the collection was.
        double collected = _collections.Valid ? _collections.LastValue * 1e-6 : 0;
        if (collected > 0) _trace.Span("GC.Collect", start, Math.Min(collected, duration), "gc");

        FrameTimingManager.CaptureFrameTimings();
        bool known = FrameTimingManager.GetLatestTimings(1, _timings) > 0;
        if (_waitingCount < FrameDelay) return;
        // Times that could not be measured are 0.
        double gpu = known && _timings[0].gpuFrameTime > 0 ? _timings[0].gpuFrameTime : -1;
        double main = -1;
#if UNITY_2022_1_OR_NEWER
        if (known && _timings[0].cpuMainThreadFrameTime > 0) main = _timings[0].cpuMainThreadFrameTime;
#endif
        WriteOldestFrame(gpu, main);
    }

    private void WriteWaitingFrames()
    {
        while (_waitingCount > 0) WriteOldestFrame(-1, -1);
    }

    private void WriteOldestFrame(double gpuMs, double mainMs)
    {
        var frame = _waiting[0];
        _trace.FrameAt(frame.Start, frame.Duration, gpuMs, mainMs, frame.Draws, frame.Triangles);
        _waitingCount--;
        Array.Copy(_waiting, 1, _waiting, 0, _waitingCount);
    }

    private static Counter StartCounter(ProfilerCategory category, string name, string unit, double scale)
    {
        return new Counter { Name = name, Unit = unit, Scale = scale, Recorder = ProfilerRecorder.StartNew(category, name) };
    }

    private static void Collect(Counter counter)
    {
        if (!counter.Recorder.Valid) return;
        counter.Sum += counter.Recorder.LastValue;
        counter.Values++;
    }

    private void WriteMean(Counter counter)
    {
        if (counter.Values == 0) return;
        _trace.Counter(counter.Name, counter.Unit, counter.Sum / counter.Values * counter.Scale);
        counter.Sum = 0;
        counter.Values = 0;
    }

    private void OnSceneLoaded(Scene scene, LoadSceneMode mode)
    {
        _trace.Mark("scene loaded: " + scene.name);
    }

    private void OnSceneUnloaded(Scene scene)
    {
        _trace.Mark("scene unloaded: " + scene.name);
    }

    private static bool IsSoftware(string gpu)
    {
        foreach (string name in new[] { "llvmpipe", "lavapipe", "softpipe", "SwiftShader", "Basic Render" })
        {
            if (gpu.IndexOf(name, StringComparison.OrdinalIgnoreCase) >= 0) return true;
        }
        return false;
    }

    /// <summary>
    /// Records an operation, such as the load of a scene, as a span from now until it is complete, on the track `loading`. Call it
    /// right after the operation was started. Does nothing if no trace is recorded. Allocates memory.
    /// </summary>
    /// <returns>The same operation.</returns>
    public static AsyncOperation TrackLoad(AsyncOperation operation, string name)
    {
        var trace = Trace;
        if (trace == null || operation == null) return operation;
        double start = trace.Now;
        operation.completed += done => trace.Span(name, start, trace.Now - start, "loading");
        return operation;
    }

    /// <summary>
    /// Records the load of one asset from Resources or an asset bundle, from now until it is complete. Call it right after the request
    /// was made. The part of the time that blocks the main thread is unknown. Does nothing if no trace is recorded. Allocates memory.
    /// </summary>
    /// <returns>The same request.</returns>
    public static ResourceRequest TrackAsset(ResourceRequest request, string name, VptKind kind)
    {
        var trace = Trace;
        if (trace == null || request == null) return request;
        double start = trace.Now;
        request.completed += done => WriteLoad(trace, name, kind, request.asset, start, -1);
        return request;
    }

    /// <summary>Loads an asset from Resources, and records how long that blocked the main thread. Returns null if there is none.</summary>
    public static T LoadResource<T>(string path, VptKind kind) where T : UnityEngine.Object
    {
        var trace = Trace;
        if (trace == null) return Resources.Load<T>(path);
        double start = trace.Now;
        T asset = Resources.Load<T>(path);
        WriteLoad(trace, path, kind, asset, start, trace.Now - start);
        return asset;
    }

    private static void WriteLoad(VptWriter trace, string name, VptKind kind, UnityEngine.Object asset, double start, double mainMs)
    {
        double duration = trace.Now - start;
        // The size is known in development builds only. It is 0 elsewhere.
        long bytes = asset == null ? 0 : Profiler.GetRuntimeMemorySizeLong(asset);
        var registered = trace.RegisterAsset(name, kind, bytes > 0 ? bytes : -1);
        trace.AssetPhase(registered, VptPhase.Load, start, duration, mainMs);
    }
}
