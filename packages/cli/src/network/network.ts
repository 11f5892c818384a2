// The network of one command run: uses the proxy settings of the environment, and shows a spinner during waits.
import { startSpinner } from '../output/spinner.ts';
import type { Io } from '../process/io.ts';
import { exchange } from './exchange.ts';
import type { ExchangeLimits } from './exchange-options.ts';
import { createIdleConnections } from './idle-connections.ts';

export type Network = {
  /** Like {@link exchange}. On a terminal, waits of more than two seconds are shown. */
  send(address: string, init: RequestInit, limits?: Partial<ExchangeLimits>): Promise<Response>;
};

/** The network for one run of a command. */
export function createNetwork(io: Pick<Io, 'stderr' | 'env'>): Network {
  const idle = createIdleConnections();
  let waiting = 0;
  let spinner: Disposable | null = null;
  const begin = (label: string): void => {
    if (waiting++ === 0) spinner = startSpinner(io, label);
  };
  const finish = (): void => {
    if (--waiting === 0) spinner?.[Symbol.dispose]();
  };
  return {
    async send(address, init, limits = {}) {
      // An upload in parts shows its own progress, also while it waits for answers.
      if (init.body instanceof Uint8Array)
        return exchange(address, init, { env: io.env, idle, limits });
      const label = `Waiting for ${new URL(address).origin}`;
      begin(label);
      let uploading = false;
      try {
        return await exchange(address, init, {
          env: io.env,
          idle,
          limits,
          // An upload shows its own progress, so the spinner stops.
          onUpload(sending) {
            uploading = sending;
            if (sending) finish();
            else begin(label);
          },
        });
      } finally {
        if (!uploading) finish();
      }
    },
  };
}
