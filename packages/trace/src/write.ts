// `@svc/trace/write`: only the writer, without readers and views, for programs that must stay small.
export * from './format/limits.ts';
export * from './format/records.ts';
export { type NamedFrame, nameFrame } from './profiles/name-frame.ts';
export { StacksWriter } from './profiles/write-stacks.ts';
export * from './vpt/clean-name.ts';
export * from './vpt/format-record.ts';
export * from './vpt/gpu-name.ts';
