/** The kinds of likely mistakes, in the order in which they are listed. */
export const KINDS = ['broken', 'waiting', 'risk', 'rejected', 'cancelled', 'unused', 'injected', 'fixed'] as const
