// The network as commands use it: the proxy settings of their environment, and a spinner while an answer is awaited.

import { startSpinner } from '../output/spinner.ts';
import type { Io } from '../process/io.ts';
import { type ExchangeLimits, exchange } from './exchange.ts';

export type Network = {
  /** As {@link exchange}; on a terminal a wait of more than two seconds is shown. */
  send(address: string, init: RequestInit, limits?: Partial<ExchangeLimits>): Promise<Response>;
};

/** The network for one run of a command. */
export function createNetwork(io: Pick<Io, 'stderr' | 'env'>): Network {
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
      const label = `Waiting for ${new URL(address).origin}`;
      begin(label);
      let uploading = false;
      try {
        return await exchange(address, init, {
          env: io.env,
          limits,
          // An upload shows its own progress.
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
