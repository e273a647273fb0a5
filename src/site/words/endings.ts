// Explanations of failed requests: the cause first, then the remedy.

import type { RequestStatus } from '../../store/rows.ts';
import type { Translated } from './translated.ts';

interface Ending {
  cause: string;
  remedy: string;
}

export const en = {
  endingTitle: 'What happened',
  endings: {
    client_gone: {
      cause: 'Your program closed the connection before the answer was complete.',
      remedy: 'If you did not stop it yourself, raise the timeout of your client, or stream the answer.',
    },
    time_limit: {
      cause: 'The answer was still running after one hour, the limit for a stream.',
      remedy: 'Lower the output limit, or split the task into several requests.',
    },
    upstream_failed: {
      cause: 'The upstream failed, and no other channel could answer.',
      remedy: 'Send the request again. If it keeps failing, look at the status page or use another model.',
    },
    unavailable: {
      cause: 'No channel could take the request at that moment.',
      remedy: 'Wait a minute and send it again, or use another model.',
    },
    loop_detected: {
      cause: 'A channel led the request back to this gateway.',
      remedy: 'Sending it again does not help. Report the request id to support.',
    },
    gateway_died: {
      cause: 'The gateway restarted while the request was running.',
      remedy: 'Send the request again.',
    },
    invalid_request: {
      cause: 'The upstream refused the request as invalid. The response named the reason.',
      remedy: 'Check the parameters against the documentation of the model, and send a corrected request.',
    },
    context_length_exceeded: {
      cause: 'The prompt is longer than the model accepts.',
      remedy: 'Shorten the prompt, or use a model with a larger context.',
    },
    content_rejected: {
      cause: 'The upstream refused the content of the request.',
      remedy: 'Change the content, or use another model. The same request would be refused again.',
    },
    internal_error: {
      cause: 'The gateway failed with an internal error.',
      remedy: 'Send the request again. If it fails again, report the request id to support.',
    },
  } satisfies Partial<Record<RequestStatus, Ending>>,
};

export const zh: Translated<typeof en> = {
  endingTitle: '發生了什麼事',
  endings: {
    client_gone: {
      cause: '您的程式在回覆完成之前關閉了連線。',
      remedy: '如果不是您主動停止，請調高用戶端的逾時時間，或改用串流。',
    },
    time_limit: {
      cause: '回覆持續超過一小時，達到串流的時間上限。',
      remedy: '請降低輸出上限，或將工作拆成多次請求。',
    },
    upstream_failed: {
      cause: '上游發生錯誤，也沒有其他線路能夠回覆。',
      remedy: '請再送一次。如果持續失敗，請查看服務狀態，或改用其他模型。',
    },
    unavailable: {
      cause: '當時沒有線路能夠處理這次請求。',
      remedy: '請等一分鐘後再送一次，或改用其他模型。',
    },
    loop_detected: {
      cause: '某條線路將請求導回了本閘道。',
      remedy: '再送一次也不會成功，請將請求編號回報給客服。',
    },
    gateway_died: {
      cause: '請求執行期間，閘道重新啟動。',
      remedy: '請再送一次。',
    },
    invalid_request: {
      cause: '上游判定請求無效而拒絕，原因寫在當時的回應中。',
      remedy: '請對照模型文件檢查參數，修正後再送一次。',
    },
    context_length_exceeded: {
      cause: '提示詞超過模型可接受的長度。',
      remedy: '請縮短提示詞，或改用上下文更長的模型。',
    },
    content_rejected: {
      cause: '上游拒絕了這次請求的內容。',
      remedy: '請修改內容或改用其他模型；相同的請求仍會遭到拒絕。',
    },
    internal_error: {
      cause: '閘道發生內部錯誤。',
      remedy: '請再送一次。如果仍然失敗，請將請求編號回報給客服。',
    },
  },
};
