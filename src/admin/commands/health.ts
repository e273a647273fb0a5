// health: whether the server of these settings accepts work, for container checks and scripts.

import { type Command, CommandRefused } from './command.ts';

export const healthCommands: readonly Command[] = [
  {
    words: 'health',
    takes: '',
    about: 'check whether the server on this machine accepts work; exit code 0 if it does',
    async run({ ask, serverUrl }) {
      const status = await ask('/readyz').then(
        (response) => response.status,
        () => undefined,
      );
      if (status === undefined)
        throw new CommandRefused(
          `no server answers on ${serverUrl}: it is not running, or HOST and PORT differ from its settings`,
        );
      if (status !== 200)
        throw new CommandRefused(
          `the server on ${serverUrl} accepts no work: it is draining, or its database is unreachable`,
        );
      return { facts: { ready: true }, text: 'ready' };
    },
  },
];
