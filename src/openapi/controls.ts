import { CONTROL_KEY_HEADER, type ControlCall } from '../control/control.ts'
import type { CatalogueError } from '../schema/errors.ts'
import type { OperationItem } from './document.ts'
import { errorResponses } from './errors.ts'
import { jsonSchemaOf, nameOf, wholeOf } from './json-schema.ts'
import { answerItem, type Describing, queryParameter, requestBody } from './operations.ts'

export const CONTROL_TAG = {
  name: 'controls',
  description: 'Controls for tests: for this machine only, or for whoever has the control key. The service has none.',
}

export const CONTROL_KEY = {
  type: 'apiKey',
  in: 'header',
  name: CONTROL_KEY_HEADER,
  description: 'The control key of a gateway that has one; without one, only this machine gets in.',
}

export function callItem(call: ControlCall, describing: Describing, errors: readonly CatalogueError[]): OperationItem {
  const { method, path, summary, response: answer, mediaType = 'application/json' } = call
  const status = answer ? 200 : 204
  return {
    operationId: `controls.${method.toLowerCase()}${path.replaceAll(/\W/g, '_')}`,
    tags: [CONTROL_TAG.name],
    summary,
    ...inputOf(call, describing),
    responses: {
      [status]: answerItem(answer, mediaType, describing),
      ...errorResponses(errors, describing.dialect),
    },
  }
}

function inputOf(
  { from, schema }: ControlCall,
  { sent }: Describing,
): Pick<OperationItem, 'parameters' | 'requestBody'> {
  if (!schema) return {}
  if (from === 'body') return { requestBody: requestBody(wholeOf(schema, sent), nameOf(schema, sent)) }
  const { properties = {}, required = [] } = jsonSchemaOf(schema, { ...sent, place: 'query' })
  const parameters = Object.entries(properties).map(([name, json]) =>
    queryParameter(name, json, required.includes(name)),
  )
  return { parameters }
}
