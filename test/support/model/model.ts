// A model behind a scripted upstream: it hears a request in whichever format it came, decides by what it heard, and says
// its answer in that same format. So one test of a client runs over every kind of channel.

import type { Script } from '../script.ts';
import type { SeenRequest } from '../upstream.ts';
import { chatFormat } from './chat-format.ts';
import { geminiFormat } from './gemini-format.ts';
import { messagesFormat } from './messages-format.ts';
import { responsesFormat } from './responses-format.ts';

export interface Call {
  name: string;
  input: Record<string, unknown>;
}

export interface Said {
  /** The text in the pieces it is streamed in. */
  pieces?: readonly string[];
  calls?: readonly Call[];
}

export interface Heard {
  /** Of the whole conversation, joined by lines. */
  system: string;
  /** All that the user said, joined by lines; results of tools apart. */
  prompt: string;
  /** Names of the tools on offer. */
  tools: string[];
  /** The one tool it must call: named, or the only one where it must call any. */
  forcedTool: string | undefined;
  /** The JSON schema its text must have. */
  schema: unknown;
  /** Calls it made before, and their results, as the client told them. A format without ids has none. */
  calls: (Call & { id: string | undefined })[];
  results: { id: string | undefined; text: string }[];
}

export interface Format {
  /** Whether requests to this path are in this format. */
  hasPath(path: string): boolean;
  isStream(request: SeenRequest): boolean;
  hear(request: SeenRequest): Heard;
  whole(said: Required<Said>): Script;
  stream(said: Required<Said>): Script;
}

const FORMATS: Format[] = [chatFormat, responsesFormat, messagesFormat, geminiFormat];
const SILENCE: Required<Said> = { pieces: [], calls: [] };

/** For `upstream.otherwise`. */
export function model(decide: (heard: Heard) => Said): (request: SeenRequest) => Script {
  return (request) => {
    const format = formatOf(request);
    const said = { ...SILENCE, ...decide(format.hear(request)) };
    return format.isStream(request) ? format.stream(said) : format.whole(said);
  };
}

export function hear(request: SeenRequest): Heard {
  return formatOf(request).hear(request);
}

function formatOf({ path }: SeenRequest): Format {
  const format = FORMATS.find(({ hasPath }) => hasPath(path));
  if (!format) throw new Error(`no format has the path ${path}`);
  return format;
}
