// Which item a block becomes: its id, the ids that clients answer with, and tools by the names that clients have for them.

import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { AnswerContext, Frame } from '../../translate/adapters.ts';
import type { Block } from '../../translate/answer-events.ts';
import { tagToolId } from '../../translate/opaque.ts';
import { asksForSealed } from '../sealed-reasoning.ts';
import { type Call, callItem, type ItemWriter, messageItem, reasoningItem } from './write-items.ts';
import { ownId } from './write-response.ts';

interface ItemMaker {
  (block: Block, index: number): ItemWriter;
  /** The client asked for reasoning that it can send back. */
  wantsBack: boolean;
}

interface MakerTools {
  /** The block before was empty, and became no item. */
  hasGap(): boolean;
  frame(type: string, fields: Record<string, RawValue>): Frame;
  textLength(): number;
}

type ToolBlock = Extract<Block, { kind: 'tool' }>;

export function createItemMaker(context: AnswerContext, { frame, textLength, hasGap }: MakerTools): ItemMaker {
  const { asked, origin, tools } = context;
  const wantsBack = asksForSealed(asked.value);
  const callIds = new Set<string>();

  function place(prefix: string, index: number) {
    const id = ownId(prefix, context, index);
    const writeEvent = (type: string, fields: Record<string, RawValue>) =>
      frame(type, { item_id: id, output_index: index, ...fields });
    return [id, writeEvent] as const;
  }

  function callOf({ id, name, signature }: ToolBlock, index: number): Call {
    const tool = tools.find((one) => one.name === name);
    // Clients treat two calls with the same id as one.
    const own = id === '' || callIds.has(id) ? ownId('call', context, index) : id;
    callIds.add(own);
    return {
      callId: signature === undefined ? own : tagToolId(own, { origin, value: signature }),
      name: tool?.shown?.name ?? name,
      namespace: tool?.shown?.namespace,
      isCustom: tool?.isCustom ?? false,
    };
  }

  function make(block: Block, index: number): ItemWriter {
    switch (block.kind) {
      case 'text':
      case 'refusal':
        return messageItem(...place('msg', index), textLength);
      case 'tool': {
        const call = callOf(block, index);
        return callItem(...place(call.isCustom ? 'ctc' : 'fc', index), call);
      }
      default:
        return reasoningItem(...place('rs', index), wantsBack ? { origin, isMoved: hasGap() } : undefined);
    }
  }

  return Object.assign(make, { wantsBack });
}
