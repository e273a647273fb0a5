// Requests that came in and have no answer yet, whatever they ask for. A drain waits for those that came before it: their
// bodies may still be on the way, or they wait for a slot. Later ones are refused or only read, and are not waited for. No
// connection is closed for its silence meanwhile: timers of our own bound a request.

import type { Connection } from '../../kit/connection.ts';
import type { Respond } from '../ports/listen.ts';

export interface Unanswered {
  /** Answers as `respond` does, and counts each request until its answer has begun. */
  counted(respond: Respond): Respond;
  /** Draws a line: the result is how many of those that came before it have no answer yet. */
  soFar(): () => number;
}

/** The rest of its body may still come, and nobody reads it. */
const TOO_SLOW = 408;

interface Counter {
  requests: number;
}

export function countUnanswered(): Unanswered {
  let counter: Counter = { requests: 0 };
  return {
    counted: (respond) => (request, connection) => {
      const answer = respond(request, connection);
      if (answer instanceof Promise) {
        counter.requests++;
        connection.keepOpen(true);
        const answered = onAnswered(counter, connection);
        answer.then(answered, answered);
      }
      return answer;
    },
    soFar() {
      const before = counter;
      counter = { requests: 0 };
      return () => before.requests;
    },
  };
}

function onAnswered(counter: Counter, connection: Connection): (response: unknown) => void {
  return (response) => {
    counter.requests--;
    connection.keepOpen(false);
    if (response instanceof Response && response.status === TOO_SLOW) response.headers.set('connection', 'close');
  };
}
