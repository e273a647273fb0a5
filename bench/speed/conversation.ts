// The body of a coding agent's call: tools with schemas, and turns of tool calls and their results, in Anthropic's format.
// It is the same in every run.

const WORDS = [
  ...['the', 'of', 'and', 'relay', 'channel', 'stream', 'token', 'wallet', 'hold', 'settle', 'import', 'const'],
  ...['return', 'async', 'await', 'function', 'export', 'interface', 'readonly', 'string', 'number', 'boolean'],
  ...['test', 'expect', 'upstream', 'gateway', 'billing', 'price', 'route', 'model', 'answer', 'event', 'file'],
];
const TURNS = 150;
const TOOLS = 20;

/** About this many bytes, in 300 messages. */
export function conversationBody(model: string, bytes: number): string {
  let state = 7;
  const word = () => {
    state = (state * 1_103_515_245 + 12_345) % 0x80000000;
    return WORDS[(state >> 8) % WORDS.length] ?? 'the';
  };
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  const line = (index: number) => `${index}\t  const ${word()} = await ${word()}.${word()}("${words(3)}", ${index});`;
  const lines = (count: number) => Array.from({ length: count }, (_, index) => line(index)).join('\n');
  const linesOf = (chars: number) => lines(Math.max(1, Math.floor(chars / line(0).length)));

  const tools = Array.from({ length: TOOLS }, (_, index) => ({
    name: `Tool${index}`,
    description: words(60),
    input_schema: {
      type: 'object',
      properties: { file_path: { type: 'string', description: words(12) }, limit: { type: 'number' } },
      required: ['file_path'],
      additionalProperties: false,
    },
  }));
  const perTurn = (bytes - JSON.stringify(tools).length) / TURNS;
  const messages = Array.from({ length: TURNS }, (_, index) => {
    const id = `toolu_${String(index).padStart(24, '0')}`;
    const input = { file_path: `/src/${word()}/${word()}.ts`, old_string: linesOf(perTurn / 8) };
    return [
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: before(id), content: linesOf(perTurn * 0.6) }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: words(12) },
          { type: 'tool_use', id, name: 'Tool3', input },
        ],
      },
    ];
  }).flat();
  messages[0] = { role: 'user', content: [{ type: 'text', text: words(40) }] } as never;
  messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: lastId(), content: lines(3) }] });
  return JSON.stringify({
    model,
    max_tokens: 1_000,
    system: [{ type: 'text', text: words(600), cache_control: { type: 'ephemeral' } }],
    tools,
    messages,
  });
}

function before(id: string): string {
  return `toolu_${String(Number(id.slice('toolu_'.length)) - 1).padStart(24, '0')}`;
}

function lastId(): string {
  return `toolu_${String(TURNS - 1).padStart(24, '0')}`;
}
