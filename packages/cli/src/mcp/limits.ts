// The limits of `svc mcp`.

/** Most bytes of one answer: the structured content as JSON, and the text. */
export const ANSWER_BYTES = 24_000;
/** The part of ANSWER_BYTES for the text. */
export const TEXT_BYTES = 4_000;
/** Most characters of one string in an answer. */
export const STRING_LENGTH = 500;
/** Most bytes of one message from the assistant. */
export const LINE_BYTES = 1_048_576;
/** Most traces in a list. */
export const TRACES_LISTED = 50;
/** Most files and folders that a search for traces looks at. */
export const ENTRIES_SEARCHED = 20_000;
/** Most folders inside of each other that a search for traces enters. */
export const SEARCH_DEPTH = 8;
/** Most bytes of a trace, also after it is expanded. The model of a trace with many assets takes ten times as much memory. */
export const TRACE_BYTES = 268_435_456;
/** Most models in memory. */
export const MODELS_KEPT = 4;
/** Most bytes of all traces whose models are in memory. The model of the last trace is always kept. */
export const KEPT_BYTES = 134_217_728;
/** Most calls that wait for their turn. */
export const CALLS_WAITING = 32;
/** The longest wait for unfinished answers after the assistant has closed standard input. */
export const DRAIN_MS = 10_000;
