// The kind of an entry by the extra fields of its two headers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuildError, bufferSource, readArchive } from '../src/index.ts';
import { withEntry } from './defects/cases.ts';
import { extraField, u16, u32 } from './zip-builder.ts';

async function messagesOf(zip: Buffer): Promise<readonly string[]> {
  try {
    await using _archive = await readArchive(bufferSource(zip));
    return [];
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return error.findings.map(({ code, message }) => `${code}: ${message}`);
  }
}

test('a kind that only one of the two headers of an entry claims is rejected', async () => {
  const kinds: readonly (readonly [mode: number, what: string])[] = [
    [0o120644, 'is a symbolic link.'],
    [0o040755, 'is named as a file and marked as a folder.'],
  ];
  for (const [mode, what] of kinds) {
    const extra = extraField(0x756e, u32(0), u16(mode));
    for (const header of ['local', 'central'] as const) {
      const zip = withEntry({ name: 'a', data: 'x', [header]: { extra } })();
      assert.deepEqual(await messagesOf(zip), [`zip_entry_type: "a" ${what}`], header);
    }
  }
});
