// The public port and the operator's: opened together or not at all. The operator's is always on loopback, whatever HOST says;
// remote operators use a tunnel.

import packageJson from '../../../package.json' with { type: 'json' };
import { readProcess } from '../../admin/metrics/process-metrics.ts';
import { type AddPages, createOperatorApp } from '../../admin/port/app.ts';
import type { OperatorTools } from '../../admin/port/tools.ts';
import type { Random } from '../../kit/random.ts';
import { keptAdminToken } from '../settings/data-folder.ts';
import type { Settings } from '../settings/settings.ts';
import type { Unanswered } from '../start/unanswered.ts';
import { listen, listenSomewhere, OPERATOR_HOST, type Respond, type Server } from './listen.ts';

const DEFAULT_OPERATOR_PORT = 8788;

interface PortTools {
  respond: Respond;
  operator: Omit<OperatorTools, 'adminToken'> & { random: Random };
  loadConsole(): Promise<AddPages>;
  counted: Unanswered['counted'];
  idleSeconds: number | undefined;
}

export type Ports = ReturnType<typeof openPorts>;

/** Throws StartRefused or StoreRefused. */
export function openPorts(settings: Settings, tools: PortTools) {
  const { respond, idleSeconds } = tools;
  const { log, metrics } = tools.operator;
  const { host, port } = settings;
  const operatorServer = listenForOperator(settings, tools);
  const isShared = settings.processIndex !== undefined;
  let server: Server;
  try {
    server = listen({ host, port, variable: 'PORT', respond, isShared, idleSeconds });
  } catch (error) {
    void operatorServer.stop(true);
    throw error;
  }
  const adminUrl = `http://${operatorServer.hostname}:${operatorServer.port}`;
  log('info', 'operator_serving', { url: adminUrl });
  const stopReading = readProcess(metrics, packageJson.version);
  return {
    url: `http://${host}:${server.port}`,
    port: server.port ?? port,
    /** URL of the operator's listener. */
    adminUrl,
    /** Closes connections without a request, so that their clients open another one, which a load balancer takes elsewhere. */
    closeIdle(): void {
      server.closeIdleConnections();
    },
    /** Accepts no connections, and lets started answers end. */
    finish: (): Promise<unknown> => Promise.all([server.stop(), operatorServer.stop()]),
    /** Closes every connection. */
    async close(): Promise<void> {
      stopReading();
      await server.stop(true);
      await operatorServer.stop(true);
    },
  };
}

function listenForOperator(
  { port, adminPort, adminToken: givenToken, dataDir, processIndex = 0 }: Settings,
  { operator, loadConsole, counted, idleSeconds }: PortTools,
): Server {
  const adminToken = givenToken ?? keptAdminToken(dataDir, operator.random);
  const app = createOperatorApp({ ...operator, adminToken }, loadConsole);
  const respond = counted((request) => app.fetch(request));
  const options = { host: OPERATOR_HOST, variable: 'ADMIN_PORT', respond, idleSeconds } as const;
  if (adminPort !== undefined) return listen({ ...options, port: adminPort });
  // A second gateway on the same machine, for a test, must start without setting this port.
  const defaultPort = DEFAULT_OPERATOR_PORT + processIndex;
  return listenSomewhere({ ...options, port: defaultPort === port ? 0 : defaultPort });
}
