// Detects frame logs of other tools by their first lines.
import { ColumnNames } from './column-names.ts';
import { GODOT_FRAME_TIME } from './godot-log.ts';

/**
 * Tables of frames as CSV: `mangohud` is a log of MangoHud, `presentmon` one of PresentMon, OCAT, CapFrameX or FrameView, `unreal` a
 * CSV profile of Unreal Engine, `godot` the measures that Godot's editor exports.
 */
export type FrameLogFormat = 'mangohud' | 'presentmon' | 'unreal' | 'godot';

/** Lines before the first table: comments of CapFrameX, and blank ones. */
const BEFORE = /^(?:\/\/.*)?$/;
/** The first lines of a log of MangoHud with `log_versioning`. */
const VERSIONED = /^v\d+\r?\n[^\n]*\n-+SYSTEM INFO-+\r?\n/;
/** Summaries of the tools, whose readers reject them with the next step. */
const SUMMARIES: Readonly<Record<string, FrameLogFormat>> = {
  '0.1% Min FPS': 'mangohud',
  Duration: 'presentmon',
};

/** The format of a file that begins with `text`, by its first table. Null for another file. */
export function frameLogFormat(text: string): FrameLogFormat | null {
  if (VERSIONED.test(text)) return 'mangohud';
  for (const line of text.split('\n')) {
    const header = line.trim();
    if (!BEFORE.test(header)) return headerFormat(header);
  }
  return null;
}

function headerFormat(header: string): FrameLogFormat | null {
  // No column of these tools has a semicolon, and every stack of more than one frame has one.
  if (header.includes(';')) return null;
  const cells = header.split(',').map((cell) => cell.trim());
  const [first = '', second = '', third = ''] = cells;
  if (Object.hasOwn(SUMMARIES, first) && /FPS$|^Total Frames$/.test(second)) {
    return SUMMARIES[first] ?? null;
  }
  if (first === 'os' && second === 'cpu' && third === 'gpu') return 'mangohud';
  if (first === 'fps' && (second === 'frametime' || second === 'cpu_load')) return 'mangohud';
  if (first === 'time/fps' && second === 'time/process') return 'godot';
  if (cells.includes(GODOT_FRAME_TIME)) return 'godot';
  const columns = new ColumnNames(cells);
  if (columns.has('Application', 'ProcessID', 'SwapChainAddress')) return 'presentmon';
  if (!columns.has('FrameTime')) return null;
  return first === 'EVENTS' || columns.has('GameThreadTime') ? 'unreal' : null;
}
