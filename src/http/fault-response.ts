// A fault as an answer. A fault that is returned repeatedly has the same text, except for the request's id, so that many
// of them cost little more than sending them.

import { writeFailedStream } from '../dialects/openai-responses/other-form.ts';
import type { Fault } from '../faults/fault.ts';
import { type Envelope, readsNumbers, writeFault } from '../faults/write.ts';
import { newResponse, STREAM_TYPE, setRequestId } from './common-headers.ts';
import { isOpenToPages } from './cors.ts';
import type { Exchange } from './exchange.ts';

type Asked = Pick<Exchange, 'envelope' | 'path' | 'requestId'>;

/** With the headers that every answer carries. */
export type FaultResponse = (fault: Fault, asked: Asked, client: string | null) => Response;

interface Prepared {
  status: number;
  headers: Headers;
  /** The body around the request's id. */
  before: string;
  after: string;
}

export function createFaultResponses(publicUrl: string): FaultResponse {
  /** Answers to one fault differ by dialect, and by who may read them. Most faults are returned once, and are not kept. */
  const known = new WeakMap<Fault, Prepared[]>();

  function write(fault: Fault, asked: Asked, client: string | null = null) {
    const { requestId, envelope } = asked;
    const { status, headers, body } = writeFault(fault, envelope, { publicUrl, requestId, client });
    return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body: JSON.stringify(body) };
  }

  function prepare(fault: Fault, asked: Asked): Prepared {
    const marked = { ...asked, requestId: ID_MARK };
    const { body, ...head } = write(fault, marked);
    const [before = '', after = ''] = body.split(ID_MARK);
    const { status, headers } = newResponse(marked, body, head);
    return { status, headers, before, after };
  }

  /** For the client that ignores the status here. */
  function writeInStream(fault: Fault, asked: Asked): Response {
    const { headers } = writeFault(fault, asked.envelope, { publicUrl, requestId: asked.requestId });
    const body = writeFailedStream({ code: fault.code, message: fault.publicText }, asked.requestId);
    return newResponse(asked, body, { headers: { 'content-type': STREAM_TYPE, ...headers } });
  }

  return (fault, asked, client) => {
    if (belongsInStream(fault, asked.path, client)) return writeInStream(fault, asked);
    const variants = known.get(fault);
    if (!variants || readsNumbers(client)) {
      known.set(fault, variants ?? []);
      const { body, ...head } = write(fault, asked, client);
      return newResponse(asked, body, head);
    }
    const { envelope, path, requestId } = asked;
    const variant = VARIANTS[envelope] + (isOpenToPages(path) ? 1 : 0);
    const prepared = variants[variant] ?? prepare(fault, asked);
    variants[variant] = prepared;
    const { status, headers, before, after } = prepared;
    const response = new Response(`${before}${requestId}${after}`, { status, headers });
    setRequestId(response, requestId);
    return response;
  };
}

const VARIANTS: Readonly<Record<Envelope, number>> = { openai: 0, anthropic: 2, google: 4, cohere: 6 };
const JSON_TYPE = 'application/json;charset=utf-8';
/** A placeholder for the request's id, which needs no escapes in JSON. No fault can contain it by chance. */
const ID_MARK = crypto.randomUUID();

const CODEX = /^codex/i;

/** The client's name for itself. Codex sends it in two headers, one of which its user may change. */
export function clientName(headers: Headers): string | null {
  const originator = headers.get('originator');
  return originator !== null && CODEX.test(originator) ? originator : headers.get('user-agent');
}

/**
 * For a prompt that is too long, Codex gets the fault in its stream and all other clients get it as a status. Codex ignores the
 * status: even to compact, it sends the same prompt again and again, and the session is lost. After a failure in the stream it
 * removes the oldest turns and goes on. It always asks for a stream.
 */
function belongsInStream({ code }: Fault, path: string, client: string | null): boolean {
  return code === 'context_length_exceeded' && path === '/v1/responses' && CODEX.test(client ?? '');
}
