// A stub of the part of Unity's API that VptUnity.cs uses, for tests without Unity. Names and types are those of Unity's
// documentation. The values are set by UnityProgram.cs.
using System;
using System.Collections.Generic;
using System.Reflection;

namespace Unity.Profiling
{
    public struct ProfilerCategory
    {
        public string Name;
        public static ProfilerCategory Internal { get { return new ProfilerCategory { Name = "Internal" }; } }
        public static ProfilerCategory Memory { get { return new ProfilerCategory { Name = "Memory" }; } }
        public static ProfilerCategory Render { get { return new ProfilerCategory { Name = "Render" }; } }
    }

    [Flags]
    public enum ProfilerRecorderOptions { None = 0, Default = 24 }

    public struct ProfilerRecorder : IDisposable
    {
        /// <summary>The values of the counters, by category and name. A counter that is missing here is not valid.</summary>
        public static readonly Dictionary<string, long> Values = new Dictionary<string, long>();
        public static int Running;
        private string _key;

        public static ProfilerRecorder StartNew(
            ProfilerCategory category, string statName, int capacity = 1,
            ProfilerRecorderOptions options = ProfilerRecorderOptions.Default)
        {
            Running++;
            return new ProfilerRecorder { _key = category.Name + "/" + statName };
        }

        public bool Valid { get { return _key != null && Values.ContainsKey(_key); } }

        public long LastValue
        {
            get
            {
                if (_key == null) throw new InvalidOperationException("ProfilerRecorder object is not initialized or has been disposed.");
                return Values[_key];
            }
        }

        public void Dispose()
        {
            if (_key != null) Running--;
            _key = null;
        }
    }
}

namespace UnityEngine
{
    public class Object
    {
        public static void DontDestroyOnLoad(Object target) { }
    }

    public class GameObject : Object { }

    public class Component : Object
    {
        private readonly GameObject _gameObject = new GameObject();
        public GameObject gameObject { get { return _gameObject; } }
    }

    public class Behaviour : Component { }

    public class MonoBehaviour : Behaviour
    {
        /// <summary>Calls a method of the component by its name, as Unity does.</summary>
        public void Receive(string message, params object[] arguments)
        {
            GetType().GetMethod(message, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(this, arguments);
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class DefaultExecutionOrder : Attribute
    {
        public DefaultExecutionOrder(int order) { }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class DisallowMultipleComponent : Attribute { }

    public static class Application
    {
        public static string persistentDataPath { get; set; }
    }

    public static class SystemInfo
    {
        public static string graphicsDeviceName { get { return "llvmpipe (LLVM 15.0.6)"; } }
    }

    public static class Debug
    {
        public static void Log(object message) { Console.WriteLine("log: " + message); }
        public static void LogWarning(object message) { Console.WriteLine("warning: " + message); }
    }

    public struct FrameTiming
    {
        public double cpuFrameTime;
#if UNITY_2022_1_OR_NEWER
        public double cpuMainThreadFrameTime;
#endif
        public double gpuFrameTime;
    }

    public static class FrameTimingManager
    {
        /// <summary>The times of the frames, the newest last. They are returned four frames late, as in Unity.</summary>
        public static readonly List<FrameTiming> Frames = new List<FrameTiming>();
        public static void CaptureFrameTimings() { }

        public static uint GetLatestTimings(uint numFrames, FrameTiming[] timings)
        {
            if (Frames.Count < 4) return 0;
            timings[0] = Frames[Frames.Count - 4];
            return 1;
        }
    }

    public class AsyncOperation
    {
        public event Action<AsyncOperation> completed;
        public void Complete() { completed(this); }
    }

    public class ResourceRequest : AsyncOperation
    {
        public Object asset { get { return new Object(); } }
    }

    public sealed class Resources
    {
        public static T Load<T>(string path) where T : Object { return (T)new Object(); }
    }
}

namespace UnityEngine.Profiling
{
    public sealed class Profiler
    {
        public static long GetRuntimeMemorySizeLong(Object o) { return 65536; }
    }
}

namespace UnityEngine.Events
{
    public delegate void UnityAction<T0>(T0 arg0);
    public delegate void UnityAction<T0, T1>(T0 arg0, T1 arg1);
}

namespace UnityEngine.SceneManagement
{
    using UnityEngine.Events;

    public enum LoadSceneMode { Single, Additive }

    public struct Scene
    {
        public string name { get; set; }
    }

    public class SceneManager
    {
        public static event UnityAction<Scene, LoadSceneMode> sceneLoaded;
        public static event UnityAction<Scene> sceneUnloaded;

        public static void Load(string name)
        {
            if (sceneUnloaded != null) sceneUnloaded(new Scene { name = "old" });
            if (sceneLoaded != null) sceneLoaded(new Scene { name = name }, LoadSceneMode.Single);
        }
    }
}
