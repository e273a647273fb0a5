// The words of the page about security.

import type { Translated } from './translated.ts';

export const en = {
  title: 'Security',
  lead: 'What is stored, what is not, and how to report a vulnerability.',
  storedTitle: 'What is stored',
  stored:
    'Per request: time, key, model, upstream channel, status, token counts, durations, cost. Per refused request, for 7 days: id, time, key, model, endpoint, status, error code and limits; never its content; and for 30 days the number of them by day, key and error code. Per account: balance, ledger entries, events of the last 30 days, such as a low balance or a revoked key, the name and tax ID for statements, and what the operator calls it or notes about it. Per webhook: its URL, its secret in encrypted form, and the result of each delivery of the last 30 days. Per key: a keyed hash, its last four characters, its name and its limits.',
  notStoredTitle: 'What is not stored',
  notStored:
    'Prompts, replies, files, images and tool calls. They are held in memory while a request runs. They are never written to the database, logs or errors. A test sends marked text through every code path and then searches everything the service wrote.',
  keysTitle: 'Keys',
  keys: 'A key is shown once. We keep only its HMAC: a stolen database contains no usable key. A revoked key stops working within one second. Use one key per program, with a daily budget and a list of models.',
  addressesTitle: 'Addresses',
  addresses:
    'Client addresses are kept only as keyed hashes, to enforce limits, and deleted 48 hours after they were last used.',
  retentionTitle: 'Retention',
  retention: (months: number | null) =>
    months === null
      ? 'Usage records and ledger entries are kept permanently, because they document every charge.'
      : `Usage records are kept for ${months === 1 ? 'one month' : `${months} months`}, then deleted. Ledger entries are kept permanently, because they document every charge.`,
  sessionsTitle: 'Signing in',
  sessions:
    'A session ends after 30 minutes without use, and after 12 hours in any case. Passwords are stored as argon2id hashes. Keys are never kept in the browser.',
  reportTitle: 'Report a vulnerability',
  report:
    'Please give us time to fix it before you publish. We do not take action against good-faith research that stays within your own accounts.',
  contact: 'Contact: ',
};

export const zh: Translated<typeof en> = {
  title: '安全',
  lead: '我們儲存什麼、不儲存什麼，以及發現漏洞時如何回報。',
  storedTitle: '儲存的資料',
  stored:
    '每次請求：時間、金鑰、模型、供應商線路、狀態、Token 數量、耗時與費用。每次遭拒的請求（保存 7 天）：編號、時間、金鑰、模型、端點、狀態、錯誤碼與限制，不含任何內容；另有每天、每把金鑰、每種錯誤碼的次數（保存 30 天）。每個帳戶：餘額、交易明細、最近 30 天的事件（例如餘額不足或金鑰撤銷）、對帳單上的名稱與統一編號，以及營運者為它取的名稱與備註。每個 Webhook：網址、加密的 secret，以及最近 30 天每次送達的結果。每把金鑰：HMAC 雜湊值、末四碼、名稱與限制。',
  notStoredTitle: '不儲存的資料',
  notStored:
    '提示詞、回覆、檔案、圖片與工具呼叫。它們只在請求執行期間存在於記憶體，不會出現在資料庫、日誌或錯誤訊息裡。我們有一項測試，會把帶有記號的文字送進每一條路徑，再搜尋服務寫出的每一個位元組。',
  keysTitle: '金鑰',
  keys: '金鑰只顯示一次。我們只保留它的 HMAC，即使資料庫外洩也無法還原可用的金鑰。撤銷後一秒內失效。建議每個程式各用一把金鑰，並設定每日預算與可用模型。',
  addressesTitle: '網路位址',
  addresses: '用戶端位址只以 HMAC 雜湊值保留，用來計算次數限制，最後一次使用的 48 小時後刪除。',
  retentionTitle: '保存期限',
  retention: (months: number | null) =>
    months === null
      ? '用量明細與交易明細會永久保留，因為它們是每一筆扣款的憑證。'
      : `用量明細保留 ${months} 個月，之後刪除。交易明細會永久保留，因為它們是每一筆扣款的憑證。`,
  sessionsTitle: '登入',
  sessions: '登入狀態閒置 30 分鐘即失效，最長 12 小時。密碼以 argon2id 雜湊儲存。金鑰不會保留在瀏覽器裡。',
  reportTitle: '回報漏洞',
  report: '公開之前，請先給我們修補的時間。只要是善意研究，且僅限於您自己的帳戶，我們不會追究。',
  contact: '聯絡方式：',
};
