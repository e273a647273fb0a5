// From SQLite's columns to our rows. Every integer arrives as bigint, so that no amount is ever rounded.

import type { Hold, KeyRow, Lease, Revision, RevisionSource, UsageRecord, Wallet, Window } from '../rows.ts';
import { NO_BUCKETS } from '../rows.ts';

export type Columns = Record<string, string | bigint | null>;

export function walletFrom(row: Columns): Wallet {
  return {
    accountId: text(row.account_id),
    balance: integer(row.balance_nano),
    held: integer(row.held_nano),
    inFlight: number(row.in_flight),
    freeInFlight: number(row.free_in_flight),
  };
}

export function windowFrom(row: Columns): Window {
  return {
    slots: JSON.parse(text(row.slots)) as Window['slots'],
    day: number(row.day),
    dayCount: number(row.day_count),
    touchedAt: number(row.touched_at),
  };
}

export function holdFrom(row: Columns): Hold {
  return {
    requestId: text(row.request_id),
    accountId: text(row.account_id),
    keyId: text(row.key_id),
    nodeId: text(row.node_id),
    amount: integer(row.amount_nano),
    free: row.free === 1n,
    model: text(row.model),
    endpoint: text(row.endpoint),
    stream: row.stream === 1n,
    revision: number(row.revision),
    openedAt: number(row.opened_at),
  };
}

export function leaseFrom(row: Columns): Lease {
  return {
    nodeId: text(row.node_id),
    host: text(row.host),
    pid: number(row.pid),
    expiresAt: number(row.expires_at),
  };
}

export function keyFrom(row: Columns): KeyRow {
  return {
    keyId: text(row.key_id),
    accountId: text(row.account_id),
    hash: text(row.hash),
    last4: text(row.last4),
    name: nullable(row.name, text),
    manage: row.manage === 1n,
    models: nullable(row.models, (value) => JSON.parse(text(value)) as string[]),
    dailyBudget: nullable(row.daily_budget_nano, integer),
    expiresAt: nullable(row.expires_at, number),
    createdAt: number(row.created_at),
    revokedAt: nullable(row.revoked_at, number),
  };
}

export function usageFrom(row: Columns): UsageRecord {
  return {
    ...NO_BUCKETS,
    requestId: text(row.request_id),
    accountId: text(row.account_id),
    keyId: text(row.key_id),
    at: number(row.at),
    model: text(row.model),
    channel: nullable(row.channel, text),
    endpoint: text(row.endpoint),
    status: text(row.status),
    stream: row.stream === 1n,
    input: number(row.input_tokens),
    cachedInput: number(row.cached_input_tokens),
    cacheWrite5m: number(row.cache_write_5m_tokens),
    cacheWrite1h: number(row.cache_write_1h_tokens),
    output: number(row.output_tokens),
    reasoning: number(row.reasoning_tokens),
    images: number(row.images),
    firstTokenMs: nullable(row.first_token_ms, number),
    totalMs: number(row.total_ms),
    held: integer(row.held_nano),
    cost: integer(row.cost_nano),
    balanceAfter: integer(row.balance_after_nano),
    estimated: row.estimated === 1n,
    revision: number(row.revision),
    attempts: JSON.parse(text(row.attempts)) as UsageRecord['attempts'],
  };
}

export function revisionFrom(row: Columns): Revision {
  return {
    revision: number(row.revision),
    document: text(row.document),
    source: text(row.source) as RevisionSource,
    sourceHash: text(row.source_hash),
    createdAt: number(row.created_at),
  };
}

type Column = string | bigint | null | undefined;

function text(value: Column): string {
  if (typeof value !== 'string') throw new TypeError('expected a text column');
  return value;
}

function integer(value: Column): bigint {
  if (typeof value !== 'bigint') throw new TypeError('expected an integer column');
  return value;
}

function number(value: Column): number {
  return Number(integer(value));
}

function nullable<Value>(value: Column, read: (value: Column) => Value): Value | null {
  return value === null || value === undefined ? null : read(value);
}
