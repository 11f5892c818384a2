// Opens the trace that a page contains, such as a report in one file.
import { openFile } from './open-file.ts';
import { refusal } from './open-traces.ts';

/**
 * The type of the script element that contains a trace: the base64 of a file of any format that the viewer opens, best
 * compressed with gzip. Its attribute `data-name` is the name of the file. Browsers do not run scripts of this type.
 */
const EMBEDDED_TYPE = 'application/vnd.svc.trace';

/** Opens the trace that the page contains. Returns whether it contains one that was opened. */
export async function openEmbedded(): Promise<boolean> {
  const element = document.querySelector(`script[type="${EMBEDDED_TYPE}"]`);
  if (element === null) return false;
  const name = element.getAttribute('data-name') ?? 'embedded trace';
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

/** Returns null for a text that is not base64. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
