// The races for money on PostgreSQL.

import { sharePostgres } from '../support/postgres.ts';
import { describeMoneyRaces } from './money-races.ts';

describeMoneyRaces('PostgreSQL', async () => {
  const server = await sharePostgres();
  const { url } = await server.createDatabase();
  return { env: { DATABASE_URL: url }, remove: () => server.stop() };
});
