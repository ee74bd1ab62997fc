import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { anyObject } from '../schema/schema.ts'
import { type Control, type ControlHost, controlCall, type Describer } from './control.ts'

const PATH = '/openapi.json'

const read = controlCall({
  method: 'GET',
  path: PATH,
  summary: 'The OpenAPI document of the service and of these controls',
  answer: anyObject(),
  mediaType: 'application/json',
  errors: [general.path_not_found],
  run(host) {
    const problem = 'nothing makes the document: serve the gateway, or give openApi to its describedBy()'
    const { describer, dialect, families } = host
    return (
      describer?.(dialect, { families, url: host.url() }) ??
      refuse(general.path_not_found, { method: 'GET', path: PATH, problem })
    )
  },
})

export interface DocumentMember {
  /**
   * Lets `GET /_fauxgate/openapi.json` answer: pass `openApi` of `fauxgate/openapi`, as `serve` does by itself.
   * @internal
   */
  describedBy(describer: Describer): void
}

/** The OpenAPI document of a gateway. */
export const document: Control<DocumentMember> = {
  calls: { read },
  members: (host: ControlHost) => ({
    describedBy(describer) {
      let made: { url: string; json: string } | undefined
      host.describer = (dialect, options) => {
        const { url } = options
        // Making it takes hundreds of ms; only the URL changes.
        if (made?.url !== url) made = { url, json: JSON.stringify(describer(dialect, options)) }
        return made.json
      }
    },
  }),
}
