// The rows of the table in docs/reliability.md: what is promised, how it is tested, and which run has figures about it.

import type { Language } from '../src/site/language.ts';

/** Runs that record figures, with the command that makes one. */
export const RUNS = {
  suite: 'npm test',
  histories: 'npm run test:long',
  simulation: 'npm run simulate',
  mutations: 'npm run simulate -- --mutations',
  kills: 'npm run torture',
  syncs: 'npm run torture -- syncs',
  rolling: 'npm run rolling',
  mixed: 'npm run rolling -- --from REF',
  upgrade: 'npm run rolling -- --from 76b6c829',
  chaos: 'npm run chaos',
  failover: 'npm run failover',
  soak: 'npm run soak',
  scale: 'npm run bench:scale',
  speed: 'npm run bench',
} as const;

export type RunName = keyof typeof RUNS;

export interface Promised {
  promise: Record<Language, string>;
  method: Record<Language, string>;
  /** Absent if `npm test` proves it: the row of `suite` has the figures. */
  run?: RunName;
}

export const PROMISES: readonly Promised[] = [
  {
    promise: { en: 'the service works as these pages describe', 'zh-TW': '服務的行為與這些文件所述相同' },
    method: {
      en: 'tests through sockets, a real SQLite file, a real PostgreSQL, scripted providers on loopback, the SDKs and a real browser',
      'zh-TW':
        '測試使用真實的連線、真實的 SQLite 檔案、真實的 PostgreSQL、本機上由腳本控制的供應商、各 SDK 與真實的瀏覽器',
    },
    run: 'suite',
  },
  {
    promise: { en: 'the ledger is correct in every order of events', 'zh-TW': '無論事件順序如何，帳本都正確' },
    method: {
      en: 'random histories of registering, redeeming, crediting, holding, settling, releasing, sweeping, crashing, repeating any of these, and of clock jumps, against a small model that shares no code with the ledger; results and rows are compared after every step; commits with planted faults show that the histories find faults',
      'zh-TW':
        '隨機產生的歷程：註冊、兌換、加值、保留、結算、釋放、清理、當機、重複其中任何一項，以及系統時間跳動，並與一個不共用帳本任何程式碼的小型模型對照；每一步之後都比對結果與資料列；刻意植入錯誤的提交，證明這些歷程找得到錯誤',
    },
    run: 'histories',
  },
  {
    promise: { en: 'a whole service stays correct under faults', 'zh-TW': '整個服務遇上各種故障仍然正確' },
    method: {
      en: 'nodes, clients, vendors and database run in one process on a virtual clock; a seed draws the calls and the [faults](#the-simulation)',
      'zh-TW': '節點、用戶端、供應商與資料庫都在同一個行程裡，以虛擬時鐘執行；呼叫與[故障](#模擬)由種子決定',
    },
    run: 'simulation',
  },
  {
    promise: { en: 'the simulation finds bugs', 'zh-TW': '模擬找得到錯誤' },
    method: {
      en: 'bugs are planted in the source, one at a time; each must break an invariant of the simulation within 60 s of CPU time; a crash does not count',
      'zh-TW': '在原始碼裡逐一植入錯誤；每一個都必須在 60 秒的 CPU 時間內破壞模擬的一個不變條件；當掉不算',
    },
    run: 'mutations',
  },
  {
    promise: {
      en: 'a kill at any point of a request loses nothing',
      'zh-TW': '在請求的任何一個點強制終止，都不會遺失',
    },
    method: {
      en: 'the server is killed (SIGKILL) at fourteen marked places, with one call in progress, `restore` at each of its steps, and `move` at several; see the table below',
      'zh-TW':
        '呼叫進行中，在十四個標記處強制終止伺服器（SIGKILL）；`restore` 在它的每一個步驟，`move` 在其中幾個步驟；見下表',
    },
  },
  {
    promise: { en: 'kills under load lose nothing', 'zh-TW': '在負載下強制終止，不會遺失' },
    method: {
      en: '24 clients register, redeem, create keys, chat with and without streaming, and disconnect; the server is killed at the marked places and at random times and restarted; everything acknowledged is looked up, and the entire ledger is audited',
      'zh-TW':
        '24 個用戶端註冊、兌換、建立金鑰、以非串流與串流對話，並中途斷線；伺服器在標記處與隨機的時間被強制終止，再重新啟動，然後查核所有確認過的變更，並稽核整個帳本',
    },
    run: 'kills',
  },
  {
    promise: {
      en: 'a sync before every acknowledgement; none after a failed sync',
      'zh-TW': '每次確認之前都已同步；同步失敗之後不再確認',
    },
    method: {
      en: '`strace` lists the system calls of the server while clients register, which commits as all other changes do: between the last write to the write-ahead log and the response there must be a finished `fdatasync`. Then it makes one sync fail: nothing may be acknowledged after that. Needs the optional tool strace (Debian: `apt-get install strace`)',
      'zh-TW':
        '用戶端註冊時（與其他變更以相同的方式提交），以 `strace` 列出伺服器的系統呼叫：最後一次寫入預寫日誌（write-ahead log）與回應之間，必須有一次完成的 `fdatasync`。接著讓一次同步失敗：此後不得再確認任何變更。需要選用工具 strace（Debian：`apt-get install strace`）',
    },
    run: 'syncs',
  },
  {
    promise: {
      en: 'restarts of nodes fail no call that ends within the drain time',
      'zh-TW': '節點重新啟動時，能在 DRAIN_SECONDS 內完成的呼叫都不會失敗',
    },
    method: {
      en: 'nodes behind a load balancer with health checks are restarted one after the other under load, and one is killed in between; every call is checked and the ledger is audited',
      'zh-TW':
        '負載平衡器以健康檢查選擇節點；在負載下逐一重新啟動節點，期間強制終止其中一個；檢查每一次呼叫，並稽核帳本',
    },
    run: 'rolling',
  },
  {
    promise: {
      en: 'an upgrade node by node within one schema fails no such call, and neither does the way back',
      'zh-TW': '結構不變時，逐一升級節點與換回舊版本，這類呼叫也都不會失敗',
    },
    method: {
      en: 'the same, with an older commit of the same schema: each round replaces all nodes with those of the other version',
      'zh-TW': '同上，並使用結構相同的舊提交：每一輪都把節點換成另一個版本',
    },
    run: 'mixed',
  },
  {
    promise: {
      en: 'an upgrade from 0.1.0 loses nothing, and the way back loses nothing from before the copy',
      'zh-TW': '從 0.1.0 升級不會遺失任何資料；以備份復原，也不會遺失備份前的資料',
    },
    method: {
      en: 'under load, all nodes of 0.1.0 are stopped, the database is copied, and the nodes of this version start; at the end the copy is restored for 0.1.0. While one version runs, the other is refused; a node of each is killed; everything acknowledged is looked up and audited. See [upgrade](operating.md#from-010)',
      'zh-TW':
        '在負載下停止 0.1.0 的所有節點、複製資料庫，再啟動這個版本的節點；最後為 0.1.0 還原備份。其中一個版本執行時，另一個會遭拒；兩個版本各有一個節點遭強制終止；查核並稽核所有確認過的變更。見[升級](operating.md#從-010-升級)',
    },
    run: 'upgrade',
  },
  {
    promise: {
      en: 'broken networks and a lost PostgreSQL server lose nothing',
      'zh-TW': '網路故障與失去一台 PostgreSQL 伺服器，都不會遺失',
    },
    method: {
      en: 'a proxy delays, cuts and resets the connections to PostgreSQL and to providers under load, and the primary is killed and its standby promoted; everything acknowledged is looked up and audited',
      'zh-TW':
        '在負載下，由代理程式延遲、切斷與重設到 PostgreSQL 與供應商的連線，並強制終止主要伺服器、將待命伺服器提升為主要伺服器；查核並稽核所有確認過的變更',
    },
    run: 'chaos',
  },
  {
    promise: { en: 'wallets and cards are exact under concurrency', 'zh-TW': '並行請求下，錢包與儲值卡仍然精確' },
    method: {
      en: '1,000 paid calls at once on a wallet that can pay for about ten; 200 accounts at once for one card; one `Idempotency-Key` 50 times at once; on SQLite and on PostgreSQL',
      'zh-TW':
        '對一個大約只夠支付十次的錢包，同時發出 1,000 次付費呼叫；200 個帳戶同時兌換一張儲值卡；同一個 `Idempotency-Key` 同時使用 50 次；在 SQLite 與 PostgreSQL 上執行',
    },
  },
  {
    promise: {
      en: 'several processes on one port act as one server',
      'zh-TW': '同一個連接埠上的多個行程如同一台伺服器',
    },
    method: {
      en: '60 calls at once on two processes get exactly the limit; one is killed during a stream, then the one that started them; both drain on a signal',
      'zh-TW':
        '對兩個行程同時發出 60 次呼叫，受理的次數恰好等於限制；在串流進行中強制終止其中一個，再終止啟動它們的那一個；收到訊號時兩者都會逐步停止',
    },
  },
  {
    promise: { en: 'the service recovers after PostgreSQL was unreachable', 'zh-TW': 'PostgreSQL 連不上之後能夠恢復' },
    method: {
      en: 'it is killed or stopped (SIGSTOP) under load, and a gateway is started while it is unreachable: refusals are timed, pages are requested, then it comes back, and everything acknowledged is looked up and audited',
      'zh-TW':
        '在負載下強制終止或暫停它（SIGSTOP），並在它連不上時啟動一個閘道：測量拒絕所花的時間、開啟網頁，然後讓它恢復，查核並稽核所有確認過的變更',
    },
  },
  {
    promise: { en: 'the service recovers after a full disk or a held lock', 'zh-TW': '磁碟已滿或被鎖住之後能夠恢復' },
    method: {
      en: 'the embedded database gets a maximum size, or is locked by another process, while calls run',
      'zh-TW': '呼叫進行時，限制內嵌資料庫的大小，或由另一個行程鎖住',
    },
  },
  {
    promise: {
      en: 'the service survives a lack of file descriptors or memory, and clock steps',
      'zh-TW': '檔案描述元或記憶體用盡與時鐘跳動時，服務仍然正常',
    },
    method: {
      en: '120 connections to a server that may have 64 files open; more large bodies than the memory of the process can hold; the clock is set by six hours in both directions during a stream',
      'zh-TW':
        '對最多只能開啟 64 個檔案的伺服器建立 120 條連線；送出超過行程記憶體所能容納的大型內容；在串流進行時，把時鐘往前與往後調整六小時',
    },
  },
  {
    promise: { en: 'a failing provider is replaced', 'zh-TW': '故障的供應商由其他供應商取代' },
    method: {
      en: 'every fault of the [table below](#when-a-provider-fails), from a scripted provider on real connections, for each client format, streamed and not, and three configurations: the answer is compared word by word, and so are the channel, the model, the charge and the balance; also an outage of a minute and the recovery, at 1 and at 40 calls a second',
      'zh-TW':
        '[下表](#供應商故障時)的每一種故障，由腳本控制的供應商以真實的連線重現，涵蓋用戶端的各種格式與形式以及三種設定：逐字讀取回答，比對供應商線路、模型、費用與餘額；另有一分鐘的中斷與之後的恢復，分別以每秒 1 次與 40 次呼叫進行',
    },
    run: 'failover',
  },
  {
    promise: {
      en: 'memory, descriptors, timers, short-lived rows and answer times do not grow',
      'zh-TW': '記憶體、檔案描述元、計時器、短期資料列與回應時間不會持續增加',
    },
    method: {
      en: 'a mixed load of every kind of call runs for minutes; a line is fitted to the samples of the second half. Resident memory may grow by 8 %, plus the growth of the database file, of which SQLite keeps up to 64 MB in memory. The p99 of paid calls may be 25 % higher in the second half than in the first. A figure reads: first → last round (growth in the second half ≤ what is allowed)',
      'zh-TW':
        '以各種呼叫的混合負載執行數分鐘；對後半的取樣做直線擬合。常駐記憶體容許增加 8 %，再加上資料庫檔案的增加量（SQLite 最多在記憶體裡保留其中 64 MB）。付費呼叫的 p99 在後半最多可比前半高 25 %。數字的讀法：第一輪 → 最後一輪（後半的增加量 ≤ 容許的增加量）',
    },
    run: 'soak',
  },
  {
    promise: { en: 'many nodes share one PostgreSQL', 'zh-TW': '多個節點共用一個 PostgreSQL' },
    method: {
      en: 'nodes hold and settle calls on one PostgreSQL with every commit on disk; calls per second, CPU time and round trips are measured',
      'zh-TW': '多個節點在一個 PostgreSQL 上保留與結算呼叫，每次提交都寫入磁碟；測量每秒的呼叫、CPU 時間與往返次數',
    },
    run: 'scale',
  },
  {
    promise: { en: 'the gateway adds little delay', 'zh-TW': '閘道增加的延遲很小' },
    method: {
      en: 'calls per second and the added delay against a provider on loopback: see [performance](performance.md)',
      'zh-TW': '對本機上的供應商測量每秒的呼叫次數與增加的延遲：見[效能](../performance.md)',
    },
    run: 'speed',
  },
  {
    promise: { en: 'the sums of the ledger are right', 'zh-TW': '帳本的總和正確' },
    method: {
      en: '`npm run -s gateway -- ledger audit` recomputes every balance, hold, settlement and card from the entries; the running service does the same every minute for what has changed',
      'zh-TW':
        '`npm run -s gateway -- ledger audit` 從交易明細重新計算每一筆餘額、保留、結算與儲值卡；執行中的服務每分鐘也對有變動的部分做同樣的事',
    },
  },
];
