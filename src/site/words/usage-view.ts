// The words of the usage page above its list: period, charts, filters, order.

import type { Translated } from './translated.ts';

export const en = {
  usageView: {
    period: 'Period',
    periods: { today: 'Today', week: '7 days', month: '30 days', quarter: '90 days', all: 'All' },
    measure: 'What the chart shows',
    measures: { cost: 'Spend', requests: 'Requests', tokens: 'Tokens' },
    splitBy: 'Split by',
    groups: { model: 'Model', key: 'Key' },
    others: (number: string) => `Others (${number})`,
    chart: (measure: string, group: string, from: string, to: string) =>
      `${measure} by ${group.toLowerCase()}, ${from === to ? from : `${from} to ${to}`}`,
    asTable: 'Show as a table',
    units: { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' },
    filters: 'Filters',
    remove: 'Remove the filter',
    anyFailure: 'Any failure',
    sort: 'Order',
    sorts: { newest: 'Newest first', cost: 'Highest cost first', duration: 'Slowest first' },
    sortedOf: (number: string) => `The order covers the newest ${number} requests of this selection.`,
    further: 'Further',
    start: 'Back to the start',
    duration: 'Duration',
    tokens: 'Tokens in / out',
    details: 'Receipt and attempts',
    copy: (name: string) => `Copy ${name}`,
    free: 'Nothing was charged.',
    charged: (amount: string) => `${amount} was charged.`,
  },
};

export const zh: Translated<typeof en> = {
  usageView: {
    period: '期間',
    periods: { today: '今日', week: '7 天', month: '30 天', quarter: '90 天', all: '全部' },
    measure: '圖表內容',
    measures: { cost: '費用', requests: '請求數', tokens: 'Token 數' },
    splitBy: '分類',
    groups: { model: '模型', key: '金鑰' },
    others: (number) => `其他（${number}）`,
    chart: (measure, group, from, to) => `各${group}${measure}，${from === to ? from : `${from} 至 ${to}`}`,
    asTable: '以表格顯示',
    units: { hour: '時段', day: '日期', week: '週', month: '月份' },
    filters: '篩選條件',
    remove: '移除篩選條件',
    anyFailure: '所有失敗',
    sort: '排序',
    sorts: { newest: '最新優先', cost: '費用最高優先', duration: '耗時最長優先' },
    sortedOf: (number) => `排序範圍為符合條件的最新 ${number} 筆請求。`,
    further: '下一頁',
    start: '回到開頭',
    duration: '耗時',
    tokens: '輸入／輸出 Token',
    details: '用量明細與嘗試過程',
    copy: (name) => `複製${name}`,
    free: '這次請求沒有收費。',
    charged: (amount) => `這次請求收費 ${amount}。`,
  },
};
