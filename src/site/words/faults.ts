// Texts of faults on pages: by the code of the fault, and by the wrong field. The
// cause comes first, then the remedy. `{seconds}` stands for the time to wait, where waiting helps.

import type { Translated } from './translated.ts';

export const en = {
  texts: {
    invalid_request: 'The input is not valid. Check it and send it again.',
    request_too_large: 'The text is longer than this page accepts. Shorten it.',
    request_timeout: 'The upload took too long. Send it again.',
    not_found: 'This account has nothing at this address. Check the address.',
    key_not_permitted:
      'This key cannot manage the account. Sign in with a key that can, or with your name and password.',
    last_key:
      'This is the last key that can manage the account. Create another one first. To replace a leaked key, rotate it and let the old one stop at once.',
    rate_limited: 'Too many requests were sent in a short time. Try again in {seconds} s.',
    registration_ip_limit:
      'Your address or network has reached its limit of new accounts for 24 hours. Sign in with a key you already have.',
    registration_site_limit: 'The limit of new accounts for today is reached. Try again tomorrow.',
    invalid_api_key: 'This account has no usable key. Create one first.',
    insufficient_balance: 'The balance is too low for this request. Redeem a card, or choose a free model.',
    balance_in_use:
      'The balance, or the budget of this key, is reserved by running requests. Try again in {seconds} s.',
    key_budget_exceeded:
      'A budget of this key, or of a key above it, does not cover this request. Raise the budget, or wait until it resets.',
    model_not_allowed: 'The key you signed in with cannot use this model. Choose another one.',
    model_not_found: 'This model does not exist. Choose another one.',
    model_retired: 'This model was retired. Choose another one.',
    unsupported_endpoint: 'This model does not support chat. Choose another one.',
    context_length_exceeded:
      'The prompt is longer than the context of this model. Shorten it, or choose a model with a larger context.',
    content_rejected: "The model's content policy refused this prompt. Change the prompt.",
    free_minute_limit: 'Free requests for this minute are used up. Try again in {seconds} s, or choose a paid model.',
    free_daily_limit:
      'Free requests for today are used up. Choose a paid model, or try again after midnight in Taipei.',
    too_many_in_flight: 'Too many requests are running. Wait until some have finished.',
    upstream_failed:
      'Every upstream channel failed. Nothing was charged. Try again in {seconds} s, or choose another model.',
    unavailable: 'The service is temporarily unavailable. Nothing was charged. Try again in {seconds} s.',
    wallet_frozen:
      'This account is frozen. All requests are refused, including those to free models; the balance is kept. Contact the operator of this service.',
    internal_error: 'An internal error occurred. Nothing was charged. Try again in a moment.',
  },
  fields: {
    name: 'The name is missing or not valid. Enter one line of at most 100 characters, without control characters.',
    models: 'The list of models is not valid, or allows more than a parent key. Choose other models.',
    expires_at: 'The expiry date is not valid. Choose a date in the future, and none after that of a parent key.',
    delegate: 'This key cannot create child keys, because its parent cannot. Allow it for the parent first.',
    parent_id: 'This key cannot be a parent. Choose another one; a key can have at most 8 keys above it.',
    manage: 'A key with limits cannot manage the account. Remove the limits, or do not let the key manage.',
    too_many_keys: 'This account has reached its maximum number of keys. Revoke one first.',
    from: 'The date in “From” is not valid. Choose a date.',
    to: 'The date in “To” is not valid. Choose a date.',
    from_after_to: 'The date in “From” is after the date in “To”. Choose an earlier one.',
    cursor: 'This page of the list does not exist. Start again from the newest requests.',
    prompt: 'The prompt is longer than this page accepts. Shorten it.',
  },
};

export const zh: Translated<typeof en> = {
  texts: {
    invalid_request: '輸入的內容不正確。請檢查後再送出一次。',
    request_too_large: '內容超過本頁可接受的長度。請縮短。',
    request_timeout: '資料傳送逾時。請再送出一次。',
    not_found: '本帳戶沒有這筆資料。請檢查網址。',
    key_not_permitted: '這把金鑰沒有管理權限。請改用有管理權限的金鑰，或以使用者名稱與密碼登入。',
    last_key: '這是最後一把可管理的金鑰。請先建立另一把；如果金鑰已經外洩，請更換它，並讓舊的立即失效。',
    rate_limited: '短時間內的請求過多。請在 {seconds} 秒後再試。',
    registration_ip_limit: '您的位址或所在網路在 24 小時內註冊的帳戶已達上限。請使用您已有的金鑰登入。',
    registration_site_limit: '今天可建立的新帳戶已達上限。請明天再試。',
    invalid_api_key: '本帳戶沒有可用的金鑰。請先建立一把。',
    insufficient_balance: '餘額不足以支付這次請求。請兌換儲值卡，或選擇免費模型。',
    balance_in_use: '餘額或此金鑰的預算正由執行中的請求保留。請在 {seconds} 秒後再試。',
    key_budget_exceeded: '這把金鑰或其上層金鑰剩餘的預算不足以支付這次請求。請提高預算，或等到預算重新計算。',
    model_not_allowed: '您登入所用的金鑰不能使用這個模型。請選擇其他模型。',
    model_not_found: '這個模型不存在。請選擇其他模型。',
    model_retired: '這個模型已停用。請選擇其他模型。',
    unsupported_endpoint: '這個模型不支援對話。請選擇其他模型。',
    context_length_exceeded: '提示詞超過這個模型的上下文長度。請縮短提示詞，或選擇上下文更長的模型。',
    content_rejected: '提示詞不符合這個模型的內容規範。請修改提示詞。',
    free_minute_limit: '本分鐘的免費次數已用完。請在 {seconds} 秒後再試，或選擇付費模型。',
    free_daily_limit: '今天的免費次數已用完。請選擇付費模型，或在台北時間午夜之後再試。',
    too_many_in_flight: '同時執行的請求過多。請等其他請求結束。',
    upstream_failed: '所有供應商線路都失敗，沒有扣任何款項。請在 {seconds} 秒後再試，或選擇其他模型。',
    unavailable: '服務暫時無法使用，沒有扣任何款項。請在 {seconds} 秒後再試。',
    wallet_frozen: '這個帳戶已暫停使用。所有請求（包括免費模型）都會遭到拒絕；餘額仍會保留。請洽詢本服務的營運者。',
    internal_error: '系統錯誤，沒有扣任何款項。請稍後再試。',
  },
  fields: {
    name: '名稱沒有填寫，或不正確。請填寫一行文字，最多 100 個字元，不含控制字元。',
    models: '可用模型不正確，或超過上層金鑰的範圍。請選擇其他模型。',
    expires_at: '到期日不正確。請選擇未來的日期，而且不晚於上層金鑰的到期日。',
    delegate: '上層金鑰不能建立子金鑰時，這把金鑰也不能。請先開放上層金鑰的權限。',
    parent_id: '這把金鑰不能作為上層金鑰。請選擇其他金鑰；一把金鑰之上最多 8 層。',
    manage: '有限制的金鑰不能管理帳戶。請取消各項限制，或不要勾選管理權限。',
    too_many_keys: '本帳戶的金鑰數量已達上限。請先撤銷一把。',
    from: '起始日期不正確。請選擇一個日期。',
    to: '結束日期不正確。請選擇一個日期。',
    from_after_to: '起始日期晚於結束日期。請選擇較早的日期。',
    cursor: '清單中沒有這一頁。請從最新的請求重新開始。',
    prompt: '提示詞超過本頁可接受的長度。請縮短。',
  },
};
