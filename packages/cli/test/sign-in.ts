// A platform with an identity provider, and a person who signs in there when `svc` prints the address.
import type { TestContext } from 'node:test';
import { CLIENT, startFakeProvider } from '@svc/contracts/testing';
import {
  type Answer,
  type FaultyPlatform,
  json,
  ME,
  noted,
  startFaultyPlatform,
} from './faulty-platform.ts';
import { type HereOptions, runHere } from './run-here.ts';
import type { Finished } from './svc.ts';

export type SignInPlatform = FaultyPlatform & {
  /** Runs `svc` as a person who signs in when it asks. */
  run(args: readonly string[], options?: HereOptions): Promise<Finished>;
  /** The address of its identity provider. */
  readonly issuer: string;
  /** The JSON bodies so far, each with its route. */
  readonly bodies: (readonly [route: string, body: unknown])[];
};

/** Answers as {@link startFaultyPlatform}, and also the requests for its provider and its sessions. */
export async function startSignInPlatform(
  t: TestContext,
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
): Promise<SignInPlatform> {
  const provider = await startFakeProvider(t);
  const bodies: [string, unknown][] = [];
  const all: Readonly<Record<string, Answer | readonly Answer[]>> = {
    'GET /auth/config': json(200, { issuer: provider.issuer, client_id: CLIENT }),
    'POST /auth/session': json(200, { user: ME.user }),
    ...answers,
  };
  const platform = await startFaultyPlatform(
    t,
    noted(all, (route, body) => {
      if (body !== '') bodies.push([route, JSON.parse(body)]);
    }),
  );
  const run = async (args: readonly string[], options: HereOptions = {}): Promise<Finished> => {
    let sent: URLSearchParams | null = null;
    return await runHere(t, args, {
      ...options,
      onStderr(text) {
        const address = /\n\n {2}(http\S+)\n/.exec(text)?.[1];
        if (address === undefined || sent !== null) return;
        sent = new URL(address).searchParams;
        provider.claims = { nonce: sent.get('nonce') };
        const returned = new URLSearchParams({ code: 'c', state: sent.get('state') ?? '' });
        fetch(`${sent.get('redirect_uri')}?${returned}`).catch(() => {});
      },
    });
  };
  return { ...platform, issuer: provider.issuer, run, bodies };
}
