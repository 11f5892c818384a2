// The numbers of a Zip64 field, for each combination that a header needs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExtraField, resolveSizes } from './extra-fields.ts';

const VALUES = {
  bytes: 6_000_000_000,
  compressedBytes: 5_000_000_000,
  offset: 4_294_967_296,
  disk: 3,
};
const PLAIN = { bytes: 20, compressedBytes: 10, offset: 30, disk: 0 };
const KEYS = ['bytes', 'compressedBytes', 'offset', 'disk'] as const;
const ALL_ONES = {
  bytes: 0xffffffff,
  compressedBytes: 0xffffffff,
  offset: 0xffffffff,
  disk: 0xffff,
};

type Key = (typeof KEYS)[number];

/** A Zip64 field with these numbers in their fixed order. */
function field(keys: readonly Key[], values: Readonly<Record<Key, number>>): ExtraField {
  const parts = keys.map((key) => {
    const part = Buffer.alloc(key === 'disk' ? 4 : 8);
    if (key === 'disk') part.writeUInt32LE(values.disk);
    else part.writeBigUInt64LE(BigInt(values[key]));
    return part;
  });
  return { id: 1, data: Buffer.concat(parts) };
}

for (let bits = 1; bits < 16; bits++) {
  const asked = KEYS.filter((_, index) => (bits & (1 << index)) !== 0);
  test(`a header that needs ${asked.join(', ')} reads only these from the Zip64 field`, () => {
    const pick = (from: Readonly<Record<Key, number>>) =>
      Object.fromEntries(asked.map((key) => [key, from[key]]));
    const short = { ...PLAIN, ...pick(ALL_ONES) };
    const exact = field(asked, VALUES);
    assert.deepEqual(resolveSizes(short, [exact]), { ...PLAIN, ...pick(VALUES) });
    const torn = { id: 1, data: exact.data.subarray(0, -1) };
    assert.equal(resolveSizes(short, [torn]), 'malformed');
    assert.equal(resolveSizes(short, [exact, exact]), 'ambiguous');
    if (asked.length === KEYS.length) return;
    // More than the header needs: the numbers must agree with the header.
    const agreeing = { ...PLAIN, ...pick(VALUES) };
    assert.deepEqual(resolveSizes(short, [field(KEYS, agreeing)]), agreeing);
    for (const key of KEYS.filter((one) => !asked.includes(one))) {
      const lying = field(KEYS, { ...agreeing, [key]: 1 });
      assert.equal(resolveSizes(short, [lying]), 'ambiguous', key);
    }
  });
}
