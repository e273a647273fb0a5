// GET /api/me, /api/usage and /api/receipts/{id}: what a key may see of its account.

import { showAccount } from '../../accounts/show-account.ts';
import { listUsage } from '../../accounts/usage/list-usage.ts';
import { showReceipt } from '../../accounts/usage/show-receipt.ts';
import { openUsageFile } from '../../accounts/usage/usage-file.ts';
import { fault } from '../../faults/fault.ts';
import { requestUrl } from '../../kit/request-url.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';

export async function me(tools: HttpTools, { key }: KeyedExchange): Promise<Response> {
  return Response.json(await showAccount(tools, key));
}

export async function usage(tools: HttpTools, { key, request }: KeyedExchange): Promise<Response> {
  const { searchParams } = requestUrl(request);
  const { find } = tools.catalog();
  const format = searchParams.get('format') || 'json';
  if (format !== 'csv' && format !== 'json') {
    throw fault('invalid_request', { param: 'format', message: 'format must be csv or json.' });
  }
  if (format === 'json') {
    return Response.json(await listUsage(tools.store, key.accountId, searchParams, find));
  }
  return new Response(
    await openUsageFile(tools, key.accountId, searchParams, { gone: request.signal, findModel: find }),
    {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="usage.csv"',
      },
    },
  );
}

export async function receipt(tools: HttpTools, { key, params }: KeyedExchange): Promise<Response> {
  return Response.json(await showReceipt(tools, key.accountId, params.id ?? ''));
}
