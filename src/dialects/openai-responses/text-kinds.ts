// The kinds of text in a response: their stream events, and where the whole text is in an item.

/** A list of parts in an item: its name, the events of a part, and the field with the index of one. */
export interface PartList {
  name: 'content' | 'summary';
  event: string;
  index: string;
}

const CONTENT: PartList = { name: 'content', event: 'content_part', index: 'content_index' };
const SUMMARY: PartList = { name: 'summary', event: 'reasoning_summary_part', index: 'summary_index' };

export const PART_LISTS: readonly PartList[] = [SUMMARY, CONTENT];

interface TextKind {
  /** The type of the item. */
  item: 'message' | 'reasoning' | 'function_call' | 'custom_tool_call';
  /** The list with the part that has the text; undefined if the item itself has it. */
  list?: PartList;
  /** The field of the whole text. */
  field: string;
  slot: string;
}

const namedKinds = <Name extends string>(kinds: Readonly<Record<Name, TextKind>>) => kinds;

/** By the name of its events. */
export const TEXT_KINDS = namedKinds({
  output_text: { item: 'message', list: CONTENT, field: 'text', slot: 'text' },
  refusal: { item: 'message', list: CONTENT, field: 'refusal', slot: 'refusal' },
  reasoning_text: { item: 'reasoning', list: CONTENT, field: 'text', slot: 'thought' },
  reasoning_summary_text: { item: 'reasoning', list: SUMMARY, field: 'text', slot: 'summary' },
  function_call_arguments: { item: 'function_call', field: 'arguments', slot: 'arguments' },
  custom_tool_call_input: { item: 'custom_tool_call', field: 'input', slot: 'input' },
});
export type TextName = keyof typeof TEXT_KINDS;

/** For names of events that may be others. */
export const TEXTS: ReadonlyMap<string, TextKind> = new Map(Object.entries<TextKind>(TEXT_KINDS));
