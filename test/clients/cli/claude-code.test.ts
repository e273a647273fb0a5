// Claude Code as every command line, and with the models that it asks for beside its main one.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../support/answer.ts';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../../support/client-gateway.ts';
import { claudeCode } from '../../support/clis.ts';
import { type Doorway, openDoorway } from '../../support/doorway.ts';
import { CLI_TEST_MS, runCli } from '../../support/run-cli.ts';
import { describeCli } from './describe-cli.ts';

describeCli(claudeCode, KINDS_FOR.messages);

const page = readFileSync(join(import.meta.dir, '../../../docs/clients.md'), 'utf8');
/** By the names that the vendor has for its models, the variables that our page sets in their place. */
const VARIABLES = new Map(
  [...page.matchAll(/(ANTHROPIC_DEFAULT_([A-Z]+)_MODEL)=/g)].map(([, variable = '', name = '']) => [
    name.toLowerCase(),
    variable,
  ]),
);
const [{ model: MAIN }] = KINDS_FOR.messages;
/** One for each of them. */
const OTHERS = [...KINDS_FOR.responses.map(({ model }) => model).filter((model) => model !== MAIN), 'demo-small'];
const HELP = 'Say that you helped.';

describe('Claude Code, beside a key of its vendor', () => {
  const STALE = { ANTHROPIC_API_KEY: 'sk-ant-stale' };
  let gateway: ClientGateway;
  let door: Doorway;
  beforeAll(async () => {
    gateway = await startClientGateway();
    door = openDoorway(gateway.url);
  });
  afterAll(async () => {
    await door.close();
    await gateway.stop();
  });

  async function say(env: Record<string, string>) {
    door.reset();
    const { command } = claudeCode.run({ url: door.url, key: gateway.key, model: MAIN, prompt: 'Hi' });
    return runCli({ command, env: { ...STALE, ...env, ...claudeCode.offline } });
  }

  test.each([
    ['that stays set', STALE],
    ['that the variables of registration replace', {}],
  ])(
    'works with the variables of registration and one %s',
    async (_, stale) => {
      const registered: Answer = await (await gateway.call('/api/agent/register', { body: {} })).json();
      const { exitCode, stdout, stderr } = await say({ ...registered.env, ANTHROPIC_BASE_URL: door.url, ...stale });
      expect({ exitCode, stdout, stderr }).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('demo channel'),
      });
      expect(new Set(door.passages.map(({ status }) => status))).toEqual(new Set([200]));
    },
    CLI_TEST_MS,
  );
});

describe('Claude Code, whose subagent takes another model', () => {
  let gateway: ClientGateway;
  let door: Doorway;
  beforeAll(async () => {
    gateway = await startClientGateway();
    door = openDoorway(gateway.url);
  });
  afterAll(async () => {
    await door.close();
    await gateway.stop();
  });

  /** One subagent for each of these names, all at once. */
  async function runHelpers(names: readonly string[], key: string, env: Record<string, string>): Promise<void> {
    door.reset();
    gateway.upstream.reset();
    const input = { description: 'Helps', prompt: HELP, subagent_type: 'general-purpose' };
    gateway.answer(({ prompt, results }) => {
      if (prompt.includes(HELP)) return { pieces: ['I helped.'] };
      if (results.length > 0) return { pieces: ['Done.'] };
      return { calls: names.map((model) => ({ name: 'Agent', input: { ...input, model } })) };
    });
    const errand = claudeCode.run({ url: door.url, key, model: MAIN, prompt: 'Get help.' });
    const { exitCode, stdout, stderr } = await runCli({ ...errand, env: { ...errand.env, ...env } });
    expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Done.') });
  }

  test(
    'finds each name by its variable of our page',
    async () => {
      const { key } = await gateway.register();
      const models = new Map([...VARIABLES.values()].map((variable, index) => [variable, OTHERS[index] ?? '']));
      expect(models.size).toBe(OTHERS.length);
      await runHelpers([...VARIABLES.keys()], key, Object.fromEntries(models));
      expect(new Set(door.passages.map(({ status }) => status))).toEqual(new Set([200]));
      for (const [variable, model] of models) {
        const { data } = await gateway.get(`/api/usage?model=${model}`, key);
        expect([variable, data.map(({ status }: Answer) => status)]).toEqual([variable, ['ok']]);
      }
    },
    CLI_TEST_MS,
  );

  test(
    'finds nothing without its variable; its tool offers the names that have one',
    async () => {
      const { key } = await gateway.register();
      await runHelpers(['haiku'], key, {});
      expect(door.passages.map(({ status }) => status)).toContain(404);
      const { json } = await gateway.upstream.request(0);
      const agent = json.tools.find((tool: Answer) => tool.name === 'Agent');
      expect(agent.input_schema.properties.model.enum.toSorted()).toEqual([...VARIABLES.keys()].toSorted());
    },
    CLI_TEST_MS,
  );
});
