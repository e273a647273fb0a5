// The races for money on SQLite.

import { describeMoneyRaces } from './money-races.ts';

describeMoneyRaces('SQLite', async () => ({ env: {}, remove: async () => {} }));
