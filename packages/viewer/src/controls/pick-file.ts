// The browser's file dialog.

const ACCEPT =
  '.vpt,.folded,.txt,.collapsed,.stacks,.cpuprofile,.json,.csv,.gz,text/plain,text/csv,application/json,application/gzip';

/** Opens the dialog for one file. Calls `take` if the user chose one. */
export function pickFile(take: (file: File) => unknown): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = ACCEPT;
  input.hidden = true;
  input.addEventListener('change', () => {
    const file = input.files?.[0];
    input.remove();
    if (file !== undefined) void take(file);
  });
  input.addEventListener('cancel', () => input.remove());
  document.body.append(input);
  input.click();
}
