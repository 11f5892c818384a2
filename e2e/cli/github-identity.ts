// The service of GitHub Actions that issues identities to the programs of a job.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { OutsideProvider } from '@svc/platform/testing';
import type { Cleanup } from '../../packages/cli/test/svc.ts';

/** Claims of the job. */
export const JOB = {
  ...{ repository: 'acme/moonhop', repository_id: '74' },
  ...{ ref: 'refs/heads/main', sha: 'd'.repeat(40), run_id: '5' },
};

/** Starts the service. `env` is what GitHub sets in a job with the permission, `audiences` what was requested. */
export async function startGithub(t: Cleanup, ci: OutsideProvider) {
  const audiences: (string | null)[] = [];
  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://x');
    const aud = searchParams.get('audience');
    audiences.push(aud);
    const isJob = request.headers.authorization === 'Bearer job-secret';
    if (!isJob || searchParams.get('api-version') !== '2.0') {
      response.writeHead(403).end('{}');
      return;
    }
    const sub = 'repo:acme/moonhop:ref:refs/heads/main';
    const claims = { ...JOB, aud: aud ?? 'default', sub };
    const value = await ci.sign({ ...claims, jti: `github-${audiences.length}` });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ count: 1, value }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    audiences,
    env: {
      ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'job-secret',
    },
  };
}
