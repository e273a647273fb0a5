// The races for money on PostgreSQL.

import { startPostgres } from '../support/postgres.ts';
import { describeMoneyRaces } from './money-races.ts';

describeMoneyRaces('PostgreSQL', async () => {
  const server = await startPostgres();
  const { url } = await server.createDatabase();
  return { env: { DATABASE_URL: url }, remove: () => server.stop() };
});
