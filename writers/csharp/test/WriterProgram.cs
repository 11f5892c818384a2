// The program of writer.long.test.ts: writes one trace with VptWriter.cs. The first argument is the case, the second the file.
using System;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;

public static class WriterProgram
{
    public static int Main(string[] args)
    {
        switch (args[0])
        {
            case "records": WriteRecords(args[1]); return 0;
            case "names": WriteNames(args[1], args[2]); return 0;
            case "locale": WriteInLocale(args[1]); return 0;
            case "threads": WriteFromThreads(args[1]); return 0;
            case "full": WriteToFullDisk(args[1], 1); return 0;
            case "full-file": WriteToFullDisk(args[1], 100); return 0;
            case "endless": WriteWithoutEnd(args[1]); return 0;
            case "slow": WriteToSlowDisk(args[1]); return 0;
            case "cost": MeasureCost(args[1]); return 0;
            default: return 2;
        }
    }

    static void WriteRecords(string path)
    {
        var trace = VptWriter.Open(path, new VptOptions { GpuName = "Radeon \"X\"", GpuIsSoftware = false });
        trace.FrameAt(100, 16.667, 7.25, 3.5, 120, 45000);
        trace.FrameAt(116.9, 16.4);
        trace.FrameAt(133.067, 33.333, double.NaN, 0, 0, -1);
        trace.FrameAt(500, 16);
        trace.Span("load level", 20.125, 300.5, "loading");
        trace.Span("update", 0, 0);
        trace.Counter("score", "count", 1234567890123);
        trace.Counter("ratio", "", 0.1);
        trace.Counter("small", "ms", -1.5e-7);
        trace.Counter("large", "count", double.MaxValue);
        trace.Counter("none", "count", double.NaN);
        trace.Counter("none", "count", double.NegativeInfinity);
        trace.Span("none", -1, 5);
        trace.Span("none", 5, double.PositiveInfinity);
        trace.FrameWith(double.NaN);
        trace.FrameWith(-1);
        trace.FrameAt(1e16, 16);
        var rock = trace.RegisterAsset("art/rock.png", VptKind.Texture, 4096);
        trace.AssetPhase(rock, VptPhase.Load, 1.5, 2.25, 0);
        rock.GpuBytes = 8192;
        trace.AssetPhase(rock, VptPhase.Upload, 4, 1.001, 1.001);
        trace.AssetPhase(rock, VptPhase.Decode, 4, double.NaN);
        trace.AssetPhase(default(VptAsset), VptPhase.Load, 1, 1);
        trace.ReleaseAsset(rock);
        var theme = trace.RegisterAsset("theme.ogg", VptKind.Audio);
        trace.ReleaseAsset(theme);
        trace.RegisterAsset("none", (VptKind)99);
        using (trace.BeginSpan("turn")) trace.Mark("boss appears");
        trace.Frame();
        Thread.Sleep(30);
        trace.Frame(1, 2, 3, 4);
        trace.FrameWith(5);
        trace.Close("level done");
        trace.Close();
        trace.Frame();
        trace.Mark("after the end");
        using (trace.BeginSpan("after the end")) trace.RegisterAsset("after the end", VptKind.Other);
        Console.WriteLine("{0} {1} {2}", trace.Error ?? "no error", trace.Lost, trace.IsOpen);
    }

    /// <summary>Each line of the input is a name: its UTF-16 units as four hexadecimal digits.</summary>
    static void WriteNames(string path, string input)
    {
        var trace = VptWriter.Open(path, new VptOptions { MemoryBytes = 16 << 20 });
        foreach (string line in File.ReadAllLines(input))
        {
            var name = new StringBuilder();
            for (int i = 0; i < line.Length; i += 4) name.Append((char)Convert.ToInt32(line.Substring(i, 4), 16));
            trace.Mark(name.ToString());
            trace.Span(name.ToString(), 0, 1, name.ToString());
            trace.Counter(name.ToString(), name.ToString(), 1);
            trace.RegisterAsset(name.ToString(), VptKind.Other);
        }
        trace.Mark(null);
        trace.Close(null);
        Console.WriteLine(trace.Lost);
    }

    static void WriteInLocale(string path)
    {
        var locale = (CultureInfo)new CultureInfo("de-DE").Clone();
        locale.NumberFormat.NegativeSign = "minus";
        CultureInfo.DefaultThreadCurrentCulture = locale;
        Thread.CurrentThread.CurrentCulture = locale;
        var trace = VptWriter.Open(path);
        trace.Counter("ratio", "count", -1234.5);
        trace.Counter("small", "count", -2.5e-9);
        trace.FrameAt(1.5, 16.25);
        trace.Close();
        Console.WriteLine(-1234.5);
    }

    static void WriteFromThreads(string path)
    {
        const int Threads = 8, Calls = 20000;
        var trace = VptWriter.Open(path, new VptOptions { MemoryBytes = 0 });
        var threads = new Thread[Threads];
        for (int i = 0; i < Threads; i++)
        {
            string name = "thread " + i;
            threads[i] = new Thread(() =>
            {
                for (int call = 0; call < Calls; call += 4)
                {
                    trace.Mark(name);
                    trace.FrameWith(1);
                    trace.Counter(name, "count", call);
                    trace.Span(name, 0, 1);
                }
            });
        }
        foreach (var thread in threads) thread.Start();
        foreach (var thread in threads) thread.Join();
        trace.Close();
        Console.WriteLine("{0} {1}", Threads * Calls, trace.Lost);
    }

    static void WriteToFullDisk(string path, int marksPerStep)
    {
        var trace = VptWriter.Open(path);
        for (int i = 0; i < 1000 && trace.IsOpen; i++)
        {
            for (int mark = 0; mark < marksPerStep; mark++) trace.Mark("step");
            Thread.Sleep(10);
        }
        trace.Mark("after the failure");
        trace.Close();
        Console.WriteLine("{0} {1}", trace.IsOpen, trace.Error);
    }

    static void WriteWithoutEnd(string path)
    {
        var trace = VptWriter.Open(path);
        for (int i = 0; ; i++)
        {
            trace.Frame();
            trace.Counter("step", "count", i);
            Thread.Sleep(1);
        }
    }

    /// <summary>The file is a FIFO that is not read. The program ends when a line arrives on standard input.</summary>
    static void WriteToSlowDisk(string path)
    {
        const int Calls = 500000;
        var trace = VptWriter.Open(path, new VptOptions { CloseWaitMs = 200 });
        // The thread fills the FIFO and waits in a write from then on.
        for (int full = 0; full < 5; Thread.Sleep(100))
        {
            long before = trace.Lost;
            for (int i = 0; i < 20000; i++) trace.Counter("fill", "count", 1);
            full = trace.Lost - before == 20000 ? full + 1 : 0;
        }
        var asset = trace.RegisterAsset("a", VptKind.Other);
        int collections = GC.CollectionCount(0);
        long lost = trace.Lost;
        for (int i = 0; i < Calls; i++)
        {
            trace.Frame(1, 1, 1, 1);
            trace.Counter("a", "count", i);
            trace.Mark("a");
            trace.AssetPhase(asset, VptPhase.Load, 1, 1);
            using (trace.BeginSpan("a")) { }
        }
        Console.WriteLine("{0} {1}", trace.Lost - lost, GC.CollectionCount(0) - collections);
        trace.Close();
        Console.WriteLine(trace.Error);
        Console.Out.Flush();
        Environment.Exit(0);
    }

    static void MeasureCost(string path)
    {
        var trace = VptWriter.Open(path, new VptOptions { MemoryBytes = 256 << 20 });
        const int Calls = 200000;
        for (int round = 0; round < 4; round++)
        {
            Report(round, "Frame", Calls, () => { for (int i = 0; i < Calls; i++) trace.Frame(); });
            Report(round, "Counter", Calls, () => { for (int i = 0; i < Calls; i++) trace.Counter("score", "count", i); });
            Report(round, "Mark", Calls, () => { for (int i = 0; i < Calls; i++) trace.Mark("mark"); });
            Report(round, "BeginSpan and Dispose", Calls, () => { for (int i = 0; i < Calls; i++) using (trace.BeginSpan("span")) { } });
        }
        trace.Close();
        Console.WriteLine("lost {0}", trace.Lost);
    }

    static void Report(int round, string what, int calls, Action work)
    {
        var clock = System.Diagnostics.Stopwatch.StartNew();
        work();
        if (round > 0) Console.WriteLine("{0}: {1:F0} ns", what, clock.Elapsed.TotalMilliseconds * 1e6 / calls);
        Thread.Sleep(400);
    }
}
