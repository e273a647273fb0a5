// The public status as pages show it.

import { FREE_MODEL } from '../../catalog/document.ts';
import type { ChannelStatus, PublicStatus } from '../../publishing/public-status.ts';
import type { HomeFacts } from './home.tsx';
import type { ChannelFacts, StatusFacts } from './status.tsx';

export function statusFacts({ at, models, incidents }: PublicStatus): StatusFacts {
  return {
    at,
    models: models.map(({ id, state, channels }) => ({ id, state, channels: channels.map(channelFacts) })),
    incidents: incidents.map(({ startedAt, endedAt, titleEn, titleZh, textEn, textZh }) => ({
      startedAt,
      endedAt,
      title: { en: titleEn, 'zh-TW': titleZh },
      text: { en: textEn, 'zh-TW': textZh },
    })),
  };
}

export function freeFacts({ models }: PublicStatus): HomeFacts['free'] {
  const free = models.find(({ id }) => id === FREE_MODEL);
  return { state: free?.state ?? 'unknown', channels: free?.channels.map(({ name }) => name) ?? [] };
}

function channelFacts({ name, state, lastHour, days }: ChannelStatus): ChannelFacts {
  const { successRate, firstTokenMs, totalMs } = lastHour;
  return { name, state, successRate, firstTokenMs: firstTokenMs.p50, totalMs: totalMs.p50, days };
}
