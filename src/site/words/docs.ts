// The words around the docs.

import type { Translated } from './translated.ts';

export const en = {
  title: 'Docs',
  lead: 'Documentation for developers and agents, as web pages and as Markdown (add .md).',
  contents: 'Contents',
  start: 'Start',
  use: 'Use',
  operate: 'Self-hosting',
  inEnglish: ' (in English)',
  sections: 'On this page',
  chapters: 'Chapters',
  around: 'Previous and next chapter',
  onlyEnglish: 'This page is available in English only.',
  all: 'All docs',
  markdown: 'This page as Markdown',
  reference: 'API reference',
  search: 'Search the docs',
  find: 'Search',
  found: (count: number, query: string) => `${count} ${count === 1 ? 'result' : 'results'} for “${query}”`,
  foundMost: (count: number, query: string) => `The ${count} best results for “${query}”`,
  notFound: (query: string) => `Nothing in the docs matches “${query}”. Try fewer or other words.`,
};

export const zh: Translated<typeof en> = {
  title: '文件',
  lead: '給開發者與 AI 代理程式的文件，提供網頁與 Markdown 格式（在網址後加上 .md）。',
  contents: '目錄',
  start: '開始',
  use: '使用',
  operate: '自行架設',
  inEnglish: '（英文）',
  sections: '本頁內容',
  chapters: '各章內容',
  around: '上一章與下一章',
  onlyEnglish: '這一頁目前只有英文。',
  all: '所有文件',
  markdown: '以 Markdown 檢視',
  reference: 'API 參考',
  search: '搜尋文件',
  find: '搜尋',
  found: (count, query) => `「${query}」有 ${count} 筆結果`,
  foundMost: (count, query) => `「${query}」最相符的 ${count} 筆結果`,
  notFound: (query) => `文件中找不到「${query}」。請減少字詞，或換個說法。`,
};
