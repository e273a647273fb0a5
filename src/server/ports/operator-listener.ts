// The operator's port. It always listens on loopback, whatever HOST says; remote operators use a tunnel.

import { type AddPages, createOperatorApp } from '../../admin/port/app.ts';
import type { OperatorTools } from '../../admin/port/tools.ts';
import type { Random } from '../../kit/random.ts';
import { keptAdminToken } from '../settings/data-folder.ts';
import type { Settings } from '../settings/settings.ts';
import type { Unanswered } from '../start/unanswered.ts';
import { type ListenOptions, listen, listenSomewhere, OPERATOR_HOST, type Server } from './listen.ts';

const DEFAULT_PORT = 8788;

/** Throws StartRefused or StoreRefused. */
export function listenForOperator(
  { port, adminPort, adminToken, dataDir, processIndex = 0 }: Settings,
  tools: Omit<OperatorTools, 'adminToken'> & { random: Random },
  loadPages: () => Promise<AddPages>,
  { counted, idleSeconds }: Pick<Unanswered, 'counted'> & Pick<ListenOptions, 'idleSeconds'>,
): Server {
  const token = adminToken ?? keptAdminToken(dataDir, tools.random);
  const app = createOperatorApp({ ...tools, adminToken: token }, loadPages);
  const options = {
    host: OPERATOR_HOST,
    variable: 'ADMIN_PORT',
    respond: counted((request) => app.fetch(request)),
    idleSeconds,
  } as const;
  if (adminPort !== undefined) return listen({ ...options, port: adminPort });
  // A second gateway on the same machine, for a test, must start without setting this port.
  const defaultPort = DEFAULT_PORT + processIndex;
  return listenSomewhere({ ...options, port: defaultPort === port ? 0 : defaultPort });
}
