// The operator's API of a test's gateway: JSON in, JSON out.

import type { Answer } from './answer.ts';
import type { TestGateway } from './gateway.ts';
import { operatorOf } from './operator.ts';

export interface AdminAnswer {
  status: number;
  body: Answer;
}

export type AdminApi = (method: string, path: string, body?: unknown) => Promise<AdminAnswer>;

/** Paths below /api/admin. */
export function adminApiOf(gateway: TestGateway): AdminApi {
  const { call } = operatorOf(gateway);
  return async (method, path, body) => {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await call(`/api/admin${path}`, { method, ...sent });
    return { status: response.status, body: await response.json() };
  };
}
