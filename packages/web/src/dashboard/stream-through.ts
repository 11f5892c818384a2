// The body of a request as a stream for the API: nothing of an upload is held or written here.
import type { Visit } from '../visit/visit.ts';

/** The body as it comes. Where the API stops reading, the rest is read away, so that the browser gets to read why. */
export function streamThrough({ request: { raw, headers } }: Visit): {
  type: string;
  bytes: ReadableStream<Uint8Array<ArrayBuffer>>;
} {
  const chunks = raw.iterator({ destroyOnReturn: false });
  const bytes = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        raw.resume();
      },
    },
    { highWaterMark: 0 },
  );
  return { type: headers['content-type'] ?? '', bytes };
}
