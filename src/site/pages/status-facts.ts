// The public status as pages show it.

import { FREE_MODEL } from '../../catalog/document.ts';
import type { ChannelStatus, PublicStatus } from '../../catalog/publishing/public-status.ts';
import type { Language } from '../language.ts';
import type { StateName } from '../parts/state.tsx';
import type { HomeFacts } from './home.tsx';

export interface ChannelFacts {
  name: string;
  state: StateName;
  successRate: number | null;
  firstTokenMs: number | null;
  totalMs: number | null;
  days: readonly { day: string; state: StateName }[];
}

export interface ModelFacts {
  id: string;
  state: StateName;
  channels: readonly ChannelFacts[];
}

export interface IncidentFacts {
  startedAt: number;
  endedAt: number | null;
  title: Record<Language, string>;
  text: Record<Language, string>;
}

export interface StatusFacts {
  at: number;
  models: readonly ModelFacts[];
  incidents: readonly IncidentFacts[];
}

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

export function isOngoing({ endedAt }: IncidentFacts): boolean {
  return endedAt === null;
}

export function freeFacts({ models }: PublicStatus): HomeFacts['free'] {
  const free = models.find(({ id }) => id === FREE_MODEL);
  return { state: free?.state ?? 'unknown', channels: free?.channels.map(({ name }) => name) ?? [] };
}

function channelFacts({ name, state, lastHour, days }: ChannelStatus): ChannelFacts {
  const { successRate, firstTokenMs, totalMs } = lastHour;
  return { name, state, successRate, firstTokenMs: firstTokenMs.p50, totalMs: totalMs.p50, days };
}
