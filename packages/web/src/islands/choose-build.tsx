// The field for the build of the upload form: a folder or a ZIP file, chosen or dropped, and what was chosen.
import { type Signal, signal } from '@preact/signals';
import { BuildError, type BuildLimits, ENTRIES_PER_KEPT_FILE } from '@svc/game-build/folder';
import { render } from 'preact';
import { countFiles, formatBytes } from '../html/sizes.ts';
import { acceptDrops } from './accept-drops.ts';
import { type ChosenFolder, readChosen } from './folder/chosen-folder.ts';
import { type FolderPlan, planFolder } from './folder/plan-folder.ts';
import { entriesOf, isFolderDrop, readDropped } from './folder/read-dropped.ts';
import { FileChangedError } from './folder/read-file.ts';
import { describeRefusal } from './folder/send-folder.ts';
import type { Sent } from './send-form.ts';

export type Chosen =
  | { readonly kind: 'none' }
  | { readonly kind: 'zip'; readonly file: File }
  /** The files of a folder are listed. */
  | { readonly kind: 'listing' }
  | { readonly kind: 'folder'; readonly name: string; readonly plan: FolderPlan }
  /** The folder breaks a rule. */
  | { readonly kind: 'refused'; readonly name: string; readonly reason: Sent };

type Parts = {
  readonly field: HTMLElement;
  readonly zip: HTMLInputElement;
  readonly folder: HTMLInputElement;
};

/**
 * Starts the field of a form. `isBusy` returns whether an upload is running, during which nothing can be chosen. Returns what
 * is chosen; null if the form has no such field.
 */
export function startChoosing(
  form: HTMLFormElement,
  limits: BuildLimits,
  isBusy: () => boolean,
): Signal<Chosen> | null {
  const parts = findParts(form);
  const place = form.querySelector<HTMLElement>('[data-chosen]');
  if (parts === null || place === null) return null;
  const { zip, folder } = parts;
  const chosen = signal<Chosen>({ kind: 'none' });
  let latest = 0;
  const takeFolder = async (list: () => Promise<ChosenFolder | null>): Promise<void> => {
    const turn = ++latest;
    zip.value = '';
    chosen.value = { kind: 'listing' };
    const read = await readFolder(list, limits);
    if (turn === latest) chosen.value = read;
  };
  const takeZip = (): void => {
    latest++;
    const file = zip.files?.[0];
    chosen.value = file === undefined ? { kind: 'none' } : { kind: 'zip', file };
  };
  zip.addEventListener('change', takeZip);
  folder.addEventListener('change', () => {
    const files = [...(folder.files ?? [])];
    // Otherwise the browser reports no change when the same folder is chosen again.
    folder.value = '';
    if (files.length > 0) void takeFolder(async () => readChosen(files));
  });
  acceptDrops(form, (files, drop) => {
    if (isBusy()) return;
    const entries = entriesOf(drop);
    if (isFolderDrop(entries)) {
      void takeFolder(() => readDropped(entries, limits.files * ENTRIES_PER_KEPT_FILE));
    } else {
      zip.files = files;
      takeZip();
    }
  });
  showWays(parts);
  // A browser can keep the file when the page is loaded again.
  takeZip();
  render(<ChosenBuild chosen={chosen} />, place);
  return chosen;
}

function findParts(form: HTMLFormElement): Parts | null {
  const field = form.querySelector<HTMLElement>('.drop');
  const zip = form.querySelector<HTMLInputElement>('input[data-zip]');
  const folder = form.querySelector<HTMLInputElement>('input[data-folder]');
  return field === null || zip === null || folder === null ? null : { field, zip, folder };
}

/** Shows a button for each way. A browser that can't choose folders has no button for them. */
function showWays({ field, zip }: Parts): void {
  for (const part of field.querySelectorAll<HTMLElement>('[data-plain]')) part.hidden = true;
  for (const part of field.querySelectorAll<HTMLElement>('[data-scripted]')) part.hidden = false;
  const canChooseFolders = 'webkitdirectory' in HTMLInputElement.prototype;
  const button = field.querySelector<HTMLElement>('[data-folder-button]');
  if (button !== null) button.hidden = !canChooseFolders;
  field.querySelector('[data-plain-name]')?.classList.add('visually-hidden');
  // The script checks that a build is chosen.
  zip.required = false;
  zip.classList.add('visually-hidden');
  field.querySelector('[data-zip-button]')?.append(zip);
}

async function readFolder(
  list: () => Promise<ChosenFolder | null>,
  limits: BuildLimits,
): Promise<Chosen> {
  let name = '';
  try {
    const listed = await list();
    if (listed === null) return { kind: 'none' };
    name = listed.name;
    return { kind: 'folder', name, plan: await planFolder(listed, limits) };
  } catch (error) {
    return { kind: 'refused', name, reason: describeFault(error) };
  }
}

function describeFault(error: unknown): Sent {
  if (error instanceof BuildError) return describeRefusal(error);
  const message =
    error instanceof FileChangedError
      ? error.message
      : 'The folder can’t be read. Wait until the build is finished, then choose the folder again.';
  return { state: 'refused', message, findings: [] };
}

function ChosenBuild({ chosen }: { chosen: Signal<Chosen> }) {
  const now = chosen.value;
  switch (now.kind) {
    case 'none':
      return null;
    case 'listing':
      return <p>Listing the files …</p>;
    case 'zip':
      return <Named name={now.file.name} facts={[unbroken(formatBytes(now.file.size))]} />;
    case 'refused':
      return now.name === '' ? null : <Named name={now.name} facts={['can’t be published']} />;
    case 'folder':
      return <Named name={now.name} facts={describePlan(now.plan)} />;
  }
}

function describePlan({ files, total_bytes, ignored }: FolderPlan): string[] {
  const excluded = ignored.length === 1 ? '1 path' : `${ignored.length} paths`;
  return [
    unbroken(countFiles(files.length)),
    unbroken(formatBytes(total_bytes)),
    ...(ignored.length > 0 ? [`${excluded} excluded by ignore rules`] : []),
  ];
}

/** A number stays on the line of its unit. */
function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

function Named({ name, facts }: { name: string; facts: readonly string[] }) {
  return (
    <p>
      <strong>{name}</strong> <span>{facts.join(' · ')}</span>
    </p>
  );
}
