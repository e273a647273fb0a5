// The races for limits with one gateway on SQLite.

import { describeLimitRaces } from './limit-races.ts';

describeLimitRaces('SQLite', async () => ({ env: {}, nodes: 1, remove: async () => {} }));
