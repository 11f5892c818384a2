// The writer alone, for programs that count bytes (`@svc/trace/write`): no reader, no views.
export * from './format/limits.ts';
export * from './format/records.ts';
export * from './vpt/clean-name.ts';
export * from './vpt/format-record.ts';
