// One tool of the MCP server: how its arguments become a request to the API, and the answer its result.

import type { z } from 'zod';
import type { JsonObject } from '../../kit/json/json.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** A request to the API; POST if it has a body. */
export interface ApiRequest {
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

export interface ToolAnswer {
  structured: JsonObject;
  /** For clients that show text only. */
  texts: readonly string[];
}

export interface McpTool {
  name: string;
  title: string;
  /** Read by models: a short text, with the cost of a call. */
  description: string;
  input: z.ZodObject;
  output: z.ZodType;
  /** Changes nothing, so a client need not ask its user. */
  isReadOnly: boolean;
  write(given: Arguments): ApiRequest;
  read(answer: JsonObject, headers: Headers): ToolAnswer;
}
