import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugOf } from './slug.ts';

const ANCHORS = {
  'Exit codes': 'exit-codes',
  'svc.json': 'svcjson',
  'The `svc` command': 'the-svc-command',
  '4. Views that must agree': '4-views-that-must-agree',
  'Before – after': 'before--after',
  'snake_case & more': 'snake_case--more',
  'GET /projects/{id}/releases': 'get-projectsidreleases',
  'Größe Ω': 'größe-ω',
  ' padded ': 'padded',
};

for (const [heading, anchor] of Object.entries(ANCHORS)) {
  test(`GitHub's anchor of "${heading}" is ${anchor}`, () => {
    assert.equal(slugOf(heading), anchor);
  });
}
