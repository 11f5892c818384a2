// What `svc record` reports of a game that does not draw, and of errors and missing files of one that does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { noBrowser } from '../viewer/open-viewer.ts';
import { argumentsFor, CANVAS, recordAt, verdictIn } from './record-game.ts';
import { servePages } from './serve-pages.ts';
import { writeGame } from './write-game.ts';

const SKIP = { skip: noBrowser };

test(
  'a game that draws nothing is named as such, with its error and the next step',
  SKIP,
  async (t) => {
    const game = writeGame(t, {
      'index.html': `${CANVAS}<script src="js/game.js"></script><script src="gone.js"></script>`,
      'js/game.js': '\n  start();\n',
    });
    const output = join(temporaryFolder(t), 'game.vpt');
    const args = argumentsFor(game, output);
    const text = args.filter((argument) => argument !== '--json');
    const { code, stdout, stderr } = await runSvc(t, [...text, '--seconds', '2']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Recorded .* s, but the game drew nothing\.\n/);
    assert.match(stdout, /\nTo test whether it starts: svc check --run .+\n/);
    assert.doesNotMatch(stdout, /over budget/);
    assert.match(
      stderr,
      /warning: js\/game\.js:2:3: Uncaught ReferenceError: start is not defined\n/,
    );
    assert.equal(stderr.match(/gone\.js, which/g)?.length, 1, 'a missing file is reported once');
    const verdict = verdictIn(readFileSync(output, 'utf8'));
    assert.match(verdict, /^The game drew nothing\. /);
    assert.match(
      verdict,
      /gone\.js, which does not exist|start is not defined \(js\/game\.js:2:3\)/,
    );
  },
);

test('errors and missing files of a page are reported, and bounded', SKIP, async (t) => {
  await using server = await servePages({
    '/play/': `${CANVAS}<script src="gone.js"></script><script src="game.js"></script>`,
    '/play/game.js': `const g = document.querySelector('canvas').getContext('2d');
let n = 0;
function frame() {
  requestAnimationFrame(frame);
  g.fillRect(n, 0, 10, 10);
  throw new Error('error ' + Math.min(80, n++) + '\\u001b[2J ' + 'x'.repeat(1000));
}
requestAnimationFrame(frame);
`,
  });
  const url = `http://127.0.0.1:${server.port}/play/`;
  const { recorded, verdict, stderr } = await recordAt(t, url, '--no-stacks');
  const { warnings, first_frame_ms } = recorded;
  assert.ok((first_frame_ms ?? -1) >= 0);
  assert.match(
    verdict,
    /The game requested play\/gone\.js, which does not exist\. Uncaught Error: error 0/,
  );
  const [missing, error] = warnings;
  assert.deepEqual([missing?.rule, missing?.path], ['missing_file', 'play/gone.js']);
  assert.deepEqual([error?.rule, error?.path], ['uncaught_error', 'play/game.js:6:9']);
  assert.ok(warnings.length <= 51 && warnings.every(({ message }) => message.length < 400));
  assert.match(stderr, /warning: The game requested play\/gone\.js, which does not exist\.\n/);
  assert.match(stderr, /warning: play\/game\.js:6:9: Uncaught Error: error 0\\x1b\[2J x+…\n/);
  assert.equal(stderr.match(/warning: /g)?.length, 6);
  assert.match(stderr, /warning: \d+ more warnings are not shown\. --json lists them\.\n/);
});
