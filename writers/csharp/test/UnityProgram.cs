// The program of unity.long.test.ts: runs VptUnity.cs with a stub of Unity's API for some frames. The argument is a folder.
using System;
using System.Threading;
using Unity.Profiling;
using UnityEngine;
using UnityEngine.SceneManagement;

public static class UnityProgram
{
    public static void Main(string[] args)
    {
        Application.persistentDataPath = args[0];
        ProfilerRecorder.Values["Internal/Main Thread"] = 12345678;
        ProfilerRecorder.Values["Memory/System Used Memory"] = 300000000;
        ProfilerRecorder.Values["Render/Draw Calls Count"] = 0;
        VptUnity.TrackLoad(new AsyncOperation(), "before the trace");
        VptUnity.LoadResource<UnityEngine.Object>("before the trace", VptKind.Other);

        var recorder = new VptUnity { counterSeconds = 0.01f };
        recorder.Receive("OnEnable");
        var second = new VptUnity();
        second.Receive("OnEnable");
        second.Receive("Update");
        second.Receive("OnDisable");

        Play(recorder, 0, 10);
        SceneManager.Load("Level2");
        var load = new AsyncOperation();
        Console.WriteLine(ReferenceEquals(VptUnity.TrackLoad(load, "Level2"), load));
        var request = new ResourceRequest();
        VptUnity.TrackAsset(request, "rock", VptKind.Texture);
        VptUnity.LoadResource<UnityEngine.Object>("theme", VptKind.Audio);
        using (VptUnity.Trace?.BeginSpan("path finding")) VptUnity.Trace?.Mark("boss appears");
        Thread.Sleep(20);
        load.Complete();
        request.Complete();
        recorder.Receive("OnApplicationPause", true);
        Thread.Sleep(100);
        FrameTimingManager.Frames.Add(new FrameTiming { gpuFrameTime = 100 });
        recorder.Receive("OnApplicationPause", false);
        ProfilerRecorder.Values["Memory/GC.Collect"] = 1500000;
        Play(recorder, 10, 5);

        recorder.Receive("OnDisable");
        recorder.Receive("Update");
        using (VptUnity.Trace?.BeginSpan("after the trace")) { }
        SceneManager.Load("after the trace");
        Console.WriteLine("{0} {1}", VptUnity.Trace == null, ProfilerRecorder.Running);

        var blocked = new VptUnity { fileName = "missing/game.vpt" };
        blocked.Receive("OnEnable");
        blocked.Receive("Update");
        blocked.Receive("OnDisable");
    }

    /// <summary>Frame i has i draw calls, i + 0.5 ms on the GPU, and i + 0.25 ms on the main thread.</summary>
    private static void Play(VptUnity recorder, int first, int count)
    {
        recorder.Receive("Update");
        for (int i = first; i < first + count; i++)
        {
            Thread.Sleep(5);
            ProfilerRecorder.Values["Render/Draw Calls Count"] = i;
            var timing = new FrameTiming { gpuFrameTime = i + 0.5 };
#if UNITY_2022_1_OR_NEWER
            timing.cpuMainThreadFrameTime = i + 0.25;
#endif
            FrameTimingManager.Frames.Add(timing);
            recorder.Receive("Update");
        }
    }
}
