// What a view asks the worker: the answer to the newest question, whatever older ones are answered with and when.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export type Answer<Value> = {
  /** Null until the first answer; the last one stays until the next is there. */
  readonly answer: Value | null;
  /** Why the newest question could not be answered. */
  readonly fault: string | null;
};

/** Asks, and asks anew when one of `reasons` is another than before. */
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
        const fault = error instanceof Error ? error.message : String(error);
        if (newest) state.value = { answer: null, fault };
      },
    );
    return () => {
      newest = false;
    };
  }, [...reasons]);
  return state.value;
}
