// The schemas of the documents that `--json` writes. The types of the commands' results follow from them, and `schemas/` publishes them.
import {
  Analysis,
  AssetReport,
  BusyChild,
  Capability,
  EndReason,
  Probe,
  Provider,
  Target,
} from '@svc/contracts/agent';
import {
  Account,
  AuthKind,
  BuildFinding,
  DryRunAnswer,
  Game,
  Isolation,
  Nullable,
  Preview,
  Publisher,
  Release,
  StatsAnswer,
  Token,
} from '@svc/contracts/platform';
import { type Static, type TSchema, Type } from 'typebox';
import { ProjectFile } from './project/project-file.ts';
import { Note, NoteAbout, NotesLeftOut, traceDocuments } from './trace-documents.ts';

const Count = Type.Integer({ minimum: 0 });
const Text = Type.String();
const Texts = Type.Array(Text);

/** The document of `svc --version --json`. */
export const VersionDocument = Type.Object({
  version: Text,
  format: Type.Integer({ minimum: 1, description: 'The version of the trace format.' }),
  node: Type.String({ description: 'The version of the Node that runs svc.' }),
});

/** The document of a command that fails. The fields of its result, if there are any, are beside `error`. */
export const ErrorDocument = Type.Object({
  error: Type.Object({
    code: Type.String({ description: 'A stable word for programs.' }),
    message: Type.String({ description: 'One sentence for people.' }),
    exit_code: Type.Integer({ minimum: 1, maximum: 130 }),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
    column: Type.Optional(Type.Integer({ minimum: 1, description: 'In bytes.' })),
    hint: Type.Optional(Text),
    retry_after_s: Type.Optional(Type.Number({ minimum: 0 })),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.Optional(Text),
          entry: Type.Optional(Text),
          rule: Type.Optional(Text),
          message: Text,
          hint: Type.Optional(Text),
        }),
      ),
    ),
  }),
});

const SizedDiff = Type.Object({
  new: Texts,
  changed: Texts,
  same: Texts,
  gone: Texts,
  bytes: Type.Integer({ minimum: 0, description: 'Of new and changed files, unpacked.' }),
});

const Finding = Type.Object({
  code: Text,
  entry: Nullable(Text),
  rule: Text,
  message: Text,
  hint: Nullable(Text),
});

const Replaced = Nullable(
  Type.String({
    description: 'The version that players got before. Null if they got none, or this one.',
  }),
);

const Skipped = {
  skipped: Type.Array(Type.Object({ line: Type.Integer({ minimum: 1 }), reason: Text })),
  skipped_count: Count,
};
const Value = Type.Number();
const Series = Type.Object({
  record: Type.Enum(['process', 'counter']),
  source: Text,
  name: Type.String({ description: 'A field of the process records, or the name of a counter.' }),
  unit: Type.String({ description: '% is percent of one core.' }),
  count: Type.Integer({ minimum: 1 }),
  min: Value,
  mean: Value,
  p95: Value,
  max: Value,
  last: Value,
  slope_per_minute: Nullable(
    Type.Object({
      slope: Value,
      low: Type.Number({ description: 'The 95 % interval of the slope begins here.' }),
      high: Value,
    }),
  ),
  trend: Nullable(Type.Enum(['rising', 'falling', 'flat'])),
  values_per_bucket: Type.Integer({
    minimum: 1,
    description:
      'Above 1, p95, the slope and the trend are those of averages of this number of values.',
  }),
});
const FrameTimes = Type.Object({
  source: Text,
  count: Count,
  left_out: Type.Integer({ minimum: 0, description: 'Frames that overlap a loss.' }),
  average_fps: Nullable(Value),
  low_1_percent_fps: Nullable(Value),
  p95_ms: Nullable(Value),
  p99_ms: Nullable(Value),
  max_ms: Nullable(Value),
  budget_ms: Value,
  hitches: Type.Integer({ minimum: 0, description: 'Frames over 1.05 budgets.' }),
  exact: Type.Boolean({
    description: 'False for over 262,144 frames: percentiles and the 1 % low are within 0.4 %.',
  }),
});
const Format = Type.Enum([
  ...['vpt', 'folded', 'cpuprofile', 'chrome'],
  ...['mangohud', 'presentmon', 'unreal', 'godot'],
] as const);
const Distinct = Type.Union([Count, Type.String({ pattern: '^>\\d+$' })]);

const Published = Type.Object({
  published: Type.Boolean({ description: 'Whether players get the release.' }),
  staged: Type.Boolean({
    description: 'Whether the release is staged: players get it after svc promote.',
  }),
  unchanged: Type.Boolean({
    description: 'Whether nothing new was uploaded, because a release has the same files.',
  }),
  already_published: Type.Boolean(),
  online_again: Type.Boolean({
    description: 'The game was unpublished, and is online again with a release published before.',
  }),
  game: Game,
  release: Release,
  url: Nullable(Text),
  preview: Nullable(
    Type.Object(Preview.properties, {
      description: 'The link of --stage or --preview. Null without these options.',
    }),
  ),
  diff: Nullable(SizedDiff),
  findings: Nullable(Type.Array(BuildFinding)),
  start_test: Nullable(
    Type.Enum(['browser', 'requests'], {
      description:
        'How svc checked that the game starts: in a browser, or by requesting its files. Null if it did not.',
    }),
  ),
});

const Unchanged = Type.Object({
  published: Type.Literal(false),
  staged: Type.Literal(false),
  unchanged: Type.Literal(true),
  game: Game,
  release: Release,
  url: Nullable(Text),
});

const DryRun = Type.Object({
  published: Type.Literal(false),
  dry_run: Type.Literal(true),
  verdict: Nullable(DryRunAnswer),
  digest: Text,
  zip_bytes: Count,
  expanded_bytes: Count,
  findings: Type.Array(Finding),
  diff: SizedDiff,
});

const Listening = Type.Object({
  event: Type.Literal('listening'),
  url: Text,
  origin: Text,
  token: Text,
  target: Nullable(Target),
  expires_at: Text,
});

const ProgramExit = Type.Object(
  { code: Nullable(Type.Integer()), signal: Nullable(Text) },
  { description: 'How the program that svc has started ended. One of the two is null.' },
);

const Ended = Type.Object({
  event: Type.Literal('ended'),
  reason: EndReason,
  trace: Nullable(Type.Object({ path: Text, bytes: Count, truncated: Type.Boolean() })),
  exit: Type.Optional(ProgramExit),
});

const BusyChildFound = Type.Object(
  { event: Type.Literal('busy_child'), ...BusyChild.properties },
  { description: 'The process is idle, and this child of it works and is not recorded.' },
);

const Milliseconds = Type.Number({ minimum: 0 });
const AssetKind = Type.Enum([
  'texture',
  'mesh',
  'audio',
  'shader',
  'script',
  'data',
  'video',
  'font',
  'other',
]);

/** One of the two traces that `svc trace blame` compares. */
const BlamedTrace = Type.Object({
  path: Text,
  build_digest: Nullable(
    Type.String({
      description: 'Of the build that was recorded. Null if the trace does not name it.',
    }),
  ),
  duration_ms: Nullable(Milliseconds),
  frames: Nullable(
    Type.Object({
      count: Count,
      over_budget: Count,
      over_budget_ms: Milliseconds,
      p50_ms: Nullable(Milliseconds),
      p99_ms: Nullable(Milliseconds),
    }),
  ),
  assets: Count,
  cost: Type.Number({ minimum: 0, description: 'Of all assets, in frame budgets.' }),
  hitch_ms: Milliseconds,
});

/** The values of an asset in one of the traces. Null: not measured. */
const BlamedAsset = Type.Object({
  bytes: Nullable(Count),
  gpu_bytes: Nullable(Count),
  load_ms: Nullable(Milliseconds),
  decode_ms: Nullable(Milliseconds),
  upload_ms: Nullable(Milliseconds),
  main_thread_ms: Nullable(Milliseconds),
  hitch_ms: Milliseconds,
  hitches: Count,
  cost: Type.Number({ minimum: 0 }),
  uses: Count,
});

/** The graphics adapter. */
const Gpu = Type.Object({
  name: Text,
  software: Type.Boolean({ description: 'True if it renders on the CPU.' }),
});

/** The machine of a recording. */
const Machine = Type.Object({
  cores: Count,
  cpu: Type.Optional(Text),
  max_mhz: Type.Optional(Count),
  memory_bytes: Type.Optional(Count),
});

const BudgetChecks = Type.Array(
  Type.Object({
    budget: Text,
    limit: Type.Number(),
    value: Nullable(Type.Number()),
    kept: Type.Boolean(),
  }),
);

const StartFaults = Type.Array(
  Type.Object({
    rule: Type.String({
      description:
        'missing_file, uncaught_error, blocked_request, plain_http, isolation, no_frame or crashed.',
    }),
    message: Text,
    path: Nullable(
      Type.String({ description: 'A file, or an address. Errors add line and column.' }),
    ),
    hint: Nullable(Text),
  }),
);

const FirstFrame = Nullable(
  Type.Integer({
    minimum: 0,
    description: 'From the load of the page to the first draw. Null if the game drew nothing.',
  }),
);

/** The test of a game in a browser. */
const Start = Type.Object({
  browser: Type.String({ description: 'The program of the browser.' }),
  first_frame_ms: FirstFrame,
  duration_ms: Count,
  frames: Count,
  hitches: Count,
  faults: StartFaults,
  warnings: StartFaults,
});

const FrameBound = Type.Enum(['script', 'rendering', 'loading', 'gc', 'gpu', 'unknown']);

const HitchCauses = Type.Array(
  Type.Object({
    kind: Type.Enum([
      'asset',
      'html',
      'gc',
      'rendering',
      'function',
      'script',
      'span',
      'browser',
      'gpu',
      'waiting',
      'unknown',
    ]),
    name: Nullable(
      Type.String({ description: 'The asset, the function, the script or the span.' }),
    ),
    phase: Nullable(
      Type.String({ description: 'Of an asset: load, decode, upload, compile or read.' }),
    ),
    ms: Milliseconds,
    text: Type.String({ description: 'The cause as a clause: uploading comet.png took 180 ms.' }),
  }),
  { description: 'What took the time of the hitch, the most costly first, five at most.' },
);

/** The document of each command, by the words of the command joined by `-`. */
/** Growth from each occurrence of repeated work to the next, in bytes. */
const RepeatedGrowth = Type.Object({
  count: Type.Integer({ minimum: 1, description: 'The number of comparisons.' }),
  median: Type.Number({ description: 'In bytes.' }),
  low: Type.Number(),
  high: Type.Number(),
  confidence: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The probability that the median is between low and high.',
  }),
});
const Leaks = Type.Object({
  answer: Type.String({ description: 'What leaks, as a sentence.' }),
  notes: Type.Array(Text, { description: 'What the trace lacks, and how to get it.' }),
  duration_ms: Milliseconds,
  records_releases: Type.Boolean({
    description: 'Whether the trace records when GPU memory is freed. If not, alive is null.',
  }),
  releases: Type.Integer({ minimum: 0, description: 'The number of released objects.' }),
  alive: Nullable(
    Type.Object(
      {
        count: Type.Integer({ minimum: 0, description: 'Of all assets, listed or not.' }),
        gpu_bytes: Count,
        assets: Type.Array(
          Type.Object({
            id: Type.Union([Count, Text]),
            source: Text,
            name: Text,
            kind: AssetKind,
            gpu_bytes: Count,
            bytes: Nullable(
              Type.Integer({
                minimum: 0,
                description: 'Its size in main memory, which the browser may have freed.',
              }),
            ),
            first_ms: Milliseconds,
            age_ms: Milliseconds,
            releases: Count,
          }),
          { description: 'The largest first.' },
        ),
      },
      { description: 'The assets with GPU memory at the end of the trace.' },
    ),
  ),
  repeats: Type.Array(
    Type.Object({
      name: Text,
      kind: Type.String({ description: 'span or mark.' }),
      source: Text,
      track: Nullable(Text),
      leaks: Type.Boolean(),
      explanation: Type.String({ description: 'What it leaves, as a sentence.' }),
      count: Type.Integer({ minimum: 2, description: 'Of all occurrences, listed or not.' }),
      gpu: Nullable(RepeatedGrowth),
      assets: Type.Array(
        Type.Object({
          name: Text,
          kind: AssetKind,
          source: Text,
          assets: Type.Integer({
            minimum: 0,
            description: 'The number of assets with this name that are alive after the last one.',
          }),
          each: RepeatedGrowth,
          total_bytes: Type.Number({ description: 'The growth from the first to the last.' }),
        }),
        { description: 'Those that grow, the largest total first.' },
      ),
      series: Type.Array(Type.Object({ label: Text, each: RepeatedGrowth, grows: Type.Boolean() })),
      loads: Type.Array(
        Type.Object({
          from_ms: Milliseconds,
          to_ms: Milliseconds,
          gpu_bytes: Nullable(
            Type.Number({ description: 'Of all assets in the pause after the occurrence.' }),
          ),
          new_assets: Count,
          kept_assets: Nullable(Count),
          kept_bytes: Nullable(
            Type.Integer({
              minimum: 0,
              description: 'GPU memory of new assets that outlived the next occurrence.',
            }),
          ),
        }),
        { description: 'The latest occurrences, in time order.' },
      ),
    }),
    { description: 'Spans and marks that occur at least twice. Leaking ones first.' },
  ),
  series: Type.Array(
    Type.Object({
      label: Text,
      source: Text,
      grows: Type.Boolean({ description: 'False also if the series is too short.' }),
      bytes_per_minute: Nullable(
        Type.Object(
          { slope: Type.Number(), low: Type.Number(), high: Type.Number() },
          { description: 'With its 95 % interval, after the start. Null if too short.' },
        ),
      ),
    }),
  ),
});

export const DOCUMENTS = {
  update: Type.Object({
    current: Type.String({ description: 'The version of this svc.' }),
    latest: Type.String({ description: 'The newest version in the registry.' }),
    newer: Type.Boolean({ description: 'Whether `latest` is newer than `current`.' }),
    registry: Text,
  }),
  dashboard: Type.Union([Listening, BusyChildFound, Ended], {
    description: 'One JSON line for each event.',
  }),
  play: Type.Union(
    [
      Type.Object({
        event: Type.Literal('listening'),
        url: Text,
        path: Text,
        digest: Text,
        file_count: Count,
        expanded_bytes: Count,
        isolation: Isolation,
        threads: Type.Boolean(),
        findings: Type.Array(Finding),
      }),
      Type.Object({
        event: Type.Literal('missing'),
        path: Type.String({ description: 'A requested file that the build does not have.' }),
      }),
      Type.Object({ event: Type.Literal('opened'), url: Text }),
      Type.Object({ event: Type.Literal('ended') }),
    ],
    { description: 'One JSON line for each event.' },
  ),
  record: Type.Object({
    output: Type.String({ description: 'The path of the trace.' }),
    ended: Type.Enum(['stopped', 'closed', 'crashed', 'exited'], {
      description:
        'stopped by Ctrl-C or --seconds, closed by its window or itself, crashed; of a process: stopped, or exited by itself.',
    }),
    duration_ms: Count,
    frames: Count,
    hitches: Type.Integer({ minimum: 0, description: 'Frames over the budget of 60 per second.' }),
    first_frame_ms: FirstFrame,
    warnings: StartFaults,
    bound: Nullable(FrameBound),
    answer: Type.String({ description: 'What bounds the frames, as a sentence.' }),
    worst: Nullable(
      Type.Object(
        {
          t: Type.Number({ minimum: 0 }),
          duration_ms: Type.Number({ minimum: 0 }),
          bound: FrameBound,
          causes: HitchCauses,
          functions: Type.Array(
            Type.Object({ name: Text, self_ms: Type.Number(), total_ms: Type.Number() }),
          ),
        },
        {
          description:
            'The longest hitch, its causes, and the functions with the most time of their own in it, which includes what the browser did for them.',
        },
      ),
    ),
    symbols: Nullable(
      Type.Object(
        { functions: Count, resolved: Count },
        {
          description:
            'How many functions were named from source maps. Null without such names, and for a URL.',
        },
      ),
    ),
    input: Nullable(
      Type.Object(
        { path: Type.String(), steps: Count, played: Count },
        { description: 'The script of --input, and how many of its steps were played.' },
      ),
    ),
    recorded_input: Nullable(
      Type.Object(
        { path: Type.String(), steps: Count },
        { description: 'The script that --record-input wrote.' },
      ),
    ),
    process: Nullable(
      Type.Object(
        {
          pid: Count,
          name: Text,
          exit: Nullable(ProgramExit),
          cpu_percent: Nullable(
            Type.Object(
              { mean: Type.Number(), max: Type.Number() },
              { description: 'In percent of one core.' },
            ),
          ),
          rss_max_bytes: Nullable(Count),
          pss_max_bytes: Nullable(Count),
          merged_records: Type.Union([Count, Type.Null()], {
            description: 'Records of the trace of --follow. Null without --follow.',
          }),
          probes: Type.Array(Probe, {
            description: 'What was measured, and what was not, with the reason.',
          }),
          busy_child: Nullable(BusyChild),
          truncated: Type.Boolean({
            description: 'True if the trace does not have the end of the recording.',
          }),
        },
        { description: 'The recorded process. Null for a browser game.' },
      ),
    ),
    budgets: {
      ...BudgetChecks,
      description: 'The budgets in svc.json. Empty without any, and for a browser game.',
    },
  }),
  'trace-info': Type.Object({
    format: Format,
    sources: Texts,
    records: Count,
    samples: Count,
    weight_total: Type.String({ description: 'An exact decimal.' }),
    weight_total_before: Type.Optional(Text),
    unit: Nullable(Text),
    other_weights: Type.Optional(Type.Array(Type.Object({ unit: Text, weight_total: Text }))),
    stacks: Distinct,
    frames: {
      ...Distinct,
      description: 'Distinct functions in the stacks. Animation frames are in frame_times.',
    },
    duration_ms: Nullable(Type.Number({ minimum: 0 })),
    gpu: Type.Optional(Gpu),
    machine: Type.Optional(Machine),
    build: Type.Optional(Type.Object({ digest: Text })),
    partial: Type.Boolean(),
    torn_bytes: Count,
    ...Skipped,
    record_counts: Type.Record(Text, Count, { description: 'The number of records by type.' }),
    series: Type.Array(Series),
    counters_left_out: Type.Integer({
      minimum: 0,
      description:
        'The number of counter records that are not in series. svc follows the first 64 counters.',
    }),
    frame_times: Type.Array(FrameTimes),
    notes: Type.Array(Note, { description: 'The first 1,000 notes of a person, by time.' }),
    notes_left_out: NotesLeftOut,
  }),
  'trace-assets': AssetReport,
  'trace-check': Type.Object({
    valid: Type.Literal(true),
    format: Format,
    records: Count,
    partial: Type.Boolean(),
    torn_bytes: Count,
    ...Skipped,
  }),
  'trace-convert': Type.Object({
    out: Text,
    bytes: Count,
    format: Format,
    skipped_count: Count,
    torn: Type.Optional(Type.Boolean({ description: 'True if the file ended in the middle.' })),
  }),
  'trace-symbolicate': Type.Object({
    out: Text,
    bytes: Count,
    functions: Type.Integer({
      minimum: 0,
      description: 'The number of functions with a position.',
    }),
    resolved: Type.Integer({ minimum: 0, description: 'Those whose original name was found.' }),
    maps: Type.Array(Text, { description: 'The files whose maps or names were used.' }),
    scripts: Type.Array(
      Type.Object({
        url: Text,
        functions: Count,
        resolved: Count,
        map: Nullable(Type.String({ description: 'The file with the map or the names.' })),
      }),
      { description: 'Those with the most functions without a source are first.' },
    ),
    warnings: Type.Array(Type.Object({ path: Text, message: Text }), {
      description: 'Files that can not be used.',
    }),
    torn: Type.Optional(
      Type.Boolean({
        description: 'True if a profile ended in the middle, and is written as far as it goes.',
      }),
    ),
  }),
  'trace-hitches': Type.Object({
    budget_ms: Type.Number({ minimum: 0 }),
    frames: Count,
    count: Type.Integer({ minimum: 0, description: 'The number of hitches, listed or not.' }),
    answer: Type.String({ description: 'What bounds the frames, as a sentence.' }),
    bound: Nullable(FrameBound),
    bounds: Type.Array(
      Type.Object({
        bound: FrameBound,
        hitches: Count,
        over_ms: Milliseconds,
        share: Type.Number(),
      }),
      { description: 'Of all hitches, the bound with the most time over budget first.' },
    ),
    main_work: Nullable(
      Type.Array(Type.Object({ work: Text, total_ms: Milliseconds, share: Type.Number() }), {
        description: 'The time of the main thread in all frames in which it is known.',
      }),
    ),
    gpu: Nullable(Gpu),
    hitches: Type.Array(
      Type.Object({
        source: Text,
        t: Type.Number({ minimum: 0 }),
        duration_ms: Type.Number({ minimum: 0 }),
        over_ms: Type.Number({ minimum: 0 }),
        bound: FrameBound,
        evidence: Type.String({
          description: 'main_thread, gpu, gpu_process, other_work, waited or not_measured.',
        }),
        explanation: Type.String({ description: 'The bound and its evidence, as a sentence.' }),
        parts: Type.Object({
          main_ms: Nullable(Milliseconds),
          script_ms: Milliseconds,
          rendering_ms: Milliseconds,
          loading_ms: Milliseconds,
          gc_ms: Milliseconds,
          other_ms: Nullable(Milliseconds),
          idle_ms: Nullable(Milliseconds),
          gpu_ms: Nullable(Milliseconds),
          gpu_process_ms: Nullable(Milliseconds),
        }),
        note: NoteAbout,
        causes: HitchCauses,
        functions: Type.Array(
          Type.Object({
            name: Text,
            unit: Text,
            self: Type.Number(),
            total: Type.Number(),
            exact: Type.Boolean({
              description:
                'False if the samples have no times of their own, but belong to a longer time.',
            }),
          }),
        ),
        assets: Type.Array(Type.Object({ name: Text, phase: Text, within_ms: Type.Number() })),
        spans: Type.Array(
          Type.Object({ name: Text, track: Nullable(Text), within_ms: Type.Number() }),
        ),
      }),
      { description: 'The longest first.' },
    ),
  }),
  'trace-leaks': Leaks,
  ...traceDocuments(HitchCauses),
  'trace-analyze': Analysis,
  'trace-budget': Type.Object({ kept: Type.Boolean(), checks: BudgetChecks }),
  'trace-blame': Type.Object({
    before: BlamedTrace,
    after: BlamedTrace,
    builds: Nullable(
      Type.Object(
        {
          digest_before: Text,
          digest_after: Text,
          bytes_before: Count,
          bytes_after: Count,
          new: Count,
          changed: Count,
          gone: Count,
        },
        { description: 'Files of the builds. Null without --build-old and --build-new.' },
      ),
    ),
    assets: Type.Array(
      Type.Object({
        name: Text,
        kind: AssetKind,
        source: Text,
        state: Type.Enum(['new', 'gone', 'changed', 'same', 'kept'], {
          description:
            'changed: in both traces, with another content; same: with the same content; kept: the contents are unknown.',
        }),
        old_name: Nullable(
          Type.String({ description: 'Its name in the older trace, if it has another one there.' }),
        ),
        before: Nullable(BlamedAsset),
        after: Nullable(BlamedAsset),
        cost_change: Type.Number({ description: 'In frame budgets.' }),
        file_bytes_before: Nullable(Count),
        file_bytes_after: Nullable(Count),
      }),
      { description: 'The largest rise of cost is first.' },
    ),
    left_out: Type.Integer({ minimum: 0, description: 'The number of changes not listed.' }),
    unchanged: Type.Integer({
      minimum: 0,
      description: 'The number of assets in both traces that cost as much as before.',
    }),
    groups: Type.Array(
      Type.Object({
        state: Type.Enum(['new', 'gone']),
        kind: AssetKind,
        count: Count,
        cost_change: Type.Number(),
        hitch_ms: Milliseconds,
        main_thread_ms: Milliseconds,
        bytes: Count,
        gpu_bytes: Count,
      }),
      { description: 'All new assets of a kind, and all that are gone.' },
    ),
  }),
  init: Type.Object({ path: Text, project: ProjectFile }),
  check: Type.Object({
    path: Text,
    accepted: Type.Literal(true),
    digest: Text,
    root: Text,
    zip_bytes: Count,
    expanded_bytes: Count,
    file_count: Count,
    isolation: Isolation,
    threads: Type.Boolean(),
    dropped: Texts,
    ignored: Texts,
    findings: Type.Array(Finding),
    files: Type.Array(
      Type.Object({ path: Text, type: Text, encoding: Nullable(Text), bytes: Count }),
    ),
    portals: Type.Array(
      Type.Object({ id: Text, name: Text, source: Text, fits: Type.Boolean(), reasons: Texts }),
    ),
    run: Nullable(
      Type.Object(
        {
          start: Start,
          against: Nullable(Type.String({ description: 'The build that was compared with.' })),
          budgets: BudgetChecks,
          unchecked: Type.Array(Text, {
            description: 'Budgets in svc.json that such a run can not check.',
          }),
        },
        { description: 'Null without --run.' },
      ),
    ),
  }),
  login: Type.Object({
    api: Text,
    user: Nullable(Account),
    credentials_path: Text,
    token_name: Nullable(Text),
    verified: Type.Boolean(),
  }),
  logout: Type.Object({
    deleted: Type.Boolean(),
    credentials_path: Text,
    svc_token_set: Type.Boolean(),
  }),
  whoami: Type.Object({
    api: Text,
    user: Account,
    auth: AuthKind,
    source: Type.Object({
      kind: Type.Enum(['environment', 'file', 'identity']),
      path: Nullable(Text),
    }),
  }),
  publish: Type.Union([Published, Unchanged, DryRun]),
  projects: Type.Object({ games: Type.Array(Game) }),
  releases: Type.Object({ releases: Type.Array(Release) }),
  rollback: Type.Object({ game: Game, release: Release, replaced: Replaced }),
  promote: Type.Object({ game: Game, release: Release, replaced: Replaced }),
  offer: Type.Object({ release: Release }),
  slug: Type.Object({ game: Game }),
  stats: StatsAnswer,
  'preview-list': Type.Object({ previews: Type.Array(Preview) }),
  'preview-create': Type.Object({ preview: Preview }),
  'preview-revoke': Type.Object({
    id: Text,
    name: Nullable(Text),
    revoked: Type.Literal(true),
    deleted_version: Nullable(
      Type.String({ description: 'The release that was deleted with its link. Null if none was.' }),
    ),
  }),
  unpublish: Type.Object({ game: Game }),
  'token-list': Type.Object({ tokens: Type.Array(Token) }),
  'token-create': Type.Object({ token: Token, secret: Text }),
  'trust-list': Type.Object({ publishers: Type.Array(Publisher) }),
  'trust-add': Type.Object({ publisher: Publisher }),
  'trust-remove': Type.Object({ id: Text, removed: Type.Literal(true) }),
  'key-set': Type.Object({ provider: Text, stored: Type.Literal(true) }),
  'key-remove': Type.Object({ provider: Text, removed: Type.Literal(true) }),
  'key-status': Type.Object({
    keyring: Capability,
    providers: Type.Array(
      Type.Object({
        ...Provider.properties,
        host: Nullable(Type.String({ description: 'Null where --provider-url was not given.' })),
      }),
    ),
  }),
  'probes-install': Type.Object({
    path: Text,
    sudoers: Type.String({ description: 'The line that lets a user start it.' }),
  }),
  'token-revoke': Type.Object({ id: Text, revoked: Type.Literal(true) }),
} as const satisfies Readonly<Record<string, TSchema>>;

export type DocumentName = keyof typeof DOCUMENTS;

/** The type of each document, by the same names. */
export type Documents = {
  readonly [Name in DocumentName]: Immutable<Static<(typeof DOCUMENTS)[Name]>>;
};

export type ErrorDocument = Immutable<Static<typeof ErrorDocument>>;

/** The type with read-only fields and arrays. */
type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;
