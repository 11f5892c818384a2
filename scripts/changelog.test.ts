import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { KINDS, parseChangelog, releaseChanges } from './changelog.ts';
import { ROOT } from './workspaces.ts';

const TEXT = `# Changelog

Words.

## [Unreleased]

### Added

- A thing

## [0.1.0] - 2026-01-02

### Fixed

- A fault
`;

test('the unreleased changes become those of the version', () => {
  const released = releaseChanges(TEXT, '0.2.0', '2026-03-04');
  assert.deepEqual(parseChangelog(released), {
    head: '# Changelog\n\nWords.\n\n',
    sections: [
      { name: 'Unreleased', date: null, body: '' },
      { name: '0.2.0', date: '2026-03-04', body: '### Added\n\n- A thing' },
      { name: '0.1.0', date: '2026-01-02', body: '### Fixed\n\n- A fault' },
    ],
  });
  assert.ok(released.includes('\n## [Unreleased]\n\n## [0.2.0] - 2026-03-04\n\n### Added\n'));
});

test('a version without changes, or one that is there already, is rejected', () => {
  const empty = releaseChanges(TEXT, '0.2.0', '2026-03-04');
  assert.throws(() => releaseChanges(empty, '0.3.0', '2026-03-05'), /Describe the changes/);
  assert.throws(() => releaseChanges('# Changelog\n', '0.3.0', '2026-03-05'), /Describe the/);
  assert.throws(() => releaseChanges(TEXT, '0.1.0', '2026-03-05'), /has the version 0\.1\.0/);
});

test('CHANGELOG.md has the form of Keep a Changelog', () => {
  const { head, sections } = parseChangelog(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  assert.match(head, /^# Changelog\n/);
  assert.equal(sections[0]?.name, 'Unreleased');
  for (const { name, date, body } of sections.slice(1)) {
    assert.match(name, /^\d+\.\d+\.\d+$/);
    assert.ok(date !== null && !Number.isNaN(Date.parse(date)), name);
    assert.notEqual(body, '', name);
  }
  const dates = sections.slice(1).map(({ date }) => date ?? '');
  assert.deepEqual(dates, dates.toSorted().reverse());
  for (const { body } of sections) {
    const kinds = [...body.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind);
    assert.deepEqual(
      kinds.filter((kind) => !KINDS.some((one) => one === kind)),
      [],
    );
    assert.equal(new Set(kinds).size, kinds.length);
    assert.ok(!/^##? |^#{4}/m.test(body));
  }
});
