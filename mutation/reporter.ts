// The reporter of a test file's process: writes one line per test, and ends the process after the first failure.
import type { TestEvent } from 'node:test/reporters';

/** A line of the report. */
export type Line = { readonly name: string; readonly passed: boolean; readonly ms: number };

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const passed = type === 'test:pass' || data.todo !== undefined;
    if (passed && data.nesting > 0) continue;
    const line: Line = { name: data.name, passed, ms: Math.round(data.details.duration_ms) };
    process.stdout.write(`SVC-TEST ${JSON.stringify(line)}\n`);
    if (!passed) process.exit(1);
    yield '';
  }
}
