// Receives files from the API. An answer of another kind is received by `sendToApi`.
import { NotTheApiError, receiveWhole } from './send-to-api.ts';

/** Sends a request for a ZIP. Returns the answer as soon as it begins. An error of the API is received whole. Throws as `sendToApi`. */
export async function receiveFile(address: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(address, init);
  if (!answer.ok) return await receiveWhole(answer);
  const type = answer.headers.get('content-type') ?? '';
  if (type.startsWith('application/zip')) return answer;
  await answer.body?.cancel();
  throw new NotTheApiError(`${address} answered "${type}"`);
}
