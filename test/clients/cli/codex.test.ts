import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type ClientGateway, KINDS_FOR, startClientGateway } from '../../support/client-gateway.ts';
import { codex } from '../../support/clis.ts';
import { type Doorway, openDoorway } from '../../support/doorway.ts';
import { CLI_TEST_MS, runCli } from '../../support/run-cli.ts';
import { describeCli } from './describe-cli.ts';

describeCli(codex, KINDS_FOR.responses);

describe('Codex and a prompt that is too long', () => {
  const [{ model: channel }] = KINDS_FOR.responses;
  /** Room for what Codex says by itself and one long message, or for what it keeps when it compacts. */
  const CONTEXT = 31_000;
  const LONG = 'alpha beta gamma delta '.repeat(2_800);
  const ASKED = { status: 200, path: '/v1/responses' };
  let gateway: ClientGateway;
  let door: Doorway;

  beforeAll(async () => {
    gateway = await startClientGateway({
      document: (doc) => ({
        ...doc,
        guards: { ...doc.guards, free_input_tokens: CONTEXT },
        models: doc.models.map((model) =>
          model.id === 'auto:free' ? { ...model, routes: [{ channel, model: 'scripted-2026-01' }] } : model,
        ),
      }),
    });
    door = openDoorway(gateway.url);
  });
  afterAll(async () => {
    await door.close();
    await gateway.stop();
  });

  const run = (prompt: string) => codex.run({ url: door.url, key: gateway.key, model: 'auto:free', prompt });
  const line = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
  const goOn = (prompt: string) => line(run(prompt).command).replace("'exec'", "'exec' 'resume' '--last'");

  test(
    'is told so, compacts, and the session goes on',
    async () => {
      gateway.answer(() => ({ pieces: ['Well', ' said.'] }));
      const first = run(`one ${LONG}`);
      const session = [line(first.command), goOn(`two ${LONG}`), goOn('and on')].join('\n');
      const { exitCode, stdout, stderr } = await runCli({
        ...first,
        command: ['sh', 'session.sh'],
        files: { ...first.files, 'work/session.sh': session },
      });
      const told = stderr.replaceAll(LONG, '…');
      expect({ exitCode, stdout, told }).toMatchObject({ exitCode: 0, stdout: 'Well said.\nWell said.\n' });
      expect(told).toContain("ran out of room in the model's context window");
      expect(told).toContain('context compacted');
      expect(door.passages).toEqual(door.passages.map(() => ASKED));
      // The first message, the summary and the last message: what was too long reached nobody.
      expect(gateway.upstream.requests).toHaveLength(3);
    },
    CLI_TEST_MS,
  );
});
