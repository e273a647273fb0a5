// An SSE response read into its events, by the letter of the standard and with none of the gateway's own code.

import type { Answer } from './answer.ts';

export interface ServerEvent {
  event?: string;
  data: string;
  /** The data as JSON; undefined for `[DONE]`. */
  json: Answer;
}

/** Everything up to the end of the response. */
export async function readSse(response: Response): Promise<ServerEvent[]> {
  return parseSse(await response.text());
}

export function parseSse(text: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  for (const block of text.replace(/\r\n?/g, '\n').split(/\n\n/).slice(0, -1)) {
    const fields = block.split('\n').filter((line) => !line.startsWith(':'));
    const values = (name: string) =>
      fields.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1).replace(/^ /, ''));
    if (values('data').length === 0) continue;
    const data = values('data').join('\n');
    const event = values('event').at(-1);
    events.push({ ...(event === undefined ? {} : { event }), data, json: tryParse(data) });
  }
  return events;
}

/** Event by event as they arrive, so that a test can act in the middle of a stream. */
export async function* sseEvents(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body) {
    text += decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf('\n\n');
    if (end < 0) continue;
    yield* parseSse(text.slice(0, end + 2));
    text = text.slice(end + 2);
  }
}

/** The text of a chat stream's first choice. */
export function textOf(events: readonly ServerEvent[], index = 0): string {
  return events
    .flatMap(({ json }) => (Array.isArray(json?.choices) ? json.choices : []))
    .filter((choice) => choice.index === index)
    .map((choice) => choice.delta?.content ?? '')
    .join('');
}

/** The usage a chat stream ended with. */
export function usageOf(events: readonly ServerEvent[]): Answer {
  return events.map(({ json }) => json?.usage).findLast((usage) => usage);
}

function tryParse(data: string): Answer {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
