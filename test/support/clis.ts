// The command lines that people code with, and how each is pointed at a gateway. Their binaries are run where npm puts
// them; none of their install scripts is needed.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CliRun } from './run-cli.ts';

export interface Errand {
  /** The gateway's address without a version. */
  url: string;
  key: string;
  model: string;
  prompt: string;
}

export interface Cli {
  name: string;
  /** What its command is called where it is installed. */
  command: string;
  /** What starts it here. */
  start(): readonly string[];
  /** What keeps it from the internet. */
  offline: Readonly<Record<string, string>>;
  /** Its tool that runs a command in a shell. */
  shell: { tool: string; input(command: string): Record<string, unknown> };
  /** What one errand with one tool call asks of the gateway, and how often it asks when there is no money. */
  calls: { withTool: number; withoutMoney: number };
  run(errand: Errand): CliRun;
}

const MODULES = join(import.meta.dir, '..', '..', 'node_modules');

export const claudeCode: Cli = {
  name: 'Claude Code',
  command: 'claude',
  // Its own way in where install scripts did not run.
  start: () => ['node', join(MODULES, '@anthropic-ai/claude-code/cli-wrapper.cjs')],
  offline: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1' },
  shell: { tool: 'Bash', input: (command) => ({ command, description: 'Runs what was asked for' }) },
  calls: { withTool: 2, withoutMoney: 1 },
  run: ({ url, key, model, prompt }) => ({
    command: [...claudeCode.start(), '-p', prompt, '--allowedTools', 'Bash'],
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_MODEL: model, ...claudeCode.offline },
  }),
};

export const codex: Cli = {
  name: 'Codex',
  command: 'codex',
  start: () => ['node', join(MODULES, '@openai/codex/bin/codex.js')],
  offline: {},
  shell: { tool: 'exec_command', input: (cmd) => ({ cmd }) },
  // It repeats a refusal five times, whatever the refusal says.
  calls: { withTool: 2, withoutMoney: 6 },
  run: ({ url, key, model, prompt }) => ({
    command: [
      ...codex.start(),
      'exec',
      '--skip-git-repo-check',
      // The folder is its own and thrown away, and not every machine lets it make a sandbox.
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
    env: { GATEWAY_KEY: key },
    files: {
      '.codex/config.toml': `
        model = "${model}"
        model_provider = "gateway"
        [model_providers.gateway]
        name = "gateway"
        base_url = "${url}/v1"
        env_key = "GATEWAY_KEY"
        wire_api = "responses"
      `,
    },
  }),
};

export const opencode: Cli = {
  name: 'opencode',
  command: 'opencode',
  start: () => [opencodeBinary()],
  // Its provider for this format is built in; the list of models and its plugins it would fetch.
  offline: {
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_PURE: '1',
  },
  shell: { tool: 'bash', input: (command) => ({ command, description: 'Runs what was asked for' }) },
  // One of them is for the session's title.
  calls: { withTool: 3, withoutMoney: 2 },
  run: ({ url, key, model, prompt }) => ({
    command: [...opencode.start(), 'run', prompt],
    env: opencode.offline,
    files: {
      'work/opencode.json': JSON.stringify({
        provider: {
          gateway: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { [model]: {} },
          },
        },
        model: `gateway/${model}`,
        small_model: `gateway/${model}`,
      }),
    },
  }),
};

/** npm takes every build that fits the system; the baseline runs on any processor. */
function opencodeBinary(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const found = ['-baseline', '', '-baseline-musl', '-musl']
    .map((build) => join(MODULES, `opencode-${system}-${process.arch}${build}`, 'bin', 'opencode'))
    .find(existsSync);
  if (!found) throw new Error(`opencode has no build for ${system}-${process.arch}`);
  return found;
}
