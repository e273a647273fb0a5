// Tools that vendors run themselves and bill by the call, by the names that prices have for them. Vendors use
// different names for a tool in a request, in an answer and in the usage report.

export const PRICED_TOOLS = [
  'web_search',
  'web_fetch',
  'x_search',
  'file_search',
  'document_search',
  'code_interpreter',
  'code_execution',
  'mcp',
] as const;
export type PricedTool = (typeof PRICED_TOOLS)[number];

const NAMES: ReadonlySet<string> = new Set(PRICED_TOOLS);
const LONGEST_TYPE = 64;
/** `web_search_20250305`, `web_search_preview_2025_03_11`. */
const VERSION = /(?:_preview)?(?:_\d[\d_]*)?$/;

/** By the type of a tool in a request: `openrouter:web_search`, `web_search_20250305`. */
export function toolOfType(type: string): PricedTool | undefined {
  return type.length > LONGEST_TYPE ? undefined : known(type.replace(/^\w+:/, '').replace(VERSION, ''));
}

/** By the name that a call has in an answer: `bash_code_execution` is one of the tools of `code_execution`. */
export function toolOfCall(name: string): PricedTool | undefined {
  return name.endsWith('_code_execution') ? 'code_execution' : known(name);
}

function known(name: string): PricedTool | undefined {
  return NAMES.has(name) ? (name as PricedTool) : undefined;
}
