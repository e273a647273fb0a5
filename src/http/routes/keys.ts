// /api/keys: an account's keys, for its managing keys.

import { idempotencyHeaders } from '../../accounts/idempotency-headers.ts';
import { addKey, editKey, listKeys, removeKey, requireManage, rotateKey } from '../../accounts/manage-keys.ts';
import { keyBodyOf } from '../../accounts/read-key-fields.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { readBodyJson, readOptionalJson } from '../read-body.ts';

export const KEYS_MAX_BYTES = 64 * 1024;

export async function getKeys(tools: HttpTools, { key }: KeyedExchange): Promise<Response> {
  requireManage(key);
  return Response.json(await listKeys(tools, key.accountId));
}

export async function postKey(tools: HttpTools, { key, request }: KeyedExchange): Promise<Response> {
  requireManage(key);
  const document = await readOptionalJson(request, KEYS_MAX_BYTES, tools.clock);
  const idempotency = readIdempotencyKey(tools.beginIdempotency, request, document.text, {
    scope: `keys:${key.accountId}`,
    minChars: 1,
  });
  const { answer, isReplay } = await addKey(tools, key.accountId, keyBodyOf(document), idempotency);
  return Response.json(answer, { status: 201, headers: idempotencyHeaders(isReplay) });
}

export async function patchKey(tools: HttpTools, { key, request, params }: KeyedExchange): Promise<Response> {
  requireManage(key);
  const body = keyBodyOf(await readBodyJson(request, KEYS_MAX_BYTES, tools.clock));
  return Response.json(await editKey(tools, key.accountId, params.id ?? '', body));
}

export async function postRotate(tools: HttpTools, { key, request, params }: KeyedExchange): Promise<Response> {
  requireManage(key);
  const { accountId } = key;
  const keyId = params.id ?? '';
  const document = await readOptionalJson(request, KEYS_MAX_BYTES, tools.clock);
  const idempotency = readIdempotencyKey(tools.beginIdempotency, request, document.text, {
    scope: `rotate:${accountId}:${keyId}`,
    minChars: 1,
  });
  const { answer, isReplay } = await rotateKey(tools, { accountId, keyId }, document.value, idempotency);
  return Response.json(answer, { headers: idempotencyHeaders(isReplay) });
}

export async function deleteKey(tools: HttpTools, { key, params }: KeyedExchange): Promise<Response> {
  requireManage(key);
  return Response.json(await removeKey(tools, key.accountId, params.id ?? ''));
}
