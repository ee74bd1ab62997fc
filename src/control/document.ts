import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { requireFunction } from '../core/schema/options.ts'
import { anyObject } from '../core/schema/schema.ts'
import { type Control, controlCall, type DescribedPart, type Describer } from './control.ts'

const read = createDocumentCall('/openapi.json', 'service', 'The OpenAPI document of the service')
const readControls = createDocumentCall('/openapi.control.json', 'controls', 'The OpenAPI document of these controls')

function createDocumentCall(path: string, part: DescribedPart, summary: string) {
  return controlCall({
    method: 'GET',
    path,
    summary,
    response: anyObject(),
    mediaType: 'application/json',
    errors: [general.path_not_found],
    run(host) {
      const { describer, dialect, families } = host
      if (describer) return describer(dialect, { families, url: host.engine.url, part })
      const problem = 'there is no document: serve the gateway, or pass openApi to its describedBy()'
      return refuse(general.path_not_found, { method: 'GET', path, problem })
    },
  })
}

export interface DocumentMember {
  /**
   * Makes `GET /_fauxgate/openapi.json` and `GET /_fauxgate/openapi.control.json` work: pass `openApi` of `fauxgate/openapi`. `serve` makes this call.
   * @internal
   */
  describedBy(describer: Describer): void
}

export const document: Control<DocumentMember> = {
  calls: [read, readControls],
  members: (host) => ({
    describedBy(describer) {
      requireFunction('describer', describer)
      const cache = new Map<DescribedPart, { url: string; json: string }>()
      host.describer = (dialect, options) => {
        const { url, part } = options
        const cached = cache.get(part)
        // Describing a gateway takes hundreds of ms, and only the URL can change.
        if (cached?.url === url) return cached.json
        const json = JSON.stringify(describer(dialect, options))
        cache.set(part, { url, json })
        return json
      }
    },
  }),
}
