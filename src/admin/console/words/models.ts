// The words of the table of models.

import type { Translated } from '../../../site/words/translated.ts';

export const en = {
  lead: (belowCost: number) =>
    belowCost === 0
      ? 'No model is sold below its recorded cost.'
      : `${belowCost === 1 ? 'One model is' : `${belowCost} models are`} sold below cost.`,
  belowCost: (count: number) => (count === 1 ? 'One model is sold below cost' : `${count} models are sold below cost`),
  search: 'Model or channel',
  find: 'Search',
  clear: 'Show all',
  none: 'No model matches.',
  order: {
    model: 'Model',
    price: 'Price',
    margin: 'Margin',
    volume: '30 days',
  },
  cost: 'Cost',
  routes: 'Routes',
  usual: 'Below cost first',
  sortBy: (column: string) => `Sort by ${column}`,
  requests: (count: string) => `${count} ${count === '1' ? 'request' : 'requests'}`,
  unused: 'no requests',
  unknown: 'cost not recorded',
  unknownOn: (channels: string) => `cost not fully recorded: ${channels}`,
  lowestOf: (channel: string) => `${channel}, the lowest margin`,
  below: 'below cost',
  free: 'free',
  more: 'tiers, tools or later prices',
  editPrice: (price: string, model: string) => `Edit: ${price} of ${model}`,
  pages: 'Pages',
  page: (number: number) => `Page ${number}`,
  now: 'Prices now',
};

export const zh: Translated<typeof en> = {
  lead: (belowCost) =>
    belowCost === 0 ? '沒有模型的售價低於已記錄的成本。' : `有 ${belowCost} 個模型的售價低於成本。`,
  belowCost: (count) => `有 ${count} 個模型的售價低於成本`,
  search: '模型或供應商線路',
  find: '搜尋',
  clear: '顯示全部',
  none: '沒有符合的模型。',
  order: {
    model: '模型',
    price: '售價',
    margin: '毛利率',
    volume: '近 30 天',
  },
  cost: '成本',
  routes: '路由',
  usual: '低於成本者優先',
  sortBy: (column) => `依「${column}」排序`,
  requests: (count) => `${count} 次請求`,
  unused: '沒有請求',
  unknown: '未記錄成本',
  unknownOn: (channels) => `成本記錄不完整：${channels}`,
  lowestOf: (channel) => `${channel}（毛利最低）`,
  below: '低於成本',
  free: '免費',
  more: '另有級距、工具或日後的價格',
  editPrice: (price, model) => `編輯 ${model} 的「${price}」`,
  pages: '頁次',
  page: (number) => `第 ${number} 頁`,
  now: '目前的價格',
};
