// What is valid and still may be a slip of the hand: an operator is asked twice.

export interface DocumentWarning {
  code: /** Ten times as much or a tenth, or beyond. `price`, `before` and `after` (NT$) say which. */
  'price_jump' | 'became_free' | 'became_paid' | 'last_route_lost' | 'model_removed' | 'channel_removed';
  /** As faults name it; in the document before, where something was removed. */
  path: string;
  message: string;
  /** The model or channel it is about. */
  subject: string;
  price?: string;
  before?: string;
  after?: string;
  /** Requests of the last 30 days, of something that is removed. */
  requests?: number;
}
