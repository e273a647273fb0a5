// Writes answer events as a message stream, in the order that the format requires: one start, blocks numbered from 0, each
// closed before the next, one end. The sender adds the usage.

import type { JsonObject } from '../../../kit/json/json.ts';
import { type RawValue, writeJson } from '../../../kit/json/raw-json.ts';
import type { AnswerContext, EventWriter, Frame } from '../../translate/adapters.ts';
import type { AnswerEvent, Block, StopReason } from '../../translate/answer-events.ts';
import { packReasoning, signOwn } from '../../translate/opaque.ts';
import { shownArguments } from '../../translate/tools/tool-arguments.ts';
import { showCallId } from '../shown-ids.ts';

interface WholeBlock {
  block: Block;
  text: string;
  signature: string;
}

interface OpenBlock extends WholeBlock {
  /** The client has its start event. */
  isShown: boolean;
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
        const { reason, sequence } = event;
        const delta = stopMembers({ reason, sequence, hasCalls, hasRefused, explanation });
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

/** A message without content; its id is ours. */
function emptyMessage({ requestId, model }: AnswerContext): JsonObject {
  const id = `msg_${requestId.replace(/^req_/, '')}`;
  return { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null };
}

function emptyBlock(block: Block, { origin }: AnswerContext): JsonObject {
  switch (block.kind) {
    case 'text':
    // The model's own text; the vendor's is in `stop_details`.
    case 'refusal':
      return { type: 'text', text: '' };
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'redacted':
      return { type: 'redacted_thinking', data: packReasoning(origin, { text: '', redacted: block.data }) };
    case 'tool': {
      const { signature: value } = block;
      const id = showCallId(block.id, value === undefined ? undefined : { origin, value });
      return { type: 'tool_use', id, name: block.name, input: {} };
    }
  }
}

/** The model's signature of its reasoning, or one of ours if it has none. */
function blockSignature({ origin }: AnswerContext, thoughts: string, given: string): string {
  return given === '' ? signOwn(origin, thoughts) : packReasoning(origin, { text: '', signature: given });
}

interface Ended {
  reason: StopReason;
  sequence: string | undefined;
  hasCalls: boolean;
  hasRefused: boolean;
  /** Why the vendor stopped the answer. */
  explanation: string;
}

function stopMembers({ reason, sequence, hasCalls, hasRefused, explanation }: Ended): JsonObject {
  const details = explanation === '' ? {} : { stop_details: { type: 'refusal', category: null, explanation } };
  const stop_reason = stopReason(reason, sequence, hasCalls, hasRefused);
  return { stop_reason, stop_sequence: sequence ?? null, ...details };
}

/** An explanation by the vendor, which is not part of the answer. */
function isExplanation(block: Block): boolean {
  return block.kind === 'refusal' && block.isVendors === true;
}

/** A client waits forever on `tool_use` without calls, and runs no calls without it. */
function stopReason(reason: StopReason, sequence: string | undefined, hasCalls: boolean, hasRefused: boolean): string {
  if (hasRefused || reason === 'filter') return 'refusal';
  if (reason === 'length') return 'max_tokens';
  if (sequence !== undefined) return 'stop_sequence';
  return hasCalls ? 'tool_use' : 'end_turn';
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
      return [{ ...empty, input: shownArguments(text) }];
  }
}
