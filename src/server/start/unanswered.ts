// Counts requests without a response. A drain waits for those that arrived before it: their bodies may still be
// arriving, or they wait for a slot. Later ones are refused or only read, and are not waited for. Idle timeouts are off
// meanwhile: our own timers bound a request.

import type { Connection } from '../../kit/connection.ts';
import type { Respond } from '../ports/listen.ts';

export type Unanswered = ReturnType<typeof countUnanswered>;

/** The rest of its body may still arrive, but is not read. */
const TOO_SLOW = 408;

interface Counter {
  requests: number;
}

/** While `isLeaving`, clients that keep a connection open are asked to open another one, which a load balancer takes elsewhere. */
export function countUnanswered(isLeaving: () => boolean) {
  let counter: Counter = { requests: 0 };
  return {
    /** Wraps `respond` and counts each request until its response has started. */
    counted:
      (respond: Respond): Respond =>
      (request, connection) => {
        const answer = respond(request, connection);
        if (answer instanceof Promise) {
          counter.requests++;
          connection.keepOpen(true);
          const answered = onAnswered(counter, connection, isLeaving);
          answer.then(answered, answered);
        }
        return answer;
      },
    /** Marks the current moment; the result counts earlier requests without a response. */
    soFar(): () => number {
      const before = counter;
      counter = { requests: 0 };
      return () => before.requests;
    },
  };
}

function onAnswered(counter: Counter, connection: Connection, isLeaving: () => boolean): (response: unknown) => void {
  return (response) => {
    counter.requests--;
    connection.keepOpen(false);
    if (!(response instanceof Response)) return;
    if (response.status === TOO_SLOW || isLeaving()) response.headers.set('connection', 'close');
  };
}
