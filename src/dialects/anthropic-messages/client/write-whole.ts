// Writes answer events as one message. Arguments of calls keep their text.

import { isObject, tryParseJson } from '../../../kit/json/json.ts';
import { RawJson, type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import type { AnswerContext } from '../../translate/adapters.ts';
import type { AnswerEvent, Block, StopReason } from '../../translate/answer-events.ts';
import { blockSignature, emptyBlock, emptyMessage, isExplanation, stopMembers } from './answer-blocks.ts';

interface WholeBlock {
  block: Block;
  text: string;
  signature: string;
}

export function writeWhole(events: readonly AnswerEvent[], context: AnswerContext): string {
  const blocks: WholeBlock[] = [];
  let reason: StopReason = 'end';
  let sequence: string | undefined;
  for (const event of events) {
    const last = blocks.at(-1);
    if (event.type === 'open') blocks.push({ block: event.block, text: '', signature: '' });
    else if (event.type === 'delta' && last) last.text += event.text;
    else if (event.type === 'sign' && last) last.signature = event.signature;
    else if (event.type === 'stop') ({ reason, sequence } = event);
  }
  const has = (kind: Block['kind']) => blocks.some(({ block }) => block.kind === kind);
  const said = blocks.filter(({ block }) => !isExplanation(block));
  const explanation = blocks.map(({ block, text }) => (isExplanation(block) ? text : '')).join('');
  return writeJson({
    ...emptyMessage(context),
    content: said.flatMap((block) => writeBlock(block, context)),
    ...stopMembers({ reason, sequence, hasCalls: has('tool'), hasRefused: has('refusal'), explanation }),
  });
}

function writeBlock({ block, text, signature }: WholeBlock, context: AnswerContext): RawValue[] {
  const empty = emptyBlock(block, context);
  switch (block.kind) {
    case 'text':
    case 'refusal':
      return text === '' ? [] : [{ ...empty, text }];
    case 'reasoning':
      if (text === '' && signature === '') return [];
      return [{ ...empty, thinking: text, signature: blockSignature(context, text, signature) }];
    case 'redacted':
      return [empty];
    case 'tool':
      return [{ ...empty, input: writeInput(text) }];
  }
}

/** The input must be an object; any other text of the model is put into one. */
function writeInput(text: string): RawValue {
  if (text.trim() === '') return {};
  return isObject(tryParseJson(text)) ? new RawJson(text) : { _raw: text };
}
