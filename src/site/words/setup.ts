// The words of the page that sets clients up.

import type { Translated } from './translated.ts';

export const en = {
  lead: 'Choose a client and a model, then copy and paste.',
  clients: 'Clients',
  model: 'Model',
  choose: 'Apply',
  noModel: 'The key you signed in with has no chat model on its allow-list.',
  models: 'All models with their prices',
  more: 'More clients, and what each one needs, are in the docs.',
  placeholder: 'Replace YOUR_KEY with your key, or create one for this client:',
  create: 'Create a key and fill it in',
  keyName: (client: string) => `Setup: ${client}`,
  created: 'The new key is in the lines below. It is shown only once: copy them now.',
  cannotCreate: 'Replace YOUR_KEY with your key. The key you signed in with cannot create others.',
  openai: 'Cursor and others',
  install: 'Install',
  run: 'Run',
  file: (path: string) => `Save as ${path}`,
  shell: 'macOS, Linux, WSL',
  powershell: 'Windows PowerShell',
  fields: 'Enter these in the settings for an OpenAI-compatible provider',
};

export const zh: Translated<typeof en> = {
  lead: '選擇用戶端與模型，然後複製、貼上。',
  clients: '用戶端',
  model: '模型',
  choose: '顯示',
  noModel: '您登入所用的金鑰沒有可用的對話模型。',
  models: '所有模型與價格',
  more: '更多用戶端與各自需要的設定，請見文件。',
  placeholder: '請把 YOUR_KEY 換成您的金鑰，或為這個用戶端建立一把：',
  create: '建立金鑰並填入',
  keyName: (client) => `串接設定：${client}`,
  created: '新的金鑰已填入下方內容，而且只會顯示這一次，請立即複製。',
  cannotCreate: '請把 YOUR_KEY 換成您的金鑰。您登入所用的金鑰不能建立其他金鑰。',
  openai: 'Cursor 等其他工具',
  install: '安裝',
  run: '執行',
  file: (path) => `存成 ${path}`,
  shell: 'macOS、Linux、WSL',
  powershell: 'Windows PowerShell',
  fields: '在「OpenAI 相容」供應商的設定中填入',
};
