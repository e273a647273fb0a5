// Turns as items of a Responses request: messages, calls, their results, and the model's own sealed reasoning.

import { createHash } from 'node:crypto';
import type { RawValue } from '../../../kit/json/raw-json.ts';
import type { Quirks } from '../../../vendors/quirks.ts';
import { refuseField } from '../../fields.ts';
import { addressOf } from '../../media/read-media.ts';
import { asFailure, FAILED, refuseKind, reportsFailure, textOfPart } from '../../translate/as-text.ts';
import type { DocumentPart, Part, ToolResultPart, Turn } from '../../translate/conversation.ts';
import { objectArguments } from '../../translate/tools/tool-arguments.ts';
import type { ToolNames } from '../../translate/tools/tool-names.ts';

type Item = { [name: string]: RawValue | undefined };

export function writeTurn(turn: Turn, { quirks, names }: { quirks: Quirks; names: ToolNames }): Item[] {
  if (turn.role === 'assistant') return writeAssistant(turn.parts, names);
  const results = turn.parts.filter((part) => part.type === 'tool_result');
  const said = turn.parts.filter((part) => part.type !== 'tool_result').map(writePart);
  const role = turn.role === 'system' ? quirks.midSystem : 'user';
  return [...results.map(writeResult), ...(said.length > 0 ? [{ role, content: said }] : [])];
}

/** Reasoning is sent back only to the very model that sealed it, as it came. */
export function isWanted(part: Part, origin: string): boolean {
  return part.type !== 'reasoning' || (part.opaque?.origin === origin && part.opaque.value !== '');
}

/** In the model's order: reasoning comes right before the content that followed it. */
function writeAssistant(parts: readonly Part[], names: ToolNames): Item[] {
  return parts.map((part) => {
    switch (part.type) {
      case 'tool_call': {
        const { id, name } = part;
        const call = { call_id: writeCallId(id), name: names.toUpstream(name), arguments: objectArguments(part) };
        return { type: 'function_call', ...call };
      }
      case 'reasoning': {
        const summary = part.text === '' ? [] : [{ type: 'summary_text', text: part.text }];
        return { type: 'reasoning', summary, encrypted_content: part.opaque?.value };
      }
      default: {
        const text = textOfPart(part) ?? refuseField(part.at, `${part.at} is not text. Remove it, or make it text.`);
        return { role: 'assistant', content: [{ type: 'output_text', text }] };
      }
    }
  });
}

function writeResult({ callId, content, isError }: ToolResultPart): Item {
  const parts = content.map(writePart);
  const texts = content.flatMap((part) => textOfPart(part) ?? []);
  const type = 'function_call_output';
  const call_id = writeCallId(callId);
  if (texts.length < parts.length) {
    const failed = isError && !texts.some(reportsFailure) ? [{ type: 'input_text', text: FAILED }] : [];
    return { type, call_id, output: [...failed, ...parts] };
  }
  const text = texts.join('\n');
  return { type, call_id, output: isError ? asFailure(text) : text };
}

function writePart(part: Part): Item {
  const text = textOfPart(part);
  if (text !== undefined) return { type: 'input_text', text };
  switch (part.type) {
    case 'image':
      return { type: 'input_image', image_url: addressOf(part.source), detail: part.detail ?? 'auto' };
    case 'document':
      return writeFile(part);
    default:
      return refuseKind(part);
  }
}

function writeFile({ source, title }: DocumentPart): Item {
  if (source.kind === 'url') return { type: 'input_file', file_url: source.url };
  if (source.kind === 'text') return { type: 'input_text', text: source.text };
  return { type: 'input_file', filename: title ?? 'document.pdf', file_data: addressOf(source) };
}

const MAX_ID_CHARS = 64;

/** The same id gives the same one each time: a call and its result must find each other. */
function writeCallId(id: string): string {
  return id.length <= MAX_ID_CHARS ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}
