// Device pixels a CSS pixel: another when the page is zoomed, or its window moved to another screen.
import { signal } from '@preact/signals';

export const pixelRatio = signal(devicePixelRatio);

function follow(): void {
  pixelRatio.value = devicePixelRatio;
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', follow, {
    once: true,
  });
}
follow();
