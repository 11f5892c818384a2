// Stands in for powershell.exe. It does not run the script: it finds the two processes in it, and prints what the script would print.
import { setTimeout as wait } from 'node:timers/promises';
import { readTarget } from './read-target.ts';

const script = Buffer.from(process.argv.at(-1) ?? '', 'base64').toString('utf16le');
const [own = 0, target = 0] = [...script.matchAll(/GetProcessById\((\d+)\)/g)].map(([, id]) =>
  Number(id),
);
const TICKS_PER_MS = 10_000;

if (readTarget(target) === null) console.log('missing');
else {
  console.log('about 2026-11-27T05:07:59.1234567Z My Game');
  while (readTarget(own) !== null) {
    const reading = readTarget(target);
    if (reading === null || reading.hasExited) {
      console.log('exited');
      break;
    }
    const { userMs, systemMs, rssBytes, threads } = reading;
    console.log(`${(userMs + systemMs) * TICKS_PER_MS} ${rssBytes} ${threads}`);
    await wait(200);
  }
}
