// Connects the pointer, the keys and the search field to a flame graph.
import { effect, type Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BoxInfo } from './draw/flame-info.ts';
import { FlameInput } from './flame-input.ts';
import type { FlameProps } from './flame-props.ts';
import type { Viewport } from './layout/viewport.ts';
import { matchStep } from './stack-state.ts';

type Props = FlameProps & {
  readonly viewport: Signal<Viewport>;
  readonly hover: Signal<BoxInfo | null>;
  readonly size: Signal<{ readonly width: number; readonly height: number }>;
  readonly upward: boolean;
};

export function useFlameInput(box: RefObject<HTMLDivElement | null>, props: Props): void {
  const { name, info, viewport, hover, chosen, size, upward, open, searched } = props;
  useEffect(() => {
    if (box.current === null) return;
    const input = new FlameInput(box.current, {
      name,
      info,
      viewport,
      hover,
      chosen,
      size,
      upward,
      open,
    });
    // A step that was requested before this graph existed is ignored.
    let last = matchStep.peek();
    const stopSteps = effect(() => {
      const step = matchStep.value;
      if (step === null || step === last || searched === undefined) return;
      last = step;
      input.goToMatch(step);
    });
    return () => {
      stopSteps();
      input.stop();
    };
  }, [name, upward]);
}
