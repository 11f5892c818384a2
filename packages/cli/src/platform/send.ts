// What is asked of a platform's answer before it is read: no redirect, and JSON as a platform writes it.
import type { Send } from '@svc/contracts/platform';
import type { ExchangeLimits } from '../network/exchange.ts';
import type { Network } from '../network/network.ts';
import { NetworkError } from '../network/network-error.ts';

/**
 * As `fetch` for the platform at `api`. A redirect is an error, because a token must not follow one, and so is an answer that
 * no platform gives.
 */
export function platformSend(
  network: Network,
  api: string,
  limits: Partial<ExchangeLimits> = {},
): Send {
  return async (address, init) => {
    const answer = await network.send(address, init, limits);
    refuseRedirect(answer, address);
    await refuseForeign(answer, api);
    return answer;
  };
}

function refuseRedirect(answer: Response, address: string): void {
  if (answer.status < 300 || answer.status > 399 || answer.status === 304) return;
  const location = answer.headers.get('location');
  const target =
    location !== null && URL.canParse(location, address) ? new URL(location, address) : null;
  const elsewhere = target === null ? '' : ` to ${target.origin}`;
  throw new NetworkError(
    'redirected',
    `Cannot use ${new URL(address).origin}: it redirects${elsewhere}, and your token is not sent there.`,
    {
      sent: false,
      transient: false,
      hint: 'A publishing platform does not redirect. Check the address; if the platform has moved, log in at its new one: svc login --api …',
    },
  );
}

/** Whether a gateway in front of a platform answers so by itself, in a form of its own. */
function comesFromGateway({ status }: Response): boolean {
  return [408, 413, 429].includes(status) || status >= 500;
}

/** Throws where the answer is not one of a platform: no JSON, or an error without a platform's form. */
async function refuseForeign(answer: Response, api: string): Promise<void> {
  if (answer.status === 204 || answer.status === 304 || comesFromGateway(answer)) return;
  const type = (answer.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  const isJson = /^application\/([\w.-]+\+)?json$/i.test(type);
  const body: unknown = isJson
    ? await answer
        .clone()
        .json()
        .catch(() => null)
    : null;
  if (isJson && body !== null && (answer.ok || hasErrorForm(body))) return;
  throw foreignAnswer(api, `it answered with ${describe(type, isJson, body)} (${answer.status})`);
}

function describe(type: string, isJson: boolean, body: unknown): string {
  if (isJson) return body === null ? 'broken JSON' : 'JSON of something else';
  if (/html/i.test(type)) return 'a web page';
  return type === '' ? 'something that is not JSON' : type;
}

function hasErrorForm(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    typeof error.code === 'string' &&
    'message' in error &&
    typeof error.message === 'string'
  );
}

/** The error for an address where something else than a platform answers. */
export function foreignAnswer(api: string, reason: string): NetworkError {
  return new NetworkError(
    'answer_unreadable',
    `${api} is not the address of a publishing platform: ${reason}.`,
    {
      sent: true,
      transient: false,
      hint: 'Check the address: --api, SVC_API, or that of the saved login. The store’s site has another address than the API.',
    },
  );
}
