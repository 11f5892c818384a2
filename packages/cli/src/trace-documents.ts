// The schemas of `svc trace top`, `moments`, `note`, `diff` and `report`.
import { Nullable } from '@svc/contracts/platform';
import { type TSchema, Type } from 'typebox';

const Text = Type.String();
const Count = Type.Integer({ minimum: 0 });
const Milliseconds = Type.Number({ minimum: 0 });
const Decimal = Type.String({ description: 'An exact decimal, in the unit.' });
const Share = Nullable(
  Type.Number({ description: 'Of all samples. Null if their weight is not above 0.' }),
);
const Bound = Type.Enum(['script', 'rendering', 'loading', 'gc', 'gpu', 'unknown']);

/** A note of a person, or their name for a range. */
export const Note = Type.Object({
  id: Type.Union([Text, Count]),
  t: Milliseconds,
  duration_ms: Nullable(
    Type.Number({ minimum: 0, description: 'Null for a note about a point in time.' }),
  ),
  text: Type.String({ description: 'The first line is the title.' }),
});

export const NotesLeftOut = Type.Integer({
  minimum: 0,
  description: 'The number of notes that are not listed.',
});

export const NoteAbout = Nullable(
  Type.String({
    description: 'The title of a note about this time. Of several, that of the shortest range.',
  }),
);

const Notes = Type.Union(
  [
    Type.Object({ notes: Type.Array(Note, { description: 'All notes, by time.' }) }),
    Type.Object({
      change: Type.Enum(['added', 'changed', 'removed']),
      note: { ...Note, description: 'As written. The text of a removed note is empty.' },
      out: Text,
      bytes: Type.Integer({ minimum: 0, description: 'Of the whole file.' }),
    }),
  ],
  { description: 'The second form is that of a change.' },
);

/** The part of a trace that an option names. */
const Place = Type.Object({
  kind: Type.Enum(['hitch', 'cpu', 'memory', 'frame', 'second', 'range'], {
    description: 'frame: one that is not a hitch; second: in a trace without frames.',
  }),
  number: Nullable(Type.Integer({ minimum: 1, description: 'In the list of its kind.' })),
  t: Milliseconds,
  duration_ms: Milliseconds,
});

const Top = Type.Object({
  by: Type.Enum(['self', 'total']),
  within: Nullable(Place),
  stacks: Type.Array(
    Type.Object({
      source: Text,
      unit: Text,
      samples: Count,
      weight_total: Decimal,
      exact: Type.Boolean({
        description:
          'False if the samples have no times of their own, but belong to a longer time that overlaps the part.',
      }),
      matched_share: Nullable(
        Type.Number({ description: 'Of the samples with a function that --search selects.' }),
      ),
      functions: Type.Array(
        Type.Object({
          name: Text,
          category: Text,
          self: Decimal,
          self_share: Share,
          total: Decimal,
          total_share: Share,
        }),
      ),
      left_out: Count,
    }),
    { description: 'One for each source and unit.' },
  ),
});

const MomentName = Type.String({
  description: 'hitch:1 is the longest hitch. --at and svc trace top --within take it.',
});
const MomentsOf = Type.Enum(['hitches', 'process', 'nothing'], {
  description: 'process: the trace has no frames, but samples of a process.',
});

/** `HitchCauses` is the schema of the causes of a hitch. */
function listedMoment<Causes extends TSchema>(HitchCauses: Causes) {
  return Type.Object({
    name: MomentName,
    source: Text,
    t: Milliseconds,
    duration_ms: Milliseconds,
    over_ms: Nullable(Milliseconds),
    bound: Nullable(Bound),
    causes: HitchCauses,
    cpu_percent: Nullable(Type.Number({ description: 'Of one core.' })),
    rss_bytes: Nullable(Type.Number({ description: 'At the end of the moment.' })),
    rise_bytes: Nullable(Type.Number({ description: 'Of RSS.' })),
    note: NoteAbout,
  });
}

/** `HitchCauses` is the schema of the causes of a hitch. */
function momentDocuments<Causes extends TSchema>(HitchCauses: Causes) {
  const Frame = Type.Object({
    t: Milliseconds,
    duration_ms: Milliseconds,
    main_ms: Nullable(Milliseconds),
    gpu_ms: Nullable(Milliseconds),
    draws: Nullable(Count),
    triangles: Nullable(Count),
    over_budget: Type.Boolean(),
    lost: Type.Boolean({ description: 'It overlaps a loss, and counts in no statistic.' }),
    bound: Bound,
    causes: HitchCauses,
  });
  const List = Type.Object({
    budget_ms: Milliseconds,
    frames: Count,
    answer: Type.String({ description: 'What bounds the frames, as a sentence.' }),
    of: MomentsOf,
    count: Type.Integer({ minimum: 0, description: 'The number of moments, listed or not.' }),
    moments: Type.Array(listedMoment(HitchCauses)),
  });
  const Timed = { t: Milliseconds, within_ms: Milliseconds };
  const Moment = Type.Object({
    budget_ms: Milliseconds,
    moment: Place,
    longest_in: Nullable(
      Type.Object(
        { t: Milliseconds, duration_ms: Milliseconds },
        {
          description: 'The time that --at names, if the moment begins later as its longest hitch.',
        },
      ),
    ),
    source: Nullable(Text),
    notes: Type.Array(Note, {
      description: 'The notes of a person about a time that overlaps the moment.',
    }),
    explanation: Nullable(Type.String({ description: 'The bound of the frame, as sentences.' })),
    before: Nullable(Frame),
    frame: Nullable(Frame),
    after: Nullable(Frame),
    hitches: Type.Array(listedMoment(HitchCauses), {
      description: 'Of a range: those that overlap it, the longest first.',
    }),
    memory: Type.Array(
      Type.Object({
        label: Text,
        source: Text,
        bytes: Type.Number({ description: 'At the end of the range.' }),
        change: Nullable(Type.Number({ description: 'Since the start of the range.' })),
      }),
      { description: 'Of a range.' },
    ),
    process: Type.Array(
      Type.Object({
        t: Milliseconds,
        duration_ms: Milliseconds,
        cpu_percent: Nullable(Type.Number()),
        rss_bytes: Nullable(Type.Number()),
        rise_bytes: Nullable(Type.Number()),
      }),
    ),
    functions: Type.Array(
      Type.Object({
        name: Text,
        unit: Text,
        self: Type.Number(),
        total: Type.Number(),
        exact: Type.Boolean(),
      }),
    ),
    assets: Type.Array(
      Type.Object({
        name: Text,
        kind: Text,
        phase: Text,
        bytes: Nullable(Count),
        gpu_bytes: Nullable(Count),
        ...Timed,
      }),
    ),
    longtasks: Type.Array(
      Type.Object({
        duration_ms: Milliseconds,
        scripts: Type.Array(Type.Object({ name: Text, duration_ms: Milliseconds })),
        ...Timed,
      }),
    ),
    spans: Type.Array(Type.Object({ name: Text, track: Nullable(Text), ...Timed }), {
      description: 'Those of the track gc are garbage collections.',
    }),
    marks: Type.Array(Type.Object({ t: Milliseconds, name: Text })),
    logs: Type.Array(Type.Object({ t: Milliseconds, level: Text, text: Text })),
    losses: Type.Array(
      Type.Object({ t: Milliseconds, reason: Text, duration_ms: Nullable(Milliseconds) }),
    ),
    left_out: Type.Integer({ minimum: 0, description: 'The number of records not listed.' }),
  });
  return Type.Union([List, Moment], { description: 'The second form is that of --at.' });
}

const Side = Type.Object({
  path: Text,
  build_digest: Nullable(Text),
  duration_ms: Nullable(Milliseconds),
  frames: Nullable(Type.Object({ count: Count })),
});

const FunctionChanges = Type.Array(
  Type.Object({
    name: Text,
    old_name: Nullable(
      Type.String({ description: 'Its name in the older trace, if it has another line there.' }),
    ),
    category: Text,
    state: Type.Enum(['new', 'gone', 'kept']),
    self_before: Type.Number({ description: 'A share of all samples.' }),
    self_after: Type.Number(),
    change: Type.Number(),
  }),
);

const Value = Nullable(Type.Number({ description: 'Null: the trace does not have it.' }));

const Diff = Type.Object({
  before: Side,
  after: Side,
  budget_ms: Milliseconds,
  builds: Type.Enum(['same', 'different', 'unknown']),
  graphics_warning: Nullable(
    Type.String({ description: 'A sentence, if the graphics adapters of the traces differ.' }),
  ),
  metrics: Type.Array(
    Type.Object({
      metric: Text,
      unit: Text,
      better: Type.Enum(['less', 'more']),
      before: Value,
      after: Value,
      change: Value,
      ratio: Nullable(Type.Number({ description: 'The change divided by the value before.' })),
      verdict: Type.Enum(['better', 'worse', 'same', 'unknown']),
    }),
    { description: 'Those that at least one trace has.' },
  ),
  functions: Type.Array(
    Type.Object({
      source: Text,
      unit_before: Text,
      unit_after: Text,
      samples_before: Count,
      samples_after: Count,
      rises: FunctionChanges,
      falls: FunctionChanges,
    }),
  ),
  assets: Type.Array(
    Type.Object({
      name: Text,
      kind: Text,
      state: Text,
      cost_change: Type.Number({ description: 'In frame budgets.' }),
      bytes_change: Nullable(Type.Number({ description: 'Null if a size is unknown.' })),
    }),
    { description: 'The largest changes of cost. svc trace blame lists all.' },
  ),
  kept: Type.Boolean({ description: 'Whether every limit of --fail-on is kept.' }),
  limits: Type.Array(
    Type.Object({
      limit: Type.String({ description: 'As given: p95_ms+10%.' }),
      metric: Text,
      before: Value,
      after: Value,
      change: Value,
      kept: Type.Boolean({ description: 'False also if a trace does not have the metric.' }),
    }),
  ),
});

const Part = Type.Number({ minimum: 0, maximum: 1 });

const HitchGroup = Type.Object({
  cause: Type.String({ description: 'As words: shader compiles.' }),
  kind: Text,
  name: Nullable(Type.String({ description: 'Null if the causes have different names or none.' })),
  situation: Nullable(
    Type.String({ description: 'What the game did in most of them: during “level 2”.' }),
  ),
  hitches: Count,
  over_ms: Milliseconds,
  share: Type.Number({ description: 'Of the time over budget of all explained hitches.' }),
  longest: MomentName,
});

const Pacing = Type.Object({
  source: Text,
  frames: Type.Integer({ minimum: 0, description: 'Without those that overlap a loss.' }),
  average_fps: Nullable(Type.Number()),
  low_1_percent_fps: Nullable(Type.Number()),
  p95_ms: Nullable(Milliseconds),
  max_ms: Nullable(Milliseconds),
  within_budget: Count,
  up_to_2_budgets: Count,
  longer: Count,
});

/** `HitchCauses` is the schema of the causes of a hitch. */
function reportDocument<Causes extends TSchema>(HitchCauses: Causes) {
  return Type.Object({
    verdict: Type.Object({
      headline: Type.String({ description: 'The answer.' }),
      detail: Type.String({ description: 'The numbers behind it. Empty if there are none.' }),
    }),
    budget_ms: Milliseconds,
    duration_ms: Nullable(Milliseconds),
    frames: Count,
    hitches: Count,
    explained: Type.Integer({
      minimum: 0,
      description: 'The number of hitches that causes counts, the longest ones.',
    }),
    causes: Type.Array(HitchGroup),
    moments_of: MomentsOf,
    moments: Type.Array(listedMoment(HitchCauses)),
    notes: Type.Array(Note, { description: 'The first notes of a person, by time.' }),
    notes_left_out: NotesLeftOut,
    pacing: Type.Array(Pacing),
    cpu: Nullable(
      Type.Object(
        { mean_percent: Type.Number(), p95_percent: Type.Number(), max_percent: Type.Number() },
        { description: 'Of one core.' },
      ),
    ),
    leak: Nullable(Type.String({ description: 'What each load leaves on the GPU, if one leaks.' })),
    memory: Type.Array(
      Type.Object({
        series: Text,
        source: Text,
        direction: Nullable(Type.Enum(['rising', 'falling', 'flat'])),
        mean_bytes: Type.Number(),
        max_bytes: Type.Number(),
        bytes_per_minute: Nullable(Type.Number()),
        text: Type.String({ description: 'The trend as a sentence.' }),
      }),
    ),
    asset_count: Count,
    assets: Type.Array(
      Type.Object({
        name: Text,
        kind: Text,
        cost: Type.Number({ description: 'In frame budgets.' }),
        share: Part,
        hitch_ms: Milliseconds,
        main_thread_ms: Nullable(Milliseconds),
        bytes: Nullable(Count),
        gpu_bytes: Nullable(Count),
      }),
      { description: 'The costliest.' },
    ),
    functions: Type.Array(
      Type.Object({
        source: Text,
        unit: Text,
        samples: Count,
        functions: Type.Array(
          Type.Object({ name: Text, category: Text, self: Type.Number(), share: Type.Number() }),
        ),
      }),
      { description: 'The hottest of each source and unit.' },
    ),
    errors: Type.Object({
      count: Count,
      texts: Type.Array(Text, { description: 'The first ones.' }),
    }),
    missing: Type.Array(
      Type.Object({
        id: Text,
        what: Text,
        how: Type.String({ description: 'How to get it.' }),
      }),
    ),
    page: Nullable(
      Type.Object({ out: Text, bytes: Count }, { description: 'The page that -o names.' }),
    ),
  });
}

/** `HitchCauses` is the schema of the causes of a hitch. */
export function traceDocuments<Causes extends TSchema>(HitchCauses: Causes) {
  return {
    'trace-top': Top,
    'trace-moments': momentDocuments(HitchCauses),
    'trace-note': Notes,
    'trace-diff': Diff,
    'trace-report': reportDocument(HitchCauses),
  } as const;
}
