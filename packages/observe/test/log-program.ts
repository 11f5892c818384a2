// Writes lines to the log of a server, as the first argument says, and exits.
import { openServerLog, readObserveSettings } from '../src/index.ts';

const log = openServerLog(readObserveSettings(process.env, []));
const [mode = '', count = '1'] = process.argv.slice(2);
if (mode === 'levels') {
  log.debug('a debug line');
  log.info('an info line', { route: '/me', status: 200 });
  log.warn('a warning');
  log.error('a fault', { error: 'Error: x' });
  await log.flush();
  process.exit(0);
}
// Many lines, of which a reader that does not read takes only some.
for (let line = 0; line < Number(count); line++) log.info('x'.repeat(1000), { line });
if (mode === 'exit') {
  await log.flush();
  process.exit(0);
}
process.stdout.write('written\n');
process.stdin.once('data', () => {
  log.info('still alive');
  process.stdin.destroy();
});
