import { type DialectName, dialects } from '../resources/dialects.ts'
import { harText, type RecordedExchange, type RecordingFacts } from './har.ts'
import { sanitized } from './sanitize.ts'

/** Writes exchanges as a recording in which no secret, id, name or address is left. */
export function recordingText(
  exchanges: readonly RecordedExchange[],
  keys: readonly string[],
  facts: Pick<RecordingFacts, 'client' | 'version' | 'url'> & { readonly dialect: DialectName },
): string {
  const { serviceDomains, cnameTargetBase } = dialects[facts.dialect]
  const domains = [...serviceDomains, cnameTargetBase, 'example.com', 'example']
  const { exchanges: clean, replaced } = sanitized(exchanges, keys, domains)
  return harText({ facts: { format: 1, ...facts, replaced }, exchanges: clean })
}
