// Counts what several lanes have sent, and reports the sum.

/** `before` is what an earlier upload sent, and is included in `sent`. All are bytes; 0 before the upload is open. */
export type Sending = {
  readonly state: 'uploading';
  readonly sent: number;
  readonly total: number;
  readonly before: number;
  /** Whether a call waits for its next attempt. */
  readonly isWaiting: boolean;
};

export type Counter = {
  /** Sets the total when the upload is open. */
  open(total: number, before: number): void;
  /** Returns the function that sets how much of a part is sent. */
  part(bytes: number): (share: number) => void;
  /** Is called before and after each pause. */
  onWait(isWaiting: boolean): void;
};

export function countProgress(report: (sending: Sending) => void): Counter {
  let now = { sent: 0, total: 0, before: 0 };
  let waiting = 0;
  const show = (): void => report({ state: 'uploading', ...now, isWaiting: waiting > 0 });
  return {
    open(total, before) {
      now = { sent: before, total, before };
      show();
    },
    part(bytes) {
      let counted = 0;
      return (share) => {
        now.sent += share * bytes - counted;
        counted = share * bytes;
        show();
      };
    },
    onWait(isWaiting) {
      waiting += isWaiting ? 1 : -1;
      show();
    },
  };
}
