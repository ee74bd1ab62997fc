import { refuse } from '../schema/errors.ts'
import { general } from '../schema/general-errors.ts'
import { anyObject } from '../schema/schema.ts'
import { type Control, controlCall, type Describer } from './control.ts'

const PATH = '/openapi.json'

const read = controlCall({
  method: 'GET',
  path: PATH,
  summary: 'The OpenAPI document of the service and of these controls',
  answer: anyObject(),
  mediaType: 'application/json',
  errors: [general.path_not_found],
  run(host) {
    const problem = 'there is no document: serve the gateway, or pass openApi to its describedBy()'
    const { describer, dialect, families } = host
    return (
      describer?.(dialect, { families, url: host.url() }) ??
      refuse(general.path_not_found, { method: 'GET', path: PATH, problem })
    )
  },
})

export interface DocumentMember {
  /**
   * Makes `GET /_fauxgate/openapi.json` work: pass `openApi` of `fauxgate/openapi`. `serve` does so itself.
   * @internal
   */
  describedBy(describer: Describer): void
}

export const document: Control<DocumentMember> = {
  calls: { read },
  members: (host) => ({
    describedBy(describer) {
      let latest: { url: string; json: string } | undefined
      host.describer = (dialect, options) => {
        const { url } = options
        // Making it takes some 100 ms; only the URL changes.
        if (latest?.url !== url) latest = { url, json: JSON.stringify(describer(dialect, options)) }
        return latest.json
      }
    },
  }),
}
