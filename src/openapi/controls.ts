import { CONTROL_KEY_HEADER, CONTROL_PATH, type ControlCall } from '../control/control.ts'
import type { CatalogueError } from '../schema/errors.ts'
import type { OperationItem, PathItem } from './document.ts'
import { errorResponses } from './errors.ts'
import { jsonSchemaOf, nameOf, wholeOf } from './json-schema.ts'
import { answerItem, type Describing, descriptionOf, queryParameter, requestBody } from './operations.ts'

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

export function controlPaths(
  calls: readonly ControlCall[],
  describing: Describing,
  errorsOf: (call: ControlCall) => readonly CatalogueError[],
): Readonly<Record<string, PathItem>> {
  const paths: Record<string, PathItem> = {}
  for (const call of calls) {
    const path = CONTROL_PATH + call.path
    paths[path] = { ...paths[path], [call.method.toLowerCase()]: callItem(call, describing, errorsOf(call)) }
  }
  return paths
}

function callItem(call: ControlCall, describing: Describing, errors: readonly CatalogueError[]): OperationItem {
  const { method, path, summary, answer, mediaType = 'application/json' } = call
  return {
    operationId: `controls.${method.toLowerCase()}${path.replaceAll(/\W/g, '_')}`,
    tags: [CONTROL_TAG.name],
    summary,
    description: descriptionOf(describedBy(call), describing.dialect),
    ...inputOf(call, describing),
    responses: {
      [answer ? 200 : 204]: answerItem(answer, mediaType, describing),
      ...errorResponses(errors, describing.dialect),
    },
  }
}

function describedBy({ from, schema, summary, answer }: ControlCall) {
  const status = answer ? (200 as const) : (204 as const)
  return { summary, status, ...(schema && from === 'body' && { body: schema }), ...(answer && { response: answer }) }
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
