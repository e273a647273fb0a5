// The names of recorded figures in Chinese. They are recorded in English.

import type { Language } from '../src/site/language.ts';

const IN_CHINESE: Readonly<Record<string, string>> = {
  'tests passed': '通過的測試',
  'tests skipped': '略過的測試',
  'test files': '測試檔案',
  time: '時間',
  'histories on SQLite': 'SQLite 上的歷程',
  'histories on PostgreSQL': 'PostgreSQL 上的歷程',
  faults: '故障',
  calls: '呼叫',
  'calls wrong': '錯誤的呼叫',
  runs: '執行次數',
  'simulated hours': '模擬的小時',
  'faults per second': '每秒故障',
  problems: '發現的問題',
  'planted bugs': '植入的錯誤',
  found: '找到',
  'slowest find': '最慢找到',
  kills: '強制終止',
  'of them at random times': '其中在隨機時間',
  'marked places': '標記的位置',
  'registrations, cards, keys and requests acknowledged before a kill, and there afterwards':
    '終止前已確認、之後仍在的註冊、卡片、金鑰與請求',
  'requests charged': '已收費的請求',
  'kills after which something was lost, wrong or charged twice': '之後有遺失、錯誤或重複收費的終止',
  'ready again, median': '恢復服務，中位數',
  restarts: '重新啟動',
  'of them by SIGKILL': '其中以 SIGKILL',
  'complete calls': '完整的呼叫',
  'failed calls, apart from the killed nodes': '失敗的呼叫，被終止的節點除外',
  'calls refused because the machine was too busy': '因機器過於忙碌而拒絕的呼叫',
  'calls broken by a kill': '因強制終止而中斷的呼叫',
  'differences in the ledger': '帳本的差異',
  'faults of networks, database and nodes': '網路、資料庫與節點的故障',
  'primary killed and standby promoted': '終止主要伺服器並將待命伺服器升級',
  'node frozen beyond its lease': '節點停住超過租約',
  acknowledged: '已確認',
  'refused with 503 and retry-after': '以 503 與 retry-after 拒絕',
  'served, settlement late': '已服務，結算較晚',
  'no answer within 10 s': '10 秒內沒有回應',
  'slowest recovery after a fault': '故障後最慢的恢復',
  'slowest recovery after a promotion': '提升後最慢的恢復',
  'lost or wrong': '遺失或錯誤',
  duration: '時間長度',
  'actions of clients': '用戶端的動作',
  'days on the gateway’s clock': '閘道時鐘上的天數',
  'resident memory at the end': '結束時的常駐記憶體',
  'its growth in the second half': '後半的增加量',
  'open descriptors, first and last round': '開啟的檔案描述元，第一輪與最後一輪',
  'rows that should have been deleted': '應已刪除的資料列',
  'wrong answers': '錯誤的回應',
  'ledger differences': '帳本的差異',
  'calls per second on one PostgreSQL, at most': '一個 PostgreSQL 上每秒最多的呼叫',
  'nodes and calls in flight per node then': '當時的節點數與每個節點進行中的呼叫',
  'round trips per call then': '當時每次呼叫的往返次數',
  'CPU per call of the database then': '當時資料庫每次呼叫的 CPU 時間',
  'CPU per call of the nodes, store only, then': '當時節點每次呼叫的 CPU 時間（僅儲存層）',
  'WAL per call then': '當時每次呼叫的 WAL',
  'database growth per call': '資料庫每次呼叫的增加量',
  'calls per second with one call in flight': '只有一次呼叫進行中時每秒的呼叫',
  'small request: CPU, 64 at once': '小型請求的 CPU 時間，同時 64 個',
  'small request: p50, 1 at once': '小型請求的 p50，一次一個',
  'stream: first token, p50': '串流的第一個 Token，p50',
  'stream: CPU per chunk': '串流每個片段的 CPU 時間',
  '1,000 slow streams: CPU per chunk': '1,000 個慢速串流每個片段的 CPU 時間',
  'agent’s conversation of 1 MB: CPU': '代理程式 1 MB 對話的 CPU 時間',
  'memory per open stream': '每個開啟的串流的記憶體',
};

export function figureNameIn(language: Language, name: string): string {
  return language === 'en' ? name : (IN_CHINESE[name] ?? name);
}

export function hasChineseName(name: string): boolean {
  return Object.hasOwn(IN_CHINESE, name);
}
