// The body of an upload as a stream for the API, without storing it.
import type { Visit } from '../visit/visit.ts';

/** The body. If the API stops reading, the rest is discarded, so that the browser still receives the API's response. */
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
