// A hook that observes the size of an element.
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Returns width and height in CSS pixels, 0 until the element has a layout. */
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
