import type { FaultSpec } from '../../generated/controls.ts'
import type { Operation } from '../../operation/operation.ts'
import { refuse } from '../../schema/errors.ts'
import { general } from '../../schema/general-errors.ts'
import { idProblem } from '../../schema/ids.ts'
import { quote } from '../../schema/text.ts'
import type { Api } from '../control.ts'

/** The field of a fault because of which no request of an API can meet it, and what is allowed there. */
export interface Unmeetable {
  readonly field: 'operation' | 'method' | 'path' | 'resource'
  readonly received: string
  readonly allowed: string
}

/** Refuses a fault that no request can meet: a test that waits for it would pass without ever seeing it. */
export function requireMeetable(api: Api, spec: FaultSpec): void {
  const found = unmeetable(api, spec)
  if (found) refuse(general.field_invalid, { ...found, received: quote(found.received) })
}

/** Why no request of an API can meet a fault, or undefined where one can. */
export function unmeetable(api: Api, { operation, method, path, resource }: FaultSpec): Unmeetable | undefined {
  const atPath = path === undefined ? [] : api.operationsAt(path)
  const wanted: readonly [Unmeetable['field'], string | undefined, IsMeant, Named][] = [
    ['operation', operation, ({ name }, received) => name === received, named],
    ['method', method, (each, received) => methodsOf(each).includes(received), methodsOf],
    ['path', path, (each) => atPath.includes(each), pathOf],
    ['resource', resource, isNamed, idsOf],
  ]
  let left = api.operations
  for (const [field, received, isMeant, namesOf] of wanted) {
    if (received === undefined) continue
    const allowed = [...new Set(left.flatMap(namesOf))].join(', ') || 'nothing, because such requests name no resource'
    left = left.filter((each) => isMeant(each, received))
    if (left.length === 0) return { field, received, allowed }
  }
  return undefined
}

type IsMeant = (operation: Operation, received: string) => boolean

type Named = (operation: Operation) => readonly string[]

const named: Named = ({ name }) => [name]

const methodsOf: Named = ({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const pathOf: Named = ({ path }) => [path]

const idsOf: Named = ({ ids }) => Object.values(ids).map((prefix) => `${prefix}_…`)

function isNamed({ ids }: Operation, resource: string): boolean {
  return Object.values(ids).some((prefix) => idProblem(resource, prefix) === undefined)
}
