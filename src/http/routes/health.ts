// Liveness says the process answers; readiness says it may be sent requests.

import { z } from 'zod';
import { flag } from '../../kit/shapes.ts';
import { openRoute } from '../operation.ts';

const readiness = z.object({ ready: flag });

export const HEALTH_CALLS = [
  openRoute('GET /healthz', {
    id: 'showHealth',
    tag: 'operation',
    summary: 'Whether the process answers',
    result: 'It does.',
    answer: z.object({ status: z.literal('ok') }),
    handle: () => Response.json({ status: 'ok' }),
  }),
  openRoute('GET /readyz', {
    id: 'showReadiness',
    tag: 'operation',
    summary: 'Whether it takes work',
    result: 'It does.',
    answer: readiness,
    others: { 503: { result: 'It drains, or has lost its store.', answer: readiness } },
    handle(tools) {
      const ready = !tools.isLeaving() && tools.hasStore();
      return Response.json({ ready }, { status: ready ? 200 : 503 });
    },
  }),
];
