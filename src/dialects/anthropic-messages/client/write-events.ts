// Writes answer events as a message stream, in the order that the format requires: one start, blocks numbered from 0, each
// closed before the next, one end. The sender adds the usage.

import type { JsonObject } from '../../../kit/json/json.ts';
import type { AnswerContext, EventWriter, Frame } from '../../translate/adapters.ts';
import type { AnswerEvent, Block } from '../../translate/answer-events.ts';
import { blockSignature, emptyBlock, emptyMessage, isExplanation, stopMembers } from './answer-blocks.ts';

interface OpenBlock {
  block: Block;
  /** The client has its start event. */
  isShown: boolean;
  text: string;
  signature: string;
}

export function createEventWriter(context: AnswerContext): EventWriter {
  let hasStarted = false;
  let index = 0;
  let open: OpenBlock | undefined;
  let hasCalls = false;
  let hasRefused = false;
  let explanation = '';
  let isOver = false;

  function start(): Frame[] {
    if (hasStarted) return [];
    hasStarted = true;
    const usage = { input_tokens: context.inputTokens, output_tokens: 0 };
    return [frame({ type: 'message_start', message: { ...emptyMessage(context), usage } })];
  }

  /** Empty blocks are skipped: clients would send them back, and the vendor would refuse them. */
  function show(): Frame[] {
    if (!open || open.isShown) return [];
    open.isShown = true;
    return [frame({ type: 'content_block_start', index, content_block: emptyBlock(open.block, context) })];
  }

  function openBlock(block: Block): Frame[] {
    const before = closeBlock();
    open = { block, isShown: false, text: '', signature: '' };
    hasCalls ||= block.kind === 'tool';
    hasRefused ||= block.kind === 'refusal';
    return block.kind === 'tool' || block.kind === 'redacted' ? [...before, ...show()] : before;
  }

  function add(text: string): Frame[] {
    if (!open || text === '') return [];
    if (isExplanation(open.block)) {
      explanation += text;
      return [];
    }
    const shown = show();
    if (open.block.kind === 'reasoning') open.text += text;
    return [...shown, frame({ type: 'content_block_delta', index, delta: deltaOf(open.block, text) })];
  }

  function closeBlock(): Frame[] {
    if (!open) return [];
    const { block, text, signature } = open;
    const frames = signature === '' ? [] : show();
    if (open.isShown) {
      if (block.kind === 'reasoning') {
        const delta = { type: 'signature_delta', signature: blockSignature(context, text, signature) };
        frames.push(frame({ type: 'content_block_delta', index, delta }));
      }
      frames.push(frame({ type: 'content_block_stop', index }));
      index++;
    }
    open = undefined;
    return frames;
  }

  function writeEvent(event: AnswerEvent): Frame[] {
    switch (event.type) {
      case 'open':
        return openBlock(event.block);
      case 'delta':
        return add(event.text);
      case 'sign':
        if (open?.block.kind === 'reasoning') open.signature = event.signature;
        return [];
      case 'close':
        return closeBlock();
      case 'stop': {
        isOver = true;
        const delta = stopMembers({
          reason: event.reason,
          sequence: event.sequence,
          hasCalls,
          hasRefused,
          explanation,
        });
        return [...closeBlock(), frame({ type: 'message_delta', delta })];
      }
      default:
        // Not written: a citation refers to a search result, which this answer does not have.
        return [];
    }
  }

  return {
    write: (event) => (isOver ? [] : [...start(), ...writeEvent(event)]),
    isSteady: () => !isOver && open?.isShown === true && open.block.kind !== 'reasoning',
  };
}

function deltaOf({ kind }: Block, text: string): JsonObject {
  if (kind === 'reasoning') return { type: 'thinking_delta', thinking: text };
  if (kind === 'tool') return { type: 'input_json_delta', partial_json: text };
  return { type: 'text_delta', text };
}

function frame(event: JsonObject & { type: string }): Frame {
  return { event: event.type, data: JSON.stringify(event) };
}
