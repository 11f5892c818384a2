// Checks a response before it is read: it must be JSON in the form of a platform or a requested build, and not a redirect.
import type { Send } from '@svc/contracts/platform';
import type { ExchangeLimits } from '../network/exchange-options.ts';
import type { Network } from '../network/network.ts';
import { NetworkError } from '../network/network-error.ts';

/**
 * Like `fetch` for the platform at `api`. Throws a {@link NetworkError} for a redirect, because a token must not follow one, and
 * for a response that is not in the form of a platform. With `zip`, a ZIP is accepted, too.
 */
export function platformSend(
  network: Network,
  api: string,
  limits: Partial<ExchangeLimits> = {},
  answers: 'json' | 'zip' = 'json',
): Send {
  return async (address, init) => {
    const answer = await network.send(address, init, limits);
    refuseRedirect(answer, address);
    const isZip = answer.headers.get('content-type') === 'application/zip';
    if (answers === 'zip' && isZip && answer.ok) return answer;
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
    `Cannot use ${new URL(address).origin}: it redirects${elsewhere}. svc does not send your token there.`,
    {
      sent: false,
      transient: false,
      hint: 'A publishing platform does not redirect. Check the address. If the platform has moved, run svc login --api with its new address.',
    },
  );
}

/** Whether a gateway in front of the platform may send this status with a body of its own. */
function comesFromGateway({ status }: Response): boolean {
  return [408, 413, 429].includes(status) || status >= 500;
}

/** Throws if the response is not JSON, or is an error that does not have the form of a platform. */
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
  if (body !== null && (answer.ok || hasErrorForm(body))) return;
  throw foreignAnswer(api, `it answered with ${describe(type, isJson, body)} (${answer.status})`);
}

function describe(type: string, isJson: boolean, body: unknown): string {
  if (isJson) return body === null ? 'broken JSON' : 'JSON in another form';
  if (/html/i.test(type)) return 'a web page';
  return type === '' ? 'content of an unknown type' : type;
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

/** The error for an address of a server that is not a platform. */
export function foreignAnswer(api: string, reason: string): NetworkError {
  return new NetworkError(
    'answer_unreadable',
    `${api} is not the address of a publishing platform: ${reason}.`,
    {
      sent: true,
      transient: false,
      hint: 'Check the address in --api, SVC_API or the saved login. The address of the store’s site differs from that of the API.',
    },
  );
}
