// The words of what upstreams bill and no customer pays.

import type { Translated } from '../../../site/words/translated.ts';
import type { LossBy } from '../../../store/reads.ts';
import type { LossReason } from '../../../store/rows.ts';

export const en = {
  title: 'Losses',
  lead: 'What upstreams bill and no customer pays.',
  byLabel: 'Group by',
  by: {
    account: 'Account',
    model: 'Model',
    channel: 'Channel',
    reason: 'Reason',
  } satisfies Record<LossBy, string>,
  daysLabel: 'Days (Taipei)',
  days: (days: number) => `${days} days, including today`,
  show: 'Apply',
  together: (from: string, to: string) => `${from} to ${to}`,
  number: 'Count',
  chart: 'Losses by day',
  weekChart: 'Losses by week',
  none: 'No losses in this period.',
  more: (shown: string) => `The ${shown} largest are shown. The total above includes all of them.`,
  noChannel: 'no channel',
  guardNote:
    'Losses of one account are limited per day: above guards.loss_per_account_day they are charged to the account. Losses from free models and from nodes that crashed do not count toward the limit. For a node that crashed, the figure is the amount held by its requests; the real cost is not higher.',
  reasons: {
    empty_answer: 'Empty answer',
    stream_broken: 'Broken stream that no channel could finish',
    gateway_cut: 'Call ended by a shutdown or an error of the gateway',
    gateway_died: 'Node crashed (at most the hold)',
    client_gone: 'Client disconnected before any output was delivered',
    undelivered: 'Output after the end of the answer, or input whose usage report did not arrive',
    failed_attempt: 'Failed attempt that the upstream had accepted',
    no_answer: 'Failed attempt of a request that no channel served',
    replaced_run: 'Broken attempt that was replaced by another',
    hedge: 'Slower of two parallel attempts',
    above_hold: 'More than was held',
    service_tier: 'Dearer service tier than the request named',
    free_model: 'Free model with a cost',
  } satisfies Record<LossReason, string>,
  today: 'Losses today',
  month: 'Losses, 30 days',
};

export const zh: Translated<typeof en> = {
  title: '未回收成本',
  lead: '上游計費、但沒有客戶付款的金額。',
  byLabel: '分類方式',
  by: {
    account: '帳戶',
    model: '模型',
    channel: '供應商線路',
    reason: '原因',
  },
  daysLabel: '天數（台北）',
  days: (days) => `${days} 天（含今天）`,
  show: '套用',
  together: (from, to) => `${from} 至 ${to}`,
  number: '筆數',
  chart: '每日未回收成本',
  weekChart: '每週未回收成本',
  none: '這段期間沒有未回收的成本。',
  more: (shown) => `只列出金額最高的 ${shown} 項；上方的合計包含全部。`,
  noChannel: '無供應商線路',
  guardNote:
    '每個帳戶一天能造成的金額有上限：超過 guards.loss_per_account_day 之後，就改由該帳戶支付。免費模型與節點中斷不計入上限。節點中斷時，所列金額是請求保留的金額，實際成本不會更高。',
  reasons: {
    empty_answer: '空白回覆',
    stream_broken: '串流中斷，沒有供應商線路能接續',
    gateway_cut: '閘道關閉或發生錯誤而結束請求',
    gateway_died: '節點中斷（至多為保留金額）',
    client_gone: '用戶端在收到任何內容前斷線',
    undelivered: '回覆結束後才產生的輸出，或沒有收到用量回報的輸入',
    failed_attempt: '上游已接受、但失敗的嘗試',
    no_answer: '沒有供應商線路成功時的失敗嘗試',
    replaced_run: '中斷後由另一次嘗試取代',
    hedge: '並行嘗試中較慢的一次',
    above_hold: '超過保留金額',
    service_tier: '上游使用了比請求指定的更貴的服務等級',
    free_model: '免費模型的成本',
  },
  today: '今日未回收成本',
  month: '近 30 天未回收成本',
};
