// A registry for npm on this machine. It has the packages of this checkout's node_modules, and what the lockfile says of those for other platforms.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { create } from 'tar';
import { ROOT } from '../../scripts/workspaces.ts';

type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly files?: readonly string[];
};

export type Registry = AsyncDisposable & {
  readonly url: string;
  /** The paths that were asked for, each once. */
  readonly asked: ReadonlySet<string>;
};

/** Files of the packages with Node that no program needs: 67 MB of headers. */
const LEFT_OUT = /^(?:include|share)(?:\/|$)/;

export async function startRegistry(): Promise<Registry> {
  const locked: Readonly<Record<string, Manifest>> = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  ).packages;
  const asked = new Set<string>();
  const archives = new Map<string, Promise<Buffer>>();
  /** The archive, made once. */
  const packed = (installed: string): Promise<Buffer> => {
    const made = archives.get(installed) ?? pack(installed);
    archives.set(installed, made);
    return made;
  };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    asked.add(path);
    const name = path.replace(/\/-\/.*$/, '');
    const installed = join(ROOT, 'node_modules', name);
    const manifest = readManifest(installed) ?? locked[`node_modules/${name}`];
    if (manifest === undefined) {
      response.writeHead(404).end('{}');
    } else if (path !== name) {
      response.end(await packed(installed));
    } else {
      const tarball = `${url}/${name}/-/package.tgz`;
      const integrity = existsSync(installed)
        ? `sha512-${createHash('sha512')
            .update(await packed(installed))
            .digest('base64')}`
        : undefined;
      const { version } = manifest;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          name,
          'dist-tags': { latest: version },
          versions: { [version]: { ...manifest, name, dist: { tarball, integrity } } },
        }),
      );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    url,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readManifest(folder: string): Manifest | undefined {
  const file = join(folder, 'package.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

/** The archive of an installed package. */
async function pack(installed: string): Promise<Buffer> {
  const filter = (path: string): boolean => !LEFT_OUT.test(path.replace(/^\.\//, ''));
  const options = { cwd: installed, prefix: 'package', filter, portable: true };
  return await buffer(create({ ...options, gzip: { level: 1 } }, ['.']));
}
