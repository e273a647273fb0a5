// What to paste for each client, with a model and how many tokens it takes.

interface Snippet {
  title: string;
  code: string;
}

export interface SetupModel {
  id: string;
  /** How many tokens a call may have. */
  input: number;
  output: number;
}

export function snippets(publicUrl: string, { id, input, output }: SetupModel): Snippet[] {
  return [
    {
      title: 'curl',
      code: `curl -s ${publicUrl}/v1/chat/completions \\
  -H "Authorization: Bearer YOUR_KEY" -H "Content-Type: application/json" \\
  -d '{"model": "${id}", "messages": [{"role": "user", "content": "Hello!"}]}'`,
    },
    {
      title: 'Claude Code',
      code: `unset ANTHROPIC_API_KEY
export ANTHROPIC_BASE_URL=${publicUrl}
export ANTHROPIC_AUTH_TOKEN=YOUR_KEY
export ANTHROPIC_MODEL=${id}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=$ANTHROPIC_MODEL ANTHROPIC_DEFAULT_SONNET_MODEL=$ANTHROPIC_MODEL
export ANTHROPIC_DEFAULT_OPUS_MODEL=$ANTHROPIC_MODEL ANTHROPIC_DEFAULT_FABLE_MODEL=$ANTHROPIC_MODEL
export CLAUDE_CODE_MAX_CONTEXT_TOKENS=${input}
claude`,
    },
    {
      title: 'Codex (~/.codex/config.toml)',
      code: `# export KEY=YOUR_KEY
model = "${id}"
model_provider = "gateway"
model_context_window = ${input}

[model_providers.gateway]
name = "gateway"
base_url = "${publicUrl}/v1"
env_key = "KEY"
wire_api = "responses"`,
    },
    {
      title: 'opencode (opencode.json)',
      code: `{
  "provider": {
    "gateway": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "${publicUrl}/v1", "apiKey": "YOUR_KEY" },
      "models": { "${id}": { "limit": { "context": ${input}, "output": ${output} } } }
    }
  },
  "model": "gateway/${id}",
  "small_model": "gateway/${id}"
}`,
    },
    {
      title: 'OpenAI SDK (Python)',
      code: `from openai import OpenAI

client = OpenAI(base_url="${publicUrl}/v1", api_key="YOUR_KEY")
answer = client.chat.completions.create(
    model="${id}", messages=[{"role": "user", "content": "Hello!"}]
)
print(answer.choices[0].message.content)`,
    },
    {
      title: 'Anthropic SDK (TypeScript)',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${publicUrl}', authToken: 'YOUR_KEY', apiKey: null });
const message = await client.messages.create({
  model: '${id}',
  max_tokens: 300,
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(message.content);`,
    },
  ];
}
