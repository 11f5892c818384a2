// A game that writes its own trace, as the writers in `writers/` do: it draws frames of 5 ms for half a second and one that takes
// 80 ms, and writes whole lines at least every 100 ms. Its argument is the path of the trace.
import { appendFileSync, writeFileSync } from 'node:fs';

const [, , path = ''] = process.argv;
const [epochMs, originMs] = readClocks();
const now = (): number => Math.round((performance.now() - originMs) * 1000) / 1000;
let pending = '';

/** Both clocks at the same time: they are read again if the process was interrupted in between. */
function readClocks(): [epochMs: number, ms: number] {
  for (;;) {
    const ms = performance.now();
    const read = Date.now();
    if (performance.now() - ms < 0.5) return [read, ms];
  }
}

function write(record: Readonly<Record<string, unknown>>): void {
  pending += `${JSON.stringify(record)}\n`;
}

function flush(): void {
  appendFileSync(path, pending);
  pending = '';
}

/** Draws a frame of at least `ms`, and writes it. */
function draw(ms: number): void {
  const t = now();
  while (now() < t + ms);
  write({ type: 'frames', t, duration_ms: [Math.round((now() - t) * 1000) / 1000], draws: [7] });
}

writeFileSync(
  path,
  `${JSON.stringify({
    ...{ vpt: 1, producer: { name: 'tracing-program', version: '1' } },
    ...{ started_at: new Date(epochMs).toISOString(), sources: ['native'] },
  })}\n`,
);
write({ type: 'asset', t: now(), id: 1, name: 'art/rock.png', kind: 'texture', phase: 'load' });
// The time is in the text, so that a reader can compare the clocks.
const [markedMs, markMs] = readClocks();
const t = Math.round((markMs - originMs) * 1000) / 1000;
write({ type: 'mark', t, name: `epoch ${markedMs}` });
for (let batch = 0; batch < 10; batch++) {
  for (let frame = 0; frame < 10; frame++) draw(5);
  flush();
}
draw(80);
write({ type: 'end', t: now(), reason: 'closed' });
flush();
