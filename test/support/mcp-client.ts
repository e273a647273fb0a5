// A client of the MCP server, made of the SDK's own, for tests.

import {
  Client,
  type JsonSchemaType,
  type JsonSchemaValidator,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import type { Answer } from './answer.ts';
import type { TestGateway } from './gateway.ts';

/** Both kinds of the protocol: with a handshake, as most clients speak it, and the later one, in which each message is complete. */
export const PROTOCOLS = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;
export type Protocol = keyof typeof PROTOCOLS;

export interface ToolResult {
  isError: boolean;
  /** The first text; JSON of most tools. */
  text: string;
  texts: string[];
  structured: Answer;
}

export interface McpClient {
  client: Client;
  tool(name: string, given?: Record<string, unknown>, signal?: AbortSignal): Promise<ToolResult>;
  close(): Promise<void>;
}

/** By the text of the schema: compiling the schemas of all tools takes a client a fifth of a second of CPU time. */
const compiled = new Map<string, JsonSchemaValidator<unknown>>();
const ajv = new AjvJsonSchemaValidator();
const jsonSchemaValidator = {
  getValidator<Value>(schema: JsonSchemaType): JsonSchemaValidator<Value> {
    const text = JSON.stringify(schema);
    const validator = compiled.get(text) ?? ajv.getValidator(schema);
    compiled.set(text, validator);
    return validator as JsonSchemaValidator<Value>;
  },
};

export async function connectMcp(
  { url }: Pick<TestGateway, 'url'>,
  key?: string,
  protocol: Protocol = '2025-11-25',
): Promise<McpClient> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: PROTOCOLS[protocol] }, jsonSchemaValidator },
  );
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  // From here on the client holds results to the schemas of the tools.
  await client.listTools();
  return {
    client,
    async tool(name, given, signal) {
      const options = signal ? { signal } : {};
      const result = await client.callTool({ name, ...(given ? { arguments: given } : {}) }, options);
      const texts = result.content.map((part) => (part.type === 'text' ? part.text : ''));
      return { isError: result.isError === true, text: texts[0] ?? '', texts, structured: result.structuredContent };
    },
    close: () => client.close(),
  };
}
