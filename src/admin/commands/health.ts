// health: whether the server of these settings takes work, for a container's check or a script.

import { type Command, CommandRefused, noArguments } from './command.ts';

export const healthCommands: readonly Command[] = [
  {
    words: 'health',
    takes: '',
    about: 'ask the server on this machine whether it takes work; exit code 0 if it does',
    options: [],
    async run({ args, ask, serverUrl }) {
      noArguments(args);
      const status = await ask('/readyz').then(
        (response) => response.status,
        () => undefined,
      );
      if (status === undefined)
        throw new CommandRefused(
          `no server answers on ${serverUrl}: it does not run, or HOST and PORT are not its own here`,
        );
      if (status !== 200)
        throw new CommandRefused(`the server on ${serverUrl} takes no work: it drains, or its database is away`);
      return { facts: { ready: true }, text: 'ready' };
    },
  },
];
