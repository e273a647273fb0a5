// The operator's port of a test's gateway.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestGateway } from './gateway.ts';
import { readScrape, type Scrape } from './prometheus.ts';

export interface Operator {
  token: string;
  call(path: string, init?: RequestInit): Promise<Response>;
  scrape(): Promise<Scrape>;
}

export function operatorOf({ dataDir, gateway }: Pick<TestGateway, 'dataDir' | 'gateway'>): Operator {
  const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
  const call: Operator['call'] = (path, init = {}) =>
    fetch(gateway.adminUrl + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  return {
    token,
    call,
    async scrape() {
      const response = await call('/metrics');
      if (response.status !== 200) throw new Error(`no metrics: ${await response.text()}`);
      return readScrape(await response.text());
    },
  };
}
