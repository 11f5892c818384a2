// Readings of a process on Windows, by PowerShell, which every Windows has. Not run on Windows yet.
import { win32 } from 'node:path';
import type { Sampler, SamplerEvent } from './sampler.ts';

/** Windows would look for a bare name in the current folder first, where a downloaded game may have put another program. */
const POWERSHELL = 'System32\\WindowsPowerShell\\v1.0\\powershell.exe';
/** The time between two readings. The exit is noticed at once. */
const PERIOD_MS = 400;
/** .NET counts time in units of 100 ns. */
const TICKS_PER_MS = 10_000;

/**
 * Takes the id of the process and that of svc. The handle keeps the process known after its exit, so another process with the same id is
 * never read. .NET does not report that nobody reads its output, so svc itself is watched.
 *
 * A property that fails is empty in PowerShell and no error, so each is checked. A comma in the arguments of a method separates arguments.
 */
const SCRIPT = `
$ErrorActionPreference = 'Stop'
$out = New-Object IO.StreamWriter ([Console]::OpenStandardOutput())
$out.AutoFlush = $true
try {
  $svc = [Diagnostics.Process]::GetProcessById(OWN)
  $p = [Diagnostics.Process]::GetProcessById(TARGET)
} catch { $out.WriteLine('missing'); exit }
if ($null -eq $svc.Handle -or $null -eq $p.Handle -or $null -eq $p.StartTime) { $out.WriteLine('forbidden'); exit }
$out.WriteLine("about $($p.StartTime.ToUniversalTime().ToString('o')) $($p.ProcessName)")
while (-not $svc.HasExited) {
  $p.Refresh()
  if ($p.HasExited) { $out.WriteLine('exited'); exit }
  $out.WriteLine("$($p.TotalProcessorTime.Ticks) $($p.WorkingSet64) $($p.Threads.Count)")
  if ($p.WaitForExit(${PERIOD_MS})) { $out.WriteLine('exited'); exit }
}
`;

export const windowsSampler: Sampler = {
  system: 'Windows',
  command: (pid) => {
    const script = SCRIPT.replace('TARGET', String(pid)).replace('OWN', String(process.pid));
    const encoded = Buffer.from(script, 'utf16le').toString('base64');
    return {
      file: win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', POWERSHELL),
      args: [
        '-NoLogo',
        '-NoProfile',
        '-NonInteractive',
        '-OutputFormat',
        'Text',
        '-EncodedCommand',
        encoded,
      ],
    };
  },
  reader: () => parseLine,
};

function parseLine(line: string): SamplerEvent | null {
  if (line === 'missing') return { kind: 'refused', code: 'no_such_process' };
  if (line === 'forbidden') return { kind: 'refused', code: 'process_forbidden' };
  if (line === 'exited') return { kind: 'exited' };
  const about = /^about (\S+) (.*)$/.exec(line);
  if (about !== null) {
    const [, started = '', name = ''] = about;
    const time = new Date(started);
    return Number.isNaN(time.getTime())
      ? null
      : { kind: 'about', name, startedAt: time.toISOString() };
  }
  const reading = /^(\d{1,18}) (\d{1,15}) (\d{1,7})$/.exec(line);
  if (reading === null) return null;
  const [ticks = 0, rssBytes = 0, threads = 0] = reading.slice(1).map(Number);
  return { kind: 'reading', cpuMs: ticks / TICKS_PER_MS, rssBytes, threads };
}
