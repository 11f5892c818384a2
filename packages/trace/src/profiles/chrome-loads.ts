// The files that a page in a Chrome trace loaded, and the scripts that it compiled and ran.
import type { AssetKind, AssetRecord } from '../format/records.ts';
import { cleanName, cleanUrl } from '../vpt/clean-name.ts';
import { roundMs } from '../vpt/format-record.ts';
import type { ChromeEvent } from './chrome-event.ts';
import type { ChromeThread, Interval } from './chrome-thread.ts';
import { countOf, numberOf, textOf } from './json-fields.ts';

type Load = {
  readonly url: string;
  readonly resourceType: string;
  readonly pid: string;
  readonly ts: number;
  mimeType: string;
  end: number;
  fromCache: boolean | null;
  transferBytes: number | undefined;
  bytes: number | undefined;
};

/** Joins the events of each request by the id that Chrome gave it. */
export class ChromeLoads {
  readonly #loads = new Map<string, Load>();

  /** Takes an event if it is about a request. */
  take({ name, ts, pid, data }: ChromeEvent): void {
    if (!name.startsWith('Resource')) return;
    const key = `${pid}:${textOf(data['requestId'])}`;
    if (name === 'ResourceSendRequest') {
      this.#loads.set(key, {
        url: textOf(data['url']),
        resourceType: textOf(data['resourceType']),
        pid,
        ts,
        mimeType: '',
        end: Number.NaN,
        fromCache: null,
        transferBytes: undefined,
        bytes: undefined,
      });
      return;
    }
    const load = this.#loads.get(key);
    if (load === undefined) return;
    if (name === 'ResourceReceiveResponse') {
      load.mimeType = textOf(data['mimeType']);
      load.fromCache = data['fromCache'] === true;
    } else if (name === 'ResourceFinish') {
      // The time on the network is earlier than the event, which waits for the main thread.
      const finished = numberOf(data['finishTime']) * 1e6;
      load.end = finished >= load.ts && finished <= ts ? finished : Math.max(load.ts, ts);
      load.transferBytes = countOf(data['encodedDataLength']);
      load.bytes = data['didFail'] === true ? undefined : countOf(data['decodedBodyLength']);
    }
  }

  /** The records of a page: its loads, then the scripts that its main thread compiled and ran. Times are after `origin`. */
  records(main: ChromeThread, origin: number): AssetRecord[] {
    const ids = new Map<string, number>();
    const idOf = (url: string): number => {
      const id = ids.get(url) ?? ids.size;
      ids.set(url, id);
      return id;
    };
    const loads = [...this.#loads.values()]
      .filter(({ pid, url, ts }) => pid === main.pid && isFile(url) && ts >= origin)
      .map((load) => loadRecord(load, idOf(load.url), origin));
    const scripts = compilesOf(main)
      .filter(({ name, ts }) => isFile(name) && ts >= origin)
      .map(({ name: url, ts, dur }): AssetRecord => {
        const ms = roundMs(dur / 1000);
        const asset = {
          id: idOf(url),
          name: nameOf(url),
          kind: 'script',
          phase: 'compile',
        } as const;
        const t = roundMs((ts - origin) / 1000);
        return { type: 'asset', t, ...asset, duration_ms: ms, main_thread_ms: ms };
      });
    return [...loads, ...scripts];
  }
}

function loadRecord(load: Load, id: number, origin: number): AssetRecord {
  const { url, ts, end, fromCache, bytes, transferBytes } = load;
  const transfer = fromCache === true ? 0 : transferBytes;
  return {
    type: 'asset',
    t: roundMs((ts - origin) / 1000),
    id,
    name: nameOf(url),
    kind: kindOf(load),
    phase: 'load',
    ...(bytes !== undefined && { bytes }),
    ...(transfer !== undefined && { transfer_bytes: transfer }),
    ...(fromCache !== null && { cached: fromCache }),
    ...(!Number.isNaN(end) && { duration_ms: roundMs((end - ts) / 1000) }),
  };
}

/** The scripts that ran, and those that were compiled outside of a run. A run contains its compilation. */
function compilesOf({ scripts, compiles }: ChromeThread): Interval[] {
  const all = [
    ...scripts.map((run) => ({ run, isRun: true })),
    ...compiles.map((run) => ({ run, isRun: false })),
  ].sort((a, b) => a.run.ts - b.run.ts || Number(b.isRun) - Number(a.isRun));
  let end = Number.NEGATIVE_INFINITY;
  return all.flatMap(({ run, isRun }) => {
    if (run.ts + run.dur <= end) return [];
    if (isRun) end = run.ts + run.dur;
    return [run];
  });
}

function isFile(url: string): boolean {
  return (
    /^[a-z][a-z\d+.-]*:/i.test(url) &&
    !/^(?:data|about|chrome|chrome-extension|devtools):/i.test(url)
  );
}

function nameOf(url: string): string {
  return cleanName(cleanUrl(url));
}

const BY_EXTENSION: readonly (readonly [AssetKind, RegExp])[] = [
  ['texture', /\.(?:png|jpe?g|webp|avif|gif|bmp|svg|ktx2?|basis|dds|hdr|exr|tga)$/i],
  ['mesh', /\.(?:gltf|glb|obj|fbx|ply|stl|drc|usdz)$/i],
  ['audio', /\.(?:mp3|ogg|oga|wav|m4a|aac|flac|opus|weba)$/i],
  ['video', /\.(?:mp4|webm|mov|m4v|ogv)$/i],
  ['font', /\.(?:woff2?|ttf|otf)$/i],
  ['shader', /\.(?:glsl|vert|frag|wgsl|spv)$/i],
  ['script', /\.(?:m?js|wasm)$/i],
];
const BY_MIME: readonly (readonly [AssetKind, RegExp])[] = [
  ['texture', /^image\//],
  ['mesh', /^model\//],
  ['audio', /^audio\//],
  ['video', /^video\//],
  ['font', /^font\//],
  ['script', /javascript|^application\/wasm$/],
];

function kindOf({ url, mimeType, resourceType }: Load): AssetKind {
  const path = url.replace(/[?#][\s\S]*$/, '');
  const byPath = BY_EXTENSION.find(([, pattern]) => pattern.test(path));
  const byMime = BY_MIME.find(([, pattern]) => pattern.test(mimeType));
  const found = byPath ?? byMime;
  if (found !== undefined) return found[0];
  return /^(?:Document|Stylesheet|Manifest|Other)$/.test(resourceType) ? 'other' : 'data';
}
