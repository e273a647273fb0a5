// For requests to servers that a client chose. Such a server can switch to another protocol, which closes the request without
// an error, or send interim responses until a timeout: both end the request as a failure.

import type { ClientRequest } from 'node:http';

const MAX_INTERIM = 10;

export function rejectUnanswered(request: ClientRequest, reject: (error: Error) => void): void {
  let interim = 0;
  let isAnswered = false;
  request.on('response', () => {
    isAnswered = true;
  });
  request.on('information', () => {
    if (++interim > MAX_INTERIM) request.destroy(new Error('too many interim responses'));
  });
  request.on('error', reject);
  request.on('close', () => {
    if (!isAnswered) reject(new Error('closed without an answer'));
  });
}
