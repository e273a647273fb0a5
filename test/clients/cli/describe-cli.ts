// What every command line must be able to do through the gateway: run a tool, work for nothing on the free model, and stop
// with our own words when the money is gone.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Answer } from '../../support/answer.ts';
import { type ClientGateway, type Kinds, startClientGateway } from '../../support/client-gateway.ts';
import type { Cli } from '../../support/clis.ts';
import { type Doorway, openDoorway } from '../../support/doorway.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { hear } from '../../support/model/model.ts';
import { CLI_TEST_MS, runCli } from '../../support/run-cli.ts';
import { spendAll } from '../../support/spend-all.ts';

const COMMAND = 'echo $((6 * 7))-from-the-shell';
const OUTPUT = /\d+-from-the-shell/;

/** The last of the kinds stands behind `auto:free`, the others are paid for. */
export function describeCli(cli: Cli, kinds: Kinds): void {
  const [first] = kinds;
  const paid = kinds.slice(0, -1);
  const free = kinds.at(-1) ?? first;
  let gateway: ClientGateway;
  let door: Doorway;
  let penniless: string;

  beforeAll(async () => {
    gateway = await startClientGateway({
      // It stands still: so no call is turned away because a disk is slow, and each is counted once.
      clock: createManualClock(),
      // The real limits: a command line must get along with them.
      limits: {},
      document: (doc) => ({
        ...doc,
        models: doc.models.map((model) =>
          model.id === 'auto:free' ? { ...model, routes: [{ channel: free.model, model: 'scripted-2026-01' }] } : model,
        ),
      }),
    });
    door = openDoorway(gateway.url);
    ({ key: penniless } = await gateway.register());
    await spendAll(gateway, penniless, 'even');
  });
  beforeEach(() => {
    door.reset();
    gateway.upstream.reset();
    gateway.answer(({ tools, results }) => {
      if (!tools.includes(cli.shell.tool)) return { pieces: ['A title'] };
      const output = results.map(({ text }) => OUTPUT.exec(text)?.[0]).find(Boolean);
      return output === undefined
        ? { calls: [{ name: cli.shell.tool, input: cli.shell.input(COMMAND) }] }
        : { pieces: ['The shell', ` said ${output}.`] };
    });
  });
  afterAll(async () => {
    await door.close();
    await gateway.stop();
  });

  const run = (key: string, model: string) =>
    runCli(cli.run({ url: door.url, key, model, prompt: 'Run the command.' })).catch((error: Error) => {
      throw new Error(`${error.message}\nAt the door: ${JSON.stringify(door.passages)}`);
    });

  async function expectToolRun(key: string, model: string, channel: string): Promise<void> {
    const { exitCode, stdout, stderr } = await run(key, model);
    expect({ exitCode, stdout, stderr }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('The shell said 42-from-the-shell.'),
    });
    expect(door.passages.map(({ status }) => status)).toEqual(Array(cli.calls.withTool).fill(200));

    const [asked, told, ...more] = gateway.upstream.requests.map(hear).filter(({ tools }) => tools.length > 0);
    expect(more).toEqual([]);
    expect(asked?.prompt).toContain('Run the command.');
    expect([asked?.calls, asked?.results]).toEqual([[], []]);
    expect(told?.calls).toMatchObject([{ name: cli.shell.tool, input: cli.shell.input(COMMAND) }]);
    expect(told?.results.map(({ id }) => id)).toEqual([told?.calls[0]?.id]);
    expect(told?.results[0]?.text).toContain('42-from-the-shell');

    const { data } = await gateway.get(`/api/usage?model=${model}`, key);
    expect(data.map((record: Answer) => [record.status, record.channel])).toEqual(
      Array(cli.calls.withTool).fill(['ok', channel]),
    );
  }

  describe(cli.name, () => {
    test.each(paid)(
      'runs a tool on a channel of the kind $kind',
      async ({ model }) => {
        const { key } = await gateway.register();
        await expectToolRun(key, model, model);
        expect(gateway.audit()).toEqual([]);
      },
      CLI_TEST_MS,
    );

    test(
      `runs a tool on auto:free with an empty wallet, on a channel of the kind ${free.kind}`,
      async () => {
        await expectToolRun(penniless, 'auto:free', free.model);
        expect(await gateway.get('/api/me', penniless)).toMatchObject({ balance_nano: '0', held_nano: '0' });
      },
      CLI_TEST_MS,
    );

    test(
      'stops with our words when the wallet is empty',
      async () => {
        const { exitCode, stdout, stderr } = await run(penniless, first.model);
        expect(exitCode).not.toBe(0);
        expect(stdout + stderr).toContain('The balance is too low for this request');
        expect(door.passages.map(({ status }) => status)).toEqual(Array(cli.calls.withoutMoney).fill(402));
        expect(gateway.upstream.requests).toEqual([]);
      },
      CLI_TEST_MS,
    );
  });
}
