// The words of imported price lists: what they change, and the last ones.

import type { Translated } from '../../../site/words/translated.ts';

export const en = {
  last: 'Last imports',
  channel: 'Channel',
  at: 'Applied',
  again: 'Use these figures',
  costsOf: (channel: string) => `What ${channel} charges`,
  change: 'Change',
  isNew: 'new',
  overwritten: (count: string) => (count === '1' ? '1 price is overwritten.' : `${count} prices are overwritten.`),
  added: (count: string) => (count === '1' ? '1 price is new.' : `${count} prices are new.`),
  unchanged: (count: string) => `${count} unchanged.`,
  none: 'The list has none of these.',
};

export const zh: Translated<typeof en> = {
  last: '最近的匯入',
  channel: '供應商線路',
  at: '套用時間',
  again: '使用這組數字',
  costsOf: (channel) => `${channel} 收取的成本`,
  change: '變動',
  isNew: '新增',
  overwritten: (count) => `覆寫 ${count} 個價格。`,
  added: (count) => `新增 ${count} 個價格。`,
  unchanged: (count) => `${count} 個價格不變。`,
  none: '價目表沒有這類價格。',
};
