// The words of alarms by severity and subject, and what each alarm means.

import type { Translated } from '../../../site/words/translated.ts';

export const en = {
  severity: 'Severity',
  critical: 'Critical',
  warning: 'Warning',
  info: 'Info',
  count: (count: string) => (count === '1' ? '1 alarm' : `${count} alarms`),
  since: (first: string) => `first ${first}`,
  last: (last: string) => `last ${last}`,
  acknowledged: 'The alarms of this group that were shown are acknowledged.',
  only: (name: string, subject: string) => (subject === '' ? name : `${name}, ${subject}`),
  more: 'More groups',
  first: 'First page',
  /** The event, and its consequence or remedy. */
  explained: {
    upstream_refused_our_key: [
      'An upstream refused our key or our account.',
      'Check the key of the channel and our account at the provider.',
    ],
    upstream_route_missing: [
      'An upstream does not have the model of a route.',
      'Check the route. Or the channel points back to this gateway (routing loop).',
    ],
    upstream_balance_low: [
      'The prepaid credit at a vendor is nearly used up.',
      'Top it up there, or calls on this channel will fail.',
    ],
    usage_above_hold: ['A request cost more than its hold.', 'The difference was written off.'],
    usage_invalid: ['An upstream reported implausible usage.', 'Our own count was billed instead.'],
    account_losses: [
      'An account reached its daily loss limit.',
      'Further losses of this day are charged to the account. Check its requests.',
    ],
    settle_retrying: ['A settlement could not be written.', 'It is being retried.'],
    close_failed: ['A request could not be closed.', 'The periodic cleanup will close it.'],
    settle_after_release: ['A request was released before it was settled.', 'It was not charged.'],
    store_failed: ['The database failed.', 'Check the database and the log of the server.'],
    wallet_wrong: ['A wallet does not match its ledger entries.', 'The account was frozen.'],
    ledger_unbalanced: [
      'The ledger does not sum to zero.',
      'Paid requests are refused until it does; free models keep working.',
    ],
    config_rejected: ['A configuration file was rejected.', 'The previous revision stays in effect.'],
  },
};

export const zh: Translated<typeof en> = {
  severity: '嚴重程度',
  critical: '嚴重',
  warning: '警告',
  info: '資訊',
  count: (count) => `${count} 則警報`,
  since: (first) => `首次 ${first}`,
  last: (last) => `最近 ${last}`,
  acknowledged: '這一組當時顯示的警報已標示為已確認。',
  only: (name, subject) => (subject === '' ? name : `${name}，${subject}`),
  more: '更多組',
  first: '第一頁',
  explained: {
    upstream_refused_our_key: ['上游拒絕了我們的金鑰或帳戶。', '請檢查這條線路的金鑰，以及我們在供應商的帳戶。'],
    upstream_route_missing: ['上游沒有路由指定的模型。', '請檢查路由；也可能是這條線路指回本閘道（路由迴圈）。'],
    upstream_balance_low: ['供應商的預付餘額即將用完。', '請到供應商儲值，否則這條線路的呼叫會失敗。'],
    usage_above_hold: ['請求的用量超過保留金額。', '超出的部分已列為呆帳沖銷。'],
    usage_invalid: ['上游回報的用量不合理。', '改以我們自己的計數計費。'],
    account_losses: ['有帳戶達到單日未回收成本的上限。', '當天其餘的成本改由該帳戶支付。請查看它的請求。'],
    settle_retrying: ['結算無法寫入。', '正在重試。'],
    close_failed: ['請求無法結案。', '定期清理時會自動處理。'],
    settle_after_release: ['請求的保留款在結算前就已釋放。', '這筆請求沒有收費。'],
    store_failed: ['資料庫發生錯誤。', '請檢查資料庫與伺服器日誌。'],
    wallet_wrong: ['錢包與交易明細不符。', '帳戶已暫停使用。'],
    ledger_unbalanced: ['帳本總和不為零。', '恢復之前拒絕所有付費請求，免費模型照常服務。'],
    config_rejected: ['設定檔被拒絕。', '沿用先前的版本。'],
  },
};
