// Opens files that are dropped anywhere on the page, and shows a hint while they hover.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { view } from '../../state/address.ts';
import { isComparing, openFile, openHere, openOther } from '../../traces/open-file.ts';
import './open.css';

const hovering = signal(0);

export function DropZone() {
  useEffect(() => {
    const stop = new AbortController();
    const on = (type: string, handle: (event: DragEvent) => void): void =>
      addEventListener(type, (event) => event instanceof DragEvent && handle(event), {
        signal: stop.signal,
      });
    on('dragenter', (event) => {
      if (event.dataTransfer?.types.includes('Files')) hovering.value++;
    });
    on('dragleave', () => {
      hovering.value = Math.max(0, hovering.value - 1);
    });
    on('dragover', (event) => event.preventDefault());
    on('drop', (event) => {
      event.preventDefault();
      hovering.value = 0;
      const [file, second] = event.dataTransfer?.files ?? [];
      if (file !== undefined) void take(file, second);
    });
    return () => stop.abort();
  }, []);
  if (hovering.value === 0) return null;
  return (
    <div class="drop" aria-hidden="true">
      <p>{isComparing() ? 'Drop to compare' : 'Drop to open, or drop two files to compare them'}</p>
    </div>
  );
}

/** Opens one file, or compares two: the first is the trace before. */
async function take(file: File, second: File | undefined): Promise<void> {
  if (second === undefined) {
    await openHere(file);
    return;
  }
  if ((await openFile(second)) && (await openOther(file))) view.value = 'compare';
}
