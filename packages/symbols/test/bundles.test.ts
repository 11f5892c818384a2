// Real bundles of one game, and the positions of its functions as V8 reported them in a CPU profile.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderFiles, openSymbols } from '../src/index.ts';

const BUNDLES = join(import.meta.dirname, '../fixtures/bundles');

/** The functions of the game, in the order of the source, and where V8's position is in the source for each bundler. */
const EXPECTED = {
  esbuild: `busy enemy.ts:2:10, Enemy enemy.ts:7:3, updateAi enemy.ts:10:3, #hidden enemy.ts:14:3, stallField enemy.ts:17:17,
    stallStatic enemy.ts:20:10, get danger enemy.ts:23:7, set danger enemy.ts:27:7, Boss enemy.ts:32:3, namedInner enemy.ts:39:16,
    stallDeclared game.ts:5:10, stallArrow game.ts:8:20, stallExpression game.ts:11:25, stallInObject game.ts:15:3,
    stallProperty game.ts:18:18, stallAsync game.ts:22:16, stallGenerator game.ts:25:11, mainLoop game.ts:31:8,
    (anonymous) game.ts:45:16, tick game.ts:48:38`,
  rolldown: `busy enemy.ts:2:10, Enemy enemy.ts:7:3, updateAi enemy.ts:10:3, #hidden enemy.ts:14:3, stallField enemy.ts:17:17,
    stallStatic enemy.ts:20:10, get danger enemy.ts:23:7, set danger enemy.ts:27:7, Boss enemy.ts:32:3, namedInner enemy.ts:39:16,
    stallDeclared game.ts:5:10, stallArrow game.ts:8:7, stallExpression game.ts:11:25, stallInObject game.ts:15:3,
    stallProperty game.ts:18:3, stallAsync game.ts:22:16, stallGenerator game.ts:25:11, mainLoop game.ts:31:25,
    (anonymous) game.ts:45:16, tick game.ts:48:38`,
  // Terser moves functions into their only call, where they have no name.
  terser: `Enemy enemy.js:7:3, updateAi enemy.js:10:3, #hidden enemy.js:14:3, stallField enemy.js:17:17,
    stallStatic enemy.js:20:10, get danger enemy.js:23:7, set danger enemy.js:27:7, Boss enemy.js:32:3,
    stallInObject game.js:15:3, stallProperty game.js:18:18, namedInner enemy.js:39:16, busy enemy.js:2:1, mainLoop game.js:31:25,
    stallDeclared game.js:5:1, stallArrow game.js:8:20, stallExpression game.js:11:25, stallAsync game.js:22:1,
    stallGenerator game.js:25:1, (anonymous) game.js:45:16, tick game.js:48:38`,
  // Not minified, with an inline map.
  plain: `busy enemy.ts:2:10, Enemy enemy.ts:7:3, updateAi enemy.ts:10:3, #hidden enemy.ts:14:3, stallField enemy.ts:17:16,
    stallStatic enemy.ts:20:10, get danger enemy.ts:23:7, set danger enemy.ts:27:7, Boss enemy.ts:32:3, namedInner enemy.ts:39:25,
    stallDeclared game.ts:5:10, stallArrow game.ts:8:20, stallExpression game.ts:11:25, stallInObject game.ts:15:3,
    stallProperty game.ts:18:18, stallAsync game.ts:22:16, stallGenerator game.ts:25:11, mainLoop game.ts:31:8,
    (anonymous) game.ts:45:15, tick game.ts:48:37`,
};

/** The code around the bundle's modules, and the field of a class, which V8 runs as a function. */
const WITHOUT_NAME = /^\(anonymous\) enemy\.ts:6:3$/;

for (const [bundler, list] of Object.entries(EXPECTED)) {
  test(`every function of a bundle of ${bundler} has its original name and position`, async () => {
    const symbols = await openSymbols(folderFiles(BUNDLES));
    const found: string[] = [];
    const functions = JSON.parse(readFileSync(join(BUNDLES, `${bundler}.functions.json`), 'utf8'));
    for (const one of functions) {
      const traced = { ...one, url: `http://127.0.0.1:8080/${bundler}.js`, wasmIndex: null };
      const original = await symbols.resolve(traced);
      if (original === undefined) continue;
      assert.match(original.source?.path ?? '', /^(?:src|js)\//);
      const { path = '', line, column } = original.source ?? {};
      found.push(`${original.name} ${path.replace(/^\w+\//, '')}:${line}:${column}`);
    }
    assert.deepEqual(
      found.filter((one) => !WITHOUT_NAME.test(one)),
      list.split(/,\s+/),
    );
    const { warnings, scripts } = symbols.report();
    assert.deepEqual(warnings, []);
    // The script's top level, and the function around all modules, are not in a map.
    const [{ functions: all = 0, resolved = 0, map } = {}] = scripts;
    assert.equal(all - resolved, 2);
    assert.equal(map, bundler === 'plain' ? 'plain.js' : `${bundler}.js.map`);
  });
}
