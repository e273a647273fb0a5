// Refused requests of an account: why, and what the customer can do. The cause comes first, then the remedy.

import type { FaultCode } from '../../faults/table.ts';
import type { Translated } from './translated.ts';

type Refusal = readonly [cause: string, remedy: string];

const causesEn = {
  invalid_request: [
    'The request was not valid: its body or one of its fields was wrong.',
    'Correct the field that the response names in param, and send the request again.',
  ],
  unsupported_endpoint: ['The model does not serve this endpoint.', 'Choose another model or another endpoint.'],
  context_length_exceeded: [
    'The prompt was longer than the context of the model.',
    'Shorten it, or choose a model with a larger context.',
  ],
  content_rejected: [
    'The content policy of the model refused the request.',
    'Change the content, or choose another model.',
  ],
  card_code_malformed: ['A character of the card code was wrong.', 'Check the code and enter it again.'],
  previous_response_not_found: [
    'The connection did not remember the response that the request continues.',
    'Send the whole conversation in input.',
  ],
  invalid_stream_id: [
    'The stream_id was not valid.',
    'Use 1 to 256 letters, digits, "_", "-" and ".", or leave it out.',
  ],
  websocket_stream_limit_reached: [
    'The connection had used its 32 values of stream_id.',
    'Use one of them again, or open another connection.',
  ],
  websocket_connection_limit_reached: [
    'The connection was 60 minutes old.',
    'Open a new connection, and send the whole conversation there once.',
  ],
  invalid_api_key: ['The key was not valid any more.', 'Use another key of this account.'],
  insufficient_balance: [
    'The balance did not cover the most that the request could cost.',
    'Redeem a card, lower max_tokens, or use a free model.',
  ],
  key_budget_exceeded: [
    'A budget of the key, or of a key above it, did not cover the request.',
    'Raise the budget, lower max_tokens, or wait until the budget resets.',
  ],
  balance_in_use: [
    'Running requests had reserved the balance, or the budget of the key.',
    'Send fewer requests at once, lower max_tokens, or send the request again after some seconds.',
  ],
  model_not_allowed: ['The key may not use this model.', 'Allow the model for this key, or use another key.'],
  key_not_permitted: ['The key may not manage the account.', 'Use a key that can.'],
  cross_site_refused: ['A web page of another site sent the request.', 'Send it from a program or from this site.'],
  model_not_found: ['There is no model of this name.', 'Copy the id of a model from the price list.'],
  route_not_found: ['There is no such path.', 'Check the base URL of your client.'],
  not_found: ['The account has nothing with the id in the path.', 'Check the id.'],
  card_not_redeemable: ['The card cannot be redeemed.', 'Check the code, or ask the seller of the card.'],
  method_not_allowed: ['The path does not support this method.', 'Use a method that the allow header names.'],
  request_timeout: ['The body did not arrive in time.', 'Check the connection, and send the request again.'],
  last_key: ['It is the last key that manages the account.', 'Create another managing key first.'],
  quote_expired: ['The quote is unknown or has expired.', 'Get a new quote, or send the request without one.'],
  model_retired: ['The model was retired.', 'Use the model that replaces it, or choose another one.'],
  request_too_large: ['The body was too large.', 'Send a smaller one.'],
  idempotency_key_reused: [
    'The Idempotency-Key was used before with another body.',
    'Use a new Idempotency-Key for another body.',
  ],
  quote_mismatch: ['The quote is for another body or endpoint.', 'Send exactly what was quoted, or get a new quote.'],
  rate_limited: [
    'The limit of requests or tokens per minute was reached.',
    'Wait as long as the retry-after header says, send more slowly, or raise the rate of the key.',
  ],
  free_minute_limit: [
    'The free requests of the minute were used up.',
    'Wait for the next minute, or use a paid model.',
  ],
  too_many_in_flight: ['Too many requests were running.', 'Send fewer requests at once.'],
  auth_rate_limited: ['Too many invalid keys came from your address.', 'Send a valid key, and wait a minute.'],
  redeem_rate_limited: ['Too many wrong card codes were sent.', 'Wait a minute, then enter the code again.'],
  free_daily_limit: [
    'The free requests of the day were used up.',
    'Use a paid model, or wait until midnight in Taipei.',
  ],
  registration_ip_limit: ['Your network registered too many accounts in 24 hours.', 'Use a key that you have.'],
  registration_site_limit: ['The registrations of the day were used up.', 'Try again after midnight in Taipei.'],
  wallet_frozen: [
    'The account was frozen; its balance is kept.',
    'Contact the operator of this service and name the request id.',
  ],
} as const satisfies Partial<Record<FaultCode | 'wallet_frozen', Refusal>>;

export const en = {
  refusals: {
    title: 'Refused request',
    list: 'Refused requests',
    lead: 'These requests were refused before a model was called. They are not in the usage, and nothing was charged.',
    kept: (days: number, most: number) =>
      `Refused requests are kept for ${days} days, at most the last ${most} of an account, without content.`,
    none: (days: number) => `No request was refused in the last ${days} days.`,
    ofKey: 'Refused, last 7 days',
    ofAll: 'All keys',
    unknown: (code: string) => `The request was refused with the code ${code}.`,
    seeDocs: 'The page about errors in the docs explains the code.',
    remedy: 'What you can do',
    code: 'Status and code',
    endpoint: 'Endpoint',
    figures: 'Figures of the response',
    notFound: (days: number, most: number) =>
      `This account has no request with this id. Check the address. A running request has no receipt yet, and a refused one appears after some seconds. Refused requests are kept for ${days} days, at most the last ${most}.`,
    names: {
      limit: 'Limit',
      used: 'Used',
      resets_at: 'Resets at',
      key_id: 'Key of the limit',
      budget: 'Budget',
      needed_ntd: 'Needed',
      available_ntd: 'Available',
      limit_ntd: 'Budget limit',
      spent_ntd: 'Spent',
      held_ntd: 'Reserved',
      left_ntd: 'Left',
      needed_tokens: 'Tokens needed',
      affordable_max_tokens: 'Affordable output tokens',
      affordable_input_tokens: 'Affordable input tokens',
      retired_at: 'Retired at',
      replaced_by: 'Replaced by',
    },
    causes: causesEn as Record<keyof typeof causesEn, Refusal>,
  },
};

export const zh: Translated<typeof en> = {
  refusals: {
    title: '遭拒的請求',
    list: '遭拒的請求',
    lead: '這些請求在呼叫模型之前就遭到拒絕，不列入用量，也沒有收費。',
    kept: (days, most) => `遭拒的請求保留 ${days} 天，每個帳戶最多保留最近 ${most} 筆，不含任何內容。`,
    none: (days) => `最近 ${days} 天沒有遭拒的請求。`,
    ofKey: '最近 7 天遭拒',
    ofAll: '所有金鑰',
    unknown: (code) => `這次請求遭到拒絕，錯誤碼是 ${code}。`,
    seeDocs: '錯誤碼的說明請見文件的「錯誤」頁面。',
    remedy: '您可以怎麼做',
    code: '狀態碼與錯誤碼',
    endpoint: '端點',
    figures: '回應中的數字',
    notFound: (days, most) =>
      `本帳戶沒有這個編號的請求。請檢查網址。執行中的請求還沒有明細；遭拒的請求幾秒後才會出現。遭拒的請求保留 ${days} 天，最多保留最近 ${most} 筆。`,
    names: {
      limit: '上限',
      used: '已使用',
      resets_at: '重新計算時間',
      key_id: '設限的金鑰',
      budget: '預算',
      needed_ntd: '需要金額',
      available_ntd: '可用金額',
      limit_ntd: '預算上限',
      spent_ntd: '已支出',
      held_ntd: '保留中',
      left_ntd: '尚餘',
      needed_tokens: '需要的 Token 數',
      affordable_max_tokens: '可負擔的輸出 Token 數',
      affordable_input_tokens: '可負擔的輸入 Token 數',
      retired_at: '停用時間',
      replaced_by: '替代模型',
    },
    causes: {
      invalid_request: ['請求不正確：內容或某個欄位有誤。', '請修正回應中 param 指出的欄位，再送一次。'],
      unsupported_endpoint: ['這個模型不支援這個端點。', '請改用其他模型或其他端點。'],
      context_length_exceeded: ['提示詞超過模型的上下文長度。', '請縮短提示詞，或選擇上下文更長的模型。'],
      content_rejected: ['模型的內容規範拒絕了這次請求。', '請修改內容，或選擇其他模型。'],
      card_code_malformed: ['卡號有字元錯誤。', '請檢查卡號後重新輸入。'],
      previous_response_not_found: ['這個連線沒有這次請求要接續的回應。', '請在 input 送出完整的對話。'],
      invalid_stream_id: [
        'stream_id 不符合規定。',
        '請使用 1 到 256 個英文字母、數字、「_」「-」「.」，或省略這個欄位。',
      ],
      websocket_stream_limit_reached: [
        '這個連線已經用完 32 個不同的 stream_id。',
        '請重複使用其中一個，或開啟另一個連線。',
      ],
      websocket_connection_limit_reached: [
        '這個連線已經開啟 60 分鐘。',
        '請開啟新的連線，並在其中送出一次完整的對話。',
      ],
      invalid_api_key: ['這把金鑰已經失效。', '請改用本帳戶的其他金鑰。'],
      insufficient_balance: [
        '餘額不足以支付這次請求可能的最高費用。',
        '請兌換儲值卡、調低 max_tokens，或使用免費模型。',
      ],
      key_budget_exceeded: [
        '這把金鑰或其上層金鑰的預算不足以支付這次請求。',
        '請提高預算、調低 max_tokens，或等到預算重新計算。',
      ],
      balance_in_use: [
        '餘額或金鑰的預算正由執行中的請求保留。',
        '請減少同時送出的請求、調低 max_tokens，或過幾秒再送一次。',
      ],
      model_not_allowed: ['這把金鑰不能使用這個模型。', '請開放這把金鑰使用這個模型，或改用其他金鑰。'],
      key_not_permitted: ['這把金鑰不能管理帳戶。', '請改用可以管理帳戶的金鑰。'],
      cross_site_refused: ['請求來自其他網站的網頁。', '請從程式或本站送出。'],
      model_not_found: ['沒有這個名稱的模型。', '請從價目表複製模型代號。'],
      route_not_found: ['沒有這個路徑。', '請檢查用戶端的 base URL。'],
      not_found: ['本帳戶沒有路徑中這個編號的資料。', '請檢查編號。'],
      card_not_redeemable: ['這張卡片無法兌換。', '請檢查卡號，或詢問售卡的店家。'],
      method_not_allowed: ['這個路徑不支援這個方法。', '請使用 allow 標頭列出的方法。'],
      request_timeout: ['請求內容沒有及時送達。', '請檢查網路連線，再送一次。'],
      last_key: ['這是最後一把可以管理帳戶的金鑰。', '請先建立另一把可以管理帳戶的金鑰。'],
      quote_expired: ['報價不存在或已過期。', '請重新取得報價，或不附報價直接送出。'],
      model_retired: ['這個模型已停用。', '請改用替代的模型，或選擇其他模型。'],
      request_too_large: ['請求內容太大。', '請縮小後再送一次。'],
      idempotency_key_reused: ['這個 Idempotency-Key 已用於不同的內容。', '內容不同時，請使用新的 Idempotency-Key。'],
      quote_mismatch: ['這份報價屬於其他內容或端點。', '請送出與報價完全相同的內容，或重新取得報價。'],
      rate_limited: [
        '已達每分鐘請求數或 Token 數的上限。',
        '請依 retry-after 標頭的時間等候、放慢速度，或提高金鑰的速率。',
      ],
      free_minute_limit: ['這一分鐘的免費次數已用完。', '請等到下一分鐘，或使用付費模型。'],
      too_many_in_flight: ['同時執行的請求過多。', '請減少同時送出的請求。'],
      auth_rate_limited: ['您的位址送出過多無效的金鑰。', '請改用有效的金鑰，並稍候一分鐘。'],
      redeem_rate_limited: ['送出過多錯誤的卡號。', '請稍候一分鐘，再重新輸入卡號。'],
      free_daily_limit: ['當天的免費次數已用完。', '請使用付費模型，或等到台北時間午夜。'],
      registration_ip_limit: ['您的網路在 24 小時內註冊了過多帳戶。', '請使用您已有的金鑰。'],
      registration_site_limit: ['當天的註冊名額已用完。', '請在台北時間午夜之後再試。'],
      wallet_frozen: ['帳戶已暫停使用，餘額仍會保留。', '請洽詢本服務的營運者，並提供請求編號。'],
    },
  },
};
