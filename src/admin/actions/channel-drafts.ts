// Channels that are being added or edited by a form. They live in memory, bounded in number and time, because a typed key
// must not be sent through pages; in a draft it is sealed, as in the document.

import type { Channel } from '../../catalog/catalog.ts';
import type { Fields } from '../../catalog/loose-fields.ts';
import { type Clock, HOUR_MS } from '../../kit/clock.ts';
import type { Random } from '../../kit/random.ts';
import type { VendorPreset } from '../../vendors/presets.ts';
import type { Called } from './call-channel.ts';
import { createShortMemory } from './short-memory.ts';
import type { ChannelTest } from './test-channel.ts';
import type { VendorModel } from './vendor-models.ts';

/** A model as the form has it: texts, not yet checked. */
export interface ChosenModel {
  /** Its name at the upstream. */
  model: string;
  /** Its public id. */
  id: string;
  /** US$ for one million tokens; 0 is free. */
  input: string;
  output: string;
}

export interface ChannelDraft {
  id: string;
  preset: VendorPreset;
  /** False: a channel of the document is edited. */
  isNew: boolean;
  /** As the document has it, without its key. */
  fields: Fields;
  /** For calls, with the key as a document stores it. */
  channel: Channel;
  /** True if the document's own key stays. */
  isKeyKept: boolean;
  listing: Called<VendorModel[]>;
  rate: string;
  markup: string;
  chosen: readonly ChosenModel[];
  tests: readonly ChannelTest[];
  /** The revision that has it; undefined before it is saved. */
  savedAs: number | undefined;
}

export type ChannelDrafts = ReturnType<typeof createChannelDrafts>;

const MAX_DRAFTS = 50;
const ID_BYTES = 12;

export function createChannelDrafts(clock: Clock, random: Random) {
  const drafts = createShortMemory<ChannelDraft>(clock, { keptMs: HOUR_MS, most: MAX_DRAFTS });
  return {
    ...drafts,
    add(draft: Omit<ChannelDraft, 'id'>): ChannelDraft {
      const added = { ...draft, id: Buffer.from(random.bytes(ID_BYTES)).toString('hex') };
      drafts.keep(added.id, added);
      return added;
    },
  };
}
