// The words for prepaid credit at a vendor.

import type { Translated } from '../../../site/words/translated.ts';

export const en = {
  title: 'Credit at the vendor',
  readAt: (amount: string, time: string) => `${amount}, read ${time}`,
  low: (amount: string, time: string, least: string) => `${amount}, below ${least}, read ${time}`,
  failed: (detail: string) => `could not be read: ${detail}`,
};

export const zh: Translated<typeof en> = {
  title: '供應商餘額',
  readAt: (amount, time) => `${amount}（${time} 查詢）`,
  low: (amount, time, least) => `${amount}，低於 ${least}（${time} 查詢）`,
  failed: (detail) => `無法查詢：${detail}`,
};
