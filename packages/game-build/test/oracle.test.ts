// Other tools extract from accepted archives exactly the files in the manifest.
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

const skip = missing('unzip', '7z', 'bsdtar', 'python3');

test('other tools extract the same files from random archives that readArchive accepts', {
  skip,
}, async () => {
  await using folder = await scratchFolder();
  const random = randomFrom(1);
  let accepted = 0;
  const counts: Oddities = new Map();
  for (let i = 0; accepted < 12 && i < 200; i++) {
    const zip = randomZip(random);
    if ((await examine(zip)) === null) continue;
    accepted++;
    await countOddities(zip, counts);
    await assertToolsAgree(zip, folder.path, `archive ${i}`);
  }
  assert.equal(accepted, 12);
  for (const [what, count] of counts) assert.ok(count >= 2, `${what}: ${count} of 12`);
});

test('readArchive returns a verdict for each of 3,000 mutations', async () => {
  const random = randomFrom(2);
  const result = await fuzzMutations(Math.floor(random() * 2 ** 32), 3000);
  const { acceptedCount, inputs } = result;
  assert.equal(inputs, 3000);
  assert.ok(acceptedCount > 30 && acceptedCount < 1500, `${acceptedCount} accepted`);
  assert.deepEqual(rareRefusals(result), []);
});
