// Explanations of upstream failures, with the operator's remedy.

import type { Translated } from '../../../site/words/translated.ts';
import type { Problem } from '../../actions/upstream-problems.ts';

interface ProblemWords {
  name: string;
  todo: string;
}

export const en = {
  connection: {
    name: 'The connection failed or was lost',
    todo: 'Check the address, DNS and firewall, and whether the vendor reports an outage.',
  },
  slow: {
    name: 'No answer in time',
    todo: 'Test the channel. If it stays slow, lower its priority or add another channel for the same models.',
  },
  key: {
    name: 'The upstream refused the key',
    todo: 'Check at the vendor whether the key is valid and may use this model, then enter it again.',
  },
  credit: {
    name: 'The account at the upstream has no credit or is blocked',
    todo: 'Top up or check billing at the vendor.',
  },
  rate: {
    name: 'The upstream limits the rate',
    todo: 'Ask the vendor for a higher limit, or add another channel for the same models.',
  },
  missing: {
    name: 'The model or the address does not exist at the upstream',
    todo: 'Compare the model name and the address with the vendor’s list of models.',
  },
  server: {
    name: 'The upstream failed',
    todo: 'Look at the vendor’s status page. Other channels for the same models take over meanwhile.',
  },
  answer: {
    name: 'The answer was not in the expected format',
    todo: 'Check the address and the kind of the channel: another service may answer there.',
  },
  request: {
    name: 'The upstream refused the request',
    todo: 'Read its message. The model may not support what was sent, or the channel needs other quirks.',
  },
  loop: {
    name: 'The channel leads back to this gateway',
    todo: 'Change its address to that of the vendor.',
  },
  unknown: { name: 'Other failure', todo: 'Search the log of the server for this channel and time.' },
} satisfies Record<Problem, ProblemWords>;

export const zh: Translated<typeof en> = {
  connection: { name: '連線失敗或中斷', todo: '請檢查位址、DNS 與防火牆，以及供應商是否公告服務中斷。' },
  slow: { name: '逾時沒有回應', todo: '請測試這條線路。若持續緩慢，請降低它的優先順序，或為相同模型新增另一條線路。' },
  key: { name: '上游拒絕了金鑰', todo: '請在供應商後台確認金鑰有效且可使用此模型，再重新輸入。' },
  credit: { name: '上游帳戶餘額不足或遭停用', todo: '請到供應商後台儲值或檢查帳務。' },
  rate: { name: '上游限制了請求頻率', todo: '請向供應商申請提高上限，或為相同模型新增另一條線路。' },
  missing: { name: '上游沒有這個模型或位址', todo: '請對照供應商的模型清單，檢查模型名稱與位址。' },
  server: { name: '上游發生錯誤', todo: '請查看供應商的狀態頁；在此期間會由相同模型的其他線路接手。' },
  answer: { name: '回應格式不符', todo: '請檢查位址與線路類型：該位址可能是其他服務。' },
  request: { name: '上游拒絕了請求', todo: '請看上游的訊息：模型可能不支援送出的內容，或線路需要設定其他特性。' },
  loop: { name: '線路指回了本閘道', todo: '請將位址改為供應商的位址。' },
  unknown: { name: '其他失敗', todo: '請在伺服器記錄中查詢這條線路與時間。' },
};
