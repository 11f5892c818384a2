// A hook for calls to the worker. It returns the answer to the latest call and ignores answers to older ones.

import { useSignal } from '@preact/signals';
import { messageOf } from '@svc/contracts/caught';
import { useEffect } from 'preact/hooks';

export type Answer<Value> = {
  /** Null until the first answer. An answer stays until the next one. */
  readonly answer: Value | null;
  /** Why the latest call failed; null if it did not. */
  readonly fault: string | null;
};

/** Calls `ask` on mount and whenever one of `reasons` changes. */
export function useAnswer<Value>(
  ask: () => Promise<Value>,
  reasons: readonly unknown[],
): Answer<Value> {
  const state = useSignal<Answer<Value>>({ answer: null, fault: null });
  useEffect(() => {
    let newest = true;
    ask().then(
      (answer) => {
        if (newest) state.value = { answer, fault: null };
      },
      (error: unknown) => {
        const fault = messageOf(error);
        if (newest) state.value = { answer: null, fault };
      },
    );
    return () => {
      newest = false;
    };
  }, [...reasons]);
  return state.value;
}
