// /api/keys: an account's keys, for its managing keys.

import {
  addKey,
  editKey,
  listKeys,
  removeKey,
  requesterOf,
  requireManage,
  rotateKey,
} from '../../accounts/keys/manage-keys.ts';
import { keyBodyOf } from '../../accounts/keys/read-key-fields.ts';
import { idempotencyHeaders } from '../../accounts/replays.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { readIdempotencyKey } from '../idempotency-key.ts';
import { type KeyedBody, readKeyedJson, readOptionalKeyedJson } from '../read-keyed-body.ts';

export const KEYS_MAX_BYTES = 64 * 1024;

export async function getKeys(tools: HttpTools, { key }: KeyedExchange): Promise<Response> {
  requireManage(key);
  return Response.json(await listKeys(tools, key.accountId));
}

export async function postKey(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { document, key } = await readManaging(tools, exchange, readOptionalKeyedJson);
  const idempotency = readIdempotencyKey(tools.beginIdempotency, exchange.request, document.text, {
    scope: `keys:${key.accountId}`,
    minChars: 1,
  });
  const { answer, isReplay } = await addKey(tools, requesterOf(key), keyBodyOf(document), idempotency);
  return Response.json(answer, { status: 201, headers: idempotencyHeaders(isReplay) });
}

export async function patchKey(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { document, key } = await readManaging(tools, exchange, readKeyedJson);
  return Response.json(await editKey(tools, requesterOf(key), exchange.params.id ?? '', keyBodyOf(document)));
}

export async function postRotate(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const { document, key } = await readManaging(tools, exchange, readOptionalKeyedJson);
  const keyId = exchange.params.id ?? '';
  const idempotency = readIdempotencyKey(tools.beginIdempotency, exchange.request, document.text, {
    scope: `rotate:${key.accountId}:${keyId}`,
    minChars: 1,
  });
  const { answer, isReplay } = await rotateKey(tools, requesterOf(key), keyId, document.value, idempotency);
  return Response.json(answer, { headers: idempotencyHeaders(isReplay) });
}

export async function deleteKey(tools: HttpTools, { key, params }: KeyedExchange): Promise<Response> {
  requireManage(key);
  return Response.json(await removeKey(tools, requesterOf(key), params.id ?? ''));
}

type Read = (tools: HttpTools, exchange: KeyedExchange, maxBytes: number) => Promise<KeyedBody>;

/** Who may not manage is refused before the body is read, and who may not any more, after it. */
async function readManaging(tools: HttpTools, exchange: KeyedExchange, read: Read): Promise<KeyedBody> {
  requireManage(exchange.key);
  const body = await read(tools, exchange, KEYS_MAX_BYTES);
  requireManage(body.key);
  return body;
}
