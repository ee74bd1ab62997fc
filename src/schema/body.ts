/** The most bytes that a body may have (rules: requests#body). */
export const LARGEST_BODY = 1024 * 1024

/** A body that was read, or why it could not be. An absent body is the empty text. */
export type RequestBody =
  | string
  | { readonly unread: 'body_unreadable' | 'not UTF-8' }
  | { readonly unread: 'body_too_large' /** Default: {@link LARGEST_BODY}. */; readonly limit?: number }
