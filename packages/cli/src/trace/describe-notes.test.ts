import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { noteWithin } from './describe-notes.ts';

test('the note about a window is found without the other records of the trace', () => {
  const notes = ['0 note all duration_ms=900 the level', '100 note door door', '300 note x later'];
  const { notes: noted } = modelOf(traceFromText(`native\n${notes.join('\n')}`));
  // A model without any other field.
  const about = (from_ms: number, to_ms: number) =>
    noteWithin({ notes: noted }, { from_ms, to_ms });
  assert.equal(about(100, 200), 'door');
  assert.equal(about(200, 300), 'the level');
  assert.equal(about(900, 1000), null);
});
