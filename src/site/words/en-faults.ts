// What pages say when something is refused, in English: by the code of the fault, and by the field that was wrong. The
// cause comes first, then the remedy.

export const enFaults = {
  texts: {
    invalid_request: 'The input is not valid. Check it and send it again.',
    request_too_large: 'The text is longer than this page accepts. Shorten it.',
    request_timeout: 'The upload took too long. Send it again.',
    not_found: 'This account has nothing at this address. Check the address.',
    key_not_permitted:
      'This key cannot manage the account. Sign in with a key that can, or with your name and password.',
    last_key:
      'This is the last key that can manage the account. Create another one first. To replace a leaked key, rotate it and let the old one stop at once.',
    rate_limited: 'Too many requests were sent in a short time. Wait a minute, then try again.',
    registration_ip_limit:
      'Your address or network has reached its limit of new accounts for 24 hours. Sign in with a key you already have.',
    registration_site_limit: 'The limit of new accounts for today is reached. Try again tomorrow.',
    invalid_api_key: 'This account has no usable key. Create one first.',
    insufficient_balance: 'The balance is too low for this request. Redeem a card, or choose a free model.',
    balance_in_use: 'The balance, or the budget of this key, is reserved by running requests. Try again in a moment.',
    key_budget_exceeded:
      "The rest of this key's daily budget does not cover this request. Raise the budget, or wait until midnight in Taipei.",
    model_not_allowed: 'The key you signed in with cannot use this model. Choose another one.',
    model_not_found: 'This model does not exist. Choose another one.',
    unsupported_endpoint: 'This model does not support chat. Choose another one.',
    context_length_exceeded:
      'The prompt is longer than the context of this model. Shorten it, or choose a model with a larger context.',
    content_rejected: "The model's content policy refused this prompt. Change the prompt.",
    free_minute_limit: 'Free requests for this minute are used up. Wait a moment, or choose a paid model.',
    free_daily_limit:
      'Free requests for today are used up. Choose a paid model, or try again after midnight in Taipei.',
    too_many_in_flight: 'Too many requests are running. Wait until some have finished.',
    upstream_failed: 'Every upstream channel failed. Nothing was charged. Try again, or choose another model.',
    unavailable: 'The service is temporarily unavailable. Nothing was charged. Try again shortly.',
    wallet_frozen:
      'This account is frozen. All requests are refused, including those to free models; the balance is kept. Contact the operator of this service.',
    internal_error: 'An internal error occurred. Nothing was charged. Try again in a moment.',
  },
  fields: {
    name: 'The name is not valid. Enter one line of at most 100 characters, without control characters.',
    models: 'The list of models is not valid. Enter ids from the price list, separated by commas or spaces.',
    daily_budget_ntd:
      'The daily budget is not valid. Enter an amount from NT$0 to NT$9,223,372,036, such as 50 or 0.5.',
    expires_at: 'The expiry date is not valid. Choose a date in the future.',
    manage: 'A key with limits cannot manage the account. Remove the limits, or do not let the key manage.',
    too_many_keys: 'This account has reached its maximum number of keys. Revoke one first.',
    from: 'The date in “From” is not valid. Choose a date.',
    to: 'The date in “To” is not valid. Choose a date.',
    from_after_to: 'The date in “From” is after the date in “To”. Choose an earlier one.',
    cursor: 'This page of the list does not exist. Start again from the newest requests.',
    prompt: 'The prompt is longer than this page accepts. Shorten it.',
  },
};
