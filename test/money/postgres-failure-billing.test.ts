// The billing table on PostgreSQL: how a call can end in the store; every row by `npm run test:long`.

import { sharePostgres } from '../support/postgres.ts';
import { describeFailureBilling } from './failure-billing.ts';

describeFailureBilling(
  'PostgreSQL',
  async () => {
    const server = await sharePostgres();
    const { url } = await server.createDatabase();
    return { env: { DATABASE_URL: url }, remove: () => server.stop() };
  },
  { onlyEndings: true },
);
