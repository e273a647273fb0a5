// The public port and the operator's: opened together or not at all.

import packageJson from '../../../package.json' with { type: 'json' };
import type { Metrics } from '../../admin/metrics/metrics.ts';
import { readProcess } from '../../admin/metrics/process-metrics.ts';
import type { Log } from '../../kit/log.ts';
import type { Settings } from '../settings/settings.ts';
import type { Ports } from '../start/life-cycle.ts';
import { type ListenOptions, listen, type Respond, type Server } from './listen.ts';

interface PortTools extends Pick<ListenOptions, 'idleSeconds'> {
  log: Log;
  metrics: Metrics;
  respond: Respond;
  listenForOperator(): Server;
}

/** Throws StartRefused or StoreRefused. */
export function openPorts(settings: Settings, tools: PortTools): Ports {
  const { log, metrics, respond, idleSeconds } = tools;
  const { host, port } = settings;
  const operatorServer = tools.listenForOperator();
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
    adminUrl,
    closeIdle: () => void server.closeIdleConnections(),
    finish: () => Promise.all([server.stop(), operatorServer.stop()]),
    async close() {
      stopReading();
      await server.stop(true);
      await operatorServer.stop(true);
    },
  };
}
