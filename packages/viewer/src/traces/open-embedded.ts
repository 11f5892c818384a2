// Opens the trace that a page contains, such as a report in one file.
import { openFile } from './open-file.ts';
import { refusal } from './open-traces.ts';

/**
 * The type of the script element that contains a trace: the base64 of a file of any format that the viewer opens, best
 * compressed with gzip. Its attribute `data-name` is the name of the file, and `data-fragment` what the page shows unless its address
 * says more, as in `budget=8.33`. Browsers do not run scripts of this type.
 */
const EMBEDDED_TYPE = 'application/vnd.svc.trace';

/** Opens the trace that the page contains. Returns whether it contains one that was opened. */
export async function openEmbedded(): Promise<boolean> {
  const element = document.querySelector(`script[type="${EMBEDDED_TYPE}"]`);
  if (element === null) return false;
  const name = element.getAttribute('data-name') ?? 'embedded trace';
  showFragment(element.getAttribute('data-fragment') ?? '');
  const bytes = decodeBase64(element.textContent ?? '');
  // The text would otherwise stay in memory beside the trace.
  element.remove();
  if (bytes === null) {
    const message = 'The trace in this page is damaged. Create the page again.';
    refusal.value = { name, fault: { code: 'failed', message, line: null, column: null } };
    return false;
  }
  return openFile(new File([bytes], name));
}

/** Shows what a fragment says if the address has none. */
function showFragment(fragment: string): void {
  if (fragment === '' || location.hash !== '') return;
  history.replaceState(null, '', `#${fragment}`);
  // A replaced address sends no event of its own.
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The characters that are decoded at once, a multiple of 4. A whole trace would need several times its size in memory. */
const PIECE = 2 ** 20;

/** Returns null for a text that is not base64. Blanks and line ends are ignored. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const digits = text.replaceAll(/\s+/g, '');
    const bytes = new Uint8Array(Math.ceil((digits.length / 4) * 3));
    let length = 0;
    for (let at = 0; at < digits.length; at += PIECE) {
      const piece = atob(digits.slice(at, at + PIECE));
      for (let index = 0; index < piece.length; index++) bytes[length++] = piece.charCodeAt(index);
    }
    return bytes.subarray(0, length);
  } catch {
    return null;
  }
}
