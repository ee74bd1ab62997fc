import type { Operation } from '../core/operation/operation.ts'
import type { CommonDialect } from '../core/schema/dialect.ts'
import { fieldsOf } from './bodies.ts'
import { FIELD_VALUES } from './field-values.ts'
import type { Step } from './step.ts'
import { examplesOf, type FieldValues, probesOf } from './values.ts'

/** A resource with operations at paths below its own, such as `/x/{id}/y`. */
interface SubresourceOptions {
  /** All operations of the dialect. */
  readonly operations: readonly Operation[]
  /** The path of the resource's list. */
  readonly path: string
  /** The resource, as a name in braces. */
  readonly id: string
  readonly dialect: CommonDialect
  readonly values: FieldValues | undefined
  /** Reads the resource. */
  readonly get: Step
}

/** Returns steps that set, read, change, and remove each module of a resource, and each of its named items. */
export function subresourceSteps({ operations, path, id, dialect, values = {}, get }: SubresourceOptions): Step[] {
  const known = { ...FIELD_VALUES, ...values }
  return operations.flatMap((operation): Step[] => {
    const [above, parameter, segment] = /^(.*)\/\{(\w+)\}(\/\w+)$/.exec(operation.path)?.slice(1) ?? []
    if (above !== path || parameter === undefined || segment === undefined) return []
    const { name, method } = operation
    const at = `${path}/${id}${segment}`
    const of = (verb: string) => name.replace(/\.\w+$/, `.${verb}`)
    const send = (verb: string, what: string, step: Step['method'], to: string, body?: unknown): Step => ({
      operation: of(verb),
      what,
      method: step,
      path: to,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const owner = { ...get, what: `after a change of its ${segment.slice(1)}` }
    const fields = fieldsOf(operation, dialect)
    const [first, changed] = [examplesOf(fields, 0, known), examplesOf(fields, 1, known)]
    if (method === 'PUT') {
      const base = { ...first, enabled: true }
      const isOptional = (field: string) => fields[field]?.type === 'optional'
      const optional = Object.keys(base).filter(isOptional)
      const probes = Object.entries(fields).flatMap(([field, schema]) => {
        const value = first[field] ?? changed[field]
        if (value === undefined) return []
        return [
          ...(isOptional(field) ? [] : [{ what: `no ${field}`, body: { ...base, [field]: undefined } }]),
          ...probesOf(field, schema, value, known)
            // A single request sets all optional fields to null.
            .filter((probe) => probe.value !== null || !isOptional(field))
            .map(({ what, value: each }) => ({ what, body: { ...base, [field]: each } })),
        ]
      })
      return [
        send('replace', 'with every field', 'PUT', at, first),
        send('get', 'after it was set', 'GET', at),
        send('replace', 'with nothing', 'PUT', at, {}),
        send('replace', 'with an unknown field', 'PUT', at, { ...first, fauxgate_verify: 1 }),
        send('replace', 'with null for all optional fields', 'PUT', at, {
          ...base,
          ...Object.fromEntries(optional.map((field) => [field, null])),
        }),
        ...probes.map(({ what, body }) => send('replace', `with ${what}`, 'PUT', at, body)),
        send('replace', 'with every field changed', 'PUT', at, changed),
        send('get', 'after its change', 'GET', at),
        owner,
        send('delete', 'of the new resource', 'DELETE', at),
        send('get', 'after its deletion', 'GET', at),
        send('delete', 'twice', 'DELETE', at),
        owner,
      ]
    }
    if (method !== 'POST') return []
    const [[field, schema] = []] = Object.entries(fields)
    if (field === undefined || schema === undefined) return []
    const item = `${at}/${encodeURIComponent(String(first[field]))}`
    const other = `${at}/${encodeURIComponent(String(changed[field]))}`
    return [
      send('list', 'as they were created', 'GET', at),
      ...[item, other].flatMap((each) => [
        send('get', 'as it was created', 'GET', each),
        send('delete', 'of the new resource', 'DELETE', each),
        send('get', 'after its deletion', 'GET', each),
      ]),
      send('delete', 'twice', 'DELETE', item),
      owner,
      send('create', 'with every field', 'POST', at, first),
      send('create', 'a second time', 'POST', at, first),
      send('create', 'with nothing', 'POST', at, {}),
      ...probesOf(field, schema, first[field], known)
        .filter(({ value }) => typeof value !== 'string' || !value.includes('.v0') || value !== value.toLowerCase())
        .map(({ what, value }) => send('create', `with ${what}`, 'POST', at, { [field]: value })),
      send('create', 'of another one', 'POST', at, changed),
      send('list', 'after these changes', 'GET', at),
      send('get', 'after its creation', 'GET', item),
      send('update', 'with every field', 'PATCH', item, first),
      send('update', 'without any field', 'PATCH', item, {}),
      send('update', 'to another one', 'PATCH', item, changed),
      send('update', 'of a missing one', 'PATCH', `${at}/nonsense`, first),
      send('list', 'after these changes', 'GET', at),
      owner,
    ]
  })
}

/** The steps around steps that detach parts of a resource. */
interface AroundDetachment {
  /** Reads the resource after each detachment. */
  readonly get: Step
  /** Sets the part that will be detached, if a change can set it. */
  set?(segment: string): readonly Step[]
}

/** Returns the operations that read and detach parts of a resource, such as `/x/{id}/y`. */
export function detachmentSteps(own: readonly Operation[], id: string, around?: AroundDetachment): Step[] {
  return own.flatMap(({ name, method, path }) => {
    const [, at, segment] = /^(.*)\{id\}\/(\w+)$/.exec(path) ?? []
    if (segment === undefined || (method !== 'GET' && method !== 'DELETE')) return []
    const step: Step = { operation: name, what: 'of the new resource', method, path: `${at}${id}/${segment}` }
    if (method === 'GET' || !around) return [step]
    return [...(around.set?.(segment) ?? []), step, { ...step, what: 'twice' }, around.get]
  })
}
