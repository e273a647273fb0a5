// A fault as an answer. One that adds nothing to its row of the table reads the same every time, but for the request's
// id: a flood of those costs little more than sending them.

import type { Fault } from '../faults/fault.ts';
import { type Envelope, readsNumbers, type WriteContext, writeFault } from '../faults/write.ts';

interface Prepared {
  status: number;
  headers: Headers;
  /** The body around the request's id. */
  before: string;
  after: string;
}

type Asker = Required<Pick<WriteContext, 'requestId' | 'client'>>;

export type FaultResponse = (fault: Fault, envelope: Envelope, asker: Asker) => Response;

export function createFaultResponses(publicUrl: string): FaultResponse {
  const known = new Map<string, Prepared>();

  function prepare(fault: Fault, envelope: Envelope): Prepared {
    const { status, headers, body } = writeFault(fault, envelope, { publicUrl, requestId: ID_MARK });
    const [before = '', after = ''] = JSON.stringify(body).split(ID_MARK);
    return { status, headers: new Headers({ 'content-type': JSON_TYPE, ...headers }), before, after };
  }

  return (fault, envelope, { requestId, client }) => {
    if (!fault.isPlain || readsNumbers(client)) {
      const { status, headers, body } = writeFault(fault, envelope, { publicUrl, requestId, client });
      return new Response(JSON.stringify(body), { status, headers: { 'content-type': JSON_TYPE, ...headers } });
    }
    const name = `${envelope} ${fault.code}`;
    let prepared = known.get(name);
    if (!prepared) {
      prepared = prepare(fault, envelope);
      known.set(name, prepared);
    }
    const { status, headers, before, after } = prepared;
    return new Response(before + requestId + after, { status, headers });
  };
}

const JSON_TYPE = 'application/json;charset=utf-8';
/** Stands for the request's id, which needs no escapes in JSON; nothing of the table reads like this. */
const ID_MARK = '{{request_id}}';
