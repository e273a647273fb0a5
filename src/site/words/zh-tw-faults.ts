// 請求遭拒時頁面上的說明：依錯誤代碼，以及填錯的欄位。

import type { Words } from './words.ts';

export const zhTwFaults: { texts: Words['faults']; fields: Words['fields'] } = {
  texts: {
    invalid_request: '請檢查輸入的內容後再送出一次。',
    request_too_large: '請縮短內容：超過本頁可接受的長度。',
    request_timeout: '請再送出一次：資料傳送得太慢。',
    not_found: '請檢查網址：本帳戶沒有這筆資料。',
    key_not_permitted: '請改用有管理權限的金鑰，或以名稱與密碼登入。',
    last_key: '請先建立另一把可管理的金鑰：最後一把無法撤銷。',
    rate_limited: '請稍候一分鐘再試：短時間內的請求太多。',
    registration_ip_limit: '請使用您已有的金鑰登入：這個位址在過去 24 小時內可註冊的帳戶已達上限。',
    registration_site_limit: '請明天再來：今天可建立的新帳戶已達上限。',
    invalid_api_key: '請先建立一把金鑰：本帳戶沒有可用的金鑰。',
    insufficient_balance: '請兌換儲值卡，或選擇免費模型：餘額不足以支付這次請求。',
    balance_in_use: '請稍候再試：餘額或此金鑰的預算正由執行中的請求保留。',
    key_budget_exceeded: '請提高這把金鑰的每日預算，或等到臺北時間午夜：今天的預算已用完。',
    model_not_allowed: '請選擇其他模型：您登入所用的金鑰不能使用這個模型。',
    model_not_found: '請選擇其他模型：這個模型已不存在。',
    unsupported_endpoint: '請選擇其他模型：這個模型不支援對話。',
    context_length_exceeded: '請縮短提示詞，或選擇上下文更長的模型。',
    content_rejected: '請修改提示詞：不符合這個模型的內容規範。',
    free_minute_limit: '請稍候，或選擇付費模型：本分鐘的免費次數已用完。',
    free_daily_limit: '請選擇付費模型，或在臺北時間午夜之後再來：今天的免費次數已用完。',
    too_many_in_flight: '請等其他請求結束：同時執行的請求太多。',
    upstream_failed: '請再試一次，或選擇其他模型：所有上游通道都失敗了。沒有扣任何款項。',
    unavailable: '請稍後再試：目前無法受理。沒有扣任何款項。',
    internal_error: '請稍後再試。這是我們的錯誤，沒有扣任何款項。',
  },
  fields: {
    name: '名稱：請填寫一行文字，最多 100 個字元。',
    models: '可用模型：請只填價目表上的模型編號，以逗號或空格分隔。',
    daily_budget_ntd: '每日預算：請填寫新臺幣金額，例如 50 或 0.5。',
    expires_at: '到期：請選擇未來的日期。',
    manage: '請取消各項限制，或不要勾選管理權限：有限制的金鑰不能管理。',
    too_many_keys: '請先撤銷一把金鑰：本帳戶的金鑰數量已達上限。',
    from: '起始日期：請選擇一個日期。',
    to: '結束日期：請選擇一個日期。',
    cursor: '請從最新的請求重新開始：清單中沒有這一頁。',
    prompt: '請縮短提示詞：超過本頁可接受的長度。',
  },
};
