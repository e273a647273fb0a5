// The billing table on PostgreSQL.

import { sharePostgres } from '../support/postgres.ts';
import { describeFailureBilling } from './failure-billing.ts';

describeFailureBilling('PostgreSQL', async () => {
  const server = await sharePostgres();
  const { url } = await server.createDatabase();
  return { env: { DATABASE_URL: url }, remove: () => server.stop() };
});
