// Detects frame logs of other tools by their first lines.
import { ColumnNames } from './column-names.ts';
import { GODOT_FRAME_TIME } from './godot-log.ts';

/**
 * Tables of frames as CSV: `mangohud` is a log of MangoHud, `presentmon` one of PresentMon, OCAT, CapFrameX or FrameView, `unreal` a
 * CSV profile of Unreal Engine, `godot` the measures that Godot's editor exports.
 */
export type FrameLogFormat = 'mangohud' | 'presentmon' | 'unreal' | 'godot';

/** The most lines that are inspected. CapFrameX writes about twenty before its header. */
const LINES = 64;

/** The format of a file that begins with `text`. Null for another file. */
export function frameLogFormat(text: string): FrameLogFormat | null {
  for (const line of text.split('\n', LINES)) {
    const format = formatOf(line.trim());
    if (format !== null) return format;
  }
  return null;
}

const MANGOHUD =
  /^(?:os,cpu,gpu,ram,kernel,driver|fps,(?:frametime|cpu_load)|0\.1% Min FPS,1% Min FPS)/;
const UNREAL = /^EVENTS,|^\[HasHeaderRowAtEnd\]/i;
const GODOT = /^time\/fps,time\/process/;
const PRESENTMON_SUMMARY = /^Duration,Total Frames,Average FPS/;

function formatOf(line: string): FrameLogFormat | null {
  if (!line.includes(',')) return null;
  if (MANGOHUD.test(line)) return 'mangohud';
  if (UNREAL.test(line)) return 'unreal';
  if (GODOT.test(line)) return 'godot';
  if (PRESENTMON_SUMMARY.test(line)) return 'presentmon';
  const cells = line.split(',').map((cell) => cell.trim());
  if (cells.includes(GODOT_FRAME_TIME)) return 'godot';
  const columns = new ColumnNames(cells);
  if (columns.has('Application', 'ProcessID', 'SwapChainAddress')) return 'presentmon';
  return columns.has('FrameTime', 'GameThreadTime') ? 'unreal' : null;
}
