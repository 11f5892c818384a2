// How a tool is defined: what the assistant reads about it, its input and output, and its handler.
import { type Static, type TObject, Type } from 'typebox';
import type { AnswerList } from '../fit-answer.ts';
import type { TraceList } from '../traces/list-traces.ts';
import type { ReadTrace } from '../traces/trace-store.ts';

/** What a tool may use. Both throw an ExitError (1). */
export type ToolContext = {
  readonly list: (limit: number) => Promise<TraceList>;
  readonly read: (trace: string) => Promise<ReadTrace>;
};

/** `left_out` is added to every answer. */
export const LeftOutRows = Type.Array(
  Type.Object({
    part: Type.String(),
    count: Type.Integer({ minimum: 1 }),
    how: Type.String({ description: 'How to get the rest.' }),
  }),
  { description: 'What the answer leaves out. Empty if it is complete.' },
);

type ToolAnswer<Output> = {
  readonly answer: Output;
  /** The lists of an answer that can be shortened. It is called with the answer that is sent. */
  readonly lists: (answer: Output) => AnswerList[];
  /** The answer in lines for a person. It is called with the shortened answer. */
  readonly text: (answer: Output) => string[];
};

type Definition<Input extends TObject, Output extends TObject> = {
  readonly name: string;
  readonly title: string;
  /** For the assistant: what the answer has, and when to call the tool. */
  readonly description: string;
  readonly input: Input;
  /** Without `left_out`. */
  readonly output: Output;
  readonly run: (input: Static<Input>, context: ToolContext) => Promise<ToolAnswer<Static<Output>>>;
};

export type ToolSpec = Omit<Definition<TObject, TObject>, 'run'> & {
  readonly run: (input: unknown, context: ToolContext) => Promise<ToolAnswer<object>>;
};

/** Defines a tool. The types of its handler follow from the schemas, with which the server checks input and output. */
export function defineTool<Input extends TObject, Output extends TObject>(
  definition: Definition<Input, Output>,
): ToolSpec {
  return definition as unknown as ToolSpec;
}
