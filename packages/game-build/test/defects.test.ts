// Every archive of the corpus is rejected with the code in its name, and with no other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BuildError,
  bufferSource,
  extractEntries,
  REFUSAL_STATUS,
  readArchive,
} from '../src/index.ts';
import { DEFECTS } from './defects.ts';

/** The codes of an archive's findings, and whether its headers were accepted. */
async function judge(zip: Buffer): Promise<{ codes: string[]; opened: boolean }> {
  let opened = false;
  try {
    await using archive = await readArchive(bufferSource(zip));
    opened = true;
    await extractEntries(archive, null);
    return { codes: [], opened };
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    assert.equal(error.code, error.findings[0]?.code);
    for (const { message, rule } of error.findings) {
      assert.match(message, /^.{10,400}\.$/u);
      assert.match(rule, /^[a-z0-9_]+$/);
    }
    return { codes: [...new Set(error.findings.map((finding) => finding.code))], opened };
  }
}

/** The further codes that a defect causes. */
const ALSO: Readonly<Record<string, string>> = {
  'zip_ambiguous--empty-archive-with-prefix': 'zip_missing_index',
  'zip_ambiguous--cp437-with-unicode-path': 'zip_path_invalid',
  'zip_file_too_large--zip64': 'zip_expansion_limit',
};

/** Defects of the data, found when it is read. All others are found in the headers. */
const IN_DATA =
  /^zip_(?:crc_mismatch--|malformed--deflate-|ambiguous--.*-stored-data-|size_mismatch--(?!stored$|impossible-ratio$))/;

for (const [name, make] of Object.entries(DEFECTS)) {
  const [code = ''] = name.split('--');
  test(`readArchive rejects ${name}`, async () => {
    assert.ok(code in REFUSAL_STATUS, code);
    const also = ALSO[name];
    const codes = also === undefined ? [code] : [code, also];
    assert.deepEqual(await judge(make()), { codes, opened: IN_DATA.test(name) });
  });
}
