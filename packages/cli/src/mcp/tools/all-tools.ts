// Every tool of `svc mcp`, in the order in which an assistant needs them.
import { assetsTool } from './assets-tool.ts';
import { compareTool } from './compare-tool.ts';
import type { ToolSpec } from './define-tool.ts';
import { functionsTool } from './functions-tool.ts';
import { listTracesTool } from './list-traces-tool.ts';
import { momentTool } from './moment-tool.ts';
import { momentsTool } from './moments-tool.ts';
import { summaryTool } from './summary-tool.ts';

export const TOOLS: readonly ToolSpec[] = [
  listTracesTool,
  summaryTool,
  momentsTool,
  momentTool,
  functionsTool,
  assetsTool,
  compareTool,
];
