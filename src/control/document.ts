import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import { anyObject } from '../core/schema/schema.ts'
import { CONTROL_PATH } from './address.ts'
import { type Control, type ControlHost, controlCall, type DescribedPart, type Describer } from './control.ts'

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
      const problem = 'This process has no OpenAPI document. Serve the gateway, or call openApi from fauxgate/openapi.'
      return refuse(general.path_not_found, { method: 'GET', path: `${CONTROL_PATH}${path}`, problem })
    },
  })
}

export const document: Control = { calls: [read, readControls] }

/**
 * Creates the text of a gateway's documents. Each text is cached until the URL changes, because describing a gateway takes hundreds of ms.
 */
export function cacheDocuments(describer: Describer): ControlHost['describer'] {
  const cache = new Map<DescribedPart, { url: string; json: string }>()
  return (dialect, options) => {
    const { url, part } = options
    const cached = cache.get(part)
    if (cached?.url === url) return cached.json
    const json = JSON.stringify(describer(dialect, options))
    cache.set(part, { url, json })
    return json
  }
}
