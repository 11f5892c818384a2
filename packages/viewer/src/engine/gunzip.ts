// The gzip decompressor of the browser, for `expandGzip`.
import { DamagedGzip, type Gunzip, PartedGzip } from '@svc/trace';

/** Decompresses as the caller reads. Data that was cut off is not an error, because a torn file is read as far as it goes. */
export const gunzip: Gunzip = async function* (input) {
  const decompressor = new DecompressionStream('gzip');
  const writer = decompressor.writable.getWriter();
  const reader = decompressor.readable.getReader();
  let fault: { readonly error: unknown } | null = null;
  const feeding = feed(writer, input).catch((error: unknown) => {
    fault = { error };
    return writer.abort(error);
  });
  // A rejected write is also reported by the reader.
  feeding.catch(() => undefined);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const reason = reasonOf(error);
    // Chromium: "Junk found after end of compressed data."
    if (/junk|trailing/i.test(reason)) throw new PartedGzip(reason);
    if (!/truncated|unexpected end/i.test(reason)) throw new DamagedGzip(reason);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  if (fault !== null) throw (fault as { readonly error: unknown }).error;
};

async function feed(
  writer: WritableStreamDefaultWriter<BufferSource>,
  input: AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const chunk of input) await writer.write(chunk as Uint8Array<ArrayBuffer>);
  await writer.close();
}

/** The fault of the data. Chromium: "Compressed input was truncated."; Node has the text in the cause. */
function reasonOf({ message, cause }: TypeError): string {
  return message === '' && cause instanceof Error ? cause.message : message;
}
