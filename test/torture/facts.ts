// What the service has acknowledged. Every line of it must be true for ever, whatever happens to the process.

export interface Account {
  accountId: string;
  key: string;
}

export interface Facts {
  accounts: Account[];
  redeems: { accountId: string; serial: string; amount: bigint }[];
  /** Requests whose cost the client has seen. */
  requests: { requestId: string; accountId: string; cost: bigint }[];
  keys: string[];
}

export function noFacts(): Facts {
  return { accounts: [], redeems: [], requests: [], keys: [] };
}

export function countFacts({ accounts, redeems, requests, keys }: Facts): number {
  return accounts.length + redeems.length + requests.length + keys.length;
}

export function addFacts(all: Facts, fresh: Facts): void {
  all.accounts.push(...fresh.accounts);
  all.redeems.push(...fresh.redeems);
  all.requests.push(...fresh.requests);
  all.keys.push(...fresh.keys);
}
