// Compactions as clients keep them: items that only this service can open, for the account that they were made for. One holds a
// summary, which any model understands, or the item of a vendor, which only the account of its channel there can read. Nothing
// is stored here.

import type { NewId } from '../../../kit/ids.ts';
import { isObject, type Json, type JsonObject, tryParseJson } from '../../../kit/json/json.ts';
import { isSealed, type Sealer } from '../../../kit/sealed.ts';
import { refuseField } from '../../fields.ts';
import { isCompaction } from './dialect.ts';

const PREFACE = 'This is a summary of the conversation before this point:\n\n';

export interface SealTools {
  sealer: Sealer;
  newId: NewId;
}

/** The content sealed for one account. No other account can read it. */
export class Seals {
  readonly #sealer: Sealer;
  readonly #newId: NewId;
  readonly #accountId: string;

  constructor({ sealer, newId }: SealTools, accountId: string) {
    this.#sealer = sealer;
    this.#newId = newId;
    this.#accountId = accountId;
  }

  sealSummary(text: string): JsonObject {
    const sealed = this.#sealer.seal(text, this.#owner('compaction'));
    return { type: 'compaction', id: `cmp_${this.#newId('req')}`, encrypted_content: sealed };
  }

  /** The vendor's item, with its content sealed together with the name of the channel. */
  sealVendors(item: JsonObject, channel: string): JsonObject {
    const made = JSON.stringify({ channel, content: item.encrypted_content });
    return { ...item, encrypted_content: this.#sealer.seal(made, this.#owner('vendor-compaction')) };
  }

  openSummary(sealed: string): string | undefined {
    return this.#sealer.open(sealed, this.#owner('compaction'));
  }

  openVendors(sealed: string): { channel: string; content: string } | undefined {
    const made = tryParseJson(this.#sealer.open(sealed, this.#owner('vendor-compaction')) ?? '');
    const { channel, content } = isObject(made) ? made : {};
    return typeof channel === 'string' && typeof content === 'string' ? { channel, content } : undefined;
  }

  #owner(kind: 'compaction' | 'vendor-compaction'): string {
    return `${kind}:${this.#accountId}`;
  }
}

/** An item that only the upstream account of one channel can read. */
export interface VendorItem {
  /** The channel that made it. */
  channel: string;
  /** Where the request has it. */
  param: string;
}

/** The items with every summary as a message, and with the content of each vendor's item as it was made. */
export function openItems(seals: Seals, items: readonly Json[]) {
  const vendorItems: VendorItem[] = [];
  const opened = items.map((item, index) => {
    if (!isOurs(item)) return item;
    const param = `input[${index}]`;
    const text = seals.openSummary(item.encrypted_content);
    if (text !== undefined) return userMessage(PREFACE + text);
    const made = seals.openVendors(item.encrypted_content) ?? refuseItem(param);
    vendorItems.push({ channel: made.channel, param });
    return { ...item, encrypted_content: made.content };
  });
  return { items: opened, vendorItems };
}

export function isOurs(item: Json | undefined): item is JsonObject & { encrypted_content: string } {
  if (!isObject(item) || !isCompaction(item)) return false;
  return typeof item.encrypted_content === 'string' && isSealed(item.encrypted_content);
}

export function userMessage(text: string): JsonObject {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function refuseItem(param: string): never {
  const why = 'it was changed, or made for another account';
  return refuseField(param, `${param} cannot be read: ${why}. Send the conversation without it.`);
}
