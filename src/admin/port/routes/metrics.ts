// GET /metrics, for Prometheus and what understands its text.

import { METRICS_TYPE } from '../../metrics/metrics.ts';
import type { OperatorTools } from '../tools.ts';

export async function metrics(tools: OperatorTools): Promise<Response> {
  return new Response(await tools.metrics.text(), {
    headers: { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' },
  });
}
