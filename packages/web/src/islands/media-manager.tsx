// The media manager: uploads, orders, describes and removes the images and the trailer of a page.
import type { Media } from '@svc/contracts/platform';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { acceptDrops } from './accept-drops.ts';
import { type Desk, type MediaPanel, openDesk } from './media-desk.ts';
import type { Upload } from './upload-queue.ts';

export function MediaManager({ panel, onChange }: { panel: MediaPanel; onChange: () => void }) {
  const desk = useMemo(() => openDesk(panel, onChange), []);
  return (
    <>
      <div class="media-grid">
        {panel.slots.map((slot) => (
          <Slot key={slot.name} desk={desk} slot={slot} />
        ))}
      </div>
      <h3>Screenshots</h3>
      {desk.fault.value !== null && (
        <p class="notice bad" role="alert">
          {desk.fault.value}
        </p>
      )}
      <Screenshots desk={desk} />
      <p class="visually-hidden" role="status">
        {desk.announcement.value}
      </p>
    </>
  );
}

function Slot({ desk, slot }: { desk: Desk; slot: MediaPanel['slots'][number] }) {
  const { name, label, accept, hint } = slot;
  const media = desk.page.value[name];
  const upload = desk.uploads.value.find(({ target }) => target === name);
  const place = useDrops((files) => desk.add(name, files));
  return (
    <div class={`slot slot-${name}`} ref={place}>
      <div class="slot-picture">
        {upload !== undefined ? (
          <UploadState desk={desk} upload={upload} />
        ) : media === null ? (
          <p class="empty-slot">Drop a file here</p>
        ) : (
          <Shown media={media} label={label} />
        )}
      </div>
      <h3>{label}</h3>
      <p class="hint" id={`${name}-hint`}>
        {hint}
      </p>
      <p class="actions">
        <FileButton
          label={media === null ? 'Choose' : 'Replace'}
          name={`${media === null ? 'Choose' : 'Replace'} the ${name}`}
          accept={accept}
          describedBy={`${name}-hint`}
          take={(files) => desk.add(name, files)}
        />
        {media !== null && (
          <button
            type="button"
            class="button quiet"
            aria-label={`Remove the ${name}`}
            onClick={() =>
              desk.arrange({ do: 'remove', what: name }, `The ${name} has been removed.`)
            }
          >
            Remove
          </button>
        )}
      </p>
    </div>
  );
}

function Shown({ media, label }: { media: Media; label: string }) {
  if (media.kind === 'video') {
    return <video src={media.url} controls muted preload="metadata" aria-label={label} />;
  }
  return <img src={smallOf(media)} alt={`Current ${label.toLowerCase()}`} />;
}

function Screenshots({ desk }: { desk: Desk }) {
  const { most, accept, hint } = desk.panel.screenshots;
  const { screenshots } = desk.page.value;
  const uploads = desk.uploads.value.filter(({ target }) => target === 'screenshots');
  const place = useDrops((files) => desk.add('screenshots', files));
  const isFull = screenshots.length >= most;
  return (
    <div class="shots-desk" ref={place}>
      <ol class="shot-list">
        {screenshots.map((shot, index) => (
          <Shot key={shot.id} desk={desk} shot={shot} index={index} count={screenshots.length} />
        ))}
        {uploads.map((upload) => (
          <li key={upload.id} class="shot">
            <div class="slot-picture">
              <UploadState desk={desk} upload={upload} />
            </div>
          </li>
        ))}
        {!isFull && (
          <li class="shot add-shot">
            <FileButton
              label="Add screenshots"
              name="Add screenshots"
              accept={accept}
              describedBy="shots-hint"
              multiple
              take={(files) => desk.add('screenshots', files)}
            />
            <span class="hint">or drop them here</span>
          </li>
        )}
      </ol>
      <p class="hint" id="shots-hint">
        {isFull ? `The limit of ${most} screenshots is reached. Remove one to add another.` : hint}
      </p>
    </div>
  );
}

type ShotProps = {
  readonly desk: Desk;
  readonly shot: Media;
  readonly index: number;
  readonly count: number;
};

/** The data type of a dragged screenshot. Its data is the screenshot's id. */
const DRAGGED = 'application/x-screenshot';

/** A screenshot, which can be dragged onto another one to take its position. */
function Shot({ desk, shot, index, count }: ShotProps) {
  const onDrop = (event: DragEvent): void => {
    const id = event.dataTransfer?.getData(DRAGGED) ?? '';
    if (id === '') return;
    event.preventDefault();
    event.stopPropagation();
    if (id !== shot.id) void moveShot(desk, id, index, count);
  };
  return (
    <li class="shot" onDragOver={allowDrop} onDrop={onDrop}>
      <img
        src={smallOf(shot)}
        alt={shot.alt ?? `Screenshot ${index + 1}`}
        draggable
        onDragStart={(event) => event.dataTransfer?.setData(DRAGGED, shot.id)}
      />
      <AltField desk={desk} shot={shot} name={`screenshot ${index + 1}`} />
      <ShotActions desk={desk} shot={shot} index={index} count={count} />
    </li>
  );
}

function allowDrop(event: DragEvent): void {
  if (event.dataTransfer?.types.includes(DRAGGED) !== true) return;
  event.preventDefault();
  // Browsers also offer a dragged image as a file, which the list would upload.
  event.stopPropagation();
}

function moveShot(desk: Desk, id: string, index: number, count: number): Promise<void> {
  return desk.arrange(
    { do: 'move', what: id, place: String(index) },
    `Moved to position ${index + 1} of ${count}.`,
  );
}

function AltField({ desk, shot, name }: { desk: Desk; shot: Media; name: string }) {
  return (
    <label class="field">
      <span>Alternative text</span>
      <input
        value={shot.alt ?? ''}
        maxLength={desk.panel.altCharacters}
        placeholder="Describe the image"
        aria-label={`Alternative text of ${name}`}
        onChange={({ currentTarget }) =>
          desk.arrange(
            { do: 'describe', what: shot.id, alt: currentTarget.value },
            `The alternative text of ${name} has been saved.`,
          )
        }
      />
    </label>
  );
}

function ShotActions({ desk, shot, index, count }: ShotProps) {
  const name = `screenshot ${index + 1}`;
  return (
    <p class="shot-actions">
      <Arrow
        name={`Move ${name} earlier`}
        sign="←"
        off={index === 0}
        act={() => moveShot(desk, shot.id, index - 1, count)}
      />
      <Arrow
        name={`Move ${name} later`}
        sign="→"
        off={index === count - 1}
        act={() => moveShot(desk, shot.id, index + 1, count)}
      />
      <button
        type="button"
        class="button quiet"
        aria-label={`Remove ${name}`}
        onClick={() =>
          desk.arrange({ do: 'remove', what: shot.id }, `Screenshot ${index + 1} has been removed.`)
        }
      >
        Remove
      </button>
    </p>
  );
}

type ArrowProps = {
  readonly name: string;
  readonly sign: string;
  readonly off: boolean;
  readonly act: () => void;
};

/** Uses `aria-disabled`, because a disabled button would lose the focus after an image is moved to the end. */
function Arrow({ name, sign, off, act }: ArrowProps) {
  return (
    <button
      type="button"
      class="button quiet"
      aria-label={name}
      aria-disabled={off}
      onClick={() => {
        if (!off) act();
      }}
    >
      {sign}
    </button>
  );
}

function UploadState({ desk, upload }: { desk: Desk; upload: Upload }) {
  const { file, state } = upload;
  if (typeof state === 'object' && 'refused' in state) {
    return (
      <div class="upload-state" role="alert">
        <strong>{file.name}</strong>
        <span>{state.refused}</span>
        <span class="shot-actions">
          <button type="button" class="button quiet" onClick={() => desk.retry(upload)}>
            Try again
          </button>
          <button type="button" class="button quiet" onClick={() => desk.stop(upload)}>
            Dismiss
          </button>
        </span>
      </div>
    );
  }
  const share = state === 'waiting' ? 0 : state.share;
  return (
    <div class="upload-state">
      <strong>{file.name}</strong>
      {share < 1 ? (
        <progress aria-label={`Upload of ${file.name}`} max={1} value={share} />
      ) : (
        <progress aria-label={`Upload of ${file.name}`} />
      )}
      <button
        type="button"
        class="button quiet"
        aria-label={`Stop ${file.name}`}
        onClick={() => desk.stop(upload)}
      >
        Stop
      </button>
    </div>
  );
}

type FileButtonProps = {
  readonly label: string;
  readonly name: string;
  readonly accept: string;
  readonly describedBy: string;
  readonly multiple?: boolean;
  readonly take: (files: File[]) => void;
};

/** A file input with the look of a button. The visually hidden input has the focus. */
function FileButton({ label, name, accept, describedBy, multiple, take }: FileButtonProps) {
  return (
    <label class="button quiet file-button">
      {label}
      <input
        type="file"
        class="visually-hidden"
        accept={accept}
        multiple={multiple === true}
        aria-label={name}
        aria-describedby={describedBy}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = '';
          take(files);
        }}
      />
    </label>
  );
}

/** The address of a variant for a thumbnail, or of the original. */
function smallOf({ url, variants }: Media): string {
  const fit = variants.find(({ type, width }) => type === 'image/webp' && width >= 480);
  return fit?.url ?? url;
}

function useDrops(take: (files: File[]) => void) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current !== null) acceptDrops(place.current, (files) => take([...files]));
  }, []);
  return place;
}
