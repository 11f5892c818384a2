// Arbitrary sequences of publishes in parts, for property tests.
import fc from 'fast-check';
import { CONTENT_NAMES, type NamedFiles, PLAYED, type Step, type Travel } from './parts-rig.ts';

/** Builds that occur often, so that the same one is begun, published, deleted and published again. */
const FREQUENT: readonly NamedFiles[] = [
  { 'index.html': 'page' },
  { 'index.html': 'page', 'main.js': 'script', 'data.json': 'json' },
  { 'index.html': 'page', 'art/a.bin': 'parts', 'main.js': 'script' },
];

function build(): fc.Arbitrary<NamedFiles> {
  return fc.oneof(fc.constantFrom(...FREQUENT), anyBuild());
}

/** Most are safe. Some have no page, a file that is too large, or two paths that differ in case only. */
function anyBuild(): fc.Arbitrary<NamedFiles> {
  const picks = fc.dictionary(fc.constantFrom(...PLAYED), fc.constantFrom(...CONTENT_NAMES), {
    maxKeys: 5,
  });
  return fc.tuple(fc.nat({ max: 9 }), picks).map(([chance, files]): NamedFiles => {
    if (chance === 0) return { ...files };
    if (chance === 1) return { ...files, 'index.html': 'page' };
    const safe = Object.entries(files).filter(
      ([path, name]) => path !== 'Main.js' && name !== 'too large',
    );
    return { ...Object.fromEntries(safe), 'index.html': 'page' };
  });
}

function travel(): fc.Arbitrary<Travel> {
  const part = fc.nat({ max: 12 });
  const share = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
  return fc.record({
    seed: fc.nat(),
    cuts: fc.array(fc.record({ part, share }), { maxLength: 3 }),
    restart: fc.option(fc.nat({ max: 8 }), { freq: 2 }),
    twice: fc.boolean(),
    damaged: fc.option(part, { freq: 3 }),
  });
}

/** A sequence of changes of a project. */
export function steps(maxLength: number): fc.Arbitrary<Step[]> {
  const named = <Name extends Step['do']>(name: Name) => fc.constant(name);
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: named('publish'), files: build(), travel: travel() }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: named('race'),
        files: fc.tuple(build(), build()),
        isSameVersion: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: named('abandon'), files: build(), parts: fc.nat({ max: 5 }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: named('expire') }) },
    { weight: 2, arbitrary: fc.record({ do: named('delete') }) },
  );
  return fc.array(step, { minLength: 1, maxLength });
}
