// Three conversations that every SDK is tested with, as the model behind the upstream leads them, and what must have
// reached it.

import { expect } from 'bun:test';
import { z } from 'zod';
import type { ClientGateway } from './client-gateway.ts';
import type { Heard, Said } from './model/model.ts';

export const saysHello = (): Said => ({ pieces: ['Hello', ' there'] });

export const WEATHER = {
  name: 'get_weather',
  description: 'The weather in a city, now',
  input: z.object({ city: z.string() }),
  schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  /** What the model asks for, and what it is told. */
  asked: { city: 'Taipei' },
  told: '31 degrees',
  /** Its last word, if it was told. */
  answer: 'Taipei has 31 degrees.',
};

/** Calls the tool, and once it was told tells it. */
export function asksForTheWeather({ results }: Heard): Said {
  if (results.length === 0) return { pieces: ['Let me look.'], calls: [{ name: WEATHER.name, input: WEATHER.asked }] };
  const degrees = /\d+ degrees/.exec(results[0]?.text ?? '')?.[0];
  return { pieces: ['Taipei has ', `${degrees}.`] };
}

/** The model was offered the tool, and was told its own call with the result of exactly that. */
export async function expectToolRoundTrip(gateway: ClientGateway, first = 0): Promise<void> {
  const offered = await gateway.heard(first);
  expect(offered).toMatchObject({ tools: [WEATHER.name], calls: [], results: [] });
  const told = await gateway.heard(first + 1);
  expect(told.calls).toMatchObject([{ name: WEATHER.name, input: WEATHER.asked }]);
  expect(told.results.map(({ id }) => id)).toEqual(told.calls.map(({ id }) => id));
  expect(told.results[0]?.text).toContain(WEATHER.told);
}

export const PERSON = { name: 'Ada', age: 36 };
export const personShape = z.object({ name: z.string(), age: z.number() });

/** Answers in the shape asked for: as text, or as the arguments of the one tool it must call. */
export function describesAPerson({ forcedTool }: Heard): Said {
  if (forcedTool !== undefined) return { calls: [{ name: forcedTool, input: PERSON }] };
  const text = JSON.stringify(PERSON);
  return { pieces: [text.slice(0, 9), text.slice(9)] };
}

/** The model was told the shape, in whichever way its format has for it. */
export async function expectShapeWasAsked(gateway: ClientGateway): Promise<void> {
  const { schema, forcedTool } = await gateway.heard(0);
  expect(schema ?? forcedTool).toBeDefined();
}

/** The error of a call that must fail. */
export function failure(call: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(call).then(
    (value) => {
      throw new Error(`nothing failed: ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
