// What pages say when something is refused, in English: by the code of the fault, and by the field that was wrong.

export const enFaults = {
  texts: {
    invalid_request: 'Check what you typed and send it again.',
    request_too_large: 'Send less text: this is more than the page takes.',
    request_timeout: 'Send it again: it came too slowly.',
    not_found: 'Check the address: this account has nothing there.',
    key_not_permitted: 'Sign in with a key that may manage, or with your name and password.',
    last_key:
      'Create another key that may manage first: this is the last one. To replace a key that leaked, rotate it and let the old one stop at once.',
    rate_limited: 'Wait a minute, then try again: too many requests came at once.',
    registration_ip_limit:
      'This address, or the network that it is in, has registered its accounts for the last 24 hours. Sign in with a key you already have.',
    registration_site_limit: 'Come back tomorrow: the new accounts of today are used up.',
    invalid_api_key: 'Create a key first: this account has none that may be used.',
    insufficient_balance: 'Redeem a card or choose a free model: the balance is too low for this request.',
    balance_in_use:
      'Try again in a moment: the balance, or the budget of this key, is reserved by requests that are still running.',
    key_budget_exceeded:
      "Raise this key's daily budget, or wait until midnight in Taipei: what is left of it today does not cover this request.",
    model_not_allowed: 'Choose another model: the key you signed in with may not use this one.',
    model_not_found: 'Choose another model: this one no longer exists.',
    unsupported_endpoint: 'Choose another model: this one does not chat.',
    context_length_exceeded: 'Shorten the prompt, or choose a model with a larger context.',
    content_rejected: "Change the prompt: the model's content policy refused it.",
    free_minute_limit: 'Wait a moment or choose a paid model: the free requests of this minute are used up.',
    free_daily_limit:
      'Choose a paid model or come back after midnight in Taipei: the free requests of today are used up.',
    too_many_in_flight: 'Wait until other requests have ended: too many are running.',
    upstream_failed: 'Try again or choose another model: every upstream channel failed. Nothing was charged.',
    unavailable: 'Try again shortly: the service cannot take this right now. Nothing was charged.',
    wallet_frozen:
      'Ask the operator of this service: this account is frozen. Every request is refused, of free models too; the balance is kept.',
    internal_error: 'Try again in a moment. The fault is ours, and nothing was charged.',
  },
  fields: {
    name: 'Name: write one line of at most 100 characters, without control characters.',
    models: 'Models: name only ids from the price list, separated by commas or spaces.',
    daily_budget_ntd: 'Daily budget: write an amount from NT$0 to NT$9,223,372,036, such as 50 or 0.5.',
    expires_at: 'Expires: choose a date in the future.',
    manage: 'Take the limits away, or do not let the key manage: a key with limits cannot manage.',
    too_many_keys: 'Revoke a key first: this account has as many as it may have.',
    from: 'From: choose a date.',
    to: 'To: choose a date.',
    from_after_to: 'From: choose a day that is not after the last one.',
    cursor: 'Start again from the newest requests: this page of the list does not exist.',
    prompt: 'Shorten the prompt: it is longer than this page takes.',
  },
};
