// The names of recorded figures in Chinese. They are recorded in English.

import type { Language } from '../src/site/language.ts';

const IN_CHINESE: Readonly<Record<string, string>> = {
  'tests passed': '通過的測試',
  'tests skipped': '略過的測試',
  'test files': '測試檔案',
  time: '時間',
  'histories on SQLite': 'SQLite 上的歷程',
  'histories on PostgreSQL': 'PostgreSQL 上的歷程',
  faults: '故障',
  calls: '呼叫',
  'calls wrong': '錯誤的呼叫',
  runs: '執行次數',
  'simulated hours': '模擬的小時',
  'faults per second': '每秒故障',
  problems: '發現的問題',
  'planted bugs': '植入的錯誤',
  found: '找到',
  'slowest find': '最慢找到',
};

export function figureNameIn(language: Language, name: string): string {
  return language === 'en' ? name : (IN_CHINESE[name] ?? name);
}

export function hasChineseName(name: string): boolean {
  return Object.hasOwn(IN_CHINESE, name);
}
