// Makes opening or reading files fail as the kernel does, which root can't cause otherwise.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

/** While `use` runs, opening a path that ends in `ending` fails with the code. */
export function whereOpenFails(
  t: TestContext,
  ending: string,
  code: string,
  use: () => void,
): void {
  const open = fs.openSync;
  const { mock } = t.mock.method(fs, 'openSync', (...given: Parameters<typeof open>) => {
    if (String(given[0]).endsWith(ending)) throw Object.assign(new Error(code), { code });
    return open(...given);
  });
  whileMocked(mock, use);
}

/** While `use` runs, every read of an open file or of a whole file fails with the code. */
export function whereReadFails(t: TestContext, code: string, use: () => void): void {
  const fail = (): never => {
    throw Object.assign(new Error(code), { code });
  };
  const { mock } = t.mock.method(fs, 'readSync', fail);
  const whole = t.mock.method(fs, 'readFileSync', fail).mock;
  whileMocked({ restore: () => [mock, whole].forEach((one) => void one.restore()) }, use);
}

function whileMocked(mock: { restore(): void }, use: () => void): void {
  syncBuiltinESMExports();
  try {
    use();
  } finally {
    mock.restore();
    syncBuiltinESMExports();
  }
}
