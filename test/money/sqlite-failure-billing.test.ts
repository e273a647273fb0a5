// The billing table on the embedded database.

import { describeFailureBilling } from './failure-billing.ts';

describeFailureBilling('SQLite', async () => ({ env: {}, remove: async () => undefined }));
