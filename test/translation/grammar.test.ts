// Whatever legal order an upstream's events have, the client's dialect is kept, and nothing that was said is lost. What the
// official SDKs make of a sample of such streams is what was said.

import { describe, expect, test } from 'bun:test';
import Anthropic from '@anthropic-ai/sdk';
import fc from 'fast-check';
import OpenAI from 'openai';
import { IS_LONG_RUN, RUN_SEED } from '../support/long-run.ts';
import { carryStream } from './carry-stream.ts';
import {
  anthropicStreams,
  geminiStreams,
  openaiStreams,
  type RandomStream,
  responsesStreams,
} from './random-streams.ts';
import { CLIENTS, type ClientName, PAIRS } from './sides.ts';

const STREAMS = {
  openai: openaiStreams,
  anthropic: anthropicStreams,
  gemini: geminiStreams,
  'openai-responses': responsesStreams,
};
const RUNS = IS_LONG_RUN ? 400 : 60;
const SDK_RUNS = IS_LONG_RUN ? 40 : 8;
const SEED = RUN_SEED;

describe.each(PAIRS.map(([client, upstream]) => ({ client, upstream })))(
  '$upstream to $client',
  ({ client, upstream }) => {
    test('keeps the grammar and every word', () => {
      fc.assert(
        fc.property(STREAMS[upstream], (stream) => {
          const { text, isFinished } = carryStream(client, stream.upstream, stream.events);
          expect(isFinished).toBe(true);
          const told = CLIENTS[client].readStream(text);
          expect(told.complete).toBe(true);
          expect({ text: told.text, reasoning: told.reasoning }).toEqual({
            text: stream.says.text,
            reasoning: stream.says.reasoning,
          });
          expect(sorted(told.calls)).toEqual(sorted(stream.says.calls));
        }),
        { numRuns: RUNS, seed: SEED },
      );
    });

    test('a stream cut anywhere keeps the grammar, adds no word, and never looks complete', () => {
      fc.assert(
        fc.property(STREAMS[upstream], fc.nat({ max: 30 }), (stream, events) => {
          const { text, isFinished } = carryStream(client, stream.upstream, stream.events.slice(0, events));
          const told = CLIENTS[client].readStream(text);
          expect(told.complete).toBe(isFinished);
          if (isFinished) return;
          // Not toStartWith, which knows no half of a character.
          expect(stream.says.text.startsWith(told.text)).toBe(true);
          expect(stream.says.reasoning.startsWith(told.reasoning)).toBe(true);
          const isSaid = (call: Call) => stream.says.calls.some((said) => isBeginning(call, said));
          expect(told.calls.filter((call) => !isSaid(call))).toEqual([]);
        }),
        { numRuns: RUNS, seed: SEED },
      );
    });

    test('is read by the official SDK', async () => {
      await fc.assert(
        fc.asyncProperty(STREAMS[upstream], async (stream) => {
          const { text } = carryStream(client, stream.upstream, stream.events);
          expect(await SDKS[client](text)).toEqual({ text: stream.says.text, calls: namesOf(stream) });
        }),
        { numRuns: SDK_RUNS, seed: SEED },
      );
    });
  },
);

interface Understood {
  text: string;
  calls: string[];
}

const namesOf = ({ says }: RandomStream) => says.calls.map(({ name }) => name).sort();

type Call = RandomStream['says']['calls'][number];

function isBeginning(call: Call, said: Call): boolean {
  return said.name === call.name && said.arguments.startsWith(call.arguments);
}

/** An upstream mixes its calls; each must be whole, whichever comes first. */
function sorted(calls: readonly Call[]): string[] {
  return calls.map((call) => `${call.name} ${call.arguments || '{}'}`).sort();
}

const answering = (text: string) => async () =>
  new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });

const SDKS: Record<ClientName, (text: string) => Promise<Understood>> = {
  async chat(text) {
    const sdk = new OpenAI({ apiKey: 'k', baseURL: 'http://sdk.test/v1', fetch: answering(text), maxRetries: 0 });
    const stream = sdk.chat.completions.stream({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    const { choices } = await stream.finalChatCompletion();
    const { content, tool_calls: calls = [] } = choices[0]?.message ?? {};
    return {
      text: content ?? '',
      calls: (calls ?? []).map((call) => (call.type === 'function' ? call.function.name : '')).sort(),
    };
  },
  async messages(text) {
    const sdk = new Anthropic({ apiKey: 'k', baseURL: 'http://sdk.test', fetch: answering(text), maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const { content } = await sdk.messages.stream({ model: 'm', max_tokens: 10, messages }).finalMessage();
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : [])).sort(),
    };
  },
  async responses(text) {
    const sdk = new OpenAI({ apiKey: 'k', baseURL: 'http://sdk.test/v1', fetch: answering(text), maxRetries: 0 });
    const { output } = await sdk.responses.stream({ model: 'm', input: 'Hi' }).finalResponse();
    return {
      text: output
        .flatMap((item) => (item.type === 'message' ? item.content : []))
        .map((part) => (part.type === 'output_text' ? part.text : ''))
        .join(''),
      calls: output.flatMap((item) => (item.type === 'function_call' ? [item.name] : [])).sort(),
    };
  },
  // Google's library cannot be given a stream without a server: test/clients has it.
  async gemini(text) {
    const told = CLIENTS.gemini.readStream(text);
    return { text: told.text, calls: told.calls.map(({ name }) => name).sort() };
  },
};
