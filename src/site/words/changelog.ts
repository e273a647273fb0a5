// The words around the changelog; its entries are in changelog/entries.ts.

import type { Translated } from './translated.ts';

export const en = {
  title: 'Changelog',
  lead: 'What changed in the API, newest first.',
  policy: 'How the API changes, and how long before something is removed',
  feeds: 'As a feed:',
  more: 'Docs',
  kinds: { added: 'Added', changed: 'Changed', deprecated: 'Deprecated', removed: 'Removed' },
  removedOn: (day: string) => `It works until ${day} at least.`,
};

export const zh: Translated<typeof en> = {
  title: '變更紀錄',
  lead: 'API 的變更，由新到舊。',
  policy: 'API 如何變更，以及移除之前多久會公告',
  feeds: '訂閱：',
  more: '文件',
  kinds: { added: '新增', changed: '變更', deprecated: '即將移除', removed: '已移除' },
  removedOn: (day) => `至少可以用到 ${day}。`,
};
