// A browser's part, run in the network of a bare machine:
//
//   visitor-program.ts record ORIGIN TOKEN   starts the recording of a dashboard, waits for two samples, and ends the session
//   visitor-program.ts sign-in ADDRESS NAME  signs in at a page
//   visitor-program.ts get ADDRESS           prints a page
import { until } from '../../scripts/until.ts';
import { signInAt } from '../cli/platform-process.ts';

async function record(origin: string, token: string): Promise<string> {
  const ask = async (path: string, method = 'GET'): Promise<string> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${origin}${path}`, { method, headers });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return text;
  };
  await ask('/api/start', 'POST');
  await until(
    () => ask('/api/trace'),
    (trace) => [...trace.matchAll(/"cpu_percent":\d/g)].length >= 2,
    'two samples are recorded',
  );
  return await ask('/api/off', 'POST');
}

async function get(address: string): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return await answer.text();
}

const [verb, first = '', second = ''] = process.argv.slice(2);
if (verb === 'record') console.log(await record(first, second));
else if (verb === 'sign-in') console.log(await signInAt(first, second));
else console.log(await get(first));
