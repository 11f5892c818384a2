// The id of a new note is not one that the trace has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Io } from '../../process/io.ts';
import type { NotedTrace } from '../../trace/read-notes.ts';
import { chooseNote } from './choose-note.ts';

test('a new note gets a random id that no note of the trace has or had', async () => {
  const asked: string[] = [];
  class FirstTaken extends Set<string> {
    override has(id: string): boolean {
      asked.push(id);
      return asked.length === 1;
    }
  }
  const trace: NotedTrace = {
    header: {
      vpt: 1,
      producer: { name: 'test', version: '1' },
      started_at: null,
      sources: ['browser'],
    },
    ...{ notes: [], ids: new FirstTaken(), duration_ms: 1000, torn_bytes: 0 },
  };
  const at = { kind: 'time', t: 5, precision_ms: 1000 } as const;
  const request = { kind: 'add', text: 'x', at, end: undefined, budget_ms: 16 } as const;
  const note = await chooseNote(request, trace, 'a.vpt', {} as Io);
  assert.equal(asked.length, 2);
  assert.notEqual(asked[0], asked[1]);
  assert.deepEqual(note, { type: 'note', t: 5, id: asked[1], text: 'x' });
});
