// Every archive of the corpus is refused with the code in its name, and with no other.
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

/** The codes of an archive's findings, and whether its headers were found honest before. */
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

/** What one defect brings about beside its own code. */
const ALSO: Readonly<Record<string, string>> = {
  'zip_ambiguous--empty-archive-with-prefix': 'zip_missing_index',
  'zip_ambiguous--cp437-with-unicode-path': 'zip_path_invalid',
  'zip_file_too_large--zip64': 'zip_expansion_limit',
};

/** Defects of the data itself, which show when it is read; all others show in the headers, before. */
const IN_DATA =
  /^zip_(?:crc_mismatch--|malformed--deflate-|ambiguous--.*-stored-data-|size_mismatch--(?!stored$|impossible-ratio$))/;

for (const [name, make] of Object.entries(DEFECTS)) {
  const [code = ''] = name.split('--');
  test(`readArchive refuses ${name}`, async () => {
    assert.ok(code in REFUSAL_STATUS, code);
    const also = ALSO[name];
    const codes = also === undefined ? [code] : [code, also];
    assert.deepEqual(await judge(make()), { codes, opened: IN_DATA.test(name) });
  });
}
