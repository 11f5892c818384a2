// The size of an element, as a signal that follows it.
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Width and height in CSS pixels; 0 until it is laid out. */
export function useSize(ref: RefObject<HTMLElement | null>) {
  const size = useSignal({ width: 0, height: 0 });
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      const { clientWidth: width, clientHeight: height } = element;
      if (width !== size.peek().width || height !== size.peek().height)
        size.value = { width, height };
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return size;
}
