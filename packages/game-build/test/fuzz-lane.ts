// One part of the long fuzzing: hundreds of thousands of mutations, and a comparison with other tools for some accepted ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countOddities,
  examine,
  fuzzMutations,
  type Oddities,
  randomFrom,
  randomZip,
  rareRefusals,
} from './fuzz.ts';
import { assertToolsAgree } from './oracle.ts';
import { missing, scratchFolder } from './scratch.ts';

const TOOLS = missing('unzip', '7z', 'bsdtar', 'python3');
const SECOND_OPINIONS = 40;

/** Registers the tests of one seed. */
export function fuzzWith(seed: number, inputs: number): void {
  test(`readArchive returns a verdict for each of ${inputs} mutations of seed ${seed}`, {
    skip: TOOLS,
  }, async () => {
    const result = await fuzzMutations(seed, inputs);
    const { accepted, acceptedCount } = result;
    assert.ok(acceptedCount > inputs / 100, `${acceptedCount} accepted`);
    assert.deepEqual(rareRefusals(result), []);
    await using folder = await scratchFolder();
    for (const [i, zip] of accepted.slice(0, SECOND_OPINIONS).entries()) {
      await assertToolsAgree(zip, folder.path, `seed ${seed}, accepted ${i}`);
    }
  });

  test(`other tools extract the same files from random archives of seed ${seed}`, {
    skip: TOOLS,
  }, async () => {
    await using folder = await scratchFolder();
    const random = randomFrom(seed + 1);
    const counts: Oddities = new Map();
    for (let i = 0, accepted = 0; accepted < SECOND_OPINIONS; i++) {
      const zip = randomZip(random);
      if ((await examine(zip)) === null) continue;
      accepted++;
      await countOddities(zip, counts);
      await assertToolsAgree(zip, folder.path, `seed ${seed + 1}, archive ${i}`);
    }
    for (const [what, count] of counts) assert.ok(count >= 2, `${what}: ${count}`);
  });
}
