// Settings to paste for each client, with the address of this site, a key, and a model with its context size.

import { claudeCodeVariables } from '../../accounts/register-agent.ts';
import { anthropicSdk, type Called, chatCurl, googleSdk, openaiPython } from '../model-snippets.ts';

export const CLIENTS = [
  'curl',
  'python',
  'node',
  'anthropic',
  'google',
  'claude-code',
  'codex',
  'opencode',
  'openai',
] as const;
export type Client = (typeof CLIENTS)[number];

/** Names as their makers write them. The name of `openai` is a text of the page. */
export const CLIENT_NAMES: Readonly<Record<Exclude<Client, 'openai'>, string>> = {
  curl: 'curl',
  python: 'Python',
  node: 'Node',
  anthropic: 'Anthropic SDK',
  google: 'Google Gen AI SDK',
  'claude-code': 'Claude Code',
  codex: 'Codex',
  opencode: 'opencode',
};

/** The kind of a block: a command of each shell, a file, or values to type. */
export type Purpose = 'install' | 'run' | 'shell' | 'powershell' | 'fields' | { file: string };

export interface SetupBlock {
  purpose: Purpose;
  code: string;
}

export interface SetupModel {
  id: string;
  input: number;
  output: number;
}

export const SETUP_BLOCKS: Readonly<Record<Client, (target: Called<SetupModel>) => SetupBlock[]>> = {
  curl: (target) => [
    { purpose: 'shell', code: chatCurl(target) },
    {
      purpose: 'powershell',
      code: `$body = @{ model = "${target.model.id}"; messages = @(@{ role = "user"; content = "Hello!" }) } | ConvertTo-Json -Depth 5
$answer = Invoke-RestMethod -Method Post -Uri "${target.publicUrl}/v1/chat/completions" \`
  -Headers @{ Authorization = "Bearer ${target.key}" } -ContentType "application/json" -Body $body
$answer.choices[0].message.content`,
    },
  ],
  python: (target) => [
    { purpose: 'install', code: 'pip install openai' },
    { purpose: { file: 'hello.py' }, code: openaiPython(target) },
    { purpose: 'run', code: 'python hello.py' },
  ],
  node: ({ publicUrl, key, model: { id } }) => [
    { purpose: 'install', code: 'npm install openai' },
    {
      purpose: { file: 'hello.mjs' },
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${publicUrl}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${id}',
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.choices[0].message.content);`,
    },
    { purpose: 'run', code: 'node hello.mjs' },
  ],
  anthropic: (target) => [
    { purpose: 'install', code: 'npm install @anthropic-ai/sdk' },
    { purpose: { file: 'hello.mjs' }, code: anthropicSdk(target) },
    { purpose: 'run', code: 'node hello.mjs' },
  ],
  google: (target) => [
    { purpose: 'install', code: 'npm install @google/genai' },
    { purpose: { file: 'hello.mjs' }, code: googleSdk(target) },
    { purpose: 'run', code: 'node hello.mjs' },
  ],
  'claude-code': ({ publicUrl, key, model: { id, input } }) => {
    const variables = { ANTHROPIC_BASE_URL: publicUrl, ANTHROPIC_AUTH_TOKEN: key, ...claudeCodeVariables(id, input) };
    const lines = (line: (name: string, value: string) => string) =>
      Object.entries(variables)
        .map(([name, value]) => line(name, value))
        .join('\n');
    return [
      { purpose: 'install', code: 'npm install -g @anthropic-ai/claude-code' },
      {
        purpose: 'shell',
        code: `unset ANTHROPIC_API_KEY\n${lines((name, value) => `export ${name}=${value}`)}\nclaude`,
      },
      {
        purpose: 'powershell',
        code: `Remove-Item Env:ANTHROPIC_API_KEY -ErrorAction SilentlyContinue
${lines((name, value) => `$env:${name} = "${value}"`)}
claude`,
      },
    ];
  },
  codex: ({ publicUrl, key, model: { id, input } }) => [
    { purpose: 'install', code: 'npm install -g @openai/codex' },
    {
      purpose: { file: '~/.codex/config.toml' },
      code: `model = "${id}"
model_provider = "gateway"
model_context_window = ${input}

[model_providers.gateway]
name = "gateway"
base_url = "${publicUrl}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"`,
    },
    { purpose: 'shell', code: `export GATEWAY_KEY=${key}\ncodex` },
    { purpose: 'powershell', code: `$env:GATEWAY_KEY = "${key}"\ncodex` },
  ],
  opencode: ({ publicUrl, key, model: { id, input, output } }) => [
    { purpose: 'install', code: 'npm install -g opencode-ai' },
    {
      purpose: { file: 'opencode.json' },
      code: `{
  "provider": {
    "gateway": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "${publicUrl}/v1", "apiKey": "${key}" },
      "models": { "${id}": { "limit": { "context": ${input}, "output": ${output} } } }
    }
  },
  "model": "gateway/${id}",
  "small_model": "gateway/${id}"
}`,
    },
    { purpose: 'run', code: 'opencode' },
  ],
  openai: ({ publicUrl, key, model: { id } }) => [
    { purpose: 'fields', code: `Base URL   ${publicUrl}/v1\nAPI key    ${key}\nModel      ${id}` },
  ],
};
