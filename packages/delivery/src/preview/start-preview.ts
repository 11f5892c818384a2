// A preview: serves a build on 127.0.0.1 with the headers, types and encodings that players get after a publish.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Build, BuildLimits } from '@svc/game-build';
import { createGameAnswers } from '../game/answer-game.ts';
import { decodeFilePath } from '../game/file-path.ts';
import { type Exchange, isReadMethod } from '../http/refusals.ts';
import { unpackFiles } from './preview-files.ts';
import { createSpool } from './spool.ts';

const HOST = '127.0.0.1';
const MEMORY_BYTES = 64 * 1024 * 1024;
/** 80 bits: no other page can guess the address and read the build, although its files may be read from every origin. */
const SECRET_BYTES = 10;

export type PreviewOptions = {
  /** The ZIP with the build. It is not read after the start. */
  readonly zipPath: string;
  readonly limits?: Partial<BuildLimits>;
  /** Port on 127.0.0.1; 0 chooses a free one. */
  readonly port: number;
  /** Whether the pages of the game may sample their own functions, as the owner's setting of a published game. */
  readonly profiling?: boolean;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
  /** Called with the path of each requested file that the build does not have. */
  readonly onMissing?: (path: string) => void;
  /** Called with errors that are no fault of the request, such as a full disk. */
  readonly onFailure?: (error: unknown) => void;
};

/** Disposing of it ends the server and removes the unpacked files. */
export type Preview = AsyncDisposable & {
  /** The address of the game: `http://127.0.0.1:PORT/play/SECRET/`. */
  readonly url: string;
  readonly build: Build;
};

/**
 * Unpacks the build into temporary storage and starts to serve it. Throws a `BuildError` if the build is rejected, Node's error if
 * the port is in use, or the signal's reason.
 */
export async function startPreview(options: PreviewOptions): Promise<Preview> {
  const { zipPath, limits = {}, port, profiling = false, signal, onMissing, onFailure } = options;
  await using cleanup = new AsyncDisposableStack();
  const spool = cleanup.use(await createSpool());
  const files = await unpackFiles(zipPath, spool, {
    limits,
    profiling,
    ...(signal !== undefined && { signal }),
  });
  const answers = createGameAnswers({ embedder: null, memoryBytes: MEMORY_BYTES });
  const prefix = `/play/${randomBytes(SECRET_BYTES).toString('hex')}`;

  const answer = async (exchange: Exchange): Promise<void> => {
    const { request } = exchange;
    const path = (request.url ?? '').replace(/[?#].*$/s, '');
    if (path !== prefix && !path.startsWith(`${prefix}/`)) {
      answers.refuse(
        exchange,
        'not_found',
        'There is no game at this address: use the whole address',
      );
      return;
    }
    if (!isReadMethod(request)) {
      answers.refuseMethod(exchange);
      return;
    }
    if (path === prefix && request.headers['sec-fetch-mode'] === 'navigate') {
      answers.redirect(exchange, `${prefix}/${/\?.*$/s.exec(request.url ?? '')?.[0] ?? ''}`);
      return;
    }
    const encoded = path.slice(prefix.length + 1);
    const wanted = decodeFilePath(encoded);
    const forms = wanted === null ? null : await files.find(wanted);
    if (forms !== null) {
      await answers.send(exchange, files.source, forms);
      return;
    }
    answers.refuseMissing(exchange);
    onMissing?.(wanted ?? encoded);
  };

  const server = createServer((request, response) => {
    request.resume();
    const exchange = { request, response, requestId: randomUUID() };
    answer(exchange).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else answers.refuse(exchange, 'internal', 'Cannot answer: the preview failed');
      if (!request.socket.destroyed) onFailure?.(error);
    });
  });
  cleanup.defer(
    () =>
      new Promise<void>((resolve) => {
        // The callback receives an error if the server never listened.
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  server.listen(port, HOST);
  await once(server, 'listening', signal === undefined ? {} : { signal });
  const { port: chosen } = server.address() as AddressInfo;
  const running = cleanup.move();
  return {
    url: `http://${HOST}:${chosen}${prefix}/`,
    build: files.build,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
