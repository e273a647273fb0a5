// The words of alarms by severity and subject.

import type { Said } from '../../../site/words/said.ts';

export const en = {
  severity: 'Severity',
  critical: 'Critical',
  warning: 'Warning',
  info: 'Info',
  subject: 'About',
  count: 'Alarms',
  since: (first: string) => `first: ${first}`,
  last: 'Last',
  newest: 'Newest details',
  eachOf: (name: string) => `alarms ${name}`,
  acknowledged: 'The alarms of this group that were shown are acknowledged.',
  only: (name: string, subject: string) => (subject === '' ? name : `${name}, ${subject}`),
  more: 'More groups',
  first: 'First page',
};

export const zh: Said<typeof en> = {
  severity: '嚴重程度',
  critical: '嚴重',
  warning: '警告',
  info: '資訊',
  subject: '對象',
  count: '次數',
  since: (first) => `首次：${first}`,
  last: '最近',
  newest: '最近一次的內容',
  eachOf: (name) => `${name} 警報`,
  acknowledged: '這一組當時顯示的警報已標示為已確認。',
  only: (name, subject) => (subject === '' ? name : `${name}，${subject}`),
  more: '更多組',
  first: '第一頁',
};
