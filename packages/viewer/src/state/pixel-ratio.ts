// The number of device pixels per CSS pixel. It changes with page zoom and between screens.
import { signal } from '@preact/signals';

export const pixelRatio = signal(devicePixelRatio);

function follow(): void {
  pixelRatio.value = devicePixelRatio;
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', follow, {
    once: true,
  });
}
follow();
