// How a model is called, to copy: one example for each way that its kind has.

interface Snippet {
  title: string;
  /** Language of the code, for its colours. */
  syntax: 'sh' | 'python' | 'ts' | 'json' | 'toml' | 'powershell';
  code: string;
}

/** What a program in each language needs to know. */
export interface Called<Model extends { id: string } = { id: string }> {
  publicUrl: string;
  key: string;
  model: Model;
}

export const chatCurl = ({ publicUrl, key, model: { id } }: Called) =>
  curl(
    `${publicUrl}/v1/chat/completions`,
    key,
    `{"model": "${id}", "messages": [{"role": "user", "content": "Hello!"}]}`,
  );

export const openaiPython = ({ publicUrl, key, model: { id } }: Called) => `from openai import OpenAI

client = OpenAI(base_url="${publicUrl}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${id}", messages=[{"role": "user", "content": "Hello!"}]
)
print(answer.choices[0].message.content)`;

export const anthropicSdk = ({ publicUrl, key, model: { id } }: Called) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${publicUrl}', authToken: '${key}', apiKey: null });
const message = await client.messages.create({
  model: '${id}',
  max_tokens: 300,
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(message.content);`;

export const googleSdk = ({ publicUrl, key, model: { id } }: Called) => `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({ apiKey: '${key}', httpOptions: { baseUrl: '${publicUrl}' } });
const answer = await client.models.generateContent({ model: '${id}', contents: 'Hello!' });
console.log(answer.text);`;

const SPEECH = '/v1/audio/speech';

/** Fields of a form beside the model, where a path takes files. */
const FORMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/v1/images/edits': { image: '@photo.png', prompt: 'Add a red lantern' },
  '/v1/images/variations': { image: '@photo.png' },
  '/v1/audio/transcriptions': { file: '@recording.mp3' },
  '/v1/audio/translations': { file: '@recording.mp3' },
};

/** The request, where it is not a text as `input`. */
const BODIES: Readonly<Record<string, object>> = {
  '/v1/images/generations': { prompt: 'A red lantern' },
  [SPEECH]: { input: 'Hello!', voice: 'alloy' },
  '/v1/rerank': {
    query: 'What is the capital of Taiwan?',
    documents: ['Taipei is the capital.', 'Bananas are yellow.'],
  },
};

/** Where the visitor puts a key. */
export const NO_KEY = 'YOUR_KEY';

export function modelSnippets(publicUrl: string, model: { id: string; paths: readonly string[] }): Snippet[] {
  const { id, paths } = model;
  if (paths.includes('/v1/chat/completions')) return chatSnippets({ publicUrl, key: NO_KEY, model });
  return paths.slice(0, 1).map((path) => {
    const form = FORMS[path];
    if (form) return { title: 'curl', syntax: 'sh', code: formCurl(publicUrl + path, { model: id, ...form }) };
    const body = JSON.stringify({ model: id, ...(BODIES[path] ?? { input: 'Hello!' }) });
    const output = path === SPEECH ? ' -o speech.mp3' : '';
    return { title: 'curl', syntax: 'sh', code: curl(publicUrl + path, NO_KEY, body) + output };
  });
}

function formCurl(url: string, fields: Readonly<Record<string, string>>): string {
  const parts = Object.entries(fields).map(([name, value]) => `-F "${name}=${value}"`);
  return `curl -s ${url} \\
  -H "Authorization: Bearer ${NO_KEY}" \\
  ${parts.join(' ')}`;
}

function chatSnippets(called: Called): Snippet[] {
  return [
    { title: 'curl', syntax: 'sh', code: chatCurl(called) },
    { title: 'Python (openai)', syntax: 'python', code: openaiPython(called) },
    { title: 'TypeScript (@anthropic-ai/sdk)', syntax: 'ts', code: anthropicSdk(called) },
    { title: 'TypeScript (@google/genai)', syntax: 'ts', code: googleSdk(called) },
  ];
}

function curl(url: string, key: string, body: string): string {
  return `curl -s ${url} \\
  -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
  -d '${body}'`;
}
