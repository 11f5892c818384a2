// Analysis on request, and the provider keys that it may need.
import { type Static, Type } from 'typebox';
import { nullable } from './nullable.ts';

const closed = { additionalProperties: false } as const;
const OFFLINE = { title: 'field "offline"' };

/** Milliseconds that a frame may take, for findings and summary. By default, one frame at 60 Hz. */
const budget_ms = Type.Optional(
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 60_000,
    title: 'frame budget in milliseconds',
  }),
);

/**
 * `POST /api/analyze`: offline, or with a model. `summary_sha256` is the digest of the summary that
 * the user has seen.
 */
export const AnalyzeRequest = Type.Union([
  Type.Object({ offline: Type.Literal(true, OFFLINE), budget_ms }, closed),
  Type.Object(
    {
      offline: Type.Literal(false, OFFLINE),
      /**
       * `provider/model-id`, split at the first slash, or a bare id if only one provider has a key.
       */
      model: Type.String({ minLength: 1, maxLength: 256, title: 'model' }),
      summary_sha256: Type.Optional(
        Type.String({
          pattern: '^[0-9a-f]{64}$',
          title: 'digest of the summary',
          description: '64 hexadecimal digits in lower case, as summary_sha256 of an answer',
        }),
      ),
      budget_ms,
    },
    closed,
  ),
]);
export type AnalyzeRequest = Static<typeof AnalyzeRequest>;

/** A fact behind a finding: a value, and its position in the trace. */
export const Evidence = Type.Object({
  label: Type.String(),
  value: Type.Optional(Type.Union([Type.Number(), Type.String()])),
  unit: Type.Optional(Type.String()),
  /** Milliseconds since the start of the trace. */
  t: Type.Optional(Type.Number()),
  duration_ms: Type.Optional(Type.Number()),
});
export type Evidence = Static<typeof Evidence>;

/** A finding of the offline analysis, with its evidence. `detail` ends with a next step. */
export const Finding = Type.Object({
  id: Type.String(),
  severity: Type.Union([Type.Literal('critical'), Type.Literal('warning'), Type.Literal('info')]),
  title: Type.String(),
  detail: Type.String(),
  evidence: Type.Array(Evidence),
});
export type Finding = Static<typeof Finding>;

/**
 * The answer of `POST /api/analyze`. In offline mode it has findings, and nothing was sent to
 * another machine.
 */
export const Analysis = Type.Object({
  mode: Type.Union([Type.Literal('offline'), Type.Literal('provider')]),
  model: nullable(Type.String()),
  host: nullable(Type.String()),
  findings: Type.Array(Finding),
  /** The answer of the model. It is foreign text and must be shown as plain text. */
  text: nullable(Type.String()),
  summary_bytes: Type.Integer({ minimum: 0 }),
  summary_sha256: Type.String(),
});
export type Analysis = Static<typeof Analysis>;

/**
 * The instruction that is sent to a model beside the summary. Apart from the model's name, nothing
 * else is sent. Both are shown to the user before.
 */
export const ANALYSIS_INSTRUCTION =
  'You are a performance engineer for games. The message is a summary of one recorded profile, made by a program. Name the most likely causes of hitches, slow frames and memory growth, most important first, each with the numbers that show it and one concrete next step. Say where the data is too thin to tell.';

/** The provider of a key if the request names none. */
export const DEFAULT_KEY_PROVIDER = 'openai';

const providerId = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  title: 'provider',
  description: 'the id of a provider, such as openai',
});

/** `POST /api/key`. Keys are printable ASCII. */
export const KeyRequest = Type.Object(
  {
    key: Type.String({
      minLength: 1,
      maxLength: 4096,
      pattern: '^[!-~]+$',
      title: 'key',
      description: 'printable ASCII characters without spaces',
      writeOnly: true,
    }),
    provider: Type.Optional(providerId),
  },
  closed,
);
export type KeyRequest = Static<typeof KeyRequest>;

/** `POST /api/key/remove`. */
export const KeyRemoveRequest = Type.Object({ provider: Type.Optional(providerId) }, closed);
export type KeyRemoveRequest = Static<typeof KeyRemoveRequest>;
