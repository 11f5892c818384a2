// Parses what graphics drivers report of one open device in /proc/PID/fdinfo.
// https://docs.kernel.org/gpu/drm-usage-stats.html

/** The work of an engine, such as `render`, since the device was opened. */
export type EngineWork = {
  /** The time that the engine worked, in ns, or its cycles. */
  readonly busy: number;
  /** The cycles that the engine could have worked. Null if `busy` is a time. */
  readonly total: number | null;
  /** The number of engines of this kind. */
  readonly capacity: number;
};

/** A device that a program has opened. Several descriptors may belong to one client. */
export type DrmClient = {
  /** Identifies the graphics card: its address on the bus, or its driver. */
  readonly card: string;
  readonly client: string;
  readonly engines: ReadonlyMap<string, EngineWork>;
  /** Bytes of GPU memory that the client has, by region, such as `vram0`. */
  readonly memory: ReadonlyMap<string, number>;
};

/** The most engines and regions of one client. */
const MOST_NAMES = 32;
const NAME = /^[a-z0-9][a-z0-9._-]{0,31}$/i;
const UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Keys that state a region's memory, the most exact one first. amdgpu wrote the last one before Linux 6.13. */
const MEMORY_KEYS = ['drm-resident-', 'drm-total-', 'drm-memory-'] as const;

/** Null if the text is not about a graphics device. */
export function parseDrmClient(text: string): DrmClient | null {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = /^(drm-[^\s:]{1,64}):\s*(.{0,128}?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined && !fields.has(key)) fields.set(key, value);
  }
  const driver = fields.get('drm-driver');
  const client = fields.get('drm-client-id');
  if (driver === undefined || client === undefined) return null;
  const card = fields.get('drm-pdev') ?? driver;
  return { card, client, engines: enginesOf(fields), memory: memoryOf(fields) };
}

function enginesOf(fields: ReadonlyMap<string, string>): DrmClient['engines'] {
  const engines = new Map<string, EngineWork>();
  for (const [key, value] of fields) {
    const [, form, name = ''] = /^drm-(engine|cycles)-(?!capacity-)(.+)$/.exec(key) ?? [];
    if (form === undefined || !NAME.test(name) || engines.size >= MOST_NAMES) continue;
    const busy = numberOf(form === 'engine' ? value.replace(/ ns$/, '') : value);
    const total = form === 'engine' ? null : numberOf(fields.get(`drm-total-cycles-${name}`));
    if (busy === null || (form === 'cycles' && total === null)) continue;
    const capacity = numberOf(fields.get(`drm-engine-capacity-${name}`)) ?? 1;
    // A driver that has both states the same work twice.
    if (form === 'engine' || !engines.has(name)) {
      engines.set(name, { busy, total, capacity: Math.max(1, capacity) });
    }
  }
  return engines;
}

function memoryOf(fields: ReadonlyMap<string, string>): DrmClient['memory'] {
  const memory = new Map<string, number>();
  for (const start of MEMORY_KEYS) {
    for (const [key, value] of fields) {
      const name = key.slice(start.length);
      if (!key.startsWith(start) || name.startsWith('cycles-') || !NAME.test(name)) continue;
      const bytes = bytesOf(value);
      if (bytes === null || memory.has(name) || memory.size >= MOST_NAMES) continue;
      memory.set(name, bytes);
    }
  }
  return memory;
}

function bytesOf(value: string): number | null {
  const [, digits, unit] = /^(\d{1,15})(?: (KiB|MiB|GiB))?$/.exec(value) ?? [];
  if (digits === undefined) return null;
  const bytes = Number(digits) * (unit === undefined ? 1 : (UNITS[unit] ?? 1));
  return Number.isSafeInteger(bytes) ? bytes : null;
}

function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,19}$/.test(text) ? Number(text) : null;
}
