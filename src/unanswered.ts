// Requests that came in and have no answer yet, whatever they ask for. A drain waits for those that came before it: their
// bodies may still be on the way, or they wait for a slot. Later ones are refused or only read, and are not waited for.

import type { Respond } from './listen.ts';

export interface Unanswered {
  /** Answers as `respond` does, and counts each request until its answer has begun. */
  counted(respond: Respond): Respond;
  /** Draws a line: the result is how many of those that came before it have no answer yet. */
  soFar(): () => number;
}

export function countUnanswered(): Unanswered {
  let counter = { requests: 0 };
  return {
    counted: (respond) => (request, peer) => {
      const answer = respond(request, peer);
      if (!(answer instanceof Promise)) return answer;
      const own = counter;
      own.requests++;
      const answered = () => {
        own.requests--;
      };
      answer.then(answered, answered);
      return answer;
    },
    soFar() {
      const before = counter;
      counter = { requests: 0 };
      return () => before.requests;
    },
  };
}
