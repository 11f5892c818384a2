// Messages about texts that are not complete tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatToken } from '@svc/contracts/platform';
import { findTokenFault } from './token-shape.ts';

const TOKEN = formatToken('0123456789abcdefghijklmnopqrstuvwxyz');

test('findTokenFault returns null for a complete token', () => {
  assert.equal(findTokenFault(TOKEN), null);
});

test('findTokenFault reports a wrong prefix, length or checksum, and never repeats the text', () => {
  const rows: [text: string, fault: RegExp][] = [
    [TOKEN.slice(0, 45), /^is cut off: it has 45 of 46 characters\.$/],
    [TOKEN.slice(0, 43), /^is cut off: it has 43 of 46 characters\.$/],
    ['svc_', /^is cut off: it has 4 of 46 characters\.$/],
    [`${TOKEN}0`, /^is too long: it has 47 characters instead of 46\.$/],
    [`${TOKEN.slice(0, 45)}~`, /^is mistyped: /],
    [TOKEN.replace('svc_0', 'svc_1'), /^is mistyped: /],
    ['A'.repeat(43), /^is the session token of a local dashboard, /],
    [`-_${'z9'.repeat(20)}Z`, /^is the session token of a local dashboard, /],
    ['A'.repeat(42), /^is not a personal access token, /],
    ['A'.repeat(44), /^is not a personal access token, /],
    [`${'A'.repeat(42)}.`, /^is not a personal access token, /],
    [`ghp_${'a'.repeat(42)}`, /^is not a personal access token, /],
    [TOKEN.toUpperCase(), /^is not a personal access token, /],
    ['eyJh-_.eyJz-_.c2ln', /^is an ID token\./],
    ['eyJh.eyJz.', /^is an ID token\./],
    ['eyJh.eyJz', /^is not a personal access token, /],
    ['exJh.eyJz.c2ln', /^is not a personal access token, /],
    ['xyJh.eyJz.c2ln', /^is not a personal access token, /],
  ];
  for (const [text, expected] of rows) {
    const fault = findTokenFault(text) ?? 'none';
    assert.match(fault, expected, text);
    if (text.length > 4) assert.ok(!fault.includes(text), text);
  }
});
