// `trace_assets`: the assets of a trace by what they cost the player.
import {
  type AssetReportEntry,
  assetReportOfModel,
  bytesText,
  DEFAULT_BUDGET_MS,
  nameText,
  pluralText,
} from '@svc/trace';
import { type Static, Type } from 'typebox';
import { defineTool } from './define-tool.ts';
import { FRAME_MS, limitOf, matcherOf, OFFSET, SEARCH, STRICT, TRACE } from './inputs.ts';
import { Count, Measured, Text, TraceId } from './outputs.ts';

const USUAL = 15;
const MOST = 100;

const AssetRow = Type.Object({
  name: Text,
  kind: Text,
  source: Text,
  uses: Count,
  cost: Type.Number({ description: 'In frame budgets.' }),
  share: Type.Number({ description: 'Of the cost of all assets, 0 to 1.' }),
  hitch_ms: Type.Number({ description: 'Its part of the time over budget.' }),
  hitches: Count,
  main_thread_ms: Measured,
  load_ms: Measured,
  decode_ms: Measured,
  upload_ms: Measured,
  bytes: Measured,
  gpu_bytes: Measured,
  advice: Type.Array(Text),
});

export const assetsTool = defineTool({
  name: 'trace_assets',
  title: 'Rank assets by cost',
  description:
    'Ranks the assets of a game (textures, meshes, sounds, shaders, scripts, files) by their cost to the player, hardest first: hitches they caused, time on the main thread, load, decode and upload times, memory, with advice. The cost is a number of frame budgets. Call it when the summary blames uploads, decodes, loads, shader compiles or memory.',
  input: Type.Object(
    {
      trace: TRACE,
      search: SEARCH,
      limit: limitOf(MOST, USUAL),
      offset: OFFSET,
      frame_ms: FRAME_MS,
    },
    STRICT,
  ),
  output: Type.Object({
    trace: TraceId,
    totals: Type.Object({
      assets: Count,
      cost: Type.Number(),
      bytes: Measured,
      gpu_bytes: Measured,
      main_thread_ms: Measured,
      hitch_ms: Type.Number(),
    }),
    matched: Type.Integer({ minimum: 0, description: 'Assets that the search matches.' }),
    assets: Type.Array(AssetRow),
  }),
  async run({ trace, search, limit = USUAL, offset = 0, frame_ms }, { read }) {
    const { id, model } = await read(trace);
    const matches = matcherOf(search);
    const most = matches === undefined ? offset + limit : Number.POSITIVE_INFINITY;
    const report = assetReportOfModel(model, frame_ms ?? DEFAULT_BUDGET_MS, most);
    const { assets, cost, bytes, gpu_bytes, main_thread_ms, hitch_ms } = report.totals;
    const found = report.assets.filter(({ name }) => matches?.(name) ?? true);
    const matched = found.length + report.left_out;
    return {
      answer: {
        ...{ trace: id, matched },
        totals: { assets, cost, bytes, gpu_bytes, main_thread_ms, hitch_ms },
        assets: found.slice(offset, offset + limit).map(rowOf),
      },
      lists: ({ assets: rows }) => [
        {
          ...{ part: 'cheaper assets', rows, total: Math.max(0, matched - offset) },
          how: (kept) => `Call trace_assets with "offset": ${offset + kept}.`,
        },
      ],
      text: ({ assets: rows }) => [
        assets === 0
          ? 'The trace has no assets.'
          : `${pluralText(assets, 'asset')} with a cost of ${cost.toFixed(2)} frame budgets. The costliest:`,
        ...rows.map(textOf),
      ],
    };
  },
});

function rowOf({ advice, id: _id, read_bytes: _read, ...asset }: AssetReportEntry) {
  return { ...asset, advice: advice.map(({ text }) => text) } satisfies Static<typeof AssetRow>;
}

function textOf({ name, kind, cost, hitch_ms, bytes, gpu_bytes }: Static<typeof AssetRow>): string {
  const facts = [
    `cost ${cost}`,
    ...(hitch_ms > 0 ? [`${hitch_ms} ms of hitches`] : []),
    ...(bytes === null ? [] : [bytesText(bytes)]),
    ...(gpu_bytes === null ? [] : [`${bytesText(gpu_bytes)} on the GPU`]),
  ];
  return `- ${nameText(name)} (${kind}): ${facts.join(', ')}`;
}
