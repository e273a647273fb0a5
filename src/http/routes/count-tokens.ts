// POST /v1/messages/count_tokens: how many tokens a messages request would be, counted here. It costs nothing, takes no
// slot and asks no upstream, so that a client may call it before every turn.

import { readInput } from '../../dialects/anthropic-messages/read-request.ts';
import { readModel } from '../../dialects/fields.ts';
import { estimateAt } from '../../dialects/input/estimated-input.ts';
import { chooseModel } from '../../relay/choose-model.ts';
import type { HttpTools, KeyedExchange } from '../exchange.ts';
import { gatewayHeaders } from '../gateway-headers.ts';
import { readKeyedJson } from '../read-keyed-body.ts';

export const COUNT_TOKENS_MAX_BYTES = 20 * 1024 * 1024;

export async function countTokens(tools: HttpTools, exchange: KeyedExchange): Promise<Response> {
  const room = tools.load.enter(exchange.key.accountId);
  try {
    const { document, key } = await readKeyedJson(tools, exchange, COUNT_TOKENS_MAX_BYTES, room);
    const { routes } = chooseModel(tools.catalog(), key, readModel(document), 'chat');
    return Response.json(
      { input_tokens: estimateAt(readInput(document), routes[0]?.model ?? '') },
      { headers: await gatewayHeaders(tools, exchange, exchange.envelope) },
    );
  } finally {
    room.leave();
  }
}
