// The OpenAI responses format, as the upstream's side of it.

import type { Answer } from '../answer.ts';
import { jsonScript, sseScript, UPSTREAM_MODEL } from '../openai-chat.ts';
import type { Format, Said } from './model.ts';
import { forcedTool, halves, inLines, textOf } from './text-of.ts';

const USAGE = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 18,
};

export const responsesFormat: Format = {
  hasPath: (path) => path.endsWith('/responses'),
  isStream: ({ json }) => json.stream === true,

  hear({ json }) {
    const items: Answer[] = typeof json.input === 'string' ? [{ role: 'user', content: json.input }] : json.input;
    const of = (...roles: string[]) => items.filter(({ role }) => roles.includes(role));
    const tools = (json.tools ?? []).flatMap(namesOf);
    return {
      system: inLines([json.instructions ?? '', ...of('system', 'developer').map(({ content }) => textOf(content))]),
      prompt: inLines(of('user').map(({ content }) => textOf(content))),
      tools,
      forcedTool: forcedTool(json.tool_choice?.name, json.tool_choice === 'required', tools),
      schema: json.text?.format?.schema,
      calls: items
        .filter(({ type }) => type === 'function_call')
        .map((call) => ({ id: call.call_id, name: joined(call), input: JSON.parse(call.arguments) })),
      results: items
        .filter(({ type }) => type === 'function_call_output')
        .map(({ call_id, output }) => ({ id: call_id, text: textOf(output) })),
    };
  },

  whole: (said) => jsonScript(200, response('completed', itemsOf(said))),

  stream(said) {
    let sequence_number = 0;
    const event = (type: string, rest: Record<string, unknown>) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...rest })}\n\n`;
    const items = itemsOf(said);
    return sseScript([
      event('response.created', { response: response('in_progress', []) }),
      event('response.in_progress', { response: response('in_progress', []) }),
      ...items.flatMap((item, output_index) => {
        const at = { output_index, item_id: item.id };
        return item.type === 'message'
          ? messageEvents(event, at, item, said.pieces)
          : callEvents(event, at, item, halves(item.arguments));
      }),
      event('response.completed', { response: response('completed', items) }),
    ]);
  },
};

/** A tool in a namespace goes by both names here, with a dot between them; a name has none. */
const joined = ({ namespace, name }: Answer): string => (namespace === undefined ? name : `${namespace}.${name}`);

function namesOf({ type, name, tools }: Answer): string[] {
  if (type === 'namespace') return tools.map((tool: Answer) => joined({ namespace: name, name: tool.name }));
  return name === undefined ? [] : [name];
}

function apart(joinedName: string): { namespace?: string; name: string } {
  const [first = '', name] = joinedName.split('.');
  return name === undefined ? { name: first } : { namespace: first, name };
}

type Event = (type: string, rest: Record<string, unknown>) => string;
type Place = { output_index: number; item_id: string };

function messageEvents(event: Event, at: Place, item: Answer, pieces: readonly string[]): string[] {
  const { output_index } = at;
  const place = { ...at, content_index: 0 };
  const [part] = item.content;
  return [
    event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', content: [] } }),
    event('response.content_part.added', { ...place, part: { ...part, text: '' } }),
    ...pieces.map((delta) => event('response.output_text.delta', { ...place, delta, logprobs: [] })),
    event('response.output_text.done', { ...place, text: part.text, logprobs: [] }),
    event('response.content_part.done', { ...place, part }),
    event('response.output_item.done', { output_index, item }),
  ];
}

function callEvents(event: Event, at: Place, item: Answer, pieces: readonly string[]): string[] {
  const { output_index } = at;
  return [
    event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', arguments: '' } }),
    ...pieces.map((delta) => event('response.function_call_arguments.delta', { ...at, delta })),
    event('response.function_call_arguments.done', { ...at, name: item.name, arguments: item.arguments }),
    event('response.output_item.done', { output_index, item }),
  ];
}

function itemsOf({ pieces, calls }: Required<Said>): Answer[] {
  const text = { type: 'output_text', text: pieces.join(''), annotations: [], logprobs: [] };
  return [
    ...(pieces.length > 0
      ? [{ type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [text] }]
      : []),
    ...calls.map(({ name, input }, index) => ({
      type: 'function_call',
      id: `fc_${index + 1}`,
      call_id: `call_${index + 1}`,
      status: 'completed',
      ...apart(name),
      arguments: JSON.stringify(input),
    })),
  ];
}

function response(status: string, output: Answer[]): Record<string, unknown> {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_790_000_000,
    status,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: UPSTREAM_MODEL,
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    ...(status === 'completed' ? { usage: USAGE } : {}),
  };
}
