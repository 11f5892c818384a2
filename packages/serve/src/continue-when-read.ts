// Answers `Expect: 100-continue` when a handler begins to read the body.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Sends `100 Continue` when the body of a request gets its first reader. A request that is rejected
 * by its head alone gets only the error (RFC 9110, 10.1.1), and Node closes the connection.
 * Discarding a body does not count as reading.
 */
export function continueWhenRead(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const onListener = (event: string | symbol): void => {
      if (event !== 'data' && event !== 'readable') return;
      request.off('newListener', onListener);
      if (!response.headersSent) response.writeContinue();
    };
    request.on('newListener', onListener);
    server.emit('request', request, response);
  });
}
