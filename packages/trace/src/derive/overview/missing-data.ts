// What a trace does not contain, why that matters, and how to record it.
import type { TraceModel } from '../../model/trace-model.ts';
import { TimeCover } from '../../times/time-cover.ts';
import { durationText } from '../facts/number-text.ts';

/** `what` names the missing data, `how` is the next step. Both are sentences. */
export type MissingData = {
  readonly id: string;
  readonly what: string;
  readonly how: string;
};

/** What is missing from a trace, the most useful first. Empty if it has everything that its sources can record. */
export function missingData(model: TraceModel): MissingData[] {
  return [...ofEnd(model), ...ofLosses(model), ...ofFrames(model), ...ofProcess(model)];
}

function ofEnd({ end, frames, process }: TraceModel): MissingData[] {
  if (end !== null || (frames.length === 0 && process.length === 0)) return [];
  return [
    {
      id: 'end',
      what: 'The trace has no end: the recording still runs, or its recorder was killed.',
      how: 'Everything until then is shown. End the session or stop the recording to get a complete trace.',
    },
  ];
}

function ofLosses({ losses, duration_ms }: TraceModel): MissingData[] {
  if (losses.length === 0) return [];
  const lost = lostTime(losses);
  const reasons = [...new Set(losses.map(({ reason }) => reason.replaceAll('_', ' ')))];
  const time =
    lost === 0 ? 'Data' : `${durationText(lost)} of ${durationText(duration_ms ?? lost)}`;
  return [
    {
      id: 'losses',
      what: `${time} is missing: ${reasons.slice(0, 3).join(', ')}.`,
      how: 'The timeline shows the gaps. Frames in gaps are not counted.',
    },
  ];
}

/** The time in ms that at least one loss covers. */
function lostTime(losses: TraceModel['losses']): number {
  const from = losses.map(({ t }) => t);
  const to = losses.map(({ t, duration_ms }) => t + (duration_ms ?? 0));
  const end = to.reduce((latest, one) => Math.max(latest, one), 0);
  return new TimeCover({ from, to }).within(0, end);
}

/** How to record the functions and the time of the main thread, by what draws the frames. */
const HOW = {
  page: {
    functions: 'Record the game with svc record, or record a performance trace in Chrome DevTools.',
    mainThread: 'svc record measures it.',
  },
  native: {
    functions: 'Record with svc dashboard --pid PID --probes frames,stacks.',
    mainThread: 'The samples of --probes stacks measure it.',
  },
  other: {
    functions:
      'For a browser game, svc record and a performance trace of Chrome DevTools have them.',
    mainThread: 'For a browser game, svc record measures it.',
  },
};

/** What programs that draw frames could record: a page, a native game, or another trace with frames. */
function ofFrames(model: TraceModel): MissingData[] {
  const { header, frames, stacks, assets, counters } = model;
  if (frames.length === 0) return [];
  const isPage = header.sources.includes('browser');
  const how = isPage ? HOW.page : frames.every(isNative) ? HOW.native : HOW.other;
  const hasMain = frames.some(({ main_ms }) => main_ms.some((ms) => !Number.isNaN(ms)));
  const hasGpu = frames.some(({ gpu_ms }) => gpu_ms.some((ms) => !Number.isNaN(ms)));
  const found: MissingData[] = [];
  if (stacks.length === 0) {
    found.push({
      id: 'functions',
      what: 'The functions that ran are not recorded.',
      how: how.functions,
    });
  }
  if (!hasMain && stacks.length === 0) {
    found.push({
      id: 'main_thread',
      what: 'The time of the main thread in each frame is not recorded.',
      how: `${how.mainThread} Without it, many hitches have no known cause.`,
    });
  }
  if (isPage && assets.length === 0) {
    found.push({
      id: 'assets',
      what: 'No asset is recorded.',
      how: 'The collector records loads, decodes and uploads. Start it before the game loads its assets.',
    });
  }
  if (isPage && !hasGpu) {
    found.push({
      id: 'gpu',
      what: 'The time of the GPU in each frame is not recorded.',
      how: 'Browsers measure it only where WebGL or WebGPU offers timer queries, as Chromium on most desktops does.',
    });
  }
  if (isPage && !counters.some(({ name }) => name.endsWith('_bytes'))) {
    found.push({
      id: 'memory',
      what: 'Memory is not recorded.',
      how: 'Chromium reports the JS heap of a page; other browsers do not.',
    });
  }
  if (header.gpu?.software === true) {
    found.push({
      id: 'software_gpu',
      what: `Graphics was rendered in software (${header.gpu.name}), so graphics times say nothing about computers with a GPU.`,
      how: 'Record on a computer with a GPU, with a window.',
    });
  }
  return found;
}

/** What the agent could record of a process. The log of another tool may have the memory of a process, too. */
function ofProcess({ process, stacks, assets, frames }: TraceModel): MissingData[] {
  const found: MissingData[] = [];
  if (!process.some(isNative)) return [];
  if (!process.some(({ pss_bytes }) => pss_bytes.some((bytes) => !Number.isNaN(bytes)))) {
    found.push({
      id: 'pss',
      what: 'PSS, the share of memory without what other programs share, is not recorded.',
      how: 'The agent must be allowed to read it: run svc dashboard as the user that runs the game.',
    });
  }
  // Of native frames, `functions` states it.
  const isStated = frames.some(isNative) && stacks.length === 0;
  if (!stacks.some(isNative) && !isStated) {
    found.push({
      id: 'native_functions',
      what: 'The functions of the program are not recorded.',
      how: 'Record with svc dashboard --pid PID --probes stacks.',
    });
  }
  if (!assets.some(isNative)) {
    found.push({
      id: 'files',
      what: 'The files that the program reads are not recorded.',
      how: 'Record with svc dashboard --pid PID --probes files.',
    });
  }
  if (frames.length === 0) {
    found.push({
      id: 'native_frames',
      what: 'Frames are not recorded, so hitches are not known.',
      how: 'Record with svc dashboard --pid PID --probes frames. A browser game records them with svc record or the collector.',
    });
  }
  return found;
}

function isNative({ source }: { readonly source: string }): boolean {
  return source === 'native';
}
