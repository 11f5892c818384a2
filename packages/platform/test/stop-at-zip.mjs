// Preloaded into a platform: stops it (SIGSTOP) as soon as a publish has stored its ZIP, which is the last step before the
// commit. It does so once, if the file in STOP_AT_ZIP exists, which it removes.
import { existsSync, rmSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const order = process.env.STOP_AT_ZIP;
const { link } = { ...promises };

promises.link = async (from, to) => {
  await link(from, to);
  if (!to.endsWith('build.zip') || !existsSync(order)) return;
  rmSync(order);
  process.kill(process.pid, 'SIGSTOP');
};
syncBuiltinESMExports();
